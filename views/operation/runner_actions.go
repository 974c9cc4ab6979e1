package operation

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/resource"
)

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
		action := r.action(op, nil, r.Account.MissingScope(op.Call))
		action.Group = "this list"
		actions = append(actions, action)
	}
	return actions
}

// action returns an operation on rows for a pane. why says why it cannot be performed.
func (r OperationRunner[T]) action(op resource.Operation[T], rows []T, why string) ui.Action {
	return ui.Action{
		Key:            ui.Bind(op.Name, op.Keys...),
		Description:    op.Description,
		Scope:          op.Scope,
		Writes:         true,
		OpensView:      true,
		ShowInHints:    op.ShowInHints,
		DisabledReason: why,
		Do:             func() tea.Cmd { return r.Start(op, rows, nil) },
	}
}

// ActionsOn returns the operations on one row, for a pane that shows this row alone. why says why there is no row yet.
func (r OperationRunner[T]) ActionsOn(row T, why string) []ui.Action {
	var actions []ui.Action
	for _, op := range r.Resource.Operations {
		reason := why
		if reason == "" {
			reason = r.whyNot(op, row)
		}
		actions = append(actions, r.action(op, []T{row}, reason))
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
		action := r.action(op, rows, reason)
		action.ShowInHints = reason == ""
		actions = append(actions, action)
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
		Description:    strings.Join(operations, " or ") + ", whichever applies",
		Writes:         true,
		DisabledReason: func(row T) string { return r.whyNot(pick(row), row) },
		Start:          func(rows, hidden []T) tea.Cmd { return r.Start(pick(rows[0]), rows, hidden) },
	}
}

// ActionOnRow returns an action that sends a message, for a pane that shows this row alone.
func ActionOnRow[T any](r table.RowAction[T], row T) ui.Action {
	on := ui.Action{
		Key:         ui.Bind(r.Name, r.Keys...),
		Description: r.Description,
		ShowInHints: r.ShowInHints,
		Do:          func() tea.Cmd { return ui.Send(r.Message(row)) },
	}
	if r.DisabledReason != nil {
		on.DisabledReason = r.DisabledReason(row)
	}
	return on
}
