package main

import (
	"context"
	"iter"
	"strconv"

	"lookout/client"
)

func issuesResource() resourceCommand {
	type row = *client.Issue
	return resource[row]{
		name:        "issues",
		singular:    "issue",
		idArg:       "ID",
		description: "What was detected on monitored services",
		examples:    "lookout issues list --limit 3\nlookout issues get 823 -o json",
		columns: []columnDefinition[row]{
			{name: "id", cell: func(i row) string { return strconv.Itoa(i.ID) }},
			{name: "created", cell: func(i row) string { return formatAPITime(i.Created) }},
			{name: "services", cell: func(i row) string { return joinIDs(i.Services) }},
			{name: "ticket", dropPriority: 2, cell: func(i row) string { return strconv.Itoa(i.Ticket.ID) }},
			{name: "ticket_label", cell: func(i row) string { return i.Ticket.Label.Raw() }},
			{name: "ticket_url", detailOnly: true, cell: func(i row) string { return i.Ticket.URL.Raw() }},
		},
		list: func(ctx context.Context, s *scriptSession, _ listOptions) iter.Seq2[row, error] {
			return s.api.Issues.All(ctx)
		},
		get: getByID(
			func(ctx context.Context, s *scriptSession, id int) (row, error) { return s.api.Issues.Get(ctx, id) },
		),
	}
}
