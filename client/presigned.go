package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// MaxPutSize is the most bytes that one PUT may carry: larger objects need uploads in parts, which the API does not
// offer.
const MaxPutSize = 5 << 30

// presignedLifetime is how many seconds a pre-signed URL lives that is used at once: little more than the least that
// the API takes.
const presignedLifetime = 600

// maxPresignedURLLen is the longest pre-signed URL that is taken, in bytes.
const maxPresignedURLLen = 8 << 10

// A presignedRequest is one request at a pre-signed URL.
type presignedRequest struct {
	op, method            string
	cluster, bucket, name string
	header                http.Header
	body                  *trackedBody // nil sends none
}

// trackedBody is a body that knows whether any of it was taken.
type trackedBody struct {
	io.Reader
	size    int64
	started atomic.Bool // the transport may still read when its answer is here
}

func (h *trackedBody) Read(p []byte) (int, error) {
	h.started.Store(true)
	return h.Reader.Read(p)
}

// Get opens an object at a byte. With an etag only that version is given: another one is an error with status 412. The
// answer is 200 with the whole object or 206 with the rest of it; the caller reads and closes the body. Nothing bounds
// its time but ctx.
func (s Objects) Get(
	ctx context.Context,
	cluster, bucket, name string,
	from int64,
	etag string,
) (*http.Response, error) {
	r := presignedRequest{
		op:      "download",
		method:  http.MethodGet,
		cluster: cluster,
		bucket:  bucket,
		name:    name,
		header:  http.Header{"Accept-Encoding": {"identity"}},
	}
	if etag != "" {
		r.header.Set("If-Match", `"`+etag+`"`)
	}
	if from > 0 {
		r.header.Set("Range", "bytes="+strconv.FormatInt(from, 10)+"-")
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

// Peek reads the first n bytes of an object, or all where it is shorter, and says its content type.
func (s Objects) Peek(
	ctx context.Context,
	cluster, bucket, name string,
	n int64,
) (data []byte, kind string, err error) {
	r := presignedRequest{
		op:      "preview",
		method:  http.MethodGet,
		cluster: cluster,
		bucket:  bucket,
		name:    name,
		header:  http.Header{"Accept-Encoding": {"identity"}, "Range": {"bytes=0-" + strconv.FormatInt(n-1, 10)}},
	}
	res, err := s.sendPresigned(ctx, r)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusOK, http.StatusPartialContent:
		data, err = io.ReadAll(io.LimitReader(res.Body, n))
		return data, res.Header.Get("Content-Type"), err
	case http.StatusRequestedRangeNotSatisfiable: // of an object without a byte
		return nil, res.Header.Get("Content-Type"), nil
	}
	return nil, "", r.parseError(res)
}

// Find is the object of exactly a name, from the listing; false where there is none. A listing that turns in circles is
// an error.
func (s Objects) Find(ctx context.Context, cluster, bucket, name string) (Object, bool, error) {
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
			failed.Detail = "the listing is incomplete: " + why
			return Object{}, false, failed
		case page.NextMarker == "":
			return Object{}, false, nil
		}
		q.Marker = page.NextMarker
	}
}

// sendPresigned asks for a URL and uses it; for another one, once, where it is refused with 403 before any of the body
// was taken: it may have run out.
func (s Objects) sendPresigned(ctx context.Context, r presignedRequest) (*http.Response, error) {
	res, err := s.sendPresignedOnce(ctx, r)
	if err != nil || res.StatusCode != http.StatusForbidden || r.body != nil && r.body.started.Load() {
		return res, err
	}
	drainBody(res)
	return s.sendPresignedOnce(ctx, r)
}

// sendPresignedOnce asks for a URL and uses it. The API's token does not go with the request.
func (s Objects) sendPresignedOnce(ctx context.Context, r presignedRequest) (*http.Response, error) {
	failed := r.newError(s.c.base.Host)
	failed.Outcome = NotSent
	if !utf8.ValidString(r.name) {
		failed.Detail = "its name is no valid UTF-8, and the API cannot be asked for such a name"
		return nil, failed
	}
	link, err := s.presign(ctx, r.cluster, r.bucket, PresignRequest{
		Name:        r.name,
		Method:      r.method,
		Expires:     presignedLifetime,
		ContentType: r.header.Get("Content-Type"),
	})
	if err != nil {
		var e *Error
		if errors.As(err, &e) && e.Outcome == Unknown {
			e.Outcome = NotSent // asking for a URL changes nothing
		}
		return nil, err
	}
	target, err := s.c.checkPresignedURL(link.URL, r.bucket, r.name)
	if err != nil {
		failed.Detail = "the pre-signed URL is refused: " + err.Error()
		return nil, failed
	}
	failed.Host = target.Host
	req, err := r.newRequest(ctx, target.String())
	if err != nil {
		failed.Detail = "the pre-signed URL is refused: it is no address"
		return nil, failed
	}
	req.Header.Set("User-Agent", s.c.userAgent)
	res, err := s.c.transport.sendOnce(s.c.presignedClient, req)
	if err != nil {
		failed.Cause, failed.Outcome = cancelCause(ctx, err), Unknown
		if neverSent(err) {
			failed.Outcome = NotSent
		}
		return nil, failed
	}
	return res, nil
}

// newRequest is the HTTP request. Its length is always said; nothing lets the transport send it a second time.
func (r presignedRequest) newRequest(ctx context.Context, target string) (*http.Request, error) {
	var body io.Reader
	if r.body != nil && r.body.size > 0 {
		body = io.NopCloser(r.body)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, target, body)
	if err != nil {
		return nil, err
	}
	if r.body != nil {
		req.ContentLength = r.body.size
	}
	for name, value := range r.header {
		req.Header[name] = value
	}
	return req, nil
}

// checkPresignedURL takes a pre-signed URL: https, or http on this machine where the API is there too; no user, no
// other port, signed, and for the object that was asked for. The reason of a refusal holds nothing of the URL.
func (c *Client) checkPresignedURL(link Secret, bucket, name string) (*url.URL, error) {
	raw := link.Reveal()
	if len(raw) > maxPresignedURLLen {
		return nil, fmt.Errorf("it is %d bytes long", len(raw))
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || !printableASCII(raw) || strings.Contains(raw, " ") {
		return nil, errors.New("it is no address")
	}
	here := loopback(c.base.Hostname()) && loopback(u.Hostname())
	_, notIP := netip.ParseAddr(strings.Trim(u.Hostname(), "[]"))
	switch {
	case u.Scheme != "https" && !(u.Scheme == "http" && here):
		return nil, errors.New("it is not https")
	case u.User != nil:
		return nil, errors.New("it holds a user name")
	case !here && u.Port() != "" && u.Port() != "443":
		return nil, errors.New("it is for another port than 443")
	case !here && (notIP == nil || loopback(u.Hostname())):
		return nil, errors.New("it is for a bare address")
	case u.Fragment != "":
		return nil, errors.New("it holds a fragment")
	case !u.Query().Has("Signature") && !u.Query().Has("X-Amz-Signature"):
		return nil, errors.New("it is not signed")
	case !strings.HasSuffix(u.Path, "/"+bucket+"/"+name) && !(strings.HasPrefix(u.Host, bucket+".") && u.Path == "/"+name):
		return nil, errors.New("it is for another object")
	}
	return u, nil
}

// label names the object, safe to draw.
func (r presignedRequest) label() string { return Clean(r.cluster + "/" + r.bucket + "/" + r.name) }

// newError is the start of an error about the request.
func (r presignedRequest) newError(host string) *Error {
	return &Error{
		Op:        r.op + " " + r.label(),
		Write:     r.method != http.MethodGet,
		Outcome:   Rejected,
		Presigned: true,
		Host:      host,
	}
}

// parseError reads why the storage did not do it. A 503 that asks to slow down is a refusal: nothing was done.
func (r presignedRequest) parseError(res *http.Response) *Error {
	defer drainBody(res)
	e := r.newError(res.Request.URL.Host)
	e.Status = res.StatusCode
	if e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable {
		e.RetryAfter = retryAfter(res.Header, time.Now())
	}
	data, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	code := xmlElement(string(data), "Code")
	if code != "" {
		text := code
		if message := xmlElement(string(data), "Message"); message != "" {
			text += ": " + message
		}
		e.Reasons = []Reason{{Reason: NewText(text)}}
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

// xmlElement is the text of an element of the storage's flat error answer; "" where there is none. All of encoding/xml,
// for two texts, would make the program 100 kB larger.
func xmlElement(answer, name string) string {
	_, rest, _ := strings.Cut(answer, "<"+name+">")
	text, _, found := strings.Cut(rest, "</"+name+">")
	if !found || strings.Contains(text, "<") {
		return ""
	}
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&amp;", "&").Replace(text)
}

// drainBody reads a little of a body that is of no use, so that the connection can be used again, and closes it.
func drainBody(res *http.Response) {
	_, _ = io.CopyN(io.Discard, res.Body, 4<<10)
	res.Body.Close()
}

// cancelCause is why ctx ended, else an error of the transport without the URL that net/http puts around it: its query
// is a credential.
func cancelCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return stripURL(err)
}

// UnquoteETag is an etag without its quotes. A weak one keeps its mark, so that it equals no strong one.
func UnquoteETag(etag string) string {
	if len(etag) >= 2 && etag[0] == '"' && etag[len(etag)-1] == '"' {
		return etag[1 : len(etag)-1]
	}
	return etag
}

// An ObjectBody is what becomes an object.
type ObjectBody struct {
	Reader      io.Reader
	Size        int64  // bytes, at most MaxPutSize; Reader must give exactly so many
	ContentType string // content type, not empty
	// Settle decides from the error how the upload ended, before the outcome is recorded; nil accepts the error
	Settle func(etag string, err error) error
}

// UploadObject stores an object, replacing one of the same name, and returns the etag that the storage answers. The body
// is sent once.
func (w *Writer) UploadObject(ctx context.Context, o ObjectRef, b ObjectBody) (string, error) {
	if b.Size < 0 || b.Size > MaxPutSize {
		return "", fmt.Errorf("%d bytes: an object can have at most 5 GiB (%d bytes)", b.Size, int64(MaxPutSize))
	}
	r := presignedRequest{
		op:      OpUploadObject,
		method:  http.MethodPut,
		cluster: o.Cluster,
		bucket:  o.Bucket,
		name:    o.Name,
		header:  http.Header{"Content-Type": {b.ContentType}},
		body:    &trackedBody{Reader: b.Reader, size: b.Size},
	}
	etag := ""
	err := w.sendPresigned(ctx, r, func(ctx context.Context) error {
		res, err := w.client.Objects.sendPresigned(ctx, r)
		if err == nil && res.StatusCode/100 != 2 {
			err = r.parseError(res)
		}
		if err == nil {
			etag = UnquoteETag(res.Header.Get("ETag"))
			drainBody(res)
		}
		if b.Settle != nil {
			return b.Settle(etag, err)
		}
		return err
	})
	return etag, err
}

// DeleteObject removes an object. Removing one that does not exist succeeds too. If the answer is lost or does not come
// from the storage, the listing decides whether the object is gone.
func (w *Writer) DeleteObject(ctx context.Context, o ObjectRef) error {
	ctx, cancel := context.WithTimeout(ctx, w.client.timeout)
	defer cancel()
	r := presignedRequest{
		op:      OpDeleteObject,
		method:  http.MethodDelete,
		cluster: o.Cluster,
		bucket:  o.Bucket,
		name:    o.Name,
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
	failed := r.newError(w.client.base.Host)
	id := ObjectRef{r.cluster, r.bucket, r.name}.ID()
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
		change.Body = map[string]any{"size": r.body.size, "content_type": r.header.Get("Content-Type")}
	}
	return w.send(ctx, failed, change, do)
}
