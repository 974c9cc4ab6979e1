package transfer

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"lookout/client/faulttest"
)

// A partial file that belongs to somebody else stays as it is, and the error is that of the system.
func TestOpenPart_ofSomebodyElse(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	name := partName("o", "version")
	if err := root.WriteFile(name, []byte("text"), 0o400); err != nil {
		t.Fatal(err)
	}
	faulttest.WithoutRoot(t, func() {
		p, err := openPart(root, "o", "version", false, nil)
		if err == nil {
			p.closeAll()
		}
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%v", err)
		}
	})
	if data, err := root.ReadFile(name); err != nil || string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
}

// Where nobody can find out whether names that differ only in case are one, they are taken for one.
func TestFoldsCase_whereNothingCanBeCreated(t *testing.T) {
	t.Chdir(t.TempDir()) // users other than root cannot name what is in it by its full path
	if err := os.Mkdir("read-only", 0o555); err != nil {
		t.Fatal(err)
	}
	faulttest.WithoutRoot(t, func() {
		for _, folder := range []string{"read-only", "missing"} {
			if !FoldsCase(folder) {
				t.Errorf("%s: names that differ only in case count as two", folder)
			}
		}
	})
}
