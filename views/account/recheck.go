package account

import (
	"slices"

	"lookout/ui"
)

// FindCreated tells from the rows before and after a lost answer whether a row was made: one is new and has the
// values. Labels need not be unique.
func FindCreated[T any](before, now []T, id func(T) int, same func(T) bool) ui.Finding[T] {
	held := map[int]bool{}
	for _, row := range before {
		held[id(row)] = true
	}
	for _, row := range now {
		if !held[id(row)] && same(row) {
			return ui.FoundIf(true, row)
		}
	}
	return ui.Finding[T]{Verdict: ui.NotSeen}
}

// FindUpdated returns a function that tells from the rows, read again after a lost answer, whether a row has the new
// values.
func FindUpdated[T any](id int, of func(T) int, same func(T) bool) func([]T) ui.Finding[T] {
	return func(now []T) ui.Finding[T] {
		i := slices.IndexFunc(now, func(row T) bool { return of(row) == id })
		if i >= 0 {
			return ui.FoundIf(same(now[i]), now[i])
		}
		return ui.Finding[T]{Verdict: ui.NotSeen}
	}
}
