package client

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A rateLimitError is a read that was not sent because it would have to wait longer than it may take.
type rateLimitError struct{ wait time.Duration }

func (w *rateLimitError) Error() string {
	return fmt.Sprintf("reads are paused for another %v; nothing was sent", w.wait)
}

// Is makes the error an errNotSent.
func (w *rateLimitError) Is(target error) bool { return target == errNotSent }

// A RateLimit is the state of the server's rate limit according to its last answers ("X-RateLimit-*").
type RateLimit struct {
	Limit, Remaining int // 0 until an answer has them
	Reset            time.Time
	PausedUntil      time.Time     // no read is sent before; zero if there is no pause
	RetryAfter       time.Duration // the wait that the server asked for, which may be longer than the pause
}

// Low returns how many requests are left, in words, if that is less than a fifth: other programs use the same limit, so
// that polls must slow down before the API refuses. If less than a twentieth is left, they should wait until resume.
func (b RateLimit) Low(now time.Time) (text string, resume time.Time) {
	if b.Limit == 0 || 5*b.Remaining >= b.Limit {
		return "", time.Time{}
	}
	if 20*b.Remaining < b.Limit && b.Reset.After(now) {
		resume = b.Reset
		if latest := now.Add(maxWait); resume.After(latest) {
			resume = latest // the clocks differ
		}
	}
	return fmt.Sprintf("%d of %d requests left", b.Remaining, b.Limit), resume
}

// RateLimit returns the state of the rate limit.
func (c *Client) RateLimit() RateLimit {
	c.transport.mu.Lock()
	defer c.transport.mu.Unlock()
	return c.transport.tightest()
}

// pause returns the end of the pause that the server asked for, and how much of it is left: at most maxWait, even if
// the clock was set back.
func (w *transport) pause() (until time.Time, left time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	until = w.rateLimit.PausedUntil
	return until, min(until.Sub(w.now()), maxWait)
}

// waitForRateLimit waits until the pause that the server asked for is over.
func (w *transport) waitForRateLimit(ctx context.Context) error {
	until, wait := w.pause()
	if wait <= 0 {
		return nil
	}
	if end, bounded := ctx.Deadline(); bounded && time.Until(end) <= wait {
		return &rateLimitError{wait}
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return ctx.Err()
	}
	w.mu.Lock()
	if w.rateLimit.PausedUntil.Equal(until) {
		w.rateLimit.PausedUntil = time.Time{} // it is over, even if the clock was set back
	}
	w.mu.Unlock()
	return w.waitForRateLimit(ctx) // another answer may have asked for more meanwhile
}

// waitToSend waits until a read that holds its slot may be sent again.
func (w *transport) waitToSend(ctx context.Context) error {
	for !w.claimSending() {
		if err := w.waitForRateLimit(ctx); err != nil {
			return err
		}
	}
	return nil
}

// claimSending reports whether a read may be sent now. The first one after a pause goes alone: the others wait a moment
// longer, in case the server still refuses.
func (w *transport) claimSending() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.rateLimit.PausedUntil.After(w.now()) {
		return false
	}
	if w.paused {
		w.paused = false
		w.rateLimit.PausedUntil = w.now().Add(initialBackoff)
	}
	return true
}

// A RequestLimiter limits the requests of several programs together.
type RequestLimiter interface {
	// Take counts a request that is about to be sent, or returns how long to wait before trying again. Those that go
	// first leave less room to the others.
	Take(first bool) (wait time.Duration)
}

// errTooManyHere is the failure of a request that would have to wait for other programs longer than it may take.
var errTooManyHere = fmt.Errorf("too many requests from this machine; %w", errNotSent)

// noticeAfter is the wait after which a request is reported to the user as waiting.
const noticeAfter = time.Second

// turns are the requests that wait for the limiter. One of each kind asks it, and the others stand in line behind it.
type turns struct {
	limiter         RequestLimiter
	notice          func() // called once
	priority        bool
	ordinary, first chan struct{}

	mu    sync.Mutex
	count int       // of requests that wait
	since time.Time // when the first of them began to
	told  bool
}

// waitForTurn waits until the programs that share a limiter leave room for a request of an operation.
func (w *transport) waitForTurn(ctx context.Context, op operation) error {
	t := &w.turns
	if t.limiter == nil || op.perObject {
		return nil
	}
	first, line := op.write || t.priority, t.ordinary
	if first {
		line = t.first
	}
	select {
	case line <- struct{}{}:
		wait := t.limiter.Take(first)
		<-line
		if wait <= 0 {
			return nil
		}
	default:
	}
	defer t.begin(w.now())()
	if err := acquireSlot(ctx, line); err != nil {
		return fmt.Errorf("%w: %w", errTooManyHere, err)
	}
	defer func() { <-line }()
	for {
		wait := t.limiter.Take(first)
		if wait <= 0 {
			return nil
		}
		if end, bounded := ctx.Deadline(); bounded && time.Until(end) <= wait {
			return errTooManyHere
		}
		select {
		case <-time.After(wait + rand.N(noticeAfter/10)): // other programs wait for the same moment
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", errTooManyHere, ctx.Err())
		}
	}
}

// begin notes that a request waits, until end is called, and tells the user after a while.
func (t *turns) begin(now time.Time) (end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.count == 0 {
		t.since = now
	}
	t.count++
	timer := time.AfterFunc(noticeAfter, t.tell)
	return func() {
		timer.Stop()
		t.mu.Lock()
		t.count--
		t.mu.Unlock()
	}
}

// tell tells the user that requests wait, once.
func (t *turns) tell() {
	t.mu.Lock()
	tell := t.notice != nil && !t.told
	t.told = true
	t.mu.Unlock()
	if tell {
		t.notice()
	}
}

// WaitingSince returns since when requests wait for those of other programs; zero if none has waited for a moment.
func (c *Client) WaitingSince() time.Time {
	t := &c.transport.turns
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.count == 0 || c.now().Sub(t.since) < noticeAfter {
		return time.Time{}
	}
	return t.since
}

// maxRateLimits limits how many limits are kept, in case a server sends a different one each time.
const maxRateLimits = 16

// tightest returns the limit that leaves the smallest share, among those with less than half left; if there is none,
// the largest limit. It adds the pause.
func (w *transport) tightest() RateLimit {
	result := RateLimit{}
	for _, b := range w.rateLimits {
		b = w.refreshed(b)
		scarce, other := 2*b.Remaining < b.Limit, 2*result.Remaining < result.Limit
		switch {
		case scarce != other:
			if scarce {
				result = b
			}
		case scarce && b.Remaining*result.Limit < result.Remaining*b.Limit, !scarce && b.Limit > result.Limit:
			result = b
		}
	}
	result.PausedUntil, result.RetryAfter = w.rateLimit.PausedUntil, w.rateLimit.RetryAfter
	return result
}

// refreshed returns a limit as of now: after its reset nothing of it is used.
func (w *transport) refreshed(b RateLimit) RateLimit {
	if !b.Reset.IsZero() && !b.Reset.After(w.now()) {
		b.Remaining = b.Limit
	}
	return b
}

// updateLimits records what an answer's headers say about limits and scopes.
func (w *transport) updateLimits(status int, h http.Header) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if limit, err := strconv.Atoi(h.Get("X-RateLimit-Limit")); err == nil {
		b := RateLimit{Limit: limit}
		b.Remaining, _ = strconv.Atoi(h.Get("X-RateLimit-Remaining"))
		if reset, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64); err == nil {
			b.Reset = time.Unix(reset, 0)
		}
		if before := w.rateLimits[limit]; !b.Reset.IsZero() && b.Reset.Equal(before.Reset) {
			b.Remaining = min(b.Remaining, before.Remaining) // answers of requests in parallel overtake each other
		}
		if len(w.rateLimits) > maxRateLimits {
			clear(w.rateLimits)
		}
		w.rateLimits[limit] = b
	}
	if s := h.Get("X-OAuth-Scopes"); s != "" {
		w.scopes = w.tokens.redactor().scopes(s)
	}
	switch {
	case status == http.StatusTooManyRequests:
		w.rateLimit.PausedUntil = w.now().Add(max(retryAfter(h, w.now()), initialBackoff))
		w.paused = true
		w.rateLimit.RetryAfter = parseRetryAfter(h, w.now())
	case status < 400:
		w.retryBudget = min(maxRetryBudget, w.retryBudget+1)
	}
}

// retryAfter returns the wait that the server asked for, at most maxWait.
func retryAfter(h http.Header, now time.Time) time.Duration {
	return min(parseRetryAfter(h, now), maxWait)
}

// maxRetryAfter limits the wait that is reported.
const maxRetryAfter = 365 * 24 * time.Hour

// parseRetryAfter parses Retry-After, in seconds or as a date; the result is never negative. The service sends the
// header with every answer, but it means something only with a refusal.
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
