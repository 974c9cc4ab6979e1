package client

import (
	"context"
	"iter"
	"strconv"
)

// A Contact is a person whom support staff may call about an issue ("Managed Contact").
type Contact struct {
	ID      int          `json:"id"`
	Name    Text         `json:"name"`  // 2..64 characters
	Email   Text         `json:"email"` // where alerts go
	Group   OptionalText `json:"group"` // 2..50 characters, display only; empty is null
	Phone   Phone        `json:"phone"`
	Updated Time         `json:"updated"`
}

// A Phone holds a contact's numbers; either may be null, which is empty here.
type Phone struct {
	Primary   OptionalText `json:"primary"`
	Secondary OptionalText `json:"secondary"`
}

// A ContactRequest is what a contact is made from. Empty members are left out, and cleared ones are null.
type ContactRequest struct {
	Name  string       `json:"name"`
	Email string       `json:"email"`
	Group string       `json:"group,omitempty"`
	Phone PhoneRequest `json:"phone"`
}

// A PhoneRequest holds the numbers of a ContactRequest.
type PhoneRequest struct {
	Primary   string `json:"primary,omitempty"`
	Secondary string `json:"secondary,omitempty"`
}

// Request is what would make the contact again: where a form starts.
func (c Contact) Request() ContactRequest {
	return ContactRequest{
		Name:  c.Name.raw,
		Email: c.Email.raw,
		Group: c.Group.raw,
		Phone: PhoneRequest{c.Phone.Primary.raw, c.Phone.Secondary.raw},
	}
}

// Contacts are the contacts of the account.
type Contacts struct{ c *Client }

// List is a page of the contacts, from 1.
func (s Contacts) List(ctx context.Context, n int) (Page[*Contact], error) {
	return listPage[*Contact](ctx, s.c, "list contacts", n)
}

// All walks the contacts.
func (s Contacts) All(ctx context.Context) iter.Seq2[*Contact, error] { return allRows(ctx, s.List) }

// Get is one contact. It needs the scope account:read_write ("Authentication").
func (s Contacts) Get(ctx context.Context, id int) (*Contact, error) {
	return call[*Contact](ctx, s.c, callByID("view contact", id, nil))
}

// callByID is a request about the thing with a number.
func callByID(op string, id int, body any) request {
	return request{
		op:       op,
		target:   strconv.Itoa(id),
		segments: []any{id},
		body:     body,
	}
}

// CreateContact makes a contact.
func (w *Writer) CreateContact(ctx context.Context, r ContactRequest) (*Contact, error) {
	return sendChange[*Contact](ctx, w, request{op: OpCreateContact, body: r})
}

// UpdateContact changes the members of the patch.
func (w *Writer) UpdateContact(ctx context.Context, id int, p Patch) (*Contact, error) {
	return sendChange[*Contact](ctx, w, callByID(OpUpdateContact, id, p))
}

// DeleteContact removes a contact.
func (w *Writer) DeleteContact(ctx context.Context, id int) error {
	_, err := sendChange[noContent](ctx, w, callByID(OpDeleteContact, id, nil))
	return err
}
