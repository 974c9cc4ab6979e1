package client

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"lookout/client/objectnames"
)

// EmptyBucket runs a function that deletes objects, as one change: the journal records one intent, the batches of the
// deletion and one outcome, however many objects there are. The change's id is that of the prefix,
// ObjectRef{cluster, bucket, prefix}.ID(); names that do not begin with the prefix are refused.
func (w *Writer) EmptyBucket(
	ctx context.Context, cluster, bucket, prefix string, empty func(context.Context, *BulkDeletion) error,
) error {
	prefixed := func(name string) bool { return strings.HasPrefix(name, prefix) }
	d := BulkDeletion{writer: w, op: OpEmptyBucket, prefix: ObjectRef{cluster, bucket, prefix}, covers: prefixed}
	return d.run(ctx, empty)
}

// DeleteObjects is EmptyBucket for the objects of the change's list, and refuses all others. The change's id is that of
// what all their names begin with.
func (w *Writer) DeleteObjects(
	ctx context.Context, cluster, bucket string, remove func(context.Context, *BulkDeletion) error,
) error {
	if w.change.Names == nil || w.change.Names.Bucket() != BucketID(cluster, bucket) {
		return w.client.refusal(w.change, ErrNotConfirmed)
	}
	prefix := ObjectRef{cluster, bucket, w.change.Names.Prefix()}
	d := BulkDeletion{writer: w, op: OpDeleteObjects, prefix: prefix, covers: w.change.Names.Contains}
	return d.run(ctx, remove)
}

// A BulkDeletion deletes many objects, which the journal holds as one change.
type BulkDeletion struct {
	writer  *Writer
	op      string
	prefix  ObjectRef // what all names begin with
	covers  func(name string) bool
	batches int
}

// run records the deletions as one change, and does them.
func (d *BulkDeletion) run(ctx context.Context, do func(context.Context, *BulkDeletion) error) error {
	w, id := d.writer, d.prefix.ID()
	change := w.change
	change.Method, change.Path = http.MethodDelete, "/"+id
	if !w.covers(d.op, id) {
		return w.client.refusal(change, ErrNotConfirmed)
	}
	failed := &Error{Op: change.Op + " " + cleanName(id), Write: true, Host: w.client.endpoint.base.Host}
	return w.send(ctx, failed, change, func(ctx context.Context) error { return do(ctx, d) })
}

// A BatchRecorder is a Recorder that keeps the batches of a change that deletes many objects: each before its first
// request, and again at its end.
type BatchRecorder interface {
	RecordBatch(intentID string, p BatchRecord) error
}

// A BatchRecord is what the journal holds of a DeletionBatch. The outcome of Count - Gone - Left objects is unknown.
type BatchRecord struct {
	Number int    `json:"n"` // from 1
	Count  int    `json:"count"`
	Names  []byte `json:"names,omitempty"` // objectnames.Encode of those whose outcome is not known
	Ended  bool   `json:"ended,omitempty"`
	Gone   int    `json:"gone,omitempty"`
	Left   int    `json:"left,omitempty"` // objects that were not deleted
}

// UnknownCount returns the number of objects whose outcome is not known.
func (p BatchRecord) UnknownCount() int { return p.Count - p.Gone - p.Left }

// A DeletionBatch is a batch of objects of a BulkDeletion. Their names are recorded before it is sent.
type DeletionBatch struct {
	deletion *BulkDeletion
	names    []string
	record   BatchRecord
}

// Begin records the names that are deleted next. Nothing may be sent if that fails. Batches may overlap, but Begin is
// called by one goroutine.
func (d *BulkDeletion) Begin(names []string) (*DeletionBatch, error) {
	for _, name := range names {
		if !d.covers(name) {
			object := ObjectRef{d.prefix.Cluster, d.prefix.Bucket, name}
			return nil, d.writer.client.refusal(Change{Op: OpDeleteObject, ID: object.ID()}, ErrNotConfirmed)
		}
	}
	d.batches++
	batch := BatchRecord{Number: d.batches, Count: len(names), Names: objectnames.Encode(names)}
	if err := d.record(batch); err != nil {
		failed := d.writer.client.refusal(d.writer.change, err)
		failed.Detail = "cannot record the next objects' names in the journal, so they were not sent; " + err.Error()
		return nil, failed
	}
	return &DeletionBatch{deletion: d, names: names, record: batch}, nil
}

func (d *BulkDeletion) record(p BatchRecord) error {
	recorder, ok := d.writer.client.rules.recorder.(BatchRecorder)
	if !ok || d.writer.intent == "" {
		return nil
	}
	return recorder.RecordBatch(d.writer.intent, p)
}

// Remove deletes one of the batch's objects.
func (s *DeletionBatch) Remove(ctx context.Context, name string) error {
	d := s.deletion
	object := ObjectRef{d.prefix.Cluster, d.prefix.Bucket, name}
	change := Change{Op: OpDeleteObject, ID: object.ID()}
	if !slices.Contains(s.names, name) {
		return d.writer.client.refusal(change, ErrNotConfirmed)
	}
	return (&Writer{client: d.writer.client, change: change, part: true}).DeleteObject(ctx, object)
}

// End records what became of the batch: how many objects are gone, and of which ones that is not known.
func (s *DeletionBatch) End(gone int, unknown []string) error {
	p := s.record
	p.Ended, p.Names, p.Gone, p.Left = true, nil, gone, p.Count-gone-len(unknown)
	if len(unknown) > 0 {
		p.Names = objectnames.Encode(unknown)
	}
	return s.deletion.record(p)
}
