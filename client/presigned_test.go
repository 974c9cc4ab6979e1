package client_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
)

// A rangeRecorder keeps the Range header of every request to the storage.
type rangeRecorder struct {
	next   http.RoundTripper
	ranges []string
}

func (x *rangeRecorder) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Query().Get("Signature") != "" {
		x.ranges = append(x.ranges, r.Header.Get("Range"))
	}
	return x.next.RoundTrip(r)
}

// A preview that the API or the storage refuses is an error in the words of whoever refused.
func TestObjects_Peek_refused(t *testing.T) {
	for name, status := range map[string]int{"/object-url": 403, "/x": 404} {
		e := emulator.New(emulator.Options{Token: token})
		wire := roundTripFunc(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, name) {
				return faulttest.Respond(status, `{"errors":[{"reason":"no"}]}`)(e, r)
			}
			return e.RoundTrip(r)
		})
		c, err := client.New("https://api.example.test/v4", client.NewSecret(token), client.WithTransport(wire))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = c.Objects.Peek(t.Context(), "us-east-1", "acme-www", "x", "", 10)
		var failure *client.Error
		if !errors.As(err, &failure) || failure.Status != status {
			t.Errorf("%s refuses with %d: %v", name, status, err)
		}
	}
}

// A storage that is busy says how long to wait, and its refusal says so too.
func TestObjects_Peek_busyStorage(t *testing.T) {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		e := emulator.New(emulator.Options{Token: token})
		wire := roundTripFunc(func(r *http.Request) (*http.Response, error) {
			if r.URL.Query().Get("Signature") != "" {
				return faulttest.Respond(status, "", "Retry-After", "37")(e, r)
			}
			return e.RoundTrip(r)
		})
		c, err := client.New("https://api.example.test/v4", client.NewSecret(token), client.WithTransport(wire))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = c.Objects.Peek(t.Context(), "us-east-1", "acme-www", "x", "", 10)
		var failure *client.Error
		if !errors.As(err, &failure) || failure.Status != status || failure.RetryAfter != 37*time.Second {
			t.Errorf("%d: %+v", status, failure)
		}
	}
}

// The answer to a link that has expired is closed, so that it does not keep its connection.
func TestObjects_Get_closesRefusedAnswer(t *testing.T) {
	e := emulator.New(emulator.Options{Token: token})
	var refused *closableBody
	wire := roundTripFunc(func(r *http.Request) (*http.Response, error) {
		if r.URL.Query().Get("Signature") == "" {
			return e.RoundTrip(r)
		}
		if refused == nil {
			refused = &closableBody{Reader: strings.NewReader("<Code>AccessDenied</Code>")}
			res, err := faulttest.Respond(http.StatusForbidden, "")(e, r)
			res.Body = refused
			return res, err
		}
		return faulttest.Respond(http.StatusOK, "text")(e, r)
	})
	c, err := client.New("https://api.example.test/v4", client.NewSecret(token), client.WithTransport(wire))
	if err != nil {
		t.Fatal(err)
	}
	data, _, err := c.Objects.Peek(t.Context(), "us-east-1", "acme-www", "x", "", 10)
	if err != nil || string(data) != "text" || !refused.closed {
		t.Errorf("read %q, %v; closed: %t", data, err, refused.closed)
	}
}

// A closableBody is a body that knows whether it was closed.
type closableBody struct {
	io.Reader
	closed bool
}

func (b *closableBody) Close() error {
	b.closed = true
	return nil
}

// Only whole quotes are taken from an ETag, and a weak one stays weak.
func TestUnquoteETag(t *testing.T) {
	for etag, want := range map[string]string{
		`"abc"`:   "abc",
		`""`:      "",
		`"`:       `"`,
		`"abc`:    `"abc`,
		`abc"`:    `abc"`,
		"abc":     "abc",
		"":        "",
		`W/"abc"`: `W/"abc"`,
	} {
		if got := client.UnquoteETag(etag); got != want {
			t.Errorf("%s: %s", etag, got)
		}
	}
}

// A deletion that the storage refuses has not been made, even if there is no such object, and one that it confirms
// needs no reading.
func TestWriter_DeleteObject_answers(t *testing.T) {
	for status, outcome := range map[int]client.Outcome{
		204: client.Applied,
		400: client.Rejected,
		403: client.Rejected,
	} {
		b := newChangeFixture(t, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodDelete && status != 204 {
				return faulttest.Respond(status, "")(next, r)
			}
			return next.RoundTrip(r)
		})
		object := client.ObjectRef{Cluster: "us-east-1", Bucket: "acme-www", Name: "missing.html"}
		w := b.begin(t, client.Change{Op: client.OpDeleteObject, ID: object.ID()})
		if err := w.DeleteObject(t.Context(), object); (err == nil) != (status == 204) {
			t.Errorf("%d: %v", status, err)
		}
		entries := b.journal.Entries(time.Time{})
		read := status == 204 && b.sent() != 2 // more than the URL and the deletion
		if len(entries) != 1 || entries[0].Outcome != outcome || read {
			t.Errorf("%d: %d requests, journal %+v", status, b.sent(), entries)
		}
	}
}

// The journal holds the size and the type of an uploaded object, and where its bytes come from if that is another one.
func TestWriter_UploadObject_isRecorded(t *testing.T) {
	for from, want := range map[string]string{
		"":                        "map[content_type:text/plain size:4]",
		"us-east-1/acme-www/from": "map[content_type:text/plain copied_from:us-east-1/acme-www/from size:4]",
	} {
		b := newChangeFixture(t, faulttest.Pass)
		object := client.ObjectRef{Cluster: "us-east-1", Bucket: "acme-www", Name: "x"}
		w := client.Confirmed(b.client, client.OpUploadObject, "us-east-1", "acme-www", "x")
		body := client.UploadBody{
			Reader:      strings.NewReader("text"),
			Size:        4,
			ContentType: "text/plain",
			CopiedFrom:  from,
		}
		if err := w.UploadObject(t.Context(), object, body); err != nil {
			t.Fatal(err)
		}
		changes := b.journal.Entries(time.Time{})
		if len(changes) != 1 || fmt.Sprint(changes[0].Change.Body) != want {
			t.Errorf("%+v, want %s", changes, want)
		}
	}
}

// A preview requests only the first bytes. An empty object has none, and an answer that ignores the range is cut.
func TestObjects_Peek(t *testing.T) {
	const n = 10
	for size, whole := range map[int]bool{0: false, 5: false, n: false, 1000: false, 1001: true} {
		t.Run(fmt.Sprint(size, whole), func(t *testing.T) {
			e := emulator.New(emulator.Options{Token: token})
			wire := &rangeRecorder{next: e}
			c, err := client.New("https://api.example.test/v4", client.NewSecret(token), client.WithTransport(wire))
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Repeat("0123456789", 101)[:size]
			w := client.Confirmed(c, client.OpUploadObject, "us-east-1", "acme-www", "x")
			object := client.ObjectRef{Cluster: "us-east-1", Bucket: "acme-www", Name: "x"}
			body := client.UploadBody{
				Reader:      strings.NewReader(text),
				Size:        int64(size),
				ContentType: "text/plain",
			}
			if err := w.UploadObject(t.Context(), object, body); err != nil {
				t.Fatal(err)
			}
			wire.ranges = nil
			if whole {
				wire.next = roundTripFunc(func(r *http.Request) (*http.Response, error) {
					r.Header.Del("Range")
					return e.RoundTrip(r)
				})
			}
			data, _, err := c.Objects.Peek(t.Context(), "us-east-1", "acme-www", "x", "", n)
			if err != nil || string(data) != text[:min(size, n)] {
				t.Errorf("%q, %v", data, err)
			}
			if !whole && (len(wire.ranges) != 1 || wire.ranges[0] != "bytes=0-9") {
				t.Errorf("asked for %q", wire.ranges)
			}
		})
	}
}
