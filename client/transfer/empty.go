package transfer

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"lookout/client"
)

// EmptyOp is the name under which the journal has the emptying of a bucket: one change, with one intent and one outcome
// however many objects there are. One without an outcome, or with an unknown one, was interrupted: doing it again goes
// on where it was, for what is deleted is no longer listed.
const EmptyOp = "empty bucket"

// EmptyKind is the kind of what the change is about; its ID is cluster/bucket/prefix.
const EmptyKind = "bucket"

// Empty deletes all objects of a bucket whose names begin with a prefix, page by page, eight at once; "" is all of
// them. Objects that come while it runs may stay; how many are left is told.
func (m *Manager) Empty(cluster, bucket, prefix string) ID {
	row := Status{
		Kind:    Empty,
		Cluster: cluster,
		Bucket:  bucket,
		Name:    client.NewText(prefix),
	}
	return m.add(row, &emptyTask{cluster: cluster, bucket: bucket, prefix: prefix}, "")
}

// emptyTask is the work of deleting all that a prefix lists.
type emptyTask struct {
	cluster, bucket, prefix string
	doneBefore              int64 // when this run began
}

// An InterruptedError is an emptying that ended before its end, by a pause or because the program ends. The journal
// keeps it as unknown.
type InterruptedError struct{ Cause error }

// Error is one line.
func (e *InterruptedError) Error() string { return "interrupted: " + e.Cause.Error() }

// Unwrap is the cause.
func (e *InterruptedError) Unwrap() error { return e.Cause }

// Unknown reports that some of it is done and some is not.
func (e *InterruptedError) Unknown() bool { return true }

func (e *emptyTask) run(ctx context.Context, m *Manager, p *progress) error {
	where := client.Clean(e.cluster + "/" + e.bucket + "/" + e.prefix)
	change := client.Change{
		Op:       EmptyOp,
		Method:   "DELETE",
		Path:     "/" + e.cluster + "/" + e.bucket + "/" + e.prefix,
		Resource: EmptyKind,
		ID:       e.cluster + "/" + e.bucket + "/" + e.prefix,
		Label:    where,
	}
	return m.c.Record(ctx, change, func(ctx context.Context) error {
		err := e.deleteAll(ctx, m, p)
		if err != nil && ctx.Err() != nil && !errors.Is(context.Cause(ctx), errCancelled) {
			return &InterruptedError{context.Cause(ctx)}
		}
		return err
	})
}

// deleteAll lists and deletes once from the first name to the last, then looks what is left.
func (e *emptyTask) deleteAll(ctx context.Context, m *Manager, p *progress) error {
	e.estimateTotal(ctx, m, p)
	s := deleter{
		m:       m,
		cluster: e.cluster,
		bucket:  e.bucket,
		p:       p,
	}
	for page, err := range e.pages(ctx, m) {
		if err != nil {
			return contextCauseOr(ctx, err)
		}
		left := s.deleteNames(ctx, e.objectNames(page))
		if ctx.Err() != nil || s.stopped {
			return e.remainingError(ctx, &s, page, left)
		}
	}
	for page, err := range e.pages(ctx, m) {
		if err != nil {
			return contextCauseOr(ctx, err)
		}
		if left := e.objectNames(page); len(left) > 0 {
			return e.remainingError(ctx, &s, page, left)
		}
		if page.Incomplete != "" {
			return &InterruptedError{
				fmt.Errorf("the listing is %s, so objects may be left: look, and empty it again", page.Incomplete),
			}
		}
	}
	return nil
}

// estimateTotal takes the bucket's own figure for how many objects there are, where all are to go. It may be late, and
// is no more than a hint.
func (e *emptyTask) estimateTotal(ctx context.Context, m *Manager, p *progress) {
	if e.doneBefore = p.completed(); e.prefix != "" {
		p.set(e.doneBefore, 0)
		return
	}
	left := int64(0)
	if b, err := m.c.Buckets.Get(ctx, e.cluster, e.bucket); err == nil {
		left = b.Objects
	}
	p.set(e.doneBefore, e.doneBefore+left)
}

// pages are those of the whole listing. An API that is busy is asked again where it was.
func (e *emptyTask) pages(ctx context.Context, m *Manager) iter.Seq2[client.ObjectPage, error] {
	return func(yield func(client.ObjectPage, error) bool) {
		q := client.ObjectQuery{Cluster: e.cluster, Bucket: e.bucket, Prefix: e.prefix}
		for try, again := 0, true; again; {
			again = false
			for page, err := range m.c.Objects.Pages(ctx, q) {
				if rest, busy := busyDelay(err); busy && try < maxDeleteAttempts-1 &&
					sleep(ctx, max(rest, minBackoff<<try)) == nil {
					try, again = try+1, true
					break
				}
				if !yield(page, err) {
					return
				}
				try, q.Marker = 0, page.NextMarker
			}
		}
	}
}

// objectNames are the objects of a page whose names begin as they must: a server that lists others does not have them
// deleted.
func (e *emptyTask) objectNames(page client.ObjectPage) []string {
	var all []string
	for _, o := range page.Data {
		if strings.HasPrefix(o.Name.Raw(), e.prefix) {
			all = append(all, o.Name.Raw())
		}
	}
	return all
}

// remainingError is the error that tells what is left; nil where nothing is.
func (e *emptyTask) remainingError(ctx context.Context, s *deleter, page client.ObjectPage, left []string) error {
	err := s.undeletedError(ctx, left)
	var u *UndeletedError
	if errors.As(err, &u) {
		u.More = page.Truncated || page.Incomplete != ""
		if u.Cause == nil {
			u.Cause = errors.New("they came while it ran")
		}
	}
	return err
}

// contextCauseOr is why ctx ended, or err where it did not.
func contextCauseOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (e *emptyTask) cleanUp() {}
