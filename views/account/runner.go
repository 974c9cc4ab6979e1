package account

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
	"lookout/views/resource"
)

// OperationRunner performs the operations of one resource. Every change that a person or a timer starts in a pane takes
// the same path: does it apply, what are the values, is it confirmed, then one recorded change for each row, one status
// message for all of them, and an undo.
type OperationRunner[T any] struct {
	Account  *Account
	Store    *ui.RowStore[T]
	Resource resource.Resource[T]
	// FetchOne reads a row again before a change that was asked about: it may have another label now. nil trusts the
	// row.
	FetchOne func(context.Context, T) (T, error)
}

// start is one operation on its way: its rows and its values.
type start[T any] struct {
	op     resource.Operation[T]
	draft  resource.Draft[T]
	rows   []T
	left   []T  // marked rows that it does not apply to
	hidden int  // those of the rows that the filter hides
	chosen bool // an undo or a menu named the rows: their count is not asked for
	asked  bool // the user has answered a question about the rows
	// changes that were applied, as the journal holds them
	applied []resource.Attempt[T]
}

// RowActions returns the operations on rows for a table.
func (r OperationRunner[T]) RowActions() []table.RowAction[T] {
	var operations []table.RowAction[T]
	for _, op := range r.Resource.Operations {
		if op.Target == resource.NewRow {
			continue
		}
		operations = append(operations, table.RowAction[T]{
			Keys:           op.Keys,
			Name:           op.Name,
			Description:    op.Description,
			Scope:          op.Scope,
			ShowInHints:    op.ShowInHints,
			Writes:         true,
			Many:           op.Target == resource.AnyRows,
			DisabledReason: func(row T) string { return r.whyNot(op, row) },
			Start:          func(rows, hidden []T) tea.Cmd { return r.Start(op, rows, hidden) },
		})
	}
	return operations
}

// NewActions returns the operations that make a row, for a pane.
func (r OperationRunner[T]) NewActions() []ui.Action {
	var actions []ui.Action
	for _, op := range r.Resource.Operations {
		if op.Target != resource.NewRow {
			continue
		}
		actions = append(actions, ui.Action{
			Key:            ui.Bind(op.Name, op.Keys...),
			Description:    op.Description,
			Scope:          op.Scope,
			Group:          "this list",
			Writes:         true,
			OpensView:      true,
			ShowInHints:    op.ShowInHints,
			DisabledReason: r.Account.MissingScope(op.Call),
			Do:             func() tea.Cmd { return r.Start(op, nil, nil) },
		})
	}
	return actions
}

// ActionsOn returns the operations on one row, for a pane that shows this row alone. why says why there is no row yet.
func (r OperationRunner[T]) ActionsOn(row T, why string) []ui.Action {
	var actions []ui.Action
	for _, op := range r.Resource.Operations {
		reason := why
		if reason == "" {
			reason = r.whyNot(op, row)
		}
		actions = append(actions, ui.Action{
			Key:            ui.Bind(op.Name, op.Keys...),
			Description:    op.Description,
			Scope:          op.Scope,
			Writes:         true,
			OpensView:      true,
			ShowInHints:    op.ShowInHints,
			DisabledReason: reason,
			Do:             func() tea.Cmd { return r.Start(op, []T{row}, nil) },
		})
	}
	return actions
}

// ActionsOnAll returns operations on several rows together, for a pane that shows what they have in common. An
// operation takes the rows to which it applies.
func (r OperationRunner[T]) ActionsOnAll(rows []T, why string, names ...string) []ui.Action {
	var actions []ui.Action
	for _, name := range names {
		op, ok := r.Resource.Operation(name)
		if !ok {
			continue
		}
		reason := why
		if _, none := r.ableRows(op, rows); reason == "" {
			reason = none
		}
		actions = append(actions, ui.Action{
			Key:            ui.Bind(op.Name, op.Keys...),
			Description:    op.Description,
			Scope:          op.Scope,
			Writes:         true,
			OpensView:      true,
			ShowInHints:    reason == "",
			DisabledReason: reason,
			Do:             func() tea.Cmd { return r.Start(op, rows, nil) },
		})
	}
	return actions
}

// StartNamed starts the operation of a name on rows.
func (r OperationRunner[T]) StartNamed(name string, rows ...T) tea.Cmd {
	op, ok := r.Resource.Operation(name)
	if !ok {
		return ui.ShowStatus(theme.Bad, name+": no such operation on "+r.Resource.Name)
	}
	return r.Start(op, rows, nil)
}

// Toggle returns an operation of one key that performs the first of several operations that applies to the row.
func (r OperationRunner[T]) Toggle(key, name string, operations ...string) table.RowAction[T] {
	pick := func(row T) resource.Operation[T] {
		var op resource.Operation[T]
		for _, o := range operations {
			if op, _ = r.Resource.Operation(o); op.Applies == nil || op.Applies(row) == "" {
				break
			}
		}
		return op
	}
	return table.RowAction[T]{
		Keys:           []string{key},
		Name:           name,
		Writes:         true,
		DisabledReason: func(row T) string { return r.whyNot(pick(row), row) },
		Start:          func(rows, hidden []T) tea.Cmd { return r.Start(pick(rows[0]), rows, hidden) },
	}
}

// Start starts an operation on rows, of which a filter hides some: it opens the form if there are fields, asks what
// must be asked, and sends.
func (r OperationRunner[T]) Start(op resource.Operation[T], rows, hidden []T) tea.Cmd {
	able, why := r.ableRows(op, rows)
	if why != "" {
		return ui.ShowStatus(theme.Warn, why)
	}
	var first T
	if len(able) > 0 {
		first = able[0]
	}
	s := &start[T]{
		op:     op,
		rows:   able,
		left:   r.without(rows, able),
		hidden: len(hidden) - len(r.without(hidden, able)),
	}
	if op.ReadDraft == nil {
		return r.open(s, op.Draft(first))
	}
	ctx := r.Account.Context
	return ui.WhileWorking("reading the "+op.Name+" of "+r.Resource.Label(first), func() tea.Msg {
		draft := op.ReadDraft(ctx, first)
		return draftRead(func() tea.Cmd { return r.open(s, draft) })
	})
}

// open opens the form of a draft if it has fields, and asks and sends otherwise.
func (r OperationRunner[T]) open(s *start[T], draft resource.Draft[T]) tea.Cmd {
	if s.draft = draft; len(draft.Fields) > 0 {
		return ui.Send(form.OpenFormMsg{Form: r.form(s)})
	}
	return r.askAndSend(s)
}

// draftRead opens a draft whose values have been read.
type draftRead func() tea.Cmd

// Deliver opens the draft.
func (open draftRead) Deliver() tea.Cmd { return open() }

// StartDraft starts the operation of a name with values that are chosen already: an undo, or the answer to a menu. Rows
// that are gone are left out.
func (r OperationRunner[T]) StartDraft(name string, rows []T, draft resource.Draft[T]) tea.Cmd {
	op, ok := r.Resource.Operation(name)
	if !ok {
		return nil
	}
	able, why := r.ableRows(op, r.currentRows(rows))
	if why != "" {
		return ui.ShowStatus(theme.Warn, why)
	}
	return r.askAndSend(&start[T]{
		op:     op,
		draft:  draft,
		rows:   able,
		chosen: true,
	})
}

// without returns the rows that are not among others.
func (r OperationRunner[T]) without(rows, others []T) []T {
	among := make(map[string]bool, len(others))
	for _, row := range others {
		among[r.Store.ID(row)] = true
	}
	return slices.DeleteFunc(slices.Clone(rows), func(row T) bool { return among[r.Store.ID(row)] })
}

// ableRows returns the rows to which an operation applies, or why there are none.
func (r OperationRunner[T]) ableRows(op resource.Operation[T], rows []T) (able []T, why string) {
	if op.Target == resource.NewRow {
		return nil, ""
	}
	able = slices.DeleteFunc(slices.Clone(rows), func(row T) bool { return r.whyNot(op, row) != "" })
	switch {
	case len(rows) == 0:
		return nil, op.Name + ": the rows are gone"
	case len(able) == 0:
		return nil, r.Resource.Label(rows[0]) + ": " + r.whyNot(op, rows[0])
	}
	return able, ""
}

// whyNot returns why an operation cannot be performed on a row now: the token's scope, or the row itself.
func (r OperationRunner[T]) whyNot(op resource.Operation[T], row T) string {
	if why := r.Account.MissingScope(op.Call); why != "" || op.Applies == nil {
		return why
	}
	return op.Applies(row)
}

// currentRows returns rows as the store has them now, without those that are gone.
func (r OperationRunner[T]) currentRows(rows []T) []T {
	var now []T
	for _, row := range rows {
		if _, held := r.Store.Get(r.Store.ID(row)); held || !r.Store.Loaded() {
			now = append(now, r.currentRow(row))
		}
	}
	return now
}

// currentRow returns a row as the store has it now, or the row itself if the store does not have it.
func (r OperationRunner[T]) currentRow(row T) T {
	if now, held := r.Store.Get(r.Store.ID(row)); held {
		return now
	}
	return row
}
