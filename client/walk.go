package client

import (
	"bytes"
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// emptyPages is how many pages without an entry may follow each other before a walk gives up.
const emptyPages = 100

// pagesAhead is how many pages a walk reads before they are asked for: reading and working on them go side by side.
const pagesAhead = 3

// Walk gives every page of a listing, from q.Marker on, and reads on while a page is worked on. A short page is not the end. A listing that
// turns in circles ends with a page whose Cut says "incomplete: …" and why, and Odd with it; an error ends it too.
func (s Objects) Walk(ctx context.Context, q ObjectQuery) iter.Seq2[ObjectPage, error] {
	return func(yield func(ObjectPage, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		pages, stopped := make(chan reading, pagesAhead-1), make(chan struct{})
		defer close(stopped)
		go s.follow(ctx, q, pages, stopped)
		for p := range pages {
			if !yield(p.page, p.err) {
				return
			}
		}
	}
}

// reading is a page, or why there is none.
type reading struct {
	page ObjectPage
	err  error
}

// follow gives page after page until the last, an error, or nobody wants more.
func (s Objects) follow(ctx context.Context, q ObjectQuery, pages chan<- reading, stopped <-chan struct{}) {
	defer close(pages)
	trail := newTrail(q)
	for more := true; more; {
		q.Marker, more = s.stretch(ctx, q, trail, pages, stopped)
	}
}

// stretch gives pages as long as the markers are those that were foreseen. It says where to go on, if anywhere.
func (s Objects) stretch(ctx context.Context, q ObjectQuery, trail *trail, pages chan<- reading, stopped <-chan struct{}) (next string, more bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	bodies, left := make(chan unread, pagesAhead-1), make(chan struct{})
	defer close(left)
	go s.fetch(ctx, q, bodies, left)
	for b := range bodies {
		page, err := ObjectPage{}, b.err
		if err == nil {
			page, err = s.understand(q, b.body)
		}
		if why := trail.circle(page); why != "" {
			page.end(why)
		}
		next = page.Next
		select {
		case pages <- reading{page, err}:
		case <-stopped:
			return "", false
		}
		if next == "" || err != nil {
			return "", false
		}
		if next != b.next {
			return next, true
		}
	}
	return next, next != ""
}

// unread is an answer that nobody has decoded yet, or why there is none.
type unread struct {
	body []byte
	next string // the marker that its last bytes tell; "" where they do not
	err  error
}

// fetch reads answers ahead of their decoding, as long as their last bytes tell the next marker.
func (s Objects) fetch(ctx context.Context, q ObjectQuery, bodies chan<- unread, left <-chan struct{}) {
	defer close(bodies)
	for more := true; more; {
		body, err := s.raw(ctx, q)
		q.Marker = foreseen(body)
		more = q.Marker != "" && err == nil
		select {
		case bodies <- unread{body, q.Marker, err}:
		case <-left:
			return
		}
	}
}

// raw is the page as the API wrote it.
func (s Objects) raw(ctx context.Context, q ObjectQuery) (body []byte, err error) {
	r := s.request(q)
	r.take = func(data []byte) error {
		body = data
		return nil
	}
	err = s.c.exchange(ctx, r)
	if q.PageSize == 0 && s.c.smaller(pageSize, err) {
		q.PageSize = smallPageSize
		return s.raw(ctx, q)
	}
	return body, err
}

// understand decodes a page.
func (s Objects) understand(q ObjectQuery, body []byte) (page ObjectPage, err error) {
	if err := decode(body, &page); err != nil {
		e := s.c.failure(s.request(q))
		e.Status, e.Outcome, e.What = http.StatusOK, Uncertain, Clean(err.Error())
		return ObjectPage{}, e
	}
	return page, nil
}

// foreseen is the next marker as the members behind the last list of an answer tell it. It may be wrong: decoding decides.
func foreseen(body []byte) string {
	at := bytes.LastIndexByte(body, ']')
	if at < 0 {
		return ""
	}
	tail := append([]byte(`{"data":[`), bytes.TrimSpace(body[at:])...)
	var p ObjectPage
	if !p.readQuick(tail) {
		return ""
	}
	return strings.Clone(p.Next)
}

// A trail is where a walk has been, to tell when it turns in circles.
type trail struct {
	markers map[string]bool
	ends    map[string]bool // last names of pages
	name    string          // the last marker, where it was the last name of its page
	empty   int             // pages without an entry, one after another
}

func newTrail(q ObjectQuery) *trail {
	return &trail{markers: map[string]bool{q.Marker: true}, ends: map[string]bool{}, name: q.Marker}
}

// circle says why the page must be the last, or "".
func (t *trail) circle(p ObjectPage) string {
	if !p.Truncated {
		return ""
	}
	last, seen := "", false
	if n := len(p.Data); n > 0 {
		last = strings.Clone(p.Data[n-1].Name.raw)
		t.empty = 0
		seen = t.ends[last]
		t.ends[last] = true
	} else {
		t.empty++
	}
	next, before := strings.Clone(p.Next), t.name
	t.name = ""
	if next == last {
		t.name = next
	}
	switch {
	case next == "":
		return "marker missing"
	case t.markers[next]:
		return "marker repeated"
	case next == last && before != "" && next < before:
		return "marker went backward"
	case seen:
		return "page repeated"
	case t.empty > emptyPages:
		return "only empty pages"
	}
	t.markers[next] = true
	return ""
}

// A Tally is what a listing holds.
type Tally struct {
	Objects int64
	Bytes   int64
	Odd     []string // what made no sense or was left out; the numbers are then too small
}

// Bounds of counting.
const (
	shortListing = 8   // pages that are read one after another before it is worth while to part the names
	sideWays     = 8   // prefixes listed at once; the client's places in flight bound the requests
	mostParts    = 128 // prefixes of one level; more would cost more requests than they save
	deepest      = 4   // levels that are looked at for prefixes
)

// Count adds up the objects whose names begin with q.Prefix; delimiter and marker of q do not count. A long listing is parted by "/" and its
// parts are read side by side. progress, which may be nil, is told the numbers as they grow, one call at a time.
func (s Objects) Count(ctx context.Context, q ObjectQuery, progress func(objects, bytes int64)) (Tally, error) {
	q.Delimiter, q.Marker = "", ""
	first := &count{s: s, q: q, progress: progress}
	if done, err := first.flat(ctx, q.Prefix, shortListing); done || err != nil {
		return first.sum, err
	}
	all := &count{s: s, q: q, progress: progress, told: first.told}
	parts, err := all.parts(ctx)
	if err != nil {
		return all.sum, err
	}
	return all.sum, all.every(ctx, parts)
}

// count is a counting under way.
type count struct {
	s        Objects
	q        ObjectQuery
	progress func(objects, bytes int64)
	mu       sync.Mutex
	sum      Tally
	told     int64 // objects at the last progress
	blind    bool  // the size of some object is not known
}

// oddSizes is what a tally says whose bytes are too few.
const oddSizes = "the size of some objects is not known"

// flat adds a prefix page by page, at most so many where most is above 0, and reports whether that was all.
func (c *count) flat(ctx context.Context, prefix string, most int) (whole bool, err error) {
	q := c.q
	q.Prefix = prefix
	for page, err := range c.s.Walk(ctx, q) {
		if err != nil {
			return false, err
		}
		c.add(page)
		if most--; most == 0 && page.Next != "" {
			return false, nil
		}
	}
	return true, nil
}

// add adds a page. Progress never falls back, though a counting may begin anew.
func (c *count) add(p ObjectPage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range p.Data {
		if !p.Data[i].Prefix() {
			c.sum.Objects++
			c.sum.Bytes += max(0, p.Data[i].Size)
			c.blind = c.blind || p.Data[i].Size < 0
		}
	}
	c.sum.Odd = append(c.sum.Odd, p.Odd...)
	if c.blind && !slices.Contains(c.sum.Odd, oddSizes) {
		c.sum.Odd = append(c.sum.Odd, oddSizes)
	}
	if c.progress != nil && c.sum.Objects > c.told {
		c.told = c.sum.Objects
		c.progress(c.sum.Objects, c.sum.Bytes)
	}
}

// parts are prefixes that hold all objects which it has not added: enough to be read side by side, where the names have as many.
func (c *count) parts(ctx context.Context) (parts []string, err error) {
	parts = []string{c.q.Prefix}
	for range deepest {
		if len(parts) >= sideWays {
			break
		}
		var below []string
		split := false
		for _, prefix := range parts {
			inner, page, err := c.below(ctx, prefix)
			if err != nil {
				return nil, err
			}
			if inner == nil {
				below = append(below, prefix)
				continue
			}
			c.add(page)
			split, below = true, append(below, inner...)
		}
		parts = below
		if !split {
			break
		}
	}
	return parts, nil
}

// below are the prefixes one level down and the page that told them; nil where the prefix is better listed as it is.
func (c *count) below(ctx context.Context, prefix string) ([]string, ObjectPage, error) {
	q := c.q
	q.Prefix, q.Delimiter = prefix, "/"
	page, err := c.s.List(ctx, q)
	if err != nil || page.Truncated {
		return nil, page, err
	}
	seen := map[string]bool{}
	var inner []string
	for _, o := range page.Data {
		switch name := o.Name.raw; {
		case !o.Prefix():
		case len(name) <= len(prefix) || !strings.HasPrefix(name, prefix) || !strings.HasSuffix(name, "/") || seen[name]:
			return nil, page, nil // no prefixes as they should be
		default:
			seen[name] = true
			inner = append(inner, name)
		}
	}
	if len(inner) > mostParts {
		return nil, page, nil
	}
	return inner, page, nil
}

// every adds all parts, some at once. The first error ends the others.
func (c *count) every(ctx context.Context, parts []string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	free := make(chan struct{}, sideWays)
	var all sync.WaitGroup
	for _, prefix := range parts {
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			if ctx.Err() != nil {
				return
			}
			if _, err := c.flat(ctx, prefix, 0); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}
