package table

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"lookout/client/lists"
	"lookout/ui/filter"
)

// columnAccessor is how a column is sorted.
type columnAccessor struct {
	less func(a, b int32) bool    // nil sorts by the text
	rank func(row int32) SortRank // nil is none
}

// sortJob filters and sorts a snapshot of the rows. Cancelling ctx stops it.
type sortJob struct {
	ctx        context.Context
	key        rowIndexKey
	now        time.Time
	cells      []filter.FilterableColumn
	columns    []columnAccessor
	quick      lists.RowSearcher // may be nil
	rowCount   int
	candidates []int32 // the only rows that can match, in the wanted order; nil is every row
}

// stopped reports whether the result is not wanted any more.
func (m *sortJob) stopped() bool { return m.ctx.Err() != nil }

// run filters and sorts with a number of workers. It returns nil if it was stopped.
func (m *sortJob) run(workers int) *permutation {
	rows, note := m.filterRows(workers)
	switch {
	case m.candidates != nil: // in order already
	case m.key.column >= 0:
		rows = m.sortRows(rows, workers)
	case m.key.reverse:
		rows = m.expandRows(rows)
		slices.Reverse(rows)
	}
	if m.stopped() {
		return nil
	}
	made := newPermutation(m.expandRows(rows), m.rowCount)
	made.note = note
	if m.key.column >= 0 {
		made.rank = m.columns[m.key.column].rank
	}
	return made
}

// expandRows returns rows, and all rows for nil.
func (m *sortJob) expandRows(rows []int32) []int32 {
	if rows == nil {
		rows = make([]int32, m.rowCount)
		for i := range rows {
			rows[i] = int32(i)
		}
	}
	return rows
}

// filterRows returns the rows that match the filter, and what is to be said about it; nil is every row. What is wrong
// with a filter does not count while it is being typed, nor does its end if no row matches before it is complete.
func (m *sortJob) filterRows(workers int) (rows []int32, note filterNote) {
	parse := filter.Parse
	if m.key.typing {
		parse = filter.ParseTyped
	}
	matcher := filter.Compile(parse(m.key.filter), m.cells, m.now)
	rows = m.match(matcher, workers)
	note.problem = matcher.Problem()
	if !m.key.typing {
		return rows, note
	}
	none := rows != nil && len(rows) == 0
	rest, less := matcher.Without(none)
	if less {
		rows = m.match(filter.Compile(rest, m.cells, m.now), workers)
	}
	note.hint = matcher.Hint(less)
	return rows, note
}

// match returns the rows that match; nil is every row.
func (m *sortJob) match(matcher *filter.Matcher, workers int) []int32 {
	rows := m.candidates
	for _, w := range matcher.Words() {
		if found, known := m.search(w, rows); known {
			rows = found
			matcher.Found(w)
		}
	}
	if matcher.MatchesAll() {
		return rows
	}
	candidates, n := rows, m.rowCount
	if rows != nil {
		n = len(rows)
	}
	parts := make([][]int32, n/chunkSize+1)
	m.forEachChunk(n, workers, func(from, to int) {
		hits := make([]int32, 0, to-from)
		for i := from; i < to; i++ {
			row := int32(i)
			if candidates != nil {
				row = candidates[i]
			}
			if matcher.Match(row) {
				hits = append(hits, row)
			}
		}
		parts[from/chunkSize] = hits
	})
	return nonNil(slices.Concat(parts...))
}

// search looks for a word with the storage's searcher, if it has one.
func (m *sortJob) search(w filter.RequiredWord, within []int32) (rows []int32, known bool) {
	if m.quick == nil {
		return nil, false
	}
	rows, known = m.quick.Filter(m.ctx, w.Column, w.Text, within)
	return nonNil(rows), known
}

// nonNil returns rows so that none is not taken for every row.
func nonNil(rows []int32) []int32 {
	if rows == nil {
		return []int32{}
	}
	return rows
}

// chunkSize is the number of rows between two checks whether to stop.
const chunkSize = 4096

// forEachChunk works on chunks of n rows, several at a time.
func (m *sortJob) forEachChunk(n, workers int, work func(from, to int)) {
	var next atomic.Int64
	worker := func() {
		for !m.stopped() {
			from := int(next.Add(chunkSize)) - chunkSize
			if from >= n {
				return
			}
			work(from, min(n, from+chunkSize))
		}
	}
	var group sync.WaitGroup
	for range workers - 1 {
		group.Go(worker)
	}
	worker()
	group.Wait()
}

// sortRows sorts rows by the key's column. Equal rows stay in the order of the store.
func (m *sortJob) sortRows(rows []int32, workers int) []int32 {
	if m.quick != nil && (rows == nil || len(rows) > 0) {
		if positions, known := m.quick.Sort(m.ctx, m.key.column, m.key.reverse, rows); known {
			return nonNil(positions)
		}
	}
	rows = m.expandRows(rows)
	if rank := m.columns[m.key.column].rank; rank != nil {
		return sortByRank(rows, rank, m.key.reverse)
	}
	compare := m.comparator(rows, workers)
	mergeSort(m.ctx, rows, make([]int32, len(rows)), workers, func(a, b int32) int {
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

// mergeSort sorts the halves, several at a time, and merges them.
func mergeSort(ctx context.Context, rows, spare []int32, workers int, compare func(a, b int32) int) {
	if ctx.Err() != nil {
		return
	}
	if len(rows) <= chunkSize {
		slices.SortFunc(rows, compare)
		return
	}
	half := len(rows) / 2
	left := func() { mergeSort(ctx, rows[:half], spare[:half], workers/2, compare) }
	var group sync.WaitGroup
	if workers > 1 {
		group.Go(left)
	} else {
		left()
	}
	mergeSort(ctx, rows[half:], spare[half:], workers/2, compare)
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

// comparator returns how rows compare by the key's column: by its Less, or by its text.
func (m *sortJob) comparator(rows []int32, workers int) func(a, b int32) int {
	column, cells := m.columns[m.key.column], m.cells[m.key.column]
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
	texts := make([]string, m.rowCount)
	m.forEachChunk(len(rows), workers, func(from, to int) {
		for _, row := range rows[from:to] {
			texts[row] = strings.ToLower(cells.Text(row))
		}
	})
	return func(a, b int32) int { return strings.Compare(texts[a], texts[b]) }
}
