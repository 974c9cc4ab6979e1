package journal

import (
	"cmp"
	"slices"
	"time"

	"lookout/client"
	"lookout/client/window"
)

// A DisabledService is a service that lookout disabled and, as far as the journal knows, nobody has enabled since.
type DisabledService struct {
	ID       string // of the service
	IntentID string // of the change that disabled it: Client.Scheduled takes it
	Label    string
	Reason   string
	Since    time.Time
	Until    time.Time // when it is to be enabled again; zero if no time was set
	// when IntentID was recorded, or known to be applied: later than Since if the window was changed meanwhile
	At time.Time
	// ByReading is set if the answer was lost and reading again showed the service as disabled: perhaps by others.
	ByReading bool
}

// A PlannedMaintenance is a maintenance window that has not begun: its service is to be disabled at its start.
type PlannedMaintenance struct {
	ID       string // of the service
	IntentID string // of the change that planned it: Client.Scheduled takes it
	Label    string
	Reason   string
	Start    time.Time
	Until    time.Time
}

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
	return !e.decidedAt.IsZero() && slices.ContainsFunc(s.entries, func(later *Entry) bool {
		c := later.Change
		affects := c.Op == client.OpDisableService || c.Op == client.OpEnableService ||
			c.Op == client.OpDeleteService
		return affects && c.ID == e.Change.ID && later.Outcome == client.Applied && later.order > e.order
	})
}

// EndWindow records that a maintenance window is over, and why: nobody has to begin or end it any more. The error is
// ErrSuperseded if the window is not as it was when that was decided, and ErrTaken while a change of the service is
// under way, which may explain what was read.
func (j *Journal) EndWindow(decided window.Window, why window.Reason) error {
	j.fileMu.Lock()
	defer j.fileMu.Unlock()
	if err := ensureLoaded(j); err != nil {
		return err
	}
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
	err := j.write(l, true, func() error {
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
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.apply(l, unread)
	return nil
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

// PlannedWindows returns the windows that have not begun, by their intents.
func (j *Journal) PlannedWindows() map[string]PlannedMaintenance {
	planned := map[string]PlannedMaintenance{}
	for _, w := range j.Windows() {
		if w.State == window.Planned {
			planned[w.ID] = plannedOf(w)
		}
	}
	return planned
}

func plannedOf(w window.Window) PlannedMaintenance {
	return PlannedMaintenance{
		ID:       w.Service,
		IntentID: w.ID,
		Label:    w.Label,
		Reason:   w.Reason,
		Start:    w.Start,
		Until:    w.End,
	}
}

// NextPlannedWindow returns the earliest planned window of a service that begins at a time or later, if there is one.
func NextPlannedWindow(j *Journal, id string, start time.Time) (next PlannedMaintenance, planned bool) {
	for _, w := range j.WindowsOf(id) {
		if w.State == window.Planned && !w.Start.Before(start) {
			return plannedOf(w), true
		}
	}
	return PlannedMaintenance{}, false
}

// DisabledServices returns the services that lookout disabled, by id.
func (j *Journal) DisabledServices() map[string]DisabledService {
	disabled := map[string]DisabledService{}
	for _, w := range j.Windows() {
		if w.State == window.Active {
			disabled[w.Service] = disabledOf(w)
		}
	}
	return disabled
}

func disabledOf(w window.Window) DisabledService {
	return DisabledService{
		ID:        w.Service,
		IntentID:  w.ID,
		Label:     w.Label,
		Reason:    w.Reason,
		Since:     w.Since,
		Until:     w.End,
		At:        w.At,
		ByReading: w.ByReading,
	}
}

// DisabledService returns one of the services that lookout disabled.
func (j *Journal) DisabledService(id string) (DisabledService, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	w, ok := j.windows.ActiveOf(id)
	return disabledOf(w), ok
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
