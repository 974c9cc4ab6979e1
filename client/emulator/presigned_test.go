package emulator

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"lookout/client/faulttest"
)

// requestSignedURL requests a pre-signed URL.
func requestSignedURL(t *testing.T, e *Emulator, bucket string, body map[string]any) string {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	res := send(
		t, e, "POST", "https://x.test/v4/object-storage/buckets/us-east-1/"+bucket+"/object-url", data,
		http.Header{"Authorization": {"Bearer t"}},
	)
	var answer struct{ URL string }
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.URL == "" {
		t.Fatalf("%d, %v", res.StatusCode, err)
	}
	return answer.URL
}

func send(t *testing.T, e *Emulator, method, url string, body []byte, h http.Header) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range h {
		req.Header[name] = v
	}
	res, err := e.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

func TestEmulator_presignedURLs(t *testing.T) {
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	e := New(Options{Token: "t", Now: func() time.Time { return now }})
	put := requestSignedURL(
		t, e, "acme-www",
		map[string]any{"name": "a b/ü?#.txt", "method": "PUT", "content_type": "text/plain", "expires_in": 360},
	)
	text := http.Header{"Content-Type": {"text/plain"}}
	if res := send(
		t, e, "PUT", put, []byte("hello"), http.Header{"Content-Type": {"text/html"}},
	); res.StatusCode != 403 {
		t.Errorf("another content type: %d", res.StatusCode)
	}
	if res := send(t, e, "PUT", put, []byte("hello"), text); res.StatusCode != 200 ||
		res.Header.Get("ETag") != `"5d41402abc4b2a76b9719d911017c592"` {
		t.Errorf("put: %d, %s", res.StatusCode, res.Header.Get("ETag"))
	}
	get := requestSignedURL(t, e, "acme-www", map[string]any{"name": "a b/ü?#.txt", "expires_in": 360})
	for _, c := range []struct {
		method, url, ranged string
		status              int
		body                string
	}{
		{"GET", get, "", 200, "hello"},
		{"GET", get, "bytes=1-3", 206, "ell"},
		{"GET", get, "bytes=9-", 416, ""},
		{"DELETE", get, "", 403, ""},
		{"GET", put, "", 403, ""},
		{"GET", strings.Replace(get, "acme-www", "media", 1), "", 403, ""},
	} {
		h := http.Header{}
		if c.ranged != "" {
			h.Set("Range", c.ranged)
		}
		res := send(t, e, c.method, c.url, nil, h)
		data, _ := io.ReadAll(res.Body)
		if res.StatusCode != c.status || c.body != "" && string(data) != c.body {
			t.Errorf("%s %s: %d %q", c.method, c.ranged, res.StatusCode, data)
		}
	}
	now = now.Add(361 * time.Second)
	if res := send(t, e, "GET", get, nil, nil); res.StatusCode != 403 {
		t.Errorf("a link that ran out: %d", res.StatusCode)
	}
	remove := requestSignedURL(t, e, "acme-www", map[string]any{"name": "a b/ü?#.txt", "method": "DELETE"})
	if res := send(t, e, "DELETE", remove, nil, nil); res.StatusCode != 204 {
		t.Errorf("delete: %d", res.StatusCode)
	}
}

// A million objects are listed completely and without duplicates, with and without a delimiter.
func TestObjectStore_list_million(t *testing.T) {
	e := New(Options{Token: "t", Seed: "large"})
	s := e.bucket("us-east-1", "million").loadObjects()
	n, last, marker := 0, "", ""
	for {
		entries, next := s.list("", "", marker, 500)
		for _, x := range entries {
			if x.Name <= last {
				t.Fatalf("%q after %q", x.Name, last)
			}
			last = x.Name
			n++
		}
		if next == "" {
			break
		}
		marker = next
	}
	if n != 1_000_000 {
		t.Errorf("%d objects", n)
	}
	for prefix, want := range map[string]int{
		"":              1,
		"data/":         100,
		"data/007/":     100,
		"data/007/042/": 100,
		"nothing":       0,
	} {
		if entries, _ := s.list(prefix, "/", "", 500); len(entries) != want {
			t.Errorf("%q holds %d entries, not %d", prefix, len(entries), want)
		}
	}
}

func TestLocalOnly(t *testing.T) {
	faulttest.ReportCase(t, "H3", "hosts and origins")
	e := New(Options{Token: "t"})
	for _, c := range []struct {
		host, origin string
		fine         bool
	}{
		{"127.0.0.1:80", "", true},
		{"localhost:80", "", true},
		{"[::1]:80", "", true},
		{"evil.example", "", false},
		{"127.0.0.1:80", "https://evil.example", false},
	} {
		req, _ := http.NewRequest("GET", "http://"+c.host+"/v4/managed/services", nil)
		req.Header.Set("Authorization", "Bearer t")
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		pipe, body := io.Pipe()
		go func() { _, _ = io.Copy(io.Discard, pipe) }()
		rec := &pipeResponse{header: http.Header{}, body: body, ready: make(chan struct{})}
		localOnly(e).ServeHTTP(rec, req)
		if fine := rec.status == 200; fine != c.fine {
			t.Errorf("host %s, origin %s: %d", c.host, c.origin, rec.status)
		}
	}
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := Serve(context.Background(), l, e); err == nil || !strings.Contains(err.Error(), "loopback") {
		t.Errorf("served on %s: %v", l.Addr(), err)
	}
}
