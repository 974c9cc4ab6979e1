package client

import (
	"context"
)

// An Issue is a problem that was detected on monitored services ("Managed Issue").
type Issue struct {
	ID       int       `json:"id"`
	Created  Timestamp `json:"created"` // when it was detected
	Ticket   TicketRef `json:"entity"`
	Services []int     `json:"services"` // affected services; some may be deleted by now
}

// A TicketRef names the ticket that an issue opened. The document sets no bounds on its members.
type TicketRef struct {
	ID    int        `json:"id"`
	Label ServerText `json:"label"`
	Type  ServerText `json:"type"`
	URL   ServerText `json:"url"` // the real service gives a path, /support/tickets/98765
}

// A Ticket is the support ticket that an issue opened. It is not in the document; only the provider's own service has
// it.
type Ticket struct {
	ID     int        `json:"id"`
	Closed Timestamp  `json:"closed"` // zero while the ticket is open
	Status ServerText `json:"status"`
}

// IsOpen reports whether the ticket is not closed.
func (t Ticket) IsOpen() bool { return t.Closed.IsZero() && t.Status.raw != "closed" }

// TicketReader reads the account's support tickets.
type TicketReader struct{ c *Client }

// Get returns one ticket.
func (s TicketReader) Get(ctx context.Context, id int) (Ticket, error) {
	return call[Ticket](ctx, s.c, callByID("view ticket", id, nil))
}
