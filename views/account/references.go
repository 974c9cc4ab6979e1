package account

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/resource"
)

// LinkedRow is a row of another pane that a row names.
type LinkedRow struct {
	Kind  string // "contact"
	Label string
	Pane  string
	ID    string
}

// FollowReference returns the operation that goes from a row to what it names.
func FollowReference[T any](names func(T) resource.Joined[LinkedRow]) table.RowAction[T] {
	return table.RowAction[T]{
		Keys:           []string{"f"},
		Name:           "follow a name",
		Description:    "jump to another row that this one mentions; ctrl+o returns",
		DisabledReason: func(row T) string { return WhyNone(names(row), "this row refers to nothing shown here") },
		Message:        func(row T) tea.Msg { return ReferenceMenu(resource.Found(names(row))) },
	}
}

// WhyNone returns why a join has no row: a sentence, or what has not been read. It returns "" if there is a row.
func WhyNone[T any](rows resource.Joined[T], empty string) string {
	return resource.Fold(rows, func(all []T) string {
		return ReasonIf(len(all) == 0, empty)
	}, func(found []T, s resource.JoinState) string {
		return ReasonIf(len(found) == 0, s.String())
	})
}

// Unless returns a reason why something cannot be done that depends on lists: the reason, if all of them are known, or
// what is missing. It also returns the list that is being read.
func Unless(ok bool, reason string, states ...resource.JoinState) (disabledReason, waitsFor string) {
	if ok {
		return "", ""
	}
	for _, s := range states {
		if s.Kind != resource.Known {
			return s.String(), s.WaitsFor()
		}
	}
	return reason, ""
}

// ReferenceMenu offers the references, or goes to the only one.
func ReferenceMenu(names []LinkedRow) tea.Msg {
	menu := ui.OpenMenuMsg{Title: "Go to"}
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

func referenceToContact(c *client.Contact) LinkedRow {
	return LinkedRow{"contact", c.Name.String(), "contacts", FormatID(c.ID)}
}

// References returns a reference to each row of a join.
func References[T any](rows resource.Joined[T], to func(T) LinkedRow) resource.Joined[LinkedRow] {
	return resource.Derive(rows, func(rows []T) []LinkedRow {
		names := make([]LinkedRow, len(rows))
		for i, row := range rows {
			names[i] = to(row)
		}
		return names
	})
}

// ReferencesToServices returns a reference to each service.
func ReferencesToServices(services resource.Joined[*client.Service]) resource.Joined[LinkedRow] {
	return References(services, func(s *client.Service) LinkedRow {
		return LinkedRow{"service", s.Label.String(), "services", FormatID(s.ID)}
	})
}

// ServiceReferences returns what a service names: its newest issue, the contacts of its group, its credentials, the
// instances behind its address.
func ServiceReferences(a *Account, s *client.Service) resource.Joined[LinkedRow] {
	issue := resource.Derive(a.IssuesOfService(s.ID), func(issues []*client.Issue) []LinkedRow {
		if len(issues) == 0 {
			return nil
		}
		id := FormatID(issues[0].ID)
		return []LinkedRow{{"issue", id, "issues", id}}
	})
	return resource.Concat(issue, peopleAndMachines(a, s))
}

// peopleAndMachines returns the contacts of a service's group, its credentials and the instances behind its address.
func peopleAndMachines(a *Account, s *client.Service) resource.Joined[LinkedRow] {
	credentials := resource.Derive(a.CredentialLabels(s.Credentials), func(labels []string) []LinkedRow {
		names := make([]LinkedRow, len(labels))
		for i, label := range labels {
			names[i] = LinkedRow{"credential", label, "credentials", FormatID(s.Credentials[i])}
		}
		return names
	})
	instances := References(a.InstancesOfService(s), func(m *client.Instance) LinkedRow {
		return LinkedRow{"instance", m.Label.String(), "ssh", FormatID(m.ID)}
	})
	return resource.Concat(References(a.ContactsInGroup(s.Group.Raw()), referenceToContact), credentials, instances)
}

// IssueReferences returns what an issue names through its services, each once.
func IssueReferences(a *Account, i *client.Issue) resource.Joined[LinkedRow] {
	services := AffectedServices(a, i)
	others := resource.FlatMap(services, func(s *client.Service) resource.Joined[LinkedRow] {
		return peopleAndMachines(a, s)
	})
	return resource.Concat(ReferencesToServices(services), others)
}
