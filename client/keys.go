package client

import (
	"context"
	"slices"
	"strconv"
)

// An AccessKey is a pair of keys for S3 programs ("Object Storage Key").
type AccessKey struct {
	ID        int               `json:"id"`
	Label     ServerText        `json:"label"`
	AccessKey ServerText        `json:"access_key"`
	SecretKey Secret            `json:"secret_key,omitzero"` // real only at creation; otherwise masked or empty
	Limited   Optional[bool]    `json:"limited"`
	Buckets   []BucketGrant     `json:"bucket_access"` // nil if the key is unlimited, or if it is not reported
	Regions   []AccessKeyRegion `json:"regions"`       // not in the document; nil if they are not reported
}

// ReachesAll reports whether the key reaches every bucket, and whether it is known what it reaches. A key that does not
// reaches those in its list of buckets.
func (k *AccessKey) ReachesAll() (all, known bool) {
	limited, known := k.Limited.Value()
	all = known && !limited
	return all, all || k.Buckets != nil
}

// An AccessKeyRegion is a region in which a key works, with its S3 endpoint.
type AccessKeyRegion struct {
	ID           ServerText         `json:"id"`
	S3Endpoint   ServerText         `json:"s3_endpoint"` // host
	EndpointType OptionalServerText `json:"endpoint_type"`
}

// RedactedSecretKey is what the real service sends as secret key after the creation.
const RedactedSecretKey = "[REDACTED]"

// Secret returns the secret key, and whether it is the real one.
func (k AccessKey) Secret() (Secret, bool) {
	return k.SecretKey, !k.SecretKey.IsZero() && k.SecretKey.Reveal() != RedactedSecretKey
}

// A BucketGrant says what a limited key may do with one bucket.
type BucketGrant struct {
	Cluster     ServerText         `json:"cluster"` // empty on the newer types of endpoint
	Bucket      ServerText         `json:"bucket_name"`
	Permissions ServerText         `json:"permissions"` // read_only or read_write; not listed in the document
	Region      OptionalServerText `json:"region"`      // not in the document
}

// Location returns the place of the bucket, as Bucket.Location does.
func (g BucketGrant) Location() ServerText { return location(g.Cluster, g.Region) }

// BucketID returns the id of the bucket.
func (g BucketGrant) BucketID() string { return BucketID(g.Location().raw, g.Bucket.raw) }

// An AccessKeyRequest describes a key to create. With nil Buckets the key is unlimited, with an empty list it can
// access no bucket, and with entries it is limited to them ("bucket_access rules").
type AccessKeyRequest struct {
	Label   string               `json:"label"`
	Buckets []BucketGrantRequest `json:"bucket_access,omitzero"`
	// Regions is not in the document. Without it, a key works in those of its buckets, or in all.
	Regions []string `json:"regions,omitempty"`
}

// RegionIDs returns the ids of the regions in which the key works, each once; nil if they are not reported.
func (k *AccessKey) RegionIDs() (ids []string) {
	for _, region := range k.Regions {
		if !slices.Contains(ids, region.ID.raw) { // a region has an endpoint of each type
			ids = append(ids, region.ID.raw)
		}
	}
	return ids
}

// Replacement returns the request for a key with the access of another one, and whether that access is known.
func (k *AccessKey) Replacement(label string) (r AccessKeyRequest, known bool) {
	all, known := k.ReachesAll()
	if !known {
		return AccessKeyRequest{}, false
	}
	r.Label = label
	r.Regions = k.RegionIDs()
	if all {
		return r, true
	}
	r.Buckets = []BucketGrantRequest{}
	for _, g := range k.Buckets {
		grant := BucketGrantRequest{Cluster: g.Cluster.raw, Bucket: g.Bucket.raw, Permissions: g.Permissions.raw}
		if grant.Cluster == "" {
			grant.Region = g.Region.raw
		}
		r.Buckets = append(r.Buckets, grant)
	}
	return r, true
}

// A BucketGrantRequest is one entry of an AccessKeyRequest.
type BucketGrantRequest struct {
	Cluster     string `json:"cluster,omitempty"`
	Region      string `json:"region,omitempty"` // instead of the cluster, on the newer types of endpoint
	Bucket      string `json:"bucket_name"`
	Permissions string `json:"permissions"`
}

// NewGrant returns the entry for a bucket, named by its cluster or, if it has none, by its region.
func NewGrant(b *Bucket, permissions string) BucketGrantRequest {
	g := BucketGrantRequest{Cluster: b.Cluster.raw, Bucket: b.Label.raw, Permissions: permissions}
	if g.Cluster == "" {
		g.Region = b.Region.raw
	}
	return g
}

// CreateKey makes a key. No other answer holds its secret: SecretSeen records that somebody has it.
func (w *Writer) CreateKey(ctx context.Context, r AccessKeyRequest) (*AccessKey, error) {
	var k *AccessKey
	err := w.client.callInto(ctx, request{
		op:     OpCreateKey,
		body:   r,
		writer: w,
		made:   func() string { return strconv.Itoa(k.ID) },
	}, &k)
	return k, err
}

// UpdateKey changes the label.
func (w *Writer) UpdateKey(ctx context.Context, id int, label string) (*AccessKey, error) {
	return sendChange[*AccessKey](ctx, w, callByID(OpUpdateKey, id, map[string]any{"label": label}))
}

// RevokeKey revokes a key for good.
func (w *Writer) RevokeKey(ctx context.Context, id int) error {
	_, err := sendChange[noContent](ctx, w, callByID(OpRevokeKey, id, nil))
	return err
}
