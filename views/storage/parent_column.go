package storage

import (
	"cmp"
	"slices"
	"strings"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
)

// parentColumn shows what a folder is part of: the folder around it as it was left, or the buckets.
type parentColumn struct {
	listing *objectListing
	around  *objectListing // from which the listing was opened; nil for others
	// it was not opened from the folder around it
	detached bool
	panel    ui.Panel
	drawn    parentDrawing
	text     string
}

// parentDrawing is what the drawing of a parent column depends on.
type parentDrawing struct {
	version int
	box     ui.Box
}

// The widths from which a listing has a parent column: more if it shows sizes, which need room themselves.
const (
	parentMinWidth      = previewMinWidth
	parentMinWithSizes  = 140
	parentWidth         = 22
	parentWidthOnScreen = 30 // from wideScreen on
	wideScreen          = 150
)

// width returns the width of the column in a pane, 0 without room.
func (p *parentColumn) width(pane int) int {
	switch {
	case pane < parentMinWidth, p.listing.sizesShown && pane < parentMinWithSizes:
		return 0
	case pane < wideScreen:
		return parentWidth
	}
	return parentWidthOnScreen
}

// view draws the column, again only if something has changed.
func (p *parentColumn) view(b ui.Box) string {
	b.Focused = false
	now := parentDrawing{version: p.listing.a.Buckets().Version(), box: b}
	now.box.Now, now.box.Motion = p.drawn.box.Now, p.drawn.box.Motion
	if p.around != nil {
		now.version = p.around.Store.Version()
	}
	if p.text != "" && p.drawn == now {
		return p.text
	}
	p.drawn = now
	inner := b.InPanel()
	title, names, cursor := p.content(inner)
	lines := make([]string, len(names))
	for i, name := range names {
		tone, mark := theme.Muted, "  "
		if i == cursor {
			tone, mark = theme.Accent, inner.Theme.Glyphs.Cursor+" "
		}
		name = ui.Truncate(mark+name, inner.Width, inner.Theme.Glyphs.Ellipsis)
		lines[i] = inner.Theme.Paint(tone, name)
	}
	if ui.Width(title) > inner.Width-2 {
		title = parentTitle
	}
	p.text = p.panel.View(b, theme.Title(title), nil, strings.Join(lines, "\n"))
	return p.text
}

// parentTitle is the title of a column whose name does not fit.
const parentTitle = ".."

// content returns the names in the column, and which of them is open.
func (p *parentColumn) content(b ui.Box) (title string, names []string, open int) {
	path := p.listing.path
	switch {
	case p.around != nil:
		rows, cursor := p.around.RowsAround(b.Height)
		for _, o := range rows {
			names = append(names, p.around.displayName(o))
		}
		return p.around.path.lastName(), names, cursor
	case path.prefix == "":
		open = -1
		rows := slices.Clone(p.listing.a.Buckets().Rows())
		slices.SortFunc(rows, func(a, b *client.Bucket) int { // they arrive cluster by cluster, in any order
			return cmp.Or(strings.Compare(a.Label.Raw(), b.Label.Raw()), strings.Compare(a.ID(), b.ID()))
		})
		labels := map[string]int{}
		for _, row := range rows {
			labels[row.Label.Raw()]++
		}
		for _, row := range rows {
			if row.ID() == path.bucket.ID() {
				open = len(names)
			}
			name := row.Label.String()
			if labels[row.Label.Raw()] > 1 {
				name += " " + row.Location().String()
			}
			names = append(names, name)
		}
		from := max(0, min(open-b.Height/2, len(names)-b.Height))
		return "buckets", names[from:min(len(names), from+b.Height)], open - from
	}
	names = []string{path.bucket.Label.String()}
	for part := range strings.SplitSeq(strings.TrimSuffix(path.openFolder(), "/"), "/") {
		names = append(names, cmp.Or(client.NewText(part).String(), "(empty)"))
	}
	return parentTitle, names, len(names) - 1
}

// lastName returns what the innermost folder of a path is called.
func (p bucketPath) lastName() string {
	folder := strings.TrimSuffix(p.openFolder(), "/")
	if folder == "" {
		return p.bucket.Label.String()
	}
	return client.NewText(folder[strings.LastIndexByte(folder, '/')+1:] + "/").String()
}
