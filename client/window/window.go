// Package window holds maintenance windows as values: how they follow from the changes in the journal, which of them
// may stand beside each other, and what a service tells about the window that it is in. It reads and sends nothing.
package window

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"lookout/client"
)

// A State says how far a window is.
type State string

// The states. An active window whose end has passed is overdue.
const (
	Planned   State = "planned"
	Active    State = "active"
	Over      State = "over"
	Cancelled State = "cancelled"
)

// A Reason is why a window is over.
type Reason string

// The reasons.
const (
	TimeUp           Reason = "time is up"
	Enabled          Reason = "enabled"           // by a change in this journal
	EnabledElsewhere Reason = "enabled elsewhere" // somebody else has enabled the service
	TakenOver        Reason = "taken over"        // somebody else has enabled and disabled it, and it stays disabled
	StaysDisabled    Reason = "stays disabled"    // it was disabled before the window began, and stays disabled
	Missed           Reason = "missed"            // the window was over before it could begin
	Gone             Reason = "gone"              // the service was deleted
	Replaced         Reason = "replaced"          // by another window
)

// A Window is a time for which a service is not monitored.
type Window struct {
	ID      string    `json:"id"`      // of the recorded change that opened or planned it
	Service string    `json:"service"` // its ID
	Label   string    `json:"label,omitempty"`
	Reason  string    `json:"reason,omitempty"` // as it was given, not cleaned
	Start   time.Time `json:"start,omitzero"`
	End     time.Time `json:"end,omitzero"` // zero is never
	State   State     `json:"state"`
	Why     Reason    `json:"why,omitempty"` // it is over
	// since when the service is disabled: an earlier window may have begun that
	Since     time.Time `json:"since,omitzero"`
	At        time.Time `json:"at,omitzero"`          // when the change that disabled the service was certainly applied
	Sent      time.Time `json:"sent,omitzero"`        // when that change was sent
	By        string    `json:"by,omitempty"`         // ID of that change
	ByReading bool      `json:"by_reading,omitempty"` // its answer was lost, so somebody else may have disabled it
	Seen      Seen      `json:"seen,omitzero"`        // the service as it was last known in this window
}

// Live reports whether the window is planned or active.
func (w Window) Live() bool { return w.State == Planned || w.State == Active }

// Overdue reports whether the service should be monitored again.
func (w Window) Overdue(now time.Time) bool {
	return w.State == Active && !w.End.IsZero() && !now.Before(w.End)
}

// Due returns when something is to be done about the window, and the operation. ok is false if nothing is.
func (w Window) Due() (at time.Time, op string, ok bool) {
	switch {
	case w.State == Planned:
		return w.Start, client.OpDisableService, true
	case w.State == Active && !w.End.IsZero():
		return w.End, client.OpEnableService, true
	}
	return time.Time{}, "", false
}

// overlaps reports whether the window has a time in common with another. A zero end is never.
func (w Window) overlaps(start, end time.Time) bool {
	return w.Live() && (end.IsZero() || w.Start.Before(end)) && (w.End.IsZero() || start.Before(w.End))
}

// A Set is the windows of a journal. They follow from its changes in the order of the file, and from nothing else.
type Set struct {
	live, over map[string]Window // by their identities; those that are over may be many
	version    int
}

// A Record is a change of a service that was applied, as the journal holds it.
type Record struct {
	ID        string // of the change
	Change    client.Change
	Sent      time.Time
	At        time.Time // when it was certainly applied
	ByReading bool
	Overtaken bool // this became known only after a later change had disabled, enabled or deleted the service
	Seen      Seen // the service in the answer; zero if that is not known
}

// Version returns a number that grows with every change of a window.
func (s *Set) Version() int { return s.version }

// put replaces a window.
func (s *Set) put(w Window) {
	if s.live == nil {
		s.live, s.over = map[string]Window{}, map[string]Window{}
	}
	for _, t := range []*time.Time{&w.Start, &w.End, &w.Since, &w.Sent, &w.At} {
		*t = t.Round(0).UTC() // times on the wall, however long the machine sleeps meanwhile
	}
	if s.get(w.ID) == w {
		return
	}
	in, out := s.over, s.live
	if w.Live() {
		in, out = s.live, s.over
	}
	delete(out, w.ID)
	in[w.ID] = w
	s.version++
}

// Restore puts a window in place as it was.
func (s *Set) Restore(w Window) { s.put(w) }

// Fold takes over a change that was applied. Folding the same change twice in a row is the same as folding it once.
func (s *Set) Fold(r Record) {
	c := r.Change
	for _, id := range c.Replaces {
		if old := s.get(id); old.State == Planned {
			old.State, old.Why = Cancelled, Replaced
			s.put(old)
		} // an active one ends when the service is disabled again
	}
	for _, id := range c.Restores {
		if old := s.get(id); old.State == Cancelled {
			old.State, old.Why = Planned, ""
			s.put(old)
		}
	}
	w := s.get(c.Scheduled)
	switch c.Op {
	case client.OpDisableService:
		s.begin(r)
	case client.OpPlanMaintenance:
		if _, known := s.Get(r.ID); known || c.StartAt.IsZero() {
			return // when it begins is not known, and it must not begin at once
		}
		s.put(Window{
			ID:      r.ID,
			Service: c.ID,
			Label:   c.Label,
			Reason:  c.Reason,
			Start:   c.StartAt,
			End:     c.RevertAt,
			State:   Planned,
		})
	case client.OpChangeMaintenance:
		if w.Live() && w.Service == c.ID {
			if w.State == Planned && !c.StartAt.IsZero() {
				w.Start = c.StartAt
			}
			w.End, w.Reason = c.RevertAt, c.Reason
			s.put(w)
		}
	case client.OpCancelMaintenance:
		if w.State == Planned {
			w.State = Cancelled
			s.put(w)
		}
	case client.OpEnableService:
		if active, ok := s.ActiveOf(c.ID); ok && !r.Overtaken {
			why := Enabled
			if c.Scheduled != "" {
				why = TimeUp
			}
			s.End(active.ID, why)
		}
	case client.OpDeleteService:
		for _, of := range s.Of(c.ID) {
			s.End(of.ID, Gone)
		}
	}
	if active, ok := s.ActiveOf(c.ID); ok && !r.Overtaken && r.Seen.Updated.After(active.Seen.Updated) {
		active.Seen = r.Seen
		s.put(active)
	}
}

// begin takes over a change that disabled a service.
func (s *Set) begin(r Record) {
	c := r.Change
	w, known := s.Get(cmp.Or(c.Scheduled, r.ID))
	if r.Overtaken || known && w.By == r.ID {
		return // a later change says more about the service, or this was recorded before
	}
	since := r.At
	if active, ok := s.ActiveOf(c.ID); ok && active.ID != w.ID {
		if active.Since.Before(since) {
			since = active.Since // it was disabled already, and has another end now
		}
		s.End(active.ID, Replaced)
	}
	if !known {
		w = Window{
			ID:      cmp.Or(c.Scheduled, r.ID),
			Service: c.ID,
			Reason:  c.Reason,
			Start:   r.At,
			End:     c.RevertAt,
		}
	}
	w.Label, w.State, w.Why, w.By, w.ByReading = c.Label, Active, "", r.ID, r.ByReading
	w.Since, w.Sent, w.At, w.Seen = since, r.Sent, r.At, r.Seen
	s.put(w)
}

// End ends a window that is planned or active.
func (s *Set) End(id string, why Reason) {
	if w := s.get(id); w.Live() {
		w.State, w.Why = Over, why
		s.put(w)
	}
}

// Prune forgets the windows that are over, except those that keep names.
func (s *Set) Prune(keep func(id string) bool) {
	maps.DeleteFunc(s.over, func(id string, _ Window) bool { return !keep(id) })
}

// Clone returns a copy of the set.
func (s *Set) Clone() *Set { return &Set{maps.Clone(s.live), maps.Clone(s.over), s.version} }

// Get returns a window, also one that is over, as long as it is known.
func (s *Set) Get(id string) (Window, bool) {
	w := s.get(id)
	return w, w.ID != ""
}

// get returns a window; it is zero if it is not known.
func (s *Set) get(id string) Window {
	if w, ok := s.live[id]; ok {
		return w
	}
	return s.over[id]
}

// Live returns the windows that are planned or active, earliest first.
func (s *Set) Live() []Window { return s.of(func(Window) bool { return true }) }

// Of returns the windows of a service that are planned or active, earliest first.
func (s *Set) Of(service string) []Window {
	return s.of(func(w Window) bool { return w.Service == service })
}

func (s *Set) of(include func(Window) bool) []Window {
	var found []Window
	for _, w := range s.live {
		if include(w) {
			found = append(found, w)
		}
	}
	slices.SortFunc(found, func(v, w Window) int {
		return cmp.Or(v.Start.Compare(w.Start), strings.Compare(v.Service, w.Service), strings.Compare(v.ID, w.ID))
	})
	return found
}

// ActiveOf returns the active window of a service; ok is false if there is none.
func (s *Set) ActiveOf(service string) (w Window, ok bool) {
	for _, w := range s.live {
		if w.Service == service && w.State == Active {
			return w, true
		}
	}
	return Window{}, false
}

// OfChange returns the window that a change opened, planned or began; ok is false if there is none, or if it is over.
func (s *Set) OfChange(id string) (w Window, ok bool) {
	for _, w := range s.live {
		if w.ID == id || w.By == id {
			return w, true
		}
	}
	return Window{}, false
}

// LiveIn returns the windows of a service that have a time in common with another. A zero end is never.
func (s *Set) LiveIn(service string, start, end time.Time) []Window {
	return slices.DeleteFunc(s.Of(service), func(w Window) bool { return !w.overlaps(start, end) })
}

// An OverlapError means that a service has windows at the time for which another was asked.
type OverlapError struct{ Windows []Window }

// Error names the windows.
func (e *OverlapError) Error() string {
	texts := make([]string, len(e.Windows))
	for i, w := range e.Windows {
		texts[i] = "from " + w.Start.Format(time.RFC3339) + " until " + formatEnd(w.End)
	}
	return "it overlaps a window " + strings.Join(texts, " and one ")
}

func formatEnd(end time.Time) string {
	if end.IsZero() {
		return "somebody enables it"
	}
	return end.Format(time.RFC3339)
}

// ErrSuperseded means that a change of a window was decided on what is not so any more.
var ErrSuperseded = errors.New("the window has begun, has ended or was changed meanwhile")

// Check returns why a change of a service must not be made as the windows are now; nil if it may: an OverlapError or
// ErrSuperseded.
func (s *Set) Check(c client.Change, now time.Time) error {
	w := s.get(c.Scheduled)
	ofService := w.Service == c.ID && w.ID != ""
	switch c.Op {
	case client.OpEnableService:
		if c.Scheduled != "" && !(ofService && w.Overdue(now)) {
			return ErrSuperseded
		}
		return nil
	case client.OpCancelMaintenance:
		if !ofService || w.State != Planned {
			return ErrSuperseded
		}
		return nil
	case client.OpDisableService:
		if c.Scheduled != "" {
			if _, active := s.ActiveOf(c.ID); !ofService || w.State != Planned || now.Before(w.Start) || active {
				return ErrSuperseded
			}
			return nil
		}
		return s.fit(c, now)
	case client.OpPlanMaintenance:
		return s.fit(c, c.StartAt)
	case client.OpChangeMaintenance:
		restored := w.State == Cancelled && slices.Contains(c.Restores, w.ID)
		if !ofService || !w.Live() && !restored {
			return ErrSuperseded
		}
		start := w.Start
		if w.State == Planned && !c.StartAt.IsZero() {
			start = c.StartAt
		}
		return s.fit(c, start)
	}
	return nil
}

// fit checks that a window overlaps no other than those that it replaces.
func (s *Set) fit(c client.Change, start time.Time) error {
	others := slices.DeleteFunc(s.LiveIn(c.ID, start, c.RevertAt), func(w Window) bool {
		return w.ID == c.Scheduled || slices.Contains(c.Replaces, w.ID)
	})
	if len(others) > 0 {
		return &OverlapError{others}
	}
	return nil
}
