package transfer

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"lookout/client"
)

// emptyResource is the resource under which the journal records the emptying of a bucket. Its ID is
// cluster/bucket/prefix.
const emptyResource = "bucket"

// Empty deletes all objects of a bucket whose names begin with prefix, page by page, up to eight at a time. An empty
// prefix means all objects. The consent is for client.OpEmptyBucket on that prefix. Objects created meanwhile may
// remain; the error says how many. expected is the number of objects below a prefix for the progress; 0 is not known.
//
// The journal records one entry with one outcome, however many objects there are. An entry without an outcome, or with
// an unknown one, was interrupted. Emptying the bucket again continues it: deleted objects are no longer listed.
func (m *Manager) Empty(consent *client.Consent, cluster, bucket, prefix string, expected int64) ID {
	row := Status{
		Kind:    Empty,
		Cluster: cluster,
		Bucket:  bucket,
		Name:    client.NewText(prefix),
	}
	task := &emptyTask{
		consent: consent,
		cluster: cluster,
		bucket:  bucket,
		prefix:  prefix,
		total:   expected,
	}
	return m.add(row, task, "")
}

// emptyTask deletes all objects below a prefix.
type emptyTask struct {
	consent                 *client.Consent
	cluster, bucket, prefix string
	total                   int64 // objects below the prefix; 0 is not known
}

// An InterruptedDeletionError means that the emptying of a bucket stopped early, because of a pause or because the
// program ended. The journal records the outcome as unknown.
type InterruptedDeletionError struct{ Cause error }

// Error returns the message on one line.
func (e *InterruptedDeletionError) Error() string { return "interrupted: " + e.Cause.Error() }

// Unwrap returns the cause.
func (e *InterruptedDeletionError) Unwrap() error { return e.Cause }

// Unknown reports that some objects are deleted and others are not.
func (e *InterruptedDeletionError) Unknown() bool { return true }

func (e *emptyTask) run(ctx context.Context, m *Manager, p *progress) error {
	var before any
	done := p.completed()
	if e.prefix != "" {
		p.set(done, e.total)
	} else if b, err := m.c.Buckets.Get(ctx, e.cluster, e.bucket); err != nil {
		p.set(done, done)
	} else {
		objects, _ := b.Objects.Value() // which may be out of date
		p.set(done, done+objects)
		before = map[string]any{"objects": b.Objects, "size": b.Size}
	}
	id := client.ObjectRef{Cluster: e.cluster, Bucket: e.bucket, Name: e.prefix}.ID()
	w, err := m.c.Begin(client.Change{
		Op:       client.OpEmptyBucket,
		Resource: emptyResource,
		ID:       id,
		Label:    id,
		Reason:   m.Reason,
		Before:   before,
	}, e.consent)
	if err != nil {
		return err
	}
	return w.EmptyBucket(ctx, e.cluster, e.bucket, e.prefix, func(ctx context.Context, d *client.BulkDeletion) error {
		err := e.deleteAll(ctx, &deleter{m: m, p: p, deletion: d})
		if err != nil && ctx.Err() != nil && !errors.Is(context.Cause(ctx), errCancelled) {
			return &InterruptedDeletionError{context.Cause(ctx)}
		}
		return err
	})
}

// deleteAll lists and deletes all objects once, then checks whether any remain.
func (e *emptyTask) deleteAll(ctx context.Context, s *deleter) error {
	for page, err := range e.pages(ctx, s.m) {
		if err != nil {
			return contextCauseOr(ctx, err)
		}
		names := e.objectNames(page)
		sent := s.deleteNames(ctx, slices.Values(names))
		if ctx.Err() != nil || s.stopped {
			return e.remainingError(ctx, s, page, slices.Concat(s.unknown, s.failed, names[sent:]))
		}
	}
	s.unknown = nil // the listing tells
	for page, err := range e.pages(ctx, s.m) {
		if err != nil {
			return contextCauseOr(ctx, err)
		}
		if left := e.objectNames(page); len(left) > 0 {
			return e.remainingError(ctx, s, page, left)
		}
		if page.Incomplete != "" {
			return &InterruptedDeletionError{
				fmt.Errorf("the listing is %s, so objects may be left; check the bucket and retry", page.Incomplete),
			}
		}
	}
	return nil
}

// pages returns the pages of the whole listing.
func (e *emptyTask) pages(ctx context.Context, m *Manager) iter.Seq2[client.ObjectPage, error] {
	q := client.ObjectQuery{Cluster: e.cluster, Bucket: e.bucket, Prefix: e.prefix}
	return patientPages(ctx, m.c.Objects, q)
}

// patientPages returns the pages of a listing. When the API is busy, it continues at the same page after a delay.
func patientPages(
	ctx context.Context, objects client.ObjectReader, q client.ObjectQuery,
) iter.Seq2[client.ObjectPage, error] {
	return func(yield func(client.ObjectPage, error) bool) {
		for try, again := 0, true; again; {
			again = false
			for page, err := range objects.Pages(ctx, q) {
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

// objectNames returns the names in a page that begin with the prefix. Other names are ignored, so a faulty server
// cannot cause them to be deleted.
func (e *emptyTask) objectNames(page client.ObjectPage) []string {
	var all []string
	for _, o := range page.Data {
		if strings.HasPrefix(o.Name.Raw(), e.prefix) {
			all = append(all, o.Name.Raw())
		}
	}
	return all
}

// remainingError returns an error that describes the objects left, or nil if none are left.
func (e *emptyTask) remainingError(ctx context.Context, s *deleter, page client.ObjectPage, left []string) error {
	return s.undeletedError(ctx, &UndeletedError{
		Count:   len(left),
		Missing: len(s.unknown),
		Gone:    s.p.completed(),
		More:    page.Truncated || page.Incomplete != "",
		Cause:   errors.New("they were created while the bucket was being emptied"),
	}, slices.Values(left))
}

// contextCauseOr returns the reason why ctx ended, or err if it did not end.
func contextCauseOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (e *emptyTask) cleanUp() {}
