package resource

import (
	"context"
	"iter"
	"reflect"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
)

// copyFields sets the fields of a struct to those of another instance of its generic type, as far as their types do not
// depend on the type of rows.
func copyFields(to, from any) {
	target, source := reflect.ValueOf(to).Elem(), reflect.ValueOf(from)
	for i := range target.NumField() {
		if f := source.Field(i); target.Field(i).CanSet() && f.Type() == target.Field(i).Type() {
			target.Field(i).Set(f)
		}
	}
}

// Erased returns the resource without the type of its rows, as scripts have it. It leaves out what only panes need of
// the rows.
func (r Resource[T]) Erased() Resource[any] {
	var e Resource[any]
	copyFields(&e, r)
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
		var column ColumnDefinition[any]
		copyFields(&column, c)
		copyFields(&column.Pane, c.Pane)
		column.Value = func(row any) string { return c.Value(row.(T)) }
		if c.OnTerminal != nil {
			column.OnTerminal = func(row any) string { return c.OnTerminal(row.(T)) }
		}
		erased = append(erased, column)
	}
	return erased
}

// erased returns the operation without the type of its rows. Its draft takes nil for a row without values.
func (o Operation[T]) erased() Operation[any] {
	var e Operation[any]
	copyFields(&e, o)
	e.Draft = func(row any) Draft[any] {
		if o.Target == NewRow {
			var none T
			return o.Draft(none).erased()
		}
		return o.Draft(rowOrEmpty[T](row)).erased()
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
	var e Draft[any]
	copyFields(&e, d)
	e.Attempt = func(row any) account.Attempt[any] {
		typed, _ := row.(T)
		return eraseAttempt(d.Attempt(typed))
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

// eraseAttempt returns an attempt without the type of its row.
func eraseAttempt[T any](a account.Attempt[T]) account.Attempt[any] {
	var e account.Attempt[any]
	copyFields(&e, a)
	e.Send = func(ctx context.Context, w *client.Writer) (lists.ChangeResult[any], error) {
		result, err := a.Send(ctx, w)
		return lists.EraseResult(result), err
	}
	return e
}
