package client_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client"
	"lookout/client/certtest"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/client/optest"
)

const token = "canary-token-2b8467ad1c3e59b0264f8d7e1a3c5b9f20846e7d0f3a9c71e5d"

func newEmulatedClient(
	t *testing.T, o emulator.Options, options ...client.Option,
) (*client.Client, *emulator.Emulator) {
	t.Helper()
	o.Token, o.Service = token, cmp.Or(o.Service, os.Getenv("LOOKOUT_TEST_SERVICE"))
	e := emulator.New(o)
	c, err := client.New(
		"https://api.example.test/v4",
		client.NewSecret(token),
		append([]client.Option{client.WithTransport(e)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return c, e
}

// operationCall is one operation of the document, called through the client.
type operationCall struct {
	op string
	do func(caller) (any, error)
}

func (o operationCall) call(x context.Context, c *client.Client) error {
	_, err := o.do(caller{x, c, o.op, false})
	return err
}

// A caller is a client, and the context of its calls.
type caller struct {
	context.Context
	*client.Client
	op    string // that is called
	blank bool   // changes are sent without contents
}

// write returns the client with consent to a change.
func (x caller) write(op string, id ...any) *client.Writer {
	return client.Confirmed(x.Client, op, id...)
}

// consent returns the client with consent to the operation that is called.
func (x caller) consent(id ...any) *client.Writer { return x.write(x.op, id...) }

// content returns what a change sends.
func content[T any](x caller, full T) (sent T) {
	if !x.blank {
		sent = full
	}
	return sent
}

const east = "us-east-1"

func ignore[T any](_ T, err error) error { return err }

// operations returns a call of each operation that the emulator serves, in an order in which each can succeed on the
// demo account. The secrets in them are canaries.
func operations(t *testing.T) []operationCall {
	t.Helper()
	certificate, key := canaryPair()
	user, password := client.NewSecret(canaryUser), client.NewSecret(canaryPassword)
	const cdn, fresh = "cdn.acme.net", "new-one"
	return []operationCall{
		{"list contacts", func(x caller) (any, error) { return x.Contacts.List(x, 1) }},
		{"create contact", func(x caller) (any, error) {
			return x.consent().CreateContact(
				x, content(x, client.ContactRequest{Name: "Zed Ek", Email: "zed@acme.net", Group: "web"}),
			)
		}},
		{"view contact", func(x caller) (any, error) { return x.Contacts.Get(x, 11) }},
		{"update contact", func(x caller) (any, error) {
			return x.consent(11).UpdateContact(x, 11, content(x, client.Patch{"name": "Ada W."}))
		}},
		{"delete contact", func(x caller) (any, error) { return nil, x.consent(12).DeleteContact(x, 12) }},
		{"list credentials", func(x caller) (any, error) { return x.Credentials.List(x, 1) }},
		{"create credential", func(x caller) (any, error) {
			return x.consent().CreateCredential(
				x, content(x, client.CredentialRequest{Label: "new one", Username: user, Password: password}),
			)
		}},
		{"view SSH key", func(x caller) (any, error) { return x.Credentials.SSHKey(x) }},
		{"view credential", func(x caller) (any, error) { return x.Credentials.Get(x, 31) }},
		{"update credential", func(x caller) (any, error) {
			return x.consent(31).UpdateCredential(x, 31, content(x, "renamed"))
		}},
		{"change login", func(x caller) (any, error) {
			return nil, x.consent(31).SetCredentialLogin(
				x, 31, content(x, client.CredentialLoginUpdate{Username: user, Password: password}),
			)
		}},
		{"delete credential", func(x caller) (any, error) { return nil, x.consent(32).DeleteCredential(x, 32) }},
		{"list issues", func(x caller) (any, error) { return x.Issues.List(x, 1) }},
		{"view issue", func(x caller) (any, error) { return x.Issues.Get(x, 823) }},
		{"list SSH settings", func(x caller) (any, error) { return x.Instances.List(x, 1) }},
		{"view SSH settings", func(x caller) (any, error) { return x.Instances.Get(x, 70001) }},
		{"update SSH settings", func(x caller) (any, error) {
			return x.consent(70001).UpdateInstanceSSH(
				x, 70001, content(x, client.Patch{"ssh": map[string]any{"access": false}}),
			)
		}},
		{"list services", func(x caller) (any, error) { return x.Services.List(x, 1) }},
		{"create service", func(x caller) (any, error) {
			return x.consent().CreateService(
				x, content(x, client.ServiceRequest{
					Label: "new one", Type: client.TypeTCP, Address: "10.1.2.3:22", Timeout: 5, Region: "us-east",
				}),
			)
		}},
		{"view service", func(x caller) (any, error) { return x.Services.Get(x, 1) }},
		{"update service", func(x caller) (any, error) {
			return x.consent(1).UpdateService(x, 1, content(x, client.Patch{"timeout": 20}))
		}},
		{"disable service", func(x caller) (any, error) { return x.consent(2).DisableService(x, 2) }},
		{"enable service", func(x caller) (any, error) { return x.consent(2).EnableService(x, 2) }},
		{"delete service", func(x caller) (any, error) { return nil, x.consent(2).DeleteService(x, 2) }},
		{"view stats", func(x caller) (any, error) { return x.Stats.Get(x) }},
		{"list buckets", func(x caller) (any, error) { return x.Buckets.List(x, 1) }},
		{"create bucket", func(x caller) (any, error) {
			r := content(x, client.BucketRequest{
				Cluster: east, Label: fresh, ACL: client.ACLPublicRead, CORS: new(true),
			})
			return x.consent(r.Cluster, r.Label).CreateBucket(x, r)
		}},
		{"list buckets in cluster", func(x caller) (any, error) { return x.Buckets.ListInCluster(x, east, 1) }},
		{"view bucket", func(x caller) (any, error) { return x.Buckets.Get(x, east, fresh) }},
		{"modify access", func(x caller) (any, error) {
			return nil, x.consent(east, fresh).UpdateBucketAccess(
				x, east, fresh, content(x, client.BucketAccess{ACL: client.ACLPrivate}),
			)
		}},
		{"update access", func(x caller) (any, error) {
			return nil, x.consent(east, fresh).ReplaceBucketAccess(
				x, east, fresh, content(x, client.BucketAccess{CORS: new(false)}),
			)
		}},
		{"delete bucket", func(x caller) (any, error) {
			return nil, x.consent(east, fresh).DeleteBucket(x, east, fresh)
		}},
		{"view object ACL", func(x caller) (any, error) { return x.Objects.ACL(x, east, cdn, "odd\nname.txt") }},
		{"update object ACL", func(x caller) (any, error) {
			return x.consent(east, cdn, "index.html").SetObjectACL(
				x, client.ObjectRef{Cluster: east, Bucket: cdn, Name: "index.html"}, client.ACLPublicRead,
			)
		}},
		{"list objects", func(x caller) (any, error) {
			return x.Objects.List(x, client.ObjectQuery{Cluster: east, Bucket: cdn, Delimiter: "/"})
		}},
		{"create object URL", func(x caller) (any, error) {
			return x.consent(east, cdn, "index.html").CreateObjectURL(
				x, east, cdn, client.PresignRequest{Name: "index.html", Method: "GET"},
			)
		}},
		{"upload certificate", func(x caller) (any, error) {
			return x.consent(east, cdn).UploadCertificate(x, east, cdn, certificate, client.NewSecret(key))
		}},
		{"view certificate", func(x caller) (any, error) { return x.Certificates.Get(x, east, cdn) }},
		{"delete certificate", func(x caller) (any, error) {
			return nil, x.consent(east, cdn).DeleteCertificate(x, east, cdn)
		}},
		{"list clusters", func(x caller) (any, error) { return x.Clusters.List(x, 1) }},
		{"view cluster", func(x caller) (any, error) { return x.Clusters.Get(x, east) }},
		{"list keys", func(x caller) (any, error) { return x.Keys.List(x, 1) }},
		{"create key", func(x caller) (any, error) {
			return x.consent().CreateKey(
				x, content(x, client.AccessKeyRequest{Label: "new one", Buckets: []client.BucketGrantRequest{}}),
			)
		}},
		{"view key", func(x caller) (any, error) { return x.Keys.Get(x, 201) }},
		{"update key", func(x caller) (any, error) { return x.consent(201).UpdateKey(x, 201, content(x, "renamed")) }},
		{"revoke key", func(x caller) (any, error) { return nil, x.consent(202).RevokeKey(x, 202) }},
		{"view transfer", func(x caller) (any, error) { return x.NetworkTransfer.Get(x) }},
		{"cancel Object Storage", func(x caller) (any, error) { return nil, x.consent().CancelObjectStorage(x) }},
	}
}

// operationsOf returns the calls of the operations that the emulator serves and keep selects. It fails if one has none.
func operationsOf(t *testing.T, keep func(emulator.Route) bool) (selected []operationCall) {
	t.Helper()
	all := operations(t)
	names := map[string]bool{}
	for _, op := range emulator.New(emulator.Options{}).Endpoints() {
		names[op.Name] = keep(op)
		if !slices.ContainsFunc(all, func(s operationCall) bool { return s.op == op.Name }) {
			t.Errorf("no call of %q, which the emulator serves; add one to operations", op.Name)
		}
	}
	return slices.DeleteFunc(all, func(s operationCall) bool { return !names[s.op] })
}

func TestClient_everyOperationInBothDialects(t *testing.T) {
	steps := operationsOf(t, func(emulator.Route) bool { return true })
	for _, dialect := range []client.PathDialect{client.DialectDocument, client.DialectProvider} {
		t.Run(string(dialect), func(t *testing.T) {
			c, e := newEmulatedClient(t, emulator.Options{}, client.WithDialect(dialect))
			for _, s := range steps {
				faulttest.ReportCase(t, "H5", string(dialect)+", "+s.op)
				if err := s.call(t.Context(), c); err != nil {
					t.Errorf("%s: %v", s.op, err)
				}
				if n := e.RequestCount(s.op); n != 1 {
					t.Errorf("%s: %d requests reached it, not 1", s.op, n)
				}
			}
			writes := 0
			for _, op := range e.Endpoints() {
				if op.Write {
					writes++
				}
			}
			if got := len(e.Ledger()); got != writes {
				t.Errorf("%d changes in the ledger for %d changing operations", got, writes)
			}
		})
	}
}

// Each rule of the document is broken once: the error has the status and the field of the refusal.
func TestClient_refusalsOfEachRule(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	type request = client.ServiceRequest
	service := func(change func(*request)) func(caller) (any, error) {
		r := request{Label: "fine", Type: client.TypeURL, Address: "https://a.example/", Timeout: 5}
		change(&r)
		return func(x caller) (any, error) { return x.write(client.OpCreateService).CreateService(x, r) }
	}
	contact := func(name, email, group string) func(caller) (any, error) {
		r := client.ContactRequest{Name: name, Email: email, Group: group}
		return func(x caller) (any, error) { return x.write(client.OpCreateContact).CreateContact(x, r) }
	}
	credential := func(label, user, password string) func(caller) (any, error) {
		return func(x caller) (any, error) {
			return x.write(client.OpCreateCredential).CreateCredential(x, client.CredentialRequest{
				Label: label, Username: client.NewSecret(user), Password: client.NewSecret(password),
			})
		}
	}
	bucket := func(cluster, label string) func(caller) (any, error) {
		return func(x caller) (any, error) {
			return x.write(client.OpCreateBucket, cluster, label).CreateBucket(
				x, client.BucketRequest{Cluster: cluster, Label: label},
			)
		}
	}
	link := func(method string, seconds int) func(caller) (any, error) {
		r := client.PresignRequest{Name: "x", Method: method, Expires: seconds}
		return func(x caller) (any, error) {
			w := x.write(client.OpCreateObjectURL, east, "acme-www", "x")
			return w.CreateObjectURL(x, east, "acme-www", r)
		}
	}
	ssh := func(p client.Patch) func(caller) (any, error) {
		return func(x caller) (any, error) {
			return x.write(client.OpUpdateInstanceSSH, 70001).UpdateInstanceSSH(
				x, 70001, client.Patch{"ssh": map[string]any(p)},
			)
		}
	}
	upload := func(certificate, key string) func(caller) (any, error) {
		return func(x caller) (any, error) {
			return x.write(client.OpUploadCertificate, east, "cdn.acme.net").UploadCertificate(
				x, east, "cdn.acme.net", certificate, client.NewSecret(key),
			)
		}
	}
	certificate, key := certtest.New("other.example").PEM()
	for _, rule := range []struct {
		name   string
		status int
		field  string
		do     func(caller) (any, error)
	}{
		{"contact name too short", 400, "name", contact("x", "a@b.cd", "")},
		{"contact name too long", 400, "name", contact(long(65), "a@b.cd", "")},
		{"contact e-mail", 400, "email", contact("xy", "no mail", "")},
		{"contact group too short", 400, "group", contact("xy", "a@b.cd", "x")},
		{"contact group too long", 400, "group", contact("xy", "a@b.cd", long(51))},
		{"credential label too short", 400, "label", credential("x", "u", "p")},
		{"credential label too long", 400, "label", credential(long(76), "u", "p")},
		{"credential label taken", 400, "label", credential("db2-root", "u", "p")},
		{"credential user name too long", 400, "username", credential("fine", long(5001), "p")},
		{"credential without password", 400, "password", credential("fine", "u", "")},
		{"service label too short", 400, "label", service(func(r *request) { r.Label = "xy" })},
		{"service label too long", 400, "label", service(func(r *request) { r.Label = long(65) })},
		{"service type", 400, "service_type", service(func(r *request) { r.Type = "udp" })},
		{"service address too short", 400, "address", service(func(r *request) { r.Address = "x" })},
		{"service address too long", 400, "address", service(func(r *request) { r.Address = "https://" + long(93) })},
		{"service timeout 0", 400, "timeout", service(func(r *request) { r.Timeout = 0 })},
		{"service timeout 256", 400, "timeout", service(func(r *request) { r.Timeout = 256 })},
		{"service body too long", 400, "body", service(func(r *request) { r.Body = long(101) })},
		{"service group too long", 400, "consultation_group", service(func(r *request) { r.Group = long(51) })},
		{"private address without region", 400, "region", service(func(r *request) { r.Address = "http://10.0.0.1/" })},
		{"region with public address", 400, "region", service(func(r *request) { r.Region = "us-east" })},
		{"ssh user too long", 400, "ssh.user", ssh(client.Patch{"user": long(33)})},
		{"ssh port 0", 400, "ssh.port", ssh(client.Patch{"port": 0})},
		{"ssh port 65536", 400, "ssh.port", ssh(client.Patch{"port": 65536})},
		{"ssh address", 400, "ip", ssh(client.Patch{"ip": "nowhere"})},
		{"bucket label taken", 400, "label", bucket(east, "taken")},
		{"bucket label too short", 400, "label", bucket(east, "ab")},
		{"bucket label with capitals", 400, "label", bucket(east, "Abc")},
		{"bucket label is an address", 400, "label", bucket(east, "192.0.2.1")},
		{"bucket cluster", 400, "cluster", bucket("nowhere", "fine")},
		{"bucket not empty", 400, "", func(x caller) (any, error) {
			return nil, x.write(client.OpDeleteBucket, east, "acme-www").DeleteBucket(x, east, "acme-www")
		}},
		{"link life too short", 400, "expires_in", link("GET", 359)},
		{"link life too long", 400, "expires_in", link("GET", 86401)},
		{"link without content type", 400, "content_type", link("PUT", 0)},
		{"certificate for another name", 400, "certificate", upload(certificate, key)},
		{"certificate without its key", 400, "", upload(certificate, "no key")},
		{"key for a bucket that is not there", 400, "bucket_access.bucket_name", func(x caller) (any, error) {
			grants := []client.BucketGrantRequest{{Cluster: east, Bucket: "nothing", Permissions: "read_only"}}
			return x.write(client.OpCreateKey).CreateKey(
				x, client.AccessKeyRequest{Label: "x", Buckets: grants},
			)
		}},
		{"unknown service", 404, "", func(x caller) (any, error) { return x.Services.Get(x, 4711) }},
		{"unknown bucket", 404, "", func(x caller) (any, error) { return x.Buckets.Get(x, east, "nothing") }},
	} {
		t.Run(rule.name, func(t *testing.T) {
			c, e := newEmulatedClient(t, emulator.Options{})
			err := operationCall{do: rule.do}.call(t.Context(), c)
			var failure *client.Error
			if !errors.As(err, &failure) || failure.Status != rule.status {
				t.Fatalf("%v, not status %d", err, rule.status)
			}
			if _, named := failure.Fields()[rule.field]; !named && rule.field != "" {
				t.Errorf("the field %q is not named: %v", rule.field, failure.Fields())
			}
			if len(e.Ledger()) != 0 {
				t.Error("a refused change was applied")
			}
		})
	}
}

// A refusal that names the endpoint is about the scope, even if the answer says nothing of the token's scopes.
func TestError_Unauthorized_scopeOfTheEndpoint(t *testing.T) {
	for reason, want := range map[string]bool{
		"Invalid Token": true,
		"Your OAuth token is not authorized to use this endpoint.": false,
	} {
		reasons := []client.FieldError{{Reason: client.NewText(reason)}}
		e := &client.Error{Status: http.StatusUnauthorized, Reasons: reasons}
		if e.Unauthorized() != want {
			t.Errorf("%s: %v", reason, e.Unauthorized())
		}
	}
}

func TestClient_restrictedUser(t *testing.T) {
	c, _ := newEmulatedClient(t, emulator.Options{RestrictedUser: true})
	if _, err := c.Services.List(t.Context(), 1); !errors.Is(err, client.ErrDenied) {
		t.Errorf("a restricted user reads Managed: %v", err)
	}
	if _, err := c.Buckets.List(t.Context(), 1); err != nil {
		t.Errorf("a restricted user's Object Storage: %v", err)
	}
	c, _ = newEmulatedClient(t, emulator.Options{NegativeBalance: true})
	w := client.Confirmed(c, client.OpCreateBucket, "us-east-1", "fine")
	if _, err := w.CreateBucket(t.Context(), client.BucketRequest{Cluster: "us-east-1", Label: "fine"}); !errors.Is(
		err, client.ErrDenied,
	) {
		t.Errorf("a bucket for an account in debt: %v", err)
	}
	if _, err := client.Confirmed(c, client.OpCreateKey).CreateKey(
		t.Context(), client.AccessKeyRequest{Label: "fine"},
	); !errors.Is(err, client.ErrDenied) {
		t.Errorf("a key for an account in debt: %v", err)
	}
}

// A missing, an empty and a filled bucket_access create three different keys.
func TestWriter_CreateKey_threeKindsOfAccess(t *testing.T) {
	c, e := newEmulatedClient(t, emulator.Options{})
	grants := []client.BucketGrantRequest{{Cluster: "us-east-1", Bucket: "acme-www", Permissions: "read_only"}}
	for _, kind := range []struct {
		buckets []client.BucketGrantRequest
		wire    string
		limited bool
		reach   int
	}{{nil, "", false, 0}, {[]client.BucketGrantRequest{}, "[]", true, 0}, {grants, `[{"cluster":"us-east-1",` +
		`"bucket_name":"acme-www","permissions":"read_only"}]`, true, 1}} {
		k, err := client.Confirmed(
			c, client.OpCreateKey,
		).CreateKey(t.Context(), client.AccessKeyRequest{Label: "x", Buckets: kind.buckets})
		if err != nil {
			t.Fatal(err)
		}
		ledger := e.Ledger()
		if sent := string(ledger[len(ledger)-1].Body["bucket_access"]); sent != kind.wire {
			t.Errorf("sent %q, not %q", sent, kind.wire)
		}
		if k.Limited != client.Known(kind.limited) || len(k.Buckets) != kind.reach {
			t.Errorf("made %+v", k)
		}
		if _, real := k.Secret(); !real {
			t.Error("creation gave no secret")
		}
		again, err := c.Keys.Get(t.Context(), k.ID)
		if err != nil {
			t.Fatal(err)
		}
		if _, real := again.Secret(); real {
			t.Error("a later view gave a secret")
		}
	}
}

// A change whose connection is cut is sent once and its outcome is unknown, whether or not it was applied; one that was
// refused is not.
func TestClient_write_sentOnce(t *testing.T) {
	for _, fault := range []emulator.Fault{
		{Reset: true},
		{Reset: true, ApplyFirst: true},
		{Status: 502, ApplyFirst: true},
		{Status: 503},
		{Status: 200, HTML: true, ApplyFirst: true},
		{CutAfter: 5, ApplyFirst: true},
	} {
		c, e := newEmulatedClient(t, emulator.Options{})
		e.InjectFault("disable service", fault)
		_, err := client.Confirmed(c, client.OpDisableService, 4).DisableService(t.Context(), 4)
		var failure *client.Error
		if !errors.As(err, &failure) || !failure.Unknown() {
			t.Errorf("%+v: %v is not an unknown outcome", fault, err)
		}
		if n := len(e.Ledger()); n > 1 || fault.ApplyFirst && n != 1 {
			t.Errorf("%+v: applied %d times", fault, n)
		}
		e.ClearFaults()
		if _, err := client.Confirmed(c, client.OpDisableService, 4711).DisableService(t.Context(), 4711); errors.As(
			err, &failure,
		) &&
			failure.Unknown() {
			t.Errorf("a refusal counts as unknown: %v", err)
		}
	}
}

// A read is repeated after temporary faults, up to the maximum number of attempts.
func TestClient_read_retries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, fault := range []emulator.Fault{
			{Reset: true, Times: 2},
			{Status: 502, Times: 2},
			{Status: 503, HTML: true, Times: 2},
			{CutAfter: 5, Times: 2},
			{Status: 429, RetryAfter: "7", Times: 1},
		} {
			c, e := newEmulatedClient(t, emulator.Options{})
			e.InjectFault("list services", fault)
			start := time.Now()
			p, err := c.Services.List(t.Context(), 1)
			if err != nil || len(p.Data) != 14 {
				t.Errorf("%+v: %d rows, %v", fault, len(p.Data), err)
			}
			if fault.Status == 429 && time.Since(start) < 7*time.Second {
				t.Errorf("asked again %v after a 429 that wanted 7 s", time.Since(start))
			}
		}
		c, e := newEmulatedClient(t, emulator.Options{})
		e.InjectFault("*", emulator.Fault{Status: 500})
		_, err := c.Services.List(t.Context(), 1)
		var failure *client.Error
		if !errors.As(err, &failure) || failure.Status != 500 || failure.Unknown() {
			t.Errorf("a dead API: %v", err)
		}
	})
}

func TestClient_read_canceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, e := newEmulatedClient(t, emulator.Options{})
		defer e.HoldRequests("*")()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		_, err := c.Services.List(ctx, 1)
		if err == nil || time.Since(start) > time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// A stub answers every request in the same way and keeps the requests.
type stub struct {
	status int
	header http.Header
	asked  []*http.Request
}

func (s *stub) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked = append(s.asked, r)
	h := s.header.Clone()
	if h == nil {
		h = http.Header{"Content-Type": {"application/json"}}
	}
	return &http.Response{
		StatusCode: s.status,
		Header:     h,
		Body:       http.NoBody,
		Request:    r,
	}, nil
}

// Every request says who asks, with which token, and that it expects JSON; a body says that it is JSON.
func TestClient_requestHeaders(t *testing.T) {
	wire := faulttest.NewTransport(nil, faulttest.Pass)
	c, e := newEmulatedClient(t, emulator.Options{}, client.WithTransport(wire))
	wire.Next = e
	for _, s := range operations(t) {
		if err := s.call(t.Context(), c); err != nil {
			t.Errorf("%s: %v", s.op, err)
		}
	}
	for _, r := range wire.Requests() {
		h, kind := r.Header, ""
		if len(r.Body) > 0 {
			kind = "application/json"
		}
		if h.Get("Accept") != "application/json" || h.Get("Content-Type") != kind ||
			!strings.HasPrefix(h.Get("User-Agent"), "lookout") || h.Get("Authorization") != "Bearer "+token {
			t.Errorf("%s %s: %v", r.Method, r.Path, h)
		}
	}
	if n := len(wire.Requests()); n < len(operations(t)) {
		t.Errorf("%d requests", n)
	}
}

func TestClient_rejectsRedirects(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := &stub{status: status, header: http.Header{"Location": {"https://evil.example/v4/managed/services"}}}
		c, err := client.New("https://api.example.test/v4", client.NewSecret(token), client.WithTransport(s))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Services.List(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "evil.example") {
			t.Errorf("%d: %v", status, err)
		}
		for _, r := range s.asked {
			if r.URL.Host != "api.example.test" || r.Header.Get("Idempotency-Key") != "" {
				t.Errorf("%d: asked %s", status, r.URL.Host)
			}
		}
	}
}

func TestNew_baseURL(t *testing.T) {
	for base, fine := range map[string]bool{
		"https://api.linode.com/v4":        true,
		"http://127.0.0.1:8080/v4":         true,
		"http://[::1]:1/v4":                true,
		"http://localhost:1/v4":            true,
		"http://api.linode.com/v4":         false,
		"ftp://x/v4":                       false,
		"https://user:pw@x/v4":             false,
		"http://127.0.0.1.evil.example/v4": false,
		"":                                 false,
		"http://2130706433/v4":             false,
		"http://0.0.0.0/v4":                false,
	} {
		if _, err := client.New(base, client.NewSecret(token)); (err == nil) != fine {
			t.Errorf("%q: %v", base, err)
		} else if err != nil && strings.Contains(err.Error(), "pw") {
			t.Errorf("%q: the error holds a password: %v", base, err)
		}
	}
}

// Every base URL that New accepts can be asked, whatever its host looks like and however it ends.
func TestClient_Endpoint_ofEachBaseURL(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.linode.com/v4":           "https://api.linode.com/v4/managed/issues",
		"https://api.linode.com/v4/":          "https://api.linode.com/v4/managed/issues",
		"https://api.linode.com/v4/?":         "https://api.linode.com/v4/managed/issues",
		"https://api.linode.com/v4#":          "https://api.linode.com/v4/managed/issues",
		"https://api.linode.com":              "https://api.linode.com/managed/issues",
		"https://proxy.example/a%2fb/v4":      "https://proxy.example/a%2fb/v4/managed/issues",
		"https://bücher.example/v4":           "https://b%C3%BCcher.example/v4/managed/issues",
		"https://[fe80::1%25eth0]:8443/v4":    "https://[fe80::1%25eth0]:8443/v4/managed/issues",
		"https://[fe80::1%25vlan%2010]/v4":    "https://[fe80::1%25vlan%2010]/v4/managed/issues",
		"https://api.example.test:443/v4/?#/": "https://api.example.test:443/v4/managed/issues",
	} {
		c, err := client.New(base, client.NewSecret(token))
		if err != nil {
			t.Errorf("%s: %v", base, err)
			continue
		}
		method, address, err := c.Endpoint("list issues", nil)
		if err != nil || method != http.MethodGet || address != want {
			t.Errorf("%s: %s %s, %v", base, method, address, err)
		}
		if _, address, err = c.Endpoint("view cluster", nil, ".."); err == nil {
			t.Errorf("%s: %s is the address of a cluster", base, address)
		}
	}
}

func TestWithReadOnly_sendsNothing(t *testing.T) {
	c, e := newEmulatedClient(t, emulator.Options{}, client.WithReadOnly())
	for _, s := range operations(t) {
		_ = s.call(t.Context(), c)
	}
	if got := e.Ledger(); len(got) != 0 {
		t.Errorf("applied in read-only mode: %v", got)
	}
	if _, err := client.Confirmed(c, client.OpDisableService, 1).DisableService(t.Context(), 1); !errors.Is(
		err, client.ErrReadOnly,
	) {
		t.Errorf("not told as read-only: %v", err)
	}
}

// A segment that would name another resource is refused before anything is sent.
func TestExpandPath_refusesOtherResources(t *testing.T) {
	c, e := newEmulatedClient(t, emulator.Options{})
	for _, s := range []string{"", ".", "..", "a/b", "../keys", "a?x", "a#x", "%2f", "a\nb", "a b", `a\b`} {
		if _, err := c.Buckets.Get(t.Context(), s, "acme-www"); err == nil {
			t.Errorf("cluster %q was sent", s)
		}
		w := client.Confirmed(c, client.OpDeleteBucket, "us-east-1", s)
		if err := w.DeleteBucket(t.Context(), "us-east-1", s); err == nil {
			t.Errorf("bucket %q was sent", s)
		}
	}
	if n := e.RequestCount(""); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// Diff holds only the changed members; cleared members are null.
func TestDiff(t *testing.T) {
	before := client.ContactRequest{
		Name:  "Ada",
		Email: "a@b.cd",
		Group: "web",
		Phone: client.PhoneNumbersRequest{Primary: "1", Secondary: "2"},
	}
	after := before
	after.Group, after.Phone.Secondary, after.Name = "", "", "Ada W."
	data, err := json.Marshal(client.Diff(before, after))
	if err != nil || string(data) != `{"group":null,"name":"Ada W.","phone":{"secondary":null}}` {
		t.Errorf("%s, %v", data, err)
	}
	if got := client.Diff(before, before); len(got) != 0 {
		t.Errorf("nothing changed, and %v is sent", got)
	}
}

func TestServices_All(t *testing.T) {
	c, _ := newEmulatedClient(t, emulator.Options{Seed: "large"})
	n := 0
	for s, err := range c.Services.All(t.Context()) {
		if err != nil || s.ID != n+1 {
			t.Fatalf("row %d is %d, %v", n, s.ID, err)
		}
		n++
	}
	if n != 5000 {
		t.Errorf("%d services of 5000", n)
	}
	var names []string
	marker := ""
	for len(names) < 3000 {
		p, err := c.Objects.List(
			t.Context(), client.ObjectQuery{Cluster: "us-east-1", Bucket: "million", Marker: marker},
		)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range p.Data {
			names = append(names, o.Name.Raw())
		}
		marker = p.NextMarker
	}
	if !slices.IsSorted(names) || len(slices.Compact(names)) != len(names) {
		t.Error("the listing repeats itself or goes back")
	}
}

// A name that no service can have is not sent, and the error about it holds only its beginning, so that no screen has
// to draw megabytes.
func TestErrors_namesAreBounded(t *testing.T) {
	c, _ := newEmulatedClient(t, emulator.Options{})
	huge := strings.Repeat("x", 8<<20)
	_, ofCluster := c.Clusters.Get(t.Context(), huge)
	_, ofBucket := c.Buckets.Get(t.Context(), huge, "photos")
	for name, err := range map[string]error{"cluster": ofCluster, "bucket": ofBucket} {
		var failed *client.Error
		if !errors.As(err, &failed) || failed.Outcome != client.NotSent || len(err.Error()) > 8<<10 ||
			!strings.Contains(err.Error(), "xxx…") {
			t.Errorf("%s: %d bytes: %.200s", name, len(err.Error()), err)
		}
	}
}

// The scopes of an answer are shown and recorded, so only their beginning is kept.
func TestErrors_scopesAreBounded(t *testing.T) {
	long := strings.Repeat("account:read_write ", 50_000)
	refuse := faulttest.Respond(http.StatusUnauthorized, `{"errors":[{"reason":"no"}]}`,
		"X-OAuth-Scopes", "linodes:read_only "+long, "X-Accepted-OAuth-Scopes", long)
	c, err := client.New(
		"https://x.test/v4", client.NewSecret(token), client.WithTransport(faulttest.NewTransport(nil, refuse)),
	)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Services.List(t.Context(), 1)
	var failed *client.Error
	if !errors.As(err, &failed) || len(err.Error())+len(failed.Advice())+len(failed.TokenScopes) > 8<<10 {
		t.Errorf("%d bytes: %.200s", len(err.Error()), err)
	}
	if n := len(c.Scopes()); n == 0 || n > 4<<10 {
		t.Errorf("%d bytes of scopes", n)
	}
}

// A raw call sends its body as it was given, and the journal holds the members that the API documents.
func TestWriter_Call_body(t *testing.T) {
	b := newChangeFixture(t, faulttest.Pass)
	call, err := b.client.ParseCall(http.MethodPost, "/managed/contacts")
	if err != nil {
		t.Fatal(err)
	}
	call.Body = map[string]any{"name": "Grace Hopper", "email": "grace@acme.net"}
	answer, err := client.Confirmed(b.client, call.Op(), call.ID()).Call(t.Context(), call)
	if err != nil || !strings.Contains(string(answer), "Grace Hopper") {
		t.Errorf("%s, %v", answer, err)
	}
	changes := b.journal.Entries(time.Time{})
	if len(changes) != 1 || !strings.Contains(fmt.Sprint(changes[0].Change.Body), "Grace Hopper") {
		t.Errorf("journal %+v", changes)
	}
}

// The journal and a dry run hold what a raw call's body has in the places where the API documents it, and nothing else:
// what stands in another place may be a secret.
func TestWriter_Call_valuesOutOfPlace(t *testing.T) {
	const contacts, services, credentials = "/managed/contacts", "/managed/services", "/managed/credentials"
	for _, c := range []struct{ path, body, recorded string }{
		{contacts, `{"name":"n","phone":{"primary":"p"}}`, `{"name":"n","phone":{"primary":"p"}}`},
		{contacts, `{"name":"n","phone":"hidden"}`, `{"name":"n","phone":null}`},
		{contacts, `{"name":"n","phone":["hidden"]}`, `{"name":"n","phone":[]}`},
		{contacts, `{"name":{"a":"hidden"},"phone":{"primary":["hidden"]}}`, `{"name":{},"phone":{"primary":[]}}`},
		{contacts, `{"name":"n","invented":"hidden"}`, `{"name":"n"}`},
		{services, `{"label":"l","credentials":[31,32]}`, `{"credentials":[31,32],"label":"l"}`},
		{services, `{"label":"l","credentials":"hidden"}`, `{"credentials":null,"label":"l"}`},
		{services, `{"label":"l","credentials":{"a":"hidden"}}`, `{"credentials":{},"label":"l"}`},
		{credentials, `{"label":"l","password":"hidden"}`, `{"label":"l","password":"•••"}`},
		{credentials, `{"label":"l","password":["hidden"]}`, `{"label":"l","password":[]}`},
		{credentials, `{"label":null}`, `{"label":null}`},
	} {
		var seen []client.Change
		show := client.WithDryRun(func(c client.Change) { seen = append(seen, c) })
		for _, options := range [][]client.Option{nil, {show}} {
			refusal := faulttest.Respond(http.StatusBadRequest, `{"errors":[{"reason":"no"}]}`)
			b := newChangeFixture(t, refusal, options...)
			call, err := b.client.ParseCall(http.MethodPost, c.path)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(c.body), &call.Body); err != nil {
				t.Fatal(err)
			}
			_, err = client.Confirmed(b.client, call.Op(), call.ID()).Call(t.Context(), call)
			if err == nil || strings.Contains(fmt.Sprint(err), "hidden") {
				t.Errorf("%s: %v", c.body, err)
			}
			for _, entry := range b.journal.Entries(time.Time{}) {
				seen = append(seen, entry.Change)
			}
		}
		if len(seen) != 2 {
			t.Fatalf("%d changes", len(seen))
		}
		if got, _ := json.Marshal(seen[0].Body); string(got) != c.recorded {
			t.Errorf("the journal holds %s of %s", got, c.body)
		}
		if got, _ := json.Marshal(seen[1].Body); strings.Contains(string(got), "hidden") {
			t.Errorf("the dry run shows %s of %s", got, c.body)
		}
	}
}

// A method is known by its whole name.
func TestClient_ParseCall_unknownMethod(t *testing.T) {
	c, _ := newEmulatedClient(t, emulator.Options{})
	for _, method := range []string{"", "P", "POS", "PATCH"} {
		if call, err := c.ParseCall(method, "/managed/contacts"); err == nil {
			t.Errorf("%q is %s", method, call.Op())
		}
	}
}

// A raw call whose body cannot be written as JSON is not sent.
func TestWriter_Call_invalidBody(t *testing.T) {
	b := newChangeFixture(t, faulttest.Pass)
	call, err := b.client.ParseCall(http.MethodPost, "/managed/contacts")
	if err != nil {
		t.Fatal(err)
	}
	call.Body = map[string]any{"name": math.Inf(1)}
	_, err = client.Confirmed(b.client, call.Op(), call.ID()).Call(t.Context(), call)
	var failure *client.Error
	if !errors.As(err, &failure) || failure.Outcome != client.NotSent || b.sent() != 0 {
		t.Errorf("%v after %d requests", err, b.sent())
	}
}

// The operations are listed by their paths, with the names of what varies.
func TestOperations(t *testing.T) {
	all, want := client.Operations(), []client.DocumentedOperation{
		{Op: client.OpDeleteContact, Method: "DELETE", Path: "/managed/contacts/ID"},
		{Op: "view contact", Method: "GET", Path: "/managed/contacts/ID"},
		{Op: client.OpUpdateContact, Method: "PUT", Path: "/managed/contacts/ID"},
		{Op: "list buckets in cluster", Method: "GET", Path: "/object-storage/buckets/CLUSTER"},
		{Op: "view bucket", Method: "GET", Path: "/object-storage/buckets/CLUSTER/BUCKET"},
		{Op: "list objects", Method: "GET", Path: "/object-storage/buckets/CLUSTER/BUCKET/object-list"},
		{Op: "view cluster", Method: "GET", Path: "/object-storage/clusters/CLUSTER"},
	}
	found := slices.DeleteFunc(slices.Clone(all), func(o client.DocumentedOperation) bool {
		return !slices.Contains(want, o)
	})
	if !slices.Equal(found, want) {
		t.Errorf("%v\nof %v\nwant %v", found, all, want)
	}
}

// An answer to a raw call is proof of the change only if it is the API's, as for all other calls.
func TestWriter_Call_foreignAnswer(t *testing.T) {
	for _, o := range optest.All() {
		if o.Method == http.MethodGet {
			continue
		}
		for _, answer := range []string{`{"login":"required"}`, `[]`, `"ok"`, `null`, `7`} {
			b := newChangeFixture(t, faulttest.Respond(http.StatusOK, answer))
			call, err := b.client.ParseCall(o.Method, o.Example())
			if err != nil {
				t.Fatal(err)
			}
			call.Body = map[string]any{"name": "o", "label": "l", "cluster": "c"}
			_, err = client.Confirmed(b.client, call.Op(), call.ID()).Call(t.Context(), call)
			changes := b.journal.Entries(time.Time{})
			anyObject := answer[0] == '{' && isEmptyAnswer(call.Op())
			if len(changes) != 1 || (changes[0].Outcome == client.Applied) != anyObject || (err == nil) != anyObject {
				t.Errorf("%s: %s: %+v, %v", o.Name, answer, changes, err)
			}
		}
	}
}

// isEmptyAnswer reports whether the API answers an operation with an empty object.
func isEmptyAnswer(op string) bool {
	switch op {
	case client.OpSetCredentialLogin, client.OpUpdateBucketAccess, client.OpReplaceBucketAccess, client.OpSetObjectACL,
		client.OpCancelObjectStorage:
		return true
	}
	return strings.HasPrefix(op, "delete ") || op == client.OpRevokeKey
}
