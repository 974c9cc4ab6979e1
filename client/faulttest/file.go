package faulttest

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A FaultyFile is a file with writes and syncs that fail.
type FaultyFile struct {
	*os.File
	FailWrite int   // number of the write that fails, from 1; 0 means none
	KeepBytes int   // bytes of the failing write that reach the file
	FailSync  int   // number of the sync that fails, from 1; 0 means none
	FailAfter bool  // later calls fail too
	Err       error // nil means "no space left on device"

	writes, syncs int
}

func (d *FaultyFile) failure() error {
	if d.Err != nil {
		return d.Err
	}
	return syscall.ENOSPC
}

func (d *FaultyFile) shouldFail(n, at int) bool { return at > 0 && (n == at || d.FailAfter && n > at) }

// Write fails when its turn has come, after writing KeepBytes.
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

// Sync fails when its turn has come.
func (d *FaultyFile) Sync() error {
	d.syncs++
	if d.shouldFail(d.syncs, d.FailSync) {
		return d.failure()
	}
	return d.File.Sync()
}

// A JumpingClock is a wall clock that can jump. Its times have no monotonic part, as after a suspension.
type JumpingClock struct {
	mu   sync.Mutex
	jump time.Duration
}

// Now returns the current time plus all jumps.
func (c *JumpingClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.jump).Round(0)
}

// Jump moves the clock by d.
func (c *JumpingClock) Jump(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.jump += d
}

// OpenFiles returns how many files and folders below a folder the process has open, on Linux. Others may be those of
// earlier tests.
func OpenFiles(t *testing.T, folder string) (n int) {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if to, err := os.Readlink("/proc/self/fd/" + f.Name()); err == nil && strings.HasPrefix(to, folder) {
			n++
		}
	}
	return n
}

// LockWaiters returns how many goroutines of the process wait for the lock of a file, on Linux.
func LockWaiters(t *testing.T) (n int) {
	t.Helper()
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(locks)) { // "1: -> FLOCK ADVISORY WRITE 4711 fe:00:53 0 EOF"
		fields := strings.Fields(line)
		if len(fields) > 5 && fields[1] == "->" && fields[5] == strconv.Itoa(os.Getpid()) {
			n++
		}
	}
	return n
}
