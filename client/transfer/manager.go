// Package transfer moves objects between buckets and this machine. It downloads, uploads and deletes objects, a few at
// a time. Each transfer can be paused, cancelled and retried. All data moves through pre-signed URLs, so the account
// token is sent only to the API.
package transfer

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"lookout/client"
	"lookout/client/visible"
)

// MaxRunning is how many transfers run at the same time.
const MaxRunning = 6

// notifyInterval is the shortest time between two notifications on Changed.
const notifyInterval = 200 * time.Millisecond

// A Manager runs transfers and keeps a list of all transfers of this session. Its methods are safe for concurrent use.
type Manager struct {
	Reason   string // why objects are deleted, for the journal; set before the first deletion
	c        *client.Client
	ctx      context.Context
	wrapFile func(file) file // wraps the file of each download, for tests
	dirty    chan struct{}
	changed  chan struct{}
	parallel parallelism
	log      *transferLog // nil keeps nothing

	mu         sync.Mutex
	jobs       map[ID]*job
	runs       []*planRun         // plans, whose transfers have a job only while they need it
	statuses   []*Status          // last status of each transfer, at index ID-1; replaced, never modified
	running    map[*job]struct{}  // running jobs, whose statuses are out of date
	queue      []queued           // oldest first; may hold jobs that no longer wait
	counts     [Cancelled + 1]int // transfers in each state
	waiting    int64              // bytes of transfers that are unfinished and have no job
	unfinished int                // transfers that wait, run or are paused
	since      time.Time          // when the first of them was added
	ended      int64              // bytes of transfers that were done since then
	endedFiles int                // the number of these transfers
	claims     pathClaims
	parts      map[string][]string // partial files of earlier downloads, by their folders
	cleanups   []*job              // cancelled jobs that have files to remove
	batches    batches
	throughput throughputMeter
	active     sync.WaitGroup
}

// New returns a manager without transfers. When ctx ends, the manager stops everything it runs.
func New(ctx context.Context, c *client.Client) *Manager {
	m := &Manager{
		c:        c,
		ctx:      ctx,
		dirty:    make(chan struct{}, 1),
		changed:  make(chan struct{}, 1),
		parallel: newParallelism(),
		claims:   pathClaims{},
		jobs:     map[ID]*job{},
		parts:    map[string][]string{},
		running:  map[*job]struct{}{},
	}
	go forwardNotifications(m.ctx, m.dirty, m.changed)
	return m
}

// task is the work of a job. It runs again after a pause and on a retry.
type task interface {
	run(ctx context.Context, m *Manager, p *progress) error
	cleanUp() // removes what a cancelled transfer leaves behind
}

// job is one transfer and its state.
type job struct {
	progress
	status Status // without the fields that progress fills
	task   task
	run    *planRun // of a file of a plan
	// claimedPath is the local file that the job will create, or "".
	claimedPath string
	cancel      context.CancelCauseFunc // while it runs
	requested   jobRequest
	// its partial file is being removed; it keeps its claimed path and postpones Retry until then
	cleaningUp        bool
	refused           bool // it was never started
	retryAfterCleanup bool // Retry was called during the cleanup
}

// queued is what waits for its turn: a job, or a run.
type queued struct {
	job *job
	run *planRun
}

// jobRequest is what the user asked of a running job.
type jobRequest int

const (
	requestNone jobRequest = iota
	requestPause
	requestResume // resumed before the pause took effect
	requestCancel
)

var (
	errPaused    = errors.New("paused")
	errCancelled = errors.New("cancelled")
)

// Changed returns a channel that receives a value when Snapshot would return something new, at most five times a
// second.
func (m *Manager) Changed() <-chan struct{} { return m.changed }

// forwardNotifications forwards notifications at a limited rate until ctx ends.
func forwardNotifications(ctx context.Context, from <-chan struct{}, to chan<- struct{}) {
	for {
		select {
		case <-from:
		case <-ctx.Done():
			return
		}
		notify(to)
		if sleep(ctx, notifyInterval) != nil {
			return
		}
	}
}

func notify(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// sleep waits for d. If ctx ends first, it returns the cause.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// add adds a transfer to the list and starts it when there is room. claim is the local file that it will create, or "".
func (m *Manager) add(row Status, w task, claim string) ID {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.statuses = append(m.statuses, nil)
	row.ID = ID(len(m.statuses))
	j := &job{status: row, task: w, claimedPath: claim}
	m.prepare(j)
	m.counts[Waiting]++
	m.addUnfinished(1)
	if b := m.batches.of(&j.status); b != nil {
		b.Files, b.Remaining = b.Files+1, b.Remaining+1
		if b.diskFull {
			m.setState(j, Waiting)
			m.endJob(j, Failed, errDiskFull)
			return j.status.ID
		}
	}
	m.enqueue(j)
	return j.status.ID
}

// prepare adds a job.
func (m *Manager) prepare(j *job) {
	j.progress.onChange = func() { notify(m.dirty) }
	j.progress.total = j.status.Total
	if j.status.Kind.MovesBytes() {
		j.progress.meter = &m.throughput
	}
	m.jobs[j.status.ID] = j
}

// addRefused adds a transfer that has failed before it was started, so that the list of transfers names it and why. A
// retry fails for the same reason.
func (m *Manager) addRefused(row Status, why error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.statuses = append(m.statuses, nil)
	row.ID, row.State, row.Err, row.Ended = ID(len(m.statuses)), Failed, sanitizedError{why}, time.Now()
	j := &job{status: row, task: refusedTask{why}, refused: true}
	m.prepare(j)
	m.counts[Failed]++
	m.updateStatus(j, row.Ended)
	if b := m.batches.of(&row); b != nil {
		b.Files, b.Refused = b.Files+1, b.Refused+1
		if b.FirstRefused == nil {
			b.FirstRefused = m.statuses[row.ID-1]
		}
	}
	notify(m.dirty)
}

// refusedTask is a transfer that cannot be done.
type refusedTask struct{ why error }

func (r refusedTask) run(context.Context, *Manager, *progress) error { return r.why }

func (r refusedTask) cleanUp() {}

// enqueue makes a job wait for its turn. The job fails if another unfinished job will create the same file.
func (m *Manager) enqueue(j *job) {
	j.status.Err, j.status.Ended = nil, time.Time{}
	if !m.claim(j) {
		return
	}
	m.log.begin(j.status.ID, j.task)
	m.setState(j, Waiting)
	m.queue = append(m.queue, queued{job: j})
	m.schedule()
}

// claim claims the file that a job will create. The job fails if another one will create it.
func (m *Manager) claim(j *job) bool {
	other := m.claims.claim(j)
	if other == 0 {
		return true
	}
	m.endJob(j, Failed, &FileExistsError{Path: j.status.LocalPath.Raw(), ClaimedBy: other})
	return false
}

// setState changes the state of a job and the counters that depend on it.
func (m *Manager) setState(j *job, to State) {
	from := j.status.State
	j.status.State = to
	if to == Running {
		m.running[j] = struct{}{}
	} else {
		delete(m.running, j)
	}
	m.updateStatus(j, time.Now())
	m.countChange(m.statuses[j.status.ID-1], from, j.refused)
	j.refused = j.refused && !to.Unfinished()
}

// countChange counts a transfer that was in another state before. wasRefused says that it was never started.
func (m *Manager) countChange(row *Status, from State, wasRefused bool) {
	m.counts[from]--
	m.counts[row.State]++
	switch {
	case row.State.Unfinished() && !from.Unfinished():
		m.addUnfinished(1)
		if b := m.batches.of(row); b != nil {
			b.addRetry(from, wasRefused)
		}
	case !row.State.Unfinished() && from.Unfinished():
		m.unfinished--
		if row.State == Done && row.Kind.MovesBytes() {
			m.ended, m.endedFiles = m.ended+max(row.Done, row.Total), m.endedFiles+1
		}
		m.batches.record(row)
	}
	notify(m.dirty)
}

// addUnfinished counts n transfers that start, or start again after their ends.
func (m *Manager) addUnfinished(n int) {
	if m.unfinished == 0 {
		m.since, m.ended, m.endedFiles = time.Now(), 0, 0
	}
	m.unfinished += n
}

// updateStatus replaces the status of a job. Statuses that callers already hold stay as they are.
func (m *Manager) updateStatus(j *job, now time.Time) {
	row := j.status
	j.progress.fill(&row, now)
	m.statuses[row.ID-1] = &row
}

// schedule starts waiting jobs while there is room.
func (m *Manager) schedule() {
	for len(m.running) < MaxRunning && len(m.queue) > 0 && m.ctx.Err() == nil {
		next := m.queue[0]
		j := next.job
		if next.run == nil {
			m.queue = m.queue[1:]
		} else if j = m.nextJob(next.run); j == nil {
			next.run.queued = false
			m.queue = m.queue[1:]
			continue
		} else if !m.claim(j) {
			continue
		}
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

// finish records the end of a run and starts the next job.
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
		if isDiskFull(err) {
			m.failWaiting(j.status.Batch)
		}
	}
}

// errDiskFull is the error of downloads that were not started because another one has filled the disk.
var errDiskFull = errors.New("the disk is full, so it was not started")

// failWaiting ends the waiting downloads of a batch because the disk had no space for another one, and those that are
// added to it later.
func (m *Manager) failWaiting(batch int) {
	if batch == 0 {
		return
	}
	m.batches.all[batch-1].diskFull = true
	for i, row := range m.statuses {
		switch j := m.jobs[ID(i+1)]; {
		case row.State != Waiting || row.Batch != batch:
		case j != nil:
			m.endJob(j, Failed, errDiskFull)
		default:
			m.setRow(ID(i+1), Failed, errDiskFull)
		}
	}
}

// ignoreCancelled returns nil for an error that only says that the transfer was interrupted. It keeps errors that leave
// the outcome of a change unknown.
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

// endJob puts a job in its final state. Errors of the operating system contain raw file names, so every error is made
// safe to display here.
func (m *Manager) endJob(j *job, s State, err error) {
	if err != nil {
		err = sanitizedError{err}
	}
	j.status.Err, j.status.Ended = err, time.Now()
	m.claims.release(j)
	var partial *PartialDownloadError
	if m.ctx.Err() == nil && !(s == Failed && errors.As(err, &partial)) || s == Done {
		m.log.end(j.status.ID, j.run != nil)
	}
	m.setState(j, s)
	m.forget(j)
}

// pathClaims holds the local files that unfinished downloads will create, each with its transfer, by their case-folded
// paths.
type pathClaims map[string][]pathClaim

type pathClaim struct {
	path string
	id   ID
}

// claim claims the path of a job. It returns the transfer that has it already, or 0.
func (p pathClaims) claim(j *job) ID {
	if j.claimedPath == "" {
		return 0
	}
	key := foldCase(j.claimedPath)
	for _, other := range p[key] {
		switch {
		case other.id == j.status.ID:
			return 0
		case other.path == j.claimedPath, FoldsCase(existingFolder(j.claimedPath)):
			return other.id
		}
	}
	p[key] = append(p[key], pathClaim{j.claimedPath, j.status.ID})
	return 0
}

// existingFolder returns the folder of a path, or the nearest folder above it that exists.
func existingFolder(path string) string {
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); err == nil || dir == path {
		return dir
	}
	return existingFolder(dir)
}

// release lets other jobs create the file of a job, unless its partial file is still being removed.
func (p pathClaims) release(j *job) {
	if j.cleaningUp || j.claimedPath == "" {
		return
	}
	key := foldCase(j.claimedPath)
	p[key] = slices.DeleteFunc(p[key], func(c pathClaim) bool { return c.id == j.status.ID })
	if len(p[key]) == 0 {
		delete(p, key)
	}
}

// startCleanup removes the files of a cancelled job in the background, because removing a file of many gigabytes takes
// time. Cleanups run one after another: a hundred thousand jobs may be cancelled at once.
func (m *Manager) startCleanup(j *job) {
	j.cleaningUp = true
	m.cleanups = append(m.cleanups, j)
	if len(m.cleanups) > 1 {
		return
	}
	m.active.Add(1)
	go func() {
		defer m.active.Done()
		for next := j; next != nil; next = m.finishCleanup(next) {
			next.task.cleanUp()
		}
	}()
}

// finishCleanup removes a cleaned-up job from the list of cleanups and returns the next one, or nil.
func (m *Manager) finishCleanup(j *job) *job {
	m.mu.Lock()
	defer m.mu.Unlock()
	j.cleaningUp = false
	m.claims.release(j)
	defer m.forget(j)
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

// sanitizedError is an error whose text is safe to display.
type sanitizedError struct{ error }

// Error returns the text with control and invisible characters made visible. What is visible already may have been
// cleaned and stays: cleaned twice, a name would look like another one.
func (d sanitizedError) Error() string {
	text := d.error.Error()
	var system *fs.PathError
	if errors.As(d.error, &system) {
		text = strings.ReplaceAll(text, system.Path, client.Clean(system.Path))
	}
	if visible.Show(text) == text && !strings.ContainsAny(text, "\n\t") {
		return text
	}
	return client.Clean(text)
}

// Unwrap returns the original error.
func (d sanitizedError) Unwrap() error { return d.error }

// ask asks something of a transfer. It does nothing if there is no such transfer.
func (m *Manager) ask(id ID, do func(ID)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id >= 1 && int(id) <= len(m.statuses) {
		do(id)
	}
}

// askAll asks something of all transfers.
func (m *Manager) askAll(do func(ID)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.statuses {
		do(ID(i + 1))
	}
}

// Pause stops a transfer so that Resume can continue it. A download continues where it stopped; an upload starts again.
// Pause does not stop an upload whose last byte has been sent, or a deletion that is already on its way.
func (m *Manager) Pause(id ID) { m.ask(id, m.pause) }

// PauseAll pauses all running and waiting transfers.
func (m *Manager) PauseAll() { m.askAll(m.pause) }

func (m *Manager) pause(id ID) {
	j := m.jobs[id]
	switch state := m.statuses[id-1].State; {
	case state == Waiting && j == nil:
		m.setRow(id, Paused, nil)
	case state == Waiting:
		m.setState(j, Paused)
	case state == Running:
		stores := j.status.Kind == Upload || j.status.Kind.Copies()
		if stores && j.progress.complete() || j.requested == requestCancel {
			return
		}
		j.requested = requestPause
		j.cancel(errPaused)
	}
}

// Resume continues a paused transfer.
func (m *Manager) Resume(id ID) { m.ask(id, m.resume) }

// ResumeAll continues all paused transfers.
func (m *Manager) ResumeAll() { m.askAll(m.resume) }

func (m *Manager) resume(id ID) {
	j := m.jobs[id]
	switch state := m.statuses[id-1].State; {
	case state == Paused && j == nil:
		m.setRow(id, Waiting, nil)
	case state == Paused:
		m.enqueue(j)
	case state == Running && j.requested == requestPause:
		j.requested = requestResume
	}
}

// Cancel ends a transfer and removes the partial file of a download. Objects that were already deleted or stored stay
// that way.
func (m *Manager) Cancel(id ID) { m.ask(id, m.cancel) }

// CancelAll cancels all unfinished transfers.
func (m *Manager) CancelAll() { m.askAll(m.cancel) }

func (m *Manager) cancel(id ID) {
	j := m.jobs[id]
	switch state := m.statuses[id-1].State; {
	case !state.Unfinished():
	case j == nil:
		m.setRow(id, Cancelled, nil)
	case state == Running:
		j.requested = requestCancel
		j.cancel(errCancelled)
	default:
		m.startCleanup(j)
		m.endJob(j, Cancelled, nil)
	}
}

// Retry runs a failed or cancelled transfer again. An upload is sent again from the start and replaces any object that
// has its name by then.
func (m *Manager) Retry(id ID) { m.ask(id, m.retry) }

// RetryAll retries all failed transfers.
func (m *Manager) RetryAll() {
	m.askAll(func(id ID) {
		if m.statuses[id-1].State == Failed {
			m.retry(id)
		}
	})
}

func (m *Manager) retry(id ID) {
	j := m.jobs[id]
	switch state := m.statuses[id-1].State; {
	case j != nil && j.cleaningUp:
		j.retryAfterCleanup = true
	case state != Failed && state != Cancelled:
	case j == nil:
		m.setRow(id, Waiting, nil)
	default:
		if deletion, ok := j.task.(*deleteTask); ok {
			deletion.retry()
		}
		m.enqueue(j)
	}
}

// UnfinishedCount returns the number of transfers that wait, run or are paused.
func (m *Manager) UnfinishedCount() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.unfinished
}

// Throughput returns the combined speed of all downloads and uploads.
func (m *Manager) Throughput() Throughput {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Throughput{Since: m.since, Rate: m.throughput.rate(time.Now())}
}

// Wait returns when no transfer runs any more. If the manager's context has ended, all files are then closed.
func (m *Manager) Wait() {
	m.active.Wait()
	if m.ctx.Err() != nil && m.log != nil {
		<-m.log.ended
	}
}

// Snapshot returns the statuses of all transfers.
func (m *Manager) Snapshot() Snapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	for j := range m.running {
		m.updateStatus(j, now)
	}
	return Snapshot{slices.Clone(m.statuses)}
}

// Status returns the current status of one transfer, and false if there is no such transfer.
func (m *Manager) Status(id ID) (Status, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id < 1 || int(id) > len(m.statuses) {
		return Status{}, false
	}
	j := m.jobs[id]
	if j == nil {
		return *m.row(id), true
	}
	row := j.status
	j.progress.fill(&row, time.Now())
	return row, true
}

// State returns the current state of a transfer.
func (m *Manager) State(id ID) State {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.statuses[id-1].State
}
