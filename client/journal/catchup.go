package journal

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"
)

// CatchUp reads what other processes have written since, and reports whether anything changed.
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
	j.readOffset = min(j.readOffset, info.Size()) // the file may have been truncated
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

// WaitForChange checks the file regularly until another process has written something, reads it, and returns true. It
// returns false if ctx ends first, and at once for a journal in memory.
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
			if grown, _ := j.CatchUp(); grown { // after an error it tries again
				return true
			}
		}
	}
}
