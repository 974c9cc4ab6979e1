package storage

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/account"
	"lookout/views/resource"
)

// countThenEmpty reads how many objects a bucket holds and asks whether to delete them all. The answer is that number.
func countThenEmpty(a *account.Account, b *client.Bucket) tea.Cmd {
	ctx := a.Context
	count := func() tea.Msg {
		now, err := a.API.Buckets.Get(ctx, b.Location().Raw(), b.Label.Raw())
		if err != nil {
			return ui.NewsMsg{
				Tone: theme.Bad,
				Text: "empty " + b.Label.String() + ": its objects cannot be counted: " + ui.Reason(err),
			}
		}
		return a.AskConsentMsg(askToEmpty(now), func(c account.Consents) tea.Cmd {
			a.Transfers.Empty(c[client.OpEmptyBucket], now.Location().Raw(), now.Label.Raw(), "")
			return tea.Batch(
				account.SyncTransfers(a),
				ui.ShowNews(theme.Info, "emptying "+now.Label.String()+" · the transfers pane shows the progress"),
			)
		})
	}
	return tea.Batch(ui.ShowNews(theme.Info, "counting the objects of "+b.Label.String()), count)
}

// askToEmpty is the question about a bucket that was just read.
func askToEmpty(b *client.Bucket) account.Ask {
	effect := fmt.Sprintf(
		"Every object in %s (%s) is deleted for good: %s objects, %s, by the bucket's own count.",
		b.Label,
		b.Location(),
		account.FormatCount(b.Objects),
		account.FormatSize(b.Size),
	)
	if b.Objects >= slowEmptyObjects {
		effect += " This takes a long time; a lifecycle policy, set with an S3 tool, does it on the server."
	}
	return account.Ask{
		Ops:  []string{client.OpEmptyBucket},
		IDs:  []string{b.Object("").ID()},
		Name: "empty it",
		Confirm: resource.Confirm{
			Title:    "Empty bucket",
			Effect:   effect,
			Word:     fmt.Sprint(b.Objects),
			Required: true,
		},
	}
}

// slowEmptyObjects is the number of objects from which emptying takes so long that the question names another way.
const slowEmptyObjects = 100_000

// OfferResumeEmptying offers to go on emptying the buckets that an earlier run did not finish.
func OfferResumeEmptying(a *account.Account) tea.Cmd {
	var actions []ui.Action
	for _, e := range a.Journal.Unfinished(client.OpEmptyBucket) {
		// the id is cluster/bucket/prefix
		if parts := strings.SplitN(e.Change.ID, "/", 3); len(parts) == 3 {
			actions = append(actions, ui.Action{
				Key:       ui.Bind("go on emptying "+client.Clean(parts[1]), fmt.Sprint(len(actions)+1)),
				Writes:    true,
				OpensView: true,
				Do: func() tea.Cmd {
					return resumeEmptying(a, client.ObjectRef{Cluster: parts[0], Bucket: parts[1], Name: parts[2]})
				},
			})
		}
	}
	if len(actions) == 0 {
		return nil
	}
	actions = append(actions, ui.Action{Key: ui.Bind("leave what is left", "l"), Do: func() tea.Cmd { return nil }})
	return ui.Send(ui.Menu{Title: "Emptying was interrupted", Actions: actions})
}

// resumeEmptying goes on deleting what begins with a prefix. The menu was the question, except on a protected account.
func resumeEmptying(a *account.Account, prefix client.ObjectRef) tea.Cmd {
	ask := account.Ask{
		Ops:  []string{client.OpEmptyBucket},
		IDs:  []string{prefix.ID()},
		Name: "go on",
		Confirm: resource.Confirm{
			Title:  "Go on emptying",
			Effect: "Every object that is left in " + client.Clean(prefix.ID()) + " is deleted for good.",
		},
	}
	return a.AskConsent(ask, func(c account.Consents) tea.Cmd {
		a.Transfers.Empty(c[client.OpEmptyBucket], prefix.Cluster, prefix.Bucket, prefix.Name)
		return account.SyncTransfers(a)
	})
}
