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

// An OutcomeLookup finds out how a change ended whose answer was lost, by reading again and again. A reading that
// shows what the change wanted decides at once; that it was not done takes agreeing readings over agreeFor. A failed
// reading decides nothing.
type OutcomeLookup struct {
	RowID  string   // the row that was changed; "" for one that is being made
	Sets   []string // the members that were set; nil if the change is about the whole row
	Intent string   // the change in the journal; "" if it has none
	What   string   // "disable web-1"
	SentAt time.Time
	// Read reads once, off the loop; judge runs on the loop and tells what was read. nil means that the API does not
	// return what was changed.
	Read func(context.Context) (judge func() LookupVerdict, err error)
	// Judge tells from rows that were read for another reason; only SeenAsWanted counts. It may be nil.
	Judge func() LookupVerdict
	// OnWaiting runs on the loop after each reading that has not decided. It may be nil.
	OnWaiting func()
	// OnVerdict runs on the loop once: Applied, Rejected, or Unknown if reading again cannot tell.
	OnVerdict func(AttemptOutcome)
	// OnLate runs on the loop once if a reading shows the change after the verdict that it was not done. While it is
	// set, readings go on after that verdict. nil stops reading.
	OnLate  func()
	NotSeen bool   // the verdict is that it was not done: only what arrives late is looked for
	Reason  string // what the last reading found, in words; set by judge

	ctx           context.Context
	loop          Executor
	now           func() time.Time
	lostAt        time.Time
	agreeingSince time.Time // beginning of the first of the readings that agree; zero if the last one did not
	readings      int
	ambiguous     bool // the last reading could not tell
	over          bool
	outcome       AttemptOutcome
	superseded    bool // a later change of the row was applied
}

// start begins to read.
func (l *OutcomeLookup) start(ctx context.Context, loop Executor, now func() time.Time) {
	l.ctx, l.loop, l.now, l.lostAt = ctx, loop, now, now()
	switch {
	case l.NotSeen:
		l.over, l.outcome = true, Rejected
	case l.Read == nil:
		l.finish(Unknown)
	}
	l.ReadNow()
}

// Waiting reports whether readings may still tell how the change ended.
func (l *OutcomeLookup) Waiting() bool { return !l.over }

// Unsettled reports whether it is not known how the change ended, so that sending it again may do it twice.
func (l *OutcomeLookup) Unsettled() bool { return !l.superseded && (!l.over || l.outcome == Unknown) }

// Text says what is known: "disable web-1, sent 12 s ago: not seen yet; it may still take effect".
func (l *OutcomeLookup) Text(now time.Time) string {
	return l.sent(now) + ": " + l.Known()
}

// note says the same at a row, where the end may be cut off: "not seen yet; it may still take effect · disable web-1".
func (l *OutcomeLookup) note(now time.Time) string { return l.Known() + " · " + l.sent(now) }

// sent says what was sent and when.
func (l *OutcomeLookup) sent(now time.Time) string {
	return fmt.Sprintf("%s, sent %s ago", l.What, wording.FormatAge(now.Sub(l.SentAt)))
}

// Known says what is known of the outcome: "not seen yet; it may still take effect".
func (l *OutcomeLookup) Known() string {
	if l.Waiting() && !l.ambiguous {
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
func (l *OutcomeLookup) ReadNow() {
	if l.Read == nil || l.over && !l.NotSeen {
		return
	}
	began := l.now()
	l.loop.Go(func() (apply func()) {
		judge, err := l.Read(l.ctx)
		return func() { l.conclude(began, judge, err) }
	})
}

// conclude decides from a reading, or waits for the next one.
func (l *OutcomeLookup) conclude(began time.Time, judge func() LookupVerdict, err error) {
	switch {
	case l.ctx.Err() != nil || l.over && !l.NotSeen:
		return
	case l.NotSeen && err == nil && judge().seen():
		l.arrivedLate()
		return
	case l.NotSeen:
		l.waitForLate()
		return
	}
	l.readings++
	if errors.Is(err, ErrUnreadable) {
		l.finish(Unknown)
		return
	}
	if err == nil {
		if outcome, decided := l.decide(judge(), began); decided {
			l.finish(outcome)
			return
		}
	}
	if l.OnWaiting != nil {
		l.OnWaiting()
	}
	l.wait()
}

// decide returns the outcome that a reading leads to, if any.
func (l *OutcomeLookup) decide(v LookupVerdict, began time.Time) (outcome AttemptOutcome, decided bool) {
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
func (l *OutcomeLookup) wait() {
	var wait time.Duration
	if l.readings < len(lookupTimes) {
		wait = max(l.lostAt.Add(lookupTimes[l.readings]).Sub(l.now()), time.Second)
	} else {
		wait = min(time.Duration(l.readings-len(lookupTimes)+1)*10*time.Second, maxLookupWait)
	}
	l.loop.After(wait, l.ReadNow)
}

// sight decides the change if rows that were read for another reason show what it wanted.
func (l *OutcomeLookup) sight() {
	if l.Judge == nil || l.over && !l.NotSeen && !l.Unsettled() {
		return
	}
	switch v := l.Judge(); {
	case l.NotSeen && v.seen():
		l.arrivedLate()
	case (!l.over || l.Unsettled()) && v == SeenAsWanted:
		l.finish(Applied)
	}
}

// watchLateFor is for how long after it was sent a change is looked for that readings did not show.
const watchLateFor = 24 * time.Hour

// waitForLate waits for the next reading of a change that counts as not done.
func (l *OutcomeLookup) waitForLate() {
	if l.NotSeen = l.OnLate != nil && l.now().Sub(l.SentAt) < watchLateFor; l.NotSeen {
		l.loop.After(maxLookupWait, l.ReadNow)
	}
}

// arrivedLate reports that the change was seen although it counts as not done. It is not known any more whether it was:
// since that verdict, somebody else may have done the same.
func (l *OutcomeLookup) arrivedLate() {
	l.Settle(Unknown)
	l.OnLate()
}

// ArrivedLate says what is known of a change that was seen although it counted as not done.
const ArrivedLate = "it arrived late, or somebody else made the same change"

// Settle ends the lookup with an outcome that became known in another way.
func (l *OutcomeLookup) Settle(outcome AttemptOutcome) {
	l.over, l.NotSeen, l.outcome = true, false, outcome
}

// Supersedes reports whether a change of a row hides an earlier one, so that the row tells nothing about that one any
// more: it has set one of the same members, or removed or replaced the row. nil members are the whole row.
func Supersedes(later, earlier []string) bool {
	return later == nil || slices.ContainsFunc(later, func(member string) bool {
		return slices.Contains(earlier, member)
	})
}

// supersede ends the lookup because a later change that hides this one was applied.
func (l *OutcomeLookup) supersede() { l.over, l.NotSeen, l.superseded = true, false, true }

// finish ends the lookup.
func (l *OutcomeLookup) finish(outcome AttemptOutcome) {
	if l.Settle(outcome); outcome == Rejected {
		l.waitForLate()
	}
	l.OnVerdict(outcome)
}
