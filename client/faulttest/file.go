package faulttest

import (
	"os"
	"sync"
	"syscall"
	"time"
)

// A FaultyFile is a file that fails at the call that is told.
type FaultyFile struct {
	*os.File
	FailWrite int   // the n-th write fails; 0 is never
	KeepBytes int   // bytes of that write that reach the file
	FailSync  int   // the n-th sync fails
	FailAfter bool  // all calls after it fail too
	Err       error // nil is "no space left on device"

	writes, syncs int
}

func (d *FaultyFile) failure() error {
	if d.Err != nil {
		return d.Err
	}
	return syscall.ENOSPC
}

func (d *FaultyFile) shouldFail(n, at int) bool { return at > 0 && (n == at || d.FailAfter && n > at) }

// Write fails at its turn, having kept a part.
func (d *FaultyFile) Write(p []byte) (int, error) {
	d.writes++
	if !d.shouldFail(d.writes, d.FailWrite) {
		return d.File.Write(p)
	}
	n := min(d.KeepBytes, len(p))
	if n > 0 {
		if _, err := d.File.Write(p[:n]); err != nil {
			return 0, err
		}
	}
	return n, d.failure()
}

// Sync fails at its turn.
func (d *FaultyFile) Sync() error {
	d.syncs++
	if d.shouldFail(d.syncs, d.FailSync) {
		return d.failure()
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
