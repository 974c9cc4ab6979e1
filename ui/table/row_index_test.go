package table

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client/lists"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/uitest"
)

// newShuffledList returns a list of n things in random order, with a column of few values and cells that depend on
// nothing else.
func newShuffledList(t testing.TB, n int) *List[thing] {
	r := rand.New(rand.NewPCG(1, 2))
	rows := make([]thing, n)
	for i := range rows {
		rows[i] = thing{i, fmt.Sprintf("thing %06d", r.IntN(n))}
	}
	l := newLoadedList(t, &rows)
	l.Columns = append(
		l.Columns,
		Column[thing]{Title: "kind", Width: 6, Cell: func(x thing, _ ui.Box) (string, theme.Tone) {
			return []string{"red", "Green", "blå"}[x.id%3], theme.Plain
		}},
	)
	l.View(uitest.NewBox(t, 120, 30))
	return l
}

// shownIDs returns the IDs of the rows in the order in which they are shown.
func shownIDs(l *List[thing]) []int {
	found := make([]int, l.rowIndex.count(l.Store))
	for i := range found {
		found[i] = l.Store.At(l.rowIndex.storePosition(i)).id
	}
	return found
}

// runChange makes one change of a list's rows.
func runChange(l *List[thing], id string, send func() (lists.ChangeResult[thing], error)) {
	l.Store.Run(&lists.Change[thing]{
		RowID: id,
		Send:  func(context.Context) (lists.ChangeResult[thing], error) { return send() },
	})
}

// anyCellContains reports whether a cell of a thing contains digits.
func anyCellContains(x thing, digits string) bool {
	return strings.Contains(x.name, digits) || strings.Contains(fmt.Sprint(x.id), digits)
}

// Filtered and sorted, in chunks and concurrently, the rows are those that match the words, and equal rows keep their
// order.
func TestSortJob_largeStore(t *testing.T) {
	l := newShuffledList(t, 3*maxForegroundSort)
	rows := l.Store.Rows()
	byName := func(a, b thing) int { return cmp.Compare(a.name, b.name) }
	contains := func(digits string) func(thing) bool {
		return func(x thing) bool { return anyCellContains(x, digits) }
	}
	for _, c := range []struct {
		filter  string
		column  int
		reverse bool
		match   func(thing) bool
		compare func(a, b thing) int
	}{
		{"", -1, true, nil, func(a, b thing) int { return b.id - a.id }},
		{"", 2, false, nil, func(a, b thing) int { return b.id%3 - a.id%3 }}, // blå, green, red
		{"", 2, true, nil, func(a, b thing) int { return a.id%3 - b.id%3 }},
		{"THING 00", 0, false, contains("00"), byName},
		{"thing 001", 0, false, contains("001"), byName},
		{
			filter:  "thing 0012 kind:BLÅ",
			column:  0,
			match:   func(x thing) bool { return anyCellContains(x, "0012") && x.id%3 == 2 },
			compare: byName,
		},
		{
			filter:  "!kind:green 77",
			column:  1,
			reverse: true,
			match:   func(x thing) bool { return x.id%3 != 1 && anyCellContains(x, "77") },
			compare: func(a, b thing) int { return b.id - a.id },
		},
	} {
		l.filter.text, l.rowIndex.column, l.rowIndex.reverse = c.filter, c.column, c.reverse
		l.LoadMissing()
		chosen := slices.Clone(rows)
		if c.match != nil {
			chosen = slices.DeleteFunc(chosen, func(x thing) bool { return !c.match(x) })
		}
		slices.SortStableFunc(chosen, c.compare)
		want := make([]int, len(chosen))
		for i, x := range chosen {
			want[i] = x.id
		}
		if got := shownIDs(l); !slices.Equal(got, want) {
			t.Errorf("%q by %d, reverse %v: %d rows, not %d", c.filter, c.column, c.reverse, len(got), len(want))
		}
		for place, id := range want[:min(50, len(want))] {
			if got := l.rowIndex.position(l.Store, fmt.Sprint(id)); got != place {
				t.Errorf("%d is at %d; want %d", id, got, place)
			}
		}
	}
}

// After a jump to the end of a long listing, the cursor is on the last row once it has been read, whatever the sort
// order. The rows' original order needs no sort.
func TestList_goToEnd(t *testing.T) {
	for name, c := range map[string]struct {
		filter  string
		column  int
		reverse bool
		last    int
	}{
		"as it comes": {"", -1, false, 3*maxForegroundSort - 1},
		"filtered":    {"5999", -1, false, 3*maxForegroundSort - 1},
		"sorted":      {"", 1, false, 3*maxForegroundSort - 1},
		"backward":    {"", 1, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			rows := things(3 * maxForegroundSort)
			s := lists.NewRowStore(t.Context(), &lists.Inline{}, lists.RowSource[thing]{
				Name: "things",
				ID:   func(x thing) string { return x.name },
				Lazy: true,
				Fetch: func(_ context.Context, cursor string) (lists.RowPage[thing], error) {
					if cursor == "" {
						return lists.RowPage[thing]{Rows: rows[:2*maxForegroundSort], Next: "rest"}, nil
					}
					return lists.RowPage[thing]{Rows: rows[2*maxForegroundSort:]}, nil
				},
			})
			l := newLoadedList(t, &rows)
			l.Store = s
			l.filter.text = c.filter
			l.rowIndex.initialized, l.rowIndex.column, l.rowIndex.reverse = true, c.column, c.reverse
			s.Refresh()
			loop := s.Executor.(*lists.Inline)
			loop.Hold = true
			l.rowIndex.startSortJob(l, s) // begun while only the first page was there
			if sorting := len(loop.Held) > 0; sorting != (name != "as it comes") {
				t.Errorf("an order is made: %v", sorting)
			}
			loop.Hold = false
			l.goToEnd()
			if len(loop.Held) > 0 {
				loop.Release(0) // and put to use before the next frame
			}
			l.LoadMissing()
			l.LoadMissing()
			if row, there := l.cursorRow(); !there || row.id != c.last {
				t.Errorf("the cursor is on %v of %d", row, l.rowIndex.count(l.Store))
			}
		})
	}
}

// A sort job that is no longer needed is stopped, and its result is ignored.
func TestRowIndex_stopsOlderSortJob(t *testing.T) {
	l := newShuffledList(t, 2*maxForegroundSort)
	l.LoadMissing()
	l.filter.text = "thing 00"
	loop := l.Store.Executor.(*lists.Inline)
	loop.Hold = true
	l.rowIndex.startSortJob(l, loop)
	stopped := false
	stop := l.rowIndex.stop
	l.rowIndex.stop = func() { stopped = true; stop() }
	l.filter.text = "thing 00 kind:red"
	l.rowIndex.startSortJob(l, loop)
	if !stopped {
		t.Error("work on the older filter goes on")
	}
	if l.rowIndex.startSortJob(l, loop); len(loop.Held) != 2 {
		t.Error("the same is asked for twice")
	}
	loop.Release(1)
	got := shownIDs(l)
	loop.Release(0)
	if !slices.Equal(got, shownIDs(l)) || len(got) == 0 {
		t.Errorf("the older order won: %d rows, then %d", len(got), len(shownIDs(l)))
	}
	l.filter.text = "thing"
	l.rowIndex.startSortJob(l, loop)
	l.filter.text = ""
	l.rowIndex.column = -1
	l.restoreCursor()
	l.rowIndex.startSortJob(l, loop)
	loop.Release(0)
	if n := l.rowIndex.count(l.Store); n != 2*maxForegroundSort {
		t.Errorf("a filter that was taken back shows %d rows", n)
	}
}

// A sort job that is not wanted any more stops at once, and does not keep the processors busy.
func TestSortJob_stopsSorting(t *testing.T) {
	l := newShuffledList(t, 3*maxForegroundSort)
	var compared atomic.Int64
	l.Columns[0].Less = func(a, b thing) bool {
		if compared.Add(1) == 1 {
			l.rowIndex.cancel()
		}
		return a.name < b.name
	}
	l.rowIndex.initialized, l.rowIndex.column = true, 0
	l.rowIndex.startSortJob(l, l.Store)
	// Each worker ends the chunk that it has begun.
	most := int64(workerCount() * chunkSize * 30)
	if n := compared.Load(); n == 0 || n > most {
		t.Errorf("%d comparisons for an order that nobody wants, want at most %d", n, most)
	}
}

// A sort job is not wasted if rows are added meanwhile. It is if rows are removed, and removed rows are never read.
func TestRowIndex_rowsChangeDuringSort(t *testing.T) {
	l := newShuffledList(t, maxForegroundSort+10)
	l.filter.text = "thing"
	l.rowIndex.reverse = true
	loop := l.Store.Executor.(*lists.Inline)
	loop.Hold = true
	l.rowIndex.startSortJob(l, loop)
	loop.Hold = false
	runChange(l, "", func() (lists.ChangeResult[thing], error) {
		return lists.ResultRow(thing{maxForegroundSort + 10, "thing new"}, nil)
	})
	if l.rowIndex.startSortJob(l, loop); len(loop.Held) != 1 {
		t.Error("an added row stops the order that is being made")
	}
	loop.Release(0)
	if n := l.rowIndex.count(l.Store); n != maxForegroundSort+10 ||
		l.rowIndex.position(l.Store, fmt.Sprint(maxForegroundSort+10)) != -1 {
		t.Errorf("%d rows are shown", n)
	}
	l.LoadMissing()
	if n := l.rowIndex.count(l.Store); n != maxForegroundSort+11 {
		t.Errorf("the added row is not shown: %d", n)
	}
	l.filter.text = "thing 0"
	loop.Hold = true
	l.rowIndex.startSortJob(l, loop)
	loop.Hold = false
	for id := range 5 {
		runChange(
			l, fmt.Sprint(id), func() (lists.ChangeResult[thing], error) { return lists.ResultDeleted[thing](nil) },
		)
	}
	l.View(uitest.NewBox(t, 120, 30))
	loop.Release(0)
	l.moveCursorTo(l.rowIndex.count(l.Store) - 1)
	l.View(uitest.NewBox(t, 120, 30))
	l.LoadMissing()
	for _, id := range shownIDs(l) {
		if id < 5 {
			t.Errorf("%d is gone and shown", id)
		}
	}
}

// TestList_Actions_doesNotGatherMarks marks all rows: a key costs the same as before, and the action gets all rows.
func TestList_Actions_doesNotGatherMarks(t *testing.T) {
	l := newShuffledList(t, 2*maxForegroundSort)
	looked, started := 0, 0
	l.RowActions = []RowAction[thing]{{
		Keys:           []string{"d"},
		Name:           "drop",
		Many:           true,
		Writes:         true,
		DisabledReason: func(thing) string { looked++; return "" },
		Start:          func(rows, _ []thing) tea.Cmd { started = len(rows); return nil },
	}}
	l.markAll()
	l.Actions()
	l.Actions()
	if looked > 10 {
		t.Errorf("%d rows were looked at", looked)
	}
	pressKeys(l, "d")
	if started != 2*maxForegroundSort {
		t.Errorf("started with %d rows", started)
	}
}

func BenchmarkFilter(b *testing.B) {
	for _, n := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := newShuffledList(b, n)
			l.rowIndex.initialized, l.rowIndex.column = true, -1
			for b.Loop() {
				l.filter.text = "77"
				l.rowIndex.current = nil
				l.rowIndex.startSortJob(l, l.Store)
				l.restoreCursor()
				l.filter.text = ""
				l.restoreCursor()
			}
		})
	}
}

func BenchmarkFilterNarrowed(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := newShuffledList(b, n)
			l.filter.text = "thing 7"
			l.rowIndex.startSortJob(l, l.Store)
			before := l.rowIndex
			for b.Loop() {
				l.filter.text = "thing 77"
				l.rowIndex.startSortJob(l, l.Store)
				gen := l.rowIndex.gen
				l.rowIndex = before
				l.rowIndex.gen = gen
			}
		})
	}
}

func BenchmarkSort(b *testing.B) {
	for _, n := range []int{1_000, 100_000, 1_000_000} {
		for column, name := range []string{"text", "number"} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				l := newShuffledList(b, n)
				for b.Loop() {
					l.rowIndex.initialized, l.rowIndex.column = true, column
					l.rowIndex.current, l.rowIndex.currentKey = nil, rowIndexKey{}
					l.rowIndex.startSortJob(l, l.Store)
					l.restoreCursor()
				}
			})
		}
	}
}

// noWork is an executor that does nothing.
type noWork struct{}

func (noWork) Go(func() func()) {}

func (noWork) After(time.Duration, func()) {}

// BenchmarkFilterKey measures the time that a key in the filter takes on the loop. Everything else runs beside it.
func BenchmarkFilterKey(b *testing.B) {
	l := newShuffledList(b, 1_000_000)
	l.filter.text = "thing"
	l.rowIndex.startSortJob(l, l.Store)
	for n := 0; b.Loop(); n++ {
		l.filter.text = []string{"thing 1", "thing 2"}[n%2]
		l.restoreCursor()
		l.rowIndex.startSortJob(l, noWork{})
	}
}

func BenchmarkMarkAll(b *testing.B) {
	for _, n := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := newShuffledList(b, n)
			b.ReportAllocs()
			for b.Loop() {
				l.marks.clear()
				l.markAll()
			}
		})
	}
}

func BenchmarkActionsAllMarked(b *testing.B) {
	l := newShuffledList(b, 1_000_000)
	start := func(_, _ []thing) tea.Cmd { return nil }
	l.RowActions = []RowAction[thing]{
		{Keys: []string{"d"}, Name: "drop", Many: true, Start: start},
		{Keys: []string{"e"}, Name: "enable", Many: true, Start: start},
	}
	l.markAll()
	b.ReportAllocs()
	for b.Loop() {
		l.Actions()
	}
}

// A job that was stopped, or that ends after rows have moved, changes no order.
func TestSortResult_Deliver_tooLate(t *testing.T) {
	l := newShuffledList(t, 100)
	l.rowIndex.column = 0
	l.View(uitest.NewBox(t, 60, 10))
	want := shownIDs(l)
	moved := l.wantedKey()
	moved.layoutVersion--
	for name, late := range map[string]struct {
		key    rowIndexKey
		sorted *permutation
	}{
		"stopped": {key: l.wantedKey()},
		"moved":   {key: moved, sorted: newPermutation([]int32{3, 1}, 100)},
	} {
		l.rowIndex.show(l, l.rowIndex.gen, late.key, late.sorted)
		if got := shownIDs(l); !slices.Equal(got, want) {
			t.Errorf("%s: %v is shown", name, got)
		}
	}
}

// What is said about a filter is said of no other one, and not while it is typed if it was said of the finished one.
func TestRowIndex_note(t *testing.T) {
	said := filterNote{problem: "compare with a number"}
	order := rowIndex{current: &permutation{note: said}, currentKey: rowIndexKey{filter: "size:>big ada"}}
	for key, want := range map[rowIndexKey]filterNote{
		{filter: "size:>big ada"}:               said,
		{filter: "size:>big ada", version: 1}:   said,
		{filter: "size:>big ada", typing: true}: {},
		{filter: "size:>big"}:                   {},
		{filter: "size:>big ben"}:               {},
	} {
		if got := order.note(key); got != want {
			t.Errorf("%+v: %+v", key, got)
		}
	}
}

// While a filter is being typed, the rows at each character are those that the whole text asks for: nothing of a
// shorter text is left, although what is typed may show rows again that were hidden.
func TestRowIndex_typedFilter(t *testing.T) {
	for _, text := range []string{
		"00", "0000|0001", "kind:red|green", "1 !2", "red !kind:red", `1 "2 |3"`, "1 | 2", `\\1`, "id:>3",
	} {
		typed, whole := newShuffledList(t, 50), newShuffledList(t, 50)
		for _, l := range []*List[thing]{typed, whole} {
			l.filter.typing = true
		}
		for n := range text {
			typed.filter.text, whole.filter.text = text[:n+1], text[:n+1]
			whole.rowIndex = rowIndex{}
			typed.rowIndex.update(typed)
			whole.rowIndex.update(whole)
			if got, want := shownIDs(typed), shownIDs(whole); !slices.Equal(got, want) {
				t.Errorf("%q: %v, want %v", text[:n+1], got, want)
			}
		}
	}
}
