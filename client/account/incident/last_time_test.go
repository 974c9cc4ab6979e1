package incident_test

import (
	"testing"
	"time"

	"lookout/client"
	"lookout/client/account/incident"
)

// An outage that was seen is the last time of a service only if it was over before the incident, and it belongs to the
// issue that was detected before it ended. Saving, loading and merging keep it.
func TestIncidents_LastTimes(t *testing.T) {
	seen := incident.NewMemory()
	observe := func(ago time.Duration, status client.ServiceStatus) {
		at := noon.Add(-ago)
		s := service(1, status)
		s.Updated = client.NewTime(at)
		seen.Observe(incident.ServiceSnapshot{
			Services: []*client.Service{s},
			Complete: true,
			Read:     at,
			Now:      at,
		})
	}
	observe(50*time.Hour, client.StatusOK)
	observe(48*time.Hour, client.StatusProblem)
	observe(47*time.Hour, client.StatusPending)
	observe(46*time.Hour, client.StatusOK)
	observe(time.Hour, client.StatusProblem) // the incident itself
	outage := incident.Outage{Down: noon.Add(-48 * time.Hour), Up: noon.Add(-46 * time.Hour)}
	data, err := seen.Encode()
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := incident.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	merged := incident.NewMemory()
	merged.Merge(loaded)
	for name, c := range map[string]struct {
		issues []*client.Issue // besides the incident, detected an hour ago
		of     int             // whose last time is asked for
		issue  int
		outage incident.Outage
	}{
		"no earlier issue":          {nil, 7, 0, outage},
		"the issue of the outage":   {[]*client.Issue{issue(5, 49*time.Hour, 1)}, 7, 5, outage},
		"an issue after the outage": {[]*client.Issue{issue(5, 40*time.Hour, 1)}, 7, 5, incident.Outage{}},
		"a much earlier issue":      {[]*client.Issue{issue(5, 400*time.Hour, 1)}, 7, 0, outage},
		"of another service":        {[]*client.Issue{issue(5, 49*time.Hour, 2)}, 7, 0, outage},
		"its own outage": {
			[]*client.Issue{issue(5, 49*time.Hour, 1), issue(4, 90*time.Hour, 1)}, 5, 4, incident.Outage{},
		},
	} {
		m := incident.New(incident.AccountSnapshot{
			Services: []*client.Service{service(1, client.StatusProblem), service(2, client.StatusOK)},
			Issues:   append(c.issues, issue(7, time.Hour, 1)),
			Now:      noon,
		})
		i, found := m.Of(c.of)
		if !found {
			t.Fatal(name)
		}
		all := m.LastTimes(i, merged)
		if len(all) != 1 || all[0].Service != 1 || all[0].Outage != c.outage ||
			(all[0].Issue == nil) != (c.issue == 0) || c.issue != 0 && all[0].Issue.ID != c.issue {
			t.Errorf("%s: %+v", name, all)
		}
	}
}
