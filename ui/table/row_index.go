package table

import (
	"context"
	"runtime"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// An rowIndex is which rows of a set are shown and in which sequence: made anew when rows, filter or sort change.
// Big sets are ordered off the loop, the older order in sight meanwhile.
type rowIndex struct {
	column      int // sorted by; -1 leaves the set's own sequence
	initialized bool
	reverse     bool
	current     *permutation // nil is every row in the set's own sequence
	currentKey  rowIndexKey  // of what now is
	pendingKey  rowIndexKey  // of what is being made
	stop        context.CancelFunc
	gen         int
}

// rowLookup are rows that have places: a set.
type rowLookup interface {
	Len() int
	Index(id string) (int, bool)
}

// sortable is a list whose rows can be put in order.
type sortable interface {
	lookup() rowLookup
	initialSortColumn() int // column; -1 is none
	wantedKey() rowIndexKey
	newSortJob(ctx context.Context) *sortJob
	restoreCursor()
}

// A permutation is rows by their places in the set, and where each row of the set stands among them.
type permutation struct {
	rows      []int32
	positions []int32 // -1 is not shown
	// by which the rows, as they were, are in this sequence; nil where it is something else
	rank func(row int32) Rank
}

// rowIndexKey is what an order depends on.
type rowIndexKey struct {
	version       int
	layoutVersion int
	filter        string
	column        int
	reverse       bool
	valid         bool
}

// equalExceptVersion reports whether two orders differ at most in rows that were added or replaced.
func (k rowIndexKey) equalExceptVersion(other rowIndexKey) bool {
	k.version = other.version
	return k == other
}

// isIdentity reports whether that is every row in the set's own sequence: nothing needs to be made.
func (k rowIndexKey) isIdentity() bool { return k.column < 0 && k.filter == "" && !k.reverse }

func (o *rowIndex) count(set rowLookup) int {
	if o.current == nil {
		return set.Len()
	}
	return len(o.current.rows)
}

// storePosition is the place in the set of the row at a place in the order.
func (o *rowIndex) storePosition(place int) int {
	if o.current == nil {
		return place
	}
	return int(o.current.rows[place])
}

// position is where a row stands in the order; -1 where it is not shown.
func (o *rowIndex) position(set rowLookup, id string) int {
	i, held := set.Index(id)
	switch {
	case !held:
		return -1
	case o.current == nil:
		return i
	case i < len(o.current.positions):
		return int(o.current.positions[i])
	}
	return -1 // it came after the order was made
}

// unranked is the rank of a row whose place says nothing of one.
const unranked = -1

// rank is that for which a row stands at its place.
func (o *rowIndex) rank(place int) int {
	if o.current == nil || o.current.rank == nil || place < 0 || place >= len(o.current.rows) {
		return unranked
	}
	return o.current.rank(o.current.rows[place]).Number
}

// initialize sets the column that a list is sorted by at first.
func (o *rowIndex) initialize(l sortable) {
	if !o.initialized {
		o.initialized, o.column = true, l.initialSortColumn()
	}
}

// update makes the order anew where something changed. A big set's is left to want; of rows that are there no more it
// is rid at once.
func (o *rowIndex) update(l sortable) {
	o.initialize(l)
	key := l.wantedKey()
	switch {
	case key == o.currentKey:
	case key.isIdentity():
		o.current, o.currentKey = nil, key
	case l.lookup().Len() <= maxForegroundSort:
		o.current, o.currentKey = l.newSortJob(context.Background()).run(1), key
	case o.current != nil && len(o.current.positions) > l.lookup().Len():
		o.current = o.current.truncate(l.lookup().Len())
	}
}

// startSortJob asks for the order of a big set off the loop. Work on what nobody wants any more is stopped; rows that
// are merely added do not stop it.
func (o *rowIndex) startSortJob(l sortable) tea.Cmd {
	o.initialize(l)
	key := l.wantedKey()
	if o.stop != nil && key != o.currentKey && key.equalExceptVersion(o.pendingKey) {
		return nil
	}
	o.cancel()
	if l.lookup().Len() <= maxForegroundSort || key == o.currentKey || key.isIdentity() {
		return nil
	}
	o.pendingKey = key
	ctx, cancel := context.WithCancel(context.Background())
	m, gen := l.newSortJob(ctx), o.gen
	o.stop = cancel
	return func() tea.Msg {
		return &sortResult{
			list:        l,
			rowIndex:    o,
			gen:         gen,
			key:         key,
			permutation: m.run(workerCount()),
		}
	}
}

// maxForegroundSort is the number of rows that are filtered and sorted on the loop at most: more would be felt between
// a key and its frame.
const maxForegroundSort = 20_000

// workerCount is how many work on an order at once: one processor is left to the loop.
func workerCount() int { return max(1, runtime.GOMAXPROCS(0)-1) }

// cancel stops the work under way; its result will not count.
func (o *rowIndex) cancel() {
	if o.stop != nil {
		o.stop()
		o.stop = nil
	}
	o.gen++
}

// contains reports whether the row at a place of the set is shown.
func (o *rowIndex) contains(place int) bool {
	return o.current == nil || place < len(o.current.positions) && o.current.positions[place] >= 0
}

// reusableRows is the rows that hold all that a key asks for, in its sequence; nil where every row must be looked at.
func (o *rowIndex) reusableRows(key rowIndexKey) []int32 {
	if o.current != nil && narrows(o.currentKey, key) {
		return o.current.rows
	}
	return nil
}

// narrows reports whether what is shown under a key holds all that another one asks for, in its sequence.
func narrows(old, key rowIndexKey) bool {
	if !strings.HasPrefix(key.filter, old.filter) || strings.ContainsAny(key.filter, "!:") {
		return false
	}
	old.filter = key.filter
	return old == key
}

// truncate is the sequence without the rows from n on.
func (s *permutation) truncate(n int) *permutation {
	rows := make([]int32, 0, len(s.rows))
	for _, i := range s.rows {
		if int(i) < n {
			rows = append(rows, i)
		}
	}
	within := newPermutation(rows, n)
	within.rank = s.rank
	return within
}

func newPermutation(rows []int32, n int) *permutation {
	s := &permutation{rows: rows, positions: make([]int32, n)}
	for i := range s.positions {
		s.positions[i] = -1
	}
	for place, i := range rows {
		s.positions[i] = int32(place)
	}
	return s
}

// sortResult is an order made off the loop; nil when it was stopped.
type sortResult struct {
	list        sortable
	rowIndex    *rowIndex
	gen         int
	key         rowIndexKey
	permutation *permutation
}

// Deliver puts the order to use unless filter or sort have changed since, or rows have moved.
func (m *sortResult) Deliver() tea.Cmd {
	o := m.rowIndex
	if m.gen != o.gen {
		return nil
	}
	o.cancel()
	if m.permutation != nil && m.key.layoutVersion == m.list.wantedKey().layoutVersion {
		o.current, o.currentKey = m.permutation, m.key
	}
	m.list.restoreCursor()
	return nil
}
