package managed

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"lookout/client"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/views/account"
	"lookout/views/resource"
)

// contactRunner performs the operations on contacts.
func contactRunner(a *account.Account) account.OperationRunner[*client.Contact] {
	r := Contacts(a)
	return account.OperationRunner[*client.Contact]{
		Account:  a,
		Store:    a.Contacts(),
		Resource: r,
		FetchOne: r.FetchOne,
	}
}

// Contacts declares contacts: the document's "Managed Contact".
func Contacts(a *account.Account) resource.Resource[*client.Contact] {
	return resource.Resource[*client.Contact]{
		Name:        "contacts",
		Singular:    "contact",
		Description: "People whom the provider's support calls",
		Examples: []string{
			"contacts list -o csv",
			`contacts create --name "Eve Adams" --email eve@example.com --phone "+1 555 0199"`,
			"contacts get 11 -o json",
			"contacts update 11 --group night",
			"contacts delete 11 --dry-run",
		},
		Argument:  "ID",
		ID:        func(c *client.Contact) string { return account.FormatID(c.ID) },
		Label:     func(c *client.Contact) string { return c.Name.String() },
		Calls:     resource.APICalls{List: "list contacts", Get: "view contact", Managed: true},
		Columns:   contactColumns(),
		PaneOrder: []string{"name", "group", "phone_primary", "phone_secondary", "email", "updated"},
		List: func(ctx context.Context, _ resource.ListQuery) iter.Seq2[*client.Contact, error] {
			return a.API.Contacts.All(ctx)
		},
		Get:        resource.ByID(a.API.Contacts.Get),
		Operations: contactOperations(a),
	}
}

// contactOperations returns the operations on contacts.
func contactOperations(a *account.Account) []resource.Operation[*client.Contact] {
	return []resource.Operation[*client.Contact]{
		{
			Name:        "edit",
			Keys:        []string{"e"},
			Call:        client.OpUpdateContact,
			ShowInHints: true,
			BusyText:    "saving",
			SuccessText: "saved",
			Draft:       func(c *client.Contact) resource.Draft[*client.Contact] { return editContact(a, c) },
		},
		{
			Name:        "delete",
			Description: "support can no longer reach this person",
			Keys:        []string{"D"},
			Call:        client.OpDeleteContact,
			Target:      resource.AnyRows,
			BusyText:    "deleting",
			SuccessText: "deleted",
			Draft:       func(*client.Contact) resource.Draft[*client.Contact] { return deleteContact(a) },
		},
		{
			Name:        "new contact",
			Keys:        []string{"n"},
			Call:        client.OpCreateContact,
			Target:      resource.NewRow,
			ShowInHints: true,
			BusyText:    "adding",
			SuccessText: "added",
			Draft:       func(*client.Contact) resource.Draft[*client.Contact] { return newContact(a) },
		},
	}
}

// deleteContact deletes contacts.
func deleteContact(a *account.Account) resource.Draft[*client.Contact] {
	return resource.Draft[*client.Contact]{
		Confirm: func(rows []*client.Contact) resource.ConfirmationSpec {
			c, loss := rows[0], "Support can no longer call them."+emptiedGroups(a, rows)
			return resource.ConfirmationSpec{
				Title:    "Delete contact",
				Effect:   fmt.Sprintf("This deletes contact %q (id %d). %s", c.Name, c.ID, loss),
				Loss:     loss,
				Required: true,
			}
		},
		Attempt: func(c *client.Contact) resource.Attempt[*client.Contact] {
			return resource.Attempt[*client.Contact]{
				ID:     account.FormatID(c.ID),
				Label:  c.Name.Raw(),
				Before: c.Request(),
				Send: func(ctx context.Context, w *client.Writer) (ui.ChangeResult[*client.Contact], error) {
					return ui.ResultDeleted[*client.Contact](w.DeleteContact(ctx, c.ID))
				},
			}
		},
	}
}

// emptiedGroups warns of the groups that services call and that would have no contact without some contacts, or says
// that this is not known.
func emptiedGroups(a *account.Account, without []*client.Contact) string {
	var texts strings.Builder
	seen := map[string]bool{}
	for _, c := range without {
		if group := c.Group.Raw(); !seen[group] {
			seen[group] = true
			texts.WriteString(emptiedGroup(a, c.Group, without))
		}
	}
	return texts.String()
}

// emptiedGroup warns of one group.
func emptiedGroup(a *account.Account, group client.OptionalServerText, without []*client.Contact) string {
	remains := func(c *client.Contact) bool {
		return !slices.ContainsFunc(without, func(gone *client.Contact) bool { return gone.ID == c.ID })
	}
	services := func(contacts []*client.Contact) string {
		if slices.ContainsFunc(contacts, remains) {
			return ""
		}
		return resource.Fold(a.ServicesInGroup(group.Raw()), func(named []*client.Service) string {
			if len(named) == 0 {
				return ""
			}
			return fmt.Sprintf(" This leaves group %q without a contact; %s it.", group, servicesNamePhrase(named))
		}, func(_ []*client.Service, s resource.JoinState) string {
			return fmt.Sprintf(
				" This leaves group %q without a contact; which services use it is unknown (%s).", group, s.Reason(),
			)
		})
	}
	return resource.Fold(
		a.ContactsInGroup(group.Raw()),
		services,
		func(found []*client.Contact, s resource.JoinState) string {
			if s.Kind == resource.Partial && slices.ContainsFunc(found, remains) {
				return ""
			}
			return fmt.Sprintf(" This may leave group %q without a contact (%s).", group, s.Reason())
		},
	)
}

// newContact asks for a contact.
func newContact(a *account.Account) resource.Draft[*client.Contact] {
	return newContactFrom(a, client.ContactRequest{})
}

// newContactFrom asks for a contact, beginning with values.
func newContactFrom(a *account.Account, values client.ContactRequest) resource.Draft[*client.Contact] {
	in := &values
	return resource.Draft[*client.Contact]{
		Title:       "New contact",
		SubmitLabel: "add",
		Fields:      contactFields(in, a.SuggestedGroups),
		Confirm: func([]*client.Contact) resource.ConfirmationSpec {
			return resource.ConfirmationSpec{Effect: "Adds contact " + in.Name + "."}
		},
		Attempt: func(*client.Contact) resource.Attempt[*client.Contact] {
			sent := *in
			made := account.CreateLookup[*client.Contact]{
				SameLabel: func(c *client.Contact) bool { return c.Name.Raw() == sent.Name },
				MadeAt:    func(c *client.Contact) client.Timestamp { return c.Updated },
				Sent:      sent,
			}
			return resource.Attempt[*client.Contact]{
				Label: sent.Name,
				Send: func(ctx context.Context, w *client.Writer) (ui.ChangeResult[*client.Contact], error) {
					return ui.ResultRow(w.CreateContact(ctx, sent))
				},
				Find:     account.FindCreated(a.Contacts(), made),
				Describe: func(c *client.Contact) string { return made.Describe(a, c) },
			}
		},
	}
}

// contactID returns the identity of a contact.
func contactID(c *client.Contact) int { return c.ID }

// editContact changes a contact.
func editContact(a *account.Account, c *client.Contact) resource.Draft[*client.Contact] {
	e := &account.EditForm[*client.Contact, *client.ContactRequest]{
		Row:     c,
		ID:      contactID,
		Label:   c.Name.Raw(),
		Request: func(row *client.Contact) *client.ContactRequest { r := row.Request(); return &r },
		Fetch:   a.API.Contacts.Get,
		Update:  (*client.Writer).UpdateContact,
		Updated: func(c *client.Contact) client.Timestamp { return c.Updated },
	}
	in := e.Open()
	return resource.Draft[*client.Contact]{
		Title:       "Edit contact " + account.OrDefault(c.Name.String(), account.FormatID(c.ID)),
		SubmitLabel: "save",
		Fields:      contactFields(in, a.SuggestedGroups),
		Confirm:     e.Confirm,
		AsNew:       func() resource.Draft[*client.Contact] { return newContactFrom(a, *in) },
		Attempt:     e.Attempt,
	}
}

// contactFields returns the fields of a contact. The API requires no field, but a contact without a name and an e-mail
// address is of no use, and the provider's console requires both. groups are suggestions.
func contactFields(in *client.ContactRequest, groups func() []string) []form.Field {
	return []form.Field{
		form.Text("name", "Name", &in.Name, form.Length(2, 64)).Flag("name", "name (2 to 64 characters)"),
		form.Text("email", "E-mail", &in.Email, form.Email()).Flag("email", "where alerts are sent"),
		form.Text("phone.primary", "Phone", &in.Phone.Primary).Flag("phone", "first number to call"),
		form.Text("phone.secondary", "Second phone", &in.Phone.Secondary).Flag("phone2", "second number to call"),
		form.Combobox("group", "Group", &in.Group, groups, form.Optional(form.Length(2, 50))).
			Flag("group", "contact group (2 to 50 characters)"),
	}
}
