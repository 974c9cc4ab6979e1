package managed

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
	"lookout/views/account"
	"lookout/views/resource"
)

func ServicesPane(a *account.Account) ui.Pane {
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
		Operations:  account.RequireScope(a, account.AccountWriteScope, ServiceOperations(a)),
		PaneActions: func() []ui.Action { return a.RequireScopeForActions(account.AccountWriteScope, newServiceAction(a)) },
		Detail:      func(s *client.Service, b ui.Box) string { return serviceDetail(a, s, b) },
		FetchOne: func(ctx context.Context, s *client.Service) (*client.Service, error) {
			return a.Api.Services.Get(ctx, s.ID)
		},
		Footer:    func(set *ui.Store[*client.Service], b ui.Box) string { return servicesFoot(a, set, b) },
		CopyItems: func(s *client.Service) []ui.CopyItem { return account.ServiceCopyItems(a, s) },
		EmptyText: "no services yet · n adds one",
		SortBy:    "label",
		BadgeFunc: func() (string, theme.Tone) { return servicesBadge(a) },
	}
}

func ServiceOperations(a *account.Account) []table.Operation[*client.Service] {
	return []table.Operation[*client.Service]{
		{
			Keys:        []string{"d"},
			Name:        "disable",
			Description: "stop monitoring for a while: asks for how long and why",
			ShowInHints: true,
			Writes:      true,
			Many:        true,
			DisabledReason: func(s *client.Service) string {
				return account.ReasonIf(s.Status == client.StatusDisabled, "already disabled")
			},
			Form: func(rows []*client.Service) form.Form { return disableForm(a, rows) },
		},
		{
			Keys:         []string{"E"},
			Name:         "enable",
			Description:  "monitor again",
			ProgressText: "enabling",
			SuccessText:  "monitoring is enabled",
			ShowInHints:  true,
			Writes:       true,
			Many:         true,
			DisabledReason: func(s *client.Service) string {
				return account.ReasonIf(s.Status != client.StatusDisabled, "not disabled")
			},
			Run: func(ctx context.Context, s *client.Service) (ui.Result[*client.Service], error) {
				return ui.ResultRow(a.Api.Services.Enable(contextWithService(ctx, s), s.ID))
			},
			Recheck: enableOutcome,
			Undo:    "disable",
		},
		{
			Keys:      []string{"t"},
			Name:      "toggle monitoring",
			Writes:    true,
			OpensView: true,
			Cmd:       func(s *client.Service) tea.Cmd { return toggleMonitoring(a, s) },
		},
		{
			Keys:        []string{"e"},
			Name:        "edit",
			ShowInHints: true,
			Writes:      true,
			Form:        func(rows []*client.Service) form.Form { return editServiceForm(a, rows[0]) },
		},
		{
			Keys:         []string{"D"},
			Name:         "delete",
			Description:  "monitoring stops for good",
			ProgressText: "deleting",
			SuccessText:  "deleted",
			Writes:       true,
			Many:         true,
			Confirm:      confirmDeleteService,
			Run: func(ctx context.Context, s *client.Service) (ui.Result[*client.Service], error) {
				return ui.ResultDeleted[*client.Service](a.Api.Services.Delete(contextWithService(ctx, s), s.ID))
			},
		},
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

// contextWithService names the service in the journal.
func contextWithService(ctx context.Context, s *client.Service) context.Context {
	ctx = client.ContextWithBefore(ctx, serviceSnapshot(s))
	return client.ContextWithResource(ctx, "service", account.FormatID(s.ID), s.Label.String())
}

func enableOutcome(now *client.Service, found bool) ui.AttemptOutcome {
	switch {
	case !found:
		return ui.Rejected
	case now.Status == client.StatusDisabled:
		return ui.Rejected
	}
	return ui.Applied
}

func disableOutcome(now *client.Service, found bool) ui.AttemptOutcome {
	if found && now.Status == client.StatusDisabled {
		return ui.Applied
	}
	return ui.Rejected
}

func confirmDeleteService(s *client.Service) *ui.Confirmation {
	return &ui.Confirmation{
		Title: "Delete service",
		Text: fmt.Sprintf(
			"Service %q (id %d, %s) is removed for good: monitoring stops and nobody is alerted about it any more.",
			s.Label,
			s.ID,
			s.Address,
		),
		RequiredText: s.Label.String(),
		ConfirmLabel: "delete",
	}
}

// toggleMonitoring is enable for what is disabled, and the question of disabling for the rest.
func toggleMonitoring(a *account.Account, s *client.Service) tea.Cmd {
	if s.Status != client.StatusDisabled {
		return ui.Send(form.OpenFormMsg{Form: disableForm(a, []*client.Service{s})})
	}
	return ui.Send(ui.RunActionMsg{Action: ui.Action{
		Key:        ui.Bind("enable", "t"),
		TargetName: s.Label.String(),
		Writes:     true,
		Do:         func() tea.Cmd { return enableServices(a, []*client.Service{s}, "") },
	}})
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

func servicesFoot(a *account.Account, set *ui.Store[*client.Service], b ui.Box) string {
	return StateCounts(a, b)
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

// isPrivateAddress reports whether an address is one that needs a region: a private IP, alone, with a port, or as a
// URL's host. The document names only "a private IP": RFC 1918 and the unique local IPv6 range are meant.
func isPrivateAddress(address string) bool {
	host := address
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		host = u.Host
	}
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ip.IsPrivate()
	}
	if ap, err := netip.ParseAddrPort(host); err == nil {
		return ap.Addr().IsPrivate()
	}
	return false
}

// serviceSnapshot is a service as the journal keeps it beside a change.
func serviceSnapshot(s *client.Service) client.Patch {
	was := client.Diff(client.ServiceRequest{}, s.Request())
	was["status"] = s.Status
	return was
}
