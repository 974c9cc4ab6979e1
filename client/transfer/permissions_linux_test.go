package transfer

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"testing"
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
	withoutRoot(t, func() {
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

// withoutRoot runs a function that opens no files as root, even if the tests do.
func withoutRoot(t *testing.T, do func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		do()
		return
	}
	runtime.LockOSThread() // the call changes the user of this thread alone
	defer runtime.UnlockOSThread()
	become := func(user uintptr) { _, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, user, 0, 0) }
	become(65534)
	defer become(0)
	do()
}
