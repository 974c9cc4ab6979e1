package views_test

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client/faulttest"
	"lookout/ui/shell"
)

// runsLongSeries reports whether tests with many seeds or large inputs try all of them: with LOOKOUT_LONG, but not
// under the race detector, which needs several minutes more and sees the same code.
func runsLongSeries() bool { return os.Getenv("LOOKOUT_LONG") != "" && !raceDetector }

// faultyTransport simulates a bad day: 2 % resets, 1 % 503, two minutes of 429 every third hour, no answers for two
// minutes every hour, and one 401 at the end.
type faultyTransport struct {
	next     http.RoundTripper
	start    time.Time
	noFaults bool

	mu       sync.Mutex
	random   *rand.Rand
	requests int
	revoked  bool
}

func (w *faultyTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.requests++
	luck, age := w.random.IntN(100), time.Since(w.start)
	revoked := w.revoked
	w.mu.Unlock()
	switch minute := int(age.Minutes()); {
	case w.noFaults:
	case revoked:
		return faulttest.Respond(401, `{"errors":[{"reason":"Invalid Token"}]}`)(nil, req)
	case minute%60 >= 30 && minute%60 < 32:
		return faulttest.Hang(nil, req)
	case minute%180 >= 45 && minute%180 < 47:
		return faulttest.Respond(429, "", "Retry-After", "30")(nil, req)
	case luck < 2:
		return nil, errors.New("read: connection reset by peer")
	case luck == 2:
		return faulttest.Respond(503, "")(nil, req)
	}
	return w.next.RoundTrip(req)
}

func (w *faultyTransport) requestCount() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.requests
}

// heapInUse returns the size of the heap after a garbage collection.
func heapInUse() uint64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

// paneSequence holds the keys of the panes in front, hour by hour. Expensive panes come less often.
const paneSequence = "323456931732"

// cyclePanes runs the program for a number of time spans, each with another size and another pane.
func (r *harness) cyclePanes(n int, span time.Duration) {
	for i := range n {
		r.send(tea.WindowSizeMsg{Width: 80 + i%3*40, Height: 24 + i%4*10})
		r.press(paneSequence[i%len(paneSequence) : i%len(paneSequence)+1])
		for end := time.Now().Add(span); time.Now().Before(end); {
			time.Sleep(5 * time.Second)
			r.run(nil)
		}
	}
}

// During a day of refreshes on a bad link, memory and goroutines do not grow and the program sends no more requests
// than on a good link. At the end it shows what it showed at the start.
func TestProgram_day(t *testing.T) {
	faulttest.SkipUnlessLong(t)
	defer debug.SetGCPercent(debug.SetGCPercent(1000)) // what is held is measured when the garbage is gone
	planned := 0                                       // requests of every pane in an hour, on a good day
	faulttest.RunCase(t, "I1", "calm", func(t *testing.T) {
		calm := &faultyTransport{noFaults: true, random: rand.New(rand.NewPCG(1, 1))}
		startWithFaults(t, calm, func(r *harness) { r.cyclePanes(len(paneSequence), 5*time.Minute) })
		planned = calm.requestCount() * 12
	})
	faulttest.RunCase(t, "I1", "faults", func(t *testing.T) {
		bad := &faultyTransport{random: rand.New(rand.NewPCG(1, 2))}
		startWithFaults(t, bad, func(r *harness) {
			round := func() { r.cyclePanes(len(paneSequence), dayLength/time.Duration(2*len(paneSequence))) }
			round()
			threads, before := runtime.NumGoroutine(), heapInUse()
			round()
			r.wait(5 * time.Minute)
			after, now := heapInUse(), runtime.NumGoroutine()
			if after > before+5<<20 || now > threads+2 {
				t.Errorf(
					"the heap grew from %d to %d KB, the goroutines from %d to %d", before>>10, after>>10, threads, now,
				)
			}
			most := planned * int(dayLength/time.Hour) / len(paneSequence) * 11 / 10
			t.Logf(
				"%v: %d requests, at most %d; heap %d and %d KB; %d and %d goroutines", dayLength, bad.requestCount(),
				most, before>>10, after>>10, threads, now,
			)
			if bad.requestCount() > most {
				t.Errorf("%d requests, and only %d were planned", bad.requestCount(), most)
			}
			r.press("3")
			r.wait(3 * time.Minute)
			r.requireText("edge-router", "live")
			requireTokenRevoked(r, bad)
		})
	})
}

// requireTokenRevoked revokes the token, and fails unless the program says so and sends nothing more.
func requireTokenRevoked(r *harness, w *faultyTransport) {
	w.mu.Lock()
	w.revoked = true
	w.mu.Unlock()
	r.wait(time.Minute)
	sent := w.requestCount()
	r.wait(20 * time.Minute)
	if n := w.requestCount() - sent; n != 0 {
		r.Errorf("%d requests with a token that is not accepted", n)
	}
	r.requireText("token")
}

// startWithFaults starts the program with a faulty transport before its emulator.
func startWithFaults(t *testing.T, w *faultyTransport, test func(*harness)) {
	t.Helper()
	startWithTransport(t, screenSize{120, 36}, func(next http.RoundTripper) http.RoundTripper {
		w.start, w.next = time.Now(), next
		return w
	}, func(*harness, *shell.Options) {}, test)
}
