package account

import (
	tea "charm.land/bubbletea/v2"

	"lookout/client"
)

// ticketCache holds the support tickets of issues that were shown. Only the provider's dialect can read tickets; the
// API document does not say whether an issue is over.
type ticketCache struct {
	byID      map[int]client.Ticket
	requested map[int]bool
}

func (t *ticketCache) Lookup(id int) (client.Ticket, bool) {
	ticket, known := t.byID[id]
	return ticket, known
}

// maxTicketRequests is the number of tickets that one call of FetchTickets reads.
const maxTicketRequests = 20

// FetchTickets reads the tickets of issues in sight, each once.
func (a *Account) FetchTickets(rows []*client.Issue) tea.Cmd {
	if a.API.Dialect() != client.DialectProvider {
		return nil
	}
	var cmds []tea.Cmd
	for _, i := range rows {
		id := i.Ticket.ID
		if id == 0 || a.Tickets.requested[id] || len(cmds) == maxTicketRequests {
			continue
		}
		a.Tickets.requested[id] = true
		cmds = append(cmds, fetchTicket(a, id))
	}
	return tea.Batch(cmds...)
}

func fetchTicket(a *Account, id int) tea.Cmd {
	ctx, view := a.Context, a.API.Tickets.Get
	return func() tea.Msg {
		ticket, err := view(ctx, id)
		return ticketResult{
			tickets: &a.Tickets,
			id:      id,
			ticket:  ticket,
			err:     err,
		}
	}
}

// ticketResult is a ticket, or why it could not be read. A failure is not shown: the issue then counts as open while
// its service has a problem.
type ticketResult struct {
	tickets *ticketCache
	id      int
	ticket  client.Ticket
	err     error
}

func (r ticketResult) Deliver() tea.Cmd {
	if r.err == nil {
		r.tickets.byID[r.id] = r.ticket
	}
	return nil
}
