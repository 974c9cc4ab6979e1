package maintenance

import (
	"sort"
	"time"

	"lookout/client/journal"
)

// A Schedule says which windows of a journal are due, and when a failed one is tried again. It compares wall-clock
// times, so that it is right after the machine has slept. It is not safe for concurrent use.
type Schedule struct {
	attempts map[string]attempt // by intent
}

// An attempt is what was tried for a window.
type attempt struct {
	count   int
	next    time.Time // not before
	running bool
	never   bool // the user has decided to leave it
}

// longestLook is the longest time between two looks at the clock: it may jump, and other programs may change windows.
const longestLook = 10 * time.Second

// longestWait is the longest time between two attempts.
const longestWait = 5 * time.Minute

// Ends returns the windows that are to be ended now. Failed, Done or Delay must be called for each.
func (s *Schedule) Ends(j *journal.Journal, now time.Time) []journal.DisabledService {
	var due []journal.DisabledService
	for _, w := range j.DisabledServices() {
		if !w.Until.IsZero() && s.take(w.IntentID, w.Until, now) {
			due = append(due, w)
		}
	}
	sort.Slice(due, func(i, j int) bool { return due[i].Until.Before(due[j].Until) })
	return due
}

// Starts returns the planned windows that are to begin now. Failed, Done or Delay must be called for each.
func (s *Schedule) Starts(j *journal.Journal, now time.Time) []journal.PlannedMaintenance {
	var due []journal.PlannedMaintenance
	for _, w := range j.PlannedWindows() {
		if s.take(w.IntentID, w.Start, now) {
			due = append(due, w)
		}
	}
	sort.Slice(due, func(i, j int) bool { return due[i].Start.Before(due[j].Start) })
	return due
}

// take reports whether a window is due, and marks it as being worked on.
func (s *Schedule) take(intent string, at, now time.Time) bool {
	a := s.attempts[intent]
	if a.running || a.never || now.Before(at) || now.Before(a.next) && a.next.Sub(now) <= longestWait {
		return false // a wait that is longer was set before the clock was set back
	}
	a.running = true
	s.set(intent, a)
	return true
}

func (s *Schedule) set(intent string, a attempt) {
	if s.attempts == nil {
		s.attempts = map[string]attempt{}
	}
	s.attempts[intent] = a
}

// Known reports whether something was decided or tried for a window.
func (s *Schedule) Known(intent string) bool {
	_, known := s.attempts[intent]
	return known
}

// Leave takes a window off the schedule.
func (s *Schedule) Leave(intent string) { s.set(intent, attempt{never: true}) }

// Delay postpones a window to a time, so that another program can be first.
func (s *Schedule) Delay(intent string, until time.Time) { s.set(intent, attempt{next: until}) }

// Done says that a window has begun or ended.
func (s *Schedule) Done(intent string) { s.Leave(intent) }

// Failed says that a window could not be begun or ended. It returns when that is tried again.
func (s *Schedule) Failed(intent string, now time.Time) time.Time {
	a := s.attempts[intent]
	a.running = false
	a.next = now.Add(min(5*time.Second<<min(a.count, 10), longestWait))
	a.count++
	s.set(intent, a)
	return a.next
}

// NextLook returns how long to wait until windows may be due: never longer than a few seconds. It reports false if the
// journal holds no window at all.
func (s *Schedule) NextLook(j *journal.Journal, now time.Time) (time.Duration, bool) {
	wait, any := longestLook, false
	soon := func(intent string, at time.Time) {
		a := s.attempts[intent]
		if a.running || a.never {
			return
		}
		any = true
		if a.next.After(at) {
			at = a.next
		}
		wait = min(wait, at.Sub(now))
	}
	for _, w := range j.DisabledServices() {
		if !w.Until.IsZero() {
			soon(w.IntentID, w.Until)
		}
	}
	for _, w := range j.PlannedWindows() {
		soon(w.IntentID, w.Start)
	}
	return max(wait, 0), any
}
