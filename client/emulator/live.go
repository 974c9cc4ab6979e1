package emulator

import (
	"slices"
	"time"
)

// live lets time act: checks that are due are made, and in a lively account a service fails every few minutes and recovers.
func (e *Emulator) live() {
	now := e.now()
	for _, s := range e.services {
		s.check(now)
	}
	if !e.options.Lively {
		return
	}
	turn := int(now.Sub(e.started) / every)
	for e.turn < turn {
		e.turn++
		e.happen(e.turn, e.started.Add(time.Duration(e.turn)*every))
	}
	for _, s := range e.services {
		if s.Status == "problem" && !s.recovers.IsZero() && !now.Before(s.recovers) {
			s.Status, s.recovers, s.Updated = "ok", time.Time{}, stamp(now)
			e.close(s.ID, now)
		}
	}
}

// every is how often something happens, and trouble lasts half as long.
const every = 3 * time.Minute

// happen makes one of the services that are well fail, and files its issue.
func (e *Emulator) happen(turn int, at time.Time) {
	well := slices.DeleteFunc(slices.Clone(e.services), func(s *service) bool { return s.Status != "ok" })
	if len(well) == 0 {
		return
	}
	s := well[turn*5%len(well)]
	s.Status, s.recovers, s.Updated = "problem", at.Add(every/2), stamp(at)
	e.report(900+turn, 49_000+turn, at, s.Label, []int{s.ID}, false)
}

// close ends the tickets of a service's issues.
func (e *Emulator) close(service int, at time.Time) {
	for _, i := range e.issues {
		if !slices.Contains(i.Services, service) {
			continue
		}
		for _, t := range e.tickets {
			if t.ID == i.Entity.ID && t.Status == "open" {
				t.Status, t.Closed = "closed", stamp(at)
			}
		}
	}
}
