package transfer

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"lookout/client"
)

// addCopy adds a copy or a move. Retry of one whose copy is stored by then continues after it.
func addCopy(m *Manager, r *copyTask) (ID, error) {
	row := Status{
		Kind:    Copy,
		Cluster: r.Target.Cluster,
		Bucket:  r.Target.Bucket,
		Name:    client.NewText(r.Target.Name),
		Source:  client.NewText(r.Source.ID()),
		Total:   r.Object.Size,
	}
	if r.Move {
		row.Kind = Move
	}
	return m.add(row, r, ""), nil
}

// copyObject copies or moves an object of the rig's bucket to another name and waits for the end.
func (r *rig) copyObject(o client.Object, to string, move bool) Status {
	r.Helper()
	at := client.ObjectRef{Cluster: cluster, Bucket: bucket, Name: o.Name.Raw()}
	target := at
	target.Name = to
	id, err := addCopy(r.m, &copyTask{
		Source:        at,
		Object:        &o,
		Target:        target,
		Move:          move,
		Consent:       r.consent(client.OpUploadObject),
		DeleteConsent: r.consent(client.OpDeleteObject),
		MustNew:       true,
	})
	if err != nil {
		r.Fatal(err)
	}
	return r.waitEnded(id)
}

// hasObject reports whether the bucket holds an object with these bytes.
func (r *rig) hasObject(name, text string) bool {
	r.Helper()
	o, there, err := r.c.Objects.Find(r.Context(), cluster, bucket, name)
	if err != nil {
		r.Fatal(err)
	}
	return there && o.Size == int64(len(text)) && o.ETag.Raw() == md5Hex([]byte(text))
}

// A copy has the content type of its source and the headers that the storage keeps. Metadata that it cannot get is
// named.
func TestCopy_keepsHeadersAndNamesWhatIsLost(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "some bytes": "text"} {
		t.Run(name, func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				o := r.putObject("a", text)
				var sent http.Header
				r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
					if req.Method == http.MethodPut {
						sent = req.Header
					}
					res, err := next.RoundTrip(req)
					if err == nil && req.Method == http.MethodGet {
						res.Header.Set("Content-Type", "text/x-odd; charset=latin1")
						res.Header.Set("Content-Disposition", `attachment; filename="a"`)
						res.Header.Set("Cache-Control", "no-store")
						res.Header.Set("X-Amz-Meta-Mtime", "17")
					}
					return res, err
				}
				row := r.copyObject(o, "b", true)
				note := "size and MD5 checked; not copied: x-amz-meta-mtime"
				if row.State != Done || !strings.HasSuffix(row.Note, note) {
					r.Fatalf("%s, %q, %v", row.State, row.Note, row.Err)
				}
				for header, want := range map[string]string{
					"Content-Type": "text/x-odd; charset=latin1", "Cache-Control": "no-store", "Content-Language": "",
					"Content-Disposition": `attachment; filename="a"`, "X-Amz-Meta-Mtime": "",
				} {
					if got := sent.Get(header); got != want {
						r.Errorf("%s: %q, want %q", header, got, want)
					}
				}
				if r.hasObject("a", text) || !r.hasObject("b", text) {
					r.Error("it was not moved")
				}
			})
		})
	}
}

// A source whose connection is cut is continued in the same upload.
func TestCopy_continuesTheSource(t *testing.T) {
	runInBubble(t, func(r *rig) {
		data := testBytes(700_000)
		o := r.putObject("a", string(data))
		storage := &fakeStorage{
			size: o.Size,
			data: data,
			etag: o.ETag.Raw(),
			cuts: []int64{100_000, 500_000, -1},
		}
		r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			if req.Method == http.MethodGet {
				return storage.answer(req, next)
			}
			return next.RoundTrip(req)
		}
		if row := r.copyObject(o, "b", true); row.State != Done {
			r.Fatalf("%s: %v", row.State, row.Err)
		}
		if n := r.transport.count(http.MethodPut); storage.served != 3 || n != 2 {
			r.Errorf("%d downloads, %d uploads", storage.served, n)
		}
		if r.hasObject("a", string(data)) || !r.hasObject("b", string(data)) {
			r.Error("it was not moved")
		}
	})
}

// Nothing is stored of a source that is not what the listing says, and the source stays.
func TestCopy_storesNothingOfAWrongSource(t *testing.T) {
	for name, modify := range map[string]func(*fakeStorage){
		"wrong bytes":   func(s *fakeStorage) { s.data = testBytes(len(s.data) + 1)[1:] },
		"other version": func(s *fakeStorage) { s.etag = otherLastDigit(s.etag) },
		"too short":     func(s *fakeStorage) { s.size-- },
		"too long": func(s *fakeStorage) {
			s.size += 5
			s.modify = func(res *http.Response) { res.ContentLength = -1 }
		},
	} {
		t.Run(name, func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				data := testBytes(300_000)
				o := r.putObject("a", string(data))
				storage := &fakeStorage{size: o.Size, data: data, etag: o.ETag.Raw()}
				modify(storage)
				r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
					if req.Method == http.MethodGet {
						return storage.answer(req, next)
					}
					return next.RoundTrip(req)
				}
				row := r.copyObject(o, "b", true)
				if row.State != Failed || !errors.Is(row.Err, ErrCorrupt) && !errors.Is(row.Err, ErrObjectChanged) {
					r.Errorf("%s: %v", row.State, row.Err)
				}
				if _, there, _ := r.c.Objects.Find(r.Context(), cluster, bucket, "b"); there {
					r.Error("something was stored")
				}
				if !r.hasObject("a", string(data)) {
					r.Error("the source is gone")
				}
			})
		})
	}
}

// If the ETag of the copy proves nothing, a copy says so and a move keeps its source.
func TestCopy_unprovedCopyKeepsTheSource(t *testing.T) {
	runInBubble(t, func(r *rig) {
		o := r.putObject("a", "text")
		r.transport.onAPI = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			res, err := next.RoundTrip(req)
			if err == nil && req.URL.Query().Get("prefix") == "b" {
				data, _ := io.ReadAll(res.Body)
				text := strings.ReplaceAll(string(data), md5Hex([]byte("text")), md5Hex([]byte("text"))+"-1")
				res.Body, res.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
				res.Header.Del("Content-Length")
			}
			return res, err
		}
		row := r.copyObject(o, "b", true)
		if row.State != Failed || !errors.Is(row.Err, errUnverified) || r.transport.count(http.MethodDelete) != 0 {
			r.Errorf("%s: %v", row.State, row.Err)
		}
	})
}

// A retry of a move whose copy is stored does not send it again, and deletes the source.
func TestCopy_retryContinuesAfterTheCopy(t *testing.T) {
	runInBubble(t, func(r *rig) {
		o := r.putObject("a", "text")
		var once sync.Once
		r.transport.onObject = func(req *http.Request, next http.RoundTripper) (res *http.Response, err error) {
			if req.Method == http.MethodDelete {
				once.Do(func() { err = errors.New("the network is gone") })
			}
			if err != nil {
				return nil, err
			}
			return next.RoundTrip(req)
		}
		row := r.copyObject(o, "b", true)
		if row.State != Failed || !strings.Contains(row.Err.Error(), "it was copied, but the source was not deleted") {
			r.Fatalf("%s: %v", row.State, row.Err)
		}
		r.m.Retry(row.ID)
		if row = r.waitFor(row.ID, Done); r.transport.count(http.MethodPut) != 2 {
			r.Errorf("%d uploads", r.transport.count(http.MethodPut))
		}
		if r.hasObject("a", "text") || !r.hasObject("b", "text") {
			r.Error("it was not moved")
		}
	})
}

// A cancelled copy leaves nothing behind, and a paused one starts again.
func TestCopy_pauseAndCancel(t *testing.T) {
	runInBubble(t, func(r *rig) {
		data := testBytes(900_000)
		o := r.putObject("a", string(data))
		at := client.ObjectRef{Cluster: cluster, Bucket: bucket, Name: "a"}
		storage := &fakeStorage{size: o.Size, data: data, etag: o.ETag.Raw()}
		started := make(chan struct{}, 10)
		hold := make(chan struct{})
		r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			if req.Method != http.MethodGet {
				return next.RoundTrip(req)
			}
			res, err := storage.answer(req, next)
			body := res.Body
			res.Body = io.NopCloser(io.MultiReader(
				io.LimitReader(body, 300_000), waitReader{req, started, hold}, body,
			))
			return res, err
		}
		target := at
		target.Name = "b"
		id, err := addCopy(r.m, &copyTask{
			Source:  at,
			Object:  &o,
			Target:  target,
			Consent: r.consent(client.OpUploadObject),
		})
		if err != nil {
			r.Fatal(err)
		}
		<-started
		r.m.Pause(id)
		r.waitFor(id, Paused)
		r.m.Resume(id)
		<-started
		r.m.Cancel(id)
		if row := r.waitFor(id, Cancelled); row.Err != nil {
			r.Error(row.Err)
		}
		if _, there, _ := r.c.Objects.Find(r.Context(), cluster, bucket, "b"); there {
			r.Error("something was stored")
		}
		close(hold)
		r.m.Retry(id)
		r.waitFor(id, Done)
		if !r.hasObject("b", string(data)) {
			r.Error("it was not copied")
		}
	})
}

// waitReader reads nothing, but waits.
type waitReader struct {
	req     *http.Request
	started chan<- struct{}
	hold    <-chan struct{}
}

func (w waitReader) Read([]byte) (int, error) {
	select {
	case w.started <- struct{}{}:
	default:
	}
	select {
	case <-w.hold:
		return 0, io.EOF
	case <-w.req.Context().Done():
		return 0, w.req.Context().Err()
	}
}
