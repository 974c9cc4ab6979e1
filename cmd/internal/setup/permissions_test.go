package setup

import (
	"strings"
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

// The help about tokens names every scope that the lists need.
func TestTokenHelp_scopesOfAllLists(t *testing.T) {
	text := strings.Join(TokenHelp(""), "\n")
	for _, r := range views.Declarations() {
		if scope := client.RequiredScope(r.Calls.List); !strings.Contains(text, scope) {
			t.Errorf("the scope %s of %s is missing: %s", scope, r.Name, text)
		}
	}
	for _, want := range []string{
		"scopes account:read_only and object_storage:read_only",
		"(Account and Object Storage: Read Only)",
	} {
		if len(listScopes()) == 2 && !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
	if got, want := joinWords([]string{"a", "b", "c"}), "a, b and c"; got != want {
		t.Errorf("%q, want %q", got, want)
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
