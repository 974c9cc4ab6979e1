package journal

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"lookout/client"
	"lookout/client/faulttest"
)

// writeReleased writes a journal as released versions do: n finished changes, of which the last 50 left services
// disabled, and one that was never answered.
func writeReleased(t testing.TB, path string, n int) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := bufio.NewWriterSize(file, 1<<20)
	defer out.Flush()
	line := func(l record) {
		data, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = out.Write(append(data, '\n'))
	}
	for i := range n {
		c := disableChange(fmt.Sprint(i%50), "billing-api")
		c.Method, c.Path = "POST", "/v4/managed/services/7/disable"
		c.Before = map[string]any{"status": "ok"}
		id := fmt.Sprint("old-", i)
		at := testTime().Add(time.Duration(i-n) * time.Minute)
		line(record{Intent: &Entry{ID: id, Time: at, Account: "a", Change: c}})
		if i != n-60 {
			line(record{ID: id, Outcome: client.Applied})
		}
	}
}

// The journal cannot freeze the loop: with 100,000 changes, it opens in 50 ms, what a frame asks takes microseconds,
// and a page of the history some milliseconds. A change takes at most 1 KB.
func TestOpen_manyChanges(t *testing.T) {
	n := 20_000
	if os.Getenv("LOOKOUT_LONG") != "" {
		n = 100_000
	}
	faulttest.ReportCase(t, "I5", "a journal of 100,000 changes")
	path := filepath.Join(t.TempDir(), "j")
	writeReleased(t, path, n)
	if info, err := os.Stat(path); err != nil || info.Size()/int64(n) > 1024 {
		t.Errorf("a journal of %d changes: %v, %v", n, info, err)
	}
	began := time.Now()
	openJournal(t, path).Close()
	first := time.Since(began)
	next := fastest(func() { openJournal(t, path).Close() })
	j := openJournal(t, path)
	if len(j.entries) > 1500 || j.Len() != n || j.UnreadableLines() != 0 || len(j.ActiveWindows()) != 50 {
		t.Errorf("%d held of %d, %d disabled", len(j.entries), j.Len(), len(j.ActiveWindows()))
	}
	if m := j.UnresolvedEntries(testTime().Add(-24 * time.Hour)); len(m) != 1 {
		t.Errorf("%d unresolved", len(m))
	}
	frame := fastest(func() {
		for range 1000 {
			_ = j.UnresolvedEntries(testTime().Add(-24 * time.Hour))
			_ = j.Version()
		}
	}) / 1000
	var page []Entry
	var err error
	paged := fastest(func() {
		h := j.History()
		_, _, _ = h.Page(0)
		page, _, err = h.Page(1)
	})
	t.Logf(
		"%d changes: first open %v, next %v, a frame %v, two pages %v", n, first, next, frame, paged,
	)
	slower := first / 10 // on a busy machine, the first open is slow as well
	if next > max(slow*50*time.Millisecond, slower) || frame > slow*100*time.Microsecond ||
		paged > max(slow*100*time.Millisecond, slower) || len(page) < 500 || err != nil {
		t.Errorf("next open %v, a frame %v, two pages %v, %d changes, %v", next, frame, paged, len(page), err)
	}
}

// A reader of the whole history holds less than 800 bytes for each change, and every change says what was recorded.
func TestHistory_memory(t *testing.T) {
	const n = 20_000
	path := filepath.Join(t.TempDir(), "j")
	writeReleased(t, path, n)
	j := openJournal(t, path)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, count := heap(), 0
	var pages [][]Entry
	h := j.History()
	for page, more := []Entry(nil), true; more; pages = append(pages, page) {
		var err error
		if page, more, err = h.Page(len(pages)); err != nil {
			t.Fatal(err)
		}
		count += len(page)
	}
	if each := (heap() - before) / n; each > 800 || count != n {
		t.Errorf("%d bytes for each of %d changes", each, count)
	}
	oldest := pages[len(pages)-1]
	data, err := json.Marshal(oldest[len(oldest)-1])
	if want := `"before":{"status":"ok"}`; err != nil || !strings.Contains(string(data), want) {
		t.Errorf("%s, %v", data, err)
	}
}

// slow is how many times slower a machine that runs other tests may be.
const slow = 4

// fastest returns the shortest time of several calls: other programs on the machine make some of them slow.
func fastest(do func()) time.Duration {
	best := time.Duration(math.MaxInt64)
	for range 5 {
		began := time.Now()
		do()
		best = min(best, time.Since(began))
	}
	return best
}
