package account

import (
	"slices"
	"time"

	"lookout/client"
	"lookout/ui"
)

// Creation says how to recognise what a create has made, after its answer was lost. Labels need not be unique, and
// somebody else may have made a row with the same one.
type Creation[T any] struct {
	SameLabel func(T) bool // whether a row has the label that was sent, so that it may be the one
	Matches   func(T) bool // whether a row has everything that was sent, as far as the API returns it
	// MadeAt returns when a row was made. nil means that the API does not tell, and that nothing proves whose a row is.
	MadeAt func(T) client.Time
}

// A row is taken for what a create has made only if it was made within this time of sending it. The clocks of this
// machine and of the API may differ a little.
const (
	madeBefore = 2 * time.Second
	madeWithin = 5 * time.Minute
)

// FindCreated returns a function that tells from all rows, read again, whether a row was made by a create that is sent
// now. Proof is a single row that was not there before, has everything that was sent, and was made when it was sent.
func FindCreated[T any](store *ui.Store[T], c Creation[T]) func(now []T) ui.Finding[T] {
	sentAt, held := store.Now(), map[string]bool{}
	for _, row := range store.Rows() {
		held[store.ID(row)] = true
	}
	return func(now []T) ui.Finding[T] {
		var candidates, proven []T
		for _, row := range now {
			if held[store.ID(row)] || !c.SameLabel(row) {
				continue
			}
			candidates = append(candidates, row)
			if c.madeAround(row, sentAt) && c.Matches(row) {
				proven = append(proven, row)
			}
		}
		switch {
		case len(candidates) == 0:
			return ui.Finding[T]{Verdict: ui.NotSeen}
		case len(proven) == 1:
			return ui.Finding[T]{Verdict: ui.SeenWithProof, Row: proven[0]}
		}
		return ui.Finding[T]{Verdict: ui.CannotTell, Candidates: candidates}
	}
}

// madeAround reports whether a row was made at the time of sending.
func (c Creation[T]) madeAround(row T, sentAt time.Time) bool {
	if c.MadeAt == nil || !c.MadeAt(row).Valid() {
		return false
	}
	return isMadeAround(c.MadeAt(row).Time(), sentAt)
}

// isMadeAround reports whether something was made at the time of sending.
func isMadeAround(made, sentAt time.Time) bool {
	since := made.Sub(sentAt)
	return since >= -madeBefore && since <= madeWithin
}

// Update says how to recognise a row that an update has changed, after its answer was lost.
type Update[T any] struct {
	Row     T // the row before
	ID      func(T) int
	Matches func(T) bool        // whether a row has the new values
	Updated func(T) client.Time // when a row was changed last; nil if the API does not tell
}

// Find tells from all rows, read again, whether the row has the new values. A row that is older than it was before the
// change comes from a replica that is behind, and tells nothing.
func (u Update[T]) Find(now []T) ui.Finding[T] {
	i := slices.IndexFunc(now, func(row T) bool { return u.ID(row) == u.ID(u.Row) })
	switch {
	case i < 0:
		return ui.Finding[T]{}
	case u.Updated != nil && u.Updated(now[i]).Time().Before(u.Updated(u.Row).Time()):
		return ui.Finding[T]{}
	}
	return ui.FoundIf(u.Matches(now[i]), now[i])
}
