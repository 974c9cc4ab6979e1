package storage

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/views/account"
)

// A linkLifetime is how long a link is valid.
type linkLifetime string

const (
	lifetime15m        linkLifetime = "15 min"
	lifetime1h         linkLifetime = "1 h"
	lifetime6h         linkLifetime = "6 h"
	lifetime24h        linkLifetime = "24 h"
	lifetimeCustom     linkLifetime = "seconds"
	minLifetimeSeconds              = 360
	maxLifetimeSeconds              = 86400
)

// inSeconds of a life; own is taken where it says so.
func (l linkLifetime) inSeconds(own int) int {
	switch l {
	case lifetime15m:
		return 15 * 60
	case lifetime6h:
		return 6 * 3600
	case lifetime24h:
		return 24 * 3600
	case lifetimeCustom:
		return own
	}
	return 3600
}

// linkForm builds a pre-signed URL ("Object Storage", rule 4).
func linkForm(a *account.Account, b *client.Bucket, name string) form.Form {
	in := client.PresignRequest{Name: name, Method: "GET"}
	how, own := lifetime1h, 3600
	form := form.Form{
		Title:        "Link to " + client.Clean(name),
		ProgressText: "asking",
		SubmitLabel:  "make the link",
		Text:         "Whoever has the link can do this one thing until it ends, without a key.",
		Fields: []form.Field{
			form.Choice(
				"expires_in",
				"Valid for",
				&how,
				lifetime15m,
				lifetime1h,
				lifetime6h,
				lifetime24h,
				lifetimeCustom,
			),
			form.Number(
				"seconds",
				"Seconds",
				&own,
				minLifetimeSeconds,
				maxLifetimeSeconds,
			).When(
				func() bool { return how == lifetimeCustom },
			),
			form.Choice(
				"method",
				"Method",
				&in.Method,
				"GET",
				"PUT",
				"DELETE",
			).Note(
				"GET reads the object, PUT stores it, DELETE deletes it",
			),
			form.Text("content_type", "Content type", &in.ContentType, form.Length(0, 255), func(text string) string {
				return account.ReasonIf(
					text == "" && in.Method == "PUT",
					"needed for PUT: it must then be sent with the object",
				)
			}).When(func() bool { return in.Method == "PUT" }),
		},
		EnterSubmits: func() bool { return in.Method == "GET" },
		Review: func() string {
			end := a.Now().Add(time.Duration(how.inSeconds(own)) * time.Second)
			return "It ends at " + formatLocalAndUTC(a, end, "Mon 2 Jan 15:04:05 MST")
		},
		Send: func(ctx context.Context) (func() tea.Cmd, error) {
			in.Expires = how.inSeconds(own)
			signed, err := a.Api.Objects.Presign(ctx, b.Cluster.Raw(), b.Label.Raw(), in)
			if err != nil {
				return nil, err
			}
			l := a.Links.Add(account.Link{
				Bucket:      bucketName(b),
				Name:        client.NewText(name),
				Method:      in.Method,
				ContentType: in.ContentType,
				URL:         signed.URL,
				Expires:     a.Now().Add(time.Duration(in.Expires) * time.Second),
			})
			return func() tea.Cmd {
				return tea.Batch(a.LinkStore().Refresh(), ui.Send(ui.OpenPaneMsg{Pane: &linkView{a: a, link: l}}))
			}, nil
		},
	}
	return form
}
