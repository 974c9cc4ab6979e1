package journal_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client"
	"lookout/client/journal"
	"lookout/client/window"
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
	id, err := j.RecordIntent(t.Context(), c)
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
		first := applied(t, j, client.Change{Op: client.OpDisableService, RevertAt: began.Add(time.Hour)})
		time.Sleep(time.Minute)
		id := applied(t, j, client.Change{
			Op:       client.OpDisableService,
			RevertAt: began.Add(2 * time.Hour),
			Replaces: []string{first},
		})
		for name, j := range map[string]*journal.Journal{"this run": j, "the next run": reopen(t, path)} {
			w, held := j.ActiveWindow("7")
			if !held || w.ID != id || !w.Since.Equal(began) || !w.End.Equal(began.Add(2*time.Hour)) {
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
	if err := endWindow(j, id); err != nil {
		t.Fatal(err)
	}
	if _, err := other.CatchUp(); err != nil {
		t.Fatal(err)
	}
	j.RecordOutcome(id, client.Applied, nil)
	for name, j := range map[string]*journal.Journal{"this run": j, "another": other, "the next run": reopen(t, path)} {
		if w, held := j.ActiveWindow("7"); held || j.UnreadableLines() > 0 {
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
	start := time.Now().Add(-time.Minute)
	for name, end := range map[string]func(*journal.Journal, string){
		"begun": func(j *journal.Journal, plan string) {
			applied(t, j, client.Change{Op: client.OpDisableService, Scheduled: plan})
		},
		"cancelled": func(j *journal.Journal, plan string) {
			applied(t, j, client.Change{Op: client.OpCancelMaintenance, Scheduled: plan})
		},
		"deleted": func(j *journal.Journal, _ string) { applied(t, j, client.Change{Op: client.OpDeleteService}) },
		"missed":  func(j *journal.Journal, plan string) { _ = endWindow(j, plan) },
	} {
		path := filepath.Join(t.TempDir(), "prod.journal")
		j := reopen(t, path)
		plan := applied(t, j, client.Change{
			Op:       client.OpPlanMaintenance,
			StartAt:  start,
			RevertAt: start.Add(time.Hour),
		})
		w := reopen(t, path).PlannedWindows()[plan]
		if w.Service != "7" || !w.Start.Equal(start) || !w.End.Equal(start.Add(time.Hour)) {
			t.Errorf("%s: planned %+v", name, w)
		}
		applied(t, j, client.Change{Op: client.OpEnableService}) // by hand, for something else
		if op, id, ok := j.ScheduledChange(plan); op != client.OpDisableService || id != "7" || !ok {
			t.Errorf("%s: scheduled %s %s, %t", name, op, id, ok)
		}
		end(j, plan)
		for _, j := range []*journal.Journal{j, reopen(t, path)} {
			if op, _, _ := j.ScheduledChange(plan); op == client.OpDisableService || len(j.PlannedWindows()) > 0 {
				t.Errorf("%s, but still planned", name)
			}
		}
	}
}

// A scheduled change is recorded only if it is what was scheduled, on the service that it was scheduled for, and only
// once: of several programs, one makes it.
func TestJournal_RecordIntent_onlyTheScheduledChange(t *testing.T) {
	j := reopen(t, filepath.Join(t.TempDir(), "prod.journal"))
	window := applied(t, j, client.Change{Op: client.OpDisableService, RevertAt: time.Now().Add(-time.Minute)})
	plain := applied(t, j, client.Change{Op: client.OpDisableService})
	again := applied(t, j, client.Change{Op: client.OpDisableService, RevertAt: time.Now().Add(-time.Minute)})
	revert := client.Change{Op: client.OpEnableService, Resource: "service", ID: "7", Scheduled: again}
	record := func(change func(*client.Change)) (string, error) {
		c := revert
		change(&c)
		return j.RecordIntent(t.Context(), c)
	}
	for name, change := range map[string]func(*client.Change){
		"another operation": func(c *client.Change) { c.Op = client.OpDisableService },
		"another service":   func(c *client.Change) { c.ID = "8" },
		"a longer id":       func(c *client.Change) { c.ID = "77" },
		"an older window":   func(c *client.Change) { c.Scheduled = window },
		"no window":         func(c *client.Change) { c.Scheduled = plain },
		"nothing recorded":  func(c *client.Change) { c.Scheduled = again + "0" },
	} {
		if id, err := record(change); !errors.Is(err, journal.ErrSuperseded) || id != "" {
			t.Errorf("%s: %q, %v", name, id, err)
		}
	}
	first, err := record(func(*client.Change) {})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := record(func(*client.Change) {}); !errors.Is(err, journal.ErrTaken) {
		t.Errorf("a second time: %v", err)
	}
	if _, err := record(func(c *client.Change) { c.Repeats = again }); !errors.Is(err, journal.ErrTaken) {
		t.Errorf("a repetition of another change: %v", err)
	}
	j.RecordOutcome(first, client.Unknown, nil)
	if _, err := record(func(c *client.Change) { c.Repeats = first }); err != nil {
		t.Errorf("a repetition of the first: %v", err)
	}
}

// The reverts of two windows are two changes: one that was made does not keep the other from being made.
func TestJournal_RecordIntent_revertsOfTwoWindows(t *testing.T) {
	j := reopen(t, filepath.Join(t.TempDir(), "prod.journal"))
	windows := map[string]string{}
	for _, id := range []string{"123456781", "123456782"} {
		intent, err := j.RecordIntent(t.Context(), client.Change{
			Op:       client.OpDisableService,
			Resource: "service",
			ID:       id,
			RevertAt: time.Now().Add(-time.Minute),
		})
		if err != nil {
			t.Fatal(err)
		}
		j.RecordOutcome(intent, client.Applied, nil)
		windows[id] = intent
	}
	revert := client.Change{Op: client.OpEnableService, Resource: "service", ID: "123456781"}
	revert.Scheduled = windows["123456782"]
	if _, err := j.RecordIntent(t.Context(), revert); !errors.Is(err, journal.ErrSuperseded) {
		t.Errorf("the window of another service: %v", err)
	}
	for id, intent := range windows {
		revert.ID, revert.Scheduled = id, intent
		if _, err := j.RecordIntent(t.Context(), revert); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// Each window belongs to one change and one service, however alike their ids are.
func TestJournal_windowsWithSimilarIDs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prod.journal")
	j := reopen(t, path)
	begin := func(op, id string, replaces ...string) string {
		t.Helper()
		start := time.Now().Add(time.Hour)
		intent, err := j.RecordIntent(t.Context(), client.Change{
			Op:       op,
			Resource: "service",
			ID:       id,
			Replaces: replaces,
			StartAt:  start,
			RevertAt: start.Add(time.Hour),
		})
		if err != nil {
			t.Fatal(err)
		}
		j.RecordOutcome(intent, client.Applied, nil)
		return intent
	}
	older := begin(client.OpDisableService, "123456781")
	newer := begin(client.OpDisableService, "123456781", older)
	other := begin(client.OpDisableService, "123456782")
	begin(client.OpPlanMaintenance, "123456783")
	plan := begin(client.OpPlanMaintenance, "123456784")
	begin(client.OpDeleteService, "123456783")
	if err := endWindow(j, older); err != nil {
		t.Fatal(err)
	}
	for name, j := range map[string]*journal.Journal{"this run": j, "the next run": reopen(t, path)} {
		disabled, planned := j.ActiveWindows(), j.PlannedWindows()
		if len(disabled) != 2 || disabled["123456781"].ID != newer || disabled["123456782"].ID != other {
			t.Errorf("%s: disabled %+v", name, disabled)
		}
		if len(planned) != 1 || planned[plan].Service != "123456784" {
			t.Errorf("%s: planned %+v", name, planned)
		}
	}
}

// The open changes of a service are those whose outcome nobody knows, or is still awaited, and not those of a service
// whose id is alike.
func TestJournal_OpenChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := reopen(t, filepath.Join(t.TempDir(), "prod.journal"))
		start := time.Now()
		for _, c := range []struct {
			id, op  string
			outcome client.Outcome
		}{
			{"123456781", client.OpDisableService, client.Unknown},
			{"123456782", client.OpDisableService, client.Unknown},
			{"123456781", client.OpUpdateService, client.Applied},
			{"123456781", client.OpUpdateService, client.Rejected},
			{"123456781", client.OpEnableService, client.Pending},
		} {
			intent, err := j.RecordIntent(t.Context(), client.Change{Op: c.op, Resource: "service", ID: c.id})
			if err != nil {
				t.Fatal(err)
			}
			if c.outcome != client.Pending {
				j.RecordOutcome(intent, c.outcome, nil)
			}
			time.Sleep(time.Second)
		}
		for since, want := range map[time.Duration]string{
			0:           client.OpDisableService + ", " + client.OpEnableService,
			time.Second: client.OpEnableService,
			time.Minute: "",
		} {
			var ops []string
			for _, e := range j.OpenChanges("123456781", start.Add(since)) {
				ops = append(ops, e.Change.Op)
			}
			if got := strings.Join(ops, ", "); got != want {
				t.Errorf("since %s: %q, want %q", since, got, want)
			}
		}
	})
}

// A key that is revoked ends the reminder about its own secret, and about no other's.
func TestJournal_UnseenSecrets_similarIDs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prod.journal")
	j := reopen(t, path)
	for _, id := range []string{"123456781", "123456782"} {
		intent, err := j.RecordIntent(t.Context(), client.Change{Op: client.OpCreateKey, Resource: "key", Label: id})
		if err != nil {
			t.Fatal(err)
		}
		j.RecordUnseenSecret(intent, id)
	}
	revoke, err := j.RecordIntent(t.Context(), client.Change{Op: client.OpRevokeKey, Resource: "key", ID: "123456782"})
	if err != nil {
		t.Fatal(err)
	}
	j.RecordOutcome(revoke, client.Applied, nil)
	unseen := reopen(t, path).KeysWithUnseenSecret()
	if len(unseen) != 1 || unseen[0].UnseenSecretOf != "123456781" {
		t.Errorf("%+v", unseen)
	}
}

// What an earlier run did not finish is asked for by its operation, and not by one whose name begins alike.
func TestJournal_Unfinished_byOperation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prod.journal")
	j := reopen(t, path)
	for _, op := range []string{client.OpDeleteContact, client.OpDeleteCredential} {
		if _, err := j.RecordIntent(t.Context(), client.Change{Op: op, Path: "/" + op, ID: "7"}); err != nil {
			t.Fatal(err)
		}
	}
	unfinished := reopen(t, path).Unfinished(client.OpDeleteContact)
	if len(unfinished) != 1 || unfinished[0].Change.Op != client.OpDeleteContact {
		t.Errorf("%+v", unfinished)
	}
}

// The values before a change are in the journal: they are what undoes it.
func TestJournal_RecordIntent_valuesBefore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prod.journal")
	applied(t, reopen(t, path), client.Change{
		Op:     client.OpUpdateService,
		Before: map[string]any{"address": "https://before"},
	})
	entries := reopen(t, path).Entries(time.Time{})
	if len(entries) != 1 || fmt.Sprint(entries[0].Change.Before) != `{"address":"https://before"}` {
		t.Errorf("%+v", entries)
	}
}

// A disable whose outcome becomes known long after it was sent begins its window only then. It neither replaces the
// window of a later disable, nor opens one that a later change has ended.
func TestJournal_DisabledService_lateOutcome(t *testing.T) {
	for name, c := range map[string]struct {
		later string // operation that is applied between sending and settling
		mine  bool   // the window is that of the settled change
		held  bool
	}{
		"nothing since":       {"", true, true},
		"disabled since":      {client.OpDisableService, false, true},
		"enabled since":       {client.OpEnableService, false, false},
		"deleted since":       {client.OpDeleteService, false, false},
		"renamed since, only": {client.OpUpdateService, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "prod.journal")
				j := reopen(t, path)
				change := client.Change{
					Op:       client.OpDisableService,
					Resource: "service",
					ID:       "7",
					RevertAt: time.Now().Add(time.Hour),
				}
				id, err := j.RecordIntent(t.Context(), change)
				if err != nil {
					t.Fatal(err)
				}
				j.RecordOutcome(id, client.Unknown, errors.New("lost"))
				time.Sleep(2 * time.Minute)
				j.RecordOutcome(id, client.Rejected, client.FoundByReading("not seen"))
				time.Sleep(2 * time.Minute)
				if c.later != "" {
					applied(t, j, client.Change{Op: c.later, RevertAt: time.Now().Add(3 * time.Hour)})
				}
				time.Sleep(6 * time.Minute)
				j.RecordOutcome(id, client.Applied, errors.New("settled by the user"))
				settled := time.Now()
				for name, j := range map[string]*journal.Journal{"this run": j, "the next run": reopen(t, path)} {
					w, held := j.ActiveWindow("7")
					if held != c.held || (w.ID == id) != c.mine {
						t.Errorf("%s: %t, %+v", name, held, w)
					}
					if c.mine && (!w.At.Equal(settled) || !w.Since.Equal(settled)) {
						t.Errorf("%s: the window begins at %v, since %v, want %v", name, w.At, w.Since, settled)
					}
				}
			})
		})
	}
}

// endWindow ends a window as it is.
func endWindow(j *journal.Journal, id string) error {
	w, _ := j.Window(id)
	if err := j.EndWindow(w, window.EnabledElsewhere); !errors.Is(err, journal.ErrSuperseded) {
		return err
	}
	return nil
}

// A window that another program is just making keeps out those that overlap it, before it is known whether that one
// was made.
func TestJournal_RecordIntent_windowsMadeAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prod.journal")
	theirs := reopen(t, path)
	at := func(from, to time.Duration) client.Change {
		return client.Change{
			Op: client.OpPlanMaintenance, Resource: "service", ID: "7",
			StartAt: time.Now().Add(from), RevertAt: time.Now().Add(to),
		}
	}
	id, err := theirs.RecordIntent(t.Context(), at(time.Hour, 2*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	ours := reopen(t, path)
	overlapping := at(90*time.Minute, 3*time.Hour)
	if _, err := ours.RecordIntent(t.Context(), overlapping); !errors.Is(err, journal.ErrTaken) {
		t.Errorf("while the other is recorded: %v", err)
	}
	disable := client.Change{Op: client.OpDisableService, Resource: "service", ID: "7"}
	if _, err := ours.RecordIntent(t.Context(), disable); !errors.Is(err, journal.ErrTaken) {
		t.Errorf("without an end: %v", err)
	}
	elsewhere := overlapping
	elsewhere.ID = "8"
	for name, c := range map[string]client.Change{"later": at(2*time.Hour, 3*time.Hour), "another service": elsewhere} {
		if _, err := ours.RecordIntent(t.Context(), c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	theirs.RecordOutcome(id, client.Applied, nil)
	overlap := (*window.OverlapError)(nil)
	if _, err := ours.RecordIntent(t.Context(), overlapping); !errors.As(err, &overlap) {
		t.Errorf("after the other was recorded: %v", err)
	}
}

// The end of a window is decided again if another program has begun it meanwhile.
func TestJournal_EndWindow_decidedOnWhatIsNotSoAnyMore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prod.journal")
	ours, theirs := reopen(t, path), reopen(t, path)
	plan := applied(t, ours, client.Change{
		Op:       client.OpPlanMaintenance,
		StartAt:  time.Now().Add(-time.Minute),
		RevertAt: time.Now().Add(time.Hour),
	})
	decided, _ := ours.Window(plan)
	begin := client.Change{Op: client.OpDisableService, Resource: "service", ID: "7", Scheduled: plan}
	id, err := theirs.RecordIntent(t.Context(), begin)
	if err != nil {
		t.Fatal(err)
	}
	if err := ours.EndWindow(decided, window.StaysDisabled); !errors.Is(err, journal.ErrTaken) {
		t.Errorf("while it begins: %v", err)
	}
	theirs.RecordOutcome(id, client.Applied, nil)
	if err := ours.EndWindow(decided, window.StaysDisabled); !errors.Is(err, journal.ErrSuperseded) {
		t.Errorf("after it has begun: %v", err)
	}
	decided, _ = ours.Window(plan)
	update := client.Change{Op: client.OpUpdateService, Resource: "service", ID: "7"}
	edit, err := theirs.RecordIntent(t.Context(), update)
	if err != nil {
		t.Fatal(err)
	}
	if err := ours.EndWindow(decided, window.TakenOver); !errors.Is(err, journal.ErrTaken) {
		t.Errorf("while the service is edited: %v", err)
	}
	edited := &client.Service{ID: 7}
	_ = edited.Updated.UnmarshalJSON([]byte(`"2026-11-21T22:00:00"`))
	theirs.RecordService(edit, edited)
	if err := ours.EndWindow(decided, window.TakenOver); !errors.Is(err, journal.ErrSuperseded) {
		t.Errorf("after it was edited: %v", err)
	}
	if w := reopen(t, path).Windows(); len(w) != 1 || w[0].State != window.Active {
		t.Errorf("%+v", w)
	}
}

// A journal that was removed, or whose folder was, takes no more changes: no later start would read them.
func TestJournal_removedWhileRunning(t *testing.T) {
	for name, remove := range map[string]func(path string) error{
		"the file":            os.Remove,
		"the folder":          func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
		"the folder replaced": func(path string) error { return replaceFolder(filepath.Dir(path)) },
	} {
		path := filepath.Join(t.TempDir(), "state", "prod.journal")
		j := reopen(t, path)
		id := applied(t, j, client.Change{Op: client.OpUpdateService})
		if err := remove(path); err != nil {
			t.Skip("an open file cannot be removed here: ", err)
		}
		var gone *journal.GoneError
		_, err := j.RecordIntent(t.Context(), client.Change{Op: client.OpDisableService, Resource: "service", ID: "7"})
		if !errors.As(err, &gone) {
			t.Errorf("%s was removed: %v", name, err)
		}
		if _, err := j.CatchUp(); !errors.As(err, &gone) {
			t.Errorf("%s was removed, catching up: %v", name, err)
		}
		j.RecordOutcome(id, client.Unknown, nil)
		if err := j.OutcomeError(); !errors.As(err, &gone) {
			t.Errorf("%s was removed, and an outcome was recorded: %v", name, err)
		}
	}
}

// replaceFolder puts an empty folder in the place of another.
func replaceFolder(path string) error {
	if err := os.Rename(path, path+".old"); err != nil {
		return err
	}
	return os.Mkdir(path, 0o700)
}
