package views

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
)

// incidentView is everything that somebody on call needs about one issue on one screen, joined from what is already
// loaded.
type incidentView struct {
	a       *Account
	id      string
	issue   *client.Issue // as opened; the set's newer row is shown where it has one
	fetched bool          // read by itself since it was opened
	scroll  ui.Viewport
}

func incidentPane(a *Account, i *client.Issue) ui.Pane {
	return &incidentView{a: a, id: formatID(i.ID), issue: i}
}

// Name makes the incident's actions part of the issues.
func (p *incidentView) Name() string { return "incident" }

// Crumb says which issue.
func (p *incidentView) Crumb() string { return "issue " + p.id }

// Freshness is as fresh as what it joins.
func (p *incidentView) Freshness() ui.Freshness {
	return p.a.issues().Freshness().Worst(p.a.services().Freshness())
}

// Refresh asks for all that it joins.
func (p *incidentView) Refresh() tea.Cmd {
	a := p.a
	return tea.Batch(refreshAll(a.services(), a.contacts(), a.instances(), a.credentials(), a.stats()), p.fetchIssue())
}

// Poll asks for as much, and waits for what is being asked.
func (p *incidentView) Poll() tea.Cmd {
	a := p.a
	return tea.Batch(pollAll(a.services(), a.contacts(), a.instances(), a.credentials(), a.stats()), p.fetchIssue())
}

// fetchIssue reads the issue by itself: cheaper than the list of all, and the list's row serves where it fails.
func (p *incidentView) fetchIssue() tea.Cmd {
	p.fetched = true
	id := p.issue.ID
	return p.a.issues().ReloadRow(
		p.id,
		func(ctx context.Context) (*client.Issue, error) { return p.a.api.Issues.Get(ctx, id) },
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
		p.a.stats().EnsureLoaded(),
		p.a.contacts().EnsureLoaded(),
		p.a.instances().EnsureLoaded(),
		p.a.credentials().EnsureLoaded(),
		p.a.services().EnsureLoaded(),
		p.a.fetchTickets([]*client.Issue{p.currentIssue()}),
	)
}

// Update scrolls.
func (p *incidentView) Update(msg tea.Msg) tea.Cmd { return p.scroll.Update(msg) }

// currentIssue is the issue as last read.
func (p *incidentView) currentIssue() *client.Issue {
	if i, found := p.a.issues().Get(p.id); found {
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
			Key:         ui.Bind("copy a line", "Y"),
			Description: "phone numbers, mail addresses and ssh lines, one key each",
			ShowInHints: true,
			DisabledReason: reasonIf(
				len(incidentCopyActions(p.a, i)) == 0,
				"nothing to copy is known yet: contacts and SSH settings are being read",
			),
			Do: func() tea.Cmd { return ui.Send(ui.Menu{Title: "Copy", Actions: incidentCopyActions(p.a, i)}) },
		},
		{
			Key:            ui.Bind("open ticket", "o"),
			ShowInHints:    true,
			DisabledReason: reasonIf(ticketURL(p.a, i) == "", "the issue names no ticket"),
			Do:             func() tea.Cmd { return ui.Send(ui.OpenURLMsg{URL: ticketURL(p.a, i)}) },
		},
		{
			Key:            ui.Bind("go to service", "enter"),
			ShowInHints:    true,
			DisabledReason: reasonIf(len(i.Services) == 0, "the issue names no service"),
			Do:             func() tea.Cmd { return goToService(p.a, i) },
		},
		{
			Key:            ui.Bind("follow a name", "f"),
			Description:    "to the pane of what stands here; ctrl+o comes back",
			ShowInHints:    true,
			DisabledReason: reasonIf(len(issueReferences(p.a, i)) == 0, "nothing here is kept elsewhere"),
			Do:             func() tea.Cmd { return ui.Send(referenceMenu(issueReferences(p.a, i))) },
		},
	}
	return append(acts, p.scroll.Actions()...)
}

// goToService goes to the affected service, or asks which.
func goToService(a *Account, i *client.Issue) tea.Cmd {
	actions := make([]ui.Action, len(i.Services))
	for n, id := range i.Services {
		actions[n] = ui.Action{
			Key: ui.Bind(serviceName(a, id), fmt.Sprint(n+1)),
			Do:  func() tea.Cmd { return ui.Send(ui.GoToMsg{Pane: "services", ID: formatID(id)}) },
		}
	}
	if len(actions) == 1 {
		return actions[0].Do()
	}
	return ui.Send(ui.Menu{Title: "Go to service", Actions: actions})
}

// incidentCopyActions are the single lines of an incident that are worth a key: who to call, and how to get in.
func incidentCopyActions(a *Account, i *client.Issue) []ui.Action {
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
	people := contactsToCall(a, i)
	for _, c := range people {
		for _, number := range []client.OptionalText{c.Phone.Primary, c.Phone.Secondary} {
			if number.Raw() != "" {
				add(number.String()+"  "+c.Name.String(), "phone number", number.String())
			}
		}
	}
	for _, m := range affectedInstances(a, i) {
		if line, ok := sshCommand(m); ok {
			add(line+"  "+m.Label.String(), "ssh line", line)
		}
	}
	for _, c := range people {
		add(c.Email.String(), "mail address", c.Email.String())
	}
	return actions
}

// contactsToCall are the contacts of the affected services' groups, each once.
func contactsToCall(a *Account, i *client.Issue) []*client.Contact {
	var people []*client.Contact
	seen := map[int]bool{}
	for _, s := range affectedServices(a, i) {
		for _, c := range a.contactsInGroup(s.Group.Raw()) {
			if !seen[c.ID] {
				seen[c.ID] = true
				people = append(people, c)
			}
		}
	}
	return people
}

// affectedInstances are the instances behind the affected services, each once.
func affectedInstances(a *Account, i *client.Issue) []*client.Instance {
	var machines []*client.Instance
	seen := map[int]bool{}
	for _, s := range affectedServices(a, i) {
		for _, m := range a.instancesOfService(s) {
			if !seen[m.ID] {
				seen[m.ID] = true
				machines = append(machines, m)
			}
		}
	}
	return machines
}

// View is the incident in its room: two columns where there is room for them, one below the other elsewhere.
func (p *incidentView) View(b ui.Box) string {
	return p.scroll.View(b, renderIncident(p.a, p.currentIssue(), b, true))
}

// renderIncident writes an incident. Whole is with the load around the detection and the history.
func renderIncident(a *Account, i *client.Issue, b ui.Box, whole bool) string {
	head := newDetailWriter(b)
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
	left, right := newDetailWriter(
		ui.Box{Width: b.Width/2 - 1, Theme: b.Theme, Now: b.Now},
	), newDetailWriter(
		ui.Box{Width: b.Width - b.Width/2 - 1, Theme: b.Theme, Now: b.Now},
	)
	writeAffectedServices(a, left, i)
	writeCallSheet(a, right, i)
	writeSSHCommands(a, right, i)
	writeIssueHistory(a, right, i)
	room := b.Height - len(head.lines) - max(len(left.lines), 0) - 1
	writeLoadChart(a, left, i, min(max(room, 7), 14))
	head.rendered(ui.JoinHorizontal(left.String(), right.String(), b.Width/2, b.Width))
	return head.String()
}

func writeIncidentHeader(a *Account, t *detailWriter, i *client.Issue) {
	ticket, _ := ticketCell(a, i, t.box)
	t.title(
		fmt.Sprintf(
			"Issue %d · detected %s, %s ago",
			i.ID,
			a.formatTimestamp(i.Created),
			formatAge(i.Created, t.box.Now),
		),
	)
	if i.Ticket.ID != 0 {
		t.paragraph(fmt.Sprintf("ticket %s  %s", ticket, i.Ticket.Label), theme.Muted)
	}
	t.blank()
}

func writeAffectedServices(a *Account, t *detailWriter, i *client.Issue) {
	t.heading("affected")
	for _, id := range i.Services {
		s, found := a.services().Get(formatID(id))
		if !found {
			t.paragraph(serviceName(a, id), theme.Muted)
			continue
		}
		state, tone := formatStatus(s.Status, t.box.Theme)
		t.paragraph(fmt.Sprintf("%s  %s", state, s.Label), tone)
		t.field("  address", fmt.Sprintf("%s %s  timeout %d s", s.Type, s.Address, s.Timeout), theme.Plain)
		if names := credentialUsage(a, s.Credentials, t.box.Now); len(names) > 0 {
			t.field("  credentials", joinWithCommas(names), theme.Plain)
		}
		if s.Region.Raw() != "" {
			t.field("  region", s.Region.String()+" (private address)", theme.Plain)
		}
		if s.Notes.Raw() != "" {
			t.serverField("  notes", s.Notes.Raw())
		}
	}
	if len(i.Services) == 0 {
		t.paragraph("the issue names no service", theme.Muted)
	}
	t.blank()
}

// credentialUsage names credentials with their last use by support.
func credentialUsage(a *Account, ids []int, now time.Time) []string {
	names := a.credentialLabels(ids)
	for n, id := range ids {
		if c, found := a.credentials().Get(formatID(id)); found && c.LastDecrypted.Valid() {
			names[n] += fmt.Sprintf(" (used by support %s ago)", formatAge(c.LastDecrypted, now))
		}
	}
	return names
}

func writeCallSheet(a *Account, t *detailWriter, i *client.Issue) {
	groups := groupsToCall(a, i)
	t.heading("who to call" + withPrefix(": ", joinWithCommas(groups)))
	people := contactsToCall(a, i)
	for _, c := range people {
		t.paragraph(c.Name.String(), theme.Strong)
		t.field("  phone", orDefault(strings.Join(phoneNumbers(c), " / "), "none"), theme.Accent)
		t.field("  mail", c.Email.String(), theme.Plain)
	}
	switch {
	case len(people) > 0:
	case len(groups) == 0:
		t.paragraph("no group is named: e on the service names one", theme.Warn)
	case ui.Denied(a.contacts().Freshness().Err):
		t.paragraph("contacts may not be read with this token", theme.Warn)
	case !a.contacts().Loaded():
		t.paragraph("contacts are being read", theme.Muted)
	default:
		t.paragraph("no contact is in the group", theme.Warn)
	}
	t.blank()
}

// groupsToCall are the groups to call about an issue, each once.
func groupsToCall(a *Account, i *client.Issue) []string {
	var groups []string
	for _, s := range affectedServices(a, i) {
		if g := s.Group.String(); g != "" && !strings.Contains(joinWithCommas(groups), g) {
			groups = append(groups, g)
		}
	}
	return groups
}

func writeSSHCommands(a *Account, t *detailWriter, i *client.Issue) {
	machines := affectedInstances(a, i)
	if len(machines) == 0 {
		return
	}
	t.heading("ssh")
	for _, m := range machines {
		line, _ := sshCommand(m)
		tone := theme.Plain
		if !m.SSH.Access {
			line, tone = line+"  (access is switched off)", theme.Warn
		}
		t.field(m.Label.String(), line, tone)
	}
	t.blank()
}

func writeIssueHistory(a *Account, t *detailWriter, i *client.Issue) {
	for _, id := range i.Services {
		issues := a.issuesOfService(id)
		if len(issues) < 2 {
			continue
		}
		t.heading("history of " + serviceName(a, id))
		for _, other := range issues[:min(4, len(issues))] {
			mark := ""
			if other.ID == i.ID {
				mark = "  this one"
			}
			t.field(
				a.formatTimestamp(other.Created),
				fmt.Sprintf("issue %d, %s ago%s", other.ID, formatAge(other.Created, t.box.Now), mark),
				theme.Plain,
			)
		}
		if more := len(issues) - 4; more > 0 {
			t.paragraph(fmt.Sprintf("and %d more in the list", more), theme.Muted)
		}
	}
}

// callSheet is an incident as plain text for a chat or a ticket.
func callSheet(a *Account, i *client.Issue) string {
	var b strings.Builder
	now := a.now()
	fmt.Fprintf(
		&b,
		"Issue %d, detected %s UTC (%s ago)\n",
		i.ID,
		i.Created.Time().UTC().Format("2006-01-02 15:04"),
		formatAge(i.Created, now),
	)
	if i.Ticket.ID != 0 {
		fmt.Fprintf(&b, "Ticket %d: %s\n", i.Ticket.ID, i.Ticket.Label)
	}
	for _, id := range i.Services {
		s, found := a.services().Get(formatID(id))
		if !found {
			fmt.Fprintf(&b, "\nService %s\n", serviceName(a, id))
			continue
		}
		fmt.Fprintf(&b, "\nService %s: %s\n  %s %s, timeout %d s\n", s.Label, s.Status, s.Type, s.Address, s.Timeout)
		for line := range strings.SplitSeq(strings.TrimSpace(s.Notes.Raw()), "\n") {
			if line != "" {
				fmt.Fprintf(&b, "  %s\n", client.NewText(line))
			}
		}
	}
	if people := contactsToCall(a, i); len(people) > 0 {
		fmt.Fprintf(&b, "\nCall (%s)\n", joinWithCommas(groupsToCall(a, i)))
		for _, c := range people {
			fmt.Fprintf(&b, "  %s\n", formatContact(c))
		}
	}
	for _, m := range affectedInstances(a, i) {
		if line, ok := sshCommand(m); ok {
			fmt.Fprintf(&b, "  %s: %s\n", m.Label, line)
		}
	}
	return b.String()
}
