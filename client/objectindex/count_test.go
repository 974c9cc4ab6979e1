package objectindex

import (
	"context"
	"net/http"
	"os"
	"testing"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/faulttest"
)

// newClient returns a client of a transport.
func newClient(t *testing.T, w http.RoundTripper) *client.Client {
	t.Helper()
	c, err := client.New("https://x/v4", client.NewSecret("t"), client.WithTransport(w))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// newEmulatedClient returns a client of an emulator.
func newEmulatedClient(t *testing.T, seed string) (*client.Client, *emulator.Emulator) {
	t.Helper()
	e := emulator.New(emulator.Options{Token: "t", Seed: seed})
	return newClient(t, e), e
}

func TestCount(t *testing.T) {
	t.Parallel()
	c, e := newEmulatedClient(t, "large")
	var last, calls int64
	million := client.ObjectQuery{Cluster: "us-east-1", Bucket: "million"}
	n := int64(1_000_000)
	if os.Getenv("LOOKOUT_LONG") == "" {
		million.Prefix, n = "data/00", 100_000
	}
	sum, err := Count(t.Context(), c.Objects, million, func(objects, bytes int64) {
		if objects <= last || bytes <= 0 {
			t.Errorf("%d objects after %d", objects, last)
		}
		last = objects
		calls++
	})
	var bytes int64
	for i := range n {
		bytes += i%977*1024 + 17
	}
	if err != nil || sum.Objects != n || sum.Bytes != bytes || sum.AtLeast || last != sum.Objects {
		t.Errorf("%+v, not %d bytes; %v", sum, bytes, err)
	}
	if pages := n / 500; int64(e.RequestCount("list objects")) > pages+pages/10 {
		t.Errorf("%d requests for %d pages", e.RequestCount("list objects"), pages)
	}
	million.Prefix = "data/007/00"
	if sum, err = Count(t.Context(), c.Objects, million, nil); err != nil || sum.Objects != 1000 {
		t.Errorf("%+v, %v", sum, err)
	}
	few := client.ObjectQuery{Cluster: "us-east-1", Bucket: "invoices-2026"}
	d, _ := newEmulatedClient(t, "demo")
	if sum, err = Count(t.Context(), d.Objects, few, nil); err != nil || sum.Objects != 180 {
		t.Errorf("%+v, %v", sum, err)
	}
}

// Counting ends when its context ends, and at the first failure.
func TestCount_stopsEarly(t *testing.T) {
	t.Parallel()
	c, _ := newEmulatedClient(t, "large")
	q := client.ObjectQuery{Cluster: "us-east-1", Bucket: "million"}
	ctx, cancel := context.WithCancel(t.Context())
	sum, err := Count(ctx, c.Objects, q, func(n, _ int64) {
		if n > 20_000 {
			cancel()
		}
	})
	if err == nil || sum.Objects > 50_000 {
		t.Errorf("%+v, %v", sum, err)
	}
	q.Bucket = "none"
	if _, err := Count(t.Context(), c.Objects, q, nil); err == nil {
		t.Error("a bucket that is not there was counted")
	}
}

// A count with a size that is not known, or with an invalid entry, is a lower bound.
func TestCount_atLeast(t *testing.T) {
	for entry, want := range map[string]ObjectTotal{
		`"size":7`:                     {Objects: 2, Bytes: 14},
		`"size":null`:                  {Objects: 2, AtLeast: true},
		`"size":-7`:                    {Objects: 2, AtLeast: true},
		`"size":7,"last_modified":[1]`: {Objects: 2, Bytes: 14, AtLeast: true},
	} {
		row := func(name string) string { return `{"name":"` + name + `","etag":"x","owner":"o",` + entry + `}` }
		folder := `{"name":"p/","etag":null,"owner":null,"last_modified":null,"size":null}`
		w := faulttest.Respond(http.StatusOK, `{"data":[`+row("a")+`,`+folder+`,`+row("b")+`],"is_truncated":false}`)
		got, err := Count(t.Context(), newClient(t, faulttest.NewTransport(nil, w)).Objects, query, nil)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", entry, got, err)
		}
	}
}
