package views

import (
	"lookout/client"
	"lookout/ui"
	"net/url"
)

func (l *objectListing) copyItems(o client.Object) []ui.CopyItem {
	a, b := l.a, l.path.bucket
	bucket, name := b.Cluster.Raw()+"/"+b.Label.Raw(), o.Name.Raw()
	if l.isFolder(o) {
		return copyItems(
			a.scriptCommand("objects list", nil, bucket, name),
			a.curlCommand(
				"list objects",
				url.Values{"prefix": {name}, "delimiter": {"/"}},
				b.Cluster.Raw(),
				b.Label.Raw(),
			),
		)
	}
	return copyItems(
		a.scriptCommand("objects get", nil, bucket, name),
		a.curlCommand("view object ACL", url.Values{"name": {name}}, b.Cluster.Raw(), b.Label.Raw()),
		ui.CopyItem{
			Name: "command: link for an hour",
			Key:  "1",
			Text: a.scriptCommand("objects link", []string{"--for", "1h"}, bucket, name),
		},
	)
}
