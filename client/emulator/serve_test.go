package emulator

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client/faulttest"
)

// serveLocal returns an emulator and the loopback address it listens on.
func serveLocal(t *testing.T) (address string, e *Emulator) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e = New(Options{Token: "t"})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, l, e) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
			c.Close()
			t.Error("it listens after its end")
		}
	})
	return l.Addr().String(), e
}

// sendRaw sends raw bytes and reads a response.
func sendRaw(t *testing.T, address, text string) (*http.Response, error) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	_, _ = io.WriteString(c, text)
	return http.ReadResponse(bufio.NewReader(c), nil)
}

// Only local programs with the token get an answer, and no response allows a browser to read it.
func TestServe_rejectsUnauthorized(t *testing.T) {
	address, e := serveLocal(t)
	const token = "Authorization: Bearer t\r\n"
	for name, c := range map[string]struct {
		head string
		want int
	}{
		"a program with the token":  {"Host: " + address + "\r\n" + token, 200},
		"no token":                  {"Host: " + address + "\r\n", 401},
		"another token":             {"Host: " + address + "\r\nAuthorization: Bearer x\r\n", 401},
		"no scheme":                 {"Host: " + address + "\r\nAuthorization: t\r\n", 401},
		"rebound name":              {"Host: evil.example\r\n" + token, 403},
		"rebound name and port":     {"Host: evil.example:80\r\n" + token, 403},
		"a name that begins well":   {"Host: 127.0.0.1.evil.example\r\n" + token, 403},
		"another machine's address": {"Host: 192.0.2.1\r\n" + token, 403},
		"every address":             {"Host: 0.0.0.0\r\n" + token, 403},
		"a page":                    {"Host: " + address + "\r\nOrigin: https://evil.example\r\n" + token, 403},
		"a page of nowhere":         {"Host: " + address + "\r\nOrigin: null\r\n" + token, 403},
	} {
		faulttest.RunCase(t, "H3", name, func(t *testing.T) {
			for _, method := range []string{"GET", "OPTIONS"} {
				res, err := sendRaw(t, address, method+" /v4/managed/services HTTP/1.1\r\n"+c.head+"\r\n")
				if err != nil {
					t.Fatal(err)
				}
				if method == "GET" && res.StatusCode != c.want || c.want != 200 && res.StatusCode < 400 {
					t.Errorf("%s: %d", method, res.StatusCode)
				}
				for name := range res.Header {
					if strings.HasPrefix(name, "Access-Control-") {
						t.Errorf("%s: %s", name, res.Header.Get(name))
					}
				}
			}
		})
	}
	if n := len(e.Ledger()); n != 0 {
		t.Errorf("%d changes", n)
	}
}

// A page far beyond the end is empty.
func TestPaginate_farPage(t *testing.T) {
	address, _ := serveLocal(t)
	res, err := sendRaw(t, address, "GET /v4/managed/services?page="+strconv.Itoa(math.MaxInt)+"&page_size=500 "+
		"HTTP/1.1\r\nHost: "+address+"\r\nAuthorization: Bearer t\r\n\r\n")
	if err != nil || res.StatusCode != 200 {
		t.Errorf("%+v, %v", res, err)
	}
}

// The emulator rejects oversized and malformed requests and keeps running.
func TestServe_survivesOddRequests(t *testing.T) {
	address, e := serveLocal(t)
	head := "Host: " + address + "\r\nAuthorization: Bearer t\r\n"
	long := func(n int) string { return strings.Repeat("a", n) }
	for name, text := range map[string]string{
		"a long body": "POST /v4/managed/contacts HTTP/1.1\r\n" + head + "Content-Type: application/json\r\n" +
			"Content-Length: 8000000\r\n\r\n{\"name\":\"" + long(8_000_000-12) + "\"}",
		"long headers":             "GET /v4/managed/contacts HTTP/1.1\r\n" + head + "X: " + long(1<<20) + "\r\n\r\n",
		"a long path":              "GET /v4/managed/contacts/" + long(10_000) + " HTTP/1.1\r\n" + head + "\r\n",
		"dots":                     "GET /v4/managed/../managed/services HTTP/1.1\r\n" + head + "\r\n",
		"escaped dots":             "GET /v4/managed/%2e%2e/managed/services HTTP/1.1\r\n" + head + "\r\n",
		"slashes":                  "GET //v4//managed//services HTTP/1.1\r\n" + head + "\r\n",
		"a NUL":                    "GET /v4/managed/services/%00 HTTP/1.1\r\n" + head + "\r\n",
		"a number that is too big": "GET /v4/managed/services/99999999999999999999 HTTP/1.1\r\n" + head + "\r\n",
		"a method":                 "BREW /v4/managed/services HTTP/1.1\r\n" + head + "\r\n",
		"a negative page":          "GET /v4/managed/services?page=-1&page_size=-5 HTTP/1.1\r\n" + head + "\r\n",
		"no JSON":                  "POST /v4/managed/contacts HTTP/1.1\r\n" + head + "Content-Length: 3\r\n\r\n{x}",
		"deep JSON": "POST /v4/managed/contacts HTTP/1.1\r\n" + head + "Content-Length: 200000\r\n" +
			"\r\n" + strings.Repeat("[", 200_000),
		"no HTTP": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
	} {
		faulttest.RunCase(t, "H4", name, func(t *testing.T) {
			if res, err := sendRaw(t, address, text); err == nil &&
				(res.StatusCode >= 500 && res.StatusCode != 501 || res.StatusCode == 200) {
				t.Errorf("%d", res.StatusCode)
			}
			res, err := sendRaw(t, address, "GET /v4/managed/services HTTP/1.1\r\n"+head+"\r\n")
			if err != nil || res.StatusCode != 200 || len(e.Ledger()) != 0 {
				t.Errorf("afterwards: %+v, %v, %d changes", res, err, len(e.Ledger()))
			}
		})
	}
	faulttest.RunCase(t, "H4", "300 silent connections", func(t *testing.T) {
		for range 300 {
			c, err := net.Dial("tcp", address)
			if err != nil {
				t.Skip(fmt.Sprint("this machine does not allow more connections: ", err))
			}
			defer c.Close()
		}
		if res, err := sendRaw(t, address, "GET /v4/managed/services HTTP/1.1\r\n"+head+"\r\n"); err != nil ||
			res.StatusCode != 200 {
			t.Errorf("%+v, %v", res, err)
		}
	})
}

// pipeListener is a listener with in-memory connections, which work in a synctest bubble.
type pipeListener struct{ conns chan net.Conn }

func (p pipeListener) Accept() (net.Conn, error) {
	c, open := <-p.conns
	if !open {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p pipeListener) Close() error   { return nil }
func (p pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func TestServe_closesSlowHeaders(t *testing.T) {
	faulttest.RunCase(t, "H4", "a header sent byte by byte", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			l := pipeListener{make(chan net.Conn, 1)}
			done := make(chan struct{})
			go func() {
				defer close(done)
				_ = Serve(ctx, l, New(Options{Token: "t", Seed: "empty"}))
			}()
			ours, theirs := net.Pipe()
			l.conns <- theirs
			go func() { _, _ = io.Copy(io.Discard, ours) }()
			start := time.Now()
			for range 100 {
				if _, err := ours.Write([]byte("G")); err != nil {
					break
				}
				time.Sleep(time.Second)
			}
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("it was borne for %v", took)
			}
			ours.Close()
			cancel()
			close(l.conns)
			<-done
		})
	})
}
