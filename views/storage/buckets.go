// Package storage holds the panes and operations of Object Storage: clusters, buckets with their certificates and
// access, objects and folders, access keys, and links. It asks about uploads, downloads, copies and deletions, which
// client/transfer then carries out. It also keeps the sizes of folders, as far as they were read.
package storage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/join"
	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/operation"
	"lookout/views/resource"
	"lookout/views/storage/readers"
)

// bucketName returns a bucket as people and commands write it: "us-east-1/acme-backups". A label is unique only within
// its cluster.
func bucketName(b *client.Bucket) string {
	return client.Clean(b.ID())
}

// bucketBreadcrumb returns the beginning of a breadcrumb: "acme-backups  us-east-1".
func bucketBreadcrumb(b *client.Bucket) string {
	return b.Label.String() + wording.WithPrefix("  ", b.Location().String())
}

// BucketsPane returns the pane of the buckets in all clusters.
func BucketsPane(a *account.Account) ui.Pane {
	changes := bucketRunner(a)
	list := changes.List()
	list.JoinedStores = table.JoinedStores{a.Keys(), a.Clusters(), a.TransferUsage(), a.JournalStore()}
	list.RowActions = slices.Insert(bucketShortcuts(a), 1, list.RowActions...)
	list.PaneActions = func() []ui.Action {
		actions := append(changes.NewActions(), linksAction(a), bookmarksAction(a, nil), cancelStorageAction(a))
		return append(actions, countingOf(a).actions()...)
	}
	at := slices.IndexFunc(list.Columns, func(c table.Column[*client.Bucket]) bool { return c.IsLabel })
	name := list.Columns[at].Cell
	list.Columns[at].Cell = func(b *client.Bucket, box ui.Box) (string, theme.Tone) {
		text, tone := name(b, box)
		return markPublic(a, b.ID(), text, tone)
	}
	list.Detail = func(b *client.Bucket, box ui.Box) string { return bucketDetail(a, b, box) }
	list.Footer = func(set *lists.RowStore[*client.Bucket], b ui.Box) string { return bucketsFoot(a, set, b) }
	list.CopyItems = func(b *client.Bucket) []ui.CopyItem { return operation.BucketCopyItems(a, b) }
	list.EmptyText, list.SortBy = "no buckets yet · n creates one", "bucket"
	list.Label = changes.Resource.Label
	operation.BookmarksOf(a) // are read before the first frame
	operation.WithDetailSidebar(a, list, func(row *client.Bucket, inside ui.Box) []ui.StackedPanel {
		return []ui.StackedPanel{
			sizesPanel(a, "Sizes of all buckets", bucketsBySize(a), func(b *client.Bucket) bool {
				return b == row
			}, inside),
			operation.ChangesPanel(a, "bucket", row.ID(), inside),
		}
	})
	return bucketList{list, a}
}

// checkBucketGone returns the error of a read in a bucket: that the bucket is gone, if reading the bucket itself
// agrees.
func checkBucketGone(ctx context.Context, a *account.Account, b *client.Bucket, err error) error {
	if !account.IsNotFound(err) {
		return err
	}
	if _, again := a.API.Buckets.Get(ctx, b.Location().Raw(), b.Label.Raw()); !account.IsNotFound(again) {
		return err
	}
	return account.GoneError(b.ID(), "bucket "+bucketName(b))
}

// formatDate returns the date of a timestamp, or "?" if it is not valid.
func formatDate(t client.Timestamp) string {
	if !t.Valid() {
		return "?"
	}
	return t.Time().Format("2006-01-02")
}

// bucketColumns returns the columns of buckets.
func bucketColumns() []resource.ColumnDefinition[*client.Bucket] {
	type row = *client.Bucket
	number := func(
		name string, format func(client.Optional[int64]) string, n func(row) client.Optional[int64],
	) resource.ColumnDefinition[row] {
		c := resource.NewColumn(
			name, func(b row) string { return resource.OptionalValue(n(b)) },
			table.TextCell(theme.Plain, func(b row) string { return format(n(b)) }),
		).AlignRight().SortedBy(func(b, c row) bool { return isLess(n(b), n(c)) })
		c.OnTerminal = func(b row) string { return format(n(b)) }
		return c
	}
	objects := func(b row) client.Optional[int64] { return b.Objects }
	size := number("size", operation.FormatOptionalSize, func(b row) client.Optional[int64] { return b.Size }).Width(9)
	return []resource.ColumnDefinition[row]{
		resource.TextColumn("cluster", theme.Plain, func(b row) client.ServerText { return b.Location() }).Width(14),
		resource.TextColumn("label", theme.Plain, func(b row) client.ServerText { return b.Label }).Label().
			Titled("bucket").MinWidth(16),
		number("objects", operation.FormatOptionalCount, objects).Width(11),
		size,
		resource.NewColumn(
			"created", func(b row) string { return resource.TimeValue(b.Created) },
			table.TextCell(theme.Muted, func(b row) string { return formatDate(b.Created) }),
		).Width(10).AlignRight().Drop(2, 2).
			SortedBy(func(b, c row) bool { return b.Created.Time().Before(c.Created.Time()) }),
		resource.TextColumn("hostname", theme.Muted, func(b row) client.ServerText { return b.Hostname }).
			Titled("host name").MinWidth(20).Drop(4, 3),
		resource.DetailColumn("region", func(b row) string { return b.Region.Raw() }),
		resource.DetailColumn("endpoint_type", func(b row) string { return b.EndpointType.Raw() }),
		resource.DetailColumn("s3_endpoint", func(b row) string { return b.S3Endpoint.Raw() }),
	}
}

// isLess orders numbers; unknown ones come first.
func isLess(n, m client.Optional[int64]) bool {
	a, known := n.Value()
	b, other := m.Value()
	return other && (!known || a < b)
}

// bucketShortcuts are the actions on a bucket that open or copy something.
func bucketShortcuts(a *account.Account) []table.RowAction[*client.Bucket] {
	return []table.RowAction[*client.Bucket]{
		{
			Keys:        []string{"enter", "l", "right"},
			Name:        "open",
			Description: "browse the objects in it, folder by folder",
			ShowInHints: true,
			OpenPane:    func(b *client.Bucket) ui.Pane { return ObjectsPane(a, b, "", "/") },
		},
		{
			Keys:        []string{"c"},
			Name:        "certificate",
			Description: "check, upload or delete the TLS certificate",
			ShowInHints: true,
			OpenPane:    func(b *client.Bucket) ui.Pane { return certificatePane(a, b) },
		},
		{
			Keys:        []string{"W"},
			Name:        "who can read it",
			Description: "show its ACL, its access keys and the links to it",
			OpenPane:    func(b *client.Bucket) ui.Pane { return bucketReaders(a, b) },
		},
		{
			Keys: []string{"y"},
			Name: "copy address",
			Message: func(b *client.Bucket) tea.Msg {
				return ui.CopyMsg{Text: "https://" + b.Hostname.String() + "/", Label: "address of " + b.Label.String()}
			},
		},
		{
			Keys:        []string{"o"},
			Name:        "open in browser",
			Description: "its address, which lists the objects if the bucket is public",
			DisabledReason: func(b *client.Bucket) string {
				return wording.If(b.Hostname.Raw() == "", "the API reports no host name")
			},
			Message: func(b *client.Bucket) tea.Msg { return ui.OpenURLMsg{URL: "https://" + b.Hostname.Raw() + "/"} },
		},
		{
			Keys:           []string{"X"},
			Name:           "empty",
			Description:    "delete every object in it",
			Writes:         true,
			OpensView:      true,
			DisabledReason: func(*client.Bucket) string { return a.MissingScope(client.OpEmptyBucket) },
			Cmd:            func(b *client.Bucket) tea.Cmd { return countThenEmpty(a, b.Object("")) },
		},
		operation.FollowReference(func(b *client.Bucket) join.Joined[operation.LinkedRow] {
			return bucketReferences(a, b)
		}),
	}
}

// bucketReaders returns the pane that shows who can read a bucket.
func bucketReaders(a *account.Account, b *client.Bucket) ui.Pane {
	return readers.Pane(a, b, "", func() []ui.Action {
		return append(bucketRunner(a).ActionsOnAll([]*client.Bucket{b}, "", "access"), linksAction(a))
	})
}

// objectReaders returns the pane that shows who can read an object; without a name it is that of the bucket.
func objectReaders(a *account.Account, b *client.Bucket, name client.ServerText) ui.Pane {
	return readers.Pane(a, b, name.Raw(), func() []ui.Action {
		return []ui.Action{objectAccessAction(a, b, name), linksAction(a)}
	})
}

// bucketReferences returns the cluster of a bucket and the keys that are limited to it.
func bucketReferences(a *account.Account, b *client.Bucket) join.Joined[operation.LinkedRow] {
	var cluster []operation.LinkedRow
	if id := b.Cluster; !id.IsZero() {
		cluster = append(
			cluster,
			operation.LinkedRow{Kind: "cluster", Label: id.String(), Pane: "clusters", ID: id.Raw()},
		)
	}
	return join.Concat(
		join.Join(cluster, join.JoinState{Kind: join.Known}),
		operation.References(a.KeysForBucket(b), func(k *client.AccessKey) operation.LinkedRow {
			return operation.LinkedRow{Kind: "key", Label: k.Label.String(), Pane: "keys", ID: account.FormatID(k.ID)}
		}),
	)
}

// bucketDetail shows a bucket with the keys that reach it.
func bucketDetail(a *account.Account, b *client.Bucket, box ui.Box) string {
	t := operation.NewDetailWriter(box)
	t.Title(b.Label.String())
	cluster := "not reported"
	if !b.Region.IsZero() {
		cluster = "none"
	}
	t.Field("cluster", cmp.Or(b.Cluster.String(), cluster), theme.Plain)
	for _, f := range []struct {
		name string
		text client.OptionalServerText
	}{{"region", b.Region}, {"endpoint", b.EndpointType}, {"S3 host", b.S3Endpoint}} {
		if !f.text.IsZero() {
			t.Field(f.name, f.text.String(), theme.Plain)
		}
	}
	t.Field("host name", cmp.Or(b.Hostname.String(), "not reported"), theme.Plain)
	t.Field("created", a.FormatTimestamp(b.Created), theme.Muted)
	t.Field("objects", operation.FormatOptionalCount(b.Objects), theme.Plain)
	t.Field("size", operation.FormatOptionalSize(b.Size), theme.Plain)
	writePublic(a, t, b.ID())
	t.Heading("keys that reach it")
	writeBucketKeys(a, t, b)
	return t.String()
}

// writeBucketKeys writes the limited keys that reach a bucket, then how many others reach every bucket.
func writeBucketKeys(a *account.Account, t *operation.DetailWriter, b *client.Bucket) {
	limited, unknown := a.KeysForBucket(b), join.Len(a.KeysOfUnknownReach())
	none := "no limited key"
	if unknown > 0 {
		none = "no known key is limited to this bucket"
	}
	resource.List(t, limited, func(k *client.AccessKey) {
		t.Paragraph(fmt.Sprintf("%s  %s", k.Label, account.BucketPermission(k, b)), theme.Plain)
	}, none)
	unlimited := a.UnlimitedKeys()
	if n := join.Len(unlimited); n > 0 || join.KnownEmpty(unlimited) {
		count := "no key"
		if n > 0 {
			count = wording.Plural(n, "key", "keys")
		}
		t.Paragraph("and "+count+" without a limit", theme.Muted)
	}
	if unknown > 0 {
		t.Paragraph("and "+wording.Plural(unknown, "key", "keys")+" with unknown access", theme.Warn)
	}
}

// bucketsFoot adds up the buckets.
func bucketsFoot(a *account.Account, set *lists.RowStore[*client.Bucket], b ui.Box) string {
	held := wording.Plural(set.Len(), "bucket", "buckets")
	if !set.Complete() {
		held += " so far"
	}
	parts := append([]string{held}, strings.Split(operation.FormatTotal(a.StorageTotal(), " · "), " · ")...)
	return b.Theme.Paint(theme.Muted, ui.JoinFitting(parts, " · ", b.Width, b.Theme.Glyphs.Ellipsis))
}
