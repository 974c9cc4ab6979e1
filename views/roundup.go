package views

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"lookout/client"
	"lookout/ui"
)

// A roundup reads the buckets of all clusters side by side, so that one that does not answer hides no other. What comes late is a page of its
// own.
type roundup struct {
	a *Account

	mu   sync.Mutex
	n    int
	late map[string]*inquiry // by the cursor of the page that waits for them
}

// lateAfter is how long the buckets of others wait for a cluster that does not answer.
const lateAfter = 2 * time.Second

// fetch is what answers within a moment, then the rest.
func (r *roundup) fetch(ctx context.Context, cursor string) (ui.RowPage[*client.Bucket], error) {
	q := r.take(cursor)
	if q == nil {
		q = r.a.inquire()
	}
	patience := time.Duration(0)
	if cursor == "" {
		patience = lateAfter
	}
	whole, err := q.wait(ctx, patience)
	if err != nil {
		return ui.RowPage[*client.Bucket]{}, err
	}
	if whole {
		return q.end()
	}
	return ui.RowPage[*client.Bucket]{Rows: q.rows(), Next: r.leave(q)}, nil
}

// take is the inquiry that a cursor goes on with.
func (r *roundup) take(cursor string) *inquiry {
	r.mu.Lock()
	defer r.mu.Unlock()
	q := r.late[cursor]
	delete(r.late, cursor)
	return q
}

// leave keeps an inquiry for the next page. One that was left behind by an older reading is ended.
func (r *roundup) leave(q *inquiry) (cursor string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, older := range r.late {
		older.cancel()
	}
	r.n++
	cursor = strconv.Itoa(r.n)
	r.late = map[string]*inquiry{cursor: q}
	return cursor
}

// readBuckets reads the buckets of all clusters, as long as it takes.
func (a *Account) readBuckets(ctx context.Context) (ui.RowPage[*client.Bucket], error) {
	q := a.inquire()
	if _, err := q.wait(ctx, 0); err != nil {
		return ui.RowPage[*client.Bucket]{}, err
	}
	return q.end()
}

// An inquiry is the account's own list of buckets and that of each cluster under way: the first holds buckets that are in none of the
// clusters listed.
type inquiry struct {
	cancel  context.CancelFunc
	answers chan bucketAnswer // closed behind the last
	ids     []string          // of the clusters, once they are known
	got     map[string]bucketAnswer
	shown   map[string]bool // buckets that were given already
}

// bucketAnswer is what was said by one who was asked: a cluster, or everyone or clusters of the account.
type bucketAnswer struct {
	from string
	rows []*client.Bucket
	ids  []string
	err  error
}

// Who is asked beside clusters. No cluster's ID is empty or has a space.
const (
	everyone = ""
	clusters = "its clusters"
)

// inquire asks everybody.
func (a *Account) inquire() *inquiry {
	ctx, cancel := context.WithCancel(a.ctx)
	q := &inquiry{cancel: cancel, answers: make(chan bucketAnswer), got: map[string]bucketAnswer{}, shown: map[string]bool{}}
	say := func(x bucketAnswer) {
		select {
		case q.answers <- x:
		case <-ctx.Done():
		}
	}
	var wait sync.WaitGroup
	wait.Go(func() {
		rows, err := walk(a.api.Buckets.All(ctx))
		say(bucketAnswer{from: everyone, rows: rows, err: err})
	})
	wait.Go(func() {
		ids, err := a.clusterIDs(ctx)
		say(bucketAnswer{from: clusters, ids: ids, err: err})
		for _, id := range ids {
			wait.Go(func() {
				rows, err := a.inCluster(ctx, id)
				say(bucketAnswer{from: id, rows: rows, err: err})
			})
		}
	})
	go func() {
		wait.Wait()
		close(q.answers)
	}()
	return q
}

// clusterIDs are the clusters that buckets may be in.
func (a *Account) clusterIDs(ctx context.Context) ([]string, error) {
	rows, err := walk(a.api.Clusters.All(ctx))
	ids := make([]string, len(rows))
	for i, c := range rows {
		ids[i] = c.ID.Raw()
	}
	return ids, err
}

// inCluster are all buckets of a cluster.
func (a *Account) inCluster(ctx context.Context, cluster string) (rows []*client.Bucket, err error) {
	for n := 1; ; n++ {
		p, err := a.api.Buckets.ListInCluster(ctx, cluster, n)
		if err != nil {
			return nil, err
		}
		if rows = append(rows, p.Data...); p.Next() == "" {
			return rows, nil
		}
	}
}

// wait takes answers until the last, or until patience, where it is above 0, is over and there is something to show.
func (q *inquiry) wait(ctx context.Context, patience time.Duration) (whole bool, err error) {
	var over <-chan time.Time
	if patience > 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		over = timer.C
	}
	for late := false; ; {
		select {
		case x, open := <-q.answers:
			if !open {
				q.cancel()
				return true, ctx.Err()
			}
			if q.got[x.from] = x; x.from == clusters {
				q.ids = x.ids
			}
		case <-over:
			late = true
		case <-ctx.Done():
			q.cancel()
			return false, ctx.Err()
		}
		if late && q.some() {
			return false, nil
		}
	}
}

// some reports whether any bucket is known.
func (q *inquiry) some() bool {
	for _, x := range q.got {
		if len(x.rows) > 0 {
			return true
		}
	}
	return false
}

// rows are the buckets that have not been given yet.
func (q *inquiry) rows() (rows []*client.Bucket) {
	for _, from := range append(append([]string(nil), q.ids...), everyone) {
		for _, b := range q.got[from].rows {
			if id := bucketID(b); !q.shown[id] {
				q.shown[id] = true
				rows = append(rows, b)
			}
		}
	}
	return rows
}

// end is the last page: clusters that failed are named. It fails only where all of them did, and the account's own list too.
func (q *inquiry) end() (ui.RowPage[*client.Bucket], error) {
	var page ui.RowPage[*client.Bucket]
	if err := q.got[clusters].err; err != nil {
		page.Notes = append(page.Notes, "clusters: "+ui.Reason(err))
	}
	failed := 0
	for _, id := range q.ids {
		if err := q.got[id].err; err != nil {
			failed++
			page.Notes = append(page.Notes, fmt.Sprintf("%s does not answer: %s · what is shown of it may be old or missing", client.Clean(id), ui.Reason(err)))
		}
	}
	if err := q.got[everyone].err; err != nil && (failed == len(q.ids) && failed > 0 || q.got[clusters].err != nil) {
		return ui.RowPage[*client.Bucket]{}, err
	}
	page.Rows = q.rows()
	page.Total = len(q.shown)
	return page, nil
}
