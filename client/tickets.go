package client

import "context"

// A Ticket is the support ticket that an issue opened. Only the provider's own service has it; the document does not.
type Ticket struct {
	ID     int  `json:"id"`
	Closed Time `json:"closed"` // zero while the ticket is open
	Status Text `json:"status"`
}

// IsOpen reports whether the ticket is still worked on.
func (t Ticket) IsOpen() bool { return t.Closed.IsZero() && t.Status.raw != "closed" }

// Tickets are the account's support tickets.
type Tickets struct{ c *Client }

// Get is one ticket.
func (s Tickets) Get(ctx context.Context, id int) (Ticket, error) {
	return call[Ticket](ctx, s.c, callByID("view ticket", id, nil))
}
