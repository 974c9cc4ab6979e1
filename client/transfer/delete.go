package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"lookout/client"
	"lookout/client/objectnames"
)

// Limits of deletions.
const (
	maxConcurrentDeletes = 48 // over all transfers
	// deleteInterval is the time between two requests for the URLs of deletions: the API's limit for Object Storage is
	// 750 a second.
	deleteInterval    = time.Second / 750
	maxDeleteAttempts = 4 // per object, when the storage is too busy
	maxReportedNames  = 1000
	// maxConsecutiveFailures is how many failures in a row end a deletion.
	maxConsecutiveFailures = 20
	// batchNames is how many names the journal records at once before they are sent.
	batchNames = 250
	// deleteGrace is how long the requests on their way may take once a deletion is stopped.
	deleteGrace = 700 * time.Millisecond
)

// An UndeletedError reports objects that a deletion did not delete.
type UndeletedError struct {
	Count   int                 // objects that still exist, or may exist
	Missing int                 // objects among them of which it is not known whether they exist
	Gone    int64               // objects that are deleted
	More    bool                // there may be more than Count
	Names   []client.ServerText // names of those objects, at most maxReportedNames
	Cause   error               // error of the first object
}

// Error returns the message on one line.
func (e *UndeletedError) Error() string {
	switch {
	case e.Missing > 0, e.Gone > 0:
		return fmt.Sprintf("%s: %v", e.count(), e.Cause)
	case e.More:
		return fmt.Sprintf("%s or more objects were not deleted: %v", comma(e.Count), e.Cause)
	case len(e.Names) == 1:
		return fmt.Sprintf("%s was not deleted: %v", e.Names[0], e.Cause)
	}
	return fmt.Sprintf("%s objects were not deleted: %v", comma(e.Count), e.Cause)
}

// comma formats a number of objects.
func comma(n int) string { return humanize.Comma(int64(n)) }

// count says what is gone, what is not known and what is left: "1,204 objects are gone, 3 may be gone, 96 not deleted".
func (e *UndeletedError) count() string {
	text := humanize.Comma(e.Gone) + " objects are gone"
	if e.Gone == 1 {
		text = "1 object is gone"
	}
	if e.Missing > 0 {
		text += ", " + comma(e.Missing) + " may be gone"
	}
	if left := e.Count - e.Missing; e.More {
		text += ", " + comma(left) + " or more not deleted"
	} else if left > 0 {
		text += ", " + comma(left) + " not deleted"
	}
	return text
}

// Unwrap returns the cause.
func (e *UndeletedError) Unwrap() error { return e.Cause }

// Unknown reports whether it is not known of some objects whether they exist.
func (e *UndeletedError) Unknown() bool { return e.Missing > 0 }

// Delete deletes objects of a bucket by name. The consent is for client.OpDeleteObject on all of them. The journal
// records one object as it was; of several it records one entry with batches. Retry deletes the objects that remain.
func (m *Manager) Delete(consent *client.Consent, cluster, bucket string, names []string) ID {
	b := objectnames.NewSortedNamesBuilder(client.BucketID(cluster, bucket))
	for _, name := range names {
		b.Add(objectnames.ObjectEntry{Name: name, Size: -1})
	}
	return m.DeleteList(consent, cluster, bucket, b.List(), client.Object{})
}

// DeleteList is Delete for a list. If it holds one object that was listed, the journal records that as it was.
func (m *Manager) DeleteList(
	consent *client.Consent, cluster, bucket string, names *objectnames.SortedNames, single client.Object,
) ID {
	task := &deleteTask{consent: consent, cluster: cluster, bucket: bucket, list: names}
	row := Status{Kind: Delete, Cluster: cluster, Bucket: bucket, Total: int64(names.Len())}
	if names.Len() == 1 {
		row.Name = client.NewText(names.Prefix())
		if single.Name.Raw() != "" {
			task.before = single
		}
	}
	return m.add(row, task, "")
}

// deleteTask deletes objects by name.
type deleteTask struct {
	consent         *client.Consent
	cluster, bucket string
	list            *objectnames.SortedNames
	before          any      // the single object as it was listed, or nil
	next            int      // position in the list from which on nothing was sent
	failed          []string // objects before that which were not deleted
	unknown         []string // and those of which that is not known: they are sent again only if the user retries
}

func (r *deleteTask) run(ctx context.Context, m *Manager, p *progress) error {
	total := int64(r.list.Len())
	done := total - r.left()
	p.set(done, total)
	if r.list.Len() == 1 {
		return r.deleteSingle(ctx, m, p)
	}
	id := client.ObjectRef{Cluster: r.cluster, Bucket: r.bucket, Name: r.list.Prefix()}.ID()
	left := int(r.left())
	w, err := m.c.Begin(client.Change{
		Op:       client.OpDeleteObjects,
		Resource: emptyResource,
		ID:       id,
		Label:    fmt.Sprintf("%d objects in %s", left, id),
		Reason:   m.Reason,
		Before:   map[string]any{"objects": total, "size": r.list.Bytes()},
		Objects:  left,
		Names:    r.list,
	}, r.consent)
	if err != nil {
		return err
	}
	return w.DeleteObjects(ctx, r.cluster, r.bucket, func(ctx context.Context, d *client.BulkDeletion) error {
		s := deleter{m: m, p: p, deletion: d}
		failed := r.failed
		sent := s.deleteNames(ctx, r.todo)
		r.failed = append(slices.Clone(failed[min(sent, len(failed)):]), s.failed...)
		r.next += max(0, sent-len(failed))
		r.unknown = append(r.unknown, s.unknown...)
		left := r.left()
		e := &UndeletedError{Count: int(left), Missing: len(r.unknown), Gone: total - left}
		return s.undeletedError(ctx, e, r.leftNames())
	})
}

// left returns how many objects are not known to be deleted.
func (r *deleteTask) left() int64 {
	return int64(r.list.Len() - r.next + len(r.failed) + len(r.unknown))
}

// todo yields the names that are to be sent.
func (r *deleteTask) todo(yield func(string) bool) {
	for _, name := range r.failed {
		if !yield(name) {
			return
		}
	}
	for o := range r.list.From(r.next) {
		if !yield(o.Name) {
			return
		}
	}
}

// leftNames yields the names of objects that may exist.
func (r *deleteTask) leftNames() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, name := range r.unknown {
			if !yield(name) {
				return
			}
		}
		r.todo(yield)
	}
}

// Undeleted returns the names of the objects that a deletion which has ended did not delete, and whether that is not
// known.
func (m *Manager) Undeleted(id ID) iter.Seq2[string, bool] {
	return func(yield func(name string, unknown bool) bool) {
		m.mu.Lock()
		defer m.mu.Unlock()
		j := m.jobs[id]
		if j == nil {
			return
		}
		task, ok := j.task.(*deleteTask)
		if !ok {
			return
		}
		var failure *client.Error
		single := task.list.Len() == 1 && errors.As(j.status.Err, &failure) && failure.Unknown()
		n := 0
		for name := range task.leftNames() {
			n++
			if !yield(name, single || n <= len(task.unknown)) {
				return
			}
		}
	}
}

// deleteSingle deletes one object, which has an entry of its own in the journal.
func (r *deleteTask) deleteSingle(ctx context.Context, m *Manager, p *progress) error {
	object := client.ObjectRef{Cluster: r.cluster, Bucket: r.bucket, Name: r.list.Prefix()}
	s := deleter{m: m, p: p}
	err := s.patiently(ctx, func(ctx context.Context) error {
		w, err := m.c.Begin(client.Change{
			Op:     client.OpDeleteObject,
			ID:     object.ID(),
			Reason: m.Reason,
			Before: r.before,
		}, r.consent)
		if err != nil {
			return err
		}
		return w.DeleteObject(ctx, object)
	})
	if err != nil {
		return &UndeletedError{Count: 1, Names: []client.ServerText{client.NewText(object.Name)}, Cause: err}
	}
	p.add(1)
	r.next = 1
	return nil
}

// retry sends again what may have been deleted: the user asks for it.
func (r *deleteTask) retry() { r.failed, r.unknown = append(r.failed, r.unknown...), nil }

func (r *deleteTask) cleanUp() {}

// deleter deletes objects concurrently. It can stop between two objects. Deletions that it has started then have a
// moment to end; of those that have not ended it is not known whether they were applied.
type deleter struct {
	m        *Manager
	p        *progress
	deletion *client.BulkDeletion

	mu                  sync.Mutex
	failed, unknown     []string
	cause               error
	consecutiveFailures int  // since the last success
	stopped             bool // no further deletion is started
}

// A begunBatch is a batch of the deletion that has begun.
type begunBatch struct {
	*client.DeletionBatch
	pending int // objects without a result
	gone    int
	unknown []string
}

// deleteNames deletes objects, and returns how many of them were sent. Each batch is recorded before its first object
// is sent.
func (s *deleter) deleteNames(ctx context.Context, names iter.Seq[string]) (sent int) {
	type item struct {
		batch *begunBatch
		name  string
	}
	s.failed, s.unknown = nil, nil
	s.m.parallel.deletes.succeeded() // the user, or a page that was read, says to go on
	items := make(chan item)
	var workers sync.WaitGroup
	started := 0
	send := func(next item) bool {
		if started < maxConcurrentDeletes {
			started++
			workers.Go(func() {
				for one := range items {
					s.deleteOne(ctx, one.batch, one.name)
				}
			})
		}
		select {
		case items <- next:
			return true
		case <-ctx.Done():
			return false
		}
	}
	for batch := range batchesOf(names) {
		if s.hasStopped(ctx) {
			break
		}
		begun, err := s.deletion.Begin(batch)
		if err != nil {
			s.stop(err)
			break
		}
		open := &begunBatch{DeletionBatch: begun, pending: len(batch)}
		done := 0
		for done < len(batch) && !s.hasStopped(ctx) && send(item{open, batch[done]}) {
			done++
		}
		if sent += done; done < len(batch) {
			s.finish(open, len(batch)-done)
			break
		}
	}
	close(items)
	workers.Wait()
	return sent
}

// batchesOf cuts names into batches.
func batchesOf(names iter.Seq[string]) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		batch := make([]string, 0, batchNames)
		for name := range names {
			if batch = append(batch, name); len(batch) == batchNames {
				if !yield(batch) {
					return
				}
				batch = make([]string, 0, batchNames)
			}
		}
		if len(batch) > 0 {
			yield(batch)
		}
	}
}

// hasStopped reports whether nothing more is to be sent.
func (s *deleter) hasStopped(ctx context.Context) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped || ctx.Err() != nil
}

// stop starts no further deletion, because of an error.
func (s *deleter) stop(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped = true; s.cause == nil {
		s.cause = err
	}
}

// deleteOne deletes one object of a batch.
func (s *deleter) deleteOne(ctx context.Context, batch *begunBatch, name string) {
	err := s.patiently(ctx, func(ctx context.Context) error { return batch.Remove(ctx, name) })
	s.mu.Lock()
	var e *client.Error
	switch {
	case err == nil:
		s.consecutiveFailures = 0
		batch.gone++
	case errors.As(err, &e) && e.Unknown():
		s.unknown, batch.unknown = append(s.unknown, name), append(batch.unknown, name)
	default:
		s.failed = append(s.failed, name)
	}
	if err != nil {
		if s.cause == nil && ctx.Err() == nil {
			s.cause = err
		}
		s.consecutiveFailures++
		s.stopped = s.stopped || s.consecutiveFailures == maxConsecutiveFailures || affectsAll(err)
	}
	s.mu.Unlock()
	if err == nil {
		s.p.add(1)
	}
	s.finish(batch, 1)
}

// finish counts objects of a batch that have a result, or are not sent. It records the end of the batch.
func (s *deleter) finish(batch *begunBatch, n int) {
	s.mu.Lock()
	batch.pending -= n
	ended := batch.pending == 0
	s.mu.Unlock()
	if ended {
		if err := batch.End(batch.gone, batch.unknown); err != nil {
			s.stop(err)
		}
	}
}

// patiently sends one request. It tries again when the storage is busy, because a busy storage has refused the request
// and deleted nothing. Once ctx has ended, the request has a moment left.
func (s *deleter) patiently(ctx context.Context, remove func(context.Context) error) (err error) {
	select {
	case s.m.parallel.deletes.slots <- struct{}{}:
		defer func() { <-s.m.parallel.deletes.slots }()
	case <-ctx.Done():
		return notSentError(ctx)
	}
	inFlight, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	defer context.AfterFunc(ctx, func() {
		if sleep(inFlight, deleteGrace) == nil {
			end()
		}
	})()
	for try := range maxDeleteAttempts {
		if s.m.parallel.deletes.wait(ctx) != nil {
			return notSentError(ctx)
		}
		err = remove(inFlight)
		rest, busy := busyDelay(err)
		if err == nil {
			s.m.parallel.deletes.succeeded()
		}
		if !busy || try == maxDeleteAttempts-1 || !s.m.parallel.deletes.pause(max(rest, minBackoff<<try)) {
			break
		}
	}
	return err
}

// notSentError is the error of an object that was not sent because the deletion was stopped.
func notSentError(ctx context.Context) error {
	return &client.Error{
		Op:      client.OpDeleteObject,
		Write:   true,
		Outcome: client.NotSent,
		Cause:   context.Cause(ctx),
	}
}

// affectsAll reports whether an error would occur for every other object too.
func affectsAll(err error) bool {
	var e *client.Error
	if !errors.As(err, &e) {
		return true
	}
	refused := !e.Presigned && (e.Denied() || e.Unauthorized() || e.NotFound())
	if _, busy := busyDelay(err); busy {
		return false
	}
	return refused || e.Outcome == client.NotSent && e.Cause != nil
}

// busyDelay reports whether the storage or the API refused a request because it is busy, and how long to wait before
// the next attempt. A request that was not sent because of an earlier rate limit, or because there was no file handle
// for it, counts as such a refusal.
func busyDelay(err error) (time.Duration, bool) {
	var e *client.Error
	switch {
	case lacksHandles(err):
		return 0, true
	case !errors.As(err, &e):
		return 0, false
	}
	rest, asked := e.RateLimited()
	return rest, asked && e.Outcome != client.Unknown ||
		e.Status == http.StatusServiceUnavailable && e.Outcome == client.Rejected
}

// undeletedError completes an error with the names of the objects left, and with its cause if something has stopped or
// failed. It returns nil if none are left.
func (s *deleter) undeletedError(ctx context.Context, e *UndeletedError, left iter.Seq[string]) error {
	if e.Count == 0 {
		return nil
	}
	e.Cause = cmp.Or(s.cause, context.Cause(ctx), e.Cause)
	for name := range left {
		if len(e.Names) == maxReportedNames {
			break
		}
		e.Names = append(e.Names, client.NewText(name))
	}
	if ctx.Err() != nil {
		s.p.setNote(e.count())
	}
	return e
}
