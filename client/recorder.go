package client

import (
	"context"
	"time"
)

// A Change is what is about to be sent that changes something, for the journal. It holds no secret.
type Change struct {
	Op     string    `json:"op"` // "disable service"
	Method string    `json:"method"`
	Path   string    `json:"path"`
	Kind   string    `json:"kind,omitempty"`
	ID     string    `json:"id,omitempty"`
	Label  string    `json:"label,omitempty"`
	Reason string    `json:"reason,omitempty"`
	Until  time.Time `json:"until,omitzero"`
	Before any       `json:"before,omitempty"` // what Body's members were before, or what was deleted; absent where it was not known
	Body   any       `json:"body,omitempty"`   // secrets are dots
}

// A Recorder keeps every change that is sent: its intent before, its outcome after. An intent that cannot be kept stops the change.
type Recorder interface {
	Intent(Change) (id string, err error)
	Outcome(id string, done bool, err error)
}

type aboutKey struct{}

// withinKey marks what is part of a change that is recorded already.
type withinKey struct{}

// Record makes many requests one change of the journal: what is changed under do's context is part of it and not recorded on its own.
// Read-only refuses it, and an intent that cannot be kept stops it.
func (c *Client) Record(ctx context.Context, change Change, do func(context.Context) error) error {
	failed := &Error{Op: change.Op + " " + change.Label, Write: true, Host: c.base.Host}
	return c.record(ctx, failed, change, func(ctx context.Context) error { return do(context.WithValue(ctx, withinKey{}, c)) })
}

// under is the change with what ctx says about it.
func (c Change) under(ctx context.Context) Change {
	about, _ := ctx.Value(aboutKey{}).(Change)
	if about.Kind != "" {
		c.Kind, c.ID, c.Label = about.Kind, about.ID, about.Label
	}
	c.Reason, c.Until, c.Before = about.Reason, about.Until, about.Before
	return c
}

// With adds to what the journal says about the changes made under ctx.
func with(ctx context.Context, add func(*Change)) context.Context {
	c, _ := ctx.Value(aboutKey{}).(Change)
	add(&c)
	return context.WithValue(ctx, aboutKey{}, c)
}

// About names the thing that the changes made under ctx are about.
func About(ctx context.Context, kind, id, label string) context.Context {
	return with(ctx, func(c *Change) { c.Kind, c.ID, c.Label = kind, id, label })
}

// Because says why the changes made under ctx are made.
func Because(ctx context.Context, reason string) context.Context {
	return with(ctx, func(c *Change) { c.Reason = reason })
}

// Until says when the changes made under ctx are to be taken back.
func Until(ctx context.Context, t time.Time) context.Context {
	return with(ctx, func(c *Change) { c.Until = t })
}

// Was says what the changes made under ctx alter, as it was before. It must hold no secret.
func Was(ctx context.Context, before any) context.Context {
	return with(ctx, func(c *Change) { c.Before = before })
}
