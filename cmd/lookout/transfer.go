package main

import (
	"context"
	"strconv"

	"lookout/client"
)

func transferNoun() noun {
	return resource[*client.TransferUsage]{
		name: "transfer", one: "transfer", about: "Outbound traffic of Object Storage this month, in bytes",
		examples: "lookout transfer -o json",
		columns:  []column[*client.TransferUsage]{{name: "used", cell: func(t *client.TransferUsage) string { return strconv.FormatInt(t.Used, 10) }}},
		get: func(ctx context.Context, s *session, _ string) (*client.TransferUsage, error) {
			return s.api.NetworkTransfer.Get(ctx)
		},
	}
}
