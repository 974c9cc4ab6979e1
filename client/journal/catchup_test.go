package journal

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client"
)

// change writes a change of a service that was done.
func change(t *testing.T, j *Journal, op, id string) {
	t.Helper()
	c := disable(id, "x")
	c.Op = op
	entry, err := j.RecordIntent(c)
	if err != nil {
		t.Fatal(err)
	}
	j.RecordOutcome(entry, true, nil)
}

// caught fails unless catching up finds something new, or nothing.
func caught(t *testing.T, j *Journal, want bool) {
	t.Helper()
	if grown, err := j.CatchUp(); grown != want || err != nil {
		t.Fatalf("catching up: %v, %v", grown, err)
	}
}

// Two programs that write into one journal come to know the same, whoever wrote last.
func TestTwoProgramsKnowTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	ours, theirs := opened(t, path), opened(t, path)
	change(t, theirs, "disable service", "1")
	change(t, ours, "enable service", "1")
	change(t, ours, "disable service", "2")
	change(t, theirs, "enable service", "2")
	change(t, theirs, "disable service", "3")
	for _, j := range []*Journal{ours, theirs} {
		caught(t, j, true)
		caught(t, j, false)
		if _, held := j.Hold("3"); !held || len(j.Holds()) != 1 || len(j.Entries(time.Time{})) != 5 || j.Torn() != 0 {
			t.Errorf("holds %+v, %d changes, %d torn", j.Holds(), len(j.Entries(time.Time{})), j.Torn())
		}
	}
	caught(t, Memory(at), false)
}

// What another program has only half written is read once it is whole; what has been cut is no fault.
func TestALineOnItsWayIsLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := opened(t, path)
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for i, part := range []string{`{"intent":{"id":"other-1","time":"2026-11-21T03:00:00Z",`, `"change":{"op":"delete key"}}}` + "\n"} {
		_, _ = file.WriteString(part)
		caught(t, j, i == 1)
	}
	if err := file.Truncate(0); err != nil {
		t.Fatal(err)
	}
	caught(t, j, false)
	change(t, opened(t, path), "disable service", "1")
	caught(t, j, true)
	if n := len(j.Entries(time.Time{})); n != 2 || j.Torn() != 0 {
		t.Errorf("%d changes, %d torn", n, j.Torn())
	}
}

// A change that another program has just begun is under way; when nothing is heard of it any more, nobody knows how it ended.
func TestAChangeElsewhereIsUnderWay(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "j"), at()
	j, err := Open(path, "a", func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, err := opened(t, path).RecordIntent(client.Change{Op: "delete key"}); err != nil {
		t.Fatal(err)
	}
	caught(t, j, true)
	e := j.Entries(time.Time{})[0]
	if j.Open(e) {
		t.Error("what has just begun passes for lost")
	}
	if now = now.Add(patience); !j.Open(e) {
		t.Error("what nobody has ended passes for under way")
	}
	if again := opened(t, path); !again.Open(again.Entries(time.Time{})[0]) {
		t.Error("what an earlier run left passes for under way")
	}
}

// Waiting ends with what another program writes, and with the account.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "j")
		ours, theirs := opened(t, path), opened(t, path)
		begin := time.Now()
		time.AfterFunc(12*time.Second, func() { change(t, theirs, "disable service", "1") })
		if !ours.Await(t.Context(), 5*time.Second) || time.Since(begin) != 15*time.Second {
			t.Errorf("told after %v", time.Since(begin))
		}
		if Memory(at).Await(t.Context(), time.Second) {
			t.Error("a journal in memory has grown")
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		if ours.Await(ctx, 5*time.Second) {
			t.Error("nothing was written, and something is told")
		}
	})
}
