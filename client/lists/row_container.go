package lists

import (
	"context"
	"slices"
)

// RowContainer holds rows in order and finds them by identity. A container that can be read off the loop without a copy
// also has the method Snapshot() func(i int) T, which returns the rows as they are at the call, whatever happens to the
// container afterwards. A container that filters and sorts faster than row by row has Searcher() RowSearcher.
type RowContainer[T any] interface {
	Len() int
	At(i int) T
	Index(id string) (int, bool)
	Append(rows []T) (dropped int) // drops and counts rows whose identity is already held
	Put(id string, row T)          // replaces in place, or appends
	Drop(id string)
}

// SliceStorage is the storage of most resources: a slice and an index.
type SliceStorage[T any] struct {
	id    func(T) string
	rows  []T
	index map[string]int
}

// NewSliceStorage returns an empty storage.
func NewSliceStorage[T any](id func(T) string) *SliceStorage[T] {
	return &SliceStorage[T]{id: id, index: map[string]int{}}
}

// Len returns the number of rows.
func (r *SliceStorage[T]) Len() int { return len(r.rows) }

// At returns the row at a position.
func (r *SliceStorage[T]) At(i int) T { return r.rows[i] }

// Snapshot returns the rows as they are now: later changes are made in a copy, and later rows stand after them.
func (r *SliceStorage[T]) Snapshot() func(i int) T {
	rows := r.rows
	return func(i int) T { return rows[i] }
}

// Index returns the position of the row with an identity.
func (r *SliceStorage[T]) Index(id string) (int, bool) {
	i, ok := r.index[id]
	return i, ok
}

// Append adds rows that are not held yet.
func (r *SliceStorage[T]) Append(rows []T) (dropped int) {
	for _, row := range rows {
		id := r.id(row)
		if _, held := r.index[id]; held {
			dropped++
			continue
		}
		r.index[id] = len(r.rows)
		r.rows = append(r.rows, row)
	}
	return dropped
}

// Put replaces the row with an identity, or appends it. Snapshots do not change.
func (r *SliceStorage[T]) Put(id string, row T) {
	i, held := r.index[id]
	if !held {
		r.Append([]T{row})
		return
	}
	r.rows = slices.Clone(r.rows)
	r.rows[i] = row
}

// Drop removes a row.
func (r *SliceStorage[T]) Drop(id string) {
	i, held := r.index[id]
	if !held {
		return
	}
	r.rows = slices.Concat(r.rows[:i], r.rows[i+1:])
	delete(r.index, id)
	for j := i; j < len(r.rows); j++ {
		r.index[r.id(r.rows[j])] = j
	}
}

// RowSearcher filters and sorts the rows of a storage at one moment, faster than row by row. Rows are given by their
// positions; within, unless it is nil, holds the only ones that count. If it cannot answer (known is false), the
// caller goes row by row. It ends early when ctx does.
type RowSearcher interface {
	// Filter returns the rows that contain a lower-case word, in the order of within. It looks in a column, or for
	// column -1 in all those that a filter looks in without naming them.
	Filter(ctx context.Context, column int, word string, within []int32) (positions []int32, known bool)
	// Sort returns the rows in the order of a column. Equal rows stay in the order of their positions.
	Sort(ctx context.Context, column int, reverse bool, within []int32) (positions []int32, known bool)
}
