package cli

import (
	"context"
	"iter"
	"strconv"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/views/managed"
	"lookout/views/resource"
)

func credentialsResource() resourceCommand {
	type row = *client.Credential
	return scriptResource[row]{
		name:        "credentials",
		singular:    "credential",
		idArg:       "ID",
		description: "Logins that support may use",
		examples: "lookout credentials create db9-root --username root < password\nlookout credentials login " +
			"db2-root --username root --password-file password",
		identify: func(c row) (string, string) { return strconv.Itoa(c.ID), c.Label.String() },
		columns: []resource.ColumnDefinition[row]{
			{Name: "id", Value: func(c row) string { return strconv.Itoa(c.ID) }},
			{Name: "label", Value: func(c row) string { return c.Label.Raw() }},
			{Name: "last_decrypted", Value: func(c row) string { return formatAPITime(c.LastDecrypted) }},
		},
		list: func(ctx context.Context, s *scriptSession, _ listOptions) iter.Seq2[row, error] {
			return s.api.Credentials.All(ctx)
		},
		get: getByID(func(ctx context.Context, s *scriptSession, id int) (row, error) {
			return s.api.Credentials.Get(ctx, id)
		}),
		subcommands: credentialSubcommands(),
	}
}

// credentialSubcommands returns the commands that change credentials.
func credentialSubcommands() []subcommand[*client.Credential] {
	type row = *client.Credential
	return []subcommand[row]{
		{
			name:        "create",
			op:          client.OpCreateCredential,
			verb:        "Creates",
			args:        "LABEL",
			noTarget:    true,
			description: "Store a login; the password comes from a file or standard input",
			bindFlags:   createCredential,
		},
		{
			name:        "rename",
			op:          client.OpUpdateCredential,
			verb:        "Renames",
			args:        "LABEL",
			description: "Change its label",
			bindFlags:   withoutFlags(renameCredential),
		},
		{
			name:        "login",
			op:          client.OpSetCredentialLogin,
			verb:        "Replaces user name and password of",
			description: "Replace user name and password",
			doneMessage: "has its new login",
			bindFlags:   changeLogin,
		},
		{
			name:        "delete",
			op:          client.OpDeleteCredential,
			verb:        "Deletes",
			asks:        asksAlways,
			description: "Delete a login, so that support can no longer use it",
			doneMessage: "is deleted",
			bindFlags: planForRow(func(it row) change[row] {
				return change[row]{
					Change: client.Change{Before: labelBefore(it.Label)},
					send: func(ctx context.Context, w *approvedChange) (row, error) {
						return it, w.DeleteCredential(ctx, it.ID)
					},
				}
			}),
		},
	}
}

// labelBefore returns the label that a row has before a change, for the journal.
func labelBefore(label client.Text) any { return map[string]any{"label": label.Raw()} }

// loginFlags returns a function that reads the login that the flags give. The password is never an argument.
func loginFlags(set *pflag.FlagSet) func(context.Context, *scriptSession) (client.LoginRequest, error) {
	user := set.String("username", "", "user name")
	path := set.String("password-file", "", "file that holds the password; - or nothing reads standard input")
	return func(ctx context.Context, s *scriptSession) (client.LoginRequest, error) {
		if err := checkArg("--username", *user, managed.LoginFields(user, new(string))[0]); err != nil {
			return client.LoginRequest{}, err
		}
		password, err := s.readSecret(ctx, *path, "password")
		r := client.LoginRequest{Password: password}
		if *user != "" {
			r.Username = client.NewSecret(*user)
		}
		return r, err
	}
}

func createCredential(set *pflag.FlagSet) planFunc[*client.Credential] {
	type row = *client.Credential
	login := loginFlags(set)
	return func(_ context.Context, s *scriptSession, _ row, args []string) (change[row], error) {
		return change[row]{
			Change: client.Change{Label: args[0]},
			send: func(ctx context.Context, w *approvedChange) (row, error) {
				l, err := login(ctx, s)
				if err != nil {
					return nil, err
				}
				in := client.CredentialRequest{Label: args[0], Username: l.Username, Password: l.Password}
				return w.CreateCredential(ctx, in)
			},
		}, checkArg("LABEL", args[0], managed.CredentialLabelField(&args[0]))
	}
}

func renameCredential(
	_ context.Context, _ *scriptSession, it *client.Credential, args []string,
) (change[*client.Credential], error) {
	type row = *client.Credential
	return change[row]{
		Change: client.Change{Before: labelBefore(it.Label)},
		detail: "label " + args[0],
		send: func(ctx context.Context, w *approvedChange) (row, error) {
			return w.UpdateCredential(ctx, it.ID, args[0])
		},
	}, checkArg("LABEL", args[0], managed.CredentialLabelField(&args[0]))
}

func changeLogin(set *pflag.FlagSet) planFunc[*client.Credential] {
	type row = *client.Credential
	login := loginFlags(set)
	return func(_ context.Context, s *scriptSession, it row, _ []string) (change[row], error) {
		return change[row]{
			send: func(ctx context.Context, w *approvedChange) (row, error) {
				l, err := login(ctx, s)
				if err != nil {
					return it, err
				}
				return it, w.SetCredentialLogin(ctx, it.ID, l)
			},
		}, nil
	}
}
