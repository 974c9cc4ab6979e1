package ui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
)

// ChangeResult is what a change did to the rows. ResultRow, ResultDeleted and ResultReload make one.
type ChangeResult[T any] struct {
	Row  T    // the row as the API returned it, if HasRow
	Warn bool // the message is a warning: reading again shows something else than was set
	// Found is what reading again told, if the answer was lost. Waiting means that further readings may tell more.
	Found   LookupResult[T]
	Waiting bool
	kind    resultKind
}

type resultKind int

const (
	rowReturned resultKind = iota + 1
	rowDeleted
	reloadNeeded
)

// ResultRow says that the API returned the new row.
func ResultRow[T any](row T, err error) (ChangeResult[T], error) {
	return ChangeResult[T]{kind: rowReturned, Row: row}, err
}

// ResultDeleted says that the row is gone.
func ResultDeleted[T any](err error) (ChangeResult[T], error) {
	return ChangeResult[T]{kind: rowDeleted}, err
}

// ResultReload says that the API returned nothing: the rows must be read again.
func ResultReload[T any](err error) (ChangeResult[T], error) {
	return ChangeResult[T]{kind: reloadNeeded}, err
}

// EraseResult returns a result without the type of its row.
func EraseResult[T any](r ChangeResult[T]) ChangeResult[any] {
	return ChangeResult[any]{Row: r.Row, Warn: r.Warn, kind: r.kind}
}

// Deleted reports whether the row is gone.
func (r ChangeResult[T]) Deleted() bool { return r.kind == rowDeleted }

// HasRow reports whether the API returned the row.
func (r ChangeResult[T]) HasRow() bool { return r.kind == rowReturned }

// RowChange is one change of one row, to be sent once.
type RowChange[T any] struct {
	RowID    string // empty for a new row
	What     string // "disable web-1"
	BusyText string // "disabling"
	DoneText string // "disabled"
	Send     func(context.Context) (ChangeResult[T], error)
	// Find tells from all rows, read again, what became of a change whose answer was lost. nil knows only that a row to
	// be deleted is gone.
	Find func(now []T) LookupResult[T]
	// ReadBack reads what the rows do not show, off the loop, and tells what became of a change whose answer was lost.
	// nil reads the rows.
	ReadBack func(context.Context) (LookupVerdict, error)
	// Shows returns the value of a row that the change is about: "ok". nil shows none.
	Shows func(T) string
	// OnOutcome runs on the loop once the outcome is known. If the answer was lost and the first reading does not tell,
	// it runs with Unknown and Result.Waiting, again when another candidate is found, and again at the end.
	OnOutcome func(AttemptOutcome, ChangeResult[T], error) tea.Cmd
	// OnLate runs on the loop if a reading shows the change although it counts as not done. intent is its id in the
	// journal. nil stops reading after the verdict.
	OnLate func(intent string, found LookupResult[T]) tea.Cmd
}

// AttemptOutcome is how a change ended.
type AttemptOutcome int

// The outcomes of a change.
const (
	Unknown  AttemptOutcome = iota // sent, no readable answer, and reading again has not told
	Applied                        // the API confirmed it, or reading again showed it
	Rejected                       // refused, or not seen for so long that it was not applied
)

// Run sends a change off the loop. The row shows its progress text until the API has answered. While a change of the
// same row is under way, nothing is sent.
func (s *RowStore[T]) Run(attempt RowChange[T]) tea.Cmd {
	if attempt.RowID != "" {
		if s.busy[attempt.RowID] != "" {
			return ShowStatus(theme.Warn, "still "+s.busy[attempt.RowID]+": wait for the answer")
		}
		s.busy[attempt.RowID] = attempt.BusyText
	}
	ctx, sentAt := s.ctx, s.Now()
	return func() tea.Msg {
		result, err := attempt.Send(ctx)
		return &rowChangeResult[T]{
			store:   s,
			attempt: attempt,
			sentAt:  sentAt,
			result:  result,
			err:     err,
		}
	}
}

// rowChangeResult is the answer to a change.
type rowChangeResult[T any] struct {
	store   *RowStore[T]
	attempt RowChange[T]
	sentAt  time.Time
	result  ChangeResult[T]
	err     error

	candidates int // that were reported
}

// Deliver applies the change to the rows. If the outcome is unknown, it looks it up instead of guessing.
func (o *rowChangeResult[T]) Deliver() tea.Cmd {
	if IsUnknown(o.err) {
		o.store.busy[o.attempt.RowID] = "unknown, checking"
		delete(o.store.changes.confirmed, o.attempt.RowID) // it may not be true any more
		return o.store.LookUp(o.lookup())
	}
	if o.err != nil {
		if id, gone := GoneID(o.err); gone {
			o.store.rows.Drop(id)
			o.store.changes.confirmGone(id, o.store.Now())
			o.store.version.layout++
			o.store.version.rowsChanged()
		}
		return o.finish(Rejected)
	}
	return tea.Batch(o.apply(), o.finish(Applied))
}

// finish reports the outcome.
func (o *rowChangeResult[T]) finish(outcome AttemptOutcome) tea.Cmd {
	delete(o.store.busy, o.attempt.RowID)
	if o.attempt.OnOutcome == nil {
		return nil
	}
	return o.attempt.OnOutcome(outcome, o.result, o.err)
}

// apply changes the rows. A read under way starts again, so that an answer from before the change cannot undo it. Lists
// may be behind for a while: see confirmation.
func (o *rowChangeResult[T]) apply() tea.Cmd {
	s := o.store
	readAgain := s.reading.cancel != nil
	id := o.attempt.RowID
	switch o.result.kind {
	case rowReturned:
		id = s.source.ID(o.result.Row)
		s.rows.Put(id, o.result.Row)
	case rowDeleted:
		s.rows.Drop(id)
		s.version.layout++
	case reloadNeeded:
		readAgain = true
	}
	s.Highlights.Add(id)
	s.changes.supersede(o.attempt.RowID)
	s.changes.confirm(id, o)
	s.version.rowsChanged()
	if readAgain {
		return s.Refresh()
	}
	return nil
}

// lookup finds out how the change ended, from the rows of the store.
func (o *rowChangeResult[T]) lookup() *OutcomeLookup {
	s := o.store
	l := &OutcomeLookup{
		RowID:     o.attempt.RowID,
		What:      o.attempt.What,
		SentAt:    o.sentAt,
		OnWaiting: o.waiting,
		OnVerdict: o.verdict,
	}
	var recorded interface{ IntentID() string }
	if errors.As(o.err, &recorded) {
		l.Intent = recorded.IntentID()
	}
	if o.attempt.OnLate != nil && l.Intent != "" {
		l.OnLate = func() tea.Cmd { return o.attempt.OnLate(l.Intent, o.result.Found) }
	}
	if o.attempt.ReadBack != nil {
		l.Read = func(ctx context.Context) (func() LookupVerdict, error) {
			v, err := o.attempt.ReadBack(ctx)
			return func() LookupVerdict { return v }, err
		}
		return l
	}
	if o.attempt.Find == nil && o.result.kind != rowDeleted {
		return l
	}
	l.Judge = func() LookupVerdict { return o.find(s.Rows(), len(s.answers.missing) == 0) }
	l.Read = func(ctx context.Context) (func() LookupVerdict, error) {
		page, err := readAll(ctx, s.source)
		return func() LookupVerdict {
			absorb(s, page)
			return o.find(page.Rows, len(page.Missing) == 0)
		}, err
	}
	return l
}

// waiting reports that the readings so far do not tell: after the first one, and when there are more candidates.
func (o *rowChangeResult[T]) waiting() tea.Cmd {
	if o.result.Waiting && len(o.result.Found.Candidates) <= o.candidates {
		return nil
	}
	o.result.Waiting, o.candidates = true, len(o.result.Found.Candidates)
	return o.finish(Unknown)
}

// find tells what rows show of the change. If rows may be missing among them, a missing row tells nothing.
func (o *rowChangeResult[T]) find(rows []T, complete bool) LookupVerdict {
	s := o.store
	if o.attempt.Find == nil {
		row, held := rowWithID(s, rows, o.attempt.RowID)
		o.result.Found = FoundIf(!held, row)
		if !held && (!complete || s.changes.justMade(o.attempt.RowID, s.Now())) {
			o.result.Found = LookupResult[T]{}
		}
		return o.result.Found.Verdict
	}
	o.result.Found = o.attempt.Find(s.changes.withoutOwn(s, o, rows))
	if o.result.Found.Verdict == NotSeen && !complete {
		return CannotTell
	}
	return o.result.Found.Verdict
}

// rowWithID returns the row with an identity.
func rowWithID[T any](s *RowStore[T], rows []T, id string) (row T, held bool) {
	for _, row = range rows {
		if s.source.ID(row) == id {
			return row, true
		}
	}
	var none T
	return none, false
}

// verdict reports what reading again has told.
func (o *rowChangeResult[T]) verdict(outcome AttemptOutcome) tea.Cmd {
	settleRecord(o.err, outcome)
	o.result.Waiting = false
	id := o.attempt.RowID
	switch {
	case outcome == Rejected:
		o.err = &notAppliedError{UnknownReason(o.err)}
	case outcome == Applied && o.attempt.Find != nil:
		o.result.Row, o.result.kind = o.result.Found.Row, rowReturned
		id = o.store.source.ID(o.result.Row)
		o.store.changes.confirm(id, o)
	case outcome == Applied:
		o.store.changes.confirm(id, o)
	}
	if outcome == Applied {
		o.store.Highlights.Add(id)
	}
	return o.finish(outcome)
}

// notAppliedError is the error of a change whose answer left the outcome open, and that was not applied.
type notAppliedError struct{ answer string }

// Error returns what was found, and what came instead of an answer.
func (e *notAppliedError) Error() string {
	text := "not done: reading again for 2 min did not show it"
	if e.answer == "" {
		return text
	}
	return text + " (" + e.answer + ")"
}

// settleRecord tells whoever keeps a record of the change how it ended.
func settleRecord(err error, outcome AttemptOutcome) {
	var s interface{ Settle(done bool) }
	if outcome != Unknown && errors.As(err, &s) {
		s.Settle(outcome == Applied)
	}
}

// GoneID returns the id of the row that an error says no longer exists.
func GoneID(err error) (id string, gone bool) {
	var g interface{ GoneID() string }
	if !errors.As(err, &g) {
		return "", false
	}
	return g.GoneID(), true
}

// IsUnknown reports whether an error leaves open whether the change was applied.
func IsUnknown(err error) bool {
	var u interface{ Unknown() bool }
	return errors.As(err, &u) && u.Unknown()
}
