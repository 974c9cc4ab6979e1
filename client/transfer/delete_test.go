package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/client/journal"
)

func TestManager_Delete(t *testing.T) {
	t.Run("D17 a deletion whose response is lost is checked afterwards", testDeleteLostAnswer)
	t.Run("many, several at once, each deletion one entry in the journal", testDeleteMany)
	t.Run("a failure does not stop the others", testDeleteSomeFail)
	t.Run("nothing is sent without a journal or in read-only mode", testDeleteRefused)
	t.Run("emptying a bucket can be paused and continued in a later session", testEmptyBucket)
	t.Run("emptying a prefix deletes nothing else", testEmptyPrefix)
	t.Run("emptying stops when it cannot continue", testEmptyStops)
	t.Run("a faulty listing does not pass for an empty bucket", testEmptyBadListing)
	t.Run("a busy API slows emptying down but does not stop it", testEmptyBusyAPI)
}

// deletedCount returns how many objects the emulator deleted.
func (r *rig) deletedCount() (n int) {
	for _, a := range r.e.Ledger() {
		if a.Op == "delete object" {
			n++
		}
	}
	return n
}

func testDeleteLostAnswer(t *testing.T) {
	all := writeFaults()
	all["not done, 200 and a page"] = writeFault{false, respondStatus(200)}
	for name, f := range all {
		t.Run(name, func(t *testing.T) {
			notes := journal.NewInMemory(time.Now)
			runInBubble(t, func(r *rig) {
				r.putObject("o", "text")
				r.transport.onObject = f.roundTrip
				row := r.waitEnded(r.deleteObjects("o"))
				entries := notes.Entries(time.Time{})
				last := entries[len(entries)-1]
				want, outcome := Done, client.Applied
				if !f.apply {
					want, outcome = Failed, client.Unknown
				}
				if strings.HasPrefix(name, "P1 ") {
					outcome = client.Rejected
				}
				if row.State != want || row.Name.Raw() != "o" || last.Outcome != outcome ||
					last.Change.Op != "delete object" ||
					last.Change.Path != "/"+cluster+"/"+bucket+"/o" {
					t.Errorf("%s, %q, %v; journal: %+v", row.State, row.Name.Raw(), row.Err, last)
				}
				if r.transport.count("DELETE") != 1 || (r.deletedCount() == 1) != f.apply {
					t.Errorf("%d sent, %d applied", r.transport.count("DELETE"), r.deletedCount())
				}
			}, client.WithRecorder(notes))
		})
	}
	t.Run("one that is not there", func(t *testing.T) {
		runInBubble(t, func(r *rig) {
			if row := r.waitEnded(r.deleteObjects("o")); row.State != Done {
				t.Errorf("%s, %v", row.State, row.Err)
			}
		})
	})
}

// putNumbered stores n small objects below a prefix.
func (r *rig) putNumbered(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s%04d", prefix, i)
		r.putObject(names[i], "x")
	}
	return names
}

// concurrencyMeter measures how many requests of a method are in flight at once.
type concurrencyMeter struct{ now, peak atomic.Int64 }

func (c *concurrencyMeter) roundTrip(req *http.Request, next http.RoundTripper) (*http.Response, error) {
	n := c.now.Add(1)
	for most := c.peak.Load(); n > most && !c.peak.CompareAndSwap(most, n); most = c.peak.Load() {
	}
	time.Sleep(time.Millisecond)
	defer c.now.Add(-1)
	return next.RoundTrip(req)
}

func testDeleteMany(t *testing.T) {
	notes := journal.NewInMemory(time.Now)
	runInBubble(t, func(r *rig) {
		names := r.putNumbered("o", 100)
		kept := r.putObject("kept", "x")
		before := len(notes.Entries(time.Time{}))
		var c concurrencyMeter
		r.transport.onObject = c.roundTrip
		half := r.deleteObjects(names[:50]...)
		row := r.waitEnded(r.deleteObjects(names[50:]...))
		other := r.waitEnded(half)
		row.Done, row.Total = row.Done+other.Done, row.Total+other.Total
		if row.State != Done || row.Done != 100 || row.Total != 100 || r.deletedCount() != 100 {
			t.Errorf("%s, %d of %d, %d applied: %v", row.State, row.Done, row.Total, r.deletedCount(), row.Err)
		}
		if name := row.Name.Raw(); name != "" { // it is about no single object
			t.Errorf("named %q", name)
		}
		if most := c.peak.Load(); most < 4 || most > maxConcurrentDeletes {
			t.Errorf("%d at once", most)
		}
		if made := len(notes.Entries(time.Time{})) - before; made != 2 {
			t.Errorf("%d entries", made)
		}
		if _, there, err := r.c.Objects.Find(r.Context(), cluster, bucket, kept.Name.Raw()); !there || err != nil {
			t.Errorf("kept: %t, %v", there, err)
		}
	}, client.WithRecorder(notes))
}

func testDeleteSomeFail(t *testing.T) {
	runInBubble(t, func(r *rig) {
		names := r.putNumbered("o", 30)
		var busy atomic.Int64
		r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			switch {
			case strings.HasSuffix(req.URL.Path, "/o0007"):
				return respondStatus(409)(req)
			case strings.HasSuffix(req.URL.Path, "/o0009") && busy.Add(1) <= 2:
				return respondStatus(429)(req)
			}
			return next.RoundTrip(req)
		}
		row := r.waitEnded(r.deleteObjects(append(names, "bad\xffname")...))
		var left *UndeletedError
		if !errors.As(row.Err, &left) || left.Count != 2 || row.Done != 29 || r.deletedCount() != 29 {
			t.Fatalf("%s, %d, %v", row.State, row.Done, row.Err)
		}
		r.transport.onObject = nil
		r.m.Retry(row.ID)
		row = r.waitEnded(row.ID)
		if !errors.As(row.Err, &left) || left.Count != 1 || !strings.Contains(row.Err.Error(), "UTF-8") ||
			r.deletedCount() != 30 {
			t.Errorf("again: %s, %v", row.State, row.Err)
		}
	})
}

// failingRecorder is a journal on a full disk.
type failingRecorder struct{ client.ChangeRecorder }

func (failingRecorder) RecordIntent(context.Context, client.Change) (string, error) {
	return "", errors.New("no space left on device")
}

func testDeleteRefused(t *testing.T) {
	for name, c := range map[string]struct {
		option client.Option
		want   string
	}{
		"journal":   {client.WithRecorder(failingRecorder{}), "cannot record it"},
		"read-only": {client.WithReadOnly(), "read-only"},
	} {
		t.Run(name, func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				ids := []ID{r.deleteObjects("README.txt"), r.deleteObjects("README.txt", "db/"), r.emptyBucket("")}
				up, err := r.m.Upload(UploadRequest{
					Consent: r.consent(client.OpUploadObject),
					Cluster: cluster,
					Bucket:  bucket,
					Name:    "o",
					File:    r.writeFile("f", "x"),
				})
				if err != nil {
					t.Fatal(err)
				}
				for _, id := range append(ids, up) {
					if row := r.waitEnded(id); row.State != Failed || !strings.Contains(row.Err.Error(), c.want) {
						t.Errorf("%s: %s, %v", row.Kind, row.State, row.Err)
					}
				}
				if r.transport.urlRequests != 0 || len(r.e.Ledger()) != 1 {
					t.Errorf("%d URLs, %d changes", r.transport.urlRequests, len(r.e.Ledger()))
				}
			}, c.option)
		})
	}
}

func testEmptyBucket(t *testing.T) {
	file := filepath.Join(t.TempDir(), "journal")
	open := func() *journal.Journal {
		j, err := journal.Open(file, "a", time.Now)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	notes := open()
	swap := &struct{ client.ChangeRecorder }{notes}
	runInBubble(t, func(r *rig) {
		r.putNumbered("o", 1200)
		before := len(notes.Entries(time.Time{}))
		var n atomic.Int64
		var id ID
		at := func(k int64, do func()) {
			r.transport.mu.Lock()
			defer r.transport.mu.Unlock()
			r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
				if n.Add(1) == k {
					do()
				}
				return next.RoundTrip(req)
			}
		}
		at(300, func() { r.m.Pause(id) })
		id = r.emptyBucket("")
		row := r.waitFor(id, Paused)
		if row.Done != int64(r.deletedCount()) || row.Done < 300 || row.Done > 300+maxConcurrentDeletes ||
			row.Total != 1200 {
			t.Errorf("paused at %d of %d; %d applied", row.Done, row.Total, r.deletedCount())
		}
		at(700, func() { r.cancel() })
		r.m.Resume(id)
		r.waitFor(id, Cancelled)
		if done := r.deletedCount(); done < 700 || done > 700+maxConcurrentDeletes {
			t.Errorf("ended after %d", done)
		}
		if again := notes.Unfinished(client.OpEmptyBucket); len(again) != 0 {
			t.Errorf("a run finds its own: %+v", again)
		}
		if made := len(notes.Entries(time.Time{})) - before; made != 2 {
			t.Errorf("%d entries for one emptying and its going on", made)
		}
		r.transport.onObject = nil
		next := open()
		swap.ChangeRecorder = next
		left := next.Unfinished(client.OpEmptyBucket)
		if len(left) != 1 || left[0].Change.ID != cluster+"/"+bucket+"/" {
			t.Fatalf("unfinished: %+v", left)
		}
		r.restart()
		row = r.waitEnded(r.emptyBucket(""))
		if row.State != Done || r.deletedCount() != 1200 {
			t.Errorf("%s, %v, %d", row.State, row.Err, r.deletedCount())
		}
		if b, err := r.c.Buckets.Get(r.Context(), cluster, bucket); err != nil || b.Objects != client.Known[int64](0) {
			t.Errorf("left: %v, %v", b.Objects, err)
		}
		if left := open().Unfinished(client.OpEmptyBucket); len(left) != 0 {
			t.Errorf("unfinished: %+v", left)
		}
	}, client.WithRecorder(swap))
}

func testEmptyPrefix(t *testing.T) {
	notes := journal.NewInMemory(time.Now)
	runInBubble(t, func(r *rig) {
		r.putNumbered("a/", 40)
		r.putNumbered("ab", 3)
		late := false
		r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			if strings.HasSuffix(req.URL.Path, "a/0039") && !late {
				late = true
				r.putObject("a/0000late", "x")
			}
			return next.RoundTrip(req)
		}
		row := r.waitEnded(r.emptyBucket("a/"))
		var left *UndeletedError
		if row.Done != 40 || !errors.As(row.Err, &left) || left.Count != 1 {
			t.Fatalf("%s, %d, %v", row.State, row.Done, row.Err)
		}
		want := "40 objects are gone, 1 not deleted: they were created while the bucket was being emptied"
		if row.Err.Error() != want {
			t.Errorf("%q, want %q", row.Err, want)
		}
		r.m.Retry(row.ID)
		if row = r.waitEnded(row.ID); row.State != Done || row.Done != 41 {
			t.Errorf("%s, %d, %v", row.State, row.Done, row.Err)
		}
		page, err := r.c.Objects.List(r.Context(), client.ObjectQuery{Cluster: cluster, Bucket: bucket})
		if err != nil || len(page.Data) != 3 {
			t.Errorf("%d left, %v", len(page.Data), err)
		}
	}, client.WithRecorder(notes))
}

// A busy storage is given more time before each attempt, even if it does not say how long it needs.
func TestDelete_waitsForABusyStorage(t *testing.T) {
	runInBubble(t, func(r *rig) {
		r.putObject("o", "text")
		began, sent := time.Now(), []time.Duration(nil)
		r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			if sent = append(sent, time.Since(began).Round(time.Second)); len(sent) == maxDeleteAttempts {
				return next.RoundTrip(req)
			}
			return &http.Response{
				StatusCode: http.StatusServiceUnavailable,
				Body:       io.NopCloser(strings.NewReader("<Error><Code>SlowDown</Code></Error>")),
				Request:    req,
			}, nil
		}
		row := r.waitEnded(r.deleteObjects("o"))
		if want := "[0s 1s 3s 7s]"; row.State != Done || fmt.Sprint(sent) != want {
			t.Errorf("%s, sent after %v, not %s", row.State, sent, want)
		}
	})
}

// A bucket that turns out to hold more than it said is never "12 of 3 objects".
func TestManager_Empty_staleCount(t *testing.T) {
	runInBubble(t, func(r *rig) {
		r.putNumbered("o", 12)
		r.e.InjectFault("view bucket", emulator.Fault{
			Status: 200,
			Body: fmt.Sprintf(`{"label": %q, "cluster": %q, "region": %[2]q, "objects": 3, "size": 3, `+
				`"created": "2020-01-01T00:00:00", "hostname": "x"}`, bucket, cluster),
		})
		if row := r.waitEnded(r.emptyBucket("")); row.State != Done || row.Done != 12 || row.Total != 12 {
			t.Errorf("%s, %d of %d: %v", row.State, row.Done, row.Total, row.Err)
		}
	})
}

func testEmptyStops(t *testing.T) {
	runInBubble(t, func(r *rig) {
		r.putNumbered("a/", 5)
		r.putNumbered("b/", 5)
		r.transport.onAPI = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			req = req.Clone(req.Context())
			query := req.URL.Query()
			query.Del("prefix")
			req.URL.RawQuery = query.Encode()
			return next.RoundTrip(req)
		}
		if row := r.waitEnded(r.emptyBucket("b/")); row.State != Done || r.deletedCount() != 5 {
			t.Errorf("a server that lists too much: %s, %v, %d deleted", row.State, row.Err, r.deletedCount())
		}
	})
	runInBubble(t, func(r *rig) {
		r.putNumbered("o", 100)
		r.transport.onObject = func(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
			return respondStatus(403)(req)
		}
		row := r.waitEnded(r.emptyBucket(""))
		var left *UndeletedError
		if !errors.As(row.Err, &left) || left.Count != 100 || r.deletedCount() != 0 ||
			!strings.Contains(row.Err.Error(), "100 objects were not deleted: delete object") {
			t.Errorf("%s, %v", row.State, row.Err)
		}
		if sent := r.transport.count("DELETE"); sent > 2*(maxConsecutiveFailures+maxConcurrentDeletes) {
			t.Errorf("%d requests before it ended", sent)
		}
	})
	runInBubble(t, func(r *rig) {
		r.putNumbered("o", 100)
		r.e.InjectFault("create object URL", emulator.Fault{Status: 401})
		if row := r.waitEnded(r.emptyBucket("")); row.State != Failed ||
			r.transport.count("DELETE") != 0 ||
			r.transport.urlRequests > 100+maxConcurrentDeletes {
			t.Errorf("%s, %v, %d asked", row.State, row.Err, r.transport.urlRequests)
		}
	})
	runInBubble(t, func(r *rig) {
		r.putNumbered("o", 50)
		var first sync.Once
		ids := make(chan ID, 1)
		r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			first.Do(func() { r.m.Cancel(<-ids) })
			return next.RoundTrip(req)
		}
		id := r.emptyBucket("")
		ids <- id
		row := r.waitEnded(id)
		if row.State != Cancelled || r.deletedCount() == 0 || r.deletedCount() > maxConcurrentDeletes {
			t.Errorf("%s, %d applied", row.State, r.deletedCount())
		}
	})
}

// onList answers requests for listings; n is how many there were, this one included.
func (r *rig) onList(answer func(n int, req *http.Request, next http.RoundTripper) (*http.Response, error)) {
	var n atomic.Int64
	r.transport.onAPI = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		if !strings.HasSuffix(req.URL.Path, "/object-list") {
			return next.RoundTrip(req)
		}
		return answer(int(n.Add(1)), req, next)
	}
}

func testEmptyBadListing(t *testing.T) {
	page := func(text string) func(*http.Request) (*http.Response, error) {
		return func(req *http.Request) (*http.Response, error) { return faulttest.Respond(200, text)(nil, req) }
	}
	for name, text := range map[string]string{
		"null":          `{"data":[],"is_truncated":true,"next_marker":null}`,
		"no marker":     `{"data":[],"is_truncated":true}`,
		"the same":      `{"data":[],"is_truncated":true,"next_marker":"m"}`,
		"a circle of 3": "circle",
		"new for ever":  "new",
	} {
		faulttest.RunCase(t, "A20", name, func(t *testing.T) {
			notes := journal.NewInMemory(time.Now)
			runInBubble(t, func(r *rig) {
				r.putObject("o", "text")
				var asked atomic.Int64
				r.onList(func(n int, req *http.Request, _ http.RoundTripper) (*http.Response, error) {
					asked.Store(int64(n))
					switch text {
					case "circle":
						return page(fmt.Sprintf(`{"data":[],"is_truncated":true,"next_marker":"tok%d"}`, n%3))(req)
					case "new":
						return page(fmt.Sprintf(`{"data":[],"is_truncated":true,"next_marker":"tok%d"}`, n))(req)
					}
					return page(text)(req)
				})
				row := r.waitEnded(r.emptyBucket(""))
				entries := notes.Entries(time.Time{})
				if row.State != Failed || !strings.Contains(row.Err.Error(), "objects may be left") ||
					entries[len(entries)-1].Outcome != client.Unknown ||
					asked.Load() > 250 {
					t.Errorf(
						"%s, %v, %s after %d requests", row.State, row.Err, entries[len(entries)-1].Outcome,
						asked.Load(),
					)
				}
			}, client.WithRecorder(notes))
		})
	}
	faulttest.RunCase(t, "A20", "an empty page before the rest", func(t *testing.T) {
		runInBubble(t, func(r *rig) {
			r.putObject("o", "text")
			r.onList(func(_ int, req *http.Request, next http.RoundTripper) (*http.Response, error) {
				if req.URL.Query().Get("marker") == "" {
					return page(`{"data":[],"is_truncated":true,"next_marker":"a"}`)(req)
				}
				return next.RoundTrip(req)
			})
			// and removes nothing
			r.transport.onObject = func(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
				return respondStatus(204)(req)
			}
			row := r.waitEnded(r.emptyBucket(""))
			var left *UndeletedError
			if !errors.As(row.Err, &left) || left.Count != 1 || left.More {
				t.Errorf("%s, %v", row.State, row.Err)
			}
			r.transport.onObject = nil
			if row := r.waitEnded(r.emptyBucket("")); row.State != Done || r.deletedCount() != 1 {
				t.Errorf("%s, %v", row.State, row.Err)
			}
		})
	})
	faulttest.RunCase(t, "A20", "cut once, whole later", func(t *testing.T) {
		runInBubble(t, func(r *rig) {
			r.putObject("o", "text")
			r.onList(func(n int, req *http.Request, next http.RoundTripper) (*http.Response, error) {
				if n == 1 {
					return page(
						`{"data":[{"name":"o","etag":"x","size":1}],"is_truncated":true,"next_marker":null}`,
					)(req)
				}
				return next.RoundTrip(req)
			})
			if row := r.waitEnded(r.emptyBucket("")); row.State != Done || r.deletedCount() != 1 {
				t.Errorf("%s, %v", row.State, row.Err)
			}
		})
	})
}

func testEmptyBusyAPI(t *testing.T) {
	for _, part := range []string{"/object-url", "/object-list"} {
		for _, after := range []string{"5", "30", "59", "60", "3600"} {
			faulttest.RunCase(t, "C2", part+", wait "+after, func(t *testing.T) {
				runInBubble(t, func(r *rig) {
					r.putNumbered("o", 60)
					var n atomic.Int64
					at := map[string]int64{"/object-url": 20, "/object-list": 1}[part]
					r.transport.onAPI = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
						if strings.HasSuffix(req.URL.Path, part) && n.Add(1) == at {
							return faulttest.Respond(
								429, `{"errors":[{"reason":"Too many requests"}]}`, "Retry-After", after,
							)(nil, req)
						}
						return next.RoundTrip(req)
					}
					if row := r.waitEnded(r.emptyBucket("")); row.State != Done || row.Done != 60 ||
						r.deletedCount() != 60 {
						t.Errorf("%s, %d done, %d deleted: %v", row.State, row.Done, r.deletedCount(), row.Err)
					}
				})
			})
		}
	}
	faulttest.RunCase(t, "C2", "busy for longer than an object is tried", func(t *testing.T) {
		runInBubble(t, func(r *rig) {
			r.putNumbered("o", 60)
			start := time.Now()
			r.transport.onAPI = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
				if strings.HasSuffix(req.URL.Path, "/object-url") && time.Since(start) < 2000*time.Second {
					return faulttest.Respond(
						429, `{"errors":[{"reason":"Too many requests"}]}`, "Retry-After", "3600",
					)(nil, req)
				}
				return next.RoundTrip(req)
			}
			row := r.waitEnded(r.emptyBucket(""))
			var left *UndeletedError
			if !errors.As(row.Err, &left) || row.Done != int64(60-left.Count) || r.deletedCount() != int(row.Done) {
				t.Errorf("%s, %d done: %v", row.State, row.Done, row.Err)
			}
			time.Sleep(time.Hour)
			r.m.Retry(row.ID)
			if row = r.waitEnded(row.ID); row.State != Done || r.deletedCount() != 60 {
				t.Errorf("%s, %d deleted: %v", row.State, r.deletedCount(), row.Err)
			}
		})
	})
}
