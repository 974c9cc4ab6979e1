package main

import (
	"context"
	"strconv"

	"lookout/client"
)

func transferResource() resourceCommand {
	return resource[*client.TransferUsage]{
		name:        "transfer",
		singular:    "transfer",
		description: "Outbound traffic of Object Storage this month, in bytes",
		examples:    "lookout transfer -o json",
		columns: []columnDefinition[*client.TransferUsage]{
			{name: "used", cell: func(t *client.TransferUsage) string { return strconv.FormatInt(t.Used, 10) }},
		},
		get: func(ctx context.Context, s *scriptSession, _ string) (*client.TransferUsage, error) {
			return s.api.NetworkTransfer.Get(ctx)
		},
	}
}
