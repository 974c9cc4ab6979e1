package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"

	"github.com/spf13/pflag"

	"lookout/client"
)

func contactsNoun() noun {
	type row = *client.Contact
	return resource[row]{
		name: "contacts", one: "contact", named: "ID", about: "People whom support may call",
		examples: "lookout contacts list -o csv\nlookout contacts create --name \"Eve Adams\" --email eve@example.com --phone \"+1 555 0199\"\nlookout contacts update 11 --group night",
		ident:    func(c row) (string, string) { return strconv.Itoa(c.ID), c.Name.String() },
		columns: []column[row]{
			{name: "id", cell: func(c row) string { return strconv.Itoa(c.ID) }},
			{name: "name", cell: func(c row) string { return c.Name.Raw() }},
			{name: "group", drop: 1, cell: func(c row) string { return c.Group.Raw() }},
			{name: "email", cell: func(c row) string { return c.Email.Raw() }},
			{name: "phone_primary", cell: func(c row) string { return c.Phone.Primary.Raw() }},
			{name: "phone_secondary", drop: 2, cell: func(c row) string { return c.Phone.Secondary.Raw() }},
			{name: "updated", detail: true, cell: func(c row) string { return when(c.Updated) }},
		},
		list: func(ctx context.Context, s *session, _ listing) iter.Seq2[row, error] { return s.api.Contacts.All(ctx) },
		get:  byNumber(func(ctx context.Context, s *session, id int) (row, error) { return s.api.Contacts.Get(ctx, id) }),
		verbs: []verb[row]{
			{name: "create", makes: true, about: "Add a contact", with: createContact},
			{name: "update", about: "Change what the flags name", with: updateContact},
			{name: "delete", about: "Remove a contact", gone: "is deleted",
				loses: func(it row, _ []string) string { return fmt.Sprintf("Deletes contact %s (%d)", it.Name, it.ID) },
				with: as(func(ctx context.Context, s *session, it row, _ []string) (row, error) {
					return it, s.api.Contacts.Delete(ctx, it.ID)
				})},
		},
	}
}

// contactFlags are the members of a contact as flags.
func contactFlags(set *pflag.FlagSet) func(*client.ContactRequest) bool {
	type request = client.ContactRequest
	in := request{}
	set.StringVar(&in.Name, "name", "", "2 to 64 characters")
	set.StringVar(&in.Email, "email", "", "where alerts go")
	set.StringVar(&in.Group, "group", "", "2 to 50 characters")
	set.StringVar(&in.Phone.Primary, "phone", "", "first number to call")
	set.StringVar(&in.Phone.Secondary, "phone2", "", "second number to call")
	return members(set, map[string]func(*request){
		"name": func(r *request) { r.Name = in.Name }, "email": func(r *request) { r.Email = in.Email }, "group": func(r *request) { r.Group = in.Group },
		"phone": func(r *request) { r.Phone.Primary = in.Phone.Primary }, "phone2": func(r *request) { r.Phone.Secondary = in.Phone.Secondary },
	})
}

func createContact(set *pflag.FlagSet) work[*client.Contact] {
	fill := contactFlags(set)
	return func(ctx context.Context, s *session, it *client.Contact, _ []string) (*client.Contact, error) {
		var in client.ContactRequest
		if fill(&in); in.Name == "" || in.Email == "" {
			return it, usage(errors.New("a contact needs --name and --email"))
		}
		return s.api.Contacts.Create(about(ctx, "contact", "", in.Name, ""), in)
	}
}

func updateContact(set *pflag.FlagSet) work[*client.Contact] {
	fill := contactFlags(set)
	return func(ctx context.Context, s *session, it *client.Contact, _ []string) (*client.Contact, error) {
		patch, err := changed(s, "contact", it.Request(), fill)
		if err != nil || len(patch) == 0 {
			return it, err
		}
		return s.api.Contacts.Update(ctx, it.ID, patch)
	}
}
