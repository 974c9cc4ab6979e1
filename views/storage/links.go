package storage

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
	"lookout/views/operation"
	"lookout/views/resource"
)

// linksAction returns the action that opens the links of this run.
func linksAction(a *account.Account) ui.Action {
	return ui.Action{
		Key:         ui.Bind("links of this run"),
		Group:       "this list",
		Description: "pre-signed URLs that were created since lookout started",
		Do: func() tea.Cmd {
			return ui.Send(ui.OpenPaneMsg{Pane: LinksPane(a)})
		},
	}
}

// LinksPane returns the pane of the links of this run.
func LinksPane(a *account.Account) ui.Pane {
	return &table.List[*account.PresignedLink]{
		Title:       "links",
		Store:       a.LinkStore(),
		AutoRefresh: table.AutoRefreshOptions{Disabled: true},
		Breadcrumb:  func() string { return "links of this run" },
		Columns:     linkColumns(),
		RowActions:  linkOperations(a),
		PaneActions: func() []ui.Action {
			return []ui.Action{ui.GoUpAction(ui.ClosePane)}
		},
		Detail: func(l *account.PresignedLink, b ui.Box) string {
			t := operation.NewDetailWriter(b)
			writeLink(a, t, l)
			t.Paragraph("enter shows the link", theme.Muted)
			return t.String()
		},
		Footer: func(set *lists.RowStore[*account.PresignedLink], b ui.Box) string {
			count := wording.Plural(set.Len(), "link", "links")
			return b.Theme.Paint(theme.Muted, count+" · anyone who has one needs no key until it expires")
		},
		EmptyText: "no links in this run · L on an object creates one",
		Label:     linkName,
	}
}

// linkColumns returns the columns of the pane.
func linkColumns() []table.Column[*account.PresignedLink] {
	type row = *account.PresignedLink
	method := func(r row) string { return r.Method }
	bucket := func(r row) string { return r.Bucket }
	return resource.PaneColumns(
		resource.PaneColumn("method", table.TextCell(theme.Plain, method)).Width(7),
		resource.PaneColumn("name", table.TextCell(theme.Plain, linkName)).MinWidth(20).Label(),
		resource.PaneColumn("bucket", table.TextCell(theme.Muted, bucket)).MinWidth(16),
		resource.PaneColumn("left", linkRemainingCell).Width(8).AlignRight().
			SortedBy(func(r, s row) bool { return r.Expires.Before(s.Expires) }),
	)
}

// linkName returns the name of the object that a link leads to.
func linkName(l *account.PresignedLink) string { return l.Name.String() }

// linkRemainingCell shows how long a link is still valid.
func linkRemainingCell(l *account.PresignedLink, b ui.Box) (string, theme.Tone) {
	switch {
	case l.Expires.IsZero():
		return "unknown", theme.Warn
	case l.Expired(b.Now):
		return "expired", theme.Muted
	}
	return wording.FormatAge(l.Expires.Sub(b.Now)), theme.Plain
}

// linkOperations are the actions on a link.
func linkOperations(a *account.Account) []table.RowAction[*account.PresignedLink] {
	over := func(l *account.PresignedLink) string {
		return wording.If(l.Expired(a.Now()), "the link has expired")
	}
	return []table.RowAction[*account.PresignedLink]{
		{
			Keys:        []string{"enter", "l", "right"},
			Name:        "open",
			Description: "show the full link, which can then be opened in the browser",
			ShowInHints: true,
			OpenPane:    func(l *account.PresignedLink) ui.Pane { return &linkView{a: a, link: l} },
		},
		{
			Keys:           []string{"y"},
			Name:           "copy the link",
			ShowInHints:    true,
			DisabledReason: over,
			Message:        func(l *account.PresignedLink) tea.Msg { return operation.CopyURL(l) },
		},
		{
			Keys:           []string{"c"},
			Name:           "copy as curl",
			ShowInHints:    true,
			DisabledReason: over,
			Message:        func(l *account.PresignedLink) tea.Msg { return operation.CopyCurl(l) },
		},
	}
}

// linkLifetime is how long a link is valid, as the form offers it.
type linkLifetime string

// The lifetimes, and the bounds of a custom one ("expires_in").
const (
	lifetime15m    linkLifetime = "15 min"
	lifetime1h     linkLifetime = "1 h"
	lifetime6h     linkLifetime = "6 h"
	lifetime24h    linkLifetime = "24 h"
	lifetimeCustom linkLifetime = "seconds"

	minLifetimeSeconds = 360
	maxLifetimeSeconds = 86400
)

// linkInput holds the values of the form for a link.
type linkInput struct {
	request  client.PresignRequest
	lifetime linkLifetime
	seconds  int // the lifetime, if it is lifetimeCustom
}

// lifetimeSeconds returns how long the link is to be valid.
func (in *linkInput) lifetimeSeconds() int {
	switch in.lifetime {
	case lifetime15m:
		return 15 * 60
	case lifetime6h:
		return 6 * 3600
	case lifetime24h:
		return 24 * 3600
	case lifetimeCustom:
		return in.seconds
	}
	return 3600
}

// fields are the fields of the form.
func (in *linkInput) fields() []form.Field {
	seconds := form.Number("seconds", "Seconds", &in.seconds, minLifetimeSeconds, maxLifetimeSeconds)
	method := form.Choice("method", "Method", &in.request.Method, "GET", "PUT", "DELETE")
	puts := func() bool { return in.request.Method == "PUT" }
	kind := form.Text(
		"content_type",
		"Content type",
		&in.request.ContentType,
		form.Length(0, 255),
		func(text string) string {
			return wording.If(text == "" && puts(), "required for PUT: the upload must send the same value")
		},
	)
	return []form.Field{
		form.Choice(
			"expires_in", "Valid for", &in.lifetime, lifetime15m, lifetime1h, lifetime6h, lifetime24h, lifetimeCustom,
		),
		seconds.When(func() bool { return in.lifetime == lifetimeCustom }),
		method.Note("GET reads the object, PUT stores it, DELETE deletes it"),
		kind.When(puts),
	}
}

// linkForm makes a pre-signed URL for people ("Object Storage", rule 4). It is a change, because anyone who has
// the URL needs no key.
func linkForm(a *account.Account, b *client.Bucket, name string) form.Form {
	in := &linkInput{request: client.PresignRequest{Name: name, Method: "GET"}, lifetime: lifetime1h, seconds: 3600}
	ref := b.Object(name)
	review := func() string {
		if seconds := in.lifetimeSeconds(); seconds < minLifetimeSeconds || seconds > maxLifetimeSeconds {
			return "" // the field says why
		}
		end := a.Now().Add(time.Duration(in.lifetimeSeconds()) * time.Second)
		return "It expires at about " + formatLocalAndUTC(a, end, "Mon 2 Jan 15:04:05 MST")
	}
	f := form.Form{
		Title:           "Link to " + client.Clean(name),
		BusyText:        "asking",
		SubmitLabel:     "create link",
		Text:            "Anyone who has the link can do this one thing, without a key, until it expires.",
		Fields:          in.fields(),
		EnterSubmits:    func() bool { return in.request.Method == "GET" },
		Review:          review,
		WhyResendIsSafe: "Nobody has the link from the lost response",
	}
	ask := func() operation.ConfirmationRequest {
		object := client.Clean(name) + " in " + bucketName(b)
		effect := fmt.Sprintf("Creates a link to %s %s. %s", in.request.Method, object, review())
		return operation.ConfirmationRequest{
			Ops:     []string{in.request.Op()},
			IDs:     []string{ref.ID()},
			Name:    "create link",
			Confirm: resource.ConfirmationSpec{Title: "Link to " + client.Clean(name), Effect: effect},
		}
	}
	return operation.FormWithConsent(
		a,
		f,
		ask,
		func(ctx context.Context, c account.Consents) (func() tea.Cmd, error) {
			request := in.request
			request.Expires = in.lifetimeSeconds()
			link, err := createLink(ctx, a, ref, request, c[request.Op()])
			if err != nil {
				return nil, err
			}
			return func() tea.Cmd {
				a.LinkStore().Refresh()
				cmds := []tea.Cmd{ui.Send(ui.OpenPaneMsg{Pane: &linkView{a: a, link: link}})}
				if warning := linkWarning(link); warning != "" {
					cmds = append(cmds, ui.ShowStatus(theme.Warn, client.Clean(name)+": "+warning))
				}
				return tea.Batch(cmds...)
			}, nil
		},
	)
}

// createLink makes a link and keeps it among those of this run.
func createLink(
	ctx context.Context, a *account.Account, ref client.ObjectRef, request client.PresignRequest,
	consent *client.Consent,
) (*account.PresignedLink, error) {
	w, err := a.API.Begin(client.Change{
		Op:       request.Op(),
		Resource: "object",
		ID:       ref.ID(),
		Label:    ref.Name,
	}, consent)
	if err != nil {
		return nil, err
	}
	signed, err := w.CreateObjectURL(ctx, ref.Cluster, ref.Bucket, request)
	if err != nil {
		return nil, err
	}
	expires, _ := signed.Expires()
	return a.Links.Add(account.PresignedLink{
		Bucket:      client.Clean(client.BucketID(ref.Cluster, ref.Bucket)),
		Name:        client.NewText(ref.Name),
		Method:      request.Method,
		ContentType: request.ContentType,
		URL:         signed.URL,
		Expires:     expires,
		Exists:      a.API.Objects.Exists(ctx, ref, signed),
	}), nil
}

// linkView is the pane of one link.
type linkView struct {
	a      *account.Account
	link   *account.PresignedLink
	scroll ui.Viewport
}

// Name identifies the actions: "link.copy the link".
func (p *linkView) Name() string { return "link" }

// Info says that there is nothing to read.
func (p *linkView) Info() ui.Info {
	return ui.Info{Crumb: "link", Freshness: lists.Freshness{Loaded: true}, ReadOnRequest: true}
}

// Refresh does nothing: there is nothing to read.
func (p *linkView) Refresh() {}

// Update scrolls.
func (p *linkView) Update(msg tea.Msg) tea.Cmd { return p.scroll.Update(msg) }

// Actions copy the link or open it.
func (p *linkView) Actions() []ui.Action {
	acts := []ui.Action{
		{
			Key:         ui.Bind("copy the link", "y", "enter"),
			ShowInHints: true,
			Do:          func() tea.Cmd { return ui.Send(operation.CopyURL(p.link)) },
		},
		{
			Key:         ui.Bind("copy as curl", "c"),
			ShowInHints: true,
			Do:          func() tea.Cmd { return ui.Send(operation.CopyCurl(p.link)) },
		},
		{
			Key:            ui.Bind("open in browser", "o"),
			DisabledReason: wording.If(p.link.Method != "GET", "a browser can only read"),
			Do:             func() tea.Cmd { return ui.Send(ui.OpenURLMsg{URL: p.link.URL.Reveal()}) },
		},
		linksAction(p.a),
		ui.GoUpAction(ui.ClosePane),
	}
	return append(acts, p.scroll.Actions()...)
}

// View shows the link and when it expires.
func (p *linkView) View(b ui.Box) string {
	t := operation.NewDetailWriter(b)
	l := p.link
	writeLink(p.a, t, l)
	t.Heading("link")
	for _, line := range ui.Hardwrap(client.Clean(l.URL.Reveal()), b.Width) {
		t.Paragraph(line, theme.Accent)
	}
	return p.scroll.View(b, t.String())
}

// writeLink writes what a link allows, and until when.
func writeLink(a *account.Account, t *operation.DetailWriter, l *account.PresignedLink) {
	t.Title(l.Method + " " + l.Name.String())
	t.Field("bucket", l.Bucket, theme.Muted)
	t.Field("expires", formatLinkExpiry(a, l, t.Box.Now), theme.Warn)
	if warning := linkWarning(l); warning != "" {
		t.Field("object", warning, theme.Warn)
	}
	if l.ContentType != "" {
		t.Field("content type", client.Clean(l.ContentType)+" (send exactly this)", theme.Plain)
	}
}

// formatLinkExpiry says when a link expires, in local time and in UTC.
func formatLinkExpiry(a *account.Account, l *account.PresignedLink, now time.Time) string {
	switch {
	case l.Expires.IsZero():
		return "unknown: the link does not say"
	case l.Expired(now):
		return "expired"
	}
	left := wording.FormatAge(l.Expires.Sub(now))
	return fmt.Sprintf("%s, in %s", formatLocalAndUTC(a, l.Expires, "Mon 15:04:05 MST"), left)
}

// linkWarning says what the link does not do as long as its object is missing, or does to one that is there; "" if
// there is nothing to say.
func linkWarning(l *account.PresignedLink) string {
	exists, known := l.Exists.Value()
	switch {
	case known && !exists && l.Method != "PUT":
		return "no object has this name: the link fails until there is one"
	case known && exists && l.Method == "PUT":
		return "an object has this name: an upload to the link replaces it"
	}
	return ""
}

// formatLocalAndUTC returns a time in local time, followed by UTC if that differs.
func formatLocalAndUTC(a *account.Account, t time.Time, layout string) string {
	local := t.In(a.Location)
	if _, offset := local.Zone(); offset == 0 {
		return local.Format(layout)
	}
	return local.Format(layout) + " = " + t.UTC().Format("15:04:05 UTC")
}
