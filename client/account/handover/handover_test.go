package handover_test

import (
	"slices"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/account/handover"
	"lookout/client/account/incident"
	"lookout/client/window"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// Planned windows come in the order of their starts. One that should have begun is due, and one that is over before it
// could begin silences nothing.
func TestNew_planned(t *testing.T) {
	plan := func(label string, start, until time.Duration) window.Window {
		return window.Window{Service: "1", Label: label, Start: noon.Add(start), End: noon.Add(until)}
	}
	endless := plan("endless", 2*time.Hour, 0)
	endless.End = time.Time{}
	r := handover.New(handover.Snapshot{
		To:        noon,
		Incidents: incident.New(incident.AccountSnapshot{}),
		Planned: map[string]window.Window{
			"a": plan("tonight", time.Hour, 3*time.Hour),
			"b": plan("due", -time.Hour, time.Hour),
			"c": plan("over", -2*time.Hour, -time.Hour),
			"d": endless,
		},
	})
	var got []string
	for _, w := range r.Planned {
		got = append(got, w.Label.String())
		if w.Due != (w.Label.String() == "due") {
			t.Errorf("%s: due is %v", w.Label, w.Due)
		}
	}
	if want := []string{"due", "tonight", "endless"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A service whose window no reading shows is silenced as far as the journal knows, and is named once.
func TestNew_silencedFromTheJournal(t *testing.T) {
	r := handover.New(handover.Snapshot{
		To:        noon,
		Incidents: incident.New(incident.AccountSnapshot{}),
		Services:  []*client.Service{{ID: 1, Status: client.StatusDisabled}, {ID: 3, Status: client.StatusOK}},
		Disabled:  func(*client.Service) incident.DisabledInfo { return incident.DisabledInfo{} },
		Windows:   map[string]window.Window{"1": {Service: "1"}, "3": {Service: "3", Label: "web-2", Reason: "disk"}},
	})
	if len(r.Silenced) != 2 || r.Silenced[0].ID != 1 || r.Silenced[1].ID != 3 || r.Silenced[1].Reason != "disk" {
		t.Errorf("%v", r.Silenced)
	}
}
