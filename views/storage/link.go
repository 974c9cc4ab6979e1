package storage

import (
	"context"
	"fmt"
	"image/color"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/boombuler/barcode/qr"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/views/account"
)

// A linkLifetime is how long a link is valid.
type linkLifetime string

const (
	lifetime15m        linkLifetime = "15 min"
	lifetime1h         linkLifetime = "1 h"
	lifetime6h         linkLifetime = "6 h"
	lifetime24h        linkLifetime = "24 h"
	lifetimeCustom     linkLifetime = "seconds"
	minLifetimeSeconds              = 360
	maxLifetimeSeconds              = 86400
)

// inSeconds of a life; own is taken where it says so.
func (l linkLifetime) inSeconds(own int) int {
	switch l {
	case lifetime15m:
		return 15 * 60
	case lifetime6h:
		return 6 * 3600
	case lifetime24h:
		return 24 * 3600
	case lifetimeCustom:
		return own
	}
	return 3600
}

// linkForm builds a pre-signed URL ("Object Storage", rule 4).
func linkForm(a *account.Account, b *client.Bucket, name string) form.Form {
	in := client.PresignRequest{Name: name, Method: "GET"}
	how, own := lifetime1h, 3600
	form := form.Form{
		Title:        "Link to " + client.Clean(name),
		ProgressText: "asking",
		SubmitLabel:  "make the link",
		Text:         "Whoever has the link can do this one thing until it ends, without a key.",
		Fields: []form.Field{
			form.Choice(
				"expires_in",
				"Valid for",
				&how,
				lifetime15m,
				lifetime1h,
				lifetime6h,
				lifetime24h,
				lifetimeCustom,
			),
			form.Number(
				"seconds",
				"Seconds",
				&own,
				minLifetimeSeconds,
				maxLifetimeSeconds,
			).When(
				func() bool { return how == lifetimeCustom },
			),
			form.Choice(
				"method",
				"Method",
				&in.Method,
				"GET",
				"PUT",
				"DELETE",
			).Note(
				"GET reads the object, PUT stores it, DELETE deletes it",
			),
			form.Text("content_type", "Content type", &in.ContentType, form.Length(0, 255), func(text string) string {
				return account.ReasonIf(
					text == "" && in.Method == "PUT",
					"needed for PUT: it must then be sent with the object",
				)
			}).When(func() bool { return in.Method == "PUT" }),
		},
		EnterSubmits: func() bool { return in.Method == "GET" },
		Review: func() string {
			end := a.Now().Add(time.Duration(how.inSeconds(own)) * time.Second)
			return "It ends at " + formatLocalAndUTC(a, end, "Mon 2 Jan 15:04:05 MST")
		},
		Send: func(ctx context.Context) (func() tea.Cmd, error) {
			in.Expires = how.inSeconds(own)
			signed, err := a.Api.Objects.Presign(ctx, b.Cluster.Raw(), b.Label.Raw(), in)
			if err != nil {
				return nil, err
			}
			l := a.Links.Add(account.Link{
				Bucket:      bucketName(b),
				Name:        client.NewText(name),
				Method:      in.Method,
				ContentType: in.ContentType,
				URL:         signed.URL,
				Expires:     a.Now().Add(time.Duration(in.Expires) * time.Second),
			})
			return func() tea.Cmd {
				return tea.Batch(a.LinkStore().Refresh(), ui.Send(ui.OpenPaneMsg{Pane: &linkView{a: a, link: l}}))
			}, nil
		},
	}
	return form
}

// A linkView shows one link.
type linkView struct {
	a      *account.Account
	link   *account.Link
	showQR bool // the QR code is shown
	scroll ui.Viewport
}

// Name makes the link's actions its own.
func (p *linkView) Name() string { return "link" }

// Crumb says what it is.
func (p *linkView) Crumb() string { return "link" }

// SkipsAutoRefresh keeps the clock away: there is nothing to read.
func (p *linkView) SkipsAutoRefresh() bool { return true }

// Refresh has nothing to read.
func (p *linkView) Refresh() tea.Cmd { return nil }

// Update scrolls.
func (p *linkView) Update(msg tea.Msg) tea.Cmd { return p.scroll.Update(msg) }

// Actions give the link away.
func (p *linkView) Actions() []ui.Action {
	acts := []ui.Action{
		{
			Key:         ui.Bind("copy the link", "y", "enter"),
			ShowInHints: true,
			Do:          func() tea.Cmd { return ui.Send(p.link.CopyURL()) },
		},
		{
			Key:         ui.Bind("copy as curl", "c"),
			ShowInHints: true,
			Do:          func() tea.Cmd { return ui.Send(p.link.CopyCurl()) },
		},
		{Key: ui.Bind("QR code", "Q"), ShowInHints: true, Do: func() tea.Cmd { p.showQR = !p.showQR; return nil }},
		{
			Key:            ui.Bind("open in browser", "o"),
			DisabledReason: account.ReasonIf(p.link.Method != "GET", "a browser can only read"),
			Do:             func() tea.Cmd { return ui.Send(ui.OpenURLMsg{URL: p.link.URL.Reveal()}) },
		},
		linksAction(p.a),
		{
			Key:   ui.Bind("up", "h", "left", "backspace"),
			Group: "move",
			Do:    func() tea.Cmd { return ui.Send(ui.ClosePaneMsg{}) },
		},
	}
	return append(acts, p.scroll.Actions()...)
}

// View is the link and its end.
func (p *linkView) View(b ui.Box) string {
	t := account.NewDetailWriter(b)
	l := p.link
	writeLink(p.a, t, l)
	t.Heading("link")
	for _, line := range ui.Hardwrap(client.Clean(l.URL.Reveal()), b.Width) {
		t.Paragraph(line, theme.Accent)
	}
	if p.showQR {
		t.Heading("QR code")
		t.Rendered(strings.Join(renderQRCode(l.URL.Reveal(), b), "\n"))
	}
	return p.scroll.View(b, t.String())
}

// writeLink are what a link allows, and until when.
func writeLink(a *account.Account, t *account.DetailWriter, l *account.Link) {
	t.Title(l.Method + " " + l.Name.String())
	t.Field("bucket", l.Bucket, theme.Muted)
	t.Field("ends", formatLinkExpiry(a, l, t.Box.Now), theme.Warn)
	if l.ContentType != "" {
		t.Field("content type", client.Clean(l.ContentType)+", to be sent as it stands here", theme.Plain)
	}
}

// formatLinkExpiry is when a link ends, here and in UTC.
func formatLinkExpiry(a *account.Account, l *account.Link, now time.Time) string {
	if rest := l.Expires.Sub(now); rest > 0 {
		return fmt.Sprintf("%s, in %s", formatLocalAndUTC(a, l.Expires, "Mon 15:04:05 MST"), ui.FormatAge(rest))
	}
	return "it has ended"
}

// quietZone is how many light modules a QR code needs around it for a camera to find it.
const quietZone = 4

// renderQRCode returns the lines of a QR code in half blocks: two rows of the code in one line, dark modules on light
// ones whatever the theme's background.
func renderQRCode(text string, b ui.Box) []string {
	code, err := qr.Encode(text, qr.L, qr.Auto)
	if err != nil {
		return []string{"the link is too long for a QR code"}
	}
	inner := code.Bounds().Dx()
	size := inner + 2*quietZone
	if size > b.Width {
		return []string{fmt.Sprintf("the QR code needs %d columns; there are %d", size, b.Width)}
	}
	drawn := func(x, y int) bool { // in the colour of text, which is the light one on a dark background
		x, y = x-quietZone, y-quietZone
		dark := min(x, y) >= 0 && max(x, y) < inner && code.At(x, y) == color.Black
		return y < inner+quietZone && dark != b.Theme.Dark
	}
	lines := make([]string, 0, size/2+1)
	for y := 0; y < size; y += 2 {
		var line strings.Builder
		for x := range size {
			line.WriteString(halfBlock(drawn(x, y), drawn(x, y+1)))
		}
		lines = append(lines, line.String())
	}
	return lines
}

// halfBlock returns the character whose upper and lower half are drawn.
func halfBlock(upper, lower bool) string {
	switch {
	case upper && lower:
		return "█"
	case upper:
		return "▀"
	case lower:
		return "▄"
	}
	return " "
}

// formatLocalAndUTC is a moment in local time, and in UTC where that is another.
func formatLocalAndUTC(a *account.Account, t time.Time, layout string) string {
	local := t.In(a.Location)
	if _, offset := local.Zone(); offset == 0 {
		return local.Format(layout)
	}
	return local.Format(layout) + " = " + t.UTC().Format("15:04:05 UTC")
}
