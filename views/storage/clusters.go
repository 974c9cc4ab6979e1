package storage

import (
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/account"
	"lookout/views/resource"
)

// ClustersPane returns the pane of the clusters, which buckets are in.
func ClustersPane(a *account.Account) ui.Pane {
	return &table.List[*client.Cluster]{
		Title:        "clusters",
		Store:        a.Clusters(),
		JoinedStores: []table.JoinedStore{a.Buckets(), a.TransferUsage()},
		Columns:      clusterColumns(a),
		RowActions: []table.RowAction[*client.Cluster]{
			account.FollowReference(
				func(c *client.Cluster) resource.Joined[account.Reference] {
					return referencesToBuckets(a.BucketsInCluster(c.ID.Raw()))
				},
			),
		},
		PaneActions: func() []ui.Action { return []ui.Action{cancelStorageAction(a)} },
		FetchOne: func(ctx context.Context, c *client.Cluster) (*client.Cluster, error) {
			return a.API.Clusters.Get(ctx, c.ID.Raw())
		},
		LongTexts: account.LongTexts[*client.Cluster],
		Detail:    func(c *client.Cluster, b ui.Box) string { return clusterDetail(a, c, b) },
		Footer:    func(_ *ui.Store[*client.Cluster], b ui.Box) string { return transferUsageLine(a, b) },
		CopyItems: func(c *client.Cluster) []ui.CopyItem {
			return account.CopyItems(
				a.ScriptCommand("clusters get", nil, c.ID.Raw()), a.CurlCommand("view cluster", nil, c.ID.Raw()),
			)
		},
		EmptyText: "no clusters: the API lists none",
		SortBy:    "cluster",
	}
}

// clusterColumns are the columns of the clusters.
func clusterColumns(a *account.Account) []table.Column[*client.Cluster] {
	return []table.Column[*client.Cluster]{
		{Title: "state", Width: 14, Cell: clusterState},
		{
			Title: "cluster",
			Min:   14,
			Cell:  func(c *client.Cluster, _ ui.Box) (string, theme.Tone) { return c.ID.String(), theme.Strong },
		},
		{
			Title:        "region",
			Width:        14,
			DropPriority: 2,
			Cell: func(c *client.Cluster, _ ui.Box) (string, theme.Tone) {
				return c.Region.String(), theme.Plain
			},
		},
		{
			Title:        "buckets",
			Width:        7,
			AlignRight:   true,
			DropPriority: 3,
			Cell: func(c *client.Cluster, b ui.Box) (string, theme.Tone) {
				held := a.BucketsInCluster(c.ID.Raw())
				return resource.Cell(held, b.Theme.Glyphs.Ellipsis, func(rows []*client.Bucket) string {
					return fmt.Sprint(len(rows))
				}), theme.Muted
			},
			Less: func(c, d *client.Cluster) bool {
				return len(resource.Found(a.BucketsInCluster(c.ID.Raw()))) <
					len(resource.Found(a.BucketsInCluster(d.ID.Raw())))
			},
		},
		{
			Title:        "domain",
			Min:          20,
			DropPriority: 1,
			Cell: func(c *client.Cluster, _ ui.Box) (string, theme.Tone) {
				return c.Domain.String(), theme.Plain
			},
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
	return g.Unknown + " " + account.OrDefault(c.Status.String(), "not reported"), theme.Info
}

// clusterDetail shows a cluster with its buckets.
func clusterDetail(a *account.Account, c *client.Cluster, b ui.Box) string {
	t := account.NewDetailWriter(b)
	t.Title(c.ID.String())
	state, tone := clusterState(c, b)
	t.Field("state", state, tone)
	t.Field("region", account.OrDefault(c.Region.String(), "not reported"), theme.Plain)
	t.Field("domain", account.OrDefault(c.Domain.String(), "not reported"), theme.Plain)
	t.Field("static site", account.OrDefault(c.StaticSiteDomain.String(), "not reported"), theme.Plain)
	t.Heading("buckets")
	resource.List(t, a.BucketsInCluster(c.ID.Raw()), func(k *client.Bucket) {
		objects, size := account.FormatOptionalCount(k.Objects), account.FormatOptionalSize(k.Size)
		t.Paragraph(fmt.Sprintf("%s  %s objects  %s", k.Label, objects, size), theme.Plain)
	}, "none")
	return t.String()
}

// transferUsageLine shows the outbound transfer of this month as a share of what Object Storage adds to the account.
func transferUsageLine(a *account.Account, b ui.Box) string {
	used, known := account.OnlyRow(a.TransferUsage())
	if !known {
		return ui.Truncate(
			b.Theme.Paint(theme.Muted, "transfer: "+account.LoadingOrError(a.TransferUsage().Freshness(), "reading")),
			b.Width, b.Theme.Glyphs.Ellipsis,
		)
	}
	n, known := used.Used.Value()
	if !known {
		return b.Theme.Paint(theme.Muted, monthlyTransfer(used))
	}
	share := float64(max(0, n)) / transferPoolBytes
	width := min(30, max(0, b.Width-60))
	filled := min(width, int(share*float64(width)))
	tone := theme.Good
	if share > 0.8 {
		tone = theme.Warn
	}
	g := b.Theme.Glyphs
	text := fmt.Sprintf(
		" transfer %s of %s this month (%.0f %%)", humanize.Bytes(uint64(max(0, n))),
		humanize.Bytes(transferPoolBytes), share*100,
	)
	return ui.Truncate(
		b.Theme.Paint(tone, strings.Repeat(g.Full, filled))+
			b.Theme.Paint(theme.Off, strings.Repeat(g.Empty, width-filled))+text,
		b.Width,
		g.Ellipsis,
	)
}
