package client

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"testing"
)

// A certificate or key that the user may not read is reported as such.
func TestReadPEM_ofSomebodyElse(t *testing.T) {
	t.Chdir(t.TempDir()) // users other than root cannot name what is in it by its full path
	if err := os.WriteFile("key.pem", []byte("text"), 0o200); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 { // root may read everything, so this thread alone becomes nobody
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		become := func(user uintptr) { _, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, user, 0, 0) }
		become(65534)
		defer become(0)
	}
	if _, err := readPEM("key.pem"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%v", err)
	}
}
