package filelock

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Only one handle has the lock of a file, until it is closed. Others can still read and write the file.
func TestTry_oneHandleAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	first, second := open(), open()
	if err := Try(first); err != nil {
		t.Fatal(err)
	}
	if err := Try(second); !errors.Is(err, ErrLocked) {
		t.Errorf("the second handle: %v", err)
	}
	if _, err := second.WriteString("x"); err != nil {
		t.Error(err)
	}
	first.Close()
	Wait(second)()
	if err := Try(open()); err != nil {
		t.Errorf("after both have ended: %v", err)
	}
}
