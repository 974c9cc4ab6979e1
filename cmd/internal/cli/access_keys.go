package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/client/account"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
	"lookout/views/resource"
	"lookout/views/storage"
)

// A createdKey is a key that has just been created, with its secret unless that went to a file.
type createdKey struct {
	*client.AccessKey
	SecretKey string `json:"secret_key,omitempty"`
}

// createdKeyColumns returns the columns of a key that has just been created.
func createdKeyColumns(declared []resource.ColumnDefinition[any]) []resource.ColumnDefinition[any] {
	columns := slices.Clone(declared)
	for i, c := range declared {
		columns[i].Value = func(row any) string {
			if created := row.(*createdKey); c.Name != storage.SecretKeyColumn {
				return c.Value(created.AccessKey)
			} else {
				return created.SecretKey
			}
		}
	}
	return columns
}

// accessKeyCommands adds the command that creates a key: it says what the key reaches in flags, and where its secret
// goes.
func accessKeyCommands(r scriptResource) scriptResource {
	r.subcommands = append(r.subcommands, subcommand{
		name:     "create",
		op:       client.OpCreateKey,
		verb:     "Creates",
		args:     "LABEL",
		noTarget: true,
		description: "Create a key for some buckets (--bucket), for nothing (--nothing) or for everything " +
			"(--unlimited); its secret is shown only once",
		bindFlags:    createAccessKey,
		columns:      createdKeyColumns(r.columns),
		recoveryHint: lostSecretHint,
	}, subcommand{
		name:         "rotate",
		op:           client.OpCreateKey,
		verb:         "Replaces",
		args:         "ID|LABEL",
		names:        []cobra.CompletionFunc{r.idNames},
		noTarget:     true,
		description:  "Create a new key with the same access as an old one, which works until it is revoked",
		bindFlags:    func(set *pflag.FlagSet) planFunc { return rotateAccessKey(set, r) },
		columns:      createdKeyColumns(r.columns),
		recoveryHint: lostSecretHint,
	})
	return r
}

// lostSecretHint says what to do about a key that could not be printed.
func lostSecretHint(row any) string {
	k := row.(*createdKey)
	if k.SecretKey == "" {
		return ""
	}
	return fmt.Sprintf("its secret is lost; revoke it with lookout keys revoke %d, and create another", k.ID)
}

// rotateAccessKey creates a key with the access of another one. Once somebody has the new secret, the journal reminds
// of the old key until it is revoked.
func rotateAccessKey(set *pflag.FlagSet, r scriptResource) planFunc {
	label := set.String("label", "", "label of the new key (default: the old key's label)")
	all := set.Bool("unlimited", false, "give the new key access to everything; required if the old one has it")
	path := set.String("secret-file", "", "write the secret to a new file (mode 0600) instead of showing it")
	config.CompleteFile(set, "secret-file")
	return func(ctx context.Context, s *scriptSession, _ any, args []string) (change, error) {
		var c change
		row, err := r.find(ctx, s, args[0])
		if err != nil {
			return c, err
		}
		old := row.(*client.AccessKey)
		name := fmt.Sprintf("key %s (%d)", old.Label, old.ID)
		in, err := replacementRequest(old, name, *label, *all)
		if err != nil {
			return c, err
		}
		reach, _ := account.KeyReach(old)
		c.Label = in.Label
		c.effect = fmt.Sprintf("Creates a key to replace %s, with the same access: %s", name, reach)
		c.Before, c.Reason = account.Replaces(old)
		c.send = func(ctx context.Context, w *approvedChange) (any, error) {
			w.onSecretSeen = func(made *client.AccessKey) { s.noteReplaced(w.Writer, old, made, name) }
			return sendAccessKey(ctx, w, in, *path)
		}
		return c, nil
	}
}

// replacementRequest returns the request for a key with the access of another one.
func replacementRequest(old *client.AccessKey, name, label string, all bool) (client.AccessKeyRequest, error) {
	in, known := old.Replacement(cmp.Or(label, old.Label.Raw()))
	reachesAll, _ := old.ReachesAll()
	switch {
	case !known:
		return in, fmt.Errorf("the API does not report what %s reaches, so nothing was created", name)
	case !reachesAll && all:
		return in, exit.Usage(fmt.Errorf("%s is limited, and so is its replacement; omit --unlimited", name))
	case reachesAll && !all:
		return in, exit.Usage(fmt.Errorf(
			"%s reaches everything; add --unlimited if the new key should too, or create a limited one with "+
				"keys create",
			name,
		))
	}
	if label == "" {
		return in, nil // the API has accepted it before
	}
	return in, checkArg("--label", label, storage.KeyLabelField(&label))
}

// noteReplaced notes that a key has replaced another one, and reports what is left to do.
func (s *scriptSession) noteReplaced(w *client.Writer, old, made *client.AccessKey, name string) {
	j, err := s.journal.get()
	if err != nil {
		return
	}
	use := storage.KeyUse(j, old)
	storage.NoteReplaced(j, w, old, made)
	s.reportf("%s still works. %s", name, use)
	s.reportf(
		"revoke it once nothing uses it: lookout keys revoke %d; the dashboard reminds you at each start",
		old.ID,
	)
}

func createAccessKey(set *pflag.FlagSet) planFunc {
	grants := set.StringArray(
		"bucket", nil, "limit the key to CLUSTER/BUCKET:read_only or :read_write; can be repeated",
	)
	config.CompleteFlag(set, "bucket", completeGrant)
	none := set.Bool("nothing", false, "give the key no access")
	all := set.Bool(
		"unlimited", false, "give the key access to everything: all buckets, including those created later",
	)
	path := set.String("secret-file", "", "write the secret to a new file (mode 0600) instead of showing it")
	config.CompleteFile(set, "secret-file")
	return func(ctx context.Context, s *scriptSession, _ any, args []string) (change, error) {
		in, err := newKeyRequest(args[0], *grants, *none, *all)
		if len(in.Buckets) > 0 {
			clusters := s.listClusters(ctx)
			for i, g := range in.Buckets {
				in.Buckets[i].Cluster, in.Buckets[i].Region = client.SplitLocation(g.Cluster, clusters)
			}
		}
		return change{
			Change: client.Change{Label: in.Label},
			effect: "Creates key " + client.Clean(in.Label) + ". " + storage.DescribeKeyRequest(in),
			send: func(ctx context.Context, w *approvedChange) (any, error) {
				return sendAccessKey(ctx, w, in, *path)
			},
		}, err
	}
}

// sendAccessKey creates a key and writes its secret to a file, or returns it with the key if there is no file.
func sendAccessKey(
	ctx context.Context,
	w *approvedChange,
	in client.AccessKeyRequest,
	path string,
) (*createdKey, error) {
	keep, err := reserveSecretFile(path)
	if err != nil {
		return nil, err
	}
	key, err := w.CreateKey(ctx, in)
	if err != nil {
		_ = keep(client.Secret{})
		return nil, err
	}
	secret, shown := key.Secret()
	row := &createdKey{AccessKey: account.WithoutSecret(key)}
	switch {
	case !shown:
		_ = keep(client.Secret{})
		return row, secretLostError(row, errors.New("the response contains no secret"))
	case path == "":
		row.SecretKey = secret.Reveal()
		w.secret, w.key = row.SecretKey, row
		return row, nil
	}
	if err := keep(secret); err != nil {
		return row, secretLostError(row, fmt.Errorf("its secret could not be written: %w", err))
	}
	w.confirmSecret(key)
	return row, nil
}

// A secretWatch passes output on, and finds out whether a secret is in it.
type secretWatch struct {
	out   io.Writer
	forms []string // the secret as it is, and as JSON has it
	last  string   // the end of what was written, where the secret may begin
	found bool
}

// watchFor puts a secretWatch in front of an output.
func watchFor(out *io.Writer, secret string) *secretWatch {
	w := &secretWatch{out: *out}
	if quoted, err := json.Marshal(secret); err == nil && secret != "" {
		w.forms = []string{secret, string(quoted[1 : len(quoted)-1])}
		*out = w
	}
	return w
}

// Write implements io.Writer.
func (w *secretWatch) Write(p []byte) (int, error) {
	all, longest := w.last+string(p), 0
	for _, form := range w.forms {
		w.found = w.found || strings.Contains(all, form)
		longest = max(longest, len(form))
	}
	w.last = all[max(0, len(all)-longest):]
	return w.out.Write(p)
}

// confirmSecret records that the secret of a new key has been seen; if it was not printed, the error says so.
func (w *secretWatch) confirmSecret(change *approvedChange, key *createdKey) error {
	if !w.found {
		return secretLostError(key, errors.New("its secret was not printed"))
	}
	change.confirmSecret(key.AccessKey)
	return nil
}

// secretLostError returns the error of a key that was created, but whose secret is lost.
func secretLostError(k *createdKey, why error) error {
	return exit.WithCode(
		exit.CodeUnknown,
		fmt.Errorf(
			"key %s (%d) was created, but nobody can use it: %w; revoke it with lookout keys revoke %[2]d", k.Label,
			k.ID, why,
		),
	)
}

// newKeyRequest returns the request for a key with the grants that the flags name. Only --unlimited gives a key access
// to everything, which the API does where no buckets are named.
func newKeyRequest(label string, grants []string, none, all bool) (client.AccessKeyRequest, error) {
	in := client.AccessKeyRequest{Label: label}
	if err := checkArg("LABEL", label, storage.KeyLabelField(&label)); err != nil {
		return in, err
	}
	switch {
	case none && all, (none || all) && len(grants) > 0:
		return in, exit.Usage(errors.New("choose one of --bucket, --nothing and --unlimited"))
	case !none && !all && len(grants) == 0:
		return in, exit.Usage(errors.New(
			"say what the key can access: --bucket CLUSTER/BUCKET:read_only or :read_write, or --unlimited",
		))
	}
	if none {
		in.Buckets = []client.BucketGrantRequest{}
	}
	for _, g := range grants {
		name, permissions, _ := strings.Cut(g, ":")
		cluster, bucket, err := parseBucket(name)
		if err != nil {
			return in, err
		}
		if permissions != "read_only" && permissions != "read_write" {
			return in, exit.Usage(
				fmt.Errorf("--bucket %q: it must end in :read_only or :read_write", client.Clean(g)),
			)
		}
		in.Buckets = append(
			in.Buckets,
			client.BucketGrantRequest{Cluster: cluster, Bucket: bucket, Permissions: permissions},
		)
	}
	return in, nil
}

// reserveSecretFile creates the file for a secret before the key is created, so that no secret is lost because the file
// cannot be created.
func reserveSecretFile(path string) (func(client.Secret) error, error) {
	if path == "" {
		return func(client.Secret) error { return nil }, nil
	}
	file, err := config.CreatePrivateFile(path)
	if err != nil {
		return nil, fmt.Errorf("secret file: %w", err)
	}
	return func(s client.Secret) error {
		if s.IsZero() {
			return errors.Join(file.Close(), os.Remove(path))
		}
		_, err := file.WriteString(s.Reveal() + "\n")
		return errors.Join(err, file.Sync(), file.Close())
	}, nil
}

// rcloneCommand returns the command that lets rclone store what is too large for the API. It stands among those of
// objects.
func rcloneCommand() subcommand {
	return subcommand{
		name:            "rclone",
		op:              client.OpCreateKey,
		verb:            "Creates",
		args:            "CLUSTER/BUCKET",
		names:           []cobra.CompletionFunc{namesOf("buckets")},
		noTarget:        true,
		printsOwnResult: true,
		description: "Set up rclone, which can store files larger than 5 GiB: create a key limited to the bucket, " +
			"write it to an rclone configuration file, and print the command that uploads a file",
		bindFlags: setUpRclone,
	}
}

// setUpRclone plans to create the key for rclone.
func setUpRclone(set *pflag.FlagSet) planFunc {
	path := set.String(
		"profile", "",
		"rclone configuration file to create (mode 0600), with the secret (default: lookout-BUCKET.rclone.conf)",
	)
	return func(ctx context.Context, s *scriptSession, _ any, args []string) (c change, err error) {
		cluster, label, err := parseBucket(args[0])
		if err != nil {
			return c, err
		}
		bucket, err := s.api.Buckets.Get(ctx, cluster, label)
		if err != nil {
			return c, err
		}
		remote, err := storage.NewRcloneRemote(
			bucket, s.listClusters(ctx), cmp.Or(*path, storage.RcloneProfileName(bucket)),
		)
		if err != nil {
			return c, err
		}
		c.Change, c.effect = client.Change{Resource: "key", Label: remote.Label()}, remote.Effect()
		c.send = func(ctx context.Context, w *approvedChange) (any, error) {
			k, err := remote.Create(ctx, w.Writer)
			if err != nil && k != nil {
				err = exit.WithCode(exit.CodeUnknown, err)
			}
			if err != nil {
				return nil, err
			}
			s.reportf(
				"key %s (%d) reaches only %s, and its secret is in %s; it never expires: revoke it with lookout keys "+
					"revoke %[2]d",
				k.Label,
				k.ID,
				client.Clean(bucket.ID()),
				client.Clean(remote.Path),
			)
			return k, output.WriteText(s.out, remote.Command("FILE", "NAME")+"\n")
		}
		return c, nil
	}
}

// hintRclone says what can store files that are too large for the API.
func hintRclone(s *scriptSession, cluster, bucket string) {
	s.reportf("rclone can store files larger than 5 GiB: lookout objects rclone %s",
		client.Clean(client.BucketID(cluster, bucket)))
}
