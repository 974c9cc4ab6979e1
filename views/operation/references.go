package operation

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/join"
	"lookout/client/wording"
	"lookout/ui"
	"lookout/ui/table"
)

// LinkedRow is a row of another pane that a row names.
type LinkedRow struct {
	Kind  string // "contact"
	Label string
	Pane  string
	ID    string
}

// FollowReference returns the operation that goes from a row to what it names.
func FollowReference[T any](names func(T) join.Joined[LinkedRow]) table.RowAction[T] {
	return table.RowAction[T]{
		Keys:           []string{"f"},
		Name:           "follow a name",
		Description:    "jump to another row that this one mentions; ctrl+o returns",
		DisabledReason: func(row T) string { return WhyNone(names(row), "this row refers to nothing shown here") },
		Message:        func(row T) tea.Msg { return ReferenceMenu(join.Found(names(row)), nil) },
	}
}

// WhyNone returns why a join has no row: a sentence, or what has not been read. It returns "" if there is a row.
func WhyNone[T any](rows join.Joined[T], empty string) string {
	return join.Fold(rows, func(all []T) string {
		return wording.If(len(all) == 0, empty)
	}, func(found []T, s join.JoinState) string {
		return wording.If(len(found) == 0, s.String())
	})
}

// Unless returns a reason why something cannot be done that depends on lists: the reason, if all of them are known, or
// what is missing. It also returns the list that is being read.
func Unless(ok bool, reason string, states ...join.JoinState) (disabledReason, waitsFor string) {
	if ok {
		return "", ""
	}
	for _, s := range states {
		if s.Kind != join.Known {
			return s.String(), s.WaitsFor()
		}
	}
	return reason, ""
}

// ReferenceMenu offers the references, or goes to the only one. open returns the pane of a row, or nil to go
// to the row in its list; it may be nil itself.
func ReferenceMenu(names []LinkedRow, open func(LinkedRow) ui.Pane) tea.Msg {
	menu := ui.OpenMenuMsg{Title: "Go to"}
	goTo := func(n LinkedRow) tea.Msg {
		if open != nil {
			if pane := open(n); pane != nil {
				return ui.OpenPaneMsg{Pane: pane}
			}
		}
		return ui.GoToMsg{Pane: n.Pane, ID: n.ID}
	}
	for i, n := range names {
		key := ""
		if i < 9 {
			key = fmt.Sprint(i + 1)
		}
		menu.Actions = append(menu.Actions, ui.Action{
			Key: ui.Bind(n.Kind+" "+n.Label, key),
			Do:  func() tea.Cmd { return ui.Send(goTo(n)) },
		})
	}
	if len(names) == 1 {
		return goTo(names[0])
	}
	return menu
}

func referenceToContact(c *client.Contact) LinkedRow {
	return LinkedRow{"contact", c.Name.String(), "contacts", account.FormatID(c.ID)}
}

// References returns a reference to each row of a join.
func References[T any](rows join.Joined[T], to func(T) LinkedRow) join.Joined[LinkedRow] {
	return join.Derive(rows, func(rows []T) []LinkedRow {
		names := make([]LinkedRow, len(rows))
		for i, row := range rows {
			names[i] = to(row)
		}
		return names
	})
}

// ReferencesToServices returns a reference to each service.
func ReferencesToServices(services join.Joined[*client.Service]) join.Joined[LinkedRow] {
	return References(services, func(s *client.Service) LinkedRow {
		return LinkedRow{"service", s.Label.String(), "services", account.FormatID(s.ID)}
	})
}

// ServiceReferences returns what a service names: its newest issue, the contacts of its group, its credentials, the
// instances behind its address.
func ServiceReferences(a *account.Account, s *client.Service) join.Joined[LinkedRow] {
	issue := join.Derive(a.IssuesOfService(s.ID), func(issues []*client.Issue) []LinkedRow {
		if len(issues) == 0 {
			return nil
		}
		id := account.FormatID(issues[0].ID)
		return []LinkedRow{{"issue", id, "issues", id}}
	})
	return join.Concat(issue, peopleAndMachines(a, s))
}

// peopleAndMachines returns the contacts of a service's group, its credentials and the instances behind its address.
func peopleAndMachines(a *account.Account, s *client.Service) join.Joined[LinkedRow] {
	credentials := join.Derive(a.CredentialLabels(s.Credentials), func(labels []string) []LinkedRow {
		names := make([]LinkedRow, len(labels))
		for i, label := range labels {
			names[i] = LinkedRow{"credential", label, "credentials", account.FormatID(s.Credentials[i])}
		}
		return names
	})
	instances := References(a.InstancesOfService(s), func(m *client.Instance) LinkedRow {
		return LinkedRow{"instance", m.Label.String(), "ssh", account.FormatID(m.ID)}
	})
	return join.Concat(References(a.ContactsInGroup(s.Group.Raw()), referenceToContact), credentials, instances)
}

// LastTimeReferences returns the issues of the last time of the services of an issue, and the changes from this machine
// around it.
func LastTimeReferences(a *account.Account, i *client.Issue) []LinkedRow {
	var names []LinkedRow
	add := func(row LinkedRow) {
		if !slices.Contains(names, row) { // services may have had an issue in common
			names = append(names, row)
		}
	}
	for _, l := range a.LastTimes(i) {
		if l.Issue != nil {
			id := account.FormatID(l.Issue.ID)
			add(LinkedRow{"issue", id + " (the last time)", "issues", id})
		}
		for _, c := range join.Found(a.ChangesOfLastTime(l)) {
			if c.Entry != nil {
				text := client.NewText(c.Entry.Change.Op).String() + " " + account.EntryName(c.Entry)
				add(LinkedRow{"change", a.FormatTime(c.At) + " " + text, "journal", c.Entry.ID})
			}
		}
	}
	return names
}

// IssueReferences returns what an issue names through its services, each once.
func IssueReferences(a *account.Account, i *client.Issue) join.Joined[LinkedRow] {
	services := a.AffectedServices(i)
	others := join.FlatMap(services, func(s *client.Service) join.Joined[LinkedRow] {
		return peopleAndMachines(a, s)
	})
	return join.Concat(ReferencesToServices(services), others)
}
