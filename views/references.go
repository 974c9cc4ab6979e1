package views

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/ui"
	"lookout/ui/table"
)

// A reference is something that a row mentions and another pane shows.
type reference struct {
	Kind  string // "contact"
	Label string
	pane  string
	id    string
}

// followReference is an act that goes from a row to what it names; ctrl-o comes back.
func followReference[T any](names func(T) []reference) table.Operation[T] {
	return table.Operation[T]{
		Keys:        []string{"f"},
		Name:        "follow a name",
		Description: "to the pane of what this row names; ctrl+o comes back",
		DisabledReason: func(row T) string {
			return reasonIf(len(names(row)) == 0, "the row names nothing that is "+
				"kept here")
		},
		Message: func(row T) tea.Msg { return referenceMenu(names(row)) },
	}
}

// referenceMenu offers names, or goes to the only one.
func referenceMenu(names []reference) tea.Msg {
	menu := ui.Menu{Title: "Go to"}
	for i, n := range names {
		key := ""
		if i < 9 {
			key = fmt.Sprint(i + 1)
		}
		menu.Actions = append(
			menu.Actions,
			ui.Action{
				Key: ui.Bind(n.Kind+" "+n.Label, key),
				Do:  func() tea.Cmd { return ui.Send(ui.GoToMsg{Pane: n.pane, ID: n.id}) },
			},
		)
	}
	if len(names) == 1 {
		return ui.GoToMsg{Pane: names[0].pane, ID: names[0].id}
	}
	return menu
}

func referenceToContact(c *client.Contact) reference {
	return reference{"contact", c.Name.String(), "contacts", formatID(c.ID)}
}

func referencesToServices(services []*client.Service) []reference {
	names := make([]reference, len(services))
	for i, s := range services {
		names[i] = reference{"service", s.Label.String(), "services", formatID(s.ID)}
	}
	return names
}

// serviceReferences are what a service names: its newest issue, the people of its group, its credentials, the instances
// behind its address.
func serviceReferences(a *Account, s *client.Service) []reference {
	var names []reference
	if i, found := newestIssue(a, s.ID); found {
		names = append(names, reference{"issue", formatID(i.ID), "issues", formatID(i.ID)})
	}
	for _, c := range a.contactsInGroup(s.Group.Raw()) {
		names = append(names, referenceToContact(c))
	}
	for i, label := range a.credentialLabels(s.Credentials) {
		names = append(names, reference{"credential", label, "credentials", formatID(s.Credentials[i])})
	}
	for _, m := range a.instancesOfService(s) {
		names = append(names, reference{"instance", m.Label.String(), "ssh", formatID(m.ID)})
	}
	return names
}

// issueReferences are what an issue names through its services, each once.
func issueReferences(a *Account, i *client.Issue) []reference {
	names := referencesToServices(affectedServices(a, i))
	for _, s := range affectedServices(a, i) {
		for _, n := range serviceReferences(a, s) {
			if n.Kind != "issue" && !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	return names
}
