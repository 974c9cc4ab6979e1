package managed

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

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
	return &table.List[*client.Instance]{
		Title: "ssh",
		Store: a.Instances(),
		Columns: []table.Column[*client.Instance]{
			{Title: "access", Width: 9, Cell: func(i *client.Instance, b ui.Box) (string, theme.Tone) {
				if i.SSH.Access {
					return b.Theme.Glyphs.OK + " on", theme.Good
				}
				return b.Theme.Glyphs.Disabled + " off", theme.Off
			}},
			{
				Title: "label",
				Min:   14,
				Cell:  func(i *client.Instance, _ ui.Box) (string, theme.Tone) { return i.Label.String(), theme.Strong },
			},
			{
				Title:        "group",
				Width:        12,
				DropPriority: 3,
				Cell:         func(i *client.Instance, _ ui.Box) (string, theme.Tone) { return i.Group.String(), theme.Muted },
			},
			{
				Title: "user",
				Width: 12,
				Cell:  func(i *client.Instance, _ ui.Box) (string, theme.Tone) { return sshUser(i), theme.Plain },
			},
			{Title: "address", Width: 16, Cell: func(i *client.Instance, _ ui.Box) (string, theme.Tone) {
				return account.OrDefault(i.SSH.IP.String(), "any"), theme.Plain
			}},
			{
				Title:      "port",
				Width:      5,
				AlignRight: true,
				Cell:       func(i *client.Instance, _ ui.Box) (string, theme.Tone) { return strconv.Itoa(sshPort(i)), theme.Plain },
			},
			{
				Title:        "command",
				Min:          20,
				DropPriority: 2,
				Cell: func(i *client.Instance, _ ui.Box) (string, theme.Tone) {
					line, ok := sshCommand(i)
					if !ok {
						return line, theme.Muted
					}
					return line, theme.Accent
				},
			},
		},
		JoinedStores: []table.JoinedStore{a.Services()},
		Detail:       func(i *client.Instance, b ui.Box) string { return sshDetail(a, i, b) },
		FetchOne:     changes.FetchOne,
		RowActions:   sshOperations(a, changes),
		CopyItems:    account.CopyItemsByID(a, "ssh", "view SSH settings", func(i *client.Instance) int { return i.ID }),
		EmptyText:    "no instances: settings appear here with the account's first instance",
		SortBy:       "label",
	}
}

// sshUser and sshPort are what an absent setting stands for.
func sshUser(i *client.Instance) string { return account.OrDefault(i.SSH.User.String(), "root") }

func sshPort(i *client.Instance) int {
	if i.SSH.Port == 0 {
		return 22
	}
	return i.SSH.Port
}

// sshOperations are all actions on an instance.
func sshOperations(
	a *account.Account,
	changes account.Runner[*client.Instance],
) []table.RowAction[*client.Instance] {
	noLine := func(i *client.Instance) string {
		_, ok := sshCommand(i)
		return account.ReasonIf(!ok, "the settings name no single address")
	}
	operations := []table.RowAction[*client.Instance]{
		{
			Keys:           []string{"y"},
			Name:           "copy ssh line",
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
			Description:    "in this terminal; the program comes back afterwards",
			DisabledReason: noLine,
			Message:        func(i *client.Instance) tea.Msg { return ui.ExecMsg{Name: "ssh", Args: sshArgs(i)} },
		},
	}
	operations = append(operations, changes.RowActions()...)
	return append(
		operations,
		changes.Toggle("t", "toggle access", allowAccess, denyAccess),
		account.FollowReference(func(i *client.Instance) resource.Joined[account.Reference] {
			return account.ReferencesToServices(a.ServicesOnInstance(i))
		}),
	)
}

func sshDetail(a *account.Account, i *client.Instance, b ui.Box) string {
	t := account.NewDetailWriter(b)
	t.Title(i.Label.String())
	t.Field("instance", account.FormatID(i.ID), theme.Plain)
	t.Field("access", map[bool]string{true: "allowed", false: "switched off"}[i.SSH.Access], theme.Plain)
	t.Field("user", sshUser(i), theme.Plain)
	t.Field("address", account.OrDefault(i.SSH.IP.String(), "any"), theme.Plain)
	t.Field("port", strconv.Itoa(sshPort(i)), theme.Plain)
	line, _ := sshCommand(i)
	t.Field("command", line, theme.Accent)
	t.Heading("services at this address")
	t.Services(a.ServicesOnInstance(i), "none")
	return t.String()
}

// sshArgs are the arguments of ssh for an instance, "" where the settings name no address to reach it at. An absent
// user is root and an absent port 22 ("Managed Instance Settings"). What the server said never becomes an option: only
// a plain user name and a plain address are taken.
func sshArgs(i *client.Instance) []string {
	ip, err := netip.ParseAddr(i.SSH.IP.Raw())
	if err != nil {
		return nil
	}
	user := account.OrDefault(i.SSH.User.Raw(), "root")
	if !isPlainUserName(user) {
		return nil
	}
	args := []string{}
	if port := i.SSH.Port; port != 0 && port != 22 {
		args = append(args, "-p", strconv.Itoa(port))
	}
	return append(args, "--", user+"@"+ip.String())
}

// isPlainUserName reports whether a user name is letters, digits, '.', '_' and '-', not starting with '-'.
func isPlainUserName(user string) bool {
	for _, r := range user {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r)) {
			return false
		}
	}
	return user != "" && user[0] != '-' && len(user) <= 32
}

// sshCommand is the ready command, or why there is none.
func sshCommand(i *client.Instance) (string, bool) {
	if args := sshArgs(i); args != nil {
		return "ssh " + strings.Join(slices.DeleteFunc(args, func(s string) bool { return s == "--" }), " "), true
	}
	if ip := i.SSH.IP.Raw(); ip == "" || ip == "any" {
		return "ssh " + account.OrDefault(i.SSH.User.String(), "root") + "@… (any address)", false
	}
	return "no ssh line: user or address is not a plain one", false
}
