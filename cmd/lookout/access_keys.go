package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"lookout/client"
)

// A keyRow is a key as a script gets it; its secret is there once, at its making.
type keyRow struct {
	ID        int                  `json:"id"`
	Label     client.Text          `json:"label"`
	AccessKey client.Text          `json:"access_key"`
	SecretKey string               `json:"secret_key,omitempty"`
	Limited   bool                 `json:"limited"`
	Buckets   []client.BucketGrant `json:"bucket_access"`
}

// keyed is a key without its secret.
func keyed(k *client.Key, err error) (*keyRow, error) {
	if err != nil {
		return nil, err
	}
	return &keyRow{ID: k.ID, Label: k.Label, AccessKey: k.AccessKey, Limited: k.Limited, Buckets: k.Buckets}, nil
}

func (k *keyRow) grants() string {
	if !k.Limited {
		return "everything"
	}
	var words []string
	for _, g := range k.Buckets {
		words = append(words, g.Cluster.Raw()+"/"+g.Bucket.Raw()+":"+g.Permissions.Raw())
	}
	return orElse(strings.Join(words, ","), "nothing")
}

func keysNoun() noun {
	return resource[*keyRow]{
		name: "keys", one: "key", named: "ID", about: "Access keys for S3 programs",
		examples: "lookout keys create backup-reader --bucket us-east-1/acme-backups:read_only --secret-file reader.secret\nlookout keys revoke finance --yes --reason \"left the company\"",
		ident:    func(k *keyRow) (string, string) { return strconv.Itoa(k.ID), k.Label.String() },
		columns: []column[*keyRow]{
			{name: "id", cell: func(k *keyRow) string { return strconv.Itoa(k.ID) }},
			{name: "label", cell: func(k *keyRow) string { return k.Label.Raw() }},
			{name: "access_key", cell: func(k *keyRow) string { return k.AccessKey.Raw() }},
			{name: "limited", cell: func(k *keyRow) string { return strconv.FormatBool(k.Limited) }},
			{name: "bucket_access", drop: 1, cell: (*keyRow).grants},
			{name: "secret_key", detail: true, cell: func(k *keyRow) string { return k.SecretKey }},
		},
		list: func(ctx context.Context, s *session, _ listing) iter.Seq2[*keyRow, error] {
			return func(yield func(*keyRow, error) bool) {
				for k, err := range s.api.Keys.All(ctx) {
					if !yield(keyed(k, err)) {
						return
					}
				}
			}
		},
		get: byNumber(func(ctx context.Context, s *session, id int) (*keyRow, error) { return keyed(s.api.Keys.Get(ctx, id)) }),
		verbs: []verb[*keyRow]{
			{name: "create", args: "LABEL", makes: true, about: "Make a key. Its secret is shown this once", with: createKey,
				lost: func(k *keyRow) string {
					if k.SecretKey == "" {
						return ""
					}
					return fmt.Sprintf("its secret is lost: end it by lookout keys revoke %d, and make another", k.ID)
				}},
			{name: "rename", args: "LABEL", about: "Give it another label", with: as(func(ctx context.Context, s *session, it *keyRow, args []string) (*keyRow, error) {
				return keyed(s.api.Keys.Update(ctx, it.ID, args[0]))
			})},
			{name: "revoke", about: "End a key: whoever uses it is locked out", gone: "is revoked",
				loses: func(it *keyRow, _ []string) string {
					return fmt.Sprintf("Revokes key %s (%d, %s)", it.Label, it.ID, it.AccessKey)
				},
				with: as(func(ctx context.Context, s *session, it *keyRow, _ []string) (*keyRow, error) {
					return it, s.api.Keys.Revoke(ctx, it.ID)
				})},
		},
	}
}

func createKey(set *pflag.FlagSet) work[*keyRow] {
	grants := set.StringArray("bucket", nil, "limit it to CLUSTER/BUCKET:read_only or :read_write; may be given several times")
	none := set.Bool("nothing", false, "limit it to nothing")
	path := set.String("secret-file", "", "write the secret to this new file (mode 0600) instead of showing it")
	return func(ctx context.Context, s *session, it *keyRow, args []string) (*keyRow, error) {
		in, err := keyRequest(args[0], *grants, *none)
		if err != nil {
			return it, err
		}
		keep, err := keeper(*path)
		if err != nil {
			return it, err
		}
		key, err := s.api.Keys.Create(about(ctx, "key", "", args[0], ""), in)
		row, err := keyed(key, err)
		if err != nil {
			_ = keep(client.Secret{})
			return nil, err
		}
		secret, shown := key.Secret()
		if !shown {
			_ = keep(client.Secret{})
		}
		switch {
		case !shown:
			return row, useless(row, errors.New("the answer holds no secret"))
		case *path == "":
			row.SecretKey = secret.Reveal()
			return row, nil
		}
		if err := keep(secret); err != nil {
			return row, useless(row, fmt.Errorf("its secret could not be written: %w", err))
		}
		return row, nil
	}
}

// useless is a key that was made although nobody will ever have its secret.
func useless(k *keyRow, why error) error {
	return &exit{exitUnknown, fmt.Errorf("key %s (%d) was made, but it is of no use: %w; end it by lookout keys revoke %[2]d", k.Label, k.ID, why)}
}

// keyRequest reads what a key may reach.
func keyRequest(label string, grants []string, none bool) (client.KeyRequest, error) {
	in := client.KeyRequest{Label: label}
	if none && len(grants) > 0 {
		return in, usage(errors.New("choose one of --nothing and --bucket"))
	}
	if none {
		in.Buckets = []client.GrantRequest{}
	}
	for _, g := range grants {
		name, permissions, _ := strings.Cut(g, ":")
		cluster, bucket, err := inBucket(name)
		if err != nil {
			return in, err
		}
		if permissions != "read_only" && permissions != "read_write" {
			return in, usage(fmt.Errorf("--bucket %q: it must end with :read_only or :read_write", client.Clean(g)))
		}
		in.Buckets = append(in.Buckets, client.GrantRequest{Cluster: cluster, Bucket: bucket, Permissions: permissions})
	}
	return in, nil
}

// keeper makes the file of a secret before there is one, so that no secret is lost to a file that cannot be made.
func keeper(path string) (func(client.Secret) error, error) {
	if path == "" {
		return func(client.Secret) error { return nil }, nil
	}
	file, err := newFile(path)
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
