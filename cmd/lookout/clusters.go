package main

import (
	"context"
	"iter"

	"lookout/client"
)

func clustersNoun() noun {
	type row = *client.Cluster
	return resource[row]{
		name: "clusters", one: "cluster", named: "ID", about: "Places where buckets are",
		examples: "lookout clusters list\nlookout clusters get us-east-1",
		columns: []column[row]{
			{name: "id", cell: func(c row) string { return c.ID.Raw() }},
			{name: "region", cell: func(c row) string { return c.Region.Raw() }},
			{name: "status", cell: func(c row) string { return c.Status.Raw() }},
			{name: "domain", drop: 1, cell: func(c row) string { return c.Domain.Raw() }},
			{name: "static_site_domain", drop: 2, cell: func(c row) string { return c.StaticSiteDomain.Raw() }},
		},
		list: func(ctx context.Context, s *session, _ listing) iter.Seq2[row, error] { return s.api.Clusters.All(ctx) },
		get:  func(ctx context.Context, s *session, id string) (row, error) { return s.api.Clusters.Get(ctx, id) },
	}
}
