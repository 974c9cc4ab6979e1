package journal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client"
)

// recordChange records a change of a service that was applied.
func recordChange(t *testing.T, j *Journal, op, id string) {
	t.Helper()
	c := disableChange(id, "x")
	c.Op = op
	entry, err := j.RecordIntent(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	j.RecordOutcome(entry, client.Applied, nil)
}

// checkCatchUp fails unless catching up finds something new, or nothing.
func checkCatchUp(t *testing.T, j *Journal, want bool) {
	t.Helper()
	if grown, err := j.CatchUp(); grown != want || err != nil {
		t.Fatalf("catching up: %v, %v", grown, err)
	}
}

// Nothing that a journal does keeps another call waiting, also after another process has compacted the file. This is
// the first test of the package, because a call that never returns would stop any other.
func TestJournal_nothingHangs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	last, done := make(chan string, 100), make(chan error)
	go func() {
		done <- func() error {
			theirs, err := openWithSegments(path, "a", testTime, 1)
			if err != nil {
				return err
			}
			defer theirs.Close()
			ours, err := Open(path, "a", testTime)
			if err != nil {
				return err
			}
			id, err := ours.RecordIntent(t.Context(), disableChange("7", "x"))
			if err != nil {
				return err
			}
			for n, call := range everyCall(ours, id) {
				if _, err := theirs.RecordIntent(t.Context(), disableChange(fmt.Sprint(n+8), "x")); err != nil {
					return err
				}
				last <- call.name
				call.do()
			}
			return nil
		}()
	}()
	name := "open"
	for {
		select {
		case name = <-last:
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			return
		case <-time.After(15 * time.Second):
			t.Fatalf("%s does not return", name)
		}
	}
}

type namedCall struct {
	name string
	do   func()
}

// everyCall returns calls of all that a journal can do, each twice but the last, which closes it.
func everyCall(j *Journal, id string) []namedCall {
	calls := []namedCall{
		{"RecordOutcome", func() { j.RecordOutcome(id, client.Applied, nil) }},
		{"EndWindow", func() { _ = endWindow(j, id) }},
		{"EndWindow of nothing", func() { _ = endWindow(j, "nobody's") }},
		{"RecordBatch", func() { _ = j.RecordBatch(id, client.BatchRecord{Number: 1, Count: 1}) }},
		{"RecordUnseenSecret", func() { j.RecordUnseenSecret(id, "7") }},
		{"RecordSecretSeen", func() { j.RecordSecretSeen(id) }},
		{"RecordRevokeLater", func() { j.RecordRevokeLater(id, "7", "x") }},
		{"CatchUp", func() { _, _ = j.CatchUp() }},
		{"announce", func() { j.announce() }},
		{"OutcomeError", func() { _ = j.OutcomeError() }},
		{"Entries without a file", func() { _ = os.Remove(segmentPath(j.path, 1)); j.Entries(time.Time{}) }},
		{"Problem", func() { _ = j.Problem() }},
		{"UnreadableLines", func() { j.UnreadableLines() }},
		{"Version", func() { j.Version() }},
		{"Len", func() { j.Len() }},
		{"Entry", func() { j.Entry("nobody's") }},
		{"Unfinished", func() { j.Unfinished(client.OpEmptyBucket) }},
		{"UnresolvedEntries", func() { j.UnresolvedEntries(time.Time{}) }},
		{"KeysWithUnseenSecret", func() { j.KeysWithUnseenSecret() }},
		{"KeysToRevoke", func() { j.KeysToRevoke() }},
		{"DisabledService", func() { j.ActiveWindow("7") }},
		{"DisabledServices", func() { j.ActiveWindows() }},
		{"OpenChanges", func() { j.OpenChanges("7", time.Time{}) }},
		{"Windows", func() { j.Windows() }},
		{"WindowsOf", func() { j.WindowsOf("7") }},
		{"Window", func() { j.Window(id) }},
		{"PlannedWindows", func() { j.PlannedWindows() }},
		{"ScheduledChange", func() { j.ScheduledChange(id) }},
		{"RecordIntent", func() { _, _ = j.RecordIntent(context.Background(), disableChange("7", "x")) }},
	}
	twice := make([]namedCall, 0, 2*len(calls)+1)
	for _, call := range calls {
		twice = append(twice, call, call)
	}
	return append(twice, namedCall{"Close", func() { j.Close() }})
}

// After two programs have written to one journal, both know the same entries.
func TestJournal_CatchUp_twoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	ours, theirs := openJournal(t, path), openJournal(t, path)
	recordChange(t, theirs, "disable service", "1")
	recordChange(t, ours, "enable service", "1")
	recordChange(t, ours, "disable service", "2")
	recordChange(t, theirs, "enable service", "2")
	recordChange(t, theirs, "disable service", "3")
	for _, j := range []*Journal{ours, theirs} {
		checkCatchUp(t, j, true)
		checkCatchUp(t, j, false)
		if _, held := j.ActiveWindow("3"); !held || len(j.ActiveWindows()) != 1 ||
			len(j.Entries(time.Time{})) != 5 ||
			j.UnreadableLines() != 0 {
			t.Errorf(
				"holds %+v, %d changes, %d torn", j.ActiveWindows(), len(j.Entries(time.Time{})),
				j.UnreadableLines(),
			)
		}
		var order []string
		for _, e := range j.Entries(time.Time{}) {
			order = append(order, e.Change.Op+" "+e.Change.ID)
		}
		if want := []string{
			"disable service 1", "enable service 1", "disable service 2", "enable service 2", "disable service 3",
		}; !slices.Equal(order, want) {
			t.Errorf("in the order %q", order)
		}
	}
	checkCatchUp(t, NewInMemory(testTime), false)
}

// A line that another program has only half written is read once it is complete. A line that was cut off is skipped.
func TestJournal_CatchUp_partialLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := openJournal(t, path)
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for i, part := range []string{
		`{"intent":{"id":"other-1","time":"2026-11-21T03:00:00Z",`,
		`"change":{"op":"delete key"}}}` + "\n",
	} {
		_, _ = file.WriteString(part)
		checkCatchUp(t, j, i == 1)
	}
	if err := file.Truncate(0); err != nil {
		t.Fatal(err)
	}
	checkCatchUp(t, j, false)
	recordChange(t, openJournal(t, path), "disable service", "1")
	checkCatchUp(t, j, true)
	if n := len(j.Entries(time.Time{})); n != 2 || j.UnreadableLines() != 0 {
		t.Errorf("%d changes, %d torn", n, j.UnreadableLines())
	}
}

// A change that another program has just begun is pending. If nothing follows for a while, its outcome is unknown.
func TestJournal_Unresolved_otherProcess(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "j"), testTime()
	j, err := Open(path, "a", func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, err := openJournal(t, path).RecordIntent(t.Context(), client.Change{Op: "delete key"}); err != nil {
		t.Fatal(err)
	}
	checkCatchUp(t, j, true)
	e := j.Entries(time.Time{})[0]
	if j.Unresolved(e) || len(j.UnresolvedEntries(time.Time{})) != 0 {
		t.Error("a change that has just begun counts as lost")
	}
	if now = now.Add(otherProcessTimeout); !j.Unresolved(e) || len(j.UnresolvedEntries(time.Time{})) != 1 {
		t.Error("a change without an outcome counts as pending")
	}
	if again := openJournal(t, path); !again.Unresolved(again.Entries(time.Time{})[0]) {
		t.Error("an unfinished change of an earlier run counts as pending")
	}
}

// Waiting ends when another program writes, and when the account is closed.
func TestJournal_WaitForChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "j")
		ours, theirs := openJournal(t, path), openJournal(t, path)
		begin := time.Now()
		time.AfterFunc(12*time.Second, func() { recordChange(t, theirs, "disable service", "1") })
		if !ours.WaitForChange(t.Context(), 5*time.Second) || time.Since(begin) != 15*time.Second {
			t.Errorf("told after %v", time.Since(begin))
		}
		recordChange(t, theirs, "disable service", "2")
		if grown, err := ours.CatchUp(); !grown || err != nil {
			t.Fatal(grown, err)
		}
		if !ours.WaitForChange(t.Context(), 5*time.Second) {
			t.Error("what another call has read is not announced")
		}
		if NewInMemory(testTime).WaitForChange(t.Context(), time.Second) {
			t.Error("a journal in memory has grown")
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		if ours.WaitForChange(ctx, 5*time.Second) {
			t.Error("nothing was written, but something is reported")
		}
	})
}
