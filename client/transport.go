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
	maxAnswer   = 8 << 20          // bytes of one answer, after decompression
	attempts    = 4                // of one read, the first included
	inFlight    = 6                // requests of the whole program at once
	longestWait = 60 * time.Second // that a server can make us wait
	firstPause  = time.Second
	retryFund   = 12               // attempts beyond the first that the whole program may spend before good answers refill it
	probeEvery  = 20 * time.Second // between reads of what failed last, once the fund is spent
	patience    = 12 * time.Second // of one attempt of a read, without a byte
)

var (
	errTooLarge = fmt.Errorf("an answer larger than %d MB", maxAnswer>>20)
	errCut      = errors.New("the answer was cut short")
	errUnsent   = errors.New("nothing was sent")
	errStalled  = errors.New("no answer in time")
)

// waiting is a read that was not sent because the API wants to be left alone for longer than the read may take.
type waiting struct{ left time.Duration }

func (w *waiting) Error() string {
	return fmt.Sprintf("the API asks to wait %v; nothing was sent", w.left)
}

// Is makes it something that was not sent.
func (w *waiting) Is(target error) bool { return target == errUnsent }

// An answer is a response that was read whole.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// wire holds the two ways out: reads, which may be repeated, and writes, which never are. Nothing else sends with the token.
type wire struct {
	reads  *retryablehttp.Client
	writes *http.Client
	slots  chan struct{} // of reads
	pens   chan struct{} // of writes: reads that wait hold no write back
	now    func() time.Time
	tokens *tokens
	plain  bool // the transport is net/http's own, which tells of every connection that it uses

	mu     sync.Mutex
	budget Budget         // how long nobody is to ask
	limits map[int]Budget // what is left, by the limits that answers tell: areas of the API have their own
	scopes string
	fund   int
	failed map[string]failed // reads that failed when they were last sent, by path
	probed time.Time
}

// failed is how a read ended that found no fund.
type failed struct {
	answer *answer
	err    error
}

// A Budget is what the server last said of its rate limit ("X-RateLimit-*"), and how long it wants to be left alone.
type Budget struct {
	Limit, Remaining int // 0, 0 until an answer said so
	Reset            time.Time
	Until            time.Time     // no read is sent before; zero when nobody waits
	Asked            time.Duration // what the server wanted that wait to be, which may be more
}

// Budget is the state of the rate limit.
func (c *Client) Budget() Budget {
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	return c.wire.tightest()
}

// Scopes are the scopes of the token as the last answer told them: "*" is all; "" is not known.
func (c *Client) Scopes() string {
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	return c.wire.scopes
}

func newWire(c *Client) *wire {
	next := c.transport
	if next == nil {
		t := network()
		t.ResponseHeaderTimeout = 0 // reads have their patience; a change that is cut short is one nobody knows the end of
		next = t
	}
	w := &wire{slots: make(chan struct{}, inFlight), pens: make(chan struct{}, inFlight), now: c.now, tokens: c.tokens, plain: c.transport == nil, fund: retryFund, failed: map[string]failed{}, limits: map[int]Budget{}}
	bearer := &bearer{next: next, scheme: c.base.Scheme, host: c.base.Host, tokens: c.tokens}
	single := &http.Client{Transport: bearer, CheckRedirect: stay}
	w.writes = single
	w.reads = retryablehttp.NewClient()
	w.reads.HTTPClient = &http.Client{Transport: &complete{next: bearer, wire: w}, CheckRedirect: stay}
	w.reads.Logger = nil
	w.reads.RetryMax = attempts - 1
	w.reads.CheckRetry = w.again
	w.reads.Backoff = w.pause
	w.reads.ErrorHandler = retryablehttp.PassthroughErrorHandler
	return w
}

// network is the transport to a real server, with a bound for every step.
func network() *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second,
		ResponseHeaderTimeout: 20 * time.Second, IdleConnTimeout: 30 * time.Second, MaxConnsPerHost: 16, MaxResponseHeaderBytes: 1 << 20,
		HTTP2: &http.HTTP2Config{SendPingTimeout: 5 * time.Second, PingTimeout: 5 * time.Second},
	}
}

// stay refuses redirects: the answer that redirects is the answer.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// newTransfers is the way out for pre-signed URLs: without a token, and it follows no redirect. Only its callers bound how long it takes.
func newTransfers(c *Client) *http.Client {
	next := c.transport
	if next == nil {
		t := network()
		t.DisableCompression, t.ResponseHeaderTimeout = true, 0
		t.ReadBufferSize, t.WriteBufferSize = 64<<10, 64<<10
		next = t
	}
	return &http.Client{Transport: next, CheckRedirect: stay}
}

// bearer adds the token where scheme, host and port are the API's own, and nowhere else.
type bearer struct {
	next         http.RoundTripper
	scheme, host string
	tokens       *tokens
}

// RoundTrip sends with the token.
func (b *bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	if token := b.tokens.current(); req.URL.Scheme == b.scheme && req.URL.Host == b.host && !token.IsZero() {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+token.Reveal())
	}
	return b.next.RoundTrip(req)
}

// complete reads an answer whole within the attempt, so that a cut body is a failed attempt.
type complete struct {
	next http.RoundTripper
	wire *wire
}

// RoundTrip gives a response whose body is in memory. An attempt that stands still for too long is ended.
func (t *complete) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	defer cancel(nil)
	clock := time.AfterFunc(patience, func() { cancel(errStalled) })
	defer clock.Stop()
	res, err := t.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		return nil, stalled(ctx, err)
	}
	body, err := readAll(res, func() { clock.Reset(patience) })
	if err != nil {
		return nil, stalled(ctx, err)
	}
	t.wire.learn(res.StatusCode, res.Header)
	res.Body = &wholeBody{Reader: bytes.NewReader(body), data: body}
	return res, nil
}

// wholeBody is a body that was read whole: it is not read again.
type wholeBody struct {
	*bytes.Reader
	data []byte
}

// Close does nothing.
func (*wholeBody) Close() error { return nil }

// stalled is why an attempt failed: its patience, where that was it.
func stalled(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errStalled) {
		return errStalled
	}
	return err
}

// lively tells of every piece that is read.
type lively struct {
	io.Reader
	moved func()
}

func (l lively) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if n > 0 {
		l.moved()
	}
	return n, err
}

// readAll reads a body within its limit.
func readAll(res *http.Response, moved func()) ([]byte, error) {
	defer res.Body.Close()
	if whole, ok := res.Body.(*wholeBody); ok {
		return whole.data, nil
	}
	var b bytes.Buffer
	b.Grow(int(max(bytes.MinRead, min(res.ContentLength, maxAnswer)+bytes.MinRead)))
	_, err := b.ReadFrom(io.LimitReader(lively{res.Body, moved}, maxAnswer+1))
	body := b.Bytes()
	switch {
	case err != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w after %d bytes", errCut, len(body))
	case len(body) > maxAnswer:
		return nil, errTooLarge
	}
	return body, nil
}

// read sends a request, again where that may help, and waits first where the server asked everybody to. What failed when the program's
// fund was spent fails the same way, without being sent, until it is time for a probe.
func (w *wire) read(req *http.Request) (*answer, error) {
	if err := w.queue(req.Context()); err != nil {
		return nil, err
	}
	if last, held := w.held(req.URL.Path); held {
		return last.answer, last.err
	}
	if err := enter(req.Context(), w.slots); err != nil {
		return nil, err
	}
	defer func() { <-w.slots }()
	a, err := w.attempt(req)
	w.remember(req.URL.Path, a, err)
	return a, err
}

// attempt sends a read as often as it may be.
func (w *wire) attempt(req *http.Request) (*answer, error) {
	again, err := retryablehttp.FromRequest(req)
	if err != nil {
		return nil, err
	}
	res, err := w.reads.Do(again)
	if err != nil {
		if res != nil {
			res.Body.Close()
		}
		return nil, bare(err)
	}
	body, err := readAll(res, func() {})
	return &answer{res.StatusCode, res.Header, body}, err
}

// held is how a read failed last, where it may not be sent now.
func (w *wire) held(path string) (failed, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	last, bad := w.failed[path]
	if !bad || w.fund > 0 {
		return failed{}, false
	}
	if since := w.now().Sub(w.probed); since >= 0 && since < probeEvery {
		return last, true
	}
	w.probed = w.now()
	return failed{}, false
}

// remember keeps how a read ended, for held.
func (w *wire) remember(path string, a *answer, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err != nil && errors.Is(err, context.Canceled):
	case err != nil || passingStatus(a.status, a.header):
		if len(w.failed) == 0 {
			w.probed = w.now()
		}
		w.failed[path] = failed{a, err}
	default:
		delete(w.failed, path)
	}
}

// write sends a request once.
func (w *wire) write(req *http.Request) (*answer, error) {
	if err := enter(req.Context(), w.pens); err != nil {
		return nil, fmt.Errorf("%w: %w", errUnsent, err)
	}
	defer func() { <-w.pens }()
	req.GetBody = nil
	res, err := w.once(w.writes, req)
	if err != nil {
		return nil, err
	}
	w.learn(res.StatusCode, res.Header)
	body, err := readAll(res, func() {})
	return &answer{res.StatusCode, res.Header, body}, err
}

// once sends a request on one of the ways out. An error is errUnsent where there was no connection to send it on.
func (w *wire) once(way *http.Client, req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", errUnsent, err)
	}
	var asked, got atomic.Bool
	asked.Store(w.plain)
	trace := &httptrace.ClientTrace{GetConn: func(string) { asked.Store(true) }, GotConn: func(httptrace.GotConnInfo) { got.Store(true) }}
	res, err := way.Do(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err == nil {
		return res, nil
	}
	if err = bare(err); asked.Load() && !got.Load() {
		err = fmt.Errorf("%w: %w", errUnsent, err)
	}
	return nil, err
}

// bare takes the address off an error of net/http, and what a server wrote into one.
func bare(err error) error {
	var u *url.Error
	if !errors.As(err, &u) {
		return err
	}
	if strings.Contains(u.Err.Error(), "Location header") {
		return errors.New("the server redirects to an address that makes no sense")
	}
	return u.Err
}

// enter takes one of the places in flight. What has ended takes none.
func enter(ctx context.Context, places chan struct{}) error {
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

// queue waits until the server wants to be asked again. A clock that was set back cannot make it longer than the longest wait.
func (w *wire) queue(ctx context.Context) error {
	w.mu.Lock()
	wait := min(w.budget.Until.Sub(w.now()), longestWait)
	w.mu.Unlock()
	if wait <= 0 {
		return nil
	}
	if end, bounded := ctx.Deadline(); bounded && time.Until(end) <= wait {
		return &waiting{wait}
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

// mostLimits bounds what is kept of a server that tells another limit each time.
const mostLimits = 16

// tightest is the largest limit, or one of which less than half and the least is left, with how long nobody is to ask. A limit whose span
// has ended is whole again.
func (w *wire) tightest() Budget {
	told := Budget{}
	for _, b := range w.limits {
		b = w.renewed(b)
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
	told.Until, told.Asked = w.budget.Until, w.budget.Asked
	return told
}

// renewed is a limit as it is now.
func (w *wire) renewed(b Budget) Budget {
	if !b.Reset.IsZero() && !b.Reset.After(w.now()) {
		b.Remaining = b.Limit
	}
	return b
}

// learn keeps what an answer's headers say about limits and scopes.
func (w *wire) learn(status int, h http.Header) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if limit, err := strconv.Atoi(h.Get("X-RateLimit-Limit")); err == nil {
		b := Budget{Limit: limit}
		b.Remaining, _ = strconv.Atoi(h.Get("X-RateLimit-Remaining"))
		if reset, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64); err == nil {
			b.Reset = time.Unix(reset, 0)
		}
		if len(w.limits) > mostLimits {
			clear(w.limits)
		}
		w.limits[limit] = b
	}
	if s := h.Get("X-OAuth-Scopes"); s != "" {
		w.scopes = Clean(w.tokens.mask().text(s))
	}
	switch {
	case status == http.StatusTooManyRequests:
		w.budget.Until, w.budget.Asked = w.now().Add(max(retryAfter(h, w.now()), firstPause)), asked(h, w.now())
	case status < 400:
		w.fund = min(retryFund, w.fund+1)
	}
}

// again decides whether a read is sent once more: broken connections, 408, 429 and 5xx, while the program's fund lasts.
func (w *wire) again(ctx context.Context, res *http.Response, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil && !passing(err) || err == nil && !passingStatus(res.StatusCode, res.Header) {
		return false, nil
	}
	if end, bounded := ctx.Deadline(); bounded && err == nil && res.StatusCode == http.StatusTooManyRequests && time.Until(end) <= retryAfter(res.Header, w.now()) {
		return false, nil // the answer says more than a wait that ends without one
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fund == 0 {
		return false, nil
	}
	w.fund--
	return true, nil
}

// passing reports whether a failed connection may work in a moment. A wrong certificate or a name that does not exist will not.
func passing(err error) bool {
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

func passingStatus(status int, h http.Header) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, 500, 502, 504:
		return true
	case http.StatusServiceUnavailable:
		return h.Get("X-Maintenance-Mode") == ""
	}
	return false
}

// pause is how long to wait before the next attempt: doubling, half of it by chance, and what the server asked for, bounded.
func (w *wire) pause(_, _ time.Duration, attempt int, res *http.Response) time.Duration {
	wait := firstPause << min(attempt, 5)
	wait = wait/2 + rand.N(wait/2)
	if res != nil && res.StatusCode == http.StatusTooManyRequests {
		wait = max(wait, retryAfter(res.Header, w.now()))
	}
	return min(wait, longestWait)
}

// retryAfter is how long the server wants to be left alone, at most a minute.
func retryAfter(h http.Header, now time.Time) time.Duration { return min(asked(h, now), longestWait) }

// longestAsked bounds what a server can be said to have asked for.
const longestAsked = 365 * 24 * time.Hour

// asked reads Retry-After: seconds or a date, never less than nothing. The service sends it on every answer; it means something on a
// refusal only.
func asked(h http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if text == "" {
		return 0
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(0, at.Sub(now)), longestAsked)
	}
	seconds, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange), seconds != seconds, seconds <= 0:
		return 0
	case seconds >= longestAsked.Seconds():
		return longestAsked
	}
	return time.Duration(seconds * float64(time.Second))
}
