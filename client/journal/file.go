package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"lookout/client"
	"lookout/client/filelock"
	"lookout/client/safefile"
	"lookout/client/window"
)

// A record is one line of the file: an intent, the outcome of one, or segments of the history.
type record struct {
	Intent        *Entry         `json:"intent,omitempty"`
	ID            string         `json:"id,omitempty"`
	Outcome       client.Outcome `json:"outcome,omitempty"`
	OutcomeDetail string         `json:"why,omitempty"`
	ByReading     bool           `json:"by_reading,omitempty"`
	At            time.Time      `json:"at,omitzero"`     // when the outcome became known, if another was known before
	WindowEnded   bool           `json:"ended,omitempty"` // see EndWindow
	EndedBecause  window.Reason  `json:"ended_because,omitempty"`
	Since         time.Time      `json:"since,omitzero"`    // of a window that is open, where the line is kept
	Window        *window.Window `json:"window,omitempty"`  // that is open, where the line is kept
	Service       *window.Seen   `json:"service,omitempty"` // as it was in the answer
	Kept          bool           `json:"kept,omitempty"`    // repeats what is in a segment, because it still matters
	Superseded    bool           `json:"superseded,omitempty"`
	Segments      []segment      `json:"segments,omitempty"`
	// id of the key that was made, as long as nobody has seen its secret
	UnseenSecretOf string `json:"unseen_secret,omitempty"`
	// the key that is to be revoked, as long as it was not
	RevokeLater *RevokeReminder `json:"revoke_later,omitempty"`
	// a batch of a deletion of many objects; in a compacted file, all of them
	Batch    *client.BatchRecord `json:"batch,omitempty"`
	Deletion *DeletionProgress   `json:"deletion,omitempty"`
	Gone     int                 `json:"gone,omitempty"` // objects that such a deletion has deleted
}

// A logFile is the file, or its replacement in a test.
type logFile interface {
	io.WriteCloser
	io.ReaderAt
	Fd() uintptr
	Stat() (os.FileInfo, error)
	Sync() error
}

// open opens the file and reads it.
func (j *Journal) open() error {
	j.fileMu.Lock()
	defer j.fileMu.Unlock()
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return err
	}
	if err := refuseLink(filepath.Dir(j.path)); err != nil {
		return err
	}
	file, err := openFile(j.path, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	if err := errors.Join(makePrivate(file), j.load(file)); err != nil {
		file.Close()
		return err
	}
	j.compactIfLarge()
	return nil
}

// refuseLink returns an error if a path is a symbolic link: what is written there would land in a place that somebody
// else may have chosen.
func refuseLink(path string) error {
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return fmt.Errorf("%s is a symbolic link, which is refused; put the file or folder itself there", path)
	}
	return nil
}

// OpenStateFile opens a file beside the journals: a lock, a log. See openFile.
func OpenStateFile(path string, flag int) (*os.File, error) { return openFile(path, flag) }

// openFile opens a regular file that is no symbolic link. It creates no file through a link, and does not wait for a
// pipe. While other processes compact the journal, it may take several attempts.
func openFile(path string, flag int) (file *os.File, err error) {
	for range 10 {
		if err := refuseLink(path); err != nil {
			return nil, err
		}
		file, err = safefile.Open(safefile.Anywhere, path, flag, 0o600)
		if !errors.Is(err, os.ErrExist) {
			break
		}
	}
	return file, err
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

// load reads a file to its end, including an incomplete last line and what a process that did not notice a compaction
// has added to the file before, and makes it the journal's.
func (j *Journal) load(file logFile) error {
	fresh := newState(j.now, j.runID, j.segmentBytes)
	if err := fresh.readAll(file, func() (unlock func()) { return filelock.Wait(file) }); err != nil {
		return err
	}
	for _, s := range fresh.segments {
		if s.File == fresh.lastFile {
			fresh.tailOffset = s.end()
		}
	}
	if err := fresh.readTail(j.path); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range fresh.entries {
		known := j.byID[e.ID]
		e.byOtherProcess = known == nil && j.loaded && !j.isOwn(e.ID) || known != nil && known.byOtherProcess
	}
	for id, l := range j.unwritten {
		if e := fresh.byID[id]; e != nil && e.Outcome == client.Pending {
			fresh.keepUnwritten(l)
		}
	}
	fresh.version += j.version + 1
	fresh.loaded = true
	if j.file != nil {
		_ = j.file.Close()
	}
	j.file, j.state = file, fresh
	return nil
}

// readAll reads a file to its end, including an incomplete last line. Such a line may be one that another process is
// writing, so it is read once more while lock keeps others from writing.
func (s *state) readAll(file io.ReaderAt, lock func() (unlock func())) error {
	n, rest, err := s.readLines(io.NewSectionReader(file, 0, math.MaxInt64), 0, false)
	s.readOffset = n.whole
	if err != nil || len(rest) == 0 {
		return err
	}
	defer lock()()
	from := s.readOffset
	n, rest, err = s.readLines(io.NewSectionReader(file, from, math.MaxInt64-from), from, false)
	if err != nil {
		return err
	}
	s.parseLine(rest, false)
	s.readOffset += n.all
	return nil
}

// byteCount is the number of bytes that were read, and how many of them are complete lines.
type byteCount struct{ all, whole int64 }

// readLines reads lines from an offset of the file on, and counts those that are invalid. rest is the incomplete line
// after them. sealed says that the lines are in a segment.
func (s *state) readLines(r io.Reader, base int64, sealed bool) (n byteCount, rest []byte, err error) {
	text := bufio.NewReaderSize(r, 1<<16)
	var held []byte
	for {
		part, err := text.ReadSlice('\n')
		n.all += int64(len(part))
		if len(held) <= maxLineBytes {
			held = append(held, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == io.EOF:
			return n, held, nil
		case err != nil:
			return n, held, err
		default:
			if isHeader := s.parseLine(held, sealed); !sealed {
				s.sealIfLarge(base+n.whole, base+n.all, isHeader)
			}
			held, n.whole = held[:0], n.all
		}
	}
}

// parseLine reads one line. It reports whether the line belongs to the beginning of a compacted file.
func (s *state) parseLine(data []byte, sealed bool) (isHeader bool) {
	if len(bytes.TrimSpace(data)) == 0 {
		return false
	}
	l, err := decode(data)
	if err != nil || !s.apply(l, sealed) {
		s.unreadable++
	}
	return l.Kept || l.Segments != nil
}

// jsonText is a value as JSON: the history may hold many of them.
type jsonText string

// MarshalJSON returns the value.
func (v jsonText) MarshalJSON() ([]byte, error) { return []byte(v), nil }

// decode reads a line. The values of a change before and after stay JSON.
func decode(data []byte) (record, error) {
	var before, body json.RawMessage
	l := record{Intent: &Entry{Change: client.Change{Before: &before, Body: &body}}}
	if len(data) > maxLineBytes {
		return record{}, errLineTooLong
	}
	err := json.Unmarshal(data, &l)
	if e := l.Intent; e == nil || e.ID == "" {
		l.Intent = nil
	} else {
		e.Change.Before, e.Change.Body = jsonValue(before), jsonValue(body)
	}
	return l, err
}

func jsonValue(text json.RawMessage) any {
	if len(text) == 0 {
		return nil
	}
	return jsonText(text)
}

// replaced reports whether the path leads to another file than the one that is open.
func (j *Journal) replaced() bool {
	here, err := j.file.Stat()
	there, err2 := os.Lstat(j.path)
	return err == nil && err2 == nil && there.Mode().IsRegular() && !os.SameFile(here, there)
}

// reopen opens the file that another process has put in the place of the one that is open.
func (j *Journal) reopen() error {
	flag := os.O_RDWR | os.O_APPEND
	if j.refusal != nil {
		flag = os.O_RDONLY
	}
	if err := refuseLink(filepath.Dir(j.path)); err != nil {
		return err
	}
	file, err := openFile(j.path, flag)
	if err != nil {
		return err
	}
	if err := j.load(file); err != nil {
		file.Close()
		return err
	}
	j.found++
	return nil
}
