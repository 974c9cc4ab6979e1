package managed

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/journal"
	"lookout/theme"
	"lookout/ui"
	"lookout/views/account"
	"lookout/views/account/incident"
)

// A maintenance window is the time for which a service is disabled. Its end is kept in the journal, so that any program
// that reads the journal can enable the service again.

// maxEnableDelay spreads the programs that wait for the same window, so that one of them enables the service and the
// others see that.
const maxEnableDelay = 3 * time.Second

// scheduleEnableOf enables services at the end of the windows that the journal holds for them.
func scheduleEnableOf(a *account.Account, rows []*client.Service) tea.Cmd {
	var windows []journal.DisabledService
	for _, s := range rows {
		if w, held := a.Journal.DisabledService(account.FormatID(s.ID)); held && !w.Until.IsZero() {
			windows = append(windows, w)
		}
	}
	if len(windows) == 0 {
		return nil
	}
	return scheduleEnable(a, windows, 0)
}

// scheduleEnable waits for the common end of windows, and a delay after it, and enables the services.
func scheduleEnable(a *account.Account, windows []journal.DisabledService, delay time.Duration) tea.Cmd {
	for _, w := range windows {
		a.ScheduledEnables[w.IntentID] = true
	}
	j := a.Journal
	return tea.Tick(max(0, windows[0].Until.Sub(a.Now()))+delay, func(time.Time) tea.Msg {
		_, _ = j.CatchUp() // the client asks the journal again before it sends
		return windowsEnded{a, windows}
	})
}

// windowsEnded says that maintenance windows are over. It delivers itself.
type windowsEnded struct {
	a       *account.Account
	windows []journal.DisabledService
}

// Deliver enables the services whose windows nobody has ended or replaced. The user agreed to that when they were
// disabled.
func (e windowsEnded) Deliver() tea.Cmd {
	var rows []*client.Service
	intents := map[int]string{}
	for _, w := range e.windows {
		s, ok := serviceFromJournal(w)
		if now, held := e.a.Journal.DisabledService(w.ID); ok && held && now.IntentID == w.IntentID {
			rows = append(rows, s)
			intents[s.ID] = w.IntentID
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return tea.Batch(
		ui.ShowNews(theme.Info, "time is up: enabling "+nameOrCount(rows)),
		serviceRunner(e.a).Revert(
			"enable", rows, enableService(e.a, "time is up"), func(s *client.Service) string { return intents[s.ID] },
		),
	)
}

// journalPollInterval is how often the journal is read for what other programs have written.
const journalPollInterval = 20 * time.Second

// WatchJournal follows what other programs on this machine change in the account, and takes over their windows.
func WatchJournal(a *account.Account) tea.Cmd {
	ctx, j := a.Context, a.Journal
	return func() tea.Msg {
		if !j.WaitForChange(ctx, journalPollInterval) {
			return nil
		}
		return journalChanged{a}
	}
}

// journalChanged says that another program has written into the journal. It delivers itself.
type journalChanged struct{ a *account.Account }

// Deliver takes over the windows of other programs. One that ended since the journal was last read is enabled without a
// question: this program was here all the time.
func (c journalChanged) Deliver() tea.Cmd {
	return tea.Batch(WatchJournal(c.a), ResumeMaintenance(c.a, c.a.Now().Add(-time.Minute)))
}

// ResumeMaintenance takes over the windows that other runs have left in the journal. It waits for those that end after
// since; for those that ended before, while nobody was here, it offers to enable the services. In read-only mode it
// does nothing: another program has to.
func ResumeMaintenance(a *account.Account, since time.Time) tea.Cmd {
	if a.API.ReadOnly() {
		return nil
	}
	var overdue []journal.DisabledService
	var cmds []tea.Cmd
	for _, w := range a.Journal.DisabledServices() {
		_, ok := serviceFromJournal(w)
		switch {
		case !ok || w.Until.IsZero() || a.ScheduledEnables[w.IntentID]:
		case w.Until.After(since):
			cmds = append(cmds, scheduleEnable(a, []journal.DisabledService{w}, rand.N(maxEnableDelay)))
		default:
			a.ScheduledEnables[w.IntentID] = true
			overdue = append(overdue, w)
		}
	}
	if len(overdue) > 0 {
		cmds = append(cmds, ui.Send(overdueMenu(a, overdue)))
	}
	return tea.Batch(cmds...)
}

// OpenWindowsText returns a sentence about the windows whose end this program waits for; "" if there are none.
func OpenWindowsText(a *account.Account) string {
	var open []string
	for _, w := range a.Journal.DisabledServices() {
		if w.Until.After(a.Now()) && !a.API.ReadOnly() {
			end := account.FormatClock(w.Until.In(a.Location), a.Now().In(a.Location))
			open = append(open, fmt.Sprintf("%s at %s", client.NewText(w.Label), end))
		}
	}
	if len(open) == 0 {
		return ""
	}
	slices.Sort(open)
	return "To be enabled again, but only while you are already using this account: " + account.JoinWithCommas(
		open,
	) + "."
}

// overdueMenu asks what to do with services whose windows ended while nobody was here.
func overdueMenu(a *account.Account, overdue []journal.DisabledService) ui.Menu {
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
		return ui.ShowNews(theme.Warn, fmt.Sprintf("%d left disabled: E on the services enables them", len(rows)))
	}
	return ui.Menu{
		Title: "To be enabled again, and nobody was here: " + account.JoinWithCommas(names),
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

// describeDisablement says for how long, until when and why a service is disabled.
func describeDisablement(a *account.Account, d incident.Disablement) string {
	now := a.Now()
	age := d.Age(now)
	if age == "" {
		return "nobody knows since when"
	}
	text := "for " + age
	if !d.Until.IsZero() {
		text += ", until " + account.FormatClock(d.Until.In(a.Location), now.In(a.Location))
	}
	if !d.Ours {
		text += ", not disabled from this machine"
	}
	return text + account.WithPrefix(": ", client.NewText(d.Reason).String())
}
