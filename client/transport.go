package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
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
	retryFund   = 20 // attempts beyond the first that the whole program may spend before good answers refill it
)

var (
	errTooLarge = fmt.Errorf("an answer larger than %d MB", maxAnswer>>20)
	errCut      = errors.New("the answer was cut short")
	errWaiting  = errors.New("the API asked to wait; nothing was sent")
)

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
	slots  chan struct{}
	now    func() time.Time

	mu     sync.Mutex
	budget Budget
	scopes string
	fund   int
}

// A Budget is what the server last said of its rate limit ("X-RateLimit-*"), and how long it wants to be left alone.
type Budget struct {
	Limit, Remaining int // 0, 0 until an answer said so
	Reset            time.Time
	Until            time.Time // no read is sent before; zero when nobody waits
}

// Budget is the state of the rate limit.
func (c *Client) Budget() Budget {
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	return c.wire.budget
}

// Scopes are the scopes of the token as the last answer told them: "*" is all; "" is not known.
func (c *Client) Scopes() string {
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	return c.wire.scopes
}

func newWire(c *Client, token Secret) *wire {
	next := c.transport
	if next == nil {
		next = network()
	}
	w := &wire{slots: make(chan struct{}, inFlight), now: c.now, fund: retryFund}
	bearer := &bearer{next: next, scheme: c.base.Scheme, host: c.base.Host, token: token}
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
		HTTP2: &http.HTTP2Config{SendPingTimeout: 10 * time.Second, PingTimeout: 5 * time.Second},
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
	token        Secret
}

// RoundTrip sends with the token.
func (b *bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme == b.scheme && req.URL.Host == b.host && !b.token.IsZero() {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+b.token.Reveal())
	}
	return b.next.RoundTrip(req)
}

// complete reads an answer whole within the attempt, so that a cut body is a failed attempt.
type complete struct {
	next http.RoundTripper
	wire *wire
}

// RoundTrip gives a response whose body is in memory.
func (t *complete) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := readAll(res)
	if err != nil {
		return nil, err
	}
	t.wire.learn(res.StatusCode, res.Header)
	res.Body = io.NopCloser(strings.NewReader(string(body)))
	return res, nil
}

// readAll reads a body within its limit.
func readAll(res *http.Response) ([]byte, error) {
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
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

// read sends a request, again where that may help, and waits first where the server asked everybody to.
func (w *wire) read(req *http.Request) (*answer, error) {
	if err := w.enter(req.Context()); err != nil {
		return nil, err
	}
	defer func() { <-w.slots }()
	if err := w.queue(req.Context()); err != nil {
		return nil, err
	}
	again, err := retryablehttp.FromRequest(req)
	if err != nil {
		return nil, err
	}
	res, err := w.reads.Do(again)
	if err != nil {
		if res != nil {
			res.Body.Close()
		}
		return nil, err
	}
	body, err := readAll(res)
	return &answer{res.StatusCode, res.Header, body}, err
}

// write sends a request once.
func (w *wire) write(req *http.Request) (*answer, error) {
	if err := w.enter(req.Context()); err != nil {
		return nil, fmt.Errorf("%w: %w", errWaiting, err)
	}
	defer func() { <-w.slots }()
	req.GetBody = nil
	res, err := w.writes.Do(req)
	if err != nil {
		return nil, err
	}
	w.learn(res.StatusCode, res.Header)
	body, err := readAll(res)
	return &answer{res.StatusCode, res.Header, body}, err
}

// enter takes one of the places in flight.
func (w *wire) enter(ctx context.Context) error {
	select {
	case w.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// queue waits until the server wants to be asked again.
func (w *wire) queue(ctx context.Context) error {
	w.mu.Lock()
	wait := w.budget.Until.Sub(w.now())
	w.mu.Unlock()
	if wait <= 0 {
		return nil
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

// learn keeps what an answer's headers say about limits and scopes.
func (w *wire) learn(status int, h http.Header) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if limit, err := strconv.Atoi(h.Get("X-RateLimit-Limit")); err == nil {
		w.budget.Limit = limit
		w.budget.Remaining, _ = strconv.Atoi(h.Get("X-RateLimit-Remaining"))
		if reset, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64); err == nil {
			w.budget.Reset = time.Unix(reset, 0)
		}
	}
	if s := h.Get("X-OAuth-Scopes"); s != "" {
		w.scopes = Clean(s)
	}
	switch {
	case status == http.StatusTooManyRequests:
		w.budget.Until = w.now().Add(max(retryAfter(h, w.now()), firstPause))
	case status < 400:
		w.fund = min(retryFund, w.fund+1)
	}
}

// again decides whether a read is sent once more: broken connections, 408, 429 and 5xx, while the program's fund lasts.
func (w *wire) again(ctx context.Context, res *http.Response, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil && !passing(err) || err == nil && !passingStatus(res) {
		return false, nil
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
	return !strings.Contains(err.Error(), "x509:") && !strings.Contains(err.Error(), "tls:") && !errors.Is(err, errTooLarge)
}

func passingStatus(res *http.Response) bool {
	switch res.StatusCode {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, 500, 502, 504:
		return true
	case http.StatusServiceUnavailable:
		return res.Header.Get("X-Maintenance-Mode") == ""
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

// retryAfter reads the header of that name: seconds or a date, never less than nothing nor more than a minute. The service sends it on
// every answer; it means something on a refusal only.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if text == "" {
		return 0
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(0, at.Sub(now)), longestWait)
	}
	seconds, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange), seconds != seconds, seconds <= 0:
		return 0
	case seconds >= longestWait.Seconds():
		return longestWait
	}
	return time.Duration(seconds * float64(time.Second))
}
