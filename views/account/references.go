package account

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/ui"
	"lookout/ui/table"
)

// A reference is something that a row mentions and another pane shows.
type Reference struct {
	Kind  string // "contact"
	Label string
	Pane  string
	ID    string
}

// followReference is an act that goes from a row to what it names; ctrl-o comes back.
func FollowReference[T any](names func(T) []Reference) table.Operation[T] {
	return table.Operation[T]{
		Keys:        []string{"f"},
		Name:        "follow a name",
		Description: "to the pane of what this row names; ctrl+o comes back",
		DisabledReason: func(row T) string {
			return ReasonIf(len(names(row)) == 0, "the row names nothing that is "+
				"kept here")
		},
		Message: func(row T) tea.Msg { return ReferenceMenu(names(row)) },
	}
}

// referenceMenu offers names, or goes to the only one.
func ReferenceMenu(names []Reference) tea.Msg {
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
				Do:  func() tea.Cmd { return ui.Send(ui.GoToMsg{Pane: n.Pane, ID: n.ID}) },
			},
		)
	}
	if len(names) == 1 {
		return ui.GoToMsg{Pane: names[0].Pane, ID: names[0].ID}
	}
	return menu
}

func referenceToContact(c *client.Contact) Reference {
	return Reference{"contact", c.Name.String(), "contacts", FormatID(c.ID)}
}

func ReferencesToServices(services []*client.Service) []Reference {
	names := make([]Reference, len(services))
	for i, s := range services {
		names[i] = Reference{"service", s.Label.String(), "services", FormatID(s.ID)}
	}
	return names
}

// serviceReferences are what a service names: its newest issue, the people of its group, its credentials, the instances
// behind its address.
func ServiceReferences(a *Account, s *client.Service) []Reference {
	var names []Reference
	if i, found := NewestIssue(a, s.ID); found {
		names = append(names, Reference{"issue", FormatID(i.ID), "issues", FormatID(i.ID)})
	}
	for _, c := range a.ContactsInGroup(s.Group.Raw()) {
		names = append(names, referenceToContact(c))
	}
	for i, label := range a.CredentialLabels(s.Credentials) {
		names = append(names, Reference{"credential", label, "credentials", FormatID(s.Credentials[i])})
	}
	for _, m := range a.InstancesOfService(s) {
		names = append(names, Reference{"instance", m.Label.String(), "ssh", FormatID(m.ID)})
	}
	return names
}

// issueReferences are what an issue names through its services, each once.
func IssueReferences(a *Account, i *client.Issue) []Reference {
	names := ReferencesToServices(AffectedServices(a, i))
	for _, s := range AffectedServices(a, i) {
		for _, n := range ServiceReferences(a, s) {
			if n.Kind != "issue" && !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	return names
}
