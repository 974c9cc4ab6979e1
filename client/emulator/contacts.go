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

// nilIfEmpty is a text that is null when empty.
func nilIfEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func (e *Emulator) contactRoutes() {
	e.handle(
		Endpoint{"list contacts", "GET", "/managed/contacts", "account:read_only", false},
		func(c *apiRequest) (any, error) { return paginate(c, e.contacts) },
	)
	e.handle(Endpoint{"create contact", "POST", "/managed/contacts", "account:read_write", true}, e.createContact)
	e.handle(
		Endpoint{"view contact", "GET", "/managed/contacts/{id}", "account:read_write", false},
		func(c *apiRequest) (any, error) { return orNotFound(e.contact(c)) },
	)
	e.handle(Endpoint{"update contact", "PUT", "/managed/contacts/{id}", "account:read_write", true}, e.updateContact)
	e.handle(
		Endpoint{"delete contact", "DELETE", "/managed/contacts/{id}", "account:read_write", true},
		e.deleteContact,
	)
}

// orNotFound is a thing, or 404.
func orNotFound[T any](thing *T) (any, error) {
	if thing == nil {
		return nil, notFound()
	}
	return thing, nil
}

func (e *Emulator) contact(c *apiRequest) *contact {
	return findByID(e.contacts, c.pathInt("id"), func(x *contact) int { return x.ID })
}

// findByID finds a thing by its number; nil where there is none.
func findByID[T any](rows []*T, id int, of func(*T) int) *T {
	for _, row := range rows {
		if of(row) == id {
			return row
		}
	}
	return nil
}

func (e *Emulator) createContact(c *apiRequest) (any, error) {
	x := &contact{}
	if err := e.fillContact(c, x); err != nil {
		return nil, err
	}
	x.ID = e.nextID()
	e.contacts = append(e.contacts, x)
	return x, nil
}

func (e *Emulator) updateContact(c *apiRequest) (any, error) {
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

// fillContact takes the members of a create or an update. The document requires none; the real service is not known to
// either.
func (e *Emulator) fillContact(c *apiRequest, x *contact) error {
	group := ""
	if x.Group != nil {
		group = *x.Group
	}
	if err := firstError(c.readString("name", &x.Name, 2, 64), c.readString("email", &x.Email, 0, 254), c.readString("group", &group, 2, 50)); err != nil {
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
	x.Group, x.Updated = nilIfEmpty(group), e.timestampNow()
	return nil
}

func (e *Emulator) deleteContact(c *apiRequest) (any, error) {
	x := e.contact(c)
	if x == nil {
		return nil, notFound()
	}
	e.contacts = slices.DeleteFunc(e.contacts, func(y *contact) bool { return y == x })
	return emptyObject{}, nil
}
