package account

import (
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
	if err := os.WriteFile(journal.StateFile(j).Path(), []byte("invalid"), 0o600); err != nil {
		t.Fatal(err)
	}
	if a.memory.observations() == nil || a.memory.problem == "" {
		t.Error("the file was read before it was needed")
	}
}
