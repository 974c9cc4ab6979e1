package storage

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/client/objectindex"
	"lookout/client/wording"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
	"lookout/views/resource"
)

// bucketPath is what a listing shows of a bucket.
type bucketPath struct {
	bucket    *client.Bucket
	prefix    string // what the names begin with, raw
	delimiter string // "/" is the folder view, "" the flat one
}

// String returns the path as a breadcrumb: "acme-backups us-east-1 › db › 2026". The part of a prefix after its last
// slash is not a folder: "in…".
func (p bucketPath) String() string {
	trail := []string{bucketBreadcrumb(p.bucket)}
	folder := p.openFolder()
	if folder != "" {
		for part := range strings.SplitSeq(strings.TrimSuffix(folder, "/"), "/") {
			trail = append(trail, cmp.Or(client.NewText(part).String(), "(empty)"))
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

// openFolder returns the prefix up to its last slash, "" for the bucket itself.
func (p bucketPath) openFolder() string { return p.prefix[:strings.LastIndexByte(p.prefix, '/')+1] }

// hiddenPrefix returns the part of all names that the listing leaves out.
func (p bucketPath) hiddenPrefix() string {
	if p.delimiter == "" {
		return ""
	}
	return p.openFolder()
}

// objectListing is the pane of one folder of a bucket. It reads only as far as the user scrolls.
type objectListing struct {
	a    *account.Account
	path bucketPath
	*table.List[*client.Object]
	totals struct {
		version, n int
		objects    int // among the n rows; the others are folders, which have no size
		bytes      int64
	}
	totalsEpoch int // of the store when the sum began
	sizes       listingSizes
	sizesShown  bool // the columns of the sums are there
	keepTop     bool // the cursor stays on the largest entry
	topRow      string
	readForSort bool // all entries are read, because they are sorted by size
	preview     *previewColumn
	parent      parentColumn
	plan        atomic.Pointer[objectindex.ListingPlan] // that the cursors of the store are of
	isOtherView bool                                    // it was opened to see the listing below it in another way
}

// ObjectsPane returns the pane of the objects of a bucket whose names begin with a prefix. With the delimiter "/" it
// shows folders, with "" all names.
func ObjectsPane(a *account.Account, b *client.Bucket, prefix, delimiter string) ui.Pane {
	return newObjectListing(a, bucketPath{b, prefix, delimiter})
}

// OpenablePanes returns one empty pane of each kind that opens from the buckets.
func OpenablePanes(a *account.Account) []ui.Pane {
	b, o := &client.Bucket{}, &client.Object{}
	return []ui.Pane{
		ObjectsPane(a, b, "", "/"),
		objectPane(a, b, o),
		bucketReaders(a, b),
		objectReaders(a, b, o.Name),
		certificatePane(a, b),
		LinksPane(a),
		&linkView{a: a, link: &account.PresignedLink{}},
	}
}

// largeLoad is the number of rows after which memory is worth being returned to the operating system.
const largeLoad = 20_000

// newObjectListing returns the pane of the objects below a path.
func newObjectListing(a *account.Account, path bucketPath) *objectListing {
	l := &objectListing{a: a, path: path}
	l.preview, l.parent.listing = newPreviewColumn(l), l
	l.sizes = listingSizes{sizesOf(a, path.bucket.Object("")), path.prefix}
	set := lists.NewRowStore(a.Context, a, lists.RowSource[*client.Object]{
		Name:  "objects",
		ID:    func(o *client.Object) string { return o.Name.Raw() },
		Fetch: l.fetchPage,
		Lazy:  true,
		ReadToEnd: func(n int) {
			if n > largeLoad && a.OnLargeLoad != nil {
				a.Go(func() (apply func()) { a.OnLargeLoad(); return nil })
			}
		},
		PrefetchFrom: l.prefetchFrom,
		Now:          a.Now,
		NewStorage:   l.newStorage,
	})
	order := ""
	if path.delimiter != "" {
		order = "name" // folders stand before objects
	}
	l.List = &table.List[*client.Object]{
		Title:        "objects",
		SortBy:       order,
		Store:        set,
		JoinedStores: table.JoinedStores{l.sizes, l.a.JournalStore()},
		AutoRefresh:  table.AutoRefreshOptions{Disabled: true},
		Breadcrumb:   l.path.String,
		Columns:      objectResource(l).PaneColumns(),
		RowActions:   l.operations(),
		PaneActions:  l.listActions,
		Detail:       l.detail,
		Footer:       l.foot,
		EmptyText:    l.emptyText(),
		CopyItems:    l.copyItems,
		Label:        func(o *client.Object) string { return l.displayName(o) },
	}
	l.WithParentRow(table.ParentRow{Open: func() tea.Cmd { return goUp(l) }, Detail: l.path.parentDetail})
	l.WithParentColumn(l.parent.width, l.parent.view)
	a.OpenListings = append(a.OpenListings, l.Store)
	if row := lastRows(a)[l.placeID()]; row != "" {
		l.RestoreState(ui.PaneState{Row: row, SortBy: l.SortBy})
	}
	sizes := sizesView{l}
	sizes.showSizes()
	if l.sizesShown && l.sizes.bySize {
		sizes.sortBySize(true)
	}
	return l
}

// Objects declares objects: the document's "Object". Their operations are written by hand: they are transfers.
func Objects(a *account.Account) resource.Resource[*client.Object] {
	return objectResource(&objectListing{a: a})
}

// objectResource declares the objects of a listing.
func objectResource(l *objectListing) resource.Resource[*client.Object] {
	return resource.Resource[*client.Object]{
		Name:        "objects",
		Singular:    "object",
		Description: "Objects in a bucket: list, download, upload, remove, make links",
		Examples: []string{
			"objects list us-east-1/acme-backups db/",
			"objects list us-east-1/acme-backups -r --filter 'last_modified:<2d' --columns name --no-headers",
			"objects list us-east-1/acme-backups -r -o ndjson --jq 'select(.size > 1e9) | .name'",
			"objects du us-east-1/acme-backups",
			"objects du us-east-1/acme-backups db/ -d 2 --sort -size --limit 10",
			"objects put us-east-1/acme-backups new.txt ./notes.txt",
			"objects put us-east-1/acme-backups site/ docs -r",
			"objects get us-east-1/acme-backups new.txt -",
			"objects get us-east-1/acme-backups site/ copy -r",
			"objects get us-east-1/acme-backups 'site/*.html' pages",
			"objects acl us-east-1/acme-backups new.txt",
			"objects readers us-east-1/acme-backups new.txt",
			"objects link us-east-1/acme-backups new.txt --for 1h",
			"objects sync ./docs us-east-1/acme-backups/site --dry-run",
			"objects sync us-east-1/acme-backups/site ./copy --force",
			"objects cp us-east-1/acme-backups/README.txt us-east-1/acme-www/",
			"objects mv us-east-1/acme-www/README.txt us-east-1/acme-www/OLD.txt",
			"objects cp us-east-1/acme-backups/site eu-central-1/media/site -r",
			"objects rclone us-east-1/acme-backups --profile acme.rclone.conf",
			"objects rm us-east-1/acme-backups new.txt --yes",
			"objects rm us-east-1/acme-backups 'site/*' -r --yes",
		},
		Calls:         resource.APICalls{List: "list objects", Get: "view object ACL", Change: client.OpSetObjectACL},
		Columns:       objectColumns(l),
		PaneOrder:     []string{"name", "size", "last_modified"},
		ListArguments: "CLUSTER/BUCKET [PREFIX]",
		ListFlags: []resource.ListFlag{
			{Name: "recursive", Short: "r", Usage: "include objects inside folders", Bool: true},
		},
		List: func(ctx context.Context, q resource.ListQuery) iter.Seq2[*client.Object, error] {
			return listObjects(ctx, l.a, q)
		},
	}
}

// objectColumns returns the columns of objects.
func objectColumns(l *objectListing) []resource.ColumnDefinition[*client.Object] {
	type row = *client.Object
	sizes := sizesView{l}
	modified := func(o row) string { return resource.TimeValue(o.Modified) }
	size := resource.NewColumn("size", objectSizeValue, sizes.sizeCell).Width(10).AlignRight().FilterByName().
		LargestFirst().FilteredBy(sizes.sizeValue).SortedBy(func(o, p row) bool { return o.Size < p.Size })
	size.Bytes = true
	columns := []resource.ColumnDefinition[row]{
		resource.NewColumn("last_modified", modified, l.modifiedCell).Titled("modified").Width(16).AlignRight().
			Drop(3, 1).FilterByName().
			SortedBy(func(o, p row) bool { return o.Modified.Time().Before(p.Modified.Time()) }),
		size,
		resource.NewColumn("name", func(o row) string { return o.Name.Raw() }, l.nameCell).MinWidth(20).Label().
			SortedBy(func(o, p row) bool { return o.Name.Raw() < p.Name.Raw() }),
		resource.DetailColumn("etag", func(o row) string { return o.ETag.Raw() }),
		resource.DetailColumn("owner", func(o row) string { return o.Owner.Raw() }),
	}
	return append(columns, sizes.columns()...)
}

// objectSizeValue returns the bytes of an object, for scripts; folders have none.
func objectSizeValue(o *client.Object) string {
	if o.IsPrefix() || o.Size < 0 {
		return ""
	}
	return strconv.FormatInt(o.Size, 10)
}

// listObjects iterates over the objects of a bucket for a script, page by page.
func listObjects(ctx context.Context, a *account.Account, q resource.ListQuery) iter.Seq2[*client.Object, error] {
	return func(yield func(*client.Object, error) bool) {
		cluster, bucket, err := ParseBucketID(q["CLUSTER/BUCKET"])
		if err != nil {
			yield(nil, err)
			return
		}
		ask := client.ObjectQuery{Cluster: cluster, Bucket: bucket, Prefix: q["PREFIX"], Delimiter: "/"}
		if recursive, _ := strconv.ParseBool(q["recursive"]); recursive {
			ask.Delimiter = ""
		}
		for page, err := range a.API.Objects.Pages(ctx, ask) {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, o := range page.Rows() {
				if !yield(o, nil) {
					return
				}
			}
			if page.Incomplete != "" {
				yield(nil, fmt.Errorf("list objects: the listing is %s; rows are missing", page.Incomplete))
				return
			}
		}
	}
}

// lastRows returns the rows that cursors were on, by the listings that were closed in this run.
func lastRows(a *account.Account) map[string]string {
	return *account.Shared(a, "last rows of listings", func() *map[string]string { return &map[string]string{} })
}

// maxLastRows is the number of listings whose cursors are kept.
const maxLastRows = 10_000

// placeID names the listing among all others.
func (l *objectListing) placeID() string {
	return l.path.bucket.Object(l.path.prefix).ID() + "\x00" + l.path.delimiter
}

// OnClose cancels the reading and keeps where the cursor is.
func (l *objectListing) OnClose() {
	l.List.OnClose()
	l.preview.cancel()
	rows := lastRows(l.a)
	if len(rows) >= maxLastRows {
		clear(rows)
	}
	rows[l.placeID()] = l.SaveState().Row
	own := func(o ui.Refresher) bool { return o == ui.Refresher(l.Store) }
	l.a.OpenListings = slices.DeleteFunc(l.a.OpenListings, own)
}

// query returns the query for the listing from a marker on.
func (l *objectListing) query(marker string) client.ObjectQuery {
	return client.ObjectQuery{
		Cluster:   l.path.bucket.Location().Raw(),
		Bucket:    l.path.bucket.Label.Raw(),
		Prefix:    l.path.prefix,
		Delimiter: l.path.delimiter,
		Marker:    marker,
	}
}

// fetchPage reads one page.
func (l *objectListing) fetchPage(ctx context.Context, marker string) (lists.RowPage[*client.Object], error) {
	if plan := l.plan.Load(); plan.Owns(marker) {
		p, err := plan.List(ctx, marker)
		return l.toPlanPage(p), checkBucketGone(ctx, l.a, l.path.bucket, err)
	}
	p, err := l.a.API.Objects.List(ctx, l.query(marker))
	return l.toPage(p), checkBucketGone(ctx, l.a, l.path.bucket, err)
}

const (
	maxRowsBeforePlan  = 5_000 // more are not read again for a plan, which begins with the first name
	maxPagesBeforePlan = 4     // that are read before a plan pays
)

// prefetchFrom reads every page from a marker on, ahead of what is asked for. A flat listing that goes on is read in
// parts, side by side.
func (l *objectListing) prefetchFrom(
	ctx context.Context, marker string, rowsBefore int,
) func() (lists.RowPage[*client.Object], error) {
	mayPlan := l.path.delimiter == "" && rowsBefore <= maxRowsBeforePlan
	return lists.Prefetch(ctx, func(yield func(lists.RowPage[*client.Object], error) bool) {
		plan, from := l.plan.Load(), marker
		if !plan.Owns(marker) {
			if plan = l.readBeforePlan(ctx, marker, mayPlan, yield); plan == nil {
				return
			}
			from = ""
		}
		for p, err := range plan.Pages(ctx, from) {
			if !yield(l.toPlanPage(p), checkBucketGone(ctx, l.a, l.path.bucket, err)) {
				return
			}
		}
	})
}

// readBeforePlan reads pages one after another until there is a plan for the rest, which it returns; nil at the end of
// the listing.
func (l *objectListing) readBeforePlan(
	ctx context.Context, marker string, mayPlan bool, yield func(lists.RowPage[*client.Object], error) bool,
) *objectindex.ListingPlan {
	pages := 0
	for p, err := range l.a.API.Objects.Pages(ctx, l.query(marker)) {
		if pages++; !yield(l.toPage(p), checkBucketGone(ctx, l.a, l.path.bucket, err)) {
			return nil
		}
		if !mayPlan || pages != maxPagesBeforePlan || err != nil || p.NextMarker == "" {
			continue
		}
		plan, err := objectindex.NewListingPlan(ctx, l.a.API.Objects, l.query(""))
		if err == nil && plan != nil {
			l.plan.Store(plan)
			return plan
		}
	}
	return nil
}

// toPage returns an answer as rows, without the empty object that stands for the listed folder.
func (l *objectListing) toPage(p client.ObjectPage) lists.RowPage[*client.Object] {
	return lists.RowPage[*client.Object]{
		Rows: slices.DeleteFunc(p.Rows(), func(o *client.Object) bool {
			return o.Size == 0 && o.Name.Raw() == l.path.prefix && strings.HasSuffix(l.path.prefix, "/")
		}),
		Next:  p.NextMarker,
		Notes: p.Warnings,
	}
}

// toPlanPage returns an answer to a plan as rows. A plan begins with the first name again.
func (l *objectListing) toPlanPage(p client.ObjectPage) lists.RowPage[*client.Object] {
	page := l.toPage(p)
	page.Rereads = true
	return page
}

// isFolder reports whether an entry can be opened as a folder.
func (l *objectListing) isFolder(o *client.Object) bool {
	return l.path.delimiter != "" && o.IsPrefix()
}

// whyNot says why an operation of the client cannot be performed on an entry.
func (l *objectListing) whyNot(op string) func(*client.Object) string {
	return func(o *client.Object) string {
		return cmp.Or(l.a.MissingScope(op), wording.If(l.isFolder(o), "for an object, not a folder"))
	}
}

// operations are the actions on an entry.
func (l *objectListing) operations() []table.RowAction[*client.Object] {
	return []table.RowAction[*client.Object]{
		{Keys: []string{"enter", "l", "right"}, Name: "open", ShowInHints: true, OpenPane: l.open},
		{
			Keys:         []string{"w"},
			Name:         "download",
			Description:  "the object, the marked ones, or a folder with everything in it",
			ShowInHints:  true,
			OpensView:    true,
			SelectionCmd: l.download,
		},
		{
			Keys:           []string{"L"},
			Name:           "link",
			Description:    "create a pre-signed URL: anyone who has it can use it without a key",
			ShowInHints:    true,
			Writes:         true,
			DisabledReason: l.whyNot(client.OpCreateObjectURL),
			Form: func(rows []*client.Object) form.Form {
				return linkForm(l.a, l.path.bucket, rows[0].Name.Raw())
			},
		},
		{
			Keys:           []string{"c"},
			Name:           "access",
			Description:    "the object's ACL",
			Writes:         true,
			OpensView:      true,
			DisabledReason: l.whyNot(client.OpSetObjectACL),
			Cmd:            func(o *client.Object) tea.Cmd { return readThenSetAccess(l.a, l.path.bucket, o.Name) },
		},
		{
			Keys:        []string{"W"},
			Name:        "who can read it",
			Description: "the object's ACL, access keys and links; for a folder, the bucket's",
			OpenPane: func(o *client.Object) ui.Pane {
				if l.isFolder(o) {
					return bucketReaders(l.a, l.path.bucket)
				}
				return objectReaders(l.a, l.path.bucket, o.Name)
			},
		},
		{
			Keys:           []string{"e"},
			Name:           "move",
			Description:    "rename, move or copy the object, the marked ones, or a folder with everything in it",
			Writes:         true,
			OpensView:      true,
			DisabledReason: func(*client.Object) string { return l.a.MissingScope(client.OpUploadObject) },
			SelectionCmd:   func(rows table.SelectedRows[*client.Object]) tea.Cmd { return copyRows(l, rows) },
		},
		{
			Keys:           []string{"D"},
			Name:           "delete",
			Description:    "the object, the marked ones, or a folder with everything in it",
			Writes:         true,
			OpensView:      true,
			DisabledReason: func(*client.Object) string { return l.a.MissingScope(client.OpDeleteObject) },
			SelectionCmd:   l.delete,
		},
	}
}

// open returns the pane of a folder or of an object.
func (l *objectListing) open(o *client.Object) ui.Pane {
	if l.isFolder(o) {
		inner := newObjectListing(l.a, bucketPath{l.path.bucket, o.Name.Raw(), l.path.delimiter})
		inner.parent.around = l
		return inner
	}
	return objectPane(l.a, l.path.bucket, o)
}

// otherViewAction switches between folders and a flat list of everything in them.
func otherViewAction(l *objectListing) ui.Action {
	view, delimiter := "flat view", ""
	if l.path.delimiter == "" {
		view, delimiter = "folder view", "/"
	}
	return ui.Action{
		Key:       ui.Bind("flat view or folders", "f"),
		ShownName: view,
		Group:     "this list",
		OpensView: true,
		Do: func() tea.Cmd {
			if l.isOtherView {
				return ui.ClosePane()
			}
			other := newObjectListing(l.a, bucketPath{l.path.bucket, l.path.prefix, delimiter})
			other.isOtherView = true
			return ui.Send(ui.OpenPaneMsg{Pane: other})
		},
	}
}

// listActions are the actions that need no row.
func (l *objectListing) listActions() []ui.Action {
	actions := []ui.Action{
		sizesView{l}.sizesAction(),
		{
			Key:            ui.Bind("upload", "U"),
			Group:          "this list",
			Description:    "a file, or a folder with everything in it",
			Writes:         true,
			OpensView:      true,
			ShowInHints:    true,
			DisabledReason: l.a.MissingScope(client.OpUploadObject),
			Do:             func() tea.Cmd { return ui.Send(form.OpenFormMsg{Form: l.uploadForm()}) },
		},
		{
			Key:         ui.Bind("prefix", "P"),
			Group:       "this list",
			Description: "list only the names that begin with a text; the server finds them",
			OpensView:   true,
			ShowInHints: true,
			Do:          func() tea.Cmd { return ui.Send(form.OpenFormMsg{Form: l.prefixForm()}) },
		},
		otherViewAction(l),
		{
			Key:            ui.Bind("new folder", "n"),
			Group:          "this list",
			Writes:         true,
			OpensView:      true,
			DisabledReason: l.a.MissingScope(client.OpUploadObject),
			Do:             func() tea.Cmd { return ui.Send(form.OpenFormMsg{Form: l.folderForm()}) },
		},
		l.JumpAction(),
		l.preview.action(),
		bookmarksAction(l.a, &l.path),
		linksAction(l.a),
		ui.GoUpAction(func() tea.Cmd { return goUp(l) }),
	}
	if stop := countingOf(l.a).actions(); stop != nil {
		return append(actions, stop...)
	}
	if l.sizes.current != nil && !l.Store.LoadingAll() {
		actions = append(actions, ui.LocalAction("this list", "stop reading sizes", "", l.sizes.stop, "esc"))
	}
	return actions
}

// prefixForm asks for a prefix and lists the names that begin with it.
func (l *objectListing) prefixForm() form.Form {
	prefix := l.path.prefix
	return form.Form{
		Title:        "Names that begin with",
		SubmitLabel:  "list",
		BusyText:     "listing",
		EnterSubmits: form.AlwaysSubmit,
		Harmless:     true,
		Text:         "The server searches: this also finds objects that are not loaded yet.",
		Fields:       []form.Field{form.Text("prefix", "Prefix", &prefix)},
		Send: func(context.Context) (func() tea.Cmd, error) {
			return func() tea.Cmd {
				return ui.Send(ui.OpenPaneMsg{Pane: ObjectsPane(l.a, l.path.bucket, prefix, l.path.delimiter)})
			}, nil
		},
	}
}
