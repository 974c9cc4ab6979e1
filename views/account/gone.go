package account

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/views/resource"
)

// goneError is the error of a change of a row that the API no longer has. The store removes the row.
type goneError struct {
	id   string // of the row in its store
	name string // "contact 11"
}

// Error returns what happened to the row.
func (e *goneError) Error() string {
	return fmt.Sprintf("deleted meanwhile: the API has no %s any more (404); nothing was changed", e.name)
}

// GoneID returns the id of the row.
func (e *goneError) GoneID() string { return e.id }

// checkGone returns a goneError if a change was refused because its row does not exist and another read of it agrees,
// and otherwise the error of the change: a 404 can also be about something that the change names.
func (r OperationRunner[T]) checkGone(ctx context.Context, row T, err error) error {
	if r.FetchOne == nil || !isNotFound(err) {
		return err
	}
	if _, again := r.FetchOne(ctx, row); !isNotFound(again) {
		return err
	}
	return &goneError{r.Store.ID(row), r.Resource.Singular + " " + client.Clean(r.Resource.ID(row))}
}

// isNotFound reports whether the API itself says that something does not exist.
func isNotFound(err error) bool {
	var e *client.Error
	return errors.As(err, &e) && e.NotFound() && !e.NotFromAPI()
}

// asNew is the form of a new row with the values that were typed for a row that is gone; nil if the draft offers none.
func (r OperationRunner[T]) asNew(s *start[T]) *form.AlternativeForm {
	if s.draft.AsNew == nil {
		return nil
	}
	i := r.newRowOperation()
	if i < 0 {
		return nil
	}
	op := r.Resource.Operations[i]
	return &form.AlternativeForm{
		Text: fmt.Sprintf("ctrl+n puts what you typed into a new %s", r.Resource.Singular),
		Open: func() tea.Cmd {
			f := r.form(&start[T]{op: op, draft: s.draft.AsNew()})
			f.Typed = true
			return ui.Send(form.OpenFormMsg{Form: f})
		},
	}
}

// newRowOperation returns the position of the operation that makes a row, or -1.
func (r OperationRunner[T]) newRowOperation() int {
	for i, op := range r.Resource.Operations {
		if op.Target == resource.NewRow {
			return i
		}
	}
	return -1
}
