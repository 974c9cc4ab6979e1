package account

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"lookout/client"
	"lookout/ui"
)

// A bucketFetcher reads the buckets of all clusters side by side, so that one that does not answer hides no other. What
// comes late is a page of its own.
type bucketFetcher struct {
	a *Account

	mu         sync.Mutex
	lastCursor int
	pending    map[string]*fanout // by the cursor of the page that waits for them
}

// slowClusterTimeout is how long the buckets of others wait for a cluster that does not answer.
const slowClusterTimeout = 2 * time.Second

// fetch is what answers within a moment, then the rest.
func (r *bucketFetcher) fetch(ctx context.Context, cursor string) (ui.RowPage[*client.Bucket], error) {
	q := r.takePending(cursor)
	if q == nil {
		q = startFanout(r.a)
	}
	patience := time.Duration(0)
	if cursor == "" {
		patience = slowClusterTimeout
	}
	whole, err := q.wait(ctx, patience)
	if err != nil {
		return ui.RowPage[*client.Bucket]{}, err
	}
	if whole {
		return q.lastPage()
	}
	return ui.RowPage[*client.Bucket]{Rows: q.newRows(), Next: r.keepPending(q)}, nil
}

// takePending is the inquiry that a cursor goes on with.
func (r *bucketFetcher) takePending(cursor string) *fanout {
	r.mu.Lock()
	defer r.mu.Unlock()
	q := r.pending[cursor]
	delete(r.pending, cursor)
	return q
}

// keepPending keeps an inquiry for the next page. One that was left behind by an older reading is ended.
func (r *bucketFetcher) keepPending(q *fanout) (cursor string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, older := range r.pending {
		older.cancel()
	}
	r.lastCursor++
	cursor = strconv.Itoa(r.lastCursor)
	r.pending = map[string]*fanout{cursor: q}
	return cursor
}

// fetchAllBuckets reads the buckets of all clusters, as long as it takes.
func (a *Account) FetchAllBuckets(ctx context.Context) (ui.RowPage[*client.Bucket], error) {
	q := startFanout(a)
	if _, err := q.wait(ctx, 0); err != nil {
		return ui.RowPage[*client.Bucket]{}, err
	}
	return q.lastPage()
}

// An fanout is the account's own list of buckets and that of each cluster under way: the first holds buckets that are
// in none of the clusters listed.
type fanout struct {
	cancel     context.CancelFunc
	results    chan fanoutResult // closed behind the last
	clusterIDs []string          // of the clusters, once they are known
	received   map[string]fanoutResult
	delivered  map[string]bool // buckets that were given already
}

// fanoutResult is what was said by one who was asked: a cluster, or everyone or clusters of the account.
type fanoutResult struct {
	from string
	rows []*client.Bucket
	ids  []string
	err  error
}

// Who is asked beside clusters. No cluster's ID is empty or has a space.
const (
	fromAccount     = ""
	fromClusterList = "its clusters"
)

// startFanout asks everybody.
func startFanout(a *Account) *fanout {
	ctx, cancel := context.WithCancel(a.Context)
	q := &fanout{
		cancel:    cancel,
		results:   make(chan fanoutResult),
		received:  map[string]fanoutResult{},
		delivered: map[string]bool{},
	}
	say := func(x fanoutResult) {
		select {
		case q.results <- x:
		case <-ctx.Done():
		}
	}
	var wait sync.WaitGroup
	wait.Go(func() {
		rows, err := Collect(a.API.Buckets.All(ctx))
		say(fanoutResult{from: fromAccount, rows: rows, err: err})
	})
	wait.Go(func() {
		ids, err := fetchClusterIDs(ctx, a.API)
		say(fanoutResult{from: fromClusterList, ids: ids, err: err})
		for _, id := range ids {
			wait.Go(func() {
				rows, err := fetchClusterBuckets(ctx, a.API, id)
				say(fanoutResult{from: id, rows: rows, err: err})
			})
		}
	})
	go func() {
		wait.Wait()
		close(q.results)
	}()
	return q
}

// fetchClusterIDs are the clusters that buckets may be in.
func fetchClusterIDs(ctx context.Context, api *client.Client) ([]string, error) {
	rows, err := Collect(api.Clusters.All(ctx))
	ids := make([]string, len(rows))
	for i, c := range rows {
		ids[i] = c.ID.Raw()
	}
	return ids, err
}

// fetchClusterBuckets are all buckets of a cluster.
func fetchClusterBuckets(ctx context.Context, api *client.Client, cluster string) (rows []*client.Bucket, err error) {
	for n := 1; ; n++ {
		p, err := api.Buckets.ListInCluster(ctx, cluster, n)
		if err != nil {
			return nil, err
		}
		if rows = append(rows, p.Data...); p.Next() == "" {
			return rows, nil
		}
	}
}

// wait takes answers until the last, or until patience, where it is above 0, is over and there is something to show.
func (q *fanout) wait(ctx context.Context, patience time.Duration) (whole bool, err error) {
	var over <-chan time.Time
	if patience > 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		over = timer.C
	}
	for late := false; ; {
		select {
		case x, open := <-q.results:
			if !open {
				q.cancel()
				return true, ctx.Err()
			}
			if q.received[x.from] = x; x.from == fromClusterList {
				q.clusterIDs = x.ids
			}
		case <-over:
			late = true
		case <-ctx.Done():
			q.cancel()
			return false, ctx.Err()
		}
		if late && q.hasBuckets() {
			return false, nil
		}
	}
}

// hasBuckets reports whether any bucket is known.
func (q *fanout) hasBuckets() bool {
	for _, x := range q.received {
		if len(x.rows) > 0 {
			return true
		}
	}
	return false
}

// newRows are the buckets that have not been given yet.
func (q *fanout) newRows() (rows []*client.Bucket) {
	for _, from := range append(append([]string(nil), q.clusterIDs...), fromAccount) {
		for _, b := range q.received[from].rows {
			if id := BucketID(b); !q.delivered[id] {
				q.delivered[id] = true
				rows = append(rows, b)
			}
		}
	}
	return rows
}

// lastPage is the last page: clusters that failed are named. It fails only where all of them did, and the account's own
// list too.
func (q *fanout) lastPage() (ui.RowPage[*client.Bucket], error) {
	var page ui.RowPage[*client.Bucket]
	if err := q.received[fromClusterList].err; err != nil {
		why := "clusters: " + ui.Reason(err)
		page.Notes, page.Missing = append(page.Notes, why), append(page.Missing, why)
	}
	failed := 0
	for _, id := range q.clusterIDs {
		if err := q.received[id].err; err != nil {
			failed++
			page.Missing = append(page.Missing, client.Clean(id)+" does not answer")
			page.Notes = append(
				page.Notes,
				fmt.Sprintf(
					"%s does not answer: %s · what is shown of it may be old or missing",
					client.Clean(id),
					ui.Reason(err),
				),
			)
		}
	}
	if err := q.received[fromAccount].err; err != nil &&
		(failed == len(q.clusterIDs) && failed > 0 || q.received[fromClusterList].err != nil) {
		return ui.RowPage[*client.Bucket]{}, err
	}
	page.Rows = q.newRows()
	page.Total = len(q.delivered)
	return page, nil
}
