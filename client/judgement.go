package client

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// MaxReplicaLag is for how long after a change answers may show the state before it: no replica of the API is further
// behind. An answer that shows an earlier state after that means that the API has gone back to it.
const MaxReplicaLag = 10 * time.Minute

// A Judgement says what a thing, as it is now, shows of a change: how each of the members that the change sets compares
// with what was sent and with what was there before. A member that the change leaves as it was tells nothing and is in
// no list, and neither is one whose value must not be shown.
type Judgement struct {
	AsSent   []string
	AsBefore []string // and not as it was sent
	Other    []string // neither: somebody has changed it since, or the API keeps it in its own way
	NotSent  []string // not as it was sent, while it is not known how it was before
	MayBeOld []string // as it was sent, while it is not known how it was before
}

// Made reports whether the thing is as the change wanted it. Somebody else may have made the same change.
func (j Judgement) Made() bool {
	return len(j.AsSent) > 0 && len(j.AsBefore)+len(j.Other)+len(j.NotSent)+len(j.MayBeOld) == 0
}

// NotMade reports whether the thing is as it was before the change, as far as that is known.
func (j Judgement) NotMade() bool {
	return len(j.AsBefore)+len(j.NotSent) > 0 && len(j.AsSent)+len(j.Other)+len(j.MayBeOld) == 0
}

// Switches reports whether the change sets something that has two states.
func (c Change) Switches() bool {
	switch c.Op {
	case OpDisableService, OpEnableService, OpUploadCertificate, OpDeleteCertificate:
		return true
	}
	return false
}

// Shows reports whether what the change sets can be read again, so that it can be judged.
func (c Change) Shows() bool {
	return c.Switches() || slices.ContainsFunc(slices.Collect(maps.Values(c.members())), func(value string) bool {
		return value != ""
	})
}

// MayHaveMade reports whether a row has the label, and the place, of what a creation makes. Labels need not be unique.
func (c Change) MayHaveMade(row any) bool {
	sent, named := FlattenJSON(c.Body), map[string]string{}
	for _, member := range []string{"label", "name", "cluster"} {
		if text, given := sent[member]; given {
			named[member] = text
		}
	}
	if c.Op == OpCreateBucket && named["cluster"] == "" {
		named["region"] = sent["region"]
	}
	return c.Creates() && MembersMatch(FlattenJSON(row), named)
}

// Judge compares a thing as it is now with what the change sends and with what was there before. It is the one judge of
// changes: of the row in an answer, of what is read later, and of what is read after a restart.
func (c Change) Judge(now any) Judgement {
	var j Judgement
	sent, is, before := c.members(), FlattenJSON(now), FlattenJSON(c.Before)
	reported := func(string) bool { return true }
	switch c.Op {
	case OpUploadCertificate, OpDeleteCertificate, OpUpdateBucketAccess, OpReplaceBucketAccess, OpSetObjectACL:
		reported = func(member string) bool { return is[member] != "" && is[member] != "(empty)" }
	case OpEnableService:
		sent["status"] = monitored
		fallthrough
	case OpDisableService:
		is["status"], before["status"] = monitoringState(is["status"]), monitoringState(before["status"])
		if is["status"] == "" {
			return j
		}
	}
	same := func(member, a, b string) bool {
		return MembersMatch(map[string]string{member: a}, map[string]string{member: b})
	}
	for _, member := range slices.Sorted(maps.Keys(sent)) {
		was, wanted := before[member], sent[member]
		if was == "" && c.Switches() {
			was = otherState[wanted]
		}
		switch {
		case wanted == "" || was != "" && same(member, was, wanted):
		case !reported(member):
			j.Other = append(j.Other, member)
		case was == "" && same(member, is[member], wanted):
			j.MayBeOld = append(j.MayBeOld, member)
		case same(member, is[member], wanted):
			j.AsSent = append(j.AsSent, member)
		case was == "":
			j.NotSent = append(j.NotSent, member)
		case same(member, is[member], was):
			j.AsBefore = append(j.AsBefore, member)
		default:
			j.Other = append(j.Other, member)
		}
	}
	return j
}

// monitored stands for every status of a service that is not disabled.
const monitored = "monitored"

// otherState is the other one of two states.
var otherState = map[string]string{
	string(StatusDisabled): monitored,
	monitored:              string(StatusDisabled),
	"true":                 "false",
	"false":                "true",
}

// monitoringState returns the status of a service as what disabling and enabling it sets; a status that is not known
// stays as it is.
func monitoringState(status string) string {
	switch ServiceStatus(status) {
	case StatusOK, StatusProblem, StatusPending:
		return monitored
	}
	return status
}

// A contradiction says how the row in a successful answer differs from what was sent: "sent label "a", but the API
// answered "b"". The change may have been applied: a replica that is behind answers with the old row.
type contradiction string

// Error returns the difference.
func (c contradiction) Error() string { return string(c) }

// findContradiction compares the row in the answer to a change with what was sent; "" if they agree. A member that the
// API answers in its own way, neither as it was sent nor as it was before, does not contradict. The row that a creation
// returns is not compared: its values were not there before.
func findContradiction(change Change, body any, answer []byte) contradiction {
	change.Body = body
	sent, now := change.members(), FlattenJSON(json.RawMessage(answer))
	if change.Op == OpEnableService && now["status"] == string(StatusDisabled) {
		return "the API answered that it is still disabled"
	}
	var differences []string
	j := change.Judge(json.RawMessage(answer))
	for _, member := range slices.Sorted(slices.Values(slices.Concat(j.AsBefore, j.NotSent))) {
		if is, answered := now[member]; answered {
			differences = append(differences, fmt.Sprintf(
				"sent %s %s, but the API answered %s", member, quoteMember(sent[member]), quoteMember(is),
			))
		}
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
