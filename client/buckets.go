package client

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
)

// A Bucket holds objects in a cluster ("Bucket"). Location and label together identify it. The document does not have
// the last three members; the service sends them since 2024.
type Bucket struct {
	Cluster      ServerText         `json:"cluster"` // empty on the newer types of endpoint
	Created      Timestamp          `json:"created"`
	Hostname     ServerText         `json:"hostname"`
	Label        ServerText         `json:"label"`
	Objects      Optional[int64]    `json:"objects"`
	Size         Optional[int64]    `json:"size"` // bytes
	Region       OptionalServerText `json:"region"`
	EndpointType OptionalServerText `json:"endpoint_type"` // "E0" to "E3"
	S3Endpoint   OptionalServerText `json:"s3_endpoint"`   // host
}

// Location returns the place of the bucket as paths and commands name it: its cluster, or its region if it has no
// cluster.
func (b *Bucket) Location() ServerText { return location(b.Cluster, b.Region) }

// location returns a cluster, or the region where there is no cluster.
func location(cluster ServerText, region OptionalServerText) ServerText {
	if cluster.IsZero() {
		return region.ServerText
	}
	return cluster
}

// A StorageTotal is what buckets hold together. The API may not report a part of it: then the numbers are lower bounds.
type StorageTotal struct {
	Objects        int64 `json:"objects"`
	Size           int64 `json:"size"` // bytes
	ObjectsPartial bool  `json:"objects_partial,omitempty"`
	SizePartial    bool  `json:"size_partial,omitempty"`
}

// TotalOf adds up what buckets hold.
func TotalOf(buckets []*Bucket) (t StorageTotal) {
	for _, b := range buckets {
		objects, known := b.Objects.Value()
		t.Objects, t.ObjectsPartial = t.Objects+objects, t.ObjectsPartial || !known
		size, known := b.Size.Value()
		t.Size, t.SizePartial = t.Size+size, t.SizePartial || !known
	}
	return t
}

// ID returns the id of the bucket in a Change: "us-east-1/photos", or "gb-lon/photos" without a cluster. If the API
// does not report the place, the host name stands for it.
func (b *Bucket) ID() string { return BucketID(cmp.Or(b.Location().raw, b.Hostname.raw), b.Label.raw) }

// Object names an object of the bucket.
func (b *Bucket) Object(name string) ObjectRef { return ObjectRef{b.Location().raw, b.Label.raw, name} }

// An ACL says who may do what with a bucket or an object.
type ACL string

// The canned ACLs. ACLCustom is only read, never set.
const (
	ACLPrivate           ACL = "private"
	ACLPublicRead        ACL = "public-read"
	ACLAuthenticatedRead ACL = "authenticated-read"
	ACLPublicReadWrite   ACL = "public-read-write"
	ACLCustom            ACL = "custom"
)

// ACLChoices are the canned ACLs that can be set, in words.
const ACLChoices = "private, public-read, authenticated-read or public-read-write"

// SettableACLs returns the canned ACLs that can be set.
func SettableACLs() []ACL {
	return []ACL{ACLPrivate, ACLPublicRead, ACLAuthenticatedRead, ACLPublicReadWrite}
}

// OnBucket says what the ACL of a bucket allows, as a sentence without its capital and its full stop.
func (a ACL) OnBucket() string {
	switch a {
	case ACLPrivate:
		return "only this account's keys and links reach it; an object may have an ACL of its own"
	case ACLPublicRead:
		return "everyone can list and read the objects in it"
	case ACLAuthenticatedRead:
		return "everyone with an account at the provider can list and read the objects in it"
	case ACLPublicReadWrite:
		return "EVERYONE can list, read, create, overwrite and delete objects in it, which is not recommended"
	}
	return "it has its own grants, which the API does not list"
}

// OnObject says the same of the ACL of an object.
func (a ACL) OnObject() string {
	switch a {
	case ACLPrivate:
		return "only this account's keys and links reach it"
	case ACLPublicRead:
		return "everyone can read it"
	case ACLAuthenticatedRead:
		return "everyone with an account at the provider can read it"
	case ACLPublicReadWrite:
		return "everyone can read and overwrite it"
	}
	return "it has its own grants: see its ACL as XML"
}

// openness orders the canned ACLs by how many people they let in. Whom another ACL lets in is not known: it counts as
// private, so that whatever replaces it may open something.
func (a ACL) openness() int {
	return slices.Index([]ACL{ACLAuthenticatedRead, ACLPublicRead, ACLPublicReadWrite}, a) + 1
}

// Public reports whether the ACL lets in people who have neither a key nor a link: everyone, or every user of the
// provider.
func (a ACL) Public() bool { return a.openness() > 0 }

// Opens reports whether setting the ACL instead of another one lets more people in. An empty ACL is not known.
func (a ACL) Opens(from ACL) bool { return a.openness() > from.openness() }

// String returns the ACL, safe to display.
func (a ACL) String() string { return cleanShort(string(a), maxWord) }

// A BucketRequest describes a bucket to create. If the account already has the bucket, it is returned as if it were new
// ("Object Storage", rule 1).
type BucketRequest struct {
	Cluster string `json:"cluster,omitempty"`
	Region  string `json:"region,omitempty"` // instead of the cluster, on the newer types of endpoint
	Label   string `json:"label"`
	ACL     ACL    `json:"acl,omitempty"`          // the default is private
	CORS    *bool  `json:"cors_enabled,omitempty"` // true allows all origins; nil leaves it to the service
}

// ID returns the id that the bucket will have in a Change.
func (r BucketRequest) ID() string { return BucketID(cmp.Or(r.Cluster, r.Region), r.Label) }

// A BucketAccess is a bucket's canned ACL and CORS switch. An empty ACL and a nil switch leave the current value.
type BucketAccess struct {
	ACL  ACL   `json:"acl,omitempty"`
	CORS *bool `json:"cors_enabled,omitempty"`
}

// BucketReader reads the buckets of the account.
type BucketReader struct{ Lister[*Bucket] }

// ListInCluster returns page n of the buckets of one cluster, from 1.
func (s BucketReader) ListInCluster(ctx context.Context, cluster string, n int) (Page[*Bucket], error) {
	return listPage[*Bucket](ctx, s.c, "list buckets in cluster", n, cluster)
}

// AllInCluster iterates over all buckets of one cluster.
func (s BucketReader) AllInCluster(ctx context.Context, cluster string) iter.Seq2[*Bucket, error] {
	return allRows(ctx, func(ctx context.Context, n int) (Page[*Bucket], error) {
		return s.ListInCluster(ctx, cluster, n)
	})
}

// Get returns one bucket.
func (s BucketReader) Get(ctx context.Context, cluster, label string) (*Bucket, error) {
	return call[*Bucket](ctx, s.c, bucketCall("view bucket", cluster, label, nil))
}

// A BucketAccessStatus is a bucket's access as it is set.
type BucketAccessStatus struct {
	ACL  ACL   `json:"acl"`          // empty if it is not known
	CORS *bool `json:"cors_enabled"` // nil if it is not known: newer types of endpoints have no such switch
}

// Differs reports whether a known value of the access differs from one that was set.
func (s *BucketAccessStatus) Differs(set BucketAccess) bool {
	return set.ACL != "" && s.ACL != "" && s.ACL != set.ACL ||
		set.CORS != nil && s.CORS != nil && *s.CORS != *set.CORS
}

// ValuesOf returns the known values of what is to be set; nothing of a nil status.
func (s *BucketAccessStatus) ValuesOf(set BucketAccess) (values BucketAccess) {
	if s != nil && set.ACL != "" {
		values.ACL = s.ACL
	}
	if s != nil && set.CORS != nil {
		values.CORS = s.CORS
	}
	return values
}

// Unreported returns which of the values that were set are missing from the API's answer: "ACL", "CORS", "ACL and CORS"
// or "".
func (s *BucketAccessStatus) Unreported(set BucketAccess) string {
	var missing []string
	if set.ACL != "" && s.ACL == "" {
		missing = append(missing, "ACL")
	}
	if set.CORS != nil && s.CORS == nil {
		missing = append(missing, "CORS")
	}
	return strings.Join(missing, " and ")
}

// String returns the access in words: "public-read, CORS on".
func (s *BucketAccessStatus) String() string {
	acl := orElse(s.ACL.String(), "ACL not known")
	switch {
	case s.CORS == nil:
		return acl
	case *s.CORS:
		return acl + ", CORS on"
	}
	return acl + ", CORS off"
}

// Access returns a bucket's access. The document has no such operation, but the provider does: an API without it
// answers with ErrNotFound.
func (s BucketReader) Access(ctx context.Context, cluster, label string) (*BucketAccessStatus, error) {
	return call[*BucketAccessStatus](ctx, s.c, bucketCall("view access", cluster, label, nil))
}

func bucketCall(op, cluster, label string, body any) request {
	return request{
		op:       op,
		target:   cleanName(cluster + "/" + label),
		segments: []any{cluster, label},
		body:     body,
	}
}

// BucketCertificateReader reads the state of the TLS certificates of buckets.
type BucketCertificateReader struct{ c *Client }

// A CertificateStatus says whether a user of the account uploaded a certificate ("Bucket TLS certificate status").
type CertificateStatus struct {
	SSL *bool `json:"ssl"` // nil if this type of endpoint has no certificates
}

// Get returns whether a bucket has a certificate.
func (s BucketCertificateReader) Get(ctx context.Context, cluster, label string) (*CertificateStatus, error) {
	return call[*CertificateStatus](ctx, s.c, bucketCall("view certificate", cluster, label, nil))
}

// A Cluster is a location of buckets ("Cluster").
type Cluster struct {
	ID               ServerText `json:"id"`
	Domain           ServerText `json:"domain"`
	Region           ServerText `json:"region"`
	StaticSiteDomain ServerText `json:"static_site_domain"`
	Status           ServerText `json:"status"` // available or unavailable; the real service has more values
}

// SplitLocation reports whether a location names a cluster or, as on the newer types of endpoint, a region. A name that
// is in neither column of the clusters is returned as a cluster.
func SplitLocation(location string, clusters []*Cluster) (cluster, region string) {
	cluster = location
	for _, c := range clusters {
		switch location {
		case c.ID.raw:
			return location, ""
		case c.Region.raw:
			cluster, region = "", location
		}
	}
	return cluster, region
}

// ClusterReader reads the clusters of the provider.
type ClusterReader struct{ Lister[*Cluster] }

// Get returns one cluster.
func (s ClusterReader) Get(ctx context.Context, id string) (*Cluster, error) {
	return call[*Cluster](ctx, s.c, request{op: "view cluster", target: cleanName(id), segments: []any{id}})
}

// TransferUsage is the outbound traffic of the current month's billing cycle in bytes ("Transfer usage").
type TransferUsage struct {
	Used Optional[int64] `json:"used"`
}

// TransferUsageReader reads the account's outbound traffic.
type TransferUsageReader struct{ c *Client }

// Get returns the usage as of now.
func (s TransferUsageReader) Get(ctx context.Context) (*TransferUsage, error) {
	return call[*TransferUsage](ctx, s.c, request{op: "view transfer"})
}

// CreateBucket makes a bucket. An account with a negative balance may not. The change's id is that of the request.
func (w *Writer) CreateBucket(ctx context.Context, r BucketRequest) (*Bucket, error) {
	return sendChange[*Bucket](ctx, w, request{op: OpCreateBucket, body: r, id: r.ID()})
}

// DeleteBucket removes a bucket, which must be empty.
func (w *Writer) DeleteBucket(ctx context.Context, cluster, label string) error {
	_, err := sendChange[noContent](ctx, w, bucketCall(OpDeleteBucket, cluster, label, nil))
	return err
}

// UpdateBucketAccess changes ACL and CORS by POST. Buckets.Access reads afterwards what they are.
func (w *Writer) UpdateBucketAccess(ctx context.Context, cluster, label string, a BucketAccess) error {
	_, err := sendChange[noContent](ctx, w, bucketCall(OpUpdateBucketAccess, cluster, label, a))
	return err
}

// ReplaceBucketAccess changes ACL and CORS by PUT; otherwise it is like UpdateBucketAccess.
func (w *Writer) ReplaceBucketAccess(ctx context.Context, cluster, label string, a BucketAccess) error {
	_, err := sendChange[noContent](ctx, w, bucketCall(OpReplaceBucketAccess, cluster, label, a))
	return err
}

// UploadCertificate sets a bucket's certificate and private key, both PEM. An existing certificate must be deleted
// first ("Object Storage", rule 5). The API never reports the expiry date, so the journal records it.
func (w *Writer) UploadCertificate(
	ctx context.Context, cluster, label, certificate string, key Secret,
) (*CertificateStatus, error) {
	body := map[string]string{"certificate": certificate, "private_key": key.Reveal()}
	r := bucketCall(OpUploadCertificate, cluster, label, body)
	if pair, _, err := parseCertificates(certificate); err == nil {
		r.noted = map[string]any{"expires": pair.Leaf.NotAfter.UTC()}
	}
	return sendChange[*CertificateStatus](ctx, w, r)
}

// DeleteCertificate removes a bucket's certificate and key.
func (w *Writer) DeleteCertificate(ctx context.Context, cluster, label string) error {
	_, err := sendChange[noContent](ctx, w, bucketCall(OpDeleteCertificate, cluster, label, nil))
	return err
}

// CancelObjectStorage removes all buckets and their contents for good ("Object Storage", rule 6).
func (w *Writer) CancelObjectStorage(ctx context.Context) error {
	_, err := sendChange[noContent](ctx, w, request{op: OpCancelObjectStorage})
	return err
}
