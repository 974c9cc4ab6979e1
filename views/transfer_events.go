package views

import (
	"fmt"
	"lookout/client"
	"lookout/client/transfer"
	"lookout/theme"
	"lookout/ui"
	"path/filepath"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"
)

// syncTransferStore puts the transfers as they are now into the set.
func syncTransferStore(a *Account) tea.Cmd {
	return a.transferStore().Replace(&transferRowStorage{a.transfers.Snapshot()})
}

// syncTransfers looks at the transfers again.
func syncTransfers(a *Account) tea.Cmd { return tea.Batch(syncTransferStore(a), reportEnded(a)) }

// watchTransfers waits until transfers have moved. It says so once, and is asked again by whoever heard it.
func watchTransfers(a *Account) tea.Cmd {
	ctx, changed := a.ctx, a.transfers.Changed()
	return func() tea.Msg {
		select {
		case <-changed:
			return transfersChanged{a, true}
		case <-ctx.Done():
			return nil
		}
	}
}

// transfersChanged says that transfers have moved: the one message for all of them.
type transfersChanged struct {
	a         *Account
	fromWatch bool // it was the watch that saw it
}

// Deliver shows how far they are and tells ends.
func (m transfersChanged) Deliver() tea.Cmd {
	if !m.fromWatch {
		return syncTransfers(m.a)
	}
	return tea.Batch(watchTransfers(m.a), syncTransfers(m.a))
}

// reportEnded tells ends that have not been told, and reads again what transfers have changed once the last has ended.
func reportEnded(a *Account) tea.Cmd {
	var cmds []tea.Cmd
	ends := a.transfers.Completions(a.reportedEnds)
	a.reportedEnds += len(ends)
	for i, end := range ends {
		a.bucketsChanged = a.bucketsChanged || end.Status.Kind != transfer.Download
		whole := func(later transfer.Completion) bool {
			return later.Status.Batch == end.Status.Batch && later.Batch.Remaining == 0
		}
		if end.Batch.Remaining > 0 && slices.ContainsFunc(ends[i:], whole) {
			continue // its batch's end, which is told at once, says as much
		}
		cmds = append(cmds, transferNews(end))
	}
	if a.bucketsChanged && a.transfers.UnfinishedCount() == 0 {
		a.bucketsChanged = false
		cmds = append(cmds, a.buckets().Refresh())
		for _, l := range a.openListings {
			cmds = append(cmds, l.Refresh())
		}
	}
	return tea.Batch(cmds...)
}

// transferNews is the news of an end: one line for all that was asked for as one, and one before for the first that
// failed.
func transferNews(end transfer.Completion) tea.Cmd {
	row, b := end.Status, end.Batch
	switch {
	case b.Remaining == 0 && b.Files > 1:
		return batchNews(b)
	case row.State == transfer.Done:
		return ui.ShowNews(theme.Good, fmt.Sprintf("%s: %s", transferName(row), doneText(row)))
	case row.State == transfer.Failed:
		return ui.ShowNews(theme.Bad, fmt.Sprintf("%s %s: %s", row.Kind, transferName(row), transferErrorText(row))+
			reasonIf(b.Remaining > 0, fmt.Sprintf(" · the other %s go on", formatCount(int64(b.Remaining)))))
	}
	return nil
}

// batchNews is the news of a batch's end.
func batchNews(b transfer.Batch) tea.Cmd {
	text, tone := formatCount(int64(b.Files))+" files", theme.Good
	switch {
	case b.Done == 0:
		text, tone = "none of "+text, theme.Info
	case b.Done < b.Files:
		text, tone = formatCount(int64(b.Done))+" of "+text, theme.Info
	}
	what := "uploaded to " + client.Clean(b.Bucket)
	if b.Kind == transfer.Download {
		what = "downloaded from " + client.Clean(b.Bucket) + " to " + client.Clean(filepath.Base(b.Folder))
	}
	text += ": " + what + ", " + formatSize(b.Bytes)
	if b.Failed > 0 {
		text, tone = fmt.Sprintf(
			"%s · %s failed, first %s: %s",
			text,
			formatCount(int64(b.Failed)),
			transferName(b.FirstFailed),
			transferErrorText(b.FirstFailed),
		), theme.Bad
	}
	return ui.ShowNews(tone, text)
}

// doneText is a finished transfer in words.
func doneText(row *transfer.Status) string {
	switch row.Kind {
	case transfer.Download:
		return "downloaded to " + client.Clean(filepath.Base(row.LocalPath.Raw()))
	case transfer.Upload:
		return "uploaded, " + formatSize(row.Total)
	case transfer.Delete:
		return pluralize(int(row.Done), "object is deleted", "objects are deleted")
	}
	return "emptied, " + pluralize(int(row.Done), "object", "objects")
}

// transferErrorText is a transfer's error in words.
func transferErrorText(row *transfer.Status) string {
	if row.Err == nil {
		return ""
	}
	return client.Clean(ui.Reason(row.Err))
}

// transferName is what a transfer moves.
func transferName(row *transfer.Status) string {
	switch {
	case row.Kind == transfer.Empty:
		return client.Clean(row.Bucket + withPrefix(" › ", row.Name.Raw()))
	case row.Name.Raw() == "":
		return pluralize(int(row.Total), "object", "objects") + " in " + client.Clean(row.Bucket)
	}
	return row.Name.String()
}

// formatAmount is a count of bytes or of objects.
func formatAmount(r *transfer.Status, n int64) string {
	if r.Kind.MovesBytes() {
		return formatSize(n)
	}
	return formatCount(n)
}

func transferID(r *transfer.Status) string { return strconv.Itoa(int(r.ID)) }
