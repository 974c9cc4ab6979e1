package managed

import (
	"cmp"
	"strconv"

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

// SSHPane returns the pane of how support logs in to the instances.
func SSHPane(a *account.Account) ui.Pane {
	changes := operation.NewRunner(a, a.Instances(), Instances(a))
	list := changes.List(sshShortcuts()...)
	list.JoinedStores = table.JoinedStores{a.Services()}
	list.RowActions = append(
		list.RowActions, changes.Toggle("t", "toggle access", allowAccess, denyAccess),
		operation.FollowReference(func(i *client.Instance) join.Joined[operation.LinkedRow] {
			return operation.ReferencesToServices(a.ServicesOnInstance(i))
		}),
	)
	list.PaneActions = nil
	list.Detail = func(i *client.Instance, b ui.Box) string { return sshDetail(a, i, b) }
	list.EmptyText = "no instances: settings appear here with the account's first instance"
	list.SortBy = "label"
	list.Search.By = func(i *client.Instance) []string { return []string{i.SSH.IP.String()} }
	return operation.WithDetailSidebar(a, list, func(row *client.Instance, inside ui.Box) []ui.StackedPanel {
		return []ui.StackedPanel{
			issuesOfServicesPanel(a, "Issues at this address", a.ServicesOnInstance(row), inside),
			operation.ChangesPanel(a, "instance", account.FormatID(row.ID), inside),
		}
	}, a.Issues())
}

// sshColumns returns the columns of the SSH settings of instances.
func sshColumns() []resource.ColumnDefinition[*client.Instance] {
	type row = *client.Instance
	known := func(value func(row) string) func(row) string {
		return func(i row) string { return wording.If(i.SSH.Known(), value(i)) }
	}
	port := known(func(i row) string { return strconv.Itoa(sshPort(i)) })
	return []resource.ColumnDefinition[row]{
		resource.IDColumn(instanceID),
		resource.TextColumn("label", theme.Plain, func(i row) client.ServerText { return i.Label }).
			MinWidth(14).Label(),
		resource.NewColumn("access", func(i row) string { return resource.OptionalValue(i.SSH.Access) }, accessCell).
			Width(9),
		resource.NewColumn(
			"user", known(func(i row) string { return cmp.Or(i.SSH.User.Raw(), "root") }),
			table.TextCell(theme.Plain, sshUser),
		).Width(12),
		resource.NewColumn("ip", func(i row) string { return i.SSH.IP.Raw() }, table.TextCell(theme.Plain, sshAddress)).
			Titled("address").Width(16).Drop(0, 1),
		resource.NewColumn("port", port, table.TextCell(theme.Plain, func(i row) string {
			return cmp.Or(port(i), "?")
		})).Width(5).AlignRight(),
		resource.TextColumn("group", theme.Muted, func(i row) client.ServerText { return i.Group }).
			Width(12).Drop(5, 0).Detail(),
		resource.PaneColumn("command", sshCommandCell).MinWidth(20).Drop(4, 0),
	}
}

// accessCell shows whether support may log in.
func accessCell(i *client.Instance, b ui.Box) (string, theme.Tone) {
	switch on, known := i.SSH.Access.Value(); {
	case !known:
		return account.UnknownText, theme.Warn
	case on:
		return b.Theme.Glyphs.OK + " on", theme.Good
	}
	return b.Theme.Glyphs.Disabled + " off", theme.Off
}

// sshCommandCell shows the ssh command.
func sshCommandCell(i *client.Instance, _ ui.Box) (string, theme.Tone) {
	line, ok := sshCommand(i)
	if !ok {
		return line, theme.Muted
	}
	return line, theme.Accent
}

// sshShortcuts returns the actions on an instance that change nothing here.
func sshShortcuts() []table.RowAction[*client.Instance] {
	const none = "the settings give no single address"
	line := operation.CopyAction("y", "copy ssh line", none, func(i *client.Instance) (string, string) {
		line, ok := sshCommand(i)
		return wording.If(ok, line), "ssh line of " + i.Label.String()
	})
	line.Description = "the command that logs in to this instance"
	return []table.RowAction[*client.Instance]{line, {
		Keys:           []string{"x"},
		Name:           "run ssh",
		Description:    "log in, in this terminal; you return to lookout when ssh ends",
		DisabledReason: line.DisabledReason,
		Message:        func(i *client.Instance) tea.Msg { return ui.RunProgramMsg{Name: "ssh", Args: sshArgs(i)} },
	}}
}

// sshDetail returns everything about the SSH settings of an instance.
func sshDetail(a *account.Account, i *client.Instance, b ui.Box) string {
	t := operation.NewDetailWriter(b)
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
