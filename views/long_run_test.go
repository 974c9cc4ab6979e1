package views_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client"
	"lookout/client/faulttest"
	"lookout/ui/shell"
	"lookout/ui/terminal"
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

// dayVisits are the panes in front, hour by hour, with what is done in each: changes, a download, a look into a bucket
// and at everything that was done. Expensive panes come less often.
var dayVisits = []string{
	"3 / web-1 <enter> d ~ <ctrl+s>",
	"2 <enter>",
	"8 / cdn.acme.net <enter> <enter>",
	"4 / Ada <enter> e ~ x <ctrl+s>",
	"5",
	"8 / cdn.acme.net <enter> <enter> ~ w ~ <ctrl+s>",
	"J <enter>",
	"6 / db1 <enter> e ~ <tab> x <ctrl+s>",
	"F",
	"9 / finance <enter> e ~ x <ctrl+s>",
	"7",
	"0",
}

// spendDay runs the program for a number of time spans, each with another size and another pane.
func (r *harness) spendDay(n int, span time.Duration) {
	for i := range n {
		r.send(tea.WindowSizeMsg{Width: 80 + i%3*40, Height: 24 + i%4*10})
		end := time.Now().Add(span)
		r.pressAll(dayVisits[i%len(dayVisits)])
		for time.Now().Before(end) {
			time.Sleep(5 * time.Second)
			r.run(nil)
		}
		r.press("<esc>", "<esc>", "<esc>", "<esc>") // dialogs, panes and the filter
	}
}

// During a day of refreshes and changes on a bad link, memory, goroutines and open files do not grow, and the program
// sends no more requests than on a good link. At the end it shows what it showed at the start, and the journal holds
// exactly what was changed.
func TestProgram_day(t *testing.T) {
	faulttest.SkipUnlessLong(t)
	defer debug.SetGCPercent(debug.SetGCPercent(1000)) // what is held is measured when the garbage is gone
	planned := 0                                       // requests of every pane in an hour, on a good day
	faulttest.RunCase(t, "I1", "calm", func(t *testing.T) {
		calm := &faultyTransport{noFaults: true, random: rand.New(rand.NewPCG(1, 1))}
		startWithFaults(t, calm, func(r *harness) { r.spendDay(len(dayVisits), 5*time.Minute) })
		planned = calm.requestCount() * 12
	})
	faulttest.RunCase(t, "I1", "faults", func(t *testing.T) {
		bad := &faultyTransport{random: rand.New(rand.NewPCG(1, 2))}
		startWithFaults(t, bad, func(r *harness) {
			round := func() { r.spendDay(len(dayVisits), dayLength/time.Duration(2*len(dayVisits))) }
			round()
			threads, before, files := runtime.NumGoroutine(), heapInUse(), openFiles(t)
			round()
			r.wait(5 * time.Minute)
			after, now, opened := heapInUse(), runtime.NumGoroutine(), openFiles(t)
			if after > before+512<<10 || now > threads || opened > files {
				t.Errorf(
					"the heap grew from %d to %d KB, the goroutines from %d to %d, the open files from %d to %d",
					before>>10, after>>10, threads, now, files, opened,
				)
			}
			most := planned * int(dayLength/time.Hour) / len(dayVisits) * 11 / 10
			t.Logf(
				"%v: %d requests, at most %d; heap %d and %d KB; %d and %d goroutines, %d and %d files", dayLength,
				bad.requestCount(), most, before>>10, after>>10, threads, now, files, opened,
			)
			if bad.requestCount() > most {
				t.Errorf("%d requests, and only %d were planned", bad.requestCount(), most)
			}
			r.press("3")
			r.wait(3 * time.Minute)
			r.requireText("edge-router", "live")
			r.requireJournalIsLedger(4)
			requireTokenRevoked(r, bad)
		})
	})
}

// openFiles returns how many files the process has open; 0 where the system does not tell.
func openFiles(t *testing.T) int {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil && runtime.GOOS == "linux" {
		t.Error(err)
	}
	return len(open)
}

// requireJournalIsLedger fails unless the journal holds each change that was applied, once and as applied or unknown,
// and changes of at least a number of kinds.
func (r *harness) requireJournalIsLedger(kinds int) {
	r.Helper()
	recorded, unknown, applied := map[string]int{}, map[string]int{}, map[string]int{}
	for _, e := range r.journal.Entries(time.Time{}) {
		switch e.Outcome {
		case client.Applied:
			recorded[e.Change.Op]++
		case client.Unknown:
			unknown[e.Change.Op]++
		case client.Pending:
			r.Errorf("%s has no outcome", e.Change.Op)
		}
	}
	for _, change := range r.emu.Ledger() {
		applied[change.Op]++
	}
	for op, n := range applied {
		if n < recorded[op] || n > recorded[op]+unknown[op] {
			r.Errorf("%s: %d applied, but %d recorded and %d unknown", op, n, recorded[op], unknown[op])
		}
	}
	if len(applied) < kinds || len(recorded) > len(applied) {
		r.Errorf("recorded %v, applied %v", recorded, applied)
	}
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

// startWithFaults starts the program with a faulty transport before its emulator, a journal on disk, and a terminal
// that every frame is drawn on.
func startWithFaults(t *testing.T, w *faultyTransport, test func(*harness)) {
	t.Helper()
	t.Chdir(t.TempDir()) // where downloads go
	frames, end := startTerminal(t)
	defer end()
	runProgram(t, programOptions{
		size:    screenSize{120, 36},
		journal: filepath.Join(t.TempDir(), "journal"),
		transport: func(next http.RoundTripper) http.RoundTripper {
			w.start, w.next = time.Now(), next
			return w
		},
		configure: func(r *harness, _ *shell.Options) { r.drawn = func(f terminal.Frame) { frames <- f } },
	}, test)
}

// startTerminal starts a terminal that draws the frames that it gets. It is outside of every bubble: its goroutines end
// with the process.
func startTerminal(t *testing.T) (frames chan terminal.Frame, end func()) {
	t.Helper()
	frames = make(chan terminal.Frame)
	keyboard, typed := io.Pipe()
	out := &answeringTerminal{requests: make(chan int, 1000)}
	go out.answer(typed)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, err := terminal.Run(ctx, &frameScreen{frames: frames}, terminal.Options{
			In:   keyboard,
			Out:  out,
			Term: "xterm-256color",
			Size: func() (int, int) { return 160, 54 },
		})
		if err != nil {
			t.Error(err)
		}
	}()
	return frames, func() {
		cancel()
		typed.Close()
		<-ended
		close(out.requests)
		if out.n.Load() < 1000 {
			t.Errorf("only %d bytes were drawn", out.n.Load())
		}
	}
}

// A frameScreen shows the frames that it gets.
type frameScreen struct {
	frames chan terminal.Frame
	last   terminal.Frame
}

type nextFrame struct{ frame terminal.Frame }

func (s *frameScreen) Init() tea.Cmd { return func() tea.Msg { return nextFrame{<-s.frames} } }

func (s *frameScreen) Update(msg tea.Msg) tea.Cmd {
	next, is := msg.(nextFrame)
	if !is {
		return nil
	}
	s.last = next.frame
	return s.Init()
}

func (s *frameScreen) Frame() terminal.Frame { return s.last }

// An answeringTerminal counts what is written, and answers requests for its status as every terminal does: output to a
// terminal that does not answer waits for more than half a second.
type answeringTerminal struct {
	n        atomic.Int64
	requests chan int // the number of requests in each write
}

func (a *answeringTerminal) Write(p []byte) (int, error) {
	a.n.Add(int64(len(p)))
	if requests := bytes.Count(p, []byte("\x1b[5n")); requests > 0 {
		a.requests <- requests
	}
	return len(p), nil
}

// answer writes the answers to the keyboard until the requests end.
func (a *answeringTerminal) answer(keyboard io.Writer) {
	for n := range a.requests {
		_, _ = io.WriteString(keyboard, strings.Repeat("\x1b[0n", n))
	}
}
