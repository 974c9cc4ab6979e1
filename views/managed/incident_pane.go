package managed

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/join"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/operation"
)

// incidentView is the pane of one issue: everything that somebody on call needs, on one screen.
type incidentView struct {
	a       *account.Account
	id      string
	issue   *client.Issue // as last read
	fetched bool          // the issue was fetched since the pane was opened
	scroll  ui.Viewport
	layout  incidentLayout
}

// IncidentPane returns the pane of one issue.
func IncidentPane(a *account.Account, i *client.Issue) ui.Pane {
	return &incidentView{a: a, id: account.FormatID(i.ID), issue: i, layout: incidentLayout{keys: true}}
}

// Name returns the name under which the keys of the pane can be changed.
func (p *incidentView) Name() string { return "issue" }

// Info returns how fresh the issues and the services are, whichever is older, and which lists the incident lacks.
func (p *incidentView) Info() ui.Info {
	services, issues := p.a.Services(), p.a.Issues()
	return ui.Info{
		Crumb:         "issue " + p.id,
		Freshness:     issues.Freshness().Worst(services.Freshness()),
		HighlightLeft: services.Highlights.Left(),
		Status:        LoadNotes,
		Missing:       func() []string { return append(p.joinedStores(), issues).Missing() },
	}
}

// joinedStores returns the lists that the incident joins with.
func (p *incidentView) joinedStores() table.JoinedStores {
	a := p.a
	return table.JoinedStores{a.Services(), a.Contacts(), a.Instances(), a.Credentials(), a.Stats()}
}

// Refresh reads the issue and what it joins with.
func (p *incidentView) Refresh() {
	p.joinedStores().Refresh()
	p.fetchIssue()
}

// Poll is Refresh that lets reads under way finish.
func (p *incidentView) Poll() {
	p.joinedStores().Poll()
	p.fetchIssue()
}

// fetchIssue reads only this issue, which is cheaper than the list. If that fails, the row of the list stays.
func (p *incidentView) fetchIssue() {
	p.fetched = true
	id := p.issue.ID
	p.a.Issues().ReloadRow(
		p.id,
		func(ctx context.Context) (*client.Issue, error) { return p.a.API.Issues.Get(ctx, id) },
		func(err error) {
			if err != nil {
				operation.Post(p.a, ui.ShowStatus(theme.Warn, "issue "+p.id+" could not be read: "+wording.Reason(err)))
			}
		},
	)
}

// LoadMissing reads what the frame lacks.
func (p *incidentView) LoadMissing() {
	if !p.fetched {
		p.fetchIssue()
	}
	p.joinedStores().EnsureLoaded()
	p.a.Issues().EnsureLoaded()
	issue := p.currentIssue()
	before := join.Found(incidentSections{a: p.a, i: issue}.before())
	p.a.FetchTickets(append([]*client.Issue{issue}, before[:min(historyLength, len(before))]...))
	p.a.LoadChanges()
}

// Update scrolls.
func (p *incidentView) Update(msg tea.Msg) tea.Cmd { return p.scroll.Update(msg) }

// currentIssue returns the issue as last read.
func (p *incidentView) currentIssue() *client.Issue {
	if i, found := p.a.Issues().Get(p.id); found {
		p.issue = i
	}
	return p.issue
}

// Actions returns what can be copied and where to go from here.
func (p *incidentView) Actions() []ui.Action {
	i := p.currentIssue()
	others := operation.IssueReferences(p.a, i)
	noNames := operation.WhyNone(others, "no name shown here can be opened")
	callSheet := operation.ActionOnRow(callSheetAction(p.a), i)
	ticket := operation.ActionOnRow(ticketAction(p.a), i)
	ticket.ShowInHints = true
	acts := []ui.Action{
		callSheet,
		{
			Key:            ui.Bind("copy a line", "Y"),
			Description:    "a phone number, an e-mail address or an ssh command",
			ShowInHints:    true,
			DisabledReason: whyNothingToCopy(p.a, i),
			Do: func() tea.Cmd {
				return ui.Send(ui.OpenMenuMsg{Title: "Copy", Actions: incidentCopyActions(p.a, i)})
			},
		},
		ticket,
		{
			Key:            ui.Bind("go to service", "enter"),
			ShowInHints:    true,
			DisabledReason: wording.If(len(i.Services) == 0, "the issue names no service"),
			Do:             func() tea.Cmd { return goToService(p.a, i) },
		},
		{
			Key:            ui.Bind("follow a name", "f"),
			Description:    "open the last time, a change, or another name shown here; ctrl+o returns",
			DisabledReason: wording.If(len(p.a.LastTimes(i)) == 0, noNames),
			Do: func() tea.Cmd {
				names := append(operation.LastTimeReferences(p.a, i), join.Found(others)...)
				return ui.Send(operation.ReferenceMenu(names, func(row operation.LinkedRow) ui.Pane {
					if issue, found := p.a.Issues().Get(row.ID); found && row.Pane == "issues" {
						return IncidentPane(p.a, issue)
					}
					return nil
				}))
			},
		},
	}
	acts = append(acts, p.jumpActions()...)
	acts = append(acts, ui.Action{
		Key:         ui.Bind("24 h or the hours around it", "c"),
		Description: "how much time the charts show",
		Do: func() tea.Cmd {
			p.layout.wholeDay = !p.layout.wholeDay
			return nil
		},
	})
	return append(append(maintenanceActions(p.a, i), acts...), p.scroll.Actions()...)
}

// jumpActions go to the incident detected before this one, and after it.
func (p *incidentView) jumpActions() []ui.Action {
	to := func(label, none string, by int, keys ...string) ui.Action {
		next := p.beside(by)
		reason, waitsFor := operation.Unless(next != nil, none, join.StateOf(p.a.Issues()))
		return ui.Action{
			Key:            ui.Bind(label, keys...),
			DisabledReason: reason,
			WaitsFor:       waitsFor,
			Do: func() tea.Cmd {
				*p = incidentView{a: p.a, id: account.FormatID(next.ID), issue: next, layout: p.layout}
				return nil
			},
		}
	}
	return []ui.Action{
		to("previous issue", "no issue was detected before this one", 1, "[", ","),
		to("next issue", "no issue was detected after this one", -1, "]", "."),
	}
}

// beside returns the issue that is a number of places older in the list; nil if there is none.
func (p *incidentView) beside(by int) *client.Issue {
	rows := p.a.IssuesNewestFirst()
	n := slices.IndexFunc(rows, func(i *client.Issue) bool { return account.FormatID(i.ID) == p.id })
	if n < 0 || n+by < 0 || n+by >= len(rows) {
		return nil
	}
	return rows[n+by]
}

// maintenanceActions disable the affected services, change their windows, and end them.
func maintenanceActions(a *account.Account, i *client.Issue) []ui.Action {
	var rows []*client.Service
	for _, id := range i.Services {
		if s, read := a.Services().Get(account.FormatID(id)); read {
			rows = append(rows, s)
		}
	}
	gone := "the issue's services no longer exist"
	why, _ := operation.Unless(len(rows) > 0, gone, join.StateOf(a.Services()))
	return serviceRunner(a).ActionsOnAll(rows, why, "disable", "change window", "enable")
}

// maxHintObject is the width of the longest name of a service in a hint.
const maxHintObject = 24

// NewestIncidentActions disable the services of the most urgent incident and end that, if an incident is not over.
func NewestIncidentActions(a *account.Account) []ui.Action {
	if rows := a.IncidentsByUrgency(); len(rows) > 0 && rows[0].Unresolved() {
		i := rows[0]
		actions := maintenanceActions(a, i.Issue)
		object := fmt.Sprintf("%d services", len(i.Issue.Services))
		if len(i.Issue.Services) == 1 {
			object = a.ServiceName(i.Issue.Services[0])
		}
		if ui.Width(object) > maxHintObject {
			object = "its service"
		}
		for n := range actions {
			actions[n].Object = object
		}
		return actions
	}
	why, _ := operation.Unless(false, "no issue is open", a.IncidentState())
	return serviceRunner(a).ActionsOnAll(nil, why, "disable", "change window", "enable")
}

// goToService goes to the affected service, or asks which if there are several.
func goToService(a *account.Account, i *client.Issue) tea.Cmd {
	actions := make([]ui.Action, len(i.Services))
	for n, id := range i.Services {
		actions[n] = ui.Action{
			Key: ui.Bind(a.ServiceName(id), fmt.Sprint(n+1)),
			Do:  func() tea.Cmd { return ui.Send(ui.GoToMsg{Pane: "services", ID: account.FormatID(id)}) },
		}
	}
	if len(actions) == 1 {
		return actions[0].Do()
	}
	return ui.Send(ui.OpenMenuMsg{Title: "Go to service", Actions: actions})
}

// whyNothingToCopy returns why no line of an incident is worth a key, or "" if one is.
func whyNothingToCopy(a *account.Account, i *client.Issue) string {
	if len(incidentCopyActions(a, i)) > 0 {
		return ""
	}
	people, machines := whomToCall(a, i).people, affectedInstances(a, i)
	if s := people.State().Worst(machines.State()); s.Kind != join.Known {
		return s.String()
	}
	return "this issue has no contacts and no instances"
}

// incidentCopyActions copy one line each: a number to call, a command to log in, an address to write to.
func incidentCopyActions(a *account.Account, i *client.Issue) []ui.Action {
	var actions []ui.Action
	add := func(label, what, text string) {
		key := string("123456789abcdefghijklmnopqrstuvwxyz"[min(len(actions), 34)])
		actions = append(actions, ui.Action{
			Key: ui.Bind(label, key),
			Do:  func() tea.Cmd { return ui.Send(ui.CopyMsg{Text: text, Label: what}) },
		})
	}
	people := join.Found(whomToCall(a, i).people)
	for _, c := range people {
		for _, number := range phoneNumbers(c) {
			add(number+"  "+c.Name.String(), "phone number", number)
		}
	}
	for _, m := range join.Found(affectedInstances(a, i)) {
		if line, ok := sshCommand(m); ok {
			add(line+"  "+m.Label.String(), "ssh line", line)
		}
	}
	for _, c := range people {
		add(c.Email.String(), "e-mail address", c.Email.String())
	}
	return actions
}

// View returns the incident: in columns of boxes if they fit, else below each other; as plain text for a screen reader.
func (p *incidentView) View(b ui.Box) string {
	if b.TextOnly {
		return p.scroll.View(b, renderIncident(p.a, p.currentIssue(), b, true))
	}
	return p.scroll.View(b, p.layout.view(p.a, p.currentIssue(), b))
}
