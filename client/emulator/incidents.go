package emulator

import (
	"slices"
	"time"
)

// advance lets time act: checks that are due are made, and in a lively account a service fails every few minutes and
// recovers.
func (e *Emulator) advance() {
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

// incidentInterval is how often something happens, and trouble lasts half as long.
const incidentInterval = 3 * time.Minute

// startIncident makes one of the services that are well fail, and files its issue.
func (e *Emulator) startIncident(turn int, at time.Time) {
	well := slices.DeleteFunc(slices.Clone(e.services), func(s *service) bool { return s.Status != "ok" })
	if len(well) == 0 {
		return
	}
	s := well[turn*5%len(well)]
	s.Status, s.recoversAt, s.Updated = "problem", at.Add(incidentInterval/2), timestamp(at)
	e.addIssue(900+turn, 49_000+turn, at, s.Label, []int{s.ID}, false)
}

// closeTickets ends the tickets of a service's issues.
func (e *Emulator) closeTickets(service int, at time.Time) {
	for _, i := range e.issues {
		if !slices.Contains(i.Services, service) {
			continue
		}
		for _, t := range e.tickets {
			if t.ID == i.Entity.ID && t.Status == "open" {
				t.Status, t.Closed = "closed", timestamp(at)
			}
		}
	}
}
