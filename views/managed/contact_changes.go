package managed

import (
	"fmt"
	"slices"
	"strings"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/join"
	"lookout/ui/form"
	"lookout/views/operation"
	"lookout/views/resource"
)

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
		Argument:   "ID",
		ID:         func(c *client.Contact) string { return account.FormatID(c.ID) },
		Label:      func(c *client.Contact) string { return c.Name.String() },
		Calls:      resource.APICalls{List: "list contacts", Get: "view contact", Managed: true},
		Columns:    contactColumns(),
		PaneOrder:  []string{"name", "group", "phone_primary", "phone_secondary", "email", "updated"},
		List:       resource.ListAll(a.API.Contacts.All),
		Get:        resource.ByID(a.API.Contacts.Get),
		Operations: editableContact(a).Operations(),
	}
}

// editableContact declares how contacts are made, changed and deleted.
func editableContact(a *account.Account) operation.EditableResource[*client.Contact, client.ContactRequest] {
	return operation.EditableResource[*client.Contact, client.ContactRequest]{
		Account:      a,
		Store:        a.Contacts(),
		Noun:         "contact",
		ID:           contactID,
		Label:        func(c *client.Contact) client.ServerText { return c.Name },
		Request:      func(c *client.Contact) client.ContactRequest { return c.Request() },
		RequestLabel: func(in client.ContactRequest) string { return in.Name },
		Fields: func(in *client.ContactRequest, _ *client.Contact) []form.Field {
			return contactFields(in, a.SuggestedGroups)
		},
		CreateEffect:  "Adds contact %s.",
		DeleteEffect:  "support can no longer reach this person",
		ConfirmDelete: func(rows []*client.Contact) resource.ConfirmationSpec { return askToDeleteContacts(a, rows) },
		UpdateCall:    client.OpUpdateContact,
		DeleteCall:    client.OpDeleteContact,
		CreateCall:    client.OpCreateContact,
		Get:           a.API.Contacts.Get,
		Create:        (*client.Writer).CreateContact,
		Update:        (*client.Writer).UpdateContact,
		Delete:        (*client.Writer).DeleteContact,
	}
}

// askToDeleteContacts is the question before contacts are deleted.
func askToDeleteContacts(a *account.Account, rows []*client.Contact) resource.ConfirmationSpec {
	c, loss := rows[0], "Support can no longer call them."+emptiedGroups(a, rows)
	return resource.ConfirmationSpec{
		Title:    "Delete contact",
		Effect:   fmt.Sprintf("This deletes contact %q (id %d). %s", c.Name, c.ID, loss),
		Loss:     loss,
		Required: true,
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
		return join.Fold(a.ServicesInGroup(group.Raw()), func(named []*client.Service) string {
			if len(named) == 0 {
				return ""
			}
			return fmt.Sprintf(" This leaves group %q without a contact; %s it.", group, servicesNamePhrase(named))
		}, func(_ []*client.Service, s join.JoinState) string {
			return fmt.Sprintf(
				" This leaves group %q without a contact; which services use it is unknown (%s).", group, s.Reason(),
			)
		})
	}
	return join.Fold(
		a.ContactsInGroup(group.Raw()),
		services,
		func(found []*client.Contact, s join.JoinState) string {
			if s.Kind == join.Partial && slices.ContainsFunc(found, remains) {
				return ""
			}
			return fmt.Sprintf(" This may leave group %q without a contact (%s).", group, s.Reason())
		},
	)
}

// contactID returns the identity of a contact.
func contactID(c *client.Contact) int { return c.ID }

// contactFields returns the fields of a contact. The API requires no field, but a contact without a name and an e-mail
// address is of no use, and the provider's console requires both. groups are suggestions.
func contactFields(in *client.ContactRequest, groups func() []string) []form.Field {
	return []form.Field{
		form.Text("name", "Name", &in.Name, form.Length(2, 64)).Flag("name", "name (2 to 64 characters)"),
		form.Text("email", "E-mail", &in.Email, form.Email()).Flag("email", "where alerts are sent"),
		form.Text("phone.primary", "Phone", &in.Phone.Primary).Flag("phone", "first number to call"),
		form.Text("phone.secondary", "Second phone", &in.Phone.Secondary).Flag("phone2", "second number to call"),
		form.Combobox("group", "Group", &in.Group, groups, form.Optional(form.Length(2, 50))).
			Flag("group", "contact group (2 to 50 characters)").Names("contacts.group"),
	}
}
