package managed

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/account"
	"lookout/views/resource"
)

// ServicesPane returns the pane of what is monitored.
func ServicesPane(a *account.Account) ui.Pane {
	changes := serviceRunner(a)
	return &table.List[*client.Service]{
		Title:        "services",
		Store:        a.Services(),
		JoinedStores: []table.JoinedStore{a.Issues(), a.Contacts(), a.Credentials(), a.Instances()},
		Columns:      serviceColumns(a),
		RowActions:   serviceActions(a, changes),
		PaneActions:  changes.NewActions,
		LongTexts:    account.LongTexts[*client.Service],
		Detail:       func(s *client.Service, b ui.Box) string { return serviceDetail(a, s, b) },
		FetchOne:     changes.FetchOne,
		Footer:       func(_ *ui.Store[*client.Service], b ui.Box) string { return StateCounts(a, b) },
		CopyItems:    func(s *client.Service) []ui.CopyItem { return account.ServiceCopyItems(a, s) },
		EmptyText:    "no services yet · n adds one",
		SortBy:       "label",
		BadgeFunc:    func() (string, theme.Tone) { return servicesBadge(a) },
	}
}

// serviceColumns returns the columns of the services pane.
func serviceColumns(a *account.Account) []table.Column[*client.Service] {
	return []table.Column[*client.Service]{
		serviceStateColumn(),
		{
			Title: "label",
			Min:   14,
			Cell:  table.TextCell(theme.Strong, func(s *client.Service) string { return s.Label.String() }),
		},
		{
			Title:        "type",
			Width:        4,
			DropPriority: 4,
			Cell:         table.TextCell(theme.Muted, func(s *client.Service) string { return s.Type.String() }),
		},
		{
			Title:        "address",
			Min:          16,
			DropPriority: 1,
			Cell:         table.TextCell(theme.Plain, func(s *client.Service) string { return s.Address.String() }),
		},
		{
			Title:        "timeout",
			Width:        7,
			AlignRight:   true,
			DropPriority: 5,
			Cell: table.TextCell(
				theme.Muted,
				func(s *client.Service) string { return fmt.Sprintf("%d s", s.Timeout) },
			),
			Less: func(s, t *client.Service) bool { return s.Timeout < t.Timeout },
		},
		{
			Title:        "group",
			Width:        10,
			DropPriority: 3,
			Cell:         table.TextCell(theme.Plain, func(s *client.Service) string { return s.Group.String() }),
		},
		{
			Title:        "open issue",
			Width:        14,
			DropPriority: 2,
			Cell:         func(s *client.Service, b ui.Box) (string, theme.Tone) { return OpenIssueCell(a, s, b) },
		},
		{
			Title:        "updated",
			Width:        8,
			AlignRight:   true,
			DropPriority: 6,
			Cell: func(s *client.Service, b ui.Box) (string, theme.Tone) {
				return account.FormatAge(s.Updated, b.Now), theme.Muted
			},
			Less: func(s, t *client.Service) bool { return t.Updated.Time().Before(s.Updated.Time()) },
		},
	}
}

// serviceStateColumn returns the column of the state, which sorts what needs attention first.
func serviceStateColumn() table.Column[*client.Service] {
	return table.Column[*client.Service]{
		Title: "state",
		Width: 10,
		Cell: func(s *client.Service, b ui.Box) (string, theme.Tone) {
			return account.FormatStatus(s.Status, b.Theme)
		},
		Less: func(s, t *client.Service) bool {
			return account.StatusRank(s.Status) < account.StatusRank(t.Status)
		},
	}
}

// serviceActions returns all actions on a service.
func serviceActions(a *account.Account, changes account.Runner[*client.Service]) []table.RowAction[*client.Service] {
	actions := append(changes.RowActions(), changes.Toggle("t", "toggle monitoring", "disable", "enable"))
	return append(actions, ServiceShortcuts(a)...)
}

// ServiceShortcuts returns the actions on a service that change nothing.
func ServiceShortcuts(a *account.Account) []table.RowAction[*client.Service] {
	return []table.RowAction[*client.Service]{
		{
			Keys:        []string{"i"},
			Name:        "open issue",
			Description: "to the newest issue of this service",
			DisabledReason: func(s *client.Service) string {
				return account.WhyNone(a.IssuesOfService(s.ID), "no issue names this service")
			},
			Message: func(s *client.Service) tea.Msg {
				issue, open := account.NewestIssue(a, s.ID)
				if !open {
					return ui.NewsMsg{Tone: theme.Warn, Text: "no issue names this service any more"}
				}
				return ui.GoToMsg{Pane: "issues", ID: account.FormatID(issue.ID)}
			},
		},
		account.FollowReference(func(s *client.Service) resource.Joined[account.Reference] {
			return account.ServiceReferences(a, s)
		}),
	}
}

// servicesBadge counts the services that have a problem.
func servicesBadge(a *account.Account) (string, theme.Tone) {
	problems := a.ServiceCountByStatus()[client.StatusProblem]
	if problems == 0 {
		return "", theme.Plain
	}
	return fmt.Sprintf("%d!", problems), theme.Bad
}

// OpenIssueCell says for how long a service has been disabled, or which issue of it is open since when.
func OpenIssueCell(a *account.Account, s *client.Service, b ui.Box) (string, theme.Tone) {
	if since, forgot := DisabledAge(a, s); since != "" {
		if forgot {
			return "off " + since, theme.Warn
		}
		return "off " + since, theme.Off
	}
	open := func(issues []*client.Issue) string {
		if len(issues) == 0 || s.Status != client.StatusProblem && !account.IsIssueOpen(a, issues[0]) {
			return ""
		}
		return fmt.Sprintf("%d · %s", issues[0].ID, account.FormatAge(issues[0].Created, b.Now))
	}
	return resource.Cell(a.IssuesOfService(s.ID), b.Theme.Glyphs.Ellipsis, open), theme.Warn
}

// StateCounts counts the services by state, problems first: "▲ 1 problem  ● 11 ok".
func StateCounts(a *account.Account, b ui.Box) string {
	counts := a.ServiceCountByStatus()
	order := slices.SortedFunc(
		maps.Keys(counts),
		func(x, y client.ServiceStatus) int {
			return cmp.Or(account.StatusRank(x)-account.StatusRank(y), cmp.Compare(x, y))
		},
	)
	parts := make([]string, len(order))
	for i, status := range order {
		word, tone := account.FormatStatus(status, b.Theme)
		shape, word, _ := strings.Cut(word, " ")
		parts[i] = b.Theme.Paint(tone, fmt.Sprintf("%s %d %s", shape, counts[status], word))
	}
	return strings.Join(parts, "   ")
}
