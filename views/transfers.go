package views

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/transfer"
	"lookout/theme"
	"lookout/ui"
)

// running is the set of this run's transfers. It is read from the manager, not from the API.
func (a *Account) running() *ui.Set[*transfer.Row] {
	return share(a, "transfers", func(r *transfer.Row) string { return fmt.Sprint(r.ID) }, func(context.Context, string) (ui.Page[*transfer.Row], error) {
		return ui.Page[*transfer.Row]{Rows: pointed(a.transfers.Snapshot())}, nil
	})
}

// moved looks at the transfers again.
func (a *Account) moved() tea.Cmd { return a.running().Refresh() }

// watch waits until transfers have moved. It says so once, and is asked again by whoever heard it.
func (a *Account) watch() tea.Cmd {
	ctx, changed := a.ctx, a.transfers.Changed()
	return func() tea.Msg {
		select {
		case <-changed:
			return motion{a}
		case <-ctx.Done():
			return nil
		}
	}
}

// motion says that transfers have moved.
type motion struct{ a *Account }

// Deliver shows how far they are, tells ends, and reads again what they have changed once the last has ended.
func (m motion) Deliver() tea.Cmd {
	a := m.a
	cmds := []tea.Cmd{a.watch(), a.moved()}
	for _, row := range pointed(a.transfers.Snapshot()) {
		if row.State.Unfinished() {
			delete(a.seen, row.ID)
			continue
		}
		if a.seen[row.ID] != row.State {
			a.seen[row.ID] = row.State
			a.stirred = a.stirred || row.Kind != transfer.Download
			cmds = append(cmds, told(row))
		}
	}
	if a.stirred && a.transfers.Busy() == 0 {
		a.stirred = false
		cmds = append(cmds, a.buckets().Refresh())
		for _, l := range a.listings {
			cmds = append(cmds, l.Set.Refresh())
		}
	}
	return tea.Batch(cmds...)
}

// told is the news of a transfer's end.
func told(row *transfer.Row) tea.Cmd {
	switch row.State {
	case transfer.Done:
		return ui.News(theme.Good, fmt.Sprintf("%s: %s", transferName(row), done(row)))
	case transfer.Failed:
		return ui.News(theme.Bad, fmt.Sprintf("%s %s: %s", row.Kind, transferName(row), why(row)))
	}
	return nil
}

// done is a finished transfer in words.
func done(row *transfer.Row) string {
	switch row.Kind {
	case transfer.Download:
		return "downloaded to " + client.Clean(filepath.Base(row.Local.Raw()))
	case transfer.Upload:
		return "uploaded, " + size(row.Total)
	case transfer.Delete:
		return count(int(row.Done), "object is deleted", "objects are deleted")
	}
	return "emptied, " + count(int(row.Done), "object", "objects")
}

// why is a transfer's error in words.
func why(row *transfer.Row) string {
	if row.Err == nil {
		return ""
	}
	return client.Clean(ui.Reason(row.Err))
}

// transferName is what a transfer moves.
func transferName(row *transfer.Row) string {
	switch {
	case row.Kind == transfer.Empty:
		return client.Clean(row.Bucket + prefixed(" › ", row.Name.Raw()))
	case row.Name.Raw() == "":
		return count(int(row.Total), "object", "objects") + " in " + client.Clean(row.Bucket)
	}
	return row.Name.String()
}

func (a *Account) transfersPane() ui.Pane {
	return &ui.List[*transfer.Row]{
		Title: "transfers",
		Set:   a.running(),
		Still: true,
		Columns: []ui.Column[*transfer.Row]{
			{Title: "state", Width: 12, Cell: transferState, Less: func(r, s *transfer.Row) bool { return r.State < s.State }},
			{Title: "what", Width: 8, Drop: 3, Cell: func(r *transfer.Row, _ ui.Box) (string, theme.Tone) { return r.Kind.String(), theme.Muted }},
			{Title: "name", Min: 20, Cell: func(r *transfer.Row, _ ui.Box) (string, theme.Tone) { return transferName(r), theme.Strong }},
			{Title: "progress", Width: 22, Cell: progressCell},
			{Title: "rate", Width: 11, Right: true, Drop: 2, Cell: rateCell},
			{Title: "left", Width: 8, Right: true, Drop: 1, Cell: leftCell},
		},
		Acts:   a.transferActs(),
		Always: a.transferActions,
		Detail: a.transferDetail,
		Foot:   func(_ *ui.Set[*transfer.Row], b ui.Box) string { return a.transfersFoot(b) },
		Empty:  "no transfers in this run · w on an object downloads, U in a bucket uploads",
		Count:  a.transfersBadge,
		Label:  transferName,
	}
}

func transferState(r *transfer.Row, b ui.Box) (string, theme.Tone) {
	g := b.Theme.Glyphs
	switch r.State {
	case transfer.Running:
		if r.Stalled > 0 {
			return g.Pending + " stalled", theme.Warn
		}
		return g.Live + " running", theme.Accent
	case transfer.Done:
		return g.Done + " done", theme.Good
	case transfer.Failed:
		return g.Refused + " failed", theme.Bad
	case transfer.Paused:
		return g.Disabled + " paused", theme.Warn
	}
	return g.Pending + " " + r.State.String(), theme.Muted
}

// amount is a count of bytes or of objects.
func amount(r *transfer.Row, n int64) string {
	if r.Kind == transfer.Delete || r.Kind == transfer.Empty {
		return grouped(n)
	}
	return size(n)
}

func progressCell(r *transfer.Row, b ui.Box) (string, theme.Tone) {
	if r.Total <= 0 {
		return amount(r, r.Done), theme.Plain
	}
	share := min(1, float64(r.Done)/float64(r.Total))
	filled := int(share * 8)
	return fmt.Sprintf("%s%s %3.0f %% %s", strings.Repeat(b.Theme.Glyphs.Full, filled), strings.Repeat(b.Theme.Glyphs.Empty, 8-filled), share*100, amount(r, r.Done)), theme.Plain
}

func rateCell(r *transfer.Row, _ ui.Box) (string, theme.Tone) {
	if r.Rate <= 0 || r.State != transfer.Running {
		return "", theme.Muted
	}
	return amount(r, int64(r.Rate)) + "/s", theme.Muted
}

func leftCell(r *transfer.Row, _ ui.Box) (string, theme.Tone) {
	if r.ETA == transfer.NoETA || r.State != transfer.Running {
		return "", theme.Muted
	}
	return ui.Age(r.ETA), theme.Muted
}

func (a *Account) transferActs() []ui.Act[*transfer.Row] {
	each := func(do func(transfer.ID)) func([]*transfer.Row) tea.Cmd {
		return func(rows []*transfer.Row) tea.Cmd {
			for _, r := range rows {
				do(r.ID)
			}
			return a.moved()
		}
	}
	return []ui.Act[*transfer.Row]{
		{Keys: []string{"d"}, Name: "pause", Show: true, Off: func(r *transfer.Row) string {
			return because(!r.State.Unfinished() || r.State == transfer.Paused, "it is not running")
		}, Rows: each(a.transfers.Pause)},
		{Keys: []string{"E"}, Name: "resume", Show: true, Off: func(r *transfer.Row) string { return because(r.State != transfer.Paused, "it is not paused") }, Rows: each(a.transfers.Resume)},
		{Keys: []string{"e"}, Name: "try again", Show: true, Off: func(r *transfer.Row) string {
			return because(r.State != transfer.Failed && r.State != transfer.Cancelled, "it has not failed")
		},
			Rows: each(a.transfers.Retry)},
		{Keys: []string{"D"}, Name: "cancel", About: "what a cancelled download had fetched is removed", Show: true, Off: func(r *transfer.Row) string { return because(!r.State.Unfinished(), "it has ended") },
			Rows: func(rows []*transfer.Row) tea.Cmd {
				return ui.Send(ui.Ask{Action: a.cancelling(cost(rows), func() tea.Cmd { return each(a.transfers.Cancel)(rows) })})
			}},
	}
}

// cancelling asks before work that was done is thrown away.
func (a *Account) cancelling(cost string, do func() tea.Cmd) ui.Action {
	return ui.Action{Key: ui.Bind("cancel"), Do: do, Ask: &ui.Question{Title: "Cancel transfers", Yes: "cancel", Text: cost + " Pausing keeps it."}}
}

// cost is what is lost when transfers are cancelled.
func cost(rows []*transfer.Row) string {
	text := count(len(rows), "transfer ends.", "transfers end.")
	var fetched int64
	for _, r := range rows {
		if r.Kind == transfer.Download && r.State.Unfinished() {
			fetched += r.Done
		}
	}
	if fetched > 0 {
		text += " " + size(fetched) + " that were downloaded are thrown away."
	}
	return text
}

// transferActions are about all transfers.
func (a *Account) transferActions() []ui.Action {
	all := func(do func()) func() tea.Cmd {
		return func() tea.Cmd { do(); return a.moved() }
	}
	idle := because(a.transfers.Busy() == 0, "nothing is under way")
	return []ui.Action{
		{Key: ui.Bind("pause all"), Group: "this list", Off: idle, Do: all(a.transfers.PauseAll)},
		{Key: ui.Bind("resume all"), Group: "this list", Off: idle, Do: all(a.transfers.ResumeAll)},
		{Key: ui.Bind("cancel all"), Group: "this list", Off: idle, Do: func() tea.Cmd {
			return ui.Send(ui.Ask{Action: a.cancelling(cost(a.running().Rows()), all(a.transfers.CancelAll))})
		}},
		{Key: ui.Bind("try all again"), Group: "this list", Do: all(a.transfers.RetryAll)},
	}
}

func (a *Account) transferDetail(r *transfer.Row, b ui.Box) string {
	t := newSheet(b)
	state, tone := transferState(r, b)
	t.title(transferName(r))
	t.line("state", state, tone)
	t.line("what", r.Kind.String(), theme.Plain)
	t.line("bucket", client.Clean(r.Cluster+"/"+r.Bucket), theme.Plain)
	if r.Local.Raw() != "" {
		t.line("file", r.Local.String(), theme.Plain)
	}
	done := amount(r, r.Done)
	if r.Total > 0 {
		done += " of " + amount(r, r.Total)
	}
	t.line("done", done, theme.Plain)
	if rate, _ := rateCell(r, b); rate != "" {
		left, _ := leftCell(r, b)
		t.line("rate", rate, theme.Plain)
		t.line("left", or(left, "nobody knows"), theme.Plain)
	}
	if r.Stalled > 0 {
		t.line("stalled", "nothing came for "+ui.Age(r.Stalled), theme.Warn)
	}
	if r.Note != "" {
		t.line("note", client.Clean(r.Note), theme.Info)
	}
	if r.Err != nil {
		t.heading("why")
		t.say(why(r), theme.Bad)
	}
	if !r.Started.IsZero() {
		t.line("started", r.Started.In(a.location).Format("15:04:05"), theme.Muted)
	}
	if !r.Ended.IsZero() {
		t.line("ended", fmt.Sprintf("%s, after %s", r.Ended.In(a.location).Format("15:04:05"), ui.Age(r.Ended.Sub(r.Started))), theme.Muted)
	}
	return t.String()
}

func (a *Account) transfersFoot(b ui.Box) string {
	var rate float64
	for _, r := range a.running().Rows() {
		if r.State == transfer.Running && (r.Kind == transfer.Download || r.Kind == transfer.Upload) {
			rate += r.Rate
		}
	}
	text := "nothing is under way"
	if n := a.transfers.Busy(); n > 0 {
		text = count(n, "transfer is unfinished", "transfers are unfinished")
	}
	if rate > 0 {
		text += " · " + size(int64(rate)) + "/s together"
	}
	return b.Theme.Paint(theme.Muted, text)
}

func (a *Account) transfersBadge() (string, theme.Tone) {
	if n := a.transfers.Busy(); n > 0 {
		return fmt.Sprint(n), theme.Accent
	}
	return "", theme.Plain
}

// Progress is how far the downloads and uploads under way are together, from 1 to 99 percent; 0 without any.
func (a *Account) Progress() int {
	set := a.running()
	if a.progress.version == set.Version() {
		return a.progress.percent
	}
	var done, total int64
	for i := range set.Len() {
		if r := set.At(i); r.State.Unfinished() && r.Total > 0 && (r.Kind == transfer.Download || r.Kind == transfer.Upload) {
			done, total = done+r.Done, total+r.Total
		}
	}
	a.progress.version, a.progress.percent = set.Version(), 0
	if total > 0 {
		a.progress.percent = int(max(1, min(99, float64(done)*100/float64(total))))
	}
	return a.progress.percent
}

// unfinished is what would be lost by leaving now; "" where nothing is under way.
func (a *Account) unfinished() string {
	n := a.transfers.Busy()
	if n == 0 {
		return ""
	}
	return count(n, "transfer is", "transfers are") + " unfinished. Downloads go on where they were when the same is asked for again; uploads begin anew."
}

// manyObjects is from how many on emptying takes long enough to name the other way.
const manyObjects = 100_000

// countThenEmpty asks for the bucket's own count, and for that number to be typed.
func (a *Account) countThenEmpty(b *client.Bucket) tea.Cmd {
	ctx := a.ctx
	work := func() tea.Msg {
		now, err := a.api.Buckets.View(ctx, b.Cluster.Raw(), b.Label.Raw())
		if err != nil {
			return ui.Say{Tone: theme.Bad, Text: "empty " + b.Label.String() + ": its objects cannot be counted: " + ui.Reason(err)}
		}
		return ui.Ask{Action: a.emptyAction(now)}
	}
	return tea.Batch(ui.News(theme.Info, "counting the objects of "+b.Label.String()), work)
}

func (a *Account) emptyAction(b *client.Bucket) ui.Action {
	text := fmt.Sprintf("Every object in %s (%s) is deleted for good: %s objects, %s, by the bucket's own count.", b.Label, b.Cluster, grouped(b.Objects), size(b.Size))
	if b.Objects >= manyObjects {
		text += " This takes long; a lifecycle policy, set with an S3 program, does it on the server's side."
	}
	return ui.Action{Key: ui.Bind("empty"), Change: true, Ask: &ui.Question{Title: "Empty bucket", Text: text, Word: fmt.Sprint(b.Objects), Yes: "empty it"},
		Do: func() tea.Cmd {
			a.transfers.Empty(b.Cluster.Raw(), b.Label.Raw(), "")
			return tea.Batch(a.moved(), ui.News(theme.Info, "emptying "+b.Label.String()+" · the transfers pane shows how far it is"))
		}}
}

// resumable offers to go on with the emptying of buckets that an earlier run did not finish.
func (a *Account) resumable() tea.Cmd {
	var actions []ui.Action
	for _, e := range a.journal.Unfinished(transfer.EmptyOp) {
		parts := strings.SplitN(e.Change.ID, "/", 3)
		if len(parts) < 3 {
			continue
		}
		actions = append(actions, ui.Action{Key: ui.Bind("go on emptying "+client.Clean(parts[1]), fmt.Sprint(len(actions)+1)), Change: true,
			Do: func() tea.Cmd { a.transfers.Empty(parts[0], parts[1], parts[2]); return a.moved() }})
	}
	if len(actions) == 0 {
		return nil
	}
	actions = append(actions, ui.Action{Key: ui.Bind("leave what is left", "l"), Do: func() tea.Cmd { return nil }})
	return ui.Send(ui.Menu{Title: "Emptying was interrupted", Actions: actions})
}
