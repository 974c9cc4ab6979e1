package storage

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/account"
	"lookout/views/resource"
)

// transferPoolBytes is the monthly outbound transfer that Object Storage adds to the account ("Transfer usage").
const transferPoolBytes = 1_000_000_000_000

// StorageLines returns two lines for the overview: what is stored, and how many keys reach it.
func StorageLines(a *account.Account, b ui.Box) string {
	return strings.Join([]string{storedLine(a, b), keysLine(a, b)}, "\n")
}

// storedLine says how much is stored and transferred.
func storedLine(a *account.Account, b ui.Box) string {
	label := b.Theme.Paint(theme.Strong, ui.Pad("Object Storage", 16))
	set := a.Buckets()
	if !set.Loaded() {
		return ui.Truncate(
			label+b.Theme.Paint(theme.Muted, account.LoadingOrError(set.Freshness(), "reading buckets")), b.Width-1,
			b.Theme.Glyphs.Ellipsis,
		)
	}
	parts := []string{
		label + resource.Count(account.AllRows(a, set), "bucket", "buckets", "0 buckets"),
		account.FormatTotal(client.TotalOf(set.Rows()), " · "),
		resource.Fold(account.AllRows(a, a.TransferUsage()), func(usage []*client.TransferUsage) string {
			return monthlyTransfer(usage[0])
		}, func(_ []*client.TransferUsage, s resource.JoinState) string { return s.String() }),
	}
	return ui.JoinFitting(parts, " · ", b.Width-1, b.Theme.Glyphs.Ellipsis)
}

// monthlyTransfer says how much of the transfer pool is used this month.
func monthlyTransfer(used *client.TransferUsage) string {
	n, known := used.Used.Value()
	if !known {
		return "transfer unknown"
	}
	return fmt.Sprintf(
		"transfer %s of %s this month", humanize.Bytes(uint64(max(0, n))), humanize.Bytes(transferPoolBytes),
	)
}

// keysLine counts the access keys.
func keysLine(a *account.Account, b ui.Box) string {
	label := b.Theme.Paint(theme.Strong, ui.Pad("Access keys", 16))
	set := a.Keys()
	if !set.Loaded() {
		return ui.Truncate(
			label+b.Theme.Paint(theme.Muted, account.LoadingOrError(set.Freshness(), "reading keys")), b.Width-1,
			b.Theme.Glyphs.Ellipsis,
		)
	}
	return label + resource.Fold(account.AllRows(a, set), func(all []*client.Key) string {
		return fmt.Sprintf("%d (%s)", len(all), countLimitedKeys(all))
	}, func(_ []*client.Key, s resource.JoinState) string { return s.String() })
}
