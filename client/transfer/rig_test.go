package transfer

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
)

const (
	token       = "canary-token-2b8467ad1c3e59b0264f8d7e1a3c5b9f20846e7d0f3a9c71e5d"
	cluster     = "ap-south-1"
	bucket      = "scratch"
	storageHost = "objects.emulator.invalid"
)

// A rig is a manager with an emulated account behind a spyTransport.
type rig struct {
	*testing.T
	c         *client.Client
	e         *emulator.Emulator
	m         *Manager
	transport *spyTransport
	dir       string
	cancel    context.CancelFunc
}

// interceptor answers a request, or passes it on to next.
type interceptor func(req *http.Request, next http.RoundTripper) (*http.Response, error)

// spyTransport sits between the client and the emulator. It counts requests, and onObject and onAPI can answer instead
// of the emulator.
type spyTransport struct {
	next http.RoundTripper

	mu             sync.Mutex
	onObject       interceptor // nil means the emulator answers
	onAPI          interceptor
	objectRequests map[string]int // storage requests by method
	tokenLeaks     int            // storage requests that carried the token
	urlRequests    int            // requests for a pre-signed URL
}

func (t *spyTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	t.mu.Lock()
	answer := t.onAPI
	if !strings.HasPrefix(req.URL.Path, "/v4/") {
		answer = t.onObject
		t.objectRequests[req.Method]++
		if req.Header.Get("Authorization") != "" || strings.Contains(fmt.Sprint(req.Header), token) {
			t.tokenLeaks++
		}
	}
	if strings.HasSuffix(req.URL.Path, "/object-url") {
		t.urlRequests++
	}
	t.mu.Unlock()
	if answer != nil {
		return answer(req, t.next)
	}
	return t.next.RoundTrip(req)
}

// count returns the number of storage requests with a method.
func (t *spyTransport) count(method string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.objectRequests[method]
}

func newRig(t *testing.T, options ...client.Option) *rig {
	t.Helper()
	faulttest.ReportByName(t)
	r := &rig{T: t, e: emulator.New(emulator.Options{Token: token, Seed: "empty"}), dir: t.TempDir()}
	r.transport = &spyTransport{next: r.e, objectRequests: map[string]int{}}
	maker, err := client.New("https://api.example.test/v4", client.NewSecret(token), client.WithTransport(r.e))
	if err != nil {
		t.Fatal(err)
	}
	made := client.BucketRequest{Cluster: cluster, Label: bucket}
	w := confirmed(t, maker, client.OpCreateBucket, client.BucketID(cluster, bucket))
	if _, err := w.CreateBucket(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(
		"https://api.example.test/v4",
		client.NewSecret(token),
		append([]client.Option{client.WithTransport(r.transport)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	r.c = c
	r.restart()
	t.Cleanup(func() {
		if r.transport.tokenLeaks != 0 {
			t.Errorf("the token went to the storage %d times", r.transport.tokenLeaks)
		}
	})
	return r
}

// runInBubble runs a test with a rig on a fake clock. It creates the folder outside the bubble.
func runInBubble(t *testing.T, do func(*rig), options ...client.Option) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, options...)
		r.dir = dir
		defer r.cancel()
		do(r)
		r.cancel()
		r.m.Wait()
		time.Sleep(time.Minute) // let the server finish
	})
}

// restart replaces the manager, as a new session of the program would.
func (r *rig) restart() {
	if r.cancel != nil {
		r.cancel()
		r.m.Wait()
	}
	ctx, end := context.WithCancel(r.Context())
	r.m, r.cancel = New(ctx, r.c), end
}

// waitFor waits until a transfer is in one of the states and returns its status.
func (r *rig) waitFor(id ID, states ...State) Status {
	r.Helper()
	for i := range 100_000 {
		row, _ := r.m.Status(id)
		for _, s := range states {
			if row.State == s && !r.cleaningUp(id) {
				return row
			}
		}
		if row.State == Failed || row.State == Done {
			r.Fatalf("transfer %d is %s: %v", id, row.State, row.Err)
		}
		time.Sleep(time.Millisecond * time.Duration(min(1000, 1+i/500)))
	}
	row, _ := r.m.Status(id)
	r.Fatalf("transfer %d stays %s", id, row.State)
	return row
}

// cleaningUp reports whether the files of a cancelled transfer are being removed.
func (r *rig) cleaningUp(id ID) bool {
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	j := r.m.jobs[id]
	return j != nil && j.cleaningUp
}

// waitForBytes waits until a transfer that runs has done a number of bytes.
func (r *rig) waitForBytes(id ID, n int64) {
	r.Helper()
	for range 100_000 {
		if row, _ := r.m.Status(id); row.Done >= n {
			return
		}
		time.Sleep(time.Millisecond)
	}
	row, _ := r.m.Status(id)
	r.Fatalf("transfer %d stays at %d bytes of %d: %s, %v", id, row.Done, n, row.State, row.Err)
}

// waitEnded waits until a transfer has ended.
func (r *rig) waitEnded(id ID) Status { r.Helper(); return r.waitFor(id, Done, Failed, Cancelled) }

// startDownload starts a download to the rig's folder; an empty name means the object's.
func (r *rig) startDownload(o client.Object, name string) ID {
	r.Helper()
	id, err := r.m.Download(DownloadRequest{Cluster: cluster, Bucket: bucket, Object: o, Folder: r.dir, Path: name})
	if err != nil {
		r.Fatal(err)
	}
	return id
}

// download downloads an object to the rig's folder and waits for the end.
func (r *rig) download(o client.Object, name string) Status {
	r.Helper()
	return r.waitEnded(r.startDownload(o, name))
}

// upload uploads a file and waits for the end.
func (r *rig) upload(name, file string) Status {
	r.Helper()
	id, err := r.m.Upload(UploadRequest{
		Consent:     r.consent(client.OpUploadObject),
		Cluster:     cluster,
		Bucket:      bucket,
		Name:        name,
		File:        file,
		ContentType: "text/plain",
	})
	if err != nil {
		r.Fatal(err)
	}
	return r.waitEnded(id)
}

// confirmed returns the writer of a change that needs no answer.
func confirmed(t testing.TB, c *client.Client, op, id string) *client.Writer {
	t.Helper()
	consent, err := c.Consent(t.Context(), nil, client.ConsentQuestion{Op: op}, id)
	if err != nil {
		t.Fatal(err)
	}
	w, err := c.Begin(client.Change{Op: op, ID: id}, consent)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// consent returns the consent to an operation on all objects of the bucket, or nil in read-only mode.
func (r *rig) consent(op string) *client.Consent {
	r.Helper()
	return consentToAll(r, r.c, op)
}

func consentToAll(t testing.TB, c *client.Client, op string) *client.Consent {
	t.Helper()
	q := client.ConsentQuestion{Op: op, Below: true}
	consent, err := c.Consent(t.Context(), nil, q, client.BucketID(cluster, bucket)+"/")
	if err != nil && !errors.Is(err, client.ErrReadOnly) {
		t.Fatal(err)
	}
	return consent
}

// putObject stores an object in the emulator.
func (r *rig) putObject(name, text string) client.Object {
	r.Helper()
	object := client.ObjectRef{Cluster: cluster, Bucket: bucket, Name: name}
	body := client.UploadBody{Reader: strings.NewReader(text), Size: int64(len(text)), ContentType: "text/plain"}
	w := confirmed(r, r.c, client.OpUploadObject, object.ID())
	if err := w.UploadObject(r.Context(), object, body); err != nil {
		r.Fatal(err)
	}
	o, there, err := r.c.Objects.Find(r.Context(), cluster, bucket, name)
	if err != nil || !there {
		r.Fatalf("%q: %t, %v", name, there, err)
	}
	return o
}

// deleteObjects starts the deletion of objects.
func (r *rig) deleteObjects(names ...string) ID {
	r.Helper()
	return r.m.Delete(r.consent(client.OpDeleteObject), cluster, bucket, names)
}

// emptyBucket starts the deletion of all objects below a prefix.
func (r *rig) emptyBucket(prefix string) ID {
	r.Helper()
	return r.m.Empty(r.consent(client.OpEmptyBucket), cluster, bucket, prefix, 0)
}

// writeFile creates a file in the rig's folder.
func (r *rig) writeFile(name, text string) string {
	r.Helper()
	full := filepath.Join(r.dir, name)
	if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
	return full
}

// checkFile compares a file in the rig's folder with want; nil means that it must not exist.
func (r *rig) checkFile(name string, want []byte) {
	r.Helper()
	got, err := os.ReadFile(filepath.Join(r.dir, name))
	switch {
	case want == nil && !os.IsNotExist(err):
		r.Errorf("%s is there with %d bytes", name, len(got))
	case want != nil && (err != nil || string(got) != string(want)):
		r.Errorf("%s has %d bytes that are not the %d wanted: %v", name, len(got), len(want), err)
	}
}

// fileNames returns all files below the rig's folder.
func (r *rig) fileNames() []string {
	r.Helper()
	var all []string
	err := filepath.WalkDir(r.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(r.dir, path)
			all = append(all, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	return all
}

// listedObject returns an object as a listing contains it.
func listedObject(name string, size int64, etag string) client.Object {
	return client.Object{Name: client.NewText(name), Size: size, ETag: client.NewETag(etag)}
}

// testBytes returns pseudo-random bytes.
func testBytes(n int) []byte {
	data := make([]byte, n)
	x := uint32(1)
	for i := range data {
		x = x*1664525 + 1013904223
		data[i] = byte(x >> 24)
	}
	return data
}

func md5Hex(data []byte) string {
	sum := md5.Sum(data)
	return hex.EncodeToString(sum[:])
}

// otherLastDigit returns an MD5 that differs from another one only at its end.
func otherLastDigit(sum string) string {
	last := "0"
	if strings.HasSuffix(sum, "0") {
		last = "1"
	}
	return sum[:len(sum)-1] + last
}

// fakeStorages is held while one of them answers.
var fakeStorages sync.Mutex

// A fakeStorage answers GETs for one object as a correct storage does, and interrupts responses on request.
type fakeStorage struct {
	size     int64
	data     []byte // nil means arbitrary bytes
	etag     string
	cleanEOF bool    // an interrupted response looks like a complete one
	cuts     []int64 // offset in the object where the i-th response ends; -1 for a complete response
	served   int
	modify   func(*http.Response) // changes a response before it is returned
	ranges   []string
}

func (s *fakeStorage) answer(req *http.Request, _ http.RoundTripper) (*http.Response, error) {
	h := http.Header{"Content-Type": {"application/octet-stream"}}
	res := &http.Response{
		StatusCode: 200,
		Header:     h,
		Request:    req,
		ProtoMajor: 1,
		ProtoMinor: 1,
		Body:       http.NoBody,
	}
	fakeStorages.Lock()
	defer fakeStorages.Unlock()
	if s.etag != "" {
		h.Set("ETag", `"`+s.etag+`"`)
	}
	if want := req.Header.Get("If-Match"); want != "" && want != `"`+s.etag+`"` {
		res.StatusCode = 412
		return res, nil
	}
	from, size := int64(0), s.size
	if text := req.Header.Get("Range"); text != "" {
		s.ranges = append(s.ranges, text)
		first, last, _ := strings.Cut(strings.TrimPrefix(text, "bytes="), "-")
		from, _ = strconv.ParseInt(first, 10, 64)
		if to, err := strconv.ParseInt(last, 10, 64); err == nil {
			size = min(size, to+1)
		}
		if from >= s.size {
			res.StatusCode = 416
			return res, nil
		}
		res.StatusCode = 206
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, size-1, s.size))
	}
	res.ContentLength = size - from
	end := int64(-1)
	if s.served < len(s.cuts) {
		end = s.cuts[s.served]
	}
	s.served++
	res.Body = &scriptedBody{
		ctx:      req.Context(),
		data:     s.data,
		at:       from,
		size:     size,
		cut:      end,
		cleanEOF: s.cleanEOF,
	}
	if s.modify != nil {
		s.modify(res)
	}
	return res, nil
}

// scriptedBody is the body of a response of fakeStorage.
type scriptedBody struct {
	ctx           context.Context
	data          []byte
	at, size, cut int64
	cleanEOF      bool
}

func (s *scriptedBody) Read(p []byte) (int, error) {
	if s.ctx.Err() != nil {
		return 0, s.ctx.Err()
	}
	if s.cut >= 0 && s.at >= s.cut {
		if s.cleanEOF {
			return 0, io.EOF
		}
		return 0, io.ErrUnexpectedEOF
	}
	end := s.size
	if s.cut >= 0 {
		end = min(end, s.cut)
	}
	n := int(min(int64(len(p)), end-s.at))
	if n == 0 {
		return 0, io.EOF
	}
	if s.data != nil {
		copy(p[:n], s.data[s.at:])
	}
	s.at += int64(n)
	return n, nil
}

func (s *scriptedBody) Close() error { return nil }

// discardFile discards what is written and reports gaps.
type discardFile struct {
	*testing.T
	file
	end int64
}

func (v *discardFile) WriteAt(p []byte, off int64) (int, error) {
	if off != v.end {
		v.Errorf("written at %d, not %d", off, v.end)
	}
	v.end += int64(len(p))
	return len(p), nil
}

func (v *discardFile) Truncate(size int64) error { v.end = size; return nil }

// failingFile is a file with calls that fail.
type failingFile struct {
	file
	failingWrite int // the write that fails, from 1
	err          error
	syncErr      error
	closeErr     error
	onClose      func()
}

func (f *failingFile) WriteAt(p []byte, off int64) (int, error) {
	if f.failingWrite--; f.failingWrite == 0 {
		return 0, f.err
	}
	return f.file.WriteAt(p, off)
}

func (f *failingFile) Sync() error {
	if f.syncErr != nil {
		return f.syncErr
	}
	return f.file.Sync()
}

func (f *failingFile) Close() error {
	err := f.file.Close()
	if f.onClose != nil {
		f.onClose()
	}
	if f.closeErr != nil {
		return f.closeErr
	}
	return err
}

// planListed returns the plan of listed objects.
func planListed(prefix string, objects []client.Object, foldsCase func() bool) Plan {
	return NewPlan(prefix, func(yield func(*client.Object) bool) {
		for i := range objects {
			if !yield(&objects[i]) {
				return
			}
		}
	}, foldsCase)
}

// fileOf returns a file of a plan.
func fileOf(p Plan, i int) PlannedFile { return slices.Collect(p.Files.All())[i] }

// rowsOf returns the statuses of all transfers.
func rowsOf(m *Manager) (rows []*Status) {
	all := m.Snapshot()
	for i := range all.Len() {
		rows = append(rows, all.At(i))
	}
	return rows
}
