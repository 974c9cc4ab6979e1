package storage

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"lookout/theme"
	"lookout/ui"
	"lookout/views/account"
)

// transferPoolBytes is what Object Storage adds to the account's outbound transfer a month ("Transfer usage": 1
// terabyte).
const transferPoolBytes = 1_000_000_000_000

// storageLines are Object Storage in two lines: what is stored, and who may reach it.
func StorageLines(a *account.Account, b ui.Box) string {
	return strings.Join([]string{storedLine(a, b), keysLine(a, b)}, "\n")
}

func storedLine(a *account.Account, b ui.Box) string {
	label := b.Theme.Paint(theme.Strong, ui.Pad("Object Storage", 16))
	set := a.Buckets()
	if !set.Loaded() {
		return ui.Truncate(
			label+b.Theme.Paint(theme.Muted, account.LoadingOrError(set.Freshness(), "reading buckets")),
			b.Width-1,
			b.Theme.Glyphs.Ellipsis,
		)
	}
	var objects, size int64
	for _, bucket := range set.Rows() {
		objects += bucket.Objects
		size += bucket.Size
	}
	parts := []string{
		account.Pluralize(set.Len(), "bucket", "buckets"),
		account.FormatCount(objects) + " objects",
		humanize.IBytes(uint64(max(0, size))),
	}
	if used, known := account.OnlyRow(a.TransferUsage()); known {
		parts = append(
			parts,
			fmt.Sprintf(
				"transfer %s of %s this month",
				humanize.Bytes(uint64(max(0, used.Used))),
				humanize.Bytes(transferPoolBytes),
			),
		)
	}
	return ui.Truncate(label+strings.Join(parts, " · "), b.Width-1, b.Theme.Glyphs.Ellipsis)
}

func keysLine(a *account.Account, b ui.Box) string {
	label := b.Theme.Paint(theme.Strong, ui.Pad("Access keys", 16))
	set := a.Keys()
	if !set.Loaded() {
		return ui.Truncate(
			label+b.Theme.Paint(theme.Muted, account.LoadingOrError(set.Freshness(), "reading keys")),
			b.Width-1,
			b.Theme.Glyphs.Ellipsis,
		)
	}
	return label + fmt.Sprintf("%d (%d limited)", set.Len(), limitedKeys(set.Rows()))
}
