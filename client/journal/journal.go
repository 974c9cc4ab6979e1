// Package journal keeps every change that was sent: its intent before, its outcome after. It is append-only and holds
// no secret.
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

// An Entry is one change and how it ended.
type Entry struct {
	ID      string        `json:"id"`
	Time    time.Time     `json:"time"`
	Account string        `json:"account,omitempty"`
	Change  client.Change `json:"change"`
	Outcome Outcome       `json:"-"`
	// the error's text where it was not done, or how the outcome came to be known later
	OutcomeDetail  string `json:"-"`
	byOtherProcess bool   // another program began it while this one was running
}

// Outcome is client.Outcome.
//
// Deprecated: use client.Outcome and its values.
type Outcome = client.Outcome

// The outcomes that the journal keeps.
//
// Deprecated: use those of client.
const (
	Pending  = client.Pending
	Applied  = client.Applied
	Rejected = client.Rejected
	Unknown  = client.Unknown
)

// record is a line of the file: an intent, or the outcome of one.
type record struct {
	Intent        *Entry  `json:"intent,omitempty"`
	ID            string  `json:"id,omitempty"`
	Outcome       Outcome `json:"outcome,omitempty"`
	OutcomeDetail string  `json:"why,omitempty"`
}

// logFile is the file, or what stands for it in a test.
type logFile interface {
	io.WriteCloser
	io.ReaderAt
	Stat() (os.FileInfo, error)
	Sync() error
}

// A Journal is the changes of one account. It may be used from many goroutines.
type Journal struct {
	account string
	now     func() time.Time

	mu          sync.Mutex
	file        logFile // nil in memory
	entries     []*Entry
	byID        map[string]*Entry
	disabled    map[string]DisabledService
	unreadable  int   // lines that could not be read
	readOffset  int64 // bytes of the file that have been read
	runID       string
	intentCount int
	version     int
}

// NewInMemory is a journal that is gone with the program: for the demo.
func NewInMemory(now func() time.Time) *Journal {
	return &Journal{
		now:      now,
		byID:     map[string]*Entry{},
		disabled: map[string]DisabledService{},
		runID:    "m",
	}
}

// Open reads and continues the journal of an account. The file is made for its owner alone.
func Open(path, account string, now func() time.Time) (*Journal, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("journal: %s is no file", path) // a pipe would be waited for
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

// makePrivate takes the file from everybody but its owner, whoever made it.
func makePrivate(file *os.File) error {
	info, err := file.Stat()
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return file.Chmod(0o600)
}

// maxLineBytes is how long a line may be. What is longer was not written here.
const maxLineBytes = 1 << 20

// readAll takes up what earlier runs wrote, a last line without an end included.
func (j *Journal) readAll(r io.Reader) error {
	_, rest, err := j.readLines(r)
	if err == nil {
		j.parseLine(rest)
	}
	return err
}

// readLines takes up lines. A line that cannot be read is counted and passed over. whole is how many bytes of lines
// with an end there were, rest what stands behind them.
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

// CatchUp takes up what other programs have written since, and reports whether there was anything.
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
	j.readOffset = min(j.readOffset, info.Size()) // somebody may have cut the file
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

// WaitForChange looks into the file now and then until another program has written something, and takes it up. It is
// false where ctx ends first, and at once for a journal in memory.
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
			if grown, _ := j.CatchUp(); grown { // what cannot be read now may be the next time
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

// Version grows with every intent and every outcome.
func (j *Journal) Version() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.version
}

// FromThisRun reports whether a change was sent by this run of the program.
func (j *Journal) FromThisRun(e Entry) bool { return strings.HasPrefix(e.ID, j.runID+"-") }

// otherProcessTimeout is how long a change that another program has begun may be without an outcome before that program
// is thought to be gone.
const otherProcessTimeout = 2 * time.Minute

// Unresolved reports whether nobody knows how a change ended: its outcome is unknown, or another run ended before the
// answer.
func (j *Journal) Unresolved(e Entry) bool {
	return e.Outcome == Unknown ||
		e.Outcome == Pending && !j.FromThisRun(e) && !(e.byOtherProcess && j.now().Sub(e.Time) < otherProcessTimeout)
}

// apply takes a line into the state. It reports whether the line made sense: an intent is new, or one of this run that
// is read back, and an outcome is one of an intent.
func (j *Journal) apply(l record) bool {
	if l.Intent != nil {
		e := *l.Intent
		if _, known := j.byID[e.ID]; known || e.ID == "" {
			return known && j.FromThisRun(e)
		}
		e.Outcome = Pending
		j.entries = append(j.entries, &e)
		j.byID[e.ID] = &e
		j.version++
		return true
	}
	e, known := j.byID[l.ID]
	if !known || l.Outcome != Applied && l.Outcome != Rejected && l.Outcome != Unknown {
		return false
	}
	if e.Outcome != l.Outcome || e.OutcomeDetail != l.OutcomeDetail {
		e.Outcome, e.OutcomeDetail = l.Outcome, l.OutcomeDetail
		j.version++
	}
	j.trackDisabled(e)
	return true
}

// UnreadableLines is how many lines could not be read.
func (j *Journal) UnreadableLines() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.unreadable
}

// RecordIntent writes that a change is about to be sent. It is on the disk when Intent returns.
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
		// what reached the disk must not pass for sent
		_ = j.write(
			record{ID: e.ID, Outcome: Rejected, OutcomeDetail: "it could not be recorded, so it was not sent"},
			true,
		)
		return "", err
	}
	j.apply(l)
	return e.ID, nil
}

// RecordOutcome writes how a change ended. A later one of the same change counts: err then says how it came to be
// known.
func (j *Journal) RecordOutcome(id string, done bool, err error) {
	l := record{ID: id, Outcome: Applied}
	if !done {
		l.Outcome = Rejected
		if u, ok := err.(interface{ Unknown() bool }); ok && u.Unknown() {
			l.Outcome = Unknown
		}
	}
	if err != nil {
		l.OutcomeDetail = err.Error()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_ = j.write(l, false) // the change is made: what is lost on the disk is an outcome, and an open intent says so
	j.apply(l)
}

// write appends a line in one piece, so that two programs do not mix theirs.
func (j *Journal) write(l record, durable bool) error {
	if j.file == nil {
		return nil
	}
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if len(data) >= maxLineBytes {
		return fmt.Errorf("it is too long to be recorded: %d bytes", len(data))
	}
	if j.endsMidLine() {
		data = append([]byte{'\n'}, data...)
	}
	if _, err := j.file.Write(append(data, '\n')); err != nil || !durable {
		return err
	}
	return j.file.Sync()
}

// endsMidLine reports whether the last line in the file has no end: a program was killed, or the disk was full, while
// it was written.
func (j *Journal) endsMidLine() bool {
	info, err := j.file.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	var last [1]byte
	_, err = j.file.ReadAt(last[:], info.Size()-1)
	return err == nil && last[0] != '\n'
}

// Close ends the journal.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	return j.file.Close()
}

// Entries are the changes since a time, oldest first.
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

// Unfinished are the changes of an operation that earlier runs began and nobody has brought to an end since: of each
// path the last, where its outcome is missing or unknown.
func (j *Journal) Unfinished(op string) []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	last := map[string]int{}
	for i, e := range j.entries {
		if e.Change.Op == op {
			last[e.Change.Path] = i
		}
	}
	var open []Entry
	for i, e := range j.entries {
		ours := strings.HasPrefix(e.ID, j.runID+"-")
		if e.Change.Op == op && last[e.Change.Path] == i && !ours && (e.Outcome == Pending || e.Outcome == Unknown) {
			open = append(open, *e)
		}
	}
	return open
}

// A DisabledService is a service that this program disabled and that has not been enabled since, as far as the journal
// knows.
type DisabledService struct {
	ID       string // of the service
	IntentID string // of the change that disabled it: Client.Scheduled takes it
	Label    string
	Reason   string
	Since    time.Time
	Until    time.Time // when it is to be enabled again; zero where nobody said
}

// trackDisabled keeps track of what is disabled.
func (j *Journal) trackDisabled(e *Entry) {
	if e.Outcome != Applied || e.Change.Resource != "service" {
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

// DisabledServices are the services that this program disabled, by number.
func (j *Journal) DisabledServices() map[string]DisabledService {
	j.mu.Lock()
	defer j.mu.Unlock()
	holds := make(map[string]DisabledService, len(j.disabled))
	for id, h := range j.disabled {
		holds[id] = h
	}
	return holds
}

// DisabledService is the hold on one service.
func (j *Journal) DisabledService(id string) (DisabledService, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	h, held := j.disabled[id]
	return h, held
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
