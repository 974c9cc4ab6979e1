package resource

import (
	"context"
	"iter"
	"reflect"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/ui/table"
)

// Erased returns the resource without the type of its rows, so that the program holds the code of the script commands
// once and not for each type of row. It leaves out what only panes need.
func (r Resource[T]) Erased() Resource[any] {
	e := Resource[any]{
		Name:          r.Name,
		Parent:        r.Parent,
		Singular:      r.Singular,
		Plural:        r.Plural,
		Description:   r.Description,
		Examples:      r.Examples,
		Argument:      r.Argument,
		ListArguments: r.ListArguments,
		ListFlags:     r.ListFlags,
		Calls:         r.Calls,
		TerminalReads: r.TerminalReads,
	}
	if r.ID != nil {
		e.ID = func(row any) string { return r.ID(row.(T)) }
	}
	if r.Label != nil {
		e.Label = func(row any) string { return r.Label(row.(T)) }
	}
	e.Columns = EraseColumns(r.Columns)
	if r.List != nil {
		e.List = func(ctx context.Context, q ListQuery) iter.Seq2[any, error] {
			return func(yield func(any, error) bool) {
				r.List(ctx, q)(func(row T, err error) bool { return yield(row, err) })
			}
		}
	}
	if r.Get != nil {
		e.Get = func(ctx context.Context, id string) (any, error) { return r.Get(ctx, id) }
	}
	for _, o := range r.Operations {
		e.Operations = append(e.Operations, o.erased())
	}
	return e
}

// EraseColumns returns the columns that scripts print, without the type of their rows.
func EraseColumns[T any](columns []ColumnDefinition[T]) []ColumnDefinition[any] {
	var erased []ColumnDefinition[any]
	for _, c := range columns {
		if c.Value == nil {
			continue
		}
		column := ColumnDefinition[any]{
			Name:         c.Name,
			Value:        func(row any) string { return c.Value(row.(T)) },
			IsClean:      c.IsClean,
			Bytes:        c.Bytes,
			DetailOnly:   c.DetailOnly,
			DropPriority: c.DropPriority,
			Pane: table.Column[any]{
				Title:            c.Pane.Title,
				FilterByNameOnly: c.Pane.FilterByNameOnly,
				Choices:          c.Pane.Choices,
			},
		}
		if c.OnTerminal != nil {
			column.OnTerminal = func(row any) string { return c.OnTerminal(row.(T)) }
		}
		erased = append(erased, column)
	}
	return erased
}

// erased returns the operation without the type of its rows. Its draft takes nil for a row without values.
func (o Operation[T]) erased() Operation[any] {
	e := Operation[any]{
		Name:            o.Name,
		Command:         o.Command,
		CommandHelp:     o.CommandHelp,
		RepeatInScripts: o.RepeatInScripts,
		ScriptReads:     o.ScriptReads,
		Description:     o.Description,
		Call:            o.Call,
		OtherCalls:      o.OtherCalls,
		Target:          o.Target,
		SuccessText:     o.SuccessText,
		Draft: func(row any) Draft[any] {
			if o.Target == NewRow {
				var none T
				return o.Draft(none).erased()
			}
			return o.Draft(rowOrEmpty[T](row)).erased()
		},
	}
	if o.Applies != nil {
		e.Applies = func(row any) string { return o.Applies(row.(T)) }
	}
	return e
}

// rowOrEmpty returns a row with its type: one without values for nil.
func rowOrEmpty[T any](row any) T {
	if row != nil {
		return row.(T)
	}
	var empty T
	if t := reflect.TypeFor[T](); t.Kind() == reflect.Pointer {
		empty = reflect.New(t.Elem()).Interface().(T)
	}
	return empty
}

// erased returns the draft without the type of its rows.
func (d Draft[T]) erased() Draft[any] {
	e := Draft[any]{
		Fields:  d.Fields,
		Attempt: func(row any) account.Attempt[any] { return eraseAttempt(d.Attempt(rowOrNone[T](row))) },
	}
	if d.Confirm != nil {
		e.Confirm = func(rows []any) ConfirmationSpec {
			typed := make([]T, len(rows))
			for i, row := range rows {
				typed[i] = rowOrEmpty[T](row)
			}
			return d.Confirm(typed)
		}
	}
	if d.ScriptNote != nil {
		e.ScriptNote = func(row any) string { return d.ScriptNote(row.(T)) }
	}
	if d.Success != nil {
		e.Success = func(row any) string { return d.Success(row.(T)) }
	}
	return e
}

// rowOrNone returns a row with its type: the zero T for nil.
func rowOrNone[T any](row any) T {
	typed, _ := row.(T)
	return typed
}

// eraseAttempt returns an attempt without the type of its row.
func eraseAttempt[T any](a account.Attempt[T]) account.Attempt[any] {
	return account.Attempt[any]{
		Call:      a.Call,
		ID:        a.ID,
		Label:     a.Label,
		Before:    a.Before,
		Was:       a.Was,
		Reason:    a.Reason,
		RevertAt:  a.RevertAt,
		StartAt:   a.StartAt,
		Scheduled: a.Scheduled,
		Replaces:  a.Replaces,
		Restores:  a.Restores,
		First:     a.First,
		Unchanged: a.Unchanged,
		Err:       a.Err,
		Sent:      a.Sent,
		Send: func(ctx context.Context, w *client.Writer) (lists.ChangeResult[any], error) {
			result, err := a.Send(ctx, w)
			return lists.EraseResult(result), err
		},
	}
}
