package account

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"lookout/client"
	"lookout/client/account/incident"
	"lookout/client/wording"
)

// The rules of notices.
const (
	RuleServiceLeavesOK = "service leaves ok"
	RuleNewIssue        = "new issue"
	RuleRecovered       = "service recovers"
	RuleChangeByOthers  = "change by others"
)

// noticePollInterval is the age at which services and issues are read again while other panes are in front.
const noticePollInterval = time.Minute

// RefreshNoticeSources reads services and issues again if they are older than noticePollInterval.
func (a *Account) RefreshNoticeSources() {
	a.RefreshIfOlder(a.Services(), noticePollInterval)
	a.RefreshIfOlder(a.Issues(), noticePollInterval)
}

// Notices returns the changes since the last call that the user should know of. It remembers what was seen, and reads
// the tickets on which it depends whether an incident is over, unless refreshing is paused.
func (a *Account) Notices(paused bool) []Notice {
	all := a.ListNotices()
	if a.saveMemory(); !paused {
		a.fetchUnresolvedTickets()
	}
	return all
}

// ListNotices is Notices for an account of which only services and issues are read. It keeps what was seen only while
// lookout runs.
func (a *Account) ListNotices() []Notice {
	a.Observe()
	m := &a.memory
	var all []Notice
	if m.err != nil && !m.reported {
		text := m.err.Error() + " · nothing from earlier runs is known"
		if m.file.Path() == "" {
			text += ", and nothing is remembered"
		}
		all = append(all, Notice{Tone: Warn, Text: text})
		m.reported = true
	}
	all = append(all, describeDifferences(m.byOthers)...)
	m.byOthers = nil
	if set := a.Issues(); set.Complete() && set.Version() != m.issues {
		m.issues = set.Version()
		all = append(all, a.issueNotices(set.Rows())...)
	}
	return all
}

// issueNotices reports new issues.
func (a *Account) issueNotices(rows []*client.Issue) []Notice {
	var texts []string
	for _, i := range a.memory.observations().ObserveIssues(rows, a.Now().Round(0).UTC()) {
		names := make([]string, len(i.Services))
		for n, id := range i.Services {
			names[n] = a.QuotedService(id)
		}
		texts = append(
			texts, fmt.Sprintf("new issue %d: %s", i.ID, cmp.Or(JoinWithCommas(names), "no service named")),
		)
	}
	return notices(RuleNewIssue, Warn, texts)
}

// notices returns messages that hold all texts, a few in each.
func notices(rule string, tone Severity, texts []string) []Notice {
	const most = 4
	var all []Notice
	for some := range slices.Chunk(texts, most) {
		all = append(all, Notice{Rule: rule, Tone: tone, Text: strings.Join(some, " · ")})
	}
	return all
}

// A phrase is how a kind of difference is reported.
type phrase struct {
	kind      incident.ServiceChangeKind
	rule      string
	tone      Severity
	one, many string // what follows one label, and several
}

// phrases are the phrases in the order of their urgency.
func phrases() []phrase {
	const unknown = "a status that lookout does not know"
	return []phrase{
		{incident.Failed, RuleServiceLeavesOK, Bad, "has a problem", "have a problem"},
		{incident.OddStatus, RuleServiceLeavesOK, Bad, "has " + unknown, "have " + unknown},
		{incident.Disabled, RuleServiceLeavesOK, Warn, "was disabled elsewhere", "were disabled elsewhere"},
		{incident.Enabled, RuleChangeByOthers, Info, "was enabled elsewhere", "were enabled elsewhere"},
		{incident.Healed, RuleRecovered, Good, "is ok again", "are ok again"},
		{incident.Edited, RuleChangeByOthers, Info, "was edited elsewhere", "were edited elsewhere"},
		{incident.Created, RuleChangeByOthers, Info, "was added elsewhere", "were added elsewhere"},
		{incident.Deleted, RuleChangeByOthers, Warn, "was deleted elsewhere", "were deleted elsewhere"},
	}
}

// describeDifferences returns messages that name every service that differs, those with the same kind of difference
// together.
func describeDifferences(found []incident.ServiceChange) []Notice {
	const most = 20 // names in one status message
	var all []Notice
	for _, p := range phrases() {
		var names []string
		for _, d := range found {
			if d.Kind == p.kind {
				names = append(names, nameDifference(d))
			}
		}
		for some := range slices.Chunk(names, most) {
			verb := p.one
			if len(some) > 1 {
				verb = p.many
			}
			all = append(all, Notice{Rule: p.rule, Tone: p.tone, Text: JoinWithCommas(some) + " " + verb})
		}
	}
	return all
}

// nameDifference returns the label of a service with what was edited, or its new status.
func nameDifference(d incident.ServiceChange) string {
	name, detail := wording.Quoted(d.Label), JoinWithCommas(d.Fields)
	if d.Kind == incident.OddStatus {
		detail = wording.Quoted(d.Status.String())
	}
	if detail == "" {
		return name
	}
	return name + " (" + detail + ")"
}
