package setup

import (
	"fmt"
	"net/http"

	"lookout/client"
)

// paneScopes holds the operations of the client that a pane needs for its list, for one row and for changes. The client
// knows their scopes. Managed is for unrestricted users alone.
type paneScopes struct {
	pane               string
	managed            bool
	list, view, change string
}

// RequiredScopes lists the panes with requests of their own.
var RequiredScopes = []paneScopes{
	{"issues", true, "list issues", "view issue", ""},
	{"services", true, "list services", "view service", client.OpUpdateService},
	{"contacts", true, "list contacts", "view contact", client.OpUpdateContact},
	{"credentials", true, "list credentials", "view credential", client.OpUpdateCredential},
	{"ssh", true, "list SSH settings", "view SSH settings", client.OpUpdateInstanceSSH},
	{"stats", true, "view stats", "view stats", ""},
	{"buckets", false, "list buckets", "view bucket", client.OpUpdateBucketAccess},
	{"objects", false, "list objects", "view object ACL", client.OpSetObjectACL},
	{"keys", false, "list keys", "view key", client.OpUpdateKey},
	{"clusters", false, "list clusters", "view cluster", ""},
	{"transfer", false, "view transfer", "view transfer", ""},
}

// PanePermissions says what a token allows in a pane.
type PanePermissions struct {
	Pane     string `json:"pane"`
	Allowed  string `json:"may"`            // "read and change", "read", "list", "nothing"
	Required string `json:"need,omitempty"` // the missing scope
}

// permissionsFor returns what scopes allow in each pane. If the API denies Managed, its panes allow nothing.
func permissionsFor(scopes string, refusal *client.Error) []PanePermissions {
	closed := refusal != nil && refusal.Status == http.StatusForbidden
	out := make([]PanePermissions, len(RequiredScopes))
	for i, a := range RequiredScopes {
		list, view, change := client.RequiredScope(a.list), client.RequiredScope(a.view), client.RequiredScope(a.change)
		switch {
		case a.managed && closed:
			out[i] = PanePermissions{a.pane, "nothing", "Managed and an unrestricted user"}
		case !client.ScopesAllow(scopes, list):
			out[i] = PanePermissions{a.pane, "nothing", list}
		case !client.ScopesAllow(scopes, view):
			out[i] = PanePermissions{a.pane, "list", view}
		case a.change == "":
			out[i] = PanePermissions{a.pane, "read", ""}
		case client.ScopesAllow(scopes, change):
			out[i] = PanePermissions{a.pane, "read and change", ""}
		default:
			out[i] = PanePermissions{a.pane, "read", change}
		}
	}
	return out
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
