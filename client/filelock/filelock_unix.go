//go:build unix

package filelock

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Try locks a file until its handle is closed. It returns ErrLocked if another handle has the lock, and another error
// on file systems without locks.
func Try(f LockableFile) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// Unlock gives the lock of a file back.
func Unlock(f LockableFile) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }

// Wait locks a file as soon as no other handle has the lock. It does nothing on file systems without locks.
func Wait(f LockableFile) (unlock func()) {
	if unix.Flock(int(f.Fd()), unix.LOCK_EX) != nil {
		return func() {}
	}
	return func() { Unlock(f) }
}
