package managed

import (
	"cmp"
	"fmt"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/join"
	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/operation"
	"lookout/views/resource"
)

// ContactsPane returns the pane of the people whom support calls.
func ContactsPane(a *account.Account) ui.Pane {
	list := operation.NewRunner(a, a.Contacts(), Contacts(a)).List(contactShortcuts(a)...)
	list.JoinedStores = table.JoinedStores{a.Services()}
	list.Detail = func(c *client.Contact, b ui.Box) string { return contactDetail(a, c, b) }
	list.Footer = func(set *lists.RowStore[*client.Contact], b ui.Box) string { return contactsFoot(a, set, b) }
	list.EmptyText, list.SortBy = "no contacts yet · n adds one", "group"
	list.Search.By = func(c *client.Contact) []string { return append(phoneNumbers(c), c.Email.String()) }
	return operation.WithDetailSidebar(a, list, func(row *client.Contact, inside ui.Box) []ui.StackedPanel {
		return []ui.StackedPanel{
			issuesOfServicesPanel(a, "Issues to call about", a.ServicesInGroup(row.Group.Raw()), inside),
			operation.ChangesPanel(a, "contact", account.FormatID(row.ID), inside),
		}
	}, a.Issues())
}

// contactColumns returns the columns of contacts.
func contactColumns() []resource.ColumnDefinition[*client.Contact] {
	type row = *client.Contact
	return []resource.ColumnDefinition[row]{
		resource.IDColumn(contactID),
		resource.TextColumn("name", theme.Plain, func(c row) client.ServerText { return c.Name }).MinWidth(12).Label(),
		resource.TextColumn("group", theme.Plain, func(c row) client.OptionalServerText { return c.Group }).
			OrElse("none", theme.Muted).Width(12).Drop(2, 1),
		resource.TextColumn("email", theme.Plain, func(c row) client.ServerText { return c.Email }).
			Titled("e-mail").MinWidth(16).Drop(1, 0),
		resource.NewColumn("phone_primary", func(c row) string { return c.Phone.Primary.Raw() }, phoneCell).
			Titled("phone").Width(16),
		resource.TextColumn("phone_secondary", theme.Plain, func(c row) client.OptionalServerText {
			return c.Phone.Secondary
		}).Titled("second phone").Width(16).Drop(3, 2),
		operation.AgeColumn("updated", theme.Muted, func(c row) client.Timestamp { return c.Updated }).
			Width(8).Drop(4, 0).Detail(),
	}
}

// phoneCell shows the first number to call.
func phoneCell(c *client.Contact, _ ui.Box) (string, theme.Tone) {
	if len(phoneNumbers(c)) == 0 {
		return "no phone", theme.Warn
	}
	return c.Phone.Primary.String(), theme.Accent
}

// contactShortcuts are the actions on a contact that change nothing.
func contactShortcuts(a *account.Account) []table.RowAction[*client.Contact] {
	type row = *client.Contact
	number := func(n int, name string) func(row) (string, string) {
		return func(c row) (string, string) { return at(phoneNumbers(c), n), name + c.Name.String() }
	}
	second := operation.CopyAction(
		"w", "copy second phone", "there is no second phone number", number(1, "second phone number of "),
	)
	second.ShowInHints = false
	return []table.RowAction[row]{
		operation.CopyAction("y", "copy phone", "no phone number", number(0, "phone number of ")),
		second,
		operation.CopyAction("m", "copy e-mail", "", func(c row) (string, string) {
			return c.Email.String(), "e-mail address of " + c.Name.String()
		}),
		operation.FollowReference(func(c row) join.Joined[operation.LinkedRow] {
			return operation.ReferencesToServices(a.ServicesInGroup(c.Group.Raw()))
		}),
	}
}

// at returns a text, or "" behind the last.
func at(texts []string, n int) string {
	if n >= len(texts) {
		return ""
	}
	return texts[n]
}

// servicesNamePhrase returns services as the beginning of a clause: "web-1 uses", "web-1, web-2 use".
func servicesNamePhrase(services []*client.Service) string {
	return account.JoinWithCommas(serviceLabels(services)) + " use" + wording.If(len(services) == 1, "s")
}

// contactDetail returns everything about a contact.
func contactDetail(a *account.Account, c *client.Contact, b ui.Box) string {
	t := operation.NewDetailWriter(b)
	t.Title(c.Name.String())
	t.Field("group", cmp.Or(c.Group.String(), "none"), theme.Plain)
	t.Field("phone", cmp.Or(c.Phone.Primary.String(), "none"), theme.Accent)
	t.Field("second", cmp.Or(c.Phone.Secondary.String(), "none"), theme.Plain)
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
func contactsFoot(a *account.Account, set *lists.RowStore[*client.Contact], b ui.Box) string {
	return b.Theme.Paint(
		theme.Muted,
		join.Fold(account.AllRows(a, set), func(all []*client.Contact) string {
			return fmt.Sprintf(
				"%s · %s", wording.Plural(len(all), "contact", "contacts"),
				join.Count(a.ContactGroups(), "group", "groups", "no group"),
			)
		}, func(found []*client.Contact, s join.JoinState) string { return s.String() }),
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

// phoneParts returns the phone numbers of a contact, or that there are none.
func phoneParts(c *client.Contact) []string {
	if numbers := phoneNumbers(c); len(numbers) > 0 {
		return numbers
	}
	return []string{"no phone"}
}
