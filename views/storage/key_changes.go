package storage

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/join"
	"lookout/client/journal"
	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
	"lookout/views/operation"
	"lookout/views/resource"
)

// keyRunner performs the operations on access keys.
func keyRunner(a *account.Account) operation.OperationRunner[*client.AccessKey] {
	return operation.NewRunner(a, a.Keys(), Keys(a))
}

// Keys declares access keys: the document's "Object Storage Key". Nothing but the answer to a creation holds a secret.
func Keys(a *account.Account) resource.Resource[*client.AccessKey] {
	return resource.Resource[*client.AccessKey]{
		Name:        "keys",
		Singular:    "key",
		Description: "Access keys for S3 clients",
		Examples: []string{
			"keys list --sort label",
			"keys get finance -o json",
			"keys rename finance accounting --dry-run",
			"keys create backup-reader --bucket us-east-1/acme-backups:read_only --secret-file reader.secret",
			`keys rotate "backup agent" --secret-file agent.secret`,
			`keys revoke finance --yes --reason "left the company"`,
		},
		Argument: "ID",
		ID:       func(k *client.AccessKey) string { return account.FormatID(k.ID) },
		Label:    func(k *client.AccessKey) string { return k.Label.String() },
		Calls:    resource.APICalls{List: "list keys", Get: "view key"},
		Columns:  keyColumns(a),
		List: func(ctx context.Context, _ resource.ListQuery) iter.Seq2[*client.AccessKey, error] {
			return func(yield func(*client.AccessKey, error) bool) {
				a.API.Keys.All(ctx)(func(k *client.AccessKey, err error) bool {
					return yield(account.WithoutSecret(k), err)
				})
			}
		},
		Get: resource.ByID(func(ctx context.Context, id int) (*client.AccessKey, error) {
			return a.FetchKey(ctx, id)
		}),
		Operations: keyOperations(a),
	}
}

// keyOperations returns the operations on access keys.
func keyOperations(a *account.Account) []resource.Operation[*client.AccessKey] {
	rename := resource.EditOperation(client.OpUpdateKey, func(k *client.AccessKey) keyDraft { return renameKey(a, k) })
	rename.Name, rename.CommandHelp = "rename", "Change a key's label"
	revoke := resource.DeleteOperation(
		client.OpRevokeKey, "programs that use it lose access at once",
		func(*client.AccessKey) keyDraft { return revokeKey() },
	)
	revoke.Name, revoke.ShowInHints, revoke.BusyText, revoke.SuccessText = "revoke", true, "revoking", "revoked"
	create := resource.NewOperation(client.OpCreateKey, "key", func(*client.AccessKey) keyDraft {
		return newKeyFrom(a, newKeyInput(a))
	})
	create.Command = resource.PaneOnly // scripts say in other words what it reaches, and where the secret goes
	create.BusyText, create.SuccessText = "creating", "created"
	return []resource.Operation[*client.AccessKey]{rename, revoke, create}
}

// keyDraft is an operation on a key with its values.
type keyDraft = resource.Draft[*client.AccessKey]

// keyID is the identity of a key.
func keyID(k *client.AccessKey) int { return k.ID }

// renameKey changes the label of a key, which is all that can be changed.
func renameKey(a *account.Account, k *client.AccessKey) keyDraft {
	fetch := func(ctx context.Context, id int) (*client.AccessKey, error) { return a.FetchKey(ctx, id) }
	draft := operation.Renaming(
		k, fmt.Sprintf("Label of key %d", k.ID), keyID, keyLabel, KeyLabelField, fetch,
		func(ctx context.Context, w *client.Writer, id int, label string) (*client.AccessKey, error) {
			row, err := w.UpdateKey(ctx, id, label)
			return account.WithoutSecret(row), err
		},
		func(label string) keyDraft { return newKeyFrom(a, newKeyInputLike(a, k, label)) },
	)
	draft.Text = "What a key can access cannot be changed: create another key and revoke this one."
	return draft
}

// revokeKey ends keys for good.
func revokeKey() keyDraft {
	before := func(k *client.AccessKey) any {
		return map[string]any{"label": k.Label, "access_key": k.AccessKey, "bucket_access": k.Buckets}
	}
	confirm := func(rows []*client.AccessKey) resource.ConfirmationSpec {
		k := rows[0]
		reach, _ := account.KeyReach(k)
		return resource.ConfirmationSpec{
			Title: "Revoke key",
			Effect: fmt.Sprintf(
				"This permanently revokes key %q (id %d, %s): programs that use it lose access at once. It reaches %s.",
				k.Label, k.ID, k.AccessKey, reach,
			),
			Loss:     "Programs that use them lose access at once.",
			Word:     k.Label.String(),
			Required: true,
		}
	}
	return operation.Deleting(keyID, keyLabel, before, confirm, (*client.Writer).RevokeKey)
}

// newKeyFrom asks for a key, beginning with values. There are three kinds: one that reaches everything (no list
// is sent), one that reaches nothing (an empty list), and one that reaches the buckets of a list ("bucket_access
// rules").
func newKeyFrom(a *account.Account, in *keyInput) keyDraft {
	secret := ui.ShowSecretMsg{}
	return keyDraft{
		Title:        "New access key",
		SubmitLabel:  "create",
		Fields:       in.fields(),
		Review:       func() string { return DescribeKeyRequest(in.request()) },
		EnterSubmits: func() bool { return len(in.request().Buckets) > 0 },
		Confirm: func([]*client.AccessKey) resource.ConfirmationSpec {
			request := in.request()
			return resource.ConfirmationSpec{
				Effect:   "Creates key " + client.Clean(in.label) + ". " + DescribeKeyRequest(request),
				Required: true,
			}
		},
		Attempt: func(*client.AccessKey) account.Attempt[*client.AccessKey] {
			sent := in.request()
			attempt := account.Attempt[*client.AccessKey]{
				Label: sent.Label,
				Sent:  sent,
				Send: func(ctx context.Context, w *client.Writer) (lists.ChangeResult[*client.AccessKey], error) {
					k, err := w.CreateKey(ctx, sent)
					if err == nil {
						secret = keySecretDialog(a, k, func(kept bool) tea.Cmd { return in.handOver(a, w, k, kept) })
					}
					return lists.ResultRow(account.WithoutSecret(k), err)
				},
			}
			if in.replaced != nil {
				attempt.Before, attempt.Reason = account.Replaces(in.replaced)
			}
			return attempt
		},
		AfterSubmit: func(k *client.AccessKey, _ bool) tea.Cmd {
			return tea.Batch(ui.ReportChange(theme.Good, k.Label.String()+": created"), ui.Send(secret))
		},
		CandidateOperation: "revoke",
		CandidateNote:      lostSecretNote,
	}
}

// keyInput holds the values of the form for a new key.
type keyInput struct {
	label   string
	limited bool
	buckets []*client.Bucket // by label, then cluster
	unread  string           // which buckets were not read when the form was opened
	levels  []account.GrantLevel
	// replaced is the key that the new one is to replace; nil if there is none.
	replaced *client.AccessKey
}

// handOver records that the dialog with the secret of a new key was closed. If somebody has kept the secret, and the
// key replaces another one, the journal reminds of that one from now on, and a menu asks what is to be done with it.
func (in *keyInput) handOver(a *account.Account, w *client.Writer, k *client.AccessKey, kept bool) tea.Cmd {
	return func() tea.Msg {
		w.SecretSeen()
		if _, has := k.Secret(); in.replaced == nil || !has || !kept {
			return nil
		}
		NoteReplaced(a.Journal, w, in.replaced, k)
		for _, e := range slices.Backward(a.Journal.KeysToRevoke()) {
			if e.RevokeLater.Key == account.FormatID(in.replaced.ID) {
				return revokeLaterMenu(a, in.replaced, e)
			}
		}
		return nil
	}
}

// NoteReplaced notes that a key has replaced another one, which is to be revoked once nothing uses it. What was noted
// about the old one before becomes a part of the note.
func NoteReplaced(j *journal.Journal, w *client.Writer, old, k *client.AccessKey) {
	reason := fmt.Sprintf("Replaced by key %s (id %d)", k.Label, k.ID)
	for _, e := range j.KeysToRevoke() {
		if e.RevokeLater.Key == account.FormatID(old.ID) {
			reason += "; " + e.RevokeLater.Reason
			j.RecordRevokeLater(e.ID, "", "")
		}
	}
	w.RevokeLater(old.ID, reason)
}

// KeyUse says what is known about the programs that use a key.
func KeyUse(j *journal.Journal, k *client.AccessKey) string {
	text := "The API does not say which programs use it."
	for _, e := range j.KeysToRevoke() {
		if e.RevokeLater.Key == account.FormatID(k.ID) {
			text += " lookout noted: " + client.Clean(e.RevokeLater.Reason) + "."
		}
	}
	return text
}

// rotateAction returns the action that replaces a key by a new one with the same access.
func rotateAction(a *account.Account) table.RowAction[*client.AccessKey] {
	return table.RowAction[*client.AccessKey]{
		Keys:        []string{"N"},
		Name:        "rotate",
		Description: "create a new key with the same access, then revoke this one now or later",
		Writes:      true,
		OpensView:   true,
		DisabledReason: func(k *client.AccessKey) string {
			_, known := k.Replacement("")
			return cmp.Or(a.MissingScope(client.OpCreateKey), wording.If(
				!known, "the API does not report what it reaches, so no key with the same access can be created",
			))
		},
		Cmd: func(k *client.AccessKey) tea.Cmd {
			r := keyRunner(a)
			op, _ := r.Resource.Operation("new key")
			op.Name = "rotate"
			op.Draft = func(*client.AccessKey) keyDraft { return rotateKey(a, k) }
			return r.Start(op, nil, nil)
		},
	}
}

// rotateKey opens the form for a key that replaces another one. If the old key is limited, the new one has the same
// access. If it reaches everything, the new one is limited unless the user chooses otherwise.
func rotateKey(a *account.Account, old *client.AccessKey) keyDraft {
	in := newKeyInputLike(a, old, old.Label.Raw())
	in.replaced, in.limited = old, true
	d := newKeyFrom(a, in)
	name := fmt.Sprintf("%s (id %d)", old.Label, old.ID)
	d.Title = "Replace key " + name
	d.Text = "The new key gets the same access"
	if !in.copiesAccess() {
		d.Text = "The old key reaches EVERYTHING; the new one is limited unless you choose otherwise"
	}
	d.Text += ". Its secret is shown once; then choose whether to revoke the old key now. " + KeyUse(a.Journal, old)
	d.Confirm = func([]*client.AccessKey) resource.ConfirmationSpec {
		request := in.request()
		return resource.ConfirmationSpec{
			Title:    d.Title,
			Effect:   "Creates a key to replace " + name + ". " + DescribeKeyRequest(request),
			Required: true,
		}
	}
	return d
}

// labelField returns the field of the label. That of a key that is replaced may have any length.
func (in *keyInput) labelField() form.Field {
	if in.replaced != nil && in.label == in.replaced.Label.Raw() {
		return form.Text("label", "Label", &in.label)
	}
	return KeyLabelField(&in.label)
}

// copiesAccess reports whether the new key gets exactly the access of a limited one.
func (in *keyInput) copiesAccess() bool {
	if in.replaced == nil {
		return false
	}
	all, known := in.replaced.ReachesAll()
	return known && !all
}

// newKeyInput returns the values that the form begins with: a limited key, for which no bucket is chosen yet.
func newKeyInput(a *account.Account) *keyInput {
	known := account.AllRows(a, a.Buckets())
	buckets := join.Found(known)
	slices.SortFunc(buckets, func(b, c *client.Bucket) int {
		return cmp.Or(
			strings.Compare(b.Label.Raw(), c.Label.Raw()),
			strings.Compare(b.Location().Raw(), c.Location().Raw()),
		)
	})
	in := &keyInput{
		buckets: buckets,
		unread:  join.FormRemark(known),
		levels:  make([]account.GrantLevel, len(buckets)),
		limited: true,
	}
	for i := range in.levels {
		in.levels[i] = account.NoAccess
	}
	return in
}

// newKeyInputLike returns the values of a form for a key that reaches no more than another one, which is gone. It is
// limited if it is not known that the other was not.
func newKeyInputLike(a *account.Account, k *client.AccessKey, label string) *keyInput {
	in := newKeyInput(a)
	all, _ := k.ReachesAll()
	in.label, in.limited = label, !all
	levels := map[string]account.GrantLevel{"read_only": account.ReadOnly, "read_write": account.ReadWrite}
	for i, b := range in.buckets {
		for _, g := range k.Buckets {
			if level, ok := levels[g.Permissions.Raw()]; ok && g.Bucket == b.Label && g.Location() == b.Location() {
				in.levels[i] = level
			}
		}
	}
	return in
}

// fields are the fields of the form.
func (in *keyInput) fields() []form.Field {
	if in.copiesAccess() {
		return []form.Field{in.labelField()}
	}
	names := make([]string, len(in.buckets))
	for i, b := range in.buckets {
		names[i] = fmt.Sprintf("%s  %s", b.Label, b.Location())
	}
	limited := form.Switch("limited", "Limited", &in.limited).NoteFunc(func() string {
		switch {
		case in.limited && in.unread != "":
			return "yes: only the buckets chosen below · " + in.unread
		case in.limited:
			return "yes: only the buckets chosen below"
		}
		return "no: everything, including buckets that are created later"
	})
	levels := form.Grid(
		"bucket_access", "Buckets", names, in.levels, account.NoAccess, account.ReadOnly, account.ReadWrite,
	)
	note := "left, right: what it may do with the bucket"
	if in.unread != "" {
		note = in.unread + " · open this form again afterwards"
	}
	return []form.Field{
		in.labelField(),
		limited,
		levels.When(func() bool { return in.limited }).Note(note).WhyEmpty(func() string { return in.unread }),
	}
}

// request returns what the values ask for.
func (in *keyInput) request() client.AccessKeyRequest {
	r := client.AccessKeyRequest{Label: in.label}
	if in.copiesAccess() || in.replaced != nil && !in.limited {
		r, _ = in.replaced.Replacement(in.label)
		return r
	}
	if !in.limited {
		return r
	}
	r.Buckets = []client.BucketGrantRequest{}
	permissions := map[account.GrantLevel]string{account.ReadOnly: "read_only", account.ReadWrite: "read_write"}
	for i, b := range in.buckets {
		if p := permissions[in.levels[i]]; p != "" {
			r.Buckets = append(r.Buckets, client.NewGrant(b, p))
		}
	}
	return r
}

// KeyLabelField returns the field of a key's label, for panes and scripts. The document has no bounds; these are those
// of the provider's console.
func KeyLabelField(label *string) form.Field {
	return form.Text("label", "Label", label, form.Length(3, maxKeyLabel)).Argument("LABEL")
}

// maxKeyLabel is the longest label of a key.
const maxKeyLabel = 50

// DescribeKeyRequest says what a key will be able to do, and what every limited key can do ("Access Keys").
func DescribeKeyRequest(in client.AccessKeyRequest) string {
	if in.Buckets == nil {
		return "It can reach EVERYTHING: all buckets in all clusters, to read, write and delete."
	}
	var reads, writes []string
	for _, g := range in.Buckets {
		name := client.Clean(g.Bucket) + " in " + client.Clean(g.Cluster+g.Region) // a request names one of them
		if g.Permissions == "read_write" {
			writes = append(writes, name)
		} else {
			reads = append(reads, name)
		}
	}
	text, end := "It may", ", and nothing else"
	if len(in.Buckets) == 0 {
		text, end = "It can reach NOTHING: no bucket is chosen", ""
	}
	if len(reads) > 0 {
		text += " read " + account.JoinWithCommas(reads)
	}
	if len(writes) > 0 {
		if len(reads) > 0 {
			text += ", and"
		}
		text += " read, write and delete in " + account.JoinWithCommas(writes)
	}
	return text + end + ". It can still list all buckets and create new ones, which it cannot reach."
}

// lostSecretNote says why a key that a create may have made can be revoked.
const lostSecretNote = "If it was created on this machine, its secret is lost."
