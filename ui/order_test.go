package ui

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
)

// shuffled is a list of so many things in no sequence, with a column of few values and cells that do not read anything else.
func shuffled(t testing.TB, n int) *List[thing] {
	r := rand.New(rand.NewPCG(1, 2))
	rows := make([]thing, n)
	for i := range rows {
		rows[i] = thing{i, fmt.Sprintf("Thing %06d", r.IntN(n))}
	}
	l := listed(t, &rows)
	l.Columns = append(l.Columns, Column[thing]{Title: "kind", Width: 6, Cell: func(x thing, _ Box) (string, theme.Tone) {
		return []string{"red", "Green", "blå"}[x.id%3], theme.Plain
	}})
	l.View(box(t, 120, 30))
	return l
}

// ids are the rows as they are shown.
func ids(l *List[thing]) []int {
	found := make([]int, l.order.count(l.Set))
	for i := range found {
		found[i] = l.Set.At(l.order.index(i)).id
	}
	return found
}

// anywhere reports whether a thing holds digits.
func anywhere(x thing, digits string) bool {
	return strings.Contains(x.name, digits) || strings.Contains(fmt.Sprint(x.id), digits)
}

// Filtered and sorted, by pieces and several at a time, the rows are those that the words ask for, and equal ones stay as they were.
func TestABigOrderIsRight(t *testing.T) {
	l := shuffled(t, 3*big)
	rows := l.Set.Rows()
	for _, c := range []struct {
		filter  string
		column  int
		reverse bool
		match   func(thing) bool
		compare func(a, b thing) int
	}{
		{"", -1, true, nil, func(a, b thing) int { return b.id - a.id }},
		{"", 2, false, nil, func(a, b thing) int { return (a.id+1)%3 - (b.id+1)%3 }}, // blå, green, red: by their letters
		{"THING 00", 0, false, nil, func(a, b thing) int { return cmp.Compare(a.name, b.name) }},
		{"thing 001", 0, false, nil, func(a, b thing) int { return cmp.Compare(a.name, b.name) }},
		{"thing 0012 kind:BLÅ", 0, false, func(x thing) bool { return anywhere(x, "0012") && x.id%3 == 2 }, func(a, b thing) int { return cmp.Compare(a.name, b.name) }},
		{"!kind:green 77", 1, true, func(x thing) bool {
			return x.id%3 != 1 && anywhere(x, "77")
		}, func(a, b thing) int { return b.id - a.id }},
	} {
		l.filter.text, l.order.column, l.order.reverse = c.filter, c.column, c.reverse
		settle(l.Want())
		var want []int
		chosen := slices.Clone(rows)
		if c.match != nil {
			chosen = slices.DeleteFunc(chosen, func(x thing) bool { return !c.match(x) })
		} else if c.filter != "" {
			words := strings.Fields(c.filter)
			chosen = slices.DeleteFunc(chosen, func(x thing) bool { return !anywhere(x, words[1]) })
		}
		slices.SortStableFunc(chosen, c.compare)
		for _, x := range chosen {
			want = append(want, x.id)
		}
		if c.column == 2 { // the sequence of the kinds is that of their letters
			want = want[:0]
			for _, kind := range []int{2, 1, 0} {
				for _, x := range rows {
					if x.id%3 == kind {
						want = append(want, x.id)
					}
				}
			}
		}
		if got := ids(l); !slices.Equal(got, want) {
			t.Errorf("%q by %d, reverse %v: %d rows, not %d", c.filter, c.column, c.reverse, len(got), len(want))
		}
		for place, id := range want[:min(50, len(want))] {
			if got := l.order.place(l.Set, fmt.Sprint(id)); got != place {
				t.Errorf("%d stands at %d, not at %d", id, got, place)
			}
		}
	}
}

// Whoever goes to the end of a long listing stands on its last row once it has been read, whatever order was made of the rows before; the rows'
// own sequence is no order to be made.
func TestTheEndIsTheLastRow(t *testing.T) {
	for name, c := range map[string]struct {
		filter  string
		column  int
		reverse bool
		last    int
	}{"as it comes": {"", -1, false, 3*big - 1}, "filtered": {"5999", -1, false, 3*big - 1}, "sorted": {"", 1, false, 3*big - 1}, "backward": {"", 1, true, 0}} {
		t.Run(name, func(t *testing.T) {
			rows := things(3 * big)
			s := NewSet(t.Context(), Source[thing]{Name: "things", ID: func(x thing) string { return x.name }, Lazy: true, Fetch: func(_ context.Context, cursor string) (Page[thing], error) {
				if cursor == "" {
					return Page[thing]{Rows: rows[:2*big], Next: "rest"}, nil
				}
				return Page[thing]{Rows: rows[2*big:]}, nil
			}})
			l := listed(t, &rows)
			l.Set = s
			l.filter.text, l.order.set, l.order.column, l.order.reverse = c.filter, true, c.column, c.reverse
			settle(s.Refresh())
			order := l.order.want(l) // begun while only the first page was there
			if (order == nil) != (name == "as it comes") {
				t.Errorf("an order is made: %v", order != nil)
			}
			arrival := l.last()().(Delivery)
			arrival.Deliver()
			settle(order) // and put to use before the next frame
			settle(l.Want())
			settle(l.Want())
			if row, there := l.row(); !there || row.id != c.last {
				t.Errorf("the cursor is on %v of %d", row, l.order.count(l.Set))
			}
		})
	}
}

// What nobody wants any more is stopped and does not count.
func TestAnOlderOrderIsStopped(t *testing.T) {
	l := shuffled(t, 2*big)
	settle(l.Want())
	l.filter.text = "thing 00"
	older := l.order.want(l)
	stopped := false
	stop := l.order.stop
	l.order.stop = func() { stopped = true; stop() }
	l.filter.text = "thing 00 kind:red"
	newer := l.order.want(l)
	if !stopped {
		t.Error("work on the older filter goes on")
	}
	if l.order.want(l) != nil {
		t.Error("the same is asked for twice")
	}
	settle(newer)
	got := ids(l)
	settle(older)
	if !slices.Equal(got, ids(l)) || len(got) == 0 {
		t.Errorf("the older order won: %d rows, then %d", len(got), len(ids(l)))
	}
	l.filter.text = "thing"
	left := l.order.want(l)
	l.filter.text = ""
	l.order.column = -1
	l.settle()
	l.order.want(l)
	settle(left)
	if n := l.order.count(l.Set); n != 2*big {
		t.Errorf("a filter that was taken back shows %d rows", n)
	}
}

// Rows that are added while an order is made do not make it useless; rows that go do, and are never asked for.
func TestRowsChangeUnderAnOrder(t *testing.T) {
	l := shuffled(t, big+10)
	l.filter.text = "thing"
	l.order.reverse = true
	making := l.order.want(l)
	l.Set.rows.Append([]thing{{big + 10, "thing new"}})
	l.Set.version++
	if l.order.want(l) != nil {
		t.Error("an added row stops the order that is being made")
	}
	settle(making)
	if n := l.order.count(l.Set); n != big+10 || l.order.place(l.Set, fmt.Sprint(big+10)) != -1 {
		t.Errorf("%d rows are shown", n)
	}
	settle(l.Want())
	if n := l.order.count(l.Set); n != big+11 {
		t.Errorf("the added row is not shown: %d", n)
	}
	making = func() tea.Cmd { l.filter.text = "thing 0"; return l.order.want(l) }()
	for id := range 5 {
		l.Set.apply(fmt.Sprint(id), Change[thing]{kind: drop})
	}
	l.View(box(t, 120, 30))
	settle(making)
	l.to(l.order.count(l.Set) - 1)
	l.View(box(t, 120, 30))
	settle(l.Want())
	for _, id := range ids(l) {
		if id < 5 {
			t.Errorf("%d is gone and shown", id)
		}
	}
}

func TestHolds(t *testing.T) {
	for _, c := range []struct {
		text, word string
		want       bool
	}{{"Web-01", "web", true}, {"WEB", "web-", false}, {"", "a", false}, {"abab", "abb", false}, {"aaab", "aab", true}, {"GRÜN", "grün", true}, {"\u212a", "k", true}, {"x", "ü", false}} {
		if got := holds(c.text, c.word); got != c.want {
			t.Errorf("%q holds %q: %v", c.text, c.word, got)
		}
	}
}

// All marked, a key costs what it always does.
func TestAKeyDoesNotGatherTheMarks(t *testing.T) {
	l := shuffled(t, 2*big)
	looked := 0
	l.Acts = []Act[thing]{{Keys: []string{"d"}, Name: "drop", Many: true, Change: true, Off: func(thing) string { looked++; return "" }}}
	l.markAll()
	l.Actions()
	l.Actions()
	if looked > 10 {
		t.Errorf("%d rows were looked at", looked)
	}
	for _, a := range l.Actions() {
		if a.Name() != "drop" {
			continue
		}
		ask := a.Do()().(Ask).Action.Ask
		if len(ask.List) != 2*big || ask.Word != fmt.Sprint(2*big) {
			t.Errorf("asked about %d rows with %q", len(ask.List), ask.Word)
		}
	}
}

func BenchmarkFilter(b *testing.B) {
	for _, n := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := shuffled(b, n)
			l.order.set, l.order.column = true, -1
			for b.Loop() {
				l.filter.text = "77"
				l.order.now = nil
				settle(l.order.want(l))
				l.settle()
				l.filter.text = ""
				l.settle()
			}
		})
	}
}

func BenchmarkFilterNarrowed(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := shuffled(b, n)
			l.filter.text = "thing 7"
			settle(l.order.want(l))
			before := l.order
			for b.Loop() {
				l.filter.text = "thing 77"
				settle(l.order.want(l))
				gen := l.order.gen
				l.order = before
				l.order.gen = gen
			}
		})
	}
}

func BenchmarkSort(b *testing.B) {
	for _, n := range []int{1_000, 100_000, 1_000_000} {
		for column, name := range []string{"text", "number"} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				l := shuffled(b, n)
				for b.Loop() {
					l.order.set, l.order.column, l.order.now, l.order.key = true, column, nil, orderKey{}
					settle(l.order.want(l))
					l.settle()
				}
			})
		}
	}
}

// BenchmarkAsk is what a key in the filter costs the loop: everything else is done beside it.
func BenchmarkAsk(b *testing.B) {
	l := shuffled(b, 1_000_000)
	l.filter.text = "thing"
	settle(l.order.want(l))
	for n := 0; b.Loop(); n++ {
		l.filter.text = []string{"thing 1", "thing 2"}[n%2]
		l.settle()
		l.order.want(l)
	}
}

func BenchmarkMarkAll(b *testing.B) {
	for _, n := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := shuffled(b, n)
			b.ReportAllocs()
			for b.Loop() {
				l.marks.clear()
				l.markAll()
			}
		})
	}
}

func BenchmarkActionsAllMarked(b *testing.B) {
	l := shuffled(b, 1_000_000)
	l.Acts = []Act[thing]{{Keys: []string{"d"}, Name: "drop", Many: true}, {Keys: []string{"e"}, Name: "enable", Many: true}}
	l.markAll()
	b.ReportAllocs()
	for b.Loop() {
		l.Actions()
	}
}
