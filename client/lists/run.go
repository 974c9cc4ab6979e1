package lists

import "slices"

// A Run is the changes of rows that were begun together. What is said of it and what undoes it are computed from its
// changes each time, so that a change whose outcome becomes known late joins the others.
type Run[T any] struct{ Changes []*RunChange[T] }

// A RunChange is the change of one row.
type RunChange[T any] struct {
	Row     T
	Known   bool // it has an outcome: the answer has come, or was lost
	Late    bool // the outcome is what readings have told after the answer was lost
	Outcome AttemptOutcome
	Err     error         // of an applied change: the answer was lost, and reading again showed it
	undo    *RunChange[T] // that undoes it; nil if nothing does
}

// Settle notes how a change ended, and reports whether all of the run have an outcome.
func (r *Run[T]) Settle(c *RunChange[T], outcome AttemptOutcome, err error) (all bool) {
	c.Late, c.Known = c.Known, true
	c.Outcome, c.Err = outcome, err
	return !slices.ContainsFunc(r.Changes, func(c *RunChange[T]) bool { return !c.Known })
}

// With returns the changes with an outcome. Those that were applied and are undone since do not count.
func (r *Run[T]) With(outcome AttemptOutcome) []*RunChange[T] {
	return slices.DeleteFunc(slices.Clone(r.Changes), func(c *RunChange[T]) bool {
		return !c.Known || c.Outcome != outcome || c.isUndone()
	})
}

// isUndone reports whether a change was undone, is being undone, or may have been.
func (c *RunChange[T]) isUndone() bool {
	return c.undo != nil && !(c.undo.Known && c.undo.Outcome == Rejected)
}

// Undo notes that the run undoes the applied changes of another, of the same rows. id returns the identity of a row.
func (r *Run[T]) Undo(of *Run[T], id func(T) string) {
	for _, c := range of.With(Applied) {
		for _, u := range r.Changes {
			if id(c.Row) == id(u.Row) {
				c.undo = u
			}
		}
	}
}

// Rows returns the rows of changes.
func Rows[T any](changes []*RunChange[T]) []T {
	rows := make([]T, len(changes))
	for i, c := range changes {
		rows[i] = c.Row
	}
	return rows
}
