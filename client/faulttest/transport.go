// Package faulttest makes things go wrong on purpose: on the wire (Wire), beneath it (Listen, Pipe), on the disk
// (Disk), on the clock (Clock). Its cases report themselves to docs/reliability.md (Row). Only tests import it.
package faulttest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// A Interceptor is what becomes of one request. It may pass the request on, and need not give its answer.
type Interceptor func(next http.RoundTripper, r *http.Request) (*http.Response, error)

// A Transport is a transport with a script: the first request meets the first fault, and so on; the last fault meets
// all that follow.
type Transport struct {
	Next         http.RoundTripper
	Interceptors []Interceptor

	mu       sync.Mutex
	requests []RecordedRequest
}

// RecordedRequest is a request that came to a Wire.
type RecordedRequest struct {
	Method, Host, Path, Query string
	Header                    http.Header
	Body                      []byte
}

// NewTransport scripts faults before a transport, which may be nil where no fault passes anything on.
func NewTransport(next http.RoundTripper, faults ...Interceptor) *Transport {
	return &Transport{Next: next, Interceptors: faults}
}

// RoundTrip gives a request to its fault.
func (w *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
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

// Requests are the requests so far.
func (w *Transport) Requests() []RecordedRequest {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]RecordedRequest(nil), w.requests...)
}

// Pass lets a request through.
func Pass(next http.RoundTripper, r *http.Request) (*http.Response, error) { return next.RoundTrip(r) }

// Fail gives an error and passes nothing on.
func Fail(err error) Interceptor {
	return func(http.RoundTripper, *http.Request) (*http.Response, error) { return nil, err }
}

// Hang answers nothing until the request is given up.
func Hang(_ http.RoundTripper, r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// Respond answers by itself. Headers come in pairs; without a Content-Type it is JSON.
func Respond(status int, body string, headers ...string) Interceptor {
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

// RespondStream answers 200 with a body of any length.
func RespondStream(body func() io.Reader) Interceptor {
	return func(_ http.RoundTripper, r *http.Request) (*http.Response, error) {
		return newResponse(r, 200, http.Header{"Content-Type": {"application/json"}}, io.NopCloser(body()), -1), nil
	}
}

// ApplyThen passes a request on, throws its answer away and does what fault does: the change is applied, and looks
// failed.
func ApplyThen(fault Interceptor) Interceptor {
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

// ErrCut ends a body that was cut.
var ErrCut = errors.New("read: connection reset by peer")

// CutBody gives the real answer and cuts its body after so many bytes; below nothing it counts from the end.
func CutBody(at int) Interceptor {
	return cutBodyAt(func(size int) int {
		if at < 0 {
			return max(0, size+at)
		}
		return min(at, size)
	})
}

// CutBodyHalfway cuts the real answer in its middle.
func CutBodyHalfway() Interceptor { return cutBodyAt(func(size int) int { return size / 2 }) }

func cutBodyAt(where func(size int) int) Interceptor {
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
