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

// Bounds of deletions.
const (
	maxConcurrentDeletes = 8 // by all transfers together
	maxDeleteAttempts    = 4 // of one object, where the storage refuses because it is busy
	maxReportedNames     = 1000
	// maxConsecutiveFailures in a row end a deletion.
	maxConsecutiveFailures = 20
)

// An UndeletedError is a deletion that did not reach all objects.
type UndeletedError struct {
	Count int           // objects that are still there, or may be
	More  bool          // there are others beyond those
	Names []client.Text // of them, at most a thousand
	Cause error         // of the first
}

// Error is one line.
func (e *UndeletedError) Error() string {
	switch {
	case e.More:
		return fmt.Sprintf("%d objects and more were not deleted: %v", e.Count, e.Cause)
	case e.Count == 1 && len(e.Names) == 1:
		return fmt.Sprintf("%s was not deleted: %v", e.Names[0], e.Cause)
	}
	return fmt.Sprintf("%d objects were not deleted: %v", e.Count, e.Cause)
}

// Unwrap is the cause.
func (e *UndeletedError) Unwrap() error { return e.Cause }

// Delete removes objects of a bucket by name, eight at once. Each is a change of its own in the journal. Retry takes
// those that are left.
func (m *Manager) Delete(cluster, bucket string, names []string) ID {
	label := client.Text{}
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
		cluster:   cluster,
		bucket:    bucket,
		remaining: append([]string(nil), names...),
		total:     int64(len(names)),
	}, "")
}

// deleteTask is the work of deleting objects by name.
type deleteTask struct {
	cluster, bucket string
	remaining       []string
	total           int64
}

func (r *deleteTask) run(ctx context.Context, m *Manager, p *progress) error {
	p.set(r.total-int64(len(r.remaining)), r.total)
	s := deleter{
		m:       m,
		cluster: r.cluster,
		bucket:  r.bucket,
		p:       p,
	}
	r.remaining = s.deleteNames(ctx, r.remaining)
	return s.undeletedError(ctx, r.remaining)
}

func (r *deleteTask) cleanUp() {}

// deleter deletes names, some at once. It stops between two objects, never in one: what was begun is brought to its
// end.
type deleter struct {
	m               *Manager
	cluster, bucket string
	p               *progress

	mu                  sync.Mutex
	failed              []string
	cause               error
	consecutiveFailures int  // failures since the last success
	stopped             bool // no other object is begun
}

// deleteNames deletes and gives what is left: first what failed, then what was not begun.
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

// deleteOne deletes an object. A storage that is busy is asked again: it refused, so nothing was done.
func (s *deleter) deleteOne(ctx context.Context, name string) {
	s.m.deleteSlots <- struct{}{}
	defer func() { <-s.m.deleteSlots }()
	var err error
	for try := range maxDeleteAttempts {
		err = s.m.c.Objects.Delete(context.WithoutCancel(ctx), s.cluster, s.bucket, name)
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

// affectsAll reports whether a failure will meet every other object too.
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

// busyDelay reports whether the storage or the API refused for now, and how long it wants to be left alone. What was
// not even sent, because the API asked everybody to wait, is no other refusal.
func busyDelay(err error) (time.Duration, bool) {
	var e *client.Error
	if !errors.As(err, &e) {
		return 0, false
	}
	rest, asked := e.RateLimited()
	return rest, asked && e.Outcome != client.Unknown ||
		e.Status == http.StatusServiceUnavailable && e.Outcome == client.Rejected
}

// undeletedError is the error of a sweep with names left.
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
