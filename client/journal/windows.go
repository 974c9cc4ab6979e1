package journal

import (
	"cmp"
	"slices"
	"time"

	"lookout/client"
	"lookout/client/window"
)

// foldWindows updates the maintenance windows after an outcome.
func (s *state) foldWindows(e *Entry, l record) {
	before := s.windows.Version()
	switch {
	case l.Window != nil:
		s.windows.Restore(*l.Window)
	case e.Change.Resource != "service":
	case l.WindowEnded:
		e.windowEnded = true
		if w, ok := s.windows.OfChange(e.ID); ok {
			s.windows.End(w.ID, cmp.Or(l.EndedBecause, window.Enabled))
		}
	case e.Outcome == client.Applied && !e.windowEnded:
		folded := window.Record{
			ID:        e.ID,
			Change:    e.Change,
			Sent:      e.Time,
			At:        e.appliedAt(),
			ByReading: e.ByReading,
			Overtaken: s.isOvertaken(e),
		}
		if l.Service != nil {
			folded.Seen = *l.Service
		}
		s.windows.Fold(folded)
	}
	if w, ok := s.windows.OfChange(e.ID); ok && !l.Since.IsZero() && l.Window == nil {
		w.Since = l.Since
		s.windows.Restore(w)
	}
	if s.windows.Version() != before {
		s.version++
	}
}

// isOvertaken reports whether the outcome of a change became known only after a later one had begun or ended a window
// of the same service: what is known of the service now comes from that one.
func (s *state) isOvertaken(e *Entry) bool {
	if e.decidedAt.IsZero() {
		return false
	}
	for _, later := range slices.Backward(s.entries) {
		c := later.Change
		switch {
		case later == e:
			return false
		case c.ID != e.Change.ID || later.Outcome != client.Applied:
		case c.Op == client.OpDisableService, c.Op == client.OpEnableService, c.Op == client.OpDeleteService:
			return true
		}
	}
	return false
}

// EndWindow records that a maintenance window is over, and why: nobody has to begin or end it any more. The error is
// ErrSuperseded if the window is not as it was when that was decided, and ErrTaken while a change of the service is
// under way, which may explain what was read.
func (j *Journal) EndWindow(decided window.Window, why window.Reason) error {
	j.fileMu.Lock()
	defer j.fileMu.Unlock()
	j.mu.Lock()
	e := j.byID[cmp.Or(decided.By, decided.ID)]
	if e == nil {
		j.mu.Unlock()
		return ErrSuperseded
	}
	// an older lookout reads this line as the same outcome once more
	l := record{
		ID:            e.ID,
		Outcome:       e.Outcome,
		OutcomeDetail: e.OutcomeDetail,
		ByReading:     e.ByReading,
		WindowEnded:   true,
		EndedBecause:  why,
	}
	j.mu.Unlock()
	return j.write(l, true, func() error {
		j.mu.Lock()
		defer j.mu.Unlock()
		w, _ := j.windows.Get(decided.ID)
		switch {
		case !w.Live() || w.State != decided.State || w.By != decided.By || w.Seen != decided.Seen:
			return ErrSuperseded
		case len(j.openChanges(decided.Service, j.now().Add(-otherProcessTimeout))) > 0:
			return ErrTaken
		}
		return nil
	})
}

// OpenChanges returns the changes of a service since a time whose outcome nobody knows, or is still awaited, oldest
// first.
func (j *Journal) OpenChanges(service string, since time.Time) []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.openChanges(service, since)
}

// openChanges is OpenChanges for callers that hold mu.
func (s *state) openChanges(service string, since time.Time) []Entry {
	var open []Entry
	for _, e := range s.entries {
		if e.Change.Resource == "service" && e.Change.ID == service && !e.Time.Before(since) &&
			(e.Outcome == client.Pending || e.Outcome == client.Unknown) {
			open = append(open, *e)
		}
	}
	return open
}

// hasWindow reports whether a change opened, planned or began a window that is not over.
func (s *state) hasWindow(e *Entry) bool {
	_, ok := s.windows.OfChange(e.ID)
	return ok
}

// Windows returns the maintenance windows that are planned or active, earliest first.
func (j *Journal) Windows() []window.Window {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.windows.Live()
}

// WindowsOf returns the windows of a service that are planned or active, earliest first.
func (j *Journal) WindowsOf(service string) []window.Window {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.windows.Of(service)
}

// Window returns a window, also one that is over, as long as it is known.
func (j *Journal) Window(id string) (window.Window, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.windows.Get(id)
}

// PlannedWindows returns the windows that have not begun, by their identities.
func (j *Journal) PlannedWindows() map[string]window.Window {
	planned := map[string]window.Window{}
	for _, w := range j.Windows() {
		if w.State == window.Planned {
			planned[w.ID] = w
		}
	}
	return planned
}

// ActiveWindows returns the windows of the services that lookout disabled, by service: as far as the journal knows,
// nobody has enabled them since.
func (j *Journal) ActiveWindows() map[string]window.Window {
	active := map[string]window.Window{}
	for _, w := range j.Windows() {
		if w.State == window.Active {
			active[w.Service] = w
		}
	}
	return active
}

// ActiveWindow returns the window of a service that lookout disabled; see ActiveWindows.
func (j *Journal) ActiveWindow(service string) (window.Window, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.windows.ActiveOf(service)
}

// ScheduledChange implements client.ScheduleRecorder. A service that was disabled until a set time is to be enabled
// again, unless somebody has enabled, deleted or disabled it since, in this program or another; one with a planned
// window is to be disabled.
func (j *Journal) ScheduledChange(windowID string) (op, id string, ok bool) {
	_, _ = j.CatchUp() // an unreadable file supersedes nothing: enabling a service once more does no harm
	w, _ := j.Window(windowID)
	_, op, ok = w.Due()
	return op, w.Service, ok
}
