package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
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
	// id of the recorded change that scheduled this one, or of the window that it changes: see Client.Scheduled
	Scheduled string `json:"scheduled,omitempty"`
	// planned windows that this one takes the place of, by the ids of the changes that planned them
	Replaces []string `json:"replaces,omitempty"`
	// windows whose place was taken by what this change takes back, and that are planned again
	Restores []string `json:"restores,omitempty"`
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
	RecordIntent(ctx context.Context, c Change) (id string, err error)
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

// A ServiceRecorder is a ChangeRecorder that remembers what a service became by a change.
type ServiceRecorder interface {
	// RecordService records, instead of RecordOutcome, that a change was applied and how the service was in its answer.
	RecordService(intentID string, s *Service)
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

// A ConsentQuestion is put to the user before a change.
type ConsentQuestion struct {
	Op       string // the operation that is to be confirmed
	Effect   string // what happens: "Deletes service web-1 (id 7)"
	Word     string // what the user must type; empty asks for yes or no
	Required bool   // ask on every account, because something is lost; protected accounts always ask
	Below    bool   // the ids are parents ("us-east-1/photos/2024/"), and the answer covers everything below them
	Account  string // name of the protected account; set by the client, empty if the account is not protected
	// the objects that OpDeleteObject is for, instead of ids: there may be a million of them
	Names *objectnames.SortedNames
}

// An Asker puts a question to the user and waits for the answer: on a terminal, or from a flag.
type Asker interface {
	Ask(ctx context.Context, q ConsentQuestion) (bool, error)
}

// A Consent is the permission to perform one operation on certain ids of one account. Only ConsentRequest.Answer,
// Client.Consent and Client.Scheduled make one.
type Consent struct {
	client *Client
	asked  string // name of the protected account that the question named
	// the user agreed to it along with an earlier change
	scheduled bool
	op        string
	ids       map[string]bool
	below     bool // ids are parents
	names     *objectnames.SortedNames
}

// ErrDeclined means that the user answered no.
var ErrDeclined = errors.New("not confirmed; nothing was changed")

// ErrNotConfirmed means that a change lacks a consent, or has one for another operation, thing or account.
var ErrNotConfirmed = errors.New("the change was not confirmed, so it was not sent")

// WithProtected makes the client ask before every change, naming the account.
func WithProtected(account string) Option {
	return func(c *Client) { c.rules.safety.demanded.Protected = account }
}

// A ConsentRequest is a consent that may still need an answer. A dialog shows its question and gives the answer later;
// Consent does both at once.
type ConsentRequest struct {
	question ConsentQuestion
	consent  *Consent
}

// RequestConsent starts to ask for an operation on certain ids. Without ids it asks for one that has none, as creating
// a contact.
func (c *Client) RequestConsent(q ConsentQuestion, ids ...string) *ConsentRequest {
	q.Account = c.rules.safety.now().Protected
	consent := &Consent{
		client: c,
		asked:  q.Account,
		op:     q.Op,
		ids:    make(map[string]bool, len(ids)),
		below:  q.Below,
		names:  q.Names,
	}
	for _, id := range ids {
		consent.ids[id] = true
	}
	if len(ids) == 0 && q.Names == nil {
		consent.ids[""] = true
	}
	return &ConsentRequest{q, consent}
}

// Question returns the question to show, or nil if nothing need be asked: then Answer(true) returns the consent.
func (r *ConsentRequest) Question() *ConsentQuestion {
	if r.consent.client.isForbidden(r.question.Op) || !r.question.Required && r.question.Account == "" {
		return nil
	}
	return &r.question
}

// Answer returns the consent if the user agreed, ErrDeclined if not. In read-only mode the error is ErrReadOnly,
// except for OpCreateDownloadURL.
func (r *ConsentRequest) Answer(yes bool) (*Consent, error) {
	switch {
	case r.consent.client.isForbidden(r.question.Op):
		return nil, r.consent.client.refusal(Change{Op: r.question.Op}, ErrReadOnly)
	case !yes:
		return nil, ErrDeclined
	}
	return r.consent, nil
}

// Consent asks what needs to be asked, waits for the answer, and returns the consent. See RequestConsent and Answer.
func (c *Client) Consent(ctx context.Context, asker Asker, q ConsentQuestion, ids ...string) (*Consent, error) {
	r := c.RequestConsent(q, ids...)
	yes := true
	if pending := r.Question(); pending != nil {
		var err error
		if yes, err = asker.Ask(ctx, *pending); err != nil {
			return nil, err
		}
	}
	return r.Answer(yes)
}

// Scheduled returns the consent to what a recorded change has scheduled, when its time has come: its revert, or the
// change that it planned. The user agreed to that along with the recorded change. It returns ErrNotConfirmed if nothing
// was scheduled or a later change has superseded it.
func (c *Client) Scheduled(intentID string) (*Consent, error) {
	scheduler, ok := c.rules.recorder.(ScheduleRecorder)
	if !ok {
		return nil, ErrNotConfirmed
	}
	op, id, ok := scheduler.ScheduledChange(intentID)
	if !ok {
		return nil, ErrNotConfirmed
	}
	return &Consent{
		client:    c,
		scheduled: true,
		op:        op,
		ids:       map[string]bool{id: true},
	}, nil
}

// covers reports whether the consent is for a change by a client.
func (k *Consent) covers(c *Client, change Change) bool {
	switch {
	case k == nil || k.client != c:
		return false
	case change.Op == OpDeleteObjects:
		return k.op == OpDeleteObject && change.Names != nil && (k.names == change.Names || k.coversAll(change.Names))
	}
	return k.op == change.Op && k.coversID(change.ID)
}

// coversAll reports whether the consent is for each object of a list.
func (k *Consent) coversAll(names *objectnames.SortedNames) bool {
	for o := range names.From(0) {
		if !k.coversID(names.Bucket() + "/" + o.Name) {
			return false
		}
	}
	return true
}

// coversID reports whether the consent is for a thing.
func (k *Consent) coversID(id string) bool {
	if k.names != nil {
		name, inBucket := strings.CutPrefix(id, k.names.Bucket()+"/")
		return inBucket && k.names.Contains(name)
	}
	if !k.below {
		return k.ids[id]
	}
	for parent := range k.ids {
		if isParent(parent) && strings.HasPrefix(id, parent) {
			return true
		}
	}
	return false
}

// isParent reports whether an id names a bucket or the beginning of an object's name: "us-east-1/photos/…". Anything
// shorter would cover several buckets.
func isParent(id string) bool { return strings.Count(id, "/") >= 2 }

// A Writer sends one change. Its methods are all the writes of the API; it sends the operation that it was begun for,
// on the thing that it was begun for, and refuses any other with ErrNotConfirmed. Begin returns one.
type Writer struct {
	client  *Client
	change  Change
	consent *Consent
	part    bool // the change is part of one that is recorded already
	// intent is the id of the record, once there is one
	intent string
	// made returns the id of what was made along with a secret. nil for changes without one.
	made func() string
	// service returns the service in the answer. nil for changes of other things.
	service func() *Service
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
	return &Writer{client: c, change: change, consent: consent}, nil
}

// isForbidden reports whether read-only mode forbids an operation.
func (c *Client) isForbidden(op string) bool {
	return c.ReadOnly() && !c.endpoint.operations[op].inReadOnlyMode
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

// changeID returns the id that the change must have: "7", "us-east-1/photos".
func (r request) changeID() string {
	if r.id != "" {
		return r.id
	}
	parts := make([]string, len(r.segments))
	for i, segment := range r.segments {
		parts[i] = fmt.Sprint(segment)
	}
	return strings.Join(parts, "/")
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
	w.made, w.service = r.made, r.service
	change := w.change
	change.Op, change.Method, change.Path = r.op, req.Method, req.URL.Path
	var shown any
	change.Body, shown, r.secrets = maskBody(r)
	if w.client.rules.dryRun != nil {
		change.Body = shown
	}
	return w.send(ctx, w.client.newError(r), change, func(ctx context.Context) error {
		if err := w.client.transport.waitForTurn(ctx, w.client.endpoint.operations[r.op]); err != nil {
			return w.client.transportError(r, err)
		}
		answer, err := w.client.transport.write(req)
		return w.client.checkResponse(r, answer, err)
	})
}

// send is the one gate of every change. Read-only mode refuses it, and so does a context that has ended. It records the
// intent before the change is sent, and the outcome afterwards.
func (w *Writer) send(ctx context.Context, failed *Error, change Change, do func(context.Context) error) error {
	c := w.client
	failed.Outcome = NotSent
	if failed.Cause = w.checkSafety(ctx, change.Op); failed.Cause != nil {
		return failed
	}
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
	// half of the time is left for the request
	recording, cancel := context.WithTimeout(ctx, c.timeout/2)
	id, err := c.rules.recorder.RecordIntent(recording, change)
	cancel()
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
			read := "later reads did not show it"
			if o == Applied {
				read = "a later read showed it; who made the change is not known"
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
	if keeper, ok := recorder.(ServiceRecorder); ok && failure == nil && w.service != nil {
		keeper.RecordService(w.intent, w.service())
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
