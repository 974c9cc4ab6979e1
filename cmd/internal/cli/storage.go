package cli

import (
	"context"
	"fmt"
	"strings"

	"lookout/client"
	"lookout/client/account"
	"lookout/views/storage"
)

// A storageSummary counts what an account keeps in Object Storage.
type storageSummary struct {
	Buckets []string `json:"buckets"`
	client.StorageTotal
	Keys int `json:"keys"`
}

func storageResource() scriptResource {
	return scriptResource{
		name:        "storage",
		singular:    "account",
		description: "Cancel Object Storage for the whole account",
		examples:    "lookout storage cancel -a staging --yes=staging --reason \"moved elsewhere\"",
		subcommands: []subcommand{{
			name:     "cancel",
			op:       client.OpCancelObjectStorage,
			noTarget: true,
			asks:     asksForAccount,
			description: "Cancel Object Storage: all buckets and everything in them are deleted for good, and all " +
				"keys stop working",
			doneMessage: "no longer has Object Storage",
			bindFlags:   withoutFlags(cancelStorage),
		}},
	}
}

// cancelStorage counts what would be lost and plans to cancel Object Storage.
func cancelStorage(ctx context.Context, s *scriptSession, _ any, _ []string) (c change, err error) {
	buckets, err := account.Collect(s.api.Buckets.All(ctx))
	if err != nil {
		return c, fmt.Errorf("cannot count what would be lost: %w", err)
	}
	keys, err := account.Collect(s.api.Keys.All(ctx))
	if err != nil {
		return c, fmt.Errorf("cannot count the keys: %w", err)
	}
	name := s.settings.Account
	lost := &storageSummary{Buckets: []string{}, StorageTotal: client.TotalOf(buckets), Keys: len(keys)}
	for _, b := range buckets {
		lost.Buckets = append(lost.Buckets, b.ID())
	}
	return change{
		Change: client.Change{ID: name, Label: name, Before: lost},
		effect: strings.TrimSuffix(storage.CancelEffect(name, buckets, false, len(keys)), "."),
		send: func(ctx context.Context, w *approvedChange) (any, error) {
			return lost, w.CancelObjectStorage(ctx)
		},
	}, nil
}
