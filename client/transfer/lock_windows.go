package transfer

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// lock takes a file for this handle alone, until it is closed; errPartLocked where another handle has it. What is
// locked is a byte far behind the file's end: others can read and write all that is there. A file system without locks
// gives none.
func lock(f *os.File) error {
	last := windows.Overlapped{Offset: math.MaxUint32, OffsetHigh: math.MaxInt32}
	err := windows.LockFileEx(
		windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0,
		1,
		0,
		&last,
	)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errPartLocked
	}
	return nil
}
