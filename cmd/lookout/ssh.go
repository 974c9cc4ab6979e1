package main

import (
	"context"
	"iter"
	"strconv"

	"github.com/spf13/pflag"

	"lookout/client"
)

func sshNoun() noun {
	type row = *client.Instance
	access := func(on bool) func(*pflag.FlagSet) work[row] {
		return as(func(ctx context.Context, s *session, it row, _ []string) (row, error) {
			return setSSH(ctx, s, it, func(r *client.InstanceRequest) bool { r.SSH.Access = on; return true })
		})
	}
	return resource[row]{
		name: "ssh", one: "instance", named: "ID", about: "How support logs in to each instance",
		examples: "lookout ssh list\nlookout ssh deny db1 --reason audit\nlookout ssh set db1 --port 2222\nlookout ssh key",
		ident:    func(i row) (string, string) { return strconv.Itoa(i.ID), i.Label.String() },
		columns: []column[row]{
			{name: "id", cell: func(i row) string { return strconv.Itoa(i.ID) }},
			{name: "label", cell: func(i row) string { return i.Label.Raw() }},
			{name: "access", cell: func(i row) string { return strconv.FormatBool(i.SSH.Access) }},
			{name: "user", cell: func(i row) string { return orElse(i.SSH.User.Raw(), "root") }},
			{name: "ip", drop: 1, cell: func(i row) string { return i.SSH.IP.Raw() }},
			{name: "port", cell: func(i row) string { return orElse(positive(i.SSH.Port), "22") }},
			{name: "group", detail: true, cell: func(i row) string { return i.Group.Raw() }},
		},
		list: func(ctx context.Context, s *session, _ listing) iter.Seq2[row, error] {
			return s.api.Instances.All(ctx)
		},
		get: byNumber(func(ctx context.Context, s *session, id int) (row, error) { return s.api.Instances.Get(ctx, id) }),
		verbs: []verb[row]{
			{name: "allow", about: "Let support log in", with: access(true)},
			{name: "deny", about: "Keep support out", with: access(false)},
			{name: "set", about: "Change user, address or port", with: changeSSH},
		},
		also: []noun{resource[*client.SSHKey]{
			name: "key", about: "Show the public key by which support logs in",
			columns: []column[*client.SSHKey]{{name: "ssh_key", cell: func(k *client.SSHKey) string { return k.SSHKey.Raw() }}},
			get: func(ctx context.Context, s *session, _ string) (*client.SSHKey, error) {
				return s.api.Credentials.SSHKey(ctx)
			},
		}},
	}
}

func changeSSH(set *pflag.FlagSet) work[*client.Instance] {
	type request = client.InstanceRequest
	in := request{}
	set.StringVar(&in.SSH.User, "user", "", "user name; empty is root")
	set.StringVar(&in.SSH.IP, "ip", "", "an address of the instance, or any")
	set.IntVar(&in.SSH.Port, "port", 0, "port; 0 is 22")
	fill := members(set, map[string]func(*request){
		"user": func(r *request) { r.SSH.User = in.SSH.User }, "ip": func(r *request) { r.SSH.IP = in.SSH.IP }, "port": func(r *request) { r.SSH.Port = in.SSH.Port },
	})
	return func(ctx context.Context, s *session, it *client.Instance, _ []string) (*client.Instance, error) {
		return setSSH(ctx, s, it, fill)
	}
}

func setSSH(ctx context.Context, s *session, it *client.Instance, fill func(*client.InstanceRequest) bool) (*client.Instance, error) {
	patch, err := changed(s, "instance", it.Request(), fill)
	if err != nil || len(patch) == 0 {
		return it, err
	}
	return s.api.Instances.Update(ctx, it.ID, patch)
}
