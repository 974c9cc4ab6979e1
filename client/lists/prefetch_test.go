package lists

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"
)

// thing is a row.
type thing struct{ name string }

// newPrefetchStore returns a lazy store of pages of one row each, which are read ahead, and the number of pages read.
func newPrefetchStore(ctx context.Context, pages int, end error) (*RowStore[thing], *int) {
	made := new(int)
	next := func(i int) string {
		if i == pages-1 && end == nil {
			return ""
		}
		return fmt.Sprint(i + 1)
	}
	s := NewRowStore(ctx, &Inline{}, RowSource[thing]{
		Name: "things",
		ID:   func(x thing) string { return x.name },
		Lazy: true,
		Fetch: func(_ context.Context, cursor string) (RowPage[thing], error) {
			return RowPage[thing]{Rows: []thing{{name: "0"}}, Next: next(0)}, nil
		},
		PrefetchFrom: func(ctx context.Context, cursor string, _ int) func() (RowPage[thing], error) {
			return Prefetch(ctx, func(yield func(RowPage[thing], error) bool) {
				var i int
				fmt.Sscan(cursor, &i)
				for ; i < pages && ctx.Err() == nil; i++ {
					*made++
					if !yield(RowPage[thing]{Rows: []thing{{name: fmt.Sprint(i)}}, Next: next(i)}, nil) {
						return
					}
				}
				if end != nil {
					yield(RowPage[thing]{}, end)
				}
			})
		},
	})
	return s, made
}

// A store that is read to its end takes the pages that have arrived, in order and completely.
func TestStore_LoadAll_prefetches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newPrefetchStore(t.Context(), 5_000, nil)
		s.Refresh()
		s.LoadAll()
		if s.Len() != 5_000 || !s.Complete() || s.LoadingAll() || s.At(4_999).name != "4999" {
			t.Errorf("%d rows, whole %v", s.Len(), s.Complete())
		}
	})
}

// After a stop nothing more is read, and a page under way does not count. The next read continues there. Only until the
// stop does the store say that it is being read to its end.
func TestStore_Stop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, made := newPrefetchStore(t.Context(), 5_000, nil)
		s.Refresh()
		loop := s.Executor.(*Inline)
		loop.Hold = true
		before := s.LoadingAll()
		s.LoadAll()
		meanwhile := s.LoadingAll()
		s.Stop()
		if before || !meanwhile || s.LoadingAll() {
			t.Errorf("before %t, meanwhile %t, after the stop %t", before, meanwhile, s.LoadingAll())
		}
		synctest.Wait()
		stopped := *made
		time.Sleep(time.Minute)
		if *made != stopped || stopped > 1_000 { // of 5,000
			t.Errorf("%d pages were read, and %d after the stop", stopped, *made-stopped)
		}
		loop.Hold = false
		loop.Release(0)
		if s.Len() != 1 {
			t.Errorf("%d rows", s.Len())
		}
		s.LoadAll()
		if s.Len() != 5_000 {
			t.Errorf("%d rows in the end", s.Len())
		}
	})
}

// Rows that came before an error stay, and the error is reported.
func TestStore_LoadAll_keepsRowsOnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newPrefetchStore(t.Context(), 10, errors.New("cut"))
		s.Refresh()
		s.LoadAll()
		if s.Len() != 10 || s.LoadingAll() || s.Freshness().Err == nil ||
			!strings.Contains(s.Freshness().Err.Error(), "cut") {
			t.Errorf("%d rows, %v", s.Len(), s.Freshness().Err)
		}
	})
}

// Once a store has been read to its end, or could not be, nothing goes on reading ahead: not even if the pages go in
// circles.
func TestStore_LoadAll_endsPrefetch(t *testing.T) {
	for name, end := range map[string]error{"in circles": nil, "failed": errors.New("cut")} {
		synctest.Test(t, func(t *testing.T) {
			var ahead context.Context
			s := NewRowStore(t.Context(), &Inline{}, RowSource[thing]{
				Name: "things",
				ID:   func(x thing) string { return x.name },
				Lazy: true,
				Fetch: func(context.Context, string) (RowPage[thing], error) {
					return RowPage[thing]{Rows: []thing{{name: "0"}}, Next: "1"}, nil
				},
				PrefetchFrom: func(ctx context.Context, _ string, _ int) func() (RowPage[thing], error) {
					ahead = ctx
					return func() (RowPage[thing], error) { return RowPage[thing]{Next: "1"}, end }
				},
			})
			s.Refresh()
			s.LoadAll()
			if ahead.Err() == nil {
				t.Errorf("%s: the next pages are still being read", name)
			}
		})
	}
}

// A cursor does not keep the answer in memory that it is part of.
func TestStore_clonesNextCursor(t *testing.T) {
	answer := strings.Repeat("x", 1<<10) + "7"
	next := answer[1<<10:]
	s := NewRowStore(t.Context(), &Inline{}, RowSource[thing]{
		Name: "things",
		ID:   func(x thing) string { return x.name },
		Lazy: true,
		Fetch: func(context.Context, string) (RowPage[thing], error) {
			return RowPage[thing]{Rows: []thing{{name: "0"}}, Next: next}, nil
		},
	})
	s.Refresh()
	if s.reading.nextCursor != "7" || unsafe.StringData(s.reading.nextCursor) == unsafe.StringData(next) {
		t.Errorf("%q is a part of the answer", s.reading.nextCursor)
	}
}
