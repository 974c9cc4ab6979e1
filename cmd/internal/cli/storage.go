package cli

import (
	"context"
	"fmt"
	"iter"

	"lookout/client"
	"lookout/ui"
	"lookout/views/account"
	"lookout/views/resource"
)

// A storageSummary counts what an account keeps in Object Storage.
type storageSummary struct {
	Buckets []string `json:"buckets"`
	client.StorageTotal
	Keys int `json:"keys"`
}

func storageResource() resourceCommand {
	type row = *storageSummary
	return scriptResource[row]{
		name:        "storage",
		singular:    "account",
		description: "Object Storage of the account as a whole",
		examples:    "lookout storage cancel --yes=account --reason \"moved elsewhere\"",
		subcommands: []subcommand[row]{{
			name:        "cancel",
			op:          client.OpCancelObjectStorage,
			noTarget:    true,
			asks:        asksForAccount,
			description: "Remove all buckets with all that is in them, for good; all keys stop working",
			doneMessage: "has no Object Storage any more",
			bindFlags:   withoutFlags(cancelStorage),
		}},
	}
}

// cancelStorage counts what would be lost and plans to cancel Object Storage.
func cancelStorage(
	ctx context.Context, s *scriptSession, _ *storageSummary, _ []string,
) (c change[*storageSummary], err error) {
	lost, err := s.summarizeStorage(ctx)
	if err != nil {
		return c, fmt.Errorf("what would be lost cannot be counted: %w", err)
	}
	name := s.settings.Account
	return change[*storageSummary]{
		Change: client.Change{ID: name, Label: name, Before: lost},
		effect: fmt.Sprintf(
			"Cancels Object Storage of account %s: %s with %s) are deleted for good, and %s stop working", name,
			ui.Plural(len(lost.Buckets), "bucket", "buckets"), account.FormatTotal(lost.StorageTotal, " ("),
			ui.Plural(lost.Keys, "key", "keys"),
		),
		send: func(ctx context.Context, w *approvedChange) (*storageSummary, error) {
			return lost, w.CancelObjectStorage(ctx)
		},
	}, nil
}

// summarizeStorage counts what the account keeps in Object Storage.
func (s *scriptSession) summarizeStorage(ctx context.Context) (*storageSummary, error) {
	sum := &storageSummary{Buckets: []string{}}
	buckets, err := account.Collect(s.api.Buckets.All(ctx))
	if err != nil {
		return nil, err
	}
	for _, b := range buckets {
		sum.Buckets = append(sum.Buckets, b.ID())
	}
	sum.StorageTotal = client.TotalOf(buckets)
	for _, err := range s.api.Keys.All(ctx) {
		if err != nil {
			return nil, err
		}
		sum.Keys++
	}
	return sum, nil
}

func clustersResource() resourceCommand {
	type row = *client.Cluster
	return scriptResource[row]{
		name:        "clusters",
		singular:    "cluster",
		idArg:       "ID",
		description: "Locations of buckets",
		examples:    "lookout clusters list\nlookout clusters get us-east-1",
		columns: []resource.ColumnDefinition[row]{
			{Name: "id", Value: func(c row) string { return c.ID.Raw() }},
			{Name: "region", Value: func(c row) string { return c.Region.Raw() }},
			{Name: "status", Value: func(c row) string { return c.Status.Raw() }},
			{Name: "domain", DropPriority: 1, Value: func(c row) string { return c.Domain.Raw() }},
			{
				Name:         "static_site_domain",
				DropPriority: 2,
				Value:        func(c row) string { return c.StaticSiteDomain.Raw() },
			},
		},
		list: func(ctx context.Context, s *scriptSession, _ listOptions) iter.Seq2[row, error] {
			return s.api.Clusters.All(ctx)
		},
		get: func(ctx context.Context, s *scriptSession, id string) (row, error) {
			return s.api.Clusters.Get(ctx, id)
		},
	}
}

func transferResource() resourceCommand {
	return scriptResource[*client.TransferUsage]{
		name:        "transfer",
		singular:    "transfer",
		description: "Outbound traffic of Object Storage this month, in bytes",
		examples:    "lookout transfer -o json",
		columns: []resource.ColumnDefinition[*client.TransferUsage]{
			{Name: "used", Value: func(t *client.TransferUsage) string { return formatOptional(t.Used) }},
		},
		get: func(ctx context.Context, s *scriptSession, _ string) (*client.TransferUsage, error) {
			return s.api.NetworkTransfer.Get(ctx)
		},
	}
}
