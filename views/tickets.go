package views

import (
	tea "charm.land/bubbletea/v2"

	"lookout/client"
)

// tickets are the support tickets that issues opened, as far as somebody looked at them. The account API of the document does not tell
// whether an issue is over; only the provider's dialect has the ticket to ask.
type tickets struct {
	known map[int]client.Ticket
	asked map[int]bool
}

func (t *tickets) state(id int) (client.Ticket, bool) {
	ticket, known := t.known[id]
	return ticket, known
}

// ticketsAtOnce bounds how many tickets one look asks for.
const ticketsAtOnce = 20

// seeTickets asks for the tickets of issues in sight, each once until the issues are read again; closed ones stay closed.
func (a *Account) seeTickets(rows []*client.Issue) tea.Cmd {
	if a.api.Dialect() != client.DialectProvider {
		return nil
	}
	var cmds []tea.Cmd
	for _, i := range rows {
		id := i.Ticket.ID
		if id == 0 || a.tickets.asked[id] || len(cmds) == ticketsAtOnce {
			continue
		}
		a.tickets.asked[id] = true
		cmds = append(cmds, a.askTicket(id))
	}
	return tea.Batch(cmds...)
}

func (a *Account) askTicket(id int) tea.Cmd {
	ctx, view := a.ctx, a.api.Tickets.Get
	return func() tea.Msg {
		ticket, err := view(ctx, id)
		return ticketRead{tickets: &a.tickets, id: id, ticket: ticket, err: err}
	}
}

// ticketRead is the answer about a ticket. A failure is not shown: the issue then counts as open while its service has a problem.
type ticketRead struct {
	tickets *tickets
	id      int
	ticket  client.Ticket
	err     error
}

func (r ticketRead) Deliver() tea.Cmd {
	if r.err == nil {
		r.tickets.known[r.id] = r.ticket
	}
	return nil
}
