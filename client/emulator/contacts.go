package emulator

import (
	"encoding/json"
	"slices"
)

type contact struct {
	ID      int     `json:"id"`
	Name    string  `json:"name"`
	Email   string  `json:"email"`
	Group   *string `json:"group"`
	Phone   phone   `json:"phone"`
	Updated stamp   `json:"updated"`
}

type phone struct {
	Primary   *string `json:"primary"`
	Secondary *string `json:"secondary"`
}

// optional is a text that is null when empty.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func (e *Emulator) contactRoutes() {
	e.route(Operation{"list contacts", "GET", "/managed/contacts", "account:read_only", false}, func(c *call) (any, error) { return paged(c, e.contacts) })
	e.route(Operation{"create contact", "POST", "/managed/contacts", "account:read_write", true}, e.createContact)
	e.route(Operation{"view contact", "GET", "/managed/contacts/{id}", "account:read_write", false}, func(c *call) (any, error) { return found(e.contact(c)) })
	e.route(Operation{"update contact", "PUT", "/managed/contacts/{id}", "account:read_write", true}, e.updateContact)
	e.route(Operation{"delete contact", "DELETE", "/managed/contacts/{id}", "account:read_write", true}, e.deleteContact)
}

// found is a thing, or 404.
func found[T any](thing *T) (any, error) {
	if thing == nil {
		return nil, notFound()
	}
	return thing, nil
}

func (e *Emulator) contact(c *call) *contact {
	return byID(e.contacts, c.number("id"), func(x *contact) int { return x.ID })
}

// byID finds a thing by its number; nil where there is none.
func byID[T any](rows []*T, id int, of func(*T) int) *T {
	for _, row := range rows {
		if of(row) == id {
			return row
		}
	}
	return nil
}

func (e *Emulator) createContact(c *call) (any, error) {
	x := &contact{}
	if err := e.fillContact(c, x); err != nil {
		return nil, err
	}
	x.ID = e.next()
	e.contacts = append(e.contacts, x)
	return x, nil
}

func (e *Emulator) updateContact(c *call) (any, error) {
	x := e.contact(c)
	if x == nil {
		return nil, notFound()
	}
	changed := *x
	if err := e.fillContact(c, &changed); err != nil {
		return nil, err
	}
	*x = changed
	return x, nil
}

// fillContact takes the members of a create or an update. The document requires none; the real service is not known to either.
func (e *Emulator) fillContact(c *call, x *contact) error {
	group := ""
	if x.Group != nil {
		group = *x.Group
	}
	if err := first(c.text("name", &x.Name, 2, 64), c.text("email", &x.Email, 0, 254), c.text("group", &group, 2, 50)); err != nil {
		return err
	}
	if c.has("email") && !validEmail(x.Email) {
		return invalid("email", "Must be a valid email address")
	}
	if c.has("phone") {
		numbers := map[string]**string{"primary": &x.Phone.Primary, "secondary": &x.Phone.Secondary}
		var sent map[string]json.RawMessage
		if json.Unmarshal(c.body["phone"], &sent) != nil {
			return invalid("phone", "phone must be an object")
		}
		for name, into := range numbers {
			if raw, there := sent[name]; there {
				var s *string
				if json.Unmarshal(raw, &s) != nil {
					return invalid("phone."+name, "Must be a phone number")
				}
				*into = s
			}
		}
	}
	x.Group, x.Updated = optional(group), e.stamp()
	return nil
}

func (e *Emulator) deleteContact(c *call) (any, error) {
	x := e.contact(c)
	if x == nil {
		return nil, notFound()
	}
	e.contacts = slices.DeleteFunc(e.contacts, func(y *contact) bool { return y == x })
	return nothing{}, nil
}
