// Package account holds one account as last read from the API: a store for each resource, the joins between them, and
// the path that every change takes. Panes hold no data of their own; they draw what is here.
package account

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"lookout/client"
	"lookout/client/journal"
	"lookout/client/lists"
	"lookout/client/maintenance"
	"lookout/client/statefile"
	"lookout/client/transfer"
)

// Options say which account to look at, and how.
type Options struct {
	API          *client.Client
	Executor     lists.Executor // runs the account's work: a *ui.EventLoop; nil is a *lists.Loop, without a screen
	Name         string         // as the user calls the account
	Journal      *journal.Journal
	Now          func() time.Time // nil is lists.WallTime
	Location     *time.Location   // nil is time.Local
	CommandFlags []string         // of script commands for the account: "-a", "acme-prod"
	// DownloadsPath is where unfinished downloads and copies are kept for the next run; "" keeps none
	DownloadsPath string
	OnLargeLoad   func() // runs off the loop after many rows have been read to their end; nil does nothing
}

// Account is one account as last read from the API. It belongs to its executor: whoever holds the lock of that, or runs
// in its loop, may use it.
type Account struct {
	lists.Executor
	Context      context.Context
	API          *client.Client
	Journal      *journal.Journal
	Now          func() time.Time
	Location     *time.Location
	Name         string
	CommandFlags []string
	Stores       map[string]any
	Tickets      ticketCache
	Tell         func(Severity, string) // shows the user a message; it is dropped without a screen
	OnLargeLoad  func()
	memoEntries  map[string]*memoEntry
	disabledAges steadyAges

	Transfers      *transfer.Manager
	ReportedEnds   int               // completed transfers that were reported
	BucketsChanged bool              // a transfer has changed a bucket since the buckets were read
	OpenListings   []lists.Refresher // the open folders of buckets
	Links          IssuedLinks
	LastFolder     string // the local folder that was used last
	memory         memory
	ChangesRead    int // version of the journal when LoadChanges read it last
	Maintenance    MaintenanceState
	Handover       HandoverDraft
}

// HandoverDraft is what the user has typed for the handover. It is held in memory only.
type HandoverDraft struct {
	Note   string
	Since  string // start of the shift: "8h", a day or "all"
	Copied bool   // the note was copied as it is
}

// ShiftStart returns the start of the shift as it was typed: 8 hours ago unless the user has set another.
func (d HandoverDraft) ShiftStart() string { return cmp.Or(d.Since, "8h") }

// MaintenanceState is what this program needs to begin and end the maintenance windows of the account.
type MaintenanceState struct {
	Keeper *maintenance.Keeper // nil in programs that keep no windows
	// KeptElsewhere reports whether lookout keep looks after the windows of the account. nil is no.
	KeptElsewhere func() bool
}

// New returns an account of which nothing has been read yet. Its requests end with ctx.
func New(ctx context.Context, o Options) *Account {
	a := &Account{
		Executor:     o.Executor,
		Context:      ctx,
		API:          o.API,
		Name:         o.Name,
		CommandFlags: o.CommandFlags,
		Journal:      o.Journal,
		Now:          o.Now,
		Location:     o.Location,
		Stores:       map[string]any{},
		Tell:         func(Severity, string) {},
		OnLargeLoad:  o.OnLargeLoad,
		memoEntries:  map[string]*memoEntry{},
		Tickets:      ticketCache{byID: map[int]ticketEntry{}},
		Transfers:    transfer.New(ctx, o.API),
	}
	if o.DownloadsPath != "" {
		a.Transfers.KeepUnfinished(o.DownloadsPath)
	}
	if a.Executor == nil {
		a.Executor = &lists.Loop{}
	}
	if a.Now == nil {
		a.Now = lists.WallTime
	}
	if a.Journal == nil {
		a.Journal = journal.NewInMemory(a.Now)
	}
	a.memory = newMemory(func() statefile.StateFile { return a.Journal.StateFile() })
	if a.Location == nil {
		a.Location = time.Local
	}
	return a
}

// Close waits until cancelled transfers have closed their files and what was seen is written, for at most 2 seconds.
func (a *Account) Close() {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.Transfers.Wait()
		a.memory.writeUnsaved()
	}()
	select {
	case <-ended:
	case <-time.After(2 * time.Second):
	}
}

// sharedStore returns the store of a name, which it makes on the first call. T is a pointer to a row.
func sharedStore[T any](
	a *Account, name string, id func(T) string, fetch func(context.Context, string) (lists.RowPage[T], error),
) *lists.RowStore[T] {
	return sharedStoreFrom(a, name, func() lists.RowSource[T] { return lists.RowSource[T]{ID: id, Fetch: fetch} })
}

// PageStore returns the store of a name whose rows come in pages. All panes of the account share it.
func PageStore[T any](
	a *Account, name string, id func(T) string, list func(context.Context, int) (client.Page[T], error),
) *lists.RowStore[T] {
	return sharedStoreFrom(a, name, func() lists.RowSource[T] {
		return lists.RowSource[T]{ID: id, PrefetchFrom: pagePrefetcher(list)}
	})
}

// sharedStoreFrom is sharedStore for any source. It calls source only if the store does not exist yet: every cell of a
// table may ask for one.
func sharedStoreFrom[T any](a *Account, name string, source func() lists.RowSource[T]) *lists.RowStore[T] {
	if set, ok := a.Stores[name]; ok {
		return set.(*lists.RowStore[T])
	}
	src := source()
	src.Name, src.Now = name, a.Now
	set := lists.NewRowStore(a.Context, a, src)
	a.Stores[name] = set
	return set
}

// pagePrefetcher turns a list with page numbers into pages for a store, which are requested ahead.
func pagePrefetcher[T any](
	list func(context.Context, int) (client.Page[T], error),
) func(context.Context, string, int) func() (lists.RowPage[T], error) {
	return func(ctx context.Context, _ string, _ int) func() (lists.RowPage[T], error) {
		return lists.Prefetch(ctx, func(yield func(lists.RowPage[T], error) bool) {
			for p, err := range client.Pages(ctx, list) {
				rows := lists.RowPage[T]{
					Rows:  p.Data,
					Next:  p.Next(),
					Total: p.Results,
					Notes: p.Warnings,
				}
				if p.Incomplete != "" {
					rows.Missing = []string{p.Incomplete}
				}
				if !yield(rows, err) {
					return
				}
			}
		})
	}
}

// SingleFetcher turns a read of one thing into a page with one row.
func SingleFetcher[T any](
	view func(context.Context) (T, error),
) func(context.Context, string) (lists.RowPage[T], error) {
	return func(ctx context.Context, _ string) (lists.RowPage[T], error) {
		row, err := view(ctx)
		return lists.RowPage[T]{Rows: []T{row}, Total: 1}, err
	}
}

// ToPointers returns pointers to rows that this program has made itself, as stores hold them. Nobody may change them.
func ToPointers[T any](rows []T) []*T {
	pointers := make([]*T, len(rows))
	for i := range rows {
		pointers[i] = &rows[i]
	}
	return pointers
}

// OnlyRow returns the row of a store that has at most one, and whether it is there.
func OnlyRow[T any](set *lists.RowStore[T]) (T, bool) {
	if set.Len() > 0 {
		return set.At(0), true
	}
	var none T
	return none, false
}

// RefreshAll reads several stores again.
func RefreshAll(sets ...lists.Refresher) {
	for _, set := range sets {
		set.Refresh()
	}
}

// PollAll reads several stores again, and lets reads under way finish.
func PollAll(sets ...lists.Poller) {
	for _, set := range sets {
		set.Poll()
	}
}

// Wait waits until a script's account has read what it was asked for, done reports true, or ctx ends.
func (a *Account) Wait(ctx context.Context, done func() bool) {
	a.Executor.(*lists.Loop).Wait(ctx, done)
}

// FormatID returns a number as the identity of a row.
func FormatID(id int) string { return strconv.Itoa(id) }

// MissingScope returns why the token cannot perform an operation of the client; "" if it can, or if its scopes are not
// known yet.
func (a *Account) MissingScope(op string) string {
	needed, have := client.RequiredScope(op), a.API.Scopes()
	if have == "" || have == "unknown" || client.ScopesAllow(have, needed) {
		return ""
	}
	return "the token has " + have + "; this needs " + needed
}
