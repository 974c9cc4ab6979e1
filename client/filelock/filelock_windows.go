package filelock

import (
	"errors"
	"math"

	"golang.org/x/sys/windows"
)

// lastByte is a byte far beyond the end of a file: while it is locked, other handles can still read and write the file.
func lastByte() *windows.Overlapped {
	return &windows.Overlapped{Offset: math.MaxUint32, OffsetHigh: math.MaxInt32}
}

func lock(f LockableFile, flags uint32) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|flags, 0, 1, 0, lastByte())
}

// Unlock gives the lock of a file back.
func Unlock(f LockableFile) { _ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, lastByte()) }

// Try locks a file until its handle is closed. It returns ErrLocked if another handle has the lock, and another error
// on file systems without locks.
func Try(f LockableFile) error {
	err := lock(f, windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return err
}

// Wait locks a file as soon as no other handle has the lock. It does nothing on file systems without locks.
func Wait(f LockableFile) (unlock func()) {
	if lock(f, 0) != nil {
		return func() {}
	}
	return func() { Unlock(f) }
}
