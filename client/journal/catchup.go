package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
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
	version := j.Version()
	if _, err := os.Lstat(j.path); errors.Is(err, fs.ErrNotExist) {
		return false, &GoneError{j.path}
	}
	if j.replaced() {
		if err := j.reopen(); err != nil {
			return false, fmt.Errorf("journal: %w", err)
		}
	}
	if err := j.catchUp(); err != nil {
		return false, fmt.Errorf("journal: %w", err)
	}
	grown := j.grown || j.Version() != version
	j.grown, j.unannounced = false, j.unannounced || grown
	return grown, nil
}

// announce reports whether other processes have written something since it was last called, whichever caller of CatchUp
// has read it.
func (j *Journal) announce() bool {
	j.fileMu.Lock()
	defer j.fileMu.Unlock()
	unannounced := j.unannounced
	j.unannounced = false
	return unannounced
}

// catchUp reads the file that is open to its end, without an incomplete last line.
func (j *Journal) catchUp() error {
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.readOffset = min(j.readOffset, info.Size()) // the file may have been truncated
	j.sealedTo = min(j.sealedTo, info.Size())
	if info.Size() == j.readOffset && j.lastFile == 0 { // most of the time
		return nil
	}
	version := j.version
	known := make(map[*Entry]bool, len(j.entries))
	for _, e := range j.entries {
		known[e] = true
	}
	from := j.readOffset
	n, _, err := j.readLines(io.NewSectionReader(j.file, from, info.Size()-from), from, inFile)
	err = errors.Join(err, j.readTail())
	j.readOffset += n.whole
	added := false
	for _, e := range j.entries {
		if !known[e] {
			e.byOtherProcess, added = true, true
		}
	}
	if added {
		slices.SortStableFunc(j.entries, func(a, b *Entry) int { return a.Time.Compare(b.Time) })
	}
	j.grown = j.grown || j.version != version
	j.unannounced = j.unannounced || j.grown
	return err
}

// readTail reads what a process has added to the file that was the journal before the last compaction: an older release
// does not notice that.
func (j *Journal) readTail() error {
	if j.lastFile == 0 {
		return nil
	}
	path := segmentPath(j.path, j.lastFile)
	info, err := os.Lstat(path)
	if err != nil || info.Size() <= j.tailOffset {
		return nil // a file that is missing is reported when its changes are asked for
	}
	file, err := openFile(path, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer file.Close()
	r := io.NewSectionReader(file, j.tailOffset, info.Size()-j.tailOffset)
	n, _, err := j.readLines(r, j.tailOffset, sealed)
	j.tailOffset += n.whole
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
