package table

import (
	"context"
	"runtime"
	"strings"

	"lookout/client/lists"
)

// rowIndex holds which rows of a store are shown, and in which order. It is computed again when rows, filter or sorting
// change: off the loop if there are many rows, while the older order is shown.
type rowIndex struct {
	column      int // sorted by; -1 keeps the order of the store
	initialized bool
	reverse     bool
	current     *permutation // nil is every row in the order of the store
	currentKey  rowIndexKey  // of current
	pendingKey  rowIndexKey  // of the job under way
	stop        context.CancelFunc
	gen         int // grows when a job is stopped, whose result then does not count
}

// rowLookup is the part of a store that knows positions.
type rowLookup interface {
	Len() int
	Index(id string) (int, bool)
}

// sortable is a list whose rows can be filtered and sorted.
type sortable interface {
	lookup() rowLookup
	initialSortColumn() int // -1 is none
	wantedKey() rowIndexKey
	newSortJob(ctx context.Context) *sortJob
	restoreCursor()
}

// permutation is rows by their positions in the store, and the position of each row of the store among them.
type permutation struct {
	rows      []int32
	positions []int32                  // -1 is not shown
	rank      func(row int32) SortRank // that the rows are ordered by; nil if they are not
	note      filterNote               // about the filter that the rows match
}

// rowIndexKey is what the order of the rows depends on.
type rowIndexKey struct {
	version       int
	layoutVersion int
	filter        string
	typing        bool // of the filter: what is unfinished does not count
	column        int
	reverse       bool
	valid         bool
}

// equalExceptVersion reports whether two keys differ at most in rows that were added or replaced.
func (k rowIndexKey) equalExceptVersion(other rowIndexKey) bool {
	k.version = other.version
	return k == other
}

// isIdentity reports whether the key asks for every row in the order of the store.
func (k rowIndexKey) isIdentity() bool { return k.column < 0 && k.filter == "" && !k.reverse }

// note returns what is to be said about the filter of a key, as far as it is known.
func (o *rowIndex) note(key rowIndexKey) filterNote {
	if o.current == nil || o.currentKey.filter != key.filter || o.currentKey.typing != key.typing {
		return filterNote{}
	}
	return o.current.note
}

// count returns the number of rows shown.
func (o *rowIndex) count(set rowLookup) int {
	if o.current == nil {
		return set.Len()
	}
	return len(o.current.rows)
}

// storePosition returns the position in the store of the row at a position among those shown.
func (o *rowIndex) storePosition(position int) int {
	if o.current == nil {
		return position
	}
	return int(o.current.rows[position])
}

// position returns the position of a row among those shown; -1 if it is not shown.
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
	return -1 // it was added after the order was computed
}

// unranked is the rank of a row in an order that is not by rank.
const unranked = -1

// rank returns the rank of the row at a position among those shown, or unranked.
func (o *rowIndex) rank(position int) int {
	if o.current == nil || o.current.rank == nil || position < 0 || position >= len(o.current.rows) {
		return unranked
	}
	return o.current.rank(o.current.rows[position]).Number
}

// initialize sets the column that the list is first sorted by.
func (o *rowIndex) initialize(l sortable) {
	if !o.initialized {
		o.initialized, o.column = true, l.initialSortColumn()
	}
}

// update computes the order again if something has changed. If there are many rows, startSortJob does it later, and
// update only removes rows that are gone.
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

// startSortJob computes the order of many rows off the loop. It stops a job whose result is not wanted any more; rows
// that are only added do not stop it.
func (o *rowIndex) startSortJob(l sortable, e lists.Executor) {
	o.initialize(l)
	key := l.wantedKey()
	if o.stop != nil && key != o.currentKey && key.equalExceptVersion(o.pendingKey) {
		return
	}
	o.cancel()
	if l.lookup().Len() <= maxForegroundSort || key == o.currentKey || key.isIdentity() {
		return
	}
	o.pendingKey = key
	ctx, cancel := context.WithCancel(context.Background())
	m, gen := l.newSortJob(ctx), o.gen
	o.stop = cancel
	e.Go(func() (apply func()) {
		sorted := m.run(workerCount()) // nil if the job was stopped
		return func() { o.show(l, gen, key, sorted) }
	})
}

// maxForegroundSort is the number of rows that are filtered and sorted on the loop at most: more would be felt between
// a key and its frame.
const maxForegroundSort = 20_000

// workerCount returns the number of goroutines for a job: one processor is left to the loop.
func workerCount() int { return max(1, runtime.GOMAXPROCS(0)-1) }

// cancel stops the job under way; its result will not count.
func (o *rowIndex) cancel() {
	if o.stop != nil {
		o.stop()
		o.stop = nil
	}
	o.gen++
}

// contains reports whether the row at a position of the store is shown.
func (o *rowIndex) contains(position int) bool {
	return o.current == nil || position < len(o.current.positions) && o.current.positions[position] >= 0
}

// reusableRows returns rows that hold all that a key asks for, in its order; nil if every row must be looked at.
func (o *rowIndex) reusableRows(key rowIndexKey) []int32 {
	if o.current != nil && narrows(o.currentKey, key) {
		return o.current.rows
	}
	return nil
}

// narrows reports whether the rows of one key hold all that another asks for, in its order.
func narrows(old, key rowIndexKey) bool {
	if !strings.HasPrefix(key.filter, old.filter) || strings.ContainsAny(key.filter, "!:|\\") {
		return false
	}
	old.filter, old.typing = key.filter, key.typing
	return old == key
}

// truncate returns the permutation without the rows from position n of the store on.
func (s *permutation) truncate(n int) *permutation {
	rows := make([]int32, 0, len(s.rows))
	for _, i := range s.rows {
		if int(i) < n {
			rows = append(rows, i)
		}
	}
	within := newPermutation(rows, n)
	within.rank, within.note = s.rank, s.note
	return within
}

// newPermutation returns the permutation of some of n rows.
func newPermutation(rows []int32, n int) *permutation {
	s := &permutation{rows: rows, positions: make([]int32, n)}
	for i := range s.positions {
		s.positions[i] = -1
	}
	for position, i := range rows {
		s.positions[i] = int32(position)
	}
	return s
}

// show shows the new order, unless filter or sorting have changed since, or rows have moved.
func (o *rowIndex) show(l sortable, gen int, key rowIndexKey, sorted *permutation) {
	if gen != o.gen {
		return
	}
	o.cancel()
	if sorted != nil && key.layoutVersion == l.wantedKey().layoutVersion {
		o.current, o.currentKey = sorted, key
	}
	l.restoreCursor()
}
