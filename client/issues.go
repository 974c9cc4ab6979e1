package client

import (
	"context"
	"iter"
)

// An Issue is a problem that was detected on monitored services ("Managed Issue").
type Issue struct {
	ID       int       `json:"id"`
	Created  Time      `json:"created"` // when it was detected
	Ticket   TicketRef `json:"entity"`
	Services []int     `json:"services"` // affected services; some may be deleted by now
}

// A TicketRef names the ticket that an issue opened. The document sets no bounds on its members.
type TicketRef struct {
	ID    int  `json:"id"`
	Label Text `json:"label"`
	Type  Text `json:"type"`
	URL   Text `json:"url"` // the real service gives a path, /support/tickets/98765
}

// Issues reads the recent and ongoing issues of the account.
type Issues struct{ c *Client }

// List returns page n of the issues, from 1.
func (s Issues) List(ctx context.Context, n int) (Page[*Issue], error) {
	return listPage[*Issue](ctx, s.c, "list issues", n)
}

// All iterates over all issues.
func (s Issues) All(ctx context.Context) iter.Seq2[*Issue, error] { return allRows(ctx, s.List) }

// Get returns one issue.
func (s Issues) Get(ctx context.Context, id int) (*Issue, error) {
	return call[*Issue](ctx, s.c, callByID("view issue", id, nil))
}

// A Ticket is the support ticket that an issue opened. It is not in the document; only the provider's own service has
// it.
type Ticket struct {
	ID     int  `json:"id"`
	Closed Time `json:"closed"` // zero while the ticket is open
	Status Text `json:"status"`
}

// IsOpen reports whether the ticket is not closed.
func (t Ticket) IsOpen() bool { return t.Closed.IsZero() && t.Status.raw != "closed" }

// Tickets reads the account's support tickets.
type Tickets struct{ c *Client }

// Get returns one ticket.
func (s Tickets) Get(ctx context.Context, id int) (Ticket, error) {
	return call[Ticket](ctx, s.c, callByID("view ticket", id, nil))
}
