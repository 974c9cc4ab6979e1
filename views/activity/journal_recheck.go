package activity

import (
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/journal"
	"lookout/client/lists"
	"lookout/ui"
)

// LookUpUnresolved looks up the changes of earlier runs and of other programs whose outcome is not known, and says so.
func LookUpUnresolved(a *account.Account) {
	// interrupted deletions of many objects are reported separately, and readings have said all they can of what
	// arrived late
	open := slices.DeleteFunc(a.UnresolvedChanges(), func(e *journal.Entry) bool {
		return client.DeletesMany(e.Change.Op) || e.ByReading
	})
	if len(open) == 0 {
		return
	}
	names := make([]string, 0, 3)
	for _, e := range open[:min(3, len(open))] {
		names = append(names, client.Clean(e.Change.Op)+" "+account.EntryName(e))
	}
	if more := len(open) - 3; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	a.ResumeLookups(
		open, "Outcome unknown, being looked up: "+account.JoinWithCommas(names)+" · see the journal",
	)
}

// settleMenu lets the user record an outcome that reading cannot tell.
func settleMenu(a *account.Account, e *journal.Entry) ui.OpenMenuMsg {
	say := func(outcome client.Outcome) func() tea.Cmd {
		return func() tea.Cmd {
			a.Journal.RecordOutcome(e.ID, outcome, errors.New("settled by the user after checking"))
			a.SettleLookup(e.ID, map[bool]lists.AttemptOutcome{
				true:  lists.Applied,
				false: lists.Rejected,
			}[outcome == client.Applied])
			a.JournalStore().Refresh()
			return nil
		}
	}
	return ui.OpenMenuMsg{Title: client.Clean(e.Change.Op) + " " + account.EntryName(e), Actions: []ui.Action{
		{Key: ui.Bind("it was done", "d"), Do: say(client.Applied)},
		{Key: ui.Bind("it was not done", "n"), Do: say(client.Rejected)},
	}}
}
