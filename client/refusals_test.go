package client_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
)

// A change answered with 500 or 503 keeps the server's reason: in the error, and in the journal, even after reading
// again has shown the outcome.
func TestError_unknownOutcomeKeepsServerReason(t *testing.T) {
	for _, status := range []int{408, 500, 502, 503, 504} {
		for _, s := range writeSteps(t) {
			faulttest.RunCaseInBubble(t, "B1", s.op+", reason", func(t *testing.T) {
				reason := "Unable to create keys at this time."
				b := newChangeFixture(t, faulttest.Respond(status, `{"errors":[{"reason":"`+reason+`"}]}`))
				var failure *client.Error
				err := s.call(t.Context(), b.client)
				if !errors.As(err, &failure) || !failure.Unknown() || !strings.Contains(err.Error(), reason) {
					t.Fatalf("%d: %v", status, err)
				}
				if e := b.journal.Entries(time.Time{})[0]; !strings.Contains(e.OutcomeDetail, reason) {
					t.Errorf("the journal says %q", e.OutcomeDetail)
				}
				failure.Settle(true)
				e := b.journal.Entries(time.Time{})[0]
				if e.Outcome != client.Applied || !strings.Contains(e.OutcomeDetail, reason) {
					t.Errorf("settled, the journal says %s, %q", e.Outcome, e.OutcomeDetail)
				}
			})
		}
	}
}

// 408 is unknown, not refused: as JSON, as a page and without a body, at a pre-signed URL too.
func TestError_408IsUnknown(t *testing.T) {
	for name, body := range map[string]string{
		"JSON":    `{"errors":[{"reason":"Request timed out"}]}`,
		"a page":  "<html><title>408 Request Time-out</title></html>",
		"nothing": "",
	} {
		for _, s := range writeSteps(t) {
			faulttest.RunCaseInBubble(t, "B1", s.op+", 408 "+name, func(t *testing.T) {
				b := newChangeFixture(t, faulttest.ApplyThen(faulttest.Respond(408, body)))
				var failure *client.Error
				if err := s.call(t.Context(), b.client); !errors.As(err, &failure) || !failure.Unknown() {
					t.Fatalf("told as %v", err)
				}
				if failure.Advice() != "" {
					t.Errorf("advises %q", failure.Advice())
				}
				b.checkResult(t, client.Unknown, 1)
			})
		}
	}
	timeout := faulttest.Respond(408, "")
	b := newChangeFixture(t, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPut {
			return timeout(next, r)
		}
		return next.RoundTrip(r)
	})
	ref := client.ObjectRef{Cluster: "us-east-1", Bucket: "acme-www", Name: "new.txt"}
	err := client.Confirmed(b.client, client.OpUploadObject, "us-east-1", "acme-www", "new.txt").UploadObject(
		t.Context(), ref, client.UploadBody{Reader: strings.NewReader("x"), Size: 1, ContentType: "text/plain"},
	)
	var failure *client.Error
	if !errors.As(err, &failure) || failure.Status != 408 || !failure.Unknown() {
		t.Errorf("upload: %v", err)
	}
}

// A 204 means that a deletion was applied, or any other change whose answer is empty. If the answer should hold the new
// row, the outcome is unknown.
func TestWriter_204IsDone(t *testing.T) {
	for _, s := range writeSteps(t) {
		if s.op == client.OpSetObjectACL {
			continue // is read again: TestWriter_SetObjectACL_readsBack
		}
		faulttest.RunCaseInBubble(t, "B1", s.op+", 204", func(t *testing.T) {
			b := newChangeFixture(t, faulttest.ApplyThen(faulttest.Respond(204, "")))
			want := client.Applied
			switch s.op {
			case client.OpCreateContact, client.OpUpdateContact, client.OpCreateCredential, client.OpUpdateCredential,
				client.OpUpdateInstanceSSH, client.OpCreateService, client.OpUpdateService, client.OpDisableService,
				client.OpEnableService, client.OpCreateBucket, client.OpCreateKey, client.OpUpdateKey,
				client.OpUploadCertificate:
				want = client.Unknown
			}
			if err := s.call(t.Context(), b.client); (err == nil) != (want == client.Applied) {
				t.Errorf("told as %v", err)
			}
			b.checkResult(t, want, 1)
		})
	}
}

// A 429 page in HTML is a 429: it is refused, says so, and its Retry-After counts.
func TestError_429InHTML(t *testing.T) {
	page := "<html><head><title>429 Too Many Requests</title></head><body>nginx</body></html>"
	for _, body := range []string{page, ""} {
		faulttest.RunCaseInBubble(t, "A20", body, func(t *testing.T) {
			refusal := faulttest.Respond(429, body, "Content-Type", "text/html", "Retry-After", "37")
			b := newChangeFixture(t, refusal)
			w := client.Confirmed(b.client, client.OpDisableService, 1)
			_, err := w.DisableService(t.Context(), 1)
			var failure *client.Error
			if !errors.As(err, &failure) || !errors.Is(err, client.ErrRateLimited) || failure.NotFromAPI() ||
				failure.Outcome != client.Rejected || failure.RetryAfter != 37*time.Second ||
				!strings.Contains(err.Error(), "429 Too Many Requests") {
				t.Fatalf("%v", err)
			}
			if got := failure.Advice(); got != "try again in 37s" {
				t.Errorf("advises %q", got)
			}
			start := time.Now()
			c, wire := newFaultClient(t, refusal, faulttest.Pass)
			if _, err := c.Services.List(t.Context(), 1); err != nil || len(wire.Requests()) != 2 {
				t.Errorf("a read: %v after %d requests", err, len(wire.Requests()))
			}
			if waited := time.Since(start); waited < 37*time.Second {
				t.Errorf("the read was repeated after %v", waited)
			}
		})
	}
}

// The advice below a 403 fits its reason: the balance, the scope, a restricted user, something else.
func TestError_Advice_fitsReason(t *testing.T) {
	const unrestricted = "ask for an unrestricted user of the account"
	const managed = unrestricted + ", and check that Managed is enabled on it"
	for _, c := range []struct {
		name, body, scopes string
		service            bool // asks for Managed, else for Object Storage
		want               string
	}{
		{"restricted user", `{"errors":[{"reason":"Unauthorized"}]}`, "*", true, managed},
		{"restricted user of buckets", `{"errors":[{"reason":"Unauthorized"}]}`, "*", false, unrestricted},
		{"no reason", "", "*", false, unrestricted},
		{
			"balance",
			`{"errors":[{"reason":"Your account has a negative balance."}]}`,
			"*",
			false,
			"someone with billing access must settle the account's balance first",
		},
		{
			"not activated",
			`{"errors":[{"reason":"Your account must be activated before you can use this endpoint"}]}`,
			"*",
			false,
			"the account must be activated at the provider first",
		},
		{
			"scope by its reason",
			`{"errors":[{"reason":"Your OAuth token is not allowed to do this"}]}`,
			"*",
			true,
			"use a token with the scope account:read_write",
		},
		{
			"scope by the header",
			`{"errors":[{"reason":"Unauthorized"}]}`,
			"account:read_only object_storage:read_write",
			true,
			"use a token with the scope account:read_write",
		},
		{"a value", `{"errors":[{"reason":"The following ids are not valid","field":"ids"}]}`, "*", true, ""},
		{"another", `{"errors":[{"reason":"This is locked"}]}`, "*", true, "ask an administrator of the account"},
		{"a page", "<html></html>", "*", true, "check the base URL, which ends in /v4, and the proxy if you use one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newChangeFixture(t, faulttest.Respond(403, c.body, "X-OAuth-Scopes", c.scopes))
			err := client.Confirmed(b.client, client.OpDeleteService, 1).DeleteService(t.Context(), 1)
			if !c.service {
				_, err = client.Confirmed(b.client, client.OpCreateKey).CreateKey(
					t.Context(), client.AccessKeyRequest{Label: "fine"},
				)
			}
			var failure *client.Error
			if !errors.As(err, &failure) || failure.Advice() != c.want {
				t.Errorf("%v: advises %q, not %q", err, failure.Advice(), c.want)
			}
		})
	}
}

// The advice fits what the emulator and so the document says: in debt, restricted, without the scope.
func TestError_Advice_ofEmulatedAccounts(t *testing.T) {
	for want, o := range map[string]emulator.Options{
		"balance":           {NegativeBalance: true},
		"the scope object_": {Scopes: "object_storage:read_only"},
	} {
		c, _ := newEmulatedClient(t, o)
		_, err := client.Confirmed(c, client.OpCreateKey).CreateKey(t.Context(), client.AccessKeyRequest{Label: "fine"})
		var failure *client.Error
		if !errors.As(err, &failure) || !strings.Contains(failure.Advice(), want) {
			t.Errorf("%v: advises %q, not %q", err, failure.Advice(), want)
		}
	}
}

// A 404 has a next step, which depends on what was not found.
func TestError_Advice_notFound(t *testing.T) {
	c, _ := newEmulatedClient(t, emulator.Options{})
	_, service := c.Services.Get(t.Context(), 4711)
	_, bucket := c.Buckets.Get(t.Context(), "us-east-1", "nothing")
	deleted := client.Confirmed(c, client.OpDeleteContact, 4711).DeleteContact(t.Context(), 4711)
	missing := newSingleFaultClient(t, faulttest.Respond(404, `{"errors":[{"reason":"Not found"}]}`))
	_, list := missing.Services.List(t.Context(), 1)
	for name, wanted := range map[string]struct {
		err  error
		want string
	}{
		"a service":     {service, "it may have been deleted; reload the list"},
		"a bucket":      {bucket, "it may have been deleted; reload the list"},
		"a deletion":    {deleted, "it may have been deleted; reload the list"},
		"a list at all": {list, "check the base URL"},
	} {
		var failure *client.Error
		if !errors.As(wanted.err, &failure) || !failure.NotFound() || failure.Advice() != wanted.want {
			t.Errorf("%s: %v: advises %q", name, wanted.err, failure.Advice())
		}
	}
}

// An ACL that the answer does not hold is read again, and not claimed if that fails.
func TestWriter_SetObjectACL_readsBack(t *testing.T) {
	for _, c := range []struct {
		answer, read faulttest.RoundTripFunc
		want         client.ACL
	}{
		{faulttest.Pass, faulttest.Respond(500, ""), client.ACLPublicRead},
		{faulttest.ApplyThen(faulttest.Respond(200, "{}")), faulttest.Pass, client.ACLPublicRead},
		{faulttest.ApplyThen(faulttest.Respond(204, "")), faulttest.Pass, client.ACLPublicRead},
		{faulttest.Respond(200, "{}"), faulttest.Pass, client.ACLPrivate},
		{faulttest.ApplyThen(faulttest.Respond(200, "{}")), faulttest.Respond(404, ""), ""},
	} {
		b := newChangeFixture(t, nil)
		b.wire.Interceptors = []faulttest.RoundTripFunc{c.answer, c.read}
		ref := client.ObjectRef{Cluster: "us-east-1", Bucket: "cdn.acme.net", Name: "index.html"}
		w := client.Confirmed(b.client, client.OpSetObjectACL, ref.Cluster, ref.Bucket, ref.Name)
		got, err := w.SetObjectACL(t.Context(), ref, client.ACLPublicRead)
		if err != nil || (got == nil) != (c.want == "") || got != nil && got.ACL != c.want {
			t.Errorf("%+v: %v, not %q", got, err, c.want)
		}
	}
}
