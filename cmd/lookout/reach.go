package main

import (
	"fmt"
	"net/http"
	"strings"

	"lookout/client"
)

// An area is a pane with the scopes that its list, one thing of it and changes need ("Authentication"). Managed is for unrestricted users alone.
type area struct {
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

// areas are all panes that ask the API for something of their own.
var areas = []area{
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

// Reach is what a token may do in a pane.
type reach struct {
	Pane string `json:"pane"`
	May  string `json:"may"`            // "read and change", "read", "list", "nothing"
	Need string `json:"need,omitempty"` // what more would take
}

// reachOf says what scopes allow, pane by pane. A refusal of Managed closes its panes, whatever the scopes.
func reachOf(scopes string, refusal *client.Error) []reach {
	closed := refusal != nil && refusal.Status == http.StatusForbidden
	out := make([]reach, len(areas))
	for i, a := range areas {
		switch {
		case a.managed && closed:
			out[i] = reach{a.pane, "nothing", "Managed and an unrestricted user"}
		case !allows(scopes, a.read):
			out[i] = reach{a.pane, "nothing", a.read}
		case !allows(scopes, a.view):
			out[i] = reach{a.pane, "list", a.view}
		case a.change == "":
			out[i] = reach{a.pane, "read", ""}
		case allows(scopes, a.change):
			out[i] = reach{a.pane, "read and change", ""}
		default:
			out[i] = reach{a.pane, "read", a.change}
		}
	}
	return out
}

// closed reports whether the API knows the token and refuses what was asked: it says what the token may not.
func closed(e *client.Error) bool { return e.Denied() && !e.NotFromAPI() }

// allows reports whether scopes hold one; read_write holds read_only, * all.
func allows(scopes, need string) bool {
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

// String is a reach as a line of a table.
func (r reach) String() string {
	text := fmt.Sprintf("%-12s %s", r.Pane, r.May)
	switch {
	case r.Need == "":
		return text
	case r.May == "list":
		return text + "; one by itself and changes need " + r.Need
	case r.May == "nothing":
		return text + "; it needs " + r.Need
	}
	return text + "; changes need " + r.Need
}

// scopesShown is what a token's scopes are called.
func scopesShown(scopes string) string {
	switch scopes {
	case "":
		return "not told"
	case "*":
		return "all"
	}
	return client.Clean(scopes)
}
