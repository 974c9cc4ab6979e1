package incident

import (
	"time"

	"lookout/client"
)

// An Outage is when a service was seen down, and when it was seen ok again afterwards. Each may have happened earlier,
// after the read before.
type Outage struct {
	Down time.Time `json:"down,omitzero"` // zero if it was not seen
	Up   time.Time `json:"up,omitzero"`
}

// LastOutage returns the last outage of a service that had begun before a time and is over; zero if none was seen.
func (m *Observations) LastOutage(service int, before time.Time) Outage {
	if o := m.Services[service].LastOutage; o.Down.Before(before) && !o.Up.IsZero() {
		return o
	}
	return Outage{}
}

// A LastTime is what is known of the last time that a service had an issue or was seen down before an incident.
type LastTime struct {
	Service int
	Issue   *client.Issue // nil if the outage was seen, and no issue of that time is listed
	Outage  Outage        // zero if it was not seen
}

// aroundLastTime is how long before and after the last time changes may have to do with it.
const aroundLastTime = time.Hour

// Span returns the time whose changes may have to do with the last time.
func (l LastTime) Span() (from, to time.Time) {
	from, to = l.Outage.Down, l.Outage.Up
	if l.Issue != nil && (from.IsZero() || l.Issue.Created.Time().Before(from)) {
		from = l.Issue.Created.Time()
	}
	if to.IsZero() {
		to = from.Add(LoadSpan)
	}
	return from.Add(-aroundLastTime), to.Add(aroundLastTime)
}

// LastTimes returns the last time of each service of an incident of which something is known. An outage that was seen
// belongs to the newest issue that was detected before it ended.
func (m *Incidents) LastTimes(i Incident, seen *Observations) []LastTime {
	var all []LastTime
	detected := i.Issue.Created.Time()
	for _, s := range i.Services {
		l := LastTime{Service: s.ID, Outage: seen.LastOutage(s.ID, detected.Add(-clockTolerance))}
		for _, n := range m.byService[s.ID] {
			if earlier := m.incidents[n].Issue; earlier.ID != i.Issue.ID && earlier.Created.Time().Before(detected) {
				l.Issue = earlier
				break
			}
		}
		switch {
		case l.Issue == nil:
		case l.Outage.Up.Before(l.Issue.Created.Time()):
			l.Outage = Outage{} // of an earlier time
		case l.Outage.Down.Sub(l.Issue.Created.Time()) > lapsesAfter:
			l.Issue = nil // of an earlier time
		}
		if l.Issue != nil || !l.Outage.Up.IsZero() {
			all = append(all, l)
		}
	}
	return all
}
