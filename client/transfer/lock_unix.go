//go:build unix

package transfer

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock takes a file for this handle alone, until it is closed; errPartLocked where another handle has it. A file system
// without locks gives none.
func lock(f *os.File) error {
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return errPartLocked
	}
	return nil
}
