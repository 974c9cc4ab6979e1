package client_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"lookout/client"
	"lookout/client/emulator"
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
			body := client.ObjectBody{
				Reader:      strings.NewReader(text),
				Size:        int64(size),
				ContentType: "text/plain",
			}
			if _, err := w.UploadObject(t.Context(), object, body); err != nil {
				t.Fatal(err)
			}
			wire.ranges = nil
			if whole {
				wire.next = roundTripFunc(func(r *http.Request) (*http.Response, error) {
					r.Header.Del("Range")
					return e.RoundTrip(r)
				})
			}
			data, _, err := c.Objects.Peek(t.Context(), "us-east-1", "acme-www", "x", n)
			if err != nil || string(data) != text[:min(size, n)] {
				t.Errorf("%q, %v", data, err)
			}
			if !whole && (len(wire.ranges) != 1 || wire.ranges[0] != "bytes=0-9") {
				t.Errorf("asked for %q", wire.ranges)
			}
		})
	}
}
