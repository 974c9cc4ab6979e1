package incident

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"time"

	"lookout/client"
)

// A ServiceChangeKind says in what a service differs from what was last seen of it.
type ServiceChangeKind string

// The kinds of differences.
const (
	Disabled  ServiceChangeKind = "disabled"
	Enabled   ServiceChangeKind = "enabled"
	Edited    ServiceChangeKind = "edited"
	Created   ServiceChangeKind = "added"
	Deleted   ServiceChangeKind = "deleted"
	Failed    ServiceChangeKind = "problem"
	Healed    ServiceChangeKind = "recovered"
	OddStatus ServiceChangeKind = "status" // a status that the document does not name
)

// A ServiceChange is something that changed between two reads of the services.
type ServiceChange struct {
	Kind   ServiceChangeKind
	ID     int    // of the service
	Label  string // clean; as it was before, if it was edited
	Fields []string
	Status client.ServiceStatus
	from   time.Time // when the service was last seen without the difference
	to     time.Time // when it was seen with it
}

// A JournaledChange is a change of a service that this machine's journal has, unless it was refused.
type JournaledChange struct {
	Op    string // one of the client's operations
	ID    string // of the service; "" for a new one
	Label string
	At    time.Time
	Late  bool // readings did not show it in time: another message tells when it arrives
	// Members are those of the request that an edit explains. An edit without any, whose request is not known, explains
	// all; a late one none.
	Members []string
}

// edited returns the fields that somebody else has edited beside this change.
func (c JournaledChange) edited(fields []string) []string {
	if len(c.Members) == 0 && !c.Late {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(fields), func(field string) bool {
		return slices.ContainsFunc(c.Members, func(member string) bool { return fieldOf(member) == field })
	})
}

// staleFor is how long a list may be behind the changes of the service: a row that is missing in it so soon after it
// appeared, or there so soon after it was gone, is no difference yet.
const staleFor = 2 * time.Minute

// A ServiceSnapshot is a list of services as it was read.
type ServiceSnapshot struct {
	Services []*client.Service
	Complete bool      // these are all services
	Read     time.Time // when the list was read; a row may have been changed by this program since
	Now      time.Time
	values   string // the fingerprint of the row that is observed
}

// Observe compares services with what was last seen of them, remembers what is seen now, and returns the differences.
// The first complete list makes no difference. Rows that are older than what was seen in the last client.MaxReplicaLag
// come from a replica that is behind, and are ignored.
func (m *Observations) Observe(seen ServiceSnapshot) []ServiceChange {
	var found []ServiceChange
	first, at := m.Read.IsZero(), seen.Now
	if first && !seen.Complete {
		return nil
	}
	listed := make(map[int]bool, len(seen.Services))
	for _, s := range seen.Services {
		listed[s.ID] = true
		before, known := m.Services[s.ID]
		behind := s.Updated.Valid() && s.Updated.Time().Before(before.Updated) &&
			at.Sub(before.At).Abs() < client.MaxReplicaLag
		if known && (behind || isFresh(before.Deleted, at)) {
			continue
		}
		if known && sameValues(m.rows[s.ID], s) {
			seen.values = before.Values
		} else {
			seen.values = fingerprint(s)
		}
		m.rows[s.ID] = s
		now, differences := before.observe(s, seen)
		if (!known || !before.Deleted.IsZero()) && !first {
			differences = append(differences, ServiceChange{Kind: Created})
		}
		if !known || now.differs(before) {
			m.changes++
		}
		m.Services[s.ID] = now
		for _, d := range differences {
			d.ID, d.to, d.from = s.ID, at, before.At
			d.Label = cmp.Or(before.Label, now.Label)
			found = append(found, d)
		}
	}
	if seen.Complete {
		found = append(found, m.observeMissing(listed, at)...)
		m.Read = at
	}
	return found
}

// isFresh reports whether something happened so recently that a list may not know of it yet.
func isFresh(t, now time.Time) bool { return !t.IsZero() && now.Sub(t) < staleFor }

// observeMissing returns the services that are not listed any more.
func (m *Observations) observeMissing(listed map[int]bool, at time.Time) []ServiceChange {
	var found []ServiceChange
	for id, s := range m.Services {
		switch {
		case listed[id] || isFresh(s.First, at):
		case s.Deleted.IsZero():
			found = append(found, ServiceChange{
				Kind:  Deleted,
				ID:    id,
				Label: s.Label,
				from:  s.At,
				to:    at,
			})
			s.Deleted = at
			m.Services[id] = s
			m.changes++
		case at.Sub(s.Deleted) > 24*time.Hour:
			delete(m.Services, id)
			delete(m.rows, id)
			m.changes++
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].ID < found[j].ID })
	return found
}

// observe returns what is seen of a service now, and how that differs from what was seen before; the zero Seen is of a
// service that was never seen.
func (s ServiceObservation) observe(row *client.Service, seen ServiceSnapshot) (ServiceObservation, []ServiceChange) {
	now, at := s, seen.Now
	now.Label, now.Updated = client.Clean(cut(row.Label.Raw())), row.Updated.Time()
	now.Status = client.ServiceStatus(cut(string(row.Status)))
	now.Values, now.At, now.Deleted = seen.values, at, time.Time{}
	if now.First.IsZero() {
		now.First = at
		if row.Created.Valid() && row.Created.Time().Before(at) {
			now.First = row.Created.Time()
		}
	}
	var found []ServiceChange
	if changed := differingFields(s.Values, now.Values); len(changed) > 0 {
		found = append(found, ServiceChange{Kind: Edited, Fields: changed})
	}
	wasDisabled := s.Status == client.StatusDisabled
	switch row.Status {
	case client.StatusDisabled:
		now.disable(s, at)
		if s.Status != "" && !wasDisabled {
			found = append(found, ServiceChange{Kind: Disabled})
		}
		return now, found
	case client.StatusProblem:
		if now.Down = true; !s.Down {
			now.DownSince = at
		}
		if s.Status != "" && s.Status != client.StatusProblem && !(s.Down && s.Status == client.StatusPending) {
			found = append(found, ServiceChange{Kind: Failed})
		}
	case client.StatusOK:
		now.Down, now.Healthy = false, seen.Read
		if s.Down {
			now.LastOutage, now.DownSince = Outage{s.DownSince, at}, time.Time{}
			found = append(found, ServiceChange{Kind: Healed})
		}
	case client.StatusPending:
	default:
		if s.Status != "" && s.Status != now.Status {
			found = append(found, ServiceChange{Kind: OddStatus, Status: now.Status})
		}
	}
	now.Enabled, now.Disabled, now.Exact = seen.Read, time.Time{}, false
	if wasDisabled {
		found = slices.Insert(found, 0, ServiceChange{Kind: Enabled})
	}
	return now, found
}

// sameValues reports whether what can be edited of two rows is the same; not if one is nil.
func sameValues(a, b *client.Service) bool {
	return a != nil && b != nil && a.Label == b.Label && a.Type == b.Type && a.Address == b.Address &&
		a.Timeout == b.Timeout && a.Body == b.Body && a.Group == b.Group && a.Notes == b.Notes &&
		a.Region == b.Region && slices.Equal(a.Credentials, b.Credentials)
}

// cut returns a text in the length that the document allows for labels, and a little more.
func cut(label string) string {
	const most = 100
	n := 0
	for i := range label {
		if n++; n > most {
			return label[:i] + "…"
		}
	}
	return label
}

// disable remembers since when the service has been disabled. An edit does not make that later.
func (s *ServiceObservation) disable(before ServiceObservation, at time.Time) {
	if !before.Disabled.IsZero() {
		return
	}
	s.Disabled = at
	if s.Updated.Before(at) && s.Updated.After(before.Enabled) {
		s.Disabled = s.Updated // it was disabled by its last change, or before
	}
}

// differs reports whether the file should hold what is seen now: not if the service is as it was.
func (s ServiceObservation) differs(before ServiceObservation) bool {
	before.At, before.Enabled, before.Healthy = s.At, s.Enabled, s.Healthy
	return s != before
}

// SetDisabled remembers that this machine disabled a service at a time, unless it was disabled before or was seen
// enabled later.
func (m *Observations) SetDisabled(service int, at time.Time) {
	s, known := m.Services[service]
	if !known || s.Status != client.StatusDisabled || s.Enabled.After(at.Add(clockTolerance)) ||
		!at.Before(s.Disabled) {
		return
	}
	s.Disabled, s.Exact = at, true
	m.Services[service] = s
	m.changes++
}

// operation returns the operation that causes a kind of difference; "" if only monitoring does.
func (k ServiceChangeKind) operation() string {
	switch k {
	case Disabled:
		return client.OpDisableService
	case Enabled:
		return client.OpEnableService
	case Edited:
		return client.OpUpdateService
	case Created:
		return client.OpCreateService
	case Deleted:
		return client.OpDeleteService
	case Failed, Healed, OddStatus:
	}
	return ""
}

// lateFor is how long before a difference was seen the change that caused it may have been sent: the answer may have
// been lost and the change applied later. A change that readings did not show in time may arrive within a day.
const (
	lateFor     = 3 * time.Minute
	veryLateFor = 24 * time.Hour
)

// ByOthers returns the differences that no change of this machine caused, and remembers them. Each change explains only
// one difference of its kind, so that the same change by somebody else afterwards is still noticed.
func (m *Observations) ByOthers(found []ServiceChange, own []JournaledChange) []ServiceChange {
	var others []ServiceChange
	latest := map[int]JournaledChange{}
	for _, d := range found {
		explained := false
		for _, c := range own {
			if explained && d.Kind != Edited || !c.explains(d, m.Services[d.ID]) {
				continue
			}
			left := c.edited(d.Fields)
			if d.Kind == Edited && len(left) == len(d.Fields) {
				continue
			}
			d.Fields, explained = left, true
			if !c.At.Before(latest[d.ID].At) {
				latest[d.ID] = c
			}
		}
		if !explained || len(d.Fields) > 0 {
			others = append(others, d)
		}
	}
	for id, c := range latest {
		if s, known := m.Services[id]; known {
			s.Own, s.OwnOp = c.At, c.Op
			m.Services[id] = s
		}
	}
	m.rememberElsewhere(others)
	return others
}

// explains reports whether a change can have caused a difference, and has not explained an earlier one of the service.
func (c JournaledChange) explains(d ServiceChange, s ServiceObservation) bool {
	unused := c.At.After(s.Own) || c.At.Equal(s.Own) && c.Op != s.OwnOp
	wait := lateFor
	if c.Late {
		wait = veryLateFor
	}
	return c.Op == d.Kind.operation() && c.Op != "" && unused &&
		!c.At.Before(d.from.Add(-wait)) && !c.At.After(d.to) &&
		(c.ID == strconv.Itoa(d.ID) || c.ID == "" && c.Label == d.Label)
}

// Earliest returns the time from which changes may have caused the differences.
func Earliest(found []ServiceChange) time.Time {
	first := time.Time{}
	for n, d := range found {
		if n == 0 || d.from.Before(first) {
			first = d.from
		}
	}
	return first.Add(-veryLateFor)
}
