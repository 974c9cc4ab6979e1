// Package journal keeps every change that was sent: its intent before, its outcome after. It is append-only and holds no secret.
package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
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

// An Entry is one change and how it ended.
type Entry struct {
	ID      string        `json:"id"`
	Time    time.Time     `json:"time"`
	Account string        `json:"account,omitempty"`
	Change  client.Change `json:"change"`
	Outcome Outcome       `json:"-"`
	Why     string        `json:"-"` // the error's text where it was not done
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

// A Journal is the changes of one account. It may be used from many goroutines.
type Journal struct {
	account string
	now     func() time.Time

	mu      sync.Mutex
	file    *os.File // nil in memory
	entries []*Entry
	byID    map[string]*Entry
	holds   map[string]Hold
	torn    int // lines that could not be read
	run     string
	count   int
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
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j := Memory(now)
	j.account, j.run = account, fmt.Sprintf("%x-%x", now().UnixNano(), os.Getpid())
	if err := j.read(file); err != nil {
		file.Close()
		return nil, fmt.Errorf("journal: %w", err)
	}
	j.file = file
	return j, nil
}

// read takes up what earlier runs wrote. A line that cannot be read is counted and passed over.
func (j *Journal) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		data, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(data)) > 0 {
			var l line
			if json.Unmarshal(data, &l) != nil {
				j.torn++
			} else {
				j.apply(l)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// apply takes a line into the state.
func (j *Journal) apply(l line) {
	if l.Intent != nil {
		e := *l.Intent
		e.Outcome = Sent
		j.entries = append(j.entries, &e)
		j.byID[e.ID] = &e
		return
	}
	e, known := j.byID[l.ID]
	if !known {
		j.torn++
		return
	}
	e.Outcome, e.Why = l.Outcome, l.Why
	j.hold(e)
}

// Torn is how many lines could not be read.
func (j *Journal) Torn() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.torn
}

// Intent writes that a change is about to be sent. It is on the disk when Intent returns.
func (j *Journal) Intent(c client.Change) (string, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.count++
	e := Entry{ID: j.run + "-" + strconv.Itoa(j.count), Time: j.now().UTC(), Account: j.account, Change: c}
	return e.ID, j.write(line{Intent: &e}, true)
}

// Outcome writes how a change ended.
func (j *Journal) Outcome(id string, done bool, err error) {
	l := line{ID: id, Outcome: Done}
	if !done {
		l.Outcome = NotDone
		if u, ok := err.(interface{ Unknown() bool }); ok && u.Unknown() {
			l.Outcome = Unknown
		}
		if err != nil {
			l.Why = err.Error()
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_ = j.write(l, false) // the change is made: what is lost is an outcome, and an open intent says so
}

// write appends a line in one piece, so that two programs do not mix theirs.
func (j *Journal) write(l line, durable bool) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if j.file != nil {
		if _, err := j.file.Write(append(data, '\n')); err != nil {
			return err
		}
		if durable {
			if err := j.file.Sync(); err != nil {
				return err
			}
		}
	}
	j.apply(l)
	return nil
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
	if e.Outcome != Done || e.Change.Kind != "service" {
		return
	}
	switch e.Change.Op {
	case "disable service":
		j.holds[e.Change.ID] = Hold{ID: e.Change.ID, Label: e.Change.Label, Reason: e.Change.Reason, Since: e.Time, Until: e.Change.Until}
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
