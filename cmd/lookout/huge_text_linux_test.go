//go:build !race

package main

import (
	"cmp"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"lookout/client/faulttest"
)

// hugeTexts are texts that a server or a colleague may write into a field.
func hugeTexts() map[string]string {
	return map[string]string{
		"line of 8 MB":              strings.Repeat("x", 8<<20),
		"1,000,000 line breaks":     strings.Repeat("\n", 1e6),
		"1,000,000 combining marks": strings.Repeat("\u0301", 1e6),
	}
}

// rss returns the resident memory of the program in bytes.
func (c *ptyProcess) rss() int {
	c.t.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(c.cmd.Process.Pid) + "/status")
	if err != nil {
		c.t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(status), "VmRSS:")
	kilobytes, err := strconv.Atoi(strings.Fields(text)[0])
	if err != nil {
		c.t.Fatal(err)
	}
	return kilobytes << 10
}

// A serverField is a member of an account's answers that holds text.
type serverField struct{ path, member string }

// serverFields returns the members with text in the answers that the dashboard reads.
func serverFields(t *testing.T) []serverField {
	t.Helper()
	var mu sync.Mutex
	found := map[serverField]bool{}
	useAllPanes(t, func(path string, answer []byte) []byte {
		return faulttest.ReplaceValues(answer, func(member string, value any) []byte {
			if _, isText := value.(string); isText {
				mu.Lock()
				found[serverField{path, member}] = true
				mu.Unlock()
			}
			return nil
		})
	}, 80, 24, "", math.MaxInt)
	return slices.SortedFunc(maps.Keys(found), func(a, b serverField) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.member, b.member))
	})
}

// keyTime returns the shortest time between a key and its first output, of some keys that open and close a dialog in
// front of the pane: other programs may be busy.
func (c *ptyProcess) keyTime() time.Duration {
	shortest := time.Hour
	for range 3 {
		for _, key := range []string{"?", escape} {
			c.waitQuiet(5*time.Millisecond, 5*time.Millisecond)
			start := time.Now()
			c.typeKeys(key)
			<-c.outputArrived
			shortest = min(shortest, time.Since(start))
		}
	}
	return shortest
}

// useAllPanes opens every pane and the details of its first row. It returns the slowest pane's time for a key, and the
// memory at the end: what was needed only to read the answers returns to the system within some seconds, so it waits
// for at most enough.
func useAllPanes(
	t *testing.T, rewrite func(path string, answer []byte) []byte, cols, rows uint16, shown string, enough int,
) (slowest time.Duration, memory int) {
	t.Helper()
	r, _ := startTainted(t, "texts", func(s *taintedServer) { s.rewrite = rewrite })
	p := startSizedPty(t, append(r.environ(), "TERM=xterm-256color", "LANG=C.UTF-8"), cols, rows, "--no-mouse")
	p.startReading()
	p.waitFor("Services")
	for _, pane := range strings.Split("1234568903", "") {
		p.typeKeys(escape + escape + pane)
		p.waitQuiet(200*time.Millisecond, 10*time.Millisecond)
		slowest = max(slowest, p.keyTime())
		p.typeKeys("g\r")
		p.waitQuiet(200*time.Millisecond, 10*time.Millisecond)
		slowest = max(slowest, p.keyTime())
	}
	if shown != "" && !strings.Contains(p.output(), shown) {
		t.Errorf("%q is not shown", shown)
	}
	for end := time.Now().Add(20 * time.Second); ; {
		if memory = p.rss(); memory <= enough || time.Now().After(end) {
			break
		}
		p.waitQuiet(200*time.Millisecond, 100*time.Millisecond)
		p.keyTime() // the collector runs only while the program works
	}
	_ = p.cmd.Process.Kill()
	return slowest, memory
}

// However large a text of the server is, it is shown, a key takes no longer than a frame, and the program needs little
// more memory.
func TestHugeText_inATerminal(t *testing.T) {
	const maxKey, maxMemory = 60 * time.Millisecond, 30 << 20 // 16 ms, with room for a busy machine
	fields, sizes := []serverField{{"/v4/managed/services", "notes"}}, [][2]uint16{{80, 24}}
	if os.Getenv("LOOKOUT_NIGHTLY") != "" {
		fields, sizes = serverFields(t), append(sizes, [2]uint16{500, 200})
	}
	for _, size := range sizes {
		asItIs := func(_ string, answer []byte) []byte { return answer }
		calm, before := useAllPanes(t, asItIs, size[0], size[1], "", math.MaxInt)
		t.Logf("%v without: %v, %d MB", size, calm, before>>20)
		for _, field := range fields {
			for name, text := range hugeTexts() {
				if !strings.Contains(name, "8 MB") && !runsLongSeries() {
					continue
				}
				shown := "more"
				if strings.Contains(name, "line breaks") {
					shown = "" // what is said about the rest is below 200 empty lines
				}
				slowest, memory := useAllPanes(t, func(path string, answer []byte) []byte {
					return withHugeText(field, text, path, answer)
				}, size[0], size[1], shown, before+maxMemory)
				t.Logf("%v %s %v: %v, %d MB more", field, name, size, slowest, (memory-before)>>20)
				if slowest > maxKey || memory-before > maxMemory {
					t.Errorf("%v, %s, %v: a key takes %v, %d MB more", field, name, size, slowest, (memory-before)>>20)
				}
			}
		}
	}
}

// withHugeText returns an answer with a text in the first of its members that are a field.
func withHugeText(field serverField, text, path string, answer []byte) []byte {
	done := path != field.path
	return faulttest.ReplaceValues(answer, func(member string, value any) []byte {
		if _, isText := value.(string); done || member != field.member || !isText && value != nil {
			return nil
		}
		done = true
		return []byte(text)
	})
}
