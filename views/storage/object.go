package storage

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/views/account"
	"lookout/views/storage/preview"
)

// objectView is the pane of one object: its properties, its access and its first bytes.
type objectView struct {
	a        *account.Account
	bucket   *client.Bucket
	object   *client.Object
	acl      *ui.RowStore[*client.ObjectACL]
	preview  *ui.RowStore[*preview.Preview]
	showXML  bool // the ACL's XML is shown
	scroll   ui.Viewport
	rendered renderedPreview
}

// renderedPreview is the preview as it was last rendered. Rendering it for each frame would take milliseconds.
type renderedPreview struct {
	width   int
	theme   *theme.Theme
	version int
	text    string
}

// objectPane returns the pane of an object.
func objectPane(a *account.Account, b *client.Bucket, o *client.Object) ui.Pane {
	p := &objectView{a: a, bucket: b, object: o}
	ref := refTo(b, o.Name.Raw())
	p.acl = ui.NewRowStore(a.Context, ui.RowSource[*client.ObjectACL]{
		Name: "access",
		ID:   func(*client.ObjectACL) string { return ref.Name },
		Now:  a.Now,
		Fetch: account.SingleFetcher(func(ctx context.Context) (*client.ObjectACL, error) {
			acl, err := a.API.Objects.ACL(ctx, ref.Cluster, ref.Bucket, ref.Name)
			return acl, checkObjectGone(ctx, a, b, ref, err)
		}),
	})
	p.preview = ui.NewRowStore(a.Context, ui.RowSource[*preview.Preview]{
		Name: "first bytes",
		ID:   func(*preview.Preview) string { return ref.Name },
		Now:  a.Now,
		Fetch: account.SingleFetcher(func(ctx context.Context) (*preview.Preview, error) {
			first, err := fetchPreview(ctx, a, ref)
			return first, checkObjectGone(ctx, a, b, ref, err)
		}),
	})
	return p
}

// checkObjectGone returns the error of a read of an object: that the object, or its bucket, is gone, if the listing
// agrees.
func checkObjectGone(
	ctx context.Context, a *account.Account, b *client.Bucket, ref client.ObjectRef, err error,
) error {
	if !account.IsNotFound(err) {
		return err
	}
	switch _, there, again := a.API.Objects.Find(ctx, ref.Cluster, ref.Bucket, ref.Name); {
	case again != nil:
		return checkBucketGone(ctx, a, b, again)
	case there:
		return err
	}
	return account.GoneError(ref.ID(), "object "+client.Clean(ref.Name))
}

// fetchPreview reads the first bytes over a pre-signed URL.
func fetchPreview(ctx context.Context, a *account.Account, ref client.ObjectRef) (*preview.Preview, error) {
	data, kind, err := a.API.Objects.Peek(ctx, ref.Cluster, ref.Bucket, ref.Name, preview.Size)
	return preview.New(ref.Name, kind, data), err
}

// Name identifies the actions: "object.delete".
func (p *objectView) Name() string { return "object" }

// Crumb returns the object's name.
func (p *objectView) Crumb() string { return p.object.Name.String() }

// Freshness returns the age of the access.
func (p *objectView) Freshness() ui.Freshness { return p.acl.Freshness() }

// SkipsAutoRefresh reports true: an object rarely changes.
func (p *objectView) SkipsAutoRefresh() bool { return true }

// Refresh reads the access again, and the first bytes if they were read before.
func (p *objectView) Refresh() tea.Cmd {
	cmds := []tea.Cmd{p.acl.Refresh()}
	if p.preview.Loaded() {
		cmds = append(cmds, p.preview.Refresh())
	}
	return tea.Batch(cmds...)
}

// LoadMissing reads the access once.
func (p *objectView) LoadMissing() tea.Cmd { return p.acl.EnsureLoaded() }

// OnClose cancels the reading.
func (p *objectView) OnClose() {
	p.acl.Cancel()
	p.preview.Cancel()
}

// Update scrolls.
func (p *objectView) Update(msg tea.Msg) tea.Cmd { return p.scroll.Update(msg) }

// Actions are what can be done with the object.
func (p *objectView) Actions() []ui.Action {
	o, b, a := p.object, p.bucket, p.a
	open := func(makeForm func() form.Form) func() tea.Cmd {
		return func() tea.Cmd { return ui.Send(form.OpenFormMsg{Form: makeForm()}) }
	}
	acts := []ui.Action{
		{
			Key:         ui.Bind("preview", "enter"),
			Description: "its first 64 KiB, read over a pre-signed URL",
			ShowInHints: true,
			Do:          p.preview.Refresh,
		},
		{
			Key:            ui.Bind("link", "L"),
			ShowInHints:    true,
			Writes:         true,
			OpensView:      true,
			DisabledReason: a.MissingScope(client.OpCreateObjectURL),
			Do:             open(func() form.Form { return linkForm(a, b, o.Name.Raw()) }),
		},
		{
			Key:         ui.Bind("download", "w"),
			ShowInHints: true,
			OpensView:   true,
			Do:          open(func() form.Form { return downloadForm(a, b, o) }),
		},
		objectAccessAction(a, b, o.Name),
		{
			Key:            ui.Bind("move", "e"),
			Description:    "rename, move or copy it",
			Writes:         true,
			OpensView:      true,
			DisabledReason: a.MissingScope(client.OpUploadObject),
			Do:             func() tea.Cmd { return copyObject(a, b, o) },
		},
		{
			Key:            ui.Bind("delete", "D"),
			Writes:         true,
			OpensView:      true,
			DisabledReason: a.MissingScope(client.OpDeleteObject),
			Do:             p.delete,
		},
	}
	acts = append(acts, p.localActions()...)
	return append(acts, p.scroll.Actions()...)
}

// objectAccessAction returns the action that changes the access to an object.
func objectAccessAction(a *account.Account, b *client.Bucket, name client.ServerText) ui.Action {
	return ui.Action{
		Key:            ui.Bind("access", "c"),
		ShowInHints:    true,
		Writes:         true,
		OpensView:      true,
		DisabledReason: a.MissingScope(client.OpSetObjectACL),
		Do:             func() tea.Cmd { return readThenSetAccess(a, b, name) },
	}
}

// localActions only show or copy something.
func (p *objectView) localActions() []ui.Action {
	return []ui.Action{
		{
			Key:         ui.Bind("who can read it", "W"),
			Description: "its ACL, access keys and links",
			Do: func() tea.Cmd {
				return ui.Send(ui.OpenPaneMsg{Pane: objectReaders(p.a, p.bucket, p.object.Name)})
			},
		},
		{
			Key:            ui.Bind("ACL as XML", "x"),
			DisabledReason: account.ReasonIf(!p.acl.Loaded(), "the access has not been read yet"),
			Do:             p.toggleXML,
		},
		{
			Key: ui.Bind("copy name", "y"),
			Do:  func() tea.Cmd { return ui.Send(ui.CopyMsg{Text: p.object.Name.Raw(), Label: "object's name"}) },
		},
		linksAction(p.a),
		ui.GoUpAction(ui.ClosePane),
	}
}

// toggleXML shows or hides the XML of the ACL.
func (p *objectView) toggleXML() tea.Cmd {
	p.showXML = !p.showXML
	return nil
}

// delete asks, deletes the object and closes its pane.
func (p *objectView) delete() tea.Cmd {
	d := newDeletion(p.bucket, p.object)
	ask := d.ask(p.a.Now())
	ask.Items = nil
	ask.Confirm.Title = "Delete object"
	ask.Confirm.Effect = fmt.Sprintf(
		"This deletes object %s (%s) in %s for good.", p.object.Name, account.FormatSize(p.object.Size),
		bucketName(p.bucket),
	)
	return p.a.AskConsent(ask, func(c account.Consents) tea.Cmd {
		return tea.Batch(d.start(p.a, c), ui.ClosePane())
	})
}

// View shows the properties, the access and the first bytes.
func (p *objectView) View(b ui.Box) string {
	t := account.NewDetailWriter(b)
	t.Title(p.object.Name.String())
	t.Field("bucket", bucketName(p.bucket), theme.Muted)
	if err := p.acl.Freshness().Err; err != nil && p.acl.Loaded() {
		t.Paragraph(err.Error(), ui.ErrorTone(err))
	}
	writeObject(p.a, t, p.object)
	p.writeAccess(t)
	p.writePreview(t)
	return p.scroll.View(b, t.String())
}

// writeAccess writes the ACL.
func (p *objectView) writeAccess(t *account.DetailWriter) {
	acl, known := account.OnlyRow(p.acl)
	if !known {
		t.Field("access", account.LoadingOrError(p.acl.Freshness(), "reading"), theme.Muted)
		return
	}
	if acl.ACL == "" {
		t.Field("access", "unknown: the API does not report it", theme.Warn)
	} else {
		t.Field("access", fmt.Sprintf("%s  %s", acl.ACL, describeObjectACL(acl.ACL)), theme.Plain)
	}
	if p.showXML {
		t.Heading("ACL as XML")
		t.ServerText(acl.XML.Raw())
	}
}

// writePreview writes the first bytes, or how to get them.
func (p *objectView) writePreview(t *account.DetailWriter) {
	if got, known := account.OnlyRow(p.preview); known {
		shown := fmt.Sprintf("first %s", account.FormatSize(int64(got.Read)))
		if int64(got.Read) == p.object.Size {
			shown = "content"
		}
		t.Heading(shown + ui.WithPrefix(" · ", client.Clean(got.ContentType)) + ui.WithPrefix(" · ", got.Form))
		t.Rendered(p.renderPreview(got, t.Box))
		return
	}
	fresh := p.preview.Freshness()
	switch {
	case fresh.Err != nil:
		t.Heading("content")
		t.Paragraph(fresh.Err.Error()+" · press enter to retry", theme.Warn)
	case fresh.Loading:
		t.Heading("content")
		t.Paragraph("reading the first bytes", theme.Muted)
	default:
		shown := "the content"
		if p.object.Size > preview.Size {
			shown = "the first " + account.FormatSize(preview.Size)
		}
		t.Heading("enter shows " + shown)
	}
}

// renderPreview returns the preview. It renders it again only if something has changed.
func (p *objectView) renderPreview(got *preview.Preview, b ui.Box) string {
	if p.rendered.width != b.Width || p.rendered.theme != b.Theme || p.rendered.version != p.preview.Version() {
		text, _ := got.Render(b, 0)
		p.rendered = renderedPreview{b.Width, b.Theme, p.preview.Version(), text}
	}
	return p.rendered.text
}
