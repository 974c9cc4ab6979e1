package journal

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"slices"
	"sort"
	"sync"
	"time"
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
		if page = append(page, *e); e.sealed {
			h.listed[e.ID] = true
		}
	}
	return page
}

// readSegment returns the changes of a segment, newest first.
func (h *HistoryReader) readSegment(i int) ([]Entry, error) {
	s := h.segments[i]
	toEnd := i+1 == len(h.segments) || h.segments[i+1].File != s.File
	page, late, err := h.journal.readSegment(s, toEnd)
	if err != nil {
		lost := fmt.Errorf("journal: %d older changes could not be read: %w", s.Entries, err)
		h.journal.mu.Lock()
		h.journal.historyProblem = lost
		h.journal.mu.Unlock()
		return nil, lost
	}
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

// minEntryBytes is less than the line of any change takes.
const minEntryBytes = 100

// readSegment returns the changes of a segment, oldest first, and outcomes of changes that are in older segments. At
// the end of a file, toEnd takes what was added to it since.
func (j *Journal) readSegment(g segment, toEnd bool) (page []Entry, late map[string]record, err error) {
	j.fileMu.Lock()
	defer j.fileMu.Unlock()
	file, size := j.file, g.Size
	if g.File <= j.lastFile {
		older, err := openFile(segmentPath(j.path, g.File), os.O_RDONLY)
		if err != nil {
			return nil, nil, err
		}
		defer older.Close()
		file = older
	}
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	if toEnd && g.File <= j.lastFile {
		size = max(size, info.Size()-g.From)
	}
	if g.From+size > info.Size() {
		return nil, nil, io.ErrUnexpectedEOF
	}
	part := newState(j.now, "", math.MaxInt64)
	part.segments = []segment{g}
	_, rest, err := part.readLines(io.NewSectionReader(file, g.From, size), 0, false)
	part.parseLine(rest, false)
	page = make([]Entry, 0, len(part.entries))
	for _, e := range part.entries {
		if !e.sealed { // else it is a copy
			e.sealed, e.UnseenSecretOf, e.RevokeLater, e.Deletion = true, "", nil, nil
			page = append(page, *e)
		}
	}
	return page, part.late, err
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
	for e := range j.Changes() {
		if e.ID == id {
			return e, true
		}
	}
	return Entry{}, false
}

// Changes iterates over all changes, newest first, without those that cannot be read: see Problem. It reads the older
// ones when it comes to them.
func (j *Journal) Changes() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		h := j.History()
		for n, more := 0, true; more; n++ {
			var page []Entry
			page, more, _ = h.Page(n)
			for _, e := range page {
				if !yield(e) {
					return
				}
			}
		}
	}
}
