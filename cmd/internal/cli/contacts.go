package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
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
		subcommands: []subcommand[row]{
			{
				name:        "create",
				noTarget:    true,
				description: "Add a contact",
				bindFlags:   createContact,
			},
			{name: "update", description: "Change what the flags name", bindFlags: updateContact},
			{
				name:        "delete",
				description: "Remove a contact",
				doneMessage: "is deleted",
				confirmMessage: func(it row, _ []string) string {
					return fmt.Sprintf("Deletes contact %s (%d)", it.Name, it.ID)
				},
				bindFlags: withoutFlags(func(ctx context.Context, s *scriptSession, it row, _ []string) (row, error) {
					return it, s.api.Contacts.Delete(ctx, it.ID)
				}),
			},
		},
	}
}

// addContactFlags are the members of a contact as flags.
func addContactFlags(set *pflag.FlagSet) func(*client.ContactRequest) bool {
	type request = client.ContactRequest
	in := request{}
	set.StringVar(&in.Name, "name", "", "2 to 64 characters")
	set.StringVar(&in.Email, "email", "", "where alerts go")
	set.StringVar(&in.Group, "group", "", "2 to 50 characters")
	set.StringVar(&in.Phone.Primary, "phone", "", "first number to call")
	set.StringVar(&in.Phone.Secondary, "phone2", "", "second number to call")
	return applyChangedFlags(set, map[string]func(*request){
		"name":  func(r *request) { r.Name = in.Name },
		"email": func(r *request) { r.Email = in.Email },
		"group": func(r *request) { r.Group = in.Group },
		"phone": func(r *request) { r.Phone.Primary = in.Phone.Primary }, "phone2": func(r *request) {
			r.Phone.Secondary = in.Phone.Secondary
		},
	})
}

func createContact(set *pflag.FlagSet) runFunc[*client.Contact] {
	fill := addContactFlags(set)
	return func(ctx context.Context, s *scriptSession, it *client.Contact, _ []string) (*client.Contact, error) {
		var in client.ContactRequest
		if fill(&in); in.Name == "" || in.Email == "" {
			return it, exit.Usage(errors.New("a contact needs --name and --email"))
		}
		return s.api.Contacts.Create(withTarget(ctx, "contact", "", in.Name, ""), in)
	}
}

func updateContact(set *pflag.FlagSet) runFunc[*client.Contact] {
	fill := addContactFlags(set)
	return func(ctx context.Context, s *scriptSession, it *client.Contact, _ []string) (*client.Contact, error) {
		patch, err := patchFromFlags(s, "contact", it.Request(), fill)
		if err != nil || len(patch) == 0 {
			return it, err
		}
		return s.api.Contacts.Update(ctx, it.ID, patch)
	}
}
