package client

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A contradiction says how the row in a successful answer differs from what was sent: "sent label "a", but the API
// answered "b"". The change may have been applied: a replica that is behind answers with the old row.
type contradiction string

// Error returns the difference.
func (c contradiction) Error() string { return string(c) }

// findContradiction compares the row in the answer to a change with what was sent; "" if they agree. A member that the
// API answers in its own way, neither as it was sent nor as it was before, does not contradict. The row that a creation
// returns is not compared: its values were not there before.
func findContradiction(change Change, body any, answer []byte) contradiction {
	sent := change.members(body)
	now, before := FlattenJSON(json.RawMessage(answer)), FlattenJSON(change.Before)
	if change.Op == OpEnableService && now["status"] == string(StatusDisabled) {
		return "the API answered that it is still disabled"
	}
	var differences []string
	for _, member := range slices.Sorted(maps.Keys(sent)) {
		is, answered := now[member]
		same := func(value string) bool {
			return MembersMatch(map[string]string{member: is}, map[string]string{member: value})
		}
		was, known := before[member]
		if sent[member] == "" || !answered || same(sent[member]) || known && !same(was) {
			continue
		}
		differences = append(differences, fmt.Sprintf(
			"sent %s %s, but the API answered %s", member, quoteMember(sent[member]), quoteMember(is),
		))
	}
	return contradiction(strings.Join(differences, "; "))
}

// quoteMember returns the value of a member for a sentence.
func quoteMember(text string) string {
	if text == "(empty)" {
		return text
	}
	return `"` + truncate(strings.ReplaceAll(Clean(text), `"`, "'"), 60) + `"`
}
