package emulator

import (
	"slices"
	"time"
)

// advance updates the account to the current time: it applies late changes, ends checks that are due and, with
// SimulateIncidents, makes services fail and recover.
func (e *Emulator) advance() {
	e.applyLateChanges()
	e.passTime()
}

// passTime does what happens to the account without requests.
func (e *Emulator) passTime() {
	now := e.now()
	for _, s := range e.services {
		s.finishCheck(now)
	}
	if !e.options.SimulateIncidents {
		return
	}
	turn := int(now.Sub(e.started) / incidentInterval)
	for e.incidentCount < turn {
		e.incidentCount++
		e.startIncident(e.incidentCount, e.started.Add(time.Duration(e.incidentCount)*incidentInterval))
	}
	for _, s := range e.services {
		if s.Status == "problem" && !s.recoversAt.IsZero() && !now.Before(s.recoversAt) {
			s.Status, s.recoversAt, s.Updated = "ok", time.Time{}, timestamp(now)
			e.closeTickets(s.ID, now)
		}
	}
}

// incidentInterval is the time between two incidents. An incident lasts half as long.
const incidentInterval = 3 * time.Minute

// startIncident makes a healthy service fail and opens an issue.
func (a *account) startIncident(turn int, at time.Time) {
	healthy := slices.DeleteFunc(slices.Clone(a.services), func(s *service) bool { return s.Status != "ok" })
	if len(healthy) == 0 {
		return
	}
	s := healthy[turn*5%len(healthy)]
	s.Status, s.recoversAt, s.Updated = "problem", at.Add(incidentInterval/2), timestamp(at)
	a.addIssue(900+turn, 49_000+turn, at, s.Label, []int{s.ID})
}

// closeTickets closes the tickets of a service's issues.
func (a *account) closeTickets(service int, at time.Time) {
	for _, i := range a.issues {
		if !slices.Contains(i.Services, service) {
			continue
		}
		for _, t := range a.tickets {
			if t.ID == i.Entity.ID && t.Status == "open" {
				t.close(at)
			}
		}
	}
}

// FailService makes a service fail and opens an issue with a ticket. It returns the id of the issue, or 0 if there is
// no such service. It stays down until RecoverService.
func (e *Emulator) FailService(id int) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := findByID(e.services, id, func(x *service) int { return x.ID })
	if s == nil {
		return 0
	}
	e.advance()
	s.Status, s.checkDue, s.Updated = "problem", time.Time{}, e.timestampNow()
	issue := e.nextID() + 9000
	e.addIssue(issue, issue+50_000, e.now(), s.Label, []int{id})
	return issue
}

// RecoverService makes a failing service healthy again. Its tickets stay as they are.
func (e *Emulator) RecoverService(id int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := findByID(e.services, id, func(x *service) int { return x.ID })
	if s != nil && s.Status == "problem" {
		s.Status, s.Updated = "ok", e.timestampNow()
	}
}

// CloseTicket closes the ticket of the issue with an id.
func (e *Emulator) CloseTicket(id int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	i := findByID(e.issues, id, func(x *issue) int { return x.ID })
	for _, t := range e.tickets {
		if i != nil && t.ID == i.Entity.ID {
			t.close(e.now())
		}
	}
}
