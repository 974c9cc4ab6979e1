package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/client/journal"
)

const loginPageHTML = "<html><head><title>Sign in</title></head></html>"

// A faultPosition is a step of a change at which something fails.
type faultPosition struct {
	name    string
	faults  []faulttest.RoundTripFunc // each is a case of its own
	applied int
	unknown bool
}

func transport(op string) error { return &net.OpError{Op: op, Net: "tcp", Err: syscall.ECONNRESET} }

func faultPositions() []faultPosition {
	dial := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	login := faulttest.Respond(302, "", "Location", "https://login.example/")
	return []faultPosition{
		{"P1 refused before it is sent", []faulttest.RoundTripFunc{faulttest.Fail(dial)}, 0, false},
		{"P2 reset while sending", []faulttest.RoundTripFunc{faulttest.Fail(transport("write"))}, 0, true},
		{"P3 not applied, reset", []faulttest.RoundTripFunc{faulttest.Fail(transport("read"))}, 0, true},
		{
			"P4 applied, reset",
			[]faulttest.RoundTripFunc{faulttest.ApplyThen(faulttest.Fail(transport("read")))},
			1,
			true,
		},
		{"P5 applied, answer cut", []faulttest.RoundTripFunc{faulttest.CutBodyHalfway()}, 1, true},
		{"P6 applied, deadline", []faulttest.RoundTripFunc{faulttest.ApplyThen(faulttest.Hang)}, 1, true},
		{
			"P7 applied, 5xx",
			[]faulttest.RoundTripFunc{
				faulttest.ApplyThen(faulttest.Respond(502, loginPageHTML, "Content-Type", "text/html")),
				faulttest.ApplyThen(faulttest.Respond(503, `{"errors":[{"reason":"x"}]}`)),
				faulttest.ApplyThen(faulttest.Respond(504, "")),
			},
			1,
			true,
		},
		{
			"P8 not applied, 502",
			[]faulttest.RoundTripFunc{faulttest.Respond(502, loginPageHTML, "Content-Type", "text/html")},
			0,
			true,
		},
		{
			"P9 applied, a page",
			[]faulttest.RoundTripFunc{
				faulttest.ApplyThen(faulttest.Respond(200, loginPageHTML, "Content-Type", "text/html")),
			},
			1,
			true,
		},
		{"P10 applied, to a login", []faulttest.RoundTripFunc{faulttest.ApplyThen(login)}, 1, true},
	}
}

// A recordingJournal is a journal that also records the order of its calls.
type recordingJournal struct {
	*journal.Journal
	mu     sync.Mutex
	events []string
}

func (w *recordingJournal) addEvent(event string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, event)
}

func (w *recordingJournal) RecordIntent(ctx context.Context, c client.Change) (string, error) {
	w.addEvent("intent")
	return w.Journal.RecordIntent(ctx, c)
}

func (w *recordingJournal) RecordUnseenSecret(id, made string) {
	w.addEvent("outcome")
	w.Journal.RecordUnseenSecret(id, made)
}

func (w *recordingJournal) RecordOutcome(id string, outcome client.Outcome, err error) {
	w.addEvent("outcome")
	w.Journal.RecordOutcome(id, outcome, err)
}

func (w *recordingJournal) RecordService(id string, s *client.Service) {
	w.addEvent("outcome")
	w.Journal.RecordService(id, s)
}

// A changeFixture is a demo account in which a change can succeed, behind a scripted transport.
type changeFixture struct {
	client   *client.Client
	emulator *emulator.Emulator
	wire     *faulttest.ScriptedTransport
	journal  *recordingJournal
}

func newChangeFixture(t *testing.T, fault faulttest.RoundTripFunc, options ...client.Option) *changeFixture {
	t.Helper()
	e := emulator.New(emulator.Options{Token: token})
	plain, err := client.New("https://api.example.test/v4", client.NewSecret(token), client.WithTransport(e))
	if err != nil {
		t.Fatal(err)
	}
	w := client.Confirmed(plain, client.OpCreateBucket, "us-east-1", "new-one")
	r := client.BucketRequest{Cluster: "us-east-1", Label: "new-one"}
	if _, err := w.CreateBucket(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	b := &changeFixture{emulator: e, journal: &recordingJournal{Journal: journal.NewInMemory(time.Now)}}
	b.wire = faulttest.NewTransport(e, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		b.journal.addEvent("sent")
		return fault(next, r)
	})
	b.client, err = client.New(
		"https://api.example.test/v4",
		client.NewSecret(token),
		append([]client.Option{client.WithTransport(b.wire), client.WithRecorder(b.journal)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// appliedChanges returns how many changes the account has applied since the fixture was created.
func (b *changeFixture) appliedChanges() int { return len(b.emulator.Ledger()) - 1 }

func writeSteps(t *testing.T) []operationCall {
	return operationsOf(t, func(op emulator.Route) bool { return op.Write })
}

// Wherever a change fails, it is sent at most once, its outcome is known or Unknown, and the journal holds the intent
// before the outcome.
func TestClient_write_everyFaultPosition(t *testing.T) {
	t.Parallel()
	for _, s := range writeSteps(t) {
		for _, p := range faultPositions() {
			faulttest.RunCaseInBubble(t, "B1", s.op+", "+p.name, func(t *testing.T) {
				for _, fault := range p.faults {
					checkFault(t, s, p, fault)
				}
			})
		}
		faulttest.RunCaseInBubble(t, "B1", s.op+", done", func(t *testing.T) {
			b := newChangeFixture(t, faulttest.Pass)
			if err := s.call(t.Context(), b.client); err != nil {
				t.Fatal(err)
			}
			b.checkResult(t, client.Applied, 1)
		})
		for _, status := range []int{400, 401, 403, 404, 409, 422, 429} {
			faulttest.RunCaseInBubble(t, "B1", fmt.Sprintf("%s, refused with %d", s.op, status), func(t *testing.T) {
				b := newChangeFixture(t, faulttest.Respond(status, `{"errors":[{"reason":"no"}]}`))
				var failure *client.Error
				if err := s.call(t.Context(), b.client); !errors.As(err, &failure) ||
					failure.Outcome != client.Rejected ||
					failure.Unknown() {
					t.Fatalf("%v is not a refusal", err)
				}
				b.checkResult(t, client.Rejected, 0)
			})
		}
	}
}

func checkFault(t *testing.T, s operationCall, p faultPosition, fault faulttest.RoundTripFunc) {
	b := newChangeFixture(t, fault)
	err := s.call(t.Context(), b.client)
	time.Sleep(10 * time.Minute) // nothing is sent later either
	var failure *client.Error
	if !errors.As(err, &failure) {
		t.Fatalf("%v counts as applied or is not an Error", err)
	}
	if failure.Unknown() != p.unknown || !p.unknown && failure.Outcome != client.NotSent {
		t.Errorf("told as outcome %s: %v", failure.Outcome, err)
	}
	if strings.Contains(err.Error(), "unknown") != p.unknown {
		t.Errorf("the words are wrong: %v", err)
	}
	want := client.Rejected
	if p.unknown {
		want = client.Unknown
	}
	b.checkResult(t, want, p.applied)
}

// checkResult checks that the change was sent once, and what the account and the journal hold of it.
func (b *changeFixture) checkResult(t *testing.T, want client.Outcome, applied int) {
	t.Helper()
	if n := len(b.wire.Requests()); n != 1 {
		t.Errorf("sent %d times", n)
	}
	if n := b.appliedChanges(); n != applied {
		t.Errorf("applied %d times, not %d", n, applied)
	}
	entries := b.journal.Entries(time.Time{})
	if len(entries) != 1 || entries[0].Outcome != want {
		t.Errorf("the journal says %+v, not %s", entries, want)
	}
	if got := strings.Join(b.journal.events, " "); got != "intent sent outcome" {
		t.Errorf("the order was %s", got)
	}
	for _, r := range b.wire.Requests() {
		if r.Header.Get("Idempotency-Key") != "" || r.Header.Get("Expect") != "" {
			t.Errorf("a header invites a replay: %v", r.Header)
		}
	}
}

// Changes whose result cannot be read may be sent again by the user: the result is the same.
func TestClient_write_repeatIsHarmless(t *testing.T) {
	for _, s := range writeSteps(t) {
		if s.op != "change login" && s.op != "modify access" && s.op != "update access" {
			continue
		}
		for _, p := range faultPositions()[1:] {
			faulttest.RunCaseInBubble(t, "B3", s.op+", "+p.name, func(t *testing.T) {
				b := newChangeFixture(t, nil)
				b.wire.Interceptors = []faulttest.RoundTripFunc{p.faults[0], faulttest.Pass}
				var failure *client.Error
				if err := s.call(t.Context(), b.client); !errors.As(err, &failure) || !failure.Unknown() {
					t.Fatalf("not told as unknown: %v", err)
				}
				if err := s.call(t.Context(), b.client); err != nil {
					t.Fatal(err)
				}
				ledger := b.emulator.Ledger()[1:]
				if len(ledger) != p.applied+1 || !reflect.DeepEqual(ledger[0].Body, ledger[len(ledger)-1].Body) {
					t.Errorf("the second is another change: %+v", ledger)
				}
			})
		}
	}
}

var grantCases = map[string][]client.BucketGrantRequest{
	"unlimited":  nil,
	"no bucket":  {},
	"one bucket": {{Cluster: "us-east-1", Bucket: "acme-www", Permissions: "read_only"}},
}

// A key whose answer was lost can be found by its new id. Its secret cannot be read again.
func TestKeys_Create_foundAfterLostResponse(t *testing.T) {
	for mode, buckets := range grantCases {
		for _, p := range faultPositions() {
			if p.applied == 0 {
				continue
			}
			faulttest.RunCaseInBubble(t, "B4", mode+", "+p.name, func(t *testing.T) {
				b := newChangeFixture(t, nil)
				b.wire.Interceptors = []faulttest.RoundTripFunc{faulttest.Pass, p.faults[0], faulttest.Pass}
				before := keyIDs(t, b.client)
				k, err := client.Confirmed(
					b.client, client.OpCreateKey,
				).CreateKey(t.Context(), client.AccessKeyRequest{Label: "x", Buckets: buckets})
				var failure *client.Error
				if !errors.As(err, &failure) || !failure.Unknown() || k != nil {
					t.Fatalf("%+v, %v", k, err)
				}
				after := keyIDs(t, b.client)
				orphans := slices.DeleteFunc(after, func(id int) bool { return slices.Contains(before, id) })
				if len(orphans) != 1 {
					t.Fatalf("%d keys are new", len(orphans))
				}
				found, err := b.client.Keys.Get(t.Context(), orphans[0])
				if _, real := found.Secret(); err != nil || real || found.Limited != client.Known(buckets != nil) {
					t.Errorf("%+v, %v", found, err)
				}
			})
		}
	}
}

func keyIDs(t *testing.T, c *client.Client) []int {
	var ids []int
	for k, err := range c.Keys.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, k.ID)
	}
	return ids
}

func TestKeys_Create_requestBody(t *testing.T) {
	want := map[string]string{"unlimited": `{"label":"x"}`, "no bucket": `{"label":"x","bucket_access":[]}`,
		"one bucket": `{"label":"x","bucket_access":[{"cluster":"us-east-1","bucket_name":"acme-www",` +
			`"permissions":"read_only"}]}`}
	for mode, buckets := range grantCases {
		for _, dialect := range []client.PathDialect{client.DialectDocument, client.DialectProvider} {
			faulttest.RunCase(t, "B5", mode+" "+string(dialect), func(t *testing.T) {
				b := newChangeFixture(t, faulttest.Pass, client.WithDialect(dialect))
				k, err := client.Confirmed(
					b.client, client.OpCreateKey,
				).CreateKey(t.Context(), client.AccessKeyRequest{Label: "x", Buckets: buckets})
				if got := string(b.wire.Requests()[0].Body); err != nil || got != want[mode] ||
					k.Limited != client.Known(buckets != nil) {
					t.Errorf("sent %s, %+v, %v", got, k, err)
				}
			})
		}
	}
}

func TestKey_Secret_missing(t *testing.T) {
	for name, member := range map[string]string{
		"redacted": `,"secret_key":"[REDACTED]"`,
		"empty":    `,"secret_key":""`,
		"null":     `,"secret_key":null`,
		"missing":  ``,
	} {
		faulttest.RunCase(t, "B6", name, func(t *testing.T) {
			b := newChangeFixture(t, faulttest.Respond(200, `{"id":7,"label":"x"`+member+`}`))
			k, err := client.Confirmed(
				b.client, client.OpCreateKey,
			).CreateKey(t.Context(), client.AccessKeyRequest{Label: "x"})
			if _, real := k.Secret(); err != nil || real || k.ID != 7 {
				t.Errorf("%+v, %v", k, err)
			}
		})
	}
}

// edits change or clear one member of a request each.
type fieldEdit[R any] struct {
	name string // as it is sent, "phone.primary"
	do   func(*R)
	want string
}

var serviceEdits = []fieldEdit[client.ServiceRequest]{
	{"label", func(r *client.ServiceRequest) { r.Label = "other" }, `"other"`},
	{"service_type", func(r *client.ServiceRequest) { r.Type = client.TypeTCP }, `"tcp"`},
	{"address", func(r *client.ServiceRequest) { r.Address = "https://b.example/" }, `"https://b.example/"`},
	{"timeout", func(r *client.ServiceRequest) { r.Timeout = 9 }, `9`},
	{"body", func(r *client.ServiceRequest) { r.Body = "" }, `null`},
	{"consultation_group", func(r *client.ServiceRequest) { r.Group = "" }, `""`},
	{"credentials", func(r *client.ServiceRequest) { r.Credentials = []int{32, 31} }, `[32,31]`},
	{"notes", func(r *client.ServiceRequest) { r.Notes = "" }, `null`},
	{"region", func(r *client.ServiceRequest) { r.Region = "" }, `null`},
}

var contactEdits = []fieldEdit[client.ContactRequest]{
	{"name", func(r *client.ContactRequest) { r.Name = "other" }, `"other"`},
	{"email", func(r *client.ContactRequest) { r.Email = "o@b.cd" }, `"o@b.cd"`},
	{"group", func(r *client.ContactRequest) { r.Group = "" }, `null`},
	{"phone.primary", func(r *client.ContactRequest) { r.Phone.Primary = "9" }, `"9"`},
	{"phone.secondary", func(r *client.ContactRequest) { r.Phone.Secondary = "" }, `null`},
}

var sshEdits = []fieldEdit[client.InstanceRequest]{
	{"ssh.access", func(r *client.InstanceRequest) { r.SSH.Access = new(false) }, `false`},
	{"ssh.user", func(r *client.InstanceRequest) { r.SSH.User = "" }, `null`},
	{"ssh.ip", func(r *client.InstanceRequest) { r.SSH.IP = "any" }, `"any"`},
	{"ssh.port", func(r *client.InstanceRequest) { r.SSH.Port = 0 }, `null`},
}

// For each member, and for every pair of members, the request holds exactly what was changed.
func TestDiff_everyPairOfFields(t *testing.T) {
	t.Parallel()
	checkEditPairs(t, client.ServiceRequest{
		Label:       "a",
		Type:        client.TypeURL,
		Address:     "https://a.example/",
		Timeout:     5,
		Body:        "ok",
		Group:       "web",
		Credentials: []int{31, 32},
		Notes:       "n",
		Region:      "us-east",
	},
		serviceEdits, func(x caller, p client.Patch) error {
			return ignore(x.write(client.OpUpdateService, 1).UpdateService(x, 1, p))
		})
	checkEditPairs(t, client.ContactRequest{
		Name:  "a",
		Email: "a@b.cd",
		Group: "web",
		Phone: client.PhoneNumbersRequest{Primary: "1", Secondary: "2"},
	},
		contactEdits, func(x caller, p client.Patch) error {
			return ignore(x.write(client.OpUpdateContact, 11).UpdateContact(x, 11, p))
		})
	checkEditPairs(t, client.InstanceRequest{SSH: client.SSHSettingsRequest{
		Access: new(true),
		User:   "ops",
		IP:     "192.0.2.1",
		Port:   2222,
	}},
		sshEdits, func(x caller, p client.Patch) error {
			return ignore(x.write(client.OpUpdateInstanceSSH, 70001).UpdateInstanceSSH(x, 70001, p))
		})
}

func checkEditPairs[R any](
	t *testing.T, before R, edits []fieldEdit[R], send func(caller, client.Patch) error,
) {
	for i, a := range edits {
		for _, b := range edits[i:] {
			after, want := before, map[string]string{a.name: a.want, b.name: b.want}
			a.do(&after)
			b.do(&after)
			faulttest.RunCase(t, "B11", a.name+" and "+b.name, func(t *testing.T) {
				c, w := newFaultClient(t, faulttest.Respond(200, `{"id":1}`))
				if err := send(caller{Context: t.Context(), Client: c}, client.Diff(before, after)); err != nil {
					t.Fatal(err)
				}
				got := map[string]string{}
				flatten(t, "", w.Requests()[0].Body, got)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("sent %s, not %v", w.Requests()[0].Body, want)
				}
			})
		}
	}
}

func flatten(t *testing.T, prefix string, body []byte, into map[string]string) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		t.Fatal(err)
	}
	for name, raw := range members {
		if raw[0] == '{' {
			flatten(t, prefix+name+".", raw, into)
			continue
		}
		into[prefix+name] = string(raw)
	}
}

// Fields returns the reasons of a refusal by the field that they name.
func TestError_Fields(t *testing.T) {
	for _, status := range []int{400, 403, 409, 422} {
		for body, want := range map[string]map[string]string{
			`{"errors":[{"field":"label","reason":"a"},{"field":"label","reason":"b"}]}`: {"label": `"a"; "b"`},
			`{"errors":[{"field":"phone.primary","reason":"bad"}]}`:                      {"phone.primary": `"bad"`},
			`{"errors":[{"field":"credentials[0]","reason":"bad"},{"reason":"general"}]}`: {
				"credentials[0]": `"bad"`,
				"":               `"general"`,
			},
			`{"errors":[{"field":null,"reason":"bad"}]}`:            {"": `"bad"`},
			`{"errors":[{"field":"no_such_field","reason":"bad"}]}`: {"no_such_field": `"bad"`},
			`{"errors":[]}`: nil,
		} {
			faulttest.RunCase(t, "B12", fmt.Sprint(status, " ", body), func(t *testing.T) {
				b := newChangeFixture(t, faulttest.Respond(status, body))
				_, err := client.Confirmed(
					b.client, client.OpCreateService,
				).CreateService(t.Context(), client.ServiceRequest{Label: "abc"})
				var failure *client.Error
				if !errors.As(err, &failure) || failure.Unknown() || !reflect.DeepEqual(failure.Fields(), want) {
					t.Errorf("%v, %v", err, failure.Fields())
				}
			})
		}
	}
}

func TestClient_CancelObjectStorage_lostResponse(t *testing.T) {
	for _, p := range faultPositions()[3:] {
		faulttest.RunCaseInBubble(t, "B15", p.name, func(t *testing.T) {
			b := newChangeFixture(t, nil)
			b.wire.Interceptors = []faulttest.RoundTripFunc{p.faults[0], faulttest.Pass}
			var failure *client.Error
			if err := client.Confirmed(
				b.client, client.OpCancelObjectStorage,
			).CancelObjectStorage(t.Context()); !errors.As(err, &failure) ||
				!failure.Unknown() {
				t.Fatalf("%v", err)
			}
			left, err := b.client.Buckets.List(t.Context(), 1)
			if err != nil || (len(left.Data) == 0) != (p.applied == 1) || b.appliedChanges() != p.applied {
				t.Errorf("%d buckets are left, applied %d times, %v", len(left.Data), b.appliedChanges(), err)
			}
		})
	}
}

func TestBuckets_Delete_notEmpty(t *testing.T) {
	for _, label := range []string{"acme-www", "logs-eu", "acme-backups"} {
		faulttest.RunCase(t, "B16", label, func(t *testing.T) {
			b := newChangeFixture(t, faulttest.Pass)
			cluster := "us-east-1"
			if label == "logs-eu" {
				cluster = "eu-central-1"
			}
			var failure *client.Error
			err := client.Confirmed(
				b.client, client.OpDeleteBucket, cluster, label,
			).DeleteBucket(t.Context(), cluster, label)
			if !errors.As(err, &failure) || failure.Unknown() || !strings.Contains(err.Error(), "not empty") ||
				len(b.wire.Requests()) != 1 ||
				b.appliedChanges() != 0 {
				t.Errorf("%v after %d requests", err, len(b.wire.Requests()))
			}
		})
	}
}

func TestBuckets_Create_exists(t *testing.T) {
	for _, acl := range []client.ACL{client.ACLPrivate, client.ACLPublicRead} {
		faulttest.RunCase(t, "B17", string(acl), func(t *testing.T) {
			b := newChangeFixture(t, faulttest.Pass)
			got, err := client.Confirmed(b.client, client.OpCreateBucket, "us-east-1", "acme-www").CreateBucket(
				t.Context(),
				client.BucketRequest{
					Cluster: "us-east-1",
					Label:   "acme-www",
					ACL:     acl,
					CORS:    new(true),
				},
			)
			if err != nil || time.Since(got.Created.Time()) < 24*time.Hour || got.Objects == client.Known[int64](0) {
				t.Errorf("an old bucket passes as new: %+v, %v", got, err)
			}
		})
	}
}

var segments = []string{
	"",
	".",
	"..",
	"...",
	"a/b",
	"/",
	"//",
	"../keys",
	"..\\keys",
	"a?x",
	"?",
	"a#x",
	"#",
	"%2f",
	"%2e%2e",
	"%",
	"a\nb",
	"a\r\nHost: evil",
	"\x00",
	"a b",
	" ",
	`a\b`,
	"\u202e",
	"ä",
	"a\tb",
	"\x1b[2J",
	"..%2fkeys",
	"a/../b",
	"./a",
	"a;b",
	"a:b",
	"@evil",
	strings.Repeat("a", 5000),
}

// Whatever the name of a cluster or bucket, the path keeps its number of segments or nothing is sent.
func TestExpandPath_everyOperation(t *testing.T) {
	t.Parallel()
	calls := map[string]func(caller, string) error{
		"clusters/*": func(x caller, s string) error { return ignore(x.Clusters.Get(x, s)) },
		"buckets/*":  func(x caller, s string) error { return ignore(x.Buckets.ListInCluster(x, s, 1)) },
		"buckets/*/b": func(x caller, s string) error {
			return x.write(client.OpDeleteBucket, s, "b").DeleteBucket(x, s, "b")
		},
		"buckets/us-east-1/*": func(x caller, s string) error {
			return x.write(client.OpDeleteBucket, east, s).DeleteBucket(x, east, s)
		},
		"buckets/us-east-1/*/access": func(x caller, s string) error {
			w := x.write(client.OpUpdateBucketAccess, east, s)
			return w.UpdateBucketAccess(x, east, s, client.BucketAccess{ACL: client.ACLPrivate})
		},
		"buckets/us-east-1/*/object-acl": func(x caller, s string) error {
			object := client.ObjectRef{Cluster: east, Bucket: s, Name: "n"}
			return ignore(x.write(client.OpSetObjectACL, east, s, "n").SetObjectACL(x, object, client.ACLPrivate))
		},
		"buckets/us-east-1/*/object-list": func(x caller, s string) error {
			return ignore(x.Objects.List(x, client.ObjectQuery{Cluster: east, Bucket: s}))
		},
		"buckets/us-east-1/*/object-url": func(x caller, s string) error {
			w := x.write(client.OpCreateObjectURL, east, s, "n")
			return ignore(w.CreateObjectURL(x, east, s, client.PresignRequest{Name: "n", Method: "GET"}))
		},
		"buckets/us-east-1/*/ssl": func(x caller, s string) error {
			return x.write(client.OpDeleteCertificate, east, s).DeleteCertificate(x, east, s)
		},
	}
	for pattern, call := range calls {
		pattern = "/v4/object-storage/" + pattern
		for _, s := range segments {
			faulttest.RunCase(t, "B18", fmt.Sprintf("%s %.20q", pattern, s), func(t *testing.T) {
				c, w := newFaultClient(
					t,
					faulttest.Respond(
						200, `{"data":[],"id":"x","acl":"private","url":"https://x/","page":1,"pages":1,"results":0}`,
					),
				)
				err := call(caller{Context: t.Context(), Client: c}, s)
				seen := w.Requests()
				if len(seen) == 0 {
					if err == nil {
						t.Error("nothing was sent, and nothing was said")
					}
					return
				}
				want := strings.Replace(pattern, "*", url.PathEscape(s), 1)
				if seen[0].Path != want || strings.ContainsAny(s, "/?#%\\ \n\r\x00") || s == ".." || s == "." ||
					s == "" {
					t.Errorf("%q made the path %.80q", s, seen[0].Path)
				}
			})
		}
	}
}

// No request has a header that lets net/http or a proxy send it twice.
func TestClient_write_noReplayHeaders(t *testing.T) {
	for _, s := range operations(t) {
		faulttest.RunCase(t, "B19", s.op, func(t *testing.T) {
			c, w := newFaultClient(t, faulttest.Respond(404, `{"errors":[{"reason":"Not found"}]}`))
			_ = s.call(t.Context(), c)
			for _, r := range w.Requests() {
				for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key", "Expect"} {
					if r.Header.Values(name) != nil {
						t.Errorf("%s is sent", name)
					}
				}
			}
			if len(w.Requests()) != 1 {
				t.Errorf("sent %d times", len(w.Requests()))
			}
		})
	}
}

func TestWithReadOnly_rejectsEveryChange(t *testing.T) {
	for _, s := range writeSteps(t) {
		faulttest.RunCase(t, "B22", s.op, func(t *testing.T) {
			b := newChangeFixture(t, faulttest.Pass, client.WithReadOnly())
			if err := s.call(t.Context(), b.client); !errors.Is(err, client.ErrReadOnly) {
				t.Errorf("told as %v", err)
			}
			if len(b.wire.Requests()) != 0 || b.appliedChanges() != 0 || len(b.journal.Entries(time.Time{})) != 0 {
				t.Error("something was sent or recorded")
			}
		})
	}
}

// A key can be replaced if it is known what it reaches: a limited key whose buckets are not told would get one that
// reaches nothing, or everything.
func TestAccessKey_Replacement(t *testing.T) {
	grant := []client.BucketGrant{{Cluster: client.NewText("us-east-1"), Bucket: client.NewText("www")}}
	for name, c := range map[string]struct {
		limited client.Optional[bool]
		buckets []client.BucketGrant
		known   bool
		grants  int // in the request; -1 is everything
	}{
		"everything":          {client.Known(false), nil, true, -1},
		"one bucket":          {client.Known(true), grant, true, 1},
		"no bucket":           {client.Known(true), []client.BucketGrant{}, true, 0},
		"limited, not told":   {client.Known(true), nil, false, -1},
		"nothing told":        {client.Optional[bool]{}, nil, false, -1},
		"a list alone":        {client.Optional[bool]{}, grant, true, 1},
		"an empty list alone": {client.Optional[bool]{}, []client.BucketGrant{}, true, 0},
	} {
		k := client.AccessKey{Limited: c.limited, Buckets: c.buckets}
		r, known := k.Replacement("new")
		grants := len(r.Buckets)
		if r.Buckets == nil {
			grants = -1
		}
		if known != c.known || known && grants != c.grants {
			t.Errorf("%s: %+v, known %v", name, r, known)
		}
	}
}
