package client_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"lookout/client"
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

// Names that differ only in case, or only behind their beginning, are different objects, also where a page ends.
func TestObjects_Pages_namesThatLookAlike(t *testing.T) {
	names := []string{"photos/2024-B", "photos/2024-C", "photos/2024-b", "photos/2024-c"}
	for _, ahead := range []string{"", "x"} { // markers that are names, and others that differ as little
		c := objectAnswers(func(marker string, _ int) string {
			i := slices.IndexFunc(names, func(name string) bool { return marker == name+ahead }) + 1
			if i == len(names)-1 {
				return objectPageBody("", names[i])
			}
			return objectPageBody(names[i]+ahead, names[i])
		}).newClient(t)
		var got []string
		for page, err := range c.Objects.Pages(t.Context(), client.ObjectQuery{Cluster: "us-east-1", Bucket: "b"}) {
			if err != nil || page.Incomplete != "" {
				t.Errorf("%q, %v", page.Incomplete, err)
			}
			for _, o := range page.Data {
				got = append(got, o.Name.Raw())
			}
		}
		if !slices.Equal(got, names) {
			t.Errorf("%q", got)
		}
	}
	c := objectAnswers(func(string, int) string { return objectPageBody("", names...) }).newClient(t)
	for _, name := range []string{"photos/2024-b", "PHOTOS/2024-B", "photos/2024-"} {
		o, found, err := c.Objects.Find(t.Context(), "us-east-1", "b", name)
		if err != nil || found != slices.Contains(names, name) || found && o.Name.Raw() != name {
			t.Errorf("%s: %q, %t, %v", name, o.Name.Raw(), found, err)
		}
	}
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
			return map[string]string{
				"": `{"next_marker":"photos/2024-b","is_truncated":true,"data":[{"name":"a"}],"odd":[],` +
					`"x":"],\"is_truncated\":true,\"next_marker\":\"photos/2024-a\"}"}`,
				"photos/2024-b": objectPageBody("", "b"),
			}[m]
		}, 2, ""},
		"no marker": {
			func(string, int) string { return `{"data":[],"is_truncated":true,"next_marker":null}` },
			0,
			"incomplete: marker missing",
		},
		"a hundred empty pages": {
			func(_ string, n int) string {
				if n > 100 {
					return objectPageBody("", "a")
				}
				return objectPageBody(fmt.Sprint("opaque", n))
			},
			1,
			"",
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
		}, false, "incomplete (marker repeated)"},
		"nothing for ever": {
			func(_ string, n int) string { return objectPageBody(fmt.Sprint("opaque", n)) },
			false,
			"incomplete (only empty pages)",
		},
		"no marker": {
			func(string, int) string { return `{"data":[],"is_truncated":true,"next_marker":null}` },
			false,
			"incomplete (marker missing)",
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

// Pages are asked for while earlier ones are used, and each once.
func TestObjects_Pages_readsAhead(t *testing.T) {
	const pages = 8
	markerFirst := func(next, name string) string {
		return fmt.Sprintf(`{"is_truncated":%t,"next_marker":%q,"data":[{"name":%q}]}`, next != "", next, name)
	}
	for name, body := range map[string]func(next, name string) string{
		"marker behind the objects": func(next, name string) string { return objectPageBody(next, name) },
		"marker before the objects": markerFirst,
	} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			c := objectAnswers(func(marker string, n int) string {
				asked = n
				if n >= pages {
					return body("", "last")
				}
				return body(marker+"x", marker)
			}).newClient(t)
			used := 0
			for _, err := range c.Objects.Pages(t.Context(), client.ObjectQuery{Cluster: "us-east-1", Bucket: "b"}) {
				synctest.Wait()
				if used++; err != nil || used < pages && asked <= used {
					t.Errorf("%s: %d pages are used, %d asked for, %v", name, used, asked, err)
				}
			}
			if used != pages || asked != pages {
				t.Errorf("%s: %d pages, %d requests", name, used, asked)
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
