package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
	"lookout/views/account"
)

func KeysPane(a *account.Account) ui.Pane {
	return &table.List[*client.Key]{
		Title:        "keys",
		Store:        a.Keys(),
		JoinedStores: []table.JoinedStore{a.Buckets(), a.Clusters()},
		Columns: []table.Column[*client.Key]{
			{
				Title: "label",
				Min:   16,
				Cell:  func(k *client.Key, _ ui.Box) (string, theme.Tone) { return k.Label.String(), theme.Strong },
			},
			{
				Title: "access key",
				Width: 20,
				Cell:  func(k *client.Key, _ ui.Box) (string, theme.Tone) { return k.AccessKey.String(), theme.Plain },
			},
			{
				Title:        "reaches",
				Min:          20,
				DropPriority: 1,
				Cell:         func(k *client.Key, _ ui.Box) (string, theme.Tone) { return describeKeyAccess(k) },
			},
		},
		Operations: account.RequireScope(a, account.StorageWriteScope, keyOperations(a)),
		PaneActions: func() []ui.Action {
			return a.RequireScopeForActions(account.StorageWriteScope, ui.Action{
				Key:         ui.Bind("new key", "n"),
				Group:       "this list",
				Writes:      true,
				OpensView:   true,
				ShowInHints: true,
				Do:          func() tea.Cmd { return ui.Send(form.OpenFormMsg{Form: newKeyForm(a)}) },
			})
		},
		Detail:   func(k *client.Key, b ui.Box) string { return keyDetail(a, k, b) },
		FetchOne: func(ctx context.Context, k *client.Key) (*client.Key, error) { return account.FetchKey(a, ctx, k.ID) },
		Footer: func(set *ui.Store[*client.Key], b ui.Box) string {
			limited := 0
			for _, k := range set.Rows() {
				if k.Limited {
					limited++
				}
			}
			return b.Theme.Paint(
				theme.Muted,
				fmt.Sprintf("%s, %d limited", account.Pluralize(set.Len(), "key", "keys"), limited),
			)
		},
		CopyItems: account.CopyItemsByID(a, "keys", "view key", func(k *client.Key) int { return k.ID }),
		EmptyText: "no access keys yet · n makes one",
		SortBy:    "label",
	}
}

// describeKeyAccess is what a key may do, in words.
func describeKeyAccess(k *client.Key) (string, theme.Tone) {
	switch {
	case !k.Limited:
		return "everything", theme.Warn
	case len(k.Buckets) == 0:
		return "nothing", theme.Off
	}
	grants := make([]string, len(k.Buckets))
	for i, g := range k.Buckets {
		grants[i] = fmt.Sprintf("%s in %s (%s)", g.Bucket, g.Cluster, account.FormatPermission(g.Permissions))
	}
	return account.JoinWithCommas(grants), theme.Plain
}

func keyOperations(a *account.Account) []table.Operation[*client.Key] {
	return []table.Operation[*client.Key]{
		{
			Keys:        []string{"y"},
			Name:        "copy access key",
			Description: "the part that is no secret",
			ShowInHints: true,
			Message: func(k *client.Key) tea.Msg {
				return ui.CopyMsg{Text: k.AccessKey.Raw(), Label: "access key of " + k.Label.String()}
			},
		},
		{
			Keys:        []string{"e"},
			Name:        "rename",
			ShowInHints: true,
			Writes:      true,
			Form:        func(rows []*client.Key) form.Form { return renameKeyForm(a, rows[0]) },
		},
		{
			Keys:         []string{"D"},
			Name:         "revoke",
			Description:  "programs that use it lose access at once",
			ProgressText: "revoking",
			SuccessText:  "revoked",
			ShowInHints:  true,
			Writes:       true,
			Many:         true,
			Confirm: func(k *client.Key) *ui.Confirmation {
				may, _ := describeKeyAccess(k)
				return &ui.Confirmation{
					Title:        "Revoke key",
					RequiredText: k.Label.String(),
					ConfirmLabel: "revoke",
					Text: fmt.Sprintf(
						"Key %q (id %d, %s) reaches %s. Programs that use it lose access at once, for good.",
						k.Label,
						k.ID,
						k.AccessKey,
						may,
					),
				}
			},
			Run: func(ctx context.Context, k *client.Key) (ui.Result[*client.Key], error) {
				return ui.ResultDeleted[*client.Key](a.Api.Keys.Revoke(contextWithKey(ctx, k), k.ID))
			},
		},
		account.FollowReference(func(k *client.Key) []account.Reference {
			var names []account.Reference
			for _, g := range k.Buckets {
				names = append(
					names,
					account.Reference{Kind: "bucket", Label: g.Bucket.String(), Pane: "buckets", ID: g.Cluster.Raw() + "/" + g.Bucket.Raw()},
				)
			}
			return names
		}),
	}
}

func contextWithKey(ctx context.Context, k *client.Key) context.Context {
	was := map[string]any{"label": k.Label, "access_key": k.AccessKey, "bucket_access": k.Buckets}
	return client.ContextWithResource(client.ContextWithBefore(ctx, was), "key", account.FormatID(k.ID), k.Label.String())
}

func keyDetail(a *account.Account, k *client.Key, b ui.Box) string {
	t := account.NewDetailWriter(b)
	t.Title(k.Label.String())
	t.Field("id", account.FormatID(k.ID), theme.Muted)
	t.Field("access key", k.AccessKey.String(), theme.Plain)
	t.Field("secret key", "shown once, when it was made", theme.Muted)
	t.Heading("reaches")
	if may, tone := describeKeyAccess(k); len(k.Buckets) == 0 {
		t.Paragraph(may, tone)
	}
	for _, g := range k.Buckets {
		t.Paragraph(fmt.Sprintf("%s  %s  in %s", account.FormatPermission(g.Permissions), g.Bucket, g.Cluster), theme.Plain)
	}
	return t.String()
}

func renameKeyForm(a *account.Account, k *client.Key) form.Form {
	was := account.LabelRequest{Label: k.Label.Raw()}
	e := &account.EditState[account.LabelRequest]{Original: was, Latest: was, Edited: was}
	f := form.NewStoreForm(
		a.Keys(),
		fmt.Sprintf("Label of key %d", k.ID),
		[]form.Field{form.Text("label", "Label", &e.Edited.Label, checkKeyLabel)},
		func(k *client.Key) string { return k.Label.String() + ": saved" },
		func(ctx context.Context) (ui.Result[*client.Key], error) {
			return account.SaveEdit(
				contextWithKey(ctx, k),
				e,
				func(ctx context.Context) (*client.Key, error) { return account.FetchKey(a, ctx, k.ID) },
				func(k *client.Key) account.LabelRequest { return account.LabelRequest{Label: k.Label.Raw()} },
				func(ctx context.Context, _ client.Patch) (*client.Key, error) {
					row, err := a.Api.Keys.Update(ctx, k.ID, e.Edited.Label)
					return account.WithoutSecret(row), err
				},
			)
		},
		account.UpdateOutcome(
			k.ID,
			func(k *client.Key) int { return k.ID },
			func(now *client.Key) bool { return now.Label.Raw() == e.Edited.Label },
		),
	)
	f.Text = "What a key reaches cannot be changed: make another one and revoke this."
	f.EnterSubmits = form.AlwaysSubmit
	f.ProgressText, f.SubmitLabel = "saving", "save"
	return f
}

// checkKeyLabel checks a label by the provider's console: the document shows no bounds.
func checkKeyLabel(text string) string { return form.Length(3, 50)(text) }

// newKeyForm asks for a key. What it may reach is told apart three ways: everything (nothing is sent), nothing (an
// empty list), or a list.
func newKeyForm(a *account.Account) form.Form {
	label, limited := "", false
	buckets := a.Buckets().Rows()
	slices.SortFunc(buckets, func(b, c *client.Bucket) int {
		return cmp.Or(strings.Compare(b.Label.Raw(), c.Label.Raw()), strings.Compare(b.Cluster.Raw(), c.Cluster.Raw()))
	})
	names, grades := make([]string, len(buckets)), make([]account.GrantLevel, len(buckets))
	for i, b := range buckets {
		names[i], grades[i] = fmt.Sprintf("%s  %s", b.Label, b.Cluster), account.NoAccess
	}
	request := func() client.KeyRequest { return keyRequest(label, limited, buckets, grades) }
	before := a.Keys().Rows()
	made := ui.OneTimeSecret{}
	form := form.NewStoreFormThen(a.Keys(), "New access key", []form.Field{
		form.Text("label", "Label", &label, checkKeyLabel),
		form.Switch("limited", "Limited", &limited).NoteFunc(func() string {
			if limited {
				return "yes: the buckets chosen below, and no object in any other"
			}
			return "no: it may reach everything, also buckets that come later"
		}),
		form.Grid(
			"bucket_access",
			"Buckets",
			names,
			grades,
			account.NoAccess,
			account.ReadOnly,
			account.ReadWrite,
		).When(
			func() bool { return limited },
		).
			Note(
				"up, down: the bucket · left, right: what it may do",
			),
	}, func(k *client.Key, told bool) tea.Cmd {
		if !told {
			return offerRevokeLostKey(a, before, label)
		}
		return tea.Batch(ui.ShowNews(theme.Good, k.Label.String()+": made"), ui.Send(made))
	}, func(ctx context.Context) (ui.Result[*client.Key], error) {
		k, err := a.Api.Keys.Create(client.ContextWithResource(ctx, "key", "", label), request())
		if err == nil {
			made = newKeySecretDialog(a, k)
		}
		return ui.ResultRow(account.WithoutSecret(k), err)
	}, func(now []*client.Key) ui.AttemptOutcome {
		return account.CreateOutcome(
			before,
			now,
			func(k *client.Key) int { return k.ID },
			func(k *client.Key) bool { return k.Label.Raw() == label },
		)
	})
	form.Review = func() string { return describeKeyRequest(request()) }
	form.EnterSubmits = func() bool { return len(request().Buckets) > 0 }
	form.ProgressText, form.SubmitLabel = "making", "make"
	return form
}

// keyRequest is what a form's values ask for ("bucket_access rules").
func keyRequest(label string, limited bool, buckets []*client.Bucket, grades []account.GrantLevel) client.KeyRequest {
	in := client.KeyRequest{Label: label}
	if !limited {
		return in
	}
	in.Buckets = []client.GrantRequest{}
	for i, b := range buckets {
		switch grades[i] {
		case account.ReadOnly:
			in.Buckets = append(
				in.Buckets,
				client.GrantRequest{Cluster: b.Cluster.Raw(), Bucket: b.Label.Raw(), Permissions: "read_only"},
			)
		case account.ReadWrite:
			in.Buckets = append(
				in.Buckets,
				client.GrantRequest{Cluster: b.Cluster.Raw(), Bucket: b.Label.Raw(), Permissions: "read_write"},
			)
		}
	}
	return in
}

// limitedKeyNote is what every limited key may do ("Access Keys").
const limitedKeyNote = "It can list all buckets and make new ones that it does not reach."

// describeKeyRequest says in words what a key will be able to do.
func describeKeyRequest(in client.KeyRequest) string {
	switch {
	case in.Buckets == nil:
		return "It may reach EVERYTHING: all buckets in all clusters, to read, write and delete."
	case len(in.Buckets) == 0:
		return "It may reach NOTHING: no bucket is chosen. " + limitedKeyNote
	}
	var reads, writes []string
	for _, g := range in.Buckets {
		if g.Permissions == "read_write" {
			writes = append(writes, client.Clean(g.Bucket))
		} else {
			reads = append(reads, client.Clean(g.Bucket))
		}
	}
	text := "It may"
	if len(reads) > 0 {
		text += " read " + account.JoinWithCommas(reads)
	}
	if len(writes) > 0 {
		if len(reads) > 0 {
			text += ", and"
		}
		text += " read, write and delete in " + account.JoinWithCommas(writes)
	}
	return text + ", and nothing else. " + limitedKeyNote
}

// offerRevokeLostKey says that a key was made whose secret nobody has, and offers to revoke it.
func offerRevokeLostKey(a *account.Account, before []*client.Key, label string) tea.Cmd {
	for _, k := range a.Keys().Rows() {
		known := slices.ContainsFunc(before, func(o *client.Key) bool { return o.ID == k.ID })
		if known || k.Label.Raw() != label {
			continue
		}
		revoke := ui.Action{
			Key:    ui.Bind(fmt.Sprintf("revoke key %d", k.ID), "r"),
			Writes: true,
			Do:     func() tea.Cmd { return revokeKey(a, k) },
		}
		return tea.Batch(ui.ShowNews(theme.Warn, k.Label.String()+": made, and its secret was lost with the answer"),
			ui.Send(ui.Menu{Title: k.Label.String() + " was made, its secret was lost", Actions: []ui.Action{revoke,
				{Key: ui.Bind("leave it: nobody can use it", "l"), Do: func() tea.Cmd { return nil }}}}))
	}
	return nil
}

// revokeKey ends a key that nobody can use.
func revokeKey(a *account.Account, k *client.Key) tea.Cmd {
	id := account.FormatID(k.ID)
	return a.Keys().Run(ui.Attempt[*client.Key]{
		RowID:        id,
		ProgressText: "revoking",
		Send: func(ctx context.Context) (ui.Result[*client.Key], error) {
			return ui.ResultDeleted[*client.Key](a.Api.Keys.Revoke(contextWithKey(ctx, k), k.ID))
		},
		OnOutcome: func(v ui.AttemptOutcome, _ ui.Result[*client.Key], err error) tea.Cmd {
			if v == ui.Applied {
				return ui.ShowNews(theme.Good, k.Label.String()+": revoked")
			}
			return ui.ShowNews(theme.Bad, "revoke key: "+ui.Reason(err))
		},
	})
}

// newKeySecretDialog is the dialog that shows a new key's secret.
func newKeySecretDialog(a *account.Account, k *client.Key) ui.OneTimeSecret {
	secret, there := k.Secret()
	if !there {
		return ui.OneTimeSecret{
			Title:  "Access key " + k.Label.String(),
			Text:   "The API sent no secret with this key: revoke it and make another one.",
			Name:   "secret key",
			Reveal: func() string { return "" },
		}
	}
	host := keyEndpoint(a, k)
	files := []struct{ name, path, text string }{
		{"credentials profile of the AWS tools", "lookout-" + sanitizeName(k.Label.Raw()) + ".credentials",
			"[" + sanitizeName(
				k.Label.Raw(),
			) + "]\naws_access_key_id = " + k.AccessKey.Raw() + "\naws_secret_access_key = %s\n"},
		{"rclone remote", "lookout-" + sanitizeName(k.Label.Raw()) + ".rclone.conf",
			"[" + sanitizeName(
				k.Label.Raw(),
			) + "]\ntype = s3\nprovider = Other\naccess_key_id = " + k.AccessKey.Raw() + "\nsecret_access_key = %s\n" +
				"endpoint = " + host + "\n"},
		{"environment lines", "lookout-" + sanitizeName(k.Label.Raw()) + ".env",
			"AWS_ACCESS_KEY_ID=" + k.AccessKey.Raw() + "\nAWS_SECRET_ACCESS_KEY=%s\nAWS_ENDPOINT_URL=https://" + host + "\n"},
	}
	o := ui.OneTimeSecret{
		Title:   "Access key " + k.Label.String(),
		Name:    "secret key",
		Reveal:  secret.Reveal,
		Text:    "The secret key is told this once, and nobody can read it again. Copy it or save it now.",
		Details: [][2]string{{"label", k.Label.String()}, {"access key", k.AccessKey.String()}, {"endpoint", host}},
	}
	for _, f := range files {
		o.Formats = append(
			o.Formats,
			ui.ExportFormat{
				Name: f.name,
				Path: filepath.Join(downloadFolder(a), f.path),
				Write: func(path string) error {
					return writeSecretFile(path, strings.Replace(f.text, "%s", secret.Reveal(), 1))
				},
			},
		)
	}
	return o
}

// keyEndpoint is the host of the cluster that a key is for: that of its first bucket, else the first cluster's.
func keyEndpoint(a *account.Account, k *client.Key) string {
	id := ""
	if len(k.Buckets) > 0 {
		id = k.Buckets[0].Cluster.Raw()
	}
	for _, c := range a.Clusters().Rows() {
		if id == "" || c.ID.Raw() == id {
			return c.Domain.String()
		}
	}
	return account.OrDefault(client.Clean(id), "not told")
}

// sanitizeName keeps letters, digits, '-' and '_' of a label: for names of files and profiles.
func sanitizeName(label string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, label)
}

// writeSecretFile makes a file that its owner alone can read. One that exists is left alone.
func writeSecretFile(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
