package client

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"lookout/client/objectnames"
)

// A Change describes one write for the journal. The caller of Begin fills in the operation, the thing that it is about,
// the reason, the value before and the time of the revert; the client fills in the rest. It holds no secret.
type Change struct {
	Op       string    `json:"op"`              // one of the operations: OpDisableService
	Method   string    `json:"method"`          // set by the client
	Path     string    `json:"path"`            // set by the client
	Resource string    `json:"kind,omitempty"`  // "service"
	ID       string    `json:"id,omitempty"`    // "7", BucketID or ObjectRef.ID; empty for what has no id yet
	Label    string    `json:"label,omitempty"` // what people call it
	Reason   string    `json:"reason,omitempty"`
	RevertAt time.Time `json:"until,omitzero"` // when the change is to be reverted; zero is never
	StartAt  time.Time `json:"start,omitzero"` // when a planned change is to be made
	// id of the recorded change that scheduled this one: see Client.Scheduled
	Scheduled string `json:"scheduled,omitempty"`
	// id of the recorded change that this one repeats, because it was scheduled too and its outcome is unknown
	Repeats string `json:"-"`
	// values of Body's members before the change, or the thing that is deleted; nil if unknown or over 1 MiB
	Before any `json:"before,omitempty"`
	Body   any `json:"body,omitempty"` // set by the client, except where a request has none; secrets are masked
	// how many objects OpDeleteObjects is about; their names are recorded in batches
	Objects int `json:"objects,omitempty"`
	// the objects of OpDeleteObjects
	Names *objectnames.SortedNames `json:"-"`
}

// A ChangeRecorder keeps every change: its intent before it is sent, its outcome afterwards. If the intent cannot be
// recorded, the change is not sent.
type ChangeRecorder interface {
	RecordIntent(Change) (id string, err error)
	RecordOutcome(id string, outcome Outcome, err error)
}

// A SecretSeenRecorder is a ChangeRecorder that remembers whether anybody has seen a secret that the API returned only
// once. It does not keep the secret.
type SecretSeenRecorder interface {
	// RecordUnseenSecret records, instead of RecordOutcome, that a change was applied and its answer holds a secret. id
	// is that of what was made.
	RecordUnseenSecret(intentID, id string)
	// RecordSecretSeen records that somebody has the secret, or does not want it.
	RecordSecretSeen(intentID string)
	// RecordRevokeLater records that the key of an id is to be revoked some time after the change, and why. An empty id
	// ends that.
	RecordRevokeLater(intentID, key, reason string)
}

// A ScheduleRecorder is a ChangeRecorder that knows which changes are to be made or reverted at a set time.
type ScheduleRecorder interface {
	// ScheduledChange returns the operation that a recorded change has scheduled, its revert or what it planned, and
	// the id that it applies to. It reports false if nothing was scheduled or a later change has superseded it.
	ScheduledChange(intentID string) (op, id string, ok bool)
}

// BucketID returns the id of a bucket in a Change: "us-east-1/photos".
func BucketID(cluster, label string) string { return cluster + "/" + label }

// An ObjectRef names one object.
type ObjectRef struct{ Cluster, Bucket, Name string }

// ID returns the id of the object in a Change: "us-east-1/photos/2024/a.jpg".
func (o ObjectRef) ID() string { return BucketID(o.Cluster, o.Bucket) + "/" + o.Name }

// ErrDryRun means that a change was shown instead of sent.
var ErrDryRun = errors.New("dry run; nothing was sent")

// WithDryRun gives each change to a function, complete and without its secrets, instead of recording and sending it.
// The writer's method then returns ErrDryRun.
func WithDryRun(show func(Change)) Option { return func(c *Client) { c.rules.dryRun = show } }

// A Writer sends one change. Its methods are all the writes of the API; it sends the operation that it was begun for,
// on the thing that it was begun for, and refuses any other with ErrNotConfirmed. Begin returns one.
type Writer struct {
	client *Client
	change Change
	part   bool // the change is part of one that is recorded already
	// intent is the id of the record, once there is one
	intent string
	// made returns the id of what was made along with a secret. nil for changes without one.
	made func() string
}

// SecretSeen records that somebody has the secret that the answer to the change holds, or does not want it. Until then
// the record says that nobody has seen it.
func (w *Writer) SecretSeen() {
	if recorder, ok := w.client.rules.recorder.(SecretSeenRecorder); ok && w.intent != "" && w.made != nil {
		recorder.RecordSecretSeen(w.intent)
	}
}

// RevokeLater records, once the change was applied, that the key of an id is to be revoked later, and why: keys never
// expire. Each start of lookout reminds of it until then.
func (w *Writer) RevokeLater(key int, reason string) {
	if recorder, ok := w.client.rules.recorder.(SecretSeenRecorder); ok && w.intent != "" {
		recorder.RecordRevokeLater(w.intent, strconv.Itoa(key), reason)
	}
}

// Begin returns the writer of a change. In read-only mode the error is ErrReadOnly, except for OpCreateDownloadURL;
// without a consent that covers the change's operation and id it is ErrNotConfirmed.
func (c *Client) Begin(change Change, consent *Consent) (*Writer, error) {
	switch {
	case c.isForbidden(change.Op):
		return nil, c.refusal(change, ErrReadOnly)
	case !consent.covers(c, change):
		return nil, c.refusal(change, ErrNotConfirmed)
	}
	return &Writer{client: c, change: change}, nil
}

// isForbidden reports whether read-only mode forbids an operation.
func (c *Client) isForbidden(op string) bool {
	return c.rules.readOnly && !c.endpoint.operations[op].inReadOnlyMode
}

// refusal returns the error of a change that the client itself refuses.
func (c *Client) refusal(change Change, cause error) *Error {
	return &Error{
		Op:      strings.TrimSpace(change.Op + " " + cleanName(change.ID)),
		Write:   true,
		Outcome: NotSent,
		Host:    c.endpoint.base.Host,
		Cause:   cause,
	}
}

// sendChange sends a change and decodes its answer into T.
func sendChange[T any](ctx context.Context, w *Writer, r request) (T, error) {
	r.writer = w
	return call[T](ctx, w.client, r)
}

// covers reports whether the writer was begun for an operation on an id; an empty id is that of a thing which has none
// yet.
func (w *Writer) covers(op, id string) bool {
	return w.change.Op == op && (id == "" || w.change.ID == id)
}

// write sends a change once.
func (w *Writer) write(ctx context.Context, r request, req *http.Request) error {
	if !w.covers(r.op, r.changeID()) {
		return w.client.notSentError(r, ErrNotConfirmed, "")
	}
	w.made = r.made
	change := w.change
	change.Op, change.Method, change.Path, change.Body = r.op, req.Method, req.URL.Path, r.body
	if r.journalBody != nil {
		change.Body = r.journalBody
	}
	if w.client.rules.dryRun != nil && r.shownBody != nil {
		change.Body = r.shownBody
	}
	return w.send(ctx, w.client.newError(r), change, func(context.Context) error {
		answer, err := w.client.transport.write(req)
		return w.client.checkResponse(r, answer, err)
	})
}

// send is the one gate of every change. Read-only mode refuses it, and so does a context that has ended. It records the
// intent before the change is sent, and the outcome afterwards.
func (w *Writer) send(ctx context.Context, failed *Error, change Change, do func(context.Context) error) error {
	c := w.client
	failed.Outcome = NotSent
	if c.isForbidden(change.Op) {
		failed.Cause = ErrReadOnly
		return failed
	}
	if ctx.Err() != nil {
		failed.Cause = ctx.Err()
		return failed
	}
	if c.rules.dryRun != nil {
		c.rules.dryRun(change)
		failed.Cause = ErrDryRun
		return failed
	}
	if c.rules.recorder == nil || w.part {
		return do(ctx)
	}
	id, err := c.rules.recorder.RecordIntent(change)
	if err != nil {
		failed.Cause, failed.Detail = err, "cannot record it in the journal, so it was not sent; "+err.Error()
		return failed
	}
	w.intent = id
	failure := do(ctx)
	w.recordOutcome(failure)
	if e, ok := failure.(*Error); ok {
		e.intentID = id
		e.settle = func(o Outcome) {
			read := "reading again did not show it"
			if o == Applied {
				read = "reading again showed it; whose change it was is not known"
			}
			c.rules.recorder.RecordOutcome(id, o, FoundByReading(e.describeAnswer()+"; "+read))
		}
	}
	return failure
}

// recordOutcome records how the change ended.
func (w *Writer) recordOutcome(failure error) {
	recorder := w.client.rules.recorder
	if keeper, ok := recorder.(SecretSeenRecorder); ok && failure == nil && w.made != nil {
		keeper.RecordUnseenSecret(w.intent, w.made())
		return
	}
	recorder.RecordOutcome(w.intent, outcomeOf(failure), failure)
}

// outcomeOf returns how a change ended that was recorded: Applied, Rejected or Unknown.
func outcomeOf(err error) Outcome {
	if err == nil {
		return Applied
	}
	if e, ok := err.(interface{ Unknown() bool }); ok && e.Unknown() {
		return Unknown
	}
	return Rejected
}

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

// A Patch holds the members of an update that were changed, and no others. A cleared member is null.
type Patch map[string]any

// Diff compares two requests of the same type, or pointers to them, member by member, including members of nested
// objects.
func Diff(before, after any) Patch { return diffMembers(members(before), members(after)) }

// members returns a request as it would be sent.
func members(request any) map[string]any {
	data, err := json.Marshal(request)
	if err != nil {
		return nil
	}
	var m map[string]any
	if json.Unmarshal(data, &m) != nil {
		return nil
	}
	return m
}

func diffMembers(before, after map[string]any) Patch {
	patch := Patch{}
	for name, value := range after {
		old, had := before[name]
		inner, isObject := value.(map[string]any)
		was, wasObject := old.(map[string]any)
		switch {
		case had && reflect.DeepEqual(old, value):
		case isObject && wasObject:
			patch[name] = map[string]any(diffMembers(was, inner))
		default:
			patch[name] = value
		}
	}
	for name := range maps.Keys(before) {
		if _, kept := after[name]; !kept {
			patch[name] = nil
		}
	}
	return patch
}
