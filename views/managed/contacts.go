package managed

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
	"lookout/views/account"
	"lookout/views/resource"
)

// ContactsPane returns the pane of the people who are called.
func ContactsPane(a *account.Account) ui.Pane {
	changes := contactRunner(a)
	return &table.List[*client.Contact]{
		Title:        "contacts",
		Store:        a.Contacts(),
		JoinedStores: []table.JoinedStore{a.Services()},
		Columns: []table.Column[*client.Contact]{
			{
				Title: "name",
				Min:   12,
				Cell:  func(c *client.Contact, _ ui.Box) (string, theme.Tone) { return c.Name.String(), theme.Strong },
			},
			{
				Title:        "group",
				Width:        12,
				DropPriority: 2,
				GroupRepeats: true,
				Cell: func(c *client.Contact, _ ui.Box) (string, theme.Tone) {
					if c.Group.String() == "" {
						return "none", theme.Muted
					}
					return c.Group.String(), theme.Plain
				},
				Less: func(c, d *client.Contact) bool { return c.Group.String() < d.Group.String() },
			},
			{
				Title: "phone",
				Width: 16,
				Cell:  func(c *client.Contact, _ ui.Box) (string, theme.Tone) { return c.Phone.Primary.String(), theme.Accent },
			},
			{
				Title:        "second phone",
				Width:        16,
				DropPriority: 3,
				Cell:         func(c *client.Contact, _ ui.Box) (string, theme.Tone) { return c.Phone.Secondary.String(), theme.Plain },
			},
			{
				Title:        "e-mail",
				Min:          16,
				DropPriority: 1,
				Cell:         func(c *client.Contact, _ ui.Box) (string, theme.Tone) { return c.Email.String(), theme.Plain },
			},
			{
				Title:        "updated",
				Width:        8,
				AlignRight:   true,
				DropPriority: 4,
				Cell: func(c *client.Contact, b ui.Box) (string, theme.Tone) {
					return account.FormatAge(c.Updated, b.Now), theme.Muted
				},
				Less: func(c, d *client.Contact) bool { return d.Updated.Time().Before(c.Updated.Time()) },
			},
		},
		RowActions:  append(contactShortcuts(a), changes.RowActions()...),
		PaneActions: changes.NewActions,
		Detail:      func(c *client.Contact, b ui.Box) string { return contactDetail(a, c, b) },
		FetchOne:    changes.FetchOne,
		Footer:      func(set *ui.Store[*client.Contact], b ui.Box) string { return contactsFoot(a, set, b) },
		CopyItems:   account.CopyItemsByID(a, "contacts", "view contact", func(c *client.Contact) int { return c.ID }),
		EmptyText:   "no contacts yet · n adds one",
		SortBy:      "group",
	}
}

// contactRunner performs the operations on contacts.
func contactRunner(a *account.Account) account.Runner[*client.Contact] {
	return account.Runner[*client.Contact]{
		Account:  a,
		Store:    a.Contacts(),
		Resource: contactResource(a),
		FetchOne: func(ctx context.Context, c *client.Contact) (*client.Contact, error) {
			return a.API.Contacts.Get(ctx, c.ID)
		},
	}
}

// contactResource declares contacts: the document's "Managed Contact".
func contactResource(a *account.Account) resource.Resource[*client.Contact] {
	return resource.Resource[*client.Contact]{
		Name:     "contacts",
		Singular: "contact",
		ID:       func(c *client.Contact) string { return account.FormatID(c.ID) },
		Label:    func(c *client.Contact) string { return c.Name.String() },
		Operations: []resource.Operation[*client.Contact]{
			{
				Name:         "edit",
				Keys:         []string{"e"},
				Call:         client.OpUpdateContact,
				ShowInHints:  true,
				ProgressText: "saving",
				SuccessText:  "saved",
				Draft:        func(c *client.Contact) resource.Draft[*client.Contact] { return editContact(a, c) },
			},
			{
				Name:         "delete",
				Description:  "support can no longer reach this person",
				Keys:         []string{"D"},
				Call:         client.OpDeleteContact,
				Target:       resource.AnyRows,
				ProgressText: "deleting",
				SuccessText:  "deleted",
				Draft:        func(*client.Contact) resource.Draft[*client.Contact] { return deleteContact(a) },
			},
			{
				Name:         "new contact",
				Keys:         []string{"n"},
				Call:         client.OpCreateContact,
				Target:       resource.NewRow,
				ShowInHints:  true,
				ProgressText: "adding",
				SuccessText:  "added",
				Draft:        func(*client.Contact) resource.Draft[*client.Contact] { return newContact(a) },
			},
		},
	}
}

// contactShortcuts are the actions on a contact that change nothing.
func contactShortcuts(a *account.Account) []table.RowAction[*client.Contact] {
	return []table.RowAction[*client.Contact]{
		{
			Keys:           []string{"y"},
			Name:           "copy phone",
			ShowInHints:    true,
			DisabledReason: func(c *client.Contact) string { return account.ReasonIf(len(phoneNumbers(c)) == 0, "no phone is kept") },
			Message: func(c *client.Contact) tea.Msg {
				return ui.CopyMsg{Text: phoneNumbers(c)[0], Label: "phone number of " + c.Name.String()}
			},
		},
		{
			Keys: []string{"w"},
			Name: "copy second phone",
			DisabledReason: func(c *client.Contact) string {
				return account.ReasonIf(len(phoneNumbers(c)) < 2, "no second phone is kept")
			},
			Message: func(c *client.Contact) tea.Msg {
				return ui.CopyMsg{Text: phoneNumbers(c)[1], Label: "second phone number of " + c.Name.String()}
			},
		},
		{
			Keys:        []string{"m"},
			Name:        "copy e-mail",
			ShowInHints: true,
			Message: func(c *client.Contact) tea.Msg {
				return ui.CopyMsg{Text: c.Email.String(), Label: "mail address of " + c.Name.String()}
			},
		},
		account.FollowReference(
			func(c *client.Contact) resource.Joined[account.Reference] {
				return account.ReferencesToServices(a.ServicesInGroup(c.Group.Raw()))
			},
		),
	}
}

// deleteContact removes contacts.
func deleteContact(a *account.Account) resource.Draft[*client.Contact] {
	return resource.Draft[*client.Contact]{
		Confirm: func(rows []*client.Contact) resource.Confirm {
			c := rows[0]
			effect := fmt.Sprintf("Contact %q (id %d) is removed: nobody calls this person any more.", c.Name, c.ID)
			effect += lastOfGroup(a, c)
			return resource.Confirm{Title: "Delete contact", Effect: effect, Required: true}
		},
		Attempt: func(c *client.Contact) resource.Attempt[*client.Contact] {
			return resource.Attempt[*client.Contact]{
				ID:     account.FormatID(c.ID),
				Label:  c.Name.String(),
				Before: c.Request(),
				Send: func(ctx context.Context, w *client.Writer) (ui.Result[*client.Contact], error) {
					return ui.ResultDeleted[*client.Contact](w.DeleteContact(ctx, c.ID))
				},
			}
		},
	}
}

// lastOfGroup warns that services call a group that would be empty without a contact, or that this is not known.
func lastOfGroup(a *account.Account, c *client.Contact) string {
	services := func(others []*client.Contact) string {
		if len(others) != 1 {
			return ""
		}
		return resource.Fold(a.ServicesInGroup(c.Group.Raw()), func(named []*client.Service) string {
			if len(named) == 0 {
				return ""
			}
			return fmt.Sprintf(" It is the last of group %q, which %s.", c.Group, servicesNamePhrase(named))
		}, func(_ []*client.Service, s resource.JoinState) string {
			return fmt.Sprintf(" It is the last of group %q; which services name it is not known (%s).", c.Group, s.Reason())
		})
	}
	return resource.Fold(a.ContactsInGroup(c.Group.Raw()), services, func(found []*client.Contact, s resource.JoinState) string {
		if len(found) > 1 && s.Kind == resource.Partial {
			return ""
		}
		return fmt.Sprintf(" Whether it is the last of group %q is not known (%s).", c.Group, s.Reason())
	})
}

// servicesNamePhrase says which services name something.
func servicesNamePhrase(services []*client.Service) string {
	names := make([]string, len(services))
	for i, s := range services {
		names[i] = s.Label.String()
	}
	if len(names) == 1 {
		return names[0] + " names"
	}
	return account.JoinWithCommas(names) + " name"
}

func contactDetail(a *account.Account, c *client.Contact, b ui.Box) string {
	t := account.NewDetailWriter(b)
	t.Title(c.Name.String())
	t.Field("group", account.OrDefault(c.Group.String(), "none"), theme.Plain)
	t.Field("phone", account.OrDefault(c.Phone.Primary.String(), "none"), theme.Accent)
	t.Field("second", account.OrDefault(c.Phone.Secondary.String(), "none"), theme.Plain)
	t.Field("e-mail", c.Email.String(), theme.Plain)
	t.Field("updated", a.FormatTimestamp(c.Updated), theme.Muted)
	t.Heading("called for")
	empty := "no service names this group"
	if c.Group.Raw() == "" {
		empty = "no service: the contact is in no group"
	}
	t.Services(a.ServicesInGroup(c.Group.Raw()), empty)
	return t.String()
}

func contactsFoot(a *account.Account, set *ui.Store[*client.Contact], b ui.Box) string {
	return b.Theme.Paint(
		theme.Muted,
		resource.Fold(account.AllRows(set), func(all []*client.Contact) string {
			return fmt.Sprintf(
				"%s in %s",
				account.Pluralize(len(all), "contact", "contacts"),
				resource.Count(a.ContactGroups(), "group", "groups", "no group"),
			)
		}, func(found []*client.Contact, s resource.JoinState) string { return s.String() }),
	)
}

// newContact asks for a contact.
func newContact(a *account.Account) resource.Draft[*client.Contact] {
	in, before := &client.ContactRequest{}, a.Contacts().Rows()
	return resource.Draft[*client.Contact]{
		Title:       "New contact",
		SubmitLabel: "add",
		Fields:      contactFields(a, in),
		Confirm: func([]*client.Contact) resource.Confirm {
			return resource.Confirm{Effect: "Adds contact " + in.Name + "."}
		},
		Attempt: func(*client.Contact) resource.Attempt[*client.Contact] {
			sent := *in
			return resource.Attempt[*client.Contact]{
				Label: sent.Name,
				Send: func(ctx context.Context, w *client.Writer) (ui.Result[*client.Contact], error) {
					return ui.ResultRow(w.CreateContact(ctx, sent))
				},
				Recheck: func(now []*client.Contact) ui.AttemptOutcome {
					return account.CreateOutcome(before, now, contactID, func(c *client.Contact) bool { return c.Request() == sent })
				},
			}
		},
	}
}

func contactID(c *client.Contact) int { return c.ID }

// editContact changes a contact.
func editContact(a *account.Account, c *client.Contact) resource.Draft[*client.Contact] {
	e := &account.Edit[*client.Contact, client.ContactRequest]{
		Row:     c,
		ID:      contactID,
		Label:   c.Name.String(),
		Request: (*client.Contact).Request,
		Fetch:   a.API.Contacts.Get,
		Update:  (*client.Writer).UpdateContact,
	}
	return resource.Draft[*client.Contact]{
		Title:       fmt.Sprintf("Edit contact %d", c.ID),
		SubmitLabel: "save",
		Fields:      contactFields(a, e.Open()),
		Attempt:     e.Attempt,
	}
}

// contactFields are the same for a new contact and for an edit. The document requires nothing; its console wants a name
// and an e-mail address, and so does a call at night.
func contactFields(a *account.Account, in *client.ContactRequest) []form.Field {
	return []form.Field{
		form.Text("name", "Name", &in.Name, form.Length(2, 64)),
		form.Text("email", "E-mail", &in.Email, form.Email()),
		form.Text("phone.primary", "Phone", &in.Phone.Primary),
		form.Text("phone.secondary", "Second phone", &in.Phone.Secondary),
		form.Combobox("group", "Group", &in.Group, a.SuggestedGroups, form.Optional(form.Length(2, 50))),
	}
}

// phoneNumbers are a contact's numbers, the first first.
func phoneNumbers(c *client.Contact) []string {
	var numbers []string
	for _, p := range []client.OptionalText{c.Phone.Primary, c.Phone.Secondary} {
		if p.Raw() != "" {
			numbers = append(numbers, p.String())
		}
	}
	return numbers
}

// formatContact is a contact in one line: name, phones, e-mail.
func formatContact(c *client.Contact) string {
	return strings.Join(
		[]string{c.Name.String(), account.OrDefault(strings.Join(phoneNumbers(c), " / "), "no phone"), c.Email.String()},
		"  ",
	)
}

// contactParts are a contact's name, phones and e-mail: what is read whole or not at all.
func contactParts(c *client.Contact) []string {
	parts := append([]string{c.Name.String()}, phoneNumbers(c)...)
	if len(parts) == 1 {
		parts = append(parts, "no phone")
	}
	return append(parts, c.Email.String())
}
