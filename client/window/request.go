package window

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"lookout/client"
)

// A Request asks for a time for which a service is not monitored.
type Request struct {
	Service string // its ID
	Label   string
	Over    bool      // its active window is over, although that is not recorded: see IsOver
	Start   time.Time // zero is now
	End     time.Time // zero is never
	Reason  string
	Replace bool // the new window may take the place of those with which it has a time in common
}

// IsOver reports whether a service, in a reading that began at a time, tells that somebody else has ended its active
// window.
func IsOver(of []Window, s *client.Service, read time.Time) bool {
	return s.Status != client.StatusDisabled || slices.ContainsFunc(of, func(w Window) bool {
		return w.State == Active && w.Judge(s, read) == DisabledByOthers
	})
}

// Disable returns the change that makes a window, beside or in the place of the windows of the service that are planned
// or active: it disables the service, plans that, or, if it is disabled by a window with which the new one has a time
// in common, changes that one. The error is an OverlapError if the new window would take the place of others, and that
// was not allowed.
func Disable(of []Window, r Request, now time.Time) (client.Change, error) {
	c := r.change(client.OpDisableService)
	start := now
	if r.Start.After(now) {
		c.Op, c.StartAt, start = client.OpPlanMaintenance, r.Start, r.Start
	}
	var touched []Window
	for _, w := range of {
		switch {
		case !w.overlaps(start, r.End):
		case w.State == Active && r.Over:
			c.Replaces = append(c.Replaces, w.ID)
		default:
			touched = append(touched, w)
		}
	}
	if len(touched) > 0 && !r.Replace {
		return client.Change{}, &OverlapError{touched}
	}
	for _, w := range touched {
		if w.State == Active {
			c.Op, c.Scheduled, c.StartAt = client.OpChangeMaintenance, w.ID, time.Time{}
		} else {
			c.Replaces = append(c.Replaces, w.ID)
		}
		c.Reason = cmp.Or(c.Reason, w.Reason)
	}
	return c, nil
}

// Change returns the change that gives a window another start, end and reason. The start of an active one stays. The
// error is an OverlapError as for Disable.
func Change(w Window, of []Window, r Request, now time.Time) (client.Change, error) {
	c := r.change(client.OpChangeMaintenance)
	c.Scheduled = w.ID
	start := w.Start
	if w.State == Planned {
		if !r.Start.IsZero() {
			start = r.Start
		}
		c.StartAt = start
	}
	if !r.End.IsZero() && (!r.End.After(start) || !r.End.After(now)) {
		return client.Change{}, errors.New("the end must be in the future, and after the start")
	}
	var touched []Window
	for _, other := range of {
		if other.ID != w.ID && other.overlaps(start, r.End) {
			touched = append(touched, other)
			c.Replaces = append(c.Replaces, other.ID)
		}
	}
	active := slices.ContainsFunc(touched, func(w Window) bool { return w.State == Active })
	if active || len(touched) > 0 && !r.Replace {
		return client.Change{}, &OverlapError{touched} // an active window is not replaced, it is changed
	}
	return c, nil
}

func (r Request) change(op string) client.Change {
	return client.Change{
		Op:       op,
		Resource: "service",
		ID:       r.Service,
		Label:    r.Label,
		Reason:   r.Reason,
		RevertAt: r.End,
	}
}

// Undo returns the change that takes back another one, which has just been applied: before are the windows of the
// service before it, and now are those after it. ok is false if it is not one of windows, or they have changed since.
func Undo(c client.Change, before, now []Window) (undo client.Change, ok bool) {
	undo = client.Change{Resource: c.Resource, ID: c.ID, Label: c.Label, Restores: c.Replaces}
	find := func(in []Window, is func(Window) bool) (Window, bool) {
		if i := slices.IndexFunc(in, is); i >= 0 {
			return in[i], true
		}
		return Window{}, false
	}
	same := func(w Window) bool { return w.ID == c.Scheduled }
	switch c.Op {
	case client.OpDisableService:
		undo.Op, ok = client.OpEnableService, true
	case client.OpPlanMaintenance:
		made, there := find(now, func(w Window) bool { return w.State == Planned && w.Start.Equal(c.StartAt) })
		undo.Op, undo.Scheduled, ok = client.OpCancelMaintenance, made.ID, there
	case client.OpChangeMaintenance, client.OpCancelMaintenance:
		was, there := find(before, same)
		if c.Op == client.OpCancelMaintenance {
			undo.Restores = []string{c.Scheduled}
		}
		undo.Op, undo.Scheduled, ok = client.OpChangeMaintenance, c.Scheduled, there
		undo.StartAt, undo.RevertAt, undo.Reason = was.Start, was.End, was.Reason
		if was.State == Active {
			undo.StartAt = time.Time{}
		}
	}
	return undo, ok
}
