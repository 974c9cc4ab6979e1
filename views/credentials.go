package views

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
)

func (a *Account) credentials() *ui.Store[*client.Credential] {
	return share(a, "credentials", func(c *client.Credential) string { return ordinal(c.ID) }, numbered(a.api.Credentials.List))
}

func (a *Account) sshKey() *ui.Store[*client.SSHKey] {
	return share(a, "managed ssh key", func(*client.SSHKey) string { return "account" }, single(a.api.Credentials.SSHKey))
}

func (a *Account) credentialsPane() ui.Pane {
	return &ui.List[*client.Credential]{
		Title:        "credentials",
		Store:        a.credentials(),
		JoinedStores: []ui.JoinedStore{a.services(), a.sshKey()},
		Columns: []ui.Column[*client.Credential]{
			{Title: "label", Min: 16, Cell: func(c *client.Credential, _ ui.Box) (string, theme.Tone) { return c.Label.String(), theme.Strong }},
			{Title: "last decrypted", Width: 14, AlignRight: true, Cell: lastDecrypted,
				Less: func(c, d *client.Credential) bool { return d.LastDecrypted.Time().Before(c.LastDecrypted.Time()) }},
			{Title: "used by", Min: 20, DropPriority: 1, Cell: func(c *client.Credential, _ ui.Box) (string, theme.Tone) {
				return labels(a.servicesUsing(c.ID)), theme.Plain
			}},
		},
		Operations:  scoped(a, accountWrite, a.credentialActs()),
		PaneActions: func() []ui.Action { return a.scopedActions(accountWrite, a.credentialActions()...) },
		Detail:      a.credentialDetail,
		FetchOne: func(ctx context.Context, c *client.Credential) (*client.Credential, error) {
			return a.api.Credentials.Get(ctx, c.ID)
		},
		CopyItems: numberedLines(a, "credentials", "view credential", func(c *client.Credential) int { return c.ID }),
		EmptyText: "no credentials yet · n adds one",
		SortBy:    "label",
	}
}

// lastDecrypted is when support last used a credential. Null means never.
func lastDecrypted(c *client.Credential, b ui.Box) (string, theme.Tone) {
	if c.LastDecrypted.IsZero() {
		return "never", theme.Muted
	}
	return ago(c.LastDecrypted, b.Now) + " ago", theme.Plain
}

// labels are the names of services in one line.
func labels(services []*client.Service) string {
	names := make([]string, len(services))
	for i, s := range services {
		names[i] = s.Label.String()
	}
	return joined(names)
}

func (a *Account) credentialActs() []ui.Operation[*client.Credential] {
	return []ui.Operation[*client.Credential]{
		{Keys: []string{"e"}, Name: "edit label", ShowInHints: true, Writes: true, Form: func(rows []*client.Credential) ui.Form { return a.renameCredential(rows[0]) }},
		{Keys: []string{"P"}, Name: "change login", Description: "user name and password", ShowInHints: true, Writes: true, Form: func(rows []*client.Credential) ui.Form { return a.changeLogin(rows[0]) }},
		{Keys: []string{"D"}, Name: "delete", Description: "support loses access to it", ProgressText: "deleting", SuccessText: "deleted", Writes: true, Many: true,
			Confirm: a.deleteCredential,
			Run: func(ctx context.Context, c *client.Credential) (ui.Result[*client.Credential], error) {
				return ui.ResultDeleted[*client.Credential](a.api.Credentials.Delete(aboutCredential(ctx, c), c.ID))
			}},
		follow(func(c *client.Credential) []name { return serviceNames(a.servicesUsing(c.ID)) }),
	}
}

func aboutCredential(ctx context.Context, c *client.Credential) context.Context {
	return client.ContextWithResource(client.ContextWithBefore(ctx, labelled{c.Label.Raw()}), "credential", ordinal(c.ID), c.Label.String())
}

func (a *Account) credentialActions() []ui.Action {
	key, known := the(a.sshKey())
	return []ui.Action{
		{Key: ui.Bind("new credential", "n"), Group: "this list", Writes: true, OpensView: true, ShowInHints: true,
			Do: func() tea.Cmd { return ui.Send(ui.OpenFormMsg{Form: a.newCredential()}) }},
		{Key: ui.Bind("copy managed SSH key", "K"), Group: "this list", Description: "the public key that lets support staff log in to an instance", ShowInHints: true,
			DisabledReason: because(!known, "the key has not been read yet"),
			Do:             func() tea.Cmd { return ui.Send(ui.CopyMsg{Text: key.SSHKey.Raw(), Label: "managed SSH key"}) }},
	}
}

func (a *Account) deleteCredential(c *client.Credential) *ui.Confirmation {
	text := fmt.Sprintf("Credential %q (id %d) is deleted: support staff lose access to it.", c.Label, c.ID)
	if used := a.servicesUsing(c.ID); len(used) > 0 {
		text += fmt.Sprintf(" %s it.", naming(used))
	}
	return &ui.Confirmation{Title: "Delete credential", Text: text, RequiredText: c.Label.String(), ConfirmLabel: "delete"}
}

func (a *Account) credentialDetail(c *client.Credential, b ui.Box) string {
	t := newSheet(b)
	t.title(c.Label.String())
	used, tone := lastDecrypted(c, b)
	t.line("decrypted", used, tone)
	t.say("User name and password are never shown by the API.", theme.Muted)
	t.heading("used by")
	t.services(a.servicesUsing(c.ID), "no service")
	if key, known := the(a.sshKey()); known {
		t.heading("managed SSH key · K copies it")
		t.text(key.SSHKey.Raw())
	}
	return t.String()
}

func (a *Account) newCredential() ui.Form {
	var label, user, password string
	before := a.credentials().Rows()
	form := ui.NewStoreForm(a.credentials(), "New credential", append([]ui.Field{ui.Text("label", "Label", &label, ui.Length(2, 75), a.freeLabel(0))}, login(&user, &password)...),
		func(c *client.Credential) string { return c.Label.String() + ": added" },
		func(ctx context.Context) (ui.Result[*client.Credential], error) {
			return ui.ResultRow(a.api.Credentials.Create(client.ContextWithResource(ctx, "credential", "", label),
				client.CredentialRequest{Label: label, Username: client.NewSecret(user), Password: client.NewSecret(password)}))
		},
		func(now []*client.Credential) ui.AttemptOutcome {
			return created(before, now, credentialID, func(c *client.Credential) bool { return c.Label.Raw() == label })
		})
	form.ProgressText, form.SubmitLabel = "adding", "add"
	return form
}

func credentialID(c *client.Credential) int { return c.ID }

// freeLabel checks that no other credential has the label: it must be unique.
func (a *Account) freeLabel(own int) ui.Check {
	return func(text string) string {
		taken := slices.ContainsFunc(a.credentials().Rows(), func(c *client.Credential) bool { return c.ID != own && c.Label.Raw() == text })
		return because(taken, "another credential has this label")
	}
}

// login are the fields of a user name and a password. The document bounds the user name only.
func login(user, password *string) []ui.Field {
	return []ui.Field{
		ui.Text("username", "User name", user, ui.Length(0, 5000)),
		ui.Secret("password", "Password", password, ui.Required()),
	}
}

// labelled is a thing of which only the label can be changed.
type labelled struct {
	Label string `json:"label"`
}

func (a *Account) renameCredential(c *client.Credential) ui.Form {
	was := labelled{c.Label.Raw()}
	e := &edit[labelled]{was, was, was}
	form := ui.NewStoreForm(a.credentials(), fmt.Sprintf("Label of credential %d", c.ID), []ui.Field{ui.Text("label", "Label", &e.in.Label, ui.Length(2, 75), a.freeLabel(c.ID))},
		func(c *client.Credential) string { return c.Label.String() + ": saved" },
		func(ctx context.Context) (ui.Result[*client.Credential], error) {
			return save(aboutCredential(ctx, c), e, func(ctx context.Context) (*client.Credential, error) { return a.api.Credentials.Get(ctx, c.ID) },
				func(c *client.Credential) labelled { return labelled{c.Label.Raw()} },
				func(ctx context.Context, _ client.Patch) (*client.Credential, error) {
					return a.api.Credentials.Update(ctx, c.ID, e.in.Label)
				})
		},
		changed(c.ID, credentialID, func(now *client.Credential) bool { return now.Label.Raw() == e.in.Label }))
	form.EnterSubmits = ui.AlwaysSubmit
	form.ProgressText, form.SubmitLabel = "saving", "save"
	return form
}

// changeLogin replaces user name and password. Nothing can be read back: an unknown outcome offers to send the same again, which does no harm.
func (a *Account) changeLogin(c *client.Credential) ui.Form {
	var user, password string
	form := ui.NewStoreForm(a.credentials(), "Login of "+c.Label.String(), login(&user, &password),
		func(*client.Credential) string { return c.Label.String() + ": login is changed" },
		func(ctx context.Context) (ui.Result[*client.Credential], error) {
			return ui.ResultReload[*client.Credential](a.api.Credentials.SetLogin(aboutCredential(ctx, c), c.ID,
				client.LoginRequest{Username: client.NewSecret(user), Password: client.NewSecret(password)}))
		},
		func([]*client.Credential) ui.AttemptOutcome { return ui.Unknown })
	form.Text = "The password is sent once and not kept. The API tells nothing about it afterwards."
	form.WhyResendIsSafe = "Sending the same login twice does no harm"
	form.ProgressText, form.SubmitLabel = "changing", "change"
	return form
}

// credentialLabels names credentials; #7 where the label is not known.
func (a *Account) credentialLabels(ids []int) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = fmt.Sprintf("#%d", id)
		if c, found := a.credentials().Get(ordinal(id)); found {
			names[i] = c.Label.String()
		}
	}
	return names
}

func (a *Account) credentialOptions() []ui.Option {
	rows := a.credentials().Rows()
	options := make([]ui.Option, len(rows))
	for i, c := range rows {
		options[i] = ui.Option{ID: c.ID, Label: c.Label.String()}
	}
	return options
}
