package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"lookout/client"
	"lookout/client/lists"
)

// An Attempt is one change of one row with its values bound.
type Attempt[T any] struct {
	Call     string    // the client's operation, if it depends on the values; "" is that of the operation
	ID       string    // as the client's consents want it; "" for what has no id yet
	Label    string    // what people call the row, as the API sent it
	Before   any       // the values before the change, or the thing that is deleted
	Was      string    // the one value of Before that the message repeats: "ok"; "" repeats none
	Reason   string    // for the journal and the next person on call
	RevertAt time.Time // when the change is to be reverted; zero is never
	StartAt  time.Time // when a change that is only planned is to be made
	// Scheduled is the journal's id of the change that planned this one, or that this one cancels.
	Scheduled string
	// Replaces and Restores are as in client.Change.
	Replaces, Restores []string
	First              *PrerequisiteChange // a change that must be made before this one; nil if there is none
	// Unchanged is set if the row has these values already, so that there is nothing to send.
	Unchanged bool
	Err       error // why nothing can be sent: the file cannot be read; nil if it can
	// Send sends the change with the writer that was begun for it. It may read first, and return an error instead.
	Send func(context.Context, *client.Writer) (lists.ChangeResult[T], error)
	// Sent is the body that the change sends, which readings after a lost answer are compared with. nil is what the
	// operation always sends.
	Sent any
}

// Change returns what the journal records of the attempt. Without a call of its own, op is the operation.
func (a Attempt[T]) Change(resource, op string) client.Change {
	return client.Change{
		Op:        cmp.Or(a.Call, op),
		Resource:  resource,
		ID:        a.ID,
		Label:     a.Label,
		Reason:    a.Reason,
		RevertAt:  a.RevertAt,
		StartAt:   a.StartAt,
		Scheduled: a.Scheduled,
		Replaces:  a.Replaces,
		Restores:  a.Restores,
		Before:    a.Before,
		Body:      a.Sent,
	}
}

// A PrerequisiteChange is a change that another one needs: what is replaced must be deleted first. It has its own entry
// in the journal and shares the question, the id, the label and the value before of the other one.
type PrerequisiteChange struct {
	Call  string // the client's operation
	After any    // how the thing is once it was made: the value before the other change
	Send  func(context.Context, *client.Writer) error
}

// Consents holds the consent to what is to be sent, by the client's operation.
type Consents map[string]*client.Consent

// Send begins a change and sends it, after the change that it needs.
func Send[T any](
	ctx context.Context, api *client.Client, attempt Attempt[T], change *client.Change, consents Consents,
) (lists.ChangeResult[T], error) {
	var none lists.ChangeResult[T]
	if attempt.Err != nil {
		return none, attempt.Err
	}
	if first := attempt.First; first != nil {
		needed := *change
		needed.Op, needed.RevertAt = first.Call, time.Time{}
		w, err := api.Begin(needed, consents[needed.Op])
		if err != nil {
			return none, err
		}
		if err := first.Send(ctx, w); err != nil && !errors.Is(err, client.ErrDryRun) {
			return none, err
		}
		change.Before = first.After
	}
	w, err := api.Begin(*change, consents[change.Op])
	if err != nil {
		return none, err
	}
	return attempt.Send(ctx, w)
}

// GoneError returns the error of a change or a read of something that the API no longer has: the id of its row, and its
// name, such as "contact 11". If it was a change, the store removes the row.
func GoneError(id, name string) error { return &goneError{id, name} }

// goneError is the error that GoneError returns.
type goneError struct {
	id   string // of the row in its store
	name string // "contact 11"
}

// Error returns what happened to the row.
func (e *goneError) Error() string {
	return fmt.Sprintf("deleted in the meantime: the API no longer has %s (404)", e.name)
}

// NothingChanged reports that the change was refused.
func (e *goneError) NothingChanged() bool { return true }

// GoneID returns the id of the row.
func (e *goneError) GoneID() string { return e.id }

// IsNotFound reports whether the API itself says that something does not exist.
func IsNotFound(err error) bool {
	var e *client.Error
	return errors.As(err, &e) && e.NotFound() && !e.NotFromAPI()
}
