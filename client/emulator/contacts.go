package emulator

import (
	"encoding/json"
	"slices"
)

type contact struct {
	ID      int       `json:"id"`
	Name    string    `json:"name"`
	Email   string    `json:"email"`
	Group   *string   `json:"group"`
	Phone   phone     `json:"phone"`
	Updated timestamp `json:"updated"`
}

type phone struct {
	Primary   *string `json:"primary"`
	Secondary *string `json:"secondary"`
}

// nilIfEmpty returns nil for an empty string, which becomes null in JSON.
func nilIfEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func addContactRoutes(e *Emulator) {
	e.handle(
		Route{"list contacts", "GET", "/managed/contacts", "account:read_only", false},
		func(c *apiRequest) (any, error) { return paginate(c, c.filter.contacts(e.contacts)) },
	)
	e.handle(Route{"create contact", "POST", "/managed/contacts", "account:read_write", true}, createContact)
	e.handle(
		Route{"view contact", "GET", "/managed/contacts/{id}", "account:read_write", false},
		func(c *apiRequest) (any, error) { return orNotFound(findContact(c)) },
	)
	e.handle(Route{"update contact", "PUT", "/managed/contacts/{id}", "account:read_write", true}, updateContact)
	e.handle(Route{"delete contact", "DELETE", "/managed/contacts/{id}", "account:read_write", true}, deleteContact)
}

// update applies fill to a copy of row and keeps the copy if that succeeds. It answers with row, or 404 if row is nil.
func update[T any](c *apiRequest, row *T, fill func(*apiRequest, *T) error) (any, error) {
	if row == nil {
		return nil, notFound()
	}
	changed := *row
	if err := fill(c, &changed); err != nil {
		return nil, err
	}
	*row = changed
	return row, nil
}

// remove removes row from rows, or answers 404 if row is nil.
func remove[T any](rows *[]*T, row *T) (any, error) {
	if row == nil {
		return nil, notFound()
	}
	*rows = slices.DeleteFunc(*rows, func(other *T) bool { return other == row })
	return emptyObject{}, nil
}

// orNotFound answers with row, or 404 if row is nil.
func orNotFound[T any](row *T) (any, error) {
	if row == nil {
		return nil, notFound()
	}
	return row, nil
}

func findContact(c *apiRequest) *contact {
	return findByID(c.e.contacts, c.pathInt("id"), func(x *contact) int { return x.ID })
}

// findByID returns the row with an ID, or nil.
func findByID[T any](rows []*T, id int, of func(*T) int) *T {
	for _, row := range rows {
		if of(row) == id {
			return row
		}
	}
	return nil
}

func createContact(c *apiRequest) (any, error) {
	x := &contact{}
	if err := fillContact(c, x); err != nil {
		return nil, err
	}
	x.ID = c.e.nextID()
	c.e.contacts = append(c.e.contacts, x)
	return x, nil
}

func updateContact(c *apiRequest) (any, error) { return update(c, findContact(c), fillContact) }

// fillContact reads the members of a create or update request. The document requires none of them.
func fillContact(c *apiRequest, x *contact) error {
	group := ""
	if x.Group != nil {
		group = *x.Group
	}
	if err := firstError(
		c.readString("name", &x.Name, 2, 64), c.readString("email", &x.Email, 0, 254),
		c.readString("group", &group, 2, 50),
	); err != nil {
		return err
	}
	if c.has("email") && !validEmail(x.Email) {
		return invalidField("email", "Must be a valid email address")
	}
	if c.has("phone") {
		numbers := map[string]**string{"primary": &x.Phone.Primary, "secondary": &x.Phone.Secondary}
		var sent map[string]json.RawMessage
		if json.Unmarshal(c.body["phone"], &sent) != nil {
			return invalidField("phone", "phone must be an object")
		}
		for name, into := range numbers {
			if raw, there := sent[name]; there {
				var s *string
				if json.Unmarshal(raw, &s) != nil {
					return invalidField("phone."+name, "Must be a phone number")
				}
				*into = s
			}
		}
	}
	x.Group, x.Updated = nilIfEmpty(group), c.e.timestampNow()
	return nil
}

func deleteContact(c *apiRequest) (any, error) { return remove(&c.e.contacts, findContact(c)) }
