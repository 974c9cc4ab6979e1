package views

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
)

// An objectView is one object: what is known of it, its access, its first bytes.
type objectView struct {
	a      *Account
	bucket *client.Bucket
	object client.Object
	acl    *ui.Store[*client.ObjectACL]
	peek   *ui.Store[*preview]
	xml    bool // the ACL's XML is shown
	scroll ui.Viewport
	shown  drawn
}

// drawn is the content as it was drawn last: taking it apart for each frame would cost milliseconds.
type drawn struct {
	width int
	look  *theme.Theme
	epoch int
	text  string
}

func (a *Account) objectPane(b *client.Bucket, o client.Object) ui.Pane {
	p := &objectView{a: a, bucket: b, object: o}
	cluster, label, name := b.Cluster.Raw(), b.Label.Raw(), o.Name.Raw()
	p.acl = ui.NewStore(a.ctx, ui.Source[*client.ObjectACL]{Name: "access", ID: func(*client.ObjectACL) string { return name }, Now: a.now,
		Fetch: single(func(ctx context.Context) (*client.ObjectACL, error) {
			return a.api.Objects.ACL(ctx, cluster, label, name)
		})})
	p.peek = ui.NewStore(a.ctx, ui.Source[*preview]{Name: "first bytes", ID: func(*preview) string { return name }, Now: a.now,
		Fetch: single(func(ctx context.Context) (*preview, error) { return a.peek(ctx, cluster, label, name) })})
	return p
}

// peek reads the first bytes over a pre-signed URL.
func (a *Account) peek(ctx context.Context, cluster, bucket, name string) (*preview, error) {
	data, kind, err := a.api.Objects.Peek(ctx, cluster, bucket, name, peekSize)
	p := newPreview(name, kind, data)
	return &p, err
}

// Name makes the object's actions its own.
func (p *objectView) Name() string { return "object" }

// Crumb is the object's name.
func (p *objectView) Crumb() string { return p.object.Name.String() }

// Freshness is the age of the access that was read.
func (p *objectView) Freshness() ui.Freshness { return p.acl.Freshness() }

// SkipsAutoRefresh keeps the clock from reading it again and again.
func (p *objectView) SkipsAutoRefresh() bool { return true }

// Refresh reads access and first bytes again, those that were asked for.
func (p *objectView) Refresh() tea.Cmd {
	cmds := []tea.Cmd{p.acl.Refresh()}
	if p.peek.Loaded() {
		cmds = append(cmds, p.peek.Refresh())
	}
	return tea.Batch(cmds...)
}

// LoadMissing reads the access once.
func (p *objectView) LoadMissing() tea.Cmd { return p.acl.EnsureLoaded() }

// OnClose ends what is being read.
func (p *objectView) OnClose() {
	p.acl.Cancel()
	p.peek.Cancel()
}

// Update scrolls.
func (p *objectView) Update(msg tea.Msg) tea.Cmd { return p.scroll.Update(msg) }

// Actions are what can be done with the object.
func (p *objectView) Actions() []ui.Action {
	o, b, a := p.object, p.bucket, p.a
	enter := func(form func() ui.Form) func() tea.Cmd {
		return func() tea.Cmd { return ui.Send(ui.OpenFormMsg{Form: form()}) }
	}
	acts := a.scopedActions(storageWrite,
		ui.Action{Key: ui.Bind("preview", "enter"), Description: "its first 64 KiB, read over a pre-signed URL", ShowInHints: true, Do: p.peek.Refresh},
		ui.Action{Key: ui.Bind("link", "L"), ShowInHints: true, OpensView: true, Do: enter(func() ui.Form { return a.linkForm(b, o.Name.Raw()) })},
		ui.Action{Key: ui.Bind("download", "w"), ShowInHints: true, OpensView: true, Do: enter(func() ui.Form { return a.downloadForm(b, o) })},
		ui.Action{Key: ui.Bind("access", "c"), ShowInHints: true, Writes: true, OpensView: true, Do: enter(func() ui.Form { return a.objectAccessForm(b, o.Name) })},
		ui.Action{Key: ui.Bind("ACL as XML", "x"), DisabledReason: because(!p.acl.Loaded(), "the access has not been read yet"), Do: func() tea.Cmd { p.xml = !p.xml; return nil }},
		ui.Action{Key: ui.Bind("copy name", "y"), Do: func() tea.Cmd { return ui.Send(ui.CopyMsg{Text: o.Name.Raw(), Label: "object's name"}) }},
		ui.Action{Key: ui.Bind("delete", "D"), Writes: true, Confirm: &ui.Confirmation{Title: "Delete object", ConfirmLabel: "delete",
			Text: fmt.Sprintf("Object %s (%s) in %s is deleted for good.", o.Name, size(o.Size), bucketName(b))},
			Do: func() tea.Cmd {
				a.transfers.Delete(b.Cluster.Raw(), b.Label.Raw(), []string{o.Name.Raw()})
				return tea.Batch(a.moved(), ui.Send(ui.ClosePaneMsg{}))
			}},
		a.linksAction(),
		ui.Action{Key: ui.Bind("up", "h", "left", "backspace"), Group: "move", Do: func() tea.Cmd { return ui.Send(ui.ClosePaneMsg{}) }},
	)
	return append(acts, p.scroll.Actions()...)
}

// View is the object from its properties to its first bytes.
func (p *objectView) View(b ui.Box) string {
	t := newSheet(b)
	t.title(p.object.Name.String())
	t.line("bucket", bucketName(p.bucket), theme.Muted)
	p.a.objectLines(t, p.object)
	p.access(t)
	p.first(t)
	return p.scroll.View(b, t.String())
}

func (p *objectView) access(t *sheet) {
	acl, known := the(p.acl)
	if !known {
		t.line("access", notYet(p.acl.Freshness(), "reading"), theme.Muted)
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
	case client.ACLPrivate:
		return "(only this account's keys)"
	case client.ACLPublicRead:
		return "(everyone can read it)"
	case client.ACLAuthenticatedRead:
		return "(everyone with an account at the provider can read it)"
	case client.ACLPublicReadWrite:
		return "(everyone can read and overwrite it)"
	case client.ACLCustom:
		return "(grants of its own: x shows them)"
	}
	return ""
}

// first is the preview.
func (p *objectView) first(t *sheet) {
	if got, known := the(p.peek); known {
		shown := fmt.Sprintf("first %s", size(int64(got.size)))
		if int64(got.size) == p.object.Size {
			shown = "content"
		}
		t.heading(shown + prefixed(" · ", client.Clean(got.kind)))
		t.block(p.content(got, t.box))
		return
	}
	fresh := p.peek.Freshness()
	switch {
	case fresh.Err != nil:
		t.heading("content")
		t.say(fresh.Err.Error()+" · enter tries again", theme.Warn)
	case fresh.Loading:
		t.heading("content")
		t.say("reading the first bytes", theme.Muted)
	default:
		t.heading("enter shows the first 64 KiB")
	}
}

// content is the preview, drawn again only where something has changed.
func (p *objectView) content(got *preview, b ui.Box) string {
	if p.shown.width != b.Width || p.shown.look != b.Theme || p.shown.epoch != p.peek.Version() {
		p.shown = drawn{b.Width, b.Theme, p.peek.Version(), got.draw(b)}
	}
	return p.shown.text
}

// objectAccessForm sets an object's ACL. What is set already is shown in the object's pane; custom cannot be set.
func (a *Account) objectAccessForm(b *client.Bucket, name client.Text) ui.Form {
	acl := client.ACLPrivate
	form := ui.Form{Title: "Access to " + name.String(), ProgressText: "changing", SubmitLabel: "change", Text: "In " + bucketName(b) + ".",
		Fields:          []ui.Field{ui.Choice("acl", "ACL", &acl, client.ACLPrivate, client.ACLPublicRead, client.ACLAuthenticatedRead, client.ACLPublicReadWrite)},
		Review:          func() string { return meaningOf(acl) },
		WhyResendIsSafe: "Setting the same access twice does no harm",
		Send: func(ctx context.Context) (func() tea.Cmd, error) {
			ctx = client.ContextWithResource(ctx, "object", bucketID(b)+"/"+name.Raw(), name.String())
			_, err := a.api.Objects.SetACL(ctx, b.Cluster.Raw(), b.Label.Raw(), name.Raw(), acl)
			return func() tea.Cmd {
				return tea.Batch(ui.ShowNews(theme.Good, fmt.Sprintf("%s: access is %s", name, acl)), ui.Send(ui.RefreshMsg{}))
			}, err
		}}
	return form
}
