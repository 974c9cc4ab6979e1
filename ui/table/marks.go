package table

import (
	"iter"
	"math/bits"
	"slices"

	"lookout/client/lists"
)

// marks are the marked rows of a store by their positions: one bit a row, so that a million are marked at once. Rows
// that arrive later are not marked. When rows have moved, relocate finds the marked ones again.
type marks[T any] struct {
	bits          []uint64
	n             int
	layoutVersion int           // of the store, for which the positions hold
	rowAt         func(i int) T // the rows at that time
	anchor        string        // ID of the row where a range of marks starts
}

// count returns the number of marked rows.
func (m *marks[T]) count() int { return m.n }

// has reports whether the row at a position is marked.
func (m *marks[T]) has(position int) bool {
	return position >= 0 && position/64 < len(m.bits) && m.bits[position/64]&(1<<(position%64)) != 0
}

// clear removes all marks.
func (m *marks[T]) clear() { *m = marks[T]{} }

// reserve makes room for marks on the rows that a store holds now. add, toggle and addFirst need it.
func (m *marks[T]) reserve(store *lists.RowStore[T]) {
	m.relocate(store)
	var n int
	n, m.rowAt = store.Snapshot()
	m.layoutVersion = store.LayoutVersion()
	for len(m.bits) < (n+63)/64 {
		m.bits = append(m.bits, 0)
	}
}

// add marks the row at a position.
func (m *marks[T]) add(position int) {
	if !m.has(position) {
		m.bits[position/64] |= 1 << (position % 64)
		m.n++
	}
}

// toggle marks the row at a position, or removes its mark.
func (m *marks[T]) toggle(position int) {
	if m.has(position) {
		m.bits[position/64] &^= 1 << (position % 64)
		m.n--
		return
	}
	m.add(position)
}

// addFirst marks the first n rows.
func (m *marks[T]) addFirst(n int) {
	for w := range n / 64 {
		m.bits[w] = ^uint64(0)
	}
	if n%64 > 0 {
		m.bits[n/64] |= 1<<(n%64) - 1
	}
	m.n = 0
	for _, word := range m.bits {
		m.n += bits.OnesCount64(word)
	}
}

// each calls do with the positions of the marked rows in order, until it returns false.
func (m *marks[T]) each(do func(position int) (more bool)) {
	for w, word := range m.bits {
		for ; word != 0; word &= word - 1 {
			if !do(w*64 + bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}

// relocate finds the marked rows again after rows have moved. Those that are gone lose their marks.
func (m *marks[T]) relocate(store *lists.RowStore[T]) {
	if m.n == 0 || m.layoutVersion == store.LayoutVersion() {
		return
	}
	old := *m
	*m = marks[T]{layoutVersion: store.LayoutVersion(), anchor: old.anchor}
	m.reserve(store)
	old.each(func(position int) bool {
		if i, held := store.Index(store.ID(old.rowAt(position))); held {
			m.add(i)
		}
		return true
	})
}

// SelectedRows are the rows that an action is performed on. They do not change when the list does.
type SelectedRows[T any] struct {
	n      int
	marked marks[T]      // if rows is nil
	at     func(i int) T // the rows of the store
	rows   []T
}

// SelectRows returns a selection of rows.
func SelectRows[T any](rows ...T) SelectedRows[T] { return SelectedRows[T]{n: len(rows), rows: rows} }

// selectMarked returns the marked rows of a list.
func (l *List[T]) selectMarked() SelectedRows[T] {
	_, at := l.Store.Snapshot()
	return SelectedRows[T]{n: l.marks.count(), marked: marks[T]{bits: slices.Clone(l.marks.bits)}, at: at}
}

// Len returns the number of rows.
func (s SelectedRows[T]) Len() int { return s.n }

// All iterates over the rows in the order of the store.
func (s SelectedRows[T]) All() iter.Seq[T] {
	if s.rows != nil {
		return slices.Values(s.rows)
	}
	return func(yield func(T) bool) {
		s.marked.each(func(position int) bool { return yield(s.at(position)) })
	}
}
