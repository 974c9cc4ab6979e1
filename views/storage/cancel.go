package storage

import (
	"cmp"
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/operation"
	"lookout/views/resource"
)

// cancelStorageDelay is the time before the question about cancelling can be answered.
const cancelStorageDelay = 10 * time.Second

// cancelStorageAction ends Object Storage for the account. It has no key: only the menu of all actions offers it.
func cancelStorageAction(a *account.Account) ui.Action {
	return ui.Action{
		Key:            ui.Bind("cancel Object Storage"),
		Group:          "the account",
		Writes:         true,
		OpensView:      true,
		Description:    "deletes all buckets and everything in them, for good",
		DisabledReason: a.MissingScope(client.OpCancelObjectStorage),
		Do:             func() tea.Cmd { return countThenCancelStorage(a) },
	}
}

// storageContents is what would be lost.
type storageContents struct {
	buckets lists.RowPage[*client.Bucket]
	keys    []*client.AccessKey
}

// countThenCancelStorage reads what would be lost, then asks for the account's name.
func countThenCancelStorage(a *account.Account) tea.Cmd {
	ctx := a.Context
	failed := func(what string, err error) tea.Msg {
		text := "cancel Object Storage: cannot count " + what + ": " + wording.Reason(err)
		return ui.StatusMsg{Tone: theme.Bad, Text: text}
	}
	return ui.WhileWorking("counting what would be lost", func() tea.Msg {
		buckets, err := a.FetchAllBuckets(ctx)
		if err != nil {
			return failed("what would be lost", err)
		}
		keys, err := account.Collect(a.API.Keys.All(ctx))
		if err != nil {
			return failed("the keys", err)
		}
		lost := storageContents{buckets, keys}
		return operation.AskConsentMsg(a, lost.askToCancel(a), func(c account.Consents) tea.Cmd {
			return func() tea.Msg {
				result := cancelStorageResult{a: a, err: cancelStorage(ctx, a, lost, c[client.OpCancelObjectStorage])}
				if !lists.IsUnknown(result.err) {
					return result
				}
				now, err := a.FetchAllBuckets(ctx)
				result.remaining = fmt.Sprintf(
					"buckets now: %d of %d · check before you try again", len(now.Rows), len(buckets.Rows),
				)
				if err != nil {
					result.remaining = "cannot count the buckets: " + wording.Reason(err)
				}
				return result
			}
		})
	})
}

// CancelEffect says what cancelling Object Storage would delete, with "at least" if buckets may be missing.
func CancelEffect(accountName string, buckets []*client.Bucket, incomplete bool, keys int) string {
	lost := ""
	if keys > 0 {
		lost = wording.Plural(keys, "key stops", "keys stop") + " working"
	}
	switch {
	case len(buckets) > 0:
		return fmt.Sprintf("This deletes %s%s of account %q with %s) FOR GOOD%s. Nothing can bring them back.",
			wording.If(incomplete, "at least "), wording.Plural(len(buckets), "bucket", "buckets"), accountName,
			operation.FormatTotal(client.TotalOf(buckets), " ("), wording.WithPrefix(", and ", lost))
	case incomplete:
		return fmt.Sprintf("Not all buckets of account %q could be listed. This deletes all of them FOR GOOD, "+
			"listed or not%s. Nothing can bring them back.", accountName, wording.WithPrefix(", and ", lost))
	case keys > 0:
		return fmt.Sprintf("Account %q has no buckets, so this deletes no data, but %s.", accountName, lost)
	}
	return fmt.Sprintf("Account %q has no buckets and no keys, so this deletes nothing.", accountName)
}

// askToCancel is the question, with a line for each bucket.
func (lost storageContents) askToCancel(a *account.Account) operation.ConfirmationRequest {
	lines := make([]string, 0, len(lost.buckets.Rows)+len(lost.buckets.Notes))
	for _, b := range lost.buckets.Rows {
		total := operation.FormatTotal(client.TotalOf([]*client.Bucket{b}), ", ")
		lines = append(lines, fmt.Sprintf("%s in %s: %s", b.Label, b.Location(), total))
	}
	return operation.ConfirmationRequest{
		Ops:   []string{client.OpCancelObjectStorage},
		IDs:   []string{a.Name},
		Name:  "cancel Object Storage",
		Items: append(lines, lost.buckets.Notes...),
		Confirm: resource.ConfirmationSpec{
			Title:    "Cancel Object Storage",
			Effect:   CancelEffect(a.Name, lost.buckets.Rows, len(lost.buckets.Missing) > 0, len(lost.keys)),
			Word:     a.Name,
			Required: true,
			Delay:    cancelStorageDelay,
			NoPaste:  true,
		},
	}
}

// cancelStorage sends the change.
func cancelStorage(ctx context.Context, a *account.Account, lost storageContents, consent *client.Consent) error {
	labels := make([]string, len(lost.buckets.Rows))
	for i, b := range lost.buckets.Rows {
		labels[i] = b.ID()
	}
	total := client.TotalOf(lost.buckets.Rows)
	w, err := a.API.Begin(client.Change{
		Op:       client.OpCancelObjectStorage,
		Resource: "account",
		ID:       a.Name,
		Label:    a.Name,
		Before: map[string]any{
			"buckets": labels,
			"objects": total.Objects,
			"size":    total.Size,
			"keys":    len(lost.keys),
		},
	}, consent)
	if err != nil {
		return err
	}
	return w.CancelObjectStorage(ctx)
}

// cancelStorageResult is how cancelling ended.
type cancelStorageResult struct {
	a         *account.Account
	err       error
	remaining string // what is left, if the outcome is unknown
}

// Deliver brings the message and reads again what is left.
func (m cancelStorageResult) Deliver() tea.Cmd {
	message := ui.ReportChange(theme.Good, "Object Storage is cancelled")
	if m.err != nil {
		next := cmp.Or(wording.WithPrefix(" · ", m.remaining), wording.RejectionSuffix(m.err))
		message = ui.ShowStatus(theme.Bad, "cancel Object Storage: "+wording.Reason(m.err)+next)
	}
	account.RefreshAll(m.a.Buckets(), m.a.Keys(), m.a.TransferUsage())
	m.a.ResumeLookups(m.a.UnresolvedChanges(), "")
	return message
}
