package storage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/operation"
	"lookout/views/storage/preview"

	tea "charm.land/bubbletea/v2"
)

// previewMode is whether somebody has switched previews on or off in this run.
type previewMode int

const (
	previewAuto previewMode = iota // on, unless the line is slow or the screen is read aloud
	previewOn
	previewOff
)

// previews are those of the objects that the cursor has rested on last, for all listings of the account.
type previews struct {
	mode    previewMode
	refused bool // by the API: no more are asked for until somebody switches them on
	kept    []keptPreview
}

// keptPreview is the preview of one version of an object.
type keptPreview struct {
	key     string
	content *preview.Preview
}

// maxKeptPreviews is the number of previews that are kept.
const maxKeptPreviews = 16

// find returns a preview that is kept, or nil.
func (s *previews) find(key string) *preview.Preview {
	at := slices.IndexFunc(s.kept, func(k keptPreview) bool { return k.key == key })
	if at < 0 {
		return nil
	}
	found := s.kept[at]
	s.kept = append(slices.Delete(s.kept, at, at+1), found)
	return found.content
}

// keep keeps a preview instead of the one that was not looked at for the longest time.
func (s *previews) keep(key string, content *preview.Preview) {
	if s.find(key) == nil {
		s.kept = append(s.kept[max(0, len(s.kept)+1-maxKeptPreviews):], keptPreview{key, content})
	}
}

// previewColumn shows the first bytes of the object under the cursor once the cursor has rested on it. They take two
// requests, for a pre-signed URL and to it.
type previewColumn struct {
	*previews
	listing  *objectListing
	width    int                // of the last frame; 0 before the first one
	shown    bool               // the last frame has previews
	key      string             // of the object under the cursor, "" if it needs no reading
	rested   bool               // the cursor has rested on it
	number   int                // of the timer
	stop     context.CancelFunc // of the reading under way
	err      error              // why the object of the key could not be read
	rendered renderedPreview
	renderOf string // key and height of rendered
	more     bool   // there is more than rendered
}

// The width of a pane from which it has previews, and the time that the cursor rests before one is read.
const (
	previewMinWidth = 118
	previewRest     = 150 * time.Millisecond
)

// newPreviewColumn returns the previews of a listing.
func newPreviewColumn(l *objectListing) *previewColumn {
	shared := account.Shared(l.a, "previews", func() *previews { return &previews{} })
	return &previewColumn{previews: shared, listing: l}
}

// setBox notes the space of a frame, which decides whether there are previews.
func (c *previewColumn) setBox(b ui.Box) {
	c.width = b.Width
	scopes := c.listing.a.API.Scopes()
	auto := !c.refused && !b.TextOnly && scopes != "" && scopes != "unknown"
	c.shown = (b.Width >= previewMinWidth || b.TextOnly) && c.missing() == "" &&
		(c.mode == previewOn || c.mode == previewAuto && auto)
}

// missing says which scope the token lacks for previews.
func (c *previewColumn) missing() string { return c.listing.a.MissingScope(client.OpCreateObjectURL) }

// action returns the action that switches previews on or off.
func (c *previewColumn) action() ui.Action {
	why := c.missing()
	if c.width > 0 && c.width < previewMinWidth && !c.shown {
		why = cmp.Or(why, "previews need 120 columns · or open the object and press enter")
	}
	name, mode := "preview on", previewOn
	if c.shown {
		name, mode = "preview off", previewOff
	}
	return ui.Action{
		Key:            ui.Bind("preview", "t"),
		ShownName:      name,
		Group:          "this list",
		Description:    "the first 64 KiB of the object under the cursor; costs two requests",
		DisabledReason: why,
		Do: func() tea.Cmd {
			c.cancel()
			c.mode, c.refused, c.key = mode, false, ""
			return ui.Send(previewSwitched{})
		},
	}
}

// previewSwitched follows the frame after previews were switched on or off: only the frame tells whether they have
// room.
type previewSwitched struct{}

// Deliver changes nothing: after each message, the listing reads what it lacks.
func (previewSwitched) Deliver() tea.Cmd { return nil }

// keyOf names a version of an object.
func (c *previewColumn) keyOf(o *client.Object) string {
	return c.listing.path.bucket.Object(o.Name.Raw()).ID() + "\x00" + o.ETag.Raw()
}

// follow reads the preview of the object under the cursor once the cursor has rested on it, and cancels the reading of
// another one.
func (c *previewColumn) follow() {
	a := c.listing.a
	o, held := c.listing.Store.Get(c.listing.SaveState().Row)
	key := ""
	if held && !c.listing.isFolder(o) && o.Size != 0 && (c.shown || c.width == 0) {
		if key = c.keyOf(o); c.find(key) != nil {
			key = ""
		}
	}
	switch {
	case key != c.key:
		c.cancel()
		c.key, c.rested, c.err = key, false, nil
		if key == "" {
			return
		}
		c.number++
		number := c.number
		a.After(previewRest, func() { c.rested = c.rested || number == c.number })
	case key != "" && c.rested && c.shown && c.stop == nil && c.err == nil:
		var ctx context.Context
		ctx, c.stop = context.WithCancel(a.Context)
		number, ref, etag := c.number, c.listing.path.bucket.Object(o.Name.Raw()), o.ETag
		a.Go(func() (apply func()) {
			content, err := fetchPreview(ctx, a, ref, etag)
			return func() { c.take(number, key, content, err) }
		})
	}
}

// cancel cancels the reading under way.
func (c *previewColumn) cancel() {
	if c.stop != nil {
		c.stop()
		c.stop = nil
	}
}

// take keeps the preview that a reading has brought.
func (c *previewColumn) take(number int, key string, content *preview.Preview, err error) {
	current := number == c.number && key == c.key && c.stop != nil
	if current {
		c.cancel()
		c.err = err
	}
	switch {
	case err == nil:
		c.keep(key, content)
	case current && wording.Denied(err):
		c.refused, c.mode = true, previewAuto
	}
}

// write writes the preview of an object below its properties, or what there is instead.
func (c *previewColumn) write(t *operation.DetailWriter, o *client.Object) {
	if !c.shown {
		t.Paragraph("enter shows access and the first bytes", theme.Muted)
		return
	}
	key := c.keyOf(o)
	content := c.find(key)
	switch {
	case o.Size == 0:
		t.Heading("content")
		t.Paragraph("empty", theme.Muted)
	case content != nil:
		c.writeContent(t, o, content, key)
	case c.key == key && c.err != nil:
		t.Heading("content")
		t.Paragraph(c.err.Error(), theme.Warn)
	default:
		t.Heading("content")
		t.Paragraph(wording.If(c.stop != nil, "reading the first bytes"), theme.Muted)
	}
}

// writeContent writes what a preview shows, as far as there is room, and how much more there is.
func (c *previewColumn) writeContent(
	t *operation.DetailWriter, o *client.Object, content *preview.Preview, key string,
) {
	size, all := operation.FormatSize(int64(content.Read)), operation.FormatSize(o.Size)
	shown := "content"
	if int64(content.Read) != o.Size {
		shown = fmt.Sprintf("first %s of %s", size, all)
	}
	t.Heading(shown + wording.WithPrefix(" · ", content.Form))
	room := max(1, t.Box.Height-len(t.Lines)-2)
	drawn := fmt.Sprint(room, " ", key)
	if c.renderOf != drawn || c.rendered.width != t.Box.Width || c.rendered.theme != t.Box.Theme {
		var text string
		text, c.more = content.Render(t.Box, room)
		c.rendered, c.renderOf = renderedPreview{width: t.Box.Width, theme: t.Box.Theme, text: text}, drawn
	}
	t.Rendered(c.rendered.text)
	if c.more {
		t.Paragraph(fmt.Sprintf("more · %s in all · press enter twice for %s", all, size), theme.Muted)
	}
}
