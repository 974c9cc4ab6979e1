package views

import (
	"net/url"
	"strings"

	"lookout/client"
	"lookout/ui"
)

// script is a command line of the program for this account. Options come first, then what is named.
func (a *Account) script(command string, flags []string, named ...string) string {
	words := append([]string{"lookout"}, strings.Fields(command)...)
	words = append(append(words, a.flags...), flags...)
	for _, n := range named {
		if strings.HasPrefix(n, "-") {
			words = append(words, "--")
			break
		}
	}
	return ui.ShellJoin(append(words, named...)...)
}

// curl is a request as a command, with the token as a variable; "" where there is no such request.
func (a *Account) curl(op string, query url.Values, segments ...any) string {
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

// lines are what the copy menu offers for a row beside its name: the first command and the request, then other commands.
func lines(command, curl string, more ...ui.CopyItem) []ui.CopyItem {
	all := []ui.CopyItem{{Name: "as command", Key: "x", Text: command}}
	if curl != "" {
		all = append(all, ui.CopyItem{Name: "as curl", Key: "u", Text: curl})
	}
	return append(all, more...)
}

// numberedLines are those of things that are known by a number.
func numberedLines[T any](a *Account, noun, op string, id func(T) int) func(T) []ui.CopyItem {
	return func(row T) []ui.CopyItem {
		return lines(a.script(noun+" get", nil, ordinal(id(row))), a.curl(op, nil, id(row)))
	}
}

func (a *Account) serviceLines(s *client.Service) []ui.CopyItem {
	id := ordinal(s.ID)
	change := ui.CopyItem{Name: "command: disable for an hour", Key: "1", Text: a.script("services disable", []string{"--for", "1h"}, id)}
	if s.Status == client.StatusDisabled {
		change = ui.CopyItem{Name: "command: enable", Key: "1", Text: a.script("services enable", nil, id)}
	}
	return lines(a.script("services get", nil, id), a.curl("view service", nil, s.ID), change)
}

func (a *Account) bucketLines(b *client.Bucket) []ui.CopyItem {
	name := b.Cluster.Raw() + "/" + b.Label.Raw()
	return lines(a.script("buckets get", nil, name), a.curl("view bucket", nil, b.Cluster.Raw(), b.Label.Raw()),
		ui.CopyItem{Name: "command: list objects", Key: "1", Text: a.script("objects list", nil, name)})
}

func (l *listing) lines(o client.Object) []ui.CopyItem {
	a, b := l.a, l.at.bucket
	bucket, name := b.Cluster.Raw()+"/"+b.Label.Raw(), o.Name.Raw()
	if l.folder(o) {
		return lines(a.script("objects list", nil, bucket, name), a.curl("list objects", url.Values{"prefix": {name}, "delimiter": {"/"}}, b.Cluster.Raw(), b.Label.Raw()))
	}
	return lines(a.script("objects get", nil, bucket, name), a.curl("view object ACL", url.Values{"name": {name}}, b.Cluster.Raw(), b.Label.Raw()),
		ui.CopyItem{Name: "command: link for an hour", Key: "1", Text: a.script("objects link", []string{"--for", "1h"}, bucket, name)})
}
