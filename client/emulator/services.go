package emulator

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

type service struct {
	ID          int     `json:"id"`
	Label       string  `json:"label"`
	Type        string  `json:"service_type"`
	Address     string  `json:"address"`
	Timeout     int     `json:"timeout"`
	Body        *string `json:"body"`
	Group       string  `json:"consultation_group"`
	Credentials []int   `json:"credentials"`
	Notes       *string `json:"notes"`
	Region      *string `json:"region"`
	Status      string  `json:"status"`
	Created     stamp   `json:"created"`
	Updated     stamp   `json:"updated"`

	due  time.Time // of the next check, while pending
	next string    // the state that it will find

	recovers time.Time // of trouble that passes by itself
}

// checkAfter is how long a service stays pending. The document shows no transitions: after enable or creation it is pending, and the
// next check finds it ok, or in trouble where it was before.
const checkAfter = 30 * time.Second

func (e *Emulator) serviceRoutes() {
	const write = "account:read_write"
	e.route(Operation{"list services", "GET", "/managed/services", "account:read_only", false}, func(c *call) (any, error) { return paged(c, e.services) })
	e.route(Operation{"create service", "POST", "/managed/services", write, true}, e.createService)
	e.route(Operation{"view service", "GET", "/managed/services/{id}", "account:read_only", false}, func(c *call) (any, error) { return found(e.service(c)) })
	e.route(Operation{"update service", "PUT", "/managed/services/{id}", write, true}, e.updateService)
	e.route(Operation{"delete service", "DELETE", "/managed/services/{id}", write, true}, e.deleteService)
	e.route(Operation{"disable service", "POST", "/managed/services/{id}/disable", write, true}, e.disableService)
	e.route(Operation{"enable service", "POST", "/managed/services/{id}/enable", write, true}, e.enableService)
}

func (e *Emulator) service(c *call) *service {
	return byID(e.services, c.number("id"), func(x *service) int { return x.ID })
}

func (e *Emulator) createService(c *call) (any, error) {
	x := &service{Credentials: []int{}}
	if err := first(c.require("address", "label", "service_type", "timeout"), e.fillService(c, x)); err != nil {
		return nil, err
	}
	x.ID, x.Created = e.next(), e.stamp()
	x.pend("ok", e.now())
	e.services = append(e.services, x)
	return x, nil
}

func (e *Emulator) updateService(c *call) (any, error) {
	x := e.service(c)
	if x == nil {
		return nil, notFound()
	}
	changed := *x
	if err := e.fillService(c, &changed); err != nil {
		return nil, err
	}
	*x = changed
	return x, nil
}

// fillService takes the members of a create or an update within the bounds of "Managed Service".
func (e *Emulator) fillService(c *call, x *service) error {
	body, notes, region := value(x.Body), value(x.Notes), value(x.Region)
	if err := first(
		c.text("label", &x.Label, 3, 64), c.enum("service_type", &x.Type, "url", "tcp"), c.text("address", &x.Address, 3, 100),
		c.integer("timeout", &x.Timeout, 1, 255), c.text("body", &body, 0, 100), c.text("consultation_group", &x.Group, 0, 50),
		c.text("notes", &notes, 0, 1<<16), c.text("region", &region, 0, 64), e.serviceCredentials(c, x),
	); err != nil {
		return err
	}
	if c.has("address") {
		x.Address, _, _ = strings.Cut(x.Address, "#") // fragments are not preserved
	}
	switch {
	case privateAddress(x.Address) && region == "":
		return invalid("region", "region is required if address is a private IP")
	case !privateAddress(x.Address) && region != "":
		return invalid("region", "region may only be set if address is a private IP")
	}
	x.Body, x.Notes, x.Region, x.Updated = optional(body), optional(notes), optional(region), e.stamp()
	return nil
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (e *Emulator) serviceCredentials(c *call, x *service) error {
	if !c.has("credentials") {
		return nil
	}
	ids := []int{}
	if json.Unmarshal(c.body["credentials"], &ids) != nil || c.null("credentials") {
		return invalid("credentials", "credentials must be an array of integers")
	}
	for _, id := range ids {
		if byID(e.creds, id, func(y *credential) int { return y.ID }) == nil && !slices.Contains(x.Credentials, id) {
			return invalid("credentials", "credential %d does not exist", id)
		}
	}
	x.Credentials = ids
	return nil
}

func (e *Emulator) deleteService(c *call) (any, error) {
	x := e.service(c)
	if x == nil {
		return nil, notFound()
	}
	e.services = slices.DeleteFunc(e.services, func(y *service) bool { return y == x })
	return nothing{}, nil
}

func (e *Emulator) disableService(c *call) (any, error) {
	x := e.service(c)
	if x == nil {
		return nil, notFound()
	}
	x.Status, x.due, x.Updated = "disabled", time.Time{}, e.stamp()
	return x, nil
}

func (e *Emulator) enableService(c *call) (any, error) {
	x := e.service(c)
	if x == nil {
		return nil, notFound()
	}
	if x.Status == "disabled" {
		x.pend("ok", e.now())
		x.Updated = e.stamp()
	}
	return x, nil
}

func (x *service) pend(next string, now time.Time) {
	x.Status, x.next, x.due = "pending", next, now.Add(checkAfter)
}

// check ends a wait that is over.
func (x *service) check(now time.Time) {
	if x.Status == "pending" && !x.due.IsZero() && !now.Before(x.due) {
		x.Status, x.due = x.next, time.Time{}
	}
}
