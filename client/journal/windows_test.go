package journal_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client"
	"lookout/client/journal"
)

// reopen returns what a new run reads from the journal.
func reopen(t *testing.T, path string) *journal.Journal {
	t.Helper()
	j, err := journal.Open(path, "prod", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// applied records a change of service 7 that was applied, and returns its id.
func applied(t *testing.T, j *journal.Journal, c client.Change) string {
	t.Helper()
	c.Resource, c.ID, c.Label = "service", "7", "web-1"
	id, err := j.RecordIntent(c)
	if err != nil {
		t.Fatal(err)
	}
	j.RecordOutcome(id, client.Applied, nil)
	return id
}

// A service that is disabled again has another end, but it has been disabled since the first time.
func TestJournal_DisabledService_keepsSinceOfFirstDisable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "prod.journal")
		j := reopen(t, path)
		began := time.Now()
		applied(t, j, client.Change{Op: client.OpDisableService, RevertAt: began.Add(time.Hour)})
		time.Sleep(time.Minute)
		id := applied(t, j, client.Change{Op: client.OpDisableService, RevertAt: began.Add(2 * time.Hour)})
		for name, j := range map[string]*journal.Journal{"this run": j, "the next run": reopen(t, path)} {
			w, held := j.DisabledService("7")
			if !held || w.IntentID != id || !w.Since.Equal(began) || !w.Until.Equal(began.Add(2*time.Hour)) {
				t.Errorf("%s: %+v", name, w)
			}
		}
	})
}

// A window that was seen to be over stays over: for other programs, the next run, and outcomes that are recorded late.
func TestJournal_EndWindow_staysEnded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prod.journal")
	j, other := reopen(t, path), reopen(t, path)
	id := applied(t, j, client.Change{Op: client.OpDisableService, RevertAt: time.Now().Add(time.Hour)})
	if err := j.EndWindow(id); err != nil {
		t.Fatal(err)
	}
	if _, err := other.CatchUp(); err != nil {
		t.Fatal(err)
	}
	j.RecordOutcome(id, client.Applied, nil)
	for name, j := range map[string]*journal.Journal{"this run": j, "another": other, "the next run": reopen(t, path)} {
		if w, held := j.DisabledService("7"); held || j.UnreadableLines() > 0 {
			t.Errorf("%s holds %+v", name, w)
		}
		if _, _, ok := j.ScheduledChange(id); ok {
			t.Errorf("%s: the service may be enabled", name)
		}
		if e := j.Entries(time.Time{}); len(e) != 1 || e[0].Outcome != client.Applied {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// A planned window is held until it begins, is cancelled, is missed, or its service is deleted.
func TestJournal_PlannedWindows(t *testing.T) {
	start := time.Now().Add(time.Hour)
	for name, end := range map[string]func(*journal.Journal, string){
		"begun": func(j *journal.Journal, plan string) {
			applied(t, j, client.Change{Op: client.OpDisableService, Scheduled: plan})
		},
		"cancelled": func(j *journal.Journal, plan string) {
			applied(t, j, client.Change{Op: client.OpCancelMaintenance, Scheduled: plan})
		},
		"deleted": func(j *journal.Journal, _ string) { applied(t, j, client.Change{Op: client.OpDeleteService}) },
		"missed":  func(j *journal.Journal, plan string) { _ = j.EndWindow(plan) },
	} {
		path := filepath.Join(t.TempDir(), "prod.journal")
		j := reopen(t, path)
		plan := applied(t, j, client.Change{
			Op:       client.OpPlanMaintenance,
			StartAt:  start,
			RevertAt: start.Add(time.Hour),
		})
		w := reopen(t, path).PlannedWindows()[plan]
		if w.ID != "7" || !w.Start.Equal(start) || !w.Until.Equal(start.Add(time.Hour)) {
			t.Errorf("%s: planned %+v", name, w)
		}
		applied(t, j, client.Change{Op: client.OpDisableService}) // by hand, for something else
		if op, id, ok := j.ScheduledChange(plan); op != client.OpDisableService || id != "7" || !ok {
			t.Errorf("%s: scheduled %s %s, %t", name, op, id, ok)
		}
		end(j, plan)
		for _, j := range []*journal.Journal{j, reopen(t, path)} {
			if _, _, ok := j.ScheduledChange(plan); ok || len(j.PlannedWindows()) > 0 {
				t.Errorf("%s, but still planned", name)
			}
		}
	}
}
