package managed

import (
	"fmt"
	"strings"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/join"
	"lookout/client/visible"
)

// callSheet returns an incident as plain text, for a chat or a ticket.
func callSheet(a *account.Account, i *client.Issue) string {
	var b strings.Builder
	now := a.Now()
	fmt.Fprintf(
		&b, "Issue %d, detected %s UTC (%s)\n", i.ID, i.Created.Time().UTC().Format("2006-01-02 15:04"),
		account.FormatAgo(i.Created, now),
	)
	if found, known := a.Incidents().Of(i.ID); known {
		fmt.Fprintf(&b, "State: %s\n", describeIncident(a, found))
	}
	if i.Ticket.ID != 0 {
		fmt.Fprintf(&b, "Ticket %d: %s\n", i.Ticket.ID, client.Clean(i.Ticket.Label.Raw()))
	}
	for _, id := range i.Services {
		s, found := a.Services().Get(account.FormatID(id))
		if !found {
			fmt.Fprintf(&b, "\nService %s\n", a.ServiceName(id))
			if s := join.StateOf(a.Services()); s.Kind != join.Known {
				fmt.Fprintf(&b, "  %s\n", s.Reason())
			}
			continue
		}
		fmt.Fprintf(&b, "\nService %s: %s\n  %s %s, %s\n", s.Label, s.Status, s.Type, s.Address, timeoutPart(s))
		for line := range strings.SplitSeq(strings.TrimSpace(visible.MaskKeys(s.Notes.Raw())), "\n") {
			if line != "" {
				fmt.Fprintf(&b, "  %s\n", client.Clean(strings.TrimRight(line, " ")))
			}
		}
	}
	writeCallLines(&b, a, i)
	if whyNoLoad(a, i) == "" {
		fmt.Fprintf(&b, "\nLoad at the detection\n")
		for _, figure := range loadFigures(a, i) {
			fmt.Fprintf(&b, "  %s\n", figure)
		}
	}
	return b.String()
}

// writeCallLines writes whom to call of each group, how to log in, and which of this is not known.
func writeCallLines(b *strings.Builder, a *account.Account, i *client.Issue) {
	call, machines := whomToCall(a, i), affectedInstances(a, i)
	for _, g := range call.groups {
		fmt.Fprintf(b, "\nCall (%s)\n", g.name)
		for _, c := range join.Found(g.people) {
			fmt.Fprintf(b, "  %s  %s  %s\n", c.Name, strings.Join(phoneParts(c), " / "), c.Email)
		}
		if join.KnownEmpty(g.people) {
			fmt.Fprint(b, "  no contacts\n")
		}
	}
	if s := call.people.State(); s.Kind != join.Known {
		fmt.Fprintf(b, "\nCall: %s\n", s.Reason())
	}
	if len(join.Found(machines)) > 0 {
		fmt.Fprint(b, "\nSSH\n")
	}
	for _, m := range join.Found(machines) {
		if line, ok := sshCommand(m); ok {
			fmt.Fprintf(b, "  %s: %s\n", m.Label, line)
		}
	}
	if s := machines.State(); s.Kind != join.Known && s.Of != call.people.State().Of {
		fmt.Fprintf(b, "\nSSH: %s\n", s.Reason())
	}
}
