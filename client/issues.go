package client

import (
	"context"
	"iter"
)

// An Issue is something that was detected on monitored services ("Managed Issue").
type Issue struct {
	ID       int    `json:"id"`
	Created  Time   `json:"created"` // the detection
	Ticket   Entity `json:"entity"`
	Services []int  `json:"services"` // affected; may name services that are gone
}

// An Entity is the ticket that an issue opened. Its members are not bounded by the document.
type Entity struct {
	ID    int  `json:"id"`
	Label Text `json:"label"`
	Type  Text `json:"type"`
	URL   Text `json:"url"` // the real service gives a path, /support/tickets/98765
}

// Issues are the recent and ongoing issues of the account.
type Issues struct{ c *Client }

// Page is a page of the issues, from 1.
func (s Issues) Page(ctx context.Context, n int) (Page[*Issue], error) {
	return page[*Issue](ctx, s.c, "list issues", n)
}

// All walks the issues.
func (s Issues) All(ctx context.Context) iter.Seq2[*Issue, error] { return all(ctx, s.Page) }

// View is one issue.
func (s Issues) View(ctx context.Context, id int) (*Issue, error) {
	return call[*Issue](ctx, s.c, one("view issue", id, nil))
}
