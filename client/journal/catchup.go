package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// CatchUp reads what other processes have written since, and reports whether it or a change of this process has found
// anything since CatchUp was last called.
func (j *Journal) CatchUp() (bool, error) {
	j.fileMu.Lock()
	defer j.fileMu.Unlock()
	if j.file == nil {
		return false, nil
	}
	if _, err := os.Lstat(j.path); errors.Is(err, fs.ErrNotExist) {
		return false, &GoneError{j.path}
	}
	if j.replaced() {
		if err := j.reopen(); err != nil {
			return false, fmt.Errorf("journal: %w", err)
		}
	}
	if err := j.catchUp(0); err != nil {
		return false, fmt.Errorf("journal: %w", err)
	}
	grown := j.found != j.caughtUp
	j.caughtUp = j.found
	return grown, nil
}

// announce reports whether other processes have written something since it was last called, whichever caller of CatchUp
// has read it.
func (j *Journal) announce() bool {
	j.fileMu.Lock()
	defer j.fileMu.Unlock()
	grown := j.found != j.announced
	j.announced = j.found
	return grown
}

// catchUp reads the file that is open to its end, without an incomplete last line. own is how many bytes of that this
// process has just written.
func (j *Journal) catchUp(own int) error {
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.readOffset = min(j.readOffset, info.Size()) // the file may have been truncated
	j.sealedTo = min(j.sealedTo, info.Size())
	version, from := j.version, j.readOffset
	var n byteCount
	if info.Size() > from {
		n, _, err = j.readLines(io.NewSectionReader(j.file, from, info.Size()-from), from, false)
		j.readOffset += n.whole
	}
	if own == 0 {
		err = errors.Join(err, j.readTail(j.path))
	}
	if j.version != version && n.whole != int64(own) {
		j.found++
	}
	return err
}

// readTail reads what a process has added to the file that was the journal before the last compaction: an older release
// does not notice that.
func (s *state) readTail(journal string) error {
	if s.lastFile == 0 {
		return nil
	}
	path := segmentPath(journal, s.lastFile)
	info, err := os.Lstat(path)
	if err != nil || info.Size() <= s.tailOffset {
		return nil // a file that is missing is reported when its changes are asked for
	}
	file, err := openFile(path, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer file.Close()
	r := io.NewSectionReader(file, s.tailOffset, info.Size()-s.tailOffset)
	n, _, err := s.readLines(r, s.tailOffset, true)
	s.tailOffset += n.whole
	return err
}

// WaitForChange checks the file regularly until another process has written something, reads it, and returns true, also
// for what was read by another call of CatchUp since it last returned. It returns false if ctx ends first, and at once
// for a journal in memory.
func (j *Journal) WaitForChange(ctx context.Context, every time.Duration) bool {
	if j.path == "" {
		return false
	}
	look := time.NewTicker(every)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-look.C:
			_, _ = j.CatchUp() // after an error it tries again
			if j.announce() {
				return true
			}
		}
	}
}
