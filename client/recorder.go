package client

import (
	"context"
	"time"
)

// A Change is what is about to be sent that changes something, for the journal. It holds no secret.
type Change struct {
	Op       string    `json:"op"` // "disable service"
	Method   string    `json:"method"`
	Path     string    `json:"path"`
	Resource string    `json:"kind,omitempty"`
	ID       string    `json:"id,omitempty"`
	Label    string    `json:"label,omitempty"`
	Reason   string    `json:"reason,omitempty"`
	RevertAt time.Time `json:"until,omitzero"`
	// what Body's members were before, or what was deleted; absent where it was not known
	Before any `json:"before,omitempty"`
	Body   any `json:"body,omitempty"` // secrets are dots
}

// A Recorder keeps every change that is sent: its intent before, its outcome after. An intent that cannot be kept stops
// the change.
type Recorder interface {
	RecordIntent(Change) (id string, err error)
	RecordOutcome(id string, done bool, err error)
}

type changeKey struct{}

// recordedKey marks what is part of a change that is recorded already.
type recordedKey struct{}

// Record makes many requests one change of the journal: what is changed under do's context is part of it and not
// recorded on its own. Read-only refuses it, and an intent that cannot be kept stops it.
func (c *Client) Record(ctx context.Context, change Change, do func(context.Context) error) error {
	failed := &Error{Op: change.Op + " " + change.Label, Write: true, Host: c.base.Host}
	return c.sendRecorded(
		ctx,
		failed,
		change,
		func(ctx context.Context) error { return do(context.WithValue(ctx, recordedKey{}, c)) },
	)
}

// withContext is the change with what ctx says about it.
func (c Change) withContext(ctx context.Context) Change {
	about, _ := ctx.Value(changeKey{}).(Change)
	if about.Resource != "" {
		c.Resource, c.ID, c.Label = about.Resource, about.ID, about.Label
	}
	c.Reason, c.RevertAt, c.Before = about.Reason, about.RevertAt, about.Before
	return c
}

// With adds to what the journal says about the changes made under ctx.
func contextWithChange(ctx context.Context, add func(*Change)) context.Context {
	c, _ := ctx.Value(changeKey{}).(Change)
	add(&c)
	return context.WithValue(ctx, changeKey{}, c)
}

// ContextWithResource names the thing that the changes made under ctx are about.
func ContextWithResource(ctx context.Context, kind, id, label string) context.Context {
	return contextWithChange(ctx, func(c *Change) { c.Resource, c.ID, c.Label = kind, id, label })
}

// ContextWithReason says why the changes made under ctx are made.
func ContextWithReason(ctx context.Context, reason string) context.Context {
	return contextWithChange(ctx, func(c *Change) { c.Reason = reason })
}

// ContextWithRevertAt says when the changes made under ctx are to be taken back.
func ContextWithRevertAt(ctx context.Context, t time.Time) context.Context {
	return contextWithChange(ctx, func(c *Change) { c.RevertAt = t })
}

// ContextWithBefore says what the changes made under ctx alter, as it was before. It must hold no secret.
func ContextWithBefore(ctx context.Context, before any) context.Context {
	return contextWithChange(ctx, func(c *Change) { c.Before = before })
}
