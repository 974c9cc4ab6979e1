package managed

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/account/incident"
	"lookout/client/lists"
	"lookout/client/maintenance"
	"lookout/client/window"
	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/operation"
)

// KeepMaintenance begins and ends the maintenance windows of the account, and says what became of them, until the
// account is closed. The user agreed to that when the windows were planned and services were disabled. In read-only
// mode it does nothing: another program has to.
func KeepMaintenance(a *account.Account) {
	events := make(chan []maintenance.Event)
	keeper := maintenance.New(a.API, a.Journal, a.Now, func(found []maintenance.Event) {
		select {
		case events <- found:
		case <-a.Context.Done():
		}
	})
	a.Maintenance.Keeper = keeper
	watchWindows(a, events)
	a.Go(func() (apply func()) {
		keeper.Keep(a.Context)
		return nil
	})
}

// watchWindows waits until windows have begun or ended, and shows that.
func watchWindows(a *account.Account, events <-chan []maintenance.Event) {
	a.Go(func() (apply func()) {
		select {
		case found := <-events:
			return func() {
				watchWindows(a, events)
				showWindows(a, found)
			}
		case <-a.Context.Done():
			return nil
		}
	})
}

// showWindows shows the services of windows that have begun or ended as they are now, and one message for each result.
func showWindows(a *account.Account, found []maintenance.Event) {
	for _, begins := range []bool{false, true} {
		run := windowRun{a: a, begins: begins, ended: map[maintenance.Result][]*client.Service{}}
		for _, e := range found {
			if e.Begins == begins && !(e.Early && e.Result == maintenance.Already) { // which is news anyway
				run.add(e)
			}
		}
		operation.Post(a, tea.Batch(run.messages()...))
	}
}

// nextWindow returns the planned window of a service that begins first, and whether there is one.
func nextWindow(a *account.Account, service int) (window.Window, bool) {
	of := a.Journal.WindowsOf(account.FormatID(service))
	if i := slices.IndexFunc(of, func(w window.Window) bool { return w.State == window.Planned }); i >= 0 {
		return of[i], true
	}
	return window.Window{}, false
}

// A windowRun is what became of windows that were to begin, or to end, at the same time.
type windowRun struct {
	a       *account.Account
	begins  bool
	ended   map[maintenance.Result][]*client.Service
	failure string    // of the last that failed
	next    time.Time // when it is tried again
	unknown []window.Window
}

// add counts an event, and shows the service as it was read or answered.
func (r *windowRun) add(e maintenance.Event) {
	s := e.Service
	if s == nil {
		named, ok := account.ServiceOfWindow(e.Window)
		if !ok {
			return
		}
		s = named
	}
	r.ended[e.Result] = append(r.ended[e.Result], s)
	switch e.Result {
	case maintenance.Failed:
		r.failure, r.next = wording.Reason(e.Err), e.Next
	case maintenance.Ask:
		r.unknown = append(r.unknown, e.Window)
	}
	_ = r.a.Services().Run(&lists.Change[*client.Service]{
		RowID: e.Window.Service,
		Sets:  []string{"status"},
		Send: func(context.Context) (lists.ChangeResult[*client.Service], error) {
			if e.Service == nil {
				return lists.ResultReload[*client.Service](nil)
			}
			return lists.ResultRow(e.Service, nil)
		},
	})
}

// A windowMessage is what is said of the windows with one result.
type windowMessage struct {
	result maintenance.Result
	tone   theme.Tone
	text   string
}

// lines returns what is said, by the results.
func (r *windowRun) lines() []windowMessage {
	if r.begins {
		return []windowMessage{
			{maintenance.Changed, theme.Good, "monitoring is disabled · planned maintenance begins"},
			{maintenance.Gone, theme.Warn, "maintenance was planned, but the service has been deleted"},
			{maintenance.Missed, theme.Warn, "planned maintenance was over before it could begin"},
			{maintenance.Kept, theme.Info, "planned maintenance begins; already disabled, and stays disabled"},
		}
	}
	return []windowMessage{
		{maintenance.Changed, theme.Good, "monitoring is enabled (was disabled) · time is up"},
		{maintenance.Already, theme.Info, "it is enabled already; its window is over"},
		{
			maintenance.Left,
			theme.Info,
			"somebody has enabled and disabled it; its window is over, and it stays disabled",
		},
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
				ReportsChange: true,
			}))
		}
	}
	if failed := r.ended[maintenance.Failed]; len(failed) > 0 {
		again := account.FormatSeconds(r.next.In(r.a.Location))
		text := "time is up, but it is not enabled yet; trying again at "
		if r.begins {
			text = "maintenance could not begin; trying again at "
		}
		text += again + ": " + r.failure
		messages = append(messages, ui.ShowStatus(theme.Bad, nameOrCount(failed)+": "+text))
	}
	if len(r.unknown) > 0 {
		messages = append(messages, ui.Send(overdueMenu(r.a, r.unknown)))
	}
	return messages
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

// WatchJournal follows what other programs on this machine change in the account.
func WatchJournal(a *account.Account) {
	a.Go(func() (apply func()) {
		if !a.Journal.WaitForChange(a.Context, journalPollInterval) {
			return nil
		}
		return func() {
			WatchJournal(a)
			a.ResumeLookups(a.UnresolvedChanges(), "")
			a.WatchEarlierChanges()
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

// OpenWindows returns a sentence about the windows that are to begin, and one about those that are to end; none if
// there are none, or if lookout keep looks after them.
func OpenWindows(a *account.Account) []string {
	if a.API.ReadOnly() || a.Maintenance.KeptElsewhere != nil && a.Maintenance.KeptElsewhere() {
		return nil
	}
	now := a.Now()
	var begin, end []string
	for _, w := range a.Journal.Windows() {
		at, op, any := w.Due()
		if !any {
			continue
		}
		when := account.FormatClock(at.In(a.Location), now.In(a.Location))
		text := fmt.Sprintf("%s at %s", client.NewText(w.Label), when)
		if op == client.OpDisableService {
			begin = append(begin, text)
		} else {
			end = append(end, text)
		}
	}
	var sentences []string
	if len(begin) > 0 {
		sentences = append(sentences, "Planned maintenance begins late, or not at all, if neither lookout nor "+
			"lookout keep runs then: "+account.JoinWithCommas(begin)+".")
	}
	if len(end) > 0 {
		sentences = append(sentences, "Monitoring stays off until the next start of lookout or lookout keep, if "+
			"neither runs then: "+account.JoinWithCommas(end)+".")
	}
	return sentences
}

// overdueMenu asks what to do with services whose windows have ended, but which somebody else may have disabled.
func overdueMenu(a *account.Account, overdue []window.Window) ui.OpenMenuMsg {
	rows := make([]*client.Service, 0, len(overdue))
	names := make([]string, len(overdue))
	for i, w := range overdue {
		if s, ok := account.ServiceOfWindow(w); ok {
			rows = append(rows, s)
		}
		names[i] = fmt.Sprintf(
			"%s (since %s)", client.NewText(w.Label),
			account.FormatClock(w.End.In(a.Location), a.Now().In(a.Location)),
		)
	}
	enable := func() tea.Cmd {
		return serviceRunner(a).StartDraft("enable", rows, enableService(a, "time is up"))
	}
	leave := func() tea.Cmd {
		return ui.ShowStatus(theme.Warn, fmt.Sprintf("%d left disabled: press E on a service to enable it", len(rows)))
	}
	return ui.OpenMenuMsg{
		Title: "Overdue, but it is not known who disabled it: " + account.JoinWithCommas(names),
		Actions: []ui.Action{
			{Key: ui.Bind("enable now", "e"), Writes: true, OpensView: true, Do: enable},
			{Key: ui.Bind("leave disabled", "l"), Do: leave},
		},
	}
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
	case d.Perhaps:
		text += ", perhaps by a change from this machine whose response was lost"
	case !d.Ours:
		text += ", not from this machine"
	}
	return text + wording.WithPrefix(": ", client.NewText(d.Reason).String())
}

// describePlanned says from when, until when and why a service is to be disabled.
func describePlanned(a *account.Account, w window.Window) string {
	text := "from " + a.FormatTime(w.Start) + " until " + a.FormatTime(w.End)
	return text + wording.WithPrefix(": ", client.NewText(w.Reason).String())
}
