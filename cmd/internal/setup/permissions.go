package setup

import (
	"fmt"
	"net/http"
	"strings"

	"lookout/client"
)

// An paneScopes is a pane with the scopes that its list, one thing of it and changes need ("Authentication"). Managed
// is for unrestricted users alone.
type paneScopes struct {
	pane               string
	managed            bool
	read, view, change string
}

const (
	accountRead  = "account:read_only"
	accountWrite = "account:read_write"
	storageRead  = "object_storage:read_only"
	storageWrite = "object_storage:read_write"
)

// RequiredScopes lists the panes with requests of their own.
var RequiredScopes = []paneScopes{
	{"issues", true, accountRead, accountRead, ""},
	{"services", true, accountRead, accountRead, accountWrite},
	{"contacts", true, accountRead, accountWrite, accountWrite},
	{"credentials", true, accountRead, accountWrite, accountWrite},
	{"ssh", true, accountRead, accountRead, accountWrite},
	{"stats", true, accountRead, accountRead, ""},
	{"buckets", false, storageRead, storageRead, storageWrite},
	{"objects", false, storageRead, storageRead, storageWrite},
	{"keys", false, storageRead, storageRead, storageWrite},
	{"clusters", false, "", "", ""},
	{"transfer", false, storageRead, storageRead, ""},
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
		switch {
		case a.managed && closed:
			out[i] = PanePermissions{a.pane, "nothing", "Managed and an unrestricted user"}
		case !scopesAllow(scopes, a.read):
			out[i] = PanePermissions{a.pane, "nothing", a.read}
		case !scopesAllow(scopes, a.view):
			out[i] = PanePermissions{a.pane, "list", a.view}
		case a.change == "":
			out[i] = PanePermissions{a.pane, "read", ""}
		case scopesAllow(scopes, a.change):
			out[i] = PanePermissions{a.pane, "read and change", ""}
		default:
			out[i] = PanePermissions{a.pane, "read", a.change}
		}
	}
	return out
}

// deniedByAPI reports whether the API itself denied the request: it knows the token.
func deniedByAPI(e *client.Error) bool { return e.Denied() && !e.NotFromAPI() }

// scopesAllow reports whether scopes include one; read_write includes read_only, * includes all.
func scopesAllow(scopes, need string) bool {
	if need == "" {
		return true
	}
	area, _, _ := strings.Cut(need, ":")
	for _, have := range strings.FieldsFunc(scopes, func(r rune) bool { return r == ' ' || r == ',' }) {
		if have == "*" || have == need || have == area+":read_write" || have == area+":*" {
			return true
		}
	}
	return false
}

// String returns the permissions as a line of a table.
func (r PanePermissions) String() string {
	text := fmt.Sprintf("%-12s %s", r.Pane, r.Allowed)
	switch {
	case r.Required == "":
		return text
	case r.Allowed == "list":
		return text + "; one by itself and changes need " + r.Required
	case r.Allowed == "nothing":
		return text + "; it needs " + r.Required
	}
	return text + "; changes need " + r.Required
}

// describeScopes returns a token's scopes in words.
func describeScopes(scopes string) string {
	switch scopes {
	case "":
		return "not told"
	case "*":
		return "all"
	}
	return client.Clean(scopes)
}
