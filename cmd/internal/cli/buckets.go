package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/client/account"
	"lookout/cmd/internal/exit"
	"lookout/views/resource"
	"lookout/views/storage"
)

// parseBucket splits CLUSTER/BUCKET.
func parseBucket(text string) (cluster, bucket string, err error) {
	cluster, bucket, err = storage.ParseBucketID(text)
	if err != nil {
		err = exit.Usage(err)
	}
	return cluster, bucket, err
}

// listClusters returns the clusters, as far as they can be read: they tell regions and clusters apart.
func (s *scriptSession) listClusters(ctx context.Context) []*client.Cluster {
	clusters, _ := account.Collect(s.api.Clusters.All(ctx)) // what cannot be told apart is sent as a cluster
	return clusters
}

// bucketCommands makes the command that creates a bucket look for it first: the API would return one that exists as if
// it were new, and ignore the access that was asked for.
func bucketCommands(r scriptResource) scriptResource {
	r.subcommands = append(r.subcommands, subcommand{
		name:            "empty",
		op:              client.OpEmptyBucket,
		verb:            "Empties",
		asks:            asksAlways,
		args:            "CLUSTER/BUCKET [PREFIX]",
		names:           []cobra.CompletionFunc{namesOf("buckets")},
		noTarget:        true,
		printsOwnResult: true,
		description:     "Remove all objects in a bucket, or all whose names begin with a prefix",
		bindFlags: withoutFlags(func(ctx context.Context, s *scriptSession, _ any, args []string) (change, error) {
			o, err := parseObjectArgs(append(args, "")[:2])
			if o.Cluster == "" {
				return change{}, err
			}
			return s.planEmptying(ctx, o)
		}),
	})
	r.includes = append(r.includes, readersResource("bucket", "CLUSTER/BUCKET", namesOf("buckets")))
	i := slices.IndexFunc(r.subcommands, func(v subcommand) bool { return v.name == "create" })
	bind := r.subcommands[i].bindFlags
	r.subcommands[i].names = []cobra.CompletionFunc{completeCluster}
	r.subcommands[i].bindFlags = func(set *pflag.FlagSet) planFunc {
		plan := bind(set)
		return func(ctx context.Context, s *scriptSession, row any, args []string) (change, error) {
			c, err := plan(ctx, s, row, args)
			if err != nil {
				return c, err
			}
			cluster, label, err := parseBucket(args[0])
			if err != nil {
				return c, err
			}
			existing, err := s.api.Buckets.Get(ctx, cluster, label)
			switch {
			case errors.Is(err, client.ErrNotFound):
				return c, nil
			case err != nil:
				return c, err
			}
			name := client.Clean(existing.ID())
			c = change{result: existing}
			created := resource.TimeValue(existing.Created)
			if set.Changed("acl") || set.Changed("cors") {
				return c, fmt.Errorf(
					"bucket %s already exists (created %s), and its access was not changed; "+
						"use lookout buckets access %[1]s", name, created,
				)
			}
			s.reportf("bucket %s already exists (created %s); nothing was changed", name, created)
			return c, nil
		}
	}
	return r
}

// aclNames are the canned ACLs.
func aclNames() (names []string) {
	for _, acl := range client.SettableACLs() {
		names = append(names, string(acl))
	}
	return names
}
