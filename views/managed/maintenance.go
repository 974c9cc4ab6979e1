package managed

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/incident"
	"lookout/client/journal"
	"lookout/client/lists"
	"lookout/client/maintenance"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/operation"
)

// A maintenance window is the time for which a service is disabled. Its end is kept in the journal, so that any program
// that reads the journal can enable the service again.

// maxEnableDelay spreads the programs that wait for the same window, so that one of them enables the service and the
// others see that.
const maxEnableDelay = 3 * time.Second

// watchWindows waits until a window of the account ends, and looks at the clock in between: it may jump. It does
// nothing while it is waiting already, without windows, and in read-only mode.
func watchWindows(a *account.Account) {
	wait, any := a.Maintenance.Schedule.NextLook(a.Journal, a.Now())
	if !any || a.Maintenance.Watching || a.API.ReadOnly() {
		return
	}
	a.Maintenance.Watching = true
	a.After(max(wait, time.Second/10), func() {
		a.Go(func() (apply func()) {
			_, _ = a.Journal.CatchUp() // the client asks the journal again before it sends
			return func() { endWindows(a) }
		})
	})
}

// endWindows enables the services whose windows are over. The user agreed to that when they were disabled.
func endWindows(a *account.Account) {
	a.Maintenance.Watching = false
	ends := a.Maintenance.Schedule.Ends(a.Journal, a.Now())
	run := &windowRun{a: a, pending: len(ends), busyText: "enabling"}
	executor := maintenance.Executor{
		API:         a.API,
		Journal:     a.Journal,
		Now:         a.Now,
		SeenEnabled: account.LastSeenEnabled(a),
	}
	for _, w := range ends {
		do := func(ctx context.Context) (*client.Service, maintenance.WindowResult, error) {
			return executor.End(ctx, w)
		}
		s, ok := serviceFromJournal(w)
		if busy := a.Services().Busy(w.ID) != ""; !ok || busy { // with another change that awaits its answer
			a.Maintenance.Schedule.Failed(w.IntentID, a.Now())
			run.pending--
			continue
		}
		run.start(windowEnd{w.IntentID, s}, do)
	}
	beginWindows(a, executor)
	watchWindows(a)
}

// beginWindows disables the services whose planned windows begin. The user agreed to that when they were planned.
func beginWindows(a *account.Account, executor maintenance.Executor) {
	starts := a.Maintenance.Schedule.Starts(a.Journal, a.Now())
	run := &windowRun{a: a, pending: len(starts), busyText: "disabling"}
	for _, w := range starts {
		s, ok := serviceFromJournal(journal.DisabledService{ID: w.ID, Label: w.Label})
		if busy := a.Services().Busy(w.ID) != ""; !ok || busy { // with another change that awaits its answer
			a.Maintenance.Schedule.Failed(w.IntentID, a.Now())
			run.pending--
			continue
		}
		do := func(ctx context.Context) (*client.Service, maintenance.WindowResult, error) {
			return executor.Begin(ctx, w)
		}
		run.start(windowEnd{w.IntentID, s}, do)
	}
}

// nextWindow returns the planned window of a service that begins first, and whether there is one.
func nextWindow(a *account.Account, service int) (journal.PlannedMaintenance, bool) {
	return windowFrom(a, service, time.Time{})
}

// windowFrom is nextWindow for the windows that do not begin before start.
func windowFrom(a *account.Account, service int, start time.Time) (journal.PlannedMaintenance, bool) {
	return journal.NextPlannedWindow(a.Journal, account.FormatID(service), start)
}

// A windowEnd is a window whose time has come.
type windowEnd struct {
	intent string
	row    *client.Service // as the journal knows it, or as last read
}

// A windowRun is the end of windows that are due at the same time, with one status message for each result.
type windowRun struct {
	a        *account.Account
	pending  int
	busyText string // "enabling" or "disabling"
	ended    map[maintenance.WindowResult][]*client.Service
	failed   []*client.Service
	failure  string    // of the last that failed
	next     time.Time // when it is tried again
}

// start begins or ends one window off the loop.
func (r *windowRun) start(
	w windowEnd, do func(context.Context) (*client.Service, maintenance.WindowResult, error),
) {
	var result maintenance.WindowResult
	var failure error
	_ = r.a.Services().Run(lists.RowChange[*client.Service]{
		RowID:    account.FormatID(w.row.ID),
		BusyText: r.busyText,
		Send: func(ctx context.Context) (lists.ChangeResult[*client.Service], error) {
			var s *client.Service
			s, result, failure = do(ctx)
			if s == nil {
				return lists.ResultReload[*client.Service](nil)
			}
			return lists.ResultRow(s, nil)
		},
		OnOutcome: func(lists.AttemptOutcome, lists.ChangeResult[*client.Service], error) {
			r.report(w, result, failure)
		},
	})
}

// report counts a result. The last one brings the message.
func (r *windowRun) report(w windowEnd, result maintenance.WindowResult, err error) {
	if result == maintenance.Failed {
		r.next = r.a.Maintenance.Schedule.Failed(w.intent, r.a.Now())
		r.failed, r.failure = append(r.failed, w.row), wording.Reason(err)
	} else {
		r.a.Maintenance.Schedule.Done(w.intent)
		if r.ended == nil {
			r.ended = map[maintenance.WindowResult][]*client.Service{}
		}
		r.ended[result] = append(r.ended[result], w.row)
	}
	if r.pending--; r.pending == 0 {
		operation.Post(r.a, tea.Batch(r.messages()...))
		watchWindows(r.a)
	}
}

// begins reports whether the windows begin.
func (r *windowRun) begins() bool { return r.busyText == "disabling" }

// A windowMessage is what is said of the windows with one result.
type windowMessage struct {
	result maintenance.WindowResult
	tone   theme.Tone
	text   string
}

// lines returns what is said, by the results.
func (r *windowRun) lines() []windowMessage {
	if r.begins() {
		return []windowMessage{
			{maintenance.Changed, theme.Good, "monitoring is disabled · planned maintenance begins"},
			{maintenance.Gone, theme.Warn, "maintenance was planned, but the service has been deleted"},
			{maintenance.Missed, theme.Warn, "planned maintenance was over before it could begin"},
			{maintenance.Kept, theme.Info, "planned maintenance begins; already disabled, and stays disabled"},
		}
	}
	return []windowMessage{
		{maintenance.Changed, theme.Good, "monitoring is enabled (was disabled) · time is up"},
		{maintenance.Already, theme.Info, "time is up; somebody has enabled it already"},
		{maintenance.Left, theme.Info, "time is up; it was enabled and disabled again in between, and stays disabled"},
		{maintenance.Gone, theme.Warn, "time is up, but the service has been deleted"},
	}
}

// messages says what became of the windows.
func (r *windowRun) messages() []tea.Cmd {
	var messages []tea.Cmd
	for _, line := range r.lines() {
		if rows := r.ended[line.result]; len(rows) > 0 {
			messages = append(messages, ui.Send(ui.StatusMsg{
				Tone:          line.tone,
				Text:          nameOrCount(rows) + ": " + line.text,
				Undo:          r.disableAgain(line.result, rows),
				ReportsChange: true,
			}))
		}
	}
	if len(r.failed) > 0 {
		again := account.FormatSeconds(r.next.In(r.a.Location))
		text := "time is up, but still disabled; trying again at "
		if r.begins() {
			text = "maintenance could not begin; trying again at "
		}
		text += again + ": " + r.failure
		messages = append(messages, ui.ShowStatus(theme.Bad, nameOrCount(r.failed)+": "+text))
	}
	return messages
}

// disableAgain is the action that disables services for another hour whose windows ended too early; nil if they were
// not enabled here.
func (r *windowRun) disableAgain(result maintenance.WindowResult, rows []*client.Service) *ui.Action {
	if result != maintenance.Changed || r.begins() {
		return nil
	}
	return &ui.Action{
		Key:       ui.Bind("disable for 1 h again", "u"),
		Object:    nameOrCount(rows),
		Writes:    true,
		OpensView: true,
		Do: func() tea.Cmd {
			return serviceRunner(r.a).StartUndo("disable", rows, disableService(r.a, nil))
		},
	}
}

// nameOrCount names one row, or counts many.
func nameOrCount(rows []*client.Service) string {
	if len(rows) == 1 {
		return wording.Quoted(rows[0].Label.String())
	}
	return wording.Plural(len(rows), "service", "services")
}

// journalPollInterval is how often the journal is read for what other programs have written.
const journalPollInterval = 20 * time.Second

// WatchJournal follows what other programs on this machine change in the account, and takes over their windows.
func WatchJournal(a *account.Account) {
	// a window that ended since the journal was last read is enabled without a question: this program was here all the
	// time
	a.Maintenance.JournalGrown = func() { ResumeMaintenance(a, a.Now().Add(-time.Minute)) }
	a.Go(func() (apply func()) {
		if !a.Journal.WaitForChange(a.Context, journalPollInterval) {
			return nil
		}
		return func() {
			WatchJournal(a)
			a.Maintenance.JournalGrown()
			account.ResumeLookups(a, account.UnresolvedChanges(a), "")
			account.WatchEarlierChanges(a)
		}
	})
}

// ReportLockedJournal reports that a change waits because another program has locked the journal. It is called before
// the account's first change.
func ReportLockedJournal(a *account.Account) {
	locked := make(chan string, 1)
	a.Journal.Locked = func(path string) {
		select {
		case locked <- path:
		default: // it is being reported
		}
	}
	watchLock(a, locked)
}

func watchLock(a *account.Account, locked <-chan string) {
	a.Go(func() (apply func()) {
		select {
		case path := <-locked:
			return func() {
				text := "a change waits: another program has locked " + client.Clean(path) + " · quit that program"
				a.Tell(account.Warn, text)
				watchLock(a, locked)
			}
		case <-a.Context.Done():
			return nil
		}
	})
}

// ResumeMaintenance takes over the windows that other runs have left in the journal. It waits for those that end after
// since; for those that ended before, while nobody was here, it offers to enable the services. In read-only mode it
// does nothing: another program has to.
func ResumeMaintenance(a *account.Account, since time.Time) {
	if a.API.ReadOnly() {
		return
	}
	var overdue []journal.DisabledService
	for _, w := range a.Journal.DisabledServices() {
		_, ok := serviceFromJournal(w)
		switch {
		case !ok || w.Until.IsZero() || a.Maintenance.Schedule.Known(w.IntentID):
		case w.Until.After(since):
			a.Maintenance.Schedule.Delay(w.IntentID, w.Until.Add(rand.N(maxEnableDelay)))
		default:
			a.Maintenance.Schedule.Leave(w.IntentID)
			overdue = append(overdue, w)
		}
	}
	if watchWindows(a); len(overdue) > 0 {
		operation.Post(a, ui.Send(overdueMenu(a, overdue)))
	}
}

// OpenWindows returns a sentence about the windows that this program is to begin, and one about those that it is to
// end; none if there are none, or if lookout keep looks after them.
func OpenWindows(a *account.Account) []string {
	if a.API.ReadOnly() || a.Maintenance.KeptElsewhere != nil && a.Maintenance.KeptElsewhere() {
		return nil
	}
	now := a.Now()
	at := func(label string, t time.Time) string {
		return fmt.Sprintf("%s at %s", client.NewText(label), account.FormatClock(t.In(a.Location), now.In(a.Location)))
	}
	var begin, end []string
	for _, w := range a.Journal.PlannedWindows() {
		if w.Until.After(now) {
			begin = append(begin, at(w.Label, w.Start))
		}
	}
	for _, w := range a.Journal.DisabledServices() {
		if w.Until.After(now) {
			end = append(end, at(w.Label, w.Until))
		}
	}
	var sentences []string
	if slices.Sort(begin); len(begin) > 0 {
		text := account.JoinWithCommas(begin)
		sentences = append(sentences, "lookout or lookout keep must be running to disable monitoring: "+text+".")
	}
	if slices.Sort(end); len(end) > 0 {
		text := account.JoinWithCommas(end)
		sentences = append(sentences, "lookout or lookout keep must be running to enable monitoring: "+text+".")
	}
	return sentences
}

// overdueMenu asks what to do with services whose windows ended while nobody was here.
func overdueMenu(a *account.Account, overdue []journal.DisabledService) ui.OpenMenuMsg {
	rows := make([]*client.Service, 0, len(overdue))
	names := make([]string, len(overdue))
	for i, w := range overdue {
		if s, ok := serviceFromJournal(w); ok {
			rows = append(rows, s)
		}
		names[i] = fmt.Sprintf(
			"%s (since %s)", client.NewText(w.Label),
			account.FormatClock(w.Until.In(a.Location), a.Now().In(a.Location)),
		)
	}
	enable := func() tea.Cmd {
		return serviceRunner(a).StartDraft("enable", rows, enableService(a, "time was up while the program was closed"))
	}
	leave := func() tea.Cmd {
		return ui.ShowStatus(theme.Warn, fmt.Sprintf("%d left disabled: press E on a service to enable it", len(rows)))
	}
	return ui.OpenMenuMsg{
		Title: "Overdue to be enabled again: " + account.JoinWithCommas(names),
		Actions: []ui.Action{
			{
				Key:       ui.Bind("enable now", "e"),
				Writes:    true,
				OpensView: true,
				Do:        enable,
			},
			{
				Key: ui.Bind("leave disabled", "l"),
				Do:  leave,
			},
		},
	}
}

// serviceFromJournal returns the service of a window as far as the journal knows it. It reports false if the window has
// no valid id.
func serviceFromJournal(w journal.DisabledService) (*client.Service, bool) {
	id, err := strconv.Atoi(w.ID)
	return &client.Service{ID: id, Label: client.NewText(w.Label), Status: client.StatusDisabled}, err == nil
}

// describeDisabled says for how long, until when and why a service is disabled.
func describeDisabled(a *account.Account, d incident.DisabledInfo) string {
	now := a.Now()
	age := d.Age(now)
	if age == "" {
		return "since an unknown time"
	}
	text := "for " + age
	if !d.Until.IsZero() {
		text += ", back " + account.FormatClock(d.Until.In(a.Location), now.In(a.Location))
	}
	switch {
	case !d.Ours && !a.Journal.Loaded():
		text += ", the journal is still being read"
	case d.Perhaps:
		text += ", perhaps by a change from this machine whose response was lost"
	case !d.Ours:
		text += ", not from this machine"
	}
	return text + wording.WithPrefix(": ", client.NewText(d.Reason).String())
}
