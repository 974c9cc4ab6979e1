package emulator

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// errReset means that the server closed the connection.
var errReset = errors.New("connection reset by peer")

// RoundTrip answers a request in memory, so an Emulator is an http.RoundTripper.
func (e *Emulator) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	in := req.Clone(req.Context())
	if in.Body == nil {
		in.Body = http.NoBody
	}
	in.RequestURI = in.URL.RequestURI()
	in.Host = in.URL.Host
	pipe, body := io.Pipe()
	rec := &pipeResponse{header: http.Header{}, body: body, ready: make(chan struct{})}
	go func() {
		defer in.Body.Close()
		defer rec.finish()
		e.ServeHTTP(rec, in)
	}()
	select {
	case <-rec.ready:
	case <-req.Context().Done():
		pipe.CloseWithError(req.Context().Err())
		return nil, req.Context().Err()
	}
	if rec.status == 0 {
		return nil, errReset
	}
	length := int64(-1)
	if n, err := strconv.ParseInt(rec.header.Get("Content-Length"), 10, 64); err == nil {
		length = n
	}
	return &http.Response{
		Status:        strconv.Itoa(rec.status) + " " + http.StatusText(rec.status),
		StatusCode:    rec.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        rec.header,
		Body:          pipe,
		ContentLength: length,
		Request:       req,
	}, nil
}

// pipeResponse is a response that the client reads while the handler writes it.
type pipeResponse struct {
	header http.Header
	body   *io.PipeWriter
	status int
	once   sync.Once
	ready  chan struct{}
}

// Header returns the headers to send.
func (r *pipeResponse) Header() http.Header {
	if r.status != 0 {
		return http.Header{}
	}
	return r.header
}

// WriteHeader sends the status and the headers.
func (r *pipeResponse) WriteHeader(status int) {
	r.once.Do(func() {
		r.status = status
		close(r.ready)
	})
}

// Write sends part of the body.
func (r *pipeResponse) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(p)
}

// finish ends the response. If the handler has panicked, the client sees a lost connection.
func (r *pipeResponse) finish() {
	if failure := recover(); failure != nil {
		r.body.CloseWithError(io.ErrUnexpectedEOF)
		r.once.Do(func() { close(r.ready) })
		if failure != http.ErrAbortHandler {
			panic(failure)
		}
		return
	}
	r.WriteHeader(http.StatusOK)
	r.body.Close()
}
