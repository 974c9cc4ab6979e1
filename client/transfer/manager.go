// Package transfer moves objects between buckets and this machine: downloads, uploads, deletions, a few at once, each of which can be
// paused, cancelled and tried again. Everything goes through pre-signed URLs; the token stays with the API.
package transfer

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"lookout/client"
)

// atOnce is how many transfers run together.
const atOnce = 6

// newsEvery is how often, at most, Changed tells.
const newsEvery = 200 * time.Millisecond

// A Manager runs transfers and keeps the list of all that there were in this run. It may be used from many goroutines.
type Manager struct {
	c       *client.Client
	ctx     context.Context
	wrap    func(file) file // what stands before the files of downloads; for tests
	dirty   chan struct{}
	changed chan struct{}
	deletes chan struct{} // a place for each object that is being deleted

	mu      sync.Mutex
	jobs    []*job            // the job of an ID is at ID-1
	rows    []*Row            // of the jobs as they were last told: replaced, never changed
	live    map[*job]struct{} // jobs that run: their rows grow old by themselves
	queue   []*job            // waiting, oldest first; some of them no longer
	busy    int               // jobs that are unfinished
	since   time.Time         // when the first of them was asked for
	claims  map[string]ID     // local files that unfinished downloads are about to make
	litter  []*job            // cancelled, with something left to be taken away
	batches []Batch           // the batch of a number is at number-1
	ends    []End
	flow    flow
	active  sync.WaitGroup
}

// New is a manager without transfers. Everything that it does ends with ctx.
func New(ctx context.Context, c *client.Client) *Manager {
	m := &Manager{c: c, ctx: ctx, dirty: make(chan struct{}, 1), changed: make(chan struct{}, 1),
		deletes: make(chan struct{}, deletesAtOnce), claims: map[string]ID{}, live: map[*job]struct{}{}}
	go m.tell()
	return m
}

// work is what a job does. It is run again after a pause and for another try.
type work interface {
	run(ctx context.Context, m *Manager, p *progress) error
	drop() // takes away what a cancelled transfer leaves
}

// job is one transfer with its state.
type job struct {
	progress
	row  Row // without what progress knows
	work work
	// claim is the local file that it is about to make, "" for none.
	claim string
	stop  context.CancelCauseFunc // while it runs
	wish  wish
	going bool // what it leaves is being taken away; until then its claim stands, and Retry is kept for after that
	again bool // Retry was asked for meanwhile
}

// wish is what was asked of a running job.
type wish int

const (
	wishNothing wish = iota
	wishPause
	wishResume // paused and resumed before it came to rest
	wishCancel
)

var (
	errPaused    = errors.New("paused")
	errCancelled = errors.New("cancelled")
)

// Changed tells that Snapshot would give something else than before: at most five times a second.
func (m *Manager) Changed() <-chan struct{} { return m.changed }

// tell passes news on, not too often.
func (m *Manager) tell() {
	for {
		select {
		case <-m.dirty:
		case <-m.ctx.Done():
			return
		}
		poke(m.changed)
		if wait(m.ctx, newsEvery) != nil {
			return
		}
	}
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// wait passes time, or gives why ctx ended.
func wait(ctx context.Context, d time.Duration) error {
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
func (m *Manager) add(row Row, w work, claim string) ID {
	m.mu.Lock()
	defer m.mu.Unlock()
	j := &job{row: row, work: w, claim: claim}
	j.progress.touch = func() { poke(m.dirty) }
	j.progress.total = row.Total
	if row.Kind.Bytes() {
		j.progress.flow = &m.flow
	}
	m.jobs, m.rows = append(m.jobs, j), append(m.rows, nil)
	j.row.ID = ID(len(m.jobs))
	m.asked()
	if b := m.batch(j); b != nil {
		b.Files, b.Left = b.Files+1, b.Left+1
	}
	m.enqueue(j)
	return j.row.ID
}

// enqueue makes a job wait for its turn. A file that another unfinished job is about to make fails it.
func (m *Manager) enqueue(j *job) {
	j.row.Err, j.row.Ended = nil, time.Time{}
	if j.claim != "" {
		if other, taken := m.claims[j.claim]; taken && other != j.row.ID {
			j.row.Err, j.row.Ended = &ExistsError{Path: j.row.Local.Raw(), Other: other}, time.Now()
			m.turn(j, Failed)
			return
		}
		m.claims[j.claim] = j.row.ID
	}
	m.turn(j, Waiting)
	m.queue = append(m.queue, j)
	m.schedule()
}

// turn brings a job to another state, and all that is counted with it.
func (m *Manager) turn(j *job, to State) {
	from := j.row.State
	j.row.State = to
	if to == Running {
		m.live[j] = struct{}{}
	} else {
		delete(m.live, j)
	}
	m.publish(j, time.Now())
	switch {
	case to.Unfinished() && !from.Unfinished():
		m.asked()
		if b := m.batch(j); b != nil {
			b.again(from)
		}
	case !to.Unfinished() && from.Unfinished():
		m.busy--
		m.ended(j)
	}
	poke(m.dirty)
}

// asked counts a job that is to be done, for the first time or again.
func (m *Manager) asked() {
	if m.busy++; m.busy == 1 {
		m.since = time.Now()
	}
}

// publish makes a job's row anew: those that were given out stay as they are.
func (m *Manager) publish(j *job, now time.Time) {
	row := j.row
	j.progress.fill(&row, now)
	m.rows[row.ID-1] = &row
}

// schedule starts waiting jobs while there is room.
func (m *Manager) schedule() {
	for len(m.live) < atOnce && len(m.queue) > 0 && m.ctx.Err() == nil {
		j := m.queue[0]
		m.queue = m.queue[1:]
		if j.row.State == Waiting {
			m.start(j)
		}
	}
}

func (m *Manager) start(j *job) {
	ctx, stop := context.WithCancelCause(m.ctx)
	j.stop, j.wish = stop, wishNothing
	if j.row.Started.IsZero() {
		j.row.Started = time.Now()
	}
	j.progress.begin()
	m.turn(j, Running)
	m.active.Add(1)
	go func() {
		defer m.active.Done()
		err := j.work.run(ctx, m, &j.progress)
		stop(nil)
		m.finish(j, err)
	}()
}

// finish takes a job's end into the list and gives its place to the next.
func (m *Manager) finish(j *job, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.live, j)
	defer m.schedule()
	switch {
	case err == nil:
		m.end(j, Done, nil)
	case j.wish == wishCancel, m.ctx.Err() != nil:
		if m.ctx.Err() == nil {
			m.clear(j)
		}
		m.end(j, Cancelled, left(err))
	case j.wish == wishPause:
		m.turn(j, Paused)
	case j.wish == wishResume:
		m.enqueue(j)
	default:
		m.end(j, Failed, err)
	}
}

// left is what an interrupted transfer has to say beyond that it was interrupted: also that nobody knows what came of a change.
func left(err error) error {
	var e *client.Error
	if errors.As(err, &e) && e.Unknown() {
		return err
	}
	if errors.Is(err, errCancelled) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// end sets a job's last state. Errors of the system hold names of files as they are, so every error is made safe to draw here.
func (m *Manager) end(j *job, s State, err error) {
	if err != nil {
		err = drawable{err}
	}
	j.row.Err, j.row.Ended = err, time.Now()
	m.release(j)
	m.turn(j, s)
}

// release lets others make the file that a job was about to make.
func (m *Manager) release(j *job) {
	if !j.going && j.claim != "" && m.claims[j.claim] == j.row.ID {
		delete(m.claims, j.claim)
	}
}

// clear takes away what a cancelled job leaves, beside everything else: a file of many gigabytes takes a while to go. One goes after another,
// for a hundred thousand may be cancelled at once.
func (m *Manager) clear(j *job) {
	j.going = true
	m.litter = append(m.litter, j)
	if len(m.litter) > 1 {
		return
	}
	m.active.Add(1)
	go func() {
		defer m.active.Done()
		for next := j; next != nil; {
			next.work.drop()
			next = m.cleared(next)
		}
	}()
}

// cleared takes a job of which nothing is left out of the litter, and gives the next.
func (m *Manager) cleared(j *job) *job {
	m.mu.Lock()
	defer m.mu.Unlock()
	j.going = false
	m.release(j)
	if j.again {
		j.again = false
		m.enqueue(j)
	}
	m.litter = m.litter[1:]
	if len(m.litter) == 0 {
		return nil
	}
	return m.litter[0]
}

// drawable is an error whose text is safe to draw.
type drawable struct{ error }

// Error is the text with everything made visible that could move or hide what stands around it.
func (d drawable) Error() string { return client.Clean(d.error.Error()) }

// Unwrap is the error as it was.
func (d drawable) Unwrap() error { return d.error }

// one does something to the job of an ID; an ID that is none does nothing.
func (m *Manager) one(id ID, do func(*job)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id >= 1 && int(id) <= len(m.jobs) {
		do(m.jobs[id-1])
	}
}

func (m *Manager) all(do func(*job)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, j := range m.jobs {
		do(j)
	}
}

// Pause stops a transfer so that Resume goes on: a download where it was, an upload from its first byte. An upload whose last byte is sent is
// left to end, and so are the deletions under way.
func (m *Manager) Pause(id ID) { m.one(id, m.pause) }

// PauseAll pauses all that run or wait.
func (m *Manager) PauseAll() { m.all(m.pause) }

func (m *Manager) pause(j *job) {
	switch j.row.State {
	case Waiting:
		m.turn(j, Paused)
	case Running:
		if j.row.Kind == Upload && j.progress.complete() || j.wish == wishCancel {
			return
		}
		j.wish = wishPause
		j.stop(errPaused)
	}
}

// Resume goes on with a paused transfer.
func (m *Manager) Resume(id ID) { m.one(id, m.resume) }

// ResumeAll goes on with all that are paused.
func (m *Manager) ResumeAll() { m.all(m.resume) }

func (m *Manager) resume(j *job) {
	switch {
	case j.row.State == Paused:
		m.enqueue(j)
	case j.row.State == Running && j.wish == wishPause:
		j.wish = wishResume
	}
}

// Cancel ends a transfer. What a download had is taken away; what was deleted or stored stays so.
func (m *Manager) Cancel(id ID) { m.one(id, m.cancel) }

// CancelAll ends all that are unfinished.
func (m *Manager) CancelAll() { m.all(m.cancel) }

func (m *Manager) cancel(j *job) {
	switch j.row.State {
	case Waiting, Paused:
		m.clear(j)
		m.end(j, Cancelled, nil)
	case Running:
		j.wish = wishCancel
		j.stop(errCancelled)
	}
}

// Retry tries a failed or cancelled transfer again. An upload is sent again as a whole, in place of what is there by then.
func (m *Manager) Retry(id ID) { m.one(id, m.retry) }

// RetryAll tries all that failed again.
func (m *Manager) RetryAll() {
	m.all(func(j *job) {
		if j.row.State == Failed {
			m.retry(j)
		}
	})
}

func (m *Manager) retry(j *job) {
	switch {
	case j.going:
		j.again = true
	case j.row.State == Failed || j.row.State == Cancelled:
		m.enqueue(j)
	}
}

// Busy is how many transfers are unfinished: waiting, running or paused.
func (m *Manager) Busy() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.busy
}

// Flow is how fast all downloads and uploads are together.
func (m *Manager) Flow() Flow {
	m.mu.Lock()
	since := m.since
	m.mu.Unlock()
	return Flow{Since: since, Rate: m.flow.rate(time.Now())}
}

// Wait returns when nothing runs any more. After the manager's ctx has ended that is when every file is closed.
func (m *Manager) Wait() { m.active.Wait() }

// Snapshot is all transfers as they are now, oldest first: the row of an ID is at ID-1. Rows are never changed, and those of transfers that have
// not moved since are the same as before.
func (m *Manager) Snapshot() []*Row {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	for j := range m.live {
		m.publish(j, now)
	}
	return slices.Clone(m.rows)
}

// Row is one transfer as it is now; false for an ID that is none.
func (m *Manager) Row(id ID) (Row, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id < 1 || int(id) > len(m.jobs) {
		return Row{}, false
	}
	j := m.jobs[id-1]
	row := j.row
	j.progress.fill(&row, time.Now())
	return row, true
}
