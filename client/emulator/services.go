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

	checkDue   time.Time // time of the next check while pending
	nextStatus string    // status after that check

	recoversAt time.Time // end of a simulated incident
}

// checkAfter is how long a service stays pending. The document gives no transitions: here, a new or enabled service is
// pending until the next check finds it ok.
const checkAfter = 30 * time.Second

func addServiceRoutes(e *Emulator) {
	const write = "account:read_write"
	e.handle(
		Route{"list services", "GET", "/managed/services", "account:read_only", false},
		func(c *apiRequest) (any, error) { return paginate(c, e.services) },
	)
	e.handle(Route{"create service", "POST", "/managed/services", write, true}, createService)
	e.handle(
		Route{"view service", "GET", "/managed/services/{id}", "account:read_only", false},
		func(c *apiRequest) (any, error) { return orNotFound(findService(c)) },
	)
	e.handle(Route{"update service", "PUT", "/managed/services/{id}", write, true}, updateService)
	e.handle(Route{"delete service", "DELETE", "/managed/services/{id}", write, true}, deleteService)
	e.handle(Route{"disable service", "POST", "/managed/services/{id}/disable", write, true}, disableService)
	e.handle(Route{"enable service", "POST", "/managed/services/{id}/enable", write, true}, enableService)
}

func findService(c *apiRequest) *service {
	return findByID(c.e.services, c.pathInt("id"), func(x *service) int { return x.ID })
}

func createService(c *apiRequest) (any, error) {
	x := &service{Credentials: []int{}}
	if err := firstError(c.require("address", "label", "service_type", "timeout"), fillService(c, x)); err != nil {
		return nil, err
	}
	x.ID, x.Created = c.e.nextID(), c.e.timestampNow()
	x.setPending("ok", c.e.now())
	c.e.services = append(c.e.services, x)
	return x, nil
}

func updateService(c *apiRequest) (any, error) { return update(c, findService(c), fillService) }

// fillService reads the members of a create or update request within the limits of section "Managed Service".
func fillService(c *apiRequest, x *service) error {
	body, notes, region := valueOrEmpty(x.Body), valueOrEmpty(x.Notes), valueOrEmpty(x.Region)
	if err := firstError(
		c.readString("label", &x.Label, 3, 64), c.readEnum("service_type", &x.Type, "url", "tcp"),
		c.readString("address", &x.Address, 3, 100), c.readInt("timeout", &x.Timeout, 1, 255),
		c.readString("body", &body, 0, 100), c.readString("consultation_group", &x.Group, 0, 50),
		c.readString("notes", &notes, 0, 1<<16), c.readString("region", &region, 0, 64), readServiceCredentials(c, x),
	); err != nil {
		return err
	}
	if c.has("address") {
		x.Address, _, _ = strings.Cut(x.Address, "#") // the API drops fragments
	}
	switch {
	case privateAddress(x.Address) && region == "":
		return invalidField("region", "region is required if address is a private IP")
	case !privateAddress(x.Address) && region != "":
		return invalidField("region", "region may only be set if address is a private IP")
	}
	x.Body, x.Notes, x.Region, x.Updated = nilIfEmpty(body), nilIfEmpty(notes), nilIfEmpty(region), c.e.timestampNow()
	return nil
}

func valueOrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func readServiceCredentials(c *apiRequest, x *service) error {
	if !c.has("credentials") {
		return nil
	}
	ids := []int{}
	if json.Unmarshal(c.body["credentials"], &ids) != nil || c.isNull("credentials") {
		return invalidField("credentials", "credentials must be an array of integers")
	}
	for _, id := range ids {
		if findByID(c.e.credentials, id, func(y *credential) int { return y.ID }) == nil &&
			!slices.Contains(x.Credentials, id) {
			return invalidField("credentials", "credential %d does not exist", id)
		}
	}
	x.Credentials = ids
	return nil
}

func deleteService(c *apiRequest) (any, error) { return remove(&c.e.services, findService(c)) }

func disableService(c *apiRequest) (any, error) {
	x := findService(c)
	if x == nil {
		return nil, notFound()
	}
	x.Status, x.checkDue, x.Updated = "disabled", time.Time{}, c.e.timestampNow()
	return x, nil
}

func enableService(c *apiRequest) (any, error) {
	x := findService(c)
	if x == nil {
		return nil, notFound()
	}
	if x.Status == "disabled" {
		x.setPending("ok", c.e.now())
		x.Updated = c.e.timestampNow()
	}
	return x, nil
}

func (x *service) setPending(next string, now time.Time) {
	x.Status, x.nextStatus, x.checkDue = "pending", next, now.Add(checkAfter)
}

// finishCheck ends a check that is due.
func (x *service) finishCheck(now time.Time) {
	if x.Status == "pending" && !x.checkDue.IsZero() && !now.Before(x.checkDue) {
		x.Status, x.checkDue = x.nextStatus, time.Time{}
	}
}
