package transfer

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"lookout/client"
)

// pace is how many transfers run at the same time. When the program or the system has too few file handles, fewer run.
type pace struct {
	limit   int
	resting bool // nothing starts for a moment
	done    int  // transfers that were done since the limit was changed
}

// speedUpAfter is how many transfers must be done before one more runs at the same time.
const speedUpAfter = 5

// succeeded raises the limit again after some transfers.
func (p *pace) succeeded() {
	if p.done++; p.done >= speedUpAfter && p.limit < MaxRunning {
		p.limit, p.done = p.limit+1, 0
	}
}

// maxStarved is how often a transfer that runs alone is tried again without a file handle: for two minutes.
const maxStarved = 8

// lacksHandles reports whether a transfer failed because there are too few file handles, before it changed anything.
func lacksHandles(err error) bool {
	var e *client.Error
	unknown := errors.As(err, &e) && e.Unknown()
	return !unknown && (errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE))
}

// whenHandlesAreFree opens something. As long as there are too few file handles it waits and tries again, for two
// minutes: others end.
func whenHandlesAreFree[T any](ctx context.Context, open func() (T, error)) (T, error) {
	for try := 0; ; try++ {
		opened, err := open()
		if !lacksHandles(err) || try == maxStarved || sleep(ctx, min(minBackoff<<try, maxBackoff)) != nil {
			return opened, err
		}
	}
}

// A patientFS is a file system that waits for file handles.
type patientFS struct {
	ctx context.Context
	fs.FS
}

// Open opens a file.
func (p patientFS) Open(name string) (fs.File, error) {
	return whenHandlesAreFree(p.ctx, func() (fs.File, error) { return p.FS.Open(name) })
}

// ReadDir reads a folder.
func (p patientFS) ReadDir(name string) ([]fs.DirEntry, error) {
	return whenHandlesAreFree(p.ctx, func() ([]fs.DirEntry, error) { return fs.ReadDir(p.FS, name) })
}

// Limit returns how many transfers may run at the same time: fewer than MaxRunning if there are too few file handles.
func (m *Manager) Limit() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.pace.limit
}

// slowDown puts a job that lacked a file handle back at the front of the queue, and lets no more jobs run than those
// that have theirs. If none has, nothing starts for a moment. It returns false if that did not help before.
func slowDown(m *Manager, j *job) bool {
	m.pace.limit, m.pace.done = max(1, len(m.running)), 0
	if len(m.running) == 0 {
		if j.starved++; j.starved > maxStarved {
			j.starved = 0
			return false
		}
		rest(m, min(minBackoff<<(j.starved-1), maxBackoff))
	}
	m.setState(j, Waiting)
	m.queue = slices.Insert(m.queue, 0, j)
	return true
}

// rest starts nothing for a while. Wait waits for it.
func rest(m *Manager, d time.Duration) {
	m.pace.resting = true
	m.active.Add(1)
	go func() {
		defer m.active.Done()
		_ = sleep(m.ctx, d)
		m.mu.Lock()
		defer m.mu.Unlock()
		m.pace.resting = false
		m.schedule()
	}()
}
