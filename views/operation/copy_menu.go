package operation

import (
	"encoding/json"
	"net/url"
	"strings"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/visible"
	"lookout/ui"
)

// ScriptCommand returns a command line of lookout for this account: the command, its flags, its arguments.
func ScriptCommand(a *account.Account, command string, flags []string, named ...string) string {
	words := append([]string{"lookout"}, strings.Fields(command)...)
	words = append(append(words, a.CommandFlags...), flags...)
	for _, n := range named {
		if strings.HasPrefix(n, "-") {
			words = append(words, "--")
			break
		}
	}
	return ui.ShellJoin(append(words, named...)...)
}

// CurlCommand returns a request as a curl command, with the token as a variable, or "" if there is no such request.
func CurlCommand(a *account.Account, op string, query url.Values, segments ...any) string {
	method, address, err := a.API.Endpoint(op, query, segments...)
	if err != nil {
		return ""
	}
	how := ""
	if method != "GET" {
		how = "-X " + method + " "
	}
	return `curl -sS ` + how + `-H "Authorization: Bearer $LOOKOUT_TOKEN" ` + ui.ShellQuote(address)
}

// ChangeCurlCommand returns the request of a change as a curl command, with the token as a variable and secrets and
// private keys as dots.
func ChangeCurlCommand(api *client.Client, c client.Change) string {
	line := "curl -sS --fail -X " + ui.ShellQuote(c.Method) + ` -H "Authorization: Bearer $LOOKOUT_TOKEN"`
	if c.Body != nil {
		data, _ := json.Marshal(c.Body) // as it is sent
		line += " -H 'Content-Type: application/json' --data " + ui.ShellQuote(string(visible.EscapeJSON(data)))
	}
	return line + " " + ui.ShellQuote(api.Origin()+(&url.URL{Path: c.Path}).EscapedPath())
}

// CopyItems returns what the copy menu offers for a row beside its name: a script command, the request, other commands.
func CopyItems(command, curl string, more ...ui.CopyItem) []ui.CopyItem {
	all := []ui.CopyItem{{Name: "as command", Key: "x", Text: command}}
	if curl != "" {
		all = append(all, ui.CopyItem{Name: "as curl", Key: "u", Text: curl})
	}
	return append(all, more...)
}

// CopyItemsByID returns the CopyItems of resources that have a number. noun is the script command: "issues".
func CopyItemsByID[T any](a *account.Account, noun, op string, id func(T) int) func(T) []ui.CopyItem {
	return func(row T) []ui.CopyItem {
		return CopyItems(
			ScriptCommand(a, noun+" get", nil, account.FormatID(id(row))), CurlCommand(a, op, nil, id(row)),
		)
	}
}

// ServiceCopyItems returns the CopyItems of a service.
func ServiceCopyItems(a *account.Account, s *client.Service) []ui.CopyItem {
	id := account.FormatID(s.ID)
	change := ui.CopyItem{
		Name: "command: disable for an hour",
		Key:  "1",
		Text: ScriptCommand(a, "services disable", []string{"--for", "1h"}, id),
	}
	if s.Status == client.StatusDisabled {
		change = ui.CopyItem{Name: "command: enable", Key: "1", Text: ScriptCommand(a, "services enable", nil, id)}
	}
	return CopyItems(ScriptCommand(a, "services get", nil, id), CurlCommand(a, "view service", nil, s.ID), change)
}

// BucketCopyItems returns the CopyItems of a bucket.
func BucketCopyItems(a *account.Account, b *client.Bucket) []ui.CopyItem {
	name := b.ID()
	return CopyItems(
		ScriptCommand(a, "buckets get", nil, name),
		CurlCommand(a, "view bucket", nil, b.Location().Raw(), b.Label.Raw()),
		ui.CopyItem{Name: "command: list objects", Key: "1", Text: ScriptCommand(a, "objects list", nil, name)},
	)
}
