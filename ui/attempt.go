package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
)

// A Result is what an action did to the rows.
type Result[T any] struct {
	Kind resultKind
	Row  T
	Note string // what the news should add: "already existed since 2019"
}

type resultKind int

const (
	RowReturned resultKind = iota + 1
	RowDeleted
	reloadNeeded
)

// ResultRow says that the API returned the new row.
func ResultRow[T any](row T, err error) (Result[T], error) {
	return Result[T]{Kind: RowReturned, Row: row}, err
}

// ResultDeleted says that the row is gone.
func ResultDeleted[T any](err error) (Result[T], error) { return Result[T]{Kind: RowDeleted}, err }

// ResultReload says that the API told nothing: ask again.
func ResultReload[T any](err error) (Result[T], error) { return Result[T]{Kind: reloadNeeded}, err }

// A Attempt is one change on its way to the API: which row, in which words, and how to tell later whether it was done.
type Attempt[T any] struct {
	RowID        string // of the row; empty for a new one
	ProgressText string // "disabling"
	Send         func(context.Context) (Result[T], error)
	// Check tells from all rows, read again, whether an unknown outcome was done. nil: the row being gone (after Drop)
	// is all that can be told.
	Recheck func(now []T) AttemptOutcome
	// After runs on the loop once the outcome is known.
	OnOutcome func(AttemptOutcome, Result[T], error) tea.Cmd
}

// A AttemptOutcome is how a change ended.
type AttemptOutcome int

// The ends of a change.
const (
	Unknown  AttemptOutcome = iota // sent, and no readable answer; nothing that was read tells either
	Applied                        // the API said so, or reading again showed it
	Rejected                       // the API, or we, said no: nothing was changed
)

// Run does a deed off the loop. The row shows the verb until the API has spoken; a row that is busy is left alone.
func (s *Store[T]) Run(deed Attempt[T]) tea.Cmd {
	if deed.RowID != "" {
		if s.busy[deed.RowID] != "" {
			return ShowNews(theme.Warn, "still "+s.busy[deed.RowID]+": wait for the answer")
		}
		s.busy[deed.RowID] = deed.ProgressText
	}
	ctx := s.ctx
	return func() tea.Msg {
		change, err := deed.Send(ctx)
		return &attemptResult[T]{
			store:   s,
			attempt: deed,
			result:  change,
			err:     err,
		}
	}
}

// attemptResult is an action's end.
type attemptResult[T any] struct {
	store   *Store[T]
	attempt Attempt[T]
	result  Result[T]
	err     error
}

// Deliver applies the change to the set. An unknown outcome is looked up instead of guessed.
func (o *attemptResult[T]) Deliver() tea.Cmd {
	if IsUnknown(o.err) {
		return o.store.recheck(o)
	}
	if o.err != nil {
		return o.finish(Rejected)
	}
	again := o.store.ApplyResult(o.attempt.RowID, o.result)
	return tea.Batch(again, o.finish(Applied))
}

func (o *attemptResult[T]) finish(v AttemptOutcome) tea.Cmd {
	delete(o.store.busy, o.attempt.RowID)
	if o.attempt.OnOutcome == nil {
		return nil
	}
	return o.attempt.OnOutcome(v, o.result, o.err)
}

// applyResult changes the rows. A question that is still out is asked anew, so that an answer from before the change
// cannot undo it.
func (s *Store[T]) ApplyResult(id string, c Result[T]) tea.Cmd {
	out := s.CancelFetch != nil
	switch c.Kind {
	case RowReturned:
		s.Storage.Put(s.Source.ID(c.Row), c.Row)
	case RowDeleted:
		s.Storage.Drop(id)
		s.LayoutVersion++
	case reloadNeeded:
		out = true
	}
	s.RowVersion++
	s.epoch++
	if out {
		return s.Refresh()
	}
	return nil
}

// recheck asks for the row's state as the API has it now, and lets that decide.
func (s *Store[T]) recheck(o *attemptResult[T]) tea.Cmd {
	s.busy[o.attempt.RowID] = "unknown, checking"
	ctx, fetch := s.ctx, s.Source.Fetch
	return func() tea.Msg {
		rows, err := readAll(ctx, fetch)
		return &recheckResult[T]{attempt: o, rows: rows, err: err}
	}
}

// readAll walks the numbered pages once; a lazy set's caller reads its own way.
func readAll[T any](ctx context.Context, fetch func(context.Context, string) (RowPage[T], error)) ([]T, error) {
	var rows []T
	for cursor, n := "", 0; ; n++ {
		page, err := fetch(ctx, cursor)
		if err != nil {
			return nil, err
		}
		rows = append(rows, page.Rows...)
		if page.Next == "" {
			return rows, nil
		}
		if page.Next == cursor || n > 10_000 {
			return nil, errors.New("the pages do not end")
		}
		cursor = page.Next
	}
}

// recheckResult is what reading again showed about an unknown outcome.
type recheckResult[T any] struct {
	attempt *attemptResult[T]
	rows    []T
	err     error
}

// Deliver decides the outcome from what was read and shows the rows that were read.
func (f *recheckResult[T]) Deliver() tea.Cmd {
	o, s := f.attempt, f.attempt.store
	if f.err != nil {
		return o.finish(Unknown)
	}
	s.Cancel()
	s.nextCursor, s.total, s.incoming, s.refreshMinRows, s.err, s.loadedAt = "", len(
		f.rows,
	), s.Source.NewStorage(), 0, nil, s.Source.Now()
	s.addRows(f.rows)
	_, found := s.Get(o.attempt.RowID)
	verdict := Unknown
	switch {
	case o.attempt.Recheck != nil:
		verdict = o.attempt.Recheck(f.rows)
	case o.result.Kind == RowDeleted && found:
		verdict = Rejected
	case o.result.Kind == RowDeleted:
		verdict = Applied
	}
	settleRecord(o.err, verdict)
	if verdict == Rejected {
		o.err = errNotApplied
	}
	return o.finish(verdict)
}

// errNotApplied is what became of a change whose answer was lost, where reading again tells.
var errNotApplied = errors.New("the answer was lost; reading it again shows that it was not done")

// settleRecord tells whoever keeps a record of the change how it turned out.
func settleRecord(err error, v AttemptOutcome) {
	var s interface{ Settle(done bool) }
	if v != Unknown && errors.As(err, &s) {
		s.Settle(v == Applied)
	}
}

func IsUnknown(err error) bool {
	var u interface{ Unknown() bool }
	return errors.As(err, &u) && u.Unknown()
}
