package client

import (
	"context"
	"iter"
)

// A Bucket is a store of objects in a cluster ("Bucket"). Cluster and label together are its identity.
type Bucket struct {
	Cluster  Text         `json:"cluster"` // empty on the newest kind of endpoint
	Created  Time         `json:"created"`
	Hostname Text         `json:"hostname"`
	Label    Text         `json:"label"`
	Objects  int64        `json:"objects"`
	Size     int64        `json:"size"`   // bytes
	Region   OptionalText `json:"region"` // not in the document; sent since 2024
}

// An ACL is who may do what with a bucket or an object.
type ACL string

// The canned ACLs. Custom is told by the API and not set.
const (
	ACLPrivate           ACL = "private"
	ACLPublicRead        ACL = "public-read"
	ACLAuthenticatedRead ACL = "authenticated-read"
	ACLPublicReadWrite   ACL = "public-read-write"
	ACLCustom            ACL = "custom"
)

// String is the ACL, safe to draw.
func (a ACL) String() string { return Clean(string(a)) }

// A BucketRequest is what a bucket is made from. A bucket of one's own that exists is returned as if just created
// ("Object Storage", rule 1).
type BucketRequest struct {
	Cluster string `json:"cluster"`
	Label   string `json:"label"`
	ACL     ACL    `json:"acl,omitempty"`          // private without it
	CORS    bool   `json:"cors_enabled,omitempty"` // true allows all origins
}

// An BucketAccess is a bucket's canned ACL and CORS switch. An empty ACL and a nil switch leave what is set.
type BucketAccess struct {
	ACL  ACL   `json:"acl,omitempty"`
	CORS *bool `json:"cors_enabled,omitempty"`
}

// Buckets are the buckets of the account.
type Buckets struct{ c *Client }

// List is a page of all buckets, from 1.
func (s Buckets) List(ctx context.Context, n int) (Page[*Bucket], error) {
	return listPage[*Bucket](ctx, s.c, "list buckets", n)
}

// ListInCluster is a page of the buckets of one cluster, from 1.
func (s Buckets) ListInCluster(ctx context.Context, cluster string, n int) (Page[*Bucket], error) {
	return listPage[*Bucket](ctx, s.c, "list buckets in cluster", n, cluster)
}

// All walks all buckets.
func (s Buckets) All(ctx context.Context) iter.Seq2[*Bucket, error] { return allRows(ctx, s.List) }

// Get is one bucket.
func (s Buckets) Get(ctx context.Context, cluster, label string) (*Bucket, error) {
	return call[*Bucket](ctx, s.c, bucketCall("view bucket", cluster, label, nil))
}

// Create makes a bucket. An account with a negative balance may not.
func (s Buckets) Create(ctx context.Context, r BucketRequest) (*Bucket, error) {
	return call[*Bucket](ctx, s.c, request{op: "create bucket", body: r})
}

// Delete removes a bucket, which must be empty.
func (s Buckets) Delete(ctx context.Context, cluster, label string) error {
	_, err := call[noContent](ctx, s.c, bucketCall("delete bucket", cluster, label, nil))
	return err
}

// ModifyAccess changes ACL and CORS by POST. Nothing tells afterwards what they are.
func (s Buckets) ModifyAccess(ctx context.Context, cluster, label string, a BucketAccess) error {
	_, err := call[noContent](ctx, s.c, bucketCall("modify access", cluster, label, a))
	return err
}

// UpdateAccess changes ACL and CORS by PUT, otherwise as Access.
func (s Buckets) UpdateAccess(ctx context.Context, cluster, label string, a BucketAccess) error {
	_, err := call[noContent](ctx, s.c, bucketCall("update access", cluster, label, a))
	return err
}

func bucketCall(op, cluster, label string, body any) request {
	return request{
		op:       op,
		target:   Clean(cluster + "/" + label),
		segments: []any{cluster, label},
		body:     body,
	}
}

// Certificates are the TLS certificates of buckets.
type Certificates struct{ c *Client }

// A CertificateStatus says whether an account user uploaded a certificate ("Bucket TLS certificate status").
type CertificateStatus struct {
	SSL *bool `json:"ssl"` // nil where the endpoint's kind has none
}

// Get is whether a bucket has a certificate.
func (s Certificates) Get(ctx context.Context, cluster, label string) (*CertificateStatus, error) {
	return call[*CertificateStatus](ctx, s.c, bucketCall("view certificate", cluster, label, nil))
}

// Upload sets certificate and private key, both PEM. One that is set must be deleted before ("Object Storage", rule 5).
func (s Certificates) Upload(
	ctx context.Context,
	cluster, label, certificate string,
	key Secret,
) (*CertificateStatus, error) {
	r := bucketCall(
		"upload certificate",
		cluster,
		label,
		map[string]string{"certificate": certificate, "private_key": key.Reveal()},
	)
	r.journalBody, r.secrets = map[string]any{"private_key": key}, []Secret{key}
	return call[*CertificateStatus](ctx, s.c, r)
}

// Delete removes certificate and key.
func (s Certificates) Delete(ctx context.Context, cluster, label string) error {
	_, err := call[noContent](ctx, s.c, bucketCall("delete certificate", cluster, label, nil))
	return err
}

// A Cluster is a place where buckets are ("Cluster").
type Cluster struct {
	ID               Text `json:"id"`
	Domain           Text `json:"domain"`
	Region           Text `json:"region"`
	StaticSiteDomain Text `json:"static_site_domain"`
	Status           Text `json:"status"` // available or unavailable; the real service knows more
}

// Clusters are the clusters of the provider.
type Clusters struct{ c *Client }

// List is a page of the clusters, from 1.
func (s Clusters) List(ctx context.Context, n int) (Page[*Cluster], error) {
	return listPage[*Cluster](ctx, s.c, "list clusters", n)
}

// All walks the clusters.
func (s Clusters) All(ctx context.Context) iter.Seq2[*Cluster, error] { return allRows(ctx, s.List) }

// Get is one cluster.
func (s Clusters) Get(ctx context.Context, id string) (*Cluster, error) {
	return call[*Cluster](ctx, s.c, request{op: "view cluster", target: Clean(id), segments: []any{id}})
}

// A TransferUsage is the outbound traffic of the current month's cycle in bytes ("Transfer usage").
type TransferUsage struct {
	Used int64 `json:"used"`
}

// NetworkTransfer is the account's outbound traffic, and the end of its Object Storage.
type NetworkTransfer struct{ c *Client }

// Get is the usage as of now.
func (s NetworkTransfer) Get(ctx context.Context) (*TransferUsage, error) {
	return call[*TransferUsage](ctx, s.c, request{op: "view transfer"})
}

// CancelObjectStorage removes all buckets and their contents for good ("Object Storage", rule 6).
func (c *Client) CancelObjectStorage(ctx context.Context) error {
	_, err := call[noContent](ctx, c, request{op: "cancel Object Storage"})
	return err
}
