package client

import (
	"context"
	"time"
)

// This file holds the former way to change things, without a consent. Callers move to Begin; then it goes.

type changeKey struct{}

// recordedKey marks what is part of a change that is recorded already.
type recordedKey struct{}

// Record makes many requests one change of the journal.
//
// Deprecated: use Begin and Writer.EmptyBucket.
func (c *Client) Record(ctx context.Context, change Change, do func(context.Context) error) error {
	failed := &Error{Op: change.Op + " " + change.Label, Write: true, Host: c.base.Host}
	return c.unconfirmed().send(
		ctx,
		failed,
		change,
		func(ctx context.Context) error { return do(context.WithValue(ctx, recordedKey{}, c)) },
	)
}

// Unconfirmed returns the writer of a change without a consent.
//
// Deprecated: use Begin.
func (c *Client) Unconfirmed(change Change) *Writer {
	return &Writer{client: c, change: change, deprecated: true}
}

// unconfirmed returns a writer that nobody confirmed.
func (c *Client) unconfirmed() *Writer { return &Writer{client: c, deprecated: true} }

// withContext is the change with what ctx says about it.
func (c Change) withContext(ctx context.Context) Change {
	about, ok := ctx.Value(changeKey{}).(Change)
	if !ok {
		return c
	}
	if about.Resource != "" {
		c.Resource, c.ID, c.Label = about.Resource, about.ID, about.Label
	}
	c.Reason, c.RevertAt, c.Before = about.Reason, about.RevertAt, about.Before
	return c
}

// With adds to what the journal says about the changes made under ctx.
func contextWithChange(ctx context.Context, add func(*Change)) context.Context {
	c, _ := ctx.Value(changeKey{}).(Change)
	add(&c)
	return context.WithValue(ctx, changeKey{}, c)
}

// ContextWithResource names the thing that the changes made under ctx are about.
func ContextWithResource(ctx context.Context, kind, id, label string) context.Context {
	return contextWithChange(ctx, func(c *Change) { c.Resource, c.ID, c.Label = kind, id, label })
}

// ContextWithReason says why the changes made under ctx are made.
func ContextWithReason(ctx context.Context, reason string) context.Context {
	return contextWithChange(ctx, func(c *Change) { c.Reason = reason })
}

// ContextWithRevertAt says when the changes made under ctx are to be taken back.
func ContextWithRevertAt(ctx context.Context, t time.Time) context.Context {
	return contextWithChange(ctx, func(c *Change) { c.RevertAt = t })
}

// ContextWithBefore says what the changes made under ctx alter, as it was before. It must hold no secret.
func ContextWithBefore(ctx context.Context, before any) context.Context {
	return contextWithChange(ctx, func(c *Change) { c.Before = before })
}

// Create is Writer.CreateContact without a consent.
//
// Deprecated: use Begin.
func (s Contacts) Create(ctx context.Context, r ContactRequest) (*Contact, error) {
	return s.c.unconfirmed().CreateContact(ctx, r)
}

// Update is Writer.UpdateContact without a consent.
//
// Deprecated: use Begin.
func (s Contacts) Update(ctx context.Context, id int, p Patch) (*Contact, error) {
	return s.c.unconfirmed().UpdateContact(ctx, id, p)
}

// Delete is Writer.DeleteContact without a consent.
//
// Deprecated: use Begin.
func (s Contacts) Delete(ctx context.Context, id int) error {
	return s.c.unconfirmed().DeleteContact(ctx, id)
}

// Create is Writer.CreateService without a consent.
//
// Deprecated: use Begin.
func (s Services) Create(ctx context.Context, r ServiceRequest) (*Service, error) {
	return s.c.unconfirmed().CreateService(ctx, r)
}

// Update is Writer.UpdateService without a consent.
//
// Deprecated: use Begin.
func (s Services) Update(ctx context.Context, id int, p Patch) (*Service, error) {
	return s.c.unconfirmed().UpdateService(ctx, id, p)
}

// Delete is Writer.DeleteService without a consent.
//
// Deprecated: use Begin.
func (s Services) Delete(ctx context.Context, id int) error {
	return s.c.unconfirmed().DeleteService(ctx, id)
}

// Disable is Writer.DisableService without a consent.
//
// Deprecated: use Begin.
func (s Services) Disable(ctx context.Context, id int) (*Service, error) {
	return s.c.unconfirmed().DisableService(ctx, id)
}

// Enable is Writer.EnableService without a consent.
//
// Deprecated: use Begin.
func (s Services) Enable(ctx context.Context, id int) (*Service, error) {
	return s.c.unconfirmed().EnableService(ctx, id)
}

// Create is Writer.CreateCredential without a consent.
//
// Deprecated: use Begin.
func (s Credentials) Create(ctx context.Context, r CredentialRequest) (*Credential, error) {
	return s.c.unconfirmed().CreateCredential(ctx, r)
}

// Update is Writer.UpdateCredential without a consent.
//
// Deprecated: use Begin.
func (s Credentials) Update(ctx context.Context, id int, label string) (*Credential, error) {
	return s.c.unconfirmed().UpdateCredential(ctx, id, label)
}

// SetLogin is Writer.SetCredentialLogin without a consent.
//
// Deprecated: use Begin.
func (s Credentials) SetLogin(ctx context.Context, id int, r LoginRequest) error {
	return s.c.unconfirmed().SetCredentialLogin(ctx, id, r)
}

// Delete is Writer.DeleteCredential without a consent.
//
// Deprecated: use Begin.
func (s Credentials) Delete(ctx context.Context, id int) error {
	return s.c.unconfirmed().DeleteCredential(ctx, id)
}

// Update is Writer.UpdateInstanceSSH without a consent.
//
// Deprecated: use Begin.
func (s Instances) Update(ctx context.Context, id int, p Patch) (*Instance, error) {
	return s.c.unconfirmed().UpdateInstanceSSH(ctx, id, p)
}

// Create is Writer.CreateBucket without a consent.
//
// Deprecated: use Begin.
func (s Buckets) Create(ctx context.Context, r BucketRequest) (*Bucket, error) {
	return s.c.unconfirmed().CreateBucket(ctx, r)
}

// Delete is Writer.DeleteBucket without a consent.
//
// Deprecated: use Begin.
func (s Buckets) Delete(ctx context.Context, cluster, label string) error {
	return s.c.unconfirmed().DeleteBucket(ctx, cluster, label)
}

// ModifyAccess is Writer.UpdateBucketAccess without a consent.
//
// Deprecated: use Begin.
func (s Buckets) ModifyAccess(ctx context.Context, cluster, label string, a BucketAccess) error {
	return s.c.unconfirmed().UpdateBucketAccess(ctx, cluster, label, a)
}

// UpdateAccess is Writer.ReplaceBucketAccess without a consent.
//
// Deprecated: use Begin.
func (s Buckets) UpdateAccess(ctx context.Context, cluster, label string, a BucketAccess) error {
	return s.c.unconfirmed().ReplaceBucketAccess(ctx, cluster, label, a)
}

// Upload is Writer.UploadCertificate without a consent.
//
// Deprecated: use Begin.
func (s Certificates) Upload(
	ctx context.Context,
	cluster, label, certificate string,
	key Secret,
) (*CertificateStatus, error) {
	return s.c.unconfirmed().UploadCertificate(ctx, cluster, label, certificate, key)
}

// Delete is Writer.DeleteCertificate without a consent.
//
// Deprecated: use Begin.
func (s Certificates) Delete(ctx context.Context, cluster, label string) error {
	return s.c.unconfirmed().DeleteCertificate(ctx, cluster, label)
}

// Create is Writer.CreateKey without a consent.
//
// Deprecated: use Begin.
func (s Keys) Create(ctx context.Context, r KeyRequest) (*Key, error) {
	return s.c.unconfirmed().CreateKey(ctx, r)
}

// Update is Writer.UpdateKey without a consent.
//
// Deprecated: use Begin.
func (s Keys) Update(ctx context.Context, id int, label string) (*Key, error) {
	return s.c.unconfirmed().UpdateKey(ctx, id, label)
}

// Revoke is Writer.RevokeKey without a consent.
//
// Deprecated: use Begin.
func (s Keys) Revoke(ctx context.Context, id int) error {
	return s.c.unconfirmed().RevokeKey(ctx, id)
}

// SetACL is Writer.SetObjectACL without a consent.
//
// Deprecated: use Begin.
func (s Objects) SetACL(ctx context.Context, cluster, bucket, name string, acl ACL) (*ObjectACL, error) {
	return s.c.unconfirmed().SetObjectACL(ctx, ObjectRef{cluster, bucket, name}, acl)
}

// Delete is Writer.DeleteObject without a consent.
//
// Deprecated: use Begin.
func (s Objects) Delete(ctx context.Context, cluster, bucket, name string) error {
	return s.c.unconfirmed().DeleteObject(ctx, ObjectRef{cluster, bucket, name})
}

// Put is Writer.UploadObject without a consent.
//
// Deprecated: use Begin.
func (s Objects) Put(
	ctx context.Context,
	cluster, bucket, name string,
	b ObjectBody,
	settle func(etag string, err error) error,
) (string, error) {
	b.Settle = settle
	return s.c.unconfirmed().UploadObject(ctx, ObjectRef{cluster, bucket, name}, b)
}

// Presign makes a pre-signed URL.
//
// Deprecated: use Begin and Writer.CreateObjectURL.
func (s Objects) Presign(ctx context.Context, cluster, bucket string, r PresignRequest) (PresignedURL, error) {
	return s.presign(ctx, cluster, bucket, r)
}

// CancelObjectStorage is Writer.CancelObjectStorage without a consent.
//
// Deprecated: use Begin.
func (c *Client) CancelObjectStorage(ctx context.Context) error {
	return c.unconfirmed().CancelObjectStorage(ctx)
}
