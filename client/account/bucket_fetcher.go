package account

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"lookout/client"
	"lookout/client/lists"
	"lookout/client/wording"
)

// bucketFetcher reads the list of all buckets. If that fails or is late, it reads those of each cluster too, all at
// once, so that a cluster that does not answer does not hide the others. Late answers make a page of their own.
type bucketFetcher struct {
	a *Account

	mu         sync.Mutex
	lastCursor int
	pending    map[string]*fanout // by the cursor of the next page
}

const (
	// slowListTimeout is how long the list of all buckets may take before the clusters are asked too
	slowListTimeout = time.Second
	// slowClusterTimeout is how long the first page waits for a slow cluster
	slowClusterTimeout = 2 * time.Second
)

// fetch returns the buckets that are known in time, then, as a second page, the rest.
func (r *bucketFetcher) fetch(ctx context.Context, cursor string) (lists.RowPage[*client.Bucket], error) {
	q := r.takePending(cursor)
	if q == nil {
		q = r.a.startFanout()
	}
	patience := time.Duration(0)
	if cursor == "" {
		patience = slowClusterTimeout
	}
	whole, err := q.wait(ctx, patience)
	if err != nil {
		return lists.RowPage[*client.Bucket]{}, err
	}
	if whole {
		return q.lastPage()
	}
	return lists.RowPage[*client.Bucket]{Rows: q.newRows(), Next: r.keepPending(q)}, nil
}

// takePending returns the fanout that a cursor continues, or nil.
func (r *bucketFetcher) takePending(cursor string) *fanout {
	r.mu.Lock()
	defer r.mu.Unlock()
	q := r.pending[cursor]
	delete(r.pending, cursor)
	return q
}

// keepPending keeps a fanout for the next page. It ends one that an older read has left.
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

// FetchAllBuckets reads the buckets of all clusters and waits for the slowest, unless the list of all is read first.
func (a *Account) FetchAllBuckets(ctx context.Context) (lists.RowPage[*client.Bucket], error) {
	q := a.startFanout()
	if _, err := q.wait(ctx, 0); err != nil {
		return lists.RowPage[*client.Bucket]{}, err
	}
	return q.lastPage()
}

// fanout reads the list of all buckets. If that list is late or fails, it also reads the list of each cluster. The list
// of all buckets may hold some of clusters that are not listed.
type fanout struct {
	cancel     context.CancelFunc
	results    chan fanoutResult // closed after the last
	clusterIDs []string          // of the clusters, once they are known
	received   map[string]fanoutResult
	delivered  map[string]bool // IDs of the buckets on earlier pages
}

// fanoutResult is one answer: the buckets of a cluster, all buckets, or the list of clusters.
type fanoutResult struct {
	from string
	rows []*client.Bucket
	ids  []string
	err  error
}

// The sources beside the clusters. No cluster has such an ID.
const (
	fromAccount     = ""
	fromClusterList = "its clusters"
)

// startFanout asks for the list of all buckets, and for those of the clusters once they are needed.
func (a *Account) startFanout() *fanout {
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
	needed, need := context.WithTimeout(ctx, slowListTimeout) // ends when the clusters are needed
	wait.Go(func() {
		rows, err := Collect(a.API.Buckets.All(ctx))
		if say(fanoutResult{from: fromAccount, rows: rows, err: err}); err != nil {
			need()
		}
	})
	wait.Go(func() {
		if <-needed.Done(); ctx.Err() != nil {
			return
		}
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

// fetchClusterIDs returns the clusters that buckets may be in.
func fetchClusterIDs(ctx context.Context, api *client.Client) ([]string, error) {
	rows, err := Collect(api.Clusters.All(ctx))
	ids := make([]string, len(rows))
	for i, c := range rows {
		ids[i] = c.ID.Raw()
	}
	return ids, err
}

// fetchClusterBuckets returns all buckets of a cluster.
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

// wait collects answers until the list of all buckets or the last of the others, or, if patience is above 0, until it
// is over and there is a bucket to show.
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
			if q.allRead() {
				q.cancel()
				return true, nil
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

// allRead reports whether the list of all buckets was read.
func (q *fanout) allRead() bool {
	all, received := q.received[fromAccount]
	return received && all.err == nil
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

// newRows returns the buckets that were on no earlier page.
func (q *fanout) newRows() (rows []*client.Bucket) {
	for _, from := range append(append([]string(nil), q.clusterIDs...), fromAccount) {
		for _, b := range q.received[from].rows {
			if id := b.ID(); !q.delivered[id] {
				q.delivered[id] = true
				rows = append(rows, b)
			}
		}
	}
	return rows
}

// lastPage returns the last page, with a note for each cluster that failed. It fails only if all clusters failed, and
// the list of all buckets too.
func (q *fanout) lastPage() (lists.RowPage[*client.Bucket], error) {
	var page lists.RowPage[*client.Bucket]
	if q.allRead() {
		page.Rows = q.newRows()
		page.Total = len(q.delivered)
		return page, nil
	}
	if err := q.received[fromClusterList].err; err != nil {
		why := "clusters: " + wording.Reason(err)
		page.Notes, page.Missing = append(page.Notes, why), append(page.Missing, why)
	}
	failed := 0
	for _, id := range q.clusterIDs {
		if err := q.received[id].err; err != nil {
			failed++
			page.Missing = append(page.Missing, client.Clean(id)+" did not respond")
			page.Notes = append(
				page.Notes,
				fmt.Sprintf(
					"%s is not responding: %s · its data may be out of date or missing", client.Clean(id),
					wording.Reason(err),
				),
			)
		}
	}
	err := q.received[fromAccount].err
	if failed == len(q.clusterIDs) && failed > 0 || q.received[fromClusterList].err != nil {
		return lists.RowPage[*client.Bucket]{}, err
	}
	why := wording.ShortReason(err)
	page.Missing = append(page.Missing, "some may be missing ("+why+")")
	page.Notes = append(page.Notes, "some buckets may be missing: the list of all buckets failed ("+why+")")
	page.Rows = q.newRows()
	page.Total = len(q.delivered)
	return page, nil
}
