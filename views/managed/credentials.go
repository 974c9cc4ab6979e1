package managed

import (
	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/join"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/operation"
	"lookout/views/resource"
)

// CredentialsPane returns the pane of the logins that support staff may use.
func CredentialsPane(a *account.Account) ui.Pane {
	changes := operation.NewRunner(a, a.Credentials(), Credentials(a))
	list := changes.List()
	list.JoinedStores = table.JoinedStores{a.Services(), a.SSHKey()}
	list.RowActions = append(
		list.RowActions, operation.FollowReference(func(c *client.Credential) join.Joined[operation.LinkedRow] {
			return operation.ReferencesToServices(a.ServicesUsingCredential(c.ID))
		}),
	)
	list.PaneActions = func() []ui.Action { return append(changes.NewActions(), copySSHKeyAction(a)) }
	list.Detail = func(c *client.Credential, b ui.Box) string { return credentialDetail(a, c, b) }
	list.EmptyText, list.SortBy = "no credentials yet · n adds one", "label"
	return operation.WithDetailSidebar(a, list, func(row *client.Credential, inside ui.Box) []ui.StackedPanel {
		return []ui.StackedPanel{
			issuesOfServicesPanel(a, "Issues of services that use it", a.ServicesUsingCredential(row.ID), inside),
			operation.ChangesPanel(a, "credential", account.FormatID(row.ID), inside),
		}
	}, a.Issues())
}

// credentialColumns returns the columns of credentials.
func credentialColumns(a *account.Account) []resource.ColumnDefinition[*client.Credential] {
	type row = *client.Credential
	users := func(c row, mark string, text func([]string) string) string {
		return join.Cell(a.ServicesUsingCredential(c.ID), mark, func(all []*client.Service) string {
			return text(serviceLabels(all))
		})
	}
	return []resource.ColumnDefinition[row]{
		resource.IDColumn(credentialID),
		resource.TextColumn("label", theme.Plain, credentialLabel).MinWidth(16).Label(),
		resource.NewColumn("last_decrypted", func(c row) string {
			return resource.TimeValue(c.LastDecrypted)
		}, lastDecryptedCell).Titled("last decrypted").Width(14).AlignRight().
			SortedBy(func(c, d row) bool { return d.LastDecrypted.Time().Before(c.LastDecrypted.Time()) }),
		resource.PaneColumn("used by", func(c row, b ui.Box) (string, theme.Tone) {
			return users(c, b.Theme.Glyphs.Ellipsis, account.JoinWithCommas), theme.Plain
		}).MinWidth(20).Drop(1, 0).Shortened(func(c row, b ui.Box) string {
			return users(c, "", func(names []string) string { return operation.FitNames(names, b.Width) })
		}),
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

// copySSHKeyAction copies the public key that lets support log in.
func copySSHKeyAction(a *account.Account) ui.Action {
	key, known := account.OnlyRow(a.SSHKey())
	return ui.Action{
		Key:            ui.Bind("copy managed SSH key", "K"),
		Group:          "this list",
		Description:    "the public key that lets support staff log in to an instance",
		ShowInHints:    true,
		DisabledReason: wording.If(!known, join.StateOf(a.SSHKey()).String()),
		Do:             func() tea.Cmd { return ui.Send(ui.CopyMsg{Text: key.SSHKey.Raw(), Label: "managed SSH key"}) },
	}
}

// credentialDetail returns everything about a credential, and the SSH key of support.
func credentialDetail(a *account.Account, c *client.Credential, b ui.Box) string {
	t := operation.NewDetailWriter(b)
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
