package setup

import (
	"fmt"
	"net/http"

	"lookout/client"
	"lookout/views"
	"lookout/views/resource"
)

// PanePermissions says what a token allows in a pane.
type PanePermissions struct {
	Pane     string `json:"pane"`
	Allowed  string `json:"may"`            // "read and change", "read", "list", "nothing"
	Required string `json:"need,omitempty"` // the missing scope
}

// permissionsFor returns what scopes allow in each pane that sends requests of its own. If the API denies Managed,
// which is for unrestricted users alone, its panes allow nothing.
func permissionsFor(scopes string, refusal *client.Error) []PanePermissions {
	closed := refusal != nil && refusal.Status == http.StatusForbidden
	var out []PanePermissions
	for _, r := range views.Declarations() {
		if r.Calls.List != "" {
			out = append(out, permissionsOf(r, scopes, closed))
		}
	}
	return out
}

// permissionsOf returns what scopes allow on a resource. closed is set if the API denies Managed.
func permissionsOf(r resource.Resource[any], scopes string, closed bool) PanePermissions {
	list, view := client.RequiredScope(r.Calls.List), client.RequiredScope(r.Calls.Get)
	change := client.RequiredScope(r.ChangeCall())
	switch {
	case r.Calls.Managed && closed:
		return PanePermissions{r.Name, "nothing", "access to Managed"}
	case !client.ScopesAllow(scopes, list):
		return PanePermissions{r.Name, "nothing", list}
	case !client.ScopesAllow(scopes, view):
		return PanePermissions{r.Name, "list", view}
	case change == "":
		return PanePermissions{r.Name, "read", ""}
	case client.ScopesAllow(scopes, change):
		return PanePermissions{r.Name, "read and change", ""}
	}
	return PanePermissions{r.Name, "read", change}
}

// deniedByAPI reports whether the API itself denied the request: it knows the token.
func deniedByAPI(e *client.Error) bool { return e.Denied() && !e.NotFromAPI() }

// String returns the permissions as a line of a table.
func (r PanePermissions) String() string {
	text := fmt.Sprintf("%-12s %s", r.Pane, r.Allowed)
	switch {
	case r.Required == "":
		return text
	case r.Allowed == "list":
		return text + "; single ones and changes need " + r.Required
	case r.Allowed == "nothing":
		return text + "; it needs " + r.Required
	}
	return text + "; changes need " + r.Required
}

// describeScopes returns a token's scopes in words.
func describeScopes(scopes string) string {
	switch scopes {
	case "":
		return "not reported by the API"
	case "*":
		return "all"
	}
	return client.Clean(scopes)
}
