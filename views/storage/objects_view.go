package storage

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/operation"
)

// emptyText says what to do if there are no rows.
func (l *objectListing) emptyText() string {
	if l.path.prefix == "" {
		return "this bucket is empty · U uploads a file or a folder"
	}
	return "nothing begins with this prefix · esc goes up"
}

// displayName returns the part of an entry's name after the hidden prefix.
func (l *objectListing) displayName(o *client.Object) string {
	return client.NewText(strings.TrimPrefix(o.Name.Raw(), l.path.hiddenPrefix())).String()
}

// nameCell shows the name of an entry.
func (l *objectListing) nameCell(o *client.Object, _ ui.Box) (string, theme.Tone) {
	if l.isFolder(o) {
		return l.displayName(o), theme.Accent
	}
	return markPublic(l.a, l.path.bucket.Object(o.Name.Raw()).ID(), l.displayName(o), theme.Plain)
}

// View shows the columns of the sums once somebody has asked for them.
func (l *objectListing) View(b ui.Box) string {
	l.preview.setBox(b)
	sizesView{l}.showSizes()
	return l.List.View(b)
}

// maxRowsForSort is the number of objects up to which a listing is read to its end because it is sorted by size.
const maxRowsForSort = 20_000

// LoadMissing also reads all entries of a folder that is sorted by size, if they are few.
func (l *objectListing) LoadMissing() {
	l.List.LoadMissing()
	l.preview.follow()
	l.a.LoadChanges()
	sizesView{l}.followTop()
	if l.readForSort || !l.sizes.bySize || !l.Store.Loaded() || l.Store.Complete() {
		return
	}
	sum, known := l.sizes.sum(l.path.prefix)
	if !known || sum.AtLeast || sum.Objects > maxRowsForSort {
		return
	}
	l.readForSort = true
	l.Store.LoadAll()
}

// modifiedCell shows when an object was last modified.
func (l *objectListing) modifiedCell(o *client.Object, _ ui.Box) (string, theme.Tone) {
	if !o.Modified.Valid() || o.Modified.IsZero() {
		return "—", theme.Muted
	}
	return o.Modified.Time().In(l.a.Location).Format("2006-01-02 15:04"), theme.Muted
}

// detail shows an entry.
func (l *objectListing) detail(o *client.Object, b ui.Box) string {
	t := operation.NewDetailWriter(b)
	t.Title(l.displayName(o))
	t.Field("in", l.path.String(), theme.Muted)
	if l.isFolder(o) {
		sizesView{l}.writeFolderSize(t, o)
		t.Paragraph("a folder: all objects whose names begin with it", theme.Muted)
		t.Paragraph("enter opens it · w downloads it · D counts and deletes it", theme.Muted)
		return t.String()
	}
	writeObject(l.a, t, o)
	writePublic(l.a, t, l.path.bucket.Object(o.Name.Raw()).ID())
	l.preview.write(t, o)
	return t.String()
}

// writeObject writes the properties of an object.
func writeObject(a *account.Account, t *operation.DetailWriter, o *client.Object) {
	switch {
	case o.Size < 0:
		t.Field("size", "unknown: the listing does not give it", theme.Warn)
	case o.Size < 1024:
		t.Field("size", operation.FormatSize(o.Size), theme.Plain)
	default:
		bytes := wording.FormatCount(o.Size)
		t.Field("size", fmt.Sprintf("%s (%s bytes)", operation.FormatSize(o.Size), bytes), theme.Plain)
	}
	t.Field("modified", formatFullTimestamp(a, o.Modified), theme.Plain)
	t.Field("etag", cmp.Or(o.ETag.String(), "none"), theme.Muted)
	t.Field("owner", cmp.Or(o.Owner.String(), "not reported"), theme.Muted)
}

// formatFullTimestamp returns a timestamp in the time zone of the account: "2025-10-17 11:46:03 UTC".
func formatFullTimestamp(a *account.Account, t client.Timestamp) string {
	switch {
	case !t.Valid():
		return "?"
	case t.IsZero():
		return "not reported"
	}
	return t.Time().In(a.Location).Format("2006-01-02 15:04:05 MST")
}

// foot says how much of the listing has been read: "3,000 loaded, more exist · 412 MiB here". Folders do not count for
// the size.
func (l *objectListing) foot(set *lists.RowStore[*client.Object], b ui.Box) string {
	l.updateTotals(set)
	loaded, bytes := wording.FormatCount(int64(set.Len())), operation.FormatSize(l.totals.bytes)
	parts := []string{loaded + " loaded", bytes, ""}
	switch {
	case set.LoadingAll():
		parts = []string{"still reading: " + loaded + " so far", bytes, "esc stops"}
	case !set.Complete():
		parts = []string{loaded + " loaded, more exist", bytes + " here", "press G to load all"}
	}
	if l.totals.objects == 0 {
		parts[1] = ""
	}
	if sizes := l.sizes.describe(b.Now); l.sizes.current != nil && !set.LoadingAll() {
		parts = append(sizes, parts[0])
	} else if sizes != nil {
		if set.Complete() {
			parts[0] = "" // the line below says how many
		}
		parts = append([]string{parts[0], parts[2]}, sizes...)
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return b.Theme.Paint(theme.Muted, ui.JoinFitting(parts, " · ", b.Width, b.Theme.Glyphs.Ellipsis))
}

// updateTotals adds the sizes of the rows that have arrived since the last frame. It starts again if rows were replaced
// or dropped.
func (l *objectListing) updateTotals(set *lists.RowStore[*client.Object]) {
	s := &l.totals
	if s.version == set.Version() {
		return
	}
	if set.Epoch() != l.totalsEpoch {
		s.n, s.objects, s.bytes, l.totalsEpoch = 0, 0, 0, set.Epoch()
	}
	for ; s.n < set.Len(); s.n++ {
		if o := set.At(s.n); !l.isFolder(o) {
			s.objects, s.bytes = s.objects+1, s.bytes+max(0, o.Size)
		}
	}
	s.version = set.Version()
}

// copyItems are the commands for an entry.
func (l *objectListing) copyItems(o *client.Object) []ui.CopyItem {
	a, b := l.a, l.path.bucket
	bucket, name := b.ID(), o.Name.Raw()
	if l.isFolder(o) {
		return operation.CopyItems(
			operation.ScriptCommand(a, "objects list", nil, bucket, name),
			operation.CurlCommand(a,
				"list objects", url.Values{"prefix": {name}, "delimiter": {"/"}}, b.Location().Raw(), b.Label.Raw(),
			),
		)
	}
	return operation.CopyItems(
		operation.ScriptCommand(a, "objects get", nil, bucket, name),
		operation.CurlCommand(a, "view object ACL", url.Values{"name": {name}}, b.Location().Raw(), b.Label.Raw()),
		ui.CopyItem{
			Name: "command: link for an hour",
			Key:  "1",
			Text: operation.ScriptCommand(a, "objects link", []string{"--for", "1h"}, bucket, name),
		},
	)
}

// Announce tells the row at the cursor, or to which a typed name has led.
func (l *objectListing) Announce(b ui.Box) ui.ScreenReaderText {
	l.preview.setBox(b)
	return l.List.Announce(b)
}

// parentDetail says where the parent row leads.
func (p bucketPath) parentDetail(b ui.Box) string {
	t := operation.NewDetailWriter(b)
	t.Field("in", p.String(), theme.Muted)
	t.Paragraph("enter goes up", theme.Muted)
	return t.String()
}
