package transfer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"lookout/client"
)

// Limits of deletions.
const (
	maxConcurrentDeletes = 8 // over all transfers
	maxDeleteAttempts    = 4 // per object, when the storage is too busy
	maxReportedNames     = 1000
	// maxConsecutiveFailures is how many failures in a row end a deletion.
	maxConsecutiveFailures = 20
)

// An UndeletedError reports objects that a deletion did not delete.
type UndeletedError struct {
	Count int                 // objects that still exist, or may exist
	More  bool                // there may be more than Count
	Names []client.ServerText // names of those objects, at most maxReportedNames
	Cause error               // error of the first object
}

// Error returns the message on one line.
func (e *UndeletedError) Error() string {
	switch {
	case e.More:
		return fmt.Sprintf("%d or more objects were not deleted: %v", e.Count, e.Cause)
	case e.Count == 1 && len(e.Names) == 1:
		return fmt.Sprintf("%s was not deleted: %v", e.Names[0], e.Cause)
	}
	return fmt.Sprintf("%d objects were not deleted: %v", e.Count, e.Cause)
}

// Unwrap returns the cause.
func (e *UndeletedError) Unwrap() error { return e.Cause }

// Delete deletes objects of a bucket by name, up to eight at a time. The consent is for client.OpDeleteObject on all of
// them. The journal records each deletion separately. Retry deletes the objects that remain.
func (m *Manager) Delete(consent *client.Consent, cluster, bucket string, names []string) ID {
	return m.delete(consent, cluster, bucket, names, nil)
}

// DeleteListed is Delete for objects that were listed: the journal holds each as it was.
func (m *Manager) DeleteListed(consent *client.Consent, cluster, bucket string, objects []client.Object) ID {
	names, before := make([]string, len(objects)), make(map[string]client.Object, len(objects))
	for i, o := range objects {
		names[i] = o.Name.Raw()
		before[names[i]] = o
	}
	return m.delete(consent, cluster, bucket, names, before)
}

// delete adds a deletion.
func (m *Manager) delete(
	consent *client.Consent, cluster, bucket string, names []string, before map[string]client.Object,
) ID {
	label := client.ServerText{}
	if len(names) == 1 {
		label = client.NewText(names[0])
	}
	row := Status{
		Kind:    Delete,
		Cluster: cluster,
		Bucket:  bucket,
		Name:    label,
		Total:   int64(len(names)),
	}
	return m.add(row, &deleteTask{
		consent:   consent,
		cluster:   cluster,
		bucket:    bucket,
		remaining: append([]string(nil), names...),
		before:    before,
		total:     int64(len(names)),
	}, "")
}

// deleteTask deletes objects by name.
type deleteTask struct {
	consent         *client.Consent
	cluster, bucket string
	remaining       []string
	before          map[string]client.Object // the objects by name, if they were listed
	total           int64
}

func (r *deleteTask) run(ctx context.Context, m *Manager, p *progress) error {
	p.set(r.total-int64(len(r.remaining)), r.total)
	s := deleter{m: m, p: p, remove: func(ctx context.Context, name string) error {
		object := client.ObjectRef{Cluster: r.cluster, Bucket: r.bucket, Name: name}
		change := client.Change{Op: client.OpDeleteObject, ID: object.ID(), Reason: m.Reason}
		if o, ok := r.before[name]; ok {
			change.Before = o
		}
		w, err := m.c.Begin(change, r.consent)
		if err != nil {
			return err
		}
		return w.DeleteObject(ctx, object)
	}}
	r.remaining = s.deleteNames(ctx, r.remaining)
	return s.undeletedError(ctx, r.remaining)
}

func (r *deleteTask) cleanUp() {}

// deleter deletes objects concurrently. It can stop between two objects, but finishes each deletion that it has
// started.
type deleter struct {
	m      *Manager
	remove func(ctx context.Context, name string) error
	p      *progress

	mu                  sync.Mutex
	failed              []string
	cause               error
	consecutiveFailures int  // since the last success
	stopped             bool // no further deletion is started
}

// deleteNames deletes objects and returns the names left: those that failed, then those that were not started.
func (s *deleter) deleteNames(ctx context.Context, names []string) []string {
	var workers sync.WaitGroup
	var next int
	take := func() (string, bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if next == len(names) || s.stopped || ctx.Err() != nil {
			return "", false
		}
		next++
		return names[next-1], true
	}
	s.failed = nil
	for range min(maxConcurrentDeletes, len(names)) {
		workers.Go(func() {
			for name, ok := take(); ok; name, ok = take() {
				s.deleteOne(ctx, name)
			}
		})
	}
	workers.Wait()
	return append(s.failed, names[next:]...)
}

// deleteOne deletes one object. It tries again when the storage is busy, because a busy storage has refused the request
// and deleted nothing.
func (s *deleter) deleteOne(ctx context.Context, name string) {
	s.m.deleteSlots <- struct{}{}
	defer func() { <-s.m.deleteSlots }()
	var err error
	for try := range maxDeleteAttempts {
		err = s.remove(context.WithoutCancel(ctx), name)
		rest, busy := busyDelay(err)
		if !busy || try == maxDeleteAttempts-1 || sleep(ctx, max(rest, minBackoff<<try)) != nil {
			break
		}
	}
	if err == nil {
		s.mu.Lock()
		s.consecutiveFailures = 0
		s.mu.Unlock()
		s.p.add(1)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = append(s.failed, name)
	if s.cause == nil {
		s.cause = err
	}
	s.consecutiveFailures++
	s.stopped = s.stopped || s.consecutiveFailures == maxConsecutiveFailures || affectsAll(err)
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
// the next attempt. A request that was not sent because of an earlier rate limit counts as such a refusal.
func busyDelay(err error) (time.Duration, bool) {
	var e *client.Error
	if !errors.As(err, &e) {
		return 0, false
	}
	rest, asked := e.RateLimited()
	return rest, asked && e.Outcome != client.Unknown ||
		e.Status == http.StatusServiceUnavailable && e.Outcome == client.Rejected
}

// undeletedError returns an error that names the objects left, or nil if none are left.
func (s *deleter) undeletedError(ctx context.Context, left []string) error {
	if len(left) == 0 {
		return nil
	}
	cause := s.cause
	if cause == nil {
		cause = context.Cause(ctx)
	}
	e := &UndeletedError{Count: len(left), Cause: cause}
	for _, name := range left[:min(len(left), maxReportedNames)] {
		e.Names = append(e.Names, client.NewText(name))
	}
	return e
}
