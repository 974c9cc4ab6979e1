package views

import (
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
)

func (a *Account) clusters() *ui.Store[*client.Cluster] {
	return share(a, "clusters", func(c *client.Cluster) string { return c.ID.Raw() }, numbered(a.api.Clusters.List))
}

func (a *Account) clustersPane() ui.Pane {
	return &ui.List[*client.Cluster]{
		Title:        "clusters",
		Store:        a.clusters(),
		JoinedStores: []ui.JoinedStore{a.buckets(), a.transfer()},
		Columns: []ui.Column[*client.Cluster]{
			{Title: "state", Width: 14, Cell: clusterState},
			{Title: "cluster", Min: 14, Cell: func(c *client.Cluster, _ ui.Box) (string, theme.Tone) { return c.ID.String(), theme.Strong }},
			{Title: "region", Width: 14, DropPriority: 2, Cell: func(c *client.Cluster, _ ui.Box) (string, theme.Tone) { return c.Region.String(), theme.Plain }},
			{Title: "buckets", Width: 7, AlignRight: true, DropPriority: 3, Cell: func(c *client.Cluster, _ ui.Box) (string, theme.Tone) {
				return fmt.Sprint(len(a.bucketsIn(c.ID.Raw()))), theme.Muted
			}, Less: func(c, d *client.Cluster) bool { return len(a.bucketsIn(c.ID.Raw())) < len(a.bucketsIn(d.ID.Raw())) }},
			{Title: "domain", Min: 20, DropPriority: 1, Cell: func(c *client.Cluster, _ ui.Box) (string, theme.Tone) { return c.Domain.String(), theme.Plain }},
		},
		Operations: []ui.Operation[*client.Cluster]{
			follow(func(c *client.Cluster) []name { return bucketNames(a.bucketsIn(c.ID.Raw())) }),
		},
		PaneActions: a.storageEnd,
		FetchOne: func(ctx context.Context, c *client.Cluster) (*client.Cluster, error) {
			return a.api.Clusters.Get(ctx, c.ID.Raw())
		},
		Detail: a.clusterDetail,
		Footer: func(_ *ui.Store[*client.Cluster], b ui.Box) string { return a.transferLine(b) },
		CopyItems: func(c *client.Cluster) []ui.CopyItem {
			return lines(a.script("clusters get", nil, c.ID.Raw()), a.curl("view cluster", nil, c.ID.Raw()))
		},
		EmptyText: "no clusters: the provider names none",
		SortBy:    "cluster",
	}
}

// clusterState is a cluster's status as a shape and a word. One that the document does not name is shown as it came.
func clusterState(c *client.Cluster, b ui.Box) (string, theme.Tone) {
	g := b.Theme.Glyphs
	switch c.Status.Raw() {
	case "available":
		return g.OK + " available", theme.Good
	case "unavailable":
		return g.Problem + " unavailable", theme.Bad
	}
	return g.Unknown + " " + or(c.Status.String(), "not told"), theme.Info
}

func (a *Account) clusterDetail(c *client.Cluster, b ui.Box) string {
	t := newSheet(b)
	t.title(c.ID.String())
	state, tone := clusterState(c, b)
	t.line("state", state, tone)
	t.line("region", or(c.Region.String(), "not told"), theme.Plain)
	t.line("domain", or(c.Domain.String(), "not told"), theme.Plain)
	t.line("static site", or(c.StaticSiteDomain.String(), "not told"), theme.Plain)
	t.heading("buckets")
	rows := a.bucketsIn(c.ID.Raw())
	for _, k := range rows {
		t.say(fmt.Sprintf("%s  %s objects  %s", k.Label, grouped(k.Objects), humanize.IBytes(uint64(max(0, k.Size)))), theme.Plain)
	}
	if len(rows) == 0 {
		t.say("none", theme.Muted)
	}
	return t.String()
}

func (a *Account) bucketsIn(cluster string) []*client.Bucket {
	var rows []*client.Bucket
	for _, k := range a.buckets().Rows() {
		if k.Cluster.Raw() == cluster {
			rows = append(rows, k)
		}
	}
	return rows
}

// transferLine is the outbound transfer of this month against what Object Storage adds to the account's pool.
func (a *Account) transferLine(b ui.Box) string {
	used, known := the(a.transfer())
	if !known {
		return ui.Truncate(b.Theme.Paint(theme.Muted, "transfer: "+notYet(a.transfer().Freshness(), "reading")), b.Width, b.Theme.Glyphs.Ellipsis)
	}
	share := float64(max(0, used.Used)) / pool
	width := min(30, max(0, b.Width-60))
	filled := min(width, int(share*float64(width)))
	tone := theme.Good
	if share > 0.8 {
		tone = theme.Warn
	}
	g := b.Theme.Glyphs
	text := fmt.Sprintf(" transfer %s of %s this month (%.0f %%)", humanize.Bytes(uint64(max(0, used.Used))), humanize.Bytes(pool), share*100)
	return ui.Truncate(b.Theme.Paint(tone, strings.Repeat(g.Full, filled))+b.Theme.Paint(theme.Off, strings.Repeat(g.Empty, width-filled))+text, b.Width, g.Ellipsis)
}
