package emulator

// ticket is the support ticket of an issue. The document does not describe tickets.
type ticket struct {
	ID     int       `json:"id"`
	Closed timestamp `json:"closed"`
	Status string    `json:"status"`
}

// addUndocumentedRoutes adds operations of the real service that the document does not have: tickets, the profile, the
// account settings and the access of a bucket.
func addUndocumentedRoutes(e *Emulator) {
	op := func(name, scope string) Route { return Route{name, "GET", "", scope, false} }
	e.handlePattern(
		op("view ticket", "account:read_only"),
		"GET /v4/support/tickets/{id}",
		func(c *apiRequest) (any, error) {
			return orNotFound(findByID(e.tickets, c.pathInt("id"), func(x *ticket) int { return x.ID }))
		},
	)
	e.handlePattern(op("view profile", ""), "GET /v4/profile", func(*apiRequest) (any, error) {
		return map[string]any{
			"username":   "ops",
			"email":      "ops@acme.net",
			"timezone":   "GMT",
			"restricted": e.options.RestrictedUser,
		}, nil
	})
	e.handlePattern(
		op("view account settings", "account:read_only"),
		"GET /v4/account/settings",
		func(*apiRequest) (any, error) {
			storage := "active"
			if e.noStorage {
				storage = "disabled"
			}
			return map[string]any{"managed": true, "object_storage": storage}, nil
		},
	)
	e.handlePattern(
		op("view access", "object_storage:read_only"), "GET /v4/object-storage/buckets/{cluster}/{bucket}/access",
		withBucket(viewAccess),
	)
	if e.today {
		e.handlePattern(op("list endpoints", readStorage), "GET /v4/object-storage/endpoints", listEndpoints)
	}
}
