package views

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
)

func (a *Account) issues() *ui.Store[*client.Issue] {
	return sharedStore(
		a,
		"issues",
		func(i *client.Issue) string { return formatID(i.ID) },
		pageFetcher(a.api.Issues.List),
	)
}

func issuesPane(a *Account) ui.Pane {
	return &table.List[*client.Issue]{
		Title:        "issues",
		Store:        a.issues(),
		JoinedStores: []table.JoinedStore{a.services(), a.contacts(), a.instances(), a.credentials()},
		Columns: []table.Column[*client.Issue]{
			{
				Title:      "age",
				Width:      8,
				AlignRight: true,
				Cell:       func(i *client.Issue, b ui.Box) (string, theme.Tone) { return formatAge(i.Created, b.Now), theme.Plain },
				Less:       isNewerIssue,
			},
			{
				Title:        "detected",
				Width:        12,
				DropPriority: 3,
				Cell:         func(i *client.Issue, _ ui.Box) (string, theme.Tone) { return a.formatTimestamp(i.Created), theme.Muted },
				Less:         isNewerIssue,
			},
			{
				Title: "affected",
				Min:   18,
				Cell:  func(i *client.Issue, b ui.Box) (string, theme.Tone) { return affectedCell(a, i, b) },
			},
			{
				Title:        "ticket",
				Width:        16,
				DropPriority: 1,
				Cell:         func(i *client.Issue, p1 ui.Box) (string, theme.Tone) { return ticketCell(a, i, p1) },
			},
			{
				Title:        "about",
				Min:          16,
				DropPriority: 2,
				Cell:         func(i *client.Issue, _ ui.Box) (string, theme.Tone) { return i.Ticket.Label.String(), theme.Muted },
			},
		},
		Operations: []table.Operation[*client.Issue]{
			{
				Keys:        []string{"enter"},
				Name:        "open incident",
				Description: "what it touches and whom to call",
				ShowInHints: true,
				OpenPane:    func(i *client.Issue) ui.Pane { return incidentPane(a, i) },
			},
			{
				Keys:        []string{"y"},
				Name:        "copy call sheet",
				ShowInHints: true,
				Message:     func(i *client.Issue) tea.Msg { return ui.CopyMsg{Text: callSheet(a, i), Label: "call sheet"} },
			},
			{
				Keys:           []string{"o"},
				Name:           "open ticket",
				DisabledReason: func(i *client.Issue) string { return reasonIf(ticketURL(a, i) == "", "the issue names no ticket") },
				Message:        func(i *client.Issue) tea.Msg { return ui.OpenURLMsg{URL: ticketURL(a, i)} },
			},
		},
		Detail:    func(i *client.Issue, b ui.Box) string { return renderIncident(a, i, b, false) },
		Footer:    func(set *ui.Store[*client.Issue], b ui.Box) string { return issuesFoot(a, set, b) },
		CopyItems: copyItemsByID(a, "issues", "view issue", func(i *client.Issue) int { return i.ID }),
		EmptyText: "no issues: nothing has been detected · r looks again",
		SortBy:    "age",
		BadgeFunc: func() (string, theme.Tone) { return issuesBadge(a) },
		OnVisible: a.fetchTickets,
	}
}

func isNewerIssue(i, j *client.Issue) bool { return i.Created.Time().After(j.Created.Time()) }

// affectedCell names the services of an issue with the worst state among them, never their numbers where the names are
// known.
func affectedCell(a *Account, i *client.Issue, b ui.Box) (string, theme.Tone) {
	names := make([]string, len(i.Services))
	worst := theme.Muted
	for n, id := range i.Services {
		s, found := a.services().Get(formatID(id))
		names[n] = serviceName(a, id)
		if found && s.Status == client.StatusProblem {
			worst = theme.Bad
			names[n] = b.Theme.Glyphs.Problem + " " + names[n]
		}
	}
	return orDefault(joinWithCommas(names), "no service named"), worst
}

// serviceName is a service's label; #7 until the services have arrived, and said to be gone once they are known without
// it.
func serviceName(a *Account, id int) string {
	s, found := a.services().Get(formatID(id))
	switch {
	case found:
		return s.Label.String()
	case a.services().Complete():
		return fmt.Sprintf("#%d (deleted)", id)
	}
	return fmt.Sprintf("#%d", id)
}

func ticketCell(a *Account, i *client.Issue, _ ui.Box) (string, theme.Tone) {
	if i.Ticket.ID == 0 {
		return "", theme.Plain
	}
	state, known := a.tickets.lookup(i.Ticket.ID)
	if !known {
		return fmt.Sprintf("%d", i.Ticket.ID), theme.Plain
	}
	if state.IsOpen() {
		return fmt.Sprintf("%d open", i.Ticket.ID), theme.Warn
	}
	return fmt.Sprintf("%d closed", i.Ticket.ID), theme.Muted
}

// isIssueOpen reports whether an issue is still to be dealt with: its ticket is not closed where that is known,
// else it is the newest issue of a service that is in the state problem.
func isIssueOpen(a *Account, i *client.Issue) bool {
	if state, known := a.tickets.lookup(i.Ticket.ID); known {
		return state.IsOpen()
	}
	return slices.ContainsFunc(i.Services, func(id int) bool {
		s, found := a.services().Get(formatID(id))
		newest, known := newestIssue(a, id)
		return found && s.Status == client.StatusProblem && known && newest.ID == i.ID
	})
}

func issuesBadge(a *Account) (string, theme.Tone) {
	open := 0
	for n := range a.issues().Len() {
		if isIssueOpen(a, a.issues().At(n)) {
			open++
		}
	}
	if open == 0 {
		return "", theme.Plain
	}
	return fmt.Sprint(open), theme.Warn
}

func issuesFoot(a *Account, set *ui.Store[*client.Issue], b ui.Box) string {
	day := len(issuesSince(a, b.Now.Add(-24*time.Hour)))
	return b.Theme.Paint(
		theme.Muted,
		fmt.Sprintf("%s · %d in the last 24 h", pluralize(set.Len(), "issue", "issues"), day),
	)
}

func issuesSince(a *Account, t time.Time) []*client.Issue {
	rows := newestFirst(a)
	n := slices.IndexFunc(rows, func(i *client.Issue) bool { return i.Created.Time().Before(t) })
	if n < 0 {
		n = len(rows)
	}
	return rows[:n:n]
}

// newestFirst are all issues, the latest detection first.
func newestFirst(a *Account) []*client.Issue {
	return memo(a, "issues newest first", func() []*client.Issue {
		rows := a.issues().Rows()
		slices.SortStableFunc(rows, func(i, j *client.Issue) int {
			return cmp.Or(j.Created.Time().Compare(i.Created.Time()), j.ID-i.ID)
		})
		return rows
	}, a.issues())
}

func newestIssue(a *Account, service int) (*client.Issue, bool) {
	if issues := a.issuesOfService(service); len(issues) > 0 {
		return issues[0], true
	}
	return nil, false
}

// ticketURL is where the issue's ticket can be read. The real service gives a path of its web console;
// elsewhere a path is taken relative to the API's own host.
func ticketURL(a *Account, i *client.Issue) string {
	raw := i.Ticket.URL.Raw()
	switch {
	case raw == "":
		return ""
	case strings.HasPrefix(raw, "https://"):
		return raw
	}
	return a.api.ConsoleURL() + "/" + strings.TrimPrefix(raw, "/")
}

func pluralize(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
