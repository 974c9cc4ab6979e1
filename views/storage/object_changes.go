package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/objectindex"
	"lookout/client/objectnames"
	"lookout/client/transfer"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
	"lookout/views/operation"
	"lookout/views/resource"
)

// A deletion is the objects that are to be deleted.
type deletion struct {
	bucket  *client.Bucket
	names   *objectnames.SortedNames
	single  client.Object   // the object, if there is only one
	folders []countedFolder // in which everything is deleted besides
}

// A countedFolder is a folder whose sums are known.
type countedFolder struct {
	name string
	sum  objectindex.ObjectTotal
	at   time.Time // when it was read
}

// delete asks about exactly the objects that are there when it asks, or about everything in folders whose sizes are
// known.
func (l *objectListing) delete(rows table.SelectedRows[*client.Object]) tea.Cmd {
	if rows.Len() == 1 {
		for row := range rows.All() {
			if !l.isFolder(row) {
				continue
			}
			if ask := askWithKnownSizes(l.a, l.path.bucket.Object(row.Name.Raw())); ask != nil {
				return ask
			}
		}
	}
	c, known := countingOf(l.a), l.sizes.exact()
	return c.while(l.a, "the objects in "+l.nameOrCount(rows), func(ctx context.Context) tea.Msg {
		names, d := objectnames.NewSortedNamesBuilder(l.path.bucket.ID()), deletion{bucket: l.path.bucket}
		d.findKnownFolders(l, rows, known)
		for _, f := range d.folders {
			c.objects.Add(f.sum.Objects)
			c.bytes.Add(f.sum.Bytes)
		}
		left := d.folders
		unknown := func(yield func(*client.Object) bool) {
			for row := range rows.All() {
				if len(left) > 0 && row.Name.Raw() == left[0].name {
					left = left[1:]
				} else if !yield(row) {
					return
				}
			}
		}
		err := eachObject(ctx, l, unknown, c, func(objects []*client.Object) int {
			for _, o := range objects {
				if names.Len() == 0 {
					d.single = o.Clone()
				}
				names.Add(objectnames.ObjectEntry{Name: o.Name.Raw(), Size: o.Size})
			}
			return 0
		})
		if err != nil {
			return ui.StatusMsg{Tone: theme.Bad, Text: "counting: " + wording.Reason(err)}
		}
		if d.names = names.List(); d.names.Len() == 0 && d.folders == nil {
			return ui.StatusMsg{Tone: theme.Info, Text: "there is nothing to delete"}
		}
		return operation.AskConsentMsg(
			l.a, d.ask(l.a.Now()), func(c account.Consents) tea.Cmd { return d.start(l.a, c) },
		)
	})
}

// findKnownFolders fills in the folders among rows whose sums are known.
func (d *deletion) findKnownFolders(l *objectListing, rows table.SelectedRows[*client.Object], known exactTotals) {
	for row := range rows.All() {
		if !l.isFolder(row) {
			continue
		}
		if sum, at, isKnown := known(row.Name.Raw()); isKnown && sum.Objects > 0 {
			d.folders = append(d.folders, countedFolder{row.Name.Raw(), sum, at})
		}
	}
}

// maxNamedObjects is the number of objects that a question names.
const maxNamedObjects = 1000

// ask is the question about the objects. For several of them the answer is their number, or the bucket's label if there
// are folders: somebody may have stored more in them.
func (d deletion) ask(now time.Time) operation.ConfirmationRequest {
	ask := operation.ConfirmationRequest{Name: "delete"}
	var inFolders objectindex.ObjectTotal
	for _, f := range d.folders {
		ask.Ops = []string{client.OpEmptyBucket}
		ask.IDs = append(ask.IDs, d.bucket.Object(f.name).ID())
		if len(ask.Items) < maxNamedObjects {
			ask.Items = append(ask.Items, fmt.Sprintf(
				"%s: %s, read %s", client.Clean(f.name), formatObjects(f.sum.Objects, f.sum.Bytes),
				formatReadAge(now.Sub(f.at)),
			))
		}
		inFolders.Objects, inFolders.Bytes = inFolders.Objects+f.sum.Objects, inFolders.Bytes+f.sum.Bytes
	}
	if d.names.Len() > 0 {
		ask.Ops, ask.Names = append(ask.Ops, client.OpDeleteObject), d.names
	}
	for o := range d.names.From(0) {
		if len(ask.Items) == maxNamedObjects {
			break
		}
		ask.Items = append(ask.Items, client.Clean(o.Name))
	}
	n := d.names.Len()
	if more := n + len(d.folders) - len(ask.Items); more > 0 {
		ask.Items = append(ask.Items, "and "+wording.FormatCount(int64(more))+" more")
	}
	count := wording.Plural(n, "object", "objects")
	ask.Confirm = resource.ConfirmationSpec{
		Title: "Delete " + count,
		Effect: fmt.Sprintf(
			"Deletes %s (%s) in %s for good.", count, operation.FormatSize(d.names.Bytes()), bucketName(d.bucket),
		),
		Required: true,
	}
	if n > 1 {
		ask.Confirm.Word = fmt.Sprint(n)
	}
	if d.folders != nil {
		folders, others := wording.Plural(len(d.folders), "folder", "folders"), ""
		if n > 0 {
			others = " and " + wording.Plural(n, "other object", "other objects")
		}
		ask.Confirm.Word, ask.Confirm.Title = client.Clean(d.bucket.Label.Raw()), "Delete "+folders+others
		if n > 0 {
			others += fmt.Sprintf(" (%s)", operation.FormatSize(d.names.Bytes()))
		}
		ask.Confirm.Effect = fmt.Sprintf(
			"Deletes everything in %s (%s)%s in %s for good.", folders,
			formatObjects(inFolders.Objects, inFolders.Bytes), others, bucketName(d.bucket),
		)
	}
	return ask
}

// start starts the deletion, that of objects off the event loop: there may be a million.
func (d deletion) start(a *account.Account, c account.Consents) tea.Cmd {
	for _, f := range d.folders {
		startEmptying(a, d.bucket.Object(f.name), c, f.sum.Objects)
	}
	if d.names.Len() == 0 {
		operation.SyncTransfers(a)
		return nil
	}
	a.Go(func() (apply func()) {
		cluster, bucket, consent := d.bucket.Location().Raw(), d.bucket.Label.Raw(), c[client.OpDeleteObject]
		id := a.Transfers.DeleteList(consent, cluster, bucket, d.names, d.single)
		return func() {
			sizesOf(a, d.bucket.Object("")).changedBy(id)
			operation.SyncTransfers(a)
		}
	})
	return nil
}

// unknownACL stands for an ACL that could not be read.
const unknownACL client.ACL = "unknown"

// readThenSetAccess reads the ACL of an object, and opens the form that sets it.
func readThenSetAccess(a *account.Account, b *client.Bucket, name client.ServerText) tea.Cmd {
	ctx, ref := a.Context, b.Object(name.Raw())
	return ui.WhileWorking("reading the access to "+name.String(), func() tea.Msg {
		text, present := "In "+bucketName(b)+".", unknownACL
		acl, err := a.API.Objects.ACL(ctx, ref.Cluster, ref.Bucket, ref.Name)
		switch {
		case err != nil:
			text += " The current access could not be read: " + wording.Reason(err)
		case acl.ACL == "":
			text += " The API does not report the current access."
		default:
			present = acl.ACL
		}
		return form.OpenFormMsg{Form: objectAccessForm(a, b, name, present, text)}
	})
}

// objectAccessForm sets the ACL of an object. It begins with the present one, which may be one that cannot be set.
func objectAccessForm(
	a *account.Account, b *client.Bucket, name client.ServerText, present client.ACL, text string,
) form.Form {
	acl, options, ref := present, client.SettableACLs(), b.Object(name.Raw())
	if !slices.Contains(options, present) {
		options = append([]client.ACL{present}, options...)
	}
	differs := func(string) string {
		switch {
		case acl == unknownACL:
			return "press right to choose the access"
		case acl == present:
			return "this is already set"
		}
		return ""
	}
	f := form.Form{
		Title:       "Access to " + name.String(),
		BusyText:    "changing",
		SubmitLabel: "change",
		Text:        text,
		Fields:      []form.Field{form.Choice("acl", "ACL", &acl, options...).Check(differs)},
		Review: func() string {
			if acl == unknownACL {
				return ""
			}
			return "(" + acl.OnObject() + ")"
		},
		WhyResendIsSafe: "Setting the same access twice does no harm",
	}
	ask := func() operation.ConfirmationRequest { return askObjectACL(b, name, acl, present) }
	return operation.FormWithConsent(
		a,
		f,
		ask,
		func(ctx context.Context, c account.Consents) (func() tea.Cmd, error) {
			found, err := setObjectACL(ctx, a, ref, acl, c[client.OpSetObjectACL])
			if err != nil {
				return nil, err
			}
			return func() tea.Cmd { return reportObjectACL(a, b, name, acl, found) }, nil
		},
	)
}

// askObjectACL is the question before an object gets another ACL than the present one. If that opens the object, it is
// asked on every account.
func askObjectACL(b *client.Bucket, name client.ServerText, acl, present client.ACL) operation.ConfirmationRequest {
	return operation.ConfirmationRequest{
		Ops:  []string{client.OpSetObjectACL},
		IDs:  []string{b.Object(name.Raw()).ID()},
		Name: "change",
		Confirm: resource.ConfirmationSpec{
			Title: "Access to " + name.String(),
			Effect: fmt.Sprintf(
				"Access to %s in %s will be %s (%s).", name, bucketName(b), acl, acl.OnObject(),
			),
			Required: acl.Opens(present),
		},
	}
}

// reportObjectACL shows what became of a change of an object's ACL, and offers its undo: the ACL before, or private if
// that is not known, or cannot be set.
func reportObjectACL(
	a *account.Account, b *client.Bucket, name client.ServerText, acl client.ACL, found accessReadBack,
) tea.Cmd {
	back := found.before
	if !slices.Contains(client.SettableACLs(), back) {
		back = client.ACLPrivate
	}
	message := objectACLMessage(name, acl, found)
	if back != acl {
		message.Undo = &ui.Action{
			Key:       ui.Bind("set "+back.String(), "u"),
			Object:    name.String(),
			Writes:    true,
			OpensView: true,
			Do: func() tea.Cmd {
				return operation.AskConsent(a, askObjectACL(b, name, back, acl), func(c account.Consents) tea.Cmd {
					return ui.WhileWorking("changing the access to "+name.String(), func() tea.Msg {
						found, err := setObjectACL(a.Context, a, b.Object(name.Raw()), back, c[client.OpSetObjectACL])
						return objectACLSet(func() tea.Cmd {
							if err != nil {
								text := name.String() + ": " + wording.Reason(err) + wording.RejectionSuffix(err)
								a.ResumeLookups(a.UnresolvedChanges(), "")
								return ui.ReportChange(theme.Bad, text)
							}
							undone := objectACLMessage(name, back, found)
							undone.NoUndo = operation.Undone
							return tea.Batch(ui.Send(undone), ui.Send(ui.RefreshMsg{}))
						})
					})
				})
			},
		}
	}
	return tea.Batch(ui.Send(message), ui.Send(ui.RefreshMsg{}))
}

// objectACLMessage says what became of a change of an object's ACL.
func objectACLMessage(name client.ServerText, acl client.ACL, found accessReadBack) ui.StatusMsg {
	message := ui.StatusMsg{
		Tone:          theme.Good,
		Text:          name.String() + ": " + found.describe("access", acl.String()),
		ReportsChange: true,
	}
	if found.differs {
		message.Tone = theme.Warn
	}
	return message
}

// objectACLSet reports that an object's ACL was set.
type objectACLSet func() tea.Cmd

// Deliver reports it.
func (report objectACLSet) Deliver() tea.Cmd { return report() }

// setObjectACL reads the present ACL for the journal, sets another, and returns what the object then has.
func setObjectACL(
	ctx context.Context, a *account.Account, ref client.ObjectRef, acl client.ACL, consent *client.Consent,
) (found accessReadBack, err error) {
	change := client.Change{Op: client.OpSetObjectACL, Resource: "object", ID: ref.ID(), Label: ref.Name}
	if before, err := a.API.Objects.ACL(ctx, ref.Cluster, ref.Bucket, ref.Name); err == nil && before.ACL != "" {
		change.Before = map[string]any{"acl": before.ACL}
		found.before = before.ACL
	}
	w, err := a.API.Begin(change, consent)
	if err != nil {
		return found, err
	}
	now, err := w.SetObjectACL(ctx, ref, acl)
	switch {
	case err != nil:
		return found, err
	case now == nil:
		found.unknown = accessNotRead + "it could not be read"
	case now.ACL == "":
		found.unknown = accessNotReported + "it"
	default:
		found.now, found.differs = now.ACL.String(), now.ACL != acl
	}
	return found, nil
}

// DescribeKeptACL says what becomes of the access to an object that is replaced or moved; "" if it is private.
func DescribeKeptACL(k transfer.KeptACL) string {
	var parts []string
	if k.ACL != "" {
		parts = append(parts, fmt.Sprintf("it will be %s (%s)", k.ACL, k.ACL.OnObject()))
	}
	if k.Lost != "" {
		parts = append(parts, k.Lost+", so it will not be kept")
	}
	return strings.Join(parts, "; ")
}

// DescribeKeptACLs says how many objects of a plan will be public, and the access to how many cannot be kept, in
// sentences; "" if all are private.
func DescribeKeptACLs(p *transfer.Plan) string {
	var parts []string
	public, lost := p.CountACLs()
	if public > 0 {
		parts = append(parts, wording.Plural(public, "object", "objects")+" will be public afterwards.")
	}
	if lost > 0 {
		parts = append(parts, "The access to "+wording.Plural(lost, "object", "objects")+" cannot be kept.")
	}
	return strings.Join(parts, " ")
}

// askToOpen adds to the question about a plan how many objects will be public.
func askToOpen(ask *operation.ConfirmationRequest, p *transfer.Plan) {
	if public, _ := p.CountACLs(); public > 0 {
		ask.Ops, ask.Confirm.Required = append(ask.Ops, client.OpSetObjectACL), true
	}
	ask.Confirm.Effect += wording.WithPrefix(" ", DescribeKeptACLs(p))
}
