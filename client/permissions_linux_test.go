package client

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"lookout/client/faulttest"
)

// A certificate or key that the user may not read is reported as such.
func TestReadPEM_ofSomebodyElse(t *testing.T) {
	t.Chdir(t.TempDir()) // users other than root cannot name what is in it by its full path
	if err := os.WriteFile("key.pem", []byte("text"), 0o200); err != nil {
		t.Fatal(err)
	}
	faulttest.WithoutRoot(t, func() {
		if _, err := readPEM("key.pem"); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%v", err)
		}
	})
}
