package views

import (
	"fmt"
	"slices"

	"lookout/client"
	"lookout/ui"

	tea "charm.land/bubbletea/v2"
)

// Panes are the tabs, in their order.
func Panes(a *Account) []ui.Pane {
	return []ui.Pane{
		overviewPane(a),
		issuesPane(a),
		servicesPane(a),
		contactsPane(a),
		credentialsPane(a),
		sshPane(a),
		statsPane(a),
		bucketsPane(a),
		keysPane(a),
		clustersPane(a),
		transfersPane(a),
		journalPane(a),
	}
}

// ColumnChoosers are the panes whose columns can be chosen: tabs, and what is opened from them.
func ColumnChoosers(a *Account) []ui.ColumnChooser {
	open := a.openListings
	defer func() { a.openListings = open }()
	var lists []ui.ColumnChooser
	for _, p := range append(Panes(a), objectsPane(a, &client.Bucket{}, "", "/"), linksPane(a)) {
		if l, ok := p.(ui.ColumnChooser); ok {
			lists = append(lists, l)
		}
	}
	return lists
}

// OnOpen is what the account wants done at start: what an earlier run left undone is taken care of, and transfers and
// the journal are watched.
func OnOpen(a *Account) tea.Cmd {
	return tea.Batch(
		resumeMaintenance(a, a.now()),
		watchJournal(a),
		offerResumeEmptying(a),
		offerUnresolved(a),
		watchTransfers(a),
	)
}

// LeaveWarnings is what ends with the account, in sentences: nothing where nothing is under way.
func LeaveWarnings(a *Account) []string {
	var ends []string
	if text := unfinishedText(a); text != "" {
		ends = append(ends, text)
	}
	changes := 0
	for _, set := range a.stores {
		if w, ok := set.(interface{ PendingCount() int }); ok {
			changes += w.PendingCount()
		}
	}
	if changes > 0 {
		ends = append(
			ends,
			pluralize(changes, "change has", "changes have")+" no answer yet: how it ended would be unknown.",
		)
	}
	var waiting []string
	for _, h := range a.journal.DisabledServices() {
		if h.Until.After(a.now()) {
			waiting = append(
				waiting,
				fmt.Sprintf(
					"%s at %s",
					client.NewText(h.Label),
					formatClock(h.Until.In(a.location), a.now().In(a.location)),
				),
			)
		}
	}
	if len(waiting) > 0 {
		slices.Sort(waiting)
		ends = append(
			ends,
			"To be enabled again, which happens only while this account is open: "+joinWithCommas(waiting)+".",
		)
	}
	return ends
}
