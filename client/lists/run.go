package lists

import "slices"

// A Run is the changes of rows that were begun together. What is said of it and what undoes it are computed from its
// changes each time, so that a change whose outcome becomes known late joins the others.
type Run[T any] struct{ Changes []*Change[T] }

// Answered reports whether all changes have an outcome.
func (r *Run[T]) Answered() bool {
	return !slices.ContainsFunc(r.Changes, func(c *Change[T]) bool { return !c.Answered })
}

// With returns the changes with an outcome. Those that were applied and are undone since do not count.
func (r *Run[T]) With(outcome AttemptOutcome) []*Change[T] {
	return slices.DeleteFunc(slices.Clone(r.Changes), func(c *Change[T]) bool {
		return !c.Answered || c.Outcome != outcome || c.isUndone()
	})
}

// isUndone reports whether a change was undone, is being undone, or may have been.
func (c *Change[T]) isUndone() bool {
	return c.undo != nil && !(c.undo.Answered && c.undo.Outcome == Rejected)
}

// Undo notes that the run undoes the applied changes of another, of the same rows.
func (r *Run[T]) Undo(of *Run[T]) {
	for _, c := range of.With(Applied) {
		for _, u := range r.Changes {
			if c.RowID == u.RowID {
				c.undo = u
			}
		}
	}
}

// Rows returns the rows of changes.
func Rows[T any](changes []*Change[T]) []T {
	rows := make([]T, len(changes))
	for i, c := range changes {
		rows[i] = c.Row
	}
	return rows
}
