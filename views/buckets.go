package views

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
)

func bucketID(b *client.Bucket) string { return b.Cluster.Raw() + "/" + b.Label.Raw() }

// bucketName is a bucket as a reader knows it and commands take it, "us-east-1/acme-backups": a label is unique in its cluster alone.
func bucketName(b *client.Bucket) string {
	return or(b.Cluster.String(), b.Region.String()) + "/" + b.Label.String()
}

// bucketTrail is where trails begin: "acme-backups  us-east-1".
func bucketTrail(b *client.Bucket) string {
	return b.Label.String() + prefixed("  ", or(b.Cluster.String(), b.Region.String()))
}

func (a *Account) buckets() *ui.Set[*client.Bucket] {
	return share(a, "buckets", bucketID, (&roundup{a: a}).fetch)
}

// walk collects what a client's All yields.
func walk[T any](all func(func(T, error) bool)) (rows []T, err error) {
	all(func(row T, failed error) bool {
		if err = failed; err == nil {
			rows = append(rows, row)
		}
		return err == nil
	})
	return rows, err
}

func (a *Account) bucketsPane() ui.Pane {
	return &ui.List[*client.Bucket]{
		Title: "buckets",
		Set:   a.buckets(),
		Reads: []ui.Asked{a.transfer()},
		Columns: []ui.Column[*client.Bucket]{
			{Title: "bucket", Min: 16, Cell: func(b *client.Bucket, _ ui.Box) (string, theme.Tone) { return b.Label.String(), theme.Strong }},
			{Title: "cluster", Width: 14, Cell: func(b *client.Bucket, _ ui.Box) (string, theme.Tone) {
				return or(b.Cluster.String(), b.Region.String()), theme.Plain
			}},
			{Title: "objects", Width: 11, Right: true, Cell: func(b *client.Bucket, _ ui.Box) (string, theme.Tone) { return grouped(b.Objects), theme.Plain },
				Less: func(b, c *client.Bucket) bool { return b.Objects < c.Objects }},
			{Title: "size", Width: 9, Right: true, Cell: func(b *client.Bucket, _ ui.Box) (string, theme.Tone) { return size(b.Size), theme.Plain },
				Less: func(b, c *client.Bucket) bool { return b.Size < c.Size }},
			{Title: "created", Width: 10, Right: true, Drop: 2, Cell: func(b *client.Bucket, _ ui.Box) (string, theme.Tone) { return day(b.Created), theme.Muted },
				Less: func(b, c *client.Bucket) bool { return b.Created.Time().Before(c.Created.Time()) }},
			{Title: "host name", Min: 20, Drop: 3, Cell: func(b *client.Bucket, _ ui.Box) (string, theme.Tone) { return b.Hostname.String(), theme.Muted }},
		},
		Acts: scoped(a, storageWrite, a.bucketActs()),
		Always: func() []ui.Action {
			return append(a.scopedActions(storageWrite, ui.Action{Key: ui.Bind("new bucket", "n"), Group: "this list", Change: true, Opens: true, Show: true,
				Do: func() tea.Cmd { return ui.Send(ui.Enter{Form: a.newBucket()}) }}, a.linksAction()), a.storageEnd()...)
		},
		Detail: a.bucketDetail,
		One: func(ctx context.Context, b *client.Bucket) (*client.Bucket, error) {
			return a.api.Buckets.Get(ctx, b.Cluster.Raw(), b.Label.Raw())
		},
		Foot:  a.bucketsFoot,
		Lines: a.bucketLines,
		Empty: "no buckets yet · n makes one",
		Sort:  "bucket",
		Label: func(b *client.Bucket) string { return b.Label.String() },
	}
}

// size is bytes for a reader: "12.4 GiB".
func size(n int64) string {
	if n < 0 {
		return "size unknown"
	}
	return humanize.IBytes(uint64(n))
}

// day is a stamp's date, "?" for one that made no sense.
func day(t client.Time) string {
	if !t.Valid() {
		return "?"
	}
	return t.Time().Format("2006-01-02")
}

func (a *Account) bucketActs() []ui.Act[*client.Bucket] {
	return []ui.Act[*client.Bucket]{
		{Keys: []string{"enter", "l", "right"}, Name: "open", About: "the objects in it, folder by folder", Show: true, Into: func(b *client.Bucket) ui.Pane { return a.objectsPane(b, "", "/") }},
		{Keys: []string{"x"}, Name: "access", About: "canned ACL and CORS", Show: true, Change: true, Form: func(rows []*client.Bucket) ui.Form { return a.accessForm(rows[0]) }},
		{Keys: []string{"c"}, Name: "certificate", About: "TLS certificate: whether there is one, upload, delete", Show: true, Into: func(b *client.Bucket) ui.Pane { return a.certificatePane(b) }},
		{Keys: []string{"y"}, Name: "copy address", Send: func(b *client.Bucket) tea.Msg {
			return ui.Copy{Text: "https://" + b.Hostname.String() + "/", What: "address of " + b.Label.String()}
		}},
		{Keys: []string{"o"}, Name: "open in browser", About: "its address: shows objects where the bucket is public", Off: func(b *client.Bucket) string { return because(b.Hostname.Raw() == "", "no host name was told") },
			Send: func(b *client.Bucket) tea.Msg { return ui.Browse{URL: "https://" + b.Hostname.Raw() + "/"} }},
		{Keys: []string{"X"}, Name: "empty", About: "delete every object in it", Change: true, Opens: true, Start: a.countThenEmpty},
		{Keys: []string{"D"}, Name: "delete", About: "the bucket, once it is empty", Verb: "deleting", Past: "deleted", Change: true,
			Ask: deleteBucket,
			Run: func(ctx context.Context, b *client.Bucket) (ui.Change[*client.Bucket], error) {
				return ui.Drop[*client.Bucket](a.api.Buckets.Delete(aboutBucket(ctx, b), b.Cluster.Raw(), b.Label.Raw()))
			},
			Refused: a.offerEmptying},
		follow(func(b *client.Bucket) []name { return a.namesOfBucket(b) }),
	}
}

func aboutBucket(ctx context.Context, b *client.Bucket) context.Context {
	return client.ContextWithResource(client.ContextWithBefore(ctx, map[string]any{"objects": b.Objects, "size": b.Size}), "bucket", bucketID(b), b.Label.String())
}

func deleteBucket(b *client.Bucket) *ui.Question {
	text := fmt.Sprintf("Bucket %q in %s is deleted for good. It must be empty before.", b.Label, b.Cluster)
	if b.Objects > 0 {
		text += fmt.Sprintf(" It held %s objects (%s) when it was last read.", grouped(b.Objects), size(b.Size))
	}
	return &ui.Question{Title: "Delete bucket", Text: text, Word: b.Label.String(), Yes: "delete"}
}

// offerEmptying answers a bucket that was not deleted because it holds objects.
func (a *Account) offerEmptying(b *client.Bucket, err error) tea.Cmd {
	if !strings.Contains(strings.ToLower(ui.Reason(err)), "empty") {
		return nil
	}
	return ui.Send(ui.Menu{Title: bucketName(b) + " is not empty", Actions: []ui.Action{
		{Key: ui.Bind("count its objects, then ask whether to delete them all", "e"), Change: true, Opens: true, Do: func() tea.Cmd { return a.countThenEmpty(b) }},
		{Key: ui.Bind("look at them", "l"), Do: func() tea.Cmd { return ui.Send(ui.Open{Pane: a.objectsPane(b, "", "/")}) }},
		{Key: ui.Bind("leave it as it is", "n"), Do: func() tea.Cmd { return nil }},
	}})
}

// namesOfBucket are the cluster of a bucket and the keys that are limited to it.
func (a *Account) namesOfBucket(b *client.Bucket) []name {
	names := []name{{"cluster", b.Cluster.String(), "clusters", b.Cluster.Raw()}}
	for _, k := range a.keysFor(b) {
		names = append(names, name{"key", k.Label.String(), "keys", ordinal(k.ID)})
	}
	return names
}

func bucketNames(rows []*client.Bucket) []name {
	names := make([]name, len(rows))
	for i, b := range rows {
		names[i] = name{"bucket", b.Label.String(), "buckets", bucketID(b)}
	}
	return names
}

func (a *Account) bucketDetail(b *client.Bucket, box ui.Box) string {
	t := newSheet(box)
	t.title(b.Label.String())
	t.line("cluster", or(b.Cluster.String(), "not told"), theme.Plain)
	if b.Region.Raw() != "" {
		t.line("region", b.Region.String(), theme.Plain)
	}
	t.line("host name", or(b.Hostname.String(), "not told"), theme.Plain)
	t.line("created", a.when(b.Created), theme.Muted)
	t.line("objects", grouped(b.Objects), theme.Plain)
	t.line("size", size(b.Size), theme.Plain)
	t.heading("keys that reach it")
	all := 0
	for _, k := range a.keys().Rows() {
		if !k.Limited {
			all++
		}
	}
	for _, k := range a.keysFor(b) {
		t.say(fmt.Sprintf("%s  %s", k.Label, permissionOf(k, b)), theme.Plain)
	}
	t.say(fmt.Sprintf("and %s without a limit", count(all, "key", "keys")), theme.Muted)
	return t.String()
}

func (a *Account) bucketsFoot(set *ui.Set[*client.Bucket], b ui.Box) string {
	var objects, bytes int64
	for _, k := range set.Rows() {
		objects, bytes = objects+k.Objects, bytes+k.Size
	}
	held := count(set.Len(), "bucket", "buckets")
	if !set.Whole() {
		held += " so far"
	}
	return ui.Cut(b.Theme.Paint(theme.Muted, fmt.Sprintf("%s · %s objects · %s", held, grouped(objects), size(bytes))), b.Width, b.Theme.Glyphs.Ellipsis)
}
