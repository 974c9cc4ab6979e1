package managed

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/account"
	"lookout/views/resource"
)

// ContactsPane returns the pane of the people whom support calls.
func ContactsPane(a *account.Account) ui.Pane {
	changes := contactRunner(a)
	list := &table.List[*client.Contact]{
		Title:        "contacts",
		Store:        a.Contacts(),
		JoinedStores: []table.JoinedStore{a.Services()},
		Columns:      changes.Resource.PaneColumns(),
		RowActions:   append(contactShortcuts(a), changes.RowActions()...),
		PaneActions:  changes.NewActions,
		LongTexts:    account.LongTexts[*client.Contact],
		Detail:       func(c *client.Contact, b ui.Box) string { return contactDetail(a, c, b) },
		FetchOne:     changes.FetchOne,
		Footer:       func(set *ui.RowStore[*client.Contact], b ui.Box) string { return contactsFoot(a, set, b) },
		CopyItems:    account.CopyItemsByID(a, "contacts", "view contact", func(c *client.Contact) int { return c.ID }),
		EmptyText:    "no contacts yet · n adds one",
		Search:       table.RowSearch[*client.Contact]{By: contactAddresses},
		SortBy:       "group",
	}
	return account.WithDetailSidebar(a, list, func(row *client.Contact, inside ui.Box) []ui.StackedPanel {
		return []ui.StackedPanel{
			issuesOfServicesPanel(a, "Issues to call about", a.ServicesInGroup(row.Group.Raw()), inside),
			account.ChangesPanel(a, "contact", account.FormatID(row.ID), inside),
		}
	}, a.Issues())
}

// contactAddresses returns by what a contact can be reached: telephone numbers and e-mail.
func contactAddresses(c *client.Contact) []string {
	return []string{c.Phone.Primary.String(), c.Phone.Secondary.String(), c.Email.String()}
}

// contactColumns returns the columns of contacts.
func contactColumns() []resource.ColumnDefinition[*client.Contact] {
	type row = *client.Contact
	type column = resource.ColumnDefinition[row]
	return []column{
		resource.IDColumn(contactID),
		resource.TextColumn(
			column{Name: "name", Pane: table.Column[row]{Min: 12}},
			theme.Strong, func(c row) client.ServerText { return c.Name },
		),
		contactGroupColumn(),
		resource.TextColumn(
			column{Name: "email", Pane: table.Column[row]{Title: "e-mail", Min: 16, DropPriority: 1}},
			theme.Plain, func(c row) client.ServerText { return c.Email },
		),
		{
			Name:  "phone_primary",
			Value: func(c row) string { return c.Phone.Primary.Raw() },
			Pane: table.Column[row]{
				Title: "phone",
				Width: 16,
				Cell: func(c row, _ ui.Box) (string, theme.Tone) {
					if len(phoneNumbers(c)) == 0 {
						return "no phone", theme.Warn
					}
					return c.Phone.Primary.String(), theme.Accent
				},
			},
		},
		resource.TextColumn(
			column{
				Name:         "phone_secondary",
				DropPriority: 2,
				Pane:         table.Column[row]{Title: "second phone", Width: 16, DropPriority: 3},
			},
			theme.Plain, func(c row) client.OptionalServerText { return c.Phone.Secondary },
		),
		account.AgeColumn(
			column{Name: "updated", DetailOnly: true, Pane: table.Column[row]{Width: 8, DropPriority: 4}},
			theme.Muted, func(c row) client.Timestamp { return c.Updated },
		),
	}
}

// contactGroupColumn is the column of a contact's group.
func contactGroupColumn() resource.ColumnDefinition[*client.Contact] {
	type row = *client.Contact
	return resource.ColumnDefinition[row]{
		Name:         "group",
		Value:        func(c row) string { return c.Group.Raw() },
		DropPriority: 1,
		Pane: table.Column[row]{
			Width:        12,
			DropPriority: 2,
			Cell: func(c row, _ ui.Box) (string, theme.Tone) {
				if c.Group.String() == "" {
					return "none", theme.Muted
				}
				return c.Group.String(), theme.Plain
			},
			Less: func(c, d row) bool { return c.Group.String() < d.Group.String() },
		},
	}
}

// contactShortcuts are the actions on a contact that change nothing.
func contactShortcuts(a *account.Account) []table.RowAction[*client.Contact] {
	return []table.RowAction[*client.Contact]{
		{
			Keys:        []string{"y"},
			Name:        "copy phone",
			ShowInHints: true,
			DisabledReason: func(c *client.Contact) string {
				return account.ReasonIf(len(phoneNumbers(c)) == 0, "no phone number")
			},
			Message: func(c *client.Contact) tea.Msg {
				return ui.CopyMsg{Text: phoneNumbers(c)[0], Label: "phone number of " + c.Name.String()}
			},
		},
		{
			Keys: []string{"w"},
			Name: "copy second phone",
			DisabledReason: func(c *client.Contact) string {
				return account.ReasonIf(len(phoneNumbers(c)) < 2, "there is no second phone number")
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
				return ui.CopyMsg{Text: c.Email.String(), Label: "e-mail address of " + c.Name.String()}
			},
		},
		account.FollowReference(
			func(c *client.Contact) resource.Joined[account.LinkedRow] {
				return account.ReferencesToServices(a.ServicesInGroup(c.Group.Raw()))
			},
		),
	}
}

// servicesNamePhrase returns services as the beginning of a clause: "web-1 uses", "web-1, web-2 use".
func servicesNamePhrase(services []*client.Service) string {
	names := make([]string, len(services))
	for i, s := range services {
		names[i] = s.Label.String()
	}
	if len(names) == 1 {
		return names[0] + " uses"
	}
	return account.JoinWithCommas(names) + " use"
}

// contactDetail returns everything about a contact.
func contactDetail(a *account.Account, c *client.Contact, b ui.Box) string {
	t := account.NewDetailWriter(b)
	t.Title(c.Name.String())
	t.Field("group", account.OrDefault(c.Group.String(), "none"), theme.Plain)
	t.Field("phone", account.OrDefault(c.Phone.Primary.String(), "none"), theme.Accent)
	t.Field("second", account.OrDefault(c.Phone.Secondary.String(), "none"), theme.Plain)
	t.Field("e-mail", c.Email.String(), theme.Plain)
	t.Field("updated", a.FormatTimestamp(c.Updated), theme.Muted)
	t.Heading("called for")
	empty := "no service uses this group"
	if c.Group.Raw() == "" {
		empty = "no service: the contact is in no group"
	}
	t.Services(a.ServicesInGroup(c.Group.Raw()), empty)
	return t.String()
}

// contactsFoot counts contacts and groups.
func contactsFoot(a *account.Account, set *ui.RowStore[*client.Contact], b ui.Box) string {
	return b.Theme.Paint(
		theme.Muted,
		resource.Fold(account.AllRows(a, set), func(all []*client.Contact) string {
			return fmt.Sprintf(
				"%s · %s", ui.Plural(len(all), "contact", "contacts"),
				resource.Count(a.ContactGroups(), "group", "groups", "no group"),
			)
		}, func(found []*client.Contact, s resource.JoinState) string { return s.String() }),
	)
}

// phoneNumbers returns the numbers of a contact in the order in which they are called.
func phoneNumbers(c *client.Contact) []string {
	var numbers []string
	for _, p := range []client.OptionalServerText{c.Phone.Primary, c.Phone.Secondary} {
		if p.Raw() != "" {
			numbers = append(numbers, p.String())
		}
	}
	return numbers
}

// formatContact returns a contact in one line: name, phones, e-mail.
func formatContact(c *client.Contact) string {
	return strings.Join(
		[]string{
			c.Name.String(),
			account.OrDefault(strings.Join(phoneNumbers(c), " / "), "no phone"),
			c.Email.String(),
		},
		"  ",
	)
}

// phoneParts returns the phone numbers of a contact, or that there are none.
func phoneParts(c *client.Contact) []string {
	if numbers := phoneNumbers(c); len(numbers) > 0 {
		return numbers
	}
	return []string{"no phone"}
}
