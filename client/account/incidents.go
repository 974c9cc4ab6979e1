package account

import (
	"slices"
	"sort"
	"time"

	"lookout/client"
	"lookout/client/account/incident"
	"lookout/client/account/join"
)

// Incidents returns what is going on, as far as services, issues and tickets have been read.
func (a *Account) Incidents() *incident.Incidents {
	if kept, fresh := freshMemo[*incident.Incidents](a, "incidents"); fresh {
		return kept
	}
	services, issues := a.Services(), a.Issues()
	ticket := a.Tickets.State
	if !a.API.HasTickets() {
		ticket = nil
	}
	return Memo(a, "incidents", func() *incident.Incidents {
		return incident.New(incident.AccountSnapshot{
			Services:    services.Rows(),
			AllServices: services.Complete() && len(services.Missing()) == 0,
			Issues:      issues.Rows(),
			Ticket:      ticket,
			Disabled:    func(id int) incident.DisabledInfo { return a.disabledInfo(id) },
			Healthy:     func(id int) time.Time { return a.memory.observations().HealthySince(id) },
			DownSince:   func(id int) time.Time { return a.memory.observations().DownSince(id) },
			WasOpen:     func(id int) bool { return a.memory.observations().TicketWasOpen(id) },
			Closed:      a.Tickets.Closed,
			Now:         a.Now(),
		})
	}, a.IncidentSources()...)
}

// LastTimes returns what is known of the last time of each service of an issue; see incident.LastTime.
func (a *Account) LastTimes(i *client.Issue) []incident.LastTime {
	all := a.Incidents()
	found, known := all.Of(i.ID)
	if !known {
		return nil
	}
	return all.LastTimes(found, a.memory.observations())
}

// ChangesOfLastTime returns the changes of a service around the last time, newest first, from this machine and
// elsewhere.
func (a *Account) ChangesOfLastTime(l incident.LastTime) join.Joined[RecentChange] {
	from, to := l.Span()
	return join.Derive(a.RecentChanges(), func(all []RecentChange) []RecentChange {
		var found []RecentChange
		for _, c := range all {
			if c.At.Before(from) {
				break
			}
			if c.Service() == FormatID(l.Service) && !c.At.After(to) {
				found = append(found, c)
			}
		}
		return found
	})
}

// IncidentsByUrgency returns the incidents that are open, then those of which nothing says whether they are over, then
// the others; the newest first in each group.
func (a *Account) IncidentsByUrgency() []incident.Incident {
	return Memo(a, "incidents by urgency", func() []incident.Incident {
		rows := slices.Clone(a.Incidents().All())
		sort.SliceStable(rows, func(i, j int) bool { return urgency(rows[i]) < urgency(rows[j]) })
		return rows
	}, a.IncidentSources()...)
}

// urgency orders incidents: those that are open come first.
func urgency(i incident.Incident) int {
	switch i.Phase {
	case incident.Open:
		return 0
	case incident.Uncertain:
		return 1
	case incident.Recovered, incident.Over, incident.Lapsed:
	}
	return 2
}

// IncidentSources returns what incidents are computed from, for memos of what is computed from incidents.
func (a *Account) IncidentSources() []Versioned {
	return []Versioned{a.Services(), a.Issues(), &a.Tickets, a.Journal, &a.memory, hours{a}}
}

// hours is the clock as a source of memos: what depends on it is computed again every hour.
type hours struct{ a *Account }

// Version returns the hour.
func (h hours) Version() int { return int(h.a.Now().Unix() / 3600) }

// IncidentState returns how much is known about incidents: they are computed from issues and services.
func (a *Account) IncidentState() join.JoinState {
	return join.StateOf(a.Issues()).Worst(join.StateOf(a.Services()))
}

// UnresolvedIncident returns the incident that stands for a service now, if there is one.
func (a *Account) UnresolvedIncident(service int) join.Joined[incident.Incident] {
	state := join.StateOf(a.Issues())
	if i, found := a.Incidents().Unresolved(service); found {
		return join.Join([]incident.Incident{i}, state)
	}
	return join.Join[incident.Incident](nil, state)
}

// DisabledInfo returns since when, until when, by whom and why a service is disabled. It reports false for a service
// that is neither disabled nor in a window that began after it was read.
func (a *Account) DisabledInfo(s *client.Service) (incident.DisabledInfo, bool) {
	if _, began := a.unreadWindow(s); s.Status != client.StatusDisabled && !began {
		return incident.DisabledInfo{}, false
	}
	d := a.disabledInfo(s.ID)
	d.Since = a.disabledAges.since(s.ID, d.Since, a.Now())
	return d, true
}

// A steadyAges holds for how long services have been disabled, as it was last said: these ages never shrink, even if
// the clock is set back. The zero value is ready to use.
type steadyAges struct{ said map[int]saidAge }

// A saidAge is an age that was said at a moment.
type saidAge struct {
	since time.Time
	age   time.Duration
	at    time.Time // with a monotonic reading
}

// clockStep is by how much a clock that is not set back may differ from the one that measures durations.
const clockStep = 5 * time.Second

// since returns the time since which a service has been disabled, on the clock as it is now.
func (a *steadyAges) since(service int, since, now time.Time) time.Time {
	if since.IsZero() {
		return since
	}
	age, last := now.Sub(since), a.said[service]
	if grown := last.age + time.Since(last.at); last.since.Equal(since) && grown-age > clockStep {
		age = grown
	}
	if a.said == nil {
		a.said = map[int]saidAge{}
	}
	a.said[service] = saidAge{since, age, time.Now()}
	return now.Add(-age)
}

// disabledInfo returns what is known about a disabled service.
func (a *Account) disabledInfo(id int) incident.DisabledInfo {
	var updated time.Time
	if s, found := a.Services().Get(FormatID(id)); found {
		updated = s.Updated.Time()
	}
	w, held := a.Journal.ActiveWindow(FormatID(id))
	if !held {
		d := a.memory.observations().DisabledInfo(id, updated, nil)
		d.Perhaps = incident.MayHaveDisabled(id, a.Journal.UnresolvedEntries(a.Now().Add(-unresolvedAge)))
		return d
	}
	return a.memory.observations().DisabledInfo(id, updated, &w)
}
