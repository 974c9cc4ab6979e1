package cli

import (
	"context"
	"strconv"

	"lookout/client"
	"lookout/cmd/internal/output"
)

func transferResource() resourceCommand {
	return resource[*client.TransferUsage]{
		name:        "transfer",
		singular:    "transfer",
		description: "Outbound traffic of Object Storage this month, in bytes",
		examples:    "lookout transfer -o json",
		columns: []output.ColumnDefinition[*client.TransferUsage]{
			{Name: "used", Cell: func(t *client.TransferUsage) string { return strconv.FormatInt(t.Used, 10) }},
		},
		get: func(ctx context.Context, s *scriptSession, _ string) (*client.TransferUsage, error) {
			return s.api.NetworkTransfer.Get(ctx)
		},
	}
}
