package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client"
	"lookout/client/faulttest"
)

func TestManager_signedURLs(t *testing.T) {
	t.Run("D9 a pre-signed URL that does not fit the request is refused", testSignedURLRefused)
	t.Run("D10 an expired URL is renewed once", testSignedURLExpired)
	t.Run("A28 a redirect by the storage is refused", testRedirectRefused)
}

// respondSignedURL answers a request for a pre-signed URL with link.
func respondSignedURL(link string) func(*http.Request, http.RoundTripper) (*http.Response, error) {
	return func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		if !strings.HasSuffix(req.URL.Path, "/object-url") {
			return next.RoundTrip(req)
		}
		body := fmt.Sprintf(`{"url": %q, "exists": true}`, link)
		return &http.Response{
			StatusCode: 200,
			Header:     http.Header{"Content-Type": {"application/json"}},
			Body:       io.NopCloser(strings.NewReader(body)),
			Request:    req,
		}, nil
	}
}

func testSignedURLRefused(t *testing.T) {
	const signed = "Signature=s%3D&Expires=1900000000&AWSAccessKeyId=K"
	bad := append(
		faulttest.HostileStrings(t, "D9", "presigned_url"), "", "/relative", "//host/x",
		"http://b.example/scratch/o?X-Amz-Signature=s", "file:///etc/passwd",
		"https://user:pw@b.example/scratch/o?Signature=s",
	)
	for _, link := range []string{
		"http://b.example/scratch/o?", "https://b.example:22/scratch/o?", "https://user@b.example/scratch/o?",
		"https://127.0.0.1/scratch/o?", "http://127.0.0.1/scratch/o?", "https://localhost/scratch/o?",
		"https://169.254.169.254/scratch/o?", "https://[::1]/scratch/o?", "https://b.example/scratch/other?",
		"https://b.example/other/o?", "https://b.example/scratch/o/../../x/o2?", "ftp://b.example/scratch/o?",
	} {
		bad = append(bad, link+signed)
	}
	bad = append(
		bad, "https://b.example/scratch/o?Expires=1", "https://b.example/scratch/o?"+signed+"#f",
		"https://b.example/scratch/o?"+signed+strings.Repeat("x", 9000),
	)
	good := []string{
		"https://us-east-1.linodeobjects.com:443/scratch/o?" + signed,
		"https://b.example/scratch/o?X-Amz-Signature=s",
		"https://scratch.b.example/o?" + signed,
	}
	data := []byte("text")
	for i, link := range append(good, bad...) {
		runInBubble(t, func(r *rig) {
			s := &fakeStorage{size: 4, data: data, etag: md5Hex(data)}
			r.transport.onObject, r.transport.onAPI = s.answer, respondSignedURL(link)
			row := r.download(listedObject("o", 4, s.etag), "")
			if i < len(good) != (row.State == Done) || i >= len(good) && s.served != 0 {
				t.Errorf("%.60q: %s, %v, %d requests", link, row.State, row.Err, s.served)
			}
			if row.Err != nil &&
				(strings.Contains(row.Err.Error(), "Signature=") || strings.Contains(row.Err.Error(), "pw@")) {
				t.Errorf("the error contains the URL: %v", row.Err)
			}
		})
	}
	runInBubble(t, func(r *rig) {
		canary := "https://objects.example/scratch/o?Signature=CANARY"
		r.transport.onAPI = respondSignedURL(canary)
		r.transport.onObject = func(*http.Request, http.RoundTripper) (*http.Response, error) {
			return nil, errors.New("boom")
		}
		row := r.download(listedObject("o", 4, "e"), "")
		if text := fmt.Sprintf(
			"%v %+v %v", row.Err, row.Err, errors.Unwrap(errors.Unwrap(row.Err)),
		); row.State != Failed ||
			strings.Contains(text, "CANARY") {
			t.Errorf("%s", text)
		}
	})
}

func testSignedURLExpired(t *testing.T) {
	for name, c := range map[string]struct {
		refusals int
		do       func(*rig) Status
		asked    int
		want     State
	}{
		"a download, once": {
			1,
			func(r *rig) Status { return r.download(listedObject("o", 4, md5Hex([]byte("text"))), "") },
			2,
			Done,
		},
		"a download, always": {
			9,
			func(r *rig) Status { return r.download(listedObject("o", 4, md5Hex([]byte("text"))), "") },
			2,
			Failed,
		},
		"an upload, once":   {1, func(r *rig) Status { return r.upload("n", r.writeFile("f", "x")) }, 2, Done},
		"an upload, always": {9, func(r *rig) Status { return r.upload("n", r.writeFile("f", "x")) }, 2, Failed},
		"a deletion, once": {
			1,
			func(r *rig) Status {
				return r.waitEnded(r.deleteObjects("o"))
			},
			2,
			Done,
		},
		"a deletion, always": {
			9,
			func(r *rig) Status {
				return r.waitEnded(r.deleteObjects("o"))
			},
			2,
			Failed,
		},
		"an upload, too late": {-1, func(r *rig) Status { return r.upload("n", r.writeFile("f", "x")) }, 1, Failed},
	} {
		t.Run(name, func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				r.putObject("o", "text")
				r.transport.urlRequests = 0
				left := c.refusals
				r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
					if left == 0 {
						return next.RoundTrip(req)
					}
					if left--; left < 0 {
						_, _ = io.Copy(io.Discard, req.Body)
					}
					return &http.Response{
						StatusCode: 403,
						Body: io.NopCloser(
							strings.NewReader(
								"<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>",
							),
						),
						Request: req,
					}, nil
				}
				row := c.do(r)
				if row.State != c.want || r.transport.urlRequests != c.asked {
					t.Errorf("%s, %v, %d URLs asked for", row.State, row.Err, r.transport.urlRequests)
				}
				var e *client.Error
				if c.want == Failed &&
					(!errors.As(
						row.Err, &e,
					) || e.Unauthorized() || e.Unknown() || !strings.Contains(row.Err.Error(), "Request has expired")) {
					t.Errorf("unexpected error: %v", row.Err)
				}
			})
		})
	}
}

func testRedirectRefused(t *testing.T) {
	runInBubble(t, func(r *rig) {
		r.transport.onObject = func(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
			return respondStatus(307)(req)
		}
		row := r.download(listedObject("o", 4, "e"), "")
		if row.State != Failed || !strings.Contains(row.Err.Error(), "redirects to login.example") ||
			r.transport.count("GET") != 1 {
			t.Errorf("%s, %v, %d requests", row.State, row.Err, r.transport.count("GET"))
		}
	})
}

func TestManager_stalls(t *testing.T) {
	t.Run("D15 a stall is shown after five seconds and ended after sixty", func(t *testing.T) {
		runInBubble(t, func(r *rig) {
			data := testBytes(1000)
			s := &fakeStorage{size: 1000, data: data, etag: md5Hex(data)}
			s.modify = func(res *http.Response) {
				if s.served == 1 {
					res.Body = struct {
						io.Reader
						io.Closer
					}{
						io.MultiReader(strings.NewReader(string(data[:100])), &blockedReader{req: res.Request}),
						io.NopCloser(nil),
					}
				}
			}
			r.transport.onObject = s.answer
			start := time.Now()
			id := r.startDownload(listedObject("o", 1000, s.etag), "")
			time.Sleep(4 * time.Second)
			if row, _ := r.m.Status(id); row.StalledFor != 0 || row.Done != 100 {
				t.Errorf("after 4 s: %+v", row)
			}
			time.Sleep(30 * time.Second)
			if row, _ := r.m.Status(id); row.State != Running || row.StalledFor != 34*time.Second || row.ETA != NoETA {
				t.Errorf("after 34 s: %+v", row)
			}
			row := r.waitFor(id, Done)
			if took := time.Since(start); took < idleTimeout || took > idleTimeout+5*time.Second || len(s.ranges) != 1 {
				t.Errorf("%s after %s: %v, %q", row.State, took, row.Err, s.ranges)
			}
			r.checkFile("o", data)
		})
	})
	t.Run("D15 a slow transfer is never stopped", func(t *testing.T) {
		runInBubble(t, func(r *rig) {
			data := testBytes(40)
			s := &fakeStorage{
				size:   40,
				data:   data,
				etag:   md5Hex(data),
				modify: func(res *http.Response) { res.Body = &slowBody{Reader: res.Body, pause: 50 * time.Second} },
			}
			r.transport.onObject = s.answer
			start := time.Now()
			row := r.download(listedObject("o", 40, s.etag), "")
			if took := time.Since(start); row.State != Done || took < 30*time.Minute || s.served != 1 {
				t.Errorf("%s after %s: %v", row.State, took, row.Err)
			}
		})
	})
	t.Run("D15 rate and ETA", func(t *testing.T) {
		runInBubble(t, func(r *rig) {
			data := testBytes(100 << 10)
			s := &fakeStorage{
				size: int64(len(data)),
				data: data,
				etag: md5Hex(data),
				modify: func(res *http.Response) {
					res.Body = &slowBody{
						Reader:  io.NewSectionReader(strings.NewReader(string(data)), 0, int64(len(data))),
						pause:   time.Second,
						maxRead: 1024,
					}
				},
			}
			r.transport.onObject = s.answer
			id := r.startDownload(listedObject("o", s.size, s.etag), "")
			time.Sleep(40*time.Second + 500*time.Millisecond)
			row, _ := r.m.Status(id)
			if row.Rate < 900 || row.Rate > 1100 || row.ETA < 55*time.Second || row.ETA > 65*time.Second ||
				row.Done != 40<<10 {
				t.Errorf("%+v", row)
			}
			r.m.Cancel(id)
			r.waitFor(id, Cancelled)
			if left := r.fileNames(); len(left) != 0 {
				t.Errorf("left: %q", left)
			}
		})
	})
	t.Run("D15 a stalled upload is stopped and not sent again", func(t *testing.T) {
		runInBubble(t, func(r *rig) {
			r.transport.onObject = func(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
				_, _ = io.ReadFull(req.Body, make([]byte, 3))
				<-req.Context().Done()
				if late, err := io.ReadAll(req.Body); len(late) > 0 || err == nil {
					t.Errorf("%q is sent after the end, %v", late, err)
				}
				return nil, req.Context().Err()
			}
			row := r.upload("o", r.writeFile("f", "some text"))
			if row.State != Failed || !errors.Is(row.Err, errIdleTimeout) || r.transport.count("PUT") != 1 {
				t.Errorf("%s: %v", row.State, row.Err)
			}
		})
	})
}

// slowBody pauses before each read.
type slowBody struct {
	io.Reader
	pause   time.Duration
	maxRead int // bytes per read; 0 means 1
}

func (s *slowBody) Read(p []byte) (int, error) {
	time.Sleep(s.pause)
	return s.Reader.Read(p[:min(len(p), max(1, s.maxRead))])
}

func (s *slowBody) Close() error { return nil }

func TestManager_limitsRunning(t *testing.T) {
	runInBubble(t, func(r *rig) {
		var c concurrencyMeter
		objects := make([]client.Object, 30)
		for i := range objects {
			objects[i] = r.putObject(fmt.Sprint(i), "text")
		}
		r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			res, err := c.roundTrip(req, next)
			time.Sleep(time.Second)
			return res, err
		}
		for _, o := range objects {
			if _, err := r.m.Download(DownloadRequest{
				Cluster: cluster,
				Bucket:  bucket,
				Object:  o,
				Folder:  r.dir,
			}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(500 * time.Millisecond)
		states := map[State]int{}
		for _, row := range rowsOf(r.m) {
			states[row.State]++
		}
		if states[Running] != MaxRunning || states[Waiting] != 24 || r.m.UnfinishedCount() != 30 {
			t.Errorf("%v, %d busy", states, r.m.UnfinishedCount())
		}
		r.m.Wait()
		for i, row := range rowsOf(r.m) {
			if row.State != Done || row.ID != ID(i+1) {
				t.Errorf("%d: %s, %v", i, row.State, row.Err)
			}
		}
		if most := c.peak.Load(); most != MaxRunning || r.m.UnfinishedCount() != 0 {
			t.Errorf("%d at once, %d busy", most, r.m.UnfinishedCount())
		}
	})
}

func TestManager_pauseResumeCancelRetry(t *testing.T) {
	runInBubble(t, func(r *rig) {
		data := testBytes(100)
		stores := map[string]*fakeStorage{}
		var mu sync.Mutex
		r.transport.onObject = func(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			name := filepath.Base(req.URL.Path)
			if stores[name] == nil {
				stores[name] = &fakeStorage{
					size:   100,
					data:   data,
					etag:   md5Hex(data),
					modify: func(res *http.Response) { res.Body = &slowBody{Reader: res.Body, pause: time.Second} },
				}
			}
			return stores[name].answer(req, nil)
		}
		var ids []ID
		for i := range 8 {
			id := r.startDownload(listedObject(fmt.Sprint(i), 100, md5Hex(data)), "")
			ids = append(ids, id)
		}
		time.Sleep(10*time.Second + time.Millisecond)
		r.m.PauseAll()
		for _, id := range ids {
			r.waitFor(id, Paused)
		}
		if row, _ := r.m.Status(ids[0]); row.Done < 9 || row.Done > 11 || r.m.UnfinishedCount() != 8 {
			t.Errorf("%+v", row)
		}
		time.Sleep(time.Hour)
		r.m.Cancel(ids[7])
		r.m.Cancel(ids[0])
		r.m.ResumeAll()
		r.m.Pause(ids[1])
		r.m.Resume(ids[1])
		for _, id := range ids[1:7] {
			if row := r.waitFor(id, Done); row.Err != nil {
				t.Error(row.Err)
			}
		}
		if row := r.waitFor(ids[0], Cancelled); row.Err != nil {
			t.Error(row.Err)
		}
		if left := r.fileNames(); len(left) != 6 {
			t.Errorf("left: %q", left)
		}
		if !strings.HasPrefix(strings.Join(stores["1"].ranges, " "), "bytes=") {
			t.Errorf("it started again from the first byte: %q", stores["1"].ranges)
		}
		r.m.RetryAll()
		r.m.Retry(ids[0])
		r.waitFor(ids[0], Done)
		if r.m.UnfinishedCount() != 0 {
			t.Errorf("%d busy", r.m.UnfinishedCount())
		}
		for _, id := range []ID{0, -1, 99} {
			r.m.Pause(id)
			r.m.Retry(id)
		}
	})
}

func TestManager_Resume_restartsUpload(t *testing.T) {
	runInBubble(t, func(r *rig) {
		text := strings.Repeat("x", 100)
		var slowly atomic.Bool
		slowly.Store(true)
		r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			if slowly.Load() {
				req.Body = io.NopCloser(&slowBody{Reader: req.Body, pause: time.Second})
			}
			return next.RoundTrip(req)
		}
		id, err := r.m.Upload(UploadRequest{
			Consent: r.consent(client.OpUploadObject),
			Cluster: cluster,
			Bucket:  bucket,
			Name:    "o",
			File:    r.writeFile("f", text),
		})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Second)
		r.m.Pause(id)
		r.waitFor(id, Paused)
		if r.putCount() != 0 {
			t.Error("half of it was stored")
		}
		slowly.Store(false)
		r.m.Resume(id)
		if row := r.waitFor(id, Done); row.Done != 100 || r.putCount() != 1 {
			t.Errorf("%+v", row)
		}
	})
}

// Pause changes nothing that is decided: a transfer that was cancelled ends so, and an upload whose last byte has been
// sent waits for the answer.
func TestManager_Pause_tooLate(t *testing.T) {
	t.Run("cancelled", func(t *testing.T) {
		runInBubble(t, func(r *rig) {
			data := testBytes(100)
			s := &fakeStorage{size: 100, data: data, etag: md5Hex(data)}
			s.modify = func(res *http.Response) { res.Body = &slowBody{Reader: res.Body, pause: time.Second} }
			r.transport.onObject = s.answer
			id := r.startDownload(listedObject("o", 100, s.etag), "")
			time.Sleep(10 * time.Second)
			r.m.Cancel(id)
			r.m.Pause(id)
			time.Sleep(time.Minute)
			if row, _ := r.m.Status(id); row.State != Cancelled {
				t.Errorf("it is %s", row.State)
			}
		})
	})
	t.Run("sent", func(t *testing.T) {
		runInBubble(t, func(r *rig) {
			r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
				body, err := io.ReadAll(req.Body)
				if err != nil {
					return nil, err
				}
				req.Body = io.NopCloser(bytes.NewReader(body))
				select {
				case <-req.Context().Done():
					return nil, req.Context().Err()
				case <-time.After(20 * time.Second):
					return next.RoundTrip(req)
				}
			}
			id, err := r.m.Upload(UploadRequest{
				Consent: r.consent(client.OpUploadObject),
				Cluster: cluster,
				Bucket:  bucket,
				Name:    "o",
				File:    r.writeFile("f", "text"),
			})
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second)
			r.m.Pause(id)
			time.Sleep(time.Minute)
			if row, _ := r.m.Status(id); row.State != Done || r.putCount() != 1 {
				t.Errorf("it is %s, stored %d times: %v", row.State, r.putCount(), row.Err)
			}
		})
	})
}

func TestManager_Changed_isThrottled(t *testing.T) {
	runInBubble(t, func(r *rig) {
		data := testBytes(10_000)
		s := &fakeStorage{
			size:   10_000,
			data:   data,
			etag:   md5Hex(data),
			modify: func(res *http.Response) { res.Body = &slowBody{Reader: res.Body, pause: time.Millisecond} },
		}
		r.transport.onObject = s.answer
		id := r.startDownload(listedObject("o", 10_000, s.etag), "")
		start, news := time.Now(), 0
		for {
			<-r.m.Changed()
			news++
			if row, _ := r.m.Status(id); row.State == Done {
				break
			}
		}
		seconds := time.Since(start).Seconds()
		if rate := float64(news) / seconds; seconds < 9 || rate > 5.5 || rate < 4 {
			t.Errorf("%d in %.1f s", news, seconds)
		}
	})
}

// When the context ends, all transfers stop.
func TestManager_endsWithContext(t *testing.T) {
	runInBubble(t, func(r *rig) {
		r.transport.onObject = func(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		}
		var ids []ID
		for i := range 10 {
			id := r.startDownload(listedObject(fmt.Sprint(i), 4, "e"), "")
			ids = append(ids, id)
		}
		time.Sleep(time.Second)
		r.cancel()
		r.m.Wait()
		if row, _ := r.m.Status(ids[0]); row.State != Cancelled || row.Err != nil {
			t.Errorf("%s, %v", row.State, row.Err)
		}
	})
}

// peakMemory returns how much more memory is in use at the peak of do than before it.
func peakMemory(do func()) uint64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&s)
	before, most := s.HeapAlloc, uint64(0)
	ctx, end := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			runtime.ReadMemStats(&s)
			most = max(most, s.HeapAlloc)
			time.Sleep(2 * time.Millisecond)
		}
	}()
	do()
	end()
	<-done
	return max(most, before) - before
}

// serveBigObject answers a GET of the object "big" with n bytes. It reports whether it answered.
func serveBigObject(w http.ResponseWriter, req *http.Request, n int64) bool {
	if req.Method != http.MethodGet || !strings.HasSuffix(req.URL.Path, "/big") {
		return false
	}
	w.Header().Set("ETag", `"0-7"`)
	w.Header().Set("Content-Length", fmt.Sprint(n))
	for piece := make([]byte, 64<<10); n > 0; n -= int64(len(piece)) {
		if _, err := w.Write(piece[:min(n, int64(len(piece)))]); err != nil {
			break
		}
	}
	return true
}

// measureMemory uploads and downloads n bytes over TCP and returns the peak memory of each, including the server.
func measureMemory(t testing.TB, n int64) (up, down uint64) {
	c := newTCPClient(t, func(w http.ResponseWriter, req *http.Request) bool { return serveBigObject(w, req, n) })
	m := New(t.Context(), c)
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := makeSparseFile(file, n); err != nil {
		t.Fatal(err)
	}
	up = peakMemory(func() {
		id, err := m.Upload(UploadRequest{
			Consent: consentToAll(t, c, client.OpUploadObject),
			Cluster: cluster,
			Bucket:  bucket,
			Name:    "o",
			File:    file,
		})
		if err != nil {
			t.Fatal(err)
		}
		if row := waitFinished(t, m, id); row.State != Done {
			t.Fatalf("up: %s, %v", row.State, row.Err)
		}
	})
	o := listedObject("big", n, "0-7")
	down = peakMemory(func() {
		id, err := m.Download(DownloadRequest{
			Cluster: cluster,
			Bucket:  bucket,
			Object:  o,
			Folder:  dir,
			Path:    "back",
		})
		if err != nil {
			t.Fatal(err)
		}
		if row := waitFinished(t, m, id); row.State != Done {
			t.Fatalf("down: %s, %v", row.State, row.Err)
		}
	})
	if info, err := os.Stat(filepath.Join(dir, "back")); err != nil || info.Size() != o.Size {
		t.Fatalf("%v, %v", info, err)
	}
	return up, down
}

// maxMemory is the limit for the memory of one transfer, whatever its size.
const maxMemory = 16 << 20

func TestManager_memoryIsBounded(t *testing.T) {
	faulttest.ReportCase(t, "D14", "memory")
	if up, down := measureMemory(t, 64<<20); up > maxMemory || down > maxMemory {
		t.Errorf("up %d, down %d bytes", up, down)
	}
}

// A transfer that fails and is tried again keeps nothing of its earlier runs.
func TestManager_Retry_keepsNoMemory(t *testing.T) {
	runInBubble(t, func(r *rig) {
		batch := r.m.openBatch(Batch{Kind: Download})
		id := r.m.add(Status{Kind: Download, Batch: batch}, refusedTask{errConnectionCut}, "")
		const runs = 20_000
		again := func() {
			for range runs {
				r.m.Retry(id)
				synctest.Wait()
			}
		}
		again()
		before := memoryInUse()
		again()
		if more := memoryInUse() - before; more > 1<<20 {
			t.Errorf("%d more bytes are in use after %d runs, not at most %d", more, runs, 1<<20)
		}
	})
}

// memoryInUse returns how many bytes are in use.
func memoryInUse() int64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

func BenchmarkMemory(b *testing.B) {
	for b.Loop() {
		up, down := measureMemory(b, 1<<30)
		b.ReportMetric(float64(up)/(1<<20), "MiB-up")
		b.ReportMetric(float64(down)/(1<<20), "MiB-down")
		if up > maxMemory || down > maxMemory {
			b.Errorf("up %d, down %d bytes", up, down)
		}
	}
}

// BenchmarkDownload downloads a gigabyte and compares the time with io.Copy of the same bytes to a file in the same
// run.
func BenchmarkDownload(b *testing.B) {
	const n = 1 << 30
	dir, baseline, ours := b.TempDir(), time.Duration(0), time.Duration(0)
	server := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { serveBigObject(w, req, n) }),
	)
	defer server.Close()
	m := New(
		b.Context(),
		newTCPClient(b, func(w http.ResponseWriter, req *http.Request) bool { return serveBigObject(w, req, n) }),
	)
	b.SetBytes(n)
	for b.Loop() {
		at := time.Now()
		downloadWithCopy(b, server.URL+"/big", filepath.Join(dir, "baseline"))
		baseline += time.Since(at)
		at = time.Now()
		id, err := m.Download(DownloadRequest{
			Cluster: cluster,
			Bucket:  bucket,
			Object:  listedObject("big", n, "0-7"),
			Folder:  dir,
			Path:    "ours",
		})
		if err != nil {
			b.Fatal(err)
		}
		if row := waitFinished(b, m, id); row.State != Done {
			b.Fatalf("%s, %v", row.State, row.Err)
		}
		ours += time.Since(at)
		_ = os.Remove(filepath.Join(dir, "ours"))
	}
	b.ReportMetric(float64(baseline.Milliseconds())/float64(b.N), "baseline-ms")
	b.ReportMetric(float64(ours.Milliseconds())/float64(b.N), "download-ms")
	b.ReportMetric(float64(ours)/float64(baseline), "download/baseline")
}

// downloadWithCopy writes a response to a file with io.Copy and syncs it.
func downloadWithCopy(b *testing.B, url, file string) {
	b.Helper()
	res, err := http.Get(url)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	f, err := os.Create(file)
	if err != nil {
		b.Fatal(err)
	}
	_, err = io.Copy(f, res.Body)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		b.Fatal(err)
	}
}

// slowCleanup is a task that runs until it is stopped, and whose cleanup blocks.
type slowCleanup struct {
	runs        int
	cleanupDone chan struct{}
}

func (s *slowCleanup) run(ctx context.Context, _ *Manager, _ *progress) error {
	s.runs++
	<-ctx.Done()
	return context.Cause(ctx)
}

func (s *slowCleanup) cleanUp() { <-s.cleanupDone }

// The error of a transfer shows no hidden characters and has one line. A name that was cleaned for it is not cleaned
// twice: it would read like another name.
func TestSanitizedError(t *testing.T) {
	cleaned := client.Clean("report\x1b[2J‹")
	never := errors.New("cannot do it")
	for want, err := range map[string]error{
		"the disk is full":                   errors.New("the disk is full"),
		"the disk says ‹␛›[2J":               errors.New("the disk says \x1b[2J"),
		"the disk says no‹␊›":                errors.New("the disk says no\n"),
		"the disk‹␉›says no":                 errors.New("the disk\tsays no"),
		cleaned + " is a folder":             errors.New(cleaned + " is a folder"),
		"open " + cleaned + ": cannot do it": &fs.PathError{Op: "open", Path: "report\x1b[2J‹", Err: never},
		"link ‹␛›a ‹U+202E›b: cannot do it":  &os.LinkError{Op: "link", Old: "\x1ba", New: "\u202eb", Err: never},
	} {
		if got := (sanitizedError{err}).Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A slow cleanup blocks nobody. Until it is done, its file name stays claimed and a retry waits.
func TestManager_slowCleanup(t *testing.T) {
	for _, paused := range []bool{false, true} {
		runInBubble(t, func(r *rig) {
			w := &slowCleanup{cleanupDone: make(chan struct{})}
			id := r.m.add(Status{Kind: Download}, w, "/a/file")
			synctest.Wait()
			if paused {
				r.m.Pause(id)
				synctest.Wait()
			}
			r.m.Cancel(id)
			synctest.Wait()
			if row := rowsOf(r.m)[0]; row.State != Cancelled {
				t.Fatalf("%s during the cleanup", row.State)
			}
			other := r.m.add(Status{Kind: Download}, &slowCleanup{cleanupDone: make(chan struct{})}, "/a/file")
			if row := rowsOf(r.m)[other-1]; row.State != Failed {
				t.Errorf("another transfer took the same file: %s", row.State)
			}
			r.m.Retry(id)
			synctest.Wait()
			if w.runs != 1 {
				t.Error("it ran again during the cleanup")
			}
			close(w.cleanupDone)
			synctest.Wait()
			if row := rowsOf(r.m)[0]; row.State != Running || w.runs != 2 {
				t.Errorf("%s after %d runs", row.State, w.runs)
			}
		})
	}
}
