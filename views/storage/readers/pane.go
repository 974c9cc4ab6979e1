package readers

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/join"
	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/operation"
	"lookout/views/resource"
)

// view is the pane that shows who can read a bucket, or an object of it.
type view struct {
	a       *account.Account
	bucket  *client.Bucket
	object  client.ObjectRef // without a name for the bucket itself
	actions func() []ui.Action
	access  *lists.RowStore[*Access]
	opened  bool
	change  string // the newest change of what it shows, when it was read
	scroll  ui.Viewport
}

// Pane returns the pane that shows who can read a bucket, or the object of a name. actions change the access.
func Pane(a *account.Account, b *client.Bucket, name string, actions func() []ui.Action) ui.Pane {
	p := &view{a: a, bucket: b, object: b.Object(name), actions: actions}
	p.access = lists.NewRowStore(a.Context, a, lists.RowSource[*Access]{
		Name: "access",
		ID:   func(*Access) string { return p.object.ID() },
		Now:  a.Now,
		Fetch: account.SingleFetcher(func(ctx context.Context) (*Access, error) {
			return Read(ctx, a.API, a.Journal, p.object, a.Now()), nil
		}),
	})
	p.change = p.newestChange()
	return p
}

// Name identifies the actions: "readers.access".
func (p *view) Name() string { return "readers" }

// Info returns the age of the access.
func (p *view) Info() ui.Info {
	return ui.Info{Crumb: "who can read " + p.title(), Freshness: p.access.Freshness()}
}

// title names the bucket or the object.
func (p *view) title() string {
	if p.object.Name == "" {
		return client.Clean(p.bucket.ID())
	}
	return client.Clean(p.object.Name)
}

// Refresh reads the access and the keys again.
func (p *view) Refresh() {
	p.opened = true
	p.access.Refresh()
	p.a.Keys().Refresh()
}

// LoadMissing reads everything once, and the access again after each change of it.
func (p *view) LoadMissing() {
	if !p.opened { // keys that were read long ago do not tell who can read it now
		p.Refresh()
		return
	}
	p.a.Keys().EnsureLoaded()
	p.a.LoadChanges()
	if now := p.newestChange(); now != p.change {
		p.change = now
		p.access.Refresh()
	}
}

// newestChange identifies the newest change of the access, with its outcome.
func (p *view) newestChange() string {
	id := client.BucketID(p.object.Cluster, p.object.Bucket)
	return account.Memo(p.a, "latest change to access to "+id, func() string {
		for _, e := range p.a.JournalStore().Rows() {
			switch e.Change.Op {
			case client.OpUpdateBucketAccess, client.OpReplaceBucketAccess, client.OpSetObjectACL,
				client.OpCreateObjectURL, client.OpCreateDownloadURL:
				if e.Change.ID == id || strings.HasPrefix(e.Change.ID, id+"/") {
					return e.ID + string(e.Outcome)
				}
			}
		}
		return ""
	}, p.a.JournalStore())
}

// OnClose cancels the reading.
func (p *view) OnClose() { p.access.Cancel() }

// Update scrolls.
func (p *view) Update(msg tea.Msg) tea.Cmd { return p.scroll.Update(msg) }

// Actions change the access, and go to the keys.
func (p *view) Actions() []ui.Action {
	keys := operation.References(p.keys(), func(r *Grant) operation.LinkedRow {
		return operation.LinkedRow{
			Kind:  "key",
			Label: client.Clean(r.Name),
			Pane:  "keys",
			ID:    account.FormatID(r.KeyID),
		}
	})
	acts := append(p.actions(), ui.Action{
		Key:            ui.Bind("go to a key", "f"),
		Description:    "ctrl+o returns",
		DisabledReason: operation.WhyNone(keys, "no access key reaches it"),
		Do:             func() tea.Cmd { return ui.Send(operation.ReferenceMenu(join.Found(keys), nil)) },
	}, ui.GoUpAction(ui.ClosePane))
	return append(acts, p.scroll.Actions()...)
}

// keys returns the keys that reach the bucket.
func (p *view) keys() join.Joined[*Grant] {
	return join.Derive(account.AllRows(p.a, p.a.Keys()), func(all []*client.AccessKey) []*Grant {
		return account.Memo(p.a, "keys that reach "+p.bucket.ID(), func() []*Grant {
			return Keys(all, p.bucket.ID(), p.bucket.Region.Raw())
		}, p.a.Keys())
	})
}

// View shows whether it is public, the ACLs, the keys and the links.
func (p *view) View(b ui.Box) string {
	t := operation.NewDetailWriter(b)
	t.Title("Who can read " + p.title())
	if p.object.Name != "" {
		t.Field("in", client.Clean(p.bucket.ID()), theme.Muted)
	}
	access, known := account.OnlyRow(p.access)
	if !known {
		t.Field("access", operation.LoadingOrError(p.access.Freshness(), "reading"), theme.Muted)
	} else {
		p.writeACLs(t, access)
	}
	t.Field("policies", PolicyNote, theme.Muted)
	t.Heading("access keys that reach the bucket")
	keys := p.keys()
	names := 0
	for _, r := range join.Found(keys) {
		names = max(names, ui.Width(keyName(r)))
	}
	names = min(names, t.Box.Width/3)
	resource.List(t, keys, func(r *Grant) { writeKey(t, r, names) }, "no access key reaches it")
	if known {
		t.Heading("links that are still valid")
		writeLinks(t, access.Links)
	}
	return p.scroll.View(b, t.String())
}

// writeACLs says whether it is public, and shows the ACLs and the CORS setting.
func (p *view) writeACLs(t *operation.DetailWriter, access *Access) {
	acls := access.ACLs(p.object)
	text, tone := verdict(acls, t.Box.Theme.Glyphs)
	t.Blank()
	t.Paragraph(text, tone)
	t.Blank()
	labels := map[GrantKind]string{BucketACL: "bucket's ACL", ObjectACL: "object's ACL", CORS: "CORS"}
	for _, r := range acls {
		tone := theme.Plain
		switch public, known := r.Public.Value(); {
		case !known || r.Access == account.UnknownText:
			tone = theme.Warn
		case public:
			tone = theme.Bad
		}
		t.Field(labels[r.Kind], client.Clean(r.Access)+": "+r.Note, tone)
	}
}

// verdict says whether people without a key or a link can read it, as far as the ACLs show.
func verdict(acls []*Grant, g theme.Glyphs) (string, theme.Tone) {
	text, tone := g.OK+" Not public, as far as the ACL shows", theme.Good
	for _, r := range acls {
		switch public, known := r.Public.Value(); {
		case public && r.Kind == acls[0].Kind:
			return fmt.Sprintf("%s PUBLIC: %s", g.Problem, r.Note), theme.Bad
		case public:
			return fmt.Sprintf("%s PUBLIC, through its bucket: %s", g.Problem, r.Note), theme.Bad
		case !known:
			text, tone = g.Unknown+" Unknown whether it is public", theme.Warn
		}
	}
	return text, tone
}

// keyName returns the label of a key with its id.
func keyName(r *Grant) string { return fmt.Sprintf("%s (%d)", client.Clean(r.Name), r.KeyID) }

// writeKey writes how a key reaches the bucket. width is that of the names.
func writeKey(t *operation.DetailWriter, r *Grant, width int) {
	tone := theme.Plain
	if r.rank > 0 {
		tone = theme.Warn
	}
	access := account.FormatPermission(client.NewText(r.Access))
	text := fmt.Sprintf("%s  %s · %s", ui.Pad(keyName(r), width), access, r.Note)
	if r.Regions != nil {
		text += " · works in " + client.Clean(account.JoinWithCommas(r.Regions))
	}
	t.Paragraph(text, tone)
}

// writeLinks writes the links that this machine's journal shows.
func writeLinks(t *operation.DetailWriter, links []*Grant) {
	valid := 0
	for _, r := range links {
		end, _ := r.Expires.Value()
		if left := end.Sub(t.Box.Now); left > 0 {
			valid++
			text := fmt.Sprintf(
				"%s %s  expires in %s", client.Clean(r.Access), client.Clean(r.Name), wording.FormatAge(left),
			)
			t.Paragraph(text, theme.Plain)
		}
	}
	if valid == 0 {
		t.Paragraph("no link created on this machine is still valid", theme.Muted)
	}
	t.Paragraph(linksNote, theme.Muted)
}
