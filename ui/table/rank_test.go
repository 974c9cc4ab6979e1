package table

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"lookout/client/lists"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/uitest"
)

// newStagedList returns a list of things, sorted by stage: 0 running, 1 waiting, 2 done. Of the finished ones the
// latest comes first.
func newStagedList(t testing.TB, stages *[]int) *List[thing] {
	t.Helper()
	rows := things(len(*stages))
	l := newLoadedList(t, &rows)
	l.SortBy, l.Detail = "stage", func(x thing, _ ui.Box) string { return x.name }
	l.Columns = append(l.Columns, Column[thing]{
		Title: "stage",
		Width: 6,
		Cell:  func(x thing, _ ui.Box) (string, theme.Tone) { return "", theme.Plain },
		Rank:  func(x thing) SortRank { n := (*stages)[x.id]; return SortRank{Number: n, NewestFirst: n == 2} },
	})
	l.View(uitest.NewBox(t, 60, 12))
	return l
}

// setStage replaces a thing by one in another stage.
func setStage(t testing.TB, l *List[thing], stages *[]int, id, stage int) {
	t.Helper()
	*stages = slices.Clone(*stages)
	(*stages)[id] = stage
	next := lists.NewSliceStorage(l.Store.ID)
	next.Append(l.Store.Rows())
	l.Store.Replace(next)
	l.View(uitest.NewBox(t, 60, 12))
}

// A running row moves away below the cursor, and the cursor does not follow it once it is done. If rows are added
// above, or sorted by another column, the cursor stays on its row.
func TestList_cursorStaysWhenRankChanges(t *testing.T) {
	stages := []int{0, 0, 1, 1, 2, 2}
	l := newStagedList(t, &stages)
	if got := shownIDs(l); !slices.Equal(got, []int{0, 1, 2, 3, 5, 4}) {
		t.Fatalf("the order is %v", got)
	}
	at := func(id, place int) {
		t.Helper()
		if row, _ := l.cursorRow(); row.id != id || l.cursor.position != place {
			t.Errorf("the cursor is on %d at %d, not on %d at %d", row.id, l.cursor.position, id, place)
		}
	}
	setStage(t, l, &stages, 0, 2)
	at(1, 0)
	pressKeys(l, "G", "k")
	at(4, 4)
	setStage(t, l, &stages, 1, 2) // it leaves from before the row under the cursor
	at(4, 3)
	setStage(t, l, &stages, 4, 1) // tried again
	if got := shownIDs(l); !slices.Equal(got, []int{2, 3, 4, 5, 1, 0}) {
		t.Fatalf("the order is %v", got)
	}
	at(5, 3)
	pressKeys(l, "g", "enter")
	setStage(t, l, &stages, 2, 2)
	at(2, 3) // its details are being read
	pressKeys(l, "esc")
	for _, c := range []struct {
		column string
		place  int
	}{{"name", 2}, {"stage", 3}} {
		for _, a := range l.sortMenu().Actions {
			if a.Name() == c.column {
				a.Do()
			}
		}
		l.View(uitest.NewBox(t, 60, 12))
		at(2, c.place)
	}
}

// The cursor goes to the row that the user has just made, even if it has another rank than the row that it was on.
func TestList_cursorGoesToMadeRowOfAnotherRank(t *testing.T) {
	stages := make([]int, 12)
	stages[1] = 1
	l := newStagedList(t, &stages)
	pressKeys(l, "G", "k")
	l.View(uitest.NewBox(t, 60, 12))
	if row, _ := l.cursorRow(); row.id != 11 {
		t.Fatalf("the cursor is on %d", row.id)
	}
	l.Store.CreatedRow.Set("1")
	setStage(t, l, &stages, 0, 0)
	if row, _ := l.cursorRow(); row.id != 1 {
		t.Errorf("the cursor is on %d", row.id)
	}
}

// Sorting by rank gives the same order as a stable sort by the same numbers, also in reverse.
func TestSortByRank(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	stages := make([]int, 1000)
	for i := range stages {
		stages[i] = r.IntN(6)
	}
	all := make([]int32, len(stages))
	for i := range all {
		all[i] = int32(i)
	}
	for _, reverse := range []bool{false, true} {
		want := slices.Clone(all)
		slices.SortStableFunc(want, func(a, b int32) int {
			switch m, n := stages[a], stages[b]; {
			case m == n && m == 2:
				return int(b - a)
			case m == n:
				return 0
			case reverse:
				return n - m
			default:
				return m - n
			}
		})
		got := sortByRank(all, func(row int32) SortRank { n := stages[row]; return SortRank{n, n == 2} }, reverse)
		if !slices.Equal(got, want) {
			t.Errorf("reverse %v: %v", reverse, got)
		}
	}
}

// BenchmarkSortByRank sorts rows by six ranks.
func BenchmarkSortByRank(b *testing.B) {
	rows := make([]int32, 100_000)
	for i := range rows {
		rows[i] = int32(i)
	}
	b.Run(fmt.Sprint(len(rows)), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sortByRank(rows, func(row int32) SortRank { return SortRank{Number: int(row) % 6} }, false)
		}
	})
}
