package views

import (
	"net/url"
	"strings"

	"lookout/client"
	"lookout/ui"
)

// scriptCommand is a command line of the program for this account. Options come first, then what is named.
func (a *Account) scriptCommand(command string, flags []string, named ...string) string {
	words := append([]string{"lookout"}, strings.Fields(command)...)
	words = append(append(words, a.commandFlags...), flags...)
	for _, n := range named {
		if strings.HasPrefix(n, "-") {
			words = append(words, "--")
			break
		}
	}
	return ui.ShellJoin(append(words, named...)...)
}

// curlCommand is a request as a command, with the token as a variable; "" where there is no such request.
func (a *Account) curlCommand(op string, query url.Values, segments ...any) string {
	method, address, err := a.api.Endpoint(op, query, segments...)
	if err != nil {
		return ""
	}
	how := ""
	if method != "GET" {
		how = "-X " + method + " "
	}
	return `curl -sS ` + how + `-H "Authorization: Bearer $LOOKOUT_TOKEN" ` + ui.ShellQuote(address)
}

// copyItems are what the copy menu offers for a row beside its name: the first command and the request, then other
// commands.
func copyItems(command, curl string, more ...ui.CopyItem) []ui.CopyItem {
	all := []ui.CopyItem{{Name: "as command", Key: "x", Text: command}}
	if curl != "" {
		all = append(all, ui.CopyItem{Name: "as curl", Key: "u", Text: curl})
	}
	return append(all, more...)
}

// copyItemsByID are those of things that are known by a number.
func copyItemsByID[T any](a *Account, noun, op string, id func(T) int) func(T) []ui.CopyItem {
	return func(row T) []ui.CopyItem {
		return copyItems(a.scriptCommand(noun+" get", nil, formatID(id(row))), a.curlCommand(op, nil, id(row)))
	}
}

func serviceCopyItems(a *Account, s *client.Service) []ui.CopyItem {
	id := formatID(s.ID)
	change := ui.CopyItem{
		Name: "command: disable for an hour",
		Key:  "1",
		Text: a.scriptCommand("services disable", []string{"--for", "1h"}, id),
	}
	if s.Status == client.StatusDisabled {
		change = ui.CopyItem{Name: "command: enable", Key: "1", Text: a.scriptCommand("services enable", nil, id)}
	}
	return copyItems(a.scriptCommand("services get", nil, id), a.curlCommand("view service", nil, s.ID), change)
}

func bucketCopyItems(a *Account, b *client.Bucket) []ui.CopyItem {
	name := b.Cluster.Raw() + "/" + b.Label.Raw()
	return copyItems(
		a.scriptCommand("buckets get", nil, name),
		a.curlCommand("view bucket", nil, b.Cluster.Raw(), b.Label.Raw()),
		ui.CopyItem{Name: "command: list objects", Key: "1", Text: a.scriptCommand("objects list", nil, name)},
	)
}
