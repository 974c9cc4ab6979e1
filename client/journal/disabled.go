package journal

import (
	"maps"
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
}

// trackDisabled updates the disabled services after an outcome.
func (j *Journal) trackDisabled(e *Entry) {
	if e.Outcome != client.Applied || e.Change.Resource != "service" {
		return
	}
	switch e.Change.Op {
	case client.OpDisableService:
		j.disabled[e.Change.ID] = DisabledService{
			ID:       e.Change.ID,
			IntentID: e.ID,
			Label:    e.Change.Label,
			Reason:   e.Change.Reason,
			Since:    e.Time,
			Until:    e.Change.RevertAt,
		}
	case client.OpEnableService, client.OpDeleteService:
		delete(j.disabled, e.Change.ID)
	}
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

// ScheduledRevert implements client.Scheduler: a service that was disabled until a set time is to be enabled again,
// unless somebody has enabled, deleted or disabled it since, in this program or another.
func (j *Journal) ScheduledRevert(intentID string) (op, id string, ok bool) {
	_, _ = j.CatchUp() // an unreadable file supersedes nothing: enabling a service once more does no harm
	j.mu.Lock()
	defer j.mu.Unlock()
	for id, s := range j.disabled {
		if s.IntentID == intentID && !s.Until.IsZero() {
			return client.OpEnableService, id, true
		}
	}
	return "", "", false
}
