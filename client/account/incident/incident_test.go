package incident_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/account/incident"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func service(id int, status client.ServiceStatus) *client.Service {
	return &client.Service{
		ID:      id,
		Label:   client.NewText(fmt.Sprint("service-", id)),
		Status:  status,
		Updated: client.NewTime(noon.Add(-48 * time.Hour)),
	}
}

func issue(id int, ago time.Duration, services ...int) *client.Issue {
	return &client.Issue{
		ID:       id,
		Created:  client.NewTime(noon.Add(-ago)),
		Ticket:   client.TicketRef{ID: 100 + id},
		Services: services,
	}
}

// An incident is over only if nothing of it is down and its ticket is closed, or there are no tickets. What nobody
// knows is uncertain, and never recovered.
func TestNew_phase(t *testing.T) {
	noServices := func(f *incident.AccountSnapshot) { f.Issues[0].Services = nil }
	noTickets := func(f *incident.AccountSnapshot) { f.Ticket = nil }
	const ok, problem, disabled, pending = client.StatusOK, client.StatusProblem, client.StatusDisabled,
		client.StatusPending
	for _, c := range []struct {
		name   string
		status client.ServiceStatus // of service 1; "" if it is deleted
		ago    time.Duration
		ticket incident.TicketState
		facts  func(*incident.AccountSnapshot)
		want   incident.Phase
	}{
		{"down, open", problem, time.Hour, incident.TicketOpen, nil, incident.Open},
		{"well, open", ok, time.Hour, incident.TicketOpen, nil, incident.Open},
		{"disabled, open", disabled, time.Hour, incident.TicketOpen, nil, incident.Open},
		{"deleted, open", "", 100 * time.Hour, incident.TicketOpen, nil, incident.Open},
		{"down, closed", problem, time.Hour, incident.TicketClosed, nil, incident.Open},
		{"well, closed", ok, time.Hour, incident.TicketClosed, nil, incident.Over},
		{
			"down, closed, a newer issue names it", problem, time.Hour, incident.TicketClosed,
			func(f *incident.AccountSnapshot) { f.Issues = append(f.Issues, issue(9, time.Minute, 1)) },
			incident.Over,
		},
		{"disabled, closed", disabled, time.Hour, incident.TicketClosed, nil, incident.Over},
		{"down, unknown", problem, time.Hour, incident.TicketUnknown, nil, incident.Open},
		{"well, unknown", ok, time.Hour, incident.TicketUnknown, nil, incident.Recovered},
		{"disabled, unknown", disabled, 100 * time.Hour, incident.TicketUnknown, nil, incident.Uncertain},
		{"pending, unknown", pending, time.Hour, incident.TicketUnknown, nil, incident.Uncertain},
		{"another status, unknown", "paused", time.Hour, incident.TicketUnknown, nil, incident.Uncertain},
		{"deleted, unknown", "", time.Hour, incident.TicketUnknown, nil, incident.Uncertain},
		{"deleted long ago, unknown", "", 25 * time.Hour, incident.TicketUnknown, nil, incident.Lapsed},
		{"not read, unknown", "", 25 * time.Hour, incident.TicketUnknown, func(f *incident.AccountSnapshot) {
			f.AllServices = false
		}, incident.Uncertain},
		{"disabled after it was well", disabled, time.Hour, incident.TicketUnknown, func(f *incident.AccountSnapshot) {
			f.Healthy = func(int) time.Time { return noon.Add(-time.Minute) }
		}, incident.Recovered},
		{"well, was open when last read", ok, time.Hour, incident.TicketUnknown, func(f *incident.AccountSnapshot) {
			f.WasOpen = func(int) bool { return true }
		}, incident.Uncertain},
		{"a newer issue names it", problem, time.Hour, incident.TicketUnknown, func(f *incident.AccountSnapshot) {
			f.Issues = append(f.Issues, issue(9, time.Minute, 1))
		}, incident.Lapsed},
		{"not read, closed", "", time.Hour, incident.TicketClosed, func(f *incident.AccountSnapshot) {
			f.AllServices = false
		}, incident.Uncertain},
		{"not read, closed long ago", "", 25 * time.Hour, incident.TicketClosed, func(f *incident.AccountSnapshot) {
			f.AllServices = false
		}, incident.Lapsed},
		{"pending, closed", pending, time.Hour, incident.TicketClosed, nil, incident.Uncertain},
		{"deleted, closed", "", time.Hour, incident.TicketClosed, nil, incident.Over},
		{"no services, open", ok, time.Hour, incident.TicketOpen, noServices, incident.Open},
		{"no services, closed", ok, time.Hour, incident.TicketClosed, noServices, incident.Over},
		{"no services, unknown", ok, time.Hour, incident.TicketUnknown, noServices, incident.Uncertain},
		{"no services, unknown for long", ok, 25 * time.Hour, incident.TicketUnknown, noServices, incident.Lapsed},
		{"well, no tickets", ok, time.Hour, incident.TicketUnknown, noTickets, incident.Over},
		{"well, the issue has no ticket", ok, time.Hour, incident.TicketUnknown, func(f *incident.AccountSnapshot) {
			f.Issues[0].Ticket.ID = 0
		}, incident.Over},
		{"down, no tickets", problem, time.Hour, incident.TicketUnknown, noTickets, incident.Open},
		{"disabled, no tickets", disabled, 100 * time.Hour, incident.TicketUnknown, noTickets, incident.Uncertain},
		{"deleted long ago, no tickets", "", 25 * time.Hour, incident.TicketUnknown, noTickets, incident.Lapsed},
		{"no services, no tickets", ok, 25 * time.Hour, incident.TicketUnknown, func(f *incident.AccountSnapshot) {
			noServices(f)
			noTickets(f)
		}, incident.Lapsed},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := incident.AccountSnapshot{
				AllServices: true,
				Issues:      []*client.Issue{issue(7, c.ago, 1)},
				Ticket: func(id int) incident.TicketState {
					if id == 107 {
						return c.ticket
					}
					return incident.TicketUnknown
				},
				Now: noon,
			}
			if c.status != "" {
				f.Services = []*client.Service{service(1, c.status)}
			}
			if c.facts != nil {
				c.facts(&f)
			}
			i, found := incident.New(f).Of(7)
			if !found || i.Phase != c.want {
				t.Errorf("%s, want %s", i.Phase, c.want)
			}
			if down := c.status == problem && c.want == incident.Open; i.Down() != down {
				t.Errorf("down: %v, want %v", i.Down(), down)
			}
			if silenced := c.status == disabled && i.Unresolved(); i.Silenced() != silenced {
				t.Errorf("silenced: %v, want %v", i.Silenced(), silenced)
			}
		})
	}
}

// An issue whose services were all seen ok after it was detected, with its ticket closed or without tickets, stays over
// when they fail again: they are down without an issue. What was not seen in between leaves it open.
func TestNew_failsAgainAfterItWasOver(t *testing.T) {
	detected, closed := noon.Add(-13*24*time.Hour), noon.Add(-12*24*time.Hour)
	well, downSince := noon.Add(-time.Hour), noon.Add(-time.Minute)
	ok, problem := client.StatusOK, client.StatusProblem
	for _, c := range []struct {
		name    string
		second  client.ServiceStatus // of service 2; "" if it is deleted
		healthy [2]time.Time
		ticket  incident.TicketState
		facts   func(*incident.AccountSnapshot)
		want    incident.Phase
	}{
		{"both well since", ok, [2]time.Time{well, noon}, incident.TicketClosed, nil, incident.Over},
		{"both down again", problem, [2]time.Time{well, well}, incident.TicketClosed, nil, incident.Over},
		{"the other deleted", "", [2]time.Time{well}, incident.TicketClosed, nil, incident.Over},
		{"never seen well", ok, [2]time.Time{{}, noon}, incident.TicketClosed, nil, incident.Open},
		{"the other never seen well", problem, [2]time.Time{well}, incident.TicketClosed, nil, incident.Open},
		{"well only before", problem, [2]time.Time{detected, detected}, incident.TicketClosed, nil, incident.Open},
		{
			"well while the ticket was open", problem, [2]time.Time{closed.Add(-time.Hour), closed.Add(-time.Hour)},
			incident.TicketClosed, nil, incident.Open,
		},
		{"the ticket is open", ok, [2]time.Time{well, noon}, incident.TicketOpen, nil, incident.Open},
		{"the ticket is unknown", ok, [2]time.Time{well, noon}, incident.TicketUnknown, nil, incident.Open},
		{"it is not known when the ticket was closed", ok, [2]time.Time{well, noon}, incident.TicketClosed,
			func(f *incident.AccountSnapshot) { f.Closed = nil }, incident.Open},
		{"no tickets", ok, [2]time.Time{well, noon}, incident.TicketUnknown,
			func(f *incident.AccountSnapshot) { f.Ticket = nil }, incident.Over},
		{
			"no tickets, a reading that may be behind", ok,
			[2]time.Time{detected.Add(time.Minute), noon}, incident.TicketUnknown,
			func(f *incident.AccountSnapshot) { f.Ticket = nil }, incident.Open,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := incident.AccountSnapshot{
				Services:    []*client.Service{service(1, problem)},
				AllServices: true,
				Issues:      []*client.Issue{issue(7, noon.Sub(detected), 1, 2)},
				Ticket:      func(int) incident.TicketState { return c.ticket },
				Closed:      func(int) time.Time { return closed },
				Healthy:     func(id int) time.Time { return c.healthy[id-1] },
				DownSince:   func(int) time.Time { return downSince },
				Now:         noon,
			}
			if c.second != "" {
				f.Services = append(f.Services, service(2, c.second))
			}
			if c.facts != nil {
				c.facts(&f)
			}
			all := incident.New(f)
			i, _ := all.Of(7)
			if i.Phase != c.want || i.Down() != (c.want == incident.Open) || i.Services[0].Newer != 0 {
				t.Errorf("%+v, want %s", i, c.want)
			}
			first := all.Alerts()[0]
			if none := first.Incident == nil; none != (c.want == incident.Over) {
				t.Errorf("%+v", first)
			} else if none && !first.Since().Equal(downSince) {
				t.Errorf("down since %s", first.Since())
			}
		})
	}
}

// What one program saw well is not forgotten because another one read the service later, but saw it well earlier.
func TestMemory_Merge_keepsWhenItWasWell(t *testing.T) {
	see := func(m *incident.Observations, at time.Time, status client.ServiceStatus) *incident.Observations {
		m.Observe(incident.ServiceSnapshot{
			Services: []*client.Service{service(1, status)},
			Complete: true,
			Read:     at,
			Now:      at,
		})
		return m
	}
	first := see(incident.NewMemory(), noon.Add(-time.Hour), client.StatusOK)
	ours := see(first.Clone(), noon, client.StatusProblem)
	theirs := see(first.Clone(), noon.Add(-time.Minute), client.StatusOK)
	ours.Merge(theirs)
	if got := ours.HealthySince(1); !got.Equal(noon.Add(-time.Minute)) {
		t.Errorf("well at %s", got)
	}
	if got := ours.DownSince(1); !got.Equal(noon) {
		t.Errorf("down since %s", got)
	}
}

// If two programs remember the same service, the earlier start of its disabled time stays, no matter which program
// saves last.
func TestMemory_Merge_ageDoesNotShrink(t *testing.T) {
	see := func(start time.Time) *incident.Observations {
		m := incident.NewMemory()
		for at := start; at.Before(noon); at = at.Add(time.Hour) {
			s := service(1, client.StatusDisabled)
			s.Updated = client.NewTime(at) // somebody edits it all the time
			m.Observe(incident.ServiceSnapshot{
				Services: []*client.Service{s},
				Complete: true,
				Read:     at,
				Now:      at,
			})
		}
		return m
	}
	early, late := see(noon.Add(-9*time.Hour)), see(noon.Add(-3*time.Hour))
	for name, pair := range map[string][2]*incident.Observations{
		"the earlier saves": {early.Clone(), late.Clone()},
		"the later saves":   {late.Clone(), early.Clone()},
	} {
		pair[0].Merge(pair[1])
		if got := pair[0].Services[1].Disabled; !got.Equal(noon.Add(-9 * time.Hour)) {
			t.Errorf("%s: disabled since %s", name, got)
		}
	}
	data, err := early.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := incident.Load(data)
	if err != nil || !again.Services[1].Disabled.Equal(early.Services[1].Disabled) {
		t.Errorf("%v, %v", again, err)
	}
}

// Looking through 10,000 services that have not changed takes less than a frame.
func BenchmarkMemory_Observe(b *testing.B) {
	rows := func() []*client.Service {
		all := make([]*client.Service, 10_000)
		for n := range all {
			all[n] = service(n, client.StatusOK)
		}
		return all
	}
	m, at := incident.NewMemory(), noon
	for b.Loop() {
		b.StopTimer()
		now := rows()
		at = at.Add(time.Minute)
		b.StartTimer()
		if d := m.Observe(incident.ServiceSnapshot{
			Services: now,
			Complete: true,
			Read:     at,
			Now:      at,
		}); len(d) > 0 {
			b.Fatal(d)
		}
	}
}

// A row of a replica that is behind, older than what was seen before, is no difference, and is not remembered.
func TestObservations_Observe_ignoresOlderRows(t *testing.T) {
	start := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	row := func(status client.ServiceStatus, updated time.Time) *client.Service {
		s := service(7, status)
		s.Updated = client.NewTime(updated)
		return s
	}
	m := incident.NewMemory()
	observe := func(after time.Duration, s *client.Service) []incident.ServiceChange {
		at := start.Add(after)
		return m.Observe(incident.ServiceSnapshot{
			Services: []*client.Service{s},
			Complete: true,
			Read:     at,
			Now:      at,
		})
	}
	observe(0, row(client.StatusOK, start.Add(-time.Hour)))
	if found := observe(time.Minute, row(client.StatusDisabled, start.Add(30*time.Second))); len(found) != 1 {
		t.Errorf("disabled: %v", found)
	}
	if found := observe(2*time.Minute, row(client.StatusOK, start.Add(-time.Hour))); len(found) != 0 {
		t.Errorf("a replica that is behind causes a message: %v", found)
	}
	if found := observe(3*time.Minute, row(client.StatusDisabled, start.Add(30*time.Second))); len(found) != 0 {
		t.Errorf("it was disabled once, not twice: %v", found)
	}
	if found := observe(14*time.Minute, row(client.StatusOK, start.Add(-time.Hour))); len(found) != 1 {
		t.Errorf("10 minutes after the newer version was seen last, the older one counts: %v", found)
	}
}

// An answer that says neither when a ticket was closed nor its status leaves the state unknown.
func TestStateOfTicket(t *testing.T) {
	for _, c := range []struct {
		answer string
		want   incident.TicketState
	}{
		{`{"id":1,"closed":null,"status":"open"}`, incident.TicketOpen},
		{`{"id":1,"closed":null,"status":"new"}`, incident.TicketOpen},
		{`{"id":1,"closed":"2026-01-02T12:00:00","status":"closed"}`, incident.TicketClosed},
		{`{"id":1,"closed":"2026-01-02T12:00:00"}`, incident.TicketClosed},
		{`{"id":1,"status":"closed"}`, incident.TicketClosed},
		{`{"id":1}`, incident.TicketUnknown},
		{`{}`, incident.TicketUnknown},
	} {
		var ticket client.Ticket
		if err := json.Unmarshal([]byte(c.answer), &ticket); err != nil {
			t.Fatal(err)
		}
		if got := incident.StateOfTicket(ticket); got != c.want {
			t.Errorf("%s: %s, want %s", c.answer, got, c.want)
		}
	}
}
