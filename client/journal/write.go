package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"lookout/client"
	"lookout/client/filelock"
	"lookout/client/visible"
	"lookout/client/window"
)

// FromThisRun reports whether this run of the program recorded the change.
func (j *Journal) FromThisRun(e Entry) bool { return j.isOwn(e.ID) }

// isOwn reports whether this run of the program recorded the change with an ID.
func (s *state) isOwn(id string) bool { return strings.HasPrefix(id, s.runID+"-") }

// RecordIntent records that a change is about to be sent, without the values before it if they are longer than a line
// may be. The record is on the disk when RecordIntent returns. Of several programs that want to make the same scheduled
// change, only one can record it. While another program has locked the file, it waits for as long as the context
// allows; then the error is a LockedError.
func (j *Journal) RecordIntent(ctx context.Context, c client.Change) (string, error) {
	if j.BeforeIntent != nil {
		if err := j.BeforeIntent(); err != nil {
			return "", err
		}
	}
	j.fileMu.Lock()
	defer j.fileMu.Unlock()
	j.compactIfLarge()
	j.intentCount++
	e := Entry{
		ID:      j.runID + "-" + strconv.Itoa(j.intentCount),
		Time:    j.now().UTC(),
		Account: j.account,
		Change:  c,
	}
	l := record{Intent: &e}
	if data, err := encode(l); err == nil && len(data) > maxLineBytes {
		e.Change.Before = nil // a service with notes of a megabyte can still be disabled and deleted
	}
	var refusal error
	err := j.writeWithin(ctx, l, true, func() error {
		refusal = j.checkWindows(c)
		return refusal
	})
	if refusal != nil {
		return "", refusal
	}
	if locked, gone := (*LockedError)(nil), (*GoneError)(nil); errors.As(err, &locked) || errors.As(err, &gone) {
		return "", err
	}
	if err != nil {
		// a part of the intent may be on the disk, and must not pass for a change that was sent
		l = record{ID: e.ID, Outcome: client.Rejected, OutcomeDetail: "it could not be recorded, so it was not sent"}
		_ = j.writeOutcome(l, true)
		return "", err
	}
	return e.ID, nil
}

// Why a change of a window is not recorded.
var (
	ErrSuperseded = window.ErrSuperseded
	ErrTaken      = errors.New("another change of the service's windows is under way; try again in a moment")
)

// checkWindows returns why a change must not be made, as the maintenance windows are now: they are others than those
// that it was decided on, or another program makes the same change. The file has been read to its end, and no other
// process can write.
func (j *Journal) checkWindows(c client.Change) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if c.Resource != "service" {
		return nil
	}
	moving := slices.ContainsFunc(c.Replaces, func(id string) bool { return j.isMoving(id, "", "") })
	if moving || c.Scheduled != "" && j.isMoving(c.Scheduled, c.Op, c.Repeats) {
		return ErrTaken
	}
	now := j.now()
	if err := j.windows.Check(c, now); err != nil {
		return err
	}
	return j.checkPending(c, now)
}

// checkPending returns ErrTaken if a change makes or changes a window, and could not be made once the changes of its
// service are applied that are under way now.
func (s *state) checkPending(c client.Change, now time.Time) error {
	switch {
	case c.Op == client.OpPlanMaintenance, c.Op == client.OpChangeMaintenance:
	case c.Op == client.OpDisableService && c.Scheduled == "":
	default:
		return nil
	}
	then := s.windows.Clone()
	for _, e := range s.openChanges(c.ID, now.Add(-otherProcessTimeout)) {
		if e.Outcome == client.Pending {
			then.Fold(window.Record{ID: e.ID, Change: e.Change, Sent: e.Time, At: e.Time})
		}
	}
	if then.Check(c, now) != nil {
		return ErrTaken
	}
	return nil
}

// isMoving reports whether a window is just beginning or ending: a change is under way that does so, or has had no
// readable answer for a short time. The same change, op, is under way for as long as its outcome is not known, unless
// it is the one to be repeated.
func (s *state) isMoving(windowID, op, repeated string) bool {
	for _, e := range slices.Backward(s.entries) {
		open := e.Outcome == client.Pending || e.Outcome == client.Unknown
		moves := e.Change.Op == client.OpDisableService || e.Change.Op == client.OpEnableService
		if !open || !moves || e.Change.Scheduled != windowID {
			continue
		}
		if e.Change.Op == op {
			return e.ID != repeated
		}
		if s.now().Sub(e.Time).Abs() < otherProcessTimeout {
			return true
		}
	}
	return false
}

// RecordOutcome records how a change ended. A later outcome of the same change replaces the earlier one; err then says
// how it became known: client.FoundByReading says that reading again showed it.
func (j *Journal) RecordOutcome(id string, outcome client.Outcome, err error) {
	l := record{ID: id, Outcome: outcome}
	_, l.ByReading = errors.AsType[client.FoundByReading](err)
	if err != nil {
		l.OutcomeDetail = err.Error()
	}
	j.recordOutcome(l)
}

// RecordService records that a change was applied, and the service as it was in the answer.
func (j *Journal) RecordService(id string, s *client.Service) {
	seen := window.SeenOf(s)
	j.recordOutcome(record{ID: id, Outcome: client.Applied, Service: &seen})
}

// recordOutcome writes and applies the record of an outcome.
func (j *Journal) recordOutcome(l record) {
	j.fileMu.Lock()
	defer j.fileMu.Unlock()
	j.mu.Lock()
	if e := j.byID[l.ID]; e != nil && (e.Outcome != client.Pending || j.now().Sub(e.Time) > lateAfter) {
		l.At = j.now().UTC()
	}
	if e := j.byID[l.ID]; e != nil {
		l.Gone = e.Gone
	}
	j.mu.Unlock()
	// the change has been made; if this fails, the intent remains without an outcome
	if err := j.writeOutcome(l, false); err != nil && j.outcomeError == nil {
		j.outcomeError = fmt.Errorf("the outcome of a change could not be written to the journal: %w", err)
	}
}

// writeOutcome writes the record of an outcome. If that fails, memory knows it all the same.
func (j *Journal) writeOutcome(l record, durable bool) error {
	err := j.write(l, durable, nil)
	if err != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.keepUnwritten(l)
	}
	return err
}

// keepUnwritten adds an outcome that could not be written.
func (s *state) keepUnwritten(l record) {
	s.unwritten[l.ID] = l
	s.apply(l, false)
}

// OutcomeError returns why the outcome of a change could not be written; nil if all were. The next run reads such a
// change as one whose outcome is unknown.
func (j *Journal) OutcomeError() error {
	j.fileMu.Lock()
	defer j.fileMu.Unlock()
	return j.outcomeError
}

// lockTimeout limits how long a line that nobody can cancel waits for the lock of the file: the change has been made.
const lockTimeout = 10 * time.Second

// write is writeWithin for at most lockTimeout.
func (j *Journal) write(l record, durable bool, check func() error) error {
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	return j.writeWithin(ctx, l, durable, check)
}

// writeWithin appends a line with a single write, so that lines of two processes do not mix, and reads it, unless a
// check fails. No other process writes between the check and the line. A nil check always succeeds.
func (j *Journal) writeWithin(ctx context.Context, l record, durable bool, check func() error) error {
	if check == nil {
		check = func() error { return nil }
	}
	if j.refusal != nil {
		return j.refusal
	}
	if j.file == nil {
		if err := check(); err != nil {
			return err
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		j.apply(l, false)
		return nil
	}
	data, err := encode(l)
	if err != nil {
		return err
	}
	if len(data) > maxLineBytes {
		return fmt.Errorf("the change is too long for the journal: %d bytes", len(data))
	}
	unlock, err := j.lockCurrent(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = os.Lstat(j.path)
	gone := errors.Is(err, fs.ErrNotExist)
	if gone && durable {
		return &GoneError{j.path}
	}
	// what others have written comes first: all programs take over the lines in the order of the file
	if err := j.catchUp(0); err != nil && durable {
		return err
	}
	if err := check(); err != nil {
		return err
	}
	if endsMidLine(j.file) {
		data = append([]byte{'\n'}, data...)
	}
	if _, err := j.file.Write(data); err != nil {
		return err
	}
	if durable {
		if err := j.file.Sync(); err != nil {
			return err
		}
	}
	if err := j.catchUp(len(data)); err != nil {
		return err
	}
	if gone {
		return &GoneError{j.path}
	}
	return nil
}

// A GoneError means that the file was removed or moved away, or its folder was, while this program was running.
type GoneError struct{ Path string }

// Error names the file.
func (e *GoneError) Error() string {
	return fmt.Sprintf("%s was removed or moved away while lookout was running; start lookout again", e.Path)
}

// encode returns a record as a line. The file may be shown in a terminal as it is.
func encode(l record) ([]byte, error) {
	data, err := json.Marshal(l)
	return append(visible.EscapeJSON(data), '\n'), err
}

// endsMidLine reports whether the last line of the file is incomplete, because the program was killed or the disk was
// full while it was written.
func endsMidLine(file logFile) bool {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	var last [1]byte
	_, err = file.ReadAt(last[:], info.Size()-1)
	return err == nil && last[0] != '\n'
}

// A LockedError means that another program kept the file locked for as long as a change could wait, so that it could
// not be recorded.
type LockedError struct {
	Path  string
	cause error
}

// Error names the file.
func (e *LockedError) Error() string { return "another program has locked " + e.Path }

// Is reports whether the user ended the wait.
func (e *LockedError) Is(target error) bool {
	return target == context.Canceled && errors.Is(e.cause, context.Canceled)
}

// lockCurrent locks the file against other processes that write. If another process has compacted the journal, it
// opens the new file first. On file systems without locks, two processes that compact at once may cost the newer file
// its place, and nothing else. While it waits for another process, it gives up fileMu.
func (j *Journal) lockCurrent(ctx context.Context) (unlock func(), err error) {
	begun, wait, said := time.Now(), time.Millisecond, false
	for reopened := 0; reopened < 100; {
		file := j.file
		switch err := filelock.Try(file); {
		case !errors.Is(err, filelock.ErrLocked) && !j.replaced():
			if err != nil { // this file system has no locks
				return func() {}, nil
			}
			return func() { filelock.Unlock(file) }, nil
		case !errors.Is(err, filelock.ErrLocked):
			filelock.Unlock(file)
			_ = j.reopen() // it may have been replaced again
			reopened++
			continue
		}
		if !said && time.Since(begun) > lockNotice && j.Locked != nil {
			said = true
			j.Locked(j.path)
		}
		j.fileMu.Unlock()
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		j.fileMu.Lock()
		if ctx.Err() != nil {
			return nil, &LockedError{j.path, context.Cause(ctx)}
		}
		wait = min(2*wait, lockPoll)
	}
	return func() {}, nil // whatever is written to the older file is found there: see readTail
}

// How long a change waits before Locked is called, and how often it looks whether the file is locked.
const (
	lockNotice = time.Second
	lockPoll   = 50 * time.Millisecond
)
