package client

import (
	"context"
	"iter"
)

// A Key is a pair of keys for S3 programs ("Object Storage Key").
type Key struct {
	ID        int           `json:"id"`
	Label     Text          `json:"label"`
	AccessKey Text          `json:"access_key"`
	SecretKey Secret        `json:"secret_key"` // real at creation alone; otherwise Redacted or empty
	Limited   bool          `json:"limited"`
	Buckets   []BucketGrant `json:"bucket_access"` // nil where the key is unlimited
}

// RedactedSecretKey is what the real service sends for a secret key after its creation.
const RedactedSecretKey = "[REDACTED]"

// Secret is the secret key where there really is one.
func (k Key) Secret() (Secret, bool) {
	return k.SecretKey, !k.SecretKey.IsZero() && k.SecretKey.Reveal() != RedactedSecretKey
}

// A BucketGrant is what a limited key may do with one bucket.
type BucketGrant struct {
	Cluster     Text `json:"cluster"`
	Bucket      Text `json:"bucket_name"`
	Permissions Text `json:"permissions"` // read_only or read_write; the enumeration is not shown
}

// A KeyRequest is what a key is made from. Buckets left nil make an unlimited key, an empty list a key that may reach
// nothing, and entries a key limited to them ("bucket_access rules").
type KeyRequest struct {
	Label   string         `json:"label"`
	Buckets []GrantRequest `json:"bucket_access,omitzero"`
}

// A GrantRequest is one entry of a KeyRequest.
type GrantRequest struct {
	Cluster     string `json:"cluster"`
	Bucket      string `json:"bucket_name"`
	Permissions string `json:"permissions"`
}

// Keys are the access keys of the account.
type Keys struct{ c *Client }

// List is a page of the keys, from 1.
func (s Keys) List(ctx context.Context, n int) (Page[*Key], error) {
	return listPage[*Key](ctx, s.c, "list keys", n)
}

// All walks the keys.
func (s Keys) All(ctx context.Context) iter.Seq2[*Key, error] { return allRows(ctx, s.List) }

// Get is one key.
func (s Keys) Get(ctx context.Context, id int) (*Key, error) {
	return call[*Key](ctx, s.c, callByID("view key", id, nil))
}

// CreateKey makes a key. No other answer holds its secret.
func (w *Writer) CreateKey(ctx context.Context, r KeyRequest) (*Key, error) {
	return sendChange[*Key](ctx, w, request{op: OpCreateKey, body: r})
}

// UpdateKey changes the label.
func (w *Writer) UpdateKey(ctx context.Context, id int, label string) (*Key, error) {
	return sendChange[*Key](ctx, w, callByID(OpUpdateKey, id, map[string]any{"label": label}))
}

// RevokeKey revokes a key for good.
func (w *Writer) RevokeKey(ctx context.Context, id int) error {
	_, err := sendChange[noContent](ctx, w, callByID(OpRevokeKey, id, nil))
	return err
}
