package cli

import (
	"context"
	"fmt"

	"lookout/client"
	"lookout/ui"
	"lookout/views/account"
)

// A storageSummary counts what an account keeps in Object Storage.
type storageSummary struct {
	Buckets []string `json:"buckets"`
	client.StorageTotal
	Keys int `json:"keys"`
}

func storageResource() scriptResource {
	type row = *storageSummary
	return scriptResource{
		name:        "storage",
		singular:    "account",
		description: "Object Storage of the account as a whole",
		examples:    "lookout storage cancel --yes=account --reason \"moved elsewhere\"",
		subcommands: []subcommand[any]{subcommand[row]{
			name:        "cancel",
			op:          client.OpCancelObjectStorage,
			noTarget:    true,
			asks:        asksForAccount,
			description: "Remove all buckets with all that is in them, for good; all keys stop working",
			doneMessage: "has no Object Storage any more",
			bindFlags:   withoutFlags(cancelStorage),
		}.erase()},
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
			"Cancels Object Storage of account %s: deletes %s with %s) for good; %s can no longer be used", name,
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
