package client

import (
	"context"
	"iter"
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

// IssueReader reads the recent and ongoing issues of the account.
type IssueReader struct{ c *Client }

// List returns page n of the issues, from 1.
func (s IssueReader) List(ctx context.Context, n int) (Page[*Issue], error) {
	return listPage[*Issue](ctx, s.c, "list issues", n)
}

// All iterates over all issues.
func (s IssueReader) All(ctx context.Context) iter.Seq2[*Issue, error] { return allRows(ctx, s.List) }

// Get returns one issue.
func (s IssueReader) Get(ctx context.Context, id int) (*Issue, error) {
	return call[*Issue](ctx, s.c, callByID("view issue", id, nil))
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
