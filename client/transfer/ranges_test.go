package transfer

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
)

// splitSmall lets small downloads use several connections.
func (r *rig) splitSmall() { r.m.parallel.from, r.m.parallel.rangeSize = 256<<10, 64<<10 }

// A busyStorage is a fakeStorage whose bodies take time, and that counts those that are read at the same time.
type busyStorage struct {
	*fakeStorage
	*testing.T

	mu            sync.Mutex
	running, most int
	noIfMatch     int
}

// A busyBody is an answer of a busyStorage. Its request runs until its last byte is read.
type busyBody struct {
	io.ReadCloser
	s     *busyStorage
	left  int64
	ended bool
}

func (s *busyStorage) answer(req *http.Request, next http.RoundTripper) (*http.Response, error) {
	s.mu.Lock()
	s.running++
	s.most = max(s.most, s.running)
	if req.Header.Get("If-Match") == "" {
		s.noIfMatch++
	}
	s.mu.Unlock()
	time.Sleep(time.Second)
	res, err := s.fakeStorage.answer(req, next)
	if err == nil {
		res.Body = &busyBody{ReadCloser: res.Body, s: s, left: res.ContentLength}
	}
	return res, err
}

func (b *busyBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if b.left -= int64(n); b.left == 0 {
		b.end()
	}
	return n, err
}

func (b *busyBody) Close() error {
	b.end()
	return b.ReadCloser.Close()
}

func (b *busyBody) end() {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	if !b.ended {
		b.ended = true
		b.s.running--
	}
}

func newBusyStorage(t *testing.T, size int) *busyStorage {
	data := testBytes(size)
	return &busyStorage{fakeStorage: &fakeStorage{size: int64(size), data: data, etag: md5Hex(data)}, T: t}
}

// A large object is read over four connections: each byte once, each range on the condition that the object is the
// same, with one pre-signed URL.
func TestDownload_parallelRanges(t *testing.T) {
	runInBubble(t, func(r *rig) {
		r.splitSmall()
		s := newBusyStorage(t, 1<<20+77)
		r.transport.onObject = s.answer
		if row := r.download(listedObject("o", s.size, s.etag), ""); row.State != Done || row.Done != s.size {
			t.Fatalf("%s, %d bytes: %v", row.State, row.Done, row.Err)
		}
		r.checkFile("o", s.data)
		if s.most != maxConnections || s.running != 0 || s.noIfMatch != 0 || r.transport.urlRequests != 1 {
			t.Errorf("%d at a time, %d left open, %d without a condition, %d URLs", s.most, s.running, s.noIfMatch,
				r.transport.urlRequests)
		}
		slices.Sort(s.ranges)
		if unique := slices.Compact(slices.Clone(s.ranges)); len(s.ranges) != 17 || len(unique) != 17 {
			t.Errorf("ranges: %q", s.ranges)
		}
		if n := len(r.m.parallel.extra); n != 0 {
			t.Errorf("%d ranges are still counted", n)
		}
	})
}

// All downloads together read no more ranges than fit into memory, and each goes on.
func TestDownload_parallelRangesShareTheirLimit(t *testing.T) {
	runInBubble(t, func(r *rig) {
		r.splitSmall()
		s := newBusyStorage(t, 1<<20)
		r.transport.onObject = s.answer
		var ids []ID
		for i := range MaxRunning {
			ids = append(ids, r.startDownload(listedObject(fmt.Sprint("o", i), s.size, s.etag), ""))
		}
		for _, id := range ids {
			if row := r.waitEnded(id); row.State != Done {
				t.Errorf("%s: %v", row.State, row.Err)
			}
			r.checkFile(fmt.Sprint("o", int(id)-1), s.data)
		}
		if s.most > MaxRunning+maxExtraRanges {
			t.Errorf("%d requests at the same time", s.most)
		}
	})
}

// A storage that ignores ranges, or that gives the object no ETag, is read in one stream, and a small object too.
func TestDownload_oneStreamInsteadOfRanges(t *testing.T) {
	data := testBytes(1 << 20)
	for name, c := range map[string]struct {
		size     int
		etag     string
		modify   func(*http.Response)
		requests int
	}{
		"no ETag": {1 << 20, "", func(*http.Response) {}, 1},
		"small":   {255 << 10, md5Hex(data[:255<<10]), func(*http.Response) {}, 1},
		"200 to a range": {1 << 20, md5Hex(data), func(r *http.Response) {
			r.StatusCode, r.ContentLength, r.Body = 200, 1<<20, io.NopCloser(strings.NewReader(string(data)))
			r.Header.Del("Content-Range")
		}, 1},
		"another range": {1 << 20, md5Hex(data), func(r *http.Response) {
			if r.ContentLength < 1<<20 {
				r.Header.Set("Content-Range", "bytes 1-65536/1048576")
			}
		}, 2},
		"no ranges later": {1 << 20, md5Hex(data), func(r *http.Response) {
			if strings.HasPrefix(r.Header.Get("Content-Range"), "bytes 524288-589823/") {
				r.StatusCode, r.ContentLength, r.Body = 200, 1<<20, io.NopCloser(strings.NewReader(string(data)))
				r.Header.Del("Content-Range")
			}
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				r.splitSmall()
				s := &fakeStorage{size: int64(c.size), data: data, etag: c.etag, modify: c.modify}
				r.transport.onObject = s.answer
				row := r.download(listedObject("o", s.size, s.etag), "")
				if row.State != Done || c.requests > 0 && s.served != c.requests {
					t.Fatalf("%s after %d requests: %v", row.State, s.served, row.Err)
				}
				r.checkFile("o", data[:c.size])
			})
		})
	}
}

// Lost connections cost only what they had not carried; ranges of another version are never joined.
func TestDownload_parallelRangesAreCut(t *testing.T) {
	runInBubble(t, func(r *rig) {
		r.splitSmall()
		s := newBusyStorage(t, 1<<20)
		for i := range 40 {
			s.cuts = append(s.cuts, int64(i*30_011%(1<<20)))
		}
		r.transport.onObject = s.answer
		if row := r.download(listedObject("o", s.size, s.etag), ""); row.State != Done {
			t.Fatalf("%s: %v", row.State, row.Err)
		}
		r.checkFile("o", s.data)

		s = newBusyStorage(t, 1<<20)
		o := listedObject("changed", s.size, s.etag)
		r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			if strings.HasPrefix(req.Header.Get("Range"), "bytes=524288-") {
				fakeStorages.Lock()
				s.etag = "00000000000000000000000000000000"
				fakeStorages.Unlock()
			}
			return s.answer(req, next)
		}
		row := r.download(o, "")
		if !errors.Is(row.Err, ErrObjectChanged) || len(r.fileNames()) != 1 {
			t.Errorf("%s: %v, left: %q", row.State, row.Err, r.fileNames())
		}
	})
}

// A range that a busy storage refuses is asked for again after a wait that doubles, and half of which is random.
func TestDownload_parallelRangesWait(t *testing.T) {
	runInBubble(t, func(r *rig) {
		r.splitSmall()
		s := newBusyStorage(t, 1<<20)
		var asked []time.Time
		r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			fakeStorages.Lock()
			this := strings.HasPrefix(req.Header.Get("Range"), "bytes=524288-")
			if this {
				asked = append(asked, time.Now())
			}
			refuse := this && len(asked) < maxRangeAttempts
			fakeStorages.Unlock()
			if refuse {
				return respondStatus(http.StatusInternalServerError)(req)
			}
			return s.answer(req, next)
		}
		if row := r.download(listedObject("o", s.size, s.etag), ""); row.State != Done {
			t.Errorf("%s: %v", row.State, row.Err)
		}
		if len(asked) != maxRangeAttempts {
			t.Fatalf("asked %d times", len(asked))
		}
		for i := range maxRangeAttempts - 1 {
			if wait := asked[i+1].Sub(asked[i]); wait < minBackoff<<i/2 || wait > minBackoff<<i {
				t.Errorf("wait %d is %v", i+1, wait)
			}
		}
	})
}

// A partial file of any version of lookout is the beginning of the object: ranges continue it, and what they leave
// behind is continued.
func TestDownload_parallelRangesResume(t *testing.T) {
	runInBubble(t, func(r *rig) {
		s := newBusyStorage(t, 1<<20)
		o := listedObject("o", s.size, s.etag)
		task := downloadTask{DownloadRequest: DownloadRequest{Cluster: cluster, Bucket: bucket, Object: o}}
		part := r.writeFile(partName("o", task.versionKey()), string(s.data[:100_001]))
		r.splitSmall()
		r.transport.onObject = s.answer
		id := r.startDownload(o, "")
		r.waitForBytes(id, 400_000)
		before := time.Now()
		r.m.Pause(id)
		r.waitFor(id, Paused)
		if took := time.Since(before); took > time.Second+100*time.Millisecond { // a request that was just sent
			t.Errorf("paused after %s", took)
		}
		kept, err := os.ReadFile(part)
		if err != nil || len(kept) < 400_000 || string(kept) != string(s.data[:len(kept)]) {
			t.Fatalf("%d bytes are kept, or others: %v", len(kept), err)
		}
		if s.ranges[0] != "bytes=100001-165536" {
			t.Errorf("resumed with %q", s.ranges[0])
		}
		s.ranges = nil
		r.m.Resume(id)
		r.waitFor(id, Done)
		r.checkFile("o", s.data)
		if !strings.HasPrefix(s.ranges[0], fmt.Sprintf("bytes=%d-", len(kept))) {
			t.Errorf("resumed with %q", s.ranges[0])
		}
	})
}

// If the disk is full in the middle of several ranges, one line says so and what has arrived is kept; once there is
// room, the download goes on where it was.
func TestDownload_parallelRangesFullDisk(t *testing.T) {
	runInBubble(t, func(r *rig) {
		r.splitSmall()
		s := newBusyStorage(t, 1<<20)
		r.transport.onObject = s.answer
		full := &failingFile{failingWrite: 6, err: &os.PathError{Op: "write", Path: "o", Err: syscall.ENOSPC}}
		r.m.wrapFile = func(real file) file { full.file = real; return full }
		id := r.replaceFile(listedObject("o", s.size, s.etag))
		if row := r.waitEnded(id); row.State != Failed || !errors.Is(row.Err, syscall.ENOSPC) {
			t.Fatalf("%s: %v", row.State, row.Err)
		}
		row, _ := r.m.Status(id)
		checkOneLine(t, row.Err, "no space left on device", fmt.Sprintf("; %d bytes are kept in o.", row.Done))
		if s.running != 0 || len(r.m.parallel.extra) != 0 {
			t.Errorf("%d requests and %d ranges are left open", s.running, len(r.m.parallel.extra))
		}
		r.checkFile("o", []byte("the old file"))
		files := r.fileNames()
		slices.Sort(files)
		kept, err := os.ReadFile(filepath.Join(r.dir, files[len(files)-1]))
		if err != nil || int64(len(kept)) < row.Done || row.Done == 0 || string(kept) != string(s.data[:len(kept)]) {
			t.Fatalf("%d bytes are kept, or others: %v", len(kept), err)
		}
		r.m.wrapFile, s.ranges = nil, nil
		r.m.Retry(id)
		r.waitFor(id, Done)
		r.checkFile("o", s.data)
		if want := fmt.Sprintf("bytes=%d-", len(kept)); !strings.HasPrefix(s.ranges[0], want) {
			t.Errorf("resumed with %q, not %s", s.ranges[0], want)
		}
	})
}

// If an object grows while its ranges are read, one line says so, and the file that it was to replace stays.
func TestDownload_parallelRangesOfAGrowingObject(t *testing.T) {
	for name, c := range map[string]struct {
		grow    func(*busyStorage)
		ignores bool // the storage does not compare ETags
		want    string
	}{
		"another version": {func(s *busyStorage) { s.etag = md5Hex(s.data) }, false, ErrObjectChanged.Error()},
		"condition ignored": {
			func(s *busyStorage) { s.etag = md5Hex(s.data) }, true, ErrObjectChanged.Error(),
		},
		"same ETag": {func(*busyStorage) {}, false, "the server reports 1114112 bytes, but the listing says 1048576"},
	} {
		t.Run(name, func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				r.splitSmall()
				s := newBusyStorage(t, 1<<20)
				o := listedObject("o", s.size, s.etag)
				r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
					fakeStorages.Lock()
					if strings.HasPrefix(req.Header.Get("Range"), "bytes=524288-") && s.size == o.Size {
						s.data = append(s.data, testBytes(64<<10)...)
						s.size = int64(len(s.data))
						c.grow(s)
					}
					fakeStorages.Unlock()
					if c.ignores {
						req.Header.Del("If-Match")
					}
					return s.answer(req, next)
				}
				row := r.waitEnded(r.replaceFile(o))
				if row.State != Failed {
					t.Fatalf("%s: %v", row.State, row.Err)
				}
				checkOneLine(t, row.Err, c.want)
				r.checkFile("o", []byte("the old file"))
				if files := r.fileNames(); len(files) != 1 || s.running != 0 {
					t.Errorf("left: %q, %d requests", files, s.running)
				}
			})
		})
	}
}

// replaceFile starts a download that is to replace a file.
func (r *rig) replaceFile(o client.Object) ID {
	r.Helper()
	r.writeFile("o", "the old file")
	id, err := r.m.Download(DownloadRequest{
		Cluster:   cluster,
		Bucket:    bucket,
		Object:    o,
		Folder:    r.dir,
		Overwrite: true,
	})
	if err != nil {
		r.Fatal(err)
	}
	return id
}

// checkOneLine fails unless an error is one line without a colon that has some parts.
func checkOneLine(t *testing.T, err error, parts ...string) {
	t.Helper()
	text := err.Error()
	if strings.Contains(text, "\n") || strings.Contains(text, ": ") { // what failed comes before it
		t.Errorf("not one clear line: %q", text)
	}
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not say %q", text, part)
		}
	}
}

// Cancelling ends all connections at once, also those that bring nothing.
func TestDownload_parallelRangesCancel(t *testing.T) {
	runInBubble(t, func(r *rig) {
		r.splitSmall()
		s := newBusyStorage(t, 1<<20)
		var waiting sync.WaitGroup
		r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			waiting.Add(1)
			defer waiting.Done()
			if strings.HasPrefix(req.Header.Get("Range"), "bytes=0-") {
				return s.answer(req, next)
			}
			<-req.Context().Done()
			return nil, req.Context().Err()
		}
		id := r.startDownload(listedObject("o", s.size, s.etag), "")
		r.waitForBytes(id, 65536)
		before := time.Now()
		r.m.Cancel(id)
		r.waitFor(id, Cancelled)
		waiting.Wait()
		if took := time.Since(before); took > 100*time.Millisecond || len(r.fileNames()) != 0 {
			t.Errorf("after %s, left: %q", took, r.fileNames())
		}
		if n := len(r.m.parallel.extra); n != 0 {
			t.Errorf("%d ranges are still counted", n)
		}
	})
}

// With too few file handles for several connections, one is used.
func TestDownload_parallelRangesLackHandles(t *testing.T) {
	runInBubble(t, func(r *rig) {
		r.splitSmall()
		s := newBusyStorage(t, 1<<20)
		r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			s.mu.Lock()
			full := s.running > 0
			s.mu.Unlock()
			if full {
				return nil, &os.SyscallError{Syscall: "socket", Err: syscall.EMFILE}
			}
			return s.answer(req, next)
		}
		if row := r.download(listedObject("o", s.size, s.etag), ""); row.State != Done {
			t.Fatalf("%s: %v", row.State, row.Err)
		}
		r.checkFile("o", s.data)
	})
}

// A download that takes longer than its link is valid asks for another one and goes on where it was, in ranges and in
// one stream. The storage refuses the old link.
func TestDownload_renewsItsLink(t *testing.T) {
	for name, split := range map[string]bool{"in ranges": true, "in one stream": false} {
		t.Run(name, func(t *testing.T) {
			runInBubble(t, func(r *rig) {
				text := string(testBytes(2 << 20))
				emulator.StoreObject(r.e, cluster, bucket, "o", text)
				if split {
					r.m.parallel.from, r.m.parallel.rangeSize = 256<<10, 32<<10
				}
				var mu sync.Mutex
				var ranges []string
				refused, cuts := 0, 0
				r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
					if split {
						time.Sleep(50 * time.Second) // 64 ranges on 4 connections take longer than the link lasts
					}
					res, err := next.RoundTrip(req)
					if err != nil {
						return nil, err
					}
					mu.Lock()
					defer mu.Unlock()
					switch {
					case res.StatusCode == http.StatusForbidden:
						refused++
					case !split && cuts < 3:
						cuts++
						res.Body = &cutBody{res.Body, 300_000, 11 * time.Minute}
					}
					ranges = append(ranges, fmt.Sprintf("%d %s", res.StatusCode, req.Header.Get("Range")))
					return res, err
				}
				row := r.download(listedObject("o", int64(len(text)), md5Hex([]byte(text))), "")
				if row.State != Done {
					t.Fatalf("%s: %v; %q", row.State, row.Err, ranges)
				}
				r.checkFile("o", []byte(text))
				want := []string{"206 bytes=300000-", "206 bytes=600000-", "206 bytes=900000-"}
				for _, one := range want {
					if !split && !slices.Contains(ranges, one) {
						t.Errorf("%s is missing in %q", one, ranges)
					}
				}
				if urls := r.transport.urlRequests; refused == 0 || urls < 2 || urls > 4 {
					t.Errorf("%d refused, %d links", refused, urls)
				}
			})
		})
	}
}

// cutBody takes a time after some bytes, and then loses its connection.
type cutBody struct {
	io.ReadCloser
	left  int
	sleep time.Duration
}

func (b *cutBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		time.Sleep(b.sleep)
		return 0, io.ErrUnexpectedEOF
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// A storage that refuses every link is asked a bounded number of times, and what has arrived is kept.
func TestDownload_refusedLinksAreBounded(t *testing.T) {
	runInBubble(t, func(r *rig) {
		r.splitSmall()
		s := newBusyStorage(t, 1<<20)
		r.transport.onObject = func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
			if !strings.HasPrefix(req.Header.Get("Range"), "bytes=0-") {
				return &http.Response{
					StatusCode: http.StatusForbidden,
					Header:     http.Header{},
					Body:       http.NoBody,
					Request:    req,
				}, nil
			}
			return s.answer(req, next)
		}
		row := r.download(listedObject("o", s.size, s.etag), "")
		var partial *PartialDownloadError
		var refusal *client.Error
		if !errors.As(row.Err, &partial) || partial.Size != 65536 || !errors.As(row.Err, &refusal) ||
			refusal.Status != http.StatusForbidden || r.transport.urlRequests > 2+maxConnections {
			t.Errorf("%s: %v, %d links", row.State, row.Err, r.transport.urlRequests)
		}
		kept, err := os.ReadFile(filepath.Join(r.dir, partial.Path))
		if err != nil || string(kept) != string(s.data[:65536]) {
			t.Errorf("%d bytes are kept: %v", len(kept), err)
		}
	})
}
