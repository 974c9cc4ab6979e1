package emulator

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

type service struct {
	ID          int       `json:"id"`
	Label       string    `json:"label"`
	Type        string    `json:"service_type"`
	Address     string    `json:"address"`
	Timeout     int       `json:"timeout"`
	Body        *string   `json:"body"`
	Group       string    `json:"consultation_group"`
	Credentials []int     `json:"credentials"`
	Notes       *string   `json:"notes"`
	Region      *string   `json:"region"`
	Status      string    `json:"status"`
	Created     timestamp `json:"created"`
	Updated     timestamp `json:"updated"`

	checkDue   time.Time // of the next check, while pending
	nextStatus string    // the state that it will find

	recoversAt time.Time // of trouble that passes by itself
}

// checkAfter is how long a service stays pending. The document shows no transitions: after enable or creation it is
// pending, and the next check finds it ok, or in trouble where it was before.
const checkAfter = 30 * time.Second

func (e *Emulator) serviceRoutes() {
	const write = "account:read_write"
	e.handle(
		Endpoint{"list services", "GET", "/managed/services", "account:read_only", false},
		func(c *apiRequest) (any, error) { return paginate(c, e.services) },
	)
	e.handle(Endpoint{"create service", "POST", "/managed/services", write, true}, e.createService)
	e.handle(
		Endpoint{"view service", "GET", "/managed/services/{id}", "account:read_only", false},
		func(c *apiRequest) (any, error) { return orNotFound(e.service(c)) },
	)
	e.handle(Endpoint{"update service", "PUT", "/managed/services/{id}", write, true}, e.updateService)
	e.handle(Endpoint{"delete service", "DELETE", "/managed/services/{id}", write, true}, e.deleteService)
	e.handle(Endpoint{"disable service", "POST", "/managed/services/{id}/disable", write, true}, e.disableService)
	e.handle(Endpoint{"enable service", "POST", "/managed/services/{id}/enable", write, true}, e.enableService)
}

func (e *Emulator) service(c *apiRequest) *service {
	return findByID(e.services, c.pathInt("id"), func(x *service) int { return x.ID })
}

func (e *Emulator) createService(c *apiRequest) (any, error) {
	x := &service{Credentials: []int{}}
	if err := firstError(c.require("address", "label", "service_type", "timeout"), e.fillService(c, x)); err != nil {
		return nil, err
	}
	x.ID, x.Created = e.nextID(), e.timestampNow()
	x.setPending("ok", e.now())
	e.services = append(e.services, x)
	return x, nil
}

func (e *Emulator) updateService(c *apiRequest) (any, error) {
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
func (e *Emulator) fillService(c *apiRequest, x *service) error {
	body, notes, region := valueOrEmpty(x.Body), valueOrEmpty(x.Notes), valueOrEmpty(x.Region)
	if err := firstError(
		c.readString("label", &x.Label, 3, 64), c.readEnum("service_type", &x.Type, "url", "tcp"), c.readString("address", &x.Address, 3, 100),
		c.readInt("timeout", &x.Timeout, 1, 255), c.readString("body", &body, 0, 100), c.readString("consultation_group", &x.Group, 0, 50),
		c.readString("notes", &notes, 0, 1<<16), c.readString("region", &region, 0, 64), e.readServiceCredentials(c, x),
	); err != nil {
		return err
	}
	if c.has("address") {
		x.Address, _, _ = strings.Cut(x.Address, "#") // fragments are not preserved
	}
	switch {
	case privateAddress(x.Address) && region == "":
		return invalidField("region", "region is required if address is a private IP")
	case !privateAddress(x.Address) && region != "":
		return invalidField("region", "region may only be set if address is a private IP")
	}
	x.Body, x.Notes, x.Region, x.Updated = nilIfEmpty(body), nilIfEmpty(notes), nilIfEmpty(region), e.timestampNow()
	return nil
}

func valueOrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (e *Emulator) readServiceCredentials(c *apiRequest, x *service) error {
	if !c.has("credentials") {
		return nil
	}
	ids := []int{}
	if json.Unmarshal(c.body["credentials"], &ids) != nil || c.isNull("credentials") {
		return invalidField("credentials", "credentials must be an array of integers")
	}
	for _, id := range ids {
		if findByID(e.credentials, id, func(y *credential) int { return y.ID }) == nil &&
			!slices.Contains(x.Credentials, id) {
			return invalidField("credentials", "credential %d does not exist", id)
		}
	}
	x.Credentials = ids
	return nil
}

func (e *Emulator) deleteService(c *apiRequest) (any, error) {
	x := e.service(c)
	if x == nil {
		return nil, notFound()
	}
	e.services = slices.DeleteFunc(e.services, func(y *service) bool { return y == x })
	return emptyObject{}, nil
}

func (e *Emulator) disableService(c *apiRequest) (any, error) {
	x := e.service(c)
	if x == nil {
		return nil, notFound()
	}
	x.Status, x.checkDue, x.Updated = "disabled", time.Time{}, e.timestampNow()
	return x, nil
}

func (e *Emulator) enableService(c *apiRequest) (any, error) {
	x := e.service(c)
	if x == nil {
		return nil, notFound()
	}
	if x.Status == "disabled" {
		x.setPending("ok", e.now())
		x.Updated = e.timestampNow()
	}
	return x, nil
}

func (x *service) setPending(next string, now time.Time) {
	x.Status, x.nextStatus, x.checkDue = "pending", next, now.Add(checkAfter)
}

// finishCheck ends a wait that is over.
func (x *service) finishCheck(now time.Time) {
	if x.Status == "pending" && !x.checkDue.IsZero() && !now.Before(x.checkDue) {
		x.Status, x.checkDue = x.nextStatus, time.Time{}
	}
}
