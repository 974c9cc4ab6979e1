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

// StorageLines returns lines for the overview: what is stored, how many keys reach it, and how much was transferred.
// With only two lines, the transfer stands behind the keys if it fits.
func StorageLines(a *account.Account, b ui.Box) string {
	labels := []string{"Buckets", "Access keys", "Transfer"}
	inner := b
	inner.Width -= labelWidth
	values := []string{storedText(a, inner), keysText(a), transferText(a)}
	if used, known := transferShare(a); known && b.Height > 2 && b.Width > 60 {
		full := max(0, min(20, int(used*20+0.5)))
		values[2] += "  " + b.Theme.Paint(theme.ChartFirst, strings.Repeat(b.Theme.Glyphs.Full, full)) +
			b.Theme.Paint(theme.Rule, strings.Repeat(b.Theme.Glyphs.Empty, 20-full))
	}
	if both := values[1] + " · transfer " + values[2]; b.Height == 2 && ui.Width(both) <= inner.Width {
		values[1] = both
	}
	var lines []string
	for n, label := range labels {
		spare := b.Height - len(lines) - (len(labels) - n)
		for k, line := range valueLines(values[n], 1+max(0, spare), inner) {
			if k > 0 {
				label = ""
			}
			lines = append(lines, b.Theme.Paint(theme.Muted, ui.Pad(label, labelWidth))+line)
		}
	}
	return strings.Join(lines[:min(len(lines), max(1, b.Height))], "\n")
}

// valueLines breaks a value into at most limit lines of the box's width.
func valueLines(value string, limit int, b ui.Box) []string {
	if ui.Width(value) <= b.Width || limit == 1 {
		return []string{ui.Truncate(value, b.Width, b.Theme.Glyphs.Ellipsis)}
	}
	lines := ui.Wrap(value, b.Width)
	if len(lines) > limit {
		rest := strings.Join(lines[limit-1:], " ")
		lines = append(lines[:limit-1], ui.Truncate(rest, b.Width, b.Theme.Glyphs.Ellipsis))
	}
	return lines
}

// labelWidth is the width of the labels, with the blanks behind them.
const labelWidth = 13

// storedText says how much is stored.
func storedText(a *account.Account, b ui.Box) string {
	set := a.Buckets()
	if !set.Loaded() {
		return account.LoadingOrError(set.Freshness(), "reading buckets")
	}
	count := resource.Count(account.AllRows(a, set), "bucket", "buckets", "0 buckets")
	total := account.FormatTotal(account.StorageTotal(a), " · ")
	if ui.Width(count) > b.Width { // JoinFitting would leave out what did not answer
		return count
	}
	return ui.JoinFitting([]string{count, total}, " · ", b.Width, b.Theme.Glyphs.Ellipsis)
}

// transferText says how much of the transfer pool is used this month.
func transferText(a *account.Account) string {
	return resource.Fold(account.AllRows(a, a.TransferUsage()), func(usage []*client.TransferUsage) string {
		return strings.TrimPrefix(monthlyTransfer(usage[0]), "transfer ")
	}, func(_ []*client.TransferUsage, s resource.JoinState) string { return s.String() })
}

// transferShare returns the part of the transfer pool that is used this month, and whether it is known.
func transferShare(a *account.Account) (float64, bool) {
	if usage, read := account.OnlyRow(a.TransferUsage()); read {
		n, known := usage.Used.Value()
		return float64(n) / transferPoolBytes, known
	}
	return 0, false
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

// keysText counts the access keys.
func keysText(a *account.Account) string {
	set := a.Keys()
	if !set.Loaded() {
		return account.LoadingOrError(set.Freshness(), "reading keys")
	}
	return resource.Fold(account.AllRows(a, set), func(all []*client.Key) string {
		return fmt.Sprintf("%d (%s)", len(all), countLimitedKeys(a))
	}, func(_ []*client.Key, s resource.JoinState) string { return s.String() })
}
