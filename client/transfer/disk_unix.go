//go:build linux || darwin || freebsd

package transfer

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// FreeSpace returns the bytes that are free for this user where a folder is or would be made. It reports false if that
// is not known.
func FreeSpace(folder string) (int64, bool) {
	var s unix.Statfs_t
	if unix.Statfs(existingFolder(folder+"/."), &s) != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}

// isDiskFull reports whether a file could not be written because the disk is full.
func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
