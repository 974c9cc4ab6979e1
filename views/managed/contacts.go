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
)

func ContactsPane(a *account.Account) ui.Pane {
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
		Operations:  account.RequireScope(a, account.AccountWriteScope, contactOperations(a)),
		PaneActions: func() []ui.Action { return a.RequireScopeForActions(account.AccountWriteScope, newContactAction(a)) },
		Detail:      func(c *client.Contact, b ui.Box) string { return contactDetail(a, c, b) },
		FetchOne: func(ctx context.Context, c *client.Contact) (*client.Contact, error) {
			return a.Api.Contacts.Get(ctx, c.ID)
		},
		Footer:    func(set *ui.Store[*client.Contact], b ui.Box) string { return contactsFoot(a, set, b) },
		CopyItems: account.CopyItemsByID(a, "contacts", "view contact", func(c *client.Contact) int { return c.ID }),
		EmptyText: "no contacts yet · n adds one",
		SortBy:    "group",
	}
}

func contactOperations(a *account.Account) []table.Operation[*client.Contact] {
	return []table.Operation[*client.Contact]{
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
		{
			Keys:        []string{"e"},
			Name:        "edit",
			ShowInHints: true,
			Writes:      true,
			Form:        func(rows []*client.Contact) form.Form { return editContactForm(a, rows[0]) },
		},
		{
			Keys:         []string{"D"},
			Name:         "delete",
			Description:  "support can no longer reach this person",
			ProgressText: "deleting",
			SuccessText:  "deleted",
			Writes:       true,
			Many:         true,
			Confirm:      func(c *client.Contact) *ui.Confirmation { return confirmDeleteContact(a, c) },
			Run: func(ctx context.Context, c *client.Contact) (ui.Result[*client.Contact], error) {
				return ui.ResultDeleted[*client.Contact](a.Api.Contacts.Delete(contextWithContact(ctx, c), c.ID))
			},
		},
		account.FollowReference(
			func(c *client.Contact) []account.Reference {
				return account.ReferencesToServices(a.ServicesInGroup(c.Group.Raw()))
			},
		),
	}
}

func confirmDeleteContact(a *account.Account, c *client.Contact) *ui.Confirmation {
	text := fmt.Sprintf("Contact %q (id %d) is removed: nobody calls this person any more.", c.Name, c.ID)
	if g := c.Group.Raw(); g != "" && len(a.ContactsInGroup(g)) == 1 {
		if named := a.ServicesInGroup(g); len(named) > 0 {
			text += fmt.Sprintf(" It is the last of group %q, which %s.", c.Group, servicesNamePhrase(named))
		}
	}
	return &ui.Confirmation{Title: "Delete contact", Text: text, ConfirmLabel: "delete"}
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
	t.Services(a.ServicesInGroup(c.Group.Raw()), "no service names this group")
	return t.String()
}

func contactsFoot(a *account.Account, set *ui.Store[*client.Contact], b ui.Box) string {
	return b.Theme.Paint(
		theme.Muted,
		fmt.Sprintf(
			"%s in %s",
			account.Pluralize(set.Len(), "contact", "contacts"),
			account.Pluralize(len(a.ContactGroups()), "group", "groups"),
		),
	)
}

func newContactAction(a *account.Account) ui.Action {
	return ui.Action{
		Key:         ui.Bind("new contact", "n"),
		Group:       "this list",
		Writes:      true,
		OpensView:   true,
		ShowInHints: true,
		Do:          func() tea.Cmd { return ui.Send(form.OpenFormMsg{Form: newContactForm(a)}) },
	}
}

func newContactForm(a *account.Account) form.Form {
	in := client.ContactRequest{}
	before := a.Contacts().Rows()
	form := contactForm(a, "New contact", "added", &in, func(ctx context.Context) (ui.Result[*client.Contact], error) {
		return ui.ResultRow(a.Api.Contacts.Create(client.ContextWithResource(ctx, "contact", "", in.Name), in))
	}, func(now []*client.Contact) ui.AttemptOutcome {
		return account.CreateOutcome(before, now, contactID, func(c *client.Contact) bool { return c.Request() == in })
	})
	form.ProgressText, form.SubmitLabel = "adding", "add"
	return form
}

func contextWithContact(ctx context.Context, c *client.Contact) context.Context {
	return client.ContextWithResource(
		client.ContextWithBefore(ctx, c.Request()),
		"contact",
		account.FormatID(c.ID),
		c.Name.String(),
	)
}

func contactID(c *client.Contact) int { return c.ID }

func editContactForm(a *account.Account, c *client.Contact) form.Form {
	e := &account.EditState[client.ContactRequest]{Original: c.Request(), Latest: c.Request(), Edited: c.Request()}
	form := contactForm(a,
		fmt.Sprintf("Edit contact %d", c.ID),
		"saved",
		&e.Edited,
		func(ctx context.Context) (ui.Result[*client.Contact], error) {
			return account.SaveEdit(
				contextWithContact(ctx, c),
				e,
				func(ctx context.Context) (*client.Contact, error) { return a.Api.Contacts.Get(ctx, c.ID) },
				(*client.Contact).Request,
				func(ctx context.Context, p client.Patch) (*client.Contact, error) {
					return a.Api.Contacts.Update(ctx, c.ID, p)
				},
			)
		},
		account.UpdateOutcome(c.ID, contactID, func(now *client.Contact) bool { return now.Request() == e.Edited }),
	)
	form.ProgressText, form.SubmitLabel = "saving", "save"
	return form
}

// contactForm is the same for new and edit, which is said when it is done ("added"). The document requires nothing; its
// console wants a name and an address, and so does a call at night.
func contactForm(a *account.Account,
	title, past string,
	in *client.ContactRequest,
	send func(context.Context) (ui.Result[*client.Contact], error),
	check func([]*client.Contact) ui.AttemptOutcome,
) form.Form {
	return form.NewStoreForm(a.Contacts(), title, []form.Field{
		form.Text("name", "Name", &in.Name, form.Length(2, 64)),
		form.Text("email", "E-mail", &in.Email, form.Email()),
		form.Text("phone.primary", "Phone", &in.Phone.Primary),
		form.Text("phone.secondary", "Second phone", &in.Phone.Secondary),
		form.Combobox("group", "Group", &in.Group, a.ContactGroups, form.Optional(form.Length(2, 50))),
	}, func(c *client.Contact) string { return c.Name.String() + ": " + past }, send, check)
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
