package lists

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lookout/client"
	"lookout/client/wording"
)

// ChangeResult is what a change did to the rows. ResultRow, ResultDeleted and ResultReload make one.
type ChangeResult[T any] struct {
	Row  T    // the row as the API returned it, if HasRow
	Warn bool // the message is a warning: reading again shows something else than was set
	kind resultKind
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

// A Change is one change of a row, from its intent to its outcome: one that Run sends once, or one from the journal
// that LookUp looks for.
type Change[T any] struct {
	RowID    string // empty for a new row
	Row      T      // as it was before
	Intent   string // its id in the journal; "" if it has none
	What     string // "disable web-1"
	BusyText string // "disabling"
	DoneText string // "disabled"
	// Sets are the members that the change sets: "label"; nil if it is about the whole row.
	Sets   []string
	SentAt time.Time
	// Send sends it, off the loop; nil if it was sent before.
	Send   func(context.Context) (ChangeResult[T], error)
	Search Search[T]
	// Shows returns the value of a row that the change is about: "ok". nil shows none.
	Shows func(T) string
	// OnOutcome runs on the loop once the outcome is known. If the answer was lost and the first reading does not tell,
	// it runs with Unknown while the change is Waiting, again when another candidate is found, and again at the end.
	OnOutcome func(*Change[T])
	// OnLate runs on the loop if a reading shows the change although it counts as not done. nil stops reading after the
	// verdict.
	OnLate func(*Change[T])
	// MarksFailure is set if the row is to show a failure of this change, because it is one of several.
	MarksFailure bool
	// NotSeen is set while it counts as not done because readings did not show it: only what arrives late is looked
	// for.
	NotSeen bool

	Answered bool // it has an outcome: the answer has come, or was lost
	Late     bool // the outcome is what readings have told after the answer was lost
	Outcome  AttemptOutcome
	Result   ChangeResult[T]
	Err      error           // of an applied change: the answer was lost, and reading again showed it
	Found    LookupResult[T] // what reading again told, if the answer was lost

	store   *RowStore[T]
	reading lookup
	undo    *Change[T] // that undoes it; nil if nothing does
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
func (s *RowStore[T]) Run(c *Change[T]) (busy error) {
	if c.RowID != "" {
		if s.busy[c.RowID] != "" {
			return errors.New("still " + s.busy[c.RowID] + ": wait for the response")
		}
		s.busy[c.RowID] = c.BusyText
		delete(s.changes.failed, c.RowID)
	}
	c.store, c.SentAt = s, s.Now()
	s.Go(func() (apply func()) {
		c.Result, c.Err = c.Send(s.ctx)
		return c.answered
	})
	return nil
}

// answered applies the change to the rows. If the outcome is unknown, it looks it up instead of guessing.
func (c *Change[T]) answered() {
	s := c.store
	switch {
	case IsUnknown(c.Err):
		s.busy[c.RowID] = "unknown, checking"
		delete(s.changes.confirmed, c.RowID) // it may not be true any more
		var recorded interface{ IntentID() string }
		if errors.As(c.Err, &recorded) {
			c.Intent = recorded.IntentID()
		}
		s.LookUp(c)
	case c.Err != nil:
		if id, gone := GoneID(c.Err); gone {
			s.changes.confirmGone(id, s.Now())
			s.drop(id)
		}
		c.report(Rejected)
	default:
		c.apply()
		c.report(Applied)
	}
}

// report notes the outcome and tells it.
func (c *Change[T]) report(outcome AttemptOutcome) {
	if c.Send != nil && !c.Answered { // later, it may be another change that is under way
		delete(c.store.busy, c.RowID)
	}
	c.Late, c.Answered, c.Outcome = c.Answered, true, outcome
	if outcome == Rejected && c.MarksFailure {
		c.store.changes.fail(c.RowID, failure{c.store.Now(), c.DoneText, wording.Reason(c.Err)})
	}
	if c.OnOutcome != nil {
		c.OnOutcome(c)
	}
}

// apply changes the rows. A read under way starts again, so that an answer from before the change cannot undo it. Lists
// may be behind for a while: see confirmation.
func (c *Change[T]) apply() {
	s := c.store
	readAgain := s.reading.cancel != nil
	id := c.RowID
	switch c.Result.kind {
	case rowReturned:
		id = s.source.ID(c.Result.Row)
		s.rows.Put(id, c.Result.Row)
		delete(s.absent, id)
	case rowDeleted:
		s.rows.Drop(id)
		s.version.layout++
	case reloadNeeded:
		readAgain = true
	}
	s.Highlights.Add(id)
	s.changes.supersede(c.RowID, c.Sets)
	s.changes.confirm(id, c)
	s.version.rowsChanged()
	if readAgain {
		s.Refresh()
	}
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
// client.MaxReplicaLag, the list: somebody else may have changed it again.
//
// Nor does a row go back to an older version that a list shows, because a replica may be behind. If all complete reads
// for client.MaxReplicaLag have shown an older version, and no read the newer one, the list counts: the API has gone
// back to an earlier state.
const agreedFor = 30 * time.Second

// changes is what a store knows of changes that its rows may not show.
type changes[T any] struct {
	lookups   []*Change[T]               // changes whose answer was lost
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

// A confirmation is a change that the API has confirmed, or a version of a row that it has shown, as long as lists may
// be behind it.
type confirmation[T any] struct {
	at     time.Time // zero without a change: a list has shown an older version of the row
	row    T
	kind   resultKind
	made   bool           // the change made the row
	text   string         // "disabled"
	agrees func(T) bool   // whether a row of a list shows the change
	shows  func(T) string // the value that the change is about
	behind string         // what the last list said instead; "" if it agreed
	agreed time.Time      // since when lists have agreed; zero if the last one did not
	// olderSince is since when complete reads have shown an older version; zero if a read has shown another since.
	olderSince time.Time
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
func (c *changes[T]) confirm(id string, of *Change[T]) {
	if delete(c.confirmed, id); of.Result.kind == reloadNeeded {
		return
	}
	// where an identity can be used again, the API may have answered with a row that was there before
	if of.RowID == "" && of.store.source.Created == nil {
		if c.own == nil {
			c.own = map[string]bool{}
		}
		c.own[id] = true
	}
	judge := of.Search.Judge
	c.confirmed[id] = confirmation[T]{
		at:    of.store.Now(),
		row:   of.Result.Row,
		kind:  of.Result.kind,
		made:  of.RowID == "",
		text:  of.DoneText,
		shows: of.Shows,
		agrees: func(row T) bool {
			return judge == nil || judge([]T{row}).Verdict == SeenAsWanted
		},
	}
}

// keep corrects rows that a list has brought: a list that is behind a confirmed change, or behind what was read, does
// not undo it. If the list is complete, a missing row is gone.
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
			list.Put(id, c.newer(s, id, list.At(i), complete))
			if k, listed = c.confirmed[id]; !listed {
				continue
			}
		case k.kind == rowReturned && k.made && complete && s.Now().Sub(k.at) < client.MaxReplicaLag:
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

// noteOlderRows notes of which rows a list shows an older version.
func (c *changes[T]) noteOlderRows(s *RowStore[T], list RowContainer[T]) {
	if s.source.Updated == nil || s.rows.Len() == 0 {
		return
	}
	for i := range list.Len() {
		c.noteOlder(s, list.At(i))
	}
}

// noteOlder notes that a row that was read is an older version of the one that is held, unless a change of the row is
// noted.
func (c *changes[T]) noteOlder(s *RowStore[T], read T) {
	id := s.source.ID(read)
	held, known := s.Get(id)
	if _, noted := c.confirmed[id]; !noted && known && s.CompareUpdated(read, held) < 0 {
		c.confirmed[id] = confirmation[T]{row: held, kind: rowReturned, shows: s.source.State}
	}
}

// newer returns a row that was read, or the row as it is noted if what was read is behind it. complete says that it was
// read with all other rows.
func (c *changes[T]) newer(s *RowStore[T], id string, read T, complete bool) T {
	k, held := c.confirmed[id]
	if !held || k.kind != rowReturned {
		return read
	}
	k.behind = ""
	order, now := s.CompareUpdated(read, k.row), s.Now()
	if !k.at.IsZero() && (order > 0 || order == 0 && (k.made || k.agrees(read))) {
		if order > 0 {
			k.row = read
		}
		k.olderSince = time.Time{}
		c.confirmed[id] = k
		return read
	}
	believed := false
	switch {
	case order >= 0: // without a change, at is zero: the version that is held, or a later one, counts at once
		k.olderSince, believed = time.Time{}, now.Sub(k.at) >= client.MaxReplicaLag
	case complete && (k.olderSince.IsZero() || k.olderSince.After(now)): // the clock may have been set back
		k.olderSince = now
	case complete:
		believed = now.Sub(k.olderSince) >= client.MaxReplicaLag
	}
	if believed {
		delete(c.confirmed, id)
		return read
	}
	switch {
	case k.at.IsZero():
		k.behind = "the API answers with an older version of it"
		if k.shows != nil {
			k.behind += ": " + k.shows(read)
		}
	case k.shows != nil:
		k.behind = "the list still says " + k.shows(read)
	default:
		k.behind = "the list still has the old values"
	}
	c.confirmed[id] = k
	return k.row
}

// justMade reports whether a row was made a moment ago, so that a list without it may be behind.
func (c *changes[T]) justMade(id string) bool { return c.confirmed[id].made }

// withoutOwn returns rows without those that are known to come from other changes of this program.
func (c *changes[T]) withoutOwn(s *RowStore[T], of *Change[T], rows []T) []T {
	if of.RowID != "" || len(c.own) == 0 {
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
	switch k := c.confirmed[id]; {
	case k.behind != "" && k.at.IsZero():
		return k.behind
	case k.behind != "":
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
	if !c.confirmed[id].at.IsZero() {
		return
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
	c.confirmed[id] = confirmation[T]{at: now, kind: rowDeleted, text: "not found"}
}

// sight decides the changes whose answer was lost if the rows of the store show what they wanted.
func (c *changes[T]) sight() {
	for _, l := range slices.Clone(c.lookups) {
		l.sight()
	}
}
