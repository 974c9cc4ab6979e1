package managed

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/join"
	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/ui/form"
	"lookout/views/operation"
	"lookout/views/resource"
)

// Credentials declares credentials: the document's "Managed Credential".
func Credentials(a *account.Account) resource.Resource[*client.Credential] {
	return resource.Resource[*client.Credential]{
		Name:        "credentials",
		Singular:    "credential",
		Description: "Logins that the provider's support may use",
		Examples: []string{
			"credentials list --sort label",
			"credentials get db2-root -o json",
			"credentials rename db2-root db2-admin --dry-run",
			"credentials delete db2-root --dry-run",
			"credentials create db9-root --username root < password",
			"credentials login db2-root --username root --password-file password",
		},
		Argument:   "ID",
		ID:         func(c *client.Credential) string { return account.FormatID(c.ID) },
		Label:      func(c *client.Credential) string { return c.Label.String() },
		Calls:      resource.APICalls{List: "list credentials", Get: "view credential", Managed: true},
		Columns:    credentialColumns(a),
		List:       resource.ListAll(a.API.Credentials.All),
		Get:        resource.ByID(a.API.Credentials.Get),
		Operations: credentialOperations(a),
	}
}

// credentialOperations returns the operations on credentials.
func credentialOperations(a *account.Account) []resource.Operation[*client.Credential] {
	rename := resource.EditOperation(client.OpUpdateCredential, func(c *client.Credential) credentialDraft {
		return renameCredential(a, c)
	})
	rename.Name, rename.Command, rename.CommandHelp = "edit label", "rename", "Change a credential's label"
	create := resource.NewOperation(client.OpCreateCredential, "credential", func(*client.Credential) credentialDraft {
		return newCredentialFrom(a, "", "", "")
	})
	create.CommandHelp = "Store a login; the password is read from a file or standard input"
	return []resource.Operation[*client.Credential]{
		rename,
		{
			Name:        "change login",
			Command:     "login",
			CommandHelp: "Replace the user name and password",
			Description: "user name and password",
			Keys:        []string{"P"},
			Call:        client.OpSetCredentialLogin,
			ShowInHints: true,
			BusyText:    "changing",
			SuccessText: "login is changed",
			Draft:       func(c *client.Credential) credentialDraft { return changeLogin(a, c) },
		},
		resource.DeleteOperation(
			client.OpDeleteCredential, "support can no longer use it",
			func(*client.Credential) credentialDraft { return deleteCredential(a) },
		),
		create,
	}
}

// credentialDraft is an operation on a credential with its values.
type credentialDraft = resource.Draft[*client.Credential]

// newCredentialFrom asks for a credential, beginning with values.
func newCredentialFrom(a *account.Account, label, user, password string) credentialDraft {
	return credentialDraft{
		Title:       "New credential",
		SubmitLabel: "add",
		Fields: append(
			[]form.Field{credentialLabelField(&label, checkCredentialLabelUnused(a, 0))},
			loginFields(&user, &password)...,
		),
		Confirm: func([]*client.Credential) resource.ConfirmationSpec {
			return resource.ConfirmationSpec{Effect: "Adds credential " + label + "."}
		},
		Attempt: func(*client.Credential) account.Attempt[*client.Credential] {
			sent := client.CredentialRequest{
				Label:    label,
				Username: client.NewSecret(user),
				Password: client.NewSecret(password),
			}
			create := func(ctx context.Context, w *client.Writer) (*client.Credential, error) {
				return w.CreateCredential(ctx, sent)
			}
			return operation.Creating(label, sent, create)
		},
	}
}

// renameCredential changes the label of a credential: the only thing of it that the API returns.
func renameCredential(a *account.Account, c *client.Credential) credentialDraft {
	return operation.Renaming(
		c, "Label of credential "+cmp.Or(c.Label.String(), account.FormatID(c.ID)), credentialID,
		credentialLabel, func(label *string) form.Field {
			return credentialLabelField(label, checkCredentialLabelUnused(a, c.ID))
		},
		a.API.Credentials.Get,
		func(ctx context.Context, w *client.Writer, id int, label string) (*client.Credential, error) {
			return w.UpdateCredential(ctx, id, label)
		},
		func(label string) credentialDraft { return newCredentialFrom(a, label, "", "") },
	)
}

// changeLogin replaces user name and password. The API returns neither, so the journal holds no value before, and a
// lost answer cannot be checked: the form offers to send the same again.
func changeLogin(a *account.Account, c *client.Credential) credentialDraft {
	var user, password string
	return credentialDraft{
		Title:           "Login of " + c.Label.String(),
		Text:            "lookout sends the password once and does not keep it. The API never returns it.",
		SubmitLabel:     "change",
		Fields:          loginFields(&user, &password),
		WhyResendIsSafe: "Sending the same login twice does no harm",
		AsNew: func() credentialDraft {
			return newCredentialFrom(a, c.Label.Raw(), user, password)
		},
		Confirm: func([]*client.Credential) resource.ConfirmationSpec {
			return resource.ConfirmationSpec{
				Effect: fmt.Sprintf("Replaces the user name and the password of credential %s.", c.Label),
			}
		},
		Attempt: func(*client.Credential) account.Attempt[*client.Credential] {
			sent := client.CredentialLoginUpdate{Username: client.NewSecret(user), Password: client.NewSecret(password)}
			return account.Attempt[*client.Credential]{
				ID:    account.FormatID(c.ID),
				Label: c.Label.Raw(),
				Send: func(ctx context.Context, w *client.Writer) (lists.ChangeResult[*client.Credential], error) {
					return lists.ResultReload[*client.Credential](w.SetCredentialLogin(ctx, c.ID, sent))
				},
			}
		},
	}
}

// deleteCredential deletes credentials.
func deleteCredential(a *account.Account) credentialDraft {
	snapshot := func(c *client.Credential) any { return &operation.LabelRequest{Label: c.Label.Raw()} }
	confirm := func(rows []*client.Credential) resource.ConfirmationSpec {
		c := rows[0]
		effect := fmt.Sprintf("This deletes credential %q (id %d): support staff lose access to it.", c.Label, c.ID)
		return resource.ConfirmationSpec{
			Title:    "Delete credential",
			Effect:   effect + deletedCredentialUse(a, rows, "it"),
			Loss:     "Support staff lose access to them." + deletedCredentialUse(a, rows, "them"),
			Word:     c.Label.String(),
			Required: true,
		}
	}
	return operation.Deleting(credentialID, credentialLabel, snapshot, confirm, (*client.Writer).DeleteCredential)
}

// deletedCredentialUse says which services use credentials, or that this is not known. The pronoun stands for the
// credentials.
func deletedCredentialUse(a *account.Account, credentials []*client.Credential, pronoun string) string {
	joins := make([]join.Joined[*client.Service], len(credentials))
	for i, c := range credentials {
		joins[i] = a.ServicesUsingCredential(c.ID)
	}
	return join.Fold(join.Concat(joins...), func(used []*client.Service) string {
		if len(used) == 0 {
			return ""
		}
		byID := func(s, t *client.Service) int { return cmp.Compare(s.ID, t.ID) }
		each := slices.Compact(slices.SortedFunc(slices.Values(used), byID))
		return fmt.Sprintf(" %s %s.", servicesNamePhrase(each), pronoun)
	}, func(_ []*client.Service, s join.JoinState) string {
		return fmt.Sprintf(" It is unknown which services use %s (%s).", pronoun, s.Reason())
	})
}

// credentialLabelField returns the field of a credential's label.
func credentialLabelField(label *string, checks ...form.Validator) form.Field {
	return form.Text("label", "Label", label, form.Length(2, 75)).Check(checks...).Argument("LABEL")
}

// loginFields returns the fields of a user name and a password. The document bounds only the user name.
func loginFields(user, password *string) []form.Field {
	return []form.Field{
		form.Text("username", "User name", user, form.Length(0, 5000)).Flag("username", "user name"),
		form.Secret("password", "Password", password, form.Required()).
			Flag("password-file", "file with the password; if it is - or omitted, standard input").Names(form.Files),
	}
}

// checkCredentialLabelUnused checks that no credential but the one with the id has the label: labels are unique.
func checkCredentialLabelUnused(a *account.Account, id int) form.Validator {
	return func(text string) string {
		taken := slices.ContainsFunc(
			a.Credentials().Rows(), func(c *client.Credential) bool { return c.ID != id && c.Label.Raw() == text },
		)
		return wording.If(taken, "another credential has this label")
	}
}

// credentialID returns the identity of a credential.
func credentialID(c *client.Credential) int { return c.ID }

// credentialLabel returns the label of a credential.
func credentialLabel(c *client.Credential) client.ServerText { return c.Label }
