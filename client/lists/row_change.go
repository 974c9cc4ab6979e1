package lists

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lookout/client/wording"
)

// ChangeResult is what a change did to the rows. ResultRow, ResultDeleted and ResultReload make one.
type ChangeResult[T any] struct {
	Row  T    // the row as the API returned it, if HasRow
	Warn bool // the message is a warning: reading again shows something else than was set
	// Found is what reading again told, if the answer was lost. Waiting means that further readings may tell more.
	Found   LookupResult[T]
	Waiting bool
	kind    resultKind
}

type resultKind int

const (
	rowReturned resultKind = iota + 1
	rowDeleted
	reloadNeeded
)

// ResultRow says that the API returned the new row.
func ResultRow[T any](row T, err error) (ChangeResult[T], error) {
	return ChangeResult[T]{kind: rowReturned, Row: row}, err
}

// ResultDeleted says that the row is gone.
func ResultDeleted[T any](err error) (ChangeResult[T], error) {
	return ChangeResult[T]{kind: rowDeleted}, err
}

// ResultReload says that the API returned nothing: the rows must be read again.
func ResultReload[T any](err error) (ChangeResult[T], error) {
	return ChangeResult[T]{kind: reloadNeeded}, err
}

// EraseResult returns a result without the type of its row.
func EraseResult[T any](r ChangeResult[T]) ChangeResult[any] {
	return ChangeResult[any]{Row: r.Row, Warn: r.Warn, kind: r.kind}
}

// Deleted reports whether the row is gone.
func (r ChangeResult[T]) Deleted() bool { return r.kind == rowDeleted }

// HasRow reports whether the API returned the row.
func (r ChangeResult[T]) HasRow() bool { return r.kind == rowReturned }

// RowChange is one change of one row, to be sent once.
type RowChange[T any] struct {
	RowID    string // empty for a new row
	What     string // "disable web-1"
	BusyText string // "disabling"
	DoneText string // "disabled"
	// Sets are the members that the change sets: "label"; nil if it is about the whole row.
	Sets []string
	Send func(context.Context) (ChangeResult[T], error)
	// Find tells from all rows, read again, what became of a change whose answer was lost. nil knows only that a row to
	// be deleted is gone.
	Find func(now []T) LookupResult[T]
	// ReadBack reads what the rows do not show, off the loop, and tells what became of a change whose answer was lost.
	// nil reads the rows.
	ReadBack func(context.Context) (LookupVerdict, error)
	// Shows returns the value of a row that the change is about: "ok". nil shows none.
	Shows func(T) string
	// OnOutcome runs on the loop once the outcome is known. If the answer was lost and the first reading does not tell,
	// it runs with Unknown and Result.Waiting, again when another candidate is found, and again at the end.
	OnOutcome func(AttemptOutcome, ChangeResult[T], error)
	// OnLate runs on the loop if a reading shows the change although it counts as not done. intent is its id in the
	// journal. nil stops reading after the verdict.
	OnLate func(intent string, found LookupResult[T])
	// MarksFailure is set if the row shows that the change was not made: it is one of several.
	MarksFailure bool
}

// AttemptOutcome is how a change ended.
type AttemptOutcome int

// The outcomes of a change.
const (
	Unknown  AttemptOutcome = iota // sent, no readable answer, and reading again has not told
	Applied                        // the API confirmed it, or reading again showed it
	Rejected                       // refused, or not seen for so long that it was not applied
)

// Run sends a change off the loop. The row shows its progress text until the API has answered. While a change of the
// same row is under way, nothing is sent, and Run says what the row waits for.
func (s *RowStore[T]) Run(attempt RowChange[T]) (busy error) {
	if attempt.RowID != "" {
		if s.busy[attempt.RowID] != "" {
			return errors.New("still " + s.busy[attempt.RowID] + ": wait for the response")
		}
		s.busy[attempt.RowID] = attempt.BusyText
		delete(s.changes.failed, attempt.RowID)
	}
	o := &rowChangeResult[T]{store: s, attempt: attempt, sentAt: s.Now()}
	s.Go(func() (apply func()) {
		o.result, o.err = attempt.Send(s.ctx)
		return o.answered
	})
	return nil
}

// rowChangeResult is the answer to a change.
type rowChangeResult[T any] struct {
	store   *RowStore[T]
	attempt RowChange[T]
	sentAt  time.Time
	result  ChangeResult[T]
	err     error

	candidates int // that were reported
}

// answered applies the change to the rows. If the outcome is unknown, it looks it up instead of guessing.
func (o *rowChangeResult[T]) answered() {
	switch {
	case IsUnknown(o.err):
		o.store.busy[o.attempt.RowID] = "unknown, checking"
		delete(o.store.changes.confirmed, o.attempt.RowID) // it may not be true any more
		o.store.LookUp(o.lookup())
	case o.err != nil:
		if id, gone := GoneID(o.err); gone {
			o.store.changes.confirmGone(id, o.store.Now())
			o.store.drop(id)
		}
		o.finish(Rejected)
	default:
		o.apply()
		o.finish(Applied)
	}
}

// finish reports the outcome.
func (o *rowChangeResult[T]) finish(outcome AttemptOutcome) {
	delete(o.store.busy, o.attempt.RowID)
	if outcome == Rejected && o.attempt.MarksFailure {
		o.store.changes.fail(o.attempt.RowID, failure{o.store.Now(), o.attempt.DoneText, wording.Reason(o.err)})
	}
	if o.attempt.OnOutcome != nil {
		o.attempt.OnOutcome(outcome, o.result, o.err)
	}
}

// apply changes the rows. A read under way starts again, so that an answer from before the change cannot undo it. Lists
// may be behind for a while: see confirmation.
func (o *rowChangeResult[T]) apply() {
	s := o.store
	readAgain := s.reading.cancel != nil
	id := o.attempt.RowID
	switch o.result.kind {
	case rowReturned:
		id = s.source.ID(o.result.Row)
		s.rows.Put(id, o.result.Row)
		delete(s.absent, id)
	case rowDeleted:
		s.rows.Drop(id)
		s.version.layout++
	case reloadNeeded:
		readAgain = true
	}
	s.Highlights.Add(id)
	s.changes.supersede(o.attempt.RowID, o.attempt.Sets)
	s.changes.confirm(id, o)
	s.version.rowsChanged()
	if readAgain {
		s.Refresh()
	}
}

// lookup finds out how the change ended, from the rows of the store.
func (o *rowChangeResult[T]) lookup() *OutcomeLookup {
	s := o.store
	l := &OutcomeLookup{
		RowID:     o.attempt.RowID,
		Sets:      o.attempt.Sets,
		What:      o.attempt.What,
		SentAt:    o.sentAt,
		OnWaiting: o.waiting,
		OnVerdict: o.verdict,
	}
	var recorded interface{ IntentID() string }
	if errors.As(o.err, &recorded) {
		l.Intent = recorded.IntentID()
	}
	if o.attempt.OnLate != nil && l.Intent != "" {
		l.OnLate = func() { o.attempt.OnLate(l.Intent, o.result.Found) }
	}
	if o.attempt.ReadBack != nil {
		l.Read = func(ctx context.Context) (func() LookupVerdict, error) {
			v, err := o.attempt.ReadBack(ctx)
			return func() LookupVerdict { return v }, err
		}
		return l
	}
	if o.attempt.Find == nil && o.result.kind != rowDeleted {
		return l
	}
	l.Judge = func() LookupVerdict { return o.find(s.Rows(), len(s.answers.missing) == 0) }
	l.Read = func(ctx context.Context) (func() LookupVerdict, error) {
		page, err := readAll(ctx, s.source)
		return func() LookupVerdict {
			absorb(s, page)
			return o.find(page.Rows, len(page.Missing) == 0)
		}, err
	}
	return l
}

// LookUp finds out how a change ended whose answer was lost.
func (s *RowStore[T]) LookUp(l *OutcomeLookup) {
	s.changes.lookups = append(s.changes.lookups, l)
	l.start(s.ctx, s, s.Now)
}

// Lookups returns the lookups of changes whose outcome is not known, and of those that may still arrive although they
// count as not done.
func (s *RowStore[T]) Lookups() []*OutcomeLookup {
	s.changes.lookups = slices.DeleteFunc(
		s.changes.lookups, func(l *OutcomeLookup) bool { return !l.Unsettled() && !l.NotSeen },
	)
	return slices.Clone(s.changes.lookups)
}

// waiting reports that the readings so far do not tell: after the first one, and when there are more candidates.
func (o *rowChangeResult[T]) waiting() {
	if o.result.Waiting && len(o.result.Found.Candidates) <= o.candidates {
		return
	}
	o.result.Waiting, o.candidates = true, len(o.result.Found.Candidates)
	o.finish(Unknown)
}

// find tells what rows show of the change. If rows may be missing among them, a missing row tells nothing.
func (o *rowChangeResult[T]) find(rows []T, complete bool) LookupVerdict {
	s := o.store
	if o.attempt.Find == nil {
		row, held := rowWithID(s, rows, o.attempt.RowID)
		o.result.Found = FoundIf(!held, row)
		if !held && (!complete || s.changes.justMade(o.attempt.RowID)) {
			o.result.Found = LookupResult[T]{}
		}
		return o.result.Found.Verdict
	}
	o.result.Found = o.attempt.Find(s.changes.withoutOwn(s, o, rows))
	if o.result.Found.Verdict == NotSeen && !complete {
		return CannotTell
	}
	return o.result.Found.Verdict
}

// rowWithID returns the row with an identity.
func rowWithID[T any](s *RowStore[T], rows []T, id string) (row T, held bool) {
	for _, row = range rows {
		if s.source.ID(row) == id {
			return row, true
		}
	}
	var none T
	return none, false
}

// verdict reports what reading again has told.
func (o *rowChangeResult[T]) verdict(outcome AttemptOutcome) {
	settleRecord(o.err, outcome)
	o.result.Waiting = false
	id := o.attempt.RowID
	switch {
	case outcome == Rejected:
		o.err = &notAppliedError{wording.UnknownReason(o.err)}
	case outcome == Applied && o.attempt.Find != nil:
		o.result.Row, o.result.kind = o.result.Found.Row, rowReturned
		id = o.store.source.ID(o.result.Row)
		if o.store.changes.confirmed[id].kind != rowDeleted { // since, and the reading was behind
			o.store.changes.confirm(id, o)
		}
	case outcome == Applied:
		o.store.changes.confirm(id, o)
		if o.result.kind == rowDeleted {
			o.store.drop(id)
		}
	}
	if outcome == Applied {
		o.store.Highlights.Add(id)
	}
	o.finish(outcome)
}

// notAppliedError is the error of a change whose answer left the outcome open, and that was not applied.
type notAppliedError struct{ answer string }

// Error returns what was found, and what came instead of an answer.
func (e *notAppliedError) Error() string {
	text := "not done: not seen in 2 min of checking"
	if e.answer == "" {
		return text
	}
	return text + " (" + e.answer + ")"
}

// settleRecord tells whoever keeps a record of the change how it ended.
func settleRecord(err error, outcome AttemptOutcome) {
	var s interface{ Settle(done bool) }
	if outcome != Unknown && errors.As(err, &s) {
		s.Settle(outcome == Applied)
	}
}

// GoneID returns the id of what an error says no longer exists: of a row, or of what a pane shows.
func GoneID(err error) (id string, gone bool) {
	var g interface{ GoneID() string }
	if !errors.As(err, &g) {
		return "", false
	}
	return g.GoneID(), true
}

// IsUnknown reports whether an error leaves open whether the change was applied.
func IsUnknown(err error) bool {
	var u interface{ Unknown() bool }
	return errors.As(err, &u) && u.Unknown()
}

// A list may be behind a change that the API has confirmed. It has caught up once complete reads have agreed with the
// change for agreedFor. Until then the change counts, and for a row without a later Updated that disagrees longer than
// believedAfter, the list: somebody else may have changed it again.
const (
	agreedFor     = 30 * time.Second
	believedAfter = 10 * time.Minute
)

// changes is what a store knows of changes that its rows may not show.
type changes[T any] struct {
	lookups   []*OutcomeLookup           // changes whose answer was lost
	confirmed map[string]confirmation[T] // by row ID: changes that lists may be behind
	own       map[string]bool            // by row ID: rows that this program has made
	failed    map[string]failure         // by row ID: the last change of the row, if it was not made
}

// A failure is a change of a row that was not made.
type failure struct {
	at   time.Time
	text string // what was not done: "disabled"
	why  string
}

// showFailure is for how long a row shows that it was not changed, unless it is changed again.
const showFailure = 10 * time.Minute

// fail notes that a row was not changed.
func (c *changes[T]) fail(id string, f failure) {
	if c.failed == nil {
		c.failed = map[string]failure{}
	}
	c.failed[id] = f
}

// A confirmation is a change that the API has confirmed, as long as lists may be behind it.
type confirmation[T any] struct {
	at     time.Time
	row    T
	kind   resultKind
	made   bool           // the change made the row
	text   string         // "disabled"
	agrees func(T) bool   // whether a row of a list shows the change
	shows  func(T) string // the value that the change is about
	behind string         // what the last list said instead; "" if it agreed
	agreed time.Time      // since when lists have agreed; zero if the last one did not
}

// supersede ends the lookups of earlier changes of a row that a change of some members hides.
func (c *changes[T]) supersede(id string, sets []string) {
	for _, l := range c.lookups {
		if l.RowID == id && id != "" && Supersedes(sets, l.Sets) && (l.Unsettled() || l.NotSeen) {
			l.supersede()
		}
	}
}

// confirm notes a change that the API, or a reading, has confirmed.
func (c *changes[T]) confirm(id string, o *rowChangeResult[T]) {
	if delete(c.confirmed, id); o.result.kind == reloadNeeded {
		return
	}
	if c.confirmed == nil {
		c.confirmed = map[string]confirmation[T]{}
	}
	// where an identity can be used again, the API may have answered with a row that was there before
	if o.attempt.RowID == "" && o.store.source.Created == nil {
		if c.own == nil {
			c.own = map[string]bool{}
		}
		c.own[id] = true
	}
	find := o.attempt.Find
	c.confirmed[id] = confirmation[T]{
		at:    o.store.Now(),
		row:   o.result.Row,
		kind:  o.result.kind,
		made:  o.attempt.RowID == "",
		text:  o.attempt.DoneText,
		shows: o.attempt.Shows,
		agrees: func(row T) bool {
			return find == nil || find([]T{row}).Verdict == SeenAsWanted
		},
	}
}

// keep corrects rows that a list has brought: a list that is behind a confirmed change does not undo it. If the list is
// complete, a missing row is gone.
func (c *changes[T]) keep(s *RowStore[T], list RowContainer[T], complete bool) {
	for id, k := range c.confirmed {
		i, listed := list.Index(id)
		k.behind = ""
		switch {
		case k.kind == rowDeleted && listed && c.isReused(s, k, list.At(i)):
			delete(c.confirmed, id)
			continue
		case k.kind == rowDeleted && listed:
			k.behind = "the list still shows it"
		case k.kind == rowReturned && listed:
			list.Put(id, c.newer(s, id, list.At(i)))
			if k, listed = c.confirmed[id]; !listed {
				continue
			}
		case k.kind == rowReturned && k.made && complete && s.Now().Sub(k.at) < believedAfter:
			list.Append([]T{k.row})
			k.behind = "the list does not show it yet"
		}
		switch {
		case k.behind != "":
			k.agreed = time.Time{}
		case !complete && !listed:
		case k.agreed.IsZero():
			k.agreed = s.Now()
		case s.Now().Sub(k.agreed) >= agreedFor:
			delete(c.confirmed, id)
			continue
		}
		c.confirmed[id] = k
	}
}

// isReused reports whether a listed row is not the one that was deleted, but a later one with the same identity.
func (c *changes[T]) isReused(s *RowStore[T], k confirmation[T], row T) bool {
	return s.source.Created != nil && s.source.Created(row).After(k.at)
}

// newer returns a row that was read, or the row as the API confirmed it if what was read is behind.
func (c *changes[T]) newer(s *RowStore[T], id string, read T) T {
	k, held := c.confirmed[id]
	if !held || k.kind != rowReturned {
		return read
	}
	k.behind = ""
	older, later := false, false
	if s.source.Updated != nil {
		was, is := s.source.Updated(k.row), s.source.Updated(read)
		older, later = is.Before(was), is.After(was)
	}
	if later || k.made || k.agrees(read) {
		c.confirmed[id] = k
		return read
	}
	if !older && s.Now().Sub(k.at) >= believedAfter {
		delete(c.confirmed, id)
		return read
	}
	k.behind = "the list still has the old values"
	if k.shows != nil {
		k.behind = "the list still says " + k.shows(read)
	}
	c.confirmed[id] = k
	return k.row
}

// justMade reports whether a row was made a moment ago, so that a list without it may be behind.
func (c *changes[T]) justMade(id string) bool { return c.confirmed[id].made }

// withoutOwn returns rows without those that are known to come from other changes of this program.
func (c *changes[T]) withoutOwn(s *RowStore[T], o *rowChangeResult[T], rows []T) []T {
	if o.attempt.RowID != "" || len(c.own) == 0 {
		return rows
	}
	return slices.DeleteFunc(slices.Clone(rows), func(row T) bool { return c.own[s.source.ID(row)] })
}

// note returns what must be known of a row.
func (c *changes[T]) note(id string, now time.Time) string {
	for _, l := range c.lookups {
		if l.RowID == id && id != "" && l.Unsettled() {
			return l.note(now)
		}
	}
	if k := c.confirmed[id]; k.behind != "" {
		return fmt.Sprintf("%s %s ago; %s", k.text, wording.FormatAge(now.Sub(k.at)), k.behind)
	}
	if f, failed := c.failed[id]; failed && now.Sub(f.at) < showFailure {
		return fmt.Sprintf("not %s %s ago: %s", f.text, wording.FormatAge(now.Sub(f.at)), f.why)
	}
	return ""
}

// DeletedNote says that a row was deleted although a list still shows it: "deleted 12 s ago; the list still shows it".
// It is "" for any other row.
func DeletedNote[T any](s *RowStore[T], id string) string {
	if s.changes.confirmed[id].kind != rowDeleted {
		return ""
	}
	return s.changes.note(id, s.Now())
}

// MarkDeleted notes that a row was deleted at a time, by a change that another run or another program has made: it is
// marked if a list still shows it. done is what was done: "revoked".
func (s *RowStore[T]) MarkDeleted(id string, at time.Time, done string) {
	c := &s.changes
	if _, held := c.confirmed[id]; held {
		return
	}
	if c.confirmed == nil {
		c.confirmed = map[string]confirmation[T]{}
	}
	k := confirmation[T]{at: at, kind: rowDeleted, text: done}
	if row, listed := s.Get(id); listed && !c.isReused(s, k, row) {
		k.behind = "the list still shows it"
	}
	c.confirmed[id] = k
	s.version.rowsChanged()
}

// confirmGone notes that the API no longer has a row.
func (c *changes[T]) confirmGone(id string, now time.Time) {
	if c.confirmed == nil {
		c.confirmed = map[string]confirmation[T]{}
	}
	c.confirmed[id] = confirmation[T]{at: now, kind: rowDeleted, text: "not found"}
}

// sight decides the changes whose answer was lost if the rows of the store show what they wanted.
func (c *changes[T]) sight() {
	for _, l := range slices.Clone(c.lookups) {
		l.sight()
	}
}
