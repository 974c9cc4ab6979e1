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

// A Row is one transfer as it was when the snapshot was taken.
type Row struct {
	ID              ID
	Kind            Kind
	State           State
	Cluster, Bucket string
	Name            client.Text // of the object; the prefix of what is emptied
	Local           client.Text // the file; empty for deletions
	Done, Total     int64       // bytes; objects for deletions. A total of 0 is not known, or nothing
	Rate            float64     // bytes, or objects, a second over the last ten seconds; 0 is not known
	ETA             time.Duration
	Stalled         time.Duration // since the last byte, where that is five seconds or more
	Note            string        // what is to be known although it is no error: "size checked only"
	Err             error         // of a failed transfer, and what a cancelled one left
	Started, Ended  time.Time
}

// NoETA is the ETA of a transfer whose end cannot be told.
const NoETA time.Duration = -1

// Bounds of progress.
const (
	markEvery  = 500 * time.Millisecond
	rateMarks  = 20 // with markEvery the ten seconds of the rate
	stallAfter = 5 * time.Second
	longestETA = 99 * 24 * time.Hour
)

// mark is how much was done at a time.
type mark struct {
	at   time.Time
	done int64
}

// progress is how far a job is. Its job writes, snapshots read.
type progress struct {
	mu          sync.Mutex
	done, total int64
	last        time.Time // when done rose; zero while nothing runs
	marks       []mark
	note        string
	touch       func()
}

// begin starts the clock of a run.
func (p *progress) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last, p.note = time.Now(), ""
	p.marks = append(p.marks[:0], mark{p.last, p.done})
}

// set puts the count somewhere without counting the way as speed: where a download goes on, or begins anew.
func (p *progress) set(done, total int64) {
	p.mu.Lock()
	p.done, p.total, p.last = done, total, time.Now()
	p.marks = append(p.marks[:0], mark{p.last, done})
	p.mu.Unlock()
	p.touch()
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
	if len(p.marks) == 0 || now.Sub(p.marks[len(p.marks)-1].at) >= markEvery {
		if len(p.marks) == rateMarks {
			p.marks = append(p.marks[:0], p.marks[1:]...)
		}
		p.marks = append(p.marks, mark{now, p.done})
	}
	p.mu.Unlock()
	p.touch()
}

// say leaves a note.
func (p *progress) say(note string) {
	p.mu.Lock()
	p.note = note
	p.mu.Unlock()
	p.touch()
}

// count is how much is done.
func (p *progress) count() int64 {
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
func (p *progress) fill(row *Row, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	row.Done, row.Total, row.Note, row.ETA = p.done, p.total, p.note, NoETA
	if row.State != Running || len(p.marks) == 0 {
		return
	}
	if idle := now.Sub(p.last); idle >= stallAfter {
		row.Stalled = idle
	}
	oldest := p.marks[0]
	if span := now.Sub(oldest.at); span >= markEvery {
		row.Rate = float64(p.done-oldest.done) / span.Seconds()
	}
	if row.Rate <= 0 || row.Stalled > 0 || p.total <= p.done {
		return
	}
	if seconds := float64(p.total-p.done) / row.Rate; seconds < longestETA.Seconds() {
		row.ETA = time.Duration(seconds * float64(time.Second))
	}
}
