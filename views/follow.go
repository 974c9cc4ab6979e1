package views

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/ui"
)

// A name is something that a row mentions and another pane shows.
type name struct {
	kind  string // "contact"
	label string
	pane  string
	id    string
}

// follow is an act that goes from a row to what it names; ctrl-o comes back.
func follow[T any](names func(T) []name) ui.Operation[T] {
	return ui.Operation[T]{
		Keys: []string{"f"}, Name: "follow a name", Description: "to the pane of what this row names; ctrl+o comes back",
		DisabledReason: func(row T) string { return because(len(names(row)) == 0, "the row names nothing that is kept here") },
		Message:        func(row T) tea.Msg { return menuOf(names(row)) },
	}
}

// menuOf offers names, or goes to the only one.
func menuOf(names []name) tea.Msg {
	menu := ui.Menu{Title: "Go to"}
	for i, n := range names {
		key := ""
		if i < 9 {
			key = fmt.Sprint(i + 1)
		}
		menu.Actions = append(menu.Actions, ui.Action{Key: ui.Bind(n.kind+" "+n.label, key), Do: func() tea.Cmd { return ui.Send(ui.GoToMsg{Pane: n.pane, ID: n.id}) }})
	}
	if len(names) == 1 {
		return ui.GoToMsg{Pane: names[0].pane, ID: names[0].id}
	}
	return menu
}

func contactName(c *client.Contact) name {
	return name{"contact", c.Name.String(), "contacts", ordinal(c.ID)}
}

func serviceNames(services []*client.Service) []name {
	names := make([]name, len(services))
	for i, s := range services {
		names[i] = name{"service", s.Label.String(), "services", ordinal(s.ID)}
	}
	return names
}

// namesOf are what a service names: its newest issue, the people of its group, its credentials, the instances behind its address.
func (a *Account) namesOf(s *client.Service) []name {
	var names []name
	if i, found := a.newestIssue(s.ID); found {
		names = append(names, name{"issue", ordinal(i.ID), "issues", ordinal(i.ID)})
	}
	for _, c := range a.inGroup(s.Group.Raw()) {
		names = append(names, contactName(c))
	}
	for i, label := range a.credentialLabels(s.Credentials) {
		names = append(names, name{"credential", label, "credentials", ordinal(s.Credentials[i])})
	}
	for _, m := range a.instancesOf(s) {
		names = append(names, name{"instance", m.Label.String(), "ssh", ordinal(m.ID)})
	}
	return names
}

// namesIn are what an issue names through its services, each once.
func (a *Account) namesIn(i *client.Issue) []name {
	names := serviceNames(a.affected(i))
	for _, s := range a.affected(i) {
		for _, n := range a.namesOf(s) {
			if n.kind != "issue" && !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	return names
}
