// Package readers tells who can read a bucket or an object: by its ACL, with an access key, or with a link. The pane
// and the command show the same list of grants. What the account API does not show, such as policies set through S3,
// is said to be unknown.
package readers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/journal"
	"lookout/client/wording"
)

// A Grant is one way to reach a bucket or an object, or a setting that decides about it.
type Grant struct {
	Kind   GrantKind `json:"kind"`
	Name   string    `json:"name"`             // bucket, object, or label of a key, as the API sent it
	KeyID  int       `json:"key_id,omitempty"` // of a key
	Access string    `json:"access"`           // "public-read", "on", "read_only", "GET", "unknown"
	// Public says whether people without a key or a link can read; null if that is not known.
	Public  client.Optional[bool]      `json:"public"`
	Regions []string                   `json:"regions"` // in which a key works; null if they are not reported
	Expires client.Optional[time.Time] `json:"expires"` // of a link
	Note    string                     `json:"note"`    // what it means, in words
	rank    int                        // among keys: those that reach more come later
}

// GrantKind says what a Grant is.
type GrantKind string

// The kinds, in the order of lists.
const (
	ObjectACL GrantKind = "object_acl"
	BucketACL GrantKind = "bucket_acl"
	CORS      GrantKind = "cors"
	Key       GrantKind = "key"
	Link      GrantKind = "link"
	S3Policy  GrantKind = "s3_policy"
)

// PolicyNote says what the account API does not show.
const PolicyNote = "policies that were set through S3 are not visible to the account API, and may let others in"

// linksNote says which links are not among those of the journal.
const linksNote = "Links created elsewhere are unknown."

// Access is what was read about a bucket, or about an object of it.
type Access struct {
	Bucket    *client.BucketAccessStatus
	BucketErr error // why the bucket's access could not be read
	Object    *client.ObjectACL
	ObjectErr error
	Links     []*Grant // that have not expired, newest first
}

// Read reads the access to a bucket, and to an object of it unless its name is empty. What cannot be read is in the
// result.
func Read(ctx context.Context, api *client.Client, j *journal.Journal, o client.ObjectRef, now time.Time) *Access {
	bucket, bucketErr := api.Buckets.Access(ctx, o.Cluster, o.Bucket)
	var object *client.ObjectACL
	var objectErr error
	if o.Name != "" {
		object, objectErr = api.Objects.ACL(ctx, o.Cluster, o.Bucket, o.Name)
	}
	return &Access{
		Bucket:    bucket,
		BucketErr: bucketErr,
		Object:    object,
		ObjectErr: objectErr,
		Links:     linksTo(j, o, now),
	}
}

// ACLs returns the ACLs and the CORS setting.
func (a *Access) ACLs(o client.ObjectRef) (all []*Grant) {
	if o.Name != "" {
		var acl client.ACL
		if a.Object != nil {
			acl = a.Object.ACL
		}
		all = append(all, newACL(ObjectACL, o.Name, acl, acl.OnObject(), a.ObjectErr))
	}
	bucket := client.BucketAccessStatus{}
	if a.Bucket != nil {
		bucket = *a.Bucket
	}
	acl := newACL(BucketACL, client.BucketID(o.Cluster, o.Bucket), bucket.ACL, bucket.ACL.OnBucket(), a.BucketErr)
	cors := &Grant{
		Kind:   CORS,
		Name:   acl.Name,
		Access: account.UnknownText,
		Public: client.Known(false),
		Note:   unknownNote(a.BucketErr),
	}
	switch on := bucket.CORS; {
	case on == nil:
	case *on:
		cors.Access, cors.Note = "on", "web pages from any origin can read what is public, or what a link allows"
	default:
		cors.Access, cors.Note = "off", "web pages of other origins cannot read from it"
	}
	return append(all, acl, cors)
}

// newACL returns an ACL as it was read. Without err, an empty one is an ACL that the service does not report.
func newACL(kind GrantKind, name string, acl client.ACL, note string, err error) *Grant {
	g := &Grant{Kind: kind, Name: name, Access: string(acl), Note: note}
	switch {
	case acl == "":
		g.Access, g.Note = account.UnknownText, unknownNote(err)
	case acl.Public() || acl == client.ACLPrivate:
		g.Public = client.Known(acl.Public())
	}
	return g
}

// unknownNote says why a value is not known.
func unknownNote(err error) string {
	if err == nil || errors.Is(err, client.ErrNotFound) {
		return "the API does not report it"
	}
	return "it could not be read: " + wording.Reason(err)
}

// Keys returns the keys that reach a bucket, or may reach it: the limited ones first, then those that reach
// everything, then those whose access is not known.
func Keys(all []*client.AccessKey, bucket, region string) []*Grant {
	var found []*Grant
	for _, k := range all {
		if r, reaches := newKey(k, bucket); reaches {
			if r.Regions != nil && region != "" && !slices.Contains(r.Regions, region) {
				r.Note += "; may not work in " + client.Clean(region) + ", which is not among its regions"
			}
			found = append(found, r)
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].rank < found[j].rank })
	return found
}

// newKey returns how a key reaches a bucket, and whether it does, as far as that is known.
func newKey(k *client.AccessKey, bucket string) (r *Grant, reaches bool) {
	r = &Grant{Kind: Key, Name: k.Label.Raw(), KeyID: k.ID, Public: client.Known(false), Regions: k.RegionIDs()}
	switch all, known := k.ReachesAll(); {
	case !known:
		r.Access, r.Note, r.rank = account.UnknownText, "the API does not report what it reaches", 2
		return r, true
	case all:
		r.Access, r.Note, r.rank = "read_write", "unlimited: every bucket", 1
		return r, true
	}
	i := slices.IndexFunc(k.Buckets, func(g client.BucketGrant) bool {
		return g.BucketID() == bucket && account.FormatPermission(g.Permissions) != ""
	})
	if i < 0 {
		return r, false
	}
	r.Access = k.Buckets[i].Permissions.Raw()
	r.Note = "limited to this bucket"
	if n := len(k.Buckets); n > 1 {
		r.Note = fmt.Sprintf("limited to %d buckets", n)
	}
	return r, true
}

// maxLinkLifetime is how long a link works at most ("expires_in").
const maxLinkLifetime = 24 * time.Hour

// linksTo returns the links that were given out from this machine and have not expired, newest first: to an object, or
// to any object of a bucket. The journal holds them without their URLs.
func linksTo(j *journal.Journal, o client.ObjectRef, now time.Time) []*Grant {
	var links []*Grant
	for _, e := range slices.Backward(j.Entries(now.Add(-maxLinkLifetime))) {
		made := e.Change.Op == client.OpCreateObjectURL || e.Change.Op == client.OpCreateDownloadURL
		name, below := strings.CutPrefix(e.Change.ID, client.BucketID(o.Cluster, o.Bucket)+"/")
		if !made || !below || o.Name != "" && name != o.Name || e.Outcome != client.Applied {
			continue
		}
		var sent client.PresignRequest
		if data, err := json.Marshal(e.Change.Body); err == nil {
			_ = json.Unmarshal(data, &sent) // a body that the journal does not have leaves the defaults
		}
		life := time.Duration(sent.Expires) * time.Second
		if life == 0 {
			life = time.Hour // the server's default
		}
		if end := e.Time.Add(life); end.After(now) {
			links = append(links, &Grant{
				Kind:    Link,
				Name:    name,
				Access:  sent.Method,
				Public:  client.Known(false),
				Expires: client.Known(end),
				Note:    "anyone who has the link, until it expires",
			})
		}
	}
	return links
}
