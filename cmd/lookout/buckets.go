package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

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
			{name: "cluster", cell: func(b row) string { return b.Cluster.Raw() }},
			{name: "label", cell: func(b row) string { return b.Label.Raw() }},
			{name: "objects", cell: func(b row) string { return strconv.FormatInt(b.Objects, 10) }},
			{name: "size", cell: func(b row) string { return strconv.FormatInt(b.Size, 10) }},
			{name: "created", drop: 2, cell: func(b row) string { return when(b.Created) }},
			{name: "hostname", drop: 3, cell: func(b row) string { return b.Hostname.Raw() }},
			{name: "region", detail: true, cell: func(b row) string { return b.Region.Raw() }},
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
