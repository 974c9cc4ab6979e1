// Package views holds the panes, one file each. Panes hold no data: they draw the sets of an Account and join them
// while drawing.
package account

import (
	"context"
	"fmt"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/journal"
	"lookout/client/transfer"
	"lookout/ui"
)

// Options say which account is looked at, and with whose eyes.
type Options struct {
	API          *client.Client
	Name         string // the account's, as the user calls it
	Journal      *journal.Journal
	Now          func() time.Time // nil is ui.Wall
	Location     *time.Location   // nil is time.Local
	CommandFlags []string         // with which the program's commands reach the account: "-a", "acme-prod"
}

// An Account is one account as the API said it last: a shared set per kind of row, and the panes on them.
type Account struct {
	Context      context.Context
	API          *client.Client
	Journal      *journal.Journal
	Now          func() time.Time
	Location     *time.Location
	Name         string
	commandFlags []string
	Stores       map[string]any
	Tickets      ticketCache
	CachedCharts map[string]CachedChart // charts by their measures
	memoEntries  map[string]*memoEntry

	Transfers        *transfer.Manager
	reportedEnds     int            // ends of transfers that have been told
	bucketsChanged   bool           // transfers have changed buckets since they were read
	OpenListings     []ui.Refresher // open folders of buckets
	Links            issuedLinks
	LastFolder       string // used last for files of this machine
	noticeState      noticeState
	ScheduledEnables map[string]bool // intents whose maintenance windows this program looks after
}

// New is an account that has not been asked anything yet. Its requests end with ctx.
func New(ctx context.Context, o Options) *Account {
	a := &Account{
		Context:          ctx,
		API:              o.API,
		Name:             o.Name,
		commandFlags:     o.CommandFlags,
		Journal:          o.Journal,
		Now:              o.Now,
		Location:         o.Location,
		Stores:           map[string]any{},
		CachedCharts:     map[string]CachedChart{},
		memoEntries:      map[string]*memoEntry{},
		Tickets:          ticketCache{byID: map[int]client.Ticket{}, requested: map[int]bool{}},
		Transfers:        transfer.New(ctx, o.API),
		ScheduledEnables: map[string]bool{},
	}
	if a.Now == nil {
		a.Now = ui.WallTime
	}
	if a.Location == nil {
		a.Location = time.Local
	}
	return a
}

// Close waits for transfers that have been cancelled to let go of their files, but not for ever.
func (a *Account) Close() {
	ended := make(chan struct{})
	go func() {
		a.Transfers.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(2 * time.Second):
	}
}

// sharedStore makes a kind's set on first asking and gives the same one ever after. T is a pointer to a row, as the
// client gives them.
func sharedStore[T any](
	a *Account,
	name string,
	id func(T) string,
	fetch func(context.Context, string) (ui.RowPage[T], error),
) *ui.Store[T] {
	return sharedStoreFrom(a, ui.Source[T]{Name: name, ID: id, Fetch: fetch})
}

// sharedStoreFrom is share for a source that has more to say.
func sharedStoreFrom[T any](a *Account, src ui.Source[T]) *ui.Store[T] {
	if set, ok := a.Stores[src.Name]; ok {
		return set.(*ui.Store[T])
	}
	src.Now = a.Now
	set := ui.NewStore(a.Context, src)
	a.Stores[src.Name] = set
	return set
}

// pageFetcher turns a list with page numbers into pages with cursors: "", "2", "3".
func pageFetcher[T any](
	page func(context.Context, int) (client.Page[T], error),
) func(context.Context, string) (ui.RowPage[T], error) {
	return func(ctx context.Context, cursor string) (ui.RowPage[T], error) {
		n := 1
		if cursor != "" {
			var err error
			if n, err = strconv.Atoi(cursor); err != nil {
				return ui.RowPage[T]{}, fmt.Errorf("page %q: %w", cursor, err)
			}
		}
		p, err := page(ctx, n)
		rows := ui.RowPage[T]{
			Rows:  p.Data,
			Next:  p.Next(),
			Total: p.Results,
			Notes: p.Warnings,
		}
		if p.Incomplete != "" {
			rows.Missing = []string{p.Incomplete}
		}
		return rows, err
	}
}

// singleFetcher turns one thing into a set of one row.
func SingleFetcher[T any](view func(context.Context) (T, error)) func(context.Context, string) (ui.RowPage[T], error) {
	return func(ctx context.Context, _ string) (ui.RowPage[T], error) {
		row, err := view(ctx)
		return ui.RowPage[T]{Rows: []T{row}, Total: 1}, err
	}
}

// toPointers are rows that this program made itself, as sets hold them: none is changed afterwards.
func ToPointers[T any](rows []T) []*T {
	pointers := make([]*T, len(rows))
	for i := range rows {
		pointers[i] = &rows[i]
	}
	return pointers
}

// onlyRow is the only row of a set of one.
func OnlyRow[T any](set *ui.Store[T]) (T, bool) {
	if set.Len() > 0 {
		return set.At(0), true
	}
	var none T
	return none, false
}

// refreshAll is every set that a pane reads beside its own, as one thing to refresh.
func RefreshAll(sets ...ui.Refresher) tea.Cmd {
	cmds := make([]tea.Cmd, len(sets))
	for i, set := range sets {
		cmds[i] = set.Refresh()
	}
	return tea.Batch(cmds...)
}

// pollAll asks for several sets because it is time.
func PollAll(sets ...ui.Poller) tea.Cmd {
	cmds := make([]tea.Cmd, len(sets))
	for i, set := range sets {
		cmds[i] = set.Poll()
	}
	return tea.Batch(cmds...)
}

func FormatID(id int) string { return strconv.Itoa(id) }
