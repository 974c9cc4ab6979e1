package storage

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
	"lookout/views/account"
	"lookout/views/resource"
)

// bucketName is a bucket as a reader knows it and commands take it, "us-east-1/acme-backups": a label is unique in its
// cluster alone.
func bucketName(b *client.Bucket) string {
	return account.OrDefault(b.Cluster.String(), b.Region.String()) + "/" + b.Label.String()
}

// bucketBreadcrumb is where trails begin: "acme-backups  us-east-1".
func bucketBreadcrumb(b *client.Bucket) string {
	return b.Label.String() + account.WithPrefix("  ", account.OrDefault(b.Cluster.String(), b.Region.String()))
}

func BucketsPane(a *account.Account) ui.Pane {
	return &table.List[*client.Bucket]{
		Title:        "buckets",
		Store:        a.Buckets(),
		JoinedStores: []table.JoinedStore{a.Keys(), a.TransferUsage()},
		Columns: []table.Column[*client.Bucket]{
			{
				Title: "bucket",
				Min:   16,
				Cell:  func(b *client.Bucket, _ ui.Box) (string, theme.Tone) { return b.Label.String(), theme.Strong },
			},
			{Title: "cluster", Width: 14, Cell: func(b *client.Bucket, _ ui.Box) (string, theme.Tone) {
				return account.OrDefault(b.Cluster.String(), b.Region.String()), theme.Plain
			}},
			{
				Title:      "objects",
				Width:      11,
				AlignRight: true,
				Cell: func(b *client.Bucket, _ ui.Box) (string, theme.Tone) {
					return account.FormatCount(b.Objects), theme.Plain
				},
				Less: func(b, c *client.Bucket) bool { return b.Objects < c.Objects },
			},
			{
				Title:      "size",
				Width:      9,
				AlignRight: true,
				Cell:       func(b *client.Bucket, _ ui.Box) (string, theme.Tone) { return account.FormatSize(b.Size), theme.Plain },
				Less:       func(b, c *client.Bucket) bool { return b.Size < c.Size },
			},
			{
				Title:        "created",
				Width:        10,
				AlignRight:   true,
				DropPriority: 2,
				Cell:         func(b *client.Bucket, _ ui.Box) (string, theme.Tone) { return formatDate(b.Created), theme.Muted },
				Less:         func(b, c *client.Bucket) bool { return b.Created.Time().Before(c.Created.Time()) },
			},
			{
				Title:        "host name",
				Min:          20,
				DropPriority: 3,
				Cell:         func(b *client.Bucket, _ ui.Box) (string, theme.Tone) { return b.Hostname.String(), theme.Muted },
			},
		},
		Operations: account.RequireScope(a, account.StorageWriteScope, bucketOperations(a)),
		PaneActions: func() []ui.Action {
			return append(a.RequireScopeForActions(account.StorageWriteScope, ui.Action{
				Key:         ui.Bind("new bucket", "n"),
				Group:       "this list",
				Writes:      true,
				OpensView:   true,
				ShowInHints: true,
				Do:          func() tea.Cmd { return ui.Send(form.OpenFormMsg{Form: newBucketForm(a)}) },
			}, linksAction(a)), cancelStorageActions(a)...)
		},
		Detail: func(b *client.Bucket, box ui.Box) string { return bucketDetail(a, b, box) },
		FetchOne: func(ctx context.Context, b *client.Bucket) (*client.Bucket, error) {
			return a.Api.Buckets.Get(ctx, b.Cluster.Raw(), b.Label.Raw())
		},
		Footer:    func(set *ui.Store[*client.Bucket], b ui.Box) string { return bucketsFoot(a, set, b) },
		CopyItems: func(b *client.Bucket) []ui.CopyItem { return account.BucketCopyItems(a, b) },
		EmptyText: "no buckets yet · n makes one",
		SortBy:    "bucket",
		Label:     func(b *client.Bucket) string { return b.Label.String() },
	}
}

// formatDate is a stamp's date, "?" for one that made no sense.
func formatDate(t client.Time) string {
	if !t.Valid() {
		return "?"
	}
	return t.Time().Format("2006-01-02")
}

func bucketOperations(a *account.Account) []table.Operation[*client.Bucket] {
	return []table.Operation[*client.Bucket]{
		{
			Keys:        []string{"enter", "l", "right"},
			Name:        "open",
			Description: "the objects in it, folder by folder",
			ShowInHints: true,
			OpenPane:    func(b *client.Bucket) ui.Pane { return ObjectsPane(a, b, "", "/") },
		},
		{
			Keys:        []string{"x"},
			Name:        "access",
			Description: "canned ACL and CORS",
			ShowInHints: true,
			Writes:      true,
			Form:        func(rows []*client.Bucket) form.Form { return accessForm(a, rows[0]) },
		},
		{
			Keys:        []string{"c"},
			Name:        "certificate",
			Description: "TLS certificate: whether there is one, upload, delete",
			ShowInHints: true,
			OpenPane:    func(b *client.Bucket) ui.Pane { return certificatePane(a, b) },
		},
		{Keys: []string{"y"}, Name: "copy address", Message: func(b *client.Bucket) tea.Msg {
			return ui.CopyMsg{Text: "https://" + b.Hostname.String() + "/", Label: "address of " + b.Label.String()}
		}},
		{
			Keys:        []string{"o"},
			Name:        "open in browser",
			Description: "its address: shows objects where the bucket is public",
			DisabledReason: func(b *client.Bucket) string {
				return account.ReasonIf(b.Hostname.Raw() == "", "no host name "+
					"was told")
			},
			Message: func(b *client.Bucket) tea.Msg { return ui.OpenURLMsg{URL: "https://" + b.Hostname.Raw() + "/"} },
		},
		{
			Keys:        []string{"X"},
			Name:        "empty",
			Description: "delete every object in it",
			Writes:      true,
			OpensView:   true,
			Cmd:         func(b *client.Bucket) tea.Cmd { return countThenEmpty(a, b) },
		},
		{
			Keys:         []string{"D"},
			Name:         "delete",
			Description:  "the bucket, once it is empty",
			ProgressText: "deleting",
			SuccessText:  "deleted",
			Writes:       true,
			Confirm:      confirmDeleteBucket,
			Run: func(ctx context.Context, b *client.Bucket) (ui.Result[*client.Bucket], error) {
				return ui.ResultDeleted[*client.Bucket](
					a.Api.Buckets.Delete(contextWithBucket(ctx, b), b.Cluster.Raw(), b.Label.Raw()),
				)
			},
			OnRejected: func(b *client.Bucket, err error) tea.Cmd { return offerEmptying(a, b, err) },
		},
		account.FollowReference(func(b *client.Bucket) resource.Joined[account.Reference] { return bucketReferences(a, b) }),
	}
}

func contextWithBucket(ctx context.Context, b *client.Bucket) context.Context {
	return client.ContextWithResource(
		client.ContextWithBefore(ctx, map[string]any{"objects": b.Objects, "size": b.Size}),
		"bucket",
		account.BucketID(b),
		b.Label.String(),
	)
}

func confirmDeleteBucket(b *client.Bucket) *ui.Confirmation {
	text := fmt.Sprintf("Bucket %q in %s is deleted for good. It must be empty before.", b.Label, b.Cluster)
	if b.Objects > 0 {
		text += fmt.Sprintf(
			" It held %s objects (%s) when it was last read.",
			account.FormatCount(b.Objects),
			account.FormatSize(b.Size),
		)
	}
	return &ui.Confirmation{
		Title:        "Delete bucket",
		Text:         text,
		RequiredText: b.Label.String(),
		ConfirmLabel: "delete",
	}
}

// offerEmptying answers a bucket that was not deleted because it holds objects.
func offerEmptying(a *account.Account, b *client.Bucket, err error) tea.Cmd {
	if !strings.Contains(strings.ToLower(ui.Reason(err)), "empty") {
		return nil
	}
	return ui.Send(ui.Menu{Title: bucketName(b) + " is not empty", Actions: []ui.Action{
		{
			Key:       ui.Bind("count its objects, then ask whether to delete them all", "e"),
			Writes:    true,
			OpensView: true,
			Do:        func() tea.Cmd { return countThenEmpty(a, b) },
		},
		{
			Key: ui.Bind("look at them", "l"),
			Do:  func() tea.Cmd { return ui.Send(ui.OpenPaneMsg{Pane: ObjectsPane(a, b, "", "/")}) },
		},
		{Key: ui.Bind("leave it as it is", "n"), Do: func() tea.Cmd { return nil }},
	}})
}

// bucketReferences are the cluster of a bucket and the keys that are limited to it.
func bucketReferences(a *account.Account, b *client.Bucket) resource.Joined[account.Reference] {
	cluster := account.Reference{Kind: "cluster", Label: b.Cluster.String(), Pane: "clusters", ID: b.Cluster.Raw()}
	return resource.Concat(
		resource.Join([]account.Reference{cluster}, resource.State{Kind: resource.Known}),
		account.References(a.KeysForBucket(b), func(k *client.Key) account.Reference {
			return account.Reference{Kind: "key", Label: k.Label.String(), Pane: "keys", ID: account.FormatID(k.ID)}
		}),
	)
}

func referencesToBuckets(rows resource.Joined[*client.Bucket]) resource.Joined[account.Reference] {
	return account.References(rows, func(b *client.Bucket) account.Reference {
		return account.Reference{Kind: "bucket", Label: b.Label.String(), Pane: "buckets", ID: account.BucketID(b)}
	})
}

func bucketDetail(a *account.Account, b *client.Bucket, box ui.Box) string {
	t := account.NewDetailWriter(box)
	t.Title(b.Label.String())
	t.Field("cluster", account.OrDefault(b.Cluster.String(), "not told"), theme.Plain)
	if b.Region.Raw() != "" {
		t.Field("region", b.Region.String(), theme.Plain)
	}
	t.Field("host name", account.OrDefault(b.Hostname.String(), "not told"), theme.Plain)
	t.Field("created", a.FormatTimestamp(b.Created), theme.Muted)
	t.Field("objects", account.FormatCount(b.Objects), theme.Plain)
	t.Field("size", account.FormatSize(b.Size), theme.Plain)
	t.Heading("keys that reach it")
	writeBucketKeys(a, t, b)
	return t.String()
}

// writeBucketKeys writes the limited keys that reach a bucket, then how many others reach every bucket.
func writeBucketKeys(a *account.Account, t *account.DetailWriter, b *client.Bucket) {
	limited := a.KeysForBucket(b)
	resource.List(t, limited, func(k *client.Key) {
		t.Paragraph(fmt.Sprintf("%s  %s", k.Label, account.BucketPermission(k, b)), theme.Plain)
	}, "no limited key")
	unlimited := resource.Count(a.UnlimitedKeys(), "key", "keys", "no key")
	if limited.State().Kind == resource.Known {
		t.Paragraph("and "+unlimited+" without a limit", theme.Muted)
	}
}

func bucketsFoot(a *account.Account, set *ui.Store[*client.Bucket], b ui.Box) string {
	var objects, bytes int64
	for _, k := range set.Rows() {
		objects, bytes = objects+k.Objects, bytes+k.Size
	}
	held := account.Pluralize(set.Len(), "bucket", "buckets")
	if !set.Complete() {
		held += " so far"
	}
	return ui.Truncate(
		b.Theme.Paint(theme.Muted, fmt.Sprintf("%s · %s objects · %s", held, account.FormatCount(objects), account.FormatSize(bytes))),
		b.Width,
		b.Theme.Glyphs.Ellipsis,
	)
}
