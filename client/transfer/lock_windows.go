package transfer

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// lock locks a file for this handle until it is closed. It returns errPartLocked if another handle has the lock, and
// does nothing on file systems without locks. It locks a byte far beyond the end of the file, so that other handles can
// still read and write the data.
func lock(f *os.File) error {
	last := windows.Overlapped{Offset: math.MaxUint32, OffsetHigh: math.MaxInt32}
	err := windows.LockFileEx(
		windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &last,
	)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errPartLocked
	}
	return nil
}
