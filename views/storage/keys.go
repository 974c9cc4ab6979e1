package storage

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/join"
	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/operation"
	"lookout/views/resource"
)

// KeysPane returns the pane of the access keys.
func KeysPane(a *account.Account) ui.Pane {
	list := keyRunner(a).List(keyShortcuts()...)
	list.JoinedStores = table.JoinedStores{a.Buckets(), a.Clusters()}
	list.RowActions = append(list.RowActions, rotateAction(a))
	list.Detail = keyDetail
	list.Footer = func(set *lists.RowStore[*client.AccessKey], b ui.Box) string {
		text := join.Fold(account.AllRows(a, set), func(all []*client.AccessKey) string {
			return wording.Plural(len(all), "key", "keys") + ", " + countLimitedKeys(a)
		}, func(_ []*client.AccessKey, s join.JoinState) string { return s.String() })
		return b.Theme.Paint(theme.Muted, text)
	}
	list.EmptyText, list.SortBy = "no access keys yet · n creates one", "label"
	list.Search.By = func(k *client.AccessKey) []string { return []string{k.AccessKey.String()} }
	return operation.WithDetailSidebar(a, list, func(row *client.AccessKey, inside ui.Box) []ui.StackedPanel {
		return []ui.StackedPanel{
			sizesPanel(a, "Sizes of the buckets it can access", reachedBuckets(a, row), func(*client.Bucket) bool {
				return true
			}, inside),
			operation.ChangesPanel(a, "key", account.FormatID(row.ID), inside),
		}
	}, a.Buckets())
}

// keyColumns returns the columns of access keys.
func keyColumns(a *account.Account) []resource.ColumnDefinition[*client.AccessKey] {
	type row = *client.AccessKey
	return []resource.ColumnDefinition[row]{
		resource.IDColumn(keyID),
		resource.TextColumn("label", theme.Plain, keyLabel).MinWidth(16).Label(),
		resource.TextColumn("access_key", theme.Plain, func(k row) client.ServerText { return k.AccessKey }).
			Titled("access key").Width(20).Drop(2, 0),
		{Name: "limited", Value: func(k row) string { return resource.OptionalValue(k.Limited) }},
		resource.NewColumn("bucket_access", keyGrants, func(k row, _ ui.Box) (string, theme.Tone) {
			reach, severity := account.KeyReach(k)
			return reach, operation.Tone(severity)
		}).
			Titled("reaches").MinWidth(20).Drop(1, 1).
			Shortened(func(k row, b ui.Box) string { return operation.ShortKeyReach(a, k, b) }),
		resource.DetailColumn(SecretKeyColumn, func(row) string { return "" }),
		resource.DetailColumn("regions", func(k row) string { return strings.Join(k.RegionIDs(), ",") }),
	}
}

// keyLabel returns the label of a key.
func keyLabel(k *client.AccessKey) client.ServerText { return k.Label }

// SecretKeyColumn is the name of the column that only the command that has created a key fills.
const SecretKeyColumn = "secret_key"

// keyGrants returns what a key reaches, for scripts: "us-east-1/photos:read_only".
func keyGrants(k *client.AccessKey) string {
	switch all, known := k.ReachesAll(); {
	case !known:
		return ""
	case all:
		return "everything"
	}
	words := make([]string, len(k.Buckets))
	for i, g := range k.Buckets {
		words[i] = g.BucketID() + ":" + g.Permissions.Raw()
	}
	return cmp.Or(strings.Join(words, ","), "nothing")
}

// countLimitedKeys says how many keys reach only certain buckets, and of how many that is not known.
func countLimitedKeys(a *account.Account) string {
	return account.Memo(a, "limited keys", func() string {
		n, unknown := 0, 0
		for _, k := range a.Keys().Rows() {
			switch all, known := k.ReachesAll(); {
			case !known:
				unknown++
			case !all:
				n++
			}
		}
		text := fmt.Sprintf("%d limited", n)
		if unknown > 0 {
			text += fmt.Sprintf(", %d unknown", unknown)
		}
		return text
	}, a.Keys())
}

// keyShortcuts are the actions on a key that change nothing.
func keyShortcuts() []table.RowAction[*client.AccessKey] {
	return []table.RowAction[*client.AccessKey]{
		{
			Keys:        []string{"y"},
			Name:        "copy access key",
			Description: "the part that is not secret",
			ShowInHints: true,
			Message: func(k *client.AccessKey) tea.Msg {
				return ui.CopyMsg{Text: k.AccessKey.Raw(), Label: "access key of " + k.Label.String()}
			},
		},
		operation.FollowReference(func(k *client.AccessKey) join.Joined[operation.LinkedRow] {
			buckets := make([]operation.LinkedRow, len(k.Buckets))
			for i, g := range k.Buckets {
				buckets[i] = operation.LinkedRow{
					Kind:  "bucket",
					Label: client.Clean(g.BucketID()),
					Pane:  "buckets",
					ID:    g.BucketID(),
				}
			}
			return join.Join(buckets, join.JoinState{Kind: join.Known})
		}),
	}
}

// keyDetail shows what a key reaches.
func keyDetail(k *client.AccessKey, b ui.Box) string {
	t := operation.NewDetailWriter(b)
	t.Title(k.Label.String())
	t.Field("id", account.FormatID(k.ID), theme.Muted)
	t.Field("access key", k.AccessKey.String(), theme.Plain)
	t.Field("secret key", "shown once, when the key was created", theme.Muted)
	if len(k.Regions) > 0 {
		t.Heading("works in")
		for _, r := range k.Regions {
			t.Paragraph(
				fmt.Sprintf("%s  %s%s", r.ID, r.S3Endpoint, wording.WithPrefix("  ", r.EndpointType.String())),
				theme.Plain,
			)
		}
	}
	if reach, tone := account.KeyReach(k); len(k.Buckets) == 0 {
		t.Heading("reaches")
		t.Paragraph(reach, operation.Tone(tone))
	}
	headed := map[client.ServerText]bool{}
	for _, g := range k.Buckets {
		if headed[g.Permissions] {
			continue
		}
		headed[g.Permissions] = true
		t.Heading("reaches (" + account.FormatPermission(g.Permissions) + ")")
		for _, h := range k.Buckets {
			if h.Permissions == g.Permissions {
				t.Paragraph(fmt.Sprintf("%s in %s", h.Bucket, h.Location()), theme.Plain)
			}
		}
	}
	return t.String()
}
