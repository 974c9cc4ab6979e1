package operation

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/client/transfer"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
)

// SyncTransfers shows the transfers as they are now, and reports those that have ended.
func SyncTransfers(a *account.Account) {
	a.TransferStore().Replace(account.NewTransferRows(a))
	reportEnded(a)
}

// WatchTransfers shows the transfers whenever they have made progress, until the account is closed.
func WatchTransfers(a *account.Account) {
	changed := a.Transfers.Changed()
	a.Go(func() (apply func()) {
		select {
		case <-changed:
			return func() {
				WatchTransfers(a)
				SyncTransfers(a)
			}
		case <-a.Context.Done():
			return nil
		}
	})
}

// reportEnded reports new completions. Once a batch has ended, or no transfer is left, it reads the buckets again that
// were changed.
func reportEnded(a *account.Account) {
	ended := a.Transfers.UnfinishedCount() == 0
	ends := a.Transfers.Completions(a.ReportedEnds)
	a.ReportedEnds += len(ends)
	for i, end := range ends {
		a.TransferStore().Highlights.Add(account.TransferID(end.Status))
		a.BucketsChanged = a.BucketsChanged || end.Status.Kind != transfer.Download
		ended = ended || end.Batch.Remaining == 0
		whole := func(later transfer.EndReport) bool {
			return later.Status.Batch == end.Status.Batch && later.Batch.Remaining == 0
		}
		if end.Batch.Remaining > 0 && slices.ContainsFunc(ends[i:], whole) {
			continue // the message of the whole batch follows at once and says as much
		}
		Post(a, transferStatus(end))
	}
	if a.BucketsChanged && ended {
		a.BucketsChanged = false
		a.Buckets().Refresh()
		for _, l := range a.OpenListings {
			l.Refresh()
		}
	}
}

// transferStatus returns the message of a completion: one line for a whole batch, and one for the first file that
// failed.
func transferStatus(end transfer.EndReport) tea.Cmd {
	row, b := end.Status, end.Batch
	switch {
	case b.Remaining == 0 && b.Files > 1:
		return batchStatus(b)
	case row.State == transfer.Done:
		tone := theme.Good
		if row.AccessLost {
			tone = theme.Warn
		}
		return ui.ShowStatus(tone, fmt.Sprintf("%s: %s", TransferName(row), doneText(row)))
	case row.State == transfer.Cancelled && row.Note != "" && !row.Kind.MovesBytes():
		return ui.ShowStatus(theme.Warn, fmt.Sprintf("%s: %s was cancelled; %s", TransferName(row), row.Kind, row.Note))
	case row.State == transfer.Failed:
		text := fmt.Sprintf("%s %s: %s", row.Kind, TransferName(row), TransferErrorText(row))
		if b.Remaining > 0 {
			text += fmt.Sprintf(" · the other %s continue", wording.FormatCount(int64(b.Remaining)))
		}
		return ui.ShowStatus(theme.Bad, text)
	}
	return nil
}

// batchStatus returns the message of a completed batch: what failed is first, because the end may be cut off.
func batchStatus(b transfer.Batch) tea.Cmd {
	text, tone := wording.FormatCount(int64(b.Files))+" files", theme.Good
	failed := "failed"
	if b.FirstFailed != nil && lists.IsUnknown(b.FirstFailed.Err) {
		failed = "failed or unknown"
	}
	switch {
	case b.Done == 0 && failed == "failed":
		text, tone = "none of "+text, theme.Info
	case b.Done < b.Files:
		text, tone = wording.FormatCount(int64(b.Done))+" of "+text, theme.Info
	}
	if b.Refused > 0 {
		tone = theme.Warn
	}
	bucket := client.Clean(b.Bucket)
	what := "uploaded to " + bucket
	switch b.Kind {
	case transfer.Copy:
		what = "copied to " + bucket
	case transfer.Move:
		what = "moved to " + bucket
	case transfer.Download:
		what = "downloaded from " + bucket + " to " + client.Clean(b.Folder)
	}
	text += ": " + what + ", " + FormatSize(b.Bytes)
	if b.AccessLost > 0 {
		text, tone = fmt.Sprintf("access to %s not kept, see the transfers · %s",
			wording.Plural(b.AccessLost, "object", "objects"), text), theme.Warn
	}
	if b.Refused > 0 {
		text = fmt.Sprintf(
			"%s not sent, first %s: %s · %s", wording.FormatCount(int64(b.Refused)), TransferName(b.FirstRefused),
			TransferErrorText(b.FirstRefused), text,
		)
	}
	if b.Failed > 0 {
		text, tone = fmt.Sprintf(
			"%s %s, first %s: %s · %s", wording.FormatCount(int64(b.Failed)), failed, TransferName(b.FirstFailed),
			TransferErrorText(b.FirstFailed), text,
		), theme.Bad
	}
	return ui.ShowStatus(tone, text)
}

// doneText says what a finished transfer has done.
func doneText(row *transfer.Status) string {
	switch row.Kind {
	case transfer.Download:
		return "downloaded to " + client.Clean(row.LocalPath.Raw())
	case transfer.Upload:
		text := "uploaded, " + FormatSize(row.Total)
		if row.AccessLost {
			text += "; " + client.Clean(row.Note)
		}
		return text
	case transfer.Delete:
		return wording.Plural(int(row.Done), "object is deleted", "objects are deleted")
	case transfer.Copy, transfer.Move:
		verb := "copied"
		if row.Kind == transfer.Move {
			verb = "moved"
		}
		return verb + " from " + row.Source.String() + wording.WithPrefix("; ", client.Clean(row.Note))
	}
	return "emptied, " + wording.Plural(int(row.Done), "object", "objects")
}

// TransferErrorText returns why a transfer failed and the next step, or "". The error is safe to display: if it were
// cleaned again, a name would look like another one.
func TransferErrorText(row *transfer.Status) string {
	if row.Err == nil {
		return ""
	}
	return wording.Reason(row.Err) + wording.WithPrefix(" · ", wording.Advice(row.Err))
}

// TransferName returns what a transfer moves.
func TransferName(row *transfer.Status) string {
	what := row.Bucket
	switch {
	case row.Kind == transfer.Empty:
		what += wording.WithPrefix(" › ", row.Name.Raw())
	case row.Name.Raw() == "":
		what = wording.Plural(int(row.Total), "object", "objects") + " in " + what
	default:
		return row.Name.String()
	}
	return client.Clean(what)
}

// FormatAmount returns an amount of a transfer, which counts bytes or objects.
func FormatAmount(r *transfer.Status, n int64) string {
	if r.Kind.MovesBytes() {
		return FormatSize(n)
	}
	return wording.FormatCount(n)
}
