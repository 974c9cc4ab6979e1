package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
)

// Result is what a change did to the rows. ResultRow, ResultDeleted and ResultReload make one.
type Result[T any] struct {
	Row  T    // the row as the API returned it, if HasRow
	Warn bool // the news is a warning: reading again shows something else than was set
	kind resultKind
}

type resultKind int

const (
	rowReturned resultKind = iota + 1
	rowDeleted
	reloadNeeded
)

// ResultRow says that the API returned the new row.
func ResultRow[T any](row T, err error) (Result[T], error) {
	return Result[T]{kind: rowReturned, Row: row}, err
}

// ResultDeleted says that the row is gone.
func ResultDeleted[T any](err error) (Result[T], error) { return Result[T]{kind: rowDeleted}, err }

// ResultReload says that the API returned nothing: the rows must be read again.
func ResultReload[T any](err error) (Result[T], error) { return Result[T]{kind: reloadNeeded}, err }

// EraseResult returns a result without the type of its row.
func EraseResult[T any](r Result[T]) Result[any] {
	return Result[any]{Row: r.Row, Warn: r.Warn, kind: r.kind}
}

// Deleted reports whether the row is gone.
func (r Result[T]) Deleted() bool { return r.kind == rowDeleted }

// HasRow reports whether the API returned the row.
func (r Result[T]) HasRow() bool { return r.kind == rowReturned }

// RowChange is one change of one row, to be sent once.
type RowChange[T any] struct {
	RowID        string // empty for a new row
	ProgressText string // "disabling"
	Send         func(context.Context) (Result[T], error)
	// Find tells from all rows, read again, what became of a change whose answer was lost. nil knows only that a row to
	// be deleted is gone.
	Find func(now []T) Finding[T]
	// OnOutcome runs on the loop once the outcome is known.
	OnOutcome func(AttemptOutcome, Result[T], error) tea.Cmd
}

// AttemptOutcome is how a change ended.
type AttemptOutcome int

// The outcomes of a change.
const (
	Unknown  AttemptOutcome = iota // sent, no readable answer, and reading again does not tell
	Applied                        // the API confirmed it, or reading again showed it
	Rejected                       // the API or lookout refused it: nothing was changed
)

// Run sends a change off the loop. The row shows its progress text until the API has answered. While a change of the
// same row is under way, nothing is sent.
func (s *Store[T]) Run(attempt RowChange[T]) tea.Cmd {
	if attempt.RowID != "" {
		if s.busy[attempt.RowID] != "" {
			return ShowNews(theme.Warn, "still "+s.busy[attempt.RowID]+": wait for the answer")
		}
		s.busy[attempt.RowID] = attempt.ProgressText
	}
	ctx := s.ctx
	return func() tea.Msg {
		result, err := attempt.Send(ctx)
		return &rowChangeResult[T]{
			store:   s,
			attempt: attempt,
			result:  result,
			err:     err,
		}
	}
}

// rowChangeResult is the answer to a change.
type rowChangeResult[T any] struct {
	store   *Store[T]
	attempt RowChange[T]
	result  Result[T]
	err     error
}

// Deliver applies the change to the rows. If the outcome is unknown, it reads them again instead of guessing.
func (o *rowChangeResult[T]) Deliver() tea.Cmd {
	if IsUnknown(o.err) {
		return o.store.recheck(o)
	}
	if o.err != nil {
		if id, gone := GoneID(o.err); gone {
			o.store.rows.Drop(id)
			o.store.version.layout++
			o.store.version.rowsChanged()
		}
		return o.finish(Rejected)
	}
	again := o.store.applyResult(o.attempt.RowID, o.result)
	return tea.Batch(again, o.finish(Applied))
}

// finish reports the outcome.
func (o *rowChangeResult[T]) finish(outcome AttemptOutcome) tea.Cmd {
	delete(o.store.busy, o.attempt.RowID)
	if o.attempt.OnOutcome == nil {
		return nil
	}
	return o.attempt.OnOutcome(outcome, o.result, o.err)
}

// applyResult changes the rows. A read under way starts again, so that an answer from before the change cannot undo it.
func (s *Store[T]) applyResult(id string, result Result[T]) tea.Cmd {
	readAgain := s.reading.cancel != nil
	switch result.kind {
	case rowReturned:
		s.rows.Put(s.source.ID(result.Row), result.Row)
	case rowDeleted:
		s.rows.Drop(id)
		s.version.layout++
	case reloadNeeded:
		readAgain = true
	}
	s.version.rowsChanged()
	if readAgain {
		return s.Refresh()
	}
	return nil
}

// recheck reads the rows as they are now, to find out how a change ended.
func (s *Store[T]) recheck(o *rowChangeResult[T]) tea.Cmd {
	s.busy[o.attempt.RowID] = "unknown, checking"
	ctx, fetch := s.ctx, s.source.Fetch
	return func() tea.Msg {
		rows, err := readAll(ctx, fetch)
		return &recheckResult[T]{attempt: o, rows: rows, err: err}
	}
}

// recheckResult is all rows, read after an unknown outcome.
type recheckResult[T any] struct {
	attempt *rowChangeResult[T]
	rows    []T
	err     error
}

// Deliver decides the outcome from the rows and shows them.
func (f *recheckResult[T]) Deliver() tea.Cmd {
	o, s := f.attempt, f.attempt.store
	if f.err != nil {
		return o.finish(Unknown)
	}
	s.Cancel()
	s.reading.nextCursor, s.reading.incoming, s.reading.minRows = "", s.source.NewStorage(), 0
	s.answers.total, s.answers.err, s.answers.loadedAt = len(f.rows), nil, s.source.Now()
	s.addRows(f.rows)
	outcome := f.outcome()
	settleRecord(o.err, outcome)
	if outcome == Rejected {
		o.err = errNotApplied
	}
	return o.finish(outcome)
}

// outcome tells from the rows how the change ended.
func (f *recheckResult[T]) outcome() AttemptOutcome {
	switch f.find().Verdict {
	case SeenWithProof:
		return Applied
	case NotSeen:
		return Rejected
	}
	return Unknown
}

// find returns what the rows tell about the change.
func (f *recheckResult[T]) find() Finding[T] {
	o := f.attempt
	if o.attempt.Find != nil {
		return o.attempt.Find(f.rows)
	}
	if o.result.kind != rowDeleted {
		return Finding[T]{}
	}
	row, held := o.store.Get(o.attempt.RowID)
	return FoundIf(!held, row)
}

// errNotApplied is the error of a change whose answer was lost and that was not applied.
var errNotApplied = errors.New("the answer was lost; reading again shows that nothing was changed")

// settleRecord reports the outcome to the record of the change, if the error carries one.
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
