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

// callFacts are whom to call about an issue.
type callFacts struct {
	groups []callGroup                  // of the affected services, each once, as far as these are known
	people join.Joined[*client.Contact] // of all groups, each once
	remark string                       // what is not known, or why there is nobody; "" if there is neither
}

// callGroup is a group of contacts to call about an issue.
type callGroup struct {
	name   string // safe to display
	people join.Joined[*client.Contact]
}

// whomToCall returns whom to call about an issue.
func whomToCall(a *account.Account, i *client.Issue) callFacts {
	var f callFacts
	services, named := a.AffectedServices(i), map[string]bool{"": true}
	for _, s := range join.Found(services) {
		if name := s.Group.Raw(); !named[name] {
			named[name] = true
			f.groups = append(f.groups, callGroup{s.Group.String(), a.ContactsInGroup(name)})
		}
	}
	f.people = join.FlatMap(services, func(s *client.Service) join.Joined[*client.Contact] {
		return a.ContactsInGroup(s.Group.Raw())
	})
	none := "the groups have no contacts"
	switch {
	case len(i.Services) == 0:
		none = "nobody to call: the issue names no service"
	case len(f.groups) == 0:
		none = "no group is set: press e on the service to set one"
	case len(f.groups) == 1:
		none = "the group has no contacts"
	}
	f.remark = join.Remark(f.people, none)
	return f
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
