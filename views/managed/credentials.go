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
	return &table.List[*client.Credential]{
		Title:        "credentials",
		Store:        a.Credentials(),
		JoinedStores: []table.JoinedStore{a.Services(), a.SSHKey()},
		Columns: []table.Column[*client.Credential]{
			{
				Title: "label",
				Min:   16,
				Cell:  table.TextCell(theme.Strong, func(c *client.Credential) string { return c.Label.String() }),
			},
			{
				Title:      "last decrypted",
				Width:      14,
				AlignRight: true,
				Cell:       lastDecryptedCell,
				Less: func(c, d *client.Credential) bool {
					return d.LastDecrypted.Time().Before(c.LastDecrypted.Time())
				},
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
		RowActions: append(
			changes.RowActions(),
			account.FollowReference(func(c *client.Credential) resource.Joined[account.Reference] {
				return account.ReferencesToServices(a.ServicesUsingCredential(c.ID))
			}),
		),
		PaneActions: func() []ui.Action { return credentialActions(a, changes) },
		Detail:      func(c *client.Credential, b ui.Box) string { return credentialDetail(a, c, b) },
		FetchOne:    changes.FetchOne,
		CopyItems: account.CopyItemsByID(
			a, "credentials", "view credential", func(c *client.Credential) int { return c.ID },
		),
		EmptyText: "no credentials yet · n adds one",
		SortBy:    "label",
	}
}

// lastDecryptedCell says when support last used a credential. The API returns null for never.
func lastDecryptedCell(c *client.Credential, b ui.Box) (string, theme.Tone) {
	if c.LastDecrypted.IsZero() {
		return "never", theme.Muted
	}
	return account.FormatAge(c.LastDecrypted, b.Now) + " ago", theme.Plain
}

// serviceLabels returns the labels of services in one line.
func serviceLabels(services []*client.Service) string {
	names := make([]string, len(services))
	for i, s := range services {
		names[i] = s.Label.String()
	}
	return account.JoinWithCommas(names)
}

// credentialActions are the actions that need no credential.
func credentialActions(a *account.Account, changes account.Runner[*client.Credential]) []ui.Action {
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
	t.Paragraph("The API never returns user name and password.", theme.Muted)
	t.Heading("used by")
	t.Services(a.ServicesUsingCredential(c.ID), "no service")
	t.Heading("managed SSH key · K copies it")
	resource.List(t, account.AllRows(a, a.SSHKey()), func(key *client.SSHKey) { t.ServerText(key.SSHKey.Raw()) }, "")
	return t.String()
}
