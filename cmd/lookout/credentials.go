package main

import (
	"context"
	"fmt"
	"iter"
	"strconv"

	"github.com/spf13/pflag"

	"lookout/client"
)

func credentialsNoun() noun {
	type row = *client.Credential
	return resource[row]{
		name: "credentials", one: "credential", named: "ID", about: "Logins that support may use",
		examples: "lookout credentials create db9-root --username root < password\nlookout credentials login db2-root --username root --password-file password",
		ident:    func(c row) (string, string) { return strconv.Itoa(c.ID), c.Label.String() },
		columns: []column[row]{
			{name: "id", cell: func(c row) string { return strconv.Itoa(c.ID) }},
			{name: "label", cell: func(c row) string { return c.Label.Raw() }},
			{name: "last_decrypted", cell: func(c row) string { return when(c.LastDecrypted) }},
		},
		list: func(ctx context.Context, s *session, _ listing) iter.Seq2[row, error] {
			return s.api.Credentials.All(ctx)
		},
		get: byNumber(func(ctx context.Context, s *session, id int) (row, error) { return s.api.Credentials.Get(ctx, id) }),
		verbs: []verb[row]{
			{name: "create", args: "LABEL", makes: true, about: "Store a login; the password comes from a file or standard input", with: createCredential},
			{name: "rename", args: "LABEL", about: "Give it another label", with: as(func(ctx context.Context, s *session, it row, args []string) (row, error) {
				return s.api.Credentials.Update(ctx, it.ID, args[0])
			})},
			{name: "login", about: "Replace user name and password", gone: "has its new login", with: changeLogin},
			{name: "delete", about: "Take a login from support", gone: "is deleted",
				loses: func(it row, _ []string) string { return fmt.Sprintf("Deletes credential %s (%d)", it.Label, it.ID) },
				with: as(func(ctx context.Context, s *session, it row, _ []string) (row, error) {
					return it, s.api.Credentials.Delete(ctx, it.ID)
				})},
		},
	}
}

// loginFlags read a login. The password is never an argument.
func loginFlags(set *pflag.FlagSet) func(context.Context, *session) (client.LoginRequest, error) {
	user := set.String("username", "", "user name")
	path := set.String("password-file", "", "file that holds the password; - or nothing reads standard input")
	return func(ctx context.Context, s *session) (client.LoginRequest, error) {
		password, err := s.secret(ctx, *path, "password")
		r := client.LoginRequest{Password: password}
		if *user != "" {
			r.Username = client.NewSecret(*user)
		}
		return r, err
	}
}

func createCredential(set *pflag.FlagSet) work[*client.Credential] {
	login := loginFlags(set)
	return func(ctx context.Context, s *session, it *client.Credential, args []string) (*client.Credential, error) {
		l, err := login(ctx, s)
		if err != nil {
			return it, err
		}
		return s.api.Credentials.Create(about(ctx, "credential", "", args[0], ""), client.CredentialRequest{Label: args[0], Username: l.Username, Password: l.Password})
	}
}

func changeLogin(set *pflag.FlagSet) work[*client.Credential] {
	login := loginFlags(set)
	return func(ctx context.Context, s *session, it *client.Credential, _ []string) (*client.Credential, error) {
		l, err := login(ctx, s)
		if err != nil {
			return it, err
		}
		return it, s.api.Credentials.SetLogin(ctx, it.ID, l)
	}
}
