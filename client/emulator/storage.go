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

// The scopes of Object Storage operations.
const (
	readStorage  = "object_storage:read_only"
	writeStorage = "object_storage:read_write"
)

// addStorageRoutes adds the document's Object Storage operations, in its order.
func addStorageRoutes(e *Emulator) {
	addBucketRoutes(e)
	addBucketContentRoutes(e)
	addClusterRoutes(e)
	addKeyRoutes(e)
}

func addBucketRoutes(e *Emulator) {
	e.handle(
		Route{"list buckets", "GET", "/object-storage/buckets/", readStorage, false},
		func(c *apiRequest) (any, error) { return paginateBuckets(c, "") }, "GET /object-storage/buckets",
	)
	e.handle(
		Route{"create bucket", "POST", "/object-storage/buckets/", writeStorage, true}, createBucket,
		"POST /object-storage/buckets",
	)
	e.handle(
		Route{"list buckets in cluster", "GET", "/object-storage/buckets/{cluster}", readStorage, false},
		func(c *apiRequest) (any, error) {
			place := c.r.PathValue("cluster")
			if c.e.siteAt(place) == nil && c.e.findCluster(place) == nil {
				return nil, c.placeNotFound()
			}
			return paginateBuckets(c, place)
		},
	)
}

// addBucketContentRoutes adds the operations on one bucket.
func addBucketContentRoutes(e *Emulator) {
	const one = "/object-storage/buckets/{cluster}/{bucket}"
	e.handle(
		Route{"view bucket", "GET", one, readStorage, false},
		withBucket(func(_ *apiRequest, b *bucket) (any, error) { return b.body(), nil }),
	)
	e.handle(Route{"delete bucket", "DELETE", one, writeStorage, true}, withBucket(deleteBucket))
	e.handle(Route{"modify access", "POST", one + "/access", writeStorage, true}, withBucket(setAccess))
	e.handle(Route{"update access", "PUT", one + "/access", writeStorage, true}, withBucket(setAccess))
	e.handle(Route{"view object ACL", "GET", one + "/object-acl", readStorage, false}, withBucket(viewACL))
	e.handle(Route{"update object ACL", "PUT", one + "/object-acl", writeStorage, true}, withBucket(setACL))
	e.handle(Route{"list objects", "GET", one + "/object-list", readStorage, false}, withBucket(listObjects))
	e.handle(Route{"create object URL", "POST", one + "/object-url", writeStorage, false}, withBucket(signURL))
	e.handle(
		Route{"view certificate", "GET", one + "/ssl", readStorage, false},
		withBucket(
			func(_ *apiRequest, b *bucket) (any, error) { return map[string]any{"ssl": b.certificateState()}, nil },
		),
	)
	e.handle(Route{"upload certificate", "POST", one + "/ssl", writeStorage, true}, withBucket(uploadCertificate))
	e.handle(
		Route{"delete certificate", "DELETE", one + "/ssl", writeStorage, true},
		withBucket(func(_ *apiRequest, b *bucket) (any, error) {
			b.hasCertificate = false
			return emptyObject{}, nil
		}),
	)
}

func addClusterRoutes(e *Emulator) {
	e.handle(
		Route{"cancel Object Storage", "POST", "/object-storage/cancel", writeStorage, true},
		func(*apiRequest) (any, error) {
			if e.noStorage {
				return nil, newAPIError(400, "Object Storage is not enabled on your account")
			}
			e.buckets, e.keys, e.noStorage = nil, nil, e.today
			return emptyObject{}, nil
		},
	)
	e.handle(
		Route{"list clusters", "GET", "/object-storage/clusters", "", false},
		func(c *apiRequest) (any, error) { return paginate(c, e.clusters()) },
	)
	e.handle(
		Route{"view cluster", "GET", "/object-storage/clusters/{cluster}", "", false},
		func(c *apiRequest) (any, error) { return orNotFound(e.findCluster(c.r.PathValue("cluster"))) },
	)
}

func addKeyRoutes(e *Emulator) {
	e.handle(
		Route{"list keys", "GET", "/object-storage/keys", readStorage, false},
		func(c *apiRequest) (any, error) { return paginate(c, e.keys) },
	)
	e.handle(Route{"create key", "POST", "/object-storage/keys", writeStorage, true}, createKey)
	e.handle(
		Route{"view key", "GET", "/object-storage/keys/{id}", readStorage, false},
		func(c *apiRequest) (any, error) { return c.orKeyNotFound(findKey(c)) },
	)
	e.handle(Route{"update key", "PUT", "/object-storage/keys/{id}", writeStorage, true}, updateKey)
	e.handle(Route{"revoke key", "DELETE", "/object-storage/keys/{id}", writeStorage, true}, revokeKey)
	e.handle(
		Route{"view transfer", "GET", "/object-storage/transfer/", readStorage, false},
		func(*apiRequest) (any, error) { return map[string]int64{"used": e.transferUsed}, nil },
		"GET /object-storage/transfer",
	)
}

type cluster struct {
	ID     string `json:"id"`
	Domain string `json:"domain"`
	Region string `json:"region"`
	Static string `json:"static_site_domain"`
	Status string `json:"status"`

	endpointType string // E0 to E3; "" in ServiceDocument
	newer        bool   // its buckets have no cluster, only a region
	unlisted     bool   // the list of clusters does not have it
}

// place is how paths name the cluster or, if it is newer, its region.
func (c *cluster) place() string {
	if c.newer {
		return c.Region
	}
	return c.ID
}

// isAt reports whether paths can name the cluster this way.
func (c *cluster) isAt(place string) bool {
	return place == c.place() || c.endpointType != "" && place == c.Region
}

// newCluster returns a cluster of a region.
func newCluster(id, region string) *cluster {
	return &cluster{
		ID:     id,
		Domain: id + ".objects.example",
		Region: region,
		Static: "website-" + id + ".objects.example",
		Status: "available",
	}
}

// sites returns every cluster, those that are not listed as well.
func (a *account) sites() []*cluster {
	all := []*cluster{
		newCluster(
			"us-east-1",
			"us-east",
		), newCluster("eu-central-1", "eu-central"), newCluster("ap-south-1", "ap-south"),
	}
	if a.today {
		for _, c := range all {
			c.endpointType = "E0"
		}
		all = append(all, newerSites()...)
	}
	return all
}

// siteAt returns the first cluster that paths can name this way, or nil.
func (a *account) siteAt(place string) *cluster {
	for _, c := range a.sites() {
		if c.isAt(place) {
			return c
		}
	}
	return nil
}

// clusters returns the listed clusters.
func (a *account) clusters() []*cluster {
	return slices.DeleteFunc(a.sites(), func(c *cluster) bool { return c.unlisted })
}

func (a *account) findCluster(id string) *cluster {
	for _, c := range a.clusters() {
		if c.ID == id {
			return c
		}
	}
	return nil
}

type bucket struct {
	cluster        *cluster
	label          string
	created        timestamp
	acl            string
	cors           bool
	hasCertificate bool
	sparse         bool // answers leave out its number of objects and its size
	objects        *objectStore
	// seed adds the initial objects on first use; nil afterwards
	seed func(*objectStore)
}

// loadObjects returns the objects of the bucket.
func (b *bucket) loadObjects() *objectStore {
	if fill := b.seed; fill != nil {
		b.seed = nil
		fill(b.objects)
	}
	return b.objects
}

type bucketBody struct {
	Cluster  string    `json:"cluster"`
	Created  timestamp `json:"created"`
	Hostname string    `json:"hostname"`
	Label    string    `json:"label"`
	Objects  int       `json:"objects"`
	Size     int64     `json:"size"`
}

func (b *bucket) body() any {
	if b.cluster.endpointType != "" {
		return b.newerBody()
	}
	return bucketBody{
		b.cluster.ID,
		b.created,
		b.label + "." + b.cluster.Domain,
		b.label,
		b.loadObjects().count,
		b.loadObjects().size,
	}
}

func paginateBuckets(c *apiRequest, cluster string) (any, error) {
	var rows []any
	for _, b := range c.e.buckets {
		if cluster == "" || b.cluster.isAt(cluster) {
			rows = append(rows, b.body())
		}
	}
	return paginate(c, rows)
}

// bucket returns the bucket with a label in a cluster or region, or nil.
func (a *account) bucket(place, label string) *bucket {
	for _, b := range a.buckets {
		if b.cluster.isAt(place) && b.label == label {
			return b
		}
	}
	return nil
}

// withBucket returns a handler that looks up the bucket of the path.
func withBucket(h func(*apiRequest, *bucket) (any, error)) handler {
	return func(c *apiRequest) (any, error) {
		b := c.e.bucket(c.r.PathValue("cluster"), c.r.PathValue("bucket"))
		switch {
		case b != nil:
			return h(c, b)
		case c.e.siteAt(c.r.PathValue("cluster")) == nil:
			return nil, c.placeNotFound()
		}
		return nil, notFound()
	}
}

// cannedACLs are the ACLs that a bucket or an object can be given.
var cannedACLs = []string{"private", "public-read", "authenticated-read", "public-read-write"}

// takenLabel is a label that belongs to another customer in every cluster, so that clients can see the error.
const takenLabel = "taken"

func createBucket(c *apiRequest) (any, error) {
	var label string
	acl, cors := "private", c.e.today // the default of cors_enabled has changed
	where, err := c.readPlace()
	if err := firstError(
		err, c.require("label"), c.readString("label", &label, 3, 63), c.readEnum("acl", &acl, cannedACLs...),
		c.readBool("cors_enabled", &cors),
	); err != nil {
		return nil, err
	}
	switch {
	case c.e.options.NegativeBalance:
		return nil, newAPIError(403, "Your account has a negative balance. Pay it to change Object Storage.")
	case labelProblem(label) != "":
		return nil, invalidField("label", "%s", labelProblem(label))
	case label == takenLabel:
		return nil, invalidField("label", "The label is already used in this cluster")
	}
	if b := c.e.bucket(where.place(), label); b != nil {
		return b.body(), nil // the API answers as if it was created; ACL and CORS do not change
	}
	b := &bucket{
		cluster: where,
		label:   label,
		created: c.e.timestampNow(),
		acl:     acl,
		cors:    cors,
		objects: newObjectStore(),
	}
	c.e.buckets, c.e.noStorage = append(c.e.buckets, b), false
	if c.has("cluster") && c.e.today {
		return b.bodyWithoutEndpoint(), nil
	}
	return b.body(), nil
}

// readPlace returns the cluster that a bucket is to be created in.
func (c *apiRequest) readPlace() (*cluster, error) {
	if c.e.today && !c.has("cluster") {
		return c.readRegion()
	}
	var id string
	if err := firstError(c.require("cluster"), c.readString("cluster", &id, 1, 64)); err != nil {
		return nil, err
	}
	if where := c.e.findCluster(id); where != nil && !where.newer {
		return where, nil
	}
	return nil, invalidField("cluster", "cluster is not valid")
}

// labelProblem returns what is wrong with a bucket label, or "". The document gives no rules; these are those of the
// real service.
func labelProblem(label string) string {
	for i, r := range label {
		plain := r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		if !plain && (r != '-' && r != '.' || i == 0 || i == len(label)-1) {
			return "Label may contain only lower-case letters, digits, dots and hyphens, and must start and end " +
				"with a letter or digit"
		}
	}
	if strings.Contains(label, "..") || strings.Contains(label, ".-") || strings.Contains(label, "-.") {
		return "Label must not contain two consecutive dots, or a dot next to a hyphen"
	}
	if _, err := netip.ParseAddr(label); err == nil {
		return "Label must not be an IP address"
	}
	return ""
}

func deleteBucket(c *apiRequest, b *bucket) (any, error) {
	if b.loadObjects().count > 0 {
		return nil, newAPIError(
			400, fmt.Sprintf("Bucket %s is not empty. Please delete all objects and try again.", b.label),
		)
	}
	return remove(&c.e.buckets, b)
}

// setAccess changes the ACL and CORS. The document allows the ACL "custom", which changes nothing.
func setAccess(c *apiRequest, b *bucket) (any, error) {
	acl, cors := b.acl, b.cors
	if err := firstError(
		c.readEnum("acl", &acl, append(cannedACLs, "custom")...), c.readBool("cors_enabled", &cors),
	); err != nil {
		return nil, err
	}
	if b.limited() && c.has("cors_enabled") && cors {
		return nil, invalidField("cors_enabled", "CORS is not supported by this endpoint type")
	}
	if acl != "custom" {
		b.acl = acl
	}
	b.cors = cors
	return emptyObject{}, nil
}

func viewAccess(_ *apiRequest, b *bucket) (any, error) {
	if b.limited() {
		return map[string]any{"acl": b.acl, "acl_xml": aclXML(b.acl), "cors_enabled": nil, "cors_xml": nil}, nil
	}
	return map[string]any{"acl": b.acl, "acl_xml": aclXML(b.acl), "cors_enabled": b.cors, "cors_xml": nil}, nil
}

func aclXML(acl string) string {
	return `<AccessControlPolicy xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Owner><ID>9d6e1c5a</ID></Owner>` +
		`<AccessControlList><Grant>` + acl + `</Grant></AccessControlList></AccessControlPolicy>`
}

// findObject returns the object that a request names.
func (b *bucket) findObject(c *apiRequest, name string) (*object, error) {
	if name == "" {
		return nil, invalidField("name", "name is required")
	}
	if o := b.loadObjects().get(name); o != nil {
		return o, nil
	}
	return nil, notFound()
}

func viewACL(c *apiRequest, b *bucket) (any, error) {
	o, err := b.findObject(c, c.r.URL.Query().Get("name"))
	if err != nil {
		return nil, err
	}
	if b.limited() {
		return map[string]any{"acl": nil, "acl_xml": nil}, nil
	}
	return map[string]string{"acl": o.acl, "acl_xml": aclXML(o.acl)}, nil
}

// setACL answers with the new ACL, as the document says, or with {} as the real service does.
func setACL(c *apiRequest, b *bucket) (any, error) {
	var name, acl string
	if err := firstError(
		c.require("acl", "name"), c.readEnum("acl", &acl, append(cannedACLs, "custom")...),
	); err != nil {
		return nil, err
	}
	_ = json.Unmarshal(c.body["name"], &name)
	o, err := b.findObject(c, name)
	if err != nil {
		return nil, err
	}
	if acl != "custom" {
		changed := *o
		changed.acl = acl
		b.loadObjects().put(&changed)
		o = &changed
	}
	if c.e.today {
		return emptyObject{}, nil
	}
	return map[string]string{"acl": o.acl, "acl_xml": aclXML(o.acl)}, nil
}

func listObjects(c *apiRequest, b *bucket) (any, error) {
	q := c.r.URL.Query()
	size := 100
	if text := q.Get("page_size"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 25 || n > 500 {
			return nil, invalidField("page_size", "Must be 25-500")
		}
		size = n
	}
	entries, next := b.loadObjects().list(q.Get("prefix"), q.Get("delimiter"), q.Get("marker"), size)
	if entries == nil {
		entries = []objectEntry{}
	}
	answer := listBody{Data: entries, Truncated: next != ""}
	if next != "" {
		answer.Next = &next
	}
	return answer.encode(), nil
}

// uploadCertificate stores a PEM certificate and key that match each other and the label. It rejects a second
// certificate: the document says to delete the first one.
func uploadCertificate(c *apiRequest, b *bucket) (any, error) {
	var certificate, private string
	if err := firstError(
		c.require("certificate", "private_key"), c.readString("certificate", &certificate, 1, 1<<20),
		c.readString("private_key", &private, 1, 1<<20),
	); err != nil {
		return nil, err
	}
	if b.limited() {
		return nil, newAPIError(400, "Certificates are not supported by this endpoint type")
	}
	if b.hasCertificate {
		return nil, newAPIError(400, "A certificate is already uploaded. Delete it first.")
	}
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(private))
	if err != nil {
		field := "certificate"
		if strings.Contains(err.Error(), "private key") {
			field = "private_key"
		}
		return nil, invalidField(field, "%s is not valid", field)
	}
	leaf, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil || leaf.VerifyHostname(b.label) != nil {
		return nil, invalidField("certificate", "certificate is not valid for %s", b.label)
	}
	b.hasCertificate = true
	return map[string]bool{"ssl": true}, nil
}

type key struct {
	ID        int     `json:"id"`
	Label     string  `json:"label"`
	AccessKey string  `json:"access_key"`
	SecretKey string  `json:"secret_key"`
	Limited   bool    `json:"limited"`
	Access    []grant `json:"bucket_access"`
	Regions   []site  `json:"regions,omitzero"`
}

type grant struct {
	Cluster     string `json:"cluster"`
	Bucket      string `json:"bucket_name"`
	Permissions string `json:"permissions"`
	Region      string `json:"region,omitempty"`
}

// redacted replaces a secret key after it has been shown once.
const redacted = "[REDACTED]"

func findKey(c *apiRequest) *key {
	return findByID(c.e.keys, c.pathInt("id"), func(x *key) int { return x.ID })
}

// createKey creates a key. Without bucket_access, or with null, it is unlimited; with a list, even an empty one, it is
// limited to its entries.
func createKey(c *apiRequest) (any, error) {
	if c.e.options.NegativeBalance {
		return nil, newAPIError(403, "Your account has a negative balance. Pay it to create keys.")
	}
	k := &key{}
	if err := readKeyLabel(c, k); err != nil {
		return nil, err
	}
	if c.has("bucket_access") && !c.isNull("bucket_access") {
		k.Limited, k.Access = true, []grant{}
		if json.Unmarshal(c.body["bucket_access"], &k.Access) != nil {
			return nil, invalidField("bucket_access", "bucket_access must be an array of objects")
		}
		for i, g := range k.Access {
			if g.Permissions != "read_only" && g.Permissions != "read_write" {
				return nil, invalidField("bucket_access.permissions", "Must be one of read_only, read_write")
			}
			place := g.Cluster
			if c.e.today && place == "" {
				place = g.Region
			}
			b := c.e.bucket(place, g.Bucket)
			if b == nil {
				return nil, invalidField("bucket_access.bucket_name", "bucket %s is not in %s", g.Bucket, place)
			}
			if c.e.today {
				k.Access[i].Cluster, k.Access[i].Region = b.clusterID(), b.cluster.Region
			}
		}
	}
	if err := c.readKeyRegions(k); err != nil {
		return nil, err
	}
	k.ID = c.e.nextID()
	k.AccessKey, k.SecretKey = fmt.Sprintf("EMULATED%012d", k.ID), redacted
	c.e.keys, c.e.noStorage = append(c.e.keys, k), false
	once := *k
	once.SecretKey = fmt.Sprintf("emulated-secret-of-key-%017d", k.ID)
	return once, nil
}

func updateKey(c *apiRequest) (any, error) {
	if findKey(c) == nil {
		return c.orKeyNotFound(nil)
	}
	return update(c, findKey(c), func(c *apiRequest, k *key) error {
		return firstError(readKeyLabel(c, k), c.readKeyRegions(k))
	})
}

func readKeyLabel(c *apiRequest, k *key) error { return c.readString("label", &k.Label, 0, 50) }

func revokeKey(c *apiRequest) (any, error) {
	if findKey(c) == nil {
		return c.orKeyNotFound(nil)
	}
	return remove(&c.e.keys, findKey(c))
}
