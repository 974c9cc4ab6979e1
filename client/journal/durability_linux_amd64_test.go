package journal

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/faulttest"
)

// An intent is on the disk when RecordIntent returns. The outcome need not be: without it the change counts as one
// whose outcome is unknown.
func TestJournal_RecordIntent_durable(t *testing.T) {
	calls := faulttest.TraceFileCalls(t, func(folder string) {
		j, err := Open(filepath.Join(folder, "a.journal"), "a", time.Now)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		if _, err := j.RecordIntent(t.Context(), client.Change{Op: client.OpDisableService, ID: "7"}); err != nil {
			t.Fatal(err)
		}
	})
	if want := []string{"write a.journal", "sync a.journal"}; !slices.Equal(calls, want) {
		t.Errorf("%q, want %q", calls, want)
	}
}

// A power cut during a compaction leaves the old journal or the new one. The second name of the old one is on the disk
// before the new one takes its place, and that before anything is written to it.
func TestJournal_compact_durable(t *testing.T) {
	calls := faulttest.TraceFileCalls(t, func(folder string) {
		j, err := openWithSegments(filepath.Join(folder, "a.journal"), "a", time.Now, 500)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		for range 20 {
			id, err := j.RecordIntent(t.Context(), client.Change{Op: client.OpDeleteContact, ID: "7"})
			if err != nil {
				t.Fatal(err)
			}
			j.RecordOutcome(id, client.Applied, nil)
		}
	})
	link := slices.Index(calls, "link")
	if link < 1 {
		t.Fatalf("not compacted: %q", calls)
	}
	calls = calls[link-1:]
	want := []string{"sync a.journal.next", "link", "sync folder", "rename", "sync folder"}
	if len(calls) < len(want) || !slices.Equal(calls[:len(want)], want) {
		t.Errorf("%q, want %q", calls, want)
	}
}
