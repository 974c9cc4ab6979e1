package storage

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/join"
	"lookout/client/lists"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/operation"
	"lookout/views/resource"
)

// ClustersPane returns the pane of the clusters, which buckets are in.
func ClustersPane(a *account.Account) ui.Pane {
	list := operation.NewRunner(a, a.Clusters(), Clusters(a)).List(
		operation.FollowReference(func(c *client.Cluster) join.Joined[operation.LinkedRow] {
			return operation.References(a.BucketsInCluster(c.ID.Raw()), func(b *client.Bucket) operation.LinkedRow {
				return operation.LinkedRow{Kind: "bucket", Label: b.Label.String(), Pane: "buckets", ID: b.ID()}
			})
		}),
	)
	list.JoinedStores = table.JoinedStores{a.Buckets(), a.TransferUsage()}
	list.PaneActions = func() []ui.Action { return []ui.Action{cancelStorageAction(a)} }
	list.Detail = func(c *client.Cluster, b ui.Box) string { return clusterDetail(a, c, b) }
	list.Footer = func(_ *lists.RowStore[*client.Cluster], b ui.Box) string { return transferUsageLine(a, b) }
	list.EmptyText, list.SortBy = "no clusters: the API lists none", "cluster"
	return operation.WithDetailSidebar(a, list, func(row *client.Cluster, inside ui.Box) []ui.StackedPanel {
		return []ui.StackedPanel{
			sizesPanel(a, "Sizes of all buckets", bucketsBySize(a), func(b *client.Bucket) bool {
				return b.Cluster.Raw() == row.ID.Raw()
			}, inside),
		}
	}, a.Buckets())
}

// Clusters declares clusters: the document's "Cluster".
func Clusters(a *account.Account) resource.Resource[*client.Cluster] {
	return resource.Resource[*client.Cluster]{
		Name:        "clusters",
		Singular:    "cluster",
		Description: "Bucket locations",
		Examples:    []string{"clusters list", "clusters get us-east-1"},
		Argument:    "ID",
		ID:          func(c *client.Cluster) string { return c.ID.Raw() },
		Calls:       resource.APICalls{List: "list clusters", Get: "view cluster"},
		Columns:     clusterColumns(a),
		PaneOrder:   []string{"status", "id", "region", "buckets", "domain"},
		List:        resource.ListAll(a.API.Clusters.All),
		Get:         a.API.Clusters.Get,
	}
}

// clusterColumns returns the columns of clusters.
func clusterColumns(a *account.Account) []resource.ColumnDefinition[*client.Cluster] {
	type row = *client.Cluster
	buckets := func(c row) join.Joined[*client.Bucket] { return a.BucketsInCluster(c.ID.Raw()) }
	count := func(rows []*client.Bucket) string { return fmt.Sprint(len(rows)) }
	return []resource.ColumnDefinition[row]{
		resource.TextColumn("id", theme.Plain, func(c row) client.ServerText { return c.ID }).Label().
			Titled("cluster").MinWidth(14),
		resource.TextColumn("region", theme.Plain, func(c row) client.ServerText { return c.Region }).
			Width(14).Drop(2, 0),
		resource.NewColumn("status", func(c row) string { return c.Status.Raw() }, clusterState).
			Titled("state").Width(14),
		resource.TextColumn("domain", theme.Plain, func(c row) client.ServerText { return c.Domain }).
			MinWidth(20).Drop(1, 1),
		resource.NewColumn("static_site_domain", func(c row) string { return c.StaticSiteDomain.Raw() }, nil).
			Drop(0, 2),
		resource.PaneColumn("buckets", func(c row, b ui.Box) (string, theme.Tone) {
			return join.Cell(buckets(c), b.Theme.Glyphs.Ellipsis, count), theme.Muted
		}).Width(7).AlignRight().Drop(3, 0).
			SortedBy(func(c, d row) bool { return join.Len(buckets(c)) < join.Len(buckets(d)) }),
	}
}

// TransferUsage declares the outbound transfer of this month.
func TransferUsage(a *account.Account) resource.Resource[*client.TransferUsage] {
	return resource.Resource[*client.TransferUsage]{
		Name:        "transfer",
		Singular:    "transfer",
		Description: "Outbound Object Storage traffic this month, in bytes",
		Examples:    []string{"transfer", "transfer get -o json"},
		Calls:       resource.APICalls{List: "view transfer", Get: "view transfer"},
		Columns: []resource.ColumnDefinition[*client.TransferUsage]{
			{
				Name:  "used",
				Bytes: true,
				Value: func(t *client.TransferUsage) string { return resource.OptionalValue(t.Used) },
			},
		},
		Get: func(ctx context.Context, _ string) (*client.TransferUsage, error) {
			return a.API.NetworkTransfer.Get(ctx)
		},
	}
}

// clusterState shows the status of a cluster as a glyph and a word. A status that is not in the document is shown as
// the API sends it.
func clusterState(c *client.Cluster, b ui.Box) (string, theme.Tone) {
	g := b.Theme.Glyphs
	switch c.Status.Raw() {
	case "available":
		return g.OK + " available", theme.Good
	case "unavailable":
		return g.Problem + " unavailable", theme.Bad
	}
	return g.Unknown + " " + cmp.Or(c.Status.String(), "not reported"), theme.Info
}

// clusterDetail shows a cluster with its buckets.
func clusterDetail(a *account.Account, c *client.Cluster, b ui.Box) string {
	t := operation.NewDetailWriter(b)
	t.Title(c.ID.String())
	state, tone := clusterState(c, b)
	t.Field("state", state, tone)
	t.Field("region", cmp.Or(c.Region.String(), "not reported"), theme.Plain)
	t.Field("domain", cmp.Or(c.Domain.String(), "not reported"), theme.Plain)
	t.Field("static site", cmp.Or(c.StaticSiteDomain.String(), "not reported"), theme.Plain)
	t.Heading("buckets")
	resource.List(t, a.BucketsInCluster(c.ID.Raw()), func(k *client.Bucket) {
		objects, size := operation.FormatOptionalCount(k.Objects), operation.FormatOptionalSize(k.Size)
		t.Paragraph(fmt.Sprintf("%s  %s objects  %s", k.Label, objects, size), theme.Plain)
	}, "none")
	return t.String()
}

// transferUsageLine shows the outbound transfer of this month as a share of what Object Storage adds to the account.
func transferUsageLine(a *account.Account, b ui.Box) string {
	used, known := account.OnlyRow(a.TransferUsage())
	if !known {
		return ui.Truncate(
			b.Theme.Paint(theme.Muted, "transfer: "+operation.LoadingOrError(a.TransferUsage().Freshness(), "reading")),
			b.Width, b.Theme.Glyphs.Ellipsis,
		)
	}
	text, share, known := describeTransfer(used)
	if !known {
		return b.Theme.Paint(theme.Muted, "transfer "+text)
	}
	width := min(30, max(0, b.Width-60))
	filled := min(width, int(share*float64(width)))
	tone := theme.Good
	if share > 0.8 {
		tone = theme.Warn
	}
	g := b.Theme.Glyphs
	bar := b.Theme.Paint(tone, strings.Repeat(g.Full, filled)) +
		b.Theme.Paint(theme.Off, strings.Repeat(g.Empty, width-filled))
	return ui.Truncate(fmt.Sprintf("%s transfer %s (%.0f %%)", bar, text, share*100), b.Width, g.Ellipsis)
}
