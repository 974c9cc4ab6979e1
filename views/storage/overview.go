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
	var objects, size int64
	for _, bucket := range set.Rows() {
		objects += bucket.Objects
		size += bucket.Size
	}
	parts := []string{
		resource.Count(account.AllRows(a, set), "bucket", "buckets", "0 buckets"),
		account.FormatCount(objects) + " objects",
		humanize.IBytes(uint64(max(0, size))),
		resource.Fold(account.AllRows(a, a.TransferUsage()), func(usage []*client.TransferUsage) string {
			return monthlyTransfer(usage[0])
		}, func(_ []*client.TransferUsage, s resource.JoinState) string { return s.String() }),
	}
	return ui.Truncate(label+strings.Join(parts, " · "), b.Width-1, b.Theme.Glyphs.Ellipsis)
}

// monthlyTransfer says how much of the transfer pool is used this month.
func monthlyTransfer(used *client.TransferUsage) string {
	return fmt.Sprintf(
		"transfer %s of %s this month", humanize.Bytes(uint64(max(0, used.Used))), humanize.Bytes(transferPoolBytes),
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
		return fmt.Sprintf("%d (%d limited)", len(all), limitedKeys(all))
	}, func(_ []*client.Key, s resource.JoinState) string { return s.String() })
}
