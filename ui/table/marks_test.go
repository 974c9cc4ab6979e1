package table

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"lookout/client/lists"
)

// Marks stay on their rows when rows move, leave with rows that are gone, and do not spread to rows that come.
func TestMarks_relocate(t *testing.T) {
	rows, now := things(200), time.Now()
	s := lists.NewRowStore(t.Context(), &lists.Inline{}, lists.RowSource[thing]{
		Name: "things",
		ID:   func(x thing) string { return fmt.Sprint(x.id) },
		Now:  func() time.Time { return now },
		Fetch: func(context.Context, string) (lists.RowPage[thing], error) {
			return lists.RowPage[thing]{Rows: slices.Clone(rows)}, nil
		},
	})
	l := &List[thing]{Title: "things", Store: s}
	s.Refresh()
	l.restoreCursor()
	l.markAll()
	l.toggleMark("7")
	slices.Reverse(rows)
	rows = append(rows[:190], thing{id: 1000}) // 9 to 0 are gone, 7 among them
	s.Refresh()
	now = now.Add(time.Minute) // a row counts as gone when two reads lack it
	s.Refresh()
	l.restoreCursor()
	marked, _ := rowBinder[thing]{list: l}.markedRows()
	if len(marked) != 190 || l.marks.count() != 190 {
		t.Fatalf("%d rows are marked, %d counted", len(marked), l.marks.count())
	}
	for i, row := range marked {
		if row.id != 199-i {
			t.Errorf("%d is marked in the place of %d", row.id, 199-i)
		}
	}
}
