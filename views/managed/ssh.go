package managed

import (
	"cmp"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/account"
	"lookout/views/resource"
)

// SSHPane returns the pane of how support logs in to the instances.
func SSHPane(a *account.Account) ui.Pane {
	changes := instanceRunner(a)
	list := &table.List[*client.Instance]{
		Title:        "ssh",
		Store:        a.Instances(),
		Columns:      changes.Resource.PaneColumns(),
		JoinedStores: []table.JoinedStore{a.Services()},
		LongTexts:    account.LongTexts[*client.Instance],
		Detail:       func(i *client.Instance, b ui.Box) string { return sshDetail(a, i, b) },
		FetchOne:     changes.FetchOne,
		RowActions:   sshActions(a, changes),
		CopyItems: account.CopyItemsByID(
			a,
			"ssh",
			"view SSH settings",
			func(i *client.Instance) int { return i.ID },
		),
		EmptyText: "no instances: settings appear here with the account's first instance",
		SortBy:    "label",
		Search: table.RowSearch[*client.Instance]{
			By: func(i *client.Instance) []string { return []string{i.SSH.IP.String()} },
		},
	}
	return account.WithDetailSidebar(a, list, func(row *client.Instance, inside ui.Box) []ui.StackedPanel {
		return []ui.StackedPanel{
			issuesOfServicesPanel(a, "Issues at this address", a.ServicesOnInstance(row), inside),
			account.ChangesPanel(a, "instance", account.FormatID(row.ID), inside),
		}
	}, a.Issues())
}

// sshColumns returns the columns of the SSH settings of instances.
func sshColumns() []resource.ColumnDefinition[*client.Instance] {
	type row = *client.Instance
	type column = resource.ColumnDefinition[row]
	columns := []column{
		resource.IDColumn(instanceID),
		resource.TextColumn(
			column{Name: "label", Pane: table.Column[row]{Min: 14}},
			theme.Strong, func(i row) client.ServerText { return i.Label },
		),
		{
			Name: "access",
			Value: func(i row) string {
				if on, known := i.SSH.Access.Value(); known {
					return strconv.FormatBool(on)
				}
				return ""
			},
			Pane: table.Column[row]{Width: 9, Cell: func(i row, b ui.Box) (string, theme.Tone) {
				switch on, known := i.SSH.Access.Value(); {
				case !known:
					return account.UnknownText, theme.Warn
				case on:
					return b.Theme.Glyphs.OK + " on", theme.Good
				}
				return b.Theme.Glyphs.Disabled + " off", theme.Off
			}},
		},
	}
	columns = append(columns, sshLoginColumns()...)
	return append(columns, resource.TextColumn(
		column{Name: "group", DetailOnly: true, Pane: table.Column[row]{Width: 12, DropPriority: 5}},
		theme.Muted, func(i row) client.ServerText { return i.Group },
	), sshCommandColumn())
}

// sshLoginColumns returns the columns of user, address and port.
func sshLoginColumns() []resource.ColumnDefinition[*client.Instance] {
	type row = *client.Instance
	return []resource.ColumnDefinition[row]{
		{
			Name: "user",
			Value: func(i row) string {
				return account.ReasonIf(i.SSH.Known(), cmp.Or(i.SSH.User.Raw(), "root"))
			},
			Pane: table.Column[row]{Width: 12, Cell: table.TextCell(theme.Plain, sshUser)},
		},
		{
			Name:         "ip",
			Value:        func(i row) string { return i.SSH.IP.Raw() },
			DropPriority: 1,
			Pane:         table.Column[row]{Title: "address", Width: 16, Cell: table.TextCell(theme.Plain, sshAddress)},
		},
		{
			Name:  "port",
			Value: func(i row) string { return account.ReasonIf(i.SSH.Known(), strconv.Itoa(sshPort(i))) },
			Pane: table.Column[row]{
				Width:      5,
				AlignRight: true,
				Cell: table.TextCell(theme.Plain, func(i row) string {
					return account.OrDefault(account.ReasonIf(i.SSH.Known(), strconv.Itoa(sshPort(i))), "?")
				}),
			},
		},
	}
}

// sshCommandColumn returns the column of the ssh command.
func sshCommandColumn() resource.ColumnDefinition[*client.Instance] {
	type row = *client.Instance
	return resource.ColumnDefinition[row]{
		Name: "command",
		Pane: table.Column[row]{Min: 20, DropPriority: 4, Cell: func(i row, _ ui.Box) (string, theme.Tone) {
			line, ok := sshCommand(i)
			if !ok {
				return line, theme.Muted
			}
			return line, theme.Accent
		}},
	}
}

// sshActions returns all actions on an instance.
func sshActions(
	a *account.Account,
	changes account.OperationRunner[*client.Instance],
) []table.RowAction[*client.Instance] {
	noLine := func(i *client.Instance) string {
		_, ok := sshCommand(i)
		return account.ReasonIf(!ok, "the settings give no single address")
	}
	actions := []table.RowAction[*client.Instance]{
		{
			Keys:           []string{"y"},
			Name:           "copy ssh line",
			Description:    "the command that logs in to this instance",
			ShowInHints:    true,
			DisabledReason: noLine,
			Message: func(i *client.Instance) tea.Msg {
				line, _ := sshCommand(i)
				return ui.CopyMsg{Text: line, Label: "ssh line of " + i.Label.String()}
			},
		},
		{
			Keys:           []string{"x"},
			Name:           "run ssh",
			Description:    "log in, in this terminal; you return to lookout when ssh ends",
			DisabledReason: noLine,
			Message:        func(i *client.Instance) tea.Msg { return ui.RunProgramMsg{Name: "ssh", Args: sshArgs(i)} },
		},
	}
	actions = append(actions, changes.RowActions()...)
	return append(
		actions,
		changes.Toggle("t", "toggle access", allowAccess, denyAccess),
		account.FollowReference(func(i *client.Instance) resource.Joined[account.LinkedRow] {
			return account.ReferencesToServices(a.ServicesOnInstance(i))
		}),
	)
}

// sshDetail returns everything about the SSH settings of an instance.
func sshDetail(a *account.Account, i *client.Instance, b ui.Box) string {
	t := account.NewDetailWriter(b)
	t.Title(i.Label.String())
	t.Field("instance", account.FormatID(i.ID), theme.Plain)
	t.Field("access", showAccess(i), theme.Plain)
	t.Field("user", sshUser(i), theme.Plain)
	t.Field("address", sshAddress(i), theme.Plain)
	port := account.UnknownText
	if i.SSH.Known() {
		port = strconv.Itoa(sshPort(i))
	}
	t.Field("port", port, theme.Plain)
	line, _ := sshCommand(i)
	t.Field("command", line, theme.Accent)
	t.Heading("services at this address")
	t.Services(a.ServicesOnInstance(i), "none")
	return t.String()
}
