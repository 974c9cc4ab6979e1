package table

import (
	"lookout/ui"
	"math/bits"
)

// marks are the rows of a set that are marked, by their places: a bit a row, so that a million are marked in no time.
// Rows that come later are not marked. Places are those of one moment of the set; when rows have moved since, follow
// finds the marked ones again.
type marks[T any] struct {
	bits          []uint64
	n             int
	layoutVersion int           // of the set, for which the places hold
	rowAt         func(i int) T // the rows of that moment
}

// count is how many rows are marked.
func (m *marks[T]) count() int { return m.n }

// has reports whether the row at a place is marked.
func (m *marks[T]) has(place int) bool {
	return place >= 0 && place/64 < len(m.bits) && m.bits[place/64]&(1<<(place%64)) != 0
}

// clear takes all marks away.
func (m *marks[T]) clear() { *m = marks[T]{} }

// reserve makes room for marks on the rows that a set has now.
func (m *marks[T]) reserve(set *ui.Store[T]) {
	m.relocate(set)
	var n int
	n, m.rowAt = set.Snapshot()
	m.layoutVersion = set.LayoutVersion()
	for len(m.bits) < (n+63)/64 {
		m.bits = append(m.bits, 0)
	}
}

// add marks the row at a place of an opened set.
func (m *marks[T]) add(place int) {
	if !m.has(place) {
		m.bits[place/64] |= 1 << (place % 64)
		m.n++
	}
}

// toggle marks the row at a place of an opened set, or takes its mark away.
func (m *marks[T]) toggle(place int) {
	if m.has(place) {
		m.bits[place/64] &^= 1 << (place % 64)
		m.n--
		return
	}
	m.add(place)
}

// addFirst marks the first n rows of an opened set.
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

// each gives the places of marked rows in their order, until do has had enough.
func (m *marks[T]) each(do func(place int) (more bool)) {
	for w, word := range m.bits {
		for ; word != 0; word &= word - 1 {
			if !do(w*64 + bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}

// relocate finds the marked rows again after rows have moved. Those that are gone lose their marks.
func (m *marks[T]) relocate(set *ui.Store[T]) {
	if m.n == 0 || m.layoutVersion == set.LayoutVersion() {
		return
	}
	old := *m
	*m = marks[T]{layoutVersion: set.LayoutVersion()}
	m.reserve(set)
	old.each(func(place int) bool {
		if i, held := set.Index(set.ID(old.rowAt(place))); held {
			m.add(i)
		}
		return true
	})
}
