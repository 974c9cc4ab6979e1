package main

import (
	"context"
	"iter"

	"lookout/client"
)

func clustersResource() resourceCommand {
	type row = *client.Cluster
	return resource[row]{
		name:        "clusters",
		singular:    "cluster",
		idArg:       "ID",
		description: "Places where buckets are",
		examples:    "lookout clusters list\nlookout clusters get us-east-1",
		columns: []columnDefinition[row]{
			{name: "id", cell: func(c row) string { return c.ID.Raw() }},
			{name: "region", cell: func(c row) string { return c.Region.Raw() }},
			{name: "status", cell: func(c row) string { return c.Status.Raw() }},
			{name: "domain", dropPriority: 1, cell: func(c row) string { return c.Domain.Raw() }},
			{name: "static_site_domain", dropPriority: 2, cell: func(c row) string { return c.StaticSiteDomain.Raw() }},
		},
		list: func(ctx context.Context, s *scriptSession, _ listOptions) iter.Seq2[row, error] {
			return s.api.Clusters.All(ctx)
		},
		get: func(ctx context.Context, s *scriptSession, id string) (row, error) {
			return s.api.Clusters.Get(ctx, id)
		},
	}
}
