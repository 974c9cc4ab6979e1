package ratelimit_test

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"lookout/client/filelock"
	"lookout/client/ratelimit"
)

// count returns how many requests of a kind a limiter lets through at once, and how long the next one has to wait.
func count(l *ratelimit.Limiter, first bool) (n int, wait time.Duration) {
	for ; n < 10*ratelimit.Max; n++ {
		if wait = l.Take(first); wait > 0 {
			break
		}
	}
	return n, wait
}

// All programs with one file together send at most 60 requests in any ten seconds. A fifth is left to those that go
// first.
func TestLimiter_Take_sharesTheFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "state", "acme.requests")
		one, two := ratelimit.New(path, time.Now), ratelimit.New(path, time.Now)
		reads, wait := count(one, false)
		if reads != 48 || wait <= 10*time.Second {
			t.Errorf("%d reads, then a wait of %v", reads, wait)
		}
		if n, _ := count(two, false); n != 0 {
			t.Errorf("the other program sent %d more", n)
		}
		if n, _ := count(two, true); n != 12 {
			t.Errorf("%d requests went first", n)
		}
		time.Sleep(10 * time.Second)
		if n, _ := count(two, true); n != 0 {
			t.Errorf("%d requests too early", n)
		}
		time.Sleep(wait - 10*time.Second)
		if n, _ := count(two, true); n != 60 {
			t.Errorf("%d requests in the next ten seconds", n)
		}
	})
}

// Goroutines and programs that ask at the same time do not count as one.
func TestLimiter_Take_atOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "acme.requests")
	now := time.Now()
	var sent atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		l := ratelimit.New(path, func() time.Time { return now })
		for range 4 {
			all.Go(func() {
				for range 5 {
					if l.Take(true) <= 0 {
						sent.Add(1)
					}
				}
			})
		}
	}
	all.Wait()
	if n := sent.Load(); n != ratelimit.Max {
		t.Errorf("%d requests were sent", n)
	}
}

// Requests in the future, after the clock was set back, delay nobody. A damaged file is replaced.
func TestLimiter_Take_oddFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "acme.requests")
	now := time.Now()
	l := ratelimit.New(path, func() time.Time { return now })
	count(l, true)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{
		"empty":    {},
		"cut off":  good[:100],
		"longer":   append(bytes.Clone(good), 0),
		"text":     bytes.Repeat([]byte("x"), len(good)),
		"no magic": append([]byte("lookout\x02"), good[8:]...),
	} {
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if n, wait := count(l, true); n != ratelimit.Max || wait > time.Minute {
			t.Errorf("%s: %d requests, then a wait of %v", name, n, wait)
		}
		if data, _ := os.ReadFile(path); !bytes.Equal(data, good) {
			t.Errorf("%s: the file was not replaced", name)
		}
	}
	now = now.Add(-time.Hour)
	if n, wait := count(l, true); n != ratelimit.Max || wait > time.Minute {
		t.Errorf("the clock was set back: %d requests, then a wait of %v", n, wait)
	}
}

// Without a file, with a link in its place, and while a stopped program has the lock, a program takes a tenth: as many
// requests, in ten times the time. It does not wait for the lock.
func TestLimiter_Take_alone(t *testing.T) {
	folder := t.TempDir()
	locked, link := filepath.Join(folder, "locked"), filepath.Join(folder, "link")
	target := filepath.Join(folder, "target")
	for _, path := range []string{locked, target} {
		if err := os.WriteFile(path, []byte("kept"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Open(locked)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	defer filelock.Wait(file)()
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	for _, path := range []string{"", link, filepath.Join(target, "no folder"), folder, locked} {
		synctest.Test(t, func(t *testing.T) {
			l := ratelimit.New(path, time.Now)
			if n, wait := count(l, true); n != ratelimit.Max || wait < 90*time.Second {
				t.Errorf("%q: %d requests, then a wait of %v", path, n, wait)
			}
			time.Sleep(20 * time.Second)
			if n, _ := count(l, true); n != 0 {
				t.Errorf("%q: %d requests too early", path, n)
			}
		})
	}
	if data, _ := os.ReadFile(target); string(data) != "kept" {
		t.Error("the target of the link was changed")
	}
}
