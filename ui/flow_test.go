package ui

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

// river is a lazy set whose rest is read ahead: pages of one row, so many, and how many were made.
func river(ctx context.Context, pages int, end error) (*Set[thing], *int) {
	made := new(int)
	next := func(i int) string {
		if i == pages-1 && end == nil {
			return ""
		}
		return fmt.Sprint(i + 1)
	}
	s := NewSet(ctx, Source[thing]{Name: "things", ID: func(x thing) string { return x.name }, Lazy: true,
		Fetch: func(_ context.Context, cursor string) (Page[thing], error) {
			return Page[thing]{Rows: []thing{{name: "0"}}, Next: next(0)}, nil
		},
		Rest: func(ctx context.Context, cursor string) func() (Page[thing], error) {
			return Ahead(ctx, func(yield func(Page[thing], error) bool) {
				var i int
				fmt.Sscan(cursor, &i)
				for ; i < pages && ctx.Err() == nil; i++ {
					*made++
					if !yield(Page[thing]{Rows: []thing{{name: fmt.Sprint(i)}}, Next: next(i)}, nil) {
						return
					}
				}
				if end != nil {
					yield(Page[thing]{}, end)
				}
			})
		}})
	return s, made
}

// Read to its end a set takes what is there at once, in order and completely.
func TestReadingToTheEndIsAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := river(t.Context(), 5_000, nil)
		settle(s.Refresh())
		settle(s.Rush())
		if s.Len() != 5_000 || !s.Whole() || s.Rushing() || s.At(4_999).name != "4999" {
			t.Errorf("%d rows, whole %v", s.Len(), s.Whole())
		}
	})
}

// Stopped, nothing is read on, and what was on its way does not count; begun again, it goes on where it was.
func TestReadingToTheEndIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, made := river(t.Context(), 5_000, nil)
		settle(s.Refresh())
		on := s.Rush()
		s.Halt()
		synctest.Wait()
		if *made > 10 {
			t.Errorf("%d pages were read after the stop", *made)
		}
		settle(on)
		if s.Len() != 1 {
			t.Errorf("%d rows", s.Len())
		}
		settle(s.Rush())
		if s.Len() != 5_000 {
			t.Errorf("%d rows in the end", s.Len())
		}
	})
}

// What came before an error stays, and the error is told.
func TestReadingToTheEndFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := river(t.Context(), 10, errors.New("cut"))
		settle(s.Refresh())
		settle(s.Rush())
		if s.Len() != 10 || s.Rushing() || s.Fresh().Err == nil || !strings.Contains(s.Fresh().Err.Error(), "cut") {
			t.Errorf("%d rows, %v", s.Len(), s.Fresh().Err)
		}
	})
}

// A cursor does not keep the answer in memory that it is a part of.
func TestACursorKeepsNoAnswer(t *testing.T) {
	answer := strings.Repeat("x", 1<<10) + "7"
	next := answer[1<<10:]
	s := NewSet(t.Context(), Source[thing]{Name: "things", ID: func(x thing) string { return x.name }, Lazy: true,
		Fetch: func(context.Context, string) (Page[thing], error) {
			return Page[thing]{Rows: []thing{{name: "0"}}, Next: next}, nil
		}})
	settle(s.Refresh())
	if s.next != "7" || unsafe.StringData(s.next) == unsafe.StringData(next) {
		t.Errorf("%q is a part of the answer", s.next)
	}
}

// The clock asks for the rows, and only once a minute for what they are joined with.
func TestPollingIsSparing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := map[string]int{}
		set := func(name string) *Set[thing] {
			return NewSet(t.Context(), Source[thing]{Name: name, ID: func(x thing) string { return x.name }, Fetch: func(context.Context, string) (Page[thing], error) {
				asked[name]++
				return Page[thing]{}, nil
			}})
		}
		l := &List[thing]{Set: set("rows"), Reads: []Asked{set("joined")}}
		settle(l.Refresh())
		for range 9 {
			time.Sleep(20 * time.Second)
			settle(l.Poll())
		}
		if asked["rows"] != 10 || asked["joined"] != 4 {
			t.Errorf("asked %v", asked)
		}
	})
}
