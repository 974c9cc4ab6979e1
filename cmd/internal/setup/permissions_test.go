package setup

import (
	"testing"

	"lookout/client"
	"lookout/views"
)

// Every operation that a resource names is one that the client knows. Only clusters need no scope.
func TestPermissionsOf_knownOperations(t *testing.T) {
	for _, r := range views.Declarations() {
		for _, op := range []string{r.Calls.List, r.Calls.Get, r.ChangeCall()} {
			scope := client.RequiredScope(op)
			if (scope == "") != (op == "" || r.Name == "clusters") {
				t.Errorf("%s: the operation %q needs the scope %q", r.Name, op, scope)
			}
		}
	}
}

// Reading one contact takes more than reading the list of them ("Authentication").
func TestPermissionsOf(t *testing.T) {
	for scopes, want := range map[string]PanePermissions{
		"account:read_only":        {Allowed: "list", Required: "account:read_write"},
		"account:read_write":       {Allowed: "read and change"},
		"*":                        {Allowed: "read and change"},
		"object_storage:read_only": {Allowed: "nothing", Required: "account:read_only"},
	} {
		want.Pane = "contacts"
		for _, r := range views.Declarations() {
			if got := permissionsOf(r, scopes, false); got.Pane == want.Pane && got != want {
				t.Errorf("%s: got %+v, want %+v", scopes, got, want)
			}
		}
	}
}
