package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
)

// A Change is what an action did to the rows.
type Change[T any] struct {
	kind changeKind
	row  T
	Note string // what the news should add: "already existed since 2019"
}

type changeKind int

const (
	put changeKind = iota + 1
	drop
	reload
)

// Put says that the API returned the new row.
func Put[T any](row T, err error) (Change[T], error) { return Change[T]{kind: put, row: row}, err }

// Drop says that the row is gone.
func Drop[T any](err error) (Change[T], error) { return Change[T]{kind: drop}, err }

// Reload says that the API told nothing: ask again.
func Reload[T any](err error) (Change[T], error) { return Change[T]{kind: reload}, err }

// A Deed is one change on its way to the API: which row, in which words, and how to tell later whether it was done.
type Deed[T any] struct {
	ID   string // of the row; empty for a new one
	Verb string // "disabling"
	Work func(context.Context) (Change[T], error)
	// Check tells from all rows, read again, whether an unknown outcome was done. nil: the row being gone (after Drop) is all that can be told.
	Check func(now []T) Verdict
	// After runs on the loop once the outcome is known.
	After func(Verdict, Change[T], error) tea.Cmd
}

// A Verdict is how a change ended.
type Verdict int

// The ends of a change.
const (
	Unknown Verdict = iota // sent, and no readable answer; nothing that was read tells either
	Done                   // the API said so, or reading again showed it
	Refused                // the API, or we, said no: nothing was changed
)

// Act does a deed off the loop. The row shows the verb until the API has spoken; a row that is busy is left alone.
func (s *Set[T]) Act(deed Deed[T]) tea.Cmd {
	if deed.ID != "" {
		if s.busy[deed.ID] != "" {
			return News(theme.Warn, "still "+s.busy[deed.ID]+": wait for the answer")
		}
		s.busy[deed.ID] = deed.Verb
	}
	ctx := s.ctx
	return func() tea.Msg {
		change, err := deed.Work(ctx)
		return &outcome[T]{set: s, deed: deed, change: change, err: err}
	}
}

// outcome is an action's end.
type outcome[T any] struct {
	set    *Set[T]
	deed   Deed[T]
	change Change[T]
	err    error
}

// Deliver applies the change to the set. An unknown outcome is looked up instead of guessed.
func (o *outcome[T]) Deliver() tea.Cmd {
	if isUnknown(o.err) {
		return o.set.lookUp(o)
	}
	if o.err != nil {
		return o.end(Refused)
	}
	again := o.set.apply(o.deed.ID, o.change)
	return tea.Batch(again, o.end(Done))
}

func (o *outcome[T]) end(v Verdict) tea.Cmd {
	delete(o.set.busy, o.deed.ID)
	if o.deed.After == nil {
		return nil
	}
	return o.deed.After(v, o.change, o.err)
}

// apply changes the rows. A question that is still out is asked anew, so that an answer from before the change cannot undo it.
func (s *Set[T]) apply(id string, c Change[T]) tea.Cmd {
	out := s.asking != nil
	switch c.kind {
	case put:
		s.rows.Put(s.src.ID(c.row), c.row)
	case drop:
		s.rows.Drop(id)
		s.moved++
	case reload:
		out = true
	}
	s.version++
	s.epoch++
	if out {
		return s.Refresh()
	}
	return nil
}

// lookUp asks for the row's state as the API has it now, and lets that decide.
func (s *Set[T]) lookUp(o *outcome[T]) tea.Cmd {
	s.busy[o.deed.ID] = "unknown, checking"
	ctx, fetch := s.ctx, s.src.Fetch
	return func() tea.Msg {
		rows, err := readAll(ctx, fetch)
		return &finding[T]{outcome: o, rows: rows, err: err}
	}
}

// readAll walks the numbered pages once; a lazy set's caller reads its own way.
func readAll[T any](ctx context.Context, fetch func(context.Context, string) (Page[T], error)) ([]T, error) {
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

// finding is what reading again showed about an unknown outcome.
type finding[T any] struct {
	outcome *outcome[T]
	rows    []T
	err     error
}

// Deliver decides the outcome from what was read and shows the rows that were read.
func (f *finding[T]) Deliver() tea.Cmd {
	o, s := f.outcome, f.outcome.set
	if f.err != nil {
		return o.end(Unknown)
	}
	s.Cancel()
	s.next, s.total, s.coming, s.upto, s.err, s.at = "", len(f.rows), s.src.Store(), 0, nil, s.src.Now()
	s.hold(f.rows)
	_, found := s.Get(o.deed.ID)
	verdict := Unknown
	switch {
	case o.deed.Check != nil:
		verdict = o.deed.Check(f.rows)
	case o.change.kind == drop && found:
		verdict = Refused
	case o.change.kind == drop:
		verdict = Done
	}
	resolve(o.err, verdict)
	if verdict == Refused {
		o.err = errNotDone
	}
	return o.end(verdict)
}

// errNotDone is what became of a change whose answer was lost, where reading again tells.
var errNotDone = errors.New("the answer was lost; reading it again shows that it was not done")

// resolve tells whoever keeps a record of the change how it turned out.
func resolve(err error, v Verdict) {
	var s interface{ Settle(done bool) }
	if v != Unknown && errors.As(err, &s) {
		s.Settle(v == Done)
	}
}

func isUnknown(err error) bool {
	var u interface{ Unknown() bool }
	return errors.As(err, &u) && u.Unknown()
}
