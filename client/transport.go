package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// Limits of the transport.
const (
	maxResponseSize = 12 << 20         // bytes of one answer, after decompression
	maxAttempts     = 4                // of one read, the first included
	maxWait         = 60 * time.Second // the longest wait that a server can ask for
	initialBackoff  = time.Second
	// retries that the whole program may spend; successful answers refill the budget
	maxRetryBudget  = 12
	probeInterval   = 20 * time.Second // between reads of failed paths, once the budget is spent
	readIdleTimeout = 12 * time.Second // without a byte, of one attempt of a read
)

// Limits of the requests that the whole program has in flight. There is room for all that the overview sends at once,
// so that it waits for a slow API only where one request needs the answer to another.
const (
	maxUrgentInFlight = 12
	maxReadsInFlight  = 12
	maxWritesInFlight = 6
	maxLinksInFlight  = 48 // pre-signed URLs that deletions and transfers ask for
)

var (
	errTooLarge  = fmt.Errorf("the response is larger than %d MB", maxResponseSize>>20)
	errTruncated = errors.New("the response was cut off")
	errNotSent   = errors.New("nothing was sent")
	errStalled   = errors.New("no response in time")
)

// A response is an answer that was read completely.
type response struct {
	status int
	header http.Header
	body   []byte
}

// A transport sends requests: reads, which may be repeated, and writes, which are sent once. Nothing else sends the
// token.
type transport struct {
	reads     *retryablehttp.Client
	writes    *http.Client
	presigned *http.Client // sends to pre-signed URLs, without the token
	// limits of the requests in flight: separate ones, so that ordinary reads delay neither writes nor urgent reads
	urgentSlots, readSlots, writeSlots, linkSlots chan struct{}

	now              func() time.Time
	tokens           *tokens
	defaultTransport bool // the transport is net/http's own, which reports every connection that it uses
	turns            turns

	mu          sync.Mutex
	rateLimit   RateLimit         // only the pause that the API asked for
	paused      bool              // it asked for a pause, and nothing was sent since
	rateLimits  map[int]RateLimit // by limit: areas of the API have limits of their own
	scopes      string
	retryBudget int
	failedReads map[string]failedRead // by path: how reads failed when they were last sent
	probedAt    time.Time
}

// A failedRead is how a read ended when no retry was left.
type failedRead struct {
	response *response
	err      error
}

// Scopes returns the scopes of the token according to the last answer: "*" means all, "" not known.
func (c *Client) Scopes() string {
	c.transport.mu.Lock()
	defer c.transport.mu.Unlock()
	return c.transport.scopes
}

func newTransport(c *Client) *transport {
	next := c.endpoint.roundTripper
	if next == nil {
		t := newHTTPTransport()
		// reads have a timeout of their own, and a write that is cut off would end with an unknown outcome
		t.ResponseHeaderTimeout = 0
		next = unsolicitedGuard{t}
	}
	next = c.endpoint.observed(next)
	w := &transport{
		urgentSlots:      make(chan struct{}, maxUrgentInFlight),
		readSlots:        make(chan struct{}, maxReadsInFlight),
		writeSlots:       make(chan struct{}, maxWritesInFlight),
		linkSlots:        make(chan struct{}, maxLinksInFlight),
		now:              c.now,
		tokens:           c.tokens,
		defaultTransport: c.endpoint.roundTripper == nil,
		retryBudget:      maxRetryBudget,
		failedReads:      map[string]failedRead{},
		rateLimits:       map[int]RateLimit{},
		turns: turns{
			limiter:  c.endpoint.limiter,
			notice:   c.endpoint.waitNotice,
			priority: c.endpoint.priority,
			ordinary: make(chan struct{}, 1),
			first:    make(chan struct{}, 1),
		},
	}
	bearer := &authTransport{
		next:   next,
		scheme: c.endpoint.base.Scheme,
		host:   c.endpoint.base.Host,
		tokens: c.tokens,
	}
	single := &http.Client{Transport: bearer, CheckRedirect: rejectRedirect}
	w.writes, w.presigned = single, newPresignedClient(c)
	w.reads = retryablehttp.NewClient()
	w.reads.HTTPClient = &http.Client{
		Transport:     &bufferingTransport{next: bearer, transport: w},
		CheckRedirect: rejectRedirect,
	}
	w.reads.Logger = nil
	w.reads.RetryMax = maxAttempts - 1
	if c.endpoint.sendOnce {
		w.reads.RetryMax = 0
	}
	w.reads.CheckRetry = w.checkRetry
	w.reads.Backoff = w.backoff
	w.reads.PrepareRetry = func(req *http.Request) error {
		ctx := req.Context()
		if err := w.waitForTurn(ctx, ctx.Value(lastAttempt{}).(*lastAttempt).op); err != nil {
			return err
		}
		return w.waitToSend(ctx)
	}
	w.reads.ErrorHandler = retryablehttp.PassthroughErrorHandler
	return w
}

// newHTTPTransport returns the transport to a real server, with a timeout for every step.
func newHTTPTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialCounting(dialer.DialContext),
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  20 * time.Second,
		IdleConnTimeout:        30 * time.Second,
		MaxConnsPerHost:        maxUrgentInFlight + maxReadsInFlight + maxWritesInFlight + maxLinksInFlight,
		MaxIdleConnsPerHost:    maxLinksInFlight, // without HTTP/2 the next poll would connect again
		MaxResponseHeaderBytes: 1 << 20,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 5 * time.Second, PingTimeout: 5 * time.Second},
	}
}

// rejectRedirect makes the redirect itself the answer, instead of following it.
func rejectRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// newPresignedClient returns the client for pre-signed URLs. It has no token and follows no redirect. Callers limit the
// time with their contexts.
func newPresignedClient(c *Client) *http.Client {
	next := c.endpoint.roundTripper
	if next == nil {
		t := newHTTPTransport()
		t.DisableCompression, t.ResponseHeaderTimeout = true, 0
		t.ForceAttemptHTTP2 = false // it would move the ranges of a download over one connection
		t.ReadBufferSize, t.WriteBufferSize = 64<<10, 64<<10
		next = unsolicitedGuard{t}
	}
	return &http.Client{Transport: c.endpoint.observed(next), CheckRedirect: rejectRedirect}
}

// observed returns a transport with the observer in front of it, if there is one.
func (e endpoint) observed(next http.RoundTripper) http.RoundTripper {
	if e.observe == nil {
		return next
	}
	return e.observe(next)
}

// An authTransport adds the token to requests whose scheme, host and port are the API's own, and to no others.
type authTransport struct {
	next         http.RoundTripper
	scheme, host string
	tokens       *tokens
}

// RoundTrip implements http.RoundTripper.
func (b *authTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if token := b.tokens.current(); req.URL.Scheme == b.scheme && req.URL.Host == b.host && !token.IsZero() {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+token.Reveal())
	}
	return b.next.RoundTrip(req)
}

// A bufferingTransport reads the whole answer within the attempt, so that an answer that is cut off counts as a failed
// attempt.
type bufferingTransport struct {
	next      http.RoundTripper
	transport *transport
}

// RoundTrip returns a response whose body is in memory. It ends an attempt that receives nothing for too long.
func (t *bufferingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	defer cancel(nil)
	clock := time.AfterFunc(readIdleTimeout, func() { cancel(errStalled) })
	defer clock.Stop()
	last, _ := req.Context().Value(lastAttempt{}).(*lastAttempt)
	res, err := t.next.RoundTrip(req.WithContext(ctx))
	var body []byte
	if err == nil {
		body, err = readBody(res, func() { clock.Reset(readIdleTimeout) })
	}
	if err != nil {
		err = timeoutCause(ctx, err)
		last.response, last.err = nil, err
		return nil, err
	}
	t.transport.updateLimits(res.StatusCode, res.Header)
	last.response, last.err = &response{res.StatusCode, res.Header, body}, nil
	res.Body = &bufferedBody{Reader: bytes.NewReader(body), data: body}
	return res, nil
}

// A lastAttempt holds how the last attempt of a read of an operation ended. It is in the request's context, because
// retryablehttp returns only the context's error if the time is over before the next attempt.
type lastAttempt struct {
	op       operation
	response *response
	err      error
}

// A bufferedBody is a body that is in memory already.
type bufferedBody struct {
	*bytes.Reader
	data []byte
}

// Close does nothing.
func (*bufferedBody) Close() error { return nil }

// timeoutCause returns errStalled if that is why the attempt ended, and otherwise err.
func timeoutCause(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errStalled) {
		return errStalled
	}
	return err
}

// A progressReader calls onRead for every piece that is read.
type progressReader struct {
	io.Reader
	onRead func()
}

func (l progressReader) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if n > 0 {
		l.onRead()
	}
	return n, err
}

// readBody reads a body up to the size limit.
func readBody(res *http.Response, moved func()) ([]byte, error) {
	defer res.Body.Close()
	if whole, ok := res.Body.(*bufferedBody); ok {
		return whole.data, nil
	}
	var b bytes.Buffer
	b.Grow(int(max(bytes.MinRead, min(res.ContentLength, maxResponseSize)+bytes.MinRead)))
	_, err := b.ReadFrom(io.LimitReader(progressReader{res.Body, moved}, maxResponseSize+1))
	body := b.Bytes()
	switch {
	case err != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w after %d bytes", errTruncated, len(body))
	case len(body) > maxResponseSize:
		return nil, errTooLarge
	}
	return body, nil
}

// read sends a read, with retries, once a pause that the server asked for is over. Once the retry budget is spent, a
// path that failed fails in the same way without being sent, until it is time for a probe.
func (w *transport) read(req *http.Request, op operation, slots chan struct{}) (*response, error) {
	if last, held := w.heldBack(req.URL.Path); held {
		return last.response, last.err
	}
	if err := w.acquireUnpaused(req.Context(), slots); err != nil {
		return nil, err
	}
	defer func() { <-slots }()
	a, err := w.sendWithRetry(req, op)
	w.recordResult(req.URL.Path, a, err)
	return a, err
}

// sendWithRetry sends a read, and repeats it as checkRetry allows.
func (w *transport) sendWithRetry(req *http.Request, op operation) (*response, error) {
	last := lastAttempt{op: op}
	again, err := retryablehttp.FromRequest(req.WithContext(context.WithValue(req.Context(), lastAttempt{}, &last)))
	if err != nil {
		return nil, err
	}
	res, err := w.reads.Do(again)
	if err == context.DeadlineExceeded && (last.response != nil || last.err != nil) {
		return last.response, last.err
	}
	if err != nil {
		if res != nil {
			res.Body.Close()
		}
		return nil, stripURL(err)
	}
	body, err := readBody(res, func() {})
	return &response{res.StatusCode, res.Header, body}, err
}

// heldBack returns how a read failed last, if it may not be sent now.
func (w *transport) heldBack(path string) (failedRead, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	last, bad := w.failedReads[path]
	if !bad || w.retryBudget > 0 {
		return failedRead{}, false
	}
	if !w.nextProbe().IsZero() {
		return last, true
	}
	w.probedAt = w.now()
	return failedRead{}, false
}

// nextProbe returns when the next read of a path that failed is sent; zero if that is now.
func (w *transport) nextProbe() time.Time {
	since := w.now().Sub(w.probedAt)
	if w.retryBudget > 0 || len(w.failedReads) == 0 || since < 0 || since >= probeInterval {
		return time.Time{}
	}
	return w.probedAt.Add(probeInterval)
}

// NextProbe returns when the next read of something that failed is sent; zero if that is now.
func (c *Client) NextProbe() time.Time {
	c.transport.mu.Lock()
	defer c.transport.mu.Unlock()
	return c.transport.nextProbe()
}

// recordResult records how a read ended, for heldBack.
func (w *transport) recordResult(path string, a *response, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err != nil && errors.Is(err, context.Canceled):
	case err != nil || isTransientStatus(a.status, a.header):
		if len(w.failedReads) == 0 {
			w.probedAt = w.now()
		}
		w.failedReads[path] = failedRead{a, err}
	default:
		delete(w.failedReads, path)
	}
}

// write sends a request once.
func (w *transport) write(req *http.Request) (*response, error) {
	if err := acquireSlot(req.Context(), w.writeSlots); err != nil {
		return nil, fmt.Errorf("%w: %w", errNotSent, err)
	}
	defer func() { <-w.writeSlots }()
	req.GetBody = nil
	res, err := w.sendOnce(w.writes, req)
	if err != nil {
		return nil, err
	}
	w.updateLimits(res.StatusCode, res.Header)
	body, err := readBody(res, func() {})
	return &response{res.StatusCode, res.Header, body}, err
}

// sendOnce sends a request with an HTTP client. The error is errNotSent if there was no connection to send it on.
func (w *transport) sendOnce(way *http.Client, req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", errNotSent, err)
	}
	var asked, got atomic.Bool
	asked.Store(w.defaultTransport)
	trace := &httptrace.ClientTrace{
		GetConn: func(string) { asked.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { got.Store(true) },
	}
	res, err := way.Do(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err == nil {
		return res, nil
	}
	if err = stripURL(err); asked.Load() && !got.Load() {
		err = fmt.Errorf("%w: %w", errNotSent, err)
	}
	return nil, err
}

// stripURL removes the URL from an error of net/http, and text that a server wrote into it.
func stripURL(err error) error {
	var u *url.Error
	if !errors.As(err, &u) {
		return err
	}
	if strings.Contains(u.Err.Error(), "Location header") {
		return errors.New("the server redirects to an invalid address")
	}
	return u.Err
}

// acquireSlot takes a slot, or returns the error of a context that has ended.
func acquireSlot(ctx context.Context, slots chan struct{}) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// acquireUnpaused takes a slot outside of pauses: the server may ask for one while a read waits for its slot.
func (w *transport) acquireUnpaused(ctx context.Context, slots chan struct{}) error {
	for {
		if err := acquireSlot(ctx, slots); err != nil {
			return err
		}
		if w.claimSending() {
			return nil
		}
		<-slots
		if err := w.waitForRateLimit(ctx); err != nil {
			return err
		}
	}
}

// checkRetry reports whether a read is repeated: after a broken connection, 408, 429 or 5xx, while the retry budget
// lasts.
func (w *transport) checkRetry(ctx context.Context, res *http.Response, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil && !isTransient(err) || err == nil && !isTransientStatus(res.StatusCode, res.Header) {
		return false, nil
	}
	if end, bounded := ctx.Deadline(); bounded && err == nil && res.StatusCode == http.StatusTooManyRequests &&
		time.Until(end) <= retryAfter(res.Header, w.now()) {
		return false, nil // this answer tells the user more than a timeout would
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.retryBudget == 0 {
		return false, nil
	}
	w.retryBudget--
	return true, nil
}

// isTransient reports whether a connection that failed may work in a moment. It is false for an invalid certificate or
// a host that does not exist.
func isTransient(err error) bool {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return !dns.IsNotFound
	}
	if errors.Is(err, errTooLarge) {
		return false
	}
	for _, lasting := range [...]string{
		"x509:",
		"tls:",
		"HTTP response to HTTPS client",
		"Location header",
		"headers exceeded",
		http.StatusText(http.StatusProxyAuthRequired),
	} {
		if strings.Contains(err.Error(), lasting) {
			return false
		}
	}
	return true
}

func isTransientStatus(status int, h http.Header) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, 500, 502, 504:
		return true
	case http.StatusServiceUnavailable:
		return h.Get("X-Maintenance-Mode") == ""
	}
	return false
}

// backoff returns the wait before the next attempt: it doubles each time, half of it is random, and it is at least what
// the server asked for, up to maxWait.
func (w *transport) backoff(_, _ time.Duration, attempt int, res *http.Response) time.Duration {
	wait := initialBackoff << min(attempt, 5)
	wait = wait/2 + rand.N(wait/2)
	if res != nil && res.StatusCode == http.StatusTooManyRequests {
		wait = max(wait, retryAfter(res.Header, w.now()))
	}
	return min(wait, maxWait)
}
