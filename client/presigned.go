package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// MaxPutSize is the largest object in bytes that one PUT can send. Larger ones need multipart uploads, which the API
// does not offer.
const MaxPutSize = 5 << 30

// PresignedLifetime is the lifetime in seconds of a pre-signed URL that is used at once: little more than the API's
// minimum.
const PresignedLifetime = 600

// maxPresignedURLLen is the longest pre-signed URL that is accepted, in bytes.
const maxPresignedURLLen = 8 << 10

// A presignedRequest is one request to a pre-signed URL.
type presignedRequest struct {
	op, method string
	object     ObjectRef
	header     http.Header
	body       *trackedBody  // nil for no body
	mustNew    bool          // refuse to replace an object
	link       *RenewableURL // nil for a URL of its own
	copiedFrom string        // for the journal: the id of the object that the body comes from
}

// A trackedBody is a body that knows whether any of it was read.
type trackedBody struct {
	io.Reader
	size    int64
	started atomic.Bool // atomic because the transport may still read after the answer has arrived
}

func (h *trackedBody) Read(p []byte) (int, error) {
	h.started.Store(true)
	return h.Reader.Read(p)
}

// A RenewableURL is a pre-signed URL for reading one object, which several requests share. It is made when it is first
// used, and made again when the storage refuses it, because it has expired.
type RenewableURL struct {
	mu     sync.Mutex
	target *url.URL
}

// get returns the URL unless it is the one that was refused; otherwise it makes another.
func (l *RenewableURL) get(refused *url.URL, create func() (*url.URL, error)) (*url.URL, error) {
	if l == nil {
		return create()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.target != nil && l.target != refused {
		return l.target, nil
	}
	var err error
	l.target, err = create()
	return l.target, err
}

// GetObjectOptions say which part of which version of an object is read.
type GetObjectOptions struct {
	From int64         // the first byte
	End  int64         // the byte after the last one; 0 means up to the end
	ETag string        // if not empty, any other version of the object is an error with status 412
	Link *RenewableURL // the URL to use; nil means one of its own
}

// Get opens a part of an object. The response is 200 with the whole object, or 206 with the part; the caller reads and
// closes its body. Only ctx limits the time.
func (s ObjectReader) Get(ctx context.Context, o ObjectRef, options GetObjectOptions) (*http.Response, error) {
	r := presignedRequest{
		op:     "download",
		method: http.MethodGet,
		object: o,
		header: http.Header{"Accept-Encoding": {"identity"}},
		link:   options.Link,
	}
	if options.ETag != "" {
		r.header.Set("If-Match", `"`+options.ETag+`"`)
	}
	if options.From > 0 || options.End > 0 {
		last := ""
		if options.End > 0 {
			last = strconv.FormatInt(options.End-1, 10)
		}
		r.header.Set("Range", "bytes="+strconv.FormatInt(options.From, 10)+"-"+last)
	}
	res, err := s.sendPresigned(ctx, r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode == http.StatusOK || res.StatusCode == http.StatusPartialContent {
		return res, nil
	}
	return nil, r.parseError(res)
}

// ErrObjectChanged means that an object is no longer the version that was listed.
var ErrObjectChanged = errors.New("the object was replaced after it was listed")

// Peek reads the first n bytes of an object, or all of a shorter one, and returns its content type. If the ETag is not
// empty and the object is another version, it returns ErrObjectChanged.
func (s ObjectReader) Peek(
	ctx context.Context, cluster, bucket, name, etag string, n int64,
) (data []byte, kind string, err error) {
	r := presignedRequest{
		op:     "preview",
		method: http.MethodGet,
		object: ObjectRef{cluster, bucket, name},
		header: http.Header{"Accept-Encoding": {"identity"}, "Range": {"bytes=0-" + strconv.FormatInt(n-1, 10)}},
	}
	if etag != "" {
		r.header.Set("If-Match", `"`+etag+`"`)
	}
	res, err := s.sendPresigned(ctx, r)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusPreconditionFailed:
		return nil, "", ErrObjectChanged
	case http.StatusOK, http.StatusPartialContent:
		data, err = io.ReadAll(io.LimitReader(res.Body, n))
		return data, res.Header.Get("Content-Type"), err
	case http.StatusRequestedRangeNotSatisfiable: // the object is empty
		return nil, res.Header.Get("Content-Type"), nil
	}
	return nil, "", r.parseError(res)
}

// Find returns the object of exactly this name from the listing; false if there is none. If the listing goes round in
// circles, it returns an error.
func (s ObjectReader) Find(ctx context.Context, cluster, bucket, name string) (Object, bool, error) {
	q := ObjectQuery{
		Cluster:  cluster,
		Bucket:   bucket,
		Prefix:   name,
		PageSize: 25,
	}
	for trail := newCycleDetector(q); ; {
		page, err := s.List(ctx, q)
		if err != nil {
			return Object{}, false, err
		}
		for _, o := range page.Data {
			if o.Name.raw == name {
				return o, true, nil
			}
		}
		why := strings.TrimPrefix(page.Incomplete, "incomplete: ")
		if why == "" {
			why = trail.check(page)
		}
		switch {
		case len(page.Data) > 0:
			return Object{}, false, nil // a name comes before all others that begin with it
		case why != "":
			failed := s.c.newError(s.listRequest(q))
			failed.Detail = "the listing is incomplete (" + why + ")"
			return Object{}, false, failed
		case page.NextMarker == "":
			return Object{}, false, nil
		}
		q.Marker = page.NextMarker
	}
}

// sendPresigned requests a URL and uses it. If the URL is refused with 403 before any of the body was read, it may have
// expired: then it does so once more.
func (s ObjectReader) sendPresigned(ctx context.Context, r presignedRequest) (*http.Response, error) {
	res, used, err := s.sendPresignedOnce(ctx, r, nil)
	if err != nil || res.StatusCode != http.StatusForbidden || r.body != nil && r.body.started.Load() {
		return res, err
	}
	drainBody(res)
	res, _, err = s.sendPresignedOnce(ctx, r, used)
	return res, err
}

// sendPresignedOnce uses a URL that is not the refused one, and returns it. The account's token is not sent to the URL.
func (s ObjectReader) sendPresignedOnce(
	ctx context.Context, r presignedRequest, refused *url.URL,
) (res *http.Response, used *url.URL, err error) {
	failed := r.newError(s.c.endpoint.base.Host)
	failed.Outcome = NotSent
	if !utf8.ValidString(r.object.Name) {
		failed.Detail = "its name is not valid UTF-8, and the API accepts no other names"
		return nil, nil, failed
	}
	target, err := r.link.get(refused, func() (*url.URL, error) { return s.newTarget(ctx, r, failed) })
	if err != nil {
		return nil, nil, err
	}
	failed.Host = target.Host
	req := r.newRequest(ctx, target)
	req.Header.Set("User-Agent", s.c.endpoint.userAgent)
	res, err = s.c.transport.sendOnce(s.c.transport.presigned, req)
	if err != nil {
		failed.Cause, failed.Outcome = cancelCause(ctx, err), Unknown
		if neverSent(err) {
			failed.Outcome = NotSent
		}
		return nil, nil, failed
	}
	return res, target, nil
}

// newTarget requests a URL and checks it. failed is the error if the URL cannot be used.
func (s ObjectReader) newTarget(ctx context.Context, r presignedRequest, failed *Error) (*url.URL, error) {
	link, err := s.presign(ctx, r.object.Cluster, r.object.Bucket, PresignRequest{
		Name:        r.object.Name,
		Method:      r.method,
		Expires:     PresignedLifetime,
		ContentType: r.header.Get("Content-Type"),
	})
	if err != nil {
		var e *Error
		if errors.As(err, &e) && e.Outcome == Unknown {
			e.Outcome = NotSent // requesting a URL changes nothing
		}
		return nil, err
	}
	target, err := s.c.checkPresignedURL(link.URL, r.object.Bucket, r.object.Name)
	if err != nil {
		failed.Detail = "lookout refuses the pre-signed URL; " + err.Error()
		return nil, failed
	}
	if exists, _ := link.Exists.Value(); exists && r.mustNew {
		failed.Host = target.Host
		failed.Cause, failed.Detail = ErrStoredMeanwhile, ErrStoredMeanwhile.Error()
		return nil, failed
	}
	return target, nil
}

// newRequest builds the HTTP request. It always sets the length, and nothing that would let the transport repeat it.
func (r presignedRequest) newRequest(ctx context.Context, target *url.URL) *http.Request {
	req := (&http.Request{Method: r.method, URL: target, Header: http.Header{}}).WithContext(ctx)
	if r.body != nil {
		req.ContentLength = r.body.size
		if r.body.size > 0 {
			req.Body = io.NopCloser(r.body)
		}
	}
	maps.Copy(req.Header, r.header)
	return req
}

// checkPresignedURL accepts a pre-signed URL if it uses https (or http, if both the URL and the API are on this
// machine), has no user and no other port, is signed, and is for the requested object. The error contains nothing of
// the URL.
func (c *Client) checkPresignedURL(link Secret, bucket, name string) (*url.URL, error) {
	raw := link.Reveal()
	if len(raw) > maxPresignedURLLen {
		return nil, fmt.Errorf("it is %d bytes long", len(raw))
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || !printableASCII(raw) || strings.Contains(raw, " ") {
		return nil, errors.New("it is not a valid URL")
	}
	here := loopback(c.endpoint.base.Hostname()) && loopback(u.Hostname())
	_, notIP := netip.ParseAddr(strings.Trim(u.Hostname(), "[]"))
	switch {
	case u.Scheme != "https" && !(u.Scheme == "http" && here):
		return nil, errors.New("it is not https")
	case u.User != nil:
		return nil, errors.New("it contains a user name")
	case !here && u.Port() != "" && u.Port() != "443":
		return nil, errors.New("its port is not 443")
	case !here && (notIP == nil || loopback(u.Hostname())):
		return nil, errors.New("its host is an IP address")
	case u.Fragment != "":
		return nil, errors.New("it contains a fragment")
	case !u.Query().Has("Signature") && !u.Query().Has("X-Amz-Signature"):
		return nil, errors.New("it is not signed")
	case !strings.HasSuffix(u.Path, "/"+bucket+"/"+name) &&
		!(strings.HasPrefix(u.Host, bucket+".") && u.Path == "/"+name):
		return nil, errors.New("it is for another object")
	}
	return u, nil
}

// label names the object, safe to display.
func (r presignedRequest) label() string { return cleanName(r.object.ID()) }

// newError returns an error about the request; the caller fills in the reason.
func (r presignedRequest) newError(host string) *Error {
	return &Error{
		Op:        r.op + " " + r.label(),
		Write:     r.method != http.MethodGet,
		Outcome:   Rejected,
		Presigned: true,
		Host:      host,
	}
}

// parseError reads the storage's error answer. A 503 that asks to slow down is a refusal: nothing was done.
func (r presignedRequest) parseError(res *http.Response) *Error {
	defer drainBody(res)
	e := r.newError(res.Request.URL.Host)
	e.Status = res.StatusCode
	e.RetryAfter = retryAfter(res.Header, time.Now())
	data, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	code := xmlElement(string(data), "Code")
	if code != "" {
		text := code
		if message := xmlElement(string(data), "Message"); message != "" {
			text += ": " + message
		}
		e.Reasons = []FieldError{{Reason: NewText(text)}}
	}
	switch {
	case code == "SlowDown",
		res.StatusCode >= 400 && res.StatusCode < 500 && res.StatusCode != http.StatusRequestTimeout:
		e.Outcome = Rejected
	default:
		e.Outcome = Unknown
	}
	if e.Status >= 300 && e.Status < 400 {
		_, e.Detail = parseErrorBody(&response{status: e.Status, header: res.Header}, nil)
	}
	return e
}

// xmlElement returns the text of an element of the storage's flat error answer; "" if there is none. encoding/xml would
// make the program 100 kB larger for two texts.
func xmlElement(answer, name string) string {
	_, rest, _ := strings.Cut(answer, "<"+name+">")
	text, _, found := strings.Cut(rest, "</"+name+">")
	if !found || strings.Contains(text, "<") {
		return ""
	}
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&amp;", "&").Replace(text)
}

// drainBody reads a little of a body that is not needed, so that the connection can be reused, and closes it.
func drainBody(res *http.Response) {
	_, _ = io.CopyN(io.Discard, res.Body, 4<<10)
	res.Body.Close()
}

// cancelCause returns why ctx ended, or else err without the URL that net/http adds: its query is a credential.
func cancelCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return stripURL(err)
}

// UnquoteETag returns an ETag without its quotes. A weak one keeps its mark, so that it never equals a strong one.
func UnquoteETag(etag string) string {
	if len(etag) >= 2 && etag[0] == '"' && etag[len(etag)-1] == '"' {
		return etag[1 : len(etag)-1]
	}
	return etag
}

// An UploadBody is the content of an object to upload.
type UploadBody struct {
	Reader      io.Reader
	Size        int64       // bytes, at most MaxPutSize; Reader must yield exactly this many
	ContentType string      // content type, not empty
	Header      http.Header // further headers that the storage keeps with the object
	CopiedFrom  string      // the id of the object that the bytes come from, for the journal; "" for a file
	MustNew     bool        // send nothing if the API reports that an object of this name exists by now
	// Settle decides how the upload ended, from the ETag that the storage returned or from the error, before the
	// outcome is recorded. Without it, the error decides.
	Settle func(etag string, err error) error
}

// UploadObject stores an object, replacing one of the same name. The body is sent once.
func (w *Writer) UploadObject(ctx context.Context, o ObjectRef, b UploadBody) error {
	if b.Size < 0 || b.Size > MaxPutSize {
		return fmt.Errorf("%d bytes: an object can have at most 5 GiB (%d bytes)", b.Size, int64(MaxPutSize))
	}
	r := presignedRequest{
		op:     OpUploadObject,
		method: http.MethodPut,
		object: o,
		header: http.Header{"Content-Type": {b.ContentType}},
		body:   &trackedBody{Reader: b.Reader, size: b.Size},
	}
	r.mustNew, r.copiedFrom = b.MustNew, b.CopiedFrom
	maps.Copy(r.header, b.Header)
	return w.sendPresigned(ctx, r, func(ctx context.Context) error {
		res, err := w.client.Objects.sendPresigned(ctx, r)
		if err == nil && res.StatusCode/100 != 2 {
			err = r.parseError(res)
		}
		etag := ""
		if err == nil {
			etag = UnquoteETag(res.Header.Get("ETag"))
			drainBody(res)
		}
		if b.Settle != nil {
			return b.Settle(etag, err)
		}
		return err
	})
}

// DeleteObject removes an object. Removing one that does not exist succeeds too. If the answer is lost or does not come
// from the storage, the listing decides whether the object is gone.
func (w *Writer) DeleteObject(ctx context.Context, o ObjectRef) error {
	ctx, cancel := context.WithTimeout(ctx, w.client.timeout)
	defer cancel()
	r := presignedRequest{
		op:     OpDeleteObject,
		method: http.MethodDelete,
		object: o,
	}
	return w.sendPresigned(ctx, r, func(ctx context.Context) error {
		res, err := w.client.Objects.sendPresigned(ctx, r)
		if err == nil && res.StatusCode == http.StatusNoContent {
			drainBody(res)
			return nil
		}
		if err == nil {
			err = r.parseError(res)
		}
		var e *Error
		if errors.As(err, &e) && e.Unknown() && ctx.Err() == nil {
			if _, there, failure := w.client.Objects.Find(ctx, o.Cluster, o.Bucket, o.Name); failure == nil && !there {
				return nil
			}
		}
		return err
	})
}

// sendPresigned records a request at a pre-signed URL as a change, and does it.
func (w *Writer) sendPresigned(ctx context.Context, r presignedRequest, do func(context.Context) error) error {
	failed := r.newError(w.client.endpoint.base.Host)
	id := r.object.ID()
	if !w.covers(r.op, id) {
		failed.Outcome, failed.Cause = NotSent, ErrNotConfirmed
		return failed
	}
	change := w.change
	change.Op, change.Method, change.Path = r.op, r.method, "/"+id
	if change.Resource == "" {
		change.Resource, change.Label = "object", r.label()
	}
	if r.body != nil {
		body := map[string]any{"size": r.body.size, "content_type": r.header.Get("Content-Type")}
		if r.copiedFrom != "" {
			body["copied_from"] = r.copiedFrom
		}
		change.Body = body
	}
	return w.send(ctx, failed, change, do)
}
