package incident

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	"lookout/client"
	"lookout/client/visible"
)

// Observations are what was seen of an account, and when. They are kept in a file, so that ages and changes by others
// survive the end of the program. Their content came from a server: labels are clean, states are cleaned where they are
// drawn.
type Observations struct {
	Version  int                        `json:"version"`
	Read     time.Time                  `json:"read,omitzero"` // when all services were read for the last time
	Services map[int]ServiceObservation `json:"services"`
	Issues   map[int]time.Time          `json:"issues,omitempty"`       // known issues, and when they were last seen
	Tickets  map[int]time.Time          `json:"open_tickets,omitempty"` // open tickets, and when they were read
	// all issues were read once
	IssuesRead bool             `json:"issues_read,omitempty"`
	Elsewhere  []ExternalChange `json:"changes_elsewhere,omitempty"` // oldest first
	changes    int
	rows       map[int]*client.Service // as observed last, so that only what has changed is hashed
}

// ServiceObservation is what was last seen of a service.
type ServiceObservation struct {
	Label   string               `json:"label"`
	Status  client.ServiceStatus `json:"status"`
	Updated time.Time            `json:"updated,omitzero"`
	Values  string               `json:"values"` // a fingerprint of each member that can be edited
	First   time.Time            `json:"first,omitzero"`
	At      time.Time            `json:"at"`
	Enabled time.Time            `json:"enabled,omitzero"` // when it was last seen not disabled
	Healthy time.Time            `json:"healthy,omitzero"` // when it was last seen ok
	// it has been disabled since then, or longer unless Exact; zero if it is not disabled
	Disabled time.Time `json:"disabled,omitzero"`
	Exact    bool      `json:"exact,omitempty"`
	Down     bool      `json:"down,omitempty"` // it had a problem when it was last checked
	// since then, at the latest; zero if it is not down
	DownSince  time.Time `json:"down_since,omitzero"`
	LastOutage Outage    `json:"last_outage,omitzero"` // the last one that is over
	Own        time.Time `json:"own,omitzero"`         // the latest change of this machine that explained a difference
	OwnOp      string    `json:"own_op,omitempty"`     // its operation
	Deleted    time.Time `json:"deleted,omitzero"`     // when it was first missing in the list
}

// memoryVersion is the version of the file's format.
const memoryVersion = 1

// NewMemory returns a memory of nothing.
func NewMemory() *Observations {
	return &Observations{
		Version:  memoryVersion,
		Services: map[int]ServiceObservation{},
		Issues:   map[int]time.Time{},
		Tickets:  map[int]time.Time{},
		rows:     map[int]*client.Service{},
	}
}

// Load returns the memory of a file; one of nothing if the file is empty or missing.
func Load(data []byte) (*Observations, error) {
	m := NewMemory()
	if len(data) == 0 {
		return m, nil
	}
	if err := json.Unmarshal(data, m); err != nil {
		return NewMemory(), fmt.Errorf("state: %w", err)
	}
	if m.Version != memoryVersion {
		return NewMemory(), fmt.Errorf("state: version %d is not known to this version of lookout", m.Version)
	}
	clean := NewMemory()
	clean.Read, clean.IssuesRead = m.Read, m.IssuesRead
	for id, s := range m.Services {
		s.Label = visible.Show(s.Label)
		clean.Services[id] = s
	}
	for _, c := range m.Elsewhere {
		c.Label, c.Kind = visible.Show(c.Label), ServiceChangeKind(visible.Show(string(c.Kind)))
		for n := range c.Fields {
			c.Fields[n] = visible.Show(c.Fields[n])
		}
		clean.addElsewhere(c)
	}
	maps.Copy(clean.Issues, m.Issues)
	maps.Copy(clean.Tickets, m.Tickets)
	return clean, nil
}

// Encode returns the content of the file.
func (m *Observations) Encode() ([]byte, error) {
	data, err := json.Marshal(m)
	return visible.EscapeJSON(data), err
}

// Clone returns a copy that can be encoded while the memory changes.
func (m *Observations) Clone() *Observations {
	c := *m
	c.Services, c.Issues, c.Tickets = maps.Clone(m.Services), maps.Clone(m.Issues), maps.Clone(m.Tickets)
	c.Elsewhere = slices.Clone(m.Elsewhere)
	return &c
}

// Changes returns a number that grows whenever something was seen that the file should hold: more than that a service
// is as it was.
func (m *Observations) Changes() int { return m.changes }

// Merge adds what another program has seen since: of each service what was seen later, but the earlier start of the
// time for which it has been disabled.
func (m *Observations) Merge(other *Observations) {
	for id, theirs := range other.Services {
		ours, held := m.Services[id]
		switch {
		case !held:
			m.Services[id] = theirs
			continue
		case theirs.At.After(ours.At):
			ours, theirs = theirs, ours
		}
		if disabled := theirs.Disabled; !ours.Disabled.IsZero() && !disabled.IsZero() &&
			disabled.Before(ours.Disabled) &&
			!ours.Enabled.After(disabled) {
			ours.Disabled, ours.Exact = disabled, theirs.Exact
		}
		if theirs.LastOutage.Up.After(ours.LastOutage.Up) {
			ours.LastOutage = theirs.LastOutage
		}
		if theirs.Healthy.After(ours.Healthy) {
			ours.Healthy = theirs.Healthy
		}
		m.Services[id] = ours
	}
	for id, at := range other.Issues {
		if at.After(m.Issues[id]) {
			m.Issues[id] = at
		}
	}
	for _, c := range other.Elsewhere {
		m.addElsewhere(c)
	}
	if other.Read.After(m.Read) {
		m.Read = other.Read
	}
}

// HealthySince returns when a service was last seen ok; the zero time if it never was.
func (m *Observations) HealthySince(service int) time.Time { return m.Services[service].Healthy }

// DownSince returns when a service that is down was seen down after it was ok; the zero time if it was not.
func (m *Observations) DownSince(service int) time.Time {
	if s := m.Services[service]; !s.Healthy.IsZero() {
		return s.DownSince
	}
	return time.Time{}
}

// EnabledSince reports whether a service was seen enabled after a time: a window that began then has ended.
func (m *Observations) EnabledSince(service int, t time.Time) bool {
	return m.Services[service].Enabled.After(t)
}

// fields are the members of a service that can be edited, in the order of their fingerprints.
func fields() []string {
	return []string{"label", "type", "address", "timeout", "expected body", "group", "credentials", "notes", "region"}
}

// fieldOf returns the name of a member of a request, as messages call it.
func fieldOf(member string) string {
	switch member {
	case "service_type":
		return "type"
	case "body":
		return "expected body"
	case "consultation_group":
		return "group"
	}
	return member
}

// longText is the length in bytes above which only the ends of a text count, and how long it is.
const longText = 64 << 10

// fingerprint returns a short hash of each member that can be edited.
func fingerprint(s *client.Service) string {
	r := s.Request()
	text := ""
	for _, value := range []any{
		r.Label, r.Type, r.Address, r.Timeout, r.Body, r.Group, r.Credentials, r.Notes, r.Region,
	} {
		h := fnv.New32a()
		if long, ok := value.(string); ok && len(long) > longText {
			value = fmt.Sprint(len(long), long[:longText/2], long[len(long)-longText/2:])
		}
		fmt.Fprint(h, value)
		text += fmt.Sprintf("%08x", h.Sum32())
	}
	return text
}

// differingFields returns the names of the members in which two fingerprints differ.
func differingFields(a, b string) []string {
	names := fields()
	if len(a) != 8*len(names) || len(b) != len(a) {
		return nil
	}
	var differ []string
	for n, name := range names {
		if a[8*n:8*n+8] != b[8*n:8*n+8] {
			differ = append(differ, name)
		}
	}
	return differ
}

// ObserveIssues remembers issues and returns those that were not known. The first list has none.
func (m *Observations) ObserveIssues(rows []*client.Issue, at time.Time) []*client.Issue {
	var found []*client.Issue
	first := len(m.Issues) == 0 && !m.IssuesRead
	m.IssuesRead = true
	listed := make(map[int]bool, len(rows))
	for _, i := range rows {
		listed[i.ID] = true
		if _, known := m.Issues[i.ID]; !known {
			m.changes++
			if !first {
				found = append(found, i)
			}
		}
		m.Issues[i.ID] = at
	}
	for id, seen := range m.Issues {
		if !listed[id] && at.Sub(seen) > 24*time.Hour {
			delete(m.Issues, id)
		}
	}
	return found
}

// SetTicket remembers whether a ticket is open.
func (m *Observations) SetTicket(id int, open bool, at time.Time) {
	_, was := m.Tickets[id]
	if open {
		m.Tickets[id] = at
	} else {
		delete(m.Tickets, id)
	}
	if was != open {
		m.changes++
	}
}

// TicketWasOpen reports whether a ticket was open when it was last read.
func (m *Observations) TicketWasOpen(id int) bool {
	_, open := m.Tickets[id]
	return open
}
