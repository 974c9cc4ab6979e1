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
)

// delete asks about exactly the objects that are there when it asks.
func (l *objectListing) delete(rows []client.Object) tea.Cmd {
	return l.countThen(rows, func(all []client.Object) tea.Msg {
		if len(all) == 0 {
			return ui.NewsMsg{Tone: theme.Info, Text: "there is nothing to delete"}
		}
		names, bytes := make([]string, len(all)), int64(0)
		lines := make([]string, len(all))
		for i, o := range all {
			names[i], bytes, lines[i] = o.Name.Raw(), bytes+max(0, o.Size), o.Name.String()
		}
		ask := &ui.Confirmation{
			Title:        "Delete " + account.Pluralize(len(all), "object", "objects"),
			Items:        lines,
			ConfirmLabel: "delete",
			Text: fmt.Sprintf(
				"In %s: %s, %s, deleted for good.",
				bucketName(l.path.bucket),
				account.Pluralize(len(all), "object", "objects"),
				account.FormatSize(bytes),
			),
		}
		if len(all) > 1 {
			ask.RequiredText = fmt.Sprint(len(all))
		}
		return ui.RunActionMsg{Action: ui.Action{
			Key:     ui.Bind("delete"),
			Writes:  true,
			Confirm: ask,
			Do: func() tea.Cmd {
				l.a.Transfers.Delete(nil, l.path.bucket.Cluster.Raw(), l.path.bucket.Label.Raw(), names)
				return account.SyncTransfers(l.a)
			},
		}}
	})
}

// objectAccessForm sets an object's ACL. What is set already is shown in the object's pane; custom cannot be set.
func objectAccessForm(a *account.Account, b *client.Bucket, name client.Text) form.Form {
	acl := client.ACLPrivate
	form := form.Form{
		Title:        "Access to " + name.String(),
		ProgressText: "changing",
		SubmitLabel:  "change",
		Text:         "In " + bucketName(b) + ".",
		Fields: []form.Field{
			form.Choice(
				"acl",
				"ACL",
				&acl,
				client.ACLPrivate,
				client.ACLPublicRead,
				client.ACLAuthenticatedRead,
				client.ACLPublicReadWrite,
			),
		},
		Review:          func() string { return describeObjectACL(acl) },
		WhyResendIsSafe: "Setting the same access twice does no harm",
		Send: func(ctx context.Context) (func() tea.Cmd, error) {
			ctx = client.ContextWithResource(ctx, "object", account.BucketID(b)+"/"+name.Raw(), name.String())
			_, err := a.Api.Objects.SetACL(ctx, b.Cluster.Raw(), b.Label.Raw(), name.Raw(), acl)
			return func() tea.Cmd {
				return tea.Batch(
					ui.ShowNews(theme.Good, fmt.Sprintf("%s: access is %s", name, acl)),
					ui.Send(ui.RefreshMsg{}),
				)
			}, err
		},
	}
	return form
}

// describeObjectACL is what an object's ACL allows.
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
		return "(grants of its own: x shows them)"
	}
	return ""
}
