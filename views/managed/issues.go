package managed

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/account"
	"lookout/views/resource"
)

// IssuesPane returns the pane of what monitoring has detected.
func IssuesPane(a *account.Account) ui.Pane {
	return &table.List[*client.Issue]{
		Title:        "issues",
		Store:        a.Issues(),
		JoinedStores: []table.JoinedStore{a.Services(), a.Contacts(), a.Instances(), a.Credentials()},
		Columns:      Issues(a).PaneColumns(),
		RowActions:   issueActions(a),
		LongTexts:    account.LongTexts[*client.Issue],
		Detail:       func(i *client.Issue, b ui.Box) string { return renderIncident(a, i, b, false) },
		Footer:       func(set *ui.Store[*client.Issue], b ui.Box) string { return issuesFoot(a, set, b) },
		CopyItems:    account.CopyItemsByID(a, "issues", "view issue", func(i *client.Issue) int { return i.ID }),
		EmptyText:    "no issues: nothing has been detected · r looks again",
		SortBy:       "age",
		BadgeFunc:    func() (string, theme.Tone) { return issuesBadge(a) },
		OnVisible:    a.FetchTickets,
	}
}

// issueActions returns the actions on an issue.
func issueActions(a *account.Account) []table.RowAction[*client.Issue] {
	return []table.RowAction[*client.Issue]{
		{
			Keys:        []string{"enter"},
			Name:        "open incident",
			Description: "what it affects and whom to call",
			ShowInHints: true,
			OpenPane:    func(i *client.Issue) ui.Pane { return IncidentPane(a, i) },
		},
		{
			Keys:        []string{"y"},
			Name:        "copy call sheet",
			ShowInHints: true,
			Message: func(i *client.Issue) tea.Msg {
				return ui.CopyMsg{Text: callSheet(a, i), Label: "call sheet"}
			},
		},
		{
			Keys: []string{"o"},
			Name: "open ticket",
			DisabledReason: func(i *client.Issue) string {
				return account.ReasonIf(ticketURL(a, i) == "", "the issue has no ticket")
			},
			Message: func(i *client.Issue) tea.Msg { return ui.OpenURLMsg{URL: ticketURL(a, i)} },
		},
	}
}

// Issues declares issues: the document's "Managed Issue".
func Issues(a *account.Account) resource.Resource[*client.Issue] {
	return resource.Resource[*client.Issue]{
		Name:        "issues",
		Singular:    "issue",
		Description: "Issues detected on monitored services",
		Examples:    []string{"issues list --limit 3", "issues get 823 -o json"},
		Argument:    "ID",
		ID:          func(i *client.Issue) string { return account.FormatID(i.ID) },
		Columns:     issueColumns(a),
		PaneOrder:   []string{"age", "created", "services", "ticket", "ticket_label"},
		List: func(ctx context.Context, _ resource.Query) iter.Seq2[*client.Issue, error] {
			return a.API.Issues.All(ctx)
		},
		Get: resource.ByID(a.API.Issues.Get),
	}
}

// issueColumns returns the columns of issues.
func issueColumns(a *account.Account) []resource.ColumnDefinition[*client.Issue] {
	type row = *client.Issue
	type column = resource.ColumnDefinition[row]
	age := account.AgeColumn(
		column{Name: "age", Pane: table.Column[row]{Width: 8}},
		theme.Plain, func(i row) client.Time { return i.Created },
	)
	age.Value = nil
	return []column{
		resource.IDColumn(func(i row) int { return i.ID }),
		age,
		{
			Name:  "created",
			Value: func(i row) string { return resource.TimeValue(i.Created) },
			Pane: table.Column[row]{
				Title:        "detected",
				Width:        12,
				DropPriority: 3,
				Cell:         table.TextCell(theme.Muted, func(i row) string { return a.FormatTimestamp(i.Created) }),
				Less:         age.Pane.Less,
			},
		},
		{
			Name:  "services",
			Value: func(i row) string { return resource.IDsValue(i.Services) },
			Pane: table.Column[row]{
				Title: "affected",
				Min:   18,
				Cell:  func(i row, b ui.Box) (string, theme.Tone) { return AffectedCell(a, i, b) },
			},
		},
		{
			Name:         "ticket",
			Value:        func(i row) string { return strconv.Itoa(i.Ticket.ID) },
			DropPriority: 2,
			Pane: table.Column[row]{
				Width:        16,
				DropPriority: 1,
				Cell:         func(i row, b ui.Box) (string, theme.Tone) { return TicketCell(a, i, b) },
			},
		},
		resource.TextColumn(
			column{Name: "ticket_label", Pane: table.Column[row]{Title: "about", Min: 16, DropPriority: 2}},
			theme.Muted, func(i row) client.Text { return i.Ticket.Label },
		),
		{Name: "ticket_url", DetailOnly: true, Value: func(i row) string { return i.Ticket.URL.Raw() }},
	}
}

// AffectedCell returns the labels of the services of an issue and the tone of the worst state among them. It calls a
// service that has not been read by its id.
func AffectedCell(a *account.Account, i *client.Issue, b ui.Box) (string, theme.Tone) {
	names := make([]string, len(i.Services))
	worst := theme.Muted
	for n, id := range i.Services {
		s, found := a.Services().Get(account.FormatID(id))
		names[n] = account.ServiceName(a, id)
		if found && s.Status == client.StatusProblem {
			worst = theme.Bad
			names[n] = b.Theme.Glyphs.Problem + " " + names[n]
		}
	}
	return account.OrDefault(account.JoinWithCommas(names), "no service named"), worst
}

// TicketCell returns the number of the ticket of an issue, and its state if that has been read.
func TicketCell(a *account.Account, i *client.Issue, _ ui.Box) (string, theme.Tone) {
	if i.Ticket.ID == 0 {
		return "", theme.Plain
	}
	state, known := a.Tickets.Lookup(i.Ticket.ID)
	if !known {
		return fmt.Sprintf("%d", i.Ticket.ID), theme.Plain
	}
	if state.IsOpen() {
		return fmt.Sprintf("%d open", i.Ticket.ID), theme.Warn
	}
	return fmt.Sprintf("%d closed", i.Ticket.ID), theme.Muted
}

// issuesBadge counts the open issues.
func issuesBadge(a *account.Account) (string, theme.Tone) {
	open := 0
	for n := range a.Issues().Len() {
		if account.IsIssueOpen(a, a.Issues().At(n)) {
			open++
		}
	}
	if open == 0 {
		return "", theme.Plain
	}
	return fmt.Sprint(open), theme.Warn
}

// issuesFoot counts the issues and those of the last day.
func issuesFoot(a *account.Account, set *ui.Store[*client.Issue], b ui.Box) string {
	text := resource.Fold(account.IssuesSince(a, b.Now.Add(-24*time.Hour)), func(day []*client.Issue) string {
		return fmt.Sprintf("%s · %d in the last 24 h", account.Pluralize(set.Len(), "issue", "issues"), len(day))
	}, func(_ []*client.Issue, s resource.JoinState) string { return s.String() })
	return b.Theme.Paint(theme.Muted, text)
}

// ticketURL returns the address of the ticket of an issue, or "" if there is none. The provider's API returns a path in
// its web console; other servers are taken to have one at their own host.
func ticketURL(a *account.Account, i *client.Issue) string {
	raw := i.Ticket.URL.Raw()
	switch {
	case raw == "":
		return ""
	case strings.HasPrefix(raw, "https://"):
		return raw
	}
	return a.API.ConsoleURL() + "/" + strings.TrimPrefix(raw, "/")
}
