package activity

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/lists"
	"lookout/client/transfer"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/views/operation"
	"lookout/views/resource"
)

// TransfersPane returns the pane of the downloads and uploads of this run.
func TransfersPane(a *account.Account) ui.Pane {
	return &table.List[*transfer.Status]{
		Title:       "transfers",
		Store:       a.TransferStore(),
		AutoRefresh: table.AutoRefreshOptions{Disabled: true},
		SortBy:      "state",
		Columns:     transferColumns(),
		RowActions:  transferOperations(a),
		PaneActions: func() []ui.Action { return transferActions(a) },
		Detail:      func(r *transfer.Status, b ui.Box) string { return transferDetail(a, r, b) },
		Footer:      func(_ *lists.RowStore[*transfer.Status], b ui.Box) string { return transfersFoot(a, b) },
		EmptyText:   "no transfers in this run · w on an object downloads, U in a bucket uploads",
		BadgeFunc: func() (string, theme.Tone) {
			n := a.Transfers.UnfinishedCount()
			return wording.If(n > 0, wording.FormatCount(int64(n))), theme.Accent
		},
		Label: operation.TransferName,
	}
}

// transferColumns returns the columns of the transfers pane.
func transferColumns() []table.Column[*transfer.Status] {
	type row = *transfer.Status
	kind := func(r row) string { return r.Kind.String() }
	done := func(r row) string { return operation.FormatAmount(r, r.Done) }
	return resource.PaneColumns(
		resource.PaneColumn("state", transferState).Width(11).RankedBy(transferRank),
		resource.PaneColumn("what", table.TextCell(theme.Muted, kind)).Width(8).Drop(4, 0),
		resource.PaneColumn("name", table.TextCell(theme.Plain, operation.TransferName)).MinWidth(15).Label(),
		resource.PaneColumn("progress", progressCell).Width(10).FilterByName().FilteredBy(progressValue).
			SortedBy(func(r, s row) bool { return progressFraction(r) < progressFraction(s) }),
		resource.PaneColumn("done", table.TextCell(theme.Plain, done)).Width(9).AlignRight().Drop(3, 0).FilterByName().
			SortedBy(func(r, s row) bool { return r.Done < s.Done }),
		resource.PaneColumn("rate", rateCell).Width(10).AlignRight().Drop(1, 0).FilterByName().
			SortedBy(func(r, s row) bool { return r.Rate < s.Rate }),
		resource.PaneColumn("left", timeLeftCell).Width(8).AlignRight().Drop(2, 0).FilterByName().
			SortedBy(func(r, s row) bool { return r.ETA < s.ETA }),
	)
}

// transferRank sorts transfers: running, waiting, failed, done. Ended ones are sorted by their end, latest first.
func transferRank(r *transfer.Status) table.SortRank {
	switch r.State {
	case transfer.Running:
		return table.SortRank{Number: 0}
	case transfer.Paused:
		return table.SortRank{Number: 1}
	case transfer.Waiting:
		return table.SortRank{Number: 2}
	case transfer.Failed:
		return table.SortRank{Number: 3, NewestFirst: true}
	case transfer.Cancelled:
		return table.SortRank{Number: 4, NewestFirst: true}
	}
	return table.SortRank{Number: 5, NewestFirst: true}
}

func transferState(r *transfer.Status, b ui.Box) (string, theme.Tone) {
	g := b.Theme.Glyphs
	switch r.State {
	case transfer.Running:
		if r.StalledFor > 0 {
			return g.Pending + " stalled", theme.Warn
		}
		return g.Live + " running", theme.Accent
	case transfer.Done:
		return g.Success + " done", theme.Good
	case transfer.Failed:
		if lists.IsUnknown(r.Err) {
			return g.Problem + " unknown", theme.Warn
		}
		return g.Failure + " failed", theme.Bad
	case transfer.Paused:
		return g.Disabled + " paused", theme.Warn
	}
	return g.Pending + " " + r.State.String(), theme.Muted
}

// progressFraction returns how much of a transfer is done, from 0 to 1; 0 if its size is not known.
func progressFraction(r *transfer.Status) float64 {
	if r.Total <= 0 {
		return 0
	}
	return min(1, float64(r.Done)/float64(r.Total))
}

// progressValue returns how much of a transfer is done, in percent; "" if its size is not known.
func progressValue(r *transfer.Status) string {
	if r.Total <= 0 {
		return ""
	}
	return fmt.Sprintf("%.0f", 100*progressFraction(r))
}

func progressCell(r *transfer.Status, b ui.Box) (string, theme.Tone) {
	if r.Total <= 0 {
		return "", theme.Plain
	}
	share := progressFraction(r)
	filled := int(share * 4)
	return fmt.Sprintf(
		"%s%s %3.0f %%", strings.Repeat(b.Theme.Glyphs.Full, filled), strings.Repeat(b.Theme.Glyphs.Empty, 4-filled),
		share*100,
	), theme.Plain
}

func rateCell(r *transfer.Status, _ ui.Box) (string, theme.Tone) {
	if r.Rate <= 0 || r.State != transfer.Running {
		return "", theme.Muted
	}
	return operation.FormatAmount(r, int64(r.Rate)) + "/s", theme.Muted
}

func timeLeftCell(r *transfer.Status, _ ui.Box) (string, theme.Tone) {
	if r.ETA == transfer.NoETA || r.State != transfer.Running {
		return "", theme.Muted
	}
	return wording.FormatAge(r.ETA), theme.Muted
}

// runAsync does something to all transfers outside the event loop: there may be a hundred thousand.
func runAsync(a *account.Account, do func()) tea.Cmd {
	a.Go(func() (apply func()) {
		do()
		return func() { operation.SyncTransfers(a) }
	})
	return nil
}

// forEachTransfer returns a command that does something to each of some transfers.
func forEachTransfer(a *account.Account, do func(transfer.ID)) func([]*transfer.Status) tea.Cmd {
	return func(rows []*transfer.Status) tea.Cmd {
		return runAsync(a, func() {
			for _, r := range rows {
				do(r.ID)
			}
		})
	}
}

// canPause reports whether a transfer is running or waiting.
func canPause(r *transfer.Status) bool { return r.State.Unfinished() && r.State != transfer.Paused }

// transferOperations returns the actions on the selected transfers.
func transferOperations(a *account.Account) []table.RowAction[*transfer.Status] {
	return []table.RowAction[*transfer.Status]{
		{
			Keys:        []string{"d"},
			Name:        "pause or resume",
			Description: "if several are marked, it pauses them all, or resumes them all if none is running or waiting",
			ShowInHints: true,
			DisabledReason: func(r *transfer.Status) string {
				return wording.If(!r.State.Unfinished(), "it has ended")
			},
			ShownName: func(r *transfer.Status) string {
				if canPause(r) {
					return "pause"
				}
				return "resume"
			},
			BatchCmd: func(rows []*transfer.Status) tea.Cmd {
				if slices.ContainsFunc(rows, canPause) {
					return forEachTransfer(a, a.Transfers.Pause)(rows)
				}
				return forEachTransfer(a, a.Transfers.Resume)(rows)
			},
		},
		{
			Keys:        []string{"e"},
			Name:        "try again",
			ShowInHints: true,
			DisabledReason: func(r *transfer.Status) string {
				retryable := r.State == transfer.Failed || r.State == transfer.Cancelled
				return wording.If(!retryable, "it has not failed")
			},
			BatchCmd: forEachTransfer(a, a.Transfers.Retry),
		},
		{
			Keys:        []string{"D"},
			Name:        "cancel",
			Description: "stop it, and remove the partial file of a download",
			ShowInHints: true,
			DisabledReason: func(r *transfer.Status) string {
				return wording.If(!r.State.Unfinished(), "it has ended")
			},
			BatchCmd: func(rows []*transfer.Status) tea.Cmd {
				cancel := func() tea.Cmd { return forEachTransfer(a, a.Transfers.Cancel)(rows) }
				return confirmCancelTransfers(describeCancelCost(rows), cancel)
			},
		},
	}
}

// confirmCancelTransfers asks before it cancels transfers, because what they have fetched is lost.
func confirmCancelTransfers(cost string, cancel func() tea.Cmd) tea.Cmd {
	return ui.Send(ui.RunActionMsg{Action: ui.Action{
		Key: ui.Bind("cancel"),
		Do:  cancel,
		Confirm: &ui.Confirmation{
			Title:        "Cancel transfers",
			ConfirmLabel: "cancel",
			Text:         cost + " Pausing keeps it.",
		},
	}})
}

// describeCancelAll says what is lost when all transfers are cancelled. Those that only wait have fetched nothing.
func describeCancelAll(a *account.Account) string {
	var rows []*transfer.Status
	waiting, all := 0, a.Transfers.Snapshot()
	for i := range all.Len() {
		switch s := all.State(i); {
		case s == transfer.Waiting && len(rows) > 1:
			waiting++
		case s.Unfinished():
			rows = append(rows, all.At(i))
		}
	}
	return describeCancel(rows, waiting)
}

// describeCancelCost says what is lost when transfers are cancelled. It names a single transfer, because the cursor may
// be on another one by now.
func describeCancelCost(rows []*transfer.Status) string { return describeCancel(rows, 0) }

// describeCancel is describeCancelCost with more transfers that wait.
func describeCancel(rows []*transfer.Status, waiting int) string {
	var fetched int64
	var ends []*transfer.Status
	for _, r := range rows {
		if !r.State.Unfinished() {
			continue
		}
		ends = append(ends, r)
		if r.Kind == transfer.Download {
			fetched += r.Done
		}
	}
	text := wording.FormatCount(int64(len(ends)+waiting)) + " transfers will be cancelled."
	if len(ends)+waiting == 1 {
		text = fmt.Sprintf("The %s of %s will be cancelled.", ends[0].Kind, operation.TransferName(ends[0]))
	}
	if fetched > 0 {
		text += " " + operation.FormatSize(fetched) + " of downloaded data will be thrown away."
	}
	return text
}

// transferActions returns the actions on all transfers.
func transferActions(a *account.Account) []ui.Action {
	all := func(do func()) func() tea.Cmd {
		return func() tea.Cmd { return runAsync(a, do) }
	}
	idle := wording.If(a.Transfers.UnfinishedCount() == 0, "nothing is under way")
	return []ui.Action{
		{Key: ui.Bind("pause all"), Group: "this list", DisabledReason: idle, Do: all(a.Transfers.PauseAll)},
		{Key: ui.Bind("resume all"), Group: "this list", DisabledReason: idle, Do: all(a.Transfers.ResumeAll)},
		{
			Key:            ui.Bind("cancel all"),
			Group:          "this list",
			DisabledReason: idle,
			Do: func() tea.Cmd {
				return confirmCancelTransfers(describeCancelAll(a), all(a.Transfers.CancelAll))
			},
		},
		{Key: ui.Bind("try all again"), Group: "this list", Do: all(a.Transfers.RetryAll)},
	}
}

func transferDetail(a *account.Account, r *transfer.Status, b ui.Box) string {
	t := operation.NewDetailWriter(b)
	state, tone := transferState(r, b)
	t.Title(operation.TransferName(r))
	t.Field("state", state, tone)
	t.Field("what", r.Kind.String(), theme.Plain)
	t.Field("bucket", client.Clean(r.Cluster+"/"+r.Bucket), theme.Plain)
	if r.LocalPath.Raw() != "" {
		t.Field("file", r.LocalPath.String(), theme.Plain)
	}
	if r.Source.Raw() != "" {
		t.Field("from", r.Source.String(), theme.Plain)
	}
	done := operation.FormatAmount(r, r.Done)
	if r.Total > 0 {
		done += " of " + operation.FormatAmount(r, r.Total)
	}
	t.Field("done", done, theme.Plain)
	if rate, _ := rateCell(r, b); rate != "" {
		left, _ := timeLeftCell(r, b)
		t.Field("rate", rate, theme.Plain)
		t.Field("left", cmp.Or(left, "not known"), theme.Plain)
	}
	if r.StalledFor > 0 {
		t.Field("stalled", "no data for "+wording.FormatAge(r.StalledFor), theme.Warn)
	}
	if r.Note != "" {
		t.Field("note", client.Clean(r.Note), theme.Info)
	}
	if r.Err != nil {
		t.Heading("why")
		t.Paragraph(operation.TransferErrorText(r), theme.Bad)
	}
	if !r.Started.IsZero() {
		t.Field("started", r.Started.In(a.Location).Format("15:04:05"), theme.Muted)
	}
	if !r.Ended.IsZero() {
		t.Field(
			"ended",
			fmt.Sprintf(
				"%s, after %s", r.Ended.In(a.Location).Format("15:04:05"), wording.FormatAge(r.Ended.Sub(r.Started)),
			),
			theme.Muted,
		)
	}
	return t.String()
}

// stateCounts returns how many transfers are in each state, the most important states first.
func stateCounts(t transfer.Totals) []string {
	var words []string
	order := []transfer.State{
		transfer.Failed, transfer.Running, transfer.Waiting, transfer.Paused, transfer.Done, transfer.Cancelled,
	}
	for _, s := range order {
		if n := t.States[s]; n > 0 {
			words = append(words, wording.FormatCount(int64(n))+" "+s.String())
		}
	}
	return words
}

// joinFitting joins as many parts of a line as fit the width. Each letter must be one cell wide.
func joinFitting(parts []string, width int) string {
	for len(parts) > 1 && utf8.RuneCountInString(strings.Join(parts, " · ")) > width {
		parts = parts[:len(parts)-1]
	}
	return strings.Join(parts, " · ")
}

// bytesMoved returns how many bytes are moved, the rate, and the time left.
func bytesMoved(a *account.Account, t transfer.Totals) []string {
	parts := []string{fmt.Sprintf(
		"%s of %s, %.0f %%", operation.FormatSize(t.Done), operation.FormatSize(t.Total),
		float64(t.Done)*100/float64(t.Total),
	)}
	if flow := a.Transfers.Throughput(); flow.Rate > 0 && t.States[transfer.Running] > 0 {
		parts = append(parts, operation.FormatSize(int64(flow.Rate))+"/s")
		if left := flow.ETA(t.Total - t.Done); left != transfer.NoETA {
			parts = append(parts, wording.FormatAge(left)+" left")
		}
	}
	return parts
}

// objectsDeleted returns how many objects are deleted, the rate, and the time left.
func objectsDeleted(t transfer.Totals) []string {
	parts := []string{fmt.Sprintf("%s of %s deleted", wording.FormatCount(t.Deleted),
		wording.Plural(int(t.ToDelete), "object", "objects"))}
	if t.DeletionRate > 0 {
		parts = append(parts, wording.FormatCount(int64(t.DeletionRate))+"/s")
	}
	if t.DeletionETA > 0 {
		parts = append(parts, wording.FormatAge(t.DeletionETA)+" left")
	}
	return parts
}

// transfersFoot returns the progress of all transfers together, their rate and the time left.
func transfersFoot(a *account.Account, b ui.Box) string {
	t := a.Transfers.Totals()
	parts := []string{"nothing is under way"}
	switch {
	case t.Active && t.Total > 0:
		parts = bytesMoved(a, t)
	case a.Transfers.UnfinishedCount() > 0:
		parts = nil
	}
	parts = append(parts, stateCounts(t)...)
	return b.Theme.Paint(theme.Muted, joinFitting(parts, b.Width))
}

// Progress returns the progress of everything under way.
func Progress(a *account.Account) ui.Progress {
	if a.Transfers.UnfinishedCount() == 0 {
		return ui.Progress{}
	}
	p, t := ui.Progress{Pane: "transfers"}, a.Transfers.Totals()
	if t.Active {
		p.Parts = []string{
			fmt.Sprintf("%s of %s", wording.FormatCount(int64(t.Ended)), wording.Plural(t.Files, "file", "files")),
		}
	}
	if t.Active && t.Total > 0 {
		p.Percent = int(max(1, min(99, float64(t.Done)*100/float64(t.Total))))
		p.Parts = append(p.Parts, bytesMoved(a, t)...)
	}
	if t.ToDelete > 0 {
		p.Parts = append(p.Parts, objectsDeleted(t)...)
	}
	if n := t.States[transfer.Paused]; n > 0 {
		p.Parts = append(p.Parts, wording.FormatCount(int64(n))+" "+transfer.Paused.String())
	}
	return p
}

// UnfinishedText says what would be lost by quitting now; "" if nothing is under way.
func UnfinishedText(a *account.Account) string {
	n := a.Transfers.UnfinishedCount()
	if n == 0 {
		return ""
	}
	next := "Downloads resume when you start them again; uploads start over."
	if a.Transfers.KeepsUnfinished() {
		next = "Downloads are offered again at the next start; uploads, copies and moves are not."
	}
	return wording.Plural(n, "transfer is", "transfers are") + " unfinished. " + next
}
