package storage

import (
	"lookout/client"
	"lookout/ui"
	"lookout/views/account"
	"net/url"
)

func (l *objectListing) copyItems(o client.Object) []ui.CopyItem {
	a, b := l.a, l.path.bucket
	bucket, name := b.Cluster.Raw()+"/"+b.Label.Raw(), o.Name.Raw()
	if l.isFolder(o) {
		return account.CopyItems(
			a.ScriptCommand("objects list", nil, bucket, name),
			a.CurlCommand(
				"list objects",
				url.Values{"prefix": {name}, "delimiter": {"/"}},
				b.Cluster.Raw(),
				b.Label.Raw(),
			),
		)
	}
	return account.CopyItems(
		a.ScriptCommand("objects get", nil, bucket, name),
		a.CurlCommand("view object ACL", url.Values{"name": {name}}, b.Cluster.Raw(), b.Label.Raw()),
		ui.CopyItem{
			Name: "command: link for an hour",
			Key:  "1",
			Text: a.ScriptCommand("objects link", []string{"--for", "1h"}, bucket, name),
		},
	)
}
