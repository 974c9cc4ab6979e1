// Package filelock locks files against other processes, and against other handles of this one. A lock ends when its
// handle is closed, however the process ends.
package filelock

import "errors"

// ErrLocked means that another handle has the lock.
var ErrLocked = errors.New("locked by another program")

// A LockableFile is an open file: *os.File.
type LockableFile interface{ Fd() uintptr }
