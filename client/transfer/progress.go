package transfer

import (
	"strings"
	"sync"
	"time"

	"lookout/client"
)

// An ID identifies a transfer of this session. IDs start at 1.
type ID int

// A Kind says what a transfer does: download, upload, delete, copy or move.
type Kind int

// The kinds of transfers.
const (
	Download Kind = iota // an object to a file
	Upload               // a file to an object
	Delete               // objects by name
	Empty                // all objects of a bucket, or all below a prefix
	Copy                 // an object to another name, bucket or cluster
	Move                 // the same; the source is deleted once the copy is verified
)

// String returns the kind in one word.
func (k Kind) String() string {
	return [...]string{"download", "upload", "deletion", "emptying", "copy", "move"}[k]
}

// MovesBytes reports whether progress is counted in bytes; other kinds count objects.
func (k Kind) MovesBytes() bool { return k != Delete && k != Empty }

// Copies reports whether both sides are objects.
func (k Kind) Copies() bool { return k >= Copy }

// A State is the state of a transfer.
type State int

// The states of a transfer.
const (
	Waiting State = iota
	Running
	Paused
	Done
	Failed
	Cancelled
)

// String returns the state in one word.
func (s State) String() string {
	return [...]string{"waiting", "running", "paused", "done", "failed", "cancelled"}[s]
}

// Unfinished reports whether the transfer waits, runs or is paused.
func (s State) Unfinished() bool { return s <= Paused }

// A Status describes one transfer at the time of a snapshot.
type Status struct {
	ID              ID
	Batch           int // number of its batch, from 1; 0 if it has none
	Kind            Kind
	State           State
	Cluster, Bucket string
	Name            client.ServerText // of the object; when emptying, the prefix
	LocalPath       client.ServerText // the file; empty for deletions and copies
	Source          client.ServerText // of a copy or a move: cluster/bucket/name of what it is made from
	Done, Total     int64             // bytes, or objects for deletions; a Total of 0 is unknown or empty
	Rate            float64           // bytes or objects per second over the last ten seconds; 0 is unknown
	ETA             time.Duration
	StalledFor      time.Duration // time since the last byte, if five seconds or more
	Note            string        // information that is not an error, such as "size checked only"
	AccessLost      bool          // the access to what was replaced or moved was not kept; Note says why
	Err             error         // why it failed; for a cancelled transfer, what is left unclear
	Started, Ended  time.Time

	run *planRun // of a status that transfers of it share; nil in all that are given out
}

// NoETA is the ETA of a transfer whose remaining time is unknown.
const NoETA time.Duration = -1

// Limits of progress.
const (
	sampleInterval = 500 * time.Millisecond
	maxSamples     = 20 // times sampleInterval: the ten seconds of the rate
	stallAfter     = 5 * time.Second
	maxETA         = 99 * 24 * time.Hour
)

// sample is the amount done at a point in time.
type sample struct {
	at   time.Time
	done int64
}

// rateWindow holds samples of the last ten seconds.
type rateWindow []sample

// reset discards all samples and starts with a new one.
func (p *rateWindow) reset(now time.Time, done int64) { *p = append((*p)[:0], sample{now, done}) }

// record adds a sample if the last one is old enough.
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

// rate returns the speed per second; 0 is unknown.
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

// Throughput is the combined speed of all downloads and uploads.
type Throughput struct {
	Since time.Time // when the oldest transfer of the current run of unfinished transfers was added
	Rate  float64   // bytes per second over the last ten seconds; 0 is unknown or idle
}

// ETA returns how long it takes to move left bytes, or NoETA.
func (f Throughput) ETA(left int64) time.Duration { return eta(left, f.Rate) }

// throughputMeter measures the combined speed of all transfers, since a small file ends before its own speed is known.
type throughputMeter struct {
	mu     sync.Mutex
	done   int64
	last   time.Time
	window rateWindow
}

// add counts n bytes. The measurement restarts after a period without progress.
func (f *throughputMeter) add(now time.Time, n int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Sub(f.last) >= stallAfter {
		f.window.reset(now, f.done)
	}
	f.done, f.last = f.done+n, now
	f.window.record(now, f.done)
}

// rate returns the combined speed; 0 if nothing moves.
func (f *throughputMeter) rate(now time.Time) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Sub(f.last) >= stallAfter {
		return 0
	}
	return f.window.rate(now, f.done)
}

// progress is the progress of a job. The job writes it and snapshots read it.
type progress struct {
	mu          sync.Mutex
	done, total int64
	last        time.Time // last change of done; zero before the first run
	window      rateWindow
	note        string
	accessLost  bool
	path        string // of the local file, if it is not the one that was asked for
	onChange    func()
	meter       *throughputMeter // counts its bytes too; nil if it counts objects
}

// start starts the clock of a run.
func (p *progress) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last, p.note, p.accessLost = time.Now(), "", false
	p.window.reset(p.last, p.done)
}

// set sets the counters without counting the difference as speed, for a download that resumes or restarts.
func (p *progress) set(done, total int64) {
	p.mu.Lock()
	p.done, p.total, p.last = done, total, time.Now()
	p.window.reset(p.last, done)
	p.mu.Unlock()
	p.onChange()
}

// add counts progress of n.
func (p *progress) add(n int64) {
	p.mu.Lock()
	now := time.Now()
	p.done += n
	if p.total > 0 {
		p.total = max(p.total, p.done)
	}
	p.window.record(now, p.done)
	p.last = now
	p.mu.Unlock()
	if p.meter != nil {
		p.meter.add(now, n)
	}
	p.onChange()
}

// setNote sets the note.
func (p *progress) setNote(note string) {
	p.mu.Lock()
	p.note = note
	p.mu.Unlock()
	p.onChange()
}

// addNote adds to the note.
func (p *progress) addNote(note string) {
	p.mu.Lock()
	p.note = strings.TrimPrefix(p.note+"; "+note, "; ")
	p.mu.Unlock()
	p.onChange()
}

// currentNote returns the note.
func (p *progress) currentNote() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.note
}

// loseAccess says that the access to the object that was replaced or moved is not kept, and adds why to the note.
func (p *progress) loseAccess(why string) {
	p.mu.Lock()
	p.accessLost = true
	p.mu.Unlock()
	p.addNote(why)
}

// setPath corrects the path of the local file, and adds why to the note.
func (p *progress) setPath(path, why string) {
	p.mu.Lock()
	p.path = path
	p.mu.Unlock()
	p.addNote(why)
}

// completed returns the amount done.
func (p *progress) completed() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done
}

// complete reports whether everything is done.
func (p *progress) complete() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.total > 0 && p.done >= p.total
}

// fill copies the progress to a status.
func (p *progress) fill(row *Status, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	row.Done, row.Total, row.Note, row.ETA = p.done, p.total, p.note, NoETA
	row.AccessLost = p.accessLost
	if p.path != "" {
		row.LocalPath = client.NewText(p.path)
	}
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

// eta returns how long the rest takes at a rate, or NoETA.
func eta(left int64, rate float64) time.Duration {
	if seconds := float64(left) / rate; rate > 0 && left > 0 && seconds < maxETA.Seconds() {
		return time.Duration(seconds * float64(time.Second))
	}
	return NoETA
}
