package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faultrig"
)

// asked answers every request from a function.
type asked func(marker string, n int) string

func (f asked) dial(t testing.TB) *client.Client {
	t.Helper()
	var n atomic.Int64
	c, err := client.New("https://api.example.test/v4", client.NewSecret(token), client.WithTransport(roundTrip(func(r *http.Request) (*http.Response, error) {
		if err := r.Context().Err(); err != nil {
			return nil, err
		}
		body := f(r.URL.Query().Get("marker"), int(n.Add(1)))
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
	})))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// leaf is a page with names and a marker; none without a marker is the last.
func leaf(next string, names ...string) string {
	rows := []map[string]any{}
	for _, n := range names {
		rows = append(rows, map[string]any{"name": n, "size": 1, "etag": "x"})
	}
	body, _ := json.Marshal(map[string]any{"data": rows, "is_truncated": next != "", "next_marker": next})
	return string(body)
}

func TestWalkEnds(t *testing.T) {
	for name, x := range map[string]struct {
		answer asked
		names  int
		note   string
	}{
		"by marker": {func(m string, _ int) string {
			return map[string]string{"": leaf("b", "a", "b"), "b": leaf("c", "c"), "c": leaf("", "d")}[m]
		}, 4, ""},
		"short and empty pages": {func(m string, _ int) string {
			return map[string]string{"": leaf("opaque-9", "a"), "opaque-9": leaf("opaque-1"), "opaque-1": leaf("opaque-5"), "opaque-5": leaf("", "b")}[m]
		}, 2, ""},
		"repeated": {func(string, int) string { return leaf("a", "a") }, 2, "incomplete: marker repeated"},
		"cycle": {func(m string, _ int) string {
			return map[string]string{"": leaf("opaque-a", "a"), "opaque-a": leaf("opaque-b", "b"), "opaque-b": leaf("opaque-a", "c")}[m]
		}, 3, "incomplete: marker repeated"},
		"backward": {func(_ string, n int) string {
			return leaf(fmt.Sprintf("%05d", 90_000-n), fmt.Sprintf("%05d", 90_000-n))
		}, 2, "incomplete: marker went backward"},
		"same page, new markers": {func(_ string, n int) string { return leaf(fmt.Sprint("opaque", n), "a", "b") }, 4, "incomplete: page repeated"},
		"marker that seems another": {func(m string, _ int) string {
			return map[string]string{"": `{"next_marker":"right","is_truncated":true,"data":[{"name":"a"}],"odd":[],"x":"],\"is_truncated\":true,\"next_marker\":\"wrong\"}"}`, "right": leaf("", "b")}[m]
		}, 2, ""},
		"no marker":        {func(string, int) string { return `{"data":[],"is_truncated":true,"next_marker":null}` }, 0, "incomplete: marker missing"},
		"nothing for ever": {func(_ string, n int) string { return leaf(fmt.Sprint("opaque", n)) }, 0, "incomplete: only empty pages"},
	} {
		t.Run(name, func(t *testing.T) {
			names, note := 0, ""
			for page, err := range x.answer.dial(t).Objects.Walk(t.Context(), client.ObjectQuery{Cluster: "c", Bucket: "b"}) {
				if err != nil {
					t.Fatal(err)
				}
				names += len(page.Data)
				note = strings.Join(page.Odd, "; ")
			}
			if names != x.names || note != x.note {
				t.Errorf("%d names, not %d; %q, not %q", names, x.names, note, x.note)
			}
		})
	}
}

// Looking for one name ends whatever the markers are; a listing that leads nowhere does not pass for one without the name.
func TestFindEnds(t *testing.T) {
	for name, x := range map[string]struct {
		answer asked
		there  bool
		why    string
	}{
		"after empty pages": {func(m string, _ int) string {
			return map[string]string{"": leaf("opaque-9"), "opaque-9": leaf("opaque-1"), "opaque-1": leaf("", "x")}[m]
		}, true, ""},
		"not there, short page": {func(string, int) string { return leaf("more", "x1") }, false, ""},
		"not there":             {func(string, int) string { return leaf("") }, false, ""},
		"cycle": {func(m string, _ int) string {
			return map[string]string{"": leaf("opaque-a"), "opaque-a": leaf("opaque-b"), "opaque-b": leaf("opaque-c"), "opaque-c": leaf("opaque-a")}[m]
		}, false, "incomplete: marker repeated"},
		"nothing for ever": {func(_ string, n int) string { return leaf(fmt.Sprint("opaque", n)) }, false, "incomplete: only empty pages"},
		"no marker":        {func(string, int) string { return `{"data":[],"is_truncated":true,"next_marker":null}` }, false, "incomplete: marker missing"},
	} {
		faultrig.Row(t, "A20", "find, "+name, func(t *testing.T) {
			var last atomic.Int64
			c := asked(func(m string, n int) string {
				last.Store(int64(n))
				return x.answer(m, n)
			}).dial(t)
			_, there, err := c.Objects.Find(t.Context(), "c", "b", "x")
			if there != x.there || (err != nil) != (x.why != "") || err != nil && !strings.HasSuffix(err.Error(), x.why) || last.Load() > 150 {
				t.Errorf("%t, %v; %d pages", there, err, last.Load())
			}
		})
	}
}

// Whoever has seen enough stops, and an error is the last thing that comes.
func TestWalkStops(t *testing.T) {
	c := asked(func(_ string, n int) string { return leaf(fmt.Sprint(n), fmt.Sprint(n)) }).dial(t)
	q := client.ObjectQuery{Cluster: "c", Bucket: "b"}
	for range c.Objects.Walk(t.Context(), q) {
		break
	}
	c = asked(func(m string, _ int) string { return map[string]string{"": leaf("a", "a"), "a": "{"}[m] }).dial(t)
	var ends []bool
	for _, err := range c.Objects.Walk(t.Context(), q) {
		ends = append(ends, err != nil)
	}
	if !slices.Equal(ends, []bool{false, true}) {
		t.Errorf("the walk went %v", ends)
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	c, e := dial(t, emulator.Options{Seed: "large"})
	var last, calls int64
	million := client.ObjectQuery{Cluster: "us-east-1", Bucket: "million"}
	sum, err := c.Objects.Count(t.Context(), million, func(objects, bytes int64) {
		if objects <= last || bytes <= 0 {
			t.Errorf("%d objects after %d", objects, last)
		}
		last = objects
		calls++
	})
	var bytes int64
	for i := range int64(1_000_000) {
		bytes += i%977*1024 + 17
	}
	if err != nil || sum.Objects != 1_000_000 || sum.Bytes != bytes || len(sum.Odd) != 0 || last != sum.Objects {
		t.Errorf("%+v, not %d bytes; %v", sum, bytes, err)
	}
	if n := e.Requests("list objects"); n > 2200 {
		t.Errorf("%d requests for 2,000 pages", n)
	}
	million.Prefix = "data/007/00"
	if sum, err = c.Objects.Count(t.Context(), million, nil); err != nil || sum.Objects != 1000 {
		t.Errorf("%+v, %v", sum, err)
	}
	few := client.ObjectQuery{Cluster: "us-east-1", Bucket: "invoices-2026"}
	d, _ := dial(t, emulator.Options{})
	if sum, err = d.Objects.Count(t.Context(), few, nil); err != nil || sum.Objects != 180 {
		t.Errorf("%+v, %v", sum, err)
	}
}

// Counting ends with its context, and with the first failure.
func TestCountEnds(t *testing.T) {
	t.Parallel()
	c, _ := dial(t, emulator.Options{Seed: "large"})
	q := client.ObjectQuery{Cluster: "us-east-1", Bucket: "million"}
	ctx, cancel := context.WithCancel(t.Context())
	sum, err := c.Objects.Count(ctx, q, func(n, _ int64) {
		if n > 20_000 {
			cancel()
		}
	})
	if err == nil || sum.Objects > 50_000 {
		t.Errorf("%+v, %v", sum, err)
	}
	q.Bucket = "none"
	if _, err := c.Objects.Count(t.Context(), q, nil); err == nil {
		t.Error("a bucket that is not there was counted")
	}
}
