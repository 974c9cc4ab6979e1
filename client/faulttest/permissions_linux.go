package faulttest

import (
	"os"
	"runtime"
	"syscall"
	"testing"
)

// WithoutRoot runs a function that opens no files as root, even if the tests do. It starts no goroutines that open any.
func WithoutRoot(t *testing.T, do func()) {
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
