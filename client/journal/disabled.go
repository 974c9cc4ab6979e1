package journal

import (
	"maps"
	"slices"
	"time"

	"lookout/client"
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

// trackWindows updates the maintenance windows after an outcome.
func (s *state) trackWindows(e *Entry) {
	c := e.Change
	if e.Outcome != client.Applied || c.Resource != "service" || e.windowEnded || s.isOvertaken(e) {
		return
	}
	switch c.Op {
	case client.OpDisableService:
		delete(s.planned, c.Scheduled)
		since := e.appliedAt()
		if held, again := s.disabled[c.ID]; again && held.Since.Before(since) {
			since = held.Since // it was disabled already, and has another end now
		}
		s.disabled[c.ID] = DisabledService{
			ID:        c.ID,
			IntentID:  e.ID,
			Label:     c.Label,
			Reason:    c.Reason,
			Since:     since,
			Until:     c.RevertAt,
			At:        e.appliedAt(),
			ByReading: e.ByReading,
		}
	case client.OpPlanMaintenance:
		if c.StartAt.IsZero() {
			return // when it begins is not known, and it must not begin at once
		}
		s.planned[e.ID] = PlannedMaintenance{
			ID:       c.ID,
			IntentID: e.ID,
			Label:    c.Label,
			Reason:   c.Reason,
			Start:    c.StartAt,
			Until:    c.RevertAt,
		}
	case client.OpCancelMaintenance:
		delete(s.planned, c.Scheduled)
	case client.OpEnableService:
		delete(s.disabled, c.ID)
	case client.OpDeleteService:
		delete(s.disabled, c.ID)
		maps.DeleteFunc(s.planned, func(_ string, w PlannedMaintenance) bool { return w.ID == c.ID })
	}
}

// isOvertaken reports whether the outcome of a change became known only after a later one had begun or ended a window
// of the same service: what is known of the service now comes from that one.
func (s *state) isOvertaken(e *Entry) bool {
	return !e.decidedAt.IsZero() && slices.ContainsFunc(s.entries, func(later *Entry) bool {
		c := later.Change
		affects := c.Op == client.OpDisableService || c.Op == client.OpEnableService ||
			c.Op == client.OpDeleteService
		return affects && c.ID == e.Change.ID && later.Outcome == client.Applied && later.Time.After(e.Time)
	})
}

// EndWindow records that a maintenance window is over because the service was seen enabled: nobody has to enable it any
// more, even if it is disabled again elsewhere.
func (j *Journal) EndWindow(intentID string) error {
	j.fileMu.Lock()
	defer j.fileMu.Unlock()
	if err := ensureLoaded(j); err != nil {
		return err
	}
	j.mu.Lock()
	e := j.byID[intentID]
	if e == nil || e.windowEnded {
		j.mu.Unlock()
		return nil
	}
	// an older lookout reads this line as the same outcome once more
	l := record{
		ID:            intentID,
		Outcome:       e.Outcome,
		OutcomeDetail: e.OutcomeDetail,
		ByReading:     e.ByReading,
		WindowEnded:   true,
	}
	j.mu.Unlock()
	if err := j.write(l, true, nil); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.apply(l, unread)
	return nil
}

// endWindow ends the window that a change began.
func (s *state) endWindow(e *Entry) {
	e.windowEnded = true
	if s.disabled[e.Change.ID].IntentID == e.ID {
		delete(s.disabled, e.Change.ID)
		s.version++
	}
	if _, planned := s.planned[e.ID]; planned {
		delete(s.planned, e.ID)
		s.version++
	}
}

// LastChange returns the newest change of an operation on a service since a time, whatever its outcome: of those that
// are held in memory, as all are whose outcome nobody knows.
func (j *Journal) LastChange(op, service string, since time.Time) (Entry, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range slices.Backward(j.entries) {
		switch {
		case e.Time.Before(since):
			return Entry{}, false
		case e.Change.Op == op && e.Change.ID == service:
			return *e, true
		}
	}
	return Entry{}, false
}

// hasWindow reports whether a change began or planned a window that is not over.
func (s *state) hasWindow(e *Entry) bool {
	w, held := s.disabled[e.Change.ID]
	_, planned := s.planned[e.ID]
	return planned || held && w.IntentID == e.ID
}

// PlannedWindows returns the windows that have not begun, by their intents.
func (j *Journal) PlannedWindows() map[string]PlannedMaintenance {
	j.mu.Lock()
	defer j.mu.Unlock()
	return maps.Clone(j.planned)
}

// NextPlannedWindow returns the earliest planned window of a service that begins at a time or later, if there is one.
func NextPlannedWindow(j *Journal, id string, start time.Time) (next PlannedMaintenance, planned bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, w := range j.planned {
		if w.ID == id && !w.Start.Before(start) && (!planned || w.Start.Before(next.Start)) {
			next, planned = w, true
		}
	}
	return next, planned
}

// DisabledServices returns the services that lookout disabled, by id.
func (j *Journal) DisabledServices() map[string]DisabledService {
	j.mu.Lock()
	defer j.mu.Unlock()
	return maps.Clone(j.disabled)
}

// DisabledService returns one of the services that lookout disabled.
func (j *Journal) DisabledService(id string) (DisabledService, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	s, ok := j.disabled[id]
	return s, ok
}

// ScheduledChange implements client.ScheduleRecorder. A service that was disabled until a set time is to be enabled
// again, unless somebody has enabled, deleted or disabled it since, in this program or another; one with a planned
// window is to be disabled.
func (j *Journal) ScheduledChange(intentID string) (op, id string, ok bool) {
	_, _ = j.CatchUp() // an unreadable file supersedes nothing: enabling a service once more does no harm
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.scheduledChange(intentID)
}

// scheduledChange is ScheduledChange as far as the file has been read.
func (s *state) scheduledChange(intentID string) (op, id string, ok bool) {
	if w, planned := s.planned[intentID]; planned {
		return client.OpDisableService, w.ID, true
	}
	for id, w := range s.disabled {
		if w.IntentID == intentID && !w.Until.IsZero() {
			return client.OpEnableService, id, true
		}
	}
	return "", "", false
}
