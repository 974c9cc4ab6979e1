package transfer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faultrig"
	"lookout/client/journal"
)

func TestDeletions(t *testing.T) {
	t.Run("D17 a deletion whose answer is lost is looked up", lostDeletions)
	t.Run("many, eight at once, each in the journal", many)
	t.Run("one that fails leaves the others", someFail)
	t.Run("a journal that cannot be written, and read-only, stop it before anything is sent", refusedDeletions)
	t.Run("a bucket is emptied, paused, and gone on with after the program", emptied)
	t.Run("a prefix is emptied and nothing beside it", emptiedPrefix)
	t.Run("an emptying that cannot go on ends", emptyEnds)
	t.Run("an emptying does not take a listing that lies for an empty one", emptyLies)
	t.Run("a busy API slows an emptying and does not end it", emptyBusy)
}

// deletions are the objects that the emulator removed.
func (r *rig) deletions() (n int) {
	for _, a := range r.e.Ledger() {
		if a.Op == "delete object" {
			n++
		}
	}
	return n
}

func lostDeletions(t *testing.T) {
	all := fates()
	all["not done, 200 and a page"] = fate{false, status(200)}
	for name, f := range all {
		t.Run(name, func(t *testing.T) {
			notes := journal.Memory(time.Now)
			bubble(t, func(r *rig) {
				r.put("o", "text")
				r.tap.object = f.meet
				row := r.ended(r.m.Delete(cluster, bucket, []string{"o"}))
				entries := notes.Entries(time.Time{})
				last := entries[len(entries)-1]
				want, outcome := Done, journal.Done
				if !f.apply {
					want, outcome = Failed, journal.Unknown
				}
				if strings.HasPrefix(name, "P1 ") {
					outcome = journal.NotDone
				}
				if row.State != want || last.Outcome != outcome || last.Change.Op != "delete object" || last.Change.Path != "/"+cluster+"/"+bucket+"/o" {
					t.Errorf("%s, %v; journal: %+v", row.State, row.Err, last)
				}
				if r.tap.count("DELETE") != 1 || (r.deletions() == 1) != f.apply {
					t.Errorf("%d sent, %d applied", r.tap.count("DELETE"), r.deletions())
				}
			}, client.WithRecorder(notes))
		})
	}
	t.Run("one that is not there", func(t *testing.T) {
		bubble(t, func(r *rig) {
			if row := r.ended(r.m.Delete(cluster, bucket, []string{"o"})); row.State != Done {
				t.Errorf("%s, %v", row.State, row.Err)
			}
		})
	})
}

// numbered stores n small objects below a prefix.
func (r *rig) numbered(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s%04d", prefix, i)
		r.put(names[i], "x")
	}
	return names
}

// crowd is a tap that counts how many requests of a method are under way at once.
type crowd struct{ now, most atomic.Int64 }

func (c *crowd) pass(req *http.Request, next http.RoundTripper) (*http.Response, error) {
	n := c.now.Add(1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
	}
	time.Sleep(time.Millisecond)
	defer c.now.Add(-1)
	return next.RoundTrip(req)
}

func many(t *testing.T) {
	notes := journal.Memory(time.Now)
	bubble(t, func(r *rig) {
		names := r.numbered("o", 100)
		kept := r.put("kept", "x")
		before := len(notes.Entries(time.Time{}))
		var c crowd
		r.tap.object = c.pass
		half := r.m.Delete(cluster, bucket, names[:50])
		row := r.ended(r.m.Delete(cluster, bucket, names[50:]))
		other := r.ended(half)
		row.Done, row.Total = row.Done+other.Done, row.Total+other.Total
		if row.State != Done || row.Done != 100 || row.Total != 100 || r.deletions() != 100 {
			t.Errorf("%s, %d of %d, %d applied: %v", row.State, row.Done, row.Total, r.deletions(), row.Err)
		}
		if most := c.most.Load(); most < 4 || most > deletesAtOnce {
			t.Errorf("%d at once", most)
		}
		if made := len(notes.Entries(time.Time{})) - before; made != 100 {
			t.Errorf("%d entries", made)
		}
		if _, there, err := r.m.Existing(r.Context(), cluster, bucket, kept.Name.Raw()); !there || err != nil {
			t.Errorf("kept: %t, %v", there, err)
		}
	}, client.WithRecorder(notes))
}

func someFail(t *testing.T) {
	bubble(t, func(r *rig) {
		names := r.numbered("o", 30)
		var busy atomic.Int64
		r.tap.object = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			switch {
			case strings.HasSuffix(req.URL.Path, "/o0007"):
				return status(409)(req)
			case strings.HasSuffix(req.URL.Path, "/o0009") && busy.Add(1) <= 2:
				return status(429)(req)
			}
			return next.RoundTrip(req)
		}
		row := r.ended(r.m.Delete(cluster, bucket, append(names, "bad\xffname")))
		var left *UndeletedError
		if !errors.As(row.Err, &left) || left.Count != 2 || row.Done != 29 || r.deletions() != 29 {
			t.Fatalf("%s, %d, %v", row.State, row.Done, row.Err)
		}
		r.tap.object = nil
		r.m.Retry(row.ID)
		row = r.ended(row.ID)
		if !errors.As(row.Err, &left) || left.Count != 1 || !strings.Contains(row.Err.Error(), "UTF-8") || r.deletions() != 30 {
			t.Errorf("again: %s, %v", row.State, row.Err)
		}
	})
}

// broken is a journal on a full disk.
type broken struct{ client.Recorder }

func (broken) RecordIntent(client.Change) (string, error) { return "", errors.New("no space left on device") }

func refusedDeletions(t *testing.T) {
	for name, c := range map[string]struct {
		option client.Option
		want   string
	}{"journal": {client.WithRecorder(broken{}), "cannot record it"}, "read-only": {client.WithReadOnly(), "read-only"}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				ids := []ID{r.m.Delete(cluster, bucket, []string{"README.txt", "db/"}), r.m.Empty(cluster, bucket, "")}
				up, err := r.m.Upload(UploadRequest{Cluster: cluster, Bucket: bucket, Name: "o", File: r.file("f", "x")})
				if err != nil {
					t.Fatal(err)
				}
				for _, id := range append(ids, up) {
					if row := r.ended(id); row.State != Failed || !strings.Contains(row.Err.Error(), c.want) {
						t.Errorf("%s: %s, %v", row.Kind, row.State, row.Err)
					}
				}
				if r.tap.asked != 0 || len(r.e.Ledger()) != 1 {
					t.Errorf("%d URLs, %d changes", r.tap.asked, len(r.e.Ledger()))
				}
			}, c.option)
		})
	}
}

func emptied(t *testing.T) {
	file := filepath.Join(t.TempDir(), "journal")
	open := func() *journal.Journal {
		j, err := journal.Open(file, "a", time.Now)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	notes := open()
	swap := &struct{ client.Recorder }{notes}
	bubble(t, func(r *rig) {
		r.numbered("o", 1200)
		before := len(notes.Entries(time.Time{}))
		var n atomic.Int64
		var id ID
		at := func(k int64, do func()) {
			r.tap.mu.Lock()
			defer r.tap.mu.Unlock()
			r.tap.object = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
				if n.Add(1) == k {
					do()
				}
				return next.RoundTrip(req)
			}
		}
		at(300, func() { r.m.Pause(id) })
		id = r.m.Empty(cluster, bucket, "")
		row := r.settled(id, Paused)
		if row.Done != int64(r.deletions()) || row.Done < 300 || row.Done > 300+deletesAtOnce || row.Total != 1200 {
			t.Errorf("paused at %d of %d; %d applied", row.Done, row.Total, r.deletions())
		}
		at(700, func() { r.end() })
		r.m.Resume(id)
		r.settled(id, Cancelled)
		if done := r.deletions(); done < 700 || done > 700+deletesAtOnce {
			t.Errorf("ended after %d", done)
		}
		if again := notes.Unfinished(EmptyOp); len(again) != 0 {
			t.Errorf("a run finds its own: %+v", again)
		}
		if made := len(notes.Entries(time.Time{})) - before; made != 2 {
			t.Errorf("%d entries for one emptying and its going on", made)
		}
		r.tap.object = nil
		next := open()
		swap.Recorder = next
		left := next.Unfinished(EmptyOp)
		if len(left) != 1 || left[0].Change.ID != cluster+"/"+bucket+"/" {
			t.Fatalf("unfinished: %+v", left)
		}
		r.restart()
		row = r.ended(r.m.Empty(cluster, bucket, ""))
		if row.State != Done || r.deletions() != 1200 {
			t.Errorf("%s, %v, %d", row.State, row.Err, r.deletions())
		}
		if b, err := r.c.Buckets.Get(r.Context(), cluster, bucket); err != nil || b.Objects != 0 {
			t.Errorf("left: %d, %v", b.Objects, err)
		}
		if left := open().Unfinished(EmptyOp); len(left) != 0 {
			t.Errorf("unfinished: %+v", left)
		}
	}, client.WithRecorder(swap))
}

func emptiedPrefix(t *testing.T) {
	notes := journal.Memory(time.Now)
	bubble(t, func(r *rig) {
		r.numbered("a/", 40)
		r.numbered("ab", 3)
		late := false
		r.tap.object = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			if strings.HasSuffix(req.URL.Path, "a/0039") && !late {
				late = true
				r.put("a/0000late", "x")
			}
			return next.RoundTrip(req)
		}
		row := r.ended(r.m.Empty(cluster, bucket, "a/"))
		var left *UndeletedError
		if row.Done != 40 || !errors.As(row.Err, &left) || left.Count != 1 {
			t.Errorf("%s, %d, %v", row.State, row.Done, row.Err)
		}
		r.m.Retry(row.ID)
		if row = r.ended(row.ID); row.State != Done || row.Done != 41 {
			t.Errorf("%s, %d, %v", row.State, row.Done, row.Err)
		}
		page, err := r.c.Objects.List(r.Context(), client.ObjectQuery{Cluster: cluster, Bucket: bucket})
		if err != nil || len(page.Data) != 3 {
			t.Errorf("%d left, %v", len(page.Data), err)
		}
	}, client.WithRecorder(notes))
}

func emptyEnds(t *testing.T) {
	bubble(t, func(r *rig) {
		r.numbered("a/", 5)
		r.numbered("b/", 5)
		r.tap.api = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			req = req.Clone(req.Context())
			query := req.URL.Query()
			query.Del("prefix")
			req.URL.RawQuery = query.Encode()
			return next.RoundTrip(req)
		}
		if row := r.ended(r.m.Empty(cluster, bucket, "b/")); row.State != Done || r.deletions() != 5 {
			t.Errorf("a server that lists too much: %s, %v, %d deleted", row.State, row.Err, r.deletions())
		}
	})
	bubble(t, func(r *rig) {
		r.numbered("o", 100)
		r.tap.object = func(req *http.Request, _ http.RoundTripper) (*http.Response, error) { return status(403)(req) }
		row := r.ended(r.m.Empty(cluster, bucket, ""))
		var left *UndeletedError
		if !errors.As(row.Err, &left) || left.Count != 100 || r.deletions() != 0 {
			t.Errorf("%s, %v", row.State, row.Err)
		}
		if sent := r.tap.count("DELETE"); sent > 2*(deleteFailures+deletesAtOnce) {
			t.Errorf("%d requests before it ended", sent)
		}
	})
	bubble(t, func(r *rig) {
		r.numbered("o", 100)
		r.e.Fail("create object URL", emulator.Fault{Status: 401})
		if row := r.ended(r.m.Empty(cluster, bucket, "")); row.State != Failed || r.tap.count("DELETE") != 0 || r.tap.asked > 100+deletesAtOnce {
			t.Errorf("%s, %v, %d asked", row.State, row.Err, r.tap.asked)
		}
	})
	bubble(t, func(r *rig) {
		names := r.numbered("o", 50)
		ctx, stop := context.WithCancel(r.Context())
		defer stop()
		m := New(ctx, r.c)
		id := m.Empty(cluster, bucket, "")
		m.Cancel(id)
		m.Wait()
		row, _ := m.Row(id)
		if row.State != Cancelled || !slices.Contains(names, "o0049") || r.deletions() > deletesAtOnce {
			t.Errorf("%s, %d applied", row.State, r.deletions())
		}
	})
}

// listing answers requests for listings; n is how many there were, this one included.
func (r *rig) listing(answer func(n int, req *http.Request, next http.RoundTripper) (*http.Response, error)) {
	var n atomic.Int64
	r.tap.api = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		if !strings.HasSuffix(req.URL.Path, "/object-list") {
			return next.RoundTrip(req)
		}
		return answer(int(n.Add(1)), req, next)
	}
}

func emptyLies(t *testing.T) {
	page := func(text string) func(*http.Request) (*http.Response, error) {
		return func(req *http.Request) (*http.Response, error) { return faultrig.Answer(200, text)(nil, req) }
	}
	for name, text := range map[string]string{
		"null":          `{"data":[],"is_truncated":true,"next_marker":null}`,
		"no marker":     `{"data":[],"is_truncated":true}`,
		"the same":      `{"data":[],"is_truncated":true,"next_marker":"m"}`,
		"a circle of 3": "circle",
		"new for ever":  "new",
	} {
		faultrig.Row(t, "A20", name, func(t *testing.T) {
			notes := journal.Memory(time.Now)
			bubble(t, func(r *rig) {
				r.put("o", "text")
				var asked atomic.Int64
				r.listing(func(n int, req *http.Request, _ http.RoundTripper) (*http.Response, error) {
					asked.Store(int64(n))
					switch text {
					case "circle":
						return page(fmt.Sprintf(`{"data":[],"is_truncated":true,"next_marker":"tok%d"}`, n%3))(req)
					case "new":
						return page(fmt.Sprintf(`{"data":[],"is_truncated":true,"next_marker":"tok%d"}`, n))(req)
					}
					return page(text)(req)
				})
				row := r.ended(r.m.Empty(cluster, bucket, ""))
				entries := notes.Entries(time.Time{})
				if row.State != Failed || !strings.Contains(row.Err.Error(), "objects may be left") || entries[len(entries)-1].Outcome != journal.Unknown || asked.Load() > 250 {
					t.Errorf("%s, %v, %s after %d requests", row.State, row.Err, entries[len(entries)-1].Outcome, asked.Load())
				}
			}, client.WithRecorder(notes))
		})
	}
	faultrig.Row(t, "A20", "an empty page before the rest", func(t *testing.T) {
		bubble(t, func(r *rig) {
			r.put("o", "text")
			r.listing(func(_ int, req *http.Request, next http.RoundTripper) (*http.Response, error) {
				if req.URL.Query().Get("marker") == "" {
					return page(`{"data":[],"is_truncated":true,"next_marker":"a"}`)(req)
				}
				return next.RoundTrip(req)
			})
			r.tap.object = func(req *http.Request, _ http.RoundTripper) (*http.Response, error) { return status(204)(req) } // and removes nothing
			row := r.ended(r.m.Empty(cluster, bucket, ""))
			var left *UndeletedError
			if !errors.As(row.Err, &left) || left.Count != 1 || left.More {
				t.Errorf("%s, %v", row.State, row.Err)
			}
			r.tap.object = nil
			if row := r.ended(r.m.Empty(cluster, bucket, "")); row.State != Done || r.deletions() != 1 {
				t.Errorf("%s, %v", row.State, row.Err)
			}
		})
	})
	faultrig.Row(t, "A20", "cut once, whole later", func(t *testing.T) {
		bubble(t, func(r *rig) {
			r.put("o", "text")
			r.listing(func(n int, req *http.Request, next http.RoundTripper) (*http.Response, error) {
				if n == 1 {
					return page(`{"data":[{"name":"o","etag":"x","size":1}],"is_truncated":true,"next_marker":null}`)(req)
				}
				return next.RoundTrip(req)
			})
			if row := r.ended(r.m.Empty(cluster, bucket, "")); row.State != Done || r.deletions() != 1 {
				t.Errorf("%s, %v", row.State, row.Err)
			}
		})
	})
}

func emptyBusy(t *testing.T) {
	for _, part := range []string{"/object-url", "/object-list"} {
		for _, after := range []string{"5", "30", "59", "60", "3600"} {
			faultrig.Row(t, "C2", part+", wait "+after, func(t *testing.T) {
				bubble(t, func(r *rig) {
					r.numbered("o", 60)
					var n atomic.Int64
					at := map[string]int64{"/object-url": 20, "/object-list": 1}[part]
					r.tap.api = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
						if strings.HasSuffix(req.URL.Path, part) && n.Add(1) == at {
							return faultrig.Answer(429, `{"errors":[{"reason":"Too many requests"}]}`, "Retry-After", after)(nil, req)
						}
						return next.RoundTrip(req)
					}
					if row := r.ended(r.m.Empty(cluster, bucket, "")); row.State != Done || row.Done != 60 || r.deletions() != 60 {
						t.Errorf("%s, %d done, %d deleted: %v", row.State, row.Done, r.deletions(), row.Err)
					}
				})
			})
		}
	}
	faultrig.Row(t, "C2", "busy for longer than an object is tried", func(t *testing.T) {
		bubble(t, func(r *rig) {
			r.numbered("o", 60)
			start := time.Now()
			r.tap.api = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
				if strings.HasSuffix(req.URL.Path, "/object-url") && time.Since(start) < 200*time.Second {
					return faultrig.Answer(429, `{"errors":[{"reason":"Too many requests"}]}`, "Retry-After", "3600")(nil, req)
				}
				return next.RoundTrip(req)
			}
			row := r.ended(r.m.Empty(cluster, bucket, ""))
			var left *UndeletedError
			if !errors.As(row.Err, &left) || left.Count > deletesAtOnce || row.Done != int64(60-left.Count) {
				t.Errorf("%s, %d done: %v", row.State, row.Done, row.Err)
			}
		})
	})
}
