package client_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/ratelimit"
)

// sentTimes are the times at which requests arrived, in front of the emulated account.
type sentTimes struct {
	http.RoundTripper
	mu    sync.Mutex
	times []time.Time
}

func (s *sentTimes) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.times = append(s.times, time.Now())
	s.mu.Unlock()
	return s.RoundTripper.RoundTrip(r)
}

// most returns how many requests arrived in any ten seconds, at most.
func (s *sentTimes) most() (most int) {
	from := 0
	for i, at := range s.times {
		for at.Sub(s.times[from]) >= 10*time.Second {
			from++
		}
		most = max(most, i-from+1)
	}
	return most
}

// A program is a client that shares the account's limiter with other programs.
func newProgram(t *testing.T, api http.RoundTripper, path string, options ...client.Option) *client.Client {
	t.Helper()
	l := ratelimit.New(path, time.Now)
	c, err := client.New("https://emulated.invalid/v4", client.NewSecret("t"), append(
		options, client.WithTransport(api), client.WithDialect(client.DialectProvider), client.WithRequestLimiter(l),
	)...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Fifty programs that start at once send at most 60 requests in ten seconds. All get their answers, however long they
// have to wait; the first to wait says so after a second. Changes and programs with priority overtake them.
func TestRequestLimiter_fiftyPrograms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := &sentTimes{RoundTripper: emulator.New(emulator.Options{Token: "t"})}
		path := filepath.Join(t.TempDir(), "acme.requests")
		var all sync.WaitGroup
		var told atomic.Int64
		programs := make([]*client.Client, 50)
		start := time.Now()
		for i := range programs {
			programs[i] = newProgram(t, api, path, client.WithWaitNotice(func() { told.Add(1) }))
			for range 8 {
				all.Go(func() {
					if _, err := programs[i].Services.List(t.Context(), 1); err != nil {
						t.Error(err)
					}
				})
			}
		}
		time.Sleep(1500 * time.Millisecond)
		if n := told.Load(); n < 40 || n > 50 {
			t.Errorf("%d programs said that they wait", n)
		}
		if since := programs[49].WaitingSince(); !since.Equal(start) {
			t.Errorf("it waits since %v, not %v", since, start)
		}
		urgent := newProgram(t, api, path, client.WithPriority())
		if _, err := urgent.Issues.List(t.Context(), 1); err != nil {
			t.Error(err)
		}
		if _, err := client.Confirmed(
			programs[0], client.OpDisableService, 4,
		).DisableService(t.Context(), 4); err != nil {
			t.Error(err)
		}
		if wait := time.Since(start) - 1500*time.Millisecond; wait > 100*time.Millisecond {
			t.Errorf("the change waited %v", wait)
		}
		all.Wait()
		if took := time.Since(start); api.most() > ratelimit.Max || took > 2*time.Minute {
			t.Errorf("%d requests in ten seconds, %v for all", api.most(), took)
		}
		if since := programs[49].WaitingSince(); !since.IsZero() {
			t.Error("it still waits")
		}
	})
}

// A request that waits for other programs can be interrupted, and does not wait longer than it may take. In both cases
// it is not sent, and the API is not blamed. Pages of objects and URLs of transfers do not wait: the service counts
// requests to Object Storage on their own.
func TestRequestLimiter_busy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := &sentTimes{RoundTripper: emulator.New(emulator.Options{Token: "t"})}
		path := filepath.Join(t.TempDir(), "acme.requests")
		for l := ratelimit.New(path, time.Now); l.Take(true) == 0; {
			continue
		}
		c := newProgram(t, api, path)
		start := time.Now()
		for range 3 {
			q := client.ObjectQuery{Cluster: "us-east-1", Bucket: "acme-backups"}
			if _, err := c.Objects.List(t.Context(), q); err != nil {
				t.Error(err)
			}
		}
		if time.Since(start) > 0 || len(api.times) != 3 {
			t.Errorf("pages of objects wait: %d in %v", len(api.times), time.Since(start))
		}
		for _, change := range []bool{false, true} {
			ask := func(ctx context.Context) (err error) {
				if change {
					_, err = client.Confirmed(c, client.OpDisableService, 4).DisableService(ctx, 4)
				} else {
					_, err = c.Services.List(ctx, 1)
				}
				return err
			}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(2*time.Second, cancel)
			err := ask(ctx)
			if e := requireError(t, err); !errors.Is(err, context.Canceled) || e.Offline() ||
				e.Outcome != client.NotSent {
				t.Errorf("interrupted: %v, outcome %q", err, e.Outcome)
			}
			ctx, cancel = context.WithTimeout(t.Context(), 2*time.Second)
			start := time.Now()
			err = ask(ctx)
			if e := requireError(t, err); !errors.Is(err, client.ErrRateLimited) || e.TimedOut() || e.Offline() ||
				e.Short() != "not sent" || time.Since(start) > 0 {
				t.Errorf("no time to wait: %v after %v, %q", err, time.Since(start), e.Short())
			}
			cancel()
		}
		if len(api.times) != 3 {
			t.Errorf("%d requests were sent", len(api.times)-3)
		}
	})
}
