package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"lookout/client"
	"os"
	"runtime"
)

// A record is one line of the file: an intent, or the outcome of one.
type record struct {
	Intent        *Entry         `json:"intent,omitempty"`
	ID            string         `json:"id,omitempty"`
	Outcome       client.Outcome `json:"outcome,omitempty"`
	OutcomeDetail string         `json:"why,omitempty"`
	WindowEnded   bool           `json:"ended,omitempty"` // see EndWindow
}

// A logFile is the file, or its replacement in a test.
type logFile interface {
	io.WriteCloser
	io.ReaderAt
	Stat() (os.FileInfo, error)
	Sync() error
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
