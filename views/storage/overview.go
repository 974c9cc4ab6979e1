package storage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/join"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/operation"
)

// transferPoolBytes is the monthly outbound transfer that Object Storage adds to the account ("Transfer usage").
const transferPoolBytes = 1_000_000_000_000

// StorageLines returns lines for the overview: what is stored, how many keys reach it, and how much was transferred.
// With only two lines, the transfer stands behind the keys if it fits.
func StorageLines(a *account.Account, b ui.Box) string {
	labels := []string{"Buckets", "Access keys", "Transfer"}
	inner := b
	inner.Width -= labelWidth
	share, known := 0.0, false
	transfer := join.Names(account.AllRows(a, a.TransferUsage()), func(usage *client.TransferUsage) (text string) {
		text, share, known = describeTransfer(usage)
		return text
	}, "")
	values := []string{storedText(a, inner), keysText(a), transfer}
	if known && b.Height > 2 && b.Width > 60 {
		full := min(20, int(share*20+0.5))
		values[2] += "  " + b.Theme.Paint(theme.ChartFirst, strings.Repeat(b.Theme.Glyphs.Full, full)) +
			b.Theme.Paint(theme.Rule, strings.Repeat(b.Theme.Glyphs.Empty, 20-full))
	}
	both := values[1] + " · transfer " + strings.TrimPrefix(values[2], "transfer: ")
	if b.Height == 2 && ui.Width(both) <= inner.Width {
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

// LinesNeeded returns how many lines StorageLines fills in a narrow box: more if it has to say why buckets are missing.
func LinesNeeded(a *account.Account) int {
	if !a.Buckets().Loaded() || join.StateOf(a.Buckets()).Kind == join.Known {
		return 3
	}
	return 4
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
		return operation.LoadingOrError(set.Freshness(), "reading buckets")
	}
	count := join.Count(account.AllRows(a, set), "bucket", "buckets", "0 buckets")
	total := operation.FormatTotal(a.StorageTotal(), " · ")
	if whole := count + " · " + total; ui.Width(whole) <= b.Width {
		return whole
	}
	return count
}

// describeTransfer says how much of the transfer pool is used this month, and which part of it that is.
func describeTransfer(usage *client.TransferUsage) (text string, share float64, known bool) {
	n, known := usage.Used.Value()
	if !known {
		return account.UnknownText, 0, false
	}
	n = max(0, n)
	text = humanize.Bytes(uint64(n)) + " of " + humanize.Bytes(transferPoolBytes) + " this month"
	return text, float64(n) / transferPoolBytes, true
}

// keysText counts the access keys.
func keysText(a *account.Account) string {
	set := a.Keys()
	if !set.Loaded() {
		return operation.LoadingOrError(set.Freshness(), "reading keys")
	}
	return join.Fold(account.AllRows(a, set), func(all []*client.AccessKey) string {
		return fmt.Sprintf("%d (%s)", len(all), countLimitedKeys(a))
	}, func(found []*client.AccessKey, s join.JoinState) string {
		if len(found) == 0 {
			return s.String()
		}
		return fmt.Sprintf("%d (%s)", len(found), s)
	})
}

// knownSize returns the size of a bucket in bytes, 0 if it is not known.
func knownSize(b *client.Bucket) int64 {
	size, _ := b.Size.Value()
	return size
}

// largestFirst sorts buckets by their sizes.
func largestFirst(buckets []*client.Bucket) []*client.Bucket {
	slices.SortStableFunc(buckets, func(b, c *client.Bucket) int { return cmp.Compare(knownSize(c), knownSize(b)) })
	return buckets
}

// bucketsBySize returns all buckets, the largest first.
func bucketsBySize(a *account.Account) []*client.Bucket {
	return account.Memo(a, "buckets by size", func() []*client.Bucket {
		return largestFirst(slices.Clone(a.Buckets().Rows()))
	}, a.Buckets())
}

// reachedBuckets returns the buckets that a key reaches, the largest first.
func reachedBuckets(a *account.Account, k *client.AccessKey) []*client.Bucket {
	if all, _ := k.ReachesAll(); all {
		return bucketsBySize(a)
	}
	var reached []*client.Bucket
	for _, g := range k.Buckets {
		if b, found := a.Buckets().Get(g.BucketID()); found {
			reached = append(reached, b)
		}
	}
	return largestFirst(reached)
}

// minBar is the width that the longest bar of a size has at least.
const minBar = 8

// distinctNames returns the labels of buckets, with the clusters of those that share theirs.
func distinctNames(buckets []*client.Bucket) []string {
	count := map[string]int{}
	for _, b := range buckets {
		count[b.Label.Raw()]++
	}
	names := make([]string, len(buckets))
	for n, b := range buckets {
		if names[n] = b.Label.String(); count[b.Label.Raw()] > 1 {
			names[n] += " " + b.Location().String()
		}
	}
	return names
}

// sizesPanel returns the panel of buckets with bars of their sizes, the largest first. Those that belong to the row
// under the cursor stand out.
func sizesPanel(
	a *account.Account, title string, buckets []*client.Bucket, own func(*client.Bucket) bool, b ui.Box,
) ui.StackedPanel {
	const most = 16
	rows := buckets[:min(most, len(buckets))]
	var lines []string
	labels, widest, sizes := distinctNames(rows), 0, 0
	for n, k := range rows {
		widest = max(widest, ui.Width(labels[n]))
		sizes = max(sizes, ui.Width(operation.FormatOptionalSize(k.Size)))
	}
	names := max(8, min(widest, b.Width-sizes-4-minBar))
	room := max(0, b.Width-names-sizes-4)
	for n, k := range rows {
		tone, bar := theme.Muted, theme.Off
		if own(k) {
			tone, bar = theme.Strong, theme.ChartFirst
		}
		filled := 0
		if size := knownSize(k); size > 0 {
			filled = max(1, int(float64(size)/float64(knownSize(rows[0]))*float64(room)))
		}
		name := ui.Pad(ui.Truncate(labels[n], names, b.Theme.Glyphs.Ellipsis), names)
		line := b.Theme.Paint(tone, name) + "  " + b.Theme.Paint(bar, strings.Repeat(b.Theme.Glyphs.Full, filled))
		size := ui.PadLeft(operation.FormatOptionalSize(k.Size), sizes)
		lines = append(lines, ui.Pad(line, names+2+room)+"  "+b.Theme.Paint(tone, size))
	}
	if more := len(buckets) - len(rows); more > 0 {
		lines = append(lines, b.Theme.Paint(theme.Muted, "and "+wording.Plural(more, "bucket", "buckets")))
	}
	empty := wording.If(len(buckets) == 0, "no bucket")
	if remark := join.Remark(account.AllRows(a, a.Buckets()), empty); remark != "" || len(buckets) == 0 {
		lines = append(lines, operation.WrapPainted(cmp.Or(remark, empty), theme.Muted, b)...)
	}
	return ui.StackedPanel{Name: "sizes", Title: theme.Title(title), Lines: lines}
}
