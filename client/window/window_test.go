package window_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/window"
)

// at returns a time of the day on which the tests play: "22:00".
func at(clock string) time.Time {
	if clock == "" {
		return time.Time{}
	}
	t, err := time.Parse("2006-01-02 15:04", "2026-11-21 "+clock)
	if err != nil {
		panic(err)
	}
	return t
}

// change returns a change of service 7: "22:00" and "23:30" are its start and end.
func change(op, start, end, of string, replaces ...string) client.Change {
	return client.Change{
		Op:        op,
		Resource:  "service",
		ID:        "7",
		StartAt:   at(start),
		RevertAt:  at(end),
		Scheduled: of,
		Replaces:  replaces,
	}
}

// describe names windows: "a planned 22:00-23:30".
func describe(windows []window.Window) string {
	texts := make([]string, len(windows))
	for i, w := range windows {
		texts[i] = fmt.Sprintf("%s %s %s-%s", w.ID, w.State, w.Start.Format("15:04"), w.End.Format("15:04"))
	}
	return strings.Join(texts, ", ")
}

// fold returns the windows after changes that were applied at 21:00, 21:01, … and have the IDs a, b, …
func fold(changes ...client.Change) *window.Set {
	s := &window.Set{}
	for i, c := range changes {
		now := at("21:00").Add(time.Duration(i) * time.Minute)
		s.Fold(window.Record{ID: string(rune('a' + i)), Change: c, Sent: now, At: now})
	}
	return s
}

// The windows of a service follow from its changes in their order.
func TestSet_Fold(t *testing.T) {
	plan := change(client.OpPlanMaintenance, "22:00", "23:30", "")
	now := change(client.OpDisableService, "", "22:00", "")
	for name, c := range map[string]struct {
		changes []client.Change
		want    string
	}{
		"planned": {[]client.Change{plan}, "a planned 22:00-23:30"},
		"planned and moved": {
			[]client.Change{plan, change(client.OpChangeMaintenance, "22:30", "23:00", "a")},
			"a planned 22:30-23:00",
		},
		"planned and begun": {
			[]client.Change{plan, change(client.OpDisableService, "", "23:30", "a")}, "a active 22:00-23:30",
		},
		"begun and shortened": {
			[]client.Change{
				plan, change(client.OpDisableService, "", "23:30", "a"),
				change(client.OpChangeMaintenance, "21:00", "22:30", "a"),
			},
			"a active 22:00-22:30",
		},
		"planned and cancelled": {[]client.Change{plan, change(client.OpCancelMaintenance, "", "", "a")}, ""},
		"replaced by another": {
			[]client.Change{plan, change(client.OpPlanMaintenance, "22:00", "23:45", "", "a")}, "b planned 22:00-23:45",
		},
		"disabled":             {[]client.Change{now}, "a active 21:00-22:00"},
		"disabled and enabled": {[]client.Change{now, change(client.OpEnableService, "", "", "a")}, ""},
		"disabled twice": {
			[]client.Change{now, change(client.OpDisableService, "", "23:00", "")}, "b active 21:01-23:00",
		},
		"cancelled when active": {
			[]client.Change{now, change(client.OpCancelMaintenance, "", "", "a")}, "a active 21:00-22:00",
		},
		"deleted": {[]client.Change{now, plan, change(client.OpDeleteService, "", "", "")}, ""},
		"changed after its end": {
			[]client.Change{
				now, change(client.OpEnableService, "", "", "a"), change(client.OpChangeMaintenance, "", "23:00", "a"),
			},
			"",
		},
		"replaced, and restored": {
			[]client.Change{
				plan, change(client.OpPlanMaintenance, "22:30", "23:45", "", "a"),
				{Op: client.OpCancelMaintenance, ID: "7", Scheduled: "b", Restores: []string{"a"}},
			},
			"a planned 22:00-23:30",
		},
		"cancelled, and begins late": {
			[]client.Change{
				plan, change(client.OpCancelMaintenance, "", "", "a"), change(client.OpDisableService, "", "", "a"),
			},
			"a active 22:00-23:30",
		},
	} {
		s := fold(c.changes...)
		if got := describe(s.Live()); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A service has at most one active window, and planned ones that do not overlap. Windows that touch do not overlap.
func TestSet_Check(t *testing.T) {
	plan := change(client.OpPlanMaintenance, "22:00", "23:30", "")
	now := change(client.OpDisableService, "", "22:00", "")
	for name, c := range map[string]struct {
		there   []client.Change
		change  client.Change
		at      string
		overlap string
		want    error
	}{
		"a plan inside": {
			[]client.Change{plan}, change(client.OpPlanMaintenance, "22:30", "23:00", ""), "21:30", "a", nil,
		},
		"a plan that replaces it": {
			[]client.Change{plan}, change(client.OpPlanMaintenance, "22:30", "23:00", "", "a"), "21:30", "", nil,
		},
		"a plan before": {
			[]client.Change{plan}, change(client.OpPlanMaintenance, "21:40", "22:00", ""), "21:30", "", nil,
		},
		"a plan after": {
			[]client.Change{plan}, change(client.OpPlanMaintenance, "23:30", "23:50", ""), "21:30", "", nil,
		},
		"disabled for ever before a plan": {
			[]client.Change{plan}, change(client.OpDisableService, "", "", ""), "21:30", "a", nil,
		},
		"a second disable": {
			[]client.Change{now}, change(client.OpDisableService, "", "23:00", ""), "21:30", "a", nil,
		},
		"extended over a plan": {
			[]client.Change{now, plan}, change(client.OpChangeMaintenance, "", "22:10", "a"), "21:30", "b", nil,
		},
		"extended up to a plan": {
			[]client.Change{now, plan}, change(client.OpChangeMaintenance, "", "22:00", "a"), "21:30", "", nil,
		},
		"begun early": {
			[]client.Change{plan}, change(client.OpDisableService, "", "", "a"), "21:59", "", window.ErrSuperseded,
		},
		"begun": {[]client.Change{plan}, change(client.OpDisableService, "", "", "a"), "22:00", "", nil},
		"ended early": {
			[]client.Change{now}, change(client.OpEnableService, "", "", "a"), "21:59", "", window.ErrSuperseded,
		},
		"ended":         {[]client.Change{now}, change(client.OpEnableService, "", "", "a"), "22:00", "", nil},
		"enabled early": {[]client.Change{now}, change(client.OpEnableService, "", "", ""), "21:59", "", nil},
		"begun beside an active one": {
			[]client.Change{plan, now}, change(client.OpDisableService, "", "", "a"), "22:00", "", window.ErrSuperseded,
		},
		"cancelled": {
			[]client.Change{plan}, change(client.OpCancelMaintenance, "", "", "a"), "21:59", "", nil,
		},
		"cancelled, active": {
			[]client.Change{now}, change(client.OpCancelMaintenance, "", "", "a"), "21:59", "", window.ErrSuperseded,
		},
		"an unknown window": {
			nil, change(client.OpChangeMaintenance, "", "23:00", "z"), "21:59", "", window.ErrSuperseded,
		},
	} {
		err := fold(c.there...).Check(c.change, at(c.at))
		var overlap *window.OverlapError
		switch {
		case c.overlap != "":
			if !errors.As(err, &overlap) || len(overlap.Windows) != 1 || overlap.Windows[0].ID != c.overlap {
				t.Errorf("%s: %v, want an overlap with %s", name, err, c.overlap)
			}
		case !errors.Is(err, c.want) || c.want == nil && err != nil:
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// row returns service 7 as a list shows it.
func row(status client.ServiceStatus, updated, notes string) *client.Service {
	s := &client.Service{ID: 7, Status: status, Notes: client.OptionalServerText{ServerText: client.NewText(notes)}}
	if updated != "" {
		_ = s.Updated.UnmarshalJSON([]byte(at(updated).Format(`"2006-01-02T15:04:05"`)))
	}
	return s
}

// What others did during a window follows from the service alone.
func TestWindow_Judge(t *testing.T) {
	known := window.Seen{Updated: at("21:00"), Values: window.SeenOf(row("", "", "")).Values}
	lost := window.Seen{}
	for name, c := range map[string]struct {
		seen window.Seen
		row  *client.Service
		read string
		want window.Verdict
	}{
		"as it was":             {known, row(client.StatusDisabled, "21:00", ""), "22:00", window.AsLeft},
		"enabled":               {known, row(client.StatusOK, "21:01", ""), "21:01", window.EnabledByOthers},
		"enabled and disabled":  {known, row(client.StatusDisabled, "21:01", ""), "21:01", window.DisabledByOthers},
		"edited":                {known, row(client.StatusDisabled, "21:01", "x"), "21:01", window.Edited},
		"an old list, enabled":  {known, row(client.StatusOK, "20:00", ""), "23:00", window.Behind},
		"an old list, disabled": {known, row(client.StatusDisabled, "20:00", ""), "23:00", window.Behind},
		"enabled at once, updated does not tell": {
			known, row(client.StatusOK, "21:00", ""), "21:04", window.Behind,
		},
		"enabled, updated does not tell": {
			known, row(client.StatusOK, "21:00", ""), "21:06", window.EnabledByOthers,
		},
		"disabled, without updated": {
			known, row(client.StatusDisabled, "", ""), "22:00", window.NotKnown,
		},
		"the answer was lost": {
			lost, row(client.StatusDisabled, "21:01", ""), "22:00", window.AsLeft,
		},
		"the answer was lost, disabled later": {
			lost, row(client.StatusDisabled, "21:02", ""), "22:00", window.NotKnown,
		},
		"the answer was lost, disabled before": {
			lost, row(client.StatusDisabled, "20:50", ""), "22:00", window.NotKnown,
		},
		"the answer was lost, enabled": {lost, row(client.StatusOK, "21:02", ""), "21:02", window.EnabledByOthers},
	} {
		w := window.Window{
			ID:      "a",
			Service: "7",
			State:   window.Active,
			Sent:    at("21:00"),
			At:      at("21:00"),
			Seen:    c.seen,
		}
		if got := w.Judge(c.row, at(c.read)); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Taking back what was done to windows restores them, with those that were replaced.
func TestUndo(t *testing.T) {
	now := at("21:30")
	for name, c := range map[string]struct {
		there []client.Change
		do    func(of []window.Window) (client.Change, error)
	}{
		"a plan that replaces another": {
			[]client.Change{change(client.OpPlanMaintenance, "22:00", "23:30", "")},
			func(of []window.Window) (client.Change, error) {
				r := window.Request{Service: "7", Start: at("22:15"), End: at("23:45"), Replace: true}
				return window.Disable(of, r, now)
			},
		},
		"a longer window that replaces a planned one": {
			[]client.Change{
				change(client.OpDisableService, "", "22:00", ""),
				change(client.OpPlanMaintenance, "22:00", "23:30", ""),
			},
			func(of []window.Window) (client.Change, error) {
				return window.Change(of[0], of, window.Request{Service: "7", End: at("22:30"), Replace: true}, now)
			},
		},
		"a disable that makes a window longer": {
			[]client.Change{change(client.OpDisableService, "", "22:00", "")},
			func(of []window.Window) (client.Change, error) {
				r := window.Request{Service: "7", End: at("23:00"), Replace: true}
				return window.Disable(of, r, now)
			},
		},
		"a planned window that is moved": {
			[]client.Change{change(client.OpPlanMaintenance, "22:00", "23:30", "")},
			func(of []window.Window) (client.Change, error) {
				return window.Change(of[0], of, window.Request{Service: "7", Start: at("21:45"), End: at("22:30")}, now)
			},
		},
		"a cancellation": {
			[]client.Change{change(client.OpPlanMaintenance, "22:00", "23:30", "")},
			func(of []window.Window) (client.Change, error) {
				return client.Change{Op: client.OpCancelMaintenance, ID: "7", Scheduled: of[0].ID}, nil
			},
		},
	} {
		s := fold(c.there...)
		before := s.Live()
		done, err := c.do(before)
		if err == nil {
			err = s.Check(done, now)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s.Fold(window.Record{ID: "x", Change: done, At: now})
		if describe(s.Live()) == describe(before) {
			t.Errorf("%s changes nothing", name)
		}
		undo, ok := window.Undo(done, before, s.Live())
		if err := s.Check(undo, now); !ok || err != nil {
			t.Errorf("%s: %t, %v", name, ok, err)
		}
		s.Fold(window.Record{ID: "y", Change: undo, At: now})
		if got, want := describe(s.Live()), describe(before); got != want {
			t.Errorf("%s, taken back: %q, want %q", name, got, want)
		}
	}
}

// A window that somebody else has ended is neither made longer nor asked about: the service is disabled anew.
func TestDisable_activeWindowIsOver(t *testing.T) {
	s := fold(change(client.OpDisableService, "", "23:00", ""))
	w := s.Live()[0]
	w.Seen = window.SeenOf(row(client.StatusDisabled, "21:00", ""))
	s.Restore(w)
	for name, c := range map[string]struct {
		row *client.Service
		op  string
	}{
		"as it was":            {row(client.StatusDisabled, "21:00", ""), client.OpChangeMaintenance},
		"enabled":              {row(client.StatusOK, "21:01", ""), client.OpDisableService},
		"enabled and disabled": {row(client.StatusDisabled, "21:01", ""), client.OpDisableService},
	} {
		r := window.Request{Service: "7", Over: window.IsOver(s.Live(), c.row, at("21:30")), End: at("23:30")}
		_, err := window.Disable(s.Live(), r, at("21:30"))
		if asks := err != nil; asks == r.Over {
			t.Errorf("%s: %v", name, err)
		}
		r.Replace = true
		if done, err := window.Disable(s.Live(), r, at("21:30")); err != nil || done.Op != c.op {
			t.Errorf("%s: %s, %v", name, done.Op, err)
		} else if err := s.Check(done, at("21:30")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What takes the place of a window without a reason of its own has that of the window.
func TestDisable_keepsTheReason(t *testing.T) {
	planned := change(client.OpPlanMaintenance, "22:00", "23:30", "")
	planned.Reason = "kernel update"
	for reason, want := range map[string]string{"": "kernel update", "disk": "disk"} {
		r := window.Request{Service: "7", Start: at("22:15"), End: at("23:45"), Reason: reason, Replace: true}
		if c, err := window.Disable(fold(planned).Live(), r, at("21:30")); err != nil || c.Reason != want {
			t.Errorf("%q: reason %q, %v; want %q", reason, c.Reason, err, want)
		}
	}
}

// A planned window can take the place of other planned ones, but not of an active one: that one is changed instead.
func TestChange_overOthers(t *testing.T) {
	s := fold(
		change(client.OpDisableService, "", "22:00", ""), change(client.OpPlanMaintenance, "22:30", "23:00", ""),
		change(client.OpPlanMaintenance, "23:10", "23:30", ""),
	)
	planned := s.Live()[1]
	for _, c := range []struct {
		start, end       string
		replace, refused bool
	}{
		{"22:10", "23:05", false, false},
		{"22:10", "23:15", false, true},
		{"22:10", "23:15", true, false},
		{"21:50", "23:05", false, true},
		{"21:50", "23:05", true, true},
	} {
		r := window.Request{Service: "7", Start: at(c.start), End: at(c.end), Replace: c.replace}
		_, err := window.Change(planned, s.Live(), r, at("21:30"))
		if overlap := (*window.OverlapError)(nil); errors.As(err, &overlap) != c.refused || err != nil && !c.refused {
			t.Errorf("%s-%s, replace %v: %v", c.start, c.end, c.replace, err)
		}
	}
}
