package ui

import (
	"context"
	"iter"
)

// gulp is how many rows of a flow are taken at once at most: more would be felt between a key and its frame.
const gulp = 2_000

// A flow is a lazy set being read to its end: pages come ahead of whoever takes them.
type flow[T any] struct {
	pages chan reading[T]
	err   error // that came behind pages
}

// reading is a page, or why there is none.
type reading[T any] struct {
	page Page[T]
	err  error
}

// Ahead reads pages ahead of whoever takes them, until the last, an error, or the end of ctx. next waits for a page and adds those that have
// come meanwhile.
func Ahead[T any](ctx context.Context, pages iter.Seq2[Page[T], error]) (next func() (Page[T], error)) {
	f := &flow[T]{pages: make(chan reading[T], 4)}
	go func() {
		defer close(f.pages)
		for page, err := range pages {
			select {
			case f.pages <- reading[T]{page, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return f.next
}

// next waits for a page and adds those that have come already. Behind the last it is empty.
func (f *flow[T]) next() (page Page[T], err error) {
	if f.err != nil {
		return page, f.err
	}
	d := <-f.pages
	for page, err = d.page, d.err; err == nil && page.Next != "" && len(page.Rows) < gulp; {
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
