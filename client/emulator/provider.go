package emulator

// ticket is what the real service knows of an issue's ticket; the document does not have it.
type ticket struct {
	ID     int    `json:"id"`
	Closed stamp  `json:"closed"`
	Status string `json:"status"`
}

// providerRoutes are what the real service has beyond the document: tickets, the user, the account's switches.
func (e *Emulator) providerRoutes() {
	op := func(name, scope string) Operation { return Operation{name, "GET", "", scope, false} }
	e.at(op("view ticket", "account:read_only"), "GET /v4/support/tickets/{id}", func(c *call) (any, error) {
		return found(byID(e.tickets, c.number("id"), func(x *ticket) int { return x.ID }))
	})
	e.at(op("view profile", ""), "GET /v4/profile", func(*call) (any, error) {
		return map[string]any{"username": "ops", "email": "ops@acme.net", "timezone": "GMT", "restricted": e.options.Restricted}, nil
	})
	e.at(op("view account settings", "account:read_only"), "GET /v4/account/settings", func(*call) (any, error) {
		return map[string]any{"managed": true, "object_storage": "active"}, nil
	})
	e.at(op("view access", "object_storage:read_only"), "GET /v4/object-storage/buckets/{cluster}/{bucket}/access", e.viewAccess)
}
