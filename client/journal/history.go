package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"sync"
	"time"

	"lookout/client"
)

// A HistoryReader reads the changes from the newest to the oldest, a page at a time: first those that are held in
// memory, then a segment for each page.
type HistoryReader struct {
	journal  *Journal
	mu       sync.Mutex
	segments []segment         // as they were at the first page
	pages    int               // pages that were read
	listed   map[string]bool   // changes in segments that were on the first page
	late     map[string]record // outcomes of changes in older segments than their own
}

// History returns a reader of all changes.
func (j *Journal) History() *HistoryReader {
	return &HistoryReader{journal: j, listed: map[string]bool{}}
}

// ErrPageOrder means that a page of the history was not asked for in its turn.
var ErrPageOrder = errors.New("the history is read page after page")

// Page returns page n, counted from 0, newest changes first, and whether there are more. Pages are read in their order.
// If a page cannot be read, it is empty and the next one can be read.
func (h *HistoryReader) Page(n int) (page []Entry, more bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n != h.pages {
		return nil, false, ErrPageOrder
	}
	h.pages++
	if n == 0 {
		page = h.firstPage()
	} else {
		page, err = h.readSegment(len(h.segments) - n)
	}
	return page, n < len(h.segments), err
}

// firstPage returns the changes that are held in memory.
func (h *HistoryReader) firstPage() []Entry {
	j := h.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	h.segments, h.late = slices.Clip(j.segments), make(map[string]record, len(j.late))
	for id, l := range j.late {
		h.late[id] = l
	}
	page := make([]Entry, 0, len(j.entries))
	for _, e := range slices.Backward(j.entries) {
		if page = append(page, *e); e.place == sealed {
			h.listed[e.ID] = true
		}
	}
	return page
}

// readSegment returns the changes of a segment, newest first.
func (h *HistoryReader) readSegment(i int) ([]Entry, error) {
	s := h.segments[i]
	toEnd := i+1 == len(h.segments) || h.segments[i+1].File != s.File
	data, err := h.journal.segmentData(s, toEnd)
	if err != nil {
		lost := fmt.Errorf("journal: %d older changes could not be read: %w", s.Entries, err)
		h.journal.mu.Lock()
		h.journal.historyProblem = lost
		h.journal.mu.Unlock()
		return nil, lost
	}
	page, late := parseSegment(data, s.Entries)
	for n := range page {
		if l, ok := h.late[page[n].ID]; ok {
			page[n].setOutcome(l)
		}
	}
	for id, l := range late {
		if _, newer := h.late[id]; !newer {
			h.late[id] = l
		}
	}
	page = slices.DeleteFunc(page, func(e Entry) bool { return h.listed[e.ID] })
	slices.Reverse(page)
	return page, nil
}

// An archivedRecord is a record of which the values before and after stay JSON: a reader may hold a million of them.
type archivedRecord struct {
	record
	Intent *archivedEntry `json:"intent"`
}

type archivedEntry struct {
	Entry
	Change archivedChange `json:"change"`
}

type archivedChange struct {
	client.Change
	Before json.RawMessage `json:"before"`
	Body   json.RawMessage `json:"body"`
}

// entry returns the change. Its texts share their memory with those of other changes.
func (e *archivedEntry) entry(shared map[string]string) *Entry {
	share := func(text *string) {
		if same, known := shared[*text]; known {
			*text = same
			return
		}
		shared[*text] = *text
	}
	raw := func(value json.RawMessage) any {
		if len(value) == 0 || string(value) == "null" {
			return nil
		}
		text := string(value)
		share(&text)
		return sharedJSON(text)
	}
	whole, c := &e.Entry, &e.Change.Change
	for _, text := range []*string{
		&whole.Account, &c.Op, &c.Method, &c.Path, &c.Resource, &c.ID, &c.Label, &c.Reason, &c.Scheduled,
	} {
		share(text)
	}
	c.Before, c.Body = raw(e.Change.Before), raw(e.Change.Body)
	whole.Change = *c
	return whole
}

// sharedJSON is a value as JSON.
type sharedJSON string

// MarshalJSON returns the value.
func (v sharedJSON) MarshalJSON() ([]byte, error) { return []byte(v), nil }

// minEntryBytes is less than the line of any change takes.
const minEntryBytes = 100

// parseSegment returns the changes of a segment, oldest first, and outcomes of changes that are in older segments.
func parseSegment(data []byte, entries int) (page []Entry, late map[string]record) {
	page = make([]Entry, 0, entries)
	index, late, shared := map[string]int{}, map[string]record{}, map[string]string{}
	for line := range bytes.Lines(data) {
		var read archivedRecord
		if len(line) > maxLineBytes || json.Unmarshal(line, &read) != nil {
			continue // it is counted in the segment
		}
		l := read.record
		if read.Intent != nil {
			l.Intent = read.Intent.entry(shared)
		}
		i, here := index[l.ID]
		switch {
		case l.Intent != nil && l.Intent.ID != "":
			if _, twice := index[l.Intent.ID]; !twice && !l.Kept {
				index[l.Intent.ID] = len(page)
				l.Intent.Outcome, l.Intent.place = client.Pending, sealed
				page = append(page, *l.Intent)
			}
		case l.Outcome != client.Applied && l.Outcome != client.Rejected && l.Outcome != client.Unknown:
		case here:
			page[i].setOutcome(l)
		default:
			late[l.ID] = l
		}
	}
	return page, late
}

// segmentData reads a segment. At the end of its file, toEnd takes what was added since.
func (j *Journal) segmentData(s segment, toEnd bool) ([]byte, error) {
	if data, ok, err := j.currentSegmentData(s); ok {
		return data, err
	}
	file, err := openFile(segmentPath(j.path, s.File), os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readRange(file, s, toEnd)
}

// readRange reads the bytes of a segment from its file; toEnd is as for segmentData.
func readRange(file logFile, s segment, toEnd bool) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	size := s.Size
	if toEnd {
		size = max(size, info.Size()-s.From)
	}
	if s.From+size > info.Size() {
		return nil, io.ErrUnexpectedEOF
	}
	data := make([]byte, size)
	_, err = file.ReadAt(data, s.From)
	return data, err
}

// currentSegmentData reads a segment that is still in the journal's own file.
func (j *Journal) currentSegmentData(s segment) (data []byte, ok bool, err error) {
	j.fileMu.Lock()
	defer j.fileMu.Unlock()
	if j.file == nil || s.File <= j.lastFile {
		return nil, false, nil
	}
	data, err = readRange(j.file, s, false)
	return data, true, err
}

// Problem returns why a part of the history could not be read, or nil.
func (j *Journal) Problem() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.historyProblem
}

// Entries returns the changes since a time, oldest first. It reads the segments that hold any of them.
func (j *Journal) Entries(since time.Time) []Entry {
	h := j.History()
	var all []Entry
	keep := func(page []Entry) {
		for _, e := range page {
			if !e.Time.Before(since) {
				all = append(all, e)
			}
		}
	}
	page, _, _ := h.Page(0)
	keep(page)
	oldest := slices.IndexFunc(h.segments, func(s segment) bool { return s.Entries > 0 && !s.Newest.Before(since) })
	for i := len(h.segments) - 1; oldest >= 0 && i >= oldest; i-- {
		page, _ := h.readSegment(i)
		keep(page)
	}
	slices.Reverse(all)
	if len(h.segments) > 0 { // changes that are held are older than their place
		sort.SliceStable(all, func(i, j int) bool { return all[i].Time.Before(all[j].Time) })
	}
	return all
}

// Entry returns the change with an ID.
func (j *Journal) Entry(id string) (Entry, bool) {
	h := j.History()
	for n := 0; ; n++ {
		page, more, _ := h.Page(n)
		if i := slices.IndexFunc(page, func(e Entry) bool { return e.ID == id }); i >= 0 {
			return page[i], true
		}
		if !more {
			return Entry{}, false
		}
	}
}
