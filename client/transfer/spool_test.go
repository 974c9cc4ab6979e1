package transfer

import (
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
)

// What is piped into an upload has no name on the disk, so that nothing is left of it however the program ends.
func TestSpool_leavesNoFile(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	t.Setenv("TMP", folder)
	names := func() int {
		t.Helper()
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	during := 0
	in := io.MultiReader(strings.NewReader("a secret"), readerFunc(func([]byte) (int, error) {
		during = names()
		return 0, io.EOF
	}))
	f, err := Spool(in)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && (during > 0 || names() > 0) {
		t.Errorf("the file has a name: %d while it is written, %d afterwards", during, names())
	}
	data := make([]byte, 100)
	if n, err := f.ReadAt(data, 0); string(data[:n]) != "a secret" || err != io.EOF {
		t.Errorf("%q, %v", data[:n], err)
	}
	if f.Close(); names() > 0 {
		t.Error("the file is still there after it is closed")
	}
	broken := readerFunc(func([]byte) (int, error) { return 0, io.ErrUnexpectedEOF })
	if f, err := Spool(broken); err == nil || names() > 0 {
		t.Errorf("a pipe that breaks leaves %d files: %v, %v", names(), f, err)
	}
}

// A readerFunc is a reader.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
