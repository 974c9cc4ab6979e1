package account

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"lookout/client"
	"lookout/client/lists"
)

// CreateLookup says how to recognise what a create has made, after its answer was lost. Labels need not be unique, and
// somebody else may have made a row with the same one.
type CreateLookup[T any] struct {
	SameLabel func(T) bool             // whether a row has the label that was sent, so that it may be the one
	MadeAt    func(T) client.Timestamp // when a row was made; nil if the API does not tell
	Sent      any                      // the request, whose members are compared with the row's to say how it differs
	About     func(T) string           // more about a row: "reaches everything". It may be nil
}

// Describe says of a row that may be what a create has made when it was made, and how it differs from what was sent.
func (c CreateLookup[T]) Describe(a *Account, row T) string {
	var made time.Time
	if c.MadeAt != nil {
		made = c.MadeAt(row).Time()
	}
	text := describeCandidate(a, made, row, client.FlattenJSON(c.Sent))
	if c.About != nil {
		text += ", " + c.About(row)
	}
	return text
}

// describeCandidate says when an object was made, and which of the members that were sent it has with other values.
func describeCandidate(a *Account, made time.Time, row any, sent map[string]string) string {
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
	return strings.Join(parts, ", ")
}

// KeyReach says what a key reaches, and how to paint it.
func KeyReach(k *client.AccessKey) (string, Severity) {
	limited, known := k.IsLimited()
	switch {
	case !known || limited && k.Buckets == nil:
		return "unknown: the API does not report it", Warn
	case !limited:
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
	text := fmt.Sprintf(`{"limited":%t,"bucket_access":%s}`, limited, OrDefault(string(asked.Buckets), "null"))
	if json.Unmarshal([]byte(text), &wanted) != nil {
		return "reaches " + reach
	}
	if other, _ := KeyReach(&wanted); other != reach {
		return "reaches " + reach + ", not " + other
	}
	return "reaches " + reach + ", as it was sent"
}

// DescribeCredential says when support used a credential.
func DescribeCredential(a *Account, c *client.Credential) string {
	if !c.LastDecrypted.Valid() {
		return "never used by support"
	}
	return "used by support " + FormatAge(c.LastDecrypted, a.Now()) + " ago"
}

// quoteValue returns a value of a member for a sentence.
func quoteValue(text string) string {
	return ansi.Truncate(client.Clean(text), 40, "…")
}

// FindCreated returns a function that tells from all rows, read again, what a create that is sent now may have made:
// rows with its label that were not there before. They are candidates, however alike and however close in time: a
// colleague may make the same at any moment, and the API does not say who made what.
func FindCreated[T any](store *lists.RowStore[T], c CreateLookup[T]) func(now []T) lists.LookupResult[T] {
	held := map[string]bool{}
	for _, row := range store.Rows() {
		held[store.ID(row)] = true
	}
	return func(now []T) lists.LookupResult[T] {
		var candidates []T
		for _, row := range now {
			if !held[store.ID(row)] && c.SameLabel(row) {
				candidates = append(candidates, row)
			}
		}
		if len(candidates) == 0 {
			return lists.LookupResult[T]{Verdict: lists.NotSeen}
		}
		return lists.LookupResult[T]{Verdict: lists.SeenCandidates, Candidates: candidates}
	}
}

// FindUpdated returns a function that tells from all rows, read again, whether a change of a row that sends a body was
// made. before is the row as it was; values returns what of a row is compared, nil is the whole row. A row that is
// older than it was before the change comes from a replica that is behind, and tells nothing. Neither does one that was
// changed later and has the other of two states: somebody may have switched it back.
func FindUpdated[T any](
	store *lists.RowStore[T], c client.Change, body any, before T, values func(T) any,
) func(now []T) lists.LookupResult[T] {
	id := store.ID(before)
	if values == nil {
		values = func(row T) any { return row }
	}
	return func(now []T) lists.LookupResult[T] {
		i := slices.IndexFunc(now, func(row T) bool { return store.ID(row) == id })
		if i < 0 {
			return lists.LookupResult[T]{}
		}
		told, _ := verdict(c.Judge(body, values(now[i])))
		order := store.CompareUpdated(now[i], before)
		switch {
		case order < 0, told == lists.NotSeen && order > 0 && c.Switches(), told == lists.CannotTell:
			return lists.LookupResult[T]{}
		}
		return lists.FoundIf(told == lists.SeenAsWanted, now[i])
	}
}
