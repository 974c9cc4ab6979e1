package lists

import (
	"context"
	"iter"
)

// maxPrefetchRows is the number of rows that a prefetcher delivers at once at most: more would be felt between a key
// and its frame.
const maxPrefetchRows = 2_000

// prefetcher reads a store to its end, ahead of the consumer of its pages.
type prefetcher[T any] struct {
	ctx   context.Context
	pages chan fetchedPage[T]
	err   error // that came after pages
}

// fetchedPage is a page, or why there is none.
type fetchedPage[T any] struct {
	page RowPage[T]
	err  error
}

// Prefetch reads pages ahead, until the last, an error, or the end of ctx. next waits for a page and adds those that
// have arrived meanwhile.
func Prefetch[T any](ctx context.Context, pages iter.Seq2[RowPage[T], error]) (next func() (RowPage[T], error)) {
	f := &prefetcher[T]{ctx: ctx, pages: make(chan fetchedPage[T], 4)}
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

// next waits for a page and adds those that have arrived already. After the last page it returns an empty one, and the
// error of the context if that ended the reading.
func (f *prefetcher[T]) next() (page RowPage[T], err error) {
	if f.err != nil {
		return page, f.err
	}
	fetched, open := <-f.pages
	if !open {
		return page, f.ctx.Err()
	}
	page, err = fetched.page, fetched.err
	for err == nil && page.Next != "" && len(page.Rows) < maxPrefetchRows {
		select {
		case fetched, open = <-f.pages:
			if !open {
				return page, nil
			}
			if f.err = fetched.err; f.err != nil {
				return page, nil
			}
			page.Rows = append(page.Rows, fetched.page.Rows...)
			page.Notes = append(page.Notes, fetched.page.Notes...)
			page.Missing = append(page.Missing, fetched.page.Missing...)
			page.Next, page.Total = fetched.page.Next, fetched.page.Total
			page.Rereads = page.Rereads || fetched.page.Rereads
		default:
			return page, nil
		}
	}
	return page, err
}
