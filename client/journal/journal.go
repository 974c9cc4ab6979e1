// Package journal keeps every change that was sent: its intent before, its outcome after. It is append-only and holds no secret.
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
	Why     string        `json:"-"` // the error's text where it was not done, or how the outcome came to be known later
	live    bool          // another program began it while this one was running
}

// An Outcome is how a change ended, as far as the journal knows.
type Outcome string

// The outcomes.
const (
	Sent    Outcome = "sent" // no outcome was written: the program ended before the answer
	Done    Outcome = "done"
	NotDone Outcome = "not done"
	Unknown Outcome = "unknown"
)

// line is a line of the file: an intent, or the outcome of one.
type line struct {
	Intent  *Entry  `json:"intent,omitempty"`
	ID      string  `json:"id,omitempty"`
	Outcome Outcome `json:"outcome,omitempty"`
	Why     string  `json:"why,omitempty"`
}

// disk is the file, or what stands for it in a test.
type disk interface {
	io.WriteCloser
	io.ReaderAt
	Stat() (os.FileInfo, error)
	Sync() error
}

// A Journal is the changes of one account. It may be used from many goroutines.
type Journal struct {
	account string
	now     func() time.Time

	mu      sync.Mutex
	file    disk // nil in memory
	entries []*Entry
	byID    map[string]*Entry
	holds   map[string]Hold
	torn    int   // lines that could not be read
	upto    int64 // bytes of the file that have been read
	run     string
	count   int
	version int
}

// Memory is a journal that is gone with the program: for the demo.
func Memory(now func() time.Time) *Journal {
	return &Journal{now: now, byID: map[string]*Entry{}, holds: map[string]Hold{}, run: "m"}
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
	j := Memory(now)
	j.account, j.run = account, fmt.Sprintf("%x-%s", now().UnixNano(), rand.Text()[:8])
	err = errors.Join(private(file), j.read(file))
	if err == nil {
		j.upto, err = file.Seek(0, io.SeekCurrent)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("journal: %w", err)
	}
	j.file = file
	return j, nil
}

// private takes the file from everybody but its owner, whoever made it.
func private(file *os.File) error {
	info, err := file.Stat()
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return file.Chmod(0o600)
}

// longest is how long a line may be. What is longer was not written here.
const longest = 1 << 20

// read takes up what earlier runs wrote, a last line without an end included.
func (j *Journal) read(r io.Reader) error {
	_, rest, err := j.lines(r)
	if err == nil {
		j.take(rest)
	}
	return err
}

// lines takes up lines. A line that cannot be read is counted and passed over. whole is how many bytes of lines with an end there were, rest
// what stands behind them.
func (j *Journal) lines(r io.Reader) (whole int64, rest []byte, err error) {
	text := bufio.NewReaderSize(r, 1<<16)
	var held []byte
	var read int64
	for {
		part, err := text.ReadSlice('\n')
		read += int64(len(part))
		if len(held) <= longest {
			held = append(held, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == io.EOF:
			return whole, held, nil
		case err != nil:
			return whole, held, err
		default:
			j.take(held)
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
	j.upto = min(j.upto, info.Size()) // somebody may have cut the file
	known, version := len(j.entries), j.version
	whole, _, err := j.lines(io.NewSectionReader(j.file, j.upto, info.Size()-j.upto))
	j.upto += whole
	if err != nil {
		return false, fmt.Errorf("journal: %w", err)
	}
	for _, e := range j.entries[known:] {
		e.live = true
	}
	if len(j.entries) > known {
		slices.SortStableFunc(j.entries, func(a, b *Entry) int { return a.Time.Compare(b.Time) })
	}
	return j.version != version, nil
}

// Await looks into the file now and then until another program has written something, and takes it up. It is false where ctx ends first, and
// at once for a journal in memory.
func (j *Journal) Await(ctx context.Context, every time.Duration) bool {
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

// take reads one line.
func (j *Journal) take(data []byte) {
	if len(bytes.TrimSpace(data)) == 0 {
		return
	}
	var l line
	if len(data) > longest || json.Unmarshal(data, &l) != nil || !j.apply(l) {
		j.torn++
	}
}

// Version grows with every intent and every outcome.
func (j *Journal) Version() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.version
}

// Ours reports whether a change was sent by this run of the program.
func (j *Journal) Ours(e Entry) bool { return strings.HasPrefix(e.ID, j.run+"-") }

// patience is how long a change that another program has begun may be without an outcome before that program is thought to be gone.
const patience = 2 * time.Minute

// Open reports whether nobody knows how a change ended: its outcome is unknown, or another run ended before the answer.
func (j *Journal) Open(e Entry) bool {
	return e.Outcome == Unknown || e.Outcome == Sent && !j.Ours(e) && !(e.live && j.now().Sub(e.Time) < patience)
}

// apply takes a line into the state. It reports whether the line made sense: an intent is new, or one of this run that is read back, and an
// outcome is one of an intent.
func (j *Journal) apply(l line) bool {
	if l.Intent != nil {
		e := *l.Intent
		if _, known := j.byID[e.ID]; known || e.ID == "" {
			return known && j.Ours(e)
		}
		e.Outcome = Sent
		j.entries = append(j.entries, &e)
		j.byID[e.ID] = &e
		j.version++
		return true
	}
	e, known := j.byID[l.ID]
	if !known || l.Outcome != Done && l.Outcome != NotDone && l.Outcome != Unknown {
		return false
	}
	if e.Outcome != l.Outcome || e.Why != l.Why {
		e.Outcome, e.Why = l.Outcome, l.Why
		j.version++
	}
	j.hold(e)
	return true
}

// Torn is how many lines could not be read.
func (j *Journal) Torn() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.torn
}

// RecordIntent writes that a change is about to be sent. It is on the disk when Intent returns.
func (j *Journal) RecordIntent(c client.Change) (string, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.count++
	e := Entry{ID: j.run + "-" + strconv.Itoa(j.count), Time: j.now().UTC(), Account: j.account, Change: c}
	l := line{Intent: &e}
	if err := j.write(l, true); err != nil {
		_ = j.write(line{ID: e.ID, Outcome: NotDone, Why: "it could not be recorded, so it was not sent"}, true) // what reached the disk must not pass for sent
		return "", err
	}
	j.apply(l)
	return e.ID, nil
}

// RecordOutcome writes how a change ended. A later one of the same change counts: err then says how it came to be known.
func (j *Journal) RecordOutcome(id string, done bool, err error) {
	l := line{ID: id, Outcome: Done}
	if !done {
		l.Outcome = NotDone
		if u, ok := err.(interface{ Unknown() bool }); ok && u.Unknown() {
			l.Outcome = Unknown
		}
	}
	if err != nil {
		l.Why = err.Error()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_ = j.write(l, false) // the change is made: what is lost on the disk is an outcome, and an open intent says so
	j.apply(l)
}

// write appends a line in one piece, so that two programs do not mix theirs.
func (j *Journal) write(l line, durable bool) error {
	if j.file == nil {
		return nil
	}
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if len(data) >= longest {
		return fmt.Errorf("it is too long to be recorded: %d bytes", len(data))
	}
	if j.open() {
		data = append([]byte{'\n'}, data...)
	}
	if _, err := j.file.Write(append(data, '\n')); err != nil || !durable {
		return err
	}
	return j.file.Sync()
}

// open reports whether the last line in the file has no end: a program was killed, or the disk was full, while it was written.
func (j *Journal) open() bool {
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

// Unfinished are the changes of an operation that earlier runs began and nobody has brought to an end since: of each path the last, where
// its outcome is missing or unknown.
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
		ours := strings.HasPrefix(e.ID, j.run+"-")
		if e.Change.Op == op && last[e.Change.Path] == i && !ours && (e.Outcome == Sent || e.Outcome == Unknown) {
			open = append(open, *e)
		}
	}
	return open
}

// A Hold is a service that this program disabled and that has not been enabled since, as far as the journal knows.
type Hold struct {
	ID     string // of the service
	Label  string
	Reason string
	Since  time.Time
	Until  time.Time // when it is to be enabled again; zero where nobody said
}

// hold keeps track of what is disabled.
func (j *Journal) hold(e *Entry) {
	if e.Outcome != Done || e.Change.Resource != "service" {
		return
	}
	switch e.Change.Op {
	case "disable service":
		j.holds[e.Change.ID] = Hold{ID: e.Change.ID, Label: e.Change.Label, Reason: e.Change.Reason, Since: e.Time, Until: e.Change.RevertAt}
	case "enable service", "delete service":
		delete(j.holds, e.Change.ID)
	}
}

// Holds are the services that this program disabled, by number.
func (j *Journal) Holds() map[string]Hold {
	j.mu.Lock()
	defer j.mu.Unlock()
	holds := make(map[string]Hold, len(j.holds))
	for id, h := range j.holds {
		holds[id] = h
	}
	return holds
}

// Hold is the hold on one service.
func (j *Journal) Hold(id string) (Hold, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	h, held := j.holds[id]
	return h, held
}
