package storage

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/objectindex"
	"lookout/client/transfer"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
	"lookout/views/operation"
	"lookout/views/resource"
)

// An objectSet is the objects that an action is about.
type objectSet struct {
	n   int
	all iter.Seq[*client.Object] // can be used again and again
}

// A readProgress says how many objects were read, and the expected totals, if they are known.
type readProgress struct{ objects, bytes, allObjects, allBytes, fileBytes atomic.Int64 }

// describe returns the progress of doing something, for the event loop.
func (p *readProgress) describe(doing string) string {
	n, all := p.objects.Load(), p.allObjects.Load()
	switch {
	case all > 0:
		doing += ": " + wording.FormatCount(n) + " of " + formatObjects(all, p.allBytes.Load())
	case n > 0:
		doing += ": " + formatObjects(n, p.bytes.Load()) + " so far"
	}
	if files := p.fileBytes.Load(); files > 0 {
		doing += ", " + operation.FormatSize(files) + " of files read"
	}
	return doing
}

// reset begins again.
func (p *readProgress) reset() {
	for _, n := range []*atomic.Int64{&p.objects, &p.bytes, &p.allObjects, &p.allBytes, &p.fileBytes} {
		n.Store(0)
	}
}

// compare returns options for the comparison of a plan that report to the progress. known, if it is not nil, are the
// sums of the target.
func (p *readProgress) compare(
	plan *transfer.Plan, known exactTotals, existing existingChoice,
) transfer.CompareOptions {
	p.reset()
	if known != nil && plan.NeedsFullListing(false) {
		p.expect(known(plan.Prefix))
	}
	return transfer.CompareOptions{
		KeepBoth: existing == keepBoth,
		OnListed: func(o *client.Object) {
			p.objects.Add(1)
			p.bytes.Add(max(0, o.Size))
		},
		Progress: func(n int64) { p.fileBytes.Add(n) },
	}
}

// expect sets the sums that are read, if they are known.
func (p *readProgress) expect(all objectindex.ObjectTotal, _ time.Time, known bool) {
	if known {
		p.allObjects.Store(all.Objects)
		p.allBytes.Store(all.Bytes)
	}
}

// comparing is the progress as a form shows it.
func (p *readProgress) comparing() string { return p.describe("comparing") }

// A counting is the work of finding out what an action is about.
type counting struct {
	readProgress
	stop context.CancelFunc // nil while nothing is counted
}

// countingOf returns the counting of an account: there is at most one.
func countingOf(a *account.Account) *counting {
	return account.Shared(a, "counting", func() *counting { return &counting{} })
}

// while works off the event loop. Until that has ended, the message says how much was counted, and esc stops it.
func (c *counting) while(a *account.Account, what string, work func(context.Context) tea.Msg) tea.Cmd {
	if c.stop != nil {
		c.stop()
	}
	ctx, stop := context.WithCancel(a.Context)
	c.stop = stop
	c.reset()
	progress := func() string { return c.describe("counting "+what) + " · esc stops" }
	return ui.WhileReporting(progress, func() tea.Msg {
		msg := work(ctx)
		if ctx.Err() != nil {
			return nil // somebody has stopped it
		}
		return countingEnded{c, ctx, stop, msg}
	})
}

// actions returns the action that stops the counting.
func (c *counting) actions() []ui.Action {
	if c.stop == nil {
		return nil
	}
	return []ui.Action{ui.LocalAction("this list", "stop counting", "", c.cancel, "esc")}
}

// cancel stops the counting.
func (c *counting) cancel() {
	c.stop()
	c.stop = nil
}

// countingEnded says that a counting has ended.
type countingEnded struct {
	counting *counting
	ctx      context.Context
	stop     context.CancelFunc
	msg      tea.Msg
}

// Deliver goes on with what was counted, unless it was stopped meanwhile.
func (m countingEnded) Deliver() tea.Cmd {
	if m.ctx.Err() != nil {
		return nil
	}
	m.stop()
	m.counting.stop = nil
	return ui.Send(m.msg)
}

// expandFolders returns the objects that rows stand for: the row itself, or all objects of a folder.
func (l *objectListing) expandFolders(
	ctx context.Context, rows table.SelectedRows[*client.Object], c *counting,
) (objectSet, error) {
	found := objectindex.New()
	if !hasFolder(l, rows) {
		for row := range rows.All() {
			c.objects.Add(1)
			c.bytes.Add(max(0, row.Size))
		}
		return objectSet{rows.Len(), rows.All()}, ctx.Err()
	}
	err := eachObject(ctx, l, rows.All(), c, found.Append)
	if err != nil {
		return objectSet{}, err
	}
	listed := found.Snapshot()
	return objectSet{listed.Len(), func(yield func(*client.Object) bool) {
		for i := range listed.Len() {
			if !yield(rowOf(listed.At(i))) {
				return
			}
		}
	}}, ctx.Err()
}

// expectRows sets the sums of the objects that rows stand for, if they are known.
func (c *counting) expectRows(l *objectListing, rows iter.Seq[*client.Object], known exactTotals) {
	var all objectindex.ObjectTotal
	for row := range rows {
		sum := objectindex.ObjectTotal{Objects: 1, Bytes: max(0, row.Size)}
		if l.isFolder(row) {
			var isKnown bool
			if sum, _, isKnown = known(row.Name.Raw()); !isKnown {
				return
			}
		}
		all.Objects, all.Bytes = all.Objects+sum.Objects, all.Bytes+sum.Bytes
	}
	c.expect(all, time.Time{}, true)
}

// hasFolder reports whether one of the rows is a folder.
func hasFolder(l *objectListing, rows table.SelectedRows[*client.Object]) bool {
	for row := range rows.All() {
		if l.isFolder(row) {
			return true
		}
	}
	return false
}

// eachObject gives the objects that rows stand for to a function, which returns how many of them it had before.
func eachObject(
	ctx context.Context, l *objectListing, rows iter.Seq[*client.Object], c *counting,
	collect func([]*client.Object) (dropped int),
) error {
	add := func(objects ...*client.Object) {
		n := len(objects) - collect(objects)
		c.objects.Add(int64(n))
		for _, o := range objects {
			c.bytes.Add(max(0, o.Size))
		}
	}
	for row := range rows {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !l.isFolder(row) {
			add(row)
			continue
		}
		q := l.query("")
		q.Prefix = row.Name.Raw()
		bytes, missing := c.bytes.Load(), ""
		err := objectindex.EachPage(ctx, l.a.API.Objects, q, func(p client.ObjectPage, restarted bool) bool {
			if restarted {
				c.bytes.Store(bytes)
			}
			add(p.Rows()...)
			missing = p.Incomplete
			return missing == ""
		})
		if err == nil && missing != "" {
			err = errors.New("the listing is " + missing)
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// countThen lists the objects that rows stand for, off the event loop, and goes on with them.
func (l *objectListing) countThen(rows table.SelectedRows[*client.Object], then func(objectSet) tea.Msg) tea.Cmd {
	c, known := countingOf(l.a), l.sizes.exact()
	return c.while(l.a, "the objects in "+l.nameOrCount(rows), func(ctx context.Context) tea.Msg {
		c.expectRows(l, rows.All(), known)
		all, err := l.expandFolders(ctx, rows, c)
		if err != nil {
			err = checkBucketGone(ctx, l.a, l.path.bucket, err)
			return ui.StatusMsg{Tone: theme.Bad, Text: "counting: " + wording.Reason(err)}
		}
		return then(all)
	})
}

// nameOrCount names a single row and counts several.
func (l *objectListing) nameOrCount(rows table.SelectedRows[*client.Object]) string {
	if rows.Len() == 1 {
		for row := range rows.All() {
			return l.displayName(row)
		}
	}
	return wording.Plural(rows.Len(), "entry", "entries")
}

// parentFolder returns a name without its last part: "a/b/" becomes "a/".
func parentFolder(name string) string {
	name = strings.TrimSuffix(name, "/")
	return name[:strings.LastIndexByte(name, '/')+1]
}

// CopyLosses says what a copy or a move keeps of an object and what it does not.
func CopyLosses(kind transfer.Kind) string {
	if kind == transfer.Move {
		return "Content type, caching and a public ACL are kept; metadata from S3 clients is not copied."
	}
	return "Content type and caching are kept; a copy is private, and metadata from S3 clients is not copied."
}

// A copyChoice says what becomes of the sources.
type copyChoice string

// The choices.
const (
	moveObjects copyChoice = "move"
	copyObjects copyChoice = "copy"
)

// A copyDraft is what the form of a copy asks for.
type copyDraft struct {
	a        *account.Account
	from     *client.Bucket
	what     string // for the title and the message: "db/" or "3 entries"
	cut      int    // bytes of the sources' names that the target's name replaces
	one      bool   // a single object: the name is its whole name
	all      objectSet
	choice   copyChoice
	bucket   string // CLUSTER/BUCKET
	name     string
	existing existingChoice
	progress readProgress
	known    exactTotals // of the target
}

// copyRows asks where the rows are to be copied or moved. It first counts the objects of folders.
func copyRows(l *objectListing, rows table.SelectedRows[*client.Object]) tea.Cmd {
	d := &copyDraft{a: l.a, from: l.path.bucket, what: l.nameOrCount(rows), name: l.path.openFolder()}
	d.cut = len(d.name)
	if rows.Len() == 1 {
		for row := range rows.All() {
			if d.name = row.Name.Raw(); !l.isFolder(row) {
				return copyObject(l.a, l.path.bucket, row)
			}
			d.cut = len(d.name)
		}
	}
	return l.countThen(rows, func(all objectSet) tea.Msg {
		d.all = all
		return form.OpenFormMsg{Form: d.form()}
	})
}

// copyObject asks where one object is to be copied or moved.
func copyObject(a *account.Account, b *client.Bucket, o *client.Object) tea.Cmd {
	d := &copyDraft{a: a, from: b, what: o.Name.String(), name: o.Name.Raw(), one: true}
	d.cut = len(d.name)
	d.all = objectSet{1, func(yield func(*client.Object) bool) { yield(o) }}
	return ui.Send(form.OpenFormMsg{Form: d.form()})
}

// form asks for the target.
func (d *copyDraft) form() form.Form {
	d.choice, d.bucket, d.existing = moveObjects, d.from.ID(), skipExisting
	label, note := "Folder", "empty: the bucket itself"
	if d.one {
		label, note = "Name", "if it ends with /, the object keeps its own name in this folder"
	}
	return form.Form{
		Title:       "Rename, move or copy " + d.what,
		SubmitLabel: "continue",
		BusyText:    "comparing",
		Text: "Each object is downloaded and uploaded in one stream, without using your disk. A source is deleted " +
			"only once its copy is verified. You are asked before anything is sent.",
		Fields: []form.Field{
			form.Choice("do", "Do", &d.choice, moveObjects, copyObjects),
			form.Text("bucket", "Bucket", &d.bucket, checkBucketID).Note("CLUSTER/BUCKET"),
			form.Text("name", label, &d.name, form.Length(0, 1024)).Note(note),
			existingField(&d.existing),
		},
		BeforeSend: func(send func() tea.Cmd) tea.Cmd {
			var target client.ObjectRef
			target.Cluster, target.Bucket, _ = ParseBucketID(d.bucket)
			d.known = sizesOf(d.a, target).exact()
			return send()
		},
		Send:     d.prepare,
		Progress: d.progress.comparing,
	}
}

// checkBucketID returns why a text does not name a bucket.
func checkBucketID(text string) string {
	if _, _, err := ParseBucketID(text); err != nil {
		return err.Error()
	}
	return ""
}

// prepare compares both sides. It returns what shows the plan, asks and starts.
func (d *copyDraft) prepare(ctx context.Context) (func() tea.Cmd, error) {
	plan, err := d.plan(ctx)
	if err != nil {
		return nil, err
	}
	if n, _ := plan.CountToSend(d.existing.policy()); n == 0 {
		text := "nothing to " + string(d.choice)
		if plan.Files.Len() > 0 {
			text += ": " + describePlan(plan, d.existing)
		}
		return nil, errors.New(text + leftOut("left out", plan.Skipped))
	}
	ask := d.ask(&plan)
	return func() tea.Cmd {
		return operation.AskConsent(d.a, ask, func(c account.Consents) tea.Cmd { return d.start(plan, c) })
	}, nil
}

// plan makes the plan.
func (d *copyDraft) plan(ctx context.Context) (transfer.Plan, error) {
	q := transfer.CopySpec{Kind: transfer.Move, From: d.from.Object("")}
	if d.choice == copyObjects {
		q.Kind = transfer.Copy
	}
	var err error
	if q.To.Cluster, q.To.Bucket, err = ParseBucketID(d.bucket); err != nil {
		return transfer.Plan{}, err
	}
	q.To.Name = d.name
	if !d.one && d.name != "" && !strings.HasSuffix(d.name, "/") {
		q.To.Name += "/"
	}
	selected := make([]transfer.DownloadItem, 0, d.all.n)
	for o := range d.all.all {
		s := transfer.DownloadItem{Object: *o, Path: o.Name.Raw()[d.cut:]}
		if d.one && (d.name == "" || strings.HasSuffix(d.name, "/")) {
			s.Path = path.Base(o.Name.Raw())
		}
		selected = append(selected, s)
	}
	plan, err := q.Plan(ctx, d.a.API, selected)
	if err == nil {
		err = plan.CompareObjects(ctx, d.a.API.Objects, d.progress.compare(&plan, d.known, d.existing))
	}
	if err == nil {
		err = plan.ReadACLs(ctx, d.a.API.Objects, d.existing.policy(), nil)
	}
	return plan, err
}

// ask is the question about a plan. It first names what is left out.
func (d *copyDraft) ask(plan *transfer.Plan) operation.ConfirmationRequest {
	ask := operation.ConfirmationRequest{Ops: []string{client.OpUploadObject}, Name: string(d.choice)}
	for _, f := range plan.Skipped {
		ask.Items = append(ask.Items, "left out: "+f.Error())
	}
	files, _ := plan.CountToSend(d.existing.policy())
	_, bytes := plan.Space(d.existing.policy())
	for f := range plan.ToSend(d.existing.policy()) {
		target := client.ObjectRef{Cluster: plan.Cluster, Bucket: plan.Bucket, Name: f.Name}
		ask.IDs = append(ask.IDs, target.ID())
		ask.SourceIDs = append(ask.SourceIDs, d.from.Object(f.Path).ID())
		if len(ask.Items) < maxNamedObjects {
			ask.Items = append(ask.Items, client.Clean(f.Path)+" to "+client.Clean(f.Name)+
				wording.WithPrefix(": ", DescribeKeptACL(plan.KeptACL(f.Name))))
		}
	}
	count, verb, after := wording.Plural(files, "object", "objects"), "Copies", ""
	if plan.Kind == transfer.Move {
		ask.Ops = append(ask.Ops, client.OpDeleteObject)
		verb, after = "Moves", " Each source is deleted once its copy is verified."
	}
	ask.Confirm = resource.ConfirmationSpec{
		Title: verb + " " + count,
		Effect: fmt.Sprintf(
			"%s %s, %s, from %s to %s: %s.%s %s",
			verb,
			count,
			operation.FormatSize(bytes),
			bucketName(d.from),
			client.Clean(client.BucketID(plan.Cluster, plan.Bucket)),
			describePlan(*plan, d.existing),
			after,
			CopyLosses(plan.Kind),
		),
		Required: true,
	}
	if files > 1 {
		ask.Confirm.Word = fmt.Sprint(files)
	}
	if n := len(plan.Skipped); n > 0 {
		ask.Confirm.Effect += fmt.Sprintf(" %s left out.", wording.Plural(n, "object is", "objects are"))
	}
	askToOpen(&ask, plan)
	return ask
}

// start starts the transfers.
func (d *copyDraft) start(plan transfer.Plan, c account.Consents) tea.Cmd {
	return func() tea.Msg {
		ids, refused := d.a.Transfers.Start(plan, transfer.StartOptions{
			Existing:      d.existing.policy(),
			Consent:       c[client.OpUploadObject],
			DeleteConsent: c[client.OpDeleteObject],
			ACLConsent:    c[client.OpSetObjectACL],
		})
		return copyStarted{d, plan, ids, refused}
	}
}

// copyStarted says that copies were started.
type copyStarted struct {
	draft   *copyDraft
	plan    transfer.Plan
	ids     []transfer.ID
	refused []transfer.SkippedFile
}

// Deliver brings the message. The sums of both buckets are out of date.
func (m copyStarted) Deliver() tea.Cmd {
	a := m.draft.a
	sizesOf(a, m.draft.from.Object("")).changedBy(m.ids...)
	sizesOf(a, client.ObjectRef{Cluster: m.plan.Cluster, Bucket: m.plan.Bucket}).changedBy(m.ids...)
	doing := "moving "
	if m.plan.Kind == transfer.Copy {
		doing = "copying "
	}
	if len(m.ids) == 0 {
		return ui.ShowStatus(theme.Bad, "nothing was started"+leftOut("left out", m.refused))
	}
	message := doing + wording.Plural(len(m.ids), "object", "objects") + leftOut("left out", m.refused)
	return transfersStarted(a, "", message, m.ids...)()
}
