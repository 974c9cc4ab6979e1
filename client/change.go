package client

import "time"

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
	// values of Body's members before the change, or the thing that is deleted; nil if unknown
	Before any `json:"before,omitempty"`
	Body   any `json:"body,omitempty"` // set by the client; secrets are masked
}

// A Recorder keeps every change: its intent before it is sent, its outcome afterwards. If the intent cannot be
// recorded, the change is not sent.
type Recorder interface {
	RecordIntent(Change) (id string, err error)
	RecordOutcome(id string, done bool, err error)
}

// A Scheduler is a Recorder that knows which changes are to be reverted at a set time.
type Scheduler interface {
	// ScheduledRevert returns the operation that reverts a recorded change and the id that it applies to. It reports
	// false if no revert was scheduled or a later change has superseded it.
	ScheduledRevert(intentID string) (op, id string, ok bool)
}

// BucketID returns the id of a bucket in a Change: "us-east-1/photos".
func BucketID(cluster, label string) string { return cluster + "/" + label }

// An ObjectRef names one object.
type ObjectRef struct{ Cluster, Bucket, Name string }

// ID returns the id of the object in a Change: "us-east-1/photos/2024/a.jpg".
func (o ObjectRef) ID() string { return BucketID(o.Cluster, o.Bucket) + "/" + o.Name }
