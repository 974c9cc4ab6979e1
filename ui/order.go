package ui

import (
	"context"
	"runtime"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// An order is which rows of a set are shown and in which sequence: made anew when rows, filter or sort change.
// Big sets are ordered off the loop, the older order in sight meanwhile.
type order[T any] struct {
	column  int // sorted by; -1 leaves the set's own sequence
	set     bool
	reverse bool
	now     *sequence // nil is every row in the set's own sequence
	key     orderKey  // of what now is
	asked   orderKey  // of what is being made
	stop    context.CancelFunc
	gen     int
}

// A sequence is rows by their places in the set, and where each row of the set stands among them.
type sequence struct {
	rows   []int32
	places []int32 // -1 is not shown
}

// orderKey is what an order depends on.
type orderKey struct {
	version int
	moved   int
	filter  string
	column  int
	reverse bool
	made    bool
}

// alike reports whether two orders differ at most in rows that were added or replaced.
func (k orderKey) alike(other orderKey) bool {
	k.version = other.version
	return k == other
}

// big is how many rows are ordered on the loop at most: more would be felt between a key and its frame.
const big = 20_000

func (o *order[T]) count(set *Set[T]) int {
	if o.now == nil {
		return set.Len()
	}
	return len(o.now.rows)
}

// index is the place in the set of the row at a place in the order.
func (o *order[T]) index(place int) int {
	if o.now == nil {
		return place
	}
	return int(o.now.rows[place])
}

// place is where a row stands in the order; -1 where it is not shown.
func (o *order[T]) place(set *Set[T], id string) int {
	i, held := set.Index(id)
	switch {
	case !held:
		return -1
	case o.now == nil:
		return i
	case i < len(o.now.places):
		return int(o.now.places[i])
	}
	return -1 // it came after the order was made
}

// start sets the column that a list is sorted by at first.
func (o *order[T]) start(l *List[T]) {
	if o.set {
		return
	}
	o.set, o.column = true, -1
	for i, c := range l.Columns {
		if l.Sort != "" && c.Title == l.Sort {
			o.column = i
		}
	}
}

func (o *order[T]) wanted(l *List[T]) orderKey {
	return orderKey{l.Set.Version(), l.Set.moved, l.filter.text, o.column, o.reverse, true}
}

// build makes the order anew where something changed. A big set's is left to want; of rows that are there no more it is rid at once.
func (o *order[T]) build(l *List[T]) {
	o.start(l)
	key := o.wanted(l)
	switch {
	case key == o.key:
	case o.column < 0 && key.filter == "" && !o.reverse:
		o.now, o.key = nil, key
	case l.Set.Len() <= big:
		o.now, o.key = o.making(context.Background(), l, key).make(1), key
	case o.now != nil && len(o.now.places) > l.Set.Len():
		o.now = o.now.within(l.Set.Len())
	}
}

// want asks for the order of a big set off the loop. Work on what nobody wants any more is stopped; rows that are merely added do not stop it.
func (o *order[T]) want(l *List[T]) tea.Cmd {
	o.start(l)
	key := o.wanted(l)
	if o.stop != nil && key != o.key && key.alike(o.asked) {
		return nil
	}
	o.cancel()
	if l.Set.Len() <= big || key == o.key {
		return nil
	}
	o.asked = key
	ctx, cancel := context.WithCancel(l.Set.ctx)
	m, gen := o.making(ctx, l, key), o.gen
	o.stop = cancel
	return func() tea.Msg {
		return &ordered[T]{list: l, gen: gen, key: key, made: m.make(workers())}
	}
}

// workers is how many work on an order at once: one processor is left to the loop.
func workers() int { return max(1, runtime.GOMAXPROCS(0)-1) }

// cancel stops the work under way; its result will not count.
func (o *order[T]) cancel() {
	if o.stop != nil {
		o.stop()
		o.stop = nil
	}
	o.gen++
}

// shows reports whether the row at a place of the set is shown.
func (o *order[T]) shows(place int) bool {
	return o.now == nil || place < len(o.now.places) && o.now.places[place] >= 0
}

// making is an order to be made, with all that it takes to do so off the loop.
func (o *order[T]) making(ctx context.Context, l *List[T], key orderKey) *making {
	n, at := l.Set.Snapshot()
	m := &making{ctx: ctx, key: key, n: n, columns: make([]ordering, len(l.Columns)), quick: l.Set.searcher()}
	box := l.light()
	for i, c := range l.Columns {
		m.columns[i] = ordering{title: c.Title, named: c.Named, text: func(row int32) string {
			text, _ := c.Cell(at(int(row)), box)
			return text
		}}
		if c.Less != nil {
			m.columns[i].less = func(a, b int32) bool { return c.Less(at(int(a)), at(int(b))) }
		}
	}
	if o.now != nil && narrows(o.key, key) {
		m.base = o.now.rows
	}
	return m
}

// narrows reports whether what is shown under a key holds all that another one asks for, in its sequence.
func narrows(old, key orderKey) bool {
	if !strings.HasPrefix(key.filter, old.filter) || strings.ContainsAny(key.filter, "!:") {
		return false
	}
	old.filter = key.filter
	return old == key
}

// within is the sequence without the rows from n on.
func (s *sequence) within(n int) *sequence {
	rows := make([]int32, 0, len(s.rows))
	for _, i := range s.rows {
		if int(i) < n {
			rows = append(rows, i)
		}
	}
	return newSequence(rows, n)
}

func newSequence(rows []int32, n int) *sequence {
	s := &sequence{rows: rows, places: make([]int32, n)}
	for i := range s.places {
		s.places[i] = -1
	}
	for place, i := range rows {
		s.places[i] = int32(place)
	}
	return s
}

// ordered is an order made off the loop; nil when it was stopped.
type ordered[T any] struct {
	list *List[T]
	gen  int
	key  orderKey
	made *sequence
}

// Deliver puts the order to use unless filter or sort have changed since, or rows have moved.
func (m *ordered[T]) Deliver() tea.Cmd {
	o := &m.list.order
	if m.gen != o.gen {
		return nil
	}
	o.cancel()
	if m.made != nil && m.key.moved == m.list.Set.moved {
		o.now, o.key = m.made, m.key
	}
	m.list.settle()
	return nil
}
