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
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// Bounds of the wire.
const (
	maxResponseSize = 8 << 20          // bytes of one answer, after decompression
	maxAttempts     = 4                // of one read, the first included
	maxInFlight     = 6                // requests of the whole program at once
	maxWait         = 60 * time.Second // that a server can make us wait
	initialBackoff  = time.Second
	// attempts beyond the first that the whole program may spend before good answers refill it
	maxRetryBudget  = 12
	probeInterval   = 20 * time.Second // between reads of what failed last, once the fund is spent
	readIdleTimeout = 12 * time.Second // of one attempt of a read, without a byte
)

var (
	errTooLarge  = fmt.Errorf("an answer larger than %d MB", maxResponseSize>>20)
	errTruncated = errors.New("the answer was cut short")
	errNotSent   = errors.New("nothing was sent")
	errStalled   = errors.New("no answer in time")
)

// rateLimitError is a read that was not sent because the API wants to be left alone for longer than the read may take.
type rateLimitError struct{ wait time.Duration }

func (w *rateLimitError) Error() string {
	return fmt.Sprintf("the API asks to wait %v; nothing was sent", w.wait)
}

// Is makes it something that was not sent.
func (w *rateLimitError) Is(target error) bool { return target == errNotSent }

// An response is a response that was read whole.
type response struct {
	status int
	header http.Header
	body   []byte
}

// transport holds the two ways out: reads, which may be repeated, and writes, which never are. Nothing else sends with
// the token.
type transport struct {
	reads            *retryablehttp.Client
	writes           *http.Client
	readSlots        chan struct{} // of reads
	writeSlots       chan struct{} // of writes: reads that wait hold no write back
	now              func() time.Time
	tokens           *tokens
	defaultTransport bool // the transport is net/http's own, which tells of every connection that it uses

	mu          sync.Mutex
	rateLimit   RateLimit         // how long nobody is to ask
	rateLimits  map[int]RateLimit // what is left, by the limits that answers tell: areas of the API have their own
	scopes      string
	retryBudget int
	failedReads map[string]failedRead // reads that failed when they were last sent, by path
	probedAt    time.Time
}

// failedRead is how a read ended that found no fund.
type failedRead struct {
	response *response
	err      error
}

// A RateLimit is what the server last said of its rate limit ("X-RateLimit-*"), and how long it wants to be left alone.
type RateLimit struct {
	Limit, Remaining int // 0, 0 until an answer said so
	Reset            time.Time
	PausedUntil      time.Time     // no read is sent before; zero when nobody waits
	RetryAfter       time.Duration // what the server wanted that wait to be, which may be more
}

// RateLimit is the state of the rate limit.
func (c *Client) RateLimit() RateLimit {
	c.transport.mu.Lock()
	defer c.transport.mu.Unlock()
	return c.transport.tightest()
}

// Scopes are the scopes of the token as the last answer told them: "*" is all; "" is not known.
func (c *Client) Scopes() string {
	c.transport.mu.Lock()
	defer c.transport.mu.Unlock()
	return c.transport.scopes
}

func newTransport(c *Client) *transport {
	next := c.roundTripper
	if next == nil {
		t := newHTTPTransport()
		// reads have their patience; a change that is cut short is one nobody knows the end of
		t.ResponseHeaderTimeout = 0
		next = t
	}
	w := &transport{
		readSlots:        make(chan struct{}, maxInFlight),
		writeSlots:       make(chan struct{}, maxInFlight),
		now:              c.now,
		tokens:           c.tokens,
		defaultTransport: c.roundTripper == nil,
		retryBudget:      maxRetryBudget,
		failedReads:      map[string]failedRead{},
		rateLimits:       map[int]RateLimit{},
	}
	bearer := &authTransport{
		next:   next,
		scheme: c.base.Scheme,
		host:   c.base.Host,
		tokens: c.tokens,
	}
	single := &http.Client{Transport: bearer, CheckRedirect: rejectRedirect}
	w.writes = single
	w.reads = retryablehttp.NewClient()
	w.reads.HTTPClient = &http.Client{
		Transport:     &bufferingTransport{next: bearer, transport: w},
		CheckRedirect: rejectRedirect,
	}
	w.reads.Logger = nil
	w.reads.RetryMax = maxAttempts - 1
	w.reads.CheckRetry = w.checkRetry
	w.reads.Backoff = w.backoff
	w.reads.ErrorHandler = retryablehttp.PassthroughErrorHandler
	return w
}

// newHTTPTransport is the transport to a real server, with a bound for every step.
func newHTTPTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  20 * time.Second,
		IdleConnTimeout:        30 * time.Second,
		MaxConnsPerHost:        16,
		MaxResponseHeaderBytes: 1 << 20,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 5 * time.Second, PingTimeout: 5 * time.Second},
	}
}

// rejectRedirect refuses redirects: the answer that redirects is the answer.
func rejectRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// newPresignedClient is the way out for pre-signed URLs: without a token, and it follows no redirect. Only its callers
// bound how long it takes.
func newPresignedClient(c *Client) *http.Client {
	next := c.roundTripper
	if next == nil {
		t := newHTTPTransport()
		t.DisableCompression, t.ResponseHeaderTimeout = true, 0
		t.ReadBufferSize, t.WriteBufferSize = 64<<10, 64<<10
		next = t
	}
	return &http.Client{Transport: next, CheckRedirect: rejectRedirect}
}

// authTransport adds the token where scheme, host and port are the API's own, and nowhere else.
type authTransport struct {
	next         http.RoundTripper
	scheme, host string
	tokens       *tokens
}

// RoundTrip sends with the token.
func (b *authTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if token := b.tokens.current(); req.URL.Scheme == b.scheme && req.URL.Host == b.host && !token.IsZero() {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+token.Reveal())
	}
	return b.next.RoundTrip(req)
}

// bufferingTransport reads an answer whole within the attempt, so that a cut body is a failed attempt.
type bufferingTransport struct {
	next      http.RoundTripper
	transport *transport
}

// RoundTrip gives a response whose body is in memory. An attempt that stands still for too long is ended.
func (t *bufferingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	defer cancel(nil)
	clock := time.AfterFunc(readIdleTimeout, func() { cancel(errStalled) })
	defer clock.Stop()
	res, err := t.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		return nil, timeoutCause(ctx, err)
	}
	body, err := readBody(res, func() { clock.Reset(readIdleTimeout) })
	if err != nil {
		return nil, timeoutCause(ctx, err)
	}
	t.transport.updateLimits(res.StatusCode, res.Header)
	res.Body = &bufferedBody{Reader: bytes.NewReader(body), data: body}
	return res, nil
}

// bufferedBody is a body that was read whole: it is not read again.
type bufferedBody struct {
	*bytes.Reader
	data []byte
}

// Close does nothing.
func (*bufferedBody) Close() error { return nil }

// timeoutCause is why an attempt failed: its patience, where that was it.
func timeoutCause(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errStalled) {
		return errStalled
	}
	return err
}

// progressReader tells of every piece that is read.
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

// readBody reads a body within its limit.
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

// read sends a request, again where that may help, and waits first where the server asked everybody to. What failed
// when the program's fund was spent fails the same way, without being sent, until it is time for a probe.
func (w *transport) read(req *http.Request) (*response, error) {
	if err := w.waitForRateLimit(req.Context()); err != nil {
		return nil, err
	}
	if last, held := w.heldBack(req.URL.Path); held {
		return last.response, last.err
	}
	if err := acquireSlot(req.Context(), w.readSlots); err != nil {
		return nil, err
	}
	defer func() { <-w.readSlots }()
	a, err := w.sendWithRetry(req)
	w.recordResult(req.URL.Path, a, err)
	return a, err
}

// sendWithRetry sends a read as often as it may be.
func (w *transport) sendWithRetry(req *http.Request) (*response, error) {
	again, err := retryablehttp.FromRequest(req)
	if err != nil {
		return nil, err
	}
	res, err := w.reads.Do(again)
	if err != nil {
		if res != nil {
			res.Body.Close()
		}
		return nil, stripURL(err)
	}
	body, err := readBody(res, func() {})
	return &response{res.StatusCode, res.Header, body}, err
}

// heldBack is how a read failed last, where it may not be sent now.
func (w *transport) heldBack(path string) (failedRead, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	last, bad := w.failedReads[path]
	if !bad || w.retryBudget > 0 {
		return failedRead{}, false
	}
	if since := w.now().Sub(w.probedAt); since >= 0 && since < probeInterval {
		return last, true
	}
	w.probedAt = w.now()
	return failedRead{}, false
}

// recordResult keeps how a read ended, for held.
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

// sendOnce sends a request on one of the ways out. An error is errNotSent where there was no connection to send it on.
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

// stripURL takes the address off an error of net/http, and what a server wrote into one.
func stripURL(err error) error {
	var u *url.Error
	if !errors.As(err, &u) {
		return err
	}
	if strings.Contains(u.Err.Error(), "Location header") {
		return errors.New("the server redirects to an address that makes no sense")
	}
	return u.Err
}

// acquireSlot takes one of the places in flight. What has ended takes none.
func acquireSlot(ctx context.Context, places chan struct{}) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// waitForRateLimit waits until the server wants to be asked again. A clock that was set back cannot make it longer than
// the longest wait.
func (w *transport) waitForRateLimit(ctx context.Context) error {
	w.mu.Lock()
	wait := min(w.rateLimit.PausedUntil.Sub(w.now()), maxWait)
	w.mu.Unlock()
	if wait <= 0 {
		return nil
	}
	if end, bounded := ctx.Deadline(); bounded && time.Until(end) <= wait {
		return &rateLimitError{wait}
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// maxRateLimits bounds what is kept of a server that tells another limit each time.
const maxRateLimits = 16

// tightest is the largest limit, or one of which less than half and the least is left, with how long nobody is to ask.
// A limit whose span has ended is whole again.
func (w *transport) tightest() RateLimit {
	told := RateLimit{}
	for _, b := range w.rateLimits {
		b = w.refreshed(b)
		scarce, other := 2*b.Remaining < b.Limit, 2*told.Remaining < told.Limit
		switch {
		case scarce != other:
			if scarce {
				told = b
			}
		case scarce && b.Remaining*told.Limit < told.Remaining*b.Limit, !scarce && b.Limit > told.Limit:
			told = b
		}
	}
	told.PausedUntil, told.RetryAfter = w.rateLimit.PausedUntil, w.rateLimit.RetryAfter
	return told
}

// refreshed is a limit as it is now.
func (w *transport) refreshed(b RateLimit) RateLimit {
	if !b.Reset.IsZero() && !b.Reset.After(w.now()) {
		b.Remaining = b.Limit
	}
	return b
}

// updateLimits keeps what an answer's headers say about limits and scopes.
func (w *transport) updateLimits(status int, h http.Header) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if limit, err := strconv.Atoi(h.Get("X-RateLimit-Limit")); err == nil {
		b := RateLimit{Limit: limit}
		b.Remaining, _ = strconv.Atoi(h.Get("X-RateLimit-Remaining"))
		if reset, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64); err == nil {
			b.Reset = time.Unix(reset, 0)
		}
		if len(w.rateLimits) > maxRateLimits {
			clear(w.rateLimits)
		}
		w.rateLimits[limit] = b
	}
	if s := h.Get("X-OAuth-Scopes"); s != "" {
		w.scopes = Clean(w.tokens.redactor().redactText(s))
	}
	switch {
	case status == http.StatusTooManyRequests:
		w.rateLimit.PausedUntil, w.rateLimit.RetryAfter = w.now().Add(
			max(retryAfter(h, w.now()), initialBackoff),
		), parseRetryAfter(
			h,
			w.now(),
		)
	case status < 400:
		w.retryBudget = min(maxRetryBudget, w.retryBudget+1)
	}
}

// checkRetry decides whether a read is sent once more: broken connections, 408, 429 and 5xx, while the program's fund
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
		return false, nil // the answer says more than a wait that ends without one
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.retryBudget == 0 {
		return false, nil
	}
	w.retryBudget--
	return true, nil
}

// isTransient reports whether a failed connection may work in a moment. A wrong certificate or a name that does not
// exist will not.
func isTransient(err error) bool {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return !dns.IsNotFound
	}
	if errors.Is(err, errTooLarge) {
		return false
	}
	for _, lasting := range [...]string{"x509:", "tls:", "HTTP response to HTTPS client", "Location header", "headers exceeded", http.StatusText(http.StatusProxyAuthRequired)} {
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

// backoff is how long to wait before the next attempt: doubling, half of it by chance, and what the server asked for,
// bounded.
func (w *transport) backoff(_, _ time.Duration, attempt int, res *http.Response) time.Duration {
	wait := initialBackoff << min(attempt, 5)
	wait = wait/2 + rand.N(wait/2)
	if res != nil && res.StatusCode == http.StatusTooManyRequests {
		wait = max(wait, retryAfter(res.Header, w.now()))
	}
	return min(wait, maxWait)
}

// retryAfter is how long the server wants to be left alone, at most a minute.
func retryAfter(h http.Header, now time.Time) time.Duration {
	return min(parseRetryAfter(h, now), maxWait)
}

// maxRetryAfter bounds what a server can be said to have asked for.
const maxRetryAfter = 365 * 24 * time.Hour

// parseRetryAfter reads Retry-After: seconds or a date, never less than nothing. The service sends it on every answer;
// it means something on a refusal only.
func parseRetryAfter(h http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if text == "" {
		return 0
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(0, at.Sub(now)), maxRetryAfter)
	}
	seconds, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange), seconds != seconds, seconds <= 0:
		return 0
	case seconds >= maxRetryAfter.Seconds():
		return maxRetryAfter
	}
	return time.Duration(seconds * float64(time.Second))
}
