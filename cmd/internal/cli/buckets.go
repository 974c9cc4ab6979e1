package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/cmd/internal/exit"
	"lookout/ui/form"
	"lookout/views/account"
	"lookout/views/resource"
	"lookout/views/storage"
)

// parseBucket splits CLUSTER/BUCKET.
func parseBucket(text string) (cluster, bucket string, err error) {
	cluster, bucket, ok := strings.Cut(text, "/")
	if !ok || cluster == "" || bucket == "" || strings.Contains(bucket, "/") {
		return "", "", exit.Usage(
			fmt.Errorf("%q does not name a bucket: use CLUSTER/BUCKET, as us-east-1/photos", client.Clean(text)),
		)
	}
	return cluster, bucket, nil
}

// listClusters returns the clusters, as far as they can be read: they tell regions and clusters apart.
func (s *scriptSession) listClusters(ctx context.Context) []*client.Cluster {
	clusters, _ := account.Collect(s.api.Clusters.All(ctx)) // what cannot be told apart is sent as a cluster
	return clusters
}

// formatOptional returns a value as a cell; an unknown one is empty.
func formatOptional[T any](v client.Optional[T]) string {
	if v, known := v.Value(); known {
		return fmt.Sprint(v)
	}
	return ""
}

func bucketsResource() resourceCommand {
	type row = *client.Bucket
	ident := func(b row) (string, string) {
		return client.Clean(b.ID()), b.Label.String()
	}
	return scriptResource[row]{
		name:        "buckets",
		singular:    "bucket",
		idArg:       "CLUSTER/BUCKET",
		description: "Buckets of Object Storage",
		examples: "lookout buckets list\nlookout buckets list --cluster us-east-1\nlookout buckets create " +
			"us-east-1/acme-scratch --acl private\nlookout buckets access us-east-1/acme-www --acl public-read " +
			"--cors=false\nlookout buckets delete us-east-1/acme-scratch --yes",
		identify: ident,
		columns: []resource.ColumnDefinition[row]{
			{Name: "cluster", Value: func(b row) string { return b.Location().Raw() }},
			{Name: "label", Value: func(b row) string { return b.Label.Raw() }},
			{Name: "objects", Value: func(b row) string { return formatOptional(b.Objects) }},
			{Name: "size", Value: func(b row) string { return formatOptional(b.Size) }},
			{Name: "created", DropPriority: 2, Value: func(b row) string { return formatAPITime(b.Created) }},
			{Name: "hostname", DropPriority: 3, Value: func(b row) string { return b.Hostname.Raw() }},
			{Name: "region", DetailOnly: true, Value: func(b row) string { return b.Region.Raw() }},
			{Name: "endpoint_type", DetailOnly: true, Value: func(b row) string { return b.EndpointType.Raw() }},
			{Name: "s3_endpoint", DetailOnly: true, Value: func(b row) string { return b.S3Endpoint.Raw() }},
		},
		listFlags: func(set *pflag.FlagSet, q *listOptions) {
			set.StringVar(&q.cluster, "cluster", "", "only the buckets of this cluster, as us-east-1")
		},
		list: func(ctx context.Context, s *scriptSession, q listOptions) iter.Seq2[row, error] {
			if q.cluster != "" {
				return s.api.Buckets.AllInCluster(ctx, q.cluster)
			}
			return s.api.Buckets.All(ctx)
		},
		get: func(ctx context.Context, s *scriptSession, id string) (row, error) {
			cluster, bucket, err := parseBucket(id)
			if err != nil {
				return nil, err
			}
			return s.api.Buckets.Get(ctx, cluster, bucket)
		},
		subcommands: bucketSubcommands(),
	}
}

// bucketSubcommands returns the commands that change buckets.
func bucketSubcommands() []subcommand[*client.Bucket] {
	type row = *client.Bucket
	return []subcommand[row]{
		{
			name:        "create",
			op:          client.OpCreateBucket,
			verb:        "Creates",
			args:        "CLUSTER/BUCKET",
			noTarget:    true,
			description: "Create a bucket",
			bindFlags:   createBucket,
		},
		{
			name:        "access",
			op:          client.OpUpdateBucketAccess,
			verb:        "Changes the access to",
			description: "Change who may list and read it, and whether pages of other sites may read it",
			doneMessage: "has its new access",
			bindFlags:   changeBucketAccess,
		},
		{
			name:        "delete",
			op:          client.OpDeleteBucket,
			verb:        "Deletes",
			asks:        asksAlways,
			description: "Remove a bucket, which must be empty",
			doneMessage: "is deleted",
			bindFlags: planForRow(func(it row) change[row] {
				return change[row]{
					Change: client.Change{Before: map[string]any{"objects": it.Objects, "size": it.Size}},
					send: func(ctx context.Context, w *approvedChange) (row, error) {
						return it, w.DeleteBucket(ctx, it.Location().Raw(), it.Label.Raw())
					},
				}
			}),
		},
	}
}

func createBucket(set *pflag.FlagSet) planFunc[*client.Bucket] {
	type row = *client.Bucket
	acl := set.String("acl", string(client.ACLPrivate), aclChoices)
	setFlagChoices(set, "acl", aclNames()...)
	cors := set.Bool("cors", false, "allow all origins")
	return func(ctx context.Context, s *scriptSession, _ row, args []string) (c change[row], err error) {
		in := client.BucketRequest{CORS: *cors}
		if in.Cluster, in.Label, err = parseBucket(args[0]); err != nil {
			return c, err
		}
		if in.ACL, err = parseACL(*acl); err != nil {
			return c, err
		}
		for _, p := range form.Problems(storage.BucketFields(&in, nil)) {
			return c, exit.Usage(fmt.Errorf("%s: %s", client.Clean(args[0]), p.Text))
		}
		existing, err := s.api.Buckets.Get(ctx, in.Cluster, in.Label)
		switch {
		case err == nil:
			c.result = existing
			return c, reportExistingBucket(s, existing, set.Changed("acl") || set.Changed("cors"))
		case !errors.Is(err, client.ErrNotFound):
			return c, err
		}
		in.Cluster, in.Region = client.SplitLocation(in.Cluster, s.listClusters(ctx))
		return change[row]{
			Change: client.Change{ID: in.ID(), Label: in.Label},
			detail: "acl " + string(in.ACL),
			send:   func(ctx context.Context, w *approvedChange) (row, error) { return w.CreateBucket(ctx, in) },
		}, nil
	}
}

// reportExistingBucket reports that a bucket already exists: the API would return it as if it were new, and ignore the
// access that was asked for. It fails if flags asked for an access.
func reportExistingBucket(s *scriptSession, b *client.Bucket, other bool) error {
	name := client.Clean(b.ID())
	if other {
		return fmt.Errorf(
			"bucket %s already exists (created %s), and its access was not changed; use lookout buckets access %[1]s",
			name, formatAPITime(b.Created),
		)
	}
	s.reportf("bucket %s already exists (created %s); nothing was changed", name, formatAPITime(b.Created))
	return nil
}

// aclChoices are the canned ACLs in words, for flags.
const aclChoices = "private, public-read, authenticated-read or public-read-write"

// aclNames are the canned ACLs.
func aclNames() []string {
	return []string{
		string(client.ACLPrivate),
		string(client.ACLPublicRead),
		string(client.ACLAuthenticatedRead),
		string(client.ACLPublicReadWrite),
	}
}

func parseACL(text string) (client.ACL, error) {
	if slices.Contains(aclNames(), text) {
		return client.ACL(text), nil
	}
	return "", exit.Usage(fmt.Errorf("unknown ACL %q (use %s)", client.Clean(text), aclChoices))
}

// changeBucketAccess changes the members whose flags were given: both by PUT, one by POST. The API's answer is empty,
// so the access is read again and reported.
func changeBucketAccess(set *pflag.FlagSet) planFunc[*client.Bucket] {
	type row = *client.Bucket
	acl := set.String("acl", "", aclChoices)
	setFlagChoices(set, "acl", aclNames()...)
	cors := set.Bool("cors", false, "allow all origins; --cors=false forbids them")
	return func(_ context.Context, s *scriptSession, it row, _ []string) (c change[row], err error) {
		var in client.BucketAccess
		if *acl != "" {
			if in.ACL, err = parseACL(*acl); err != nil {
				return c, err
			}
			c.detail = "acl " + *acl
		}
		if set.Changed("cors") {
			in.CORS = cors
			c.detail = strings.TrimPrefix(fmt.Sprintf("%s, cors %t", c.detail, *cors), ", ")
		}
		cluster, label := it.Location().Raw(), it.Label.Raw()
		switch {
		case in.ACL == "" && in.CORS == nil:
			return c, exit.Usage(errors.New("give --acl or --cors"))
		case in.ACL != "" && in.CORS != nil:
			c.Op = client.OpReplaceBucketAccess
			c.send = func(ctx context.Context, w *approvedChange) (row, error) {
				if err := w.ReplaceBucketAccess(ctx, cluster, label, in); err != nil {
					return it, err
				}
				return it, s.reportBucketAccess(ctx, it, in)
			}
		default:
			c.send = func(ctx context.Context, w *approvedChange) (row, error) {
				if err := w.UpdateBucketAccess(ctx, cluster, label, in); err != nil {
					return it, err
				}
				return it, s.reportBucketAccess(ctx, it, in)
			}
		}
		return c, nil
	}
}

// reportBucketAccess reads a bucket's access after it was set and reports it. If the bucket has another one, the
// outcome of the change is not known.
func (s *scriptSession) reportBucketAccess(ctx context.Context, b *client.Bucket, set client.BucketAccess) error {
	name := b.Cluster.String() + "/" + b.Label.String()
	now, err := s.api.Buckets.Access(ctx, b.Cluster.Raw(), b.Label.Raw())
	switch {
	case err != nil:
		s.reportf("%s: the access was set, but could not be read again: %v", name, err)
	case now.Differs(set):
		return errReadBackDiffers(name, now.String())
	default:
		s.reportf("%s: the access is %s", name, now)
	}
	return nil
}

// errReadBackDiffers is the error of an access that was set, and read again as another one.
func errReadBackDiffers(name, now string) error {
	return exit.WithCode(
		exit.CodeUnknown,
		fmt.Errorf("%s: the API accepted the access, but reading it again shows %s; read it once more in a minute",
			name, now),
	)
}
