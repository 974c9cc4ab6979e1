package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"lookout/client"
	"lookout/client/journal"
	"lookout/client/lists"
	"lookout/client/wording"
)

// ResumeLookups looks up the changes of a list from the journal whose outcome is not known, unless that is under way:
// those of an earlier run, and those of other programs. message says so if there are any.
func (a *Account) ResumeLookups(entries []*journal.Entry, message string) {
	entries = slices.DeleteFunc(slices.Clone(entries), func(e *journal.Entry) bool {
		return !a.Journal.Unresolved(*e) || e.ByReading || client.DeletesMany(e.Change.Op)
	})
	if len(entries) == 0 {
		return
	}
	a.Go(func() (apply func()) {
		entries := a.current(entries)
		return func() { a.startLookups(entries, false, message) }
	})
}

// WatchEarlierChanges looks for changes of earlier runs and of other programs that lists may not show yet: those that
// are recorded as not done because readings did not show them, as they may still arrive; and deletions, whose rows are
// marked while a list still shows them.
func (a *Account) WatchEarlierChanges() {
	now := a.Now()
	a.Go(func() (apply func()) {
		entries, deleted := a.current(ToPointers(a.mayArrive(now))), recentDeletions(a.Journal, now)
		return func() {
			for _, e := range deleted {
				a.kindOf(&e).MarkDeleted(e.Change.ID, e.Time, deletedWord(&e))
			}
			a.startLookups(entries, true, "")
		}
	})
}

// recentDeletions returns the deletions of rows in the last day that were made. It reads the journal.
func recentDeletions(j *journal.Journal, now time.Time) []journal.Entry {
	return slices.DeleteFunc(j.Entries(now.Add(-journal.MayArriveFor)), func(e journal.Entry) bool {
		return e.Outcome != client.Applied || !e.Change.Deletes()
	})
}

// RecentDeletionNote says of a row that the API still shows that it was deleted from this machine in the last day:
// "deleted 40 s ago from this machine; the API still shows it". at is when. note is "" for any other row. It reads the
// journal.
func RecentDeletionNote(j *journal.Journal, now time.Time, resource, id string, row any) (note string, at time.Time) {
	for _, e := range recentDeletions(j, now) {
		b, isBucket := row.(*client.Bucket)
		if e.Change.Resource != resource || e.Change.ID != id || isBucket && b.Created.Time().After(e.Time) {
			continue
		}
		at = e.Time
		note = fmt.Sprintf(
			"%s %s ago from this machine; the API still shows it", deletedWord(&e), wording.FormatAge(now.Sub(at)),
		)
	}
	return note, at
}

// deletedWord returns what was done to a row: "deleted".
func deletedWord(e *journal.Entry) string {
	if e.Change.Op == client.OpRevokeKey {
		return "revoked"
	}
	return "deleted"
}

// mayArrive returns the changes that are recorded as not done and may still arrive, oldest first. It reads the journal.
func (a *Account) mayArrive(now time.Time) []journal.Entry {
	entries := a.Journal.Entries(now.Add(-journal.MayArriveFor))
	return slices.DeleteFunc(entries, func(e journal.Entry) bool { return !e.MayArrive(now) })
}

// startLookups begins the lookups of changes that are not under way. notSeen says that they are recorded as not done.
func (a *Account) startLookups(entries []*journal.Entry, notSeen bool, message string) {
	started := false
	for _, e := range entries {
		if !notSeen && a.Journal.Resolved(e.ID) || len(a.findLookups(e.ID)) > 0 {
			continue
		}
		started = true
		a.lookUp(e, notSeen)
	}
	if started && message != "" {
		a.Tell(Warn, message)
	}
}

// lookUp looks for the outcome of a change, records it and shows it.
func (a *Account) lookUp(e *journal.Entry, notSeen bool) {
	a.kindOf(e).lookUp(e, entryLookup{
		notSeen: notSeen,
		report:  func(outcome lists.AttemptOutcome, reason string) { a.reportEntry(e, outcome, reason) },
		late:    func(reason string) { a.RecordLate(e.ID, what(e), reason) },
	})
}

// RecordLate records and shows that a change was seen although it is recorded as not done. what names the change,
// reason says what was seen.
func (a *Account) RecordLate(intent, what, reason string) {
	entries := a.mayArrive(a.Now())
	i := slices.IndexFunc(entries, func(e journal.Entry) bool { return e.ID == intent })
	if i < 0 || a.superseded(&entries[i]) {
		return
	}
	text := fmt.Sprintf("seen at %s: %s", a.Now().UTC().Format("2006-01-02 15:04:05 UTC"), lists.ArrivedLate)
	a.Journal.RecordOutcome(intent, client.Unknown, client.FoundByReading(text+wording.WithPrefix(" · ", reason)))
	message := what + ": seen now; " + lists.ArrivedLate + wording.WithPrefix(" · ", reason)
	if end := entries[i].Change.RevertAt; !end.IsZero() {
		message += " · nothing enables it again at " + FormatClock(end.In(a.Location), a.Now().In(a.Location))
	}
	a.Tell(Warn, message)
	a.JournalStore().Refresh()
}

// unresolvedAge is the age of the oldest changes that are looked up.
const unresolvedAge = 7 * 24 * time.Hour

// UnresolvedChanges returns the changes of the last week whose outcome is not known, newest first.
func (a *Account) UnresolvedChanges() []*journal.Entry {
	return ToPointers(a.Journal.UnresolvedEntries(a.Now().Add(-unresolvedAge)))
}

// unresolvedChange returns the one of an id in the journal, or nil.
func (a *Account) unresolvedChange(intent string) *journal.Entry {
	for _, e := range a.UnresolvedChanges() {
		if e.ID == intent {
			return e
		}
	}
	return nil
}

// WaitForOutcome looks up how a change that this run recorded ended, until readings tell or ctx ends, and records it.
// reason says what was read. It blocks: scripts have no event loop.
func (a *Account) WaitForOutcome(ctx context.Context, intent string) (outcome lists.AttemptOutcome, reason string) {
	e := a.unresolvedChange(intent)
	if e == nil {
		return lists.Unknown, ""
	}
	told := false
	a.kindOf(e).lookUp(e, entryLookup{report: func(verdict lists.AttemptOutcome, text string) {
		a.recordFound(e, verdict, text)
		outcome, reason, told = verdict, text, true
	}})
	a.Wait(ctx, func() bool { return told })
	return outcome, reason
}

// LostCandidates reads again and returns what a create of this run, whose answer was lost, may have made: one line for
// each object, with how it differs from what was sent. It blocks, as WaitForOutcome.
func (a *Account) LostCandidates(ctx context.Context, intent string) (lines []string) {
	e := a.unresolvedChange(intent)
	if e == nil || !e.Change.Creates() {
		return nil
	}
	read := false
	a.kindOf(e).lookUp(e, entryLookup{onReading: func(candidates []string) {
		lines, read = candidates, true
	}})
	a.Wait(ctx, func() bool { return read })
	for n := range lines {
		lines[n] = e.Change.Resource + " " + lines[n]
	}
	return lines
}

// CheckNow reads once more, at once, how changes from the journal ended.
func (a *Account) CheckNow(entries []*journal.Entry) {
	for _, e := range entries {
		if !a.Journal.Unresolved(*e) {
			continue
		}
		c := a.findWaiting(e.ID)
		if c == nil {
			a.lookUp(e, false)
			continue
		}
		c.ReadNow()
		a.Tell(Info, c.Text(a.Now()))
	}
}

// LookupText says of a change in the journal that readings may still tell how it ended; "" if they do not.
func (a *Account) LookupText(e *journal.Entry) string {
	if l := a.findWaiting(e.ID); l != nil && a.Journal.Unresolved(*e) {
		return l.Known()
	}
	return ""
}

// SettleLookup ends the lookup of a change whose outcome the user has found out.
func (a *Account) SettleLookup(intent string, outcome lists.AttemptOutcome) {
	for _, l := range a.findLookups(intent) {
		l.Settle(outcome)
	}
}

// findLookups returns the lookups of the change of an id in the journal.
func (a *Account) findLookups(intent string) (found []lists.OpenChange) {
	for _, store := range a.Stores {
		if home, ok := store.(interface {
			OpenChanges(string) []lists.OpenChange
		}); ok {
			found = append(found, home.OpenChanges(intent)...)
		}
	}
	return found
}

// findWaiting returns the lookup of the change of an id in the journal that goes on, or nil.
func (a *Account) findWaiting(intent string) lists.OpenChange {
	for _, l := range a.findLookups(intent) {
		if l.Waiting() {
			return l
		}
	}
	return nil
}

// A kind is a kind of row that changes from the journal are about.
type kind interface {
	MarkDeleted(id string, at time.Time, done string)
	lookUp(*journal.Entry, entryLookup)
}

// entryLookup says what is done with what is found out of a change from the journal. Its functions may be nil.
type entryLookup struct {
	notSeen   bool // it is recorded as not done
	report    func(outcome lists.AttemptOutcome, reason string)
	late      func(reason string)
	onReading func(candidates []string) // gets the rows that it may have made; set, it is read once
}

// kindOf returns the kind of row that a change is about. The journal itself is the home of changes of objects,
// certificates and the account.
func (a *Account) kindOf(e *journal.Entry) kind {
	switch e.Change.Resource {
	case "service":
		return rowKind[*client.Service]{a.Services(), a, byNumber(a.API.Services.Get)}
	case "contact":
		return rowKind[*client.Contact]{a.Contacts(), a, byNumber(a.API.Contacts.Get)}
	case "credential":
		return rowKind[*client.Credential]{a.Credentials(), a, byNumber(a.API.Credentials.Get)}
	case "instance":
		return rowKind[*client.Instance]{a.Instances(), a, byNumber(a.API.Instances.Get)}
	case "key":
		return rowKind[*client.AccessKey]{
			a.Keys(), a, byNumber(func(ctx context.Context, id int) (*client.AccessKey, error) {
				return a.FetchKey(ctx, id)
			}),
		}
	case "bucket":
		return rowKind[*client.Bucket]{a.Buckets(), a, func(ctx context.Context, id string) (*client.Bucket, error) {
			cluster, label, _ := strings.Cut(id, "/")
			return a.API.Buckets.Get(ctx, cluster, label)
		}}
	}
	return rowKind[*journal.Entry]{a.JournalStore(), a, nil}
}

// byNumber returns the read of a row whose ID is a number.
func byNumber[T any](get func(context.Context, int) (T, error)) func(context.Context, string) (T, error) {
	return func(ctx context.Context, id string) (T, error) {
		n, err := strconv.Atoi(id)
		if err != nil {
			var none T
			return none, errors.New("the journal does not say which it was")
		}
		return get(ctx, n)
	}
}

// rowKind is a kind of row in a store.
type rowKind[T any] struct {
	*lists.RowStore[T]
	a   *Account
	get func(context.Context, string) (T, error) // reads one row; nil if the rows are not what changes are about
}

// what names a change from the journal: "disable service web-1".
func what(e *journal.Entry) string { return client.Clean(e.Change.Op) + " " + EntryName(e) }

// lookUp looks for the outcome of a change from the journal.
func (k rowKind[T]) lookUp(e *journal.Entry, l entryLookup) {
	c := &lists.Change[T]{
		RowID:    e.Change.ID,
		Sets:     e.Change.Sets(),
		Intent:   e.ID,
		What:     what(e),
		SentAt:   e.Time,
		NotSeen:  l.notSeen,
		DoneText: "changed",
		OnOutcome: func(c *lists.Change[T]) {
			if l.onReading != nil {
				names := make([]string, len(c.Found.Candidates))
				for i, row := range c.Found.Candidates {
					names[i] = client.Clean(k.ID(row)) + ": " + c.Found.Descriptions[i]
				}
				l.onReading(names)
				c.Settle(c.Outcome)
			}
			if l.report != nil && !c.Waiting() {
				l.report(c.Outcome, c.Found.Text)
			}
		},
	}
	switch {
	case k.get == nil:
		c.RowID = e.ID
	case e.Change.Creates():
		c.RowID = ""
	}
	if e.Change.Deletes() {
		c.DoneText = deletedWord(e)
	}
	if c.Found.Text = unreadable(e); c.Found.Text == "" {
		c.Search = k.search(e)
	}
	if l.late != nil {
		c.OnLate = func(c *lists.Change[T]) { l.late(c.Found.Text) }
	}
	k.LookUp(c)
}

// search returns the search for a change from the journal.
func (k rowKind[T]) search(e *journal.Entry) lists.Search[T] {
	search := lists.Search[T]{
		Hidden: func() bool {
			_, _ = k.a.Journal.CatchUp() // another program may have changed it again
			return k.a.superseded(e)
		},
		Read: readBack[T](k.a, e.Change),
	}
	switch {
	case search.Read != nil:
		return search
	case k.get == nil:
		search.Read = func(ctx context.Context) (func() lists.LookupResult[T], error) {
			if e.Change.Op != client.OpCancelObjectStorage {
				return nil, errors.New("this kind of change cannot be checked")
			}
			found, err := readCancellation[T](ctx, k.a, e)
			return func() lists.LookupResult[T] { return found }, err
		}
		return search
	}
	search.Judge = func(now []T) lists.LookupResult[T] {
		return findIn(k.a, k.RowStore, sentChange[T]{Change: &e.Change, at: e.Time}, now)
	}
	if !e.Change.Creates() {
		search.Read = func(ctx context.Context) (func() lists.LookupResult[T], error) {
			row, err := k.get(ctx, e.Change.ID)
			rows := []T{row}
			if IsNotFound(err) {
				rows, err = nil, nil
			}
			return func() lists.LookupResult[T] { return search.Judge(rows) }, err
		}
	}
	return search
}

// reportEntry records and shows how a change from the journal ended.
func (a *Account) reportEntry(e *journal.Entry, outcome lists.AttemptOutcome, reason string) {
	if a.Journal.Resolved(e.ID) {
		return // the user, or another program, has said how it ended
	}
	tone, text := Warn, "still unknown"
	switch outcome {
	case lists.Applied:
		tone, text = Good, "it is as wanted; "+lists.OwnerNotKnown
	case lists.Rejected:
		tone, text = Bad, "it was not done"
	}
	a.recordFound(e, outcome, reason)
	a.Tell(tone, what(e)+": "+text+wording.WithPrefix(" · ", reason))
	a.JournalStore().Refresh()
}

// recordFound records what a lookup has found out, if anything.
func (a *Account) recordFound(e *journal.Entry, outcome lists.AttemptOutcome, reason string) {
	record, known := map[lists.AttemptOutcome]client.Outcome{
		lists.Applied:  client.Applied,
		lists.Rejected: client.Rejected,
	}[outcome]
	if known {
		text := "looked up later: " + reason
		if record == client.Applied {
			text += "; " + lists.OwnerNotKnown
		}
		a.Journal.RecordOutcome(e.ID, record, client.FoundByReading(text))
	}
}

// EntryName names the object of a change in the journal.
func EntryName(e *journal.Entry) string {
	return client.Clean(cmp.Or(e.Change.Label, e.Change.ID, e.Change.Path))
}

// unreadable returns why reading again cannot tell how a change ended, or "".
func unreadable(e *journal.Entry) string {
	switch {
	case e.ByReading && e.Outcome == client.Unknown:
		return lists.ArrivedLate
	case e.Change.Op == client.OpSetCredentialLogin:
		return notReturned
	case e.Change.Op == client.OpSetObjectACL:
		return ""
	case e.Change.Resource == "object", client.DeletesMany(e.Change.Op):
		return "look in its bucket: o goes there"
	}
	return ""
}

// superseded reports whether a later change that hides a change was applied. It reads the journal.
func (a *Account) superseded(e *journal.Entry) bool { return len(a.current([]*journal.Entry{e})) == 0 }

// current returns the changes that are not superseded. It reads the journal.
func (a *Account) current(entries []*journal.Entry) []*journal.Entry {
	if len(entries) == 0 {
		return nil
	}
	oldest := slices.MinFunc(entries, func(e, f *journal.Entry) int { return e.Time.Compare(f.Time) })
	since := a.Journal.Entries(oldest.Time)
	return slices.DeleteFunc(slices.Clone(entries), func(e *journal.Entry) bool {
		return e.Change.ID != "" && slices.ContainsFunc(since, func(later journal.Entry) bool {
			return later.ID != e.ID && !later.Time.Before(e.Time) && later.Outcome == client.Applied &&
				later.Change.Resource == e.Change.Resource && later.Change.ID == e.Change.ID &&
				lists.Supersedes(later.Change.Sets(), e.Change.Sets())
		})
	})
}

// readCancellation counts the buckets that were there before. If there are any, nothing is cancelled yet; if there are
// none, that proves nothing.
func readCancellation[T any](
	ctx context.Context, a *Account, e *journal.Entry,
) (found lists.LookupResult[T], err error) {
	page, err := a.FetchAllBuckets(ctx)
	left := slices.DeleteFunc(page.Rows, func(b *client.Bucket) bool { return !isMadeBefore(b, e.Time) })
	switch {
	case err != nil:
	case len(left) > 0:
		found.Verdict = lists.NotSeen
		found.Text = wording.Plural(len(left), "bucket is", "buckets are") + " still there"
	default:
		found.Verdict = lists.SeenCandidates
		found.Text = "none of the earlier buckets is left, but that does not prove that Object Storage was cancelled"
	}
	return found, err
}
