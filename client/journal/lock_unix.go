//go:build unix

package journal

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock waits until no other process writes, and keeps others from writing. It does nothing on file systems without
// locks: there, two processes that compact at once may only cost the newer file its place.
func lock(f logFile) (unlock func()) {
	if unix.Flock(int(f.Fd()), unix.LOCK_EX) != nil {
		return func() {}
	}
	return func() { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }
}

// syncFolder puts the names in a folder on the disk.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	_ = folder.Sync() // some file systems cannot
	return nil
}
