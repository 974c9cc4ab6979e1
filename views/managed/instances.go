package managed

import (
	"context"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
	"lookout/views/account"
	"lookout/views/resource"
)

func SshPane(a *account.Account) ui.Pane {
	l := &table.List[*client.Instance]{
		Title:    "ssh",
		Singular: "instance",
		Store:    a.Instances(),
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
		FetchOne: func(ctx context.Context, i *client.Instance) (*client.Instance, error) {
			return a.Api.Instances.Get(ctx, i.ID)
		},
		CopyItems: account.CopyItemsByID(a, "ssh", "view SSH settings", func(i *client.Instance) int { return i.ID }),
		EmptyText: "no instances: settings appear here with the account's first instance",
		SortBy:    "label",
	}
	l.RowActions = account.RequireScope(a, account.AccountWriteScope, sshOperations(a, l))
	return l
}

// sshUser and sshPort are what an absent setting stands for.
func sshUser(i *client.Instance) string { return account.OrDefault(i.SSH.User.String(), "root") }

func sshPort(i *client.Instance) int {
	if i.SSH.Port == 0 {
		return 22
	}
	return i.SSH.Port
}

func sshOperations(a *account.Account, l *table.List[*client.Instance]) []table.RowAction[*client.Instance] {
	noLine := func(i *client.Instance) string {
		_, ok := sshCommand(i)
		return account.ReasonIf(!ok, "the settings name no single address")
	}
	allow := table.RowAction[*client.Instance]{
		Keys:           []string{"E"},
		Name:           "allow access",
		ProgressText:   "allowing access",
		SuccessText:    "support may log in",
		ShowInHints:    true,
		Writes:         true,
		Many:           true,
		Undo:           "deny access",
		DisabledReason: func(i *client.Instance) string { return account.ReasonIf(i.SSH.Access, "already allowed") },
		Run:            setSSHAccess(a, true),
		Recheck:        sshAccessOutcome(true),
	}
	deny := table.RowAction[*client.Instance]{
		Keys:           []string{"d"},
		Name:           "deny access",
		ProgressText:   "denying access",
		SuccessText:    "support may not log in",
		ShowInHints:    true,
		Writes:         true,
		Many:           true,
		Undo:           "allow access",
		DisabledReason: func(i *client.Instance) string { return account.ReasonIf(!i.SSH.Access, "already denied") },
		Run:            setSSHAccess(a, false),
		Recheck:        sshAccessOutcome(false),
	}
	return []table.RowAction[*client.Instance]{
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
		allow, deny,
		{
			Keys:   []string{"t"},
			Name:   "toggle access",
			Writes: true,
			Cmd: func(i *client.Instance) tea.Cmd {
				if i.SSH.Access {
					return l.Run(deny, []*client.Instance{i})
				}
				return l.Run(allow, []*client.Instance{i})
			},
		},
		{
			Keys:        []string{"e"},
			Name:        "edit",
			ShowInHints: true,
			Writes:      true,
			Form:        func(rows []*client.Instance) form.Form { return editSSHForm(a, rows[0]) },
		},
		account.FollowReference(func(i *client.Instance) resource.Joined[account.Reference] {
			return account.ReferencesToServices(a.ServicesOnInstance(i))
		}),
	}
}

func contextWithInstance(ctx context.Context, i *client.Instance) context.Context {
	return client.ContextWithResource(
		client.ContextWithBefore(ctx, i.Request()),
		"instance",
		account.FormatID(i.ID),
		i.Label.String(),
	)
}

func setSSHAccess(a *account.Account, on bool) func(context.Context, *client.Instance) (ui.Result[*client.Instance], error) {
	return func(ctx context.Context, i *client.Instance) (ui.Result[*client.Instance], error) {
		return ui.ResultRow(
			a.Api.Instances.Update(contextWithInstance(ctx, i), i.ID, client.Patch{"ssh": client.Patch{"access": on}}),
		)
	}
}

func sshAccessOutcome(on bool) func(*client.Instance, bool) ui.AttemptOutcome {
	return func(now *client.Instance, found bool) ui.AttemptOutcome {
		if found && now.SSH.Access == on {
			return ui.Applied
		}
		return ui.Rejected
	}
}

func instanceID(i *client.Instance) int { return i.ID }

// editSSHForm changes how support logs in. It alters nothing on the machine. Empty user and port go back to root and
// 22.
func editSSHForm(a *account.Account, i *client.Instance) form.Form {
	e := &account.EditState[client.InstanceRequest]{Original: i.Request(), Latest: i.Request(), Edited: i.Request()}
	in := &e.Edited
	form := form.NewStoreForm(
		a.Instances(),
		"SSH settings of "+i.Label.String(),
		[]form.Field{
			form.Switch("ssh.access", "Access", &in.SSH.Access),
			form.Text("ssh.user", "User", &in.SSH.User, form.Length(0, 32)).Note("empty is root"),
			form.Text("ssh.ip", "Address", &in.SSH.IP, checkSSHAddress).Note("an IP of the instance, or any"),
			form.OptionalNumber("ssh.port", "Port", &in.SSH.Port, 1, 65535).Note("empty is 22"),
		},
		func(now *client.Instance) string { return now.Label.String() + ": saved" },
		func(ctx context.Context) (ui.Result[*client.Instance], error) {
			return account.SaveEdit(
				contextWithInstance(ctx, i),
				e,
				func(ctx context.Context) (*client.Instance, error) { return a.Api.Instances.Get(ctx, i.ID) },
				(*client.Instance).Request,
				func(ctx context.Context, p client.Patch) (*client.Instance, error) {
					return a.Api.Instances.Update(ctx, i.ID, p)
				},
			)
		},
		account.UpdateOutcome(
			i.ID,
			instanceID,
			func(now *client.Instance) bool { return len(client.Diff(now.Request(), *in)) == 0 },
		),
	)
	form.Text = "How support logs in. Nothing changes on the machine itself."
	form.ProgressText, form.SubmitLabel = "saving", "save"
	return form
}

// checkSSHAddress checks an instance's SSH address.
func checkSSHAddress(text string) string {
	if _, err := netip.ParseAddr(text); err != nil && text != "any" {
		return "an IP address is needed, or any"
	}
	return ""
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
