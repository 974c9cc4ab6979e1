package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

var errUnsolicited = errors.New("the server sent more than one response to a request")

// A countingConn counts the bytes that it receives.
type countingConn struct {
	net.Conn
	received atomic.Int64
}

// Read implements net.Conn.
func (c *countingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.received.Add(int64(n))
	return n, err
}

// dialCounting returns a dial function whose connections are countingConns.
func dialCounting(
	dial func(ctx context.Context, network, address string) (net.Conn, error),
) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &countingConn{Conn: conn}, nil
	}
}

// countingConnOf returns the countingConn below a connection, nil if there is none.
func countingConnOf(conn net.Conn) *countingConn {
	for {
		switch c := conn.(type) {
		case *countingConn:
			return c
		case interface{ NetConn() net.Conn }: // TLS
			conn = c.NetConn()
		default:
			return nil
		}
	}
}

// An unsolicitedGuard rejects an answer that had arrived before its request was sent: bytes that a server sent after
// the end of an earlier answer. net/http closes a connection with such bytes, unless the next request is quicker.
type unsolicitedGuard struct{ next *http.Transport }

// RoundTrip returns errUnsolicited and closes the connection instead of returning an answer that had arrived before its
// request.
func (t unsolicitedGuard) RoundTrip(req *http.Request) (*http.Response, error) {
	type position struct {
		conn     *countingConn
		received int64
	}
	var requestAt atomic.Pointer[position]
	var unsolicited atomic.Bool
	trace := &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			unsolicited.Store(false) // net/http sends a request again if a connection turns out to be closed
			if conn := countingConnOf(info.Conn); conn != nil {
				requestAt.Store(&position{conn, conn.received.Load()})
			}
		},
		GotFirstResponseByte: func() {
			if at := requestAt.Load(); at != nil {
				unsolicited.Store(at.conn.received.Load() == at.received)
			}
		},
	}
	res, err := t.next.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err == nil && unsolicited.Load() {
		_ = requestAt.Load().conn.Close()
		_ = res.Body.Close()
		return nil, errUnsolicited
	}
	return res, err
}
