package transfer

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
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
func (m *Manager) slowDown(j *job) bool {
	m.pace.limit, m.pace.done = max(1, len(m.running)), 0
	if len(m.running) == 0 {
		if j.starved++; j.starved > maxStarved {
			j.starved = 0
			return false
		}
		m.startNothingFor(min(minBackoff<<(j.starved-1), maxBackoff))
	}
	m.setState(j, Waiting)
	m.queue = slices.Insert(m.queue, 0, queued{job: j})
	return true
}

// startNothingFor starts nothing for a while. Wait waits for it.
func (m *Manager) startNothingFor(d time.Duration) {
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

// A deletePace limits and spaces the requests of all deletions, and pauses them together when the API asks for that.
type deletePace struct {
	slots chan struct{} // holds one value for each object that is being deleted

	mu   sync.Mutex
	next time.Time // when the next request may be sent
	busy time.Time // when the first request after the last success was refused; zero if none was
}

// wait waits until a request may be sent.
func (r *deletePace) wait(ctx context.Context) error {
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.mu.Lock()
		now := time.Now()
		d := r.next.Sub(now)
		if d < minDeleteSleep {
			if r.next.Before(now.Add(-minDeleteSleep)) {
				r.next = now.Add(-minDeleteSleep)
			}
			r.next = r.next.Add(deleteInterval)
			r.mu.Unlock()
			return nil
		}
		r.mu.Unlock()
		if err := sleep(ctx, d); err != nil {
			return err
		}
	}
}

// minDeleteSleep is the shortest wait: timers are not exact enough for less, so several requests may go at once.
const minDeleteSleep = 10 * time.Millisecond

// maxBusy is for how long refusals without a success are waited out.
const maxBusy = 5 * time.Minute

// succeeded notes that the API does not refuse requests any more.
func (r *deletePace) succeeded() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy = time.Time{}
}

// pause sends nothing for a while, because a request was refused. It returns false if all have been for too long.
func (r *deletePace) pause(d time.Duration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy.IsZero() {
		r.busy = time.Now()
	}
	if time.Since(r.busy) > maxBusy {
		return false
	}
	if until := time.Now().Add(d); until.After(r.next) {
		r.next = until
	}
	return true
}
