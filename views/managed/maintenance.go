package managed

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/journal"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/table"
	"lookout/views/account"
)

// A disableDuration is how long services stay disabled.
type disableDuration string

const (
	untilEnabled disableDuration = "until I enable it"
	minutes15    disableDuration = "15 min"
	hour1        disableDuration = "1 h"
	hours4       disableDuration = "4 h"
	untilTime    disableDuration = "until a time"
)

// endTime is when a span that starts now is over; zero for the one without an end.
func (s disableDuration) endTime(now time.Time, until string, in *time.Location) (time.Time, error) {
	switch s {
	case minutes15:
		return now.Add(15 * time.Minute), nil
	case hour1:
		return now.Add(time.Hour), nil
	case hours4:
		return now.Add(4 * time.Hour), nil
	case untilTime:
		return nextTimeOfDay(until, now.In(in))
	}
	return time.Time{}, nil
}

// nextTimeOfDay is the next time a clock shows "15:04".
func nextTimeOfDay(text string, now time.Time) (time.Time, error) {
	t, err := time.Parse("15:04", strings.TrimSpace(text))
	if err != nil {
		return time.Time{}, fmt.Errorf("a time of day is needed, as 06:30")
	}
	at := time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, now.Location())
	if !at.After(now) {
		at = at.AddDate(0, 0, 1)
	}
	return at, nil
}

// disableForm asks for how long and why; both are kept in the journal.
func disableForm(a *account.Account, rows []*client.Service) form.Form {
	for_, until, reason := untilEnabled, "", ""
	form := form.Form{
		Title:        "Disable monitoring of " + nameOrCount(rows),
		Text:         "Nobody is alerted about it meanwhile. Nothing else changes.",
		ProgressText: "disabling",
		SubmitLabel:  "disable",
		EnterSubmits: form.AlwaysSubmit,
		Fields: []form.Field{
			form.Choice("for", "For", &for_, untilEnabled, minutes15, hour1, hours4, untilTime),
			form.Text(
				"until",
				"Until",
				&until,
				func(text string) string { return errorText(nextTimeOfDay(text, a.Now().In(a.Location))) },
			).
				When(
					func() bool { return for_ == untilTime },
				).Note(
				"the next time the clock shows it, as 06:30",
			),
			form.Text("reason", "Reason", &reason, form.Length(0, 200)).Note("for the journal and whoever takes over"),
		},
		Send: func(context.Context) (func() tea.Cmd, error) {
			end, err := for_.endTime(a.Now(), until, a.Location)
			if err != nil {
				return nil, err
			}
			return func() tea.Cmd { return disableServices(a, rows, reason, end) }, nil
		},
	}
	if len(rows) > 1 {
		form.RequiredText = fmt.Sprint(len(rows))
		for _, s := range rows {
			form.Items = append(form.Items, fmt.Sprintf("%s (id %d)", s.Label, s.ID))
		}
	}
	return form
}

func errorText(_ time.Time, err error) string {
	if err != nil {
		return err.Error()
	}
	return ""
}

// nameOrCount names one row, or counts many.
func nameOrCount(rows []*client.Service) string {
	if len(rows) == 1 {
		return rows[0].Label.String()
	}
	return fmt.Sprintf("%d services", len(rows))
}

// disableServices disables services, one change each, and says how it went when the last has been answered.
func disableServices(a *account.Account, rows []*client.Service, reason string, end time.Time) tea.Cmd {
	word := "monitoring is disabled"
	if !end.IsZero() {
		word += " until " + account.FormatClock(end.In(a.Location), a.Now().In(a.Location))
	}
	return changeServices(a,
		rows,
		"disabling",
		word,
		disableOutcome,
		func(ctx context.Context, s *client.Service) (*client.Service, error) {
			ctx = client.ContextWithReason(contextWithService(ctx, s), reason)
			if !end.IsZero() {
				ctx = client.ContextWithRevertAt(ctx, end)
			}
			return a.Api.Services.Disable(ctx, s.ID)
		},
		func(done []*client.Service) (*ui.Action, tea.Cmd) {
			undo := &ui.Action{
				Key:    ui.Bind("enable again", "u"),
				Writes: true,
				Do:     func() tea.Cmd { return enableServices(a, done, "") },
			}
			if end.IsZero() {
				return undo, nil
			}
			return undo, scheduleEnable(a, done, end)
		},
	)
}

// enableServices enables services. why is said in the journal: "time is up".
func enableServices(a *account.Account, rows []*client.Service, why string) tea.Cmd {
	return changeServices(a,
		rows,
		"enabling",
		"monitoring is enabled",
		enableOutcome,
		func(ctx context.Context, s *client.Service) (*client.Service, error) {
			return a.Api.Services.Enable(client.ContextWithReason(contextWithService(ctx, s), why), s.ID)
		},
		func(done []*client.Service) (*ui.Action, tea.Cmd) {
			return &ui.Action{
				Key:    ui.Bind("disable again", "u"),
				Writes: true,
				Do:     func() tea.Cmd { return disableServices(a, done, "", time.Time{}) },
			}, nil
		},
	)
}

// changeServices does one change to each service and sums the outcomes up in one line of news.
func changeServices(a *account.Account,
	rows []*client.Service,
	verb, word string,
	check func(*client.Service, bool) ui.AttemptOutcome,
	work func(context.Context, *client.Service) (*client.Service, error),
	after func(done []*client.Service) (*ui.Action, tea.Cmd),
) tea.Cmd {
	set := a.Services()
	tally := ui.NewBatchSummary(len(rows), func(s *client.Service) string { return s.Label.String() })
	tally.Singular = "service"
	cmds := make([]tea.Cmd, len(rows))
	for n, s := range rows {
		cmds[n] = set.Run(ui.Attempt[*client.Service]{
			RowID:        set.ID(s),
			ProgressText: verb,
			Send:         func(ctx context.Context) (ui.Result[*client.Service], error) { return ui.ResultRow(work(ctx, s)) },
			Recheck:      table.RecheckRow(set, set.ID(s), check),
			OnOutcome: func(v ui.AttemptOutcome, _ ui.Result[*client.Service], err error) tea.Cmd {
				if !tally.Add(s, v, err) {
					return nil
				}
				undo, next := after(tally.Applied)
				return tea.Batch(ui.Send(tally.News(withPreviousStatus(word, tally.Applied), undo)), next)
			},
		})
	}
	return tea.Batch(cmds...)
}

// withPreviousStatus adds what a single service was before the change.
func withPreviousStatus(word string, done []*client.Service) string {
	if len(done) != 1 {
		return word
	}
	return fmt.Sprintf("%s (was %s)", word, done[0].Status)
}

// maintenanceEnded says that the time of disabled services is up. It delivers itself.
type maintenanceEnded struct {
	a        *account.Account
	services []*client.Service
	end      time.Time
}

// Deliver enables what is still disabled by the decision that is due; a service that somebody has enabled or held anew
// is left alone.
func (d maintenanceEnded) Deliver() tea.Cmd {
	var rows []*client.Service
	for _, s := range d.services {
		if h, ok := d.a.Journal.DisabledService(account.FormatID(s.ID)); ok && h.Until.Equal(d.end) {
			rows = append(rows, s)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return tea.Batch(
		ui.ShowNews(theme.Info, "time is up: enabling "+nameOrCount(rows)),
		enableServices(d.a, rows, "time is up"),
	)
}

// scheduleEnable enables services at the end of their time, unless the journal then says that somebody decided
// otherwise.
func scheduleEnable(a *account.Account, rows []*client.Service, end time.Time) tea.Cmd {
	return scheduleEnableDelayed(a, rows, end, 0)
}

// scheduleEnableDelayed is wake that leaves others some time to be first.
func scheduleEnableDelayed(a *account.Account, rows []*client.Service, end time.Time, late time.Duration) tea.Cmd {
	for _, s := range rows {
		a.ScheduledEnables[s.ID] = end
	}
	j := a.Journal
	return tea.Tick(max(0, end.Sub(a.Now()))+late, func(time.Time) tea.Msg {
		_, _ = j.CatchUp() // as far as it can be read: an enabled service is enabled once more, which does no harm
		return maintenanceEnded{a: a, services: rows, end: end}
	})
}

// journalPollInterval is how soon a running program learns what others have written into its journal.
const journalPollInterval = 20 * time.Second

// watchJournal learns what other programs of this machine change in the account, and takes up what they promise.
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

// Deliver takes up what was promised there. What fell due while the journal was not looked into is done: somebody was
// here.
func (g journalChanged) Deliver() tea.Cmd {
	return tea.Batch(WatchJournal(g.a), ResumeMaintenance(g.a, g.a.Now().Add(-time.Minute)))
}

// maxEnableJitter is how far programs that wait for the same service may be apart, so that the first enables it and the
// others see that.
const maxEnableJitter = 3 * time.Second

// resumeMaintenance takes up what other runs promised: services to be enabled after since are waited for; those whose
// time passed before, while nobody was here, are offered, not done unasked.
func ResumeMaintenance(a *account.Account, since time.Time) tea.Cmd {
	var late []journal.DisabledService
	var cmds []tea.Cmd
	for _, h := range a.Journal.DisabledServices() {
		s, ok := serviceFromJournal(h)
		switch {
		case !ok || h.Until.IsZero() || a.ScheduledEnables[s.ID].Equal(h.Until):
		case h.Until.After(since):
			cmds = append(cmds, scheduleEnableDelayed(a, []*client.Service{s}, h.Until, rand.N(maxEnableJitter)))
		default:
			a.ScheduledEnables[s.ID] = h.Until
			late = append(late, h)
		}
	}
	if len(late) > 0 {
		cmds = append(cmds, ui.Send(overdueMenu(a, late)))
	}
	return tea.Batch(cmds...)
}

// overdueMenu asks what to do with services whose time passed.
func overdueMenu(a *account.Account, late []journal.DisabledService) ui.Menu {
	var rows []*client.Service
	names := make([]string, len(late))
	for i, h := range late {
		if s, ok := serviceFromJournal(h); ok {
			rows = append(rows, s)
		}
		names[i] = fmt.Sprintf(
			"%s (since %s)",
			client.NewText(h.Label),
			account.FormatClock(h.Until.In(a.Location), a.Now().In(a.Location)),
		)
	}
	return ui.Menu{Title: "To be enabled again, and nobody was here: " + account.JoinWithCommas(names), Actions: []ui.Action{
		{
			Key:    ui.Bind("enable now", "e"),
			Writes: true,
			Do:     func() tea.Cmd { return enableServices(a, rows, "time was up while the program was closed") },
		},
		{Key: ui.Bind("leave disabled", "l"), Do: func() tea.Cmd {
			return ui.ShowNews(theme.Warn, fmt.Sprintf("%d left disabled: E on the services enables them", len(rows)))
		}},
	}}
}

// serviceFromJournal is a hold's service as far as the journal knows it.
func serviceFromJournal(h journal.DisabledService) (*client.Service, bool) {
	var id int
	if _, err := fmt.Sscan(h.ID, &id); err != nil {
		return nil, false
	}
	return &client.Service{ID: id, Label: client.NewText(h.Label), Status: client.StatusDisabled}, true
}

// describeMaintenance says since when, until when and why a service is disabled, where this program did it.
func describeMaintenance(a *account.Account, id int) (string, bool) {
	h, held := a.Journal.DisabledService(account.FormatID(id))
	if !held {
		return "", false
	}
	text := "for " + ui.FormatAge(a.Now().Sub(h.Since))
	if !h.Until.IsZero() {
		text += ", until " + account.FormatClock(h.Until.In(a.Location), a.Now().In(a.Location))
	}
	return text + account.WithPrefix(": ", client.NewText(h.Reason).String()), true
}

// forgottenAfter is how long a service may be disabled before it is asked whether somebody forgot it.
const forgottenAfter = 24 * time.Hour

// disabledAge is for how long a disabled service has been so, marked where it may have been forgotten; empty for any
// other.
func DisabledAge(a *account.Account, s *client.Service) (since string, forgot bool) {
	if s.Status != client.StatusDisabled {
		return "", false
	}
	d, known := disabledFor(a, s)
	if !known {
		return "", false
	}
	if d > forgottenAfter {
		return ui.FormatAge(d) + " !", true
	}
	return ui.FormatAge(d), false
}

// disabledFor is how long a service has been disabled: by the journal where this program did it, else since its last
// update.
func disabledFor(a *account.Account, s *client.Service) (time.Duration, bool) {
	if h, held := a.Journal.DisabledService(account.FormatID(s.ID)); held {
		return a.Now().Sub(h.Since), true
	}
	return a.Now().Sub(s.Updated.Time()), s.Updated.Valid()
}
