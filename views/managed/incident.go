package managed

import (
	"fmt"
	"slices"
	"strings"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/incident"
	"lookout/client/account/join"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/operation"
)

// contactsToCall returns the contacts of the affected services' groups, each once.
func contactsToCall(a *account.Account, i *client.Issue) join.Joined[*client.Contact] {
	return join.FlatMap(a.AffectedServices(i), func(s *client.Service) join.Joined[*client.Contact] {
		return a.ContactsInGroup(s.Group.Raw())
	})
}

// affectedInstances returns the instances behind the affected services, each once.
func affectedInstances(a *account.Account, i *client.Issue) join.Joined[*client.Instance] {
	return join.FlatMap(a.AffectedServices(i), a.InstancesOfService)
}

// renderIncident returns an incident as text, for a detail beside a list and for screen readers: the sections of the
// pane with headings instead of boxes. whole adds the load around the detection and what happened before.
func renderIncident(a *account.Account, i *client.Issue, b ui.Box, whole bool) string {
	t := operation.NewDetailWriter(b)
	writeIncidentHeader(a, t, i, whole)
	w := incidentSections{a: a, i: i, b: b}
	write := func(sections ...ui.StackedPanel) {
		for _, s := range sections {
			words := make([]string, len(s.Title))
			for n, segment := range s.Title {
				words[n] = segment.Text
			}
			t.Heading(strings.Join(words, " "))
			t.Lines = append(t.Lines, s.Lines...)
			t.Blank()
		}
	}
	services := w.services()
	if len(services) > 1 {
		write(w.affected(), w.call())
		write(services...)
	} else {
		write(services[0], w.call())
	}
	if ssh, reachable := w.ssh(); reachable {
		write(ssh)
	}
	if whole {
		write(w.maintenance())
		writeLoadChart(a, t, i, 9)
		write(w.history(historyLength), w.changes(historyLength))
	}
	return t.String()
}

// writeIncidentHeader writes what the issue is. Beside a list, its number is in the border.
func writeIncidentHeader(a *account.Account, t *operation.DetailWriter, i *client.Issue, whole bool) {
	detected := fmt.Sprintf(
		"detected %s, %s", a.FormatTimestamp(i.Created), account.FormatAgo(i.Created, t.Box.Now),
	)
	if whole {
		detected = fmt.Sprintf("Issue %d · %s", i.ID, detected)
	}
	t.Title(detected)
	if found, known := a.Incidents().Of(i.ID); known {
		mark, tone := IncidentMark(found, t.Box.Theme.Glyphs)
		t.Paragraph(strings.TrimSpace(mark+" "+describeIncident(a, found)), tone)
	}
	if i.Ticket.ID != 0 {
		state := a.DescribeTicket(i.Ticket.ID)
		t.Paragraph(fmt.Sprintf("ticket %d %s  %s", i.Ticket.ID, state, i.Ticket.Label), theme.Muted)
	}
	t.Blank()
}

// phaseWord returns in a word how far an incident is.
func phaseWord(p incident.Phase) string {
	if p == incident.Lapsed {
		return string(incident.Uncertain)
	}
	return string(p)
}

// describeIncident says whether an incident is over, and how that is known.
func describeIncident(a *account.Account, i incident.Incident) string {
	text := phaseWord(i.Phase)
	switch i.Phase {
	case incident.Over:
		text += ": its ticket is closed"
		if i.Ticket != incident.TicketClosed {
			text = "over: nothing is down because of it"
		}
	case incident.Recovered:
		text += wording.WithPrefix("; ", ticketDoubt(a, i.Issue))
	case incident.Uncertain, incident.Lapsed:
		text += " whether it is over" + wording.WithPrefix(": ", whyUncertain(a, i))
	case incident.Open:
		if i.Ticket == incident.TicketClosed {
			text += ": its ticket is closed, but what it affects is down"
		} else if i.Well() {
			text += ", although its services are ok again"
		}
	}
	var silenced []string
	for _, s := range i.Services {
		if i.Unresolved() && s.Silence != nil {
			silenced = append(silenced, a.QuotedService(s.ID))
		}
		if s.Newer != 0 {
			text += fmt.Sprintf("; %s is down because of issue %d", a.QuotedService(s.ID), s.Newer)
		}
	}
	if len(silenced) > 0 {
		text += ", silenced: monitoring of " + account.JoinWithCommas(silenced) + " is disabled"
	}
	return text
}

// whyUncertain returns why nothing says whether an incident is over; "" if the states of its services say it.
func whyUncertain(a *account.Account, i incident.Incident) string {
	services := a.AffectedServices(i.Issue)
	switch {
	case len(i.Services) == 0:
		return strings.Join(slices.DeleteFunc([]string{
			"the issue names no service", ticketDoubt(a, i.Issue),
		}, func(text string) bool { return text == "" }), "; ")
	case services.State().Kind != join.Known:
		return services.State().String()
	}
	return ticketDoubt(a, i.Issue)
}

// ticketDoubt says why the ticket of an issue does not tell whether it is over; "" if it does, or if the API has none.
func ticketDoubt(a *account.Account, i *client.Issue) string {
	id := i.Ticket.ID
	switch {
	case !a.API.HasTickets(), a.Tickets.State(id) != incident.TicketUnknown:
		return ""
	case id == 0:
		return "the issue names no ticket"
	case a.TicketUnread(id):
		return "its ticket has not been read yet"
	}
	return "it is unknown whether its ticket is closed"
}

// credentialUsage names credentials with their last use by support. It returns "" if there are none.
func credentialUsage(a *account.Account, ids []int) string {
	labels := join.Derive(a.CredentialLabels(ids), func(labels []string) []string {
		names := slices.Clone(labels)
		for n, id := range ids {
			if c, found := a.Credentials().Get(account.FormatID(id)); found && c.LastDecrypted.Valid() {
				names[n] = wording.Quoted(names[n]) + " (used by support " +
					account.FormatAge(c.LastDecrypted, a.Now()) + " ago)"
			}
		}
		return names
	})
	return join.Names(labels, strings.Clone, "")
}

// whyNobodyToCall returns why there is no contact to call, with everything known.
func whyNobodyToCall(i *client.Issue, groups []callGroup) string {
	switch {
	case len(i.Services) == 0:
		return "nobody to call: the issue names no service"
	case len(groups) == 0:
		return "no group is set: press e on the service to set one"
	case len(groups) == 1:
		return "the group has no contacts"
	}
	return "the groups have no contacts"
}

// callGroup is a group of contacts to call about an issue.
type callGroup struct {
	name   string // as the server sent it
	people join.Joined[*client.Contact]
}

// groupsToCall returns the groups to call about an issue, each once, as far as its services are known.
func groupsToCall(a *account.Account, i *client.Issue) []callGroup {
	var groups []callGroup
	for _, s := range join.Found(a.AffectedServices(i)) {
		name := s.Group.Raw()
		if name != "" && !slices.ContainsFunc(groups, func(g callGroup) bool { return g.name == name }) {
			groups = append(groups, callGroup{name, a.ContactsInGroup(name)})
		}
	}
	return groups
}

// quotedGroup names the group of a service in a sentence; "" without one.
func quotedGroup(s *client.Service) string {
	if s.Group.Raw() == "" {
		return ""
	}
	return wording.Quoted(s.Group.String())
}

// groupNames names groups in one line.
func groupNames(groups []callGroup) string {
	names := make([]string, len(groups))
	for n, g := range groups {
		names[n] = client.Clean(g.name)
	}
	return account.JoinWithCommas(names)
}

// sshLine returns the command to log in to an instance, and what keeps support from using it: "" if nothing does.
func sshLine(m *client.Instance) (line, remark string) {
	line, _ = sshCommand(m)
	switch on, known := m.SSH.Access.Value(); {
	case !known:
		return line, "(access unknown)"
	case !on:
		return line, "(access is switched off)"
	}
	return line, ""
}
