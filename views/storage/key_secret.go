package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/journal"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/operation"
)

// keySecretDialog shows the secret of a new key, once. It offers to save it in the forms that other programs read.
// closed runs once the user has closed it.
func keySecretDialog(a *account.Account, k *client.AccessKey, closed func(kept bool) tea.Cmd) ui.ShowSecretMsg {
	dialog := ui.ShowSecretMsg{Title: "Access key " + k.Label.String(), Name: "secret key", Closed: closed}
	secret, ok := k.Secret()
	if !ok {
		dialog.Text = "The API sent no secret with this key: revoke it and create another one."
		dialog.Reveal = func() string { return "" }
		return dialog
	}
	hosts := keyEndpoints(a, k)
	dialog.Text = "The secret key is shown only once, and nobody can read it again. Copy or save it now."
	dialog.Reveal = secret.Reveal
	dialog.Details = [][2]string{
		{"label", k.Label.String()},
		{"access key", k.AccessKey.String()},
		{"endpoint" + wording.If(len(hosts) > 1, "s"), operation.FitNames(hosts, 60)},
	}
	for _, f := range keyFiles(k, hosts[0]) {
		dialog.Formats = append(dialog.Formats, ui.SecretFileFormat{
			Name:  f.name,
			Path:  filepath.Join(downloadFolder(a), "lookout-"+sanitizeName(k.Label.Raw())+f.extension),
			Write: func(path string) error { return writeSecretFile(path, f.text(secret.Reveal())) },
		})
	}
	return dialog
}

// keyFile is a form in which another program reads a key.
type keyFile struct {
	name, extension string
	text            func(secret string) string
}

// keyFiles are the files that a key can be saved as, for an S3 endpoint at a host.
func keyFiles(k *client.AccessKey, host string) []keyFile {
	profile, id := "["+sanitizeName(k.Label.Raw())+"]\n", k.AccessKey.Raw()
	return []keyFile{
		{"credentials profile of the AWS tools", ".credentials", func(secret string) string {
			return profile + "aws_access_key_id = " + id + "\naws_secret_access_key = " + secret + "\n"
		}},
		{"rclone remote", ".rclone.conf", func(secret string) string { return rcloneProfile(k, host, secret) }},
		{"environment lines", ".env", func(secret string) string {
			return "AWS_ACCESS_KEY_ID=" + id + "\nAWS_SECRET_ACCESS_KEY=" + secret +
				"\nAWS_ENDPOINT_URL=https://" + host + "\n"
		}},
	}
}

// rcloneProfile returns the section of rclone's configuration for a key. A limited key cannot look whether a bucket
// exists.
func rcloneProfile(k *client.AccessKey, host, secret string) string {
	return "[" + sanitizeName(k.Label.Raw()) + "]\ntype = s3\nprovider = Other\naccess_key_id = " + k.AccessKey.Raw() +
		"\nsecret_access_key = " + secret + "\nendpoint = " + host + "\nno_check_bucket = true\n"
}

// keyEndpoints returns the S3 hosts that a key is for, each once: those of its buckets, or else those of its regions or
// of all clusters.
func keyEndpoints(a *account.Account, k *client.AccessKey) []string {
	var hosts []string
	add := func(host string) {
		if !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	for _, g := range k.Buckets {
		add(endpointOfGrant(a, k, g))
	}
	if len(hosts) == 0 {
		for _, r := range k.Regions {
			add(r.S3Endpoint.String())
		}
	}
	if len(hosts) == 0 {
		for _, c := range a.Clusters().Rows() {
			add(c.Domain.String())
		}
	}
	if len(hosts) == 0 {
		add("not reported")
	}
	return hosts
}

// endpointOfGrant returns the S3 host of a bucket that a key reaches.
func endpointOfGrant(a *account.Account, k *client.AccessKey, g client.BucketGrant) string {
	if b, ok := a.Buckets().Get(g.BucketID()); ok && !b.S3Endpoint.IsZero() {
		return b.S3Endpoint.String()
	}
	for _, r := range k.Regions {
		if r.ID.Raw() == g.Region.Raw() {
			return r.S3Endpoint.String()
		}
	}
	for _, c := range a.Clusters().Rows() {
		if c.ID.Raw() == g.Location().Raw() {
			return c.Domain.String()
		}
	}
	return cmp.Or(g.Location().String(), "not reported")
}

// sanitizeName turns a label into a name for files and profiles: anything but letters, digits, '-' and '_' becomes '-'.
func sanitizeName(label string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, label)
}

// writeSecretFile creates a file that only its owner can read. It fails if the file exists.
func writeSecretFile(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// OfferKeysToRevoke offers to revoke keys that earlier runs have noted: those whose secret nobody has seen, because the
// terminal was gone or the program ended before the dialog was closed, and those that are to be revoked later.
func OfferKeysToRevoke(a *account.Account) tea.Cmd {
	if a.API.ReadOnly() {
		return nil
	}
	cmds := []tea.Cmd{offerLostKeys(a)}
	for _, e := range a.Journal.KeysWithUnseenSecret() {
		cmds = append(cmds, offerRevocation(a, e, e.UnseenSecretOf, unseenSecretMenu, a.Journal.RecordSecretSeen))
	}
	for _, e := range a.Journal.KeysToRevoke() {
		if !a.Journal.FromThisRun(e) && e.RevokeLater.Key != e.UnseenSecretOf {
			end := func(intent string) { a.Journal.RecordRevokeLater(intent, "", "") }
			cmds = append(cmds, offerRevocation(a, e, e.RevokeLater.Key, revokeLaterMenu, end))
		}
	}
	return tea.Batch(cmds...)
}

// offerRevocation shows the menu of a key that a change has noted. If somebody has revoked the key, the note ends.
func offerRevocation(
	a *account.Account, e journal.Entry, key string,
	menu func(*account.Account, *client.AccessKey, journal.Entry) ui.OpenMenuMsg, end func(intentID string),
) tea.Cmd {
	ctx := a.Context
	return func() tea.Msg {
		id, err := strconv.Atoi(key)
		if err != nil {
			return nil
		}
		k, err := a.FetchKey(ctx, id)
		if account.IsNotFound(err) {
			end(e.ID)
		}
		if err != nil {
			return nil // it is offered at the next start
		}
		return menu(a, k, e)
	}
}

// offerLostKeys shows the keys that creations of earlier runs may have made whose answers never arrived.
func offerLostKeys(a *account.Account) tea.Cmd {
	lost := slices.DeleteFunc(a.UnresolvedChanges(), func(e *journal.Entry) bool {
		return e.Change.Op != client.OpCreateKey || a.Journal.FromThisRun(*e)
	})
	if len(lost) == 0 {
		return nil
	}
	ctx, store := a.Context, a.Keys()
	return func() tea.Msg {
		keys, err := account.Collect(a.API.Keys.All(ctx))
		if err != nil {
			return nil // they are offered at the next start
		}
		for i, k := range keys {
			keys[i] = account.WithoutSecret(k)
		}
		var menus tea.BatchMsg
		for _, e := range lost {
			found := account.FindCreated(a, store, e, keys)
			if len(found.Candidates) > 0 {
				menus = append(menus, ui.Send(keyRunner(a).CandidatesMenu(operation.PossiblyCreated[*client.AccessKey]{
					What:      "new key " + client.Clean(e.Change.Label),
					Found:     found,
					Operation: "revoke",
					Note:      lostSecretNote,
				})))
			}
		}
		return menus
	}
}

// unseenSecretMenu offers what to do about a key whose secret nobody has seen.
func unseenSecretMenu(a *account.Account, k *client.AccessKey, made journal.Entry) ui.OpenMenuMsg {
	age := wording.FormatAge(a.Now().Sub(made.Time))
	return ui.OpenMenuMsg{
		Title: fmt.Sprintf("The secret of key %s (id %d) may be lost", k.Label, k.ID),
		Text: []string{
			"It was created " + age + " ago, and lookout ended before its secret was printed or its dialog was closed.",
		},
		Actions: []ui.Action{
			{Key: ui.Bind("leave it, and ask again at the next start", "l"), Do: func() tea.Cmd { return nil }},
			{
				Key: ui.Bind("keep it: somebody has the secret, or another lookout still shows it", "k"),
				Do: func() tea.Cmd {
					return func() tea.Msg {
						a.Journal.RecordSecretSeen(made.ID)
						return ui.StatusMsg{Tone: theme.Good, Text: k.Label.String() + ": kept"}
					}
				},
			},
			revokeAction(a, k),
		},
	}
}

// revokeLaterMenu offers what to do about a key that is still to be revoked.
func revokeLaterMenu(a *account.Account, k *client.AccessKey, noted journal.Entry) ui.OpenMenuMsg {
	age := wording.FormatAge(a.Now().Sub(noted.Time))
	return ui.OpenMenuMsg{
		Title: fmt.Sprintf("Key %s (id %d) is still to be revoked", k.Label, k.ID),
		Text: []string{
			client.Clean(noted.RevokeLater.Reason) + ", " + age +
				" ago. Keys never expire: it works until it is revoked.",
			"The API does not say which programs still use it.",
		},
		Actions: []ui.Action{
			{Key: ui.Bind("leave it, and ask again at the next start", "l"), Do: func() tea.Cmd { return nil }},
			{
				Key: ui.Bind("keep it, and do not ask again", "k"),
				Do: func() tea.Cmd {
					return func() tea.Msg {
						a.Journal.RecordRevokeLater(noted.ID, "", "")
						return ui.StatusMsg{Tone: theme.Good, Text: k.Label.String() + ": kept"}
					}
				},
			},
			revokeAction(a, k),
		},
	}
}

// revokeAction revokes a key, after the question that revoking always asks.
func revokeAction(a *account.Account, k *client.AccessKey) ui.Action {
	return ui.Action{
		Key:       ui.Bind(fmt.Sprintf("revoke key %d", k.ID), "r"),
		Writes:    true,
		OpensView: true,
		Do:        func() tea.Cmd { return keyRunner(a).StartDraft("revoke", []*client.AccessKey{k}, revokeKey()) },
	}
}

// An RcloneRemote gives rclone access to one bucket: a key that is limited to the bucket, and a profile that holds the
// secret of the key. rclone does what the API cannot.
type RcloneRemote struct {
	Bucket *client.Bucket
	Path   string // of the profile; absolute
	host   string
}

// NewRcloneRemote returns the remote for a bucket, with a profile at a path. clusters tell the S3 host of a bucket
// whose own row does not.
func NewRcloneRemote(b *client.Bucket, clusters []*client.Cluster, path string) (*RcloneRemote, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	r := &RcloneRemote{Bucket: b, Path: path, host: b.S3Endpoint.Raw()}
	for _, c := range clusters {
		if r.host == "" && c.ID == b.Cluster {
			r.host = c.Domain.Raw()
		}
	}
	if r.host == "" || client.Clean(r.host) != r.host || strings.ContainsAny(r.host, " \t\n") {
		return nil, fmt.Errorf("%s: the API does not report the S3 host of the bucket", bucketName(b))
	}
	return r, nil
}

// RcloneProfileName is the file name that is proposed for the profile of a bucket.
func RcloneProfileName(b *client.Bucket) string {
	return "lookout-" + sanitizeName(b.Label.Raw()) + ".rclone.conf"
}

// Label returns the label of the key, which is also the name of the remote.
func (r *RcloneRemote) Label() string {
	label := "rclone-" + sanitizeName(r.Bucket.Label.Raw())
	return label[:min(len(label), maxKeyLabel)]
}

// Effect says what Create creates.
func (r *RcloneRemote) Effect() string {
	return fmt.Sprintf(
		"Creates access key %s for rclone and writes its secret to %s (mode 0600), and nowhere else. %s Keys never "+
			"expire: the dashboard reminds you of this one at each start until it is revoked.",
		r.Label(), client.Clean(r.Path), DescribeKeyRequest(r.request()),
	)
}

// request is the request for the key.
func (r *RcloneRemote) request() client.AccessKeyRequest {
	grant := client.NewGrant(r.Bucket, "read_write")
	return client.AccessKeyRequest{Label: r.Label(), Buckets: []client.BucketGrantRequest{grant}}
}

// Create creates the key, and the profile before it, so that no key is made whose secret cannot be kept. It returns the
// key without its secret: along with an error if the key was created but its secret is lost.
func (r *RcloneRemote) Create(ctx context.Context, w *client.Writer) (*client.AccessKey, error) {
	file, err := os.OpenFile(r.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf(
			"%s already exists, and the key in it may still work; use that profile, or choose another file",
			client.Clean(r.Path),
		)
	}
	if err != nil {
		return nil, err
	}
	k, err := w.CreateKey(ctx, r.request())
	if err != nil {
		_ = errors.Join(file.Close(), os.Remove(r.Path))
		return nil, err
	}
	secret, ok := k.Secret()
	if err = errors.New("the response contains no secret"); ok {
		_, err = file.WriteString(rcloneProfile(k, r.host, secret.Reveal()))
		err = errors.Join(err, file.Sync())
	}
	k = account.WithoutSecret(k)
	if err = errors.Join(err, file.Close()); err != nil {
		return k, errors.Join(fmt.Errorf(
			"key %s (id %d) was created, but its secret is lost (%w); revoke it", k.Label, k.ID, err,
		), os.Remove(r.Path))
	}
	w.SecretSeen()
	w.RevokeLater(k.ID, "created for rclone in "+r.Bucket.ID()+", secret in "+r.Path)
	return k, nil
}

// Command returns the command line that stores a file as an object.
func (r *RcloneRemote) Command(file, name string) string {
	return "rclone --config " + ui.ShellQuote(r.Path) + " copyto --progress " + ui.ShellQuote(file) + " " +
		ui.ShellQuote(r.Label()+":"+r.Bucket.Label.Raw()+"/"+name)
}
