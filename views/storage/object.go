package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/client/objectnames"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/views/operation"
	"lookout/views/storage/preview"
)

// objectView is the pane of one object: its properties, its access and its first bytes.
type objectView struct {
	a        *account.Account
	bucket   *client.Bucket
	listed   *client.Object
	acl      *lists.RowStore[*objectRead[*client.ObjectACL]]
	preview  *lists.RowStore[*objectRead[*preview.Preview]]
	rereadAt time.Time // when a part was last read again because the other one was of another version
	showXML  bool      // the ACL's XML is shown
	scroll   ui.Viewport
	rendered renderedPreview
}

// An objectRead is what was read about an object, and the version of the object at that time.
type objectRead[T any] struct {
	object *client.Object // nil if the listing could not be read
	value  T
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
	p := &objectView{a: a, bucket: b, listed: o}
	ref := b.Object(o.Name.Raw())
	p.acl = objectStore(p, "access", func(ctx context.Context, _ *client.Object) (*client.ObjectACL, error) {
		return a.API.Objects.ACL(ctx, ref.Cluster, ref.Bucket, ref.Name)
	})
	p.preview = objectStore(p, "first bytes", func(ctx context.Context, now *client.Object) (*preview.Preview, error) {
		if now == nil {
			return fetchPreview(ctx, a, ref, o.ETag)
		}
		return fetchPreview(ctx, a, ref, now.ETag)
	})
	return p
}

// objectStore returns the store of what is read about the object of a pane: its ACL or its first bytes. It reads the
// object's entry in the listing first, since the object may have been replaced.
func objectStore[T any](
	p *objectView, name string, read func(context.Context, *client.Object) (T, error),
) *lists.RowStore[*objectRead[T]] {
	a, ref := p.a, p.bucket.Object(p.listed.Name.Raw())
	return lists.NewRowStore(a.Context, a, lists.RowSource[*objectRead[T]]{
		Name: name,
		ID:   func(*objectRead[T]) string { return ref.Name },
		Now:  a.Now,
		Fetch: account.SingleFetcher(func(ctx context.Context) (*objectRead[T], error) {
			var listed *client.Object
			if now, there, err := a.API.Objects.Find(ctx, ref.Cluster, ref.Bucket, ref.Name); err == nil && there {
				listed = &now
			}
			value, err := read(ctx, listed)
			return &objectRead[T]{object: listed, value: value}, checkObjectGone(ctx, a, p.bucket, ref, err)
		}),
	})
}

// object returns the object as it was read last.
func (p *objectView) object() *client.Object {
	acl, first := p.versions()
	switch {
	case acl == nil && first == nil:
		return p.listed
	case acl == nil || first != nil && !p.preview.Freshness().LoadedAt.Before(p.acl.Freshness().LoadedAt):
		return first
	}
	return acl
}

// versions returns the objects that the ACL and the first bytes were read of, as far as they were.
func (p *objectView) versions() (acl, first *client.Object) {
	if row, known := account.OnlyRow(p.acl); known {
		acl = row.object
	}
	if row, known := account.OnlyRow(p.preview); known {
		first = row.object
	}
	return acl, first
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

// fetchPreview reads the first bytes of a version of an object over a pre-signed URL.
func fetchPreview(
	ctx context.Context, a *account.Account, ref client.ObjectRef, version client.ETag,
) (*preview.Preview, error) {
	data, kind, err := a.API.Objects.Peek(ctx, ref.Cluster, ref.Bucket, ref.Name, version.Raw(), preview.Size)
	if errors.Is(err, client.ErrObjectChanged) {
		err = fmt.Errorf("%w; press r to reload", err)
	}
	return preview.New(ref.Name, kind, data), err
}

// Name identifies the actions: "object.delete".
func (p *objectView) Name() string { return "object" }

// Info returns the age of the access. The clock does not read it again: an object rarely changes.
func (p *objectView) Info() ui.Info {
	return ui.Info{Crumb: p.listed.Name.String(), Freshness: p.acl.Freshness(), ReadOnRequest: true}
}

// Refresh reads the access again, and the first bytes if they were read before.
func (p *objectView) Refresh() {
	p.acl.Refresh()
	if p.preview.Loaded() {
		p.preview.Refresh()
	}
}

// rereadInterval is the time between two attempts to read both parts of one version: replicas may go on disagreeing.
const rereadInterval = time.Minute

// LoadMissing reads the access once, and what was read of another version of the object again.
func (p *objectView) LoadMissing() {
	acl, first := p.versions()
	if acl == nil || first == nil || isSameVersion(acl, first) || p.acl.Freshness().Loading ||
		p.preview.Freshness().Loading || p.a.Now().Sub(p.rereadAt) < rereadInterval {
		p.acl.EnsureLoaded()
		return
	}
	p.rereadAt = p.a.Now()
	if p.object() == acl {
		p.preview.Refresh()
	} else {
		p.acl.Refresh()
	}
}

// isSameVersion reports whether two entries of a listing are those of one version of an object.
func isSameVersion(a, b *client.Object) bool {
	return a.ETag == b.ETag && a.Size == b.Size && a.Modified.Time().Equal(b.Modified.Time())
}

// OnClose cancels the reading.
func (p *objectView) OnClose() {
	p.acl.Cancel()
	p.preview.Cancel()
}

// Update scrolls.
func (p *objectView) Update(msg tea.Msg) tea.Cmd { return p.scroll.Update(msg) }

// Actions are what can be done with the object.
func (p *objectView) Actions() []ui.Action {
	o, b, a := p.object(), p.bucket, p.a
	open := func(makeForm func() form.Form) func() tea.Cmd {
		return func() tea.Cmd { return ui.Send(form.OpenFormMsg{Form: makeForm()}) }
	}
	acts := []ui.Action{
		{
			Key:         ui.Bind("preview", "enter"),
			Description: "its first 64 KiB, read over a pre-signed URL",
			ShowInHints: true,
			Do:          func() tea.Cmd { p.preview.Refresh(); return nil },
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
				return ui.Send(ui.OpenPaneMsg{Pane: objectReaders(p.a, p.bucket, p.listed.Name)})
			},
		},
		{
			Key:            ui.Bind("ACL as XML", "x"),
			DisabledReason: wording.If(!p.acl.Loaded(), "the access has not been read yet"),
			Do:             func() tea.Cmd { p.showXML = !p.showXML; return nil },
		},
		{
			Key: ui.Bind("copy name", "y"),
			Do:  func() tea.Cmd { return ui.Send(ui.CopyMsg{Text: p.listed.Name.Raw(), Label: "object's name"}) },
		},
		linksAction(p.a),
		ui.GoUpAction(ui.ClosePane),
	}
}

// delete asks, deletes the object and closes its pane.
func (p *objectView) delete() tea.Cmd {
	o, names := p.object(), objectnames.NewSortedNamesBuilder(p.bucket.ID())
	names.Add(objectnames.ObjectEntry{Name: o.Name.Raw(), Size: o.Size})
	d := deletion{bucket: p.bucket, names: names.List(), single: *o}
	ask := d.ask(p.a.Now())
	ask.Items = nil
	ask.Confirm.Title = "Delete object"
	ask.Confirm.Effect = fmt.Sprintf(
		"This deletes object %s (%s) in %s for good.", p.listed.Name, operation.FormatSize(o.Size),
		bucketName(p.bucket),
	)
	return operation.AskConsent(p.a, ask, func(c account.Consents) tea.Cmd {
		return tea.Batch(d.start(p.a, c), ui.ClosePane())
	})
}

// View shows the properties, the access and the first bytes.
func (p *objectView) View(b ui.Box) string {
	t := operation.NewDetailWriter(b)
	t.Title(p.listed.Name.String())
	t.Field("bucket", bucketName(p.bucket), theme.Muted)
	if err := p.acl.Freshness().Err; err != nil && p.acl.Loaded() {
		t.Paragraph(err.Error(), ui.ErrorTone(err))
	}
	writeObject(p.a, t, p.object())
	if !isSameVersion(p.listed, p.object()) {
		t.Paragraph("it was replaced after it was listed: this is the new one", theme.Warn)
	}
	p.writeAccess(t)
	p.writePreview(t)
	return p.scroll.View(b, t.String())
}

// writeAccess writes the ACL.
func (p *objectView) writeAccess(t *operation.DetailWriter) {
	row, known := account.OnlyRow(p.acl)
	if !known {
		t.Field("access", operation.LoadingOrError(p.acl.Freshness(), "reading"), theme.Muted)
		return
	}
	acl := row.value
	if acl.ACL == "" {
		t.Field("access", "unknown: the API does not report it", theme.Warn)
	} else {
		t.Field("access", fmt.Sprintf("%s  (%s)", acl.ACL, acl.ACL.OnObject()), theme.Plain)
	}
	if p.showXML {
		t.Heading("ACL as XML")
		t.ServerText(acl.XML.Raw())
	}
}

// writePreview writes the first bytes, or how to get them.
func (p *objectView) writePreview(t *operation.DetailWriter) {
	if row, known := account.OnlyRow(p.preview); known {
		got := row.value
		shown := fmt.Sprintf("first %s", operation.FormatSize(int64(got.Read)))
		if int64(got.Read) == p.object().Size {
			shown = "content"
		}
		t.Heading(
			shown + wording.WithPrefix(" · ", client.Clean(got.ContentType)) + wording.WithPrefix(" · ", got.Form),
		)
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
		if p.object().Size > preview.Size {
			shown = "the first " + operation.FormatSize(preview.Size)
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
