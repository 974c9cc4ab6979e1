package account

import (
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/transfer"
	"lookout/theme"
	"lookout/ui"
)

// syncTransferStore replaces the rows of the store by the transfers as they are now.
func syncTransferStore(a *Account) tea.Cmd {
	return a.TransferStore().Replace(newTransferStorage(a))
}

// SyncTransfers shows the transfers as they are now, and reports those that have ended.
func SyncTransfers(a *Account) tea.Cmd { return tea.Batch(syncTransferStore(a), reportEnded(a)) }

// WatchTransfers waits until a transfer makes progress, once: its message starts it again.
func WatchTransfers(a *Account) tea.Cmd {
	ctx, changed := a.Context, a.Transfers.Changed()
	return func() tea.Msg {
		select {
		case <-changed:
			return TransfersChanged{a, true}
		case <-ctx.Done():
			return nil
		}
	}
}

// TransfersChanged says that transfers have made progress.
type TransfersChanged struct {
	Account   *Account
	fromWatch bool // WatchTransfers sent it
}

// Deliver shows the progress, and reports the transfers that have ended.
func (m TransfersChanged) Deliver() tea.Cmd {
	if !m.fromWatch {
		return SyncTransfers(m.Account)
	}
	return tea.Batch(WatchTransfers(m.Account), SyncTransfers(m.Account))
}

// reportEnded reports new completions. Once a batch has ended, or no transfer is left, it reads the buckets again that
// were changed.
func reportEnded(a *Account) tea.Cmd {
	var cmds []tea.Cmd
	ended := a.Transfers.UnfinishedCount() == 0
	ends := a.Transfers.Completions(a.reportedEnds)
	a.reportedEnds += len(ends)
	for i, end := range ends {
		a.TransferStore().Highlights.Add(transferID(end.Status))
		a.bucketsChanged = a.bucketsChanged || end.Status.Kind != transfer.Download
		ended = ended || end.Batch.Remaining == 0
		whole := func(later transfer.EndReport) bool {
			return later.Status.Batch == end.Status.Batch && later.Batch.Remaining == 0
		}
		if end.Batch.Remaining > 0 && slices.ContainsFunc(ends[i:], whole) {
			continue // the message of the whole batch follows at once and says as much
		}
		cmds = append(cmds, transferStatus(end))
	}
	if a.bucketsChanged && ended {
		a.bucketsChanged = false
		cmds = append(cmds, a.Buckets().Refresh())
		for _, l := range a.OpenListings {
			cmds = append(cmds, l.Refresh())
		}
	}
	return tea.Batch(cmds...)
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
		return ui.ShowStatus(theme.Bad, fmt.Sprintf("%s %s: %s", row.Kind, TransferName(row), TransferErrorText(row))+
			ReasonIf(b.Remaining > 0, fmt.Sprintf(" · the other %s continue", ui.FormatCount(int64(b.Remaining)))))
	}
	return nil
}

// batchStatus returns the message of a completed batch: what failed is first, because the end may be cut off.
func batchStatus(b transfer.Batch) tea.Cmd {
	text, tone := ui.FormatCount(int64(b.Files))+" files", theme.Good
	failed := "failed"
	if b.FirstFailed != nil && ui.IsUnknown(b.FirstFailed.Err) {
		failed = "failed or unknown"
	}
	switch {
	case b.Done == 0 && failed == "failed":
		text, tone = "none of "+text, theme.Info
	case b.Done < b.Files:
		text, tone = ui.FormatCount(int64(b.Done))+" of "+text, theme.Info
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
			ui.Plural(b.AccessLost, "object", "objects"), text), theme.Warn
	}
	if b.Refused > 0 {
		text = fmt.Sprintf(
			"%s not sent, first %s: %s · %s", ui.FormatCount(int64(b.Refused)), TransferName(b.FirstRefused),
			TransferErrorText(b.FirstRefused), text,
		)
	}
	if b.Failed > 0 {
		text, tone = fmt.Sprintf(
			"%s %s, first %s: %s · %s", ui.FormatCount(int64(b.Failed)), failed, TransferName(b.FirstFailed),
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
		return ui.Plural(int(row.Done), "object is deleted", "objects are deleted")
	case transfer.Copy, transfer.Move:
		verb := "copied"
		if row.Kind == transfer.Move {
			verb = "moved"
		}
		return verb + " from " + row.Source.String() + ui.WithPrefix("; ", client.Clean(row.Note))
	}
	return "emptied, " + ui.Plural(int(row.Done), "object", "objects")
}

// TransferErrorText returns why a transfer failed and the next step, or "". The error is safe to display: if it were
// cleaned again, a name would look like another one.
func TransferErrorText(row *transfer.Status) string {
	if row.Err == nil {
		return ""
	}
	return ui.Reason(row.Err) + ui.WithPrefix(" · ", ui.Advice(row.Err))
}

// TransferName returns what a transfer moves.
func TransferName(row *transfer.Status) string {
	what := row.Bucket
	switch {
	case row.Kind == transfer.Empty:
		what += ui.WithPrefix(" › ", row.Name.Raw())
	case row.Name.Raw() == "":
		what = ui.Plural(int(row.Total), "object", "objects") + " in " + what
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
	return ui.FormatCount(n)
}

func transferID(r *transfer.Status) string { return strconv.Itoa(int(r.ID)) }

// transferRowStorage holds the transfers as they were at some time. Most of a million have no row until someone looks.
type transferRowStorage struct {
	all   transfer.Snapshot
	shown map[int]*transfer.Status // rows that were looked at last, because each frame draws them again
}

// maxShownTransfers is more than a screen shows.
const maxShownTransfers = 512

func newTransferStorage(a *Account) *transferRowStorage {
	return &transferRowStorage{a.Transfers.Snapshot(), map[int]*transfer.Status{}}
}

// Len returns the number of transfers.
func (m *transferRowStorage) Len() int { return m.all.Len() }

// At returns the transfer at position i.
func (m *transferRowStorage) At(i int) *transfer.Status {
	row, shown := m.shown[i]
	if !shown {
		if len(m.shown) == maxShownTransfers {
			clear(m.shown)
		}
		row = m.all.At(i)
		m.shown[i] = row
	}
	return row
}

// Index returns the position of an ID.
func (m *transferRowStorage) Index(id string) (int, bool) {
	n, err := strconv.Atoi(id)
	return n - 1, err == nil && n >= 1 && n <= m.Len()
}

// Append drops rows: only the manager adds transfers.
func (m *transferRowStorage) Append(rows []*transfer.Status) (dropped int) { return len(rows) }

// Put does nothing: only the manager changes transfers.
func (m *transferRowStorage) Put(string, *transfer.Status) {}

// Drop does nothing: all transfers of a run are kept.
func (m *transferRowStorage) Drop(string) {}

// Snapshot returns the rows as they are now.
func (m *transferRowStorage) Snapshot() func(i int) *transfer.Status { return m.all.At }
