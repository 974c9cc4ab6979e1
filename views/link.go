package views

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/skip2/go-qrcode"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
)

// A link is a pre-signed URL that was given out in this run. The URL is a credential: it is in no file.
type link struct {
	ID     int           `json:"id"` // its place among those of this run, from 1
	Bucket string        `json:"bucket"`
	Name   client.Text   `json:"name"`
	Method string        `json:"method"`
	Kind   string        `json:"content_type,omitempty"` // must be sent; "" for none
	URL    client.Secret `json:"url"`
	Until  time.Time     `json:"ends"`
}

// A life is how long a link is valid.
type life string

const (
	life15m  life = "15 min"
	life1h   life = "1 h"
	life6h   life = "6 h"
	life24h  life = "24 h"
	lifeOwn  life = "seconds"
	shortest      = 360
	longest       = 86400
)

// seconds of a life; own is taken where it says so.
func (l life) seconds(own int) int {
	switch l {
	case life15m:
		return 15 * 60
	case life6h:
		return 6 * 3600
	case life24h:
		return 24 * 3600
	case lifeOwn:
		return own
	}
	return 3600
}

// linkForm builds a pre-signed URL ("Object Storage", rule 4).
func (a *Account) linkForm(b *client.Bucket, name string) ui.Form {
	in := client.PresignRequest{Name: name, Method: "GET"}
	how, own := life1h, 3600
	form := ui.Form{Title: "Link to " + client.Clean(name), ProgressText: "asking", SubmitLabel: "make the link",
		Text: "Whoever has the link can do this one thing until it ends, without a key.",
		Fields: []ui.Field{
			ui.Choice("expires_in", "Valid for", &how, life15m, life1h, life6h, life24h, lifeOwn),
			ui.Number("seconds", "Seconds", &own, shortest, longest).When(func() bool { return how == lifeOwn }),
			ui.Choice("method", "Method", &in.Method, "GET", "PUT", "DELETE").Note("GET reads the object, PUT stores it, DELETE deletes it"),
			ui.Text("content_type", "Content type", &in.ContentType, ui.Length(0, 255), func(text string) string {
				return because(text == "" && in.Method == "PUT", "needed for PUT: it must then be sent with the object")
			}).When(func() bool { return in.Method == "PUT" }),
		},
		EnterSubmits: func() bool { return in.Method == "GET" },
		Review: func() string {
			end := a.now().Add(time.Duration(how.seconds(own)) * time.Second)
			return "It ends at " + a.bothTimes(end, "Mon 2 Jan 15:04:05 MST")
		},
		Send: func(ctx context.Context) (func() tea.Cmd, error) {
			in.Expires = how.seconds(own)
			signed, err := a.api.Objects.Presign(ctx, b.Cluster.Raw(), b.Label.Raw(), in)
			if err != nil {
				return nil, err
			}
			l := a.links.add(link{Bucket: bucketName(b), Name: client.NewText(name), Method: in.Method, Kind: in.ContentType, URL: signed.URL, Until: a.now().Add(time.Duration(in.Expires) * time.Second)})
			return func() tea.Cmd {
				return tea.Batch(a.givenLinks().Refresh(), ui.Send(ui.OpenPaneMsg{Pane: &linkView{a: a, link: l}}))
			}, nil
		}}
	return form
}

// curl is the link as a command. The URL stands in single quotes that nothing in it can end.
func (l *link) curl() string {
	quoted := "'" + strings.ReplaceAll(l.URL.Reveal(), "'", `'\''`) + "'"
	switch l.Method {
	case "PUT":
		return "curl --fail -H 'Content-Type: " + strings.ReplaceAll(l.Kind, "'", "") + "' -T FILE " + quoted
	case "DELETE":
		return "curl --fail -X DELETE " + quoted
	}
	return "curl --fail -o FILE " + quoted
}

// copied is the link on its way to the clipboard.
func (l *link) copied() tea.Msg { return ui.CopyMsg{Text: l.URL.Reveal(), Label: "link"} }

// copiedAsCurl is the link as a command on its way to the clipboard.
func (l *link) copiedAsCurl() tea.Msg { return ui.CopyMsg{Text: l.curl(), Label: "curl line"} }

// A linkView shows one link.
type linkView struct {
	a      *Account
	link   *link
	code   bool // the QR code is shown
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
		{Key: ui.Bind("copy the link", "y", "enter"), ShowInHints: true, Do: func() tea.Cmd { return ui.Send(p.link.copied()) }},
		{Key: ui.Bind("copy as curl", "c"), ShowInHints: true, Do: func() tea.Cmd { return ui.Send(p.link.copiedAsCurl()) }},
		{Key: ui.Bind("QR code", "Q"), ShowInHints: true, Do: func() tea.Cmd { p.code = !p.code; return nil }},
		{Key: ui.Bind("open in browser", "o"), DisabledReason: because(p.link.Method != "GET", "a browser can only read"), Do: func() tea.Cmd { return ui.Send(ui.OpenURLMsg{URL: p.link.URL.Reveal()}) }},
		p.a.linksAction(),
		{Key: ui.Bind("up", "h", "left", "backspace"), Group: "move", Do: func() tea.Cmd { return ui.Send(ui.ClosePaneMsg{}) }},
	}
	return append(acts, p.scroll.Actions()...)
}

// View is the link and its end.
func (p *linkView) View(b ui.Box) string {
	t := newSheet(b)
	l := p.link
	p.a.linkLines(t, l)
	t.heading("link")
	for _, line := range ui.Hardwrap(client.Clean(l.URL.Reveal()), b.Width) {
		t.say(line, theme.Accent)
	}
	if p.code {
		t.heading("QR code")
		t.block(strings.Join(square(l.URL.Reveal(), b), "\n"))
	}
	return p.scroll.View(b, t.String())
}

// linkLines are what a link allows, and until when.
func (a *Account) linkLines(t *sheet, l *link) {
	t.title(l.Method + " " + l.Name.String())
	t.line("bucket", l.Bucket, theme.Muted)
	t.line("ends", a.ends(l, t.box.Now), theme.Warn)
	if l.Kind != "" {
		t.line("content type", client.Clean(l.Kind)+", to be sent as it stands here", theme.Plain)
	}
}

// ends is when a link ends, here and in UTC.
func (a *Account) ends(l *link, now time.Time) string {
	if rest := l.Until.Sub(now); rest > 0 {
		return fmt.Sprintf("%s, in %s", a.bothTimes(l.Until, "Mon 15:04:05 MST"), ui.FormatAge(rest))
	}
	return "it has ended"
}

// square is a QR code in half blocks, two rows of the code in one line: dark modules on light ones, whichever of them the theme's text is.
func square(text string, b ui.Box) []string {
	code, err := qrcode.New(text, qrcode.Low)
	if err != nil {
		return []string{"no code holds a link of this length"}
	}
	bits := code.Bitmap()
	if len(bits) > b.Width {
		return []string{fmt.Sprintf("the code needs %d columns, here are %d", len(bits), b.Width)}
	}
	lines := make([]string, 0, len(bits)/2+1)
	for y := 0; y < len(bits); y += 2 {
		var line strings.Builder
		for x := range bits[y] {
			upper, lower := bits[y][x] != b.Theme.Dark, y+1 < len(bits) && bits[y+1][x] != b.Theme.Dark
			line.WriteString(map[[2]bool]string{{true, true}: "█", {true, false}: "▀", {false, true}: "▄", {false, false}: " "}[[2]bool{upper, lower}])
		}
		lines = append(lines, line.String())
	}
	return lines
}

// bothTimes is a moment in local time, and in UTC where that is another.
func (a *Account) bothTimes(t time.Time, layout string) string {
	local := t.In(a.location)
	if _, offset := local.Zone(); offset == 0 {
		return local.Format(layout)
	}
	return local.Format(layout) + " = " + t.UTC().Format("15:04:05 UTC")
}
