package account

import (
	"slices"

	"lookout/ui"
)

// CreateOutcome tells from the rows before and after a lost answer whether a row was made: one is new and has the
// values. Labels need not be unique.
func CreateOutcome[T any](before, now []T, id func(T) int, same func(T) bool) ui.AttemptOutcome {
	held := map[int]bool{}
	for _, row := range before {
		held[id(row)] = true
	}
	for _, row := range now {
		if !held[id(row)] && same(row) {
			return ui.Applied
		}
	}
	return ui.Rejected
}

// UpdateOutcome returns a function that tells from the rows, read again after a lost answer, whether a row has the new
// values.
func UpdateOutcome[T any](id int, of func(T) int, same func(T) bool) func([]T) ui.AttemptOutcome {
	return func(now []T) ui.AttemptOutcome {
		i := slices.IndexFunc(now, func(row T) bool { return of(row) == id })
		if i >= 0 && same(now[i]) {
			return ui.Applied
		}
		return ui.Rejected
	}
}
