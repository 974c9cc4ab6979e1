package cli

import (
	"context"
	"iter"
	"strconv"

	"lookout/client"
	"lookout/views/resource"
)

func issuesResource() resourceCommand {
	type row = *client.Issue
	return scriptResource[row]{
		name:        "issues",
		singular:    "issue",
		idArg:       "ID",
		description: "Issues detected on monitored services",
		examples:    "lookout issues list --limit 3\nlookout issues get 823 -o json",
		columns: []resource.ColumnDefinition[row]{
			{Name: "id", Value: func(i row) string { return strconv.Itoa(i.ID) }},
			{Name: "created", Value: func(i row) string { return formatAPITime(i.Created) }},
			{Name: "services", Value: func(i row) string { return joinIDs(i.Services) }},
			{Name: "ticket", DropPriority: 2, Value: func(i row) string { return strconv.Itoa(i.Ticket.ID) }},
			{Name: "ticket_label", Value: func(i row) string { return i.Ticket.Label.Raw() }},
			{Name: "ticket_url", DetailOnly: true, Value: func(i row) string { return i.Ticket.URL.Raw() }},
		},
		list: func(ctx context.Context, s *scriptSession, _ listOptions) iter.Seq2[row, error] {
			return s.api.Issues.All(ctx)
		},
		get: getByID(
			func(ctx context.Context, s *scriptSession, id int) (row, error) { return s.api.Issues.Get(ctx, id) },
		),
	}
}
