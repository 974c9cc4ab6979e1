package client

import (
	"bytes"
	"context"
	"iter"
	"net/http"
	"strings"
)

// maxEmptyPages is how many empty pages in a row an iteration accepts before it gives up.
const maxEmptyPages = 100

// prefetchPages is how many pages are read ahead, so that reading and processing overlap.
const prefetchPages = 3

// Pages iterates over the pages of a listing, from q.Marker on, and reads ahead. A short page is not the end. If the
// listing goes round in circles, it ends with a page whose Incomplete says why; an error ends it too.
func (s ObjectReader) Pages(ctx context.Context, q ObjectQuery) iter.Seq2[ObjectPage, error] {
	return func(yield func(ObjectPage, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		pages, stopped := make(chan fetchedPage, prefetchPages-1), make(chan struct{})
		defer close(stopped)
		go s.streamPages(ctx, q, pages, stopped)
		for p := range pages {
			if !yield(p.page, p.err) {
				return
			}
		}
	}
}

// fetchedPage is a page, or the error instead of it.
type fetchedPage struct {
	page ObjectPage
	err  error
}

// streamPages sends page after page, until the last one, an error, or stopped.
func (s ObjectReader) streamPages(
	ctx context.Context,
	q ObjectQuery,
	pages chan<- fetchedPage,
	stopped <-chan struct{},
) {
	defer close(pages)
	trail := newCycleDetector(q)
	for more := true; more; {
		q.Marker, more = s.streamPredicted(ctx, q, trail, pages, stopped)
	}
}

// streamPredicted sends pages as long as their markers are the predicted ones. It returns the marker to continue with,
// if there is more.
func (s ObjectReader) streamPredicted(
	ctx context.Context, q ObjectQuery, trail *cycleDetector, pages chan<- fetchedPage, stopped <-chan struct{},
) (next string, more bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	bodies, left := make(chan rawPage, prefetchPages-1), make(chan struct{})
	defer close(left)
	go s.prefetchRaw(ctx, q, bodies, left)
	for b := range bodies {
		page, err := ObjectPage{}, b.err
		if err == nil {
			page, err = s.decodePage(q, b.body)
		}
		if why := trail.check(page); why != "" {
			page.markIncomplete(why)
		}
		next = page.NextMarker
		select {
		case pages <- fetchedPage{page, err}:
		case <-stopped:
			return "", false
		}
		if next == "" || err != nil {
			return "", false
		}
		if next != b.predictedMarker {
			return next, true
		}
	}
	return next, next != ""
}

// rawPage is an answer that is not decoded yet, or the error instead of it.
type rawPage struct {
	body            []byte
	predictedMarker string // the next marker according to its last bytes; "" if they do not tell
	err             error
}

// prefetchRaw reads answers before the earlier ones are decoded, as long as their last bytes tell the next marker.
func (s ObjectReader) prefetchRaw(ctx context.Context, q ObjectQuery, bodies chan<- rawPage, left <-chan struct{}) {
	defer close(bodies)
	for more := true; more; {
		body, err := s.fetchRaw(ctx, q)
		q.Marker = predictMarker(body)
		more = q.Marker != "" && err == nil
		select {
		case bodies <- rawPage{body, q.Marker, err}:
		case <-left:
			return
		}
	}
}

// fetchRaw returns a page as the API sent it.
func (s ObjectReader) fetchRaw(ctx context.Context, q ObjectQuery) (body []byte, err error) {
	r := s.listRequest(q)
	r.handleBody = func(data []byte) error {
		body = data
		return nil
	}
	err = s.c.exchange(ctx, r)
	if q.PageSize == 0 && s.c.fallBackToSmallPages(pageSize, err) {
		q.PageSize = smallPageSize
		return s.fetchRaw(ctx, q)
	}
	return body, err
}

// decodePage decodes a page.
func (s ObjectReader) decodePage(q ObjectQuery, body []byte) (page ObjectPage, err error) {
	if err := decode(body, &page); err != nil {
		e := s.c.newError(s.listRequest(q))
		e.Status, e.Outcome, e.Detail = http.StatusOK, Unknown, Clean(err.Error())
		return ObjectPage{}, e
	}
	return page, nil
}

// predictMarker returns the next marker according to the members behind the last list of an answer. It may be wrong;
// decoding the answer decides.
func predictMarker(body []byte) string {
	at := bytes.LastIndexByte(body, ']')
	if at < 0 {
		return ""
	}
	tail := append([]byte(`{"data":[`), bytes.TrimSpace(body[at:])...)
	var p ObjectPage
	if !p.decodeFast(tail) {
		return ""
	}
	return strings.Clone(p.NextMarker)
}

// A cycleDetector remembers where an iteration has been, to notice when it goes round in circles.
type cycleDetector struct {
	markers    map[string]bool
	lastNames  map[string]bool // last names of pages
	lastMarker string          // the last marker, if it was the last name of its page
	emptyPages int             // empty pages in a row
}

func newCycleDetector(q ObjectQuery) *cycleDetector {
	return &cycleDetector{markers: map[string]bool{q.Marker: true}, lastNames: map[string]bool{}, lastMarker: q.Marker}
}

// check returns why the page must be the last, or "".
func (t *cycleDetector) check(p ObjectPage) string {
	if !p.Truncated {
		return ""
	}
	last, seen := "", false
	if n := len(p.Data); n > 0 {
		last = strings.Clone(p.Data[n-1].Name.raw)
		t.emptyPages = 0
		seen = t.lastNames[last]
		t.lastNames[last] = true
	} else {
		t.emptyPages++
	}
	next, before := strings.Clone(p.NextMarker), t.lastMarker
	t.lastMarker = ""
	if next == last {
		t.lastMarker = next
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
	case t.emptyPages > maxEmptyPages:
		return "only empty pages"
	}
	t.markers[next] = true
	return ""
}
