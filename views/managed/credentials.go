package managed

import (
	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/account"
	"lookout/views/resource"
)

// CredentialsPane returns the pane of the logins that support staff may use.
func CredentialsPane(a *account.Account) ui.Pane {
	changes := credentialRunner(a)
	list := &table.List[*client.Credential]{
		Title:        "credentials",
		Store:        a.Credentials(),
		JoinedStores: []table.JoinedStore{a.Services(), a.SSHKey()},
		Columns:      changes.Resource.PaneColumns(),
		RowActions: append(
			changes.RowActions(),
			account.FollowReference(func(c *client.Credential) resource.Joined[account.LinkedRow] {
				return account.ReferencesToServices(a.ServicesUsingCredential(c.ID))
			}),
		),
		PaneActions: func() []ui.Action { return credentialActions(a, changes) },
		LongTexts:   account.LongTexts[*client.Credential],
		Detail:      func(c *client.Credential, b ui.Box) string { return credentialDetail(a, c, b) },
		FetchOne:    changes.FetchOne,
		CopyItems: account.CopyItemsByID(
			a, "credentials", "view credential", func(c *client.Credential) int { return c.ID },
		),
		EmptyText: "no credentials yet · n adds one",
		SortBy:    "label",
	}
	return account.WithDetailSidebar(a, list, func(row *client.Credential, inside ui.Box) []ui.StackedPanel {
		return []ui.StackedPanel{
			issuesOfServicesPanel(a, "Issues of services that use it", a.ServicesUsingCredential(row.ID), inside),
			account.ChangesPanel(a, "credential", account.FormatID(row.ID), inside),
		}
	}, a.Issues())
}

// credentialColumns returns the columns of credentials.
func credentialColumns(a *account.Account) []resource.ColumnDefinition[*client.Credential] {
	type row = *client.Credential
	type column = resource.ColumnDefinition[row]
	return []column{
		resource.IDColumn(credentialID),
		resource.TextColumn(
			column{Name: "label", Pane: table.Column[row]{Min: 16}},
			theme.Strong, func(c row) client.ServerText { return c.Label },
		),
		{
			Name:  "last_decrypted",
			Value: func(c row) string { return resource.TimeValue(c.LastDecrypted) },
			Pane: table.Column[row]{
				Title:      "last decrypted",
				Width:      14,
				AlignRight: true,
				Cell:       lastDecryptedCell,
				Less:       func(c, d row) bool { return d.LastDecrypted.Time().Before(c.LastDecrypted.Time()) },
			},
		},
		{
			Name: "used by",
			Pane: table.Column[row]{
				Min:          20,
				DropPriority: 1,
				Cell: func(c row, b ui.Box) (string, theme.Tone) {
					used := a.ServicesUsingCredential(c.ID)
					return resource.Cell(used, b.Theme.Glyphs.Ellipsis, func(all []*client.Service) string {
						return account.JoinWithCommas(serviceLabels(all))
					}), theme.Plain
				},
				Shorten: func(c row, b ui.Box) string {
					used := a.ServicesUsingCredential(c.ID)
					return resource.Cell(used, "", func(all []*client.Service) string {
						return account.FitNames(serviceLabels(all), b.Width)
					})
				},
			},
		},
	}
}

// lastDecryptedCell says when support last used a credential. The API returns null for never.
func lastDecryptedCell(c *client.Credential, b ui.Box) (string, theme.Tone) {
	if c.LastDecrypted.IsZero() {
		return "never", theme.Muted
	}
	return account.FormatAge(c.LastDecrypted, b.Now) + " ago", theme.Plain
}

// serviceLabels returns the labels of services.
func serviceLabels(services []*client.Service) []string {
	names := make([]string, len(services))
	for i, s := range services {
		names[i] = s.Label.String()
	}
	return names
}

// credentialActions are the actions that need no credential.
func credentialActions(a *account.Account, changes account.OperationRunner[*client.Credential]) []ui.Action {
	key, known := account.OnlyRow(a.SSHKey())
	return append(changes.NewActions(), ui.Action{
		Key:            ui.Bind("copy managed SSH key", "K"),
		Group:          "this list",
		Description:    "the public key that lets support staff log in to an instance",
		ShowInHints:    true,
		DisabledReason: account.ReasonIf(!known, resource.StateOf(a.SSHKey()).String()),
		Do:             func() tea.Cmd { return ui.Send(ui.CopyMsg{Text: key.SSHKey.Raw(), Label: "managed SSH key"}) },
	})
}

// credentialDetail returns everything about a credential, and the SSH key of support.
func credentialDetail(a *account.Account, c *client.Credential, b ui.Box) string {
	t := account.NewDetailWriter(b)
	t.Title(c.Label.String())
	used, tone := lastDecryptedCell(c, b)
	t.Field("decrypted", used, tone)
	t.Paragraph("The API never returns the user name or password.", theme.Muted)
	t.Heading("used by")
	t.Services(a.ServicesUsingCredential(c.ID), "no service")
	t.Heading("managed SSH key · K copies it")
	resource.List(t, account.AllRows(a, a.SSHKey()), func(key *client.SSHKey) { t.ServerText(key.SSHKey.Raw()) }, "")
	return t.String()
}
