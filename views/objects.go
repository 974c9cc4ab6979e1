package views

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
)

// A place is where in a bucket a listing stands.
type place struct {
	bucket    *client.Bucket
	prefix    string // as the server has it
	delimiter string // "/" is the folder view, "" the flat one
}

// String is the place as a trail: "acme-backups  us-east-1 › db › 2026". What a prefix holds behind its last slash is no folder: "in…".
func (p place) String() string {
	trail := []string{bucketTrail(p.bucket)}
	folder := p.folder()
	if folder != "" {
		for part := range strings.SplitSeq(strings.TrimSuffix(folder, "/"), "/") {
			trail = append(trail, or(client.NewText(part).String(), "(empty)"))
		}
	}
	if beginning := p.prefix[len(folder):]; beginning != "" {
		trail = append(trail, client.NewText(beginning).String()+"…")
	}
	if p.delimiter == "" {
		trail = append(trail, "(flat)")
	}
	return strings.Join(trail, " › ")
}

// folder is the folder that is open: the prefix up to its last slash, "" for the bucket itself.
func (p place) folder() string { return p.prefix[:strings.LastIndexByte(p.prefix, '/')+1] }

// behind is what all names begin with and nobody needs to read.
func (p place) behind() string {
	if p.delimiter == "" {
		return ""
	}
	return p.folder()
}

// A listing is one folder of a bucket, read as far as somebody has looked.
type listing struct {
	a  *Account
	at place
	*ui.List[client.Object]
	summed struct {
		version, n int
		objects    int // of the n rows: the others are folders, whose sizes nobody tells
		bytes      int64
	}
	epoch int // of the set when the sum began
}

func (a *Account) objectsPane(b *client.Bucket, prefix, delimiter string) ui.Pane {
	l := &listing{a: a, at: place{b, prefix, delimiter}}
	set := ui.NewStore(a.ctx, ui.Source[client.Object]{Name: "objects", ID: func(o client.Object) string { return o.Name.Raw() }, Fetch: l.read, Lazy: true, PrefetchFrom: l.rest,
		Now: a.now, NewStorage: l.store})
	l.List = &ui.List[client.Object]{
		Title:         "objects",
		Store:         set,
		NoAutoRefresh: true,
		Breadcrumb:    l.at.String,
		Columns: []ui.Column[client.Object]{
			{Title: "name", Min: 20, Cell: l.nameCell, Less: func(o, p client.Object) bool { return o.Name.Raw() < p.Name.Raw() }},
			{Title: "size", Width: 10, AlignRight: true, FilterByNameOnly: true, Cell: sizeCell, Less: func(o, p client.Object) bool { return o.Size < p.Size }},
			{Title: "modified", Width: 16, AlignRight: true, FilterByNameOnly: true, DropPriority: 1, Cell: a.modifiedCell, Less: func(o, p client.Object) bool { return o.Modified.Time().Before(p.Modified.Time()) }},
		},
		Operations:  scoped(a, storageWrite, l.acts()),
		PaneActions: l.always,
		Detail:      l.detail,
		Footer:      l.foot,
		EmptyText:   l.empty(),
		CopyItems:   l.lines,
		Label:       func(o client.Object) string { return l.shown(o) },
	}
	a.listings = append(a.listings, l)
	return l
}

func (l *listing) empty() string {
	if l.at.prefix == "" {
		return "this bucket is empty · U uploads a file or a folder"
	}
	return "nothing begins with this prefix · esc goes up"
}

// OnClose ends the reading: the listing was taken off its stack.
func (l *listing) OnClose() {
	l.List.OnClose()
	l.a.listings = slices.DeleteFunc(l.a.listings, func(o *listing) bool { return o == l })
}

// query asks for the listing from a marker on.
func (l *listing) query(marker string) client.ObjectQuery {
	return client.ObjectQuery{Cluster: l.at.bucket.Cluster.Raw(), Bucket: l.at.bucket.Label.Raw(), Prefix: l.at.prefix, Delimiter: l.at.delimiter, Marker: marker}
}

// read is one page.
func (l *listing) read(ctx context.Context, marker string) (ui.RowPage[client.Object], error) {
	p, err := l.a.api.Objects.List(ctx, l.query(marker))
	if err != nil {
		return ui.RowPage[client.Object]{}, err
	}
	return l.page(p), nil
}

// rest is every page from a marker on, read ahead.
func (l *listing) rest(ctx context.Context, marker string) func() (ui.RowPage[client.Object], error) {
	return ui.Prefetch(ctx, func(yield func(ui.RowPage[client.Object], error) bool) {
		for p, err := range l.a.api.Objects.Pages(ctx, l.query(marker)) {
			if !yield(l.page(p), err) {
				return
			}
		}
	})
}

// page is an answer as rows. The entry that stands for the folder itself is left out.
func (l *listing) page(p client.ObjectPage) ui.RowPage[client.Object] {
	return ui.RowPage[client.Object]{Rows: slices.DeleteFunc(p.Data, l.marker), Next: p.NextMarker, Notes: p.Warnings}
}

// marker reports whether an entry is the empty object that stands for the folder that is listed.
func (l *listing) marker(o client.Object) bool {
	return o.Size == 0 && o.Name.Raw() == l.at.prefix && strings.HasSuffix(l.at.prefix, "/")
}

// folder reports whether an entry can be opened as a folder.
func (l *listing) folder(o client.Object) bool { return l.at.delimiter != "" && o.IsPrefix() }

// shown is an entry's name as it stands behind the prefix.
func (l *listing) shown(o client.Object) string {
	return client.NewText(strings.TrimPrefix(o.Name.Raw(), l.at.behind())).String()
}

func (l *listing) nameCell(o client.Object, _ ui.Box) (string, theme.Tone) {
	if l.folder(o) {
		return l.shown(o), theme.Accent
	}
	return l.shown(o), theme.Strong
}

func sizeCell(o client.Object, _ ui.Box) (string, theme.Tone) {
	if o.IsPrefix() {
		return "—", theme.Muted
	}
	if o.Size < 0 {
		return "unknown", theme.Warn
	}
	return size(o.Size), theme.Plain
}

func (a *Account) modifiedCell(o client.Object, _ ui.Box) (string, theme.Tone) {
	if !o.Modified.Valid() || o.Modified.IsZero() {
		return "—", theme.Muted
	}
	return o.Modified.Time().In(a.location).Format("2006-01-02 15:04"), theme.Muted
}

// onlyObject is why an act cannot be done with a folder.
func (l *listing) onlyObject(o client.Object) string {
	return because(l.folder(o), "for an object, not a folder")
}

func (l *listing) acts() []ui.Operation[client.Object] {
	return []ui.Operation[client.Object]{
		{Keys: []string{"enter", "l", "right"}, Name: "open", ShowInHints: true, OpenPane: l.open},
		{Keys: []string{"w"}, Name: "download", Description: "the object, what is marked, or a folder with all in it", ShowInHints: true, OpensView: true, BatchCmd: l.download},
		{Keys: []string{"L"}, Name: "link", Description: "a pre-signed URL: whoever has it needs no key", ShowInHints: true, DisabledReason: l.onlyObject,
			Form: func(rows []client.Object) ui.Form { return l.a.linkForm(l.at.bucket, rows[0].Name.Raw()) }},
		{Keys: []string{"c"}, Name: "access", Description: "the object's ACL", Writes: true, OpensView: true, DisabledReason: l.onlyObject,
			Form: func(rows []client.Object) ui.Form { return l.a.objectAccessForm(l.at.bucket, rows[0].Name) }},
		{Keys: []string{"D"}, Name: "delete", Description: "the object, what is marked, or a folder with all in it", Writes: true, OpensView: true, BatchCmd: l.delete},
	}
}

// open goes into a folder, or to an object.
func (l *listing) open(o client.Object) ui.Pane {
	if l.folder(o) {
		return l.a.objectsPane(l.at.bucket, o.Name.Raw(), l.at.delimiter)
	}
	return l.a.objectPane(l.at.bucket, o)
}

// always are the actions that need no row.
func (l *listing) always() []ui.Action {
	up := func() tea.Cmd { return ui.Send(ui.ClosePaneMsg{}) }
	view, delimiter := "flat view", ""
	if l.at.delimiter == "" {
		view, delimiter = "folder view", "/"
	}
	actions := []ui.Action{
		{Key: ui.Bind("upload", "U"), Group: "this list", Description: "a file, or a folder with all in it", Writes: true, OpensView: true, ShowInHints: true, Do: func() tea.Cmd { return ui.Send(ui.OpenFormMsg{Form: l.uploadForm()}) }},
		{Key: ui.Bind("prefix", "P"), Group: "this list", Description: "ask the server for names that begin with a text", OpensView: true, ShowInHints: true, Do: func() tea.Cmd { return ui.Send(ui.OpenFormMsg{Form: l.prefixForm()}) }},
		{Key: ui.Bind(view, "F"), Group: "this list", OpensView: true, Do: func() tea.Cmd {
			return ui.Send(ui.OpenPaneMsg{Pane: l.a.objectsPane(l.at.bucket, l.at.prefix, delimiter)})
		}},
		{Key: ui.Bind("new folder", "n"), Group: "this list", Writes: true, OpensView: true, Do: func() tea.Cmd { return ui.Send(ui.OpenFormMsg{Form: l.folderForm()}) }},
		l.a.linksAction(),
		{Key: ui.Bind("up", "h", "left", "backspace"), Group: "move", Do: up},
	}
	return l.a.scopedActions(storageWrite, actions...)
}

// prefixForm asks for the beginning of names.
func (l *listing) prefixForm() ui.Form {
	prefix := l.at.prefix
	return ui.Form{Title: "Names that begin with", SubmitLabel: "list", ProgressText: "listing",
		EnterSubmits: ui.AlwaysSubmit,
		Text:         "The server looks for them: this finds what has not been loaded.",
		Fields:       []ui.Field{ui.Text("prefix", "Prefix", &prefix)},
		Send: func(context.Context) (func() tea.Cmd, error) {
			return func() tea.Cmd {
				return ui.Send(ui.OpenPaneMsg{Pane: l.a.objectsPane(l.at.bucket, prefix, l.at.delimiter)})
			}, nil
		}}
}

func (l *listing) detail(o client.Object, b ui.Box) string {
	t := newSheet(b)
	t.title(l.shown(o))
	t.line("in", l.at.String(), theme.Muted)
	if l.folder(o) {
		t.say("a folder: all names that begin with it", theme.Muted)
		t.say("enter opens it · w downloads it · D deletes it, counted first", theme.Muted)
		return t.String()
	}
	l.a.objectLines(t, o)
	t.say("enter shows access and the first bytes", theme.Muted)
	return t.String()
}

// objectLines are an object's properties.
func (a *Account) objectLines(t *sheet, o client.Object) {
	switch {
	case o.Size < 0:
		t.line("size", "unknown: the listing tells none", theme.Warn)
	case o.Size < 1024:
		t.line("size", size(o.Size), theme.Plain)
	default:
		t.line("size", fmt.Sprintf("%s (%s bytes)", size(o.Size), grouped(o.Size)), theme.Plain)
	}
	t.line("modified", a.inFull(o.Modified), theme.Plain)
	t.line("etag", or(o.ETag.String(), "none"), theme.Muted)
	t.line("owner", or(o.Owner.String(), "not told"), theme.Muted)
}

// inFull is a server's stamp in full on the reader's clock: "2025-10-17 11:46:03 UTC".
func (a *Account) inFull(t client.Time) string {
	switch {
	case !t.Valid():
		return "?"
	case t.IsZero():
		return "not told"
	}
	return t.Time().In(a.location).Format("2006-01-02 15:04:05 MST")
}

// foot says how much of the listing has been read: "3 000 shown, more exist · 412 MiB here". The sum is of objects alone.
func (l *listing) foot(set *ui.Store[client.Object], b ui.Box) string {
	l.sum(set)
	shown, bytes, here := grouped(int64(set.Len())), "", ""
	if l.summed.objects > 0 {
		bytes, here = " · "+size(l.summed.bytes), " here"
	}
	text := shown + " shown" + bytes
	switch {
	case set.LoadingAll():
		text = "reading on: " + shown + " so far" + bytes + " · esc stops"
	case !set.Complete():
		text = shown + " shown, more exist" + bytes + here + " · G reads to the end"
	}
	return b.Theme.Paint(theme.Muted, ui.Truncate(text, b.Width, b.Theme.Glyphs.Ellipsis))
}

// sum adds the sizes of what has come since the last frame. Rows that were replaced or dropped are summed anew.
func (l *listing) sum(set *ui.Store[client.Object]) {
	s := &l.summed
	if s.version == set.Version() {
		return
	}
	if set.Epoch() != l.epoch {
		s.n, s.objects, s.bytes, l.epoch = 0, 0, 0, set.Epoch()
	}
	for ; s.n < set.Len(); s.n++ {
		if o := set.At(s.n); !l.folder(o) {
			s.objects, s.bytes = s.objects+1, s.bytes+max(0, o.Size)
		}
	}
	s.version = set.Version()
}
