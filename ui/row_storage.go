package ui

import (
	"context"
	"slices"
)

// A RowStorage holds rows in order and finds them by identity. One that can be read off the loop without a copy also
// has Snapshot() func(i int) T: the rows as they are at the call, whatever is done to the store afterwards. One that
// filters and sorts faster than row by row has Searcher() Searcher for the same rows.
type RowStorage[T any] interface {
	Len() int
	At(i int) T
	Index(id string) (int, bool)
	Append(rows []T) (dropped int) // rows whose identity is already held are dropped and counted
	Put(id string, row T)          // replaces in place, or appends
	Drop(id string)
}

// SliceStorage is the store of most kinds: a slice and an index.
type SliceStorage[T any] struct {
	id    func(T) string
	rows  []T
	index map[string]int
}

// NewSliceStorage is an empty slice store.
func NewSliceStorage[T any](id func(T) string) *SliceStorage[T] {
	return &SliceStorage[T]{id: id, index: map[string]int{}}
}

// Len is how many rows are held.
func (r *SliceStorage[T]) Len() int { return len(r.rows) }

// At is the row at a place.
func (r *SliceStorage[T]) At(i int) T { return r.rows[i] }

// Snapshot is the rows as they are now: what is changed later is changed in a copy, and what is added stands behind
// them.
func (r *SliceStorage[T]) Snapshot() func(i int) T {
	rows := r.rows
	return func(i int) T { return rows[i] }
}

// Index is the place of an identity.
func (r *SliceStorage[T]) Index(id string) (int, bool) { i, ok := r.index[id]; return i, ok }

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

// Put replaces the row of an identity, or appends it. Slices handed out before do not change.
func (r *SliceStorage[T]) Put(id string, row T) {
	i, held := r.index[id]
	if !held {
		r.Append([]T{row})
		return
	}
	r.rows = slices.Clone(r.rows)
	r.rows[i] = row
}

// Drop takes a row out.
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

// A Searcher is the rows of a store at one moment, filtered and sorted faster than row by row. Rows are spoken of by
// their places; within, where it is not nil, are the only ones that count. What it does not know is done row by row. It
// ends early when ctx does.
type Searcher interface {
	// Filter gives the places of rows that hold a word of small letters, in the order of within: in a column, or
	// anywhere (column -1) that a filter looks unless it names a column.
	Filter(ctx context.Context, column int, word string, within []int32) (places []int32, known bool)
	// Sort gives places in the order of a column. Rows that are equal stay in the order of their places.
	Sort(ctx context.Context, column int, reverse bool, within []int32) (places []int32, known bool)
}
