package account

import (
	"context"
	"fmt"
	"sync"
	"time"

	"lookout/client"
	"lookout/client/journal"
	"lookout/client/lists"
	"lookout/client/transfer"
	"lookout/client/wording"
)

// Services returns the services.
func (a *Account) Services() *lists.RowStore[*client.Service] {
	list := func(ctx context.Context, number int) (client.Page[*client.Service], error) {
		page, err := a.API.Services.List(ctx, number)
		a.memory.read() // off the event loop, which compares the services with it
		return page, err
	}
	return sharedStoreFrom(a, "services", func() lists.RowSource[*client.Service] {
		return lists.RowSource[*client.Service]{
			ID:           func(s *client.Service) string { return FormatID(s.ID) },
			Updated:      func(s *client.Service) time.Time { return s.Updated.Time() },
			State:        func(s *client.Service) string { return s.Status.String() },
			Note:         func(s *client.Service) string { return a.unreadWindowNote(s) },
			PrefetchFrom: pagePrefetcher(list),
		}
	})
}

// Issues returns the issues.
func (a *Account) Issues() *lists.RowStore[*client.Issue] {
	list := func(ctx context.Context, number int) (client.Page[*client.Issue], error) {
		page, err := a.API.Issues.List(ctx, number)
		a.memory.read() // as for the services
		return page, err
	}
	return PageStore(a, "issues", func(i *client.Issue) string { return FormatID(i.ID) }, list)
}

// Contacts returns the contacts.
func (a *Account) Contacts() *lists.RowStore[*client.Contact] {
	return sharedStoreFrom(a, "contacts", func() lists.RowSource[*client.Contact] {
		return lists.RowSource[*client.Contact]{
			ID:           func(c *client.Contact) string { return FormatID(c.ID) },
			Updated:      func(c *client.Contact) time.Time { return c.Updated.Time() },
			PrefetchFrom: pagePrefetcher(a.API.Contacts.List),
		}
	})
}

// Credentials returns the credentials.
func (a *Account) Credentials() *lists.RowStore[*client.Credential] {
	return PageStore(
		a, "credentials", func(c *client.Credential) string { return FormatID(c.ID) }, a.API.Credentials.List,
	)
}

// SSHKey returns the public key that lets support log in, as the only row.
func (a *Account) SSHKey() *lists.RowStore[*client.SSHKey] {
	return sharedStore(
		a, "managed SSH key", func(*client.SSHKey) string { return "account" }, SingleFetcher(a.API.Credentials.SSHKey),
	)
}

// Instances returns the instances with their SSH settings.
func (a *Account) Instances() *lists.RowStore[*client.Instance] {
	return PageStore(a, "ssh", func(i *client.Instance) string { return FormatID(i.ID) }, a.API.Instances.List)
}

// Stats returns the stats of the account, as the only row.
func (a *Account) Stats() *lists.RowStore[*client.ManagedStats] {
	return sharedStore(
		a, "stats", func(*client.ManagedStats) string { return "account" }, SingleFetcher(a.API.Stats.Get),
	)
}

// Buckets returns the buckets of all clusters.
func (a *Account) Buckets() *lists.RowStore[*client.Bucket] {
	return sharedStoreFrom(a, "buckets", func() lists.RowSource[*client.Bucket] {
		return lists.RowSource[*client.Bucket]{
			ID:      (*client.Bucket).ID,
			Created: func(b *client.Bucket) time.Time { return b.Created.Time() },
			Fetch:   (&bucketFetcher{a: a}).fetch,
		}
	})
}

// Shared returns what panes of the account share under a name; it is made when somebody first asks for it.
func Shared[T any](a *Account, name string, create func() *T) *T {
	shared, ok := a.Stores[name].(*T)
	if !ok {
		shared = create()
		a.Stores[name] = shared
	}
	return shared
}

// Collect returns all rows that an iterator of the client yields, up to its first error.
func Collect[T any](all func(func(T, error) bool)) (rows []T, err error) {
	all(func(row T, failed error) bool {
		if err = failed; err == nil {
			rows = append(rows, row)
		}
		return err == nil
	})
	return rows, err
}

// Keys returns the access keys, without their secrets.
func (a *Account) Keys() *lists.RowStore[*client.AccessKey] {
	return PageStore(a, "keys", func(k *client.AccessKey) string { return FormatID(k.ID) }, a.API.Keys.List)
}

// FetchKey reads one key. It drops the secret, whatever the server sent.
func (a *Account) FetchKey(ctx context.Context, id int) (*client.AccessKey, error) {
	k, err := a.API.Keys.Get(ctx, id)
	return WithoutSecret(k), err
}

// WithoutSecret returns a copy of a key without its secret, or nil for nil. Stores hold only such keys.
func WithoutSecret(k *client.AccessKey) *client.AccessKey {
	if k == nil {
		return nil
	}
	kept := *k
	kept.SecretKey = client.Secret{}
	return &kept
}

// Clusters returns the clusters.
func (a *Account) Clusters() *lists.RowStore[*client.Cluster] {
	return sharedStoreFrom(a, "clusters", func() lists.RowSource[*client.Cluster] {
		return lists.RowSource[*client.Cluster]{
			ID:           func(c *client.Cluster) string { return c.ID.Raw() },
			State:        func(c *client.Cluster) string { return c.Status.Raw() },
			PrefetchFrom: pagePrefetcher(a.API.Clusters.List),
		}
	})
}

// TransferUsage returns the outbound transfer of this month, as the only row.
func (a *Account) TransferUsage() *lists.RowStore[*client.TransferUsage] {
	return sharedStore(
		a, "transfer", func(*client.TransferUsage) string { return "account" },
		SingleFetcher(a.API.NetworkTransfer.Get),
	)
}

// TransferStore returns the transfers of this run. They are read from the manager, not from the API.
func (a *Account) TransferStore() *lists.RowStore[*transfer.Status] {
	return sharedStoreFrom(a, "transfers", func() lists.RowSource[*transfer.Status] {
		return lists.RowSource[*transfer.Status]{
			ID:         TransferID,
			NewStorage: func() lists.RowContainer[*transfer.Status] { return NewTransferRows(a) },
			Fetch: func(context.Context, string) (lists.RowPage[*transfer.Status], error) {
				return lists.RowPage[*transfer.Status]{}, nil
			},
		}
	})
}

// JournalStore returns the changes in the journal, newest first. Older ones are read when someone scrolls that far.
func (a *Account) JournalStore() *lists.RowStore[*journal.Entry] {
	return sharedStoreFrom(a, "journal", func() lists.RowSource[*journal.Entry] {
		fetch := journalFetcher(a.Journal)
		return lists.RowSource[*journal.Entry]{
			ID:    func(e *journal.Entry) string { return e.ID },
			State: func(e *journal.Entry) string { return string(e.Outcome) },
			Lazy:  true,
			Fetch: func(ctx context.Context, cursor string) (lists.RowPage[*journal.Entry], error) {
				a.memory.read() // off the event loop, which shows changes made elsewhere with those of the journal
				return fetch(ctx, cursor)
			},
		}
	})
}

// journalFetcher returns a function that reads the pages of the journal. A cursor names its history and the page.
func journalFetcher(j *journal.Journal) func(context.Context, string) (lists.RowPage[*journal.Entry], error) {
	var mu sync.Mutex
	var history *journal.HistoryReader
	reads := 0
	return func(_ context.Context, cursor string) (page lists.RowPage[*journal.Entry], err error) {
		mu.Lock()
		defer mu.Unlock()
		if cursor == "" {
			if _, err := j.CatchUp(); err != nil {
				return page, err
			}
			history, reads = j.History(), reads+1
			cursor = fmt.Sprint(reads, "/0")
		}
		var read, n int
		if _, err := fmt.Sscanf(cursor, "%d/%d", &read, &n); err != nil || read != reads {
			return page, journal.ErrPageOrder // the journal is being read from the beginning again
		}
		rows, more, lost := history.Page(n)
		page.Rows, page.Total = ToPointers(rows), j.Len()
		if more {
			page.Next = fmt.Sprint(read, "/", n+1)
		}
		if lines := j.UnreadableLines(); lines > 0 && n == 0 {
			page.Notes = append(
				page.Notes, wording.Plural(lines, "line of the journal", "lines of the journal")+" could not be read",
			)
		}
		if lost != nil {
			page.Notes, page.Missing = append(page.Notes, lost.Error()), append(page.Missing, lost.Error())
		}
		return page, nil
	}
}

// LocalStore returns the store of a name whose rows are made on this machine, all at once and off the loop.
func LocalStore[T any](
	a *Account, name string, id func(T) string, fetch func(context.Context) (lists.RowPage[T], error),
) *lists.RowStore[T] {
	return sharedStoreFrom(a, name, func() lists.RowSource[T] {
		return lists.RowSource[T]{
			ID:    id,
			Local: true,
			Fetch: func(ctx context.Context, _ string) (lists.RowPage[T], error) { return fetch(ctx) },
		}
	})
}

// LinkStore returns the links of this run. They are held in memory only.
func (a *Account) LinkStore() *lists.RowStore[*PresignedLink] {
	id := func(l *PresignedLink) string { return FormatID(l.ID) }
	return LocalStore(a, "links", id, func(context.Context) (lists.RowPage[*PresignedLink], error) {
		return lists.RowPage[*PresignedLink]{Rows: a.Links.newestFirst()}, nil
	})
}

// The ages at which a refresh of the overview reads charts and sums again.
const (
	StatsMaxAge   = 5 * time.Minute  // the API measures as often
	StorageMaxAge = 10 * time.Minute // of Object Storage; its own panes read it as often as any other
	// failedRetryAge is the age of a failure at which it is tried again.
	failedRetryAge = time.Minute
	// deniedRetryAge is the same for what the token or the user may not read.
	deniedRetryAge = 10 * time.Minute
)

// RefreshIfOlder reads a store again if its rows have at least an age.
func (a *Account) RefreshIfOlder(set refreshable, age time.Duration) {
	f := set.Freshness()
	last := f.LoadedAt
	switch {
	case wording.Denied(f.Err):
		last, age = f.FailedAt, max(age, deniedRetryAge)
	case f.Err != nil:
		last, age = f.FailedAt, min(age, failedRetryAge)
	}
	if !f.Loading && (last.IsZero() || a.Now().Sub(last).Abs() >= age) { // the clock may be set back
		set.Refresh()
	}
}

// refreshable is a store that knows how old its rows are.
type refreshable interface {
	lists.Refresher
	Freshness() lists.Freshness
}
