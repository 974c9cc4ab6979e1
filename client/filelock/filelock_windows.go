package filelock

import (
	"errors"
	"math"

	"golang.org/x/sys/windows"
)

// lock locks a byte far beyond the end of the file, so that other handles can still read and write it.
func lock(f LockableFile, flags uint32) (windows.Handle, *windows.Overlapped, error) {
	last := &windows.Overlapped{Offset: math.MaxUint32, OffsetHigh: math.MaxInt32}
	handle := windows.Handle(f.Fd())
	return handle, last, windows.LockFileEx(handle, windows.LOCKFILE_EXCLUSIVE_LOCK|flags, 0, 1, 0, last)
}

// Try locks a file until its handle is closed. It returns ErrLocked if another handle has the lock, and another error
// on file systems without locks.
func Try(f LockableFile) error {
	_, _, err := lock(f, windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return err
}

// Wait locks a file as soon as no other handle has the lock. It does nothing on file systems without locks.
func Wait(f LockableFile) (unlock func()) {
	handle, last, err := lock(f, 0)
	if err != nil {
		return func() {}
	}
	return func() { _ = windows.UnlockFileEx(handle, 0, 1, 0, last) }
}
