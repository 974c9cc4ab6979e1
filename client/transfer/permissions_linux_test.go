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
