package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
)

// parseBucket splits CLUSTER/BUCKET.
func parseBucket(text string) (cluster, bucket string, err error) {
	cluster, bucket, ok := strings.Cut(text, "/")
	if !ok || cluster == "" || bucket == "" || strings.Contains(bucket, "/") {
		return "", "", exit.Usage(
			fmt.Errorf("%q is no bucket: CLUSTER/BUCKET is needed, as us-east-1/photos", client.Clean(text)),
		)
	}
	return cluster, bucket, nil
}

func bucketsResource() resourceCommand {
	type row = *client.Bucket
	ident := func(b row) (string, string) {
		return b.Cluster.String() + "/" + b.Label.String(), b.Label.String()
	}
	return resource[row]{
		name:        "buckets",
		singular:    "bucket",
		idArg:       "CLUSTER/BUCKET",
		description: "Buckets of Object Storage",
		examples: "lookout buckets list\nlookout buckets create us-east-1/acme-scratch --acl private\nlookout " +
			"buckets access us-east-1/acme-www --acl public-read --cors=false\nlookout buckets delete " +
			"us-east-1/acme-scratch --yes",
		identify: ident,
		columns: []output.ColumnDefinition[row]{
			{Name: "cluster", Cell: func(b row) string { return b.Cluster.Raw() }},
			{Name: "label", Cell: func(b row) string { return b.Label.Raw() }},
			{Name: "objects", Cell: func(b row) string { return strconv.FormatInt(b.Objects, 10) }},
			{Name: "size", Cell: func(b row) string { return strconv.FormatInt(b.Size, 10) }},
			{Name: "created", DropPriority: 2, Cell: func(b row) string { return formatAPITime(b.Created) }},
			{Name: "hostname", DropPriority: 3, Cell: func(b row) string { return b.Hostname.Raw() }},
			{Name: "region", DetailOnly: true, Cell: func(b row) string { return b.Region.Raw() }},
		},
		list: func(ctx context.Context, s *scriptSession, _ listOptions) iter.Seq2[row, error] {
			return s.api.Buckets.All(ctx)
		},
		get: func(ctx context.Context, s *scriptSession, id string) (row, error) {
			cluster, bucket, err := parseBucket(id)
			if err != nil {
				return nil, err
			}
			return s.api.Buckets.Get(ctx, cluster, bucket)
		},
		subcommands: []subcommand[row]{
			{
				name:        "create",
				args:        "CLUSTER/BUCKET",
				noTarget:    true,
				description: "Make a bucket",
				bindFlags:   createBucket,
			},
			{
				name:        "access",
				description: "Change who may list and read it, and whether pages of other sites may",
				doneMessage: "has its new access",
				bindFlags:   changeBucketAccess,
			},
			{
				name:        "delete",
				description: "Remove a bucket, which must be empty",
				doneMessage: "is deleted",
				confirmMessage: func(it row, _ []string) string {
					return fmt.Sprintf("Deletes bucket %s/%s", it.Cluster, it.Label)
				},
				bindFlags: withoutFlags(func(ctx context.Context, s *scriptSession, it row, _ []string) (row, error) {
					return it, s.api.Buckets.Delete(ctx, it.Cluster.Raw(), it.Label.Raw())
				}),
			},
		},
	}
}

func createBucket(set *pflag.FlagSet) runFunc[*client.Bucket] {
	acl := set.String("acl", string(client.ACLPrivate), aclChoices)
	setFlagChoices(set, "acl", aclNames()...)
	cors := set.Bool("cors", false, "allow all origins")
	return func(ctx context.Context, s *scriptSession, it *client.Bucket, args []string) (*client.Bucket, error) {
		cluster, bucket, err := parseBucket(args[0])
		if err != nil {
			return it, err
		}
		in := client.BucketRequest{Cluster: cluster, Label: bucket, CORS: *cors}
		if in.ACL, err = parseACL(*acl); err != nil {
			return it, err
		}
		there, err := s.api.Buckets.Get(ctx, cluster, bucket)
		switch {
		case err == nil:
			return there, reportExistingBucket(s, there, set.Changed("acl") || set.Changed("cors"))
		case !errors.Is(err, client.ErrNotFound):
			return it, err
		}
		return s.api.Buckets.Create(withTarget(ctx, "bucket", args[0], bucket, ""), in)
	}
}

// reportExistingBucket says of a bucket that it was there before: the API would give it back as if it were new, and
// pass over what it is to be like.
func reportExistingBucket(s *scriptSession, b *client.Bucket, other bool) error {
	name := b.Cluster.String() + "/" + b.Label.String()
	if other {
		return fmt.Errorf(
			"%s existed already, made %s, and its access is not changed: lookout buckets access %[1]s does that",
			name,
			formatAPITime(b.Created),
		)
	}
	s.reportf("%s existed already, made %s; nothing was changed", name, formatAPITime(b.Created))
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
	return "", exit.Usage(fmt.Errorf("%q is no ACL: choose %s", client.Clean(text), aclChoices))
}

// changeBucketAccess changes what the flags name. Nothing tells afterwards what holds.
func changeBucketAccess(set *pflag.FlagSet) runFunc[*client.Bucket] {
	acl := set.String("acl", "", aclChoices)
	setFlagChoices(set, "acl", aclNames()...)
	cors := set.Bool("cors", false, "allow all origins; --cors=false forbids them")
	return func(ctx context.Context, s *scriptSession, it *client.Bucket, _ []string) (*client.Bucket, error) {
		var in client.BucketAccess
		if set.Changed("cors") {
			in.CORS = cors
		}
		switch {
		case *acl != "":
			var err error
			if in.ACL, err = parseACL(*acl); err != nil {
				return it, err
			}
		case in.CORS == nil:
			return it, exit.Usage(errors.New("--acl or --cors is needed"))
		}
		return it, s.api.Buckets.ModifyAccess(ctx, it.Cluster.Raw(), it.Label.Raw(), in)
	}
}
