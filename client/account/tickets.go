package account

import (
	"cmp"
	"fmt"
	"time"

	"lookout/client"
	"lookout/client/account/handover"
	"lookout/client/account/incident"
	"lookout/client/wording"
)

// ticketCache holds the support tickets of issues, as last read. The API document does not say whether an issue is
// over.
type ticketCache struct {
	byID    map[int]ticketEntry
	version int       // grows whenever the state of a ticket changes
	checked time.Time // when the tickets of unresolved incidents were last looked through
}

// ticketEntry is the last answer about a ticket.
type ticketEntry struct {
	state   incident.TicketState
	status  client.ServerText // as the API calls the state
	closed  time.Time         // when it was closed; zero if it was not, or the answer does not say
	reading bool
	at      time.Time // of the last answer or failure
	stated  time.Time // of the last answer, which said the state
	err     error     // why the last read failed; nil if it was answered
}

// Version grows whenever the state of a ticket changes.
func (t *ticketCache) Version() int { return t.version }

// State returns what is known about a ticket. After a failed read that is what the last answer said.
func (t *ticketCache) State(id int) incident.TicketState {
	if entry, known := t.byID[id]; known && entry.state != "" {
		return entry.state
	}
	return incident.TicketUnknown
}

// Closed returns when a ticket was closed, as the last answer said; zero if that is not known.
func (t *ticketCache) Closed(id int) time.Time { return t.byID[id].closed }

// Reading reports whether the first answer about a ticket is on its way.
func (t *ticketCache) Reading(id int) bool {
	entry := t.byID[id]
	return entry.reading && entry.at.IsZero()
}

// TicketUnread reports whether a ticket has neither been read nor failed to be, although it can be.
func (a *Account) TicketUnread(id int) bool {
	return id != 0 && a.API.HasTickets() && a.Tickets.byID[id].at.IsZero()
}

// forHandover returns what is known of a ticket for a handover.
func (t *ticketCache) forHandover(id int) handover.Ticket {
	entry := t.byID[id]
	known := handover.Ticket{Unread: entry.at.IsZero(), Err: entry.err}
	switch entry.state {
	case incident.TicketOpen:
		known.Status = client.NewText(cmp.Or(entry.status.Raw(), string(entry.state)))
	case incident.TicketClosed:
		known.Status = client.NewText(string(entry.state))
	}
	return known
}

// DescribeTicket returns the state of a ticket with its reason if it is unknown, and with its age if it could not be
// read again: "open", "not read yet", "unknown (not in this API)".
func (a *Account) DescribeTicket(id int) string {
	entry := a.Tickets.byID[id]
	switch {
	case !a.API.HasTickets():
		return string(incident.TicketUnknown) + " (not in this API)"
	case a.Tickets.Reading(id):
		return "is being read"
	case entry.at.IsZero():
		return "not read yet"
	case entry.err != nil && entry.stated.IsZero():
		return fmt.Sprintf("%s (could not be read: %s)", incident.TicketUnknown, wording.Reason(entry.err))
	case entry.err != nil:
		return fmt.Sprintf(
			"%s %s ago (could not be read since: %s)", entry.state, wording.FormatAge(a.Now().Sub(entry.stated)),
			wording.Reason(entry.err),
		)
	case entry.state == incident.TicketUnknown:
		return string(incident.TicketUnknown) + " (the response does not say)"
	}
	return string(entry.state)
}

// maxTicketRequests is the number of tickets that one call of FetchTickets reads.
const maxTicketRequests = 20

// The ages at which tickets are read again.
const (
	openTicketMaxAge   = time.Minute
	closedTicketMaxAge = 30 * time.Minute // support may open it again
)

// FetchTickets reads the tickets of issues that have not been read yet, or not for a while.
func (a *Account) FetchTickets(rows []*client.Issue) {
	if !a.API.HasTickets() {
		return
	}
	reading := 0
	for _, i := range rows {
		if id := i.Ticket.ID; id != 0 && a.Tickets.due(id, a.Now()) && reading < maxTicketRequests {
			entry := a.Tickets.byID[id]
			entry.reading = true
			a.Tickets.byID[id] = entry
			a.fetchTicket(id)
			reading++
		}
	}
}

// due reports whether a ticket is to be read.
func (t *ticketCache) due(id int, now time.Time) bool {
	entry := t.byID[id]
	age := openTicketMaxAge
	if entry.state == incident.TicketClosed {
		age = closedTicketMaxAge
	}
	return !entry.reading && (entry.at.IsZero() || now.Sub(entry.at).Abs() >= age)
}

// fetchUnresolvedTickets reads the tickets on which it depends whether an incident is over: those of incidents that are
// not known to be over, those of the newest issues, and a few of the others at a time, until all were read once.
func (a *Account) fetchUnresolvedTickets() {
	const interval = 10 * time.Second
	if now := a.Now(); !a.Issues().Loaded() || now.Sub(a.Tickets.checked).Abs() < interval {
		return
	}
	a.Tickets.checked = a.Now()
	const newest, others = 10, 5
	var rows, unread []*client.Issue
	for n, i := range a.Incidents().All() {
		switch {
		case i.Unresolved() || n < newest:
			rows = append(rows, i.Issue)
		case len(unread) < others && a.Tickets.byID[i.Issue.Ticket.ID].at.IsZero():
			unread = append(unread, i.Issue)
		}
	}
	a.FetchTickets(append(rows, unread...))
}

func (a *Account) fetchTicket(id int) {
	a.Go(func() (apply func()) {
		ticket, err := a.API.Tickets.Get(a.Context, id)
		return func() { a.keepTicket(id, ticket, err) }
	})
}

// keepTicket keeps the state of a ticket. After a failure its state stays as it was last known, and is unknown before
// the first answer.
func (a *Account) keepTicket(id int, ticket client.Ticket, err error) {
	t := &a.Tickets
	entry := t.byID[id]
	before := entry
	entry.reading, entry.at, entry.err = false, a.Now(), err
	if err == nil {
		entry.state, entry.status, entry.stated = incident.StateOfTicket(ticket), ticket.Status, entry.at
		entry.closed = ticket.Closed.Time()
	}
	if err == nil && entry.state != incident.TicketUnknown {
		a.memory.observations().SetTicket(id, entry.state == incident.TicketOpen, entry.at.Round(0).UTC())
	}
	t.byID[id] = entry
	if entry.state != before.state || entry.closed != before.closed || before.reading {
		t.version++
	}
}
