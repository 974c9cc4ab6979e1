package setup

import (
	"testing"

	"lookout/client"
)

// Every operation of a pane is one that the client knows. Only clusters need no scope.
func TestRequiredScopes_knownOperations(t *testing.T) {
	for _, p := range RequiredScopes {
		for _, op := range []string{p.list, p.view, p.change} {
			scope := client.RequiredScope(op)
			if (scope == "") != (op == "" || p.pane == "clusters") {
				t.Errorf("%s: the operation %q needs the scope %q", p.pane, op, scope)
			}
		}
	}
}

// Reading one contact takes more than reading the list of them ("Authentication").
func TestPermissionsFor(t *testing.T) {
	for scopes, want := range map[string]PanePermissions{
		"account:read_only":        {"contacts", "list", "account:read_write"},
		"account:read_write":       {"contacts", "read and change", ""},
		"*":                        {"contacts", "read and change", ""},
		"object_storage:read_only": {"contacts", "nothing", "account:read_only"},
	} {
		for _, got := range permissionsFor(scopes, nil) {
			if got.Pane == want.Pane && got != want {
				t.Errorf("%s: got %+v, want %+v", scopes, got, want)
			}
		}
	}
}
