package cli

import (
	"cmp"
	"context"
	"iter"
	"strconv"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/cmd/internal/output"
)

func sshResource() resourceCommand {
	type row = *client.Instance
	access := func(on bool) func(*pflag.FlagSet) runFunc[row] {
		return withoutFlags(func(ctx context.Context, s *scriptSession, it row, _ []string) (row, error) {
			return setSSH(ctx, s, it, func(r *client.InstanceRequest) bool { r.SSH.Access = on; return true })
		})
	}
	return resource[row]{
		name:        "ssh",
		singular:    "instance",
		idArg:       "ID",
		description: "How support logs in to each instance",
		examples: "lookout ssh list\nlookout ssh deny db1 --reason audit\nlookout ssh set db1 --port 2222\n" +
			"lookout ssh key",
		identify: func(i row) (string, string) { return strconv.Itoa(i.ID), i.Label.String() },
		columns: []output.ColumnDefinition[row]{
			{Name: "id", Cell: func(i row) string { return strconv.Itoa(i.ID) }},
			{Name: "label", Cell: func(i row) string { return i.Label.Raw() }},
			{Name: "access", Cell: func(i row) string { return strconv.FormatBool(i.SSH.Access) }},
			{Name: "user", Cell: func(i row) string { return cmp.Or(i.SSH.User.Raw(), "root") }},
			{Name: "ip", DropPriority: 1, Cell: func(i row) string { return i.SSH.IP.Raw() }},
			{Name: "port", Cell: func(i row) string { return cmp.Or(formatPositive(i.SSH.Port), "22") }},
			{Name: "group", DetailOnly: true, Cell: func(i row) string { return i.Group.Raw() }},
		},
		list: func(ctx context.Context, s *scriptSession, _ listOptions) iter.Seq2[row, error] {
			return s.api.Instances.All(ctx)
		},
		get: getByID(
			func(ctx context.Context, s *scriptSession, id int) (row, error) { return s.api.Instances.Get(ctx, id) },
		),
		subcommands: []subcommand[row]{
			{name: "allow", description: "Let support log in", bindFlags: access(true)},
			{name: "deny", description: "Keep support out", bindFlags: access(false)},
			{name: "set", description: "Change user, address or port", bindFlags: changeSSH},
		},
		includes: []resourceCommand{resource[*client.SSHKey]{
			name:        "key",
			description: "Show the public key by which support logs in",
			columns: []output.ColumnDefinition[*client.SSHKey]{
				{Name: "ssh_key", Cell: func(k *client.SSHKey) string { return k.SSHKey.Raw() }},
			},
			get: func(ctx context.Context, s *scriptSession, _ string) (*client.SSHKey, error) {
				return s.api.Credentials.SSHKey(ctx)
			},
		}},
	}
}

func changeSSH(set *pflag.FlagSet) runFunc[*client.Instance] {
	type request = client.InstanceRequest
	in := request{}
	set.StringVar(&in.SSH.User, "user", "", "user name; empty is root")
	set.StringVar(&in.SSH.IP, "ip", "", "an address of the instance, or any")
	set.IntVar(&in.SSH.Port, "port", 0, "port; 0 is 22")
	fill := applyChangedFlags(set, map[string]func(*request){
		"user": func(r *request) { r.SSH.User = in.SSH.User },
		"ip":   func(r *request) { r.SSH.IP = in.SSH.IP },
		"port": func(r *request) { r.SSH.Port = in.SSH.Port },
	})
	return func(ctx context.Context, s *scriptSession, it *client.Instance, _ []string) (*client.Instance, error) {
		return setSSH(ctx, s, it, fill)
	}
}

func setSSH(
	ctx context.Context,
	s *scriptSession,
	it *client.Instance,
	fill func(*client.InstanceRequest) bool,
) (*client.Instance, error) {
	patch, err := patchFromFlags(s, "instance", it.Request(), fill)
	if err != nil || len(patch) == 0 {
		return it, err
	}
	return s.api.Instances.Update(ctx, it.ID, patch)
}
