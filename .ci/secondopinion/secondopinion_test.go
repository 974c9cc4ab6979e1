// Package secondopinion uses emulated accounts with linodego, a public client of the real API, and compares what it
// decodes with the answers, member by member, because lookout's client and its emulator may share a mistake. linodego
// has no methods for Managed, so only the tickets of issues, errors and the filter of contacts are tried there. The
// package is a module of its own, so that lookout does not depend on linodego.
package secondopinion

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/linode/linodego"
)

// An expectedDifference is not a mistake of the emulator. Its service is "" if both have it.
type expectedDifference struct{ service, pattern, reason string }

var expectedDifferences = []expectedDifference{
	{"", "profile.* is missing", "the document has no profile; the emulator serves what lookout reads"},
	{"", "settings.* is missing", "the document has no account settings"},
	{"", "ticket.* is missing", "the document has no tickets"},
	{"", "ticket.closed is unknown to linodego", "linodego has a field for it and never sets it"},
	{"", "listing.data.etag is null", "a common prefix has only a name"},
	{"", "listing.data.owner is null", "a common prefix has only a name"},
	{"", "listing.data.size is null", "a common prefix has only a name"},
	{"2021", "bucket.endpoint_type is missing", "newer than the document"},
	{"2021", "bucket.region is missing", "newer than the document"},
	{"2021", "bucket.s3_endpoint is missing", "newer than the document"},
	{"2021", "key.regions is missing", "newer than the document"},
	{"now", "bucket.objects is missing", "some recorded buckets have no size"},
	{"now", "bucket.size is missing", "some recorded buckets have no size"},
	{"now", "key.bucket_access.cluster is unknown to linodego", "linodego leaves out an empty cluster"},
	{"now", "answer to a new object ACL.* is missing", "the real service answers {}"},
}

func TestEmulator(t *testing.T) {
	program := filepath.Join(t.TempDir(), "lookout")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/lookout")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	seen := map[expectedDifference]bool{}
	for _, service := range []string{"2021", "now"} {
		t.Run(service, func(t *testing.T) {
			s := startSession(t, program, service)
			s.seen = seen
			t.Run("account", s.testAccount)
			t.Run("errors", s.testErrors)
			t.Run("places", s.testPlaces)
			t.Run("buckets", s.testBuckets)
			t.Run("objects", s.testObjects)
			t.Run("changes of buckets", s.testBucketChanges)
			t.Run("changes of objects", s.testObjectChanges)
			t.Run("keys", s.testKeys)
			t.Run("filter", s.testFilter)
			t.Run("cancel", s.testCancel)
		})
	}
	for _, e := range expectedDifferences {
		t.Logf("%s %s: %s", e.service, e.pattern, e.reason)
		if !seen[e] {
			t.Errorf("no answer has the expected difference %q", e.pattern)
		}
	}
}

func (s *session) testAccount(t *testing.T) {
	profile, err := s.client.GetProfile(t.Context())
	s.check(t, "profile", profile, err)
	settings, err := s.client.GetAccountSettings(t.Context())
	s.check(t, "settings", settings, err)
	for _, id := range []int{48213, 48190} { // an open one and a closed one
		ticket, err := s.client.GetTicket(t.Context(), id)
		s.check(t, "ticket", ticket, err)
	}
	transfer, err := s.client.GetObjectStorageTransfer(t.Context())
	s.check(t, "transfer", transfer, err)
}

func (s *session) testErrors(t *testing.T) {
	ctx, c := t.Context(), s.client
	stranger := s.newClient("wrong")
	_, err := stranger.ListObjectStorageKeys(ctx, nil)
	s.checkError(t, 401, "", err)
	_, err = c.GetObjectStorageBucket(ctx, s.place, "nothing")
	s.checkError(t, 404, "", err)
	_, err = c.ListObjectStorageBucketsInCluster(ctx, nil, "nowhere")
	s.checkError(t, 404, "", err)
	_, err = c.GetObjectStorageCluster(ctx, "nowhere")
	s.checkError(t, 404, "", err)
	_, err = c.GetObjectStorageKey(ctx, 1)
	s.checkError(t, 404, "", err)
	_, err = c.GetTicket(ctx, 1)
	s.checkError(t, 404, "", err)
	_, err = c.GetObjectStorageObjectACLConfigV2(ctx, s.place, "acme-www", "nothing")
	s.checkError(t, 404, "", err)
	_, err = c.GetObjectStorageObjectACLConfigV2(ctx, s.place, "acme-www", "")
	s.checkError(t, 400, "name", err)
	_, err = c.CreateObjectStorageBucket(ctx, s.newBucket("A"))
	s.checkError(t, 400, "label", err)
	_, err = c.ListObjectStorageKeys(ctx, &linodego.ListOptions{PageSize: 24})
	s.checkError(t, 400, "page_size", err)
	err = c.UpdateObjectStorageBucketAccess(ctx, s.place, "acme-www",
		linodego.ObjectStorageBucketUpdateAccessOptions{ACL: "none"})
	s.checkError(t, 400, "acl", err)
	err = c.DeleteObjectStorageBucket(ctx, s.place, "acme-www") // it is not empty
	s.checkError(t, 400, "", err)
	res, err := c.R(ctx).Get("managed/contacts/1")
	if err == nil {
		err = linodego.NewError(res)
	}
	s.checkError(t, 404, "", err)
	res, err = c.R(ctx).SetBody(`{"name": "A"}`).Post("managed/contacts")
	if err == nil {
		err = linodego.NewError(res)
	}
	s.checkError(t, 400, "name", err)
}

func (s *session) testPlaces(t *testing.T) {
	ctx, c := t.Context(), s.client
	clusters, err := c.ListObjectStorageClusters(ctx, nil)
	s.check(t, "cluster", clusters, err)
	for _, one := range clusters {
		cluster, err := c.GetObjectStorageCluster(ctx, one.ID)
		s.check(t, "cluster", cluster, err)
	}
	endpoints, err := c.ListObjectStorageEndpoints(ctx, nil)
	if s.service == "2021" {
		s.checkError(t, 404, "", err)
		return
	}
	s.check(t, "endpoint", endpoints, err)
}

func (s *session) testBuckets(t *testing.T) {
	ctx, c := t.Context(), s.client
	buckets, err := c.ListObjectStorageBuckets(ctx, nil)
	s.check(t, "bucket", buckets, err)
	for _, b := range buckets {
		place := b.Cluster
		if s.service == "now" {
			place = b.Region
		}
		bucket, err := c.GetObjectStorageBucket(ctx, place, b.Label)
		s.check(t, "bucket", bucket, err)
		access, err := c.GetObjectStorageBucketAccessV2(ctx, place, b.Label)
		s.check(t, "access", access, err)
		certificate, err := c.GetObjectStorageBucketCertV2(ctx, place, b.Label)
		s.check(t, "certificate", certificate, err)
		neighbours, err := c.ListObjectStorageBucketsInCluster(ctx, nil, place)
		s.check(t, "bucket", neighbours, err)
		if !slices.ContainsFunc(neighbours, func(n linodego.ObjectStorageBucket) bool { return n.Label == b.Label }) {
			t.Errorf("the buckets of %s do not include %s", place, b.Label)
		}
	}
}

// testObjects lists objects in pages, with and without common prefixes.
func (s *session) testObjects(t *testing.T) {
	bucket, err := s.client.GetObjectStorageBucket(t.Context(), s.place, "acme-backups")
	s.check(t, "bucket", bucket, err)
	if n := len(s.objectNames(t, "acme-backups", "", "")); n != bucket.Objects || n <= 50 {
		t.Errorf("%d objects in pages, %d in the bucket", n, bucket.Objects)
	}
	if names := s.objectNames(t, "acme-backups", "", "/"); !slices.Equal(names, []string{"README.txt", "db/"}) {
		t.Errorf("%q", names)
	}
	for _, name := range s.objectNames(t, "acme-www", "", "") {
		acl, err := s.client.GetObjectStorageObjectACLConfigV2(t.Context(), s.place, "acme-www", name)
		s.check(t, "object ACL", acl, err)
	}
	var folders []string // one for each day that has logs
	place := s.place
	s.place = strings.Replace(place, "us-east", "eu-central", 1)
	for _, year := range s.objectNames(t, "logs-eu", "", "/") {
		for _, month := range s.objectNames(t, "logs-eu", year, "/") {
			folders = append(folders, s.objectNames(t, "logs-eu", month, "/")...)
		}
	}
	s.place = place
	if n := len(folders); n < 343 || n > 345 { // 99,000 objects, one every five minutes
		t.Errorf("%d folders", n)
	}
}

// objectNames lists objects in pages of 25 and checks that the names are in order.
func (s *session) objectNames(t *testing.T, bucket, prefix, delimiter string) (names []string) {
	t.Helper()
	size := 25
	params := &linodego.ObjectStorageBucketListContentsParams{Prefix: &prefix, Delimiter: &delimiter, PageSize: &size}
	for {
		page, err := s.client.ListObjectStorageBucketContents(t.Context(), s.place, bucket, params)
		s.check(t, "listing", page, err)
		for _, o := range page.Data {
			if len(names) > 0 && o.Name <= names[len(names)-1] || !strings.HasPrefix(o.Name, prefix) {
				t.Fatalf("%q after %q", o.Name, names)
			}
			names = append(names, o.Name)
		}
		if !page.IsTruncated {
			return names
		}
		params.Marker = page.NextMarker
	}
}

func (s *session) newBucket(label string) linodego.ObjectStorageBucketCreateOptions {
	o := linodego.ObjectStorageBucketCreateOptions{Cluster: s.place, Label: label}
	if s.service == "now" {
		o.Cluster, o.Region, o.EndpointType = "", s.place, linodego.ObjectStorageEndpointE0
	}
	return o
}

func (s *session) testBucketChanges(t *testing.T) {
	ctx, c := t.Context(), s.client
	const label = "second.example.net"
	options := s.newBucket(label)
	options.ACL, options.CorsEnabled = linodego.ACLPublicRead, linodego.Pointer(true)
	for range 2 { // the second time, the answer is the existing bucket
		bucket, err := c.CreateObjectStorageBucket(ctx, options)
		s.check(t, "bucket", bucket, err)
	}
	s.checkAccess(t, label, linodego.ACLPublicRead, true)
	err := c.UpdateObjectStorageBucketAccess(ctx, s.place, label, linodego.ObjectStorageBucketUpdateAccessOptions{
		ACL: linodego.ACLAuthenticatedRead, CorsEnabled: linodego.Pointer(false),
	})
	s.check(t, "empty object", struct{}{}, err)
	s.checkAccess(t, label, linodego.ACLAuthenticatedRead, false)

	certificate, err := c.UploadObjectStorageBucketCertV2(ctx, s.place, label, newCertificate(t, label))
	s.check(t, "certificate", certificate, err)
	_, err = c.UploadObjectStorageBucketCertV2(ctx, s.place, label, linodego.ObjectStorageBucketCertUploadOptions{})
	s.checkError(t, 400, "certificate", err)
	s.checkCertificate(t, label, true)
	err = c.DeleteObjectStorageBucketCert(ctx, s.place, label)
	s.check(t, "empty object", struct{}{}, err)
	s.checkCertificate(t, label, false)

	err = c.DeleteObjectStorageBucket(ctx, s.place, label)
	s.check(t, "empty object", struct{}{}, err)
	_, err = c.GetObjectStorageBucket(ctx, s.place, label)
	s.checkError(t, 404, "", err)
}

func (s *session) checkAccess(t *testing.T, bucket string, acl linodego.ObjectStorageACL, cors bool) {
	t.Helper()
	access, err := s.client.GetObjectStorageBucketAccessV2(t.Context(), s.place, bucket)
	s.check(t, "access", access, err)
	if access.ACL != acl || access.CorsEnabled == nil || *access.CorsEnabled != cors {
		t.Errorf("%+v", access)
	}
}

func (s *session) checkCertificate(t *testing.T, bucket string, uploaded bool) {
	t.Helper()
	certificate, err := s.client.GetObjectStorageBucketCertV2(t.Context(), s.place, bucket)
	s.check(t, "certificate", certificate, err)
	if certificate.SSL == nil || *certificate.SSL != uploaded {
		t.Errorf("%+v", certificate)
	}
}

// newCertificate returns a self-signed certificate for a host.
func newCertificate(t *testing.T, host string) linodego.ObjectStorageBucketCertUploadOptions {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{host}, NotAfter: time.Now().Add(time.Hour),
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return linodego.ObjectStorageBucketCertUploadOptions{
		Certificate: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})),
		PrivateKey:  string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
	}
}

// testObjectChanges stores, changes and deletes an object.
func (s *session) testObjectChanges(t *testing.T) {
	ctx, c := t.Context(), s.client
	const bucket, name = "scratch.example.net", "a folder/größe?.txt"
	created, err := c.CreateObjectStorageBucket(ctx, s.newBucket(bucket))
	s.check(t, "bucket", created, err)
	s.useURL(t, bucket, name, http.MethodPut, false)
	s.useURL(t, bucket, name, http.MethodGet, true)
	acl, err := c.UpdateObjectStorageObjectACLConfigV2(ctx, s.place, bucket,
		linodego.ObjectStorageObjectACLConfigUpdateOptions{Name: name, ACL: "public-read"})
	s.check(t, "answer to a new object ACL", acl, err)
	acl, err = c.GetObjectStorageObjectACLConfigV2(ctx, s.place, bucket, name)
	s.check(t, "object ACL", acl, err)
	if acl.ACL == nil || *acl.ACL != "public-read" {
		t.Errorf("%+v", acl)
	}
	s.useURL(t, bucket, name, http.MethodDelete, true)
	if names := s.objectNames(t, bucket, "", ""); len(names) > 0 {
		t.Errorf("%q", names)
	}
}

// useURL creates a pre-signed URL and sends a request to it.
func (s *session) useURL(t *testing.T, bucket, name, method string, exists bool) {
	t.Helper()
	options := linodego.ObjectStorageObjectURLCreateOptions{
		Name: name, Method: method, ExpiresIn: linodego.Pointer(360),
	}
	if method == http.MethodPut {
		options.ContentType = "text/plain"
	}
	signed, err := s.client.CreateObjectStorageObjectURL(t.Context(), s.place, bucket, options)
	s.check(t, "object URL", signed, err)
	if signed.Exists != exists {
		t.Errorf("%s: exists is %v", method, signed.Exists)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, signed.URL, strings.NewReader("text"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", options.ContentType)
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode >= 300 {
		t.Errorf("%s %s: %s", method, signed.URL, res.Status)
	}
}

func (s *session) testKeys(t *testing.T) {
	ctx, c := t.Context(), s.client
	grant := linodego.ObjectStorageKeyBucketAccess{
		Cluster: s.place, BucketName: "acme-www", Permissions: "read_only",
	}
	if s.service == "now" {
		grant.Cluster, grant.Region = "", s.place
	}
	for _, grants := range []*[]linodego.ObjectStorageKeyBucketAccess{nil, {}, {grant}} {
		key, err := c.CreateObjectStorageKey(ctx, linodego.ObjectStorageKeyCreateOptions{
			Label: "second", BucketAccess: grants,
		})
		s.check(t, "key", key, err)
		if key.Limited != (grants != nil) || len(key.SecretKey) != 40 {
			t.Errorf("%+v", key)
		}
		key, err = c.UpdateObjectStorageKey(ctx, key.ID, linodego.ObjectStorageKeyUpdateOptions{Label: "opinion"})
		s.check(t, "key", key, err)
		key, err = c.GetObjectStorageKey(ctx, key.ID)
		s.check(t, "key", key, err)
		if key.Label != "opinion" || key.SecretKey != "[REDACTED]" {
			t.Errorf("%+v", key)
		}
	}
	for range 30 {
		key, err := c.CreateObjectStorageKey(ctx, linodego.ObjectStorageKeyCreateOptions{Label: "page"})
		s.check(t, "key", key, err)
	}
	options := &linodego.ListOptions{PageSize: 25}
	keys, err := c.ListObjectStorageKeys(ctx, options)
	urls := s.check(t, "key", keys, err)
	if len(urls) != 2 || !strings.HasSuffix(urls[1], "page=2&page_size=25") || options.Pages != 2 ||
		options.Results != len(keys) {
		t.Errorf("%d keys on %d pages with %q; %d results", len(keys), options.Pages, urls, options.Results)
	}
	second, err := c.ListObjectStorageKeys(ctx, &linodego.ListOptions{
		PageOptions: &linodego.PageOptions{Page: 2}, PageSize: 25,
	})
	s.check(t, "key", second, err)
	if len(second) != len(keys)-25 || second[0].ID != keys[25].ID {
		t.Errorf("%d keys on the second page", len(second))
	}
	err = c.DeleteObjectStorageKey(ctx, second[0].ID)
	s.check(t, "empty object", struct{}{}, err)
	_, err = c.GetObjectStorageKey(ctx, second[0].ID)
	s.checkError(t, 404, "", err)
}

// testFilter filters contacts by their group, the only attribute with a filter. The service of 2021 ignores filters,
// because its document has none.
func (s *session) testFilter(t *testing.T) {
	filter := &linodego.Filter{}
	filter.AddField(linodego.Eq, "group", "web")
	text, err := filter.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := s.client.ListObjectStorageKeys(t.Context(), &linodego.ListOptions{Filter: `{"label": "ci"}`})
	if s.service == "2021" {
		s.check(t, "key", keys, err)
		return
	}
	s.checkError(t, 400, "X-Filter", err)
	var page struct{ Data []struct{ Group string } }
	_, err = s.client.R(t.Context()).SetHeader("X-Filter", string(text)).SetResult(&page).Get("managed/contacts")
	if err != nil || len(page.Data) != 2 || page.Data[0].Group != "web" {
		t.Errorf("%+v, %v", page, err)
	}
	s.urls, s.answers = nil, nil
}

// testCancel cancels Object Storage, which today's service refuses if there is none.
func (s *session) testCancel(t *testing.T) {
	ctx, c := t.Context(), s.client
	err := c.CancelObjectStorage(ctx)
	s.check(t, "empty object", struct{}{}, err)
	options := &linodego.ListOptions{}
	buckets, err := c.ListObjectStorageBuckets(ctx, options)
	s.check(t, "bucket", buckets, err)
	keys, err := c.ListObjectStorageKeys(ctx, nil)
	s.check(t, "key", keys, err)
	if len(buckets) > 0 || len(keys) > 0 || options.Pages != 1 {
		t.Errorf("%d buckets and %d keys are left, on %d pages", len(buckets), len(keys), options.Pages)
	}
	err = c.CancelObjectStorage(ctx)
	if s.service == "now" {
		s.checkError(t, 400, "", err)
		return
	}
	s.check(t, "empty object", struct{}{}, err)
}
