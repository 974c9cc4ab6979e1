package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lookout/client"
)

// inBucket splits CLUSTER/BUCKET.
func inBucket(text string) (cluster, bucket string, err error) {
	cluster, bucket, ok := strings.Cut(text, "/")
	if !ok || cluster == "" || bucket == "" || strings.Contains(bucket, "/") {
		return "", "", usage(fmt.Errorf("%q is no bucket: CLUSTER/BUCKET is needed, as us-east-1/photos", client.Clean(text)))
	}
	return cluster, bucket, nil
}

func bucketsNoun() noun {
	type row = client.Bucket
	ident := func(b row) (string, string) {
		return b.Cluster.String() + "/" + b.Label.String(), b.Label.String()
	}
	return resource[row]{
		name: "buckets", one: "bucket", named: "CLUSTER/BUCKET", about: "Buckets of Object Storage",
		examples: "lookout buckets list\nlookout buckets create us-east-1/acme-scratch --acl private\nlookout buckets access us-east-1/acme-www --acl public-read --cors=false\nlookout buckets delete us-east-1/acme-scratch --yes",
		ident:    ident,
		columns: []column[row]{
			{name: "cluster", cell: func(b row) string { return b.Cluster.String() }},
			{name: "label", cell: func(b row) string { return b.Label.String() }},
			{name: "objects", cell: func(b row) string { return strconv.FormatInt(b.Objects, 10) }},
			{name: "size", cell: func(b row) string { return strconv.FormatInt(b.Size, 10) }},
			{name: "created", cell: func(b row) string { return when(b.Created) }},
			{name: "hostname", cell: func(b row) string { return b.Hostname.String() }},
			{name: "region", detail: true, cell: func(b row) string { return b.Region.String() }},
		},
		list: func(ctx context.Context, s *session, _ listing) iter.Seq2[row, error] { return s.api.Buckets.All(ctx) },
		get: func(ctx context.Context, s *session, id string) (row, error) {
			cluster, bucket, err := inBucket(id)
			if err != nil {
				return row{}, err
			}
			return s.api.Buckets.View(ctx, cluster, bucket)
		},
		verbs: []verb[row]{
			{name: "create", args: "CLUSTER/BUCKET", makes: true, about: "Make a bucket", with: createBucket},
			{name: "access", about: "Change who may list and read it, and whether pages of other sites may", gone: "has its new access", with: bucketAccess},
			{name: "delete", about: "Remove a bucket, which must be empty", gone: "is deleted",
				loses: func(it row, _ []string) string { return fmt.Sprintf("Deletes bucket %s/%s", it.Cluster, it.Label) },
				with: as(func(ctx context.Context, s *session, it row, _ []string) (row, error) {
					return it, s.api.Buckets.Delete(ctx, it.Cluster.Raw(), it.Label.Raw())
				})},
		},
	}
}

func createBucket(set *pflag.FlagSet) work[client.Bucket] {
	acl := set.String("acl", string(client.Private), acls)
	cors := set.Bool("cors", false, "allow all origins")
	return func(ctx context.Context, s *session, it client.Bucket, args []string) (client.Bucket, error) {
		cluster, bucket, err := inBucket(args[0])
		if err != nil {
			return it, err
		}
		in := client.BucketRequest{Cluster: cluster, Label: bucket, CORS: *cors}
		if in.ACL, err = aclOf(*acl); err != nil {
			return it, err
		}
		return s.api.Buckets.Create(about(ctx, "bucket", args[0], bucket, ""), in)
	}
}

// acls are the canned ACLs in words, for flags.
const acls = "private, public-read, authenticated-read or public-read-write"

func aclOf(text string) (client.ACL, error) {
	for _, acl := range []client.ACL{client.Private, client.PublicRead, client.AuthenticatedRead, client.PublicReadWrite} {
		if text == string(acl) {
			return acl, nil
		}
	}
	return "", usage(fmt.Errorf("%q is no ACL: choose %s", client.Clean(text), acls))
}

// bucketAccess changes what the flags name. Nothing tells afterwards what holds.
func bucketAccess(set *pflag.FlagSet) work[client.Bucket] {
	acl := set.String("acl", "", acls)
	cors := set.Bool("cors", false, "allow all origins; --cors=false forbids them")
	return func(ctx context.Context, s *session, it client.Bucket, _ []string) (client.Bucket, error) {
		var in client.Access
		if set.Changed("cors") {
			in.CORS = cors
		}
		switch {
		case *acl != "":
			var err error
			if in.ACL, err = aclOf(*acl); err != nil {
				return it, err
			}
		case in.CORS == nil:
			return it, usage(errors.New("--acl or --cors is needed"))
		}
		return it, s.api.Buckets.Access(ctx, it.Cluster.Raw(), it.Label.Raw(), in)
	}
}

func objectsNoun() noun {
	type row = client.Object
	size := func(o row) string {
		if o.Prefix() {
			return ""
		}
		return strconv.FormatInt(o.Size, 10)
	}
	return resource[row]{
		name: "objects", one: "object", named: "CLUSTER/BUCKET", about: "Objects of a bucket: list, fetch, store, remove, make links",
		examples: "lookout objects list us-east-1/acme-backups db/\nlookout objects put us-east-1/acme-backups new.txt password\nlookout objects get us-east-1/acme-backups new.txt -\nlookout objects acl us-east-1/acme-backups new.txt\nlookout objects link us-east-1/acme-backups new.txt --for 1h\nlookout objects rm us-east-1/acme-backups new.txt --yes",
		columns: []column[row]{
			{name: "last_modified", cell: func(o row) string { return when(o.Modified) }},
			{name: "size", cell: size},
			{name: "name", cell: func(o row) string { return o.Name.String() }},
			{name: "etag", detail: true, cell: func(o row) string { return o.ETag.String() }},
			{name: "owner", detail: true, cell: func(o row) string { return o.Owner.String() }},
		},
		listArgs: "CLUSTER/BUCKET [PREFIX]",
		listFlags: func(set *pflag.FlagSet, q *listing) {
			set.BoolVarP(&q.recursive, "recursive", "r", false, "also what is in folders")
		},
		list: listObjects,
		also: []noun{linksNoun(), aclsNoun(), filesNoun()},
	}
}

// listObjects walks a bucket by its markers.
func listObjects(ctx context.Context, s *session, q listing) iter.Seq2[client.Object, error] {
	return func(yield func(client.Object, error) bool) {
		cluster, bucket, err := inBucket(q.args[0])
		if err != nil {
			yield(client.Object{}, err)
			return
		}
		ask := client.ObjectQuery{Cluster: cluster, Bucket: bucket, Delimiter: "/"}
		if q.recursive {
			ask.Delimiter = ""
		}
		if len(q.args) > 1 {
			ask.Prefix = q.args[1]
		}
		for {
			page, err := s.api.Objects.List(ctx, ask)
			if err != nil {
				yield(client.Object{}, err)
				return
			}
			for _, o := range page.Data {
				if !yield(o, nil) {
					return
				}
			}
			if page.Cut != "" {
				yield(client.Object{}, fmt.Errorf("list objects: the listing is %s: what came before is not all", page.Cut))
				return
			}
			if page.Next == "" {
				return
			}
			ask.Marker = page.Next
		}
	}
}

// A link is a pre-signed URL as a script gets it.
type link struct {
	URL     string    `json:"url"`
	Method  string    `json:"method"`
	Name    string    `json:"name"`
	Type    string    `json:"content_type,omitempty"` // must be sent with the request
	Expires time.Time `json:"expires"`
}

func linksNoun() noun {
	return resource[link]{
		one: "link",
		columns: []column[link]{
			{name: "url", cell: func(l link) string { return client.Clean(l.URL) }},
			{name: "method", cell: func(l link) string { return l.Method }},
			{name: "name", cell: func(l link) string { return client.Clean(l.Name) }},
			{name: "content_type", cell: func(l link) string { return client.Clean(l.Type) }},
			{name: "expires", cell: func(l link) string { return l.Expires.Format(time.RFC3339) }},
		},
		verbs: []verb[link]{{name: "link", args: "CLUSTER/BUCKET NAME", makes: true, with: makeLink,
			about: "Make a link to one object; whoever has it may do that one thing until it ends"}},
	}
}

func makeLink(set *pflag.FlagSet) work[link] {
	life := set.Duration("for", time.Hour, "how long it works: 6m to 24h")
	method := set.String("method", http.MethodGet, "GET, PUT or DELETE")
	kind := set.String("content-type", "", "must then be sent with the request (default for PUT: application/octet-stream)")
	return func(ctx context.Context, s *session, _ link, args []string) (link, error) {
		cluster, bucket, err := inBucket(args[0])
		l := link{Method: strings.ToUpper(*method), Name: args[1], Type: *kind, Expires: s.now().Add(*life).UTC().Truncate(time.Second)}
		switch {
		case err != nil:
			return l, err
		case *life < 6*time.Minute || *life > 24*time.Hour:
			return l, usage(fmt.Errorf("--for %s: a link works for 6m to 24h", *life))
		case !slices.Contains([]string{http.MethodGet, http.MethodPut, http.MethodDelete}, l.Method):
			return l, usage(fmt.Errorf("--method %q: choose GET, PUT or DELETE", client.Clean(*method)))
		case s.settings.ReadOnly && l.Method != http.MethodGet:
			return l, denied(fmt.Errorf("a link for %s could change something: %w", l.Method, client.ErrReadOnly))
		}
		if l.Method == http.MethodPut {
			l.Type = orElse(l.Type, "application/octet-stream") // the service wants one
		}
		signed, err := s.api.Objects.URL(ctx, cluster, bucket, client.URLRequest{Name: l.Name, Method: l.Method, Expires: int(life.Seconds()), ContentType: l.Type})
		l.URL = signed.URL.Reveal()
		return l, err
	}
}

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
func keyed(k client.Key, err error) (keyRow, error) {
	return keyRow{ID: k.ID, Label: k.Label, AccessKey: k.AccessKey, Limited: k.Limited, Buckets: k.Buckets}, err
}

func (k keyRow) grants() string {
	if !k.Limited {
		return "everything"
	}
	var words []string
	for _, g := range k.Buckets {
		words = append(words, fmt.Sprintf("%s/%s:%s", g.Cluster, g.Bucket, g.Permissions))
	}
	return orElse(strings.Join(words, ","), "nothing")
}

func keysNoun() noun {
	return resource[keyRow]{
		name: "keys", one: "key", named: "ID", about: "Access keys for S3 programs",
		examples: "lookout keys create backup-reader --bucket us-east-1/acme-backups:read_only --secret-file reader.secret\nlookout keys revoke finance --yes --reason \"left the company\"",
		ident:    func(k keyRow) (string, string) { return strconv.Itoa(k.ID), k.Label.String() },
		columns: []column[keyRow]{
			{name: "id", cell: func(k keyRow) string { return strconv.Itoa(k.ID) }},
			{name: "label", cell: func(k keyRow) string { return k.Label.String() }},
			{name: "access_key", cell: func(k keyRow) string { return k.AccessKey.String() }},
			{name: "limited", cell: func(k keyRow) string { return strconv.FormatBool(k.Limited) }},
			{name: "bucket_access", cell: keyRow.grants},
			{name: "secret_key", detail: true, cell: func(k keyRow) string { return client.Clean(k.SecretKey) }},
		},
		list: func(ctx context.Context, s *session, _ listing) iter.Seq2[keyRow, error] {
			return func(yield func(keyRow, error) bool) {
				for k, err := range s.api.Keys.All(ctx) {
					if !yield(keyed(k, err)) {
						return
					}
				}
			}
		},
		get: byNumber(func(ctx context.Context, s *session, id int) (keyRow, error) { return keyed(s.api.Keys.View(ctx, id)) }),
		verbs: []verb[keyRow]{
			{name: "create", args: "LABEL", makes: true, about: "Make a key. Its secret is shown this once", with: createKey},
			{name: "rename", args: "LABEL", about: "Give it another label", with: as(func(ctx context.Context, s *session, it keyRow, args []string) (keyRow, error) {
				return keyed(s.api.Keys.Update(ctx, it.ID, args[0]))
			})},
			{name: "revoke", about: "End a key: whoever uses it is locked out", gone: "is revoked",
				loses: func(it keyRow, _ []string) string {
					return fmt.Sprintf("Revokes key %s (%d, %s)", it.Label, it.ID, it.AccessKey)
				},
				with: as(func(ctx context.Context, s *session, it keyRow, _ []string) (keyRow, error) {
					return it, s.api.Keys.Revoke(ctx, it.ID)
				})},
		},
	}
}

func createKey(set *pflag.FlagSet) work[keyRow] {
	grants := set.StringArray("bucket", nil, "limit it to CLUSTER/BUCKET:read_only or :read_write; may be given several times")
	none := set.Bool("nothing", false, "limit it to nothing")
	path := set.String("secret-file", "", "write the secret to this new file (mode 0600) instead of showing it")
	return func(ctx context.Context, s *session, it keyRow, args []string) (keyRow, error) {
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
		secret, shown := key.Secret()
		if err != nil || !shown {
			keep(client.Secret{})
			return row, err
		}
		if *path == "" {
			row.SecretKey = secret.Reveal()
			return row, nil
		}
		return row, keep(secret)
	}
}

// keyRequest reads what a key may reach.
func keyRequest(label string, grants []string, none bool) (client.KeyRequest, error) {
	in := client.KeyRequest{Label: label}
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
		defer file.Close()
		if s.IsZero() {
			return os.Remove(path)
		}
		if _, err := file.WriteString(s.Reveal() + "\n"); err != nil {
			return fmt.Errorf("the key was made, but its secret could not be written: revoke it and make another: %w", err)
		}
		return file.Sync()
	}, nil
}

func clustersNoun() noun {
	type row = client.Cluster
	return resource[row]{
		name: "clusters", one: "cluster", named: "ID", about: "Places where buckets are",
		examples: "lookout clusters list\nlookout clusters get us-east-1",
		columns: []column[row]{
			{name: "id", cell: func(c row) string { return c.ID.String() }},
			{name: "region", cell: func(c row) string { return c.Region.String() }},
			{name: "status", cell: func(c row) string { return c.Status.String() }},
			{name: "domain", cell: func(c row) string { return c.Domain.String() }},
			{name: "static_site_domain", cell: func(c row) string { return c.StaticSiteDomain.String() }},
		},
		list: func(ctx context.Context, s *session, _ listing) iter.Seq2[row, error] { return s.api.Clusters.All(ctx) },
		get:  func(ctx context.Context, s *session, id string) (row, error) { return s.api.Clusters.View(ctx, id) },
	}
}

func transferNoun() noun {
	return resource[client.TransferUsage]{
		name: "transfer", one: "transfer", about: "Outbound traffic of Object Storage this month, in bytes",
		examples: "lookout transfer -o json",
		columns:  []column[client.TransferUsage]{{name: "used", cell: func(t client.TransferUsage) string { return strconv.FormatInt(t.Used, 10) }}},
		get: func(ctx context.Context, s *session, _ string) (client.TransferUsage, error) {
			return s.api.Transfer.View(ctx)
		},
	}
}
