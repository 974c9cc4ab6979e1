package journal

import (
	"slices"
	"sort"
	"time"

	"lookout/client"
)

// otherProcessTimeout is how long another process may take to record an outcome before it is assumed to have ended.
const otherProcessTimeout = 2 * time.Minute

// Unresolved reports whether nobody knows how a change ended: its outcome is unknown, or another run ended before the
// answer arrived.
func (j *Journal) Unresolved(e Entry) bool {
	return e.Outcome == client.Unknown ||
		e.Outcome == client.Pending && !j.FromThisRun(e) &&
			!(e.byOtherProcess && j.now().Sub(e.lastRecord()) < otherProcessTimeout)
}

// Resolved reports whether it is known how the change of an id ended. It knows nothing of older changes, which memory
// does not hold.
func (j *Journal) Resolved(id string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	e := j.byID[id]
	return e != nil && !j.Unresolved(*e)
}

// lastRecord returns when something was last recorded of a change that has no outcome.
func (e *Entry) lastRecord() time.Time {
	if e.Deletion != nil && e.Deletion.At.After(e.Time) {
		return e.Deletion.At
	}
	return e.Time
}

// MayArriveFor is for how long after it was sent a change may still arrive that is recorded as not done because
// readings did not show it.
const MayArriveFor = 24 * time.Hour

// MayArrive reports whether the change is recorded as not done because readings did not show it, and may still arrive:
// for a day.
func (e Entry) MayArrive(now time.Time) bool {
	return e.Outcome == client.Rejected && e.ByReading && now.Sub(e.Time) < MayArriveFor
}

// unresolvedMemo is what UnresolvedEntries returned last.
type unresolvedMemo struct {
	entries []Entry
	version int
	until   time.Time // when a change becomes unresolved although nothing is recorded; zero is never
	known   bool
}

// UnresolvedEntries returns the changes since a time whose outcome nobody knows, newest first. It is cheap: a frame may
// ask. The caller must not change the rows.
func (j *Journal) UnresolvedEntries(since time.Time) []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	m, now := &j.unresolved, j.now()
	if !m.known || m.version != j.version || !m.until.IsZero() && !now.Before(m.until) {
		*m = unresolvedMemo{version: j.version, known: true}
		for _, e := range slices.Backward(j.entries) {
			end := e.lastRecord().Add(otherProcessTimeout)
			if j.Unresolved(*e) {
				m.entries = append(m.entries, *e)
			} else if e.Outcome == client.Pending && e.byOtherProcess && (m.until.IsZero() || end.Before(m.until)) {
				m.until = end
			}
		}
		sort.SliceStable(m.entries, func(i, j int) bool { return m.entries[j].Time.Before(m.entries[i].Time) })
	}
	n, _ := slices.BinarySearchFunc(m.entries, since, func(e Entry, since time.Time) int {
		if e.Time.Before(since) {
			return 1
		}
		return -1
	})
	return slices.Clip(m.entries[:n])
}

// Unfinished returns the changes of an operation that earlier runs did not finish: the last one of each path, if its
// outcome is missing or unknown.
func (j *Journal) Unfinished(op string) []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.markSuperseded()
	var unfinished []Entry
	for _, e := range j.entries {
		open := e.Outcome == client.Pending || e.Outcome == client.Unknown
		if e.Change.Op == op && open && !e.superseded && !j.FromThisRun(*e) {
			unfinished = append(unfinished, *e)
		}
	}
	return unfinished
}
