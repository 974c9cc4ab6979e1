package main

import (
	"context"
	"iter"
	"strconv"

	"lookout/client"
)

func issuesNoun() noun {
	type row = *client.Issue
	return resource[row]{
		name: "issues", one: "issue", named: "ID", about: "What was detected on monitored services",
		examples: "lookout issues list --limit 3\nlookout issues get 823 -o json",
		columns: []column[row]{
			{name: "id", cell: func(i row) string { return strconv.Itoa(i.ID) }},
			{name: "created", cell: func(i row) string { return when(i.Created) }},
			{name: "services", cell: func(i row) string { return numbers(i.Services) }},
			{name: "ticket", drop: 2, cell: func(i row) string { return strconv.Itoa(i.Ticket.ID) }},
			{name: "ticket_label", cell: func(i row) string { return i.Ticket.Label.Raw() }},
			{name: "ticket_url", detail: true, cell: func(i row) string { return i.Ticket.URL.Raw() }},
		},
		list: func(ctx context.Context, s *session, _ listing) iter.Seq2[row, error] { return s.api.Issues.All(ctx) },
		get:  byNumber(func(ctx context.Context, s *session, id int) (row, error) { return s.api.Issues.Get(ctx, id) }),
	}
}
