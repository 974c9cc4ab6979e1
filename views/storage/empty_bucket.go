package storage

import (
	"fmt"
	"strings"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/account"

	tea "charm.land/bubbletea/v2"
)

// countThenEmpty asks for the bucket's own count, and for that number to be typed.
func countThenEmpty(a *account.Account, b *client.Bucket) tea.Cmd {
	ctx := a.Context
	work := func() tea.Msg {
		now, err := a.Api.Buckets.Get(ctx, b.Cluster.Raw(), b.Label.Raw())
		if err != nil {
			return ui.NewsMsg{
				Tone: theme.Bad,
				Text: "empty " + b.Label.String() + ": its objects cannot be counted: " + ui.Reason(err),
			}
		}
		return ui.RunActionMsg{Action: emptyAction(a, now)}
	}
	return tea.Batch(ui.ShowNews(theme.Info, "counting the objects of "+b.Label.String()), work)
}

func emptyAction(a *account.Account, b *client.Bucket) ui.Action {
	text := fmt.Sprintf(
		"Every object in %s (%s) is deleted for good: %s objects, %s, by the bucket's own count.",
		b.Label,
		b.Cluster,
		account.FormatCount(b.Objects),
		account.FormatSize(b.Size),
	)
	if b.Objects >= slowEmptyObjects {
		text += " This takes long; a lifecycle policy, set with an S3 program, does it on the server's side."
	}
	return ui.Action{
		Key:    ui.Bind("empty"),
		Writes: true,
		Confirm: &ui.Confirmation{
			Title:        "Empty bucket",
			Text:         text,
			RequiredText: fmt.Sprint(b.Objects),
			ConfirmLabel: "empty it",
		},
		Do: func() tea.Cmd {
			a.Transfers.Empty(nil, b.Cluster.Raw(), b.Label.Raw(), "")
			return tea.Batch(
				account.SyncTransfers(a),
				ui.ShowNews(theme.Info, "emptying "+b.Label.String()+" · the transfers pane shows how far it is"),
			)
		},
	}
}

// offerResumeEmptying offers to go on with the emptying of buckets that an earlier run did not finish.
func OfferResumeEmptying(a *account.Account) tea.Cmd {
	var actions []ui.Action
	for _, e := range a.Journal.Unfinished(client.OpEmptyBucket) {
		parts := strings.SplitN(e.Change.ID, "/", 3)
		if len(parts) < 3 {
			continue
		}
		actions = append(
			actions,
			ui.Action{Key: ui.Bind("go on emptying "+client.Clean(parts[1]), fmt.Sprint(len(actions)+1)), Writes: true,
				Do: func() tea.Cmd { a.Transfers.Empty(nil, parts[0], parts[1], parts[2]); return account.SyncTransfers(a) }},
		)
	}
	if len(actions) == 0 {
		return nil
	}
	actions = append(actions, ui.Action{Key: ui.Bind("leave what is left", "l"), Do: func() tea.Cmd { return nil }})
	return ui.Send(ui.Menu{Title: "Emptying was interrupted", Actions: actions})
}

// slowEmptyObjects is from how many on emptying takes long enough to name the other way.
const slowEmptyObjects = 100_000
