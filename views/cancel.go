package views

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
)

// cancelAfter is how long the question about cancelling stands before it can be answered.
const cancelAfter = 10 * time.Second

// storageEnd is the end of Object Storage for the account: in the menu of all actions alone.
func (a *Account) storageEnd() []ui.Action {
	return a.scopedActions(storageWrite, ui.Action{Key: ui.Bind("cancel Object Storage"), Group: "the account", Writes: true, OpensView: true,
		Description: "removes all buckets with all that is in them, for good", Do: a.cancelStorage})
}

// cancelStorage counts afresh what would be lost, then asks for the account's name.
func (a *Account) cancelStorage() tea.Cmd {
	ctx := a.ctx
	count := func() tea.Msg {
		buckets, err := a.readBuckets(ctx)
		if err != nil {
			return ui.NewsMsg{Tone: theme.Bad, Text: "cancel Object Storage: what would be lost cannot be counted: " + ui.Reason(err)}
		}
		keys, err := walk(a.api.Keys.All(ctx))
		if err != nil {
			return ui.NewsMsg{Tone: theme.Bad, Text: "cancel Object Storage: the keys cannot be counted: " + ui.Reason(err)}
		}
		return ui.RunActionMsg{Action: a.cancelAction(buckets, len(keys))}
	}
	return tea.Batch(ui.ShowNews(theme.Info, "counting what would be lost"), count)
}

func (a *Account) cancelAction(buckets ui.RowPage[*client.Bucket], keys int) ui.Action {
	var objects, bytes int64
	lines := make([]string, 0, len(buckets.Rows)+len(buckets.Notes))
	for _, b := range buckets.Rows {
		objects, bytes = objects+b.Objects, bytes+b.Size
		lines = append(lines, fmt.Sprintf("%s in %s: %s objects, %s", b.Label, b.Cluster, grouped(b.Objects), size(b.Size)))
	}
	lines = append(lines, buckets.Notes...)
	return ui.Action{Key: ui.Bind("cancel Object Storage"), Writes: true, Do: a.endStorage, Confirm: &ui.Confirmation{
		Title: "Cancel Object Storage", RequiredText: a.name, Delay: cancelAfter, NoPaste: true, ConfirmLabel: "cancel it", Items: lines,
		Text: fmt.Sprintf("Of account %q: %s with %s objects (%s) are deleted FOR GOOD, and %s stop working. Nothing can bring them back.",
			a.name, words(len(buckets.Rows), "bucket", "buckets"), grouped(objects), size(bytes), words(keys, "key", "keys"))}}
}

func words(n int, one, many string) string { return count(n, one, many) }

func (a *Account) endStorage() tea.Cmd {
	ctx, before := client.ContextWithResource(a.ctx, "account", a.name, a.name), a.buckets().Len()
	return func() tea.Msg {
		m := cancelled{a: a, err: a.api.CancelObjectStorage(ctx)}
		if u, ok := m.err.(interface{ Unknown() bool }); ok && u.Unknown() {
			m.left = a.whatIsLeft(ctx, before)
		}
		return m
	}
}

// whatIsLeft says how many buckets there are now: all that can be told of a cancelling whose answer was lost.
func (a *Account) whatIsLeft(ctx context.Context, before int) string {
	now, err := a.readBuckets(ctx)
	if err != nil {
		return "the buckets cannot be counted: " + ui.Reason(err)
	}
	return fmt.Sprintf("buckets now: %d of %d · look before trying again", len(now.Rows), before)
}

// cancelled is how cancelling ended.
type cancelled struct {
	a    *Account
	err  error
	left string // what is left, where the outcome is unknown
}

// Deliver says it, and reads again what is left.
func (m cancelled) Deliver() tea.Cmd {
	say := ui.ShowNews(theme.Good, "Object Storage is cancelled")
	if m.err != nil {
		say = ui.ShowNews(theme.Bad, "cancel Object Storage: "+ui.Reason(m.err)+prefixed(" · ", or(m.left, ui.Advice(m.err))))
	}
	return tea.Batch(say, asked(m.a.buckets(), m.a.keys(), m.a.transfer()))
}
