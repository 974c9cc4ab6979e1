// Package transfer moves objects between buckets and this machine: downloads, uploads, deletions, a few at once, each
// of which can be paused, cancelled and tried again. Everything goes through pre-signed URLs; the token stays with the
// API.
package transfer

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"lookout/client"
)

// maxRunning is how many transfers run together.
const maxRunning = 6

// notifyInterval is how often, at most, Changed tells.
const notifyInterval = 200 * time.Millisecond

// A Manager runs transfers and keeps the list of all that there were in this run. It may be used from many goroutines.
type Manager struct {
	c           *client.Client
	ctx         context.Context
	wrapFile    func(file) file // what stands before the files of downloads; for tests
	dirty       chan struct{}
	changed     chan struct{}
	deleteSlots chan struct{} // a place for each object that is being deleted

	mu           sync.Mutex
	jobs         []*job            // the job of an ID is at ID-1
	statuses     []*Status         // of the jobs as they were last told: replaced, never changed
	running      map[*job]struct{} // jobs that run: their rows grow old by themselves
	queue        []*job            // waiting, oldest first; some of them no longer
	unfinished   int               // jobs that are unfinished
	busySince    time.Time         // when the first of them was asked for
	claimedPaths map[string]ID     // local files that unfinished downloads are about to make
	cleanups     []*job            // cancelled, with something left to be taken away
	batches      []Batch           // the batch of a number is at number-1
	completions  []Completion
	throughput   throughputMeter
	active       sync.WaitGroup
}

// New is a manager without transfers. Everything that it does ends with ctx.
func New(ctx context.Context, c *client.Client) *Manager {
	m := &Manager{
		c:            c,
		ctx:          ctx,
		dirty:        make(chan struct{}, 1),
		changed:      make(chan struct{}, 1),
		deleteSlots:  make(chan struct{}, maxConcurrentDeletes),
		claimedPaths: map[string]ID{},
		running:      map[*job]struct{}{},
	}
	go m.notifyLoop()
	return m
}

// task is what a job does. It is run again after a pause and for another try.
type task interface {
	run(ctx context.Context, m *Manager, p *progress) error
	cleanUp() // takes away what a cancelled transfer leaves
}

// job is one transfer with its state.
type job struct {
	progress
	status Status // without what progress knows
	task   task
	// claim is the local file that it is about to make, "" for none.
	claimedPath string
	cancel      context.CancelCauseFunc // while it runs
	requested   jobRequest
	// what it leaves is being taken away; until then its claim stands, and Retry is kept for after that
	cleaningUp        bool
	retryAfterCleanup bool // Retry was asked for meanwhile
}

// jobRequest is what was asked of a running job.
type jobRequest int

const (
	requestNone jobRequest = iota
	requestPause
	requestResume // paused and resumed before it came to rest
	requestCancel
)

var (
	errPaused    = errors.New("paused")
	errCancelled = errors.New("cancelled")
)

// Changed tells that Snapshot would give something else than before: at most five times a second.
func (m *Manager) Changed() <-chan struct{} { return m.changed }

// notifyLoop passes news on, not too often.
func (m *Manager) notifyLoop() {
	for {
		select {
		case <-m.dirty:
		case <-m.ctx.Done():
			return
		}
		notify(m.changed)
		if sleep(m.ctx, notifyInterval) != nil {
			return
		}
	}
}

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// sleep passes time, or gives why ctx ended.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// add takes a transfer into the list and starts it when there is room.
func (m *Manager) add(row Status, w task, claim string) ID {
	m.mu.Lock()
	defer m.mu.Unlock()
	j := &job{status: row, task: w, claimedPath: claim}
	j.progress.onChange = func() { notify(m.dirty) }
	j.progress.total = row.Total
	if row.Kind.MovesBytes() {
		j.progress.meter = &m.throughput
	}
	m.jobs, m.statuses = append(m.jobs, j), append(m.statuses, nil)
	j.status.ID = ID(len(m.jobs))
	m.addUnfinished()
	if b := m.batchOf(j); b != nil {
		b.Files, b.Remaining = b.Files+1, b.Remaining+1
	}
	m.enqueue(j)
	return j.status.ID
}

// enqueue makes a job wait for its turn. A file that another unfinished job is about to make fails it.
func (m *Manager) enqueue(j *job) {
	j.status.Err, j.status.Ended = nil, time.Time{}
	if j.claimedPath != "" {
		if other, taken := m.claimedPaths[j.claimedPath]; taken && other != j.status.ID {
			j.status.Err, j.status.Ended = &ExistsError{Path: j.status.LocalPath.Raw(), ClaimedBy: other}, time.Now()
			m.setState(j, Failed)
			return
		}
		m.claimedPaths[j.claimedPath] = j.status.ID
	}
	m.setState(j, Waiting)
	m.queue = append(m.queue, j)
	m.schedule()
}

// setState brings a job to another state, and all that is counted with it.
func (m *Manager) setState(j *job, to State) {
	from := j.status.State
	j.status.State = to
	if to == Running {
		m.running[j] = struct{}{}
	} else {
		delete(m.running, j)
	}
	m.updateStatus(j, time.Now())
	switch {
	case to.Unfinished() && !from.Unfinished():
		m.addUnfinished()
		if b := m.batchOf(j); b != nil {
			b.addRetry(from)
		}
	case !to.Unfinished() && from.Unfinished():
		m.unfinished--
		m.recordCompletion(j)
	}
	notify(m.dirty)
}

// addUnfinished counts a job that is to be done, for the first time or again.
func (m *Manager) addUnfinished() {
	if m.unfinished++; m.unfinished == 1 {
		m.busySince = time.Now()
	}
}

// updateStatus makes a job's row anew: those that were given out stay as they are.
func (m *Manager) updateStatus(j *job, now time.Time) {
	row := j.status
	j.progress.fill(&row, now)
	m.statuses[row.ID-1] = &row
}

// schedule starts waiting jobs while there is room.
func (m *Manager) schedule() {
	for len(m.running) < maxRunning && len(m.queue) > 0 && m.ctx.Err() == nil {
		j := m.queue[0]
		m.queue = m.queue[1:]
		if j.status.State == Waiting {
			m.start(j)
		}
	}
}

func (m *Manager) start(j *job) {
	ctx, stop := context.WithCancelCause(m.ctx)
	j.cancel, j.requested = stop, requestNone
	if j.status.Started.IsZero() {
		j.status.Started = time.Now()
	}
	j.progress.start()
	m.setState(j, Running)
	m.active.Add(1)
	go func() {
		defer m.active.Done()
		err := j.task.run(ctx, m, &j.progress)
		stop(nil)
		m.finish(j, err)
	}()
}

// finish takes a job's end into the list and gives its place to the next.
func (m *Manager) finish(j *job, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.running, j)
	defer m.schedule()
	switch {
	case err == nil:
		m.endJob(j, Done, nil)
	case j.requested == requestCancel, m.ctx.Err() != nil:
		if m.ctx.Err() == nil {
			m.startCleanup(j)
		}
		m.endJob(j, Cancelled, ignoreCancelled(err))
	case j.requested == requestPause:
		m.setState(j, Paused)
	case j.requested == requestResume:
		m.enqueue(j)
	default:
		m.endJob(j, Failed, err)
	}
}

// ignoreCancelled is what an interrupted transfer has to say beyond that it was interrupted: also that nobody knows
// what came of a change.
func ignoreCancelled(err error) error {
	var e *client.Error
	if errors.As(err, &e) && e.Unknown() {
		return err
	}
	if errors.Is(err, errCancelled) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// endJob sets a job's last state. Errors of the system hold names of files as they are, so every error is made safe to
// draw here.
func (m *Manager) endJob(j *job, s State, err error) {
	if err != nil {
		err = sanitizedError{err}
	}
	j.status.Err, j.status.Ended = err, time.Now()
	m.releasePath(j)
	m.setState(j, s)
}

// releasePath lets others make the file that a job was about to make.
func (m *Manager) releasePath(j *job) {
	if !j.cleaningUp && j.claimedPath != "" && m.claimedPaths[j.claimedPath] == j.status.ID {
		delete(m.claimedPaths, j.claimedPath)
	}
}

// startCleanup takes away what a cancelled job leaves, beside everything else: a file of many gigabytes takes a while
// to go. One goes after another, for a hundred thousand may be cancelled at once.
func (m *Manager) startCleanup(j *job) {
	j.cleaningUp = true
	m.cleanups = append(m.cleanups, j)
	if len(m.cleanups) > 1 {
		return
	}
	m.active.Add(1)
	go func() {
		defer m.active.Done()
		for next := j; next != nil; {
			next.task.cleanUp()
			next = m.finishCleanup(next)
		}
	}()
}

// finishCleanup takes a job of which nothing is left out of the litter, and gives the next.
func (m *Manager) finishCleanup(j *job) *job {
	m.mu.Lock()
	defer m.mu.Unlock()
	j.cleaningUp = false
	m.releasePath(j)
	if j.retryAfterCleanup {
		j.retryAfterCleanup = false
		m.enqueue(j)
	}
	m.cleanups = m.cleanups[1:]
	if len(m.cleanups) == 0 {
		return nil
	}
	return m.cleanups[0]
}

// sanitizedError is an error whose text is safe to draw.
type sanitizedError struct{ error }

// Error is the text with everything made visible that could move or hide what stands around it.
func (d sanitizedError) Error() string { return client.Clean(d.error.Error()) }

// Unwrap is the error as it was.
func (d sanitizedError) Unwrap() error { return d.error }

// withJob does something to the job of an ID; an ID that is none does nothing.
func (m *Manager) withJob(id ID, do func(*job)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id >= 1 && int(id) <= len(m.jobs) {
		do(m.jobs[id-1])
	}
}

func (m *Manager) eachJob(do func(*job)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, j := range m.jobs {
		do(j)
	}
}

// Pause stops a transfer so that Resume goes on: a download where it was, an upload from its first byte. An upload
// whose last byte is sent is left to end, and so are the deletions under way.
func (m *Manager) Pause(id ID) { m.withJob(id, m.pause) }

// PauseAll pauses all that run or wait.
func (m *Manager) PauseAll() { m.eachJob(m.pause) }

func (m *Manager) pause(j *job) {
	switch j.status.State {
	case Waiting:
		m.setState(j, Paused)
	case Running:
		if j.status.Kind == Upload && j.progress.complete() || j.requested == requestCancel {
			return
		}
		j.requested = requestPause
		j.cancel(errPaused)
	}
}

// Resume goes on with a paused transfer.
func (m *Manager) Resume(id ID) { m.withJob(id, m.resume) }

// ResumeAll goes on with all that are paused.
func (m *Manager) ResumeAll() { m.eachJob(m.resume) }

func (m *Manager) resume(j *job) {
	switch {
	case j.status.State == Paused:
		m.enqueue(j)
	case j.status.State == Running && j.requested == requestPause:
		j.requested = requestResume
	}
}

// Cancel ends a transfer. What a download had is taken away; what was deleted or stored stays so.
func (m *Manager) Cancel(id ID) { m.withJob(id, m.cancel) }

// CancelAll ends all that are unfinished.
func (m *Manager) CancelAll() { m.eachJob(m.cancel) }

func (m *Manager) cancel(j *job) {
	switch j.status.State {
	case Waiting, Paused:
		m.startCleanup(j)
		m.endJob(j, Cancelled, nil)
	case Running:
		j.requested = requestCancel
		j.cancel(errCancelled)
	}
}

// Retry tries a failed or cancelled transfer again. An upload is sent again as a whole, in place of what is there by
// then.
func (m *Manager) Retry(id ID) { m.withJob(id, m.retry) }

// RetryAll tries all that failed again.
func (m *Manager) RetryAll() {
	m.eachJob(func(j *job) {
		if j.status.State == Failed {
			m.retry(j)
		}
	})
}

func (m *Manager) retry(j *job) {
	switch {
	case j.cleaningUp:
		j.retryAfterCleanup = true
	case j.status.State == Failed || j.status.State == Cancelled:
		m.enqueue(j)
	}
}

// UnfinishedCount is how many transfers are unfinished: waiting, running or paused.
func (m *Manager) UnfinishedCount() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.unfinished
}

// Throughput is how fast all downloads and uploads are together.
func (m *Manager) Throughput() Throughput {
	m.mu.Lock()
	since := m.busySince
	m.mu.Unlock()
	return Throughput{Since: since, Rate: m.throughput.rate(time.Now())}
}

// Wait returns when nothing runs any more. After the manager's ctx has ended that is when every file is closed.
func (m *Manager) Wait() { m.active.Wait() }

// Snapshot is all transfers as they are now, oldest first: the row of an ID is at ID-1. Rows are never changed, and
// those of transfers that have not moved since are the same as before.
func (m *Manager) Snapshot() []*Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	for j := range m.running {
		m.updateStatus(j, now)
	}
	return slices.Clone(m.statuses)
}

// Status is one transfer as it is now; false for an ID that is none.
func (m *Manager) Status(id ID) (Status, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id < 1 || int(id) > len(m.jobs) {
		return Status{}, false
	}
	j := m.jobs[id-1]
	row := j.status
	j.progress.fill(&row, time.Now())
	return row, true
}
