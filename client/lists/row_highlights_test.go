package lists_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lookout/client/lists"
)

// flashRow is a row with a state: "7 ok".
type flashRow string

func (r flashRow) id() string    { id, _, _ := strings.Cut(string(r), " "); return id }
func (r flashRow) state() string { _, state, _ := strings.Cut(string(r), " "); return state }

// flashFixture is a store whose rows and clock a test sets.
type flashFixture struct {
	*lists.RowStore[flashRow]
	rows []flashRow
	next string // cursor of another page
	now  time.Time
}

func newFlashFixture(t *testing.T, lazy bool) *flashFixture {
	f := &flashFixture{now: time.Unix(1_000_000, 0)}
	f.RowStore = lists.NewRowStore(t.Context(), &lists.Inline{}, lists.RowSource[flashRow]{
		Name:  "services",
		ID:    flashRow.id,
		State: flashRow.state,
		Lazy:  lazy,
		Now:   func() time.Time { return f.now },
		Fetch: func(context.Context, string) (lists.RowPage[flashRow], error) {
			return lists.RowPage[flashRow]{Rows: slices.Clone(f.rows), Next: f.next}, nil
		},
	})
	return f
}

// read refreshes the store with rows, and returns those that are tinted.
func (f *flashFixture) read(rows ...flashRow) (tinted []string) {
	f.rows = rows
	f.Refresh()
	return f.tinted()
}

func (f *flashFixture) tinted() (tinted []string) {
	for i := range f.Len() {
		if f.Highlights.Has(f.At(i)) {
			tinted = append(tinted, f.At(i).id())
		}
	}
	return tinted
}

// A row that is new, or whose state another read changes, is tinted for a second: one step on, one step off. The rows
// of the first read are not, nor those that stayed as they were.
func TestFlashes_newRowAndChangedState(t *testing.T) {
	t.Parallel()
	f := newFlashFixture(t, false)
	if got := f.read("1 ok", "2 ok"); got != nil || f.Highlights.Left() != 0 {
		t.Errorf("the first read tints %v for %v", got, f.Highlights.Left())
	}
	if got := f.read("1 ok", "2 ok"); got != nil || f.Highlights.Left() != 0 {
		t.Errorf("the same rows again tint %v for %v", got, f.Highlights.Left())
	}
	if got := f.read("3 ok", "1 problem", "2 ok"); !slices.Equal(got, []string{"3", "1"}) {
		t.Errorf("tinted: %v, want the new row and the changed one", got)
	}
	f.now = f.now.Add(400 * time.Millisecond)
	if left := f.Highlights.Left(); left != 600*time.Millisecond {
		t.Errorf("%v are left", left)
	}
	if got := f.read("3 ok", "1 problem", "2 problem"); len(got) != 3 || f.Highlights.Left() != time.Second {
		t.Errorf("a change meanwhile: %v for %v", got, f.Highlights.Left())
	}
	f.now = f.now.Add(600 * time.Millisecond)
	if got := f.tinted(); !slices.Equal(got, []string{"2"}) {
		t.Errorf("a second after the first change %v is tinted", got)
	}
	f.now = f.now.Add(400 * time.Millisecond)
	if got := f.tinted(); got != nil || f.Highlights.Left() != 0 {
		t.Errorf("a second after the last change %v is tinted for %v", got, f.Highlights.Left())
	}
	if got := f.read("3 ok", "1 problem", "2 Problem"); !slices.Equal(got, []string{"2"}) {
		t.Errorf("tinted: %v, want the row whose state has changed in one letter", got)
	}
	f.now = f.now.Add(time.Second)
	f.read("3 ok", "1 problem since 4", "2 Problem")
	f.now = f.now.Add(time.Second)
	if got := f.read("3 ok", "1 problem since 5", "2 Problem"); !slices.Equal(got, []string{"1"}) {
		t.Errorf("tinted: %v, want the row whose state ends in another number", got)
	}
}

// A row that a change has returned is tinted, also one that is made; a change that was refused tints nothing.
func TestFlashes_finishedAction(t *testing.T) {
	t.Parallel()
	f := newFlashFixture(t, false)
	f.read("1 ok", "2 ok")
	send := func(id string, result flashRow, err error) {
		f.Run(&lists.Change[flashRow]{
			RowID: id,
			Send: func(context.Context) (lists.ChangeResult[flashRow], error) {
				return lists.ResultRow(result, err)
			},
		})
	}
	if send("1", "", fmt.Errorf("refused")); f.tinted() != nil {
		t.Errorf("a refused change tints %v", f.tinted())
	}
	if send("1", "1 ok", nil); !slices.Equal(f.tinted(), []string{"1"}) {
		t.Errorf("an applied change tints %v", f.tinted())
	}
	if send("", "3 ok", nil); !slices.Equal(f.tinted(), []string{"1", "3"}) {
		t.Errorf("a new row: tinted %v", f.tinted())
	}
	f.now = f.now.Add(time.Second)
	if got := f.read("1 ok", "2 ok", "3 ok"); got != nil {
		t.Errorf("the list that shows the changes later tints %v again", got)
	}
}

// A page that somebody scrolls to is not new, and neither is what stands behind it.
func TestFlashes_pagesAreNotNew(t *testing.T) {
	t.Parallel()
	f := newFlashFixture(t, true)
	f.next = "2"
	f.read("1", "2")
	f.next, f.rows = "", []flashRow{"3", "4"}
	f.LoadMore()
	if got := f.tinted(); f.Len() != 4 || got != nil {
		t.Errorf("the second of %d rows: tinted %v", f.Len(), got)
	}
	if got := f.read("1", "1b", "2", "3", "4"); !slices.Equal(got, []string{"1b"}) {
		t.Errorf("a new row among all that were read: tinted %v", got)
	}
}

// A clock that was set back does not leave a row tinted.
func TestFlashes_clockSetBack(t *testing.T) {
	t.Parallel()
	f := newFlashFixture(t, false)
	f.read("1 ok")
	f.read("1 problem")
	if f.now = f.now.Add(-time.Hour); f.tinted() != nil || f.Highlights.Left() != 0 {
		t.Errorf("tinted for %v", f.Highlights.Left())
	}
}

// Asking costs nothing while no row is tinted.
func TestFlashes_allocatesNothing(t *testing.T) {
	f := newFlashFixture(t, false)
	f.read("1 ok")
	row := f.At(0)
	if n := testing.AllocsPerRun(100, func() { f.Highlights.Has(row); f.Highlights.Left() }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
