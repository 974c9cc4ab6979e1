package ui

import (
	"context"
	"runtime"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// An order is which rows of a set are shown and in which sequence: made anew when rows, filter or sort change.
// Big sets are ordered off the loop, the older order in sight meanwhile.
type order struct {
	column  int // sorted by; -1 leaves the set's own sequence
	set     bool
	reverse bool
	now     *sequence // nil is every row in the set's own sequence
	key     orderKey  // of what now is
	asked   orderKey  // of what is being made
	stop    context.CancelFunc
	gen     int
}

// placed are rows that have places: a set.
type placed interface {
	Len() int
	Index(id string) (int, bool)
}

// orderable is a list whose rows can be put in order.
type orderable interface {
	held() placed
	sortedAtFirst() int // column; -1 is none
	wanted() orderKey
	making(ctx context.Context) *making
	settle()
}

// A sequence is rows by their places in the set, and where each row of the set stands among them.
type sequence struct {
	rows   []int32
	places []int32              // -1 is not shown
	rank   func(row int32) Rank // by which the rows, as they were, are in this sequence; nil where it is something else
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

// plain reports whether that is every row in the set's own sequence: nothing needs to be made.
func (k orderKey) plain() bool { return k.column < 0 && k.filter == "" && !k.reverse }

// big is how many rows are ordered on the loop at most: more would be felt between a key and its frame.
const big = 20_000

func (o *order) count(set placed) int {
	if o.now == nil {
		return set.Len()
	}
	return len(o.now.rows)
}

// index is the place in the set of the row at a place in the order.
func (o *order) index(place int) int {
	if o.now == nil {
		return place
	}
	return int(o.now.rows[place])
}

// place is where a row stands in the order; -1 where it is not shown.
func (o *order) place(set placed, id string) int {
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

// unranked is the rank of a row whose place says nothing of one.
const unranked = -1

// rank is that for which a row stands at its place.
func (o *order) rank(place int) int {
	if o.now == nil || o.now.rank == nil || place < 0 || place >= len(o.now.rows) {
		return unranked
	}
	return o.now.rank(o.now.rows[place]).Number
}

// start sets the column that a list is sorted by at first.
func (o *order) start(l orderable) {
	if !o.set {
		o.set, o.column = true, l.sortedAtFirst()
	}
}

// build makes the order anew where something changed. A big set's is left to want; of rows that are there no more it is rid at once.
func (o *order) build(l orderable) {
	o.start(l)
	key := l.wanted()
	switch {
	case key == o.key:
	case key.plain():
		o.now, o.key = nil, key
	case l.held().Len() <= big:
		o.now, o.key = l.making(context.Background()).make(1), key
	case o.now != nil && len(o.now.places) > l.held().Len():
		o.now = o.now.within(l.held().Len())
	}
}

// want asks for the order of a big set off the loop. Work on what nobody wants any more is stopped; rows that are merely added do not stop it.
func (o *order) want(l orderable) tea.Cmd {
	o.start(l)
	key := l.wanted()
	if o.stop != nil && key != o.key && key.alike(o.asked) {
		return nil
	}
	o.cancel()
	if l.held().Len() <= big || key == o.key || key.plain() {
		return nil
	}
	o.asked = key
	ctx, cancel := context.WithCancel(context.Background())
	m, gen := l.making(ctx), o.gen
	o.stop = cancel
	return func() tea.Msg {
		return &ordered{list: l, order: o, gen: gen, key: key, made: m.make(workers())}
	}
}

// workers is how many work on an order at once: one processor is left to the loop.
func workers() int { return max(1, runtime.GOMAXPROCS(0)-1) }

// cancel stops the work under way; its result will not count.
func (o *order) cancel() {
	if o.stop != nil {
		o.stop()
		o.stop = nil
	}
	o.gen++
}

// shows reports whether the row at a place of the set is shown.
func (o *order) shows(place int) bool {
	return o.now == nil || place < len(o.now.places) && o.now.places[place] >= 0
}

// base is the rows that hold all that a key asks for, in its sequence; nil where every row must be looked at.
func (o *order) base(key orderKey) []int32 {
	if o.now != nil && narrows(o.key, key) {
		return o.now.rows
	}
	return nil
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
	within := newSequence(rows, n)
	within.rank = s.rank
	return within
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
type ordered struct {
	list  orderable
	order *order
	gen   int
	key   orderKey
	made  *sequence
}

// Deliver puts the order to use unless filter or sort have changed since, or rows have moved.
func (m *ordered) Deliver() tea.Cmd {
	o := m.order
	if m.gen != o.gen {
		return nil
	}
	o.cancel()
	if m.made != nil && m.key.moved == m.list.wanted().moved {
		o.now, o.key = m.made, m.key
	}
	m.list.settle()
	return nil
}
