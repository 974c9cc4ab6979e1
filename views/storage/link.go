package storage

import (
	"fmt"
	"image/color"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/boombuler/barcode/qr"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/account"
)

// linkView is the pane of one link.
type linkView struct {
	a      *account.Account
	link   *account.PresignedLink
	showQR bool // the QR code is shown
	scroll ui.Viewport
}

// Name identifies the actions: "link.copy the link".
func (p *linkView) Name() string { return "link" }

// Crumb returns the word for the breadcrumb.
func (p *linkView) Crumb() string { return "link" }

// SkipsAutoRefresh reports true: there is nothing to read.
func (p *linkView) SkipsAutoRefresh() bool { return true }

// Refresh does nothing: there is nothing to read.
func (p *linkView) Refresh() tea.Cmd { return nil }

// Update scrolls.
func (p *linkView) Update(msg tea.Msg) tea.Cmd { return p.scroll.Update(msg) }

// Actions copy the link, open it or show it as a QR code.
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
		{
			Key:         ui.Bind("QR code", "Q"),
			ShowInHints: true,
			Do:          p.toggleQR,
		},
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

// toggleQR shows or hides the QR code.
func (p *linkView) toggleQR() tea.Cmd {
	p.showQR = !p.showQR
	return nil
}

// View shows the link and when it expires.
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

// writeLink writes what a link allows, and until when.
func writeLink(a *account.Account, t *account.DetailWriter, l *account.PresignedLink) {
	t.Title(l.Method + " " + l.Name.String())
	t.Field("bucket", l.Bucket, theme.Muted)
	t.Field("expires", formatLinkExpiry(a, l, t.Box.Now), theme.Warn)
	if warning := linkWarning(l); warning != "" {
		t.Field("object", warning, theme.Warn)
	}
	if l.ContentType != "" {
		t.Field("content type", client.Clean(l.ContentType)+" (send exactly this)", theme.Plain)
	}
}

// formatLinkExpiry says when a link expires, in local time and in UTC.
func formatLinkExpiry(a *account.Account, l *account.PresignedLink, now time.Time) string {
	switch {
	case l.Expires.IsZero():
		return "unknown: the link does not say"
	case l.Expired(now):
		return "expired"
	}
	left := ui.FormatAge(l.Expires.Sub(now))
	return fmt.Sprintf("%s, in %s", formatLocalAndUTC(a, l.Expires, "Mon 15:04:05 MST"), left)
}

// linkWarning says what the link does not do as long as its object is missing, or does to one that is there; "" if
// there is nothing to say.
func linkWarning(l *account.PresignedLink) string {
	exists, known := l.Exists.Value()
	switch {
	case known && !exists && l.Method != "PUT":
		return "no object has this name: the link fails until there is one"
	case known && exists && l.Method == "PUT":
		return "an object has this name: the link replaces it"
	}
	return ""
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

// formatLocalAndUTC returns a time in local time, followed by UTC if that differs.
func formatLocalAndUTC(a *account.Account, t time.Time, layout string) string {
	local := t.In(a.Location)
	if _, offset := local.Zone(); offset == 0 {
		return local.Format(layout)
	}
	return local.Format(layout) + " = " + t.UTC().Format("15:04:05 UTC")
}
