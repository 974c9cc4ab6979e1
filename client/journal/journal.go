// Package journal records every change: its intent before it is sent, its outcome afterwards. The journal's file is
// append-only and contains no secrets.
package journal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"lookout/client"
)

// An Entry is one change and its outcome.
type Entry struct {
	ID      string         `json:"id"`
	Time    time.Time      `json:"time"`
	Account string         `json:"account,omitempty"`
	Change  client.Change  `json:"change"`
	Outcome client.Outcome `json:"-"`
	// the error, or how the outcome became known later
	OutcomeDetail  string `json:"-"`
	byOtherProcess bool   // another process recorded it while this one was running
	windowEnded    bool   // the service was seen enabled after the change that disabled it
}

// A Journal records the changes of one account. Its methods are safe for concurrent use.
type Journal struct {
	account string
	now     func() time.Time

	mu          sync.Mutex
	file        logFile // nil for a journal in memory
	entries     []*Entry
	byID        map[string]*Entry
	disabled    map[string]DisabledService // by service
	planned     map[string]PlannedWindow   // by intent
	unreadable  int                        // invalid lines
	readOffset  int64                      // bytes of the file that have been read
	runID       string
	intentCount int
	version     int
}

// NewInMemory returns a journal without a file, for the demo.
func NewInMemory(now func() time.Time) *Journal {
	return &Journal{
		now:      now,
		byID:     map[string]*Entry{},
		disabled: map[string]DisabledService{},
		planned:  map[string]PlannedWindow{},
		runID:    "m",
	}
}

// Open opens the journal of an account, and creates the file if necessary. Only its owner can read the file.
func Open(path, account string, now func() time.Time) (*Journal, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("journal: %s is not a regular file", path) // opening a pipe could block
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j := NewInMemory(now)
	j.account, j.runID = account, fmt.Sprintf("%x-%s", now().UnixNano(), rand.Text()[:8])
	err = errors.Join(makePrivate(file), j.readAll(file))
	if err == nil {
		j.readOffset, err = file.Seek(0, io.SeekCurrent)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("journal: %w", err)
	}
	j.file = file
	return j, nil
}

// Version returns a number that grows with every intent and outcome.
func (j *Journal) Version() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.version
}

// FromThisRun reports whether this run of the program recorded the change.
func (j *Journal) FromThisRun(e Entry) bool { return strings.HasPrefix(e.ID, j.runID+"-") }

// otherProcessTimeout is how long another process may take to record an outcome before it is assumed to have ended.
const otherProcessTimeout = 2 * time.Minute

// Unresolved reports whether the outcome of a change must still be found out: it is unknown, or the run that sent the
// change ended before the answer arrived.
func (j *Journal) Unresolved(e Entry) bool {
	return e.Outcome == client.Unknown ||
		e.Outcome == client.Pending && !j.FromThisRun(e) &&
			!(e.byOtherProcess && j.now().Sub(e.Time) < otherProcessTimeout)
}

// apply adds a record to the state. It reports whether the record is valid: an intent must be new, or be one of this
// run that is read back, and an outcome must belong to an intent.
func (j *Journal) apply(l record) bool {
	if l.Intent != nil {
		e := *l.Intent
		if _, known := j.byID[e.ID]; known || e.ID == "" {
			return known && j.FromThisRun(e)
		}
		e.Outcome = client.Pending
		j.entries = append(j.entries, &e)
		j.byID[e.ID] = &e
		j.version++
		return true
	}
	e, known := j.byID[l.ID]
	if !known || l.Outcome != client.Applied && l.Outcome != client.Rejected && l.Outcome != client.Unknown {
		return false
	}
	if e.Outcome != l.Outcome || e.OutcomeDetail != l.OutcomeDetail {
		e.Outcome, e.OutcomeDetail = l.Outcome, l.OutcomeDetail
		j.version++
	}
	if l.WindowEnded {
		j.endWindow(e)
	}
	j.trackWindows(e)
	return true
}

// UnreadableLines returns the number of invalid lines.
func (j *Journal) UnreadableLines() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.unreadable
}

// RecordIntent records that a change is about to be sent. The record is on the disk when RecordIntent returns.
func (j *Journal) RecordIntent(c client.Change) (string, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.intentCount++
	e := Entry{
		ID:      j.runID + "-" + strconv.Itoa(j.intentCount),
		Time:    j.now().UTC(),
		Account: j.account,
		Change:  c,
	}
	l := record{Intent: &e}
	if err := j.write(l, true); err != nil {
		// a part of the intent may be on the disk, and must not pass for a change that was sent
		_ = j.write(
			record{ID: e.ID, Outcome: client.Rejected, OutcomeDetail: "it could not be recorded, so it was not sent"},
			true,
		)
		return "", err
	}
	j.apply(l)
	return e.ID, nil
}

// RecordOutcome records how a change ended. A later outcome of the same change replaces the earlier one; err then says
// how it became known.
func (j *Journal) RecordOutcome(id string, outcome client.Outcome, err error) {
	l := record{ID: id, Outcome: outcome}
	if err != nil {
		l.OutcomeDetail = err.Error()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_ = j.write(l, false) // the change has been made; if this fails, the intent remains without an outcome
	j.apply(l)
}

// Close closes the file.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	return j.file.Close()
}

// Entries returns the changes since a time, oldest first.
func (j *Journal) Entries(since time.Time) []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	var entries []Entry
	for _, e := range j.entries {
		if !e.Time.Before(since) {
			entries = append(entries, *e)
		}
	}
	return entries
}

// Unfinished returns the changes of an operation that earlier runs did not finish: of each path the last one, if its
// outcome is missing or unknown.
func (j *Journal) Unfinished(op string) []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	last := map[string]int{}
	for i, e := range j.entries {
		if e.Change.Op == op {
			last[e.Change.Path] = i
		}
	}
	var unfinished []Entry
	for i, e := range j.entries {
		open := e.Outcome == client.Pending || e.Outcome == client.Unknown
		if e.Change.Op == op && last[e.Change.Path] == i && open && !j.FromThisRun(*e) {
			unfinished = append(unfinished, *e)
		}
	}
	return unfinished
}
