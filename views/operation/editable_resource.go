package operation

import (
	"cmp"
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
	"lookout/views/resource"
)

// EditableResource declares how rows of a resource are created, edited and deleted where one form and one request do
// it. T is a pointer to a row, R the request that creates one.
type EditableResource[T, R any] struct {
	Account *account.Account
	Store   *lists.RowStore[T]
	Noun    string // "contact"

	ID    func(T) int
	Label func(T) client.ServerText

	Request      func(T) R                          // the values of a row
	Defaults     R                                  // the values that the form of a new row begins with
	RequestLabel func(R) string                     // the label in a request
	Fields       func(in *R, edited T) []form.Field // edited is the zero T for a new row
	Normalize    func(in R, opened T) R             // what is sent of the values; nil sends them as they are

	CreateEffect  string                              // "Adds contact %s.", with the label
	DeleteEffect  string                              // what deleting loses, for the help
	ConfirmDelete func([]T) resource.ConfirmationSpec // the question before rows are deleted
	Success       func(verb string) func(T) string    // the message after "added" and "saved"; nil is the verb

	UpdateCall, DeleteCall, CreateCall string // the client's operations

	Get    func(context.Context, int) (T, error) // reads a row again
	Create func(*client.Writer, context.Context, R) (T, error)
	Update func(*client.Writer, context.Context, int, client.Patch) (T, error)
	Delete func(*client.Writer, context.Context, int) error
}

// Operations returns the operations edit, delete and new.
func (e EditableResource[T, R]) Operations() []resource.Operation[T] {
	return []resource.Operation[T]{
		resource.EditOperation(e.UpdateCall, e.edit),
		resource.DeleteOperation(e.DeleteCall, e.DeleteEffect, func(T) resource.Draft[T] {
			return Deleting(e.ID, e.Label, func(row T) any { return e.Request(row) }, e.ConfirmDelete, e.Delete)
		}),
		resource.NewOperation(e.CreateCall, e.Noun, func(none T) resource.Draft[T] {
			return e.create(none, e.Defaults)
		}),
	}
}

// success returns the message after a change.
func (e EditableResource[T, R]) success(verb string) func(T) string {
	if e.Success == nil {
		return nil
	}
	return e.Success(verb)
}

// sent returns what is sent of the values in the form.
func (e EditableResource[T, R]) sent(in R, opened T) R {
	if e.Normalize == nil {
		return in
	}
	return e.Normalize(in, opened)
}

// create asks for a new row, beginning with values.
func (e EditableResource[T, R]) create(none T, values R) resource.Draft[T] {
	in := &values
	return resource.Draft[T]{
		Title:       "New " + e.Noun,
		SubmitLabel: "add",
		Fields:      e.Fields(in, none),
		Success:     e.success("added"),
		Confirm: func([]T) resource.ConfirmationSpec {
			return resource.ConfirmationSpec{Effect: fmt.Sprintf(e.CreateEffect, e.RequestLabel(*in))}
		},
		Attempt: func(T) account.Attempt[T] {
			sent := e.sent(*in, none)
			return Creating(e.RequestLabel(sent), sent, func(ctx context.Context, w *client.Writer) (T, error) {
				return e.Create(w, ctx, sent)
			})
		},
	}
}

// edit changes a row.
func (e EditableResource[T, R]) edit(row T) resource.Draft[T] {
	f := &EditForm[T, *R]{
		Row:     row,
		ID:      e.ID,
		Label:   e.Label(row).Raw(),
		Request: func(row T) *R { r := e.Request(row); return &r },
		Fetch:   e.Get,
		Update:  e.Update,
	}
	in := f.Open()
	normalize := func() { *in = e.sent(*in, row) }
	return resource.Draft[T]{
		Title:       "Edit " + e.Noun + " " + cmp.Or(e.Label(row).String(), account.FormatID(e.ID(row))),
		SubmitLabel: "save",
		Fields:      e.Fields(in, row),
		Success:     e.success("saved"),
		AsNew:       func() resource.Draft[T] { var none T; return e.create(none, *in) },
		Confirm:     func(rows []T) resource.ConfirmationSpec { normalize(); return f.Confirm(rows) },
		Attempt:     func(row T) account.Attempt[T] { normalize(); return f.Attempt(row) },
	}
}

// Creating returns the change that makes a row of what is sent.
func Creating[T any](
	label string, sent any, create func(context.Context, *client.Writer) (T, error),
) account.Attempt[T] {
	return account.Attempt[T]{
		Label: label,
		Sent:  sent,
		Send: func(ctx context.Context, w *client.Writer) (lists.ChangeResult[T], error) {
			return lists.ResultRow(create(ctx, w))
		},
	}
}

// Deleting returns the draft that deletes rows. before is what the journal keeps of them.
func Deleting[T any](
	id func(T) int, label func(T) client.ServerText, before func(T) any,
	confirm func([]T) resource.ConfirmationSpec, remove func(*client.Writer, context.Context, int) error,
) resource.Draft[T] {
	return resource.Draft[T]{
		Confirm: confirm,
		Attempt: func(row T) account.Attempt[T] {
			return account.Attempt[T]{
				ID:     account.FormatID(id(row)),
				Label:  label(row).Raw(),
				Before: before(row),
				Send: func(ctx context.Context, w *client.Writer) (lists.ChangeResult[T], error) {
					return lists.ResultDeleted[T](remove(w, ctx, id(row)))
				},
			}
		},
	}
}

// Renaming returns the draft that changes the label of a row, where nothing else can be changed. title heads the form.
func Renaming[T any](
	row T, title string, id func(T) int, label func(T) client.ServerText, field func(*string) form.Field,
	get func(context.Context, int) (T, error), update func(context.Context, *client.Writer, int, string) (T, error),
	asNew func(label string) resource.Draft[T],
) resource.Draft[T] {
	e := &EditForm[T, *LabelRequest]{
		Row:     row,
		ID:      id,
		Label:   label(row).Raw(),
		Request: func(row T) *LabelRequest { return &LabelRequest{Label: label(row).Raw()} },
		Fetch:   get,
	}
	in := e.Open()
	e.Update = func(w *client.Writer, ctx context.Context, id int, _ client.Patch) (T, error) {
		return update(ctx, w, id, in.Label)
	}
	return resource.Draft[T]{
		Title:        title,
		SubmitLabel:  "save",
		EnterSubmits: form.AlwaysSubmit,
		Fields:       []form.Field{field(&in.Label)},
		Confirm:      e.Confirm,
		AsNew:        func() resource.Draft[T] { return asNew(in.Label) },
		Attempt:      e.Attempt,
	}
}

// NewRunner returns what performs the operations of a resource on the rows of a store.
func NewRunner[T any](a *account.Account, store *lists.RowStore[T], r resource.Resource[T]) OperationRunner[T] {
	return OperationRunner[T]{Account: a, Store: store, Resource: r, FetchOne: r.FetchOne}
}

// List returns the list of the resource's rows: its columns, its operations after other actions on rows, and what every
// resource has.
func (r OperationRunner[T]) List(others ...table.RowAction[T]) *table.List[T] {
	return &table.List[T]{
		Title:       r.Resource.Name,
		Store:       r.Store,
		Columns:     r.Resource.PaneColumns(),
		RowActions:  append(others, r.RowActions()...),
		PaneActions: r.NewActions,
		LongTexts:   LongTexts[T],
		FetchOne:    r.FetchOne,
		CopyItems: func(row T) []ui.CopyItem {
			id := r.Resource.ID(row)
			return CopyItems(
				ScriptCommand(r.Account, r.Resource.Name+" get", nil, id),
				CurlCommand(r.Account, r.Resource.Calls.Get, nil, id),
			)
		},
	}
}

// CopyAction returns the action that copies a text of a row. what names the text in the message; the action is disabled
// with a reason where there is none.
func CopyAction[T any](key, name, absent string, text func(T) (copied, what string)) table.RowAction[T] {
	return table.RowAction[T]{
		Keys:        []string{key},
		Name:        name,
		ShowInHints: true,
		DisabledReason: func(row T) string {
			copied, _ := text(row)
			return wording.If(copied == "", absent)
		},
		Message: func(row T) tea.Msg {
			copied, what := text(row)
			return ui.CopyMsg{Text: copied, Label: what}
		},
	}
}
