package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"lookout/client"
	"lookout/client/account"
	"lookout/views"
	"lookout/views/resource"
)

// PanePermissions says what a token allows in a pane.
type PanePermissions struct {
	Account  string `json:"account,omitempty"` // see Diagnosis.Account
	Pane     string `json:"pane"`
	Allowed  string `json:"may"`            // "read and change", "read", "list", "nothing", "not known"
	Required string `json:"need,omitempty"` // the missing scope
	Why      string `json:"why,omitempty"`  // why it is not known

	advice string // what to do if it allows nothing
	public bool   // any token may read it
}

// The two answers that no scope gives.
const (
	mayNothing  = "nothing"
	mayNotKnown = "not known"
)

// checkTimeout limits the reads that find out what a token allows.
const checkTimeout = 30 * time.Second

// readPanes reads the first rows of each pane that sends requests of its own, and returns what the token allows there:
// reading is tried, changing follows from the scopes that the API reports.
func readPanes(ctx context.Context, c *client.Client) []PanePermissions {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	var out []PanePermissions
	read := map[string]error{} // how the first list with a scope was read
	for _, r := range views.Resources(account.New(ctx, account.Options{API: c})) {
		if r.Calls.List == "" {
			continue
		}
		scope := client.RequiredScope(r.Calls.List)
		err, known := read[scope]
		if r.ListArguments == "" { // one that is inside another, as objects, is read if others with its scope are
			err = readFirst(ctx, r)
		}
		if !known {
			read[scope] = err
		}
		found := permissionsAfter(r, c.Scopes(), err)
		found.public = scope == ""
		out = append(out, found)
	}
	return out
}

// listScopes returns the scopes that a token needs to read the lists of all resources.
func listScopes() (scopes []string) {
	for _, r := range views.Declarations() {
		if scope := client.RequiredScope(r.Calls.List); scope != "" {
			scopes = append(scopes, scope)
		}
	}
	slices.Sort(scopes)
	return slices.Compact(scopes)
}

// readFirst reads the first row of a list, or the one thing that a resource is.
func readFirst(ctx context.Context, r resource.Resource[any]) error {
	if r.List == nil {
		_, err := r.Get(ctx, "")
		return err
	}
	for _, err := range r.List(ctx, resource.ListQuery{}) {
		return err
	}
	return nil
}

// permissionsAfter returns what a token allows on a resource whose list was read, or could not be.
func permissionsAfter(r resource.Resource[any], scopes string, err error) PanePermissions {
	var failure *client.Error
	expected := permissionsOf(r, cmp.Or(scopes, "*"), false)
	switch {
	case err == nil && scopes == "" && expected.Allowed == "read and change":
		return PanePermissions{Pane: r.Name, Allowed: "read", Why: "the API does not report the token's scopes"}
	case err == nil:
		return expected
	case errors.As(err, &failure) && failure.Status == http.StatusForbidden && r.Calls.Managed:
		closed := permissionsOf(r, cmp.Or(scopes, "*"), true)
		closed.advice = failure.Advice()
		return closed
	case errors.As(err, &failure) && deniedByAPI(failure):
		need := cmp.Or(expected.Required, client.RequiredScope(r.Calls.List))
		return PanePermissions{Pane: r.Name, Allowed: mayNothing, Required: need, advice: failure.Advice()}
	case errors.As(err, &failure):
		return PanePermissions{Pane: r.Name, Allowed: mayNotKnown, Why: failure.Why(), advice: failure.Advice()}
	}
	return PanePermissions{Pane: r.Name, Allowed: mayNotKnown, Why: oneLine(err.Error())}
}

// errReadsNothing says that a token is valid and useless.
var errReadsNothing = errors.New("this token can read nothing")

// readNothing reports whether a token allows nothing in any pane that not every token may read.
func readNothing(all []PanePermissions) bool {
	return !slices.ContainsFunc(all, func(p PanePermissions) bool { return p.Allowed != mayNothing && !p.public })
}

// panesThat returns the names of the panes with a permission, in one text; "" if there is none.
func panesThat(allowed string, all []PanePermissions) string {
	var names []string
	for _, p := range all {
		if p.Allowed == allowed {
			names = append(names, p.Pane)
		}
	}
	return strings.Join(names, ", ")
}

// adviceFor returns what makes the panes with a permission readable: one step.
func adviceFor(allowed string, all []PanePermissions) string {
	var scopes []string
	for _, p := range all {
		switch {
		case p.Allowed != allowed:
		case !strings.Contains(p.Required, ":"):
			return cmp.Or(p.advice, "run lookout doctor again later")
		case !slices.Contains(scopes, p.Required):
			scopes = append(scopes, p.Required)
		}
	}
	return "use a token with " + strings.Join(scopes, " and ") + "; lookout accounts token replaces it"
}

// permissionsOf returns what scopes allow on a resource. closed is set if the API denies Managed.
func permissionsOf(r resource.Resource[any], scopes string, closed bool) PanePermissions {
	list, view := client.RequiredScope(r.Calls.List), client.RequiredScope(r.Calls.Get)
	change := client.RequiredScope(r.ChangeCall())
	switch {
	case r.Calls.Managed && closed:
		return PanePermissions{Pane: r.Name, Allowed: mayNothing, Required: "access to Managed"}
	case !client.ScopesAllow(scopes, list):
		return PanePermissions{Pane: r.Name, Allowed: mayNothing, Required: list}
	case !client.ScopesAllow(scopes, view):
		return PanePermissions{Pane: r.Name, Allowed: "list", Required: view}
	case change == "":
		return PanePermissions{Pane: r.Name, Allowed: "read"}
	case client.ScopesAllow(scopes, change):
		return PanePermissions{Pane: r.Name, Allowed: "read and change"}
	}
	return PanePermissions{Pane: r.Name, Allowed: "read", Required: change}
}

// deniedByAPI reports whether the API itself denied the request: it knows the token.
func deniedByAPI(e *client.Error) bool { return e.Denied() && !e.NotFromAPI() }

// String returns the permissions as a line of a table.
func (r PanePermissions) String() string {
	text := fmt.Sprintf("%-12s %s", r.Pane, r.Allowed)
	switch {
	case r.Why != "" && r.Allowed == "read":
		return text + "; changes: not known, " + r.Why
	case r.Why != "":
		return text + ": " + r.Why
	case r.Required == "":
		return text
	case r.Allowed == "list":
		return text + "; reading single rows and changes need " + r.Required
	case r.Allowed == mayNothing:
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
