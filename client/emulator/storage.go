package emulator

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// storageRoutes are the document's Object Storage operations, in its order.
func (e *Emulator) storageRoutes() {
	const read, write = "object_storage:read_only", "object_storage:read_write"
	const one = "/object-storage/buckets/{cluster}/{bucket}"
	e.route(Operation{"list buckets", "GET", "/object-storage/buckets/", read, false}, func(c *call) (any, error) { return e.pagedBuckets(c, "") }, "GET /object-storage/buckets")
	e.route(Operation{"create bucket", "POST", "/object-storage/buckets/", write, true}, e.createBucket, "POST /object-storage/buckets")
	e.route(Operation{"list buckets in cluster", "GET", "/object-storage/buckets/{cluster}", read, false}, func(c *call) (any, error) {
		if e.cluster(c.r.PathValue("cluster")) == nil {
			return nil, notFound()
		}
		return e.pagedBuckets(c, c.r.PathValue("cluster"))
	})
	e.route(Operation{"view bucket", "GET", one, read, false}, e.inBucket(func(_ *call, b *bucket) (any, error) { return b.shown(), nil }))
	e.route(Operation{"delete bucket", "DELETE", one, write, true}, e.inBucket(e.deleteBucket))
	e.route(Operation{"modify access", "POST", one + "/access", write, true}, e.inBucket(setAccess))
	e.route(Operation{"update access", "PUT", one + "/access", write, true}, e.inBucket(setAccess))
	e.route(Operation{"view object ACL", "GET", one + "/object-acl", read, false}, e.inBucket(viewACL))
	e.route(Operation{"update object ACL", "PUT", one + "/object-acl", write, true}, e.inBucket(setACL))
	e.route(Operation{"list objects", "GET", one + "/object-list", read, false}, e.inBucket(listObjects))
	e.route(Operation{"create object URL", "POST", one + "/object-url", write, false}, e.inBucket(e.signURL))
	e.route(Operation{"view certificate", "GET", one + "/ssl", read, false}, e.inBucket(func(_ *call, b *bucket) (any, error) { return map[string]bool{"ssl": b.ssl}, nil }))
	e.route(Operation{"upload certificate", "POST", one + "/ssl", write, true}, e.inBucket(uploadCertificate))
	e.route(Operation{"delete certificate", "DELETE", one + "/ssl", write, true}, e.inBucket(func(_ *call, b *bucket) (any, error) {
		b.ssl = false
		return nothing{}, nil
	}))
	e.route(Operation{"cancel Object Storage", "POST", "/object-storage/cancel", write, true}, func(*call) (any, error) {
		e.buckets, e.keys = nil, nil
		return nothing{}, nil
	})
	e.route(Operation{"list clusters", "GET", "/object-storage/clusters", "", false}, func(c *call) (any, error) { return paged(c, clusters()) })
	e.route(Operation{"view cluster", "GET", "/object-storage/clusters/{cluster}", "", false}, func(c *call) (any, error) { return found(e.cluster(c.r.PathValue("cluster"))) })
	e.route(Operation{"list keys", "GET", "/object-storage/keys", read, false}, func(c *call) (any, error) { return paged(c, e.keys) })
	e.route(Operation{"create key", "POST", "/object-storage/keys", write, true}, e.createKey)
	e.route(Operation{"view key", "GET", "/object-storage/keys/{id}", read, false}, func(c *call) (any, error) { return found(e.key(c)) })
	e.route(Operation{"update key", "PUT", "/object-storage/keys/{id}", write, true}, e.updateKey)
	e.route(Operation{"revoke key", "DELETE", "/object-storage/keys/{id}", write, true}, e.revokeKey)
	e.route(Operation{"view transfer", "GET", "/object-storage/transfer/", read, false}, func(*call) (any, error) { return map[string]int64{"used": e.used}, nil }, "GET /object-storage/transfer")
}

type cluster struct {
	ID     string `json:"id"`
	Domain string `json:"domain"`
	Region string `json:"region"`
	Static string `json:"static_site_domain"`
	Status string `json:"status"`
}

func clusters() []*cluster {
	var all []*cluster
	for _, id := range []string{"us-east-1", "eu-central-1", "ap-south-1"} {
		region := strings.TrimSuffix(id, "-1")
		all = append(all, &cluster{id, id + ".objects.example", region, "website-" + id + ".objects.example", "available"})
	}
	return all
}

func (e *Emulator) cluster(id string) *cluster {
	for _, c := range clusters() {
		if c.ID == id {
			return c
		}
	}
	return nil
}

type bucket struct {
	cluster *cluster
	label   string
	created stamp
	acl     string
	cors    bool
	ssl     bool
	objects *shelf
	fill    func(*shelf) // puts the objects in when they are looked at for the first time; nil when they are
}

// shelf are the bucket's objects.
func (b *bucket) shelf() *shelf {
	if fill := b.fill; fill != nil {
		b.fill = nil
		fill(b.objects)
	}
	return b.objects
}

type shownBucket struct {
	Cluster  string `json:"cluster"`
	Created  stamp  `json:"created"`
	Hostname string `json:"hostname"`
	Label    string `json:"label"`
	Objects  int    `json:"objects"`
	Size     int64  `json:"size"`
}

func (b *bucket) shown() shownBucket {
	return shownBucket{b.cluster.ID, b.created, b.label + "." + b.cluster.Domain, b.label, b.shelf().count, b.shelf().size}
}

func (e *Emulator) pagedBuckets(c *call, cluster string) (any, error) {
	var rows []shownBucket
	for _, b := range e.buckets {
		if cluster == "" || b.cluster.ID == cluster {
			rows = append(rows, b.shown())
		}
	}
	return paged(c, rows)
}

func (e *Emulator) bucket(cluster, label string) *bucket {
	for _, b := range e.buckets {
		if b.cluster.ID == cluster && b.label == label {
			return b
		}
	}
	return nil
}

// inBucket finds the bucket of a path.
func (e *Emulator) inBucket(h func(*call, *bucket) (any, error)) handler {
	return func(c *call) (any, error) {
		b := e.bucket(c.r.PathValue("cluster"), c.r.PathValue("bucket"))
		if b == nil {
			return nil, notFound()
		}
		return h(c, b)
	}
}

// taken are labels that another customer has in every cluster, so that the refusal can be seen.
const taken = "taken"

func (e *Emulator) createBucket(c *call) (any, error) {
	var cluster, label string
	acl, cors := "private", false
	if err := first(c.require("cluster", "label"), c.text("cluster", &cluster, 1, 64), c.text("label", &label, 3, 63),
		c.enum("acl", &acl, "private", "public-read", "authenticated-read", "public-read-write"), c.truth("cors_enabled", &cors)); err != nil {
		return nil, err
	}
	where := e.cluster(cluster)
	switch {
	case where == nil:
		return nil, invalid("cluster", "cluster is not valid")
	case e.options.NegativeBalance:
		return nil, refuse(403, "Your account has a negative balance: Object Storage cannot be changed until it is paid")
	case badLabel(label) != "":
		return nil, invalid("label", "%s", badLabel(label))
	case label == taken:
		return nil, invalid("label", "The label is already used in this cluster")
	}
	if b := e.bucket(cluster, label); b != nil {
		return b.shown(), nil // as if just created; ACL and CORS stay as they were
	}
	b := &bucket{cluster: where, label: label, created: e.stamp(), acl: acl, cors: cors, objects: newShelf()}
	e.buckets = append(e.buckets, b)
	return b.shown(), nil
}

// badLabel says what is wrong with a bucket's label. The document shows no rule; this is the real service's.
func badLabel(label string) string {
	for i, r := range label {
		plain := r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		if !plain && (r != '-' && r != '.' || i == 0 || i == len(label)-1) {
			return "Label may hold lower-case letters, digits, dots and hyphens, and begins and ends with a letter or digit"
		}
	}
	if strings.Contains(label, "..") || strings.Contains(label, ".-") || strings.Contains(label, "-.") {
		return "Label must not hold two dots, or a dot beside a hyphen"
	}
	if _, err := netip.ParseAddr(label); err == nil {
		return "Label must not be an IP address"
	}
	return ""
}

func (e *Emulator) deleteBucket(_ *call, b *bucket) (any, error) {
	if b.shelf().count > 0 {
		return nil, refuse(400, fmt.Sprintf("Bucket %s is not empty. Please delete all objects and try again.", b.label))
	}
	e.buckets = slices.DeleteFunc(e.buckets, func(o *bucket) bool { return o == b })
	return nothing{}, nil
}

// setAccess changes ACL and CORS. The document lists custom among the values; it changes nothing.
func setAccess(c *call, b *bucket) (any, error) {
	acl, cors := b.acl, b.cors
	if err := first(c.enum("acl", &acl, "private", "public-read", "authenticated-read", "public-read-write", "custom"), c.truth("cors_enabled", &cors)); err != nil {
		return nil, err
	}
	if acl != "custom" {
		b.acl = acl
	}
	b.cors = cors
	return nothing{}, nil
}

func (e *Emulator) viewAccess(c *call) (any, error) {
	return e.inBucket(func(_ *call, b *bucket) (any, error) {
		return map[string]any{"acl": b.acl, "acl_xml": aclXML(b.acl), "cors_enabled": b.cors, "cors_xml": nil}, nil
	})(c)
}

func aclXML(acl string) string {
	return "<AccessControlPolicy xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Owner><ID>9d6e1c5a</ID></Owner><AccessControlList><Grant>" + acl + "</Grant></AccessControlList></AccessControlPolicy>"
}

// named is the object that a request is about.
func (b *bucket) named(c *call, name string) (*object, error) {
	if name == "" {
		return nil, invalid("name", "name is required")
	}
	if o := b.shelf().get(name); o != nil {
		return o, nil
	}
	return nil, notFound()
}

func viewACL(c *call, b *bucket) (any, error) {
	o, err := b.named(c, c.r.URL.Query().Get("name"))
	if err != nil {
		return nil, err
	}
	return map[string]string{"acl": o.acl, "acl_xml": aclXML(o.acl)}, nil
}

// setACL answers the new ACL as the document says; the real service answers {}.
func setACL(c *call, b *bucket) (any, error) {
	var name, acl string
	if err := first(c.require("acl", "name"), c.enum("acl", &acl, "private", "public-read", "authenticated-read", "public-read-write", "custom")); err != nil {
		return nil, err
	}
	_ = json.Unmarshal(c.body["name"], &name)
	o, err := b.named(c, name)
	if err != nil {
		return nil, err
	}
	if acl != "custom" {
		changed := *o
		changed.acl = acl
		b.shelf().put(&changed)
		o = &changed
	}
	return map[string]string{"acl": o.acl, "acl_xml": aclXML(o.acl)}, nil
}

func listObjects(c *call, b *bucket) (any, error) {
	q := c.r.URL.Query()
	size := 100
	if text := q.Get("page_size"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 25 || n > 500 {
			return nil, invalid("page_size", "Must be 25-500")
		}
		size = n
	}
	entries, next := b.shelf().list(q.Get("prefix"), q.Get("delimiter"), q.Get("marker"), size)
	if entries == nil {
		entries = []entry{}
	}
	answer := listing{Data: entries, Truncated: next != ""}
	if next != "" {
		answer.Next = &next
	}
	return answer.text(), nil
}

// uploadCertificate takes a PEM pair that fits and whose names cover the label. A second one is refused: the document says to delete first.
func uploadCertificate(c *call, b *bucket) (any, error) {
	var certificate, private string
	if err := first(c.require("certificate", "private_key"), c.text("certificate", &certificate, 1, 1<<20), c.text("private_key", &private, 1, 1<<20)); err != nil {
		return nil, err
	}
	if b.ssl {
		return nil, refuse(400, "A certificate is already uploaded: delete it first")
	}
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(private))
	if err != nil {
		field := "certificate"
		if strings.Contains(err.Error(), "private key") {
			field = "private_key"
		}
		return nil, invalid(field, "%s is not valid", field)
	}
	leaf, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil || leaf.VerifyHostname(b.label) != nil {
		return nil, invalid("certificate", "certificate is not valid for %s", b.label)
	}
	b.ssl = true
	return map[string]bool{"ssl": true}, nil
}

type key struct {
	ID        int     `json:"id"`
	Label     string  `json:"label"`
	AccessKey string  `json:"access_key"`
	SecretKey string  `json:"secret_key"`
	Limited   bool    `json:"limited"`
	Access    []grant `json:"bucket_access"`
}

type grant struct {
	Cluster     string `json:"cluster"`
	Bucket      string `json:"bucket_name"`
	Permissions string `json:"permissions"`
}

// hidden is what stands for a secret once it has been shown.
const hidden = "[REDACTED]"

func (e *Emulator) key(c *call) *key {
	return byID(e.keys, c.number("id"), func(x *key) int { return x.ID })
}

// createKey makes a key: unlimited without bucket_access or with null, limited to its entries with a list, which may be empty.
func (e *Emulator) createKey(c *call) (any, error) {
	if e.options.NegativeBalance {
		return nil, refuse(403, "Your account has a negative balance: keys cannot be made until it is paid")
	}
	k := &key{}
	if err := c.text("label", &k.Label, 0, 50); err != nil {
		return nil, err
	}
	if c.has("bucket_access") && !c.null("bucket_access") {
		k.Limited, k.Access = true, []grant{}
		if json.Unmarshal(c.body["bucket_access"], &k.Access) != nil {
			return nil, invalid("bucket_access", "bucket_access must be an array of objects")
		}
		for _, g := range k.Access {
			if g.Permissions != "read_only" && g.Permissions != "read_write" {
				return nil, invalid("bucket_access.permissions", "Must be one of read_only, read_write")
			}
			if e.bucket(g.Cluster, g.Bucket) == nil {
				return nil, invalid("bucket_access.bucket_name", "bucket %s is not in %s", g.Bucket, g.Cluster)
			}
		}
	}
	k.ID = e.next()
	k.AccessKey, k.SecretKey = fmt.Sprintf("EMULATED%012d", k.ID), hidden
	e.keys = append(e.keys, k)
	once := *k
	once.SecretKey = fmt.Sprintf("emulated-secret-of-key-%017d", k.ID)
	return once, nil
}

func (e *Emulator) updateKey(c *call) (any, error) {
	k := e.key(c)
	if k == nil {
		return nil, notFound()
	}
	return k, c.text("label", &k.Label, 0, 50)
}

func (e *Emulator) revokeKey(c *call) (any, error) {
	k := e.key(c)
	if k == nil {
		return nil, notFound()
	}
	e.keys = slices.DeleteFunc(e.keys, func(o *key) bool { return o == k })
	return nothing{}, nil
}
