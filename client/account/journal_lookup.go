package account

import (
	"context"
	"errors"
	"fmt"
	"iter"
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
func ResumeLookups(a *Account, entries []*journal.Entry, message string) {
	entries = slices.DeleteFunc(slices.Clone(entries), func(e *journal.Entry) bool {
		return !a.Journal.Unresolved(*e) || e.ByReading || client.DeletesMany(e.Change.Op)
	})
	if len(entries) == 0 {
		return
	}
	a.Go(func() (apply func()) {
		entries := current(a, entries)
		return func() { startLookups(a, entries, false, message) }
	})
}

// WatchEarlierChanges looks for changes of earlier runs and of other programs that lists may not show yet: those that
// are recorded as not done because readings did not show them, as they may still arrive; and deletions, whose rows are
// marked while a list still shows them.
func WatchEarlierChanges(a *Account) {
	now := a.Now()
	a.Go(func() (apply func()) {
		entries, deleted := current(a, ToPointers(mayArrive(a, now))), recentDeletions(a.Journal, now)
		return func() {
			for _, e := range deleted {
				homeOf(a, &e).MarkDeleted(e.Change.ID, e.Time, deletedWord(&e))
			}
			startLookups(a, entries, true, "")
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
func mayArrive(a *Account, now time.Time) []journal.Entry {
	entries := a.Journal.Entries(now.Add(-journal.MayArriveFor))
	return slices.DeleteFunc(entries, func(e journal.Entry) bool { return !e.MayArrive(now) })
}

// startLookups begins the lookups of changes that are not under way. notSeen says that they are recorded as not done.
func startLookups(a *Account, entries []*journal.Entry, notSeen bool, message string) {
	started := false
	unresolved := UnresolvedChanges(a)
	for _, e := range entries {
		isOpen := notSeen || slices.ContainsFunc(unresolved, func(u *journal.Entry) bool { return u.ID == e.ID })
		if !isOpen || findLookup(a, e.ID) != nil {
			continue
		}
		l := entryLookup(a, e)
		l.NotSeen, started = notSeen, true
		homeOf(a, e).LookUp(l)
	}
	if started && message != "" {
		a.Tell(Warn, message)
	}
}

// RecordLate records and shows that a change was seen although it is recorded as not done. what names the change,
// reason says what was seen.
func RecordLate(a *Account, intent, what, reason string) {
	entries := mayArrive(a, a.Now())
	i := slices.IndexFunc(entries, func(e journal.Entry) bool { return e.ID == intent })
	if i < 0 || superseded(a, &entries[i]) {
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
func UnresolvedChanges(a *Account) []*journal.Entry {
	return ToPointers(a.Journal.UnresolvedEntries(a.Now().Add(-unresolvedAge)))
}

// WaitForOutcome looks up how a change that this run recorded ended, until readings tell or ctx ends, and records it.
// reason says what was read. It blocks: scripts have no event loop.
func WaitForOutcome(ctx context.Context, a *Account, intent string) (outcome lists.AttemptOutcome, reason string) {
	open := UnresolvedChanges(a)
	i := slices.IndexFunc(open, func(e *journal.Entry) bool { return e.ID == intent })
	if i < 0 {
		return lists.Unknown, ""
	}
	l, told := entryLookup(a, open[i]), false
	l.OnLate = nil // the script ends with the verdict
	l.OnVerdict = func(verdict lists.AttemptOutcome) {
		recordFound(a, open[i], verdict, l.Reason)
		outcome, told = verdict, true
	}
	homeOf(a, open[i]).LookUp(l)
	a.Wait(ctx, func() bool { return told })
	if !told {
		return lists.Unknown, ""
	}
	return outcome, l.Reason
}

// CheckNow reads once more, at once, how changes from the journal ended.
func CheckNow(a *Account, entries []*journal.Entry) {
	for _, e := range entries {
		if !a.Journal.Unresolved(*e) {
			continue
		}
		l := findLookup(a, e.ID)
		if l == nil || !l.Waiting() {
			l = entryLookup(a, e)
			homeOf(a, e).LookUp(l)
			continue
		}
		l.ReadNow()
		a.Tell(Info, l.Text(a.Now()))
	}
}

// LookupText says of a change in the journal that readings may still tell how it ended; "" if they do not.
func LookupText(a *Account, e *journal.Entry) string {
	if l := findLookup(a, e.ID); l != nil && l.Waiting() && a.Journal.Unresolved(*e) {
		return l.Known()
	}
	return ""
}

// SettleLookup ends the lookup of a change whose outcome the user has found out.
func SettleLookup(a *Account, intent string, outcome lists.AttemptOutcome) {
	if l := findLookup(a, intent); l != nil {
		l.Settle(outcome)
	}
}

// lookupHome is a store that holds lookups.
type lookupHome interface {
	Lookups() []*lists.OutcomeLookup
	LookUp(*lists.OutcomeLookup)
	MarkDeleted(id string, at time.Time, done string)
}

// findLookup returns the lookup of a change in the journal, or nil.
func findLookup(a *Account, intent string) *lists.OutcomeLookup {
	for _, store := range a.Stores {
		home, ok := store.(lookupHome)
		if !ok {
			continue
		}
		for _, l := range home.Lookups() {
			if l.Intent == intent {
				return l
			}
		}
	}
	return nil
}

// homeOf returns the store whose rows a change is about. The journal is the home of changes of objects, certificates
// and the account.
func homeOf(a *Account, e *journal.Entry) lookupHome {
	switch e.Change.Resource {
	case "service":
		return a.Services()
	case "contact":
		return a.Contacts()
	case "credential":
		return a.Credentials()
	case "instance":
		return a.Instances()
	case "key":
		return a.Keys()
	case "bucket":
		return a.Buckets()
	}
	return a.JournalStore()
}

// entryLookup returns the lookup of a change from the journal.
func entryLookup(a *Account, e *journal.Entry) *lists.OutcomeLookup {
	l := &lists.OutcomeLookup{
		RowID:  e.Change.ID,
		Sets:   e.Change.Sets(),
		Intent: e.ID,
		What:   client.Clean(e.Change.Op) + " " + EntryName(e),
		SentAt: e.Time,
	}
	switch {
	case homeOf(a, e) == lookupHome(a.JournalStore()):
		l.RowID = e.ID
	case strings.HasPrefix(e.Change.Op, "create "):
		l.RowID = ""
	}
	if l.Reason = unreadable(e); l.Reason == "" {
		l.Read = func(ctx context.Context) (func() lists.LookupVerdict, error) {
			verdict, text, err := judgeEntry(ctx, a, e)
			return func() lists.LookupVerdict {
				l.Reason = text
				return verdict
			}, err
		}
	}
	l.OnVerdict = func(outcome lists.AttemptOutcome) { reportEntry(a, e, outcome, l) }
	l.OnLate = func() { RecordLate(a, e.ID, l.What, l.Reason) }
	return l
}

// reportEntry records and shows how a change from the journal ended.
func reportEntry(a *Account, e *journal.Entry, outcome lists.AttemptOutcome, l *lists.OutcomeLookup) {
	tone, text := Warn, "still unknown"
	switch outcome {
	case lists.Applied:
		tone, text = Good, "it is as wanted; "+lists.OwnerNotKnown
	case lists.Rejected:
		tone, text = Bad, "it was not done"
	}
	recordFound(a, e, outcome, l.Reason)
	if outcome == lists.Applied && e.Change.Deletes() {
		homeOf(a, e).MarkDeleted(e.Change.ID, e.Time, deletedWord(e))
	}
	a.Tell(tone, l.What+": "+text+wording.WithPrefix(" · ", l.Reason))
	a.JournalStore().Refresh()
}

// recordFound records what a lookup has found out, if anything.
func recordFound(a *Account, e *journal.Entry, outcome lists.AttemptOutcome, reason string) {
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
	return client.Clean(OrDefault(e.Change.Label, OrDefault(e.Change.ID, e.Change.Path)))
}

// unreadable returns why reading again cannot tell how a change ended, or "".
func unreadable(e *journal.Entry) string {
	switch {
	case e.ByReading && e.Outcome == client.Unknown:
		return lists.ArrivedLate
	case e.Change.Op == client.OpSetCredentialLogin:
		return "the API does not return it; sending the same change again does no harm"
	case e.Change.Op == client.OpSetObjectACL:
		return ""
	case e.Change.Resource == "object", client.DeletesMany(e.Change.Op):
		return "look in its bucket: o goes there"
	}
	return ""
}

// judgeEntry reads the object of a change again, and tells what it shows of the change and why.
func judgeEntry(ctx context.Context, a *Account, e *journal.Entry) (lists.LookupVerdict, string, error) {
	_, _ = a.Journal.CatchUp() // another program may have changed it again
	if superseded(a, e) {
		return lists.CannotTell, "it has been changed again since", nil
	}
	op := e.Change.Op
	switch verb, _, _ := strings.Cut(op, " "); {
	case op == client.OpDisableService, op == client.OpEnableService:
		return judgeStatus(ctx, a, e)
	case op == client.OpDeleteCertificate, op == client.OpUploadCertificate:
		return judgeCertificate(ctx, a, e)
	case op == client.OpCancelObjectStorage:
		return judgeCancellation(ctx, a, e)
	case op == client.OpUpdateBucketAccess, op == client.OpReplaceBucketAccess:
		return judgeAccess(ctx, a, e)
	case op == client.OpSetObjectACL:
		return judgeObjectACL(ctx, a, e)
	case verb == "create":
		return judgeCreation(ctx, a, e)
	}
	row, err := fetchChanged(ctx, a, e)
	gone := errors.Is(err, client.ErrNotFound)
	switch verb, _, _ := strings.Cut(op, " "); {
	case (verb == "delete" || verb == "revoke") && gone:
		return lists.SeenAsWanted, "it is gone", nil
	case (verb == "delete" || verb == "revoke") && err == nil:
		return lists.NotSeen, "it is still there", nil
	case gone:
		return lists.CannotTell, "it no longer exists", nil
	case err != nil:
		return lists.CannotTell, "", err
	}
	told, text := verdict(e.Change.Judge(e.Change.Body, row))
	return told, text, nil
}

// superseded reports whether a later change that hides a change was applied. It reads the journal.
func superseded(a *Account, e *journal.Entry) bool { return len(current(a, []*journal.Entry{e})) == 0 }

// current returns the changes that are not superseded. It reads the journal.
func current(a *Account, entries []*journal.Entry) []*journal.Entry {
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

// verdict returns what a judgement tells, and in words.
func verdict(j client.Judgement) (lists.LookupVerdict, string) {
	switch {
	case j.Made():
		return lists.SeenAsWanted, "it has the values that were sent"
	case j.NotMade():
		return lists.NotSeen, "it still has the old values"
	}
	return lists.CannotTell, "it has neither the old values nor the ones that were sent: somebody has changed it since"
}

// fetchChanged reads the object of a change.
func fetchChanged(ctx context.Context, a *Account, e *journal.Entry) (any, error) {
	id, err := strconv.Atoi(e.Change.ID)
	if place := strings.Split(e.Change.ID, "/"); e.Change.Resource == "bucket" && len(place) == 2 {
		return a.API.Buckets.Get(ctx, place[0], place[1])
	}
	if err != nil {
		return nil, errors.New("the journal does not say which it was")
	}
	switch e.Change.Resource {
	case "service":
		return a.API.Services.Get(ctx, id)
	case "contact":
		return a.API.Contacts.Get(ctx, id)
	case "credential":
		return a.API.Credentials.Get(ctx, id)
	case "instance":
		return a.API.Instances.Get(ctx, id)
	case "key":
		return FetchKey(ctx, a, id)
	}
	return nil, errors.New("this kind of change cannot be checked")
}

// judgeStatus tells from the status of a service whether it was disabled or enabled.
func judgeStatus(ctx context.Context, a *Account, e *journal.Entry) (lists.LookupVerdict, string, error) {
	id, err := strconv.Atoi(e.Change.ID)
	if err != nil {
		return lists.CannotTell, "the journal does not say which service it was", nil
	}
	s, err := a.API.Services.Get(ctx, id)
	if err != nil {
		return lists.CannotTell, "", err
	}
	told, text := judgeSwitch(e, s, "the service "+StatusPhrase(s.Status))
	return told, text, nil
}

// judgeSwitch tells what a thing with two states shows of a change. text says how it is.
func judgeSwitch(e *journal.Entry, now any, text string) (lists.LookupVerdict, string) {
	told, _ := verdict(e.Change.Judge(e.Change.Body, now))
	if told == lists.CannotTell {
		text += ", as before"
	}
	return told, text
}

// judgeCertificate tells from whether a certificate is set whether one was uploaded or deleted.
func judgeCertificate(ctx context.Context, a *Account, e *journal.Entry) (lists.LookupVerdict, string, error) {
	place := strings.Split(e.Change.ID, "/")
	if len(place) != 2 {
		return lists.CannotTell, "the journal does not say which bucket it was", nil
	}
	status, err := a.API.Certificates.Get(ctx, place[0], place[1])
	switch {
	case err != nil:
		return lists.CannotTell, "", err
	case status.SSL == nil:
		return lists.CannotTell, "the API does not say whether a certificate is set", nil
	}
	text := map[bool]string{true: "a certificate is set", false: "no certificate is set"}[*status.SSL]
	told, text := judgeSwitch(e, status, text)
	return told, text, nil
}

// judgeAccess tells from the access to a bucket whether it was changed. Only some APIs can read it.
func judgeAccess(ctx context.Context, a *Account, e *journal.Entry) (lists.LookupVerdict, string, error) {
	place := strings.Split(e.Change.ID, "/")
	if len(place) != 2 {
		return lists.CannotTell, "the journal does not say which bucket it was", nil
	}
	now, err := a.API.Buckets.Access(ctx, place[0], place[1])
	switch {
	case errors.Is(err, client.ErrNotFound):
		text := "the API does not return it; sending the same change again does no harm"
		return lists.CannotTell, text, lists.ErrUnreadable
	case err != nil:
		return lists.CannotTell, "", err
	}
	if client.MembersMatch(client.FlattenJSON(now), client.FlattenJSON(e.Change.Body)) {
		text := "the access is " + now.String() + ", as it was sent, but it may already have been so before"
		return lists.CannotTell, text, nil
	}
	if told, _ := verdict(e.Change.Judge(e.Change.Body, now)); told == lists.NotSeen {
		return told, "the access is " + now.String() + ", as before", nil
	}
	return lists.CannotTell, "the access is " + now.String() + ", which is not what was sent", nil
}

// judgeObjectACL tells from the ACL of an object whether it was changed.
func judgeObjectACL(ctx context.Context, a *Account, e *journal.Entry) (lists.LookupVerdict, string, error) {
	place := strings.SplitN(e.Change.ID, "/", 3)
	if len(place) != 3 {
		return lists.CannotTell, "the journal does not say which object it was", nil
	}
	now, err := a.API.Objects.ACL(ctx, place[0], place[1], place[2])
	if err != nil {
		return lists.CannotTell, "", err
	}
	told, _ := verdict(e.Change.Judge(e.Change.Body, now))
	return told, "the access is " + now.ACL.String(), nil
}

// judgeCancellation counts the buckets that were there before. If there are any, nothing is cancelled yet; if there are
// none, that proves nothing.
func judgeCancellation(ctx context.Context, a *Account, e *journal.Entry) (lists.LookupVerdict, string, error) {
	page, err := a.FetchAllBuckets(ctx)
	if err != nil {
		return lists.CannotTell, "", err
	}
	left := slices.DeleteFunc(page.Rows, func(b *client.Bucket) bool { return !isMadeBefore(b.Created.Time(), e.Time) })
	if len(left) > 0 {
		return lists.NotSeen, wording.Plural(len(left), "bucket is", "buckets are") + " still there", nil
	}
	text := "none of the earlier buckets is left, but that does not prove that Object Storage was cancelled"
	return lists.SeenCandidates, text, nil
}

// candidate is an object that a change may have created.
type candidate struct {
	id    string
	row   any
	made  time.Time // when it was created or last changed; zero if the API does not tell
	about string    // what else can be told of it instead of comparing: "reaches everything"
}

// LostCandidates reads again and returns what a create of this run, whose answer was lost, may have made: one line for
// each object, with how it differs from what was sent.
func LostCandidates(ctx context.Context, a *Account, intent string) []string {
	open := UnresolvedChanges(a)
	i := slices.IndexFunc(open, func(e *journal.Entry) bool { return e.ID == intent })
	if i < 0 || !strings.HasPrefix(open[i].Change.Op, "create ") {
		return nil
	}
	alike, err := fetchAlike(ctx, a, open[i])
	if err != nil {
		return nil
	}
	lines := make([]string, len(alike))
	for n, c := range alike {
		lines[n] = open[i].Change.Resource + " " + c.describe(a, open[i])
	}
	return lines
}

// describe names a candidate and says how it differs from what a change sent.
func (c candidate) describe(a *Account, e *journal.Entry) string {
	sent := client.FlattenJSON(e.Change.Body)
	if c.about != "" {
		sent = nil
	}
	return client.Clean(c.id) + ": " + describeCandidate(a, c.made, c.row, sent) + wording.WithPrefix(", ", c.about)
}

// judgeCreation looks for what a create may have made: see FindCreated.
func judgeCreation(ctx context.Context, a *Account, e *journal.Entry) (lists.LookupVerdict, string, error) {
	alike, err := fetchAlike(ctx, a, e)
	if err != nil {
		return lists.CannotTell, "", err
	}
	if len(alike) == 0 {
		return lists.NotSeen, "nothing has this label", nil
	}
	names := make([]string, len(alike))
	for i, c := range alike {
		names[i] = c.describe(a, e)
	}
	text := wording.Plural(len(alike), e.Change.Resource+" has", e.Change.Resource+"s have") + " this label (" +
		strings.Join(names, "; ") + "); there is no way to tell whose it is"
	if e.Change.Resource == "key" {
		text += ", and its secret never arrived"
	}
	return lists.SeenCandidates, text, nil
}

// fetchAlike returns the objects that may be what a create has made: they have its label and were not there before, as
// far as the API tells.
func fetchAlike(ctx context.Context, a *Account, e *journal.Entry) ([]candidate, error) {
	rows, err := fetchCandidates(ctx, a, e)
	sent, label := client.FlattenJSON(e.Change.Body), map[string]string{}
	for _, member := range []string{"label", "name", "cluster"} {
		if text, named := sent[member]; named {
			label[member] = text
		}
	}
	return slices.DeleteFunc(rows, func(c candidate) bool {
		return isMadeBefore(c.made, e.Time) || IsReplaced(e.Change, c.id) ||
			!client.MembersMatch(client.FlattenJSON(c.row), label)
	}), err
}

// isMadeBefore reports whether something was certainly made before a time, if the API says when.
func isMadeBefore(made, sentAt time.Time) bool {
	return !made.IsZero() && sentAt.Sub(made) > time.Minute
}

// fetchCandidates returns all objects of the resource of which a change has made one.
func fetchCandidates(ctx context.Context, a *Account, e *journal.Entry) ([]candidate, error) {
	switch e.Change.Resource {
	case "service":
		return collectCandidates(a.API.Services.All(ctx), func(s *client.Service) candidate {
			return candidate{id: FormatID(s.ID), row: s, made: s.Created.Time()}
		})
	case "contact":
		return collectCandidates(a.API.Contacts.All(ctx), func(c *client.Contact) candidate {
			return candidate{id: FormatID(c.ID), row: c, made: c.Updated.Time()}
		})
	case "credential":
		return collectCandidates(a.API.Credentials.All(ctx), func(c *client.Credential) candidate {
			return candidate{id: FormatID(c.ID), row: c, about: DescribeCredential(a, c)}
		})
	case "key":
		return collectCandidates(a.API.Keys.All(ctx), func(k *client.AccessKey) candidate {
			return candidate{id: FormatID(k.ID), row: WithoutSecret(k), about: DescribeKey(k, e.Change.Body)}
		})
	case "bucket":
		page, err := a.FetchAllBuckets(ctx)
		rows := make([]candidate, len(page.Rows))
		for i, b := range page.Rows {
			rows[i] = candidate{id: BucketID(b), row: b, made: b.Created.Time()}
		}
		return rows, err
	}
	return nil, errors.New("this kind of object cannot be read again")
}

// collectCandidates reads a whole list as candidates.
func collectCandidates[T any](all iter.Seq2[T, error], toCandidate func(T) candidate) ([]candidate, error) {
	rows, err := Collect(all)
	found := make([]candidate, len(rows))
	for i, row := range rows {
		found[i] = toCandidate(row)
	}
	return found, err
}
