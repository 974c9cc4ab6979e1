package views

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/tidwall/pretty"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
)

// An objectView is one object: what is known of it, its access, its first bytes.
type objectView struct {
	a      *Account
	bucket client.Bucket
	object client.Object
	acl    *ui.Set[client.ObjectACL]
	peek   *ui.Set[preview]
	xml    bool // the ACL's XML is shown
	scroll ui.Scroll
}

// A preview is the first bytes of an object.
type preview struct {
	data []byte
	kind string // content type as the storage says it
}

// peekSize is how many bytes a preview takes.
const peekSize = 64 << 10

func (a *Account) objectPane(b client.Bucket, o client.Object) ui.Pane {
	p := &objectView{a: a, bucket: b, object: o}
	cluster, label, name := b.Cluster.Raw(), b.Label.Raw(), o.Name.Raw()
	p.acl = ui.NewSet(a.ctx, ui.Source[client.ObjectACL]{Name: "access", ID: func(client.ObjectACL) string { return name }, Now: a.now,
		Fetch: single(func(ctx context.Context) (client.ObjectACL, error) {
			return a.api.Objects.ACL(ctx, cluster, label, name)
		})})
	p.peek = ui.NewSet(a.ctx, ui.Source[preview]{Name: "first bytes", ID: func(preview) string { return name }, Now: a.now,
		Fetch: single(func(ctx context.Context) (preview, error) { return a.peek(ctx, cluster, label, name) })})
	return p
}

// peek reads the first bytes over a pre-signed URL.
func (a *Account) peek(ctx context.Context, cluster, bucket, name string) (preview, error) {
	res, err := a.api.Objects.Get(ctx, cluster, bucket, name, 0, "")
	if err != nil {
		return preview{}, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, peekSize))
	return preview{data, res.Header.Get("Content-Type")}, err
}

// Name makes the object's actions its own.
func (p *objectView) Name() string { return "object" }

// Crumb is the object's name.
func (p *objectView) Crumb() string { return p.object.Name.String() }

// Fresh is the age of the access that was read.
func (p *objectView) Fresh() ui.Freshness { return p.acl.Fresh() }

// Steady keeps the clock from reading it again and again.
func (p *objectView) Steady() bool { return true }

// Refresh reads access and first bytes again, those that were asked for.
func (p *objectView) Refresh() tea.Cmd {
	cmds := []tea.Cmd{p.acl.Refresh()}
	if p.peek.Loaded() {
		cmds = append(cmds, p.peek.Refresh())
	}
	return tea.Batch(cmds...)
}

// Want reads the access once.
func (p *objectView) Want() tea.Cmd { return p.acl.Need() }

// Leave ends what is being read.
func (p *objectView) Leave() {
	p.acl.Cancel()
	p.peek.Cancel()
}

// Update scrolls.
func (p *objectView) Update(msg tea.Msg) tea.Cmd { return p.scroll.Update(msg) }

// Actions are what can be done with the object.
func (p *objectView) Actions() []ui.Action {
	o, b, a := p.object, p.bucket, p.a
	enter := func(form func() ui.Form) func() tea.Cmd {
		return func() tea.Cmd { return ui.Send(ui.Enter{Form: form()}) }
	}
	acts := a.scopedActions(storageWrite,
		ui.Action{Key: ui.Bind("preview", "enter"), About: "its first 64 KiB, read over a pre-signed URL", Show: true, Do: p.peek.Refresh},
		ui.Action{Key: ui.Bind("link", "L"), Show: true, Do: enter(func() ui.Form { return a.linkForm(b, o.Name.Raw()) })},
		ui.Action{Key: ui.Bind("download", "w"), Show: true, Do: enter(func() ui.Form { return a.downloadForm(b, o) })},
		ui.Action{Key: ui.Bind("access", "c"), Show: true, Change: true, Do: enter(func() ui.Form { return a.objectAccessForm(b, o.Name) })},
		ui.Action{Key: ui.Bind("ACL as XML", "x"), Off: because(!p.acl.Loaded(), "the access has not been read yet"), Do: func() tea.Cmd { p.xml = !p.xml; return nil }},
		ui.Action{Key: ui.Bind("copy name", "y"), Do: func() tea.Cmd { return ui.Send(ui.Copy{Text: o.Name.Raw(), What: "object's name"}) }},
		ui.Action{Key: ui.Bind("delete", "D"), Change: true, Ask: &ui.Question{Title: "Delete object", Yes: "delete",
			Text: fmt.Sprintf("%s in %s (%s) is deleted for good.", o.Name, b.Label, size(o.Size))},
			Do: func() tea.Cmd {
				a.transfers.Delete(b.Cluster.Raw(), b.Label.Raw(), []string{o.Name.Raw()})
				return tea.Batch(a.moved(), ui.Send(ui.Close{}))
			}},
		ui.Action{Key: ui.Bind("up", "h", "left", "backspace"), Group: "move", Do: func() tea.Cmd { return ui.Send(ui.Close{}) }},
	)
	return append(acts, p.scroll.Actions()...)
}

// View is the object from its properties to its first bytes.
func (p *objectView) View(b ui.Box) string {
	t := newSheet(b)
	t.title(p.object.Name.String())
	t.line("bucket", bucketID(p.bucket), theme.Muted)
	p.a.objectLines(t, p.object)
	p.access(t)
	p.first(t)
	return p.scroll.View(b, t.String())
}

func (p *objectView) access(t *sheet) {
	acl, known := the(p.acl)
	if !known {
		t.line("access", notYet(p.acl.Fresh(), "reading"), theme.Muted)
		return
	}
	t.line("access", fmt.Sprintf("%s  %s", acl.ACL, meaningOf(acl.ACL)), theme.Plain)
	if p.xml {
		t.heading("ACL as XML")
		t.text(acl.XML.Raw())
	}
}

// meaningOf is what an object's ACL allows.
func meaningOf(acl client.ACL) string {
	switch acl {
	case client.Private:
		return "(only this account's keys)"
	case client.PublicRead:
		return "(everyone can read it)"
	case client.AuthenticatedRead:
		return "(everyone with an account at the provider can read it)"
	case client.PublicReadWrite:
		return "(everyone can read and overwrite it)"
	case client.Custom:
		return "(grants of its own: x shows them)"
	}
	return ""
}

// first is the preview.
func (p *objectView) first(t *sheet) {
	if got, known := the(p.peek); known {
		shown := fmt.Sprintf("first %s", size(int64(len(got.data))))
		if int64(len(got.data)) == p.object.Size {
			shown = "content"
		}
		t.heading(shown + prefixed(" · ", client.Clean(got.kind)))
		t.block(strings.Join(drawn(got, t.box), "\n"))
		return
	}
	fresh := p.peek.Fresh()
	switch {
	case fresh.Err != nil:
		t.heading("content")
		t.say(fresh.Err.Error()+" · enter tries again", theme.Warn)
	case fresh.Asked:
		t.heading("content")
		t.say("reading the first bytes", theme.Muted)
	default:
		t.heading("enter shows the first 64 KiB")
	}
}

// drawn is a preview in lines: JSON coloured, other text as it is, images by kind and size, anything else as hexadecimal digits.
func drawn(p preview, b ui.Box) []string {
	if kind, width, height := imageSize(p.data); kind != "" {
		return []string{fmt.Sprintf("%s image, %d × %d pixels", kind, width, height)}
	}
	if !textual(p.data) {
		return hexLines(p.data, b)
	}
	if json.Valid(p.data) && len(bytes.TrimSpace(p.data)) > 0 {
		return jsonLines(p.data, b)
	}
	return textLines(string(p.data), b)
}

// textual reports whether bytes are text. The last rune may be cut by the preview's end.
func textual(data []byte) bool {
	cut := data
	for i := 0; i < utf8.UTFMax && len(cut) > 0 && !utf8.Valid(cut); i++ {
		cut = cut[:len(cut)-1]
	}
	if !utf8.Valid(cut) || len(cut) < len(data)-utf8.UTFMax {
		return false
	}
	kind := http.DetectContentType(data)
	return len(data) == 0 || strings.HasPrefix(kind, "text/") || !bytes.ContainsRune(data, 0)
}

func textLines(text string, b ui.Box) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		lines = append(lines, ui.Wrap(client.Clean(strings.ReplaceAll(line, "\t", "    ")), b.Width)...)
	}
	return lines
}

// jsonLines sets JSON out and colours it. The bytes are cleaned before: styles are added last.
func jsonLines(data []byte, b ui.Box) []string {
	style := func(tone theme.Tone) [2]string {
		s := b.Theme.Style(tone)
		return [2]string{s.Open, s.Close}
	}
	var clean bytes.Buffer
	for i, line := range bytes.Split(pretty.Pretty(data), []byte("\n")) {
		if i > 0 {
			clean.WriteByte('\n')
		}
		clean.WriteString(client.Clean(string(line)))
	}
	colours := &pretty.Style{Key: style(theme.Accent), String: style(theme.Good), Number: style(theme.Info), True: style(theme.Warn), False: style(theme.Warn), Null: style(theme.Muted)}
	coloured := string(pretty.Color(clean.Bytes(), colours))
	lines := strings.Split(strings.TrimRight(coloured, "\n"), "\n")
	for i, line := range lines {
		lines[i] = ui.Cut(line, b.Width, b.Theme.Glyphs.Ellipsis)
	}
	return lines
}

func hexLines(data []byte, b ui.Box) []string {
	lines := strings.Split(strings.TrimRight(hex.Dump(data), "\n"), "\n")
	for i, line := range lines {
		lines[i] = ui.Cut(line, b.Width, b.Theme.Glyphs.Ellipsis)
	}
	return lines
}

// objectAccessForm sets an object's ACL. What is set already is shown in the object's pane; custom cannot be set.
func (a *Account) objectAccessForm(b client.Bucket, name client.Text) ui.Form {
	acl := client.Private
	form := ui.Form{Title: "Access to " + name.String(), Verb: "changing", Yes: "change",
		Fields: []ui.Field{ui.Choice("acl", "ACL", &acl, client.Private, client.PublicRead, client.AuthenticatedRead, client.PublicReadWrite)},
		Review: func() string { return meaningOf(acl) },
		Again:  "Setting the same access twice does no harm",
		Send: func(ctx context.Context) (func() tea.Cmd, error) {
			ctx = client.About(ctx, "object", bucketID(b)+"/"+name.Raw(), name.String())
			_, err := a.api.Objects.SetACL(ctx, b.Cluster.Raw(), b.Label.Raw(), name.Raw(), acl)
			return func() tea.Cmd {
				return tea.Batch(ui.News(theme.Good, fmt.Sprintf("%s: access is %s", name, acl)), ui.Send(ui.Again{}))
			}, err
		}}
	return form
}
