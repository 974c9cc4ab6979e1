package journal

import (
	"math"

	"golang.org/x/sys/windows"
)

// lock waits until no other process writes, and keeps others from writing. It locks a byte far beyond the end of the
// file, so that others can still read.
func lock(f logFile) (unlock func()) {
	last := windows.Overlapped{Offset: math.MaxUint32, OffsetHigh: math.MaxInt32}
	handle := windows.Handle(f.Fd())
	if windows.LockFileEx(handle, windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &last) != nil {
		return func() {}
	}
	return func() { _ = windows.UnlockFileEx(handle, 0, 1, 0, &last) }
}

// syncFolder does nothing: Windows has no such call.
func syncFolder(string) error { return nil }
