package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
)

func TestManager_Upload(t *testing.T) {
	t.Run("D11 only an unchanged regular file is stored", testUploadSources)
	t.Run("D12 an upload without a response is checked and never sent again", testUploadLostAnswer)
	t.Run("D12 every digit of the MD5 is compared", testUploadOtherMD5)
	t.Run("D13 the object that an upload would replace is reported first", testExistingObject)
	t.Run("D14 an upload sends its length and type and no token", testUploadHeaders)
	t.Run("folder", testUploadFolder)
}

// putCount returns how many objects the emulator stored.
func (r *rig) putCount() (n int) {
	for _, a := range r.e.Ledger() {
		if a.Op == "put object" {
			n++
		}
	}
	return n
}

func testUploadSources(t *testing.T) {
	type source struct {
		make    func(*rig, string) error
		want    string // of the refusal; "" if it is accepted
		visible bool   // nothing of its name is hidden
	}
	sources := map[string]source{
		"nothing": {make: func(*rig, string) error { return nil }, want: "no such file"},
		"folder":  {make: func(_ *rig, f string) error { return os.Mkdir(f, 0o700) }, want: "is a folder"},
		"pipe":    {make: func(_ *rig, f string) error { return mkfifo(f) }, want: "not a regular file"},
		"empty":   {make: func(_ *rig, f string) error { return makeSparseFile(f, 0) }},
		"too large": {
			make: func(_ *rig, f string) error { return makeSparseFile(f, client.MaxPutSize+1) },
			want: "5 GiB",
		},
	}
	for name, s := range maps.Clone(sources) {
		s.visible = true
		sources[name+", visible"] = s
	}
	for name, c := range sources {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.HasPrefix(name, "pipe") {
				t.Skip("this system has no named pipes")
			}
			runInBubble(t, func(r *rig) {
				path := filepath.Join(r.dir, name+"\x1b[2J ‹x› ✓")
				if c.visible {
					path = filepath.Join(r.dir, name+" ‹x› ✓")
				}
				if runtime.GOOS == "windows" {
					path = filepath.Join(r.dir, "f")
				}
				if err := c.make(r, path); err != nil {
					t.Fatal(err)
				}
				id, err := r.m.Upload(UploadRequest{
					Consent: r.consent(client.OpUploadObject),
					Cluster: cluster,
					Bucket:  bucket,
					Name:    "o",
					File:    path,
				})
				if c.want == "" {
					if row := r.waitEnded(id); err != nil || row.State != Done || row.Note != "size and MD5 checked" ||
						r.putCount() != 1 {
						t.Errorf("%v, %s, %q, %v", err, row.State, row.Note, row.Err)
					}
					return
				}
				if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\x1b") ||
					r.transport.urlRequests != 0 {
					t.Errorf("%d URLs, %v", r.transport.urlRequests, err)
				}
				if !strings.Contains(err.Error(), client.Clean(filepath.Base(path))) {
					t.Errorf("the name is not shown as everywhere else: %v", err)
				}
			})
		})
	}
	text := strings.Repeat("0123456789", 100_000)
	for name, change := range map[string]func(path string) error{
		"shrinks": func(path string) error { return os.Truncate(path, 500_000) },
		"grows":   func(path string) error { return os.Truncate(path, 1_500_000) },
		"written": func(path string) error { return os.Chtimes(path, time.Now(), time.Now().Add(time.Hour)) },
		"replaced": func(path string) error {
			return errors.Join(os.WriteFile(path+"2", []byte(text), 0o600), os.Rename(path+"2", path))
		},
		"gone": os.Remove,
	} {
		t.Run("a file that "+name+" during the upload", func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				path := r.writeFile("f", text)
				r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
					head := make([]byte, 100_000)
					if _, err := io.ReadFull(req.Body, head); err != nil {
						t.Error(err)
					}
					if err := change(path); err != nil && runtime.GOOS != "windows" {
						t.Error(err)
					}
					req.Body = io.NopCloser(io.MultiReader(strings.NewReader(string(head)), req.Body))
					return next.RoundTrip(req)
				}
				row := r.upload("o", path)
				if row.State != Failed || !errors.Is(row.Err, ErrSourceChanged) || r.putCount() != 0 ||
					r.transport.count("PUT") != 1 {
					t.Errorf("%s, %v, %d stored", row.State, row.Err, r.putCount())
				}
			})
		})
	}
}

// The longest name that Object Storage accepts has 1,024 bytes.
func TestManager_Upload_longestName(t *testing.T) {
	runInBubble(t, func(r *rig) {
		file := r.writeFile("f", "text")
		if row := r.upload(strings.Repeat("n", 1024), file); row.State != Done {
			t.Errorf("1,024 bytes: %s, %v", row.State, row.Err)
		}
		if _, err := r.m.Upload(UploadRequest{
			Consent: r.consent(client.OpUploadObject),
			Cluster: cluster,
			Bucket:  bucket,
			Name:    strings.Repeat("n", 1025),
			File:    file,
		}); err == nil || !strings.Contains(err.Error(), "1 to 1024 bytes") {
			t.Errorf("1,025 bytes: %v", err)
		}
	})
}

// makeSparseFile creates a file of a size without writing its bytes.
func makeSparseFile(path string, size int64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Close())
}

// writeFault is a fault that hits a change on its way.
type writeFault struct {
	apply   bool
	respond func(*http.Request) (*http.Response, error)
}

func respondStatus(code int) func(*http.Request) (*http.Response, error) {
	return func(req *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: code,
			Header:     http.Header{"Location": {"https://login.example/"}, "Content-Type": {"text/html"}},
			Body:       io.NopCloser(strings.NewReader("<html>")),
			Request:    req,
		}, nil
	}
}

func failWith(err error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// writeFaults are the faults that can hit a change: rejected before it is sent, cut before or after it is applied, and
// unreadable responses.
func writeFaults() map[string]writeFault {
	reset := errors.New("connection reset by peer")
	dial := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	return map[string]writeFault{
		"P1 not sent": {
			false,
			failWith(dial),
		}, "P3 not done, cut": {false, failWith(reset)}, "P4 done, cut": {true, failWith(reset)}, "P6 done, too " +
			"late": {true, failWith(context.DeadlineExceeded)},
		"P7 done, 502": {
			true,
			respondStatus(502),
		}, "P7 done, 503": {true, respondStatus(503)}, "P7 done, 504": {true, respondStatus(504)}, "P8 not done, " +
			"502": {false, respondStatus(502)},
		"P9 done, 200 and a page": {true, respondStatus(200)}, "P10 done, 302": {true, respondStatus(302)},
	}
}

// roundTrip applies the fault.
func (f writeFault) roundTrip(req *http.Request, next http.RoundTripper) (*http.Response, error) {
	if f.apply {
		res, err := next.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		res.Body.Close()
	} else if req.Body != nil {
		_, _ = io.Copy(io.Discard, req.Body)
	}
	return f.respond(req)
}

func testUploadLostAnswer(t *testing.T) {
	for name, f := range writeFaults() {
		for _, there := range []string{"nothing", "another object"} {
			t.Run(name+" over "+there, func(t *testing.T) {
				runInBubble(t, func(r *rig) {
					before := 0
					if there != "nothing" {
						r.putObject("o", "old")
						before = 1
					}
					r.transport.onObject = f.roundTrip
					row := r.upload("o", r.writeFile("f", "new text"))
					var e *client.Error
					switch {
					case f.apply && row.State != Done:
						t.Errorf("%s: %v", row.State, row.Err)
					case f.apply && !strings.Contains(
						row.Note, "the response was lost",
					) && !strings.HasPrefix(name, "P9 "):
						t.Errorf("note %q", row.Note)
					case !f.apply && (row.State != Failed || !errors.As(
						row.Err, &e,
					) || e.Unknown() == strings.HasPrefix(name, "P1 ")):
						t.Errorf("%s: %v", row.State, row.Err)
					}
					if want := before + map[bool]int{true: 1}[f.apply]; r.putCount() != want ||
						r.transport.count("PUT") != before+1 {
						t.Errorf("%d stored, %d sent", r.putCount(), r.transport.count("PUT"))
					}
					if r.transport.onObject = nil; row.State == Failed {
						r.m.Retry(row.ID)
						if row = r.waitFor(row.ID, Done); row.Note != "size and MD5 checked" {
							t.Errorf("note %q", row.Note)
						}
					}
				})
			})
		}
	}
	t.Run("cancelled after the last byte", func(t *testing.T) {
		runInBubble(t, func(r *rig) {
			r.transport.onObject = writeFault{true, func(req *http.Request) (*http.Response, error) {
				r.m.CancelAll()
				<-req.Context().Done()
				return nil, req.Context().Err()
			}}.roundTrip
			id, err := r.m.Upload(UploadRequest{
				Consent: r.consent(client.OpUploadObject),
				Cluster: cluster,
				Bucket:  bucket,
				Name:    "o",
				File:    r.writeFile("f", "new text"),
			})
			if err != nil {
				t.Fatal(err)
			}
			if row := r.waitEnded(id); row.State != Done || !strings.Contains(row.Note, "the response was lost") {
				t.Errorf("%s, %v", row.State, row.Err)
			}
		})
	})
	for name, c := range map[string]struct {
		twist func(req *http.Request, next http.RoundTripper) (*http.Response, error)
		want  string
	}{
		"accepted but not listed": {writeFault{false, respondStatus(200)}.roundTrip, "the listing does not show"},
		"stored otherwise": {func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			req.Body = io.NopCloser(strings.NewReader("NEW text"))
			return next.RoundTrip(req)
		}, "the listing does not show"},
	} {
		t.Run(name, func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				r.transport.onObject = c.twist
				if row := r.upload("o", r.writeFile("f", "new text")); row.State != Failed ||
					!strings.Contains(row.Err.Error(), c.want) {
					t.Errorf("%s: %v", row.State, row.Err)
				}
			})
		})
	}
}

// An MD5 that differs only in its last digit is another one: in the listing, after an answer and without one, and in
// the answer itself.
func testUploadOtherMD5(t *testing.T) {
	const text = "new text"
	right, wrong := md5Hex([]byte(text)), otherLastDigit(md5Hex([]byte(text)))
	for name, c := range map[string]struct {
		answer, listing map[string]string
		fault           interceptor
		unknown         bool
		want            string
	}{
		"in the listing": {
			listing: map[string]string{right: wrong},
			unknown: true,
			want:    "the listing does not show the object",
		},
		"in the listing, without an answer": {
			listing: map[string]string{right: wrong},
			fault:   writeFault{true, respondStatus(502)}.roundTrip,
			unknown: true,
			want:    "502",
		},
		"in the answer": {answer: map[string]string{right: wrong}, want: "the MD5 in the storage is " + wrong},
	} {
		t.Run(name, func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				r.transport.onObject, r.transport.onAPI = replaceText(c.answer), replaceText(c.listing)
				if c.fault != nil {
					r.transport.onObject = c.fault
				}
				row := r.upload("o", r.writeFile("f", text))
				var e *client.Error
				if row.State != Failed || !strings.Contains(row.Err.Error(), c.want) ||
					(errors.As(row.Err, &e) && e.Unknown()) != c.unknown {
					t.Errorf("%s, %q: %v", row.State, row.Note, row.Err)
				}
			})
		})
	}
}

// replaceText returns an interceptor that replaces texts in the bodies and the ETags of answers.
func replaceText(texts map[string]string) interceptor {
	return func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		res, err := next.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(res.Body)
		if err != nil {
			return nil, err
		}
		res.Body.Close()
		for before, after := range texts {
			body = []byte(strings.ReplaceAll(string(body), before, after))
			res.Header.Set("ETag", strings.ReplaceAll(res.Header.Get("ETag"), before, after))
		}
		res.Body = io.NopCloser(strings.NewReader(string(body)))
		return res, nil
	}
}

func testExistingObject(t *testing.T) {
	runInBubble(t, func(r *rig) {
		for _, name := range []string{"o", "o/x", "o2", "p/"} {
			r.putObject(name, "text of "+name)
		}
		for name, want := range map[string]bool{
			"o":  true,
			"o2": true,
			"p/": true,
			"p":  false,
			"O":  false,
			"":   false,
			"o/": false,
		} {
			o, there, err := r.c.Objects.Find(r.Context(), cluster, bucket, name)
			if err != nil || there != want || there && (o.Size != int64(len("text of "+name)) || !o.Modified.Valid()) {
				t.Errorf("%q: %+v, %t, %v", name, o, there, err)
			}
		}
	})
}

// newTCPClient returns a client of an emulator that listens on TCP; first may answer instead of it.
func newTCPClient(t testing.TB, first func(http.ResponseWriter, *http.Request) bool) *client.Client {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + l.Addr().String()
	e := emulator.New(emulator.Options{Token: token, BaseURL: base})
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !first(w, req) {
			e.ServeHTTP(w, req)
		}
	})}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	c, err := client.New(base+"/v4", client.NewSecret(token))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// waitFinished waits for the end of a transfer in real time.
func waitFinished(t testing.TB, m *Manager, id ID) Status {
	t.Helper()
	for {
		if row, _ := m.Status(id); !row.State.Unfinished() {
			return row
		}
		select {
		case <-m.Changed():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func testUploadHeaders(t *testing.T) {
	faulttest.ReportByName(t)
	var wire []string
	c := newTCPClient(t, func(_ http.ResponseWriter, req *http.Request) bool {
		if req.Method == "PUT" {
			wire = append(
				wire,
				fmt.Sprintf(
					"%d %q %q %q %q", req.ContentLength, req.TransferEncoding, req.Header.Get("Content-Type"),
					req.Header.Get("Authorization"), req.Header.Get("Expect"),
				),
			)
		}
		return false
	})
	m := New(t.Context(), c)
	for _, size := range []int64{0, 5, 3 << 20} {
		path := filepath.Join(t.TempDir(), "f.txt")
		if err := makeSparseFile(path, size); err != nil {
			t.Fatal(err)
		}
		wire = nil
		id, err := m.Upload(UploadRequest{
			Consent:     consentToAll(t, c, client.OpUploadObject),
			Cluster:     cluster,
			Bucket:      bucket,
			Name:        "o",
			File:        path,
			ContentType: "text/x; q=1",
		})
		if err != nil {
			t.Fatal(err)
		}
		row := waitFinished(t, m, id)
		want := fmt.Sprintf(`%d [] "text/x; q=1" "" ""`, size)
		if row.State != Done || !slices.Equal(wire, []string{want}) {
			t.Errorf("%s, %v, %q", row.State, row.Err, wire)
		}
	}
	for name, want := range map[string]string{
		"a.html":          "text/html; charset=utf-8",
		"a.png":           "image/png",
		"a":               "application/octet-stream",
		"a.nothing-known": "application/octet-stream",
	} {
		if got := ContentType(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// uploadPlan starts the uploads of a plan.
func (r *rig) uploadPlan(p Plan) (ids []ID, refused []SkippedFile) {
	p.Cluster, p.Bucket = cluster, bucket
	return r.m.Start(p, StartOptions{Consent: r.consent(client.OpUploadObject)})
}

func testUploadFolder(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	runInBubble(t, func(r *rig) {
		r.writeFile("one", "1")
		for _, err := range []error{
			os.MkdirAll(filepath.Join(r.dir, "sub/deep"), 0o700),
			os.WriteFile(filepath.Join(r.dir, "sub/deep/two"), []byte("22"), 0o600),
			os.Symlink(outside, filepath.Join(r.dir, "out")),
			os.Symlink("one", filepath.Join(r.dir, "link")),
			mkfifo(filepath.Join(r.dir, "pipe")),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		plan, err := PlanUpload(r.Context(), "p/", r.dir)
		if err != nil || plan.Files.Len() != 2 || len(plan.Skipped) != 3 {
			t.Fatalf("%+v, %v", plan, err)
		}
		for _, one := range plan.Skipped {
			if link := one.Path != "pipe"; link != (one.Reason == "it is a link") {
				t.Errorf("%s: %s", one.Path, one.Reason)
			}
		}
		plan.Skipped = nil
		plan.add(PlannedFile{Name: "p/out/secret", Folder: r.dir, Path: "out/secret", Size: 6})
		ids, bad := r.uploadPlan(plan)
		if len(ids) != 3 || len(bad) != 0 {
			t.Fatalf("%d taken, skipped: %+v", len(ids), bad)
		}
		if row := r.waitEnded(ids[2]); row.State != Failed || !strings.Contains(row.Err.Error(), "escapes") {
			t.Errorf("what is outside the folder: %s, %v", row.State, row.Err)
		}
		for _, id := range ids[:2] {
			row := r.waitFor(id, Done)
			if local := filepath.Join(r.dir, strings.TrimPrefix(row.Name.Raw(), "p/")); row.LocalPath.Raw() != local {
				t.Errorf("%s is said to come from %q", row.Name, row.LocalPath)
			}
		}
		page, err := r.c.Objects.List(r.Context(), client.ObjectQuery{Cluster: cluster, Bucket: bucket})
		if err != nil || len(page.Data) != 2 || page.Data[0].Name.Raw() != "p/one" ||
			page.Data[1].Name.Raw() != "p/sub/deep/two" ||
			page.Data[1].Size != 2 {
			t.Errorf("%+v, %v", page.Data, err)
		}
	})
}

// A folder upload names each file that is not sent, and why: in the plan, in the list of transfers and in the result.
func TestUploadFolder_namesWhatIsNotSent(t *testing.T) {
	runInBubble(t, func(r *rig) {
		r.writeFile("fine", "1")
		r.writeFile("gone", "2")
		huge := filepath.Join(r.dir, "huge")
		long := strings.Repeat("n", 200)
		for _, err := range []error{
			os.WriteFile(huge, nil, 0o600),
			os.Truncate(huge, client.MaxPutSize+1),
			os.Symlink("fine", filepath.Join(r.dir, "link")),
			os.MkdirAll(filepath.Join(r.dir, long, long, long, long, long), 0o700),
			os.WriteFile(filepath.Join(r.dir, long, long, long, long, long, long), nil, 0o600),
			os.WriteFile(filepath.Join(r.dir, "closed"), nil, 0),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		want := map[string]string{"huge": "larger than 5 GiB", "link": "it is a link", long: "bytes long"}
		if f, err := os.Open(filepath.Join(r.dir, "closed")); err != nil {
			want["closed"] = "it cannot be read"
		} else { // root reads everything
			f.Close()
			os.Remove(f.Name())
		}
		plan, err := PlanUpload(r.Context(), "p/", r.dir)
		if err != nil || plan.Files.Len() != 2 || len(plan.Skipped) != len(want) {
			t.Fatalf("%+v, %v", plan, err)
		}
		if err := os.Remove(filepath.Join(r.dir, "gone")); err != nil {
			t.Fatal(err)
		}
		ids, refused := r.uploadPlan(plan)
		if len(ids) != 2 || len(refused) != len(want) {
			t.Fatalf("%d are sent; not sent: %v", len(ids), refused)
		}
		r.waitFor(ids[0], Done)
		if row := r.waitEnded(ids[1]); row.State != Failed || !strings.Contains(row.Err.Error(), "no such file") {
			t.Errorf("what is gone: %s, %v", row.State, row.Err)
		}
		for _, f := range refused {
			why := want[strings.SplitN(f.Path, "/", 2)[0]]
			if why == "" || !strings.Contains(f.Reason, why) {
				t.Errorf("%s: %s", f.Path, f.Reason)
			}
			named := func(s *Status) bool { return s.Name.Raw() == "p/"+f.Path }
			rows := rowsOf(r.m)
			i := slices.IndexFunc(rows, named)
			if i < 0 || rows[i].State != Failed || !strings.Contains(rows[i].Err.Error(), why) {
				t.Errorf("%s is not in the list", f.Path)
			}
		}
		ends := r.m.Completions(0)
		end := ends[len(ends)-1].Batch
		if end.Remaining != 0 || end.Done != 1 || end.Failed != 1 || end.Refused != len(want) ||
			end.Files != len(want)+2 || end.FirstRefused == nil {
			t.Errorf("%+v", end)
		}
		r.m.RetryAll()
		r.waitFor(end.FirstRefused.ID, Failed)
	})
}
