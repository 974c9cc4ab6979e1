// Package views lists the panes of the dashboard and the resources of its commands. The panes themselves are in
// views/managed, views/storage and views/activity. Those that draw on all three are here: the overview, its small form
// for a corner of the screen, and the pane of all accounts.
package views

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/wording"
	"lookout/ui"
	"lookout/views/activity"
	"lookout/views/managed"
	"lookout/views/operation"
	"lookout/views/resource"
	"lookout/views/storage"
)

// A tab declares a pane that has a place in the tab bar.
type tab struct {
	name  string // of the pane
	place ui.TabPlacement
	pane  func(*account.Account) ui.Pane
}

// tabs are the tabs, in their order.
var tabs = []tab{
	{"overview", ui.TabPlacement{}, overviewPane},
	{"issues", ui.TabPlacement{Area: "Managed"}, managed.IssuesPane},
	{"services", ui.TabPlacement{Area: "Managed"}, managed.ServicesPane},
	{"contacts", ui.TabPlacement{Area: "Managed"}, managed.ContactsPane},
	{"credentials", ui.TabPlacement{Area: "Managed"}, managed.CredentialsPane},
	{"ssh", ui.TabPlacement{Area: "Managed"}, managed.SSHPane},
	{"stats", ui.TabPlacement{Area: "Managed"}, managed.StatsPane},
	{"buckets", ui.TabPlacement{Area: "Storage"}, storage.BucketsPane},
	{"keys", ui.TabPlacement{Area: "Storage"}, storage.KeysPane},
	{"clusters", ui.TabPlacement{Area: "Storage"}, storage.ClustersPane},
	{"transfers", ui.TabPlacement{Area: "Activity", Key: "F"}, activity.TransfersPane},
	{"journal", ui.TabPlacement{Area: "Activity", Key: "J"}, activity.JournalPane},
	{"audit", ui.TabPlacement{Area: "Activity", Key: "U"}, activity.AuditPane},
	{"handover", ui.TabPlacement{Area: "Activity", Key: "B"}, activity.HandoverPane},
}

// Panes returns the panes of the tabs, in their order.
func Panes(a *account.Account) []ui.Pane {
	operation.Show(a)
	panes := make([]ui.Pane, len(tabs))
	for i, t := range tabs {
		panes[i] = t.pane(a)
	}
	return panes
}

// TabNames returns the names of the tabs' panes, in their order.
func TabNames() []string {
	names := make([]string, len(tabs))
	for i, t := range tabs {
		names[i] = t.name
	}
	return names
}

// TabPlaces returns the areas of the tabs, and the keys of those that have no digit.
func TabPlaces() map[string]ui.TabPlacement {
	places := map[string]ui.TabPlacement{}
	for _, t := range tabs {
		places[t.name] = t.place
	}
	return places
}

// Resources returns the kinds of objects that scripts have commands for. A Parent comes before what belongs to it.
func Resources(a *account.Account) []resource.Resource[any] {
	return []resource.Resource[any]{
		managed.Services(a).Erased(),
		managed.Issues(a).Erased(),
		managed.Contacts(a).Erased(),
		managed.Credentials(a).Erased(),
		managed.Instances(a).Erased(),
		managed.SSHKey(a).Erased(),
		managed.Stats(a).Erased(),
		storage.Buckets(a).Erased(),
		storage.Objects(a).Erased(),
		storage.Keys(a).Erased(),
		storage.Clusters(a).Erased(),
		storage.TransferUsage(a).Erased(),
		storage.Certificates(a).Erased(),
	}
}

// Declarations returns the Resources of an account that has read nothing and can read nothing: their names, columns,
// fields and scopes.
func Declarations() []resource.Resource[any] {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	return Resources(account.New(ended, account.Options{API: &client.Client{}}))
}

// OpenablePanes returns one empty pane of each kind that opens from a tab, so that callers can list their actions and
// columns.
func OpenablePanes(a *account.Account) []ui.Pane {
	open := a.OpenListings
	defer func() { a.OpenListings = open }()
	return append(storage.OpenablePanes(a), managed.IncidentPane(a, &client.Issue{}))
}

// ColumnChoosers returns the panes whose columns the user can choose: tabs, and panes that open from them.
func ColumnChoosers(a *account.Account) []ui.ListPane {
	var lists []ui.ListPane
	panes := append(Panes(a), OpenablePanes(a)...)
	for _, p := range append(panes, NewAllAccounts(a.Context, nil, nil, a.Now).Pane) {
		if l, ok := p.(ui.ListPane); ok {
			lists = append(lists, l)
		}
	}
	return lists
}

// OnOpen returns the command that runs when an account is opened. It takes up what earlier runs have left in the
// journal, and watches what other programs add to it.
func OnOpen(a *account.Account) tea.Cmd {
	managed.KeepMaintenance(a)
	managed.WatchJournal(a)
	managed.ReportLockedJournal(a)
	offers := tea.Batch(
		storage.OfferResumeEmptying(a),
		storage.ReportInterruptedDeletions(a),
		storage.OfferInterruptedDownloads(a),
		storage.OfferKeysToRevoke(a),
	)
	activity.LookUpUnresolved(a)
	a.WatchEarlierChanges()
	operation.WatchTransfers(a)
	return offers
}

// LeaveWarnings returns a sentence for each thing that ends when the account is closed; none if nothing is under way.
func LeaveWarnings(a *account.Account) []string {
	var ends []string
	if text := activity.UnfinishedText(a); text != "" {
		ends = append(ends, text)
	}
	changes := 0
	for _, set := range a.Stores {
		if w, ok := set.(interface{ PendingCount() int }); ok {
			changes += w.PendingCount()
		}
	}
	if changes > 0 {
		subject := wording.Plural(changes, "change has", "changes have")
		ends = append(ends, subject+" no response yet: the outcome would be unknown.")
	}
	if a.Handover.Note != "" && !a.Handover.Copied {
		ends = append(ends, "The note of the handover was not copied: it would be lost.")
	}
	return append(ends, managed.OpenWindows(a)...)
}
