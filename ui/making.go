package ui

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A Searcher is the rows of a store at one moment, filtered and sorted faster than row by row. Rows are spoken of by their places; within,
// where it is not nil, are the only ones that count. What it does not know is done row by row. It ends early when ctx does.
type Searcher interface {
	// Filter gives the places of rows that hold a word of small letters, in the order of within: in a column, or anywhere (column -1) that a
	// filter looks unless it names a column.
	Filter(ctx context.Context, column int, word string, within []int32) (places []int32, known bool)
	// Sort gives places in the order of a column. Rows that are equal stay in the order of their places.
	Sort(ctx context.Context, column int, reverse bool, within []int32) (places []int32, known bool)
}

// An ordering is what a making knows of a column: its cells as text, and its own rule where it has one.
type ordering struct {
	title string
	named bool
	text  func(row int32) string
	less  func(a, b int32) bool // nil sorts by the text
	rank  func(row int32) Rank  // nil is none
}

// A making is an order on its way: rows that do not change, and what is wanted of them. It can be stopped from outside.
type making struct {
	ctx     context.Context
	key     orderKey
	columns []ordering
	quick   Searcher // nil where there is none
	n       int
	base    []int32 // rows that hold all that can match, in their sequence; nil is every row
}

// stopped reports whether nobody wants the order any more.
func (m *making) stopped() bool { return m.ctx.Err() != nil }

// make filters and sorts with so many workers. It is nil when it was stopped.
func (m *making) make(workers int) *sequence {
	rows := m.matching(workers)
	switch {
	case m.base != nil: // in sequence already
	case m.key.column >= 0:
		rows = m.sorted(rows, workers)
	case m.key.reverse:
		rows = m.all(rows)
		slices.Reverse(rows)
	}
	if m.stopped() {
		return nil
	}
	made := newSequence(m.all(rows), m.n)
	if m.key.column >= 0 {
		made.rank = m.columns[m.key.column].rank
	}
	return made
}

// all are rows, which are nil where they are every row.
func (m *making) all(rows []int32) []int32 {
	if rows == nil {
		rows = make([]int32, m.n)
		for i := range rows {
			rows[i] = int32(i)
		}
	}
	return rows
}

// matching are the rows that the filter lets through; nil is every row.
func (m *making) matching(workers int) []int32 {
	rows := m.base
	var slow []word
	for _, w := range wordsOf(m.columns, m.key.filter) {
		found, known := m.search(w, rows)
		if !known {
			slow = append(slow, w)
			continue
		}
		rows = found
	}
	if len(slow) == 0 {
		return rows
	}
	match := compile(m.columns, slow)
	candidates, n := rows, m.n
	if rows != nil {
		n = len(rows)
	}
	parts := make([][]int32, n/piece+1)
	m.each(n, workers, func(from, to int) {
		hits := make([]int32, 0, to-from)
		for i := from; i < to; i++ {
			row := int32(i)
			if candidates != nil {
				row = candidates[i]
			}
			if match(row) {
				hits = append(hits, row)
			}
		}
		parts[from/piece] = hits
	})
	return orNone(slices.Concat(parts...))
}

// search looks for a word the quick way, where there is one.
func (m *making) search(w word, within []int32) (rows []int32, known bool) {
	if m.quick == nil || w.not {
		return nil, false
	}
	rows, known = m.quick.Filter(m.ctx, w.column, w.text, within)
	return orNone(rows), known
}

// orNone is rows that are none instead of every row where there are none.
func orNone(rows []int32) []int32 {
	if rows == nil {
		return []int32{}
	}
	return rows
}

// piece is how many rows are worked on between two looks at whether to stop.
const piece = 4096

// each works on pieces of n rows, several at a time.
func (m *making) each(n, workers int, work func(from, to int)) {
	var next atomic.Int64
	worker := func() {
		for !m.stopped() {
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

// sorted puts rows in the sequence of the key's column. Rows that are equal stay in the set's.
func (m *making) sorted(rows []int32, workers int) []int32 {
	if m.quick != nil && (rows == nil || len(rows) > 0) {
		if places, known := m.quick.Sort(m.ctx, m.key.column, m.key.reverse, rows); known {
			return orNone(places)
		}
	}
	rows = m.all(rows)
	if rank := m.columns[m.key.column].rank; rank != nil {
		return ranked(rows, rank, m.key.reverse)
	}
	compare := m.comparison(rows, workers)
	merge(m.ctx, rows, make([]int32, len(rows)), workers, func(a, b int32) int {
		c := compare(a, b)
		if m.key.reverse {
			c = -c
		}
		if c == 0 {
			c = int(a) - int(b)
		}
		return c
	})
	return rows
}

// merge sorts by halves, several at a time.
func merge(ctx context.Context, rows, spare []int32, workers int, compare func(a, b int32) int) {
	if ctx.Err() != nil {
		return
	}
	if len(rows) <= piece {
		slices.SortFunc(rows, compare)
		return
	}
	half := len(rows) / 2
	left := func() { merge(ctx, rows[:half], spare[:half], workers/2, compare) }
	var group sync.WaitGroup
	if workers > 1 {
		group.Go(left)
	} else {
		left()
	}
	merge(ctx, rows[half:], spare[half:], workers/2, compare)
	group.Wait()
	if ctx.Err() != nil || compare(rows[half-1], rows[half]) <= 0 {
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
func (m *making) comparison(rows []int32, workers int) func(a, b int32) int {
	column := m.columns[m.key.column]
	if column.less != nil {
		return func(a, b int32) int {
			switch {
			case column.less(a, b):
				return -1
			case column.less(b, a):
				return 1
			}
			return 0
		}
	}
	texts := make([]string, m.n)
	m.each(len(rows), workers, func(from, to int) {
		for _, row := range rows[from:to] {
			texts[row] = strings.ToLower(column.text(row))
		}
	})
	return func(a, b int32) int { return strings.Compare(texts[a], texts[b]) }
}
