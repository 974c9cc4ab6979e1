package ui

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A making is an order on its way: rows that do not change, and what is wanted of them. It can be stopped from outside.
type making[T any] struct {
	key     orderKey
	columns []Column[T]
	box     Box
	n       int
	at      func(int) T
	base    []int32 // rows that hold all that can match, in their sequence; nil is every row
	stop    *atomic.Bool
}

// make filters and sorts with so many workers. It is nil when it was stopped.
func (m *making[T]) make(workers int) *sequence {
	rows := m.matching(workers)
	switch {
	case m.base != nil: // in sequence already
	case m.key.column >= 0:
		m.sort(rows, workers)
	case m.key.reverse:
		slices.Reverse(rows)
	}
	if m.stop.Load() {
		return nil
	}
	return newSequence(rows, m.n)
}

// matching are the rows that the filter lets through.
func (m *making[T]) matching(workers int) []int32 {
	match := compile(m.columns, m.box, m.key.filter)
	candidate, n := func(i int) int32 { return int32(i) }, m.n
	if m.base != nil {
		candidate, n = func(i int) int32 { return m.base[i] }, len(m.base)
	}
	parts := make([][]int32, n/piece+1)
	m.each(n, workers, func(from, to int) {
		rows := make([]int32, 0, to-from)
		for i := from; i < to; i++ {
			if row := candidate(i); match(m.at(int(row))) {
				rows = append(rows, row)
			}
		}
		parts[from/piece] = rows
	})
	return slices.Concat(parts...)
}

// piece is how many rows are worked on between two looks at whether to stop.
const piece = 4096

// each works on pieces of n rows, several at a time.
func (m *making[T]) each(n, workers int, work func(from, to int)) {
	var next atomic.Int64
	worker := func() {
		for !m.stop.Load() {
			from := int(next.Add(piece)) - piece
			if from >= n {
				return
			}
			work(from, min(n, from+piece))
		}
	}
	var group sync.WaitGroup
	for range workers - 1 {
		group.Go(worker)
	}
	worker()
	group.Wait()
}

// sort puts rows in the sequence of the key's column. Rows that are equal stay in the set's.
func (m *making[T]) sort(rows []int32, workers int) {
	compare := m.comparison(rows, workers)
	merge(rows, make([]int32, len(rows)), workers, m.stop, func(a, b int32) int {
		c := compare(a, b)
		if m.key.reverse {
			c = -c
		}
		if c == 0 {
			c = int(a) - int(b)
		}
		return c
	})
}

// merge sorts by halves, several at a time.
func merge(rows, spare []int32, workers int, stop *atomic.Bool, compare func(a, b int32) int) {
	if stop.Load() {
		return
	}
	if len(rows) <= piece {
		slices.SortFunc(rows, compare)
		return
	}
	half := len(rows) / 2
	left := func() { merge(rows[:half], spare[:half], workers/2, stop, compare) }
	var group sync.WaitGroup
	if workers > 1 {
		group.Go(left)
	} else {
		left()
	}
	merge(rows[half:], spare[half:], workers/2, stop, compare)
	group.Wait()
	if stop.Load() || compare(rows[half-1], rows[half]) <= 0 {
		return
	}
	a, b := spare[:copy(spare, rows[:half])], rows[half:]
	for i := range rows {
		if len(a) == 0 {
			return
		}
		if len(b) == 0 || compare(a[0], b[0]) <= 0 {
			rows[i], a = a[0], a[1:]
		} else {
			rows[i], b = b[0], b[1:]
		}
	}
}

// comparison compares rows by the key's column: by its own rule, or by its text.
func (m *making[T]) comparison(rows []int32, workers int) func(a, b int32) int {
	column := m.columns[m.key.column]
	if column.Less != nil {
		return func(a, b int32) int {
			x, y := m.at(int(a)), m.at(int(b))
			switch {
			case column.Less(x, y):
				return -1
			case column.Less(y, x):
				return 1
			}
			return 0
		}
	}
	texts := make([]string, m.n)
	m.each(len(rows), workers, func(from, to int) {
		for _, row := range rows[from:to] {
			text, _ := column.Cell(m.at(int(row)), m.box)
			texts[row] = strings.ToLower(text)
		}
	})
	return func(a, b int32) int { return strings.Compare(texts[a], texts[b]) }
}
