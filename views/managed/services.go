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
		Columns: []table.Column[*client.Service]{
			{
				Title: "state",
				Width: 10,
				Cell:  func(s *client.Service, b ui.Box) (string, theme.Tone) { return account.FormatStatus(s.Status, b.Theme) },
				Less:  func(s, t *client.Service) bool { return account.StatusRank(s.Status) < account.StatusRank(t.Status) },
			},
			{
				Title: "label",
				Min:   14,
				Cell:  func(s *client.Service, _ ui.Box) (string, theme.Tone) { return s.Label.String(), theme.Strong },
			},
			{
				Title:        "type",
				Width:        4,
				DropPriority: 4,
				Cell:         func(s *client.Service, _ ui.Box) (string, theme.Tone) { return s.Type.String(), theme.Muted },
			},
			{
				Title:        "address",
				Min:          16,
				DropPriority: 1,
				Cell:         func(s *client.Service, _ ui.Box) (string, theme.Tone) { return s.Address.String(), theme.Plain },
			},
			{
				Title:        "timeout",
				Width:        7,
				AlignRight:   true,
				DropPriority: 5,
				Cell: func(s *client.Service, _ ui.Box) (string, theme.Tone) {
					return fmt.Sprintf("%d s", s.Timeout), theme.Muted
				},
				Less: func(s, t *client.Service) bool { return s.Timeout < t.Timeout },
			},
			{
				Title:        "group",
				Width:        10,
				DropPriority: 3,
				Cell:         func(s *client.Service, _ ui.Box) (string, theme.Tone) { return s.Group.String(), theme.Plain },
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
		},
		RowActions:  serviceOperations(a, changes),
		PaneActions: changes.NewActions,
		Detail:      func(s *client.Service, b ui.Box) string { return serviceDetail(a, s, b) },
		FetchOne:    changes.FetchOne,
		Footer:      func(_ *ui.Store[*client.Service], b ui.Box) string { return StateCounts(a, b) },
		CopyItems:   func(s *client.Service) []ui.CopyItem { return account.ServiceCopyItems(a, s) },
		EmptyText:   "no services yet · n adds one",
		SortBy:      "label",
		BadgeFunc:   func() (string, theme.Tone) { return servicesBadge(a) },
	}
}

// serviceOperations are all actions on a service.
func serviceOperations(
	a *account.Account,
	changes account.Runner[*client.Service],
) []table.RowAction[*client.Service] {
	operations := append(changes.RowActions(), changes.Toggle("t", "toggle monitoring", "disable", "enable"))
	return append(operations, ServiceShortcuts(a)...)
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

func servicesBadge(a *account.Account) (string, theme.Tone) {
	problems := a.ServiceCountByStatus()[client.StatusProblem]
	if problems == 0 {
		return "", theme.Plain
	}
	return fmt.Sprintf("%d!", problems), theme.Bad
}

// openIssueCell is for how long a service has been switched off, or the issue that is open.
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

// stateCounts is the account's services by state, problems first: "▲ 1 problem  ● 11 ok".
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

// serviceDetail is everything about a service, with the names of what it refers to.
func serviceDetail(a *account.Account, s *client.Service, b ui.Box) string {
	t := account.NewDetailWriter(b)
	state, tone := account.FormatStatus(s.Status, b.Theme)
	t.Title(s.Label.String())
	t.Field("state", state, tone)
	if hold, ok := describeMaintenance(a, s.ID); ok && s.Status == client.StatusDisabled {
		t.Field("disabled", hold, theme.Warn)
	} else if d, known := disabledFor(a, s); known && s.Status == client.StatusDisabled {
		t.Field("disabled", "for "+ui.FormatAge(d)+", by its last change", theme.Warn)
	}
	t.Field("type", s.Type.String(), theme.Plain)
	t.Field("address", s.Address.String(), theme.Plain)
	t.Field("timeout", fmt.Sprintf("%d s", s.Timeout), theme.Plain)
	t.Field("expects", account.OrDefault(s.Body.String(), "any answer"), theme.Plain)
	writeGroup(a, t, s)
	t.Field("credentials", resource.Names(a.CredentialLabels(s.Credentials), strings.Clone, "none"), theme.Plain)
	t.Field("region", account.OrDefault(s.Region.String(), "public address"), theme.Plain)
	t.Field("created", a.FormatTimestamp(s.Created), theme.Muted)
	t.Field("updated", a.FormatTimestamp(s.Updated), theme.Muted)
	writeServiceIssues(a, t, s)
	if s.Notes.String() != "" {
		t.Heading("notes")
		t.ServerText(s.Notes.Raw())
	}
	return t.String()
}

// writeGroup writes the group that is called about a service, with its contacts.
func writeGroup(a *account.Account, t *account.DetailWriter, s *client.Service) {
	if s.Group.Raw() == "" {
		t.Field("group", "nobody is named", theme.Plain)
		return
	}
	t.Field("group", s.Group.String(), theme.Plain)
	contacts := a.ContactsInGroup(s.Group.Raw())
	for _, c := range resource.Found(contacts) {
		t.FieldParts("", contactParts(c), theme.Plain)
	}
	if remark := resource.Remark(contacts, "no contact is in the group"); remark != "" {
		t.Field("", remark, theme.Warn)
	}
}

// writeServiceIssues writes the newest issues of a service, if there are any.
func writeServiceIssues(a *account.Account, t *account.DetailWriter, s *client.Service) {
	issues := a.IssuesOfService(s.ID)
	found := resource.Found(issues)
	switch {
	case len(found) > 0:
		t.Heading(fmt.Sprintf("issues · %d in the list", len(found)))
	case issues.State().Kind != resource.Known:
		t.Heading("issues")
	}
	for _, issue := range found[:min(5, len(found))] {
		t.TruncatedField(a.FormatTimestamp(issue.Created), issue.Ticket.Label.String(), theme.Plain)
	}
	if issues.State().Kind != resource.Known {
		t.Paragraph(issues.State().String(), theme.Warn)
	}
}
