package cli

import (
	"context"
	"errors"
	"iter"
	"strconv"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
	"lookout/ui/form"
	"lookout/views/managed"
)

func contactsResource() resourceCommand {
	type row = *client.Contact
	return resource[row]{
		name:        "contacts",
		singular:    "contact",
		idArg:       "ID",
		description: "People whom support may call",
		examples: "lookout contacts list -o csv\nlookout contacts create --name \"Eve Adams\" --email " +
			"eve@example.com --phone \"+1 555 0199\"\nlookout contacts update 11 --group night",
		identify: func(c row) (string, string) { return strconv.Itoa(c.ID), c.Name.String() },
		columns: []output.ColumnDefinition[row]{
			{Name: "id", Cell: func(c row) string { return strconv.Itoa(c.ID) }},
			{Name: "name", Cell: func(c row) string { return c.Name.Raw() }},
			{Name: "group", DropPriority: 1, Cell: func(c row) string { return c.Group.Raw() }},
			{Name: "email", Cell: func(c row) string { return c.Email.Raw() }},
			{Name: "phone_primary", Cell: func(c row) string { return c.Phone.Primary.Raw() }},
			{Name: "phone_secondary", DropPriority: 2, Cell: func(c row) string { return c.Phone.Secondary.Raw() }},
			{Name: "updated", DetailOnly: true, Cell: func(c row) string { return formatAPITime(c.Updated) }},
		},
		list: func(ctx context.Context, s *scriptSession, _ listOptions) iter.Seq2[row, error] {
			return s.api.Contacts.All(ctx)
		},
		get: getByID(
			func(ctx context.Context, s *scriptSession, id int) (row, error) { return s.api.Contacts.Get(ctx, id) },
		),
		subcommands: contactSubcommands(),
	}
}

// contactSubcommands returns the commands that change contacts.
func contactSubcommands() []subcommand[*client.Contact] {
	type row = *client.Contact
	return []subcommand[row]{
		{
			name:        "create",
			op:          client.OpCreateContact,
			verb:        "Creates",
			noTarget:    true,
			description: "Add a contact",
			bindFlags:   createContact,
		},
		{
			name:        "update",
			op:          client.OpUpdateContact,
			verb:        "Changes",
			description: "Change the values given as flags",
			bindFlags:   updateContact,
		},
		{
			name:        "delete",
			op:          client.OpDeleteContact,
			verb:        "Deletes",
			asks:        asksAlways,
			description: "Remove a contact",
			doneMessage: "is deleted",
			bindFlags: planForRow(func(it row) change[row] {
				return change[row]{
					Change: client.Change{Before: it.Request()},
					send: func(ctx context.Context, w *approvedChange) (row, error) {
						return it, w.DeleteContact(ctx, it.ID)
					},
				}
			}),
		},
	}
}

// contactFlags returns the flags that set the members of a contact.
func contactFlags(set *pflag.FlagSet) memberFlags[client.ContactRequest] {
	type request = client.ContactRequest
	in := request{}
	set.StringVar(&in.Name, "name", "", "2 to 64 characters")
	set.StringVar(&in.Email, "email", "", "where alerts go")
	set.StringVar(&in.Group, "group", "", "2 to 50 characters")
	set.StringVar(&in.Phone.Primary, "phone", "", "first number to call")
	set.StringVar(&in.Phone.Secondary, "phone2", "", "second number to call")
	flags := []memberFlag[request]{
		{"name", "name", func(r *request) { r.Name = in.Name }},
		{"email", "email", func(r *request) { r.Email = in.Email }},
		{"group", "group", func(r *request) { r.Group = in.Group }},
		{"phone", "phone.primary", func(r *request) { r.Phone.Primary = in.Phone.Primary }},
		{"phone2", "phone.secondary", func(r *request) { r.Phone.Secondary = in.Phone.Secondary }},
	}
	return memberFlags[request]{set, flags, func(r *request) []form.Field { return managed.ContactFields(r, nil) }}
}

func createContact(set *pflag.FlagSet) planFunc[*client.Contact] {
	type row = *client.Contact
	flags := contactFlags(set)
	return func(context.Context, *scriptSession, row, []string) (change[row], error) {
		var in client.ContactRequest
		if flags.apply(&in); in.Name == "" || in.Email == "" {
			return change[row]{}, exit.Usage(errors.New("a contact needs --name and --email"))
		}
		return change[row]{
			Change: client.Change{Label: in.Name},
			send:   func(ctx context.Context, w *approvedChange) (row, error) { return w.CreateContact(ctx, in) },
		}, flags.check(in)
	}
}

func updateContact(set *pflag.FlagSet) planFunc[*client.Contact] {
	type row = *client.Contact
	flags := contactFlags(set)
	return func(_ context.Context, _ *scriptSession, it row, _ []string) (change[row], error) {
		after, err := flags.applyTo(it.Request())
		return edit[row, client.ContactRequest]{
			row:    it,
			before: it.Request(),
			after:  after,
			send: func(ctx context.Context, w *approvedChange, p client.Patch) (row, error) {
				return w.UpdateContact(ctx, it.ID, p)
			},
		}.plan(), err
	}
}
