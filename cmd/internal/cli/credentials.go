package cli

import (
	"context"
	"fmt"
	"iter"
	"strconv"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/cmd/internal/output"
)

func credentialsResource() resourceCommand {
	type row = *client.Credential
	return resource[row]{
		name:        "credentials",
		singular:    "credential",
		idArg:       "ID",
		description: "Logins that support may use",
		examples: "lookout credentials create db9-root --username root < password\nlookout credentials login " +
			"db2-root --username root --password-file password",
		identify: func(c row) (string, string) { return strconv.Itoa(c.ID), c.Label.String() },
		columns: []output.ColumnDefinition[row]{
			{Name: "id", Cell: func(c row) string { return strconv.Itoa(c.ID) }},
			{Name: "label", Cell: func(c row) string { return c.Label.Raw() }},
			{Name: "last_decrypted", Cell: func(c row) string { return formatAPITime(c.LastDecrypted) }},
		},
		list: func(ctx context.Context, s *scriptSession, _ listOptions) iter.Seq2[row, error] {
			return s.api.Credentials.All(ctx)
		},
		get: getByID(func(ctx context.Context, s *scriptSession, id int) (row, error) {
			return s.api.Credentials.Get(ctx, id)
		}),
		subcommands: []subcommand[row]{
			{
				name:        "create",
				args:        "LABEL",
				noTarget:    true,
				description: "Store a login; the password comes from a file or standard input",
				bindFlags:   createCredential,
			},
			{
				name:        "rename",
				args:        "LABEL",
				description: "Give it another label",
				bindFlags: withoutFlags(
					func(ctx context.Context, s *scriptSession, it row, args []string) (row, error) {
						return s.api.Credentials.Update(ctx, it.ID, args[0])
					},
				),
			},
			{
				name:        "login",
				description: "Replace user name and password",
				doneMessage: "has its new login",
				bindFlags:   changeLogin,
			},
			{
				name:        "delete",
				description: "Take a login from support",
				doneMessage: "is deleted",
				confirmMessage: func(it row, _ []string) string {
					return fmt.Sprintf("Deletes credential %s (%d)", it.Label, it.ID)
				},
				bindFlags: withoutFlags(func(ctx context.Context, s *scriptSession, it row, _ []string) (row, error) {
					return it, s.api.Credentials.Delete(ctx, it.ID)
				}),
			},
		},
	}
}

// addLoginFlags read a login. The password is never an argument.
func addLoginFlags(set *pflag.FlagSet) func(context.Context, *scriptSession) (client.LoginRequest, error) {
	user := set.String("username", "", "user name")
	path := set.String("password-file", "", "file that holds the password; - or nothing reads standard input")
	return func(ctx context.Context, s *scriptSession) (client.LoginRequest, error) {
		password, err := s.readSecret(ctx, *path, "password")
		r := client.LoginRequest{Password: password}
		if *user != "" {
			r.Username = client.NewSecret(*user)
		}
		return r, err
	}
}

func createCredential(set *pflag.FlagSet) runFunc[*client.Credential] {
	login := addLoginFlags(set)
	return func(
		ctx context.Context, s *scriptSession, it *client.Credential, args []string,
	) (*client.Credential, error) {
		l, err := login(ctx, s)
		if err != nil {
			return it, err
		}
		return s.api.Credentials.Create(
			withTarget(ctx, "credential", "", args[0], ""),
			client.CredentialRequest{Label: args[0], Username: l.Username, Password: l.Password},
		)
	}
}

func changeLogin(set *pflag.FlagSet) runFunc[*client.Credential] {
	login := addLoginFlags(set)
	return func(ctx context.Context, s *scriptSession, it *client.Credential, _ []string) (*client.Credential, error) {
		l, err := login(ctx, s)
		if err != nil {
			return it, err
		}
		return it, s.api.Credentials.SetLogin(ctx, it.ID, l)
	}
}
