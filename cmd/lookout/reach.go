package main

import (
	"strings"

	"lookout/client"
)

// An area is a pane with the scopes that reading and changing in it need ("Authentication").
type area struct{ pane, read, change string }

// areas are all panes that ask the API for something of their own.
var areas = []area{
	{"issues", "account:read_only", ""},
	{"services", "account:read_only", "account:read_write"},
	{"contacts", "account:read_only", "account:read_write"},
	{"credentials", "account:read_only", "account:read_write"},
	{"ssh", "account:read_only", "account:read_write"},
	{"stats", "account:read_only", ""},
	{"buckets", "object_storage:read_only", "object_storage:read_write"},
	{"objects", "object_storage:read_only", "object_storage:read_write"},
	{"keys", "object_storage:read_only", "object_storage:read_write"},
	{"clusters", "", ""},
	{"transfer", "object_storage:read_only", ""},
}

// Reach is what a token may do in a pane.
type reach struct {
	Pane string `json:"pane"`
	May  string `json:"may"` // "read and change", "read", "nothing"
	Need string `json:"need,omitempty"`
}

// reachOf says what scopes allow, pane by pane.
func reachOf(scopes string) []reach {
	out := make([]reach, len(areas))
	for i, a := range areas {
		switch {
		case !allows(scopes, a.read):
			out[i] = reach{a.pane, "nothing", a.read}
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

// sentence is a reach in words.
func (r reach) sentence() string {
	text := r.Pane + ": " + r.May
	if r.Need != "" && r.May == "read" {
		return text + "; changes need " + r.Need
	}
	if r.Need != "" {
		return text + "; it needs " + r.Need
	}
	return text
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
