package journal

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"lookout/client"
	"lookout/client/filelock"
	"lookout/client/safefile"
)

// A segment is a part of the history that never changes and is not held in memory: a range of a file. When the journal
// has grown to the size of a segment, it is compacted: its file gets another name, and a new file begins with the list
// of all segments and with a copy of those changes that something still depends on. The file itself is not touched, so
// that a crash loses nothing, and neither does a process that goes on writing to it.
type segment struct {
	File       int       `json:"file"` // number of the file
	From       int64     `json:"from"`
	Size       int64     `json:"size"`
	Entries    int       `json:"entries"`
	Newest     time.Time `json:"newest,omitzero"`
	Unreadable int       `json:"unreadable,omitempty"` // invalid lines
}

func (s segment) end() int64 { return s.From + s.Size }

// segmentPath returns the path of a file of segments.
func segmentPath(journal string, number int) string { return fmt.Sprintf("%s.%06d", journal, number) }

// addSegments adds segments that the beginning of the file lists, and reports whether the list is valid.
func (s *state) addSegments(all []segment) bool {
	valid := func(g segment) bool {
		return g.File > 0 && g.From >= 0 && g.Size >= 0 && g.end() >= 0 && g.Unreadable >= 0 &&
			g.Entries >= 0 && int64(g.Entries) <= g.Size/minEntryBytes
	}
	if len(all) == 0 || slices.ContainsFunc(all, func(g segment) bool { return !valid(g) }) {
		return false
	}
	s.segments = append(s.segments, all...)
	s.lastFile = all[len(all)-1].File
	return true
}

// sealIfLarge closes the segment that ends with the line that was just read, if that is large enough. The beginning of
// a compacted file is in no segment: everything there is in older ones.
func (s *state) sealIfLarge(lineStart, lineEnd int64, isHeader bool) {
	switch {
	case isHeader && lineStart == s.sealedTo:
		s.sealedTo = lineEnd
	case lineEnd-s.sealedTo >= s.segmentBytes:
		s.seal(lineEnd)
	}
}

// seal closes a segment that ends at an offset of the file. Memory keeps only those of its changes that something still
// depends on.
func (s *state) seal(end int64) {
	sealing := segment{
		File:       s.lastFile + 1,
		From:       s.sealedTo,
		Size:       end - s.sealedTo,
		Unreadable: s.unreadable,
	}
	for _, e := range s.entries {
		if !e.sealed {
			sealing.Entries++
			e.sealed = true
			if e.Time.After(sealing.Newest) {
				sealing.Newest = e.Time
			}
		}
	}
	s.segments = append(s.segments, sealing)
	s.sealedTo, s.unreadable = end, 0
	clear(s.late)
	s.markSuperseded()
	open := 0
	needed := map[*Entry]bool{}
	for i, e := range slices.Backward(s.entries) {
		_, unwritten := s.unwritten[e.ID]
		needed[e] = unwritten || s.isNeeded(e, &open) || len(s.entries)-i <= s.keepNewest()
	}
	s.entries = slices.DeleteFunc(s.entries, func(e *Entry) bool {
		if !needed[e] {
			delete(s.byID, e.ID)
		}
		return !needed[e]
	})
	s.windows.Prune(func(id string) bool { return s.byID[id] != nil })
}

// Changes without a known outcome are held for keepOpenFor, but no more than maxOpen.
const (
	keepOpenFor = 30 * 24 * time.Hour
	maxOpen     = 1000
)

// keepNewest returns how many changes are held whatever became of them, because an outcome may still be corrected: 209.
func (s *state) keepNewest() int { return int(s.segmentBytes / 2500) }

// isNeeded reports whether a change in a segment must be held: its outcome may still come, it may still arrive although
// readings did not show it, it is an emptying that can be resumed, its maintenance window is open, nobody has seen its
// secret, or a key is to be revoked. open counts the changes without an outcome, newest first.
func (s *state) isNeeded(e *Entry, open *int) bool {
	if s.hasWindow(e) || e.UnseenSecretOf != "" || e.RevokeLater != nil {
		return true
	}
	if e.Outcome != client.Pending && e.Outcome != client.Unknown && !e.MayArrive(s.now()) {
		return false
	}
	if *open++; *open > maxOpen {
		return false
	}
	return s.isOwn(e.ID) || s.now().Sub(e.Time) < keepOpenFor ||
		client.DeletesMany(e.Change.Op) && !e.superseded
}

// markSuperseded marks the changes after which another one of the same operation and path was begun.
func (s *state) markSuperseded() {
	last := map[[2]string]*Entry{}
	for _, e := range s.entries {
		key := [2]string{e.Change.Op, e.Change.Path}
		if before := last[key]; before != nil {
			before.superseded = true
		}
		last[key] = e
	}
}

// compactIfLarge compacts the file if it has grown to the size of a segment. A failure costs only time: the journal is
// as it was.
func (j *Journal) compactIfLarge() {
	if j.file == nil || j.refusal != nil || j.cannotCompact || !j.isLarge() {
		return
	}
	if errors.Is(filelock.Try(j.file), filelock.ErrLocked) {
		return // another program writes: the next change tries again
	}
	defer filelock.Unlock(j.file)
	if j.replaced() || !j.isLarge() || j.catchUp(0) != nil { // another process may have been first
		return
	}
	j.cannotCompact = j.compact() != nil
}

// isLarge reports whether the file has grown to the size of a segment, or contains segments already.
func (j *Journal) isLarge() bool {
	info, err := j.file.Stat()
	j.mu.Lock()
	defer j.mu.Unlock()
	contains := len(j.segments) > 0 && j.segments[len(j.segments)-1].File > j.lastFile
	return err == nil && (contains || info.Size()-j.sealedTo >= j.segmentBytes)
}

// compact gives the file the name of a file of segments and begins a new one. The journal is locked, and was read to
// its end.
func (j *Journal) compact() error {
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	j.mu.Lock()
	if info.Size() > j.sealedTo {
		j.seal(info.Size()) // with an incomplete last line
	}
	number, lines := j.lastFile+1, j.header()
	j.mu.Unlock()
	next, size, err := writeNext(j.path+".next", lines)
	if err != nil {
		return err
	}
	if err := publish(j.path, next.Name(), segmentPath(j.path, number)); err != nil {
		return errors.Join(err, next.Close(), os.Remove(next.Name()))
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_ = j.file.Close()
	j.file, j.lastFile, j.tailOffset = next, number, info.Size()
	j.readOffset, j.sealedTo = size, size
	return nil
}

// publish gives the journal's file the name of a file of segments, as a second name, and then puts the next file in its
// place in one step: at any moment, the path leads to a complete journal.
func publish(journal, next, old string) error {
	if err := os.Link(journal, old); err != nil {
		here, err2 := os.Lstat(journal)
		there, err3 := os.Lstat(old)
		if errors.Join(err2, err3) != nil || !os.SameFile(here, there) {
			return err
		} // else a process was killed at this place
	}
	folder := filepath.Dir(journal)
	if err := errors.Join(safefile.SyncFolder(safefile.Anywhere, folder), os.Rename(next, journal)); err != nil {
		return errors.Join(err, os.Remove(old))
	}
	return safefile.SyncFolder(safefile.Anywhere, folder)
}

// header returns the first lines of a compacted file. Outcomes that opened the windows come last, so that they stand as
// they are, in whatever order the outcomes were recorded.
func (s *state) header() (lines []record) {
	for part := range slices.Chunk(s.segments, 1000) {
		lines = append(lines, record{Segments: part})
	}
	var windows []record
	for _, e := range s.entries {
		kept := *e
		lines = append(lines, record{Intent: &kept, Kept: true, Superseded: e.superseded, Deletion: e.Deletion})
		outcome := record{
			ID:             e.ID,
			Outcome:        e.Outcome,
			OutcomeDetail:  e.OutcomeDetail,
			ByReading:      e.ByReading,
			At:             e.decidedAt,
			UnseenSecretOf: e.UnseenSecretOf,
			RevokeLater:    e.RevokeLater,
			Gone:           e.Gone,
			Kept:           true,
		}
		switch {
		case e.Outcome == client.Pending:
		case s.hasWindow(e):
			w, _ := s.windows.OfChange(e.ID)
			if outcome.Since = w.Since; cmp.Or(w.By, w.ID) == e.ID {
				outcome.Window = &w
			}
			windows = append(windows, outcome)
		default:
			outcome.WindowEnded = e.windowEnded || e.Outcome == client.Applied &&
				(e.Change.Op == client.OpDisableService || e.Change.Op == client.OpPlanMaintenance)
			lines = append(lines, outcome)
		}
	}
	return append(lines, windows...)
}

var errLineTooLong = errors.New("a line is too long for the journal")

// writeNext writes the file that is to take the place of the journal, and returns its size.
func writeNext(path string, lines []record) (*os.File, int64, error) {
	_ = os.Remove(path) // left by a run that was killed
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return nil, 0, err
	}
	out := bufio.NewWriterSize(file, 1<<16)
	for _, l := range lines {
		data, err2 := encode(l)
		if len(data) > maxLineBytes {
			err2 = errLineTooLong // nobody would read it
		}
		_, err3 := out.Write(data)
		err = errors.Join(err, err2, err3)
	}
	err = errors.Join(err, out.Flush(), file.Sync())
	size, err2 := file.Seek(0, io.SeekEnd)
	if err := errors.Join(err, err2); err != nil {
		return nil, 0, errors.Join(err, file.Close(), os.Remove(path))
	}
	return file, size, nil
}
