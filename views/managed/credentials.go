package managed

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
	"lookout/views/account"
	"lookout/views/resource"
)

func CredentialsPane(a *account.Account) ui.Pane {
	return &table.List[*client.Credential]{
		Title:        "credentials",
		Store:        a.Credentials(),
		JoinedStores: []table.JoinedStore{a.Services(), a.SshKey()},
		Columns: []table.Column[*client.Credential]{
			{
				Title: "label",
				Min:   16,
				Cell:  func(c *client.Credential, _ ui.Box) (string, theme.Tone) { return c.Label.String(), theme.Strong },
			},
			{
				Title:      "last decrypted",
				Width:      14,
				AlignRight: true,
				Cell:       lastDecryptedCell,
				Less:       func(c, d *client.Credential) bool { return d.LastDecrypted.Time().Before(c.LastDecrypted.Time()) },
			},
			{
				Title:        "used by",
				Min:          20,
				DropPriority: 1,
				Cell: func(c *client.Credential, b ui.Box) (string, theme.Tone) {
					used := a.ServicesUsingCredential(c.ID)
					return resource.Cell(used, b.Theme.Glyphs.Ellipsis, serviceLabels), theme.Plain
				},
			},
		},
		RowActions: account.RequireScope(a, account.AccountWriteScope, credentialOperations(a)),
		PaneActions: func() []ui.Action {
			return a.RequireScopeForActions(account.AccountWriteScope, credentialActions(a)...)
		},
		Detail: func(c *client.Credential, b ui.Box) string { return credentialDetail(a, c, b) },
		FetchOne: func(ctx context.Context, c *client.Credential) (*client.Credential, error) {
			return a.Api.Credentials.Get(ctx, c.ID)
		},
		CopyItems: account.CopyItemsByID(a, "credentials", "view credential", func(c *client.Credential) int { return c.ID }),
		EmptyText: "no credentials yet · n adds one",
		SortBy:    "label",
	}
}

// lastDecryptedCell is when support last used a credential. Null means never.
func lastDecryptedCell(c *client.Credential, b ui.Box) (string, theme.Tone) {
	if c.LastDecrypted.IsZero() {
		return "never", theme.Muted
	}
	return account.FormatAge(c.LastDecrypted, b.Now) + " ago", theme.Plain
}

// serviceLabels are the names of services in one line.
func serviceLabels(services []*client.Service) string {
	names := make([]string, len(services))
	for i, s := range services {
		names[i] = s.Label.String()
	}
	return account.JoinWithCommas(names)
}

func credentialOperations(a *account.Account) []table.RowAction[*client.Credential] {
	return []table.RowAction[*client.Credential]{
		{
			Keys:        []string{"e"},
			Name:        "edit label",
			ShowInHints: true,
			Writes:      true,
			Form:        func(rows []*client.Credential) form.Form { return renameCredentialForm(a, rows[0]) },
		},
		{
			Keys:        []string{"P"},
			Name:        "change login",
			Description: "user name and password",
			ShowInHints: true,
			Writes:      true,
			Form:        func(rows []*client.Credential) form.Form { return changeLoginForm(a, rows[0]) },
		},
		{
			Keys:         []string{"D"},
			Name:         "delete",
			Description:  "support loses access to it",
			ProgressText: "deleting",
			SuccessText:  "deleted",
			Writes:       true,
			Many:         true,
			Confirm:      func(c *client.Credential) *ui.Confirmation { return confirmDeleteCredential(a, c) },
			Run: func(ctx context.Context, c *client.Credential) (ui.Result[*client.Credential], error) {
				return ui.ResultDeleted[*client.Credential](
					a.Api.Credentials.Delete(contextWithCredential(ctx, c), c.ID),
				)
			},
		},
		account.FollowReference(
			func(c *client.Credential) resource.Joined[account.Reference] {
				return account.ReferencesToServices(a.ServicesUsingCredential(c.ID))
			},
		),
	}
}

func contextWithCredential(ctx context.Context, c *client.Credential) context.Context {
	return client.ContextWithResource(
		client.ContextWithBefore(ctx, account.LabelRequest{Label: c.Label.Raw()}),
		"credential",
		account.FormatID(c.ID),
		c.Label.String(),
	)
}

func credentialActions(a *account.Account) []ui.Action {
	key, known := account.OnlyRow(a.SshKey())
	return []ui.Action{
		{
			Key:         ui.Bind("new credential", "n"),
			Group:       "this list",
			Writes:      true,
			OpensView:   true,
			ShowInHints: true,
			Do:          func() tea.Cmd { return ui.Send(form.OpenFormMsg{Form: newCredentialForm(a)}) },
		},
		{
			Key:            ui.Bind("copy managed SSH key", "K"),
			Group:          "this list",
			Description:    "the public key that lets support staff log in to an instance",
			ShowInHints:    true,
			DisabledReason: account.ReasonIf(!known, resource.StateOf(a.SshKey()).String()),
			Do: func() tea.Cmd {
				return ui.Send(ui.CopyMsg{Text: key.SSHKey.Raw(), Label: "managed SSH " +
					"key"})
			},
		},
	}
}

func confirmDeleteCredential(a *account.Account, c *client.Credential) *ui.Confirmation {
	text := fmt.Sprintf("Credential %q (id %d) is deleted: support staff lose access to it.", c.Label, c.ID)
	text += resource.Fold(a.ServicesUsingCredential(c.ID), func(used []*client.Service) string {
		if len(used) == 0 {
			return ""
		}
		return fmt.Sprintf(" %s it.", servicesNamePhrase(used))
	}, func(_ []*client.Service, s resource.JoinState) string {
		return fmt.Sprintf(" Which services use it is not known (%s).", s.Reason())
	})
	return &ui.Confirmation{
		Title:        "Delete credential",
		Text:         text,
		RequiredText: c.Label.String(),
		ConfirmLabel: "delete",
	}
}

func credentialDetail(a *account.Account, c *client.Credential, b ui.Box) string {
	t := account.NewDetailWriter(b)
	t.Title(c.Label.String())
	used, tone := lastDecryptedCell(c, b)
	t.Field("decrypted", used, tone)
	t.Paragraph("User name and password are never shown by the API.", theme.Muted)
	t.Heading("used by")
	t.Services(a.ServicesUsingCredential(c.ID), "no service")
	t.Heading("managed SSH key · K copies it")
	resource.List(t, account.All(a.SshKey()), func(key *client.SSHKey) { t.ServerText(key.SSHKey.Raw()) }, "")
	return t.String()
}

func newCredentialForm(a *account.Account) form.Form {
	var label, user, password string
	before := a.Credentials().Rows()
	f := form.NewStoreForm(
		a.Credentials(),
		"New credential",
		append(
			[]form.Field{form.Text("label", "Label", &label, form.Length(2, 75), checkCredentialLabelUnused(a, 0))},
			loginFields(&user, &password)...),
		func(c *client.Credential) string { return c.Label.String() + ": added" },
		func(ctx context.Context) (ui.Result[*client.Credential], error) {
			return ui.ResultRow(a.Api.Credentials.Create(
				client.ContextWithResource(ctx, "credential", "", label),
				client.CredentialRequest{
					Label:    label,
					Username: client.NewSecret(user),
					Password: client.NewSecret(password),
				},
			))
		},
		func(now []*client.Credential) ui.AttemptOutcome {
			return account.CreateOutcome(
				before,
				now,
				credentialID,
				func(c *client.Credential) bool { return c.Label.Raw() == label },
			)
		},
	)
	f.ProgressText, f.SubmitLabel = "adding", "add"
	return f
}

func credentialID(c *client.Credential) int { return c.ID }

// checkCredentialLabelUnused checks that no other credential has the label: it must be unique.
func checkCredentialLabelUnused(a *account.Account, own int) form.Check {
	return func(text string) string {
		taken := slices.ContainsFunc(
			a.Credentials().Rows(),
			func(c *client.Credential) bool { return c.ID != own && c.Label.Raw() == text },
		)
		return account.ReasonIf(taken, "another credential has this label")
	}
}

// loginFields are the fields of a user name and a password. The document bounds the user name only.
func loginFields(user, password *string) []form.Field {
	return []form.Field{
		form.Text("username", "User name", user, form.Length(0, 5000)),
		form.Secret("password", "Password", password, form.Required()),
	}
}

func renameCredentialForm(a *account.Account, c *client.Credential) form.Form {
	was := account.LabelRequest{Label: c.Label.Raw()}
	e := &account.EditState[account.LabelRequest]{Original: was, Latest: was, Edited: was}
	f := form.NewStoreForm(
		a.Credentials(),
		fmt.Sprintf("Label of credential %d", c.ID),
		[]form.Field{
			form.Text("label", "Label", &e.Edited.Label, form.Length(2, 75), checkCredentialLabelUnused(a, c.ID)),
		},
		func(c *client.Credential) string { return c.Label.String() + ": saved" },
		func(ctx context.Context) (ui.Result[*client.Credential], error) {
			return account.SaveEdit(
				contextWithCredential(ctx, c),
				e,
				func(ctx context.Context) (*client.Credential, error) { return a.Api.Credentials.Get(ctx, c.ID) },
				func(c *client.Credential) account.LabelRequest { return account.LabelRequest{Label: c.Label.Raw()} },
				func(ctx context.Context, _ client.Patch) (*client.Credential, error) {
					return a.Api.Credentials.Update(ctx, c.ID, e.Edited.Label)
				},
			)
		},
		account.UpdateOutcome(
			c.ID,
			credentialID,
			func(now *client.Credential) bool { return now.Label.Raw() == e.Edited.Label },
		),
	)
	f.EnterSubmits = form.AlwaysSubmit
	f.ProgressText, f.SubmitLabel = "saving", "save"
	return f
}

// changeLoginForm replaces user name and password. Nothing can be read back: an unknown outcome offers to send the same
// again, which does no harm.
func changeLoginForm(a *account.Account, c *client.Credential) form.Form {
	var user, password string
	f := form.NewStoreForm(a.Credentials(), "Login of "+c.Label.String(), loginFields(&user, &password),
		func(*client.Credential) string { return c.Label.String() + ": login is changed" },
		func(ctx context.Context) (ui.Result[*client.Credential], error) {
			return ui.ResultReload[*client.Credential](a.Api.Credentials.SetLogin(contextWithCredential(ctx, c), c.ID,
				client.LoginRequest{Username: client.NewSecret(user), Password: client.NewSecret(password)}))
		},
		func([]*client.Credential) ui.AttemptOutcome { return ui.Unknown })
	f.Text = "The password is sent once and not kept. The API tells nothing about it afterwards."
	f.WhyResendIsSafe = "Sending the same login twice does no harm"
	f.ProgressText, f.SubmitLabel = "changing", "change"
	return f
}
