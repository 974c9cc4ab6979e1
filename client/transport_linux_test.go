package client

import (
	"context"
	"net"
	"strconv"
	"syscall"
	"testing"
	"time"

	"lookout/client/faulttest"
)

// blackHoleAddress is an address of this machine at which nobody answers: its queue is full.
func blackHoleAddress(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(name.(*syscall.SockaddrInet4).Port))
	for range 8 {
		c, err := net.DialTimeout("tcp", address, 100*time.Millisecond)
		if err != nil {
			return address
		}
		t.Cleanup(func() { c.Close() })
	}
	t.Skip("this kernel accepts every connection")
	return ""
}

// The kernel's clock decides here, so the test takes as long as the timeout.
func TestNewHTTPTransport_dialTimeout(t *testing.T) {
	faulttest.SkipUnlessLong(t)
	t.Parallel()
	faulttest.RunCase(t, "A3", "full queue", func(t *testing.T) {
		start := time.Now()
		_, err := newHTTPTransport().DialContext(context.Background(), "tcp", blackHoleAddress(t))
		if err == nil || time.Since(start) > 6*time.Second+time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}
