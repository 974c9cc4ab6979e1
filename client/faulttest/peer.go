package faulttest

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// A ConnHandler is the server's side of a connection. The connection is closed when it returns.
type ConnHandler func(net.Conn)

// Listen listens on a loopback address. The n-th peer serves the n-th connection, and the last one serves all that
// follow.
func Listen(t testing.TB, peers ...ConnHandler) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go accept(l, peers)
	return l.Addr().String()
}

func accept(l net.Listener, peers []ConnHandler) {
	for n := 0; ; n++ {
		c, err := l.Accept()
		if err != nil {
			return
		}
		peer := peers[min(n, len(peers)-1)]
		go func() {
			defer c.Close()
			peer(c)
		}()
	}
}

// PipeDialer returns a dial function whose connections are in memory, so that they work in a synctest bubble. They are
// closed at the end of the test.
func PipeDialer(t testing.TB, peers ...ConnHandler) func(context.Context, string, string) (net.Conn, error) {
	var open []net.Conn
	var running sync.WaitGroup
	t.Cleanup(func() {
		for _, c := range open {
			c.Close()
		}
		running.Wait()
	})
	return func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		peer := peers[min(len(open), len(peers)-1)]
		open = append(open, theirs)
		running.Go(func() {
			defer theirs.Close()
			peer(theirs)
		})
		return ours, nil
	}
}

// RespondRaw reads one request, answers with raw bytes, and then runs next.
func RespondRaw(text string, next ...ConnHandler) ConnHandler {
	return func(c net.Conn) {
		if !ReadRequest(c) {
			return
		}
		_, _ = c.Write([]byte(text))
		for _, p := range next {
			p(c)
		}
	}
}

// ReadRequest reads one request and reports whether that succeeded.
func ReadRequest(c net.Conn) bool {
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return false
	}
	_ = r.Body.Close()
	return true
}

// SendSlowly sends one byte at a time, with a pause before each.
func SendSlowly(text string, every time.Duration) ConnHandler {
	return func(c net.Conn) {
		for i := range len(text) {
			time.Sleep(every)
			if _, err := c.Write([]byte{text[i]}); err != nil {
				return
			}
		}
	}
}

// NeverRespond reads and sends nothing until the client closes the connection.
func NeverRespond(c net.Conn) {
	buffer := make([]byte, 4096)
	for {
		if _, err := c.Read(buffer); err != nil {
			return
		}
	}
}
