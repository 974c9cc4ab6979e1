// Package faulttest injects faults in tests: between client and server (Transport), at the level of connections
// (Listen, PipeDialer), on disk (FaultyFile) and in the clock (Clock). Its cases report themselves to
// docs/reliability.md (RunCase).
package faulttest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// A RoundTripFunc handles one request. It may pass the request on to next, and may change or drop the response.
type RoundTripFunc func(next http.RoundTripper, r *http.Request) (*http.Response, error)

// A ScriptedTransport is an http.RoundTripper with a script: the n-th interceptor handles the n-th request, and the
// last one handles all that follow.
type ScriptedTransport struct {
	Next         http.RoundTripper
	Interceptors []RoundTripFunc

	mu       sync.Mutex
	requests []RecordedRequest
}

// RecordedRequest is a request that a ScriptedTransport has received.
type RecordedRequest struct {
	Method, Host, Path, Query string
	Header                    http.Header
	Body                      []byte
}

// NewTransport returns a ScriptedTransport in front of next, which may be nil if no interceptor passes a request on.
func NewTransport(next http.RoundTripper, faults ...RoundTripFunc) *ScriptedTransport {
	return &ScriptedTransport{Next: next, Interceptors: faults}
}

// RoundTrip records a request and gives it to its interceptor.
func (w *ScriptedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	s := RecordedRequest{
		Method: r.Method,
		Host:   r.URL.Host,
		Path:   r.URL.EscapedPath(),
		Query:  r.URL.RawQuery,
		Header: r.Header.Clone(),
	}
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body.Close()
		s.Body = body
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	w.mu.Lock()
	fault := w.Interceptors[min(len(w.requests), len(w.Interceptors)-1)]
	w.requests = append(w.requests, s)
	w.mu.Unlock()
	return fault(w.Next, r)
}

// Requests returns the requests received so far.
func (w *ScriptedTransport) Requests() []RecordedRequest {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]RecordedRequest(nil), w.requests...)
}

// Pass passes a request on.
func Pass(next http.RoundTripper, r *http.Request) (*http.Response, error) { return next.RoundTrip(r) }

// Fail returns an interceptor that fails with err and passes nothing on.
func Fail(err error) RoundTripFunc {
	return func(http.RoundTripper, *http.Request) (*http.Response, error) { return nil, err }
}

// Hang does not answer until the request is cancelled.
func Hang(_ http.RoundTripper, r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// Respond returns an interceptor that answers without passing the request on. headers are pairs of name and value; the
// default Content-Type is JSON.
func Respond(status int, body string, headers ...string) RoundTripFunc {
	return func(_ http.RoundTripper, r *http.Request) (*http.Response, error) {
		h := http.Header{"Content-Type": {"application/json"}}
		for i := 0; i+1 < len(headers); i += 2 {
			if headers[i] == "Content-Type" {
				h.Del(headers[i])
			}
			h.Add(headers[i], headers[i+1])
		}
		return newResponse(r, status, h, io.NopCloser(bytes.NewReader([]byte(body))), int64(len(body))), nil
	}
}

// RespondStream returns an interceptor that answers with status 200 and a body of unknown length.
func RespondStream(body func() io.Reader) RoundTripFunc {
	return func(_ http.RoundTripper, r *http.Request) (*http.Response, error) {
		return newResponse(r, 200, http.Header{"Content-Type": {"application/json"}}, io.NopCloser(body()), -1), nil
	}
}

// ApplyThen returns an interceptor that passes a request on, drops the response and then runs fault: the change is
// applied, but seems to have failed.
func ApplyThen(fault RoundTripFunc) RoundTripFunc {
	return func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		res, err := next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		return fault(next, r)
	}
}

// ErrCut is the error at the end of an interrupted body.
var ErrCut = errors.New("read: connection reset by peer")

// CutBody returns an interceptor that interrupts the response body after at bytes; a negative value counts from the
// end.
func CutBody(at int) RoundTripFunc {
	return cutBodyAt(func(size int) int {
		if at < 0 {
			return max(0, size+at)
		}
		return min(at, size)
	})
}

// CutBodyHalfway returns an interceptor that interrupts the response body in the middle.
func CutBodyHalfway() RoundTripFunc { return cutBodyAt(func(size int) int { return size / 2 }) }

func cutBodyAt(where func(size int) int) RoundTripFunc {
	return func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		res, err := next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			return nil, err
		}
		rest := io.MultiReader(bytes.NewReader(body[:where(len(body))]), brokenReader{})
		return newResponse(r, res.StatusCode, res.Header, io.NopCloser(rest), int64(len(body))), nil
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, ErrCut }

func newResponse(r *http.Request, status int, h http.Header, body io.ReadCloser, length int64) *http.Response {
	return &http.Response{
		Status:        strconv.Itoa(status) + " " + http.StatusText(status),
		StatusCode:    status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        h,
		Body:          body,
		ContentLength: length,
		Request:       r,
	}
}
