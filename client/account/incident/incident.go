// Package incident computes what is going on in an account: which incidents are not over, what silences them, and for
// how long services have been disabled. It draws nothing and sends nothing; panes, notifications and the handover read
// the same model.
package incident

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"lookout/client"
)

// TicketState is what is known about the ticket of an issue.
type TicketState string

// The states of a ticket.
const (
	TicketUnknown TicketState = "unknown" // it could not be read, or has not been read yet
	TicketOpen    TicketState = "open"
	TicketClosed  TicketState = "closed"
)

// StateOfTicket returns the state of a ticket that has been read; unknown if the answer does not say.
func StateOfTicket(t client.Ticket) TicketState {
	switch {
	case t.Status.Raw() == "" && t.Closed.IsZero():
		return TicketUnknown
	case t.IsOpen():
		return TicketOpen
	}
	return TicketClosed
}

// A Phase is how far an incident is.
type Phase string

// The phases. An incident is over only if none of its services is down because of it and its ticket is closed, or there
// are no tickets. Once its services were seen ok in that state it stays over, whatever becomes of them.
const (
	Open      Phase = "open"      // its ticket is open, or one of its services is down because of it
	Uncertain Phase = "unknown"   // nothing says whether it is over
	Recovered Phase = "recovered" // its ticket is unknown, but its services were seen well after it was detected
	Over      Phase = "over"
	// Lapsed is uncertain for so long that it needs nobody any more, or newer issues stand for its services.
	Lapsed Phase = "lapsed"
)

// AccountSnapshot is what was read of an account.
type AccountSnapshot struct {
	Services    []*client.Service // those read so far
	AllServices bool              // there are no others
	Issues      []*client.Issue
	Ticket      func(id int) TicketState       // nil if the API has no tickets
	WasOpen     func(ticket int) bool          // whether it was open when it was last read; nil knows nothing
	Closed      func(ticket int) time.Time     // when a ticket was closed; nil knows nothing
	Disabled    func(service int) DisabledInfo // why a disabled service is disabled; nil knows nothing
	Healthy     func(service int) time.Time    // when a service was last seen ok; nil knows nothing
	DownSince   func(service int) time.Time    // when it was seen down after it was ok; nil knows nothing
	Now         time.Time
}

// AffectedService is a service that an issue names.
type AffectedService struct {
	ID      int
	Row     *client.Service // nil if it is deleted or has not been read
	Deleted bool
	Down    bool // it has a problem because of this incident
	// Newer is the issue because of which the service is down, if that is not this one; 0 if there is none.
	Newer   int
	Silence *DisabledInfo
}

// An Incident is an issue with what is known about its course.
type Incident struct {
	Issue    *client.Issue
	Phase    Phase
	Ticket   TicketState
	Services []AffectedService // in the order of the issue
}

// Unresolved reports whether the incident may still need somebody: it is open, or nothing says that it is not.
func (i Incident) Unresolved() bool { return i.Phase == Open || i.Phase == Uncertain }

// Down reports whether one of the services is down because of the incident.
func (i Incident) Down() bool {
	return slices.ContainsFunc(i.Services, func(s AffectedService) bool { return s.Down })
}

// Silenced reports whether the incident is not over and one of its services is disabled, so that nobody is alerted.
func (i Incident) Silenced() bool {
	return i.Unresolved() && slices.ContainsFunc(i.Services, func(s AffectedService) bool { return s.Silence != nil })
}

// Well reports whether the services were seen and none of them has a problem or is disabled.
func (i Incident) Well() bool {
	return len(i.Services) > 0 && !slices.ContainsFunc(i.Services, func(s AffectedService) bool {
		return s.Row == nil || s.Row.Status != client.StatusOK
	})
}

// Incidents holds the incidents and alerts of an account at one moment. It never changes.
type Incidents struct {
	incidents []Incident      // newest first
	issues    []*client.Issue // of the incidents
	byIssue   map[int]int
	byService map[int][]int // newest first
	services  map[int]*client.Service
	alerts    []Alert
	count     map[Phase]int
}

// lapsesAfter is how long an incident may need somebody although nothing more can be learned of it: its services are
// deleted, or it names none.
const lapsesAfter = 24 * time.Hour

// New computes the model.
func New(f AccountSnapshot) *Incidents {
	m := &Incidents{
		byIssue:   map[int]int{},
		byService: map[int][]int{},
		services:  make(map[int]*client.Service, len(f.Services)),
		count:     map[Phase]int{},
	}
	for _, s := range f.Services {
		m.services[s.ID] = s
	}
	issues := slices.Clone(f.Issues)
	slices.SortStableFunc(issues, func(i, j *client.Issue) int {
		return cmp.Or(j.Created.Time().Compare(i.Created.Time()), j.ID-i.ID)
	})
	m.issues = issues
	for n, issue := range issues {
		m.byIssue[issue.ID] = n
		for _, id := range issue.Services {
			if of := m.byService[id]; len(of) == 0 || of[len(of)-1] != n {
				m.byService[id] = append(of, n)
			}
		}
	}
	for n, issue := range issues {
		m.incidents = append(m.incidents, m.incident(f, issue, n))
		m.count[m.incidents[n].Phase]++
	}
	m.alerts = m.findAlerts(f)
	return m
}

// incident computes the incident of the issue at position n.
func (m *Incidents) incident(f AccountSnapshot, issue *client.Issue, n int) Incident {
	i := Incident{Issue: issue, Ticket: TicketUnknown, Services: make([]AffectedService, len(issue.Services))}
	hasTicket := f.Ticket != nil && issue.Ticket.ID != 0
	if hasTicket {
		i.Ticket = f.Ticket(issue.Ticket.ID)
	}
	var down, unseen, unwell, gone, replaced bool
	seenOver := m.seenOver(f, i, hasTicket)
	unwell = hasTicket && i.Ticket == TicketUnknown && f.WasOpen != nil && f.WasOpen(issue.Ticket.ID)
	for at, id := range issue.Services {
		row := m.services[id]
		s := AffectedService{ID: id, Row: row, Deleted: row == nil && f.AllServices}
		newest := m.byService[id][0] == n
		switch {
		case s.Deleted:
			gone, replaced = gone || newest, replaced || !newest
		case row == nil:
			unseen = unseen || newest
			replaced = replaced || !newest
		case row.Status == client.StatusOK:
		case row.Status == client.StatusProblem:
			if s.Down = newest && !seenOver || i.Ticket == TicketOpen; !s.Down && !newest {
				s.Newer = m.issueOf(id)
			}
			down, replaced = down || s.Down, replaced || !s.Down
		case row.Status == client.StatusDisabled && i.Ticket == TicketClosed:
		default:
			if row.Status == client.StatusDisabled {
				s.Silence = f.disabledInfo(id)
			}
			seenWell := f.seenHealthySince(id, issue)
			unwell = unwell || newest && !seenWell
			replaced = replaced || !newest && !seenWell
		}
		i.Services[at] = s
	}
	uncertain := Uncertain
	if f.Now.Sub(issue.Created.Time()) >= lapsesAfter {
		uncertain = Lapsed
	}
	switch closed := i.Ticket == TicketClosed; {
	case i.Ticket == TicketOpen, down:
		i.Phase = Open
	case (unseen || unwell) && !closed:
		i.Phase = Uncertain
	case unseen, unwell:
		i.Phase = uncertain
	case closed:
		i.Phase = Over
	case gone, len(issue.Services) == 0:
		i.Phase = uncertain
	case !hasTicket:
		i.Phase = Over
	case replaced:
		i.Phase = Lapsed
	default:
		i.Phase = Recovered
	}
	return i
}

// issueOf returns the newest issue of a service.
func (m *Incidents) issueOf(service int) int { return m.issues[m.byService[service][0]].ID }

// disabledInfo returns what is known about a disabled service.
func (f AccountSnapshot) disabledInfo(service int) *DisabledInfo {
	d := DisabledInfo{}
	if f.Disabled != nil {
		d = f.Disabled(service)
	}
	return &d
}

// seenHealthySince reports whether a service was seen ok after an issue was detected.
func (f AccountSnapshot) seenHealthySince(service int, issue *client.Issue) bool {
	return f.Healthy != nil && f.Healthy(service).After(issue.Created.Time())
}

// seenOver reports whether each service of an incident that is not deleted was seen ok after its ticket was closed, or
// if there are no tickets, after it was detected: not so soon that the reading may be behind.
func (m *Incidents) seenOver(f AccountSnapshot, i Incident, hasTicket bool) bool {
	over := i.Issue.Created.Time()
	if hasTicket {
		if i.Ticket != TicketClosed || f.Closed == nil {
			return false
		}
		closed := f.Closed(i.Issue.Ticket.ID)
		if closed.IsZero() {
			return false
		}
		over = slices.MaxFunc([]time.Time{over, closed}, time.Time.Compare)
	}
	over = over.Add(staleFor + clockTolerance)
	seen := false
	for _, id := range i.Issue.Services {
		if f.AllServices && m.services[id] == nil {
			continue
		}
		if seen = f.Healthy != nil && f.Healthy(id).After(over); !seen {
			return false
		}
	}
	return seen
}

// All returns the incidents, newest first. The caller must not change them.
func (m *Incidents) All() []Incident { return m.incidents }

// Of returns the incident of an issue, and whether the issue is among those read.
func (m *Incidents) Of(issue int) (Incident, bool) {
	n, found := m.byIssue[issue]
	if !found {
		return Incident{}, false
	}
	return m.incidents[n], true
}

// Unresolved returns the incident that stands for a service now: the newest that is open, otherwise the newest of which
// nothing says whether it is over. It reports false if there is none.
func (m *Incidents) Unresolved(service int) (Incident, bool) {
	for _, phase := range []Phase{Open, Uncertain} {
		for _, n := range m.byService[service] {
			if m.incidents[n].Phase == phase {
				return m.incidents[n], true
			}
		}
	}
	return Incident{}, false
}

// Count returns how many incidents are open, and of how many nothing says whether they are over.
func (m *Incidents) Count() (open, uncertain int) {
	return m.count[Open], m.count[Uncertain]
}

// An Alert is something that needs attention: a service that is down or has an unresolved incident, or an unresolved
// incident without such a service.
type Alert struct {
	Service  *client.Service // nil if the service is deleted or has not been read
	ID       int             // of the service; 0 if the issue names none
	Incident *Incident       // nil if the service is down without an unresolved incident
	// DownSince is when a service without an unresolved incident was seen down after it was ok; zero if it was not.
	DownSince time.Time
}

// Down reports whether the service has a problem.
func (c Alert) Down() bool { return c.Service != nil && c.Service.Status == client.StatusProblem }

// Since returns when the incident was detected; without one, when the service was seen down, or the zero time.
func (c Alert) Since() time.Time {
	if c.Incident == nil {
		return c.DownSince
	}
	return c.Incident.Issue.Created.Time()
}

// Alerts returns what needs attention: services that are down, then open incidents, then uncertain ones; in each
// group the oldest first. The caller must not change them.
func (m *Incidents) Alerts() []Alert { return m.alerts }

// findAlerts collects the alerts of services, and those of unresolved incidents that name no service that is read.
func (m *Incidents) findAlerts(f AccountSnapshot) []Alert {
	var all []Alert
	for _, s := range f.Services {
		c := Alert{Service: s, ID: s.ID}
		if i, found := m.Unresolved(s.ID); found {
			c.Incident = &i
		} else if c.Down() && f.DownSince != nil {
			c.DownSince = f.DownSince(s.ID)
		}
		if c.Incident != nil || c.Down() {
			all = append(all, c)
		}
	}
	for n := range m.incidents {
		i := &m.incidents[n]
		if i.Unresolved() && !slices.ContainsFunc(i.Services, func(s AffectedService) bool { return s.Row != nil }) {
			c := Alert{Incident: i}
			if len(i.Services) > 0 {
				c.ID = i.Services[0].ID
			}
			all = append(all, c)
		}
	}
	sort.SliceStable(all, func(i, j int) bool {
		return cmp.Or(all[i].rank()-all[j].rank(), all[i].Since().Compare(all[j].Since())) < 0
	})
	return all
}

// rank orders alerts by urgency.
func (c Alert) rank() int {
	switch {
	case c.Down():
		return 0
	case c.Incident.Phase == Open:
		return 1
	}
	return 2
}
