package storage

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/account"
)

// cancelStorageDelay is how long the question about cancelling stands before it can be answered.
const cancelStorageDelay = 10 * time.Second

// cancelStorageActions is the end of Object Storage for the account: in the menu of all actions alone.
func cancelStorageActions(a *account.Account) []ui.Action {
	return a.RequireScopeForActions(account.StorageWriteScope, ui.Action{
		Key:         ui.Bind("cancel Object Storage"),
		Group:       "the account",
		Writes:      true,
		OpensView:   true,
		Description: "removes all buckets with all that is in them, for good",
		Do:          func() tea.Cmd { return countThenCancelStorage(a) },
	})
}

// countThenCancelStorage counts afresh what would be lost, then asks for the account's name.
func countThenCancelStorage(a *account.Account) tea.Cmd {
	ctx := a.Context
	count := func() tea.Msg {
		buckets, err := a.FetchAllBuckets(ctx)
		if err != nil {
			return ui.NewsMsg{
				Tone: theme.Bad,
				Text: "cancel Object Storage: what would be lost cannot be counted: " + ui.Reason(err),
			}
		}
		keys, err := account.Collect(a.Api.Keys.All(ctx))
		if err != nil {
			return ui.NewsMsg{
				Tone: theme.Bad,
				Text: "cancel Object Storage: the keys cannot be counted: " + ui.Reason(err),
			}
		}
		return ui.RunActionMsg{Action: confirmCancelStorage(a, buckets, len(keys))}
	}
	return tea.Batch(ui.ShowNews(theme.Info, "counting what would be lost"), count)
}

func confirmCancelStorage(a *account.Account, buckets ui.RowPage[*client.Bucket], keys int) ui.Action {
	var objects, bytes int64
	lines := make([]string, 0, len(buckets.Rows)+len(buckets.Notes))
	for _, b := range buckets.Rows {
		objects, bytes = objects+b.Objects, bytes+b.Size
		lines = append(
			lines,
			fmt.Sprintf("%s in %s: %s objects, %s", b.Label, b.Cluster, account.FormatCount(b.Objects), account.FormatSize(b.Size)),
		)
	}
	lines = append(lines, buckets.Notes...)
	return ui.Action{
		Key:    ui.Bind("cancel Object Storage"),
		Writes: true,
		Do:     func() tea.Cmd { return sendCancelStorage(a) },
		Confirm: &ui.Confirmation{
			Title:        "Cancel Object Storage",
			RequiredText: a.Name,
			Delay:        cancelStorageDelay,
			NoPaste:      true,
			ConfirmLabel: "cancel it",
			Items:        lines,
			Text: fmt.Sprintf(
				"Of account %q: %s with %s objects (%s) are deleted FOR GOOD, and %s stop working. Nothing can "+
					"bring them back.",
				a.Name,
				countPhrase(len(buckets.Rows), "bucket", "buckets"),
				account.FormatCount(objects),
				account.FormatSize(bytes),
				countPhrase(keys, "key", "keys"),
			),
		},
	}
}

func countPhrase(n int, one, many string) string { return account.Pluralize(n, one, many) }

func sendCancelStorage(a *account.Account) tea.Cmd {
	ctx, before := client.ContextWithResource(a.Context, "account", a.Name, a.Name), a.Buckets().Len()
	return func() tea.Msg {
		m := cancelStorageResult{a: a, err: a.Api.CancelObjectStorage(ctx)}
		if u, ok := m.err.(interface{ Unknown() bool }); ok && u.Unknown() {
			m.remaining = describeRemainingBuckets(a, ctx, before)
		}
		return m
	}
}

// describeRemainingBuckets says how many buckets there are now: all that can be told of a cancelling whose answer was
// lost.
func describeRemainingBuckets(a *account.Account, ctx context.Context, before int) string {
	now, err := a.FetchAllBuckets(ctx)
	if err != nil {
		return "the buckets cannot be counted: " + ui.Reason(err)
	}
	return fmt.Sprintf("buckets now: %d of %d · look before trying again", len(now.Rows), before)
}

// cancelStorageResult is how cancelling ended.
type cancelStorageResult struct {
	a         *account.Account
	err       error
	remaining string // what is left, where the outcome is unknown
}

// Deliver says it, and reads again what is left.
func (m cancelStorageResult) Deliver() tea.Cmd {
	say := ui.ShowNews(theme.Good, "Object Storage is cancelled")
	if m.err != nil {
		say = ui.ShowNews(
			theme.Bad,
			"cancel Object Storage: "+ui.Reason(m.err)+account.WithPrefix(" · ", account.OrDefault(m.remaining, ui.Advice(m.err))),
		)
	}
	return tea.Batch(say, account.RefreshAll(m.a.Buckets(), m.a.Keys(), m.a.TransferUsage()))
}
