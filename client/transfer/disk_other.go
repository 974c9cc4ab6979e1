//go:build !linux && !darwin && !freebsd && !windows

package transfer

import (
	"errors"
	"syscall"
)

// FreeSpace reports false: it is not known.
func FreeSpace(string) (int64, bool) { return 0, false }

// isDiskFull reports whether a file could not be written because the disk is full.
func isDiskFull(err error) bool { return errors.Is(err, syscall.ENOSPC) }
