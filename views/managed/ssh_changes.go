package managed

import (
	"context"
	"fmt"
	"net/netip"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/ui/form"
	"lookout/views/operation"
	"lookout/views/resource"
)

// Instances declares the SSH settings of instances: the document's "Managed Instance Settings". They say how support
// logs in; nothing changes on the machine itself.
func Instances(a *account.Account) resource.Resource[*client.Instance] {
	return resource.Resource[*client.Instance]{
		Name:        "ssh",
		Singular:    "instance",
		Plural:      "instances",
		Description: "SSH settings of instances: how the provider's support logs in",
		Examples: []string{
			"ssh list",
			"ssh get db1",
			"ssh allow mail-1 --dry-run",
			"ssh deny db1 --reason audit",
			"ssh set db1 --port 2222",
			"ssh key",
		},
		Argument:   "ID",
		ID:         func(i *client.Instance) string { return account.FormatID(i.ID) },
		Label:      func(i *client.Instance) string { return i.Label.String() },
		Calls:      resource.APICalls{List: "list SSH settings", Get: "view SSH settings", Managed: true},
		Columns:    sshColumns(),
		PaneOrder:  []string{"access", "label", "group", "user", "ip", "port", "command"},
		List:       resource.ListAll(a.API.Instances.All),
		Get:        resource.ByID(a.API.Instances.Get),
		Operations: instanceOperations(a),
	}
}

// SSHKey declares the public key that lets support log in.
func SSHKey(a *account.Account) resource.Resource[*client.SSHKey] {
	return resource.Resource[*client.SSHKey]{
		Name:        "key",
		Parent:      "ssh",
		Description: "Show the public key that support logs in with",
		Columns: []resource.ColumnDefinition[*client.SSHKey]{
			{Name: "ssh_key", Value: func(k *client.SSHKey) string { return k.SSHKey.Raw() }},
		},
		Get: func(ctx context.Context, _ string) (*client.SSHKey, error) { return a.API.Credentials.SSHKey(ctx) },
	}
}

// instanceOperations returns the operations on the SSH settings of instances.
func instanceOperations(a *account.Account) []resource.Operation[*client.Instance] {
	set := resource.EditOperation(client.OpUpdateInstanceSSH,
		func(i *client.Instance) resource.Draft[*client.Instance] { return editSSH(a, i) })
	set.Command, set.CommandHelp = "set", "Change the user, address or port"
	return []resource.Operation[*client.Instance]{
		{
			Name:        allowAccess,
			Command:     "allow",
			CommandHelp: "Let support log in",
			Keys:        []string{"E"},
			Call:        client.OpUpdateInstanceSSH,
			Target:      resource.AnyRows,
			ShowInHints: true,
			BusyText:    "allowing access",
			SuccessText: "support may log in",
			Shows:       showAccess,
			Applies: func(i *client.Instance) string {
				return wording.If(i.SSH.Access == client.Known(true), "already allowed")
			},
			Draft: func(i *client.Instance) resource.Draft[*client.Instance] { return setAccess(i, true) },
		},
		{
			Name:        denyAccess,
			Command:     "deny",
			CommandHelp: "Stop support from logging in",
			Keys:        []string{"d"},
			Call:        client.OpUpdateInstanceSSH,
			Target:      resource.AnyRows,
			ShowInHints: true,
			BusyText:    "denying access",
			SuccessText: "support may not log in",
			Shows:       showAccess,
			Applies: func(i *client.Instance) string {
				return wording.If(i.SSH.Access == client.Known(false), "already denied")
			},
			Draft: func(i *client.Instance) resource.Draft[*client.Instance] { return setAccess(i, false) },
		},
		set,
	}
}

// Each of the two operations undoes the other.
const (
	allowAccess = "allow access"
	denyAccess  = "deny access"
)

// setAccess allows or denies support to log in to instances. It offers no undo where the access was not known before.
func setAccess(first *client.Instance, allowed bool) resource.Draft[*client.Instance] {
	effect, undo := "Support will no longer be allowed to log in to %s.", allowAccess
	if allowed {
		effect, undo = "Support will be allowed to log in to %s.", denyAccess
	}
	draft := resource.Draft[*client.Instance]{
		Confirm: func(rows []*client.Instance) resource.ConfirmationSpec {
			return resource.ConfirmationSpec{Effect: fmt.Sprintf(effect, rows[0].Label)}
		},
		Attempt: func(i *client.Instance) account.Attempt[*client.Instance] {
			return account.Attempt[*client.Instance]{
				ID:     account.FormatID(i.ID),
				Label:  i.Label.Raw(),
				Before: client.Patch{"ssh": client.Patch{"access": i.SSH.Access}},
				Send: func(ctx context.Context, w *client.Writer) (lists.ChangeResult[*client.Instance], error) {
					return lists.ResultRow(w.UpdateInstanceSSH(ctx, i.ID, sshAccess(allowed)))
				},
				Sent: sshAccess(allowed),
			}
		},
	}
	if _, known := first.SSH.Access.Value(); known {
		draft.Undo = func() resource.Undo[*client.Instance] {
			return resource.Undo[*client.Instance]{
				Operation: undo,
				Text:      undo + " again",
				Draft:     setAccess(first, !allowed),
			}
		}
	}
	return draft
}

// showAccess says whether support may log in.
func showAccess(i *client.Instance) string {
	switch on, known := i.SSH.Access.Value(); {
	case !known:
		return account.UnknownText
	case on:
		return "allowed"
	}
	return "denied"
}

// sshAccess is the patch that allows or denies support to log in.
func sshAccess(allowed bool) client.Patch {
	return client.Patch{"ssh": client.Patch{"access": allowed}}
}

// editSSH changes how support logs in. An empty user and port go back to root and 22.
func editSSH(a *account.Account, i *client.Instance) resource.Draft[*client.Instance] {
	e := &operation.EditForm[*client.Instance, *client.InstanceRequest]{
		Row:     i,
		ID:      instanceID,
		Label:   i.Label.Raw(),
		Request: func(row *client.Instance) *client.InstanceRequest { r := row.Request(); return &r },
		Fetch:   a.API.Instances.Get,
		Update:  (*client.Writer).UpdateInstanceSSH,
	}
	return resource.Draft[*client.Instance]{
		Title:       "SSH settings of " + i.Label.String(),
		Text:        "How support logs in. Nothing changes on the machine itself.",
		SubmitLabel: "save",
		Fields:      sshFields(e.Open()),
		Confirm:     e.Confirm,
		Attempt:     e.Attempt,
	}
}

// sshFields returns the fields of SSH settings. Scripts have commands of their own for the access.
func sshFields(in *client.InstanceRequest) []form.Field {
	return []form.Field{
		form.OptionalSwitch("ssh.access", "Access", &in.SSH.Access),
		form.Text("ssh.user", "User", &in.SSH.User, form.Length(0, 32)).
			Note("empty means root").
			Flag("user", "user name; empty means root"),
		form.Text("ssh.ip", "Address", &in.SSH.IP, checkSSHAddress).
			Note("an IP address of the instance, or any").
			Flag("ip", `an IP address of the instance, or "any"`),
		form.OptionalNumber("ssh.port", "Port", &in.SSH.Port, 1, 65535).
			Note("empty is 22").
			Flag("port", "SSH port; 0 means 22"),
	}
}

// checkSSHAddress checks the address at which support reaches an instance.
func checkSSHAddress(text string) string {
	if _, err := netip.ParseAddr(text); err != nil && text != "any" {
		return "enter an IP address, or any"
	}
	return ""
}

// instanceID returns the identity of an instance.
func instanceID(i *client.Instance) int { return i.ID }
