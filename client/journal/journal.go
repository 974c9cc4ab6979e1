// Package journal records every change: its intent before it is sent, its outcome afterwards. The journal's file is
// append-only and contains no secrets.
package journal

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
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
}

// A record is one line of the file: an intent, or the outcome of one.
type record struct {
	Intent        *Entry         `json:"intent,omitempty"`
	ID            string         `json:"id,omitempty"`
	Outcome       client.Outcome `json:"outcome,omitempty"`
	OutcomeDetail string         `json:"why,omitempty"`
}

// A logFile is the file, or its replacement in a test.
type logFile interface {
	io.WriteCloser
	io.ReaderAt
	Stat() (os.FileInfo, error)
	Sync() error
}

// A Journal records the changes of one account. Its methods are safe for concurrent use.
type Journal struct {
	account string
	now     func() time.Time

	mu          sync.Mutex
	file        logFile // nil for a journal in memory
	entries     []*Entry
	byID        map[string]*Entry
	disabled    map[string]DisabledService
	unreadable  int   // invalid lines
	readOffset  int64 // bytes of the file that have been read
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

// makePrivate takes the permissions on the file from everybody but its owner.
func makePrivate(file *os.File) error {
	info, err := file.Stat()
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return file.Chmod(0o600)
}

// maxLineBytes is the longest valid line. The journal writes no longer ones.
const maxLineBytes = 1 << 20

// readAll reads what earlier runs wrote, including an incomplete last line.
func (j *Journal) readAll(r io.Reader) error {
	_, rest, err := j.readLines(r)
	if err == nil {
		j.parseLine(rest)
	}
	return err
}

// readLines reads lines, and counts those that are invalid. whole is the number of bytes of complete lines, rest the
// incomplete line after them.
func (j *Journal) readLines(r io.Reader) (whole int64, rest []byte, err error) {
	text := bufio.NewReaderSize(r, 1<<16)
	var held []byte
	var read int64
	for {
		part, err := text.ReadSlice('\n')
		read += int64(len(part))
		if len(held) <= maxLineBytes {
			held = append(held, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == io.EOF:
			return whole, held, nil
		case err != nil:
			return whole, held, err
		default:
			j.parseLine(held)
			held, whole = held[:0], read
		}
	}
}

// CatchUp reads what other processes have written since, and reports whether anything changed.
func (j *Journal) CatchUp() (bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return false, nil
	}
	info, err := j.file.Stat()
	if err != nil {
		return false, fmt.Errorf("journal: %w", err)
	}
	j.readOffset = min(j.readOffset, info.Size()) // the file may have been truncated
	known, version := len(j.entries), j.version
	whole, _, err := j.readLines(io.NewSectionReader(j.file, j.readOffset, info.Size()-j.readOffset))
	j.readOffset += whole
	if err != nil {
		return false, fmt.Errorf("journal: %w", err)
	}
	for _, e := range j.entries[known:] {
		e.byOtherProcess = true
	}
	if len(j.entries) > known {
		slices.SortStableFunc(j.entries, func(a, b *Entry) int { return a.Time.Compare(b.Time) })
	}
	return j.version != version, nil
}

// WaitForChange checks the file regularly until another process has written something, reads it, and returns true. It
// returns false if ctx ends first, and at once for a journal in memory.
func (j *Journal) WaitForChange(ctx context.Context, every time.Duration) bool {
	if j.file == nil {
		return false
	}
	look := time.NewTicker(every)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-look.C:
			if grown, _ := j.CatchUp(); grown { // after an error it tries again
				return true
			}
		}
	}
}

// parseLine reads one line.
func (j *Journal) parseLine(data []byte) {
	if len(bytes.TrimSpace(data)) == 0 {
		return
	}
	var l record
	if len(data) > maxLineBytes || json.Unmarshal(data, &l) != nil || !j.apply(l) {
		j.unreadable++
	}
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
	j.trackDisabled(e)
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

// write appends a line with a single write, so that lines of two processes do not mix.
func (j *Journal) write(l record, durable bool) error {
	if j.file == nil {
		return nil
	}
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if len(data) >= maxLineBytes {
		return fmt.Errorf("the change is too long for the journal: %d bytes", len(data))
	}
	if j.endsMidLine() {
		data = append([]byte{'\n'}, data...)
	}
	if _, err := j.file.Write(append(data, '\n')); err != nil || !durable {
		return err
	}
	return j.file.Sync()
}

// endsMidLine reports whether the last line of the file is incomplete, because the program was killed or the disk was
// full while it was written.
func (j *Journal) endsMidLine() bool {
	info, err := j.file.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	var last [1]byte
	_, err = j.file.ReadAt(last[:], info.Size()-1)
	return err == nil && last[0] != '\n'
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

// A DisabledService is a service that lookout disabled and, as far as the journal knows, nobody has enabled since.
type DisabledService struct {
	ID       string // of the service
	IntentID string // of the change that disabled it: Client.Scheduled takes it
	Label    string
	Reason   string
	Since    time.Time
	Until    time.Time // when it is to be enabled again; zero if no time was set
}

// trackDisabled updates the disabled services after an outcome.
func (j *Journal) trackDisabled(e *Entry) {
	if e.Outcome != client.Applied || e.Change.Resource != "service" {
		return
	}
	switch e.Change.Op {
	case client.OpDisableService:
		j.disabled[e.Change.ID] = DisabledService{
			ID:       e.Change.ID,
			IntentID: e.ID,
			Label:    e.Change.Label,
			Reason:   e.Change.Reason,
			Since:    e.Time,
			Until:    e.Change.RevertAt,
		}
	case client.OpEnableService, client.OpDeleteService:
		delete(j.disabled, e.Change.ID)
	}
}

// DisabledServices returns the services that lookout disabled, by id.
func (j *Journal) DisabledServices() map[string]DisabledService {
	j.mu.Lock()
	defer j.mu.Unlock()
	return maps.Clone(j.disabled)
}

// DisabledService returns one of the services that lookout disabled.
func (j *Journal) DisabledService(id string) (DisabledService, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	s, ok := j.disabled[id]
	return s, ok
}

// ScheduledRevert implements client.Scheduler: a service that was disabled until a set time is to be enabled again,
// unless somebody has enabled, deleted or disabled it since, in this program or another.
func (j *Journal) ScheduledRevert(intentID string) (op, id string, ok bool) {
	_, _ = j.CatchUp() // an unreadable file supersedes nothing: enabling a service once more does no harm
	j.mu.Lock()
	defer j.mu.Unlock()
	for id, s := range j.disabled {
		if s.IntentID == intentID && !s.Until.IsZero() {
			return client.OpEnableService, id, true
		}
	}
	return "", "", false
}
