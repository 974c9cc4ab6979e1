package cli

import (
	"context"
	"iter"
	"lookout/client"
	"lookout/cmd/internal/output"
	"strconv"
)

func clustersResource() resourceCommand {
	type row = *client.Cluster
	return resource[row]{
		name:        "clusters",
		singular:    "cluster",
		idArg:       "ID",
		description: "Locations of buckets",
		examples:    "lookout clusters list\nlookout clusters get us-east-1",
		columns: []output.ColumnDefinition[row]{
			{Name: "id", Cell: func(c row) string { return c.ID.Raw() }},
			{Name: "region", Cell: func(c row) string { return c.Region.Raw() }},
			{Name: "status", Cell: func(c row) string { return c.Status.Raw() }},
			{Name: "domain", DropPriority: 1, Cell: func(c row) string { return c.Domain.Raw() }},
			{Name: "static_site_domain", DropPriority: 2, Cell: func(c row) string { return c.StaticSiteDomain.Raw() }},
		},
		list: func(ctx context.Context, s *scriptSession, _ listOptions) iter.Seq2[row, error] {
			return s.api.Clusters.All(ctx)
		},
		get: func(ctx context.Context, s *scriptSession, id string) (row, error) {
			return s.api.Clusters.Get(ctx, id)
		},
	}
}

func transferResource() resourceCommand {
	return resource[*client.TransferUsage]{
		name:        "transfer",
		singular:    "transfer",
		description: "Outbound traffic of Object Storage this month, in bytes",
		examples:    "lookout transfer -o json",
		columns: []output.ColumnDefinition[*client.TransferUsage]{
			{Name: "used", Cell: func(t *client.TransferUsage) string { return strconv.FormatInt(t.Used, 10) }},
		},
		get: func(ctx context.Context, s *scriptSession, _ string) (*client.TransferUsage, error) {
			return s.api.NetworkTransfer.Get(ctx)
		},
	}
}
