package account

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"lookout/client/journal"
)

// The file of what was seen is read when it is needed, not before the first frame.
func TestNew_doesNotReadMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "work.journal")
	j, err := journal.Open(path, "work", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	a := New(t.Context(), Options{Journal: j})
	if err := os.WriteFile(j.StateFile().Path(), []byte("invalid"), 0o600); err != nil {
		t.Fatal(err)
	}
	if a.RecentChanges(); a.memory.seen != nil {
		t.Error("the first frame, which shows the recent changes, reads the file")
	}
	if a.memory.observations() == nil || a.memory.err == nil {
		t.Error("the file was read before it was needed")
	}
}

// heldWork is an executor that does not begin the work that it was given last.
type heldWork struct{ work func() (apply func()) }

func (h *heldWork) Go(work func() (apply func())) { h.work = work }
func (h *heldWork) After(time.Duration, func())   {}

// A save that has not begun when the account is closed writes nothing any more: the file is up to date then, and
// somebody else may use the folder.
func TestAccount_Close_writesLast(t *testing.T) {
	j, err := journal.Open(filepath.Join(t.TempDir(), "work.journal"), "work", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	held := &heldWork{}
	a := New(t.Context(), Options{Executor: held, Journal: j, Now: time.Now})
	a.memory.observations().Read = time.Now()
	a.memory.unsaved.Store(a.memory.seen.Clone())
	a.saveMemory()
	a.Close()
	path := j.StateFile().Path()
	if err := os.Remove(path); err != nil {
		t.Fatalf("closing did not write what was unsaved: %v", err)
	}
	held.work()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("written after the account was closed: %v", err)
	}
}
