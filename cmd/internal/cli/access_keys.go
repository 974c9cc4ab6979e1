package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/views/resource"
	"lookout/views/storage"
)

// An accessKeyRow is the row of a key. It has the secret only when the key has just been created.
type accessKeyRow struct {
	ID        int                   `json:"id"`
	Label     client.Text           `json:"label"`
	AccessKey client.Text           `json:"access_key"`
	SecretKey string                `json:"secret_key,omitempty"`
	Limited   client.Optional[bool] `json:"limited"`
	Buckets   []client.BucketGrant  `json:"bucket_access"`
	Regions   []client.KeyRegion    `json:"regions"`
}

// newAccessKeyRow returns the row of a key without its secret.
func newAccessKeyRow(k *client.Key, err error) (*accessKeyRow, error) {
	if err != nil {
		return nil, err
	}
	return &accessKeyRow{
		ID:        k.ID,
		Label:     k.Label,
		AccessKey: k.AccessKey,
		Limited:   k.Limited,
		Buckets:   k.Buckets,
		Regions:   k.Regions,
	}, nil
}

func (k *accessKeyRow) grantsText() string {
	limited, known := (&client.Key{Limited: k.Limited, Buckets: k.Buckets}).IsLimited()
	switch {
	case !known || limited && k.Buckets == nil:
		return ""
	case !limited:
		return "everything"
	}
	var words []string
	for _, g := range k.Buckets {
		words = append(words, g.BucketID()+":"+g.Permissions.Raw())
	}
	return cmp.Or(strings.Join(words, ","), "nothing")
}

// regionsText lists the regions in which the key works.
func (k *accessKeyRow) regionsText() string {
	ids := make([]string, len(k.Regions))
	for i, r := range k.Regions {
		ids[i] = r.ID.Raw()
	}
	return strings.Join(ids, ",")
}

func accessKeysResource() resourceCommand {
	return scriptResource[*accessKeyRow]{
		name:        "keys",
		singular:    "key",
		idArg:       "ID",
		description: "Access keys for S3 programs",
		examples: "lookout keys create backup-reader --bucket us-east-1/acme-backups:read_only --secret-file " +
			"reader.secret\nlookout keys revoke finance --yes --reason \"left the company\"",
		identify: func(k *accessKeyRow) (string, string) { return strconv.Itoa(k.ID), k.Label.String() },
		columns: []resource.ColumnDefinition[*accessKeyRow]{
			{Name: "id", Value: func(k *accessKeyRow) string { return strconv.Itoa(k.ID) }},
			{Name: "label", Value: func(k *accessKeyRow) string { return k.Label.Raw() }},
			{Name: "access_key", Value: func(k *accessKeyRow) string { return k.AccessKey.Raw() }},
			{Name: "limited", Value: func(k *accessKeyRow) string { return formatOptional(k.Limited) }},
			{Name: "bucket_access", DropPriority: 1, Value: (*accessKeyRow).grantsText},
			{Name: "secret_key", DetailOnly: true, Value: func(k *accessKeyRow) string { return k.SecretKey }},
			{Name: "regions", DetailOnly: true, Value: (*accessKeyRow).regionsText},
		},
		list: func(ctx context.Context, s *scriptSession, _ listOptions) iter.Seq2[*accessKeyRow, error] {
			return func(yield func(*accessKeyRow, error) bool) {
				for k, err := range s.api.Keys.All(ctx) {
					if !yield(newAccessKeyRow(k, err)) {
						return
					}
				}
			}
		},
		get: getByID(func(ctx context.Context, s *scriptSession, id int) (*accessKeyRow, error) {
			return newAccessKeyRow(s.api.Keys.Get(ctx, id))
		}),
		subcommands: accessKeySubcommands(),
	}
}

// accessKeySubcommands returns the commands that change access keys.
func accessKeySubcommands() []subcommand[*accessKeyRow] {
	return []subcommand[*accessKeyRow]{
		{
			name:        "create",
			op:          client.OpCreateKey,
			verb:        "Creates",
			args:        "LABEL",
			noTarget:    true,
			description: "Create a key. Its secret is shown only once",
			bindFlags:   createAccessKey,
			recoveryHint: func(k *accessKeyRow) string {
				if k.SecretKey == "" {
					return ""
				}
				return fmt.Sprintf("its secret is lost: revoke it with lookout keys revoke %d, and make another", k.ID)
			},
		},
		{
			name:        "rename",
			op:          client.OpUpdateKey,
			verb:        "Renames",
			args:        "LABEL",
			description: "Change its label",
			bindFlags:   withoutFlags(renameAccessKey),
		},
		{
			name:        "revoke",
			op:          client.OpRevokeKey,
			verb:        "Revokes",
			asks:        asksAlways,
			description: "Revoke a key: programs that use it lose access",
			doneMessage: "is revoked",
			bindFlags:   planForRow(revokeAccessKey),
		},
	}
}

// labelBefore returns the label that a row has before a change, for the journal.
func labelBefore(label client.Text) any { return map[string]any{"label": label.Raw()} }

func renameAccessKey(
	_ context.Context, _ *scriptSession, k *accessKeyRow, args []string,
) (change[*accessKeyRow], error) {
	return change[*accessKeyRow]{
		Change: client.Change{Before: labelBefore(k.Label)},
		detail: "label " + args[0],
		send: func(ctx context.Context, w *approvedChange) (*accessKeyRow, error) {
			return newAccessKeyRow(w.UpdateKey(ctx, k.ID, args[0]))
		},
	}, checkArg("LABEL", args[0], storage.KeyLabelField(&args[0]))
}

func revokeAccessKey(k *accessKeyRow) change[*accessKeyRow] {
	before := map[string]any{"label": k.Label, "access_key": k.AccessKey, "bucket_access": k.Buckets}
	return change[*accessKeyRow]{
		Change: client.Change{Before: before},
		detail: "access key " + k.AccessKey.String(),
		send: func(ctx context.Context, w *approvedChange) (*accessKeyRow, error) {
			return k, w.RevokeKey(ctx, k.ID)
		},
	}
}

func createAccessKey(set *pflag.FlagSet) planFunc[*accessKeyRow] {
	grants := set.StringArray(
		"bucket", nil, "limit it to CLUSTER/BUCKET:read_only or :read_write; may be given several times",
	)
	none := set.Bool("nothing", false, "give the key access to nothing")
	path := set.String("secret-file", "", "write the secret to this new file (mode 0600) instead of showing it")
	return func(ctx context.Context, s *scriptSession, _ *accessKeyRow, args []string) (change[*accessKeyRow], error) {
		in, err := newKeyRequest(args[0], *grants, *none)
		if len(in.Buckets) > 0 {
			clusters := s.listClusters(ctx)
			for i, g := range in.Buckets {
				in.Buckets[i].Cluster, in.Buckets[i].Region = client.SplitLocation(g.Cluster, clusters)
			}
		}
		return change[*accessKeyRow]{
			Change: client.Change{Label: in.Label},
			send: func(ctx context.Context, w *approvedChange) (*accessKeyRow, error) {
				return sendAccessKey(ctx, w, in, *path)
			},
		}, err
	}
}

// sendAccessKey creates a key and writes its secret to a file, or returns it with the key if there is no file.
func sendAccessKey(ctx context.Context, w *approvedChange, in client.KeyRequest, path string) (*accessKeyRow, error) {
	keep, err := reserveSecretFile(path)
	if err != nil {
		return nil, err
	}
	key, err := w.CreateKey(ctx, in)
	row, err := newAccessKeyRow(key, err)
	if err != nil {
		_ = keep(client.Secret{})
		return nil, err
	}
	secret, shown := key.Secret()
	switch {
	case !shown:
		_ = keep(client.Secret{})
		return row, secretLostError(row, errors.New("the answer holds no secret"))
	case path == "":
		row.SecretKey = secret.Reveal()
		return row, nil
	}
	if err := keep(secret); err != nil {
		return row, secretLostError(row, fmt.Errorf("its secret could not be written: %w", err))
	}
	return row, nil
}

// secretLostError returns the error of a key that was created, but whose secret is lost.
func secretLostError(k *accessKeyRow, why error) error {
	return exit.WithCode(
		exit.CodeUnknown,
		fmt.Errorf(
			"key %s (%d) was created, but nobody can use it: %w; revoke it with lookout keys revoke %[2]d", k.Label,
			k.ID, why,
		),
	)
}

// newKeyRequest returns the request for a key with the grants that the flags name.
func newKeyRequest(label string, grants []string, none bool) (client.KeyRequest, error) {
	in := client.KeyRequest{Label: label}
	if err := checkArg("LABEL", label, storage.KeyLabelField(&label)); err != nil {
		return in, err
	}
	if none && len(grants) > 0 {
		return in, exit.Usage(errors.New("choose one of --nothing and --bucket"))
	}
	if none {
		in.Buckets = []client.GrantRequest{}
	}
	for _, g := range grants {
		name, permissions, _ := strings.Cut(g, ":")
		cluster, bucket, err := parseBucket(name)
		if err != nil {
			return in, err
		}
		if permissions != "read_only" && permissions != "read_write" {
			return in, exit.Usage(
				fmt.Errorf("--bucket %q: it must end with :read_only or :read_write", client.Clean(g)),
			)
		}
		in.Buckets = append(in.Buckets, client.GrantRequest{Cluster: cluster, Bucket: bucket, Permissions: permissions})
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
