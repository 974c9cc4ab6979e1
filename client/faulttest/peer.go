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

// A Peer is what the other end of a connection does. The connection is closed after it.
type Peer func(net.Conn)

// Listen serves the n-th connection with the n-th peer, and all that follow with the last. It is this machine's own
// address.
func Listen(t testing.TB, peers ...Peer) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go accept(l, peers)
	return l.Addr().String()
}

func accept(l net.Listener, peers []Peer) {
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

// PipeDialer is a dialer whose connections are in memory, so that they live on the clock of a synctest bubble. They end
// with the test.
func PipeDialer(t testing.TB, peers ...Peer) func(context.Context, string, string) (net.Conn, error) {
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

// RespondRaw takes one request and answers it with raw bytes, then whatever comes next.
func RespondRaw(text string, next ...Peer) Peer {
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

// ReadRequest reads one request and reports whether there was one.
func ReadRequest(c net.Conn) bool {
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return false
	}
	_ = r.Body.Close()
	return true
}

// Reset tears a connection down with RST, where it is one of TCP.
func Reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	c.Close()
}

// SendSlowly sends a byte at a time.
func SendSlowly(text string, every time.Duration) Peer {
	return func(c net.Conn) {
		for i := range len(text) {
			time.Sleep(every)
			if _, err := c.Write([]byte{text[i]}); err != nil {
				return
			}
		}
	}
}

// NeverRespond reads and says nothing until the other side goes.
func NeverRespond(c net.Conn) {
	buffer := make([]byte, 4096)
	for {
		if _, err := c.Read(buffer); err != nil {
			return
		}
	}
}
