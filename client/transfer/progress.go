package transfer

import (
	"sync"
	"time"

	"lookout/client"
)

// An ID names a transfer of this run, from 1.
type ID int

// A Kind is what a transfer does.
type Kind int

// The kinds.
const (
	Download Kind = iota // an object to a file
	Upload               // a file to an object
	Delete               // objects by name
	Empty                // all objects of a bucket, or all below a prefix
)

// String is the kind in one word.
func (k Kind) String() string { return [...]string{"download", "upload", "delete", "empty"}[k] }

// MovesBytes reports whether the kind moves bytes; others count objects.
func (k Kind) MovesBytes() bool { return k == Download || k == Upload }

// A State is how far a transfer is.
type State int

// The states.
const (
	Waiting State = iota
	Running
	Paused
	Done
	Failed
	Cancelled
)

// String is the state in one word.
func (s State) String() string {
	return [...]string{"waiting", "running", "paused", "done", "failed", "cancelled"}[s]
}

// Unfinished reports whether something is still to be done.
func (s State) Unfinished() bool { return s <= Paused }

// A Status is one transfer as it was when the snapshot was taken.
type Status struct {
	ID              ID
	Batch           int // the number of the batch that it was asked for with, from 1; 0 is none
	Kind            Kind
	State           State
	Cluster, Bucket string
	Name            client.Text // of the object; the prefix of what is emptied
	LocalPath       client.Text // the file; empty for deletions
	Done, Total     int64       // bytes; objects for deletions. A total of 0 is not known, or nothing
	Rate            float64     // bytes, or objects, a second over the last ten seconds; 0 is not known
	ETA             time.Duration
	StalledFor      time.Duration // since the last byte, where that is five seconds or more
	Note            string        // what is to be known although it is no error: "size checked only"
	Err             error         // of a failed transfer, and what a cancelled one left
	Started, Ended  time.Time
}

// NoETA is the ETA of a transfer whose end cannot be told.
const NoETA time.Duration = -1

// Bounds of progress.
const (
	sampleInterval = 500 * time.Millisecond
	maxSamples     = 20 // with sampleInterval the ten seconds of the rate
	stallAfter     = 5 * time.Second
	maxETA         = 99 * 24 * time.Hour
)

// sample is how much was done at a time.
type sample struct {
	at   time.Time
	done int64
}

// rateWindow is how much was done when, over the last ten seconds.
type rateWindow []sample

// reset forgets what was before.
func (p *rateWindow) reset(now time.Time, done int64) { *p = append((*p)[:0], sample{now, done}) }

// record takes a count, where the last is old enough.
func (p *rateWindow) record(now time.Time, done int64) {
	marks := *p
	if len(marks) > 0 && now.Sub(marks[len(marks)-1].at) < sampleInterval {
		return
	}
	if len(marks) == maxSamples {
		marks = append(marks[:0], marks[1:]...)
	}
	*p = append(marks, sample{now, done})
}

// rate is the speed a second; 0 is not known.
func (p rateWindow) rate(now time.Time, done int64) float64 {
	if len(p) == 0 {
		return 0
	}
	span := now.Sub(p[0].at)
	if span < sampleInterval {
		return 0
	}
	return float64(done-p[0].done) / span.Seconds()
}

// A Throughput is all downloads and uploads of this run together.
type Throughput struct {
	Since time.Time // when the first of those that are unfinished, or were together with them, was asked for
	Rate  float64   // bytes a second over the last ten seconds; 0 is not known, or nothing moves
}

// ETA is how long so many bytes take; NoETA where that cannot be told.
func (f Throughput) ETA(left int64) time.Duration { return eta(left, f.Rate) }

// throughputMeter counts the bytes of all transfers: small files end before a speed of their own is known.
type throughputMeter struct {
	mu     sync.Mutex
	done   int64
	last   time.Time
	window rateWindow
}

// add counts bytes. After a silence the pace begins anew.
func (f *throughputMeter) add(now time.Time, n int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Sub(f.last) >= stallAfter {
		f.window.reset(now, f.done)
	}
	f.done, f.last = f.done+n, now
	f.window.record(now, f.done)
}

// rate is the speed of all; 0 in a silence.
func (f *throughputMeter) rate(now time.Time) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Sub(f.last) >= stallAfter {
		return 0
	}
	return f.window.rate(now, f.done)
}

// progress is how far a job is. Its job writes, snapshots read.
type progress struct {
	mu          sync.Mutex
	done, total int64
	last        time.Time // when done rose; zero while nothing runs
	window      rateWindow
	note        string
	onChange    func()
	meter       *throughputMeter // that its bytes are part of; nil where objects are counted
}

// start starts the clock of a run.
func (p *progress) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last, p.note = time.Now(), ""
	p.window.reset(p.last, p.done)
}

// set puts the count somewhere without counting the way as speed: where a download goes on, or begins anew.
func (p *progress) set(done, total int64) {
	p.mu.Lock()
	p.done, p.total, p.last = done, total, time.Now()
	p.window.reset(p.last, done)
	p.mu.Unlock()
	p.onChange()
}

// add counts what was just done.
func (p *progress) add(n int64) {
	p.mu.Lock()
	now := time.Now()
	p.done += n
	if p.total > 0 {
		p.total = max(p.total, p.done)
	}
	p.last = now
	p.window.record(now, p.done)
	p.mu.Unlock()
	if p.meter != nil {
		p.meter.add(now, n)
	}
	p.onChange()
}

// setNote leaves a note.
func (p *progress) setNote(note string) {
	p.mu.Lock()
	p.note = note
	p.mu.Unlock()
	p.onChange()
}

// completed is how much is done.
func (p *progress) completed() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done
}

// complete reports whether all is done that was to be done.
func (p *progress) complete() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.total > 0 && p.done >= p.total
}

// fill puts the progress into a row.
func (p *progress) fill(row *Status, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	row.Done, row.Total, row.Note, row.ETA = p.done, p.total, p.note, NoETA
	if row.State != Running {
		return
	}
	if idle := now.Sub(p.last); idle >= stallAfter {
		row.StalledFor = idle
	}
	row.Rate = p.window.rate(now, p.done)
	if row.StalledFor == 0 {
		row.ETA = eta(p.total-p.done, row.Rate)
	}
}

// eta is how long it takes to do what is left; NoETA where that cannot be told.
func eta(left int64, rate float64) time.Duration {
	if seconds := float64(left) / rate; rate > 0 && left > 0 && seconds < maxETA.Seconds() {
		return time.Duration(seconds * float64(time.Second))
	}
	return NoETA
}
