package faultrig

import (
	"os"
	"sync"
	"syscall"
	"time"
)

// A Disk is a file that fails at the call that is told.
type Disk struct {
	*os.File
	WriteFails int   // the n-th write fails; 0 is never
	Kept       int   // bytes of that write that reach the file
	SyncFails  int   // the n-th sync fails
	Lasting    bool  // all calls after it fail too
	Err        error // nil is "no space left on device"

	writes, syncs int
}

func (d *Disk) err() error {
	if d.Err != nil {
		return d.Err
	}
	return syscall.ENOSPC
}

func (d *Disk) fails(n, at int) bool { return at > 0 && (n == at || d.Lasting && n > at) }

// Write fails at its turn, having kept a part.
func (d *Disk) Write(p []byte) (int, error) {
	d.writes++
	if !d.fails(d.writes, d.WriteFails) {
		return d.File.Write(p)
	}
	n := min(d.Kept, len(p))
	if n > 0 {
		if _, err := d.File.Write(p[:n]); err != nil {
			return 0, err
		}
	}
	return n, d.err()
}

// Sync fails at its turn.
func (d *Disk) Sync() error {
	d.syncs++
	if d.fails(d.syncs, d.SyncFails) {
		return d.err()
	}
	return d.File.Sync()
}

// A Clock is a wall clock that jumps when it is told. It has no monotonic part, as after a suspension.
type Clock struct {
	mu   sync.Mutex
	jump time.Duration
}

// Now is the time plus all jumps.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.jump).Round(0)
}

// Jump moves the clock.
func (c *Clock) Jump(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.jump += d
}
