package transfer

import (
	"errors"

	"golang.org/x/sys/windows"
)

// FreeSpace returns the bytes that are free for this user where a folder is or would be made. It reports false if that
// is not known.
func FreeSpace(folder string) (int64, bool) {
	path, err := windows.UTF16PtrFromString(existingFolder(folder + `\.`))
	var free uint64
	if err != nil || windows.GetDiskFreeSpaceEx(path, &free, nil, nil) != nil {
		return 0, false
	}
	return int64(free), true
}

// isDiskFull reports whether a file could not be written because the disk is full.
func isDiskFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}
