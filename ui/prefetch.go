package ui

import (
	"context"
	"iter"
)

// maxPrefetchRows is how many rows of a flow are taken at once at most: more would be felt between a key and its frame.
const maxPrefetchRows = 2_000

// A prefetcher is a lazy set being read to its end: pages come ahead of whoever takes them.
type prefetcher[T any] struct {
	pages chan fetchedPage[T]
	err   error // that came behind pages
}

// fetchedPage is a page, or why there is none.
type fetchedPage[T any] struct {
	page RowPage[T]
	err  error
}

// Prefetch reads pages ahead of whoever takes them, until the last, an error, or the end of ctx. next waits for a page
// and adds those that have come meanwhile.
func Prefetch[T any](ctx context.Context, pages iter.Seq2[RowPage[T], error]) (next func() (RowPage[T], error)) {
	f := &prefetcher[T]{pages: make(chan fetchedPage[T], 4)}
	go func() {
		defer close(f.pages)
		for page, err := range pages {
			select {
			case f.pages <- fetchedPage[T]{page, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return f.next
}

// next waits for a page and adds those that have come already. Behind the last it is empty.
func (f *prefetcher[T]) next() (page RowPage[T], err error) {
	if f.err != nil {
		return page, f.err
	}
	d := <-f.pages
	for page, err = d.page, d.err; err == nil && page.Next != "" && len(page.Rows) < maxPrefetchRows; {
		select {
		case d = <-f.pages:
			if f.err = d.err; d.err != nil {
				return page, nil
			}
			page.Rows, page.Notes = append(page.Rows, d.page.Rows...), append(page.Notes, d.page.Notes...)
			page.Next, page.Total = d.page.Next, d.page.Total
		default:
			return page, nil
		}
	}
	return page, err
}
