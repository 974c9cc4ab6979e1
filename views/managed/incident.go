package managed

import (
	"context"
	"fmt"
	"slices"
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

// incidentView is everything that somebody on call needs about one issue on one screen, joined from what is already
// loaded.
type incidentView struct {
	a       *account.Account
	id      string
	issue   *client.Issue // as opened; the set's newer row is shown where it has one
	fetched bool          // read by itself since it was opened
	scroll  ui.Viewport
}

func IncidentPane(a *account.Account, i *client.Issue) ui.Pane {
	return &incidentView{a: a, id: account.FormatID(i.ID), issue: i}
}

// Name makes the incident's actions part of the issues.
func (p *incidentView) Name() string { return "incident" }

// Crumb says which issue.
func (p *incidentView) Crumb() string { return "issue " + p.id }

// Freshness is as fresh as what it joins.
func (p *incidentView) Freshness() ui.Freshness {
	return p.a.Issues().Freshness().Worst(p.a.Services().Freshness())
}

// joinedStores returns the lists that the incident joins with. Its issue is read by itself, the others only once.
func (p *incidentView) joinedStores() table.JoinedStores {
	a := p.a
	return table.JoinedStores{a.Services(), a.Contacts(), a.Instances(), a.Credentials(), a.Stats()}
}

// MissingLists names the lists that the incident lacks.
func (p *incidentView) MissingLists() []string {
	return append(p.joinedStores(), p.a.Issues()).Missing()
}

// Refresh reads the issue and what it joins with.
func (p *incidentView) Refresh() tea.Cmd {
	return tea.Batch(p.joinedStores().Refresh(), p.fetchIssue())
}

// Poll is Refresh that lets reads under way finish.
func (p *incidentView) Poll() tea.Cmd { return tea.Batch(p.joinedStores().Poll(), p.fetchIssue()) }

// fetchIssue reads the issue by itself: cheaper than the list of all, and the list's row serves where it fails.
func (p *incidentView) fetchIssue() tea.Cmd {
	p.fetched = true
	id := p.issue.ID
	return p.a.Issues().ReloadRow(
		p.id,
		func(ctx context.Context) (*client.Issue, error) { return p.a.API.Issues.Get(ctx, id) },
		func(err error) tea.Cmd {
			if err != nil {
				return ui.ShowNews(theme.Warn, "issue "+p.id+" could not be read by itself: "+ui.Reason(err))
			}
			return nil
		},
	)
}

// LoadMissing asks for what the frame lacks.
func (p *incidentView) LoadMissing() tea.Cmd {
	var look tea.Cmd
	if !p.fetched {
		look = p.fetchIssue()
	}
	return tea.Batch(
		look,
		p.joinedStores().EnsureLoaded(),
		p.a.Issues().EnsureLoaded(),
		p.a.FetchTickets([]*client.Issue{p.currentIssue()}),
	)
}

// Update scrolls.
func (p *incidentView) Update(msg tea.Msg) tea.Cmd { return p.scroll.Update(msg) }

// currentIssue is the issue as last read.
func (p *incidentView) currentIssue() *client.Issue {
	if i, found := p.a.Issues().Get(p.id); found {
		p.issue = i
	}
	return p.issue
}

// Actions are what can be done from here.
func (p *incidentView) Actions() []ui.Action {
	i := p.currentIssue()
	acts := []ui.Action{
		{
			Key:         ui.Bind("copy call sheet", "y"),
			ShowInHints: true,
			Do:          func() tea.Cmd { return ui.Send(ui.CopyMsg{Text: callSheet(p.a, i), Label: "call sheet"}) },
		},
		{
			Key:            ui.Bind("copy a line", "Y"),
			Description:    "phone numbers, mail addresses and ssh lines, one key each",
			ShowInHints:    true,
			DisabledReason: whyNothingToCopy(p.a, i),
			Do:             func() tea.Cmd { return ui.Send(ui.Menu{Title: "Copy", Actions: incidentCopyActions(p.a, i)}) },
		},
		{
			Key:            ui.Bind("open ticket", "o"),
			ShowInHints:    true,
			DisabledReason: account.ReasonIf(ticketURL(p.a, i) == "", "the issue names no ticket"),
			Do:             func() tea.Cmd { return ui.Send(ui.OpenURLMsg{URL: ticketURL(p.a, i)}) },
		},
		{
			Key:            ui.Bind("go to service", "enter"),
			ShowInHints:    true,
			DisabledReason: account.ReasonIf(len(i.Services) == 0, "the issue names no service"),
			Do:             func() tea.Cmd { return goToService(p.a, i) },
		},
		{
			Key:            ui.Bind("follow a name", "f"),
			Description:    "to the pane of what stands here; ctrl+o comes back",
			ShowInHints:    true,
			DisabledReason: account.WhyNone(account.IssueReferences(p.a, i), "nothing here is kept elsewhere"),
			Do:             func() tea.Cmd { return ui.Send(account.ReferenceMenu(resource.Found(account.IssueReferences(p.a, i)))) },
		},
	}
	return append(acts, p.scroll.Actions()...)
}

// goToService goes to the affected service, or asks which.
func goToService(a *account.Account, i *client.Issue) tea.Cmd {
	actions := make([]ui.Action, len(i.Services))
	for n, id := range i.Services {
		actions[n] = ui.Action{
			Key: ui.Bind(account.ServiceName(a, id), fmt.Sprint(n+1)),
			Do:  func() tea.Cmd { return ui.Send(ui.GoToMsg{Pane: "services", ID: account.FormatID(id)}) },
		}
	}
	if len(actions) == 1 {
		return actions[0].Do()
	}
	return ui.Send(ui.Menu{Title: "Go to service", Actions: actions})
}

// whyNothingToCopy returns why no line of an incident is worth a key, or "" if one is.
func whyNothingToCopy(a *account.Account, i *client.Issue) string {
	if len(incidentCopyActions(a, i)) > 0 {
		return ""
	}
	people, machines := contactsToCall(a, i), affectedInstances(a, i)
	if s := people.State().Worst(machines.State()); s.Kind != resource.Known {
		return s.String()
	}
	return "no contact and no instance belongs to this issue"
}

// incidentCopyActions are the single lines of an incident that are worth a key: who to call, and how to get in.
func incidentCopyActions(a *account.Account, i *client.Issue) []ui.Action {
	var actions []ui.Action
	add := func(label, what, text string) {
		key := string("123456789abcdefghijklmnopqrstuvwxyz"[min(len(actions), 34)])
		actions = append(
			actions,
			ui.Action{
				Key: ui.Bind(label, key),
				Do:  func() tea.Cmd { return ui.Send(ui.CopyMsg{Text: text, Label: what}) },
			},
		)
	}
	people := resource.Found(contactsToCall(a, i))
	for _, c := range people {
		for _, number := range []client.OptionalText{c.Phone.Primary, c.Phone.Secondary} {
			if number.Raw() != "" {
				add(number.String()+"  "+c.Name.String(), "phone number", number.String())
			}
		}
	}
	for _, m := range resource.Found(affectedInstances(a, i)) {
		if line, ok := sshCommand(m); ok {
			add(line+"  "+m.Label.String(), "ssh line", line)
		}
	}
	for _, c := range people {
		add(c.Email.String(), "mail address", c.Email.String())
	}
	return actions
}

// contactsToCall returns the contacts of the affected services' groups, each once.
func contactsToCall(a *account.Account, i *client.Issue) resource.Joined[*client.Contact] {
	return resource.FlatMap(account.AffectedServices(a, i), func(s *client.Service) resource.Joined[*client.Contact] {
		return a.ContactsInGroup(s.Group.Raw())
	})
}

// affectedInstances returns the instances behind the affected services, each once.
func affectedInstances(a *account.Account, i *client.Issue) resource.Joined[*client.Instance] {
	return resource.FlatMap(account.AffectedServices(a, i), a.InstancesOfService)
}

// View is the incident in its room: two columns where there is room for them, one below the other elsewhere.
func (p *incidentView) View(b ui.Box) string {
	return p.scroll.View(b, renderIncident(p.a, p.currentIssue(), b, true))
}

// renderIncident writes an incident. Whole is with the load around the detection and the history.
func renderIncident(a *account.Account, i *client.Issue, b ui.Box, whole bool) string {
	head := account.NewDetailWriter(b)
	writeIncidentHeader(a, head, i)
	if b.Width < 100 {
		writeAffectedServices(a, head, i)
		writeCallSheet(a, head, i)
		writeSSHCommands(a, head, i)
		if whole {
			writeLoadChart(a, head, i, 9)
			writeIssueHistory(a, head, i)
		}
		return head.String()
	}
	left, right := account.NewDetailWriter(
		ui.Box{Width: b.Width/2 - 1, Theme: b.Theme, Now: b.Now},
	), account.NewDetailWriter(
		ui.Box{Width: b.Width - b.Width/2 - 1, Theme: b.Theme, Now: b.Now},
	)
	writeAffectedServices(a, left, i)
	writeCallSheet(a, right, i)
	writeSSHCommands(a, right, i)
	writeIssueHistory(a, right, i)
	room := b.Height - len(head.Lines) - max(len(left.Lines), 0) - 1
	writeLoadChart(a, left, i, min(max(room, 7), 14))
	head.Rendered(ui.JoinHorizontal(left.String(), right.String(), b.Width/2, b.Width))
	return head.String()
}

func writeIncidentHeader(a *account.Account, t *account.DetailWriter, i *client.Issue) {
	ticket, _ := TicketCell(a, i, t.Box)
	t.Title(
		fmt.Sprintf(
			"Issue %d · detected %s, %s ago",
			i.ID,
			a.FormatTimestamp(i.Created),
			account.FormatAge(i.Created, t.Box.Now),
		),
	)
	if i.Ticket.ID != 0 {
		t.Paragraph(fmt.Sprintf("ticket %s  %s", ticket, i.Ticket.Label), theme.Muted)
	}
	t.Blank()
}

func writeAffectedServices(a *account.Account, t *account.DetailWriter, i *client.Issue) {
	t.Heading("affected")
	for _, id := range i.Services {
		s, found := a.Services().Get(account.FormatID(id))
		if !found {
			t.Paragraph(account.ServiceName(a, id), theme.Muted)
			continue
		}
		state, tone := account.FormatStatus(s.Status, t.Box.Theme)
		t.Paragraph(fmt.Sprintf("%s  %s", state, s.Label), tone)
		t.Field("  address", fmt.Sprintf("%s %s  timeout %d s", s.Type, s.Address, s.Timeout), theme.Plain)
		if names := credentialUsage(a, s.Credentials, t.Box.Now); names != "" {
			t.Field("  credentials", names, theme.Plain)
		}
		if s.Region.Raw() != "" {
			t.Field("  region", s.Region.String()+" (private address)", theme.Plain)
		}
		if s.Notes.Raw() != "" {
			t.ServerField("  notes", s.Notes.Raw())
		}
	}
	if len(i.Services) == 0 {
		t.Paragraph("the issue names no service", theme.Muted)
	}
	if s := account.AffectedServices(a, i).State(); s.Kind != resource.Known {
		t.Paragraph(s.String(), theme.Warn)
	}
	t.Blank()
}

// credentialUsage names credentials with their last use by support. It returns "" if there are none.
func credentialUsage(a *account.Account, ids []int, now time.Time) string {
	labels := resource.Derive(a.CredentialLabels(ids), func(labels []string) []string {
		names := slices.Clone(labels)
		for n, id := range ids {
			if c, found := a.Credentials().Get(account.FormatID(id)); found && c.LastDecrypted.Valid() {
				names[n] += fmt.Sprintf(" (used by support %s ago)", account.FormatAge(c.LastDecrypted, now))
			}
		}
		return names
	})
	return resource.Names(labels, strings.Clone, "")
}

func writeCallSheet(a *account.Account, t *account.DetailWriter, i *client.Issue) {
	groups := groupsToCall(a, i)
	t.Heading("who to call" + account.WithPrefix(": ", account.JoinWithCommas(groups)))
	people := contactsToCall(a, i)
	for _, c := range resource.Found(people) {
		t.Paragraph(c.Name.String(), theme.Strong)
		t.Field("  phone", account.OrDefault(strings.Join(phoneNumbers(c), " / "), "none"), theme.Accent)
		t.Field("  mail", c.Email.String(), theme.Plain)
	}
	if remark := resource.Remark(people, whyNobodyToCall(groups)); remark != "" {
		t.Paragraph(remark, theme.Warn)
	}
	t.Blank()
}

// whyNobodyToCall returns why there is no contact to call, with everything known.
func whyNobodyToCall(groups []string) string {
	if len(groups) == 0 {
		return "no group is named: e on the service names one"
	}
	return "no contact is in the group"
}

// groupsToCall returns the groups to call about an issue, each once, as far as its services are known.
func groupsToCall(a *account.Account, i *client.Issue) []string {
	var groups []string
	for _, s := range resource.Found(account.AffectedServices(a, i)) {
		if g := s.Group.String(); g != "" && !strings.Contains(account.JoinWithCommas(groups), g) {
			groups = append(groups, g)
		}
	}
	return groups
}

func writeSSHCommands(a *account.Account, t *account.DetailWriter, i *client.Issue) {
	machines := affectedInstances(a, i)
	if resource.KnownEmpty(machines) {
		return
	}
	t.Heading("ssh")
	resource.List(t, machines, func(m *client.Instance) {
		line, _ := sshCommand(m)
		tone := theme.Plain
		if !m.SSH.Access {
			line, tone = line+"  (access is switched off)", theme.Warn
		}
		t.Field(m.Label.String(), line, tone)
	}, "")
	t.Blank()
}

func writeIssueHistory(a *account.Account, t *account.DetailWriter, i *client.Issue) {
	for _, id := range i.Services {
		history := a.IssuesOfService(id)
		issues, state := resource.Found(history), history.State()
		if len(issues) < 2 && state.Kind == resource.Known {
			continue
		}
		t.Heading("history of " + account.ServiceName(a, id))
		if state.Kind != resource.Known {
			t.Paragraph(state.String(), theme.Warn)
		}
		for _, other := range issues[:min(4, len(issues))] {
			mark := ""
			if other.ID == i.ID {
				mark = "  this one"
			}
			t.Field(
				a.FormatTimestamp(other.Created),
				fmt.Sprintf("issue %d, %s ago%s", other.ID, account.FormatAge(other.Created, t.Box.Now), mark),
				theme.Plain,
			)
		}
		if more := len(issues) - 4; more > 0 {
			t.Paragraph(fmt.Sprintf("and %d more in the list", more), theme.Muted)
		}
	}
}

// callSheet is an incident as plain text for a chat or a ticket.
func callSheet(a *account.Account, i *client.Issue) string {
	var b strings.Builder
	now := a.Now()
	fmt.Fprintf(
		&b,
		"Issue %d, detected %s UTC (%s ago)\n",
		i.ID,
		i.Created.Time().UTC().Format("2006-01-02 15:04"),
		account.FormatAge(i.Created, now),
	)
	if i.Ticket.ID != 0 {
		fmt.Fprintf(&b, "Ticket %d: %s\n", i.Ticket.ID, i.Ticket.Label)
	}
	for _, id := range i.Services {
		s, found := a.Services().Get(account.FormatID(id))
		if !found {
			fmt.Fprintf(&b, "\nService %s\n", account.ServiceName(a, id))
			if s := resource.StateOf(a.Services()); s.Kind != resource.Known {
				fmt.Fprintf(&b, "  %s\n", s.Reason())
			}
			continue
		}
		fmt.Fprintf(&b, "\nService %s: %s\n  %s %s, timeout %d s\n", s.Label, s.Status, s.Type, s.Address, s.Timeout)
		for line := range strings.SplitSeq(strings.TrimSpace(s.Notes.Raw()), "\n") {
			if line != "" {
				fmt.Fprintf(&b, "  %s\n", client.NewText(line))
			}
		}
	}
	writeCallLines(&b, a, i)
	return b.String()
}

// writeCallLines writes whom to call and how to log in, and what of it is not known.
func writeCallLines(b *strings.Builder, a *account.Account, i *client.Issue) {
	people, machines := contactsToCall(a, i), affectedInstances(a, i)
	if !resource.KnownEmpty(people) {
		fmt.Fprintf(b, "\nCall%s\n", inParentheses(account.JoinWithCommas(groupsToCall(a, i))))
	}
	for _, c := range resource.Found(people) {
		fmt.Fprintf(b, "  %s\n", formatContact(c))
	}
	if s := people.State(); s.Kind != resource.Known {
		fmt.Fprintf(b, "  %s\n", s.Reason())
	}
	for _, m := range resource.Found(machines) {
		if line, ok := sshCommand(m); ok {
			fmt.Fprintf(b, "  %s: %s\n", m.Label, line)
		}
	}
	if s := machines.State(); s.Kind != resource.Known && s.Of != people.State().Of {
		fmt.Fprintf(b, "  %s\n", s.Reason())
	}
}

func inParentheses(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}
