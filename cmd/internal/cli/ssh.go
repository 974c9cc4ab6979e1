package cli

import (
	"cmp"
	"context"
	"iter"
	"strconv"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/views/managed"
	"lookout/views/resource"
)

func sshResource() resourceCommand {
	type row = *client.Instance
	return scriptResource[row]{
		name:        "ssh",
		singular:    "instance",
		idArg:       "ID",
		description: "How support logs in to each instance",
		examples: "lookout ssh list\nlookout ssh deny db1 --reason audit\nlookout ssh set db1 --port 2222\n" +
			"lookout ssh key",
		identify: func(i row) (string, string) { return strconv.Itoa(i.ID), i.Label.String() },
		columns: []resource.ColumnDefinition[row]{
			{Name: "id", Value: func(i row) string { return strconv.Itoa(i.ID) }},
			{Name: "label", Value: func(i row) string { return i.Label.Raw() }},
			{Name: "access", Value: func(i row) string { return strconv.FormatBool(i.SSH.Access) }},
			{Name: "user", Value: func(i row) string { return cmp.Or(i.SSH.User.Raw(), "root") }},
			{Name: "ip", DropPriority: 1, Value: func(i row) string { return i.SSH.IP.Raw() }},
			{Name: "port", Value: func(i row) string { return cmp.Or(formatPositive(i.SSH.Port), "22") }},
			{Name: "group", DetailOnly: true, Value: func(i row) string { return i.Group.Raw() }},
		},
		list: func(ctx context.Context, s *scriptSession, _ listOptions) iter.Seq2[row, error] {
			return s.api.Instances.All(ctx)
		},
		get: getByID(
			func(ctx context.Context, s *scriptSession, id int) (row, error) { return s.api.Instances.Get(ctx, id) },
		),
		subcommands: sshSubcommands(),
		includes:    []resourceCommand{sshKeyResource()},
	}
}

// sshSubcommands returns the commands that change how support logs in.
func sshSubcommands() []subcommand[*client.Instance] {
	return []subcommand[*client.Instance]{
		{
			name:        "allow",
			op:          client.OpUpdateInstanceSSH,
			verb:        "Lets support log in to",
			description: "Let support log in",
			bindFlags:   setSSHAccess(true),
		},
		{
			name:        "deny",
			op:          client.OpUpdateInstanceSSH,
			verb:        "Keeps support out of",
			description: "Stop support from logging in",
			bindFlags:   setSSHAccess(false),
		},
		{
			name:        "set",
			op:          client.OpUpdateInstanceSSH,
			verb:        "Changes",
			description: "Change user, address or port",
			bindFlags:   changeSSH,
		},
	}
}

// setSSHAccess returns a plan that lets support log in to an instance or keeps it out.
func setSSHAccess(on bool) func(*pflag.FlagSet) planFunc[*client.Instance] {
	return planForRow(func(it *client.Instance) change[*client.Instance] {
		after := it.Request()
		after.SSH.Access = on
		c := planSSH(it, after)
		c.detail = "" // the verb says it
		return c
	})
}

// sshKeyResource returns the command that shows the key by which support logs in.
func sshKeyResource() resourceCommand {
	return scriptResource[*client.SSHKey]{
		name:        "key",
		description: "Show the public key by which support logs in",
		columns: []resource.ColumnDefinition[*client.SSHKey]{
			{Name: "ssh_key", Value: func(k *client.SSHKey) string { return k.SSHKey.Raw() }},
		},
		get: func(ctx context.Context, s *scriptSession, _ string) (*client.SSHKey, error) {
			return s.api.Credentials.SSHKey(ctx)
		},
	}
}

func changeSSH(set *pflag.FlagSet) planFunc[*client.Instance] {
	type row = *client.Instance
	flags := sshFlags(set)
	return func(_ context.Context, _ *scriptSession, it row, _ []string) (change[row], error) {
		after, err := flags.applyTo(it.Request())
		return planSSH(it, after), err
	}
}

// sshFlags returns the flags that set how support logs in.
func sshFlags(set *pflag.FlagSet) memberFlags[client.InstanceRequest] {
	type request = client.InstanceRequest
	in := request{}
	set.StringVar(&in.SSH.User, "user", "", "user name; empty is root")
	set.StringVar(&in.SSH.IP, "ip", "", "an address of the instance, or any")
	set.IntVar(&in.SSH.Port, "port", 0, "port; 0 is 22")
	flags := []memberFlag[request]{
		{"user", "ssh.user", func(r *request) { r.SSH.User = in.SSH.User }},
		{"ip", "ssh.ip", func(r *request) { r.SSH.IP = in.SSH.IP }},
		{"port", "ssh.port", func(r *request) { r.SSH.Port = in.SSH.Port }},
	}
	return memberFlags[request]{set, flags, managed.SSHFields}
}

// planSSH plans the change of how support logs in to an instance.
func planSSH(it *client.Instance, after client.InstanceRequest) change[*client.Instance] {
	return edit[*client.Instance, client.InstanceRequest]{
		row:    it,
		before: it.Request(),
		after:  after,
		send: func(ctx context.Context, w *approvedChange, p client.Patch) (*client.Instance, error) {
			return w.UpdateInstanceSSH(ctx, it.ID, p)
		},
	}.plan()
}
