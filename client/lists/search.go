package lists

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lookout/client/wording"
)

// agreeFor is the time over which readings must agree that a change is not there, before it counts as not done: a
// change may arrive a minute late, and be read from a replica that is another minute behind.
const agreeFor = 125 * time.Second

// lookupTimes are the times after the answer was lost at which the rows are read again. After them the waits grow up
// to maxLookupWait, until the readings tell.
var lookupTimes = [...]time.Duration{
	0, 5 * time.Second, 15 * time.Second, 30 * time.Second, 60 * time.Second, 90 * time.Second, agreeFor,
	agreeFor + 5*time.Second,
}

const maxLookupWait = 5 * time.Minute

// A Search finds out what became of a change whose answer was lost, by reading again and again. A reading that shows
// what the change wanted decides at once; that it was not done takes agreeing readings over agreeFor. A failed reading
// decides nothing.
type Search[T any] struct {
	// Judge tells from rows what became of the change. nil if they do not show it.
	Judge func(rows []T) LookupResult[T]
	// Read reads once, off the loop, what the change is about; judge runs on the loop and tells what was read. nil
	// reads all rows of the store.
	Read func(context.Context) (judge func() LookupResult[T], err error)
	// Hidden reports, off the loop, whether a later change hides this one, so that nothing can be told. nil is no.
	Hidden func() bool
}

// lookup is how far the search for the outcome of a change is.
type lookup struct {
	lostAt        time.Time // zero if the answer was not lost
	agreeingSince time.Time // beginning of the first of the readings that agree; zero if the last one did not
	readings      int
	candidates    int  // that were reported
	ambiguous     bool // the last reading could not tell
	over          bool
	superseded    bool // a later change of the row was applied
}

// LookUp finds out how a change ended whose answer was lost.
func (s *RowStore[T]) LookUp(c *Change[T]) {
	s.changes.lookups = append(s.changes.lookups, c)
	c.store, c.reading = s, lookup{lostAt: s.Now()}
	switch {
	case c.NotSeen:
		c.reading.over, c.Outcome = true, Rejected
	case !c.isReadable():
		c.conclude(Unknown)
	}
	c.ReadNow()
}

// isReadable reports whether the API returns what was changed.
func (c *Change[T]) isReadable() bool { return c.Search.Judge != nil || c.Search.Read != nil }

// Lookups returns the changes whose outcome is not known, and those that may still arrive although they count as not
// done.
func (s *RowStore[T]) Lookups() []*Change[T] {
	s.changes.lookups = slices.DeleteFunc(
		s.changes.lookups, func(c *Change[T]) bool { return !c.Unsettled() && !c.NotSeen },
	)
	return slices.Clone(s.changes.lookups)
}

// An OpenChange is a change whose outcome is looked for, of a row of any type.
type OpenChange interface {
	Waiting() bool
	Known() string
	Text(now time.Time) string
	ReadNow()
	Settle(AttemptOutcome)
}

// OpenChanges returns the lookups of the change of an id in the journal: a second one may have been started after the
// first could not tell.
func (s *RowStore[T]) OpenChanges(intent string) (open []OpenChange) {
	for _, c := range s.Lookups() {
		if c.Intent == intent {
			open = append(open, c)
		}
	}
	return open
}

// Waiting reports whether the answer was lost and readings may still tell how the change ended.
func (c *Change[T]) Waiting() bool { return !c.reading.lostAt.IsZero() && !c.reading.over }

// Unsettled reports whether it is not known how the change ended, so that sending it again may do it twice.
func (c *Change[T]) Unsettled() bool {
	return !c.reading.superseded && (!c.reading.over || c.Outcome == Unknown)
}

// Text says what is known: "disable web-1, sent 12 s ago: not seen yet; it may still take effect".
func (c *Change[T]) Text(now time.Time) string {
	return c.sent(now) + ": " + c.Known()
}

// note says the same at a row, where the end may be cut off: "not seen yet; it may still take effect · disable web-1".
func (c *Change[T]) note(now time.Time) string { return c.Known() + " · " + c.sent(now) }

// sent says what was sent and when.
func (c *Change[T]) sent(now time.Time) string {
	return fmt.Sprintf("%s, sent %s ago", c.What, wording.FormatAge(now.Sub(c.SentAt)))
}

// Known says what is known of the outcome: "not seen yet; it may still take effect".
func (c *Change[T]) Known() string {
	if c.Waiting() && !c.reading.ambiguous {
		return NotSeenYet
	}
	return NotKnown
}

// NotSeenYet says what is known of a change whose answer was lost until a reading tells.
const NotSeenYet = "not seen yet; it may still take effect"

// NotKnown is what is known of a change whose answer was lost if readings cannot tell.
const NotKnown = "not known whether it was done"

// SeenByReading is what the message adds if the answer to a change was lost and reading again showed what it wanted.
const SeenByReading = "a later read shows it; " + OwnerNotKnown

// OwnerNotKnown is what readings do not tell of a change that they show: a colleague may have made the same one.
const OwnerNotKnown = "who made the change is not known"

// CannotTellText says that readings do not tell how a change ended.
const CannotTellText = NotKnown + " · look at it, then press x in the journal"

// ErrUnreadable is the error of a reading if the API does not return what was changed: further readings are of no use.
var ErrUnreadable = errors.New("the API does not return it")

// ReadNow reads at once, beside the readings that are due.
func (c *Change[T]) ReadNow() {
	if !c.isReadable() || c.reading.over && !c.NotSeen {
		return
	}
	s, began := c.store, c.store.Now()
	s.Go(func() (apply func()) {
		judge, err := c.read(s.ctx)
		return func() { c.hasRead(began, judge, err) }
	})
}

// read reads what the change is about, off the loop. judge runs on the loop.
func (c *Change[T]) read(ctx context.Context) (judge func() LookupVerdict, err error) {
	if c.Search.Hidden != nil && c.Search.Hidden() {
		return func() LookupVerdict {
			c.Found = LookupResult[T]{Text: "it has been changed again since"}
			return c.Found.Verdict
		}, nil
	}
	if c.Search.Read != nil {
		found, err := c.Search.Read(ctx)
		return func() LookupVerdict {
			c.Found = found()
			return c.Found.Verdict
		}, err
	}
	page, err := readAll(ctx, c.store.source)
	return func() LookupVerdict {
		absorb(c.store, page)
		return c.find(page.Rows, len(page.Missing) == 0)
	}, err
}

// find tells what rows show of the change. If rows may be missing among them, a missing row tells nothing.
func (c *Change[T]) find(rows []T, complete bool) LookupVerdict {
	changes := &c.store.changes
	c.Found = c.Search.Judge(changes.withoutOwn(c.store, c, rows))
	v := c.Found.Verdict
	if v == NotSeen && !complete || c.Found.Gone && (!complete || changes.justMade(c.RowID)) {
		return CannotTell
	}
	return v
}

// hasRead decides from a reading, or waits for the next one.
func (c *Change[T]) hasRead(began time.Time, judge func() LookupVerdict, err error) {
	l := &c.reading
	switch {
	case c.store.ctx.Err() != nil || l.over && !c.NotSeen:
		return
	case c.NotSeen && err == nil && judge().seen():
		c.arrivedLate()
		return
	case c.NotSeen:
		c.waitForLate()
		return
	}
	l.readings++
	if errors.Is(err, ErrUnreadable) {
		judge()
		c.conclude(Unknown)
		return
	}
	if err == nil {
		if outcome, decided := l.decide(judge(), began); decided {
			c.conclude(outcome)
			return
		}
	}
	if !c.Answered || len(c.Found.Candidates) > l.candidates {
		l.candidates = len(c.Found.Candidates)
		c.report(Unknown)
	}
	if !l.over {
		c.wait()
	}
}

// decide returns the outcome that a reading leads to, if any.
func (l *lookup) decide(v LookupVerdict, began time.Time) (outcome AttemptOutcome, decided bool) {
	l.ambiguous = v == CannotTell || v == SeenCandidates
	switch v {
	case SeenAsWanted:
		return Applied, true
	case NotSeen:
		if l.agreeingSince.IsZero() {
			l.agreeingSince = began
		}
		return Rejected, began.Sub(l.agreeingSince) >= agreeFor
	}
	l.agreeingSince = time.Time{}
	return Unknown, began.Sub(l.lostAt) >= agreeFor
}

// wait waits for the time of the next reading.
func (c *Change[T]) wait() {
	l, wait := &c.reading, time.Duration(0)
	if l.readings < len(lookupTimes) {
		wait = max(l.lostAt.Add(lookupTimes[l.readings]).Sub(c.store.Now()), time.Second)
	} else {
		wait = min(time.Duration(l.readings-len(lookupTimes)+1)*10*time.Second, maxLookupWait)
	}
	c.store.After(wait, c.ReadNow)
}

// sight decides the change if rows that were read for another reason show what it wanted.
func (c *Change[T]) sight() {
	if c.Search.Judge == nil || c.reading.over && !c.NotSeen && !c.Unsettled() {
		return
	}
	switch v := c.find(c.store.Rows(), len(c.store.answers.missing) == 0); {
	case c.NotSeen && v.seen():
		c.arrivedLate()
	case v != SeenAsWanted || c.reading.over && !c.Unsettled():
	case c.Search.Hidden == nil:
		c.conclude(Applied)
	default:
		found := c.Found
		c.store.Go(func() (apply func()) {
			if c.Search.Hidden() {
				return nil // a later change may have done what the rows show
			}
			return func() {
				if c.store.ctx.Err() == nil && (!c.reading.over || c.Unsettled()) {
					c.Found = found // another reading may have come meanwhile
					c.conclude(Applied)
				}
			}
		})
	}
}

// watchLateFor is for how long after it was sent a change is looked for that readings did not show.
const watchLateFor = 24 * time.Hour

// waitForLate waits for the next reading of a change that counts as not done.
func (c *Change[T]) waitForLate() {
	if c.NotSeen = c.OnLate != nil && c.store.Now().Sub(c.SentAt) < watchLateFor; c.NotSeen {
		c.store.After(maxLookupWait, c.ReadNow)
	}
}

// arrivedLate reports that the change was seen although it counts as not done. It is not known any more whether it was:
// since that verdict, somebody else may have done the same.
func (c *Change[T]) arrivedLate() {
	c.Settle(Unknown)
	c.OnLate(c)
}

// ArrivedLate says what is known of a change that was seen although it counted as not done.
const ArrivedLate = "it arrived late, or somebody else made the same change"

// Settle ends the lookup with an outcome that became known in another way.
func (c *Change[T]) Settle(outcome AttemptOutcome) {
	c.reading.over, c.NotSeen, c.Outcome = true, false, outcome
}

// Supersedes reports whether a change of a row hides an earlier one, so that the row tells nothing about that one any
// more: it has set one of the same members, or removed or replaced the row. nil members are the whole row.
func Supersedes(later, earlier []string) bool {
	return later == nil || slices.ContainsFunc(later, func(member string) bool {
		return slices.Contains(earlier, member)
	})
}

// supersede ends the lookup because a later change that hides this one was applied.
func (c *Change[T]) supersede() { c.reading.over, c.NotSeen, c.reading.superseded = true, false, true }

// conclude ends the lookup and reports what reading again has told.
func (c *Change[T]) conclude(outcome AttemptOutcome) {
	s := c.store
	if c.Settle(outcome); outcome == Rejected {
		c.waitForLate()
	}
	settleRecord(c.Err, outcome)
	id := c.RowID
	switch {
	case outcome == Rejected && c.Err != nil:
		c.Err = &notAppliedError{wording.UnknownReason(c.Err)}
	case outcome == Applied && c.Found.Gone:
		c.Result.kind = rowDeleted
		s.changes.confirm(id, c)
		s.drop(id)
	case outcome == Applied && c.Search.Judge != nil:
		c.Result.Row, c.Result.kind = c.Found.Row, rowReturned
		id = s.source.ID(c.Result.Row)
		if s.changes.confirmed[id].kind != rowDeleted { // since, and the reading was behind
			s.changes.confirm(id, c)
		}
	}
	if outcome == Applied {
		s.Highlights.Add(id)
	}
	c.report(outcome)
}
