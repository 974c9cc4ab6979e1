package client

import (
	"context"
	"strconv"
)

// A Contact is a person whom support staff may call about an issue ("Managed Contact").
type Contact struct {
	ID      int                `json:"id"`
	Name    ServerText         `json:"name"`  // 2..64 characters
	Email   ServerText         `json:"email"` // where alerts go
	Group   OptionalServerText `json:"group"` // 2..50 characters, for display only; empty is null
	Phone   PhoneNumbers       `json:"phone"`
	Updated Timestamp          `json:"updated"`
}

// PhoneNumbers holds a contact's phone numbers; empty is null.
type PhoneNumbers struct {
	Primary   OptionalServerText `json:"primary"`
	Secondary OptionalServerText `json:"secondary"`
}

// A ContactRequest describes a contact to create. Empty members are omitted; in a patch, cleared members are null.
type ContactRequest struct {
	Name  string              `json:"name"`
	Email string              `json:"email"`
	Group string              `json:"group,omitempty"`
	Phone PhoneNumbersRequest `json:"phone"`
}

// PhoneNumbersRequest holds the phone numbers of a ContactRequest.
type PhoneNumbersRequest struct {
	Primary   string `json:"primary,omitempty"`
	Secondary string `json:"secondary,omitempty"`
}

// Request returns the request that would create the contact again: the initial values of a form.
func (c Contact) Request() ContactRequest {
	return ContactRequest{
		Name:  c.Name.raw,
		Email: c.Email.raw,
		Group: c.Group.raw,
		Phone: PhoneNumbersRequest{c.Phone.Primary.raw, c.Phone.Secondary.raw},
	}
}

// callByID returns a request about the resource with an id.
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
