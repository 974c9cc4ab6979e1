// Package journal records every change: its intent before it is sent, its outcome afterwards. The journal's file is
// append-only and contains no secrets.
package journal

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"lookout/client"
	"lookout/client/window"
)

// An Entry is one change and its outcome.
type Entry struct {
	ID      string         `json:"id"`
	Time    time.Time      `json:"time"`
	Account string         `json:"account,omitempty"`
	Change  client.Change  `json:"change"`
	Outcome client.Outcome `json:"-"`
	// the error, or how the outcome became known later
	OutcomeDetail  string          `json:"-"`
	ByReading      bool            `json:"-"` // from reading again, not from the answer or the user
	UnseenSecretOf string          `json:"-"` // id of the key that was made, as long as nobody has seen its secret
	RevokeLater    *RevokeReminder `json:"-"` // until the key is revoked; nil if there is none
	// objects that a deletion of many has deleted, as far as known
	Gone int `json:"-"`
	// what became of the batches of a deletion of many objects; nil for other changes, and in segments
	Deletion       *DeletionProgress `json:"-"`
	byOtherProcess bool              // another process recorded it while this one was running
	decidedAt      time.Time         // when the outcome became known, if another was known before
	windowEnded    bool              // the window that the change opened, planned or began is over
	sealed         bool              // its line is in a segment
	superseded     bool              // a later change of the same path makes it no unfinished one
}

// Shown returns the outcome for readers: AsWanted instead of Applied if only reading again showed the change.
func (e Entry) Shown() client.Outcome {
	if e.Outcome == client.Applied && e.ByReading {
		return client.AsWanted
	}
	return e.Outcome
}

// setOutcome sets the outcome of a record for readers of the history.
func (e *Entry) setOutcome(l record) {
	e.Outcome, e.OutcomeDetail, e.ByReading, e.Gone = l.Outcome, l.OutcomeDetail, l.ByReading, l.Gone
}

// lateAfter is the time after which a change whose outcome becomes known only then may have arrived at any time since
// it was sent. Readings tell sooner.
const lateAfter = 3 * time.Minute

// appliedAt returns the time at which a change was certainly applied: when it was sent, or when that became known.
func (e *Entry) appliedAt() time.Time {
	if e.decidedAt.Sub(e.Time) > lateAfter {
		return e.decidedAt
	}
	return e.Time
}

// A Journal records the changes of one account. Its methods are safe for concurrent use, and none of those that read
// waits for the disk: memory holds the newest changes and those that something still depends on, whatever the number of
// changes. History reads the others.
type Journal struct {
	account string
	path    string

	fileMu        sync.Mutex // is held while the file is read or written, and taken before mu
	file          logFile    // nil for a journal in memory
	refusal       error      // why nothing can be written; nil if it can
	cannotCompact bool       // this file system cannot
	intentCount   int
	outcomeError  error // why an outcome could not be written, of the first one
	found         int   // how often something was found that other processes had written
	caughtUp      int   // found when CatchUp last returned
	announced     int   // found when WaitForChange last returned true
	// BeforeIntent returns why no change may be recorded, and thus none sent; it may take a while. nil allows all. It
	// is set before the journal is used.
	BeforeIntent func() error
	// Locked is called with the path of the file when a change has waited for a second because another program has
	// locked it; it must not block. It is set before the journal is used.
	Locked func(path string)

	mu             sync.Mutex
	historyProblem error
	state
}

// state is what was read of the files. Those of a journal are, oldest lines first:
//
//	NAME.000001, NAME.000002, …   segments, which never change and are read for pages of the history
//	NAME                          the list of the segments, and copies of the changes in them that are still open
//	                              lines in segments, until the next compaction, if the file was large
//	  behind sealedTo             lines that are in no segment
//	  behind readOffset           lines that were not read
//
// Memory holds the changes that are in no segment, and those in segments that something still depends on. A process
// takes over its own lines as it does those of others: by reading them, in the order of the file. The state is rebuilt
// when another process has compacted the journal.
type state struct {
	now          func() time.Time
	runID        string
	segmentBytes int64 // a segment is closed when it has grown to this size

	entries    []*Entry // that are held in memory, in the order of the file
	byID       map[string]*Entry
	windows    window.Set
	unwritten  map[string]record // outcomes that could not be written
	late       map[string]record // outcomes, behind the segments, of changes that are not held
	unreadable int               // invalid lines outside segments
	version    int
	unresolved unresolvedMemo
	loaded     bool // what is read now was written while this process was running

	segments   []segment // the older part of the history, oldest first
	lastFile   int       // number of the newest file with segments; the journal itself will get the next
	tailOffset int64     // bytes of that file that have been read
	sealedTo   int64     // bytes of the journal that are in segments
	readOffset int64     // bytes of the journal that have been read
}

func newState(now func() time.Time, runID string, segmentBytes int64) state {
	return state{
		now:          now,
		runID:        runID,
		segmentBytes: segmentBytes,
		byID:         map[string]*Entry{},
		unwritten:    map[string]record{},
		late:         map[string]record{},
	}
}

// defaultSegmentBytes is the size of a segment: about a thousand changes, which are read in some milliseconds.
const defaultSegmentBytes = 512 << 10

// NewInMemory returns a journal without a file, for the demo.
func NewInMemory(now func() time.Time) *Journal {
	return &Journal{state: newState(now, "m", defaultSegmentBytes)}
}

// Open opens the journal of an account, and creates the file if necessary. Only its owner can read the file. It refuses
// a path that is a symbolic link.
func Open(path, account string, now func() time.Time) (*Journal, error) {
	return openWithSegments(path, account, now, defaultSegmentBytes)
}

// openWithSegments is Open with another size of segments, for tests.
func openWithSegments(path, account string, now func() time.Time, segmentBytes int64) (*Journal, error) {
	j := NewInMemory(now)
	j.account, j.path, j.segmentBytes = account, path, segmentBytes
	j.runID = fmt.Sprintf("%x-%.8s", now().UnixNano(), rand.Text())
	if err := j.open(); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return j, nil
}

// OpenForReading returns the journal of an account that cannot be written, and why. It holds what can be read of the
// file, and refuses every change.
func OpenForReading(path, account string, now func() time.Time, why error) *Journal {
	j := NewInMemory(now)
	j.account, j.path, j.refusal = account, path, why
	file, err := openFile(path, os.O_RDONLY)
	if err != nil {
		return j
	}
	if refuseLink(filepath.Dir(path)) != nil || j.load(file) != nil {
		file.Close()
	}
	return j
}

// Version returns a number that grows with every intent and outcome.
func (j *Journal) Version() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.version
}

// apply adds a record to the state, for which mu is held. sealed says that its line is in a segment. It reports whether
// the record is valid: an intent must be new, and an outcome must belong to an intent.
func (s *state) apply(l record, sealed bool) bool {
	switch {
	case l.Segments != nil:
		return s.addSegments(l.Segments)
	case l.Intent != nil:
		return s.applyIntent(l, sealed)
	case l.Batch != nil:
		return s.applyBatch(l)
	}
	return s.applyOutcome(l)
}

func (s *state) applyIntent(l record, sealed bool) bool {
	e := *l.Intent
	if known := s.byID[e.ID]; known != nil || e.ID == "" {
		return known != nil && l.Kept
	}
	e.Outcome, e.sealed, e.superseded = client.Pending, sealed || l.Kept, l.Superseded
	e.byOtherProcess = s.loaded && !s.isOwn(e.ID)
	e.setDeletion(l.Deletion)
	s.entries = append(s.entries, &e)
	s.byID[e.ID] = &e
	s.version++
	if l, ok := s.unwritten[e.ID]; ok {
		s.apply(l, false)
	}
	return true
}

func (s *state) applyOutcome(l record) bool {
	if l.Outcome != client.Applied && l.Outcome != client.Rejected && l.Outcome != client.Unknown {
		return false
	}
	e := s.byID[l.ID]
	if e == nil {
		// the change may be in a segment: the history finds out
		if len(s.segments) == 0 || l.ID == "" {
			return false
		}
		s.late[l.ID] = l
		s.version++
		return true
	}
	if e.Outcome != l.Outcome || e.OutcomeDetail != l.OutcomeDetail || e.UnseenSecretOf != l.UnseenSecretOf ||
		e.RevokeLater != l.RevokeLater {
		e.Outcome, e.OutcomeDetail, e.UnseenSecretOf = l.Outcome, l.OutcomeDetail, l.UnseenSecretOf
		e.RevokeLater = l.RevokeLater
		s.version++
	}
	e.ByReading, e.decidedAt, e.Gone = l.ByReading, l.At, max(e.Gone, l.Gone)
	s.foldWindows(e, l)
	s.forgetRevoked(e)
	return true
}

// UnreadableLines returns the number of invalid lines.
func (j *Journal) UnreadableLines() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := j.unreadable
	for _, s := range j.segments {
		n += s.Unreadable
	}
	return n
}

// Len returns the number of changes.
func (j *Journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := 0
	for _, s := range j.segments {
		n += s.Entries
	}
	for _, e := range j.entries {
		if !e.sealed {
			n++
		}
	}
	return n
}

// Close closes the file.
func (j *Journal) Close() error {
	j.fileMu.Lock()
	defer j.fileMu.Unlock()
	if j.file == nil {
		return nil
	}
	return j.file.Close()
}
