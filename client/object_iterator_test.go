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
	"lookout/client/faulttest"
)

// objectAnswers answers every request from a function.
type objectAnswers func(marker string, n int) string

func (f objectAnswers) newClient(t testing.TB) *client.Client {
	t.Helper()
	var n atomic.Int64
	c, err := client.New(
		"https://api.example.test/v4",
		client.NewSecret(token),
		client.WithTransport(roundTripFunc(func(r *http.Request) (*http.Response, error) {
			if err := r.Context().Err(); err != nil {
				return nil, err
			}
			body := f(r.URL.Query().Get("marker"), int(n.Add(1)))
			return &http.Response{
				StatusCode:    200,
				Header:        http.Header{},
				Body:          io.NopCloser(strings.NewReader(body)),
				ContentLength: int64(len(body)),
				Request:       r,
			}, nil
		})),
	)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// objectPageBody returns a page with names and a marker; without a marker it is the last page.
func objectPageBody(next string, names ...string) string {
	rows := []map[string]any{}
	for _, n := range names {
		rows = append(rows, map[string]any{"name": n, "size": 1, "etag": "x"})
	}
	body, _ := json.Marshal(map[string]any{"data": rows, "is_truncated": next != "", "next_marker": next})
	return string(body)
}

func TestObjects_Pages_terminates(t *testing.T) {
	for name, x := range map[string]struct {
		answer objectAnswers
		names  int
		note   string
	}{
		"by marker": {func(m string, _ int) string {
			return map[string]string{
				"":  objectPageBody("b", "a", "b"),
				"b": objectPageBody("c", "c"),
				"c": objectPageBody("", "d"),
			}[m]
		}, 4, ""},
		"short and empty pages": {func(m string, _ int) string {
			return map[string]string{
				"":         objectPageBody("opaque-9", "a"),
				"opaque-9": objectPageBody("opaque-1"),
				"opaque-1": objectPageBody("opaque-5"),
				"opaque-5": objectPageBody("", "b"),
			}[m]
		}, 2, ""},
		"repeated": {func(string, int) string { return objectPageBody("a", "a") }, 2, "incomplete: marker repeated"},
		"cycle": {func(m string, _ int) string {
			return map[string]string{
				"":         objectPageBody("opaque-a", "a"),
				"opaque-a": objectPageBody("opaque-b", "b"),
				"opaque-b": objectPageBody("opaque-a", "c"),
			}[m]
		}, 3, "incomplete: marker repeated"},
		"backward": {func(_ string, n int) string {
			return objectPageBody(fmt.Sprintf("%05d", 90_000-n), fmt.Sprintf("%05d", 90_000-n))
		}, 2, "incomplete: marker went backward"},
		"same page, new markers": {
			func(_ string, n int) string { return objectPageBody(fmt.Sprint("opaque", n), "a", "b") },
			4,
			"incomplete: page repeated",
		},
		"marker that seems another": {func(m string, _ int) string {
			return map[string]string{"": `{"next_marker":"right","is_truncated":true,"data":[{"name":"a"}],"odd":[],` +
				`"x":"],\"is_truncated\":true,\"next_marker\":\"wrong\"}"}`, "right": objectPageBody("", "b")}[m]
		}, 2, ""},
		"no marker": {
			func(string, int) string { return `{"data":[],"is_truncated":true,"next_marker":null}` },
			0,
			"incomplete: marker missing",
		},
		"nothing for ever": {
			func(_ string, n int) string { return objectPageBody(fmt.Sprint("opaque", n)) },
			0,
			"incomplete: only empty pages",
		},
	} {
		t.Run(name, func(t *testing.T) {
			names, note := 0, ""
			for page, err := range x.answer.newClient(t).Objects.Pages(t.Context(), client.ObjectQuery{
				Cluster: "c",
				Bucket:  "b",
			}) {
				if err != nil {
					t.Fatal(err)
				}
				names += len(page.Data)
				note = strings.Join(page.Warnings, "; ")
			}
			if names != x.names || note != x.note {
				t.Errorf("%d names, not %d; %q, not %q", names, x.names, note, x.note)
			}
		})
	}
}

// Find ends whatever the markers are, and does not report an incomplete listing as one without the name.
func TestObjects_Find_terminates(t *testing.T) {
	for name, x := range map[string]struct {
		answer objectAnswers
		there  bool
		why    string
	}{
		"after empty pages": {func(m string, _ int) string {
			return map[string]string{
				"":         objectPageBody("opaque-9"),
				"opaque-9": objectPageBody("opaque-1"),
				"opaque-1": objectPageBody("", "x"),
			}[m]
		}, true, ""},
		"not there, short page": {func(string, int) string { return objectPageBody("more", "x1") }, false, ""},
		"not there":             {func(string, int) string { return objectPageBody("") }, false, ""},
		"cycle": {func(m string, _ int) string {
			return map[string]string{
				"":         objectPageBody("opaque-a"),
				"opaque-a": objectPageBody("opaque-b"),
				"opaque-b": objectPageBody("opaque-c"),
				"opaque-c": objectPageBody("opaque-a"),
			}[m]
		}, false, "incomplete: marker repeated"},
		"nothing for ever": {
			func(_ string, n int) string { return objectPageBody(fmt.Sprint("opaque", n)) },
			false,
			"incomplete: only empty pages",
		},
		"no marker": {
			func(string, int) string { return `{"data":[],"is_truncated":true,"next_marker":null}` },
			false,
			"incomplete: marker missing",
		},
	} {
		faulttest.RunCase(t, "A20", "find, "+name, func(t *testing.T) {
			var last atomic.Int64
			c := objectAnswers(func(m string, n int) string {
				last.Store(int64(n))
				return x.answer(m, n)
			}).newClient(t)
			_, there, err := c.Objects.Find(t.Context(), "c", "b", "x")
			if there != x.there || (err != nil) != (x.why != "") ||
				err != nil && !strings.HasSuffix(err.Error(), x.why) ||
				last.Load() > 150 {
				t.Errorf("%t, %v; %d pages", there, err, last.Load())
			}
		})
	}
}

// The caller can stop at any page, and an error ends the iteration.
func TestObjects_Pages_stopsEarly(t *testing.T) {
	c := objectAnswers(
		func(_ string, n int) string { return objectPageBody(fmt.Sprint(n), fmt.Sprint(n)) },
	).newClient(t)
	q := client.ObjectQuery{Cluster: "c", Bucket: "b"}
	for range c.Objects.Pages(t.Context(), q) {
		break
	}
	c = objectAnswers(
		func(m string, _ int) string { return map[string]string{"": objectPageBody("a", "a"), "a": "{"}[m] },
	).newClient(t)
	var ends []bool
	for _, err := range c.Objects.Pages(t.Context(), q) {
		ends = append(ends, err != nil)
	}
	if !slices.Equal(ends, []bool{false, true}) {
		t.Errorf("the walk went %v", ends)
	}
}

func TestObjects_Count(t *testing.T) {
	t.Parallel()
	c, e := newEmulatedClient(t, emulator.Options{Seed: "large"})
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
	if err != nil || sum.Objects != 1_000_000 || sum.Bytes != bytes || len(sum.Warnings) != 0 || last != sum.Objects {
		t.Errorf("%+v, not %d bytes; %v", sum, bytes, err)
	}
	if n := e.RequestCount("list objects"); n > 2200 {
		t.Errorf("%d requests for 2,000 pages", n)
	}
	million.Prefix = "data/007/00"
	if sum, err = c.Objects.Count(t.Context(), million, nil); err != nil || sum.Objects != 1000 {
		t.Errorf("%+v, %v", sum, err)
	}
	few := client.ObjectQuery{Cluster: "us-east-1", Bucket: "invoices-2026"}
	d, _ := newEmulatedClient(t, emulator.Options{})
	if sum, err = d.Objects.Count(t.Context(), few, nil); err != nil || sum.Objects != 180 {
		t.Errorf("%+v, %v", sum, err)
	}
}

// Counting ends when its context ends, and at the first failure.
func TestObjects_Count_stopsEarly(t *testing.T) {
	t.Parallel()
	c, _ := newEmulatedClient(t, emulator.Options{Seed: "large"})
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
