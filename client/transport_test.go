package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client/certtest"
	"lookout/client/faulttest"
)

// newNetworkClient is a client whose transport is the real one, on a dialer of the test's.
func newNetworkClient(
	t *testing.T, base string, roots *x509.CertPool, dial func(context.Context, string, string) (net.Conn, error),
	options ...Option,
) *Client {
	t.Helper()
	real := newHTTPTransport()
	real.ResponseHeaderTimeout = 0
	real.Proxy = nil
	real.TLSClientConfig = &tls.Config{RootCAs: roots}
	if dial != nil {
		real.DialContext = dial
	}
	t.Cleanup(real.CloseIdleConnections)
	c, err := New(
		base,
		NewSecret("canary-token-2b8467ad1c3e59b0264f8d7e1a3c5b9f20846e7d0f3a9c71e5d"),
		append([]Option{WithTransport(real)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const okResponse = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 44\r\n\r\n" + `{"data":[],` +
	`"page":1,"pages":1,"results":0  }`

// serveOK answers every request on a connection well.
func serveOK(c net.Conn) {
	for faulttest.ReadRequest(c) {
		if _, err := c.Write([]byte(okResponse)); err != nil {
			return
		}
	}
}

func TestTransport_dialFailure(t *testing.T) {
	faulttest.RunCaseInBubble(t, "A3", "a change into a black hole is not sent", func(t *testing.T) {
		hole := func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		c := newNetworkClient(t, "http://127.0.0.1:1/v4", nil, hole)
		_, err := Confirmed(c, OpDisableService, 1).DisableService(t.Context(), 1)
		var e *Error
		if !errors.As(err, &e) || e.Outcome != NotSent {
			t.Errorf("%v", err)
		}
	})
	faulttest.RunCaseInBubble(t, "A3", "a read after one that was refused", func(t *testing.T) {
		n := 0
		pipe := faulttest.PipeDialer(t, serveOK)
		dial := func(ctx context.Context, network, address string) (net.Conn, error) {
			if n++; n == 1 {
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("i/o timeout")}
			}
			return pipe(ctx, network, address)
		}
		if _, err := newNetworkClient(t, "http://127.0.0.1:1/v4", nil, dial).Services.List(t.Context(), 1); err != nil {
			t.Error(err)
		}
	})
}

// A connection of the pool that is dead costs one attempt's patience, not the kernel's.
func TestTransport_deadPooledConnection(t *testing.T) {
	t.Parallel()
	answerOnce := func(c net.Conn) {
		if faulttest.ReadRequest(c) {
			_, _ = c.Write([]byte(okResponse))
			faulttest.NeverRespond(c)
		}
	}
	for n := range 10 {
		faulttest.RunCaseInBubble(t, "A4", fmt.Sprintf("HTTP/1.1, after %d requests", n+1), func(t *testing.T) {
			c := newNetworkClient(t, "http://127.0.0.1:1/v4", nil, faulttest.PipeDialer(t, answerOnce, serveOK))
			if _, err := c.Services.List(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(n) * time.Second)
			start := time.Now()
			if _, err := c.Services.List(t.Context(), 1); err != nil || time.Since(start) > 15*time.Second {
				t.Errorf("%v after %v", err, time.Since(start))
			}
		})
	}
	faulttest.RunCaseInBubble(t, "A4", "HTTP/2", func(t *testing.T) {
		config, roots := newTestCA(t, time.Now().Add(-time.Hour), time.Now().Add(time.Hour), "api.example.test")
		var dialled atomic.Int32
		peer := func(c net.Conn) {
			dialled.Add(1)
			faulttest.HTTP2Peer(config, func(h *faulttest.HTTP2Conn, stream uint32) {
				if stream > 1 && dialled.Load() == 1 {
					h.StopResponding()
					return
				}
				h.Respond(stream, `{"data":[],"page":1,"pages":1,"results":0}`)
			})(c)
		}
		c := newNetworkClient(t, "https://api.example.test/v4", roots, faulttest.PipeDialer(t, peer))
		if _, err := c.Services.List(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err := c.Services.List(t.Context(), 1); err != nil || time.Since(start) > 15*time.Second ||
			dialled.Load() < 2 {
			t.Errorf("%v after %v on %d connections", err, time.Since(start), dialled.Load())
		}
	})
}

// newTestCA is a server's configuration with a certificate for a name, and who vouches for it.
func newTestCA(t *testing.T, from, until time.Time, name string) (*tls.Config, *x509.CertPool) {
	t.Helper()
	template := x509.Certificate{DNSNames: []string{name}, NotBefore: from, NotAfter: until}
	pair := certtest.Sign(template, nil, certtest.Pair{})
	roots := x509.NewCertPool()
	roots.AddCert(pair.Leaf)
	return &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{pair.Leaf.Raw}, PrivateKey: pair.Key, Leaf: pair.Leaf}},
	}, roots
}

// A TLS failure is permanent: the error names it on one line, a read is not repeated, and a change was not sent.
func TestTransport_tlsErrors(t *testing.T) {
	t.Parallel()
	now, day := time.Now(), 24*time.Hour
	const name = "api.example.test"
	good, roots := newTestCA(t, now.Add(-day), now.Add(day), name)
	expired, rootsExpired := newTestCA(t, now.Add(-2*day), now.Add(-day), name)
	early, rootsEarly := newTestCA(t, now.Add(day), now.Add(2*day), name)
	other, rootsOther := newTestCA(t, now.Add(-day), now.Add(day), "other.example")
	stranger, _ := newTestCA(t, now.Add(-day), now.Add(day), name)
	lastResponse := strings.Replace(okResponse, "\r\n", "\r\nConnection: close\r\n", 1)
	old := good.Clone()
	old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	speaks := func(config *tls.Config, next faulttest.ConnHandler) faulttest.ConnHandler {
		return func(c net.Conn) { next(tls.Server(c, config)) }
	}
	for _, wrong := range []struct {
		name, words string
		peers       []faulttest.ConnHandler
		roots       *x509.CertPool
		good        int // reads that go well before
	}{
		{"expired", "expired", []faulttest.ConnHandler{speaks(expired, serveOK)}, rootsExpired, 0},
		{"not yet valid", "not valid yet", []faulttest.ConnHandler{speaks(early, serveOK)}, rootsEarly, 0},
		{"wrong name", "another host", []faulttest.ConnHandler{speaks(other, serveOK)}, rootsOther, 0},
		{"unknown authority", "unknown authority", []faulttest.ConnHandler{speaks(stranger, serveOK)}, roots, 0},
		{"old version", "no secure TLS version", []faulttest.ConnHandler{speaks(old, serveOK)}, roots, 0},
		{"no TLS", "does not speak TLS", []faulttest.ConnHandler{func(c net.Conn) {
			_, _ = c.Read(make([]byte, 4096))
			_, _ = c.Write([]byte("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"))
		}}, roots, 0},
		{
			"changed in mid session",
			"unknown authority",
			[]faulttest.ConnHandler{speaks(good, faulttest.RespondRaw(lastResponse)), speaks(stranger, serveOK)},
			roots,
			1,
		},
	} {
		faulttest.RunCase(t, "A5", wrong.name, func(t *testing.T) {
			var connections atomic.Int32
			address := faulttest.Listen(t, wrong.peers...)
			c := newNetworkClient(
				t,
				"https://"+name+"/v4",
				wrong.roots,
				func(ctx context.Context, network, _ string) (net.Conn, error) {
					connections.Add(1)
					return (&net.Dialer{}).DialContext(ctx, network, address)
				},
			)
			for range wrong.good {
				if _, err := c.Services.List(t.Context(), 1); err != nil {
					t.Fatal(err)
				}
			}
			before := connections.Load()
			_, err := c.Services.List(t.Context(), 1)
			if err == nil || !strings.Contains(err.Error(), wrong.words) || connections.Load() != before+1 {
				t.Errorf("%v after %d connections", err, connections.Load()-before)
			}
			_, err = Confirmed(c, OpDisableService, 1).DisableService(t.Context(), 1)
			var e *Error
			if !errors.As(err, &e) || e.Outcome != NotSent {
				t.Errorf("a change: %v", err)
			}
		})
	}
}

// A server that answers a byte at a time, or stops, is given up within the call's timeout. Cancelling takes effect at
// once.
func TestTransport_slowResponses(t *testing.T) {
	t.Parallel()
	slow := map[string]faulttest.ConnHandler{
		"headers by the byte": faulttest.RespondRaw("", faulttest.SendSlowly(okResponse, 5*time.Second)),
		"body by the byte": faulttest.RespondRaw(
			okResponse[:len(okResponse)-44], faulttest.SendSlowly(okResponse[len(okResponse)-44:], 5*time.Second),
		),
		"headers, then none": faulttest.RespondRaw(okResponse[:len(okResponse)-44], faulttest.NeverRespond),
		"nothing":            faulttest.NeverRespond,
	}
	for name, peer := range slow {
		faulttest.RunCaseInBubble(t, "A7", name, func(t *testing.T) {
			start := time.Now()
			_, err := newNetworkClient(
				t, "http://127.0.0.1:1/v4", nil, faulttest.PipeDialer(t, peer),
			).Services.List(t.Context(), 1)
			if err == nil || time.Since(start) > 61*time.Second || !strings.Contains(err.Error(), "not answer in") {
				t.Errorf("%v after %v", err, time.Since(start))
			}
		})
		faulttest.RunCaseInBubble(t, "A7", name+", then well", func(t *testing.T) {
			start := time.Now()
			_, err := newNetworkClient(
				t, "http://127.0.0.1:1/v4", nil, faulttest.PipeDialer(t, peer, serveOK),
			).Services.List(t.Context(), 1)
			moves := name == "body by the byte" // it is read until the call ends
			if took := time.Since(start); (err != nil) != moves || (took > 20*time.Second) != moves {
				t.Errorf("%v after %v", err, took)
			}
		})
		faulttest.RunCaseInBubble(t, "A7", name+", cancelled", func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(7*time.Second, cancel)
			start := time.Now()
			_, err := newNetworkClient(
				t, "http://127.0.0.1:1/v4", nil, faulttest.PipeDialer(t, peer),
			).Services.List(ctx, 1)
			if err == nil || time.Since(start) > 7*time.Second+100*time.Millisecond {
				t.Errorf("%v after %v", err, time.Since(start))
			}
		})
	}
}

// Only a stream that was never worked on is sent again, and by the transport alone.
func TestTransport_http2RefusedStream(t *testing.T) {
	t.Parallel()
	config, roots := newTestCA(t, time.Now().Add(-time.Hour), time.Now().Add(time.Hour), "api.example.test")
	for name, bad := range map[string]struct {
		script  func(c *faulttest.HTTP2Conn, stream uint32) (applied bool)
		unknown bool
	}{
		"refused stream": {
			func(c *faulttest.HTTP2Conn, stream uint32) bool { c.Reset(stream, 7); return false },
			false,
		},
		"goes away without working": {func(c *faulttest.HTTP2Conn, stream uint32) bool {
			c.GoAway(0)
			return false
		}, false},
		"goes away after working": {func(c *faulttest.HTTP2Conn, stream uint32) bool {
			c.GoAway(stream)
			c.Close()
			return true
		}, true},
		"internal error": {func(c *faulttest.HTTP2Conn, stream uint32) bool { c.Reset(stream, 2); return true }, true},
	} {
		faulttest.RunCase(t, "B20", name, func(t *testing.T) {
			var mu sync.Mutex
			came, applied := 0, 0
			address := faulttest.Listen(t, faulttest.HTTP2Peer(config, func(c *faulttest.HTTP2Conn, stream uint32) {
				mu.Lock()
				defer mu.Unlock()
				if came++; came == 1 {
					if bad.script(c, stream) {
						applied++
					}
					return
				}
				applied++
				c.Respond(stream, `{"id":1,"status":"disabled"}`)
			}))
			c := newNetworkClient(
				t,
				"https://api.example.test/v4",
				roots,
				func(ctx context.Context, network, _ string) (net.Conn, error) {
					return (&net.Dialer{}).DialContext(ctx, network, address)
				},
			)
			_, err := Confirmed(c, OpDisableService, 1).DisableService(t.Context(), 1)
			var e *Error
			if unknown := errors.As(err, &e) && e.Unknown(); unknown != bad.unknown || !unknown && err != nil {
				t.Errorf("%v (%v)", err, errors.Unwrap(err))
			}
			mu.Lock()
			defer mu.Unlock()
			if applied != 1 {
				t.Errorf("applied %d times in %d requests", applied, came)
			}
		})
	}
}

// A change whose body has been sent is not sent again, even if the server says that it did not work on it.
func TestTransport_http2RefusedBody(t *testing.T) {
	t.Parallel()
	config, roots := newTestCA(t, time.Now().Add(-time.Hour), time.Now().Add(time.Hour), "api.example.test")
	var came atomic.Int32
	address := faulttest.Listen(t, faulttest.HTTP2Peer(config, func(c *faulttest.HTTP2Conn, stream uint32) {
		came.Add(1)
		c.Reset(stream, 7)
	}))
	c := newNetworkClient(
		t,
		"https://api.example.test/v4",
		roots,
		func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		},
	)
	_, err := Confirmed(c, OpCreateContact, 0).CreateContact(t.Context(), ContactRequest{Name: "n", Email: "e@x.test"})
	if err == nil || came.Load() != 1 {
		t.Errorf("%v after %d requests", err, came.Load())
	}
}

// The bounds of every step of a connection to a real server.
func TestNewHTTPTransport_limits(t *testing.T) {
	real := newHTTPTransport()
	if real.TLSHandshakeTimeout <= 0 || real.MaxResponseHeaderBytes > 1<<20 ||
		real.HTTP2.SendPingTimeout+real.HTTP2.PingTimeout > 15*time.Second ||
		real.TLSClientConfig != nil {
		t.Errorf("%+v", real)
	}
	if _, plain := http.DefaultTransport.(*http.Transport); !plain {
		t.Error("the default transport was replaced")
	}
}

// A change whose context ends before it begins is not sent, and the journal does not say that it may have been.
func TestTransport_write_canceledBeforeSend(t *testing.T) {
	var hits atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method != http.MethodGet {
			hits.Add(1)
		}
		fmt.Fprint(w, `{"id":1,"label":"a"}`)
	}))
	defer server.Close()
	faulttest.RunCase(t, "B1", "cancelled before", func(t *testing.T) {
		var notes countingRecorder
		c, err := New(server.URL+"/v4", NewSecret("t"), WithRecorder(&notes))
		if err != nil {
			t.Fatal(err)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		for range 40 {
			if _, err := c.Services.Get(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			var e *Error
			if err := Confirmed(c, OpDeleteService, 1).DeleteService(ended, 1); !errors.As(err, &e) ||
				e.Outcome != NotSent ||
				!errors.Is(err, context.Canceled) {
				t.Fatalf("%v", err)
			}
		}
		if hits.Load() != 0 || notes != 0 {
			t.Errorf("%d sent, %d in the journal", hits.Load(), notes)
		}
	})
	faulttest.RunCase(t, "B1", "cancelled at the last moment", func(t *testing.T) {
		c, err := New(server.URL+"/v4", NewSecret("t"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Services.Get(t.Context(), 1); err != nil { // a connection lies ready
			t.Fatal(err)
		}
		ending := &expiringContext{Context: t.Context()}
		ending.remaining.Store(2) // those of the places in flight and of the way out
		req, err := http.NewRequestWithContext(ending, http.MethodDelete, server.URL+"/v4/managed/services/1", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.transport.write(req); !errors.Is(err, errNotSent) || ending.remaining.Load() > 0 ||
			hits.Load() != 0 {
			t.Errorf("%v, %d sent", err, hits.Load())
		}
	})
}

// countingRecorder is a recorder that counts the changes.
type countingRecorder int

func (c *countingRecorder) RecordIntent(context.Context, Change) (string, error) {
	*c++
	return "", nil
}

func (c *countingRecorder) RecordOutcome(string, Outcome, error) {}

// expiringContext is a context that ends after a number of calls of Err.
type expiringContext struct {
	context.Context
	remaining atomic.Int32
}

func (e *expiringContext) Err() error {
	if e.remaining.Add(-1) >= 0 {
		return nil
	}
	return context.Canceled
}

func (e *expiringContext) Done() <-chan struct{} {
	if e.remaining.Load() > 0 {
		return nil
	}
	done := make(chan struct{})
	close(done)
	return done
}

// If the storage refuses an upload while it reads the body, the body is not sent again.
func TestObjects_Put_rejectedMidBody(t *testing.T) {
	t.Parallel()
	var puts atomic.Int32
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodPut {
			puts.Add(1)
			_, _ = io.ReadFull(req.Body, make([]byte, 1))
			w.WriteHeader(http.StatusForbidden)
			return
		}
		fmt.Fprintf(w, `{"url":"%s/b/o?Signature=x"}`, server.URL)
	}))
	defer server.Close()
	c, err := New(server.URL+"/v4", NewSecret("t"))
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		puts.Store(0)
		body := UploadBody{
			Reader:      strings.NewReader(strings.Repeat("x", 3<<20)),
			Size:        3 << 20,
			ContentType: "text/plain",
		}
		w := Confirmed(c, OpUploadObject, "us-east-1", "b", "o")
		object := ObjectRef{Cluster: "us-east-1", Bucket: "b", Name: "o"}
		if err := w.UploadObject(t.Context(), object, body); err == nil ||
			puts.Load() != 1 {
			t.Errorf("%v, %d sent", err, puts.Load())
		}
	}
}

// A read that waits for others to end is not sent during a pause that the API asks for meanwhile.
func TestTransport_pauseWhileWaitingForSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent atomic.Int32
		api := func(_ http.RoundTripper, req *http.Request) (*http.Response, error) {
			n := sent.Add(1)
			time.Sleep(time.Duration(n) * 100 * time.Millisecond)
			if n > 1 {
				return faulttest.Respond(http.StatusOK, `{"data":[],"page":1,"pages":1,"results":0}`)(nil, req)
			}
			res, err := faulttest.Respond(http.StatusTooManyRequests, `{"errors":[{"reason":"slow"}]}`)(nil, req)
			res.Header.Set("Retry-After", "30")
			return res, err
		}
		c, err := New("https://x.test/v4", NewSecret("t"), WithTransport(faulttest.NewTransport(nil, api)))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 * maxReadsInFlight {
			go func() {
				if _, err := c.Contacts.List(t.Context(), 1); err != nil {
					t.Error(err)
				}
			}()
		}
		time.Sleep(29 * time.Second)
		if n := sent.Load(); n != maxReadsInFlight {
			t.Errorf("%d reads were sent before the pause was over", n)
		}
		time.Sleep(10 * time.Second)
		if n := sent.Load(); n != 2*maxReadsInFlight+1 {
			t.Errorf("%d reads were sent after it", n)
		}
	})
}

// A read that waits for others to end fails at once when the API asks for a pause that it cannot outlast.
func TestTransport_longPauseWhileWaitingForSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var asked atomic.Int32
		now := func() time.Time {
			if asked.Add(1) == 10_000 {
				cancel() // or it would try for ever
			}
			return time.Now()
		}
		refusal := faulttest.Respond(429, `{"errors":[{"reason":"slow"}]}`, "Retry-After", "60")
		api := func(_ http.RoundTripper, req *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return refusal(nil, req)
		}
		transport := faulttest.NewTransport(nil, api)
		c, err := New("https://x.test/v4", NewSecret("t"), WithTransport(transport), WithNow(now))
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for range 2 * maxReadsInFlight {
			go func() {
				_, err := c.Contacts.List(ctx, 1)
				var failure *Error
				if !errors.As(err, &failure) || failure.Status != 429 || failure.RetryAfter != time.Minute ||
					time.Since(began) > 2*time.Second {
					t.Errorf("after %v: %v", time.Since(began), err)
				}
			}()
		}
		time.Sleep(time.Minute)
		if n := len(transport.Requests()); n != maxReadsInFlight {
			t.Errorf("%d requests", n)
		}
	})
}

// Services and issues are read even while all slots for other reads are taken.
func TestTransport_servicesAndIssuesBeforeAllElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var waiting atomic.Int32
		hang := faulttest.NewTransport(nil, func(_ http.RoundTripper, req *http.Request) (*http.Response, error) {
			if !strings.HasSuffix(req.URL.Path, "/managed/contacts") {
				return faulttest.Respond(http.StatusOK, `{"data":[],"page":1,"pages":1,"results":0}`)(nil, req)
			}
			waiting.Add(1)
			return faulttest.Hang(nil, req)
		})
		c, err := New("https://api.example.test/v4", NewSecret("t"), WithTransport(hang))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for range 2 * maxReadsInFlight {
			go func() { _, _ = c.Contacts.List(ctx, 1) }()
		}
		synctest.Wait()
		if n := waiting.Load(); n != maxReadsInFlight {
			t.Errorf("%d reads in flight", n)
		}
		if _, err := c.Services.List(ctx, 1); err != nil {
			t.Error(err)
		}
		if _, err := c.Issues.List(ctx, 1); err != nil {
			t.Error(err)
		}
	})
}
