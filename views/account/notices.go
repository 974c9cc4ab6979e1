package account

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
)

// The rules of notices.
const (
	RuleServiceLeavesOK = "service leaves ok"
	RuleNewIssue        = "new issue"
)

// noticeState is what the last call of Notices saw, so that each change is reported once.
type noticeState struct {
	servicesVersion, issuesVersion int // versions of the stores
	statuses                       map[int]client.ServiceStatus
	knownIssues                    map[int]bool
}

// noticePollInterval is the age at which services and issues are read again while other panes are in front.
const noticePollInterval = time.Minute

// RefreshNoticeSources reads services and issues again if they are older than noticePollInterval.
func RefreshNoticeSources(a *Account) tea.Cmd {
	return tea.Batch(
		RefreshIfOlder(a, a.Services(), noticePollInterval), RefreshIfOlder(a, a.Issues(), noticePollInterval),
	)
}

// Notices returns the changes since the last call that the user should know of, and reads the tickets on which it
// depends whether an incident is over. The first rows are not a change.
func Notices(a *Account) ([]ui.Notification, tea.Cmd) {
	var all []ui.Notification
	if set := a.Services(); set.Complete() && set.Version() != a.noticeState.servicesVersion {
		a.noticeState.servicesVersion = set.Version()
		all = append(all, serviceNotices(a, set.Rows())...)
	}
	if set := a.Issues(); set.Complete() && set.Version() != a.noticeState.issuesVersion {
		a.noticeState.issuesVersion = set.Version()
		all = append(all, issueNotices(a, set.Rows())...)
	}
	return all, fetchUnresolvedTickets(a)
}

// serviceNotices reports services that were ok and are not any more.
func serviceNotices(a *Account, rows []*client.Service) []ui.Notification {
	before, now := a.noticeState.statuses, make(map[int]client.ServiceStatus, len(rows))
	var names []string
	for _, s := range rows {
		now[s.ID] = s.Status
		if before[s.ID] == client.StatusOK && deservesNotice(a, s) {
			names = append(names, s.Label.String()+" "+StatusPhrase(s.Status))
		}
	}
	a.noticeState.statuses = now
	if len(names) == 0 {
		return nil
	}
	return []ui.Notification{{Rule: RuleServiceLeavesOK, Tone: theme.Bad, Text: summarizeList(names)}}
}

// deservesNotice reports whether a status is neither ok, nor pending, nor chosen on this machine.
func deservesNotice(a *Account, s *client.Service) bool {
	_, ours := a.Journal.DisabledService(FormatID(s.ID))
	return s.Status != client.StatusOK && s.Status != client.StatusPending &&
		!(s.Status == client.StatusDisabled && ours)
}

// issueNotices reports new issues.
func issueNotices(a *Account, rows []*client.Issue) []ui.Notification {
	before, now := a.noticeState.knownIssues, make(map[int]bool, len(rows))
	var texts []string
	for _, i := range rows {
		now[i.ID] = true
		if before != nil && !before[i.ID] {
			names := make([]string, len(i.Services))
			for n, id := range i.Services {
				names[n] = ServiceName(a, id)
			}
			texts = append(
				texts, fmt.Sprintf("new issue %d: %s", i.ID, OrDefault(JoinWithCommas(names), "no service named")),
			)
		}
	}
	a.noticeState.knownIssues = now
	if len(texts) == 0 {
		return nil
	}
	return []ui.Notification{{Rule: RuleNewIssue, Tone: theme.Warn, Text: summarizeList(texts)}}
}

// summarizeList returns a list in one line: the first few texts, and how many more there are.
func summarizeList(texts []string) string {
	const most = 4
	if len(texts) > most {
		return strings.Join(texts[:most], " · ") + fmt.Sprintf(" · and %d more", len(texts)-most)
	}
	return strings.Join(texts, " · ")
}
