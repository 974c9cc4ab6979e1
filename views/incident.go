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

// incident is everything that somebody on call needs about one issue on one screen, joined from what is already loaded.
type incident struct {
	a      *Account
	id     string
	issue  *client.Issue // as opened; the set's newer row is shown where it has one
	looked bool          // read by itself since it was opened
	scroll ui.Viewport
}

func (a *Account) incidentPane(i *client.Issue) ui.Pane {
	return &incident{a: a, id: ordinal(i.ID), issue: i}
}

// Name makes the incident's actions part of the issues.
func (p *incident) Name() string { return "incident" }

// Crumb says which issue.
func (p *incident) Crumb() string { return "issue " + p.id }

// Freshness is as fresh as what it joins.
func (p *incident) Freshness() ui.Freshness {
	return p.a.issues().Freshness().Worst(p.a.services().Freshness())
}

// Refresh asks for all that it joins.
func (p *incident) Refresh() tea.Cmd {
	a := p.a
	return tea.Batch(asked(a.services(), a.contacts(), a.instances(), a.credentials(), a.stats()), p.look())
}

// Poll asks for as much, and waits for what is being asked.
func (p *incident) Poll() tea.Cmd {
	a := p.a
	return tea.Batch(polled(a.services(), a.contacts(), a.instances(), a.credentials(), a.stats()), p.look())
}

// look reads the issue by itself: cheaper than the list of all, and the list's row serves where it fails.
func (p *incident) look() tea.Cmd {
	p.looked = true
	id := p.issue.ID
	return p.a.issues().ReloadRow(p.id, func(ctx context.Context) (*client.Issue, error) { return p.a.api.Issues.Get(ctx, id) }, func(err error) tea.Cmd {
		if err != nil {
			return ui.ShowNews(theme.Warn, "issue "+p.id+" could not be read by itself: "+ui.Reason(err))
		}
		return nil
	})
}

// LoadMissing asks for what the frame lacks.
func (p *incident) LoadMissing() tea.Cmd {
	var look tea.Cmd
	if !p.looked {
		look = p.look()
	}
	return tea.Batch(look, p.a.stats().EnsureLoaded(), p.a.contacts().EnsureLoaded(), p.a.instances().EnsureLoaded(), p.a.credentials().EnsureLoaded(), p.a.services().EnsureLoaded(),
		p.a.seeTickets([]*client.Issue{p.now()}))
}

// Update scrolls.
func (p *incident) Update(msg tea.Msg) tea.Cmd { return p.scroll.Update(msg) }

// now is the issue as last read.
func (p *incident) now() *client.Issue {
	if i, found := p.a.issues().Get(p.id); found {
		p.issue = i
	}
	return p.issue
}

// Actions are what can be done from here.
func (p *incident) Actions() []ui.Action {
	i := p.now()
	acts := []ui.Action{
		{Key: ui.Bind("copy call sheet", "y"), ShowInHints: true, Do: func() tea.Cmd { return ui.Send(ui.CopyMsg{Text: p.a.callSheet(i), Label: "call sheet"}) }},
		{Key: ui.Bind("copy a line", "Y"), Description: "phone numbers, mail addresses and ssh lines, one key each", ShowInHints: true,
			DisabledReason: because(len(p.a.copies(i)) == 0, "nothing to copy is known yet: contacts and SSH settings are being read"),
			Do:             func() tea.Cmd { return ui.Send(ui.Menu{Title: "Copy", Actions: p.a.copies(i)}) }},
		{Key: ui.Bind("open ticket", "o"), ShowInHints: true, DisabledReason: because(p.a.ticketURL(i) == "", "the issue names no ticket"),
			Do: func() tea.Cmd { return ui.Send(ui.OpenURLMsg{URL: p.a.ticketURL(i)}) }},
		{Key: ui.Bind("go to service", "enter"), ShowInHints: true, DisabledReason: because(len(i.Services) == 0, "the issue names no service"),
			Do: func() tea.Cmd { return p.a.gotoService(i) }},
		{Key: ui.Bind("follow a name", "f"), Description: "to the pane of what stands here; ctrl+o comes back", ShowInHints: true, DisabledReason: because(len(p.a.namesIn(i)) == 0, "nothing here is kept elsewhere"),
			Do: func() tea.Cmd { return ui.Send(menuOf(p.a.namesIn(i))) }},
	}
	return append(acts, p.scroll.Actions()...)
}

// gotoService goes to the affected service, or asks which.
func (a *Account) gotoService(i *client.Issue) tea.Cmd {
	actions := make([]ui.Action, len(i.Services))
	for n, id := range i.Services {
		actions[n] = ui.Action{Key: ui.Bind(a.serviceName(id), fmt.Sprint(n+1)), Do: func() tea.Cmd { return ui.Send(ui.GoToMsg{Pane: "services", ID: ordinal(id)}) }}
	}
	if len(actions) == 1 {
		return actions[0].Do()
	}
	return ui.Send(ui.Menu{Title: "Go to service", Actions: actions})
}

// copies are the single lines of an incident that are worth a key: who to call, and how to get in.
func (a *Account) copies(i *client.Issue) []ui.Action {
	var actions []ui.Action
	add := func(label, what, text string) {
		key := string("123456789abcdefghijklmnopqrstuvwxyz"[min(len(actions), 34)])
		actions = append(actions, ui.Action{Key: ui.Bind(label, key), Do: func() tea.Cmd { return ui.Send(ui.CopyMsg{Text: text, Label: what}) }})
	}
	people := a.callees(i)
	for _, c := range people {
		for _, number := range []client.OptionalText{c.Phone.Primary, c.Phone.Secondary} {
			if number.Raw() != "" {
				add(number.String()+"  "+c.Name.String(), "phone number", number.String())
			}
		}
	}
	for _, m := range a.machines(i) {
		if line, ok := sshLine(m); ok {
			add(line+"  "+m.Label.String(), "ssh line", line)
		}
	}
	for _, c := range people {
		add(c.Email.String(), "mail address", c.Email.String())
	}
	return actions
}

// affected are the services of an issue that still exist.
func (a *Account) affected(i *client.Issue) []*client.Service {
	var services []*client.Service
	for _, id := range i.Services {
		if s, found := a.services().Get(ordinal(id)); found {
			services = append(services, s)
		}
	}
	return services
}

// callees are the contacts of the affected services' groups, each once.
func (a *Account) callees(i *client.Issue) []*client.Contact {
	var people []*client.Contact
	seen := map[int]bool{}
	for _, s := range a.affected(i) {
		for _, c := range a.inGroup(s.Group.Raw()) {
			if !seen[c.ID] {
				seen[c.ID] = true
				people = append(people, c)
			}
		}
	}
	return people
}

// machines are the instances behind the affected services, each once.
func (a *Account) machines(i *client.Issue) []*client.Instance {
	var machines []*client.Instance
	seen := map[int]bool{}
	for _, s := range a.affected(i) {
		for _, m := range a.instancesOf(s) {
			if !seen[m.ID] {
				seen[m.ID] = true
				machines = append(machines, m)
			}
		}
	}
	return machines
}

// View is the incident in its room: two columns where there is room for them, one below the other elsewhere.
func (p *incident) View(b ui.Box) string {
	return p.scroll.View(b, p.a.incidentSheet(p.now(), b, true))
}

// incidentSheet writes an incident. Whole is with the load around the detection and the history.
func (a *Account) incidentSheet(i *client.Issue, b ui.Box, whole bool) string {
	head := newSheet(b)
	a.incidentHead(head, i)
	if b.Width < 100 {
		a.affectedSheet(head, i)
		a.callSheetLines(head, i)
		a.machineLines(head, i)
		if whole {
			a.loadChart(head, i, 9)
			a.history(head, i)
		}
		return head.String()
	}
	left, right := newSheet(ui.Box{Width: b.Width/2 - 1, Theme: b.Theme, Now: b.Now}), newSheet(ui.Box{Width: b.Width - b.Width/2 - 1, Theme: b.Theme, Now: b.Now})
	a.affectedSheet(left, i)
	a.callSheetLines(right, i)
	a.machineLines(right, i)
	a.history(right, i)
	room := b.Height - len(head.lines) - max(len(left.lines), 0) - 1
	a.loadChart(left, i, min(max(room, 7), 14))
	head.block(ui.JoinHorizontal(left.String(), right.String(), b.Width/2, b.Width))
	return head.String()
}

func (a *Account) incidentHead(t *sheet, i *client.Issue) {
	ticket, _ := a.ticketCell(i, t.box)
	t.title(fmt.Sprintf("Issue %d · detected %s, %s ago", i.ID, a.when(i.Created), ago(i.Created, t.box.Now)))
	if i.Ticket.ID != 0 {
		t.say(fmt.Sprintf("ticket %s  %s", ticket, i.Ticket.Label), theme.Muted)
	}
	t.blank()
}

func (a *Account) affectedSheet(t *sheet, i *client.Issue) {
	t.heading("affected")
	for _, id := range i.Services {
		s, found := a.services().Get(ordinal(id))
		if !found {
			t.say(a.serviceName(id), theme.Muted)
			continue
		}
		state, tone := stateOf(s.Status, t.box.Theme)
		t.say(fmt.Sprintf("%s  %s", state, s.Label), tone)
		t.line("  address", fmt.Sprintf("%s %s  timeout %d s", s.Type, s.Address, s.Timeout), theme.Plain)
		if names := a.credentialUse(s.Credentials, t.box.Now); len(names) > 0 {
			t.line("  credentials", joined(names), theme.Plain)
		}
		if s.Region.Raw() != "" {
			t.line("  region", s.Region.String()+" (private address)", theme.Plain)
		}
		if s.Notes.Raw() != "" {
			t.indented("  notes", s.Notes.Raw())
		}
	}
	if len(i.Services) == 0 {
		t.say("the issue names no service", theme.Muted)
	}
	t.blank()
}

// credentialUse names credentials with their last use by support.
func (a *Account) credentialUse(ids []int, now time.Time) []string {
	names := a.credentialLabels(ids)
	for n, id := range ids {
		if c, found := a.credentials().Get(ordinal(id)); found && c.LastDecrypted.Valid() {
			names[n] += fmt.Sprintf(" (used by support %s ago)", ago(c.LastDecrypted, now))
		}
	}
	return names
}

func (a *Account) callSheetLines(t *sheet, i *client.Issue) {
	groups := a.groupsOf(i)
	t.heading("who to call" + prefixed(": ", joined(groups)))
	people := a.callees(i)
	for _, c := range people {
		t.say(c.Name.String(), theme.Strong)
		t.line("  phone", or(strings.Join(phones(c), " / "), "none"), theme.Accent)
		t.line("  mail", c.Email.String(), theme.Plain)
	}
	switch {
	case len(people) > 0:
	case len(groups) == 0:
		t.say("no group is named: e on the service names one", theme.Warn)
	case ui.Denied(a.contacts().Freshness().Err):
		t.say("contacts may not be read with this token", theme.Warn)
	case !a.contacts().Loaded():
		t.say("contacts are being read", theme.Muted)
	default:
		t.say("no contact is in the group", theme.Warn)
	}
	t.blank()
}

// groupsOf are the groups to call about an issue, each once.
func (a *Account) groupsOf(i *client.Issue) []string {
	var groups []string
	for _, s := range a.affected(i) {
		if g := s.Group.String(); g != "" && !strings.Contains(joined(groups), g) {
			groups = append(groups, g)
		}
	}
	return groups
}

func (a *Account) machineLines(t *sheet, i *client.Issue) {
	machines := a.machines(i)
	if len(machines) == 0 {
		return
	}
	t.heading("ssh")
	for _, m := range machines {
		line, _ := sshLine(m)
		tone := theme.Plain
		if !m.SSH.Access {
			line, tone = line+"  (access is switched off)", theme.Warn
		}
		t.line(m.Label.String(), line, tone)
	}
	t.blank()
}

func (a *Account) history(t *sheet, i *client.Issue) {
	for _, id := range i.Services {
		issues := a.issuesOf(id)
		if len(issues) < 2 {
			continue
		}
		t.heading("history of " + a.serviceName(id))
		for _, other := range issues[:min(4, len(issues))] {
			mark := ""
			if other.ID == i.ID {
				mark = "  this one"
			}
			t.line(a.when(other.Created), fmt.Sprintf("issue %d, %s ago%s", other.ID, ago(other.Created, t.box.Now), mark), theme.Plain)
		}
		if more := len(issues) - 4; more > 0 {
			t.say(fmt.Sprintf("and %d more in the list", more), theme.Muted)
		}
	}
}

// callSheet is an incident as plain text for a chat or a ticket.
func (a *Account) callSheet(i *client.Issue) string {
	var b strings.Builder
	now := a.now()
	fmt.Fprintf(&b, "Issue %d, detected %s UTC (%s ago)\n", i.ID, i.Created.Time().UTC().Format("2006-01-02 15:04"), ago(i.Created, now))
	if i.Ticket.ID != 0 {
		fmt.Fprintf(&b, "Ticket %d: %s\n", i.Ticket.ID, i.Ticket.Label)
	}
	for _, id := range i.Services {
		s, found := a.services().Get(ordinal(id))
		if !found {
			fmt.Fprintf(&b, "\nService %s\n", a.serviceName(id))
			continue
		}
		fmt.Fprintf(&b, "\nService %s: %s\n  %s %s, timeout %d s\n", s.Label, s.Status, s.Type, s.Address, s.Timeout)
		for line := range strings.SplitSeq(strings.TrimSpace(s.Notes.Raw()), "\n") {
			if line != "" {
				fmt.Fprintf(&b, "  %s\n", client.NewText(line))
			}
		}
	}
	if people := a.callees(i); len(people) > 0 {
		fmt.Fprintf(&b, "\nCall (%s)\n", joined(a.groupsOf(i)))
		for _, c := range people {
			fmt.Fprintf(&b, "  %s\n", contactLine(c))
		}
	}
	for _, m := range a.machines(i) {
		if line, ok := sshLine(m); ok {
			fmt.Fprintf(&b, "  %s: %s\n", m.Label, line)
		}
	}
	return b.String()
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}
