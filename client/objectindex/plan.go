package objectindex

import (
	"context"
	"crypto/rand"
	"iter"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"lookout/client"
)

// Limits of a plan.
const (
	maxReaders       = 8   // parts that are read at once; the client's slots bound the requests
	maxPagesAhead    = 128 // pages that wait until those before them were read
	maxPartsPerLevel = 128 // more would cost more requests than they save
	maxLevels        = 4   // levels that are searched for parts
)

// A ListingPlan splits a flat listing at its prefixes, so that its parts can be read side by side. The parts are in
// the order of their names. A cursor of a plan names a part and the marker in it.
type ListingPlan struct {
	mark    string // begins every cursor; random, so that no marker of a server and no other plan's cursor has it
	objects client.ObjectReader
	query   client.ObjectQuery
	parts   []part
}

// A part is all objects below a prefix, or a page of objects whose names are between those of two prefixes.
type part struct {
	prefix string
	page   *client.ObjectPage // nil if the prefix has to be read
}

// NewListingPlan looks for the parts of a listing; nil if it cannot be split. It ignores the delimiter and the marker
// of q.
func NewListingPlan(ctx context.Context, objects client.ObjectReader, q client.ObjectQuery) (*ListingPlan, error) {
	q.Delimiter, q.Marker = "", ""
	p := &ListingPlan{
		mark:    "part " + rand.Text() + " ",
		objects: objects,
		query:   q,
		parts:   []part{{prefix: q.Prefix}},
	}
	for range maxLevels {
		if len(p.parts) >= maxReaders {
			break
		}
		inner := make([][]part, len(p.parts))
		errs := make([]error, len(p.parts))
		var reads sync.WaitGroup
		for i, one := range p.parts {
			reads.Go(func() { inner[i], errs[i] = p.split(ctx, one) })
		}
		reads.Wait()
		for _, err := range errs {
			if err != nil {
				return nil, err
			}
		}
		parts := slices.Concat(inner...)
		if slices.Equal(parts, p.parts) {
			break
		}
		p.parts = parts
	}
	if len(p.parts) < 2 {
		return nil, nil
	}
	return p, nil
}

// split returns the parts of a part in their order, or only the part itself if it is better read as a whole.
func (p *ListingPlan) split(ctx context.Context, one part) ([]part, error) {
	if one.page != nil {
		return []part{one}, nil
	}
	q := p.query
	q.Prefix, q.Delimiter = one.prefix, "/"
	page, err := p.objects.List(ctx, q)
	if err != nil || page.Truncated || len(page.Warnings) > 0 {
		return []part{one}, err
	}
	sort.Slice(page.Data, func(i, j int) bool { return page.Data[i].Name.Raw() < page.Data[j].Name.Raw() })
	var parts []part
	prefixes, last := 0, ""
	for _, o := range page.Data {
		name := o.Name.Raw()
		switch {
		case !strings.HasPrefix(name, one.prefix) || name == last && name != "":
			return []part{one}, nil // these are not valid names
		case o.IsPrefix() && (len(name) == len(one.prefix) || !strings.HasSuffix(name, "/")):
			return []part{one}, nil
		case o.IsPrefix():
			parts = append(parts, part{prefix: name})
			prefixes++
		case len(parts) > 0 && parts[len(parts)-1].page != nil:
			between := parts[len(parts)-1].page
			between.Data = append(between.Data, o)
		default:
			parts = append(parts, part{page: &client.ObjectPage{Data: []client.Object{o}}})
		}
		last = name
	}
	if prefixes == 0 || prefixes > maxPartsPerLevel {
		return []part{one}, nil
	}
	return parts, nil
}

// Owns reports whether a cursor is one of the plan. A nil plan has none.
func (p *ListingPlan) Owns(cursor string) bool { return p != nil && strings.HasPrefix(cursor, p.mark) }

// cursor returns the cursor of a part and a marker in it; "" after the last part.
func (p *ListingPlan) cursor(part int, marker string) string {
	if part >= len(p.parts) {
		return ""
	}
	return p.mark + strconv.Itoa(part) + " " + marker
}

// position returns the part and the marker of one of the plan's cursors. Any other cursor is the beginning.
func (p *ListingPlan) position(cursor string) (number int, marker string) {
	text, found := strings.CutPrefix(cursor, p.mark)
	if !found {
		return 0, ""
	}
	digits, marker, _ := strings.Cut(text, " ")
	number, _ = strconv.Atoi(digits) // cursor has written it
	return number, marker
}

// List returns the page at a cursor. Its NextMarker is the cursor of the next page.
func (p *ListingPlan) List(ctx context.Context, cursor string) (client.ObjectPage, error) {
	number, marker := p.position(cursor)
	one := p.parts[number]
	if one.page != nil {
		return p.placed(one.copied(), number), nil
	}
	q := p.query
	q.Prefix, q.Marker = one.prefix, marker
	page, err := p.objects.List(ctx, q)
	return p.placed(page, number), err
}

// copied returns the page of a part that was read already.
func (o part) copied() client.ObjectPage {
	page := *o.page
	page.Data = slices.Clone(page.Data)
	return page
}

// placed returns a page of a part with the cursor of the next page.
func (p *ListingPlan) placed(page client.ObjectPage, number int) client.ObjectPage {
	switch {
	case page.Incomplete != "":
	case page.NextMarker != "":
		page.NextMarker = p.cursor(number, page.NextMarker)
	default:
		page.NextMarker = p.cursor(number+1, "")
	}
	return page
}

// aheadPage is a page that was read before its turn.
type aheadPage struct {
	page    client.ObjectPage
	err     error
	counted bool // takes a place among the pages ahead
}

// A partReader reads a part.
type partReader struct {
	pages  chan aheadPage
	turn   chan struct{} // closed when the pages before it were delivered
	number int
}

// Pages iterates over all pages from a cursor on, in order, and reads several parts at once. Their NextMarkers are
// cursors. An error ends the iteration, and so does a part that cannot be read to its end.
func (p *ListingPlan) Pages(ctx context.Context, cursor string) iter.Seq2[client.ObjectPage, error] {
	return func(yield func(client.ObjectPage, error) bool) {
		var reads sync.WaitGroup
		defer reads.Wait()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		ahead := make(chan struct{}, maxPagesAhead)
		next, marker := p.position(cursor)
		var readers []partReader
		for next < len(p.parts) || len(readers) > 0 {
			for ; next < len(p.parts) && len(readers) < maxReaders; next++ {
				r := partReader{
					pages:  make(chan aheadPage, maxPagesAhead),
					turn:   make(chan struct{}),
					number: next,
				}
				readers = append(readers, r)
				from := marker
				marker = ""
				reads.Go(func() { p.read(ctx, r, from, ahead) })
			}
			close(readers[0].turn)
			for a := range readers[0].pages {
				if a.counted {
					<-ahead
				}
				if !yield(a.page, a.err) || a.err != nil || a.page.Incomplete != "" {
					return
				}
			}
			if ctx.Err() != nil {
				yield(client.ObjectPage{}, ctx.Err())
				return
			}
			readers = readers[1:]
		}
	}
}

// read sends the pages of a part. Before its turn, each page takes a place in ahead, which limits how many wait.
func (p *ListingPlan) read(ctx context.Context, r partReader, marker string, ahead chan struct{}) {
	defer close(r.pages)
	send := func(page client.ObjectPage, err error) bool {
		a := aheadPage{page: p.placed(page, r.number), err: err}
		select {
		case <-r.turn:
		default:
			select {
			case <-r.turn:
			case ahead <- struct{}{}:
				a.counted = true
			case <-ctx.Done():
				return false
			}
		}
		select {
		case r.pages <- a:
			return true
		case <-ctx.Done():
			return false
		}
	}
	one := p.parts[r.number]
	if one.page != nil {
		send(one.copied(), nil)
		return
	}
	q := p.query
	q.Prefix, q.Marker = one.prefix, marker
	for page, err := range p.objects.Pages(ctx, q) {
		if !send(page, err) || err != nil {
			return
		}
	}
}
