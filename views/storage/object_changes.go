package storage

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/objectnames"
	"lookout/client/transfer"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
	"lookout/views/account"
	"lookout/views/resource"
)

// refTo names an object of a bucket for the client.
func refTo(b *client.Bucket, name string) client.ObjectRef {
	return b.Object(name)
}

// A deletion is the objects that are to be deleted.
type deletion struct {
	bucket *client.Bucket
	names  *objectnames.SortedNames
	single client.Object // the object, if there is only one
}

// newDeletion returns the deletion of one object.
func newDeletion(b *client.Bucket, o *client.Object) deletion {
	names := objectnames.NewBuilder(b.ID())
	names.Add(objectnames.SizedName{Name: o.Name.Raw(), Size: o.Size})
	return deletion{b, names.List(), *o}
}

// delete asks about exactly the objects that are there when it asks, or about everything in a folder whose sizes are
// known.
func (l *objectListing) delete(rows table.SelectedRows[*client.Object]) tea.Cmd {
	if rows.Len() == 1 {
		for row := range rows.All() {
			if !l.isFolder(row) {
				continue
			}
			if ask := askWithKnownSizes(l.a, refTo(l.path.bucket, row.Name.Raw())); ask != nil {
				return ask
			}
		}
	}
	c := countingOf(l.a)
	return c.while(l.a, "the objects in "+l.nameOrCount(rows), func(ctx context.Context) tea.Msg {
		names, d := objectnames.NewBuilder(l.path.bucket.ID()), deletion{bucket: l.path.bucket}
		err := eachObject(ctx, l, rows, c, func(objects []*client.Object) int {
			for _, o := range objects {
				if names.Len() == 0 {
					d.single = o.Clone()
				}
				names.Add(objectnames.SizedName{Name: o.Name.Raw(), Size: o.Size})
			}
			return 0
		})
		if err != nil {
			return ui.NewsMsg{Tone: theme.Bad, Text: "counting: " + ui.Reason(err)}
		}
		if d.names = names.List(); d.names.Len() == 0 {
			return ui.NewsMsg{Tone: theme.Info, Text: "there is nothing to delete"}
		}
		return l.a.AskConsentMsg(d.ask(), func(c account.Consents) tea.Cmd { return d.start(l.a, c) })
	})
}

// maxNamedObjects is the number of objects that a question names.
const maxNamedObjects = 1000

// ask is the question about the objects. For several of them the answer is their number.
func (d deletion) ask() account.ConfirmationRequest {
	ask := account.ConfirmationRequest{
		Ops:   []string{client.OpDeleteObject},
		Name:  "delete",
		Names: d.names,
	}
	for o := range d.names.From(0) {
		if len(ask.Items) == maxNamedObjects {
			break
		}
		ask.Items = append(ask.Items, client.Clean(o.Name))
	}
	n := d.names.Len()
	if more := n - len(ask.Items); more > 0 {
		ask.Items = append(ask.Items, "and "+ui.FormatCount(int64(more))+" more")
	}
	count := ui.Plural(n, "object", "objects")
	ask.Confirm = resource.ConfirmationSpec{
		Title: "Delete " + count,
		Effect: fmt.Sprintf(
			"Deletes %s (%s) in %s for good.", count, account.FormatSize(d.names.Bytes()), bucketName(d.bucket),
		),
		Required: true,
	}
	if n > 1 {
		ask.Confirm.Word = fmt.Sprint(n)
	}
	return ask
}

// start starts the deletion, off the event loop: there may be a million objects.
func (d deletion) start(a *account.Account, c account.Consents) tea.Cmd {
	return func() tea.Msg {
		cluster, bucket, consent := d.bucket.Location().Raw(), d.bucket.Label.Raw(), c[client.OpDeleteObject]
		if d.names.Len() == 1 {
			return deletionStarted{a, d, a.Transfers.DeleteObject(consent, cluster, bucket, d.single)}
		}
		return deletionStarted{a, d, a.Transfers.DeleteList(consent, cluster, bucket, d.names)}
	}
}

// deletionStarted says that a deletion was started.
type deletionStarted struct {
	a        *account.Account
	deletion deletion
	id       transfer.ID
}

// Deliver shows the transfer.
func (m deletionStarted) Deliver() tea.Cmd {
	sizesOf(m.a, m.deletion.bucket.Object("")).expect(pendingChange{id: m.id, objects: m.deletion.names})
	return account.SyncTransfers(m.a)
}

// unknownACL stands for an ACL that could not be read.
const unknownACL client.ACL = "unknown"

// readThenSetAccess reads the ACL of an object, and opens the form that sets it.
func readThenSetAccess(a *account.Account, b *client.Bucket, name client.ServerText) tea.Cmd {
	ctx, ref := a.Context, refTo(b, name.Raw())
	return ui.WhileWorking("reading the access to "+name.String(), func() tea.Msg {
		text, present := "In "+bucketName(b)+".", unknownACL
		acl, err := a.API.Objects.ACL(ctx, ref.Cluster, ref.Bucket, ref.Name)
		switch {
		case err != nil:
			text += " The current access could not be read: " + ui.Reason(err)
		case acl.ACL == "":
			text += " The API does not report what is set."
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
	acl, options, ref := present, cannedACLs(), refTo(b, name.Raw())
	if !slices.Contains(options, present) {
		options = append([]client.ACL{present}, options...)
	}
	differs := func(string) string {
		switch {
		case acl == unknownACL:
			return "choose an access with right"
		case acl == present:
			return "this is already set"
		}
		return ""
	}
	f := form.Form{
		Title:           "Access to " + name.String(),
		ProgressText:    "changing",
		SubmitLabel:     "change",
		Text:            text,
		Fields:          []form.Field{form.Choice("acl", "ACL", &acl, options...).Check(differs)},
		Review:          func() string { return describeObjectACL(acl) },
		WhyResendIsSafe: "Setting the same access twice does no harm",
	}
	ask := func() account.ConfirmationRequest {
		return account.ConfirmationRequest{
			Ops:  []string{client.OpSetObjectACL},
			IDs:  []string{ref.ID()},
			Name: "change",
			Confirm: resource.ConfirmationSpec{
				Title:  "Access to " + name.String(),
				Effect: fmt.Sprintf("Access to %s in %s will be %s.", name, bucketName(b), acl),
			},
		}
	}
	return a.FormWithConsent(f, ask, func(ctx context.Context, c account.Consents) (func() tea.Cmd, error) {
		found, err := setObjectACL(ctx, a, ref, acl, c[client.OpSetObjectACL])
		if err != nil {
			return nil, err
		}
		tone := theme.Good
		if found.differs {
			tone = theme.Warn
		}
		return func() tea.Cmd {
			news := ui.ShowNews(tone, name.String()+": "+found.describe("access", acl.String()))
			return tea.Batch(news, ui.Send(ui.RefreshMsg{}))
		}, nil
	})
}

// setObjectACL reads the present ACL for the journal, sets another, and returns what the object then has.
func setObjectACL(
	ctx context.Context, a *account.Account, ref client.ObjectRef, acl client.ACL, consent *client.Consent,
) (found accessReadBack, err error) {
	change := client.Change{
		Op:       client.OpSetObjectACL,
		Resource: "object",
		ID:       ref.ID(),
		Label:    ref.Name,
	}
	if before, err := a.API.Objects.ACL(ctx, ref.Cluster, ref.Bucket, ref.Name); err == nil && before.ACL != "" {
		change.Before = map[string]any{"acl": before.ACL}
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
		return accessReadBack{unknown: accessNotRead + "it could not be read"}, nil
	case now.ACL == "":
		return accessReadBack{unknown: accessNotReported + "it"}, nil
	}
	return accessReadBack{now: now.ACL.String(), differs: now.ACL != acl}, nil
}

// describeObjectACL says what an ACL of an object allows.
func describeObjectACL(acl client.ACL) string {
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
		return "(has its own grants: press x to see them)"
	}
	return ""
}
