package account

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"lookout/client"
	"lookout/client/journal"
	"lookout/client/lists"
	"lookout/client/wording"
)

// madeAt returns when a row was made, or last changed if the API tells no more; zero if it does not tell.
func madeAt(row any) time.Time {
	switch r := row.(type) {
	case *client.Service:
		return r.Created.Time()
	case *client.Contact:
		return r.Updated.Time()
	case *client.Bucket:
		return r.Created.Time()
	}
	return time.Time{}
}

// isMadeBefore reports whether a row was certainly made before a time, if the API says when.
func isMadeBefore(row any, at time.Time) bool {
	made := madeAt(row)
	return !made.IsZero() && at.Sub(made) > time.Minute
}

// describeCandidate says of a row that may be what a creation has made when it was made, and which of the members that
// were sent it has with other values, or what it reaches.
func (a *Account) describeCandidate(c client.Change, row any) string {
	made, sent, about := madeAt(row), client.FlattenJSON(c.Body), ""
	switch r := row.(type) {
	case *client.Credential:
		sent, about = nil, a.DescribeCredential(r)
	case *client.AccessKey:
		sent, about = nil, DescribeKey(r, c.Body)
	case *client.Bucket:
		about = UnknownText + " objects"
		if n, known := r.Objects.Value(); known {
			about = wording.FormatCount(n) + " objects"
		}
	}
	parts, compared := []string{"the API does not say when it was made"}, 0
	if age := a.Now().Sub(made); !made.IsZero() && age < 12*time.Hour {
		parts[0] = "made " + made.In(a.Location).Format("15:04:05 MST")
	} else if !made.IsZero() {
		parts[0] = "made " + FormatClock(made.In(a.Location), a.Now().In(a.Location))
	}
	now := client.FlattenJSON(row)
	for _, member := range slices.Sorted(maps.Keys(sent)) {
		value, returned := now[member]
		same := client.MembersMatch(now, map[string]string{member: sent[member]})
		if !returned && !same || member == "bucket_access" {
			continue
		}
		compared++
		if !same {
			parts = append(parts, fmt.Sprintf("%s is %s, not %s", member, quoteValue(value), quoteValue(sent[member])))
		}
	}
	switch {
	case len(parts) > 1 || compared == 0:
	case compared == len(sent):
		parts = append(parts, "exactly as it was sent")
	default:
		parts = append(parts, "as it was sent, as far as the API shows it")
	}
	return strings.Join(parts, ", ") + wording.WithPrefix(", ", about)
}

// KeyReach says what a key reaches, and how to paint it.
func KeyReach(k *client.AccessKey) (string, Severity) {
	switch all, known := k.ReachesAll(); {
	case !known:
		return "unknown: the API does not report it", Warn
	case all:
		return "everything", Warn
	case len(k.Buckets) == 0:
		return "nothing", Off
	}
	grants := make([]string, len(k.Buckets))
	for i, g := range k.Buckets {
		grants[i] = fmt.Sprintf("%s in %s (%s)", g.Bucket, g.Location(), FormatPermission(g.Permissions))
	}
	return JoinWithCommas(grants), Plain
}

// Replaces returns what the journal holds about the creation of a key that replaces another one: the value before, and
// the reason.
func Replaces(old *client.AccessKey) (before any, reason string) {
	return map[string]any{"replaces": old.ID}, fmt.Sprintf("replaces key %s (id %d)", old.Label, old.ID)
}

// IsReplaced reports whether the creation of a key was to replace the one of an id, which can therefore not be what it
// has made.
func IsReplaced(c client.Change, id string) bool {
	return c.Op == client.OpCreateKey && client.FlattenJSON(c.Before)["replaces"] == id
}

// DescribeKey says what a key reaches, and what else the request for a key asked for: a client.AccessKeyRequest, or
// what the journal has of one.
func DescribeKey(k *client.AccessKey, sent any) string {
	reach, _ := KeyReach(k)
	var asked struct {
		Buckets json.RawMessage `json:"bucket_access"`
	}
	data, err := json.Marshal(sent)
	if err != nil || json.Unmarshal(data, &asked) != nil {
		return "reaches " + reach
	}
	limited := len(asked.Buckets) > 0 && string(asked.Buckets) != "null"
	var wanted client.AccessKey
	text := fmt.Sprintf(`{"limited":%t,"bucket_access":%s}`, limited, cmp.Or(string(asked.Buckets), "null"))
	if json.Unmarshal([]byte(text), &wanted) != nil {
		return "reaches " + reach
	}
	if other, _ := KeyReach(&wanted); other != reach {
		return "reaches " + reach + ", not " + other
	}
	return "reaches " + reach + ", as it was sent"
}

// DescribeCredential says when support used a credential.
func (a *Account) DescribeCredential(c *client.Credential) string {
	if !c.LastDecrypted.Valid() {
		return "never used by support"
	}
	return "used by support " + FormatAge(c.LastDecrypted, a.Now()) + " ago"
}

// quoteValue returns a value of a member for a sentence.
func quoteValue(text string) string {
	return ansi.Truncate(client.Clean(text), 40, "…")
}

// A sentChange is a change that was sent, with what is known besides of the rows before it.
type sentChange[T any] struct {
	*client.Change
	at     time.Time
	before *T              // the row; nil if it is not known
	held   map[string]bool // by ID: rows that were there; nil if they are not known
}

// Search returns the search for a change of a store's rows that is sent now, in case its answer is lost. before is the
// row before it. c.Before may be set until it is sent.
func Search[T any](a *Account, store *lists.RowStore[T], c *client.Change, before T) lists.Search[T] {
	sent := sentChange[T]{Change: c, at: a.Now()}
	switch {
	case c.Creates():
		sent.held = map[string]bool{}
		for _, row := range store.Rows() {
			sent.held[store.ID(row)] = true
		}
	case c.Op == client.OpUpdateBucketAccess, c.Op == client.OpReplaceBucketAccess:
		return lists.Search[T]{Read: readBack[T](a, *c)}
	case c.Deletes(), c.Shows():
		sent.before = &before
	default:
		return lists.Search[T]{}
	}
	return lists.Search[T]{Judge: func(now []T) lists.LookupResult[T] { return findIn(a, store, sent, now) }}
}

// FindCreated returns which of all rows of a store a creation from the journal may have made.
func FindCreated[T any](a *Account, store *lists.RowStore[T], e *journal.Entry, now []T) lists.LookupResult[T] {
	return findIn(a, store, sentChange[T]{Change: &e.Change, at: e.Time}, now)
}

// findIn tells from rows, read again, what became of a change.
//
// Rows with the label of a creation that were not there before, as far as that is known, are candidates, however alike
// and however close in time: a colleague may make the same at any moment, and the API does not say who made what.
//
// A row that is older than it was before the change comes from a replica that is behind, and tells nothing. Neither
// does one that was changed later and has the other of two states: somebody may have switched it back.
func findIn[T any](
	a *Account, store *lists.RowStore[T], c sentChange[T], now []T,
) (found lists.LookupResult[T]) {
	if c.Creates() {
		var names []string
		for _, row := range now {
			id := store.ID(row)
			if !c.held[id] && !isMadeBefore(row, c.at) && !IsReplaced(*c.Change, id) && c.MayHaveMade(row) {
				text := a.describeCandidate(*c.Change, row)
				found.Candidates, found.Descriptions = append(found.Candidates, row), append(found.Descriptions, text)
				names = append(names, client.Clean(id)+": "+text)
			}
		}
		found.Verdict, found.Text = foundCandidates(c.Resource, names)
		return found
	}
	i := slices.IndexFunc(now, func(row T) bool { return store.ID(row) == c.ID })
	switch {
	case i < 0 && c.Deletes():
		return lists.LookupResult[T]{Verdict: lists.SeenAsWanted, Gone: true, Text: "it is gone"}
	case i < 0:
		return lists.LookupResult[T]{Text: "it no longer exists"}
	}
	found.Row = now[i]
	found.Verdict, found.Text = judge(*c.Change, now[i])
	if c.before != nil {
		order := store.CompareUpdated(now[i], *c.before)
		if order < 0 || found.Verdict == lists.NotSeen && order > 0 && c.Switches() {
			found.Verdict = lists.CannotTell
		}
	}
	return found
}

// foundCandidates returns what rows tell that a creation may have made, and in words.
func foundCandidates(resource string, names []string) (lists.LookupVerdict, string) {
	if len(names) == 0 {
		return lists.NotSeen, "nothing has this label"
	}
	text := wording.Plural(len(names), resource+" has", resource+"s have") + " this label (" +
		strings.Join(names, "; ") + "); there is no way to tell whose it is"
	if resource == "key" {
		text += ", and its secret never arrived"
	}
	return lists.SeenCandidates, text
}

// judge returns what a thing, as it is now, tells of a change of it, and in words.
func judge(c client.Change, now any) (lists.LookupVerdict, string) {
	j, state := c.Judge(now), describeState(c, now)
	switch {
	case c.Deletes():
		return lists.NotSeen, "it is still there"
	case j.Made():
		return lists.SeenAsWanted, cmp.Or(state, "it has the values that were sent")
	case j.NotMade():
		return lists.NotSeen, cmp.Or(state, "it still has the old values")
	case len(j.MayBeOld) > 0:
		return lists.CannotTell, cmp.Or(state, "it has the values that were sent") +
			", but it may have been so before"
	case len(j.Other) > 0 && state != "":
		return lists.CannotTell, state + ", neither as before nor as it was sent"
	case state != "":
		return lists.CannotTell, state + ", as before"
	}
	return lists.CannotTell, "it has neither the old values nor the ones that were sent: somebody has changed it since"
}

// describeState says how a thing is that a change switches, or whose access it sets; "" for others.
func describeState(c client.Change, now any) string {
	switch now := now.(type) {
	case *client.Service:
		if c.Switches() {
			return "the service " + StatusPhrase(now.Status)
		}
	case *client.CertificateStatus:
		switch {
		case now.SSL == nil:
			return "the API does not say whether a certificate is set"
		case *now.SSL:
			return "a certificate is set"
		}
		return "no certificate is set"
	case *client.BucketAccessStatus:
		return "the access is " + now.String()
	case *client.ObjectACL:
		return "the access is " + now.ACL.String()
	}
	return ""
}

// readBack returns the read of what a change has set, for what no list shows: the access to a bucket or an object, and
// whether a certificate is set. nil if lists show it.
func readBack[T any](a *Account, c client.Change) func(context.Context) (func() lists.LookupResult[T], error) {
	cluster, rest, _ := strings.Cut(c.ID, "/")
	bucket, object, _ := strings.Cut(rest, "/")
	var read func(context.Context) (any, error)
	access := false
	switch c.Op {
	case client.OpUpdateBucketAccess, client.OpReplaceBucketAccess:
		access = true
		read = func(ctx context.Context) (any, error) { return a.API.Buckets.Access(ctx, cluster, bucket) }
	case client.OpSetObjectACL:
		read = func(ctx context.Context) (any, error) { return a.API.Objects.ACL(ctx, cluster, bucket, object) }
	case client.OpUploadCertificate, client.OpDeleteCertificate:
		read = func(ctx context.Context) (any, error) { return a.API.Certificates.Get(ctx, cluster, bucket) }
	default:
		return nil
	}
	return func(ctx context.Context) (func() lists.LookupResult[T], error) {
		var found lists.LookupResult[T]
		now, err := read(ctx)
		if access && IsNotFound(err) { // only some APIs can read it
			found.Text, err = notReturned, lists.ErrUnreadable
		} else if err == nil {
			if found.Verdict, found.Text = judge(c, now); access && found.Verdict == lists.CannotTell {
				err = lists.ErrUnreadable
			}
		}
		return func() lists.LookupResult[T] { return found }, err
	}
}

// notReturned says that readings cannot tell how a change ended, and what to do.
const notReturned = "the API does not return it; sending the same change again does no harm"
