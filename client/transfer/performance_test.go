package transfer

import (
	"context"
	"fmt"
	"math"
	"net"
	"os"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/emulator"
)

// A limitedListener accepts connections that each send a number of bytes per second.
type limitedListener struct {
	net.Listener
	rate float64 // 0 is no limit
}

type limitedConn struct {
	net.Conn
	rate float64
	free time.Time // when the next bytes may be sent
}

func (l limitedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil || l.rate == 0 {
		return c, err
	}
	return &limitedConn{Conn: c, rate: l.rate}, nil
}

func (c *limitedConn) Write(data []byte) (int, error) {
	for at := 0; at < len(data); {
		time.Sleep(time.Until(c.free))
		n, err := c.Conn.Write(data[at:min(len(data), at+64<<10)])
		if at += n; err != nil {
			return at, err
		}
		if now := time.Now(); c.free.Before(now.Add(-10 * time.Millisecond)) {
			c.free = now
		}
		c.free = c.free.Add(time.Duration(float64(n) / c.rate * float64(time.Second)))
	}
	return len(data), nil
}

// TestPerformance_ranges prints how long an object takes over one connection and over several, from a storage that
// limits the rate of each connection and answers late.
func TestPerformance_ranges(t *testing.T) {
	if os.Getenv("LOOKOUT_PERFORMANCE") == "" {
		t.Skip("measures only if LOOKOUT_PERFORMANCE is set, as .ci/performance does")
	}
	fmt.Println("| 256 MiB over loopback | over one connection, s | over up to four, s | |")
	fmt.Println("|---|---|---|---|")
	for _, c := range []struct {
		name  string
		rate  float64
		delay time.Duration
	}{
		{"20 MB/s for each connection, 20 ms", 20e6, 20 * time.Millisecond},
		{"20 MB/s for each connection, 150 ms", 20e6, 150 * time.Millisecond},
		{"no limit, no delay", 0, 0},
	} {
		one := timeDownload(t, c.rate, c.delay, math.MaxInt64)
		four := timeDownload(t, c.rate, c.delay, defaultParallelFrom)
		fmt.Printf("| %s | %.2f | %.2f | %.1f × |\n", c.name, one.Seconds(), four.Seconds(), float64(one)/float64(four))
	}
}

// timeDownload returns how long a download takes that is split from a size on.
func timeDownload(t *testing.T, rate float64, delay time.Duration, from int64) time.Duration {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + l.Addr().String()
	e := emulator.New(emulator.Options{Token: token, Seed: "large", BaseURL: base})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = emulator.Serve(ctx, limitedListener{l, rate}, e) }()
	e.InjectFault("object get", emulator.Fault{Delay: delay})
	c, err := client.New(base+"/v4", client.NewSecret(token))
	if err != nil {
		t.Fatal(err)
	}
	emulator.StoreObject(e, "us-east-1", "million", "large", string(testBytes(256<<20)))
	o, there, err := c.Objects.Find(ctx, "us-east-1", "million", "large")
	if err != nil || !there {
		t.Fatal(there, err)
	}
	m := New(ctx, c)
	m.parallel.from = from
	r := &rig{T: t, m: m, dir: t.TempDir()}
	begin := time.Now()
	id, err := m.Download(DownloadRequest{Cluster: "us-east-1", Bucket: "million", Object: o, Folder: r.dir})
	if err != nil {
		t.Fatal(err)
	}
	if row := r.waitEnded(id); row.State != Done {
		t.Fatal(row.Err)
	}
	return time.Since(begin)
}
