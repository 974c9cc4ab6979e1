//go:build unix

package transfer

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock locks a file for this handle until it is closed. It returns errPartLocked if another handle has the lock, and
// does nothing on file systems without locks.
func lock(f *os.File) error {
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return errPartLocked
	}
	return nil
}
