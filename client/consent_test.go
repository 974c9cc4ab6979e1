package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/faulttest"
)

// scriptedAsker answers every question with yes or no, or cannot ask, and keeps the questions.
type scriptedAsker struct {
	yes   bool
	err   error
	asked []client.ConsentQuestion
}

func (a *scriptedAsker) Ask(_ context.Context, q client.ConsentQuestion) (bool, error) {
	a.asked = append(a.asked, q)
	return a.yes, a.err
}

var deleteContact = client.ConsentQuestion{Op: client.OpDeleteContact, Effect: "Deletes contact Ada", Required: true}

// sent returns how many requests left the client.
func (b *changeFixture) sent() int { return len(b.wire.Requests()) }

// A consent covers its own operation, ids and account, and nothing else.
func TestClient_Begin_consentScope(t *testing.T) {
	b, other := newChangeFixture(t, faulttest.Pass), newChangeFixture(t, faulttest.Pass)
	asker := &scriptedAsker{yes: true}
	consent, err := b.client.Consent(t.Context(), asker, deleteContact, "11", "12")
	if err != nil || len(asker.asked) != 1 {
		t.Fatalf("asked %d times: %v", len(asker.asked), err)
	}
	for name, c := range map[string]struct {
		client  *client.Client
		change  client.Change
		consent *client.Consent
		allowed bool
	}{
		"named id":        {b.client, client.Change{Op: client.OpDeleteContact, ID: "11"}, consent, true},
		"other named id":  {b.client, client.Change{Op: client.OpDeleteContact, ID: "12"}, consent, true},
		"wrong id":        {b.client, client.Change{Op: client.OpDeleteContact, ID: "13"}, consent, false},
		"no id":           {b.client, client.Change{Op: client.OpDeleteContact}, consent, false},
		"wrong operation": {b.client, client.Change{Op: client.OpUpdateContact, ID: "11"}, consent, false},
		"an operation whose name begins alike": {
			b.client,
			client.Change{Op: client.OpDeleteCredential, ID: "11"},
			consent,
			false,
		},
		"wrong account": {other.client, client.Change{Op: client.OpDeleteContact, ID: "11"}, consent, false},
		"no consent":    {b.client, client.Change{Op: client.OpDeleteContact, ID: "11"}, nil, false},
		"empty consent": {b.client, client.Change{Op: client.OpDeleteContact, ID: "11"}, &client.Consent{}, false},
	} {
		w, err := c.client.Begin(c.change, c.consent)
		if c.allowed != (err == nil) || c.allowed != (w != nil) {
			t.Errorf("%s: %v, %v", name, w, err)
		}
		if !c.allowed && !errors.Is(err, client.ErrNotConfirmed) {
			t.Errorf("%s: %v is not ErrNotConfirmed", name, err)
		}
	}
}

// A writer sends nothing but the operation and the thing that it was begun for.
func TestWriter_refusesOtherChanges(t *testing.T) {
	b := newChangeFixture(t, faulttest.Pass)
	w := b.begin(t, client.Change{Op: client.OpDeleteContact, ID: "11"})
	for name, err := range map[string]error{
		"another contact":   w.DeleteContact(t.Context(), 12),
		"another operation": ignore(w.UpdateContact(t.Context(), 11, client.Patch{"name": "x"})),
		"another resource":  w.DeleteService(t.Context(), 11),
		"a similar one":     w.DeleteCredential(t.Context(), 11),
		"an object":         w.DeleteObject(t.Context(), client.ObjectRef{Cluster: "a", Bucket: "b", Name: "c"}),
		"a creation":        ignore(w.CreateKey(t.Context(), client.AccessKeyRequest{Label: "x"})),
		"the whole storage": w.CancelObjectStorage(t.Context()),
	} {
		var e *client.Error
		if !errors.Is(err, client.ErrNotConfirmed) || !errors.As(err, &e) || e.Outcome != client.NotSent {
			t.Errorf("%s: %v", name, err)
		}
	}
	if b.sent() != 0 || len(b.journal.Entries(time.Time{})) != 0 {
		t.Errorf("%d requests sent, journal %v", b.sent(), b.journal.Entries(time.Time{}))
	}
	if err := w.DeleteContact(t.Context(), 11); err != nil || b.appliedChanges() != 1 {
		t.Errorf("%v, %d applied", err, b.appliedChanges())
	}
}

// Names of objects are case-sensitive: what was agreed to for one holds for no other.
func TestWriter_refusesAnotherCase(t *testing.T) {
	b := newChangeFixture(t, faulttest.Pass)
	object := client.ObjectRef{Cluster: "us-east-1", Bucket: "acme-www", Name: "Logo.png"}
	other := object
	other.Name = "logo.png"
	w := b.begin(t, client.Change{Op: client.OpDeleteObject, ID: object.ID()})
	if err := w.DeleteObject(t.Context(), other); !errors.Is(err, client.ErrNotConfirmed) || b.sent() != 0 {
		t.Errorf("%v, %d requests sent", err, b.sent())
	}
}

// begin returns the writer of a change that the user confirmed.
func (b *changeFixture) begin(t *testing.T, change client.Change) *client.Writer {
	t.Helper()
	asker := &scriptedAsker{yes: true}
	consent, err := b.client.Consent(t.Context(), asker, client.ConsentQuestion{Op: change.Op}, change.ID)
	if err != nil {
		t.Fatal(err)
	}
	w, err := b.client.Begin(change, consent)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Read-only mode asks nothing, and gives neither a consent nor a writer.
func TestClient_Begin_readOnly(t *testing.T) {
	b := newChangeFixture(t, faulttest.Pass, client.WithReadOnly())
	asker := &scriptedAsker{yes: true}
	if _, err := b.client.Consent(t.Context(), asker, deleteContact, "11"); !errors.Is(err, client.ErrReadOnly) {
		t.Errorf("consent: %v", err)
	}
	if len(asker.asked) != 0 {
		t.Errorf("asked %+v", asker.asked)
	}
	change := client.Change{Op: client.OpDeleteContact, ID: "11"}
	if _, err := b.client.Begin(change, nil); !errors.Is(err, client.ErrReadOnly) {
		t.Errorf("begin: %v", err)
	}
}

// An open account asks before a loss only; a protected account asks before every change and gives its name.
func TestClient_Consent_asks(t *testing.T) {
	edit := client.ConsentQuestion{Op: client.OpUpdateContact}
	for name, c := range map[string]struct {
		options  []client.Option
		question client.ConsentQuestion
		asked    bool
		account  string
	}{
		"open, harmless":      {nil, edit, false, ""},
		"open, dangerous":     {nil, deleteContact, true, ""},
		"protected, harmless": {[]client.Option{client.WithProtected("prod")}, edit, true, "prod"},
		"protected, dangerous": {
			[]client.Option{client.WithProtected("prod")},
			deleteContact,
			true,
			"prod",
		},
	} {
		b := newChangeFixture(t, faulttest.Pass, c.options...)
		asker := &scriptedAsker{yes: !c.asked}
		consent, err := b.client.Consent(t.Context(), asker, c.question, "11")
		if c.asked != (len(asker.asked) == 1) || c.asked && asker.asked[0].Account != c.account {
			t.Errorf("%s: asked %+v", name, asker.asked)
		}
		if c.asked && (consent != nil || !errors.Is(err, client.ErrDeclined)) || !c.asked && err != nil {
			t.Errorf("%s: answered no: %v, %v", name, consent, err)
		}
	}
}

// If a question cannot be asked, there is no consent, and the error says why.
func TestClient_Consent_cannotAsk(t *testing.T) {
	b := newChangeFixture(t, faulttest.Pass)
	asker := &scriptedAsker{yes: true, err: io.ErrUnexpectedEOF}
	consent, err := b.client.Consent(t.Context(), asker, deleteContact, "11")
	if consent != nil || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v, %v", consent, err)
	}
}

// A dialog shows the question first and gives the answer later.
func TestConsentRequest_Answer(t *testing.T) {
	b := newChangeFixture(t, faulttest.Pass, client.WithProtected("prod"))
	request := b.client.RequestConsent(client.ConsentQuestion{Op: client.OpCreateContact, Effect: "Makes contact Zed"})
	if q := request.Question(); q == nil || q.Account != "prod" || q.Effect != "Makes contact Zed" {
		t.Fatalf("the question is %+v", request.Question())
	}
	if consent, err := request.Answer(false); consent != nil || !errors.Is(err, client.ErrDeclined) {
		t.Errorf("no: %v, %v", consent, err)
	}
	consent, err := request.Answer(true)
	if err != nil {
		t.Fatal(err)
	}
	w, err := b.client.Begin(client.Change{Op: client.OpCreateContact, Resource: "contact"}, consent)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.CreateContact(t.Context(), client.ContactRequest{
		Name:  "Zed Ek",
		Email: "zed@acme.net",
	}); err != nil {
		t.Error(err)
	}
}

// A consent for everything below a parent stays inside its bucket.
func TestClient_Consent_below(t *testing.T) {
	b := newChangeFixture(t, faulttest.Pass)
	for _, c := range []struct {
		parent, id string
		allowed    bool
	}{
		{"us-east-1/photos/", "us-east-1/photos/a.jpg", true},
		{"us-east-1/photos/2024/", "us-east-1/photos/2024/a/b.jpg", true},
		{"us-east-1/photos/2024/", "us-east-1/photos/2023/a.jpg", false},
		{"us-east-1/photos/2024/", "us-east-1/photos/2024-old/a.jpg", false},
		{"us-east-1/photos/", "us-east-1/photos-old/a.jpg", false},
		{"us-east-1/photos", "us-east-1/photos-old/a.jpg", false},
		{"us-east-1/", "us-east-1/photos/a.jpg", false},
		{"", "us-east-1/photos/a.jpg", false},
	} {
		q := client.ConsentQuestion{Op: client.OpDeleteObject, Below: true}
		consent, err := b.client.Consent(t.Context(), nil, q, c.parent)
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.client.Begin(client.Change{Op: client.OpDeleteObject, ID: c.id}, consent)
		if c.allowed != (err == nil) {
			t.Errorf("%q covers %q: %v", c.parent, c.id, err)
		}
	}
}

// The consent to disable a service until a set time covers enabling it again, once, until somebody decides otherwise.
func TestClient_Scheduled(t *testing.T) {
	b := newChangeFixture(t, faulttest.Pass, client.WithProtected("prod"))
	disable := client.Change{Op: client.OpDisableService, Resource: "service", ID: "2"}
	if _, err := b.begin(t, disable).DisableService(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	unscheduled, _ := b.journal.ActiveWindow("2")
	if _, err := b.client.Scheduled(unscheduled.ID); !errors.Is(err, client.ErrNotConfirmed) {
		t.Errorf("a service without an end is enabled: %v", err)
	}
	disable.RevertAt, disable.Replaces = time.Now().Add(time.Hour), []string{unscheduled.ID}
	if _, err := b.begin(t, disable).DisableService(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	window, _ := b.journal.ActiveWindow("2")
	consent, err := b.client.Scheduled(window.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.client.Begin(client.Change{Op: client.OpDeleteService, ID: "2"}, consent); err == nil {
		t.Error("the schedule deletes the service")
	}
	w, err := b.client.Begin(client.Change{Op: client.OpEnableService, Resource: "service", ID: "2"}, consent)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.EnableService(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{window.ID, unscheduled.ID, "", "unheard-of"} {
		if _, err := b.client.Scheduled(id); !errors.Is(err, client.ErrNotConfirmed) {
			t.Errorf("%q: a superseded window is reverted: %v", id, err)
		}
	}
}

// The journal keeps what the change is about, and the value before.
func TestClient_Begin_journalsChange(t *testing.T) {
	b := newChangeFixture(t, faulttest.Pass)
	until := time.Date(2026, 11, 22, 6, 30, 0, 0, time.UTC)
	want := client.Change{
		Op:       client.OpUpdateContact,
		Method:   "PUT",
		Path:     "/v4/managed/contacts/11",
		Resource: "contact",
		ID:       "11",
		Label:    "Ada",
		Reason:   "married",
		RevertAt: until,
		Before:   map[string]any{"name": "Ada"},
		Body:     map[string]any{"name": "Ada W."},
	}
	change := want
	change.Method, change.Path, change.Body = "", "", nil
	if _, err := b.begin(t, change).UpdateContact(t.Context(), 11, client.Patch{"name": "Ada W."}); err != nil {
		t.Fatal(err)
	}
	b.checkResult(t, client.Applied, 1)
	if got := b.journal.Entries(time.Time{})[0].Change; !reflect.DeepEqual(got, want) {
		t.Errorf("the journal has %+v, not %+v", got, want)
	}
}

// Emptying a bucket is one change of the journal, and deletes nothing outside its prefix.
func TestWriter_EmptyBucket(t *testing.T) {
	b := newChangeFixture(t, faulttest.Pass)
	const bucket = "cdn.acme.net"
	change := client.Change{
		Op:       client.OpEmptyBucket,
		Resource: "bucket",
		ID:       client.ObjectRef{Cluster: "us-east-1", Bucket: bucket, Name: "index"}.ID(),
		Before:   map[string]any{"objects": 1},
	}
	w := b.begin(t, change)
	err := w.EmptyBucket(t.Context(), "us-east-1", bucket, "index",
		func(ctx context.Context, d *client.BulkDeletion) error {
			if _, err := d.Begin([]string{"index.html", "logo.png"}); !errors.Is(err, client.ErrNotConfirmed) {
				t.Errorf("an object outside the prefix: %v", err)
			}
			step, err := d.Begin([]string{"index.html"})
			if err != nil {
				return err
			}
			if err := step.Remove(ctx, "index.htm"); !errors.Is(err, client.ErrNotConfirmed) {
				t.Errorf("an object that was not recorded: %v", err)
			}
			return errors.Join(step.Remove(ctx, "index.html"), step.End(1, nil))
		})
	entries := b.journal.Entries(time.Time{})
	if err != nil || len(entries) != 1 || entries[0].Outcome != client.Applied || entries[0].Change.Before == nil {
		t.Errorf("%v, the journal has %+v", err, entries)
	}
	if _, there, err := b.client.Objects.Find(t.Context(), "us-east-1", bucket, "index.html"); there || err != nil {
		t.Errorf("index.html is there: %v, %v", there, err)
	}
	err = w.EmptyBucket(t.Context(), "us-east-1", bucket, "", nil)
	if !errors.Is(err, client.ErrNotConfirmed) {
		t.Errorf("a wider prefix: %v", err)
	}
}

// Read-only mode allows links for GET, which are recorded, and no others.
func TestWriter_CreateObjectURL_readOnly(t *testing.T) {
	b := newChangeFixture(t, faulttest.Pass, client.WithReadOnly())
	object := client.ObjectRef{Cluster: "us-east-1", Bucket: "cdn.acme.net", Name: "index.html"}
	download := client.PresignRequest{Name: object.Name, Method: http.MethodGet}
	w := b.begin(t, client.Change{Op: download.Op(), Resource: "object", ID: object.ID()})
	for _, method := range []string{http.MethodPut, http.MethodDelete} {
		r := client.PresignRequest{Name: object.Name, Method: method, ContentType: "text/plain"}
		_, err := b.client.Consent(
			t.Context(),
			&scriptedAsker{yes: true},
			client.ConsentQuestion{Op: r.Op()},
			object.ID(),
		)
		if !errors.Is(err, client.ErrReadOnly) {
			t.Errorf("consent to a link for %s: got %v, want %v", method, err, client.ErrReadOnly)
		}
		if _, err = w.CreateObjectURL(t.Context(), object.Cluster, object.Bucket, r); err == nil {
			t.Errorf("a writer of links for GET makes one for %s", method)
		}
	}
	if err := w.DeleteObject(t.Context(), object); !errors.Is(err, client.ErrNotConfirmed) {
		t.Errorf("a writer of links deletes: got %v, want %v", err, client.ErrNotConfirmed)
	}
	link, err := w.CreateObjectURL(t.Context(), object.Cluster, object.Bucket, download)
	if err != nil || link.URL.IsZero() {
		t.Fatalf("a link for GET: %v, %v", link, err)
	}
	b.checkResult(t, client.Applied, 0)
}

// The journal records that a link was made, but not the link itself.
func TestWriter_CreateObjectURL_journaled(t *testing.T) {
	b := newChangeFixture(t, faulttest.Pass)
	object := client.ObjectRef{Cluster: "us-east-1", Bucket: "cdn.acme.net", Name: "index.html"}
	w := b.begin(t, client.Change{Op: client.OpCreateObjectURL, Resource: "object", ID: object.ID()})
	request := client.PresignRequest{Name: object.Name, Method: "PUT", ContentType: "text/plain"}
	link, err := w.CreateObjectURL(t.Context(), object.Cluster, object.Bucket, request)
	if err != nil || link.URL.IsZero() {
		t.Fatal(link, err)
	}
	b.checkResult(t, client.Applied, 0)
	data, err := json.Marshal(b.journal.Entries(time.Time{}))
	if err != nil || strings.Contains(string(data), "ignature") {
		t.Errorf("the journal holds the link: %s, %v", data, err)
	}
}
