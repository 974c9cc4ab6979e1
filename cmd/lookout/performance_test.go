//go:build linux

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// A timedProgram is a program in a pty. It records when texts were drawn.
type timedProgram struct {
	t     *testing.T
	cmd   *exec.Cmd
	tty   *os.File
	line  terminalLine
	emu   *vt.SafeEmulator
	start time.Time
	input chan outputChunk
	tail  []byte // of the output, in which a request may begin

	mu    sync.Mutex
	bytes int
	first time.Time // of the bytes since the last reset
	last  time.Time
	want  string // to be on the screen
	found chan time.Time
}

// An outputChunk is some output with its time.
type outputChunk struct {
	text []byte
	at   time.Time
}

// startTimed starts a program on a terminal of 200x50 that answers at once.
func startTimed(t *testing.T, env []string, name string, args ...string) *timedProgram {
	t.Helper()
	return startTimedOn(t, terminalLine{cols: 200, rows: 50, answers: true}, env, name, args...)
}

// startTimedOn starts a program whose output is timed and shown on a virtual screen.
func startTimedOn(t *testing.T, line terminalLine, env []string, name string, args ...string) *timedProgram {
	t.Helper()
	m := &timedProgram{
		t:     t,
		cmd:   exec.Command(name, args...),
		line:  line,
		emu:   vt.NewSafeEmulator(line.cols, line.rows),
		input: make(chan outputChunk, 1<<10),
		found: make(chan time.Time, 1),
	}
	m.cmd.Env = append(append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8", "COLORTERM=truecolor"), env...)
	m.start = time.Now()
	tty, err := pty.StartWithSize(m.cmd, &pty.Winsize{Cols: uint16(line.cols), Rows: uint16(line.rows)})
	if err != nil {
		t.Fatal(err)
	}
	m.tty = tty
	go func() { _, _ = io.Copy(io.Discard, m.emu) }() // its own answers would come late
	drawn := make(chan outputChunk, 1<<16)
	go m.draw(drawn)
	go m.sendInput()
	if line.bitsPerSecond == 0 {
		go m.read(drawn)
	} else {
		go m.readSlowly(drawn)
	}
	return m
}

// draw feeds the output to the virtual screen, beside the timing, because the virtual screen is slower than a terminal.
func (m *timedProgram) draw(drawn <-chan outputChunk) {
	for p := range drawn {
		_, _ = m.emu.Write(p.text)
		m.mu.Lock()
		m.checkWanted(p.at)
		m.mu.Unlock()
	}
}

// checkWanted reports when the wanted text is on the screen.
func (m *timedProgram) checkWanted(at time.Time) {
	if m.want != "" && strings.Contains(m.screen(), m.want) {
		m.want = ""
		m.found <- at
	}
}

// read reads the output as fast as it comes.
func (m *timedProgram) read(drawn chan<- outputChunk) {
	defer close(drawn)
	for {
		buffer := make([]byte, 1<<14)
		n, err := m.tty.Read(buffer)
		m.receive(drawn, buffer[:n])
		if err != nil {
			return
		}
	}
}

// readSlowly reads the output as fast as the line carries it.
func (m *timedProgram) readSlowly(drawn chan<- outputChunk) {
	relay := newLineRelay(m.line)
	go func() {
		defer close(drawn)
		relay.run(func(text []byte) { m.receive(drawn, text) })
	}()
	defer close(relay.chunks)
	for {
		buffer := make([]byte, relay.take())
		n, err := m.tty.Read(buffer)
		relay.add(buffer[:n])
		if err != nil {
			return
		}
	}
}

// receive records output that the terminal has received.
func (m *timedProgram) receive(drawn chan<- outputChunk, text []byte) {
	now := time.Now()
	m.mu.Lock()
	if m.bytes == 0 {
		m.first = now
	}
	m.bytes, m.last = m.bytes+len(text), now
	m.mu.Unlock()
	if m.line.answers {
		m.answerRequests(text)
	}
	drawn <- outputChunk{text, now}
}

// kill ends the program.
func (m *timedProgram) kill() {
	_ = m.cmd.Process.Kill()
	_ = m.cmd.Wait()
	m.tty.Close()
}

func (m *timedProgram) screen() string { return ansi.Strip(m.emu.Render()) }

// waitFor waits for a text on the screen and returns when it appeared.
func (m *timedProgram) waitFor(text string) time.Time {
	m.t.Helper()
	m.mu.Lock()
	m.want = text
	m.checkWanted(m.last)
	m.mu.Unlock()
	select {
	case at := <-m.found:
		return at
	case <-time.After(3 * time.Minute): // ten million objects take one
		m.t.Fatalf("waited in vain for %q:\n%s", text, strings.TrimSpace(m.screen()))
		return time.Time{}
	}
}

func (m *timedProgram) typeKeys(keys string) {
	m.t.Helper()
	if m.line.roundTrip > 0 {
		m.input <- outputChunk{[]byte(keys), time.Now().Add(m.line.roundTrip / 2)}
		return
	}
	if _, err := m.tty.WriteString(keys); err != nil {
		m.t.Fatal(err)
	}
}

// waitQuiet waits until nothing has been drawn for a time, and returns when the last output came.
func (m *timedProgram) waitQuiet(d time.Duration) time.Time {
	for {
		m.mu.Lock()
		last := m.last
		m.mu.Unlock()
		left := d - time.Since(last)
		if left <= 0 {
			return last
		}
		time.Sleep(left)
	}
}

// resetBytes starts counting bytes again.
func (m *timedProgram) resetBytes() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes = 0
}

// pressKey presses a key and returns how long the first change of the screen took, and how many bytes all of it had.
func (m *timedProgram) pressKey(key string) (time.Duration, int) {
	m.t.Helper()
	m.waitQuiet(20 * time.Millisecond)
	m.resetBytes()
	at := time.Now()
	m.typeKeys(key)
	for deadline := at.Add(2 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Microsecond) {
		m.mu.Lock()
		n := m.bytes
		m.mu.Unlock()
		if n > 0 {
			m.waitQuiet(5 * time.Millisecond)
			m.mu.Lock()
			defer m.mu.Unlock()
			return m.first.Sub(at), m.bytes
		}
	}
	m.t.Fatalf("%q changes nothing:\n%s", key, m.screen())
	return 0, 0
}

// A measurement holds the figures of one program.
type measurement struct {
	name                   string
	firstFrame, firstData  time.Duration // from its start; data is 0 where there is none
	p50, p99               time.Duration
	bytesPerKey            int // a key
	rss                    string
	idleCPU                time.Duration // a second at rest
	idleBytes, idleSeconds int
}

// measureKeys fills in the cost of keys: some steps one way from the cursor, and back.
func (f *measurement) measureKeys(m *timedProgram, n int, forth, back string) {
	times, sum := make([]time.Duration, n), 0
	for i := range n {
		key := forth
		if i%8 >= 4 {
			key = back
		}
		var b int
		times[i], b = m.pressKey(key)
		sum += b
		time.Sleep(time.Duration(i*7%13) * time.Millisecond) // so that a ticker is met anywhere
	}
	slices.Sort(times)
	f.p50, f.p99, f.bytesPerKey = times[n/2], times[n*99/100], sum/n
}

// measureIdle fills in the cost at rest, and the memory.
func (f *measurement) measureIdle(m *timedProgram, d time.Duration) {
	m.waitQuiet(100 * time.Millisecond)
	m.resetBytes()
	before := m.cpu()
	time.Sleep(d)
	f.idleCPU = time.Duration(float64(m.cpu()-before) / d.Seconds())
	m.mu.Lock()
	f.idleBytes, f.idleSeconds = m.bytes, int(d.Seconds())
	m.mu.Unlock()
	f.rss = m.rss()
}

// rss returns the resident memory in MB.
func (m *timedProgram) rss() string { return fmt.Sprintf("%.0f", m.residentMemory()/(1<<20)) }

// residentMemory returns the resident memory in bytes.
func (m *timedProgram) residentMemory() float64 {
	m.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", m.cmd.Process.Pid))
	if err != nil {
		m.t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(status), "VmRSS:")
	var kb float64
	fmt.Sscan(text, &kb)
	return kb * 1024
}

// cpu returns the processor time that the program has used.
func (m *timedProgram) cpu() (sum time.Duration) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", m.cmd.Process.Pid))
	for _, task := range tasks {
		var ns int64
		if data, err := os.ReadFile(task); err == nil {
			fmt.Sscan(string(data), &ns)
			sum += time.Duration(ns)
		}
	}
	return sum
}

// measureStarts fills in the times of the first frame and of the first data: medians of n starts.
func (f *measurement) measureStarts(t *testing.T, n int, frame, data string, start func() *timedProgram) {
	var first, whole []time.Duration
	for range n {
		m := start()
		first = append(first, m.waitFor(frame).Sub(m.start))
		if data != "" {
			whole = append(whole, m.waitFor(data).Sub(m.start))
		}
		m.kill()
	}
	slices.Sort(first)
	f.firstFrame = first[n/2]
	if data != "" {
		slices.Sort(whole)
		f.firstData = whole[n/2]
	}
}

func (f measurement) String() string {
	ms := func(d time.Duration) string {
		if d == 0 {
			return "–"
		}
		return fmt.Sprintf("%.2f", float64(d)/1e6)
	}
	return fmt.Sprintf(
		"| %s | %s | %s | %s | %s | %d | %s | %s | %.1f |", f.name, ms(f.firstFrame), ms(f.firstData), ms(f.p50),
		ms(f.p99), f.bytesPerKey, f.rss, ms(f.idleCPU), float64(f.idleBytes)/float64(max(1, f.idleSeconds)),
	)
}

// TestPerformance prints the table of programs: .ci/performance runs it.
func TestPerformance(t *testing.T) {
	if os.Getenv("LOOKOUT_PERFORMANCE") == "" {
		t.Skip("measures only if LOOKOUT_PERFORMANCE is set, as .ci/performance does")
	}
	dir := t.TempDir()
	lookout, floor := buildBinary(t, dir, "lookout", "."), buildBinary(t, dir, "floor", "./testdata/floor")
	address := serveLargeAccount(t, lookout)
	env := performanceEnv(t.TempDir())
	const starts, presses = 15, 300

	bare := measurement{name: "baseline: Bubble Tea alone, 50 rows"}
	bare.measureStarts(t, starts, "row 049", "", func() *timedProgram { return startTimed(t, env, floor) })
	m := startTimed(t, env, floor)
	m.waitFor("row 049")
	bare.measureKeys(m, presses, "j", "k")
	bare.measureIdle(m, 10*time.Second)
	m.kill()

	demo := measurement{name: "lookout demo, 12 services"}
	demo.measureStarts(
		t, starts, "lookout", "12 buckets", func() *timedProgram { return startTimed(t, env, lookout, "demo") },
	)
	m = startTimed(t, env, lookout, "demo")
	m.waitFor("12 buckets")
	m.typeKeys("3")
	m.waitFor("billing-api")
	demo.measureKeys(m, presses, "j", "k")
	demo.measureIdle(m, 21*time.Second)
	m.kill()

	large := measurement{name: "lookout, 5,000 services over HTTP"}
	opened := func() *timedProgram {
		return startTimed(t, env, lookout, "--base-url", address, "--view", "services")
	}
	large.measureStarts(t, starts, "lookout", "service-0009", opened)
	m = opened()
	m.waitFor("service-0009")
	large.measureKeys(m, presses, "j", "k")
	large.measureIdle(m, 21*time.Second)
	m.kill()

	million := measurement{name: "lookout, 1,000,000 objects, at their end"}
	m = startTimed(t, env, lookout, "--base-url", address, "--view", "buckets")
	m.waitFor("million")
	m.typeKeys("/million\r\r")
	m.waitFor("data/")
	m.typeKeys("f")
	m.waitFor("(flat)")
	at := time.Now()
	m.typeKeys("G")
	read := m.waitFor("object-999999").Sub(at)
	grown := m.rss()
	million.measureKeys(m, presses, "k", "j")
	filter, _ := m.pressKey("/")
	for _, letter := range "object-77777" {
		took, _ := m.pressKey(string(letter))
		filter = max(filter, took)
	}
	m.waitFor("object-777770")
	m.typeKeys("\x1b")
	million.measureIdle(m, 21*time.Second)
	m.kill()

	info, err := os.Stat(lookout)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(
		"| program, 200x50 | first frame ms | data ms | key p50 ms | key p99 ms | bytes/key | RSS MB | CPU at rest " +
			"ms/s | bytes/s at rest |",
	)
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for _, f := range []measurement{bare, demo, large, million} {
		fmt.Println(f)
	}
	fmt.Printf(
		"\nA million objects over HTTP, from G to the last on the screen: %.2f s, %s MB then. Slowest key while a "+
			"filter is typed over them: %.1f ms. Binary: %.1f MB.\n",
		read.Seconds(),
		grown,
		float64(filter)/1e6,
		float64(info.Size())/1e6,
	)
}

// TestPerformance_scrolling prints the bytes of a key while the list of 5,000 services scrolls, with its details where
// there is room: .ci/performance runs it.
func TestPerformance_scrolling(t *testing.T) {
	if os.Getenv("LOOKOUT_PERFORMANCE") == "" {
		t.Skip("measures only if LOOKOUT_PERFORMANCE is set, as .ci/performance does")
	}
	dir := t.TempDir()
	lookout := buildBinary(t, dir, "lookout", ".")
	address, env := serveLargeAccount(t, lookout), performanceEnv(dir)
	fmt.Println("| bytes per key while scrolling | mean of 90 | median | largest |")
	fmt.Println("|---|---|---|---|")
	for _, margins := range []bool{true, false} {
		for _, line := range []terminalLine{{cols: 80, rows: 24}, {cols: 200, rows: 50}} {
			line.answers, line.margins = true, margins
			m := startTimedOn(t, line, env, lookout, "--base-url", address, "--view", "services")
			m.waitFor("service-0009")
			mean, median, largest := m.scrolledBytes(90)
			m.kill()
			name := map[bool]string{true: "left and right margins", false: "no such margins"}[margins]
			fmt.Printf("| %dx%d, %s | %d | %d | %d |\n", line.cols, line.rows, name, mean, median, largest)
		}
	}
}

// scrolledBytes scrolls a list by a number of rows and returns how many bytes each took.
func (m *timedProgram) scrolledBytes(presses int) (mean, median, largest int) {
	m.t.Helper()
	for range m.line.rows {
		m.pressKey("j")
	}
	bytes, sum := make([]int, presses), 0
	for i := range bytes {
		_, bytes[i] = m.pressKey("j")
		sum += bytes[i]
	}
	slices.Sort(bytes)
	return sum / presses, bytes[presses/2], bytes[presses-1]
}

// TestPerformance_scripts prints the table of lists that scripts read: a million objects in each format. CSV, which has
// nothing to escape or to indent, is the baseline; an expression of --jq is given each row.
func TestPerformance_scripts(t *testing.T) {
	if os.Getenv("LOOKOUT_PERFORMANCE") == "" {
		t.Skip("measures only if LOOKOUT_PERFORMANCE is set, as .ci/performance does")
	}
	dir := t.TempDir()
	lookout := buildBinary(t, dir, "lookout", ".")
	address := serveLargeAccount(t, lookout)
	formats := []string{"csv", "table", "json", "ndjson", "ndjson --jq ."}
	const rounds = 3
	times, memory := map[string][]time.Duration{}, map[string]int64{}
	for range rounds {
		for _, format := range formats {
			took, kilobytes := runListing(t, lookout, address, format)
			times[format] = append(times[format], took)
			memory[format] = max(memory[format], kilobytes)
		}
	}
	fmt.Println("| a million objects, listed by a script | time s | relative to CSV | RSS MB |")
	fmt.Println("|---|---|---|---|")
	for _, format := range formats {
		slices.Sort(times[format])
		median := times[format][rounds/2].Seconds()
		ratio := median / times["csv"][rounds/2].Seconds()
		fmt.Printf("| `-o %s` | %.2f | %.2f × | %d |\n", format, median, ratio, memory[format]>>10)
	}
}

// runListing lists a million objects in a format, and returns how long that took and the most memory that it needed.
func runListing(t *testing.T, lookout, address, format string) (took time.Duration, kilobytes int64) {
	t.Helper()
	line := "objects list us-east-1/million -r --base-url " + address + " -o " + format
	c := exec.Command(lookout, strings.Fields(line)...)
	c.Env = append(os.Environ(), performanceEnv(t.TempDir())...)
	var out byteCounter // holds nothing: the memory of this process would count as that of the new one
	c.Stdout = &out
	begun := time.Now()
	if err := c.Run(); err != nil || out < 50_000_000 {
		t.Fatalf("%s: %v, %d bytes", format, err, out)
	}
	return time.Since(begun), int64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
}

// TestPerformance_sizes prints what it takes to read the sizes of a million objects (S) beside reading their names (G),
// and what the questions about a million marked objects take until their first word and until they can be answered.
func TestPerformance_sizes(t *testing.T) {
	if os.Getenv("LOOKOUT_PERFORMANCE") == "" {
		t.Skip("measures only if LOOKOUT_PERFORMANCE is set, as .ci/performance does")
	}
	dir := t.TempDir()
	lookout := buildBinary(t, dir, "lookout", ".")
	address, env := serveLargeAccount(t, lookout), append(performanceEnv(dir), "XDG_STATE_HOME="+t.TempDir())
	open := func() *timedProgram {
		m := startTimed(t, env, lookout, "--base-url", address, "--view", "buckets")
		m.waitFor("million")
		m.typeKeys("/million\r\r")
		m.waitFor("data/")
		return m
	}
	fmt.Println("| a million objects | first text ms | total s | RSS MB |")
	fmt.Println("|---|---|---|---|")
	press := func(m *timedProgram, name, key, first, last string) {
		at := time.Now()
		m.typeKeys(key)
		word := m.waitFor(first).Sub(at)
		took := m.waitFor(last).Sub(at)
		fmt.Printf("| %s | %.0f | %.2f | %s |\n", name, float64(word)/1e6, took.Seconds(), m.rss())
	}
	for range 3 {
		m := open()
		press(m, "`S`: the sizes of all folders", "S", "reading sizes", "in all")
		m.kill()
		m = open()
		m.typeKeys("f")
		m.waitFor("(flat)")
		press(m, "`G`: all names", "G", "still reading", "object-999999")
		m.typeKeys("A")
		m.waitFor("1,000,000 marked")
		press(m, "`D` on all of them, marked", "D", "counting", "Delete 1,000,000")
		m.kill()
		m = open()
		m.typeKeys("f")
		m.waitFor("(flat)")
		m.typeKeys("G")
		m.waitFor("object-999999")
		m.typeKeys("A")
		m.waitFor("1,000,000 marked")
		press(m, "`w` on all of them, marked", "w", "counting", "1,000,000 files")
		m.kill()
	}
}

// TestPerformance_preview prints the time from the key that moves the cursor to an object until its first bytes are on
// the screen.
func TestPerformance_preview(t *testing.T) {
	if os.Getenv("LOOKOUT_PERFORMANCE") == "" {
		t.Skip("measures only if LOOKOUT_PERFORMANCE is set, as .ci/performance does")
	}
	const rounds = 9
	dir := t.TempDir()
	lookout := buildBinary(t, dir, "lookout", ".")
	env := append(performanceEnv(dir), "XDG_STATE_HOME="+t.TempDir())
	fmt.Println("| an answer takes ms | the preview is there after ms |")
	fmt.Println("|---|---|")
	for _, delay := range []string{"0", "100"} {
		var faults []string
		for _, operation := range []string{"create object URL", "object get"} {
			if delay != "0" {
				faults = append(faults, "--fault", operation+" delay="+delay+"ms")
			}
		}
		address := serveAccount(t, lookout, "demo", faults...)
		var times []time.Duration
		for range rounds {
			m := startTimed(t, env, lookout, "--base-url", address, "--view", "buckets")
			m.waitFor("cdn.acme.net")
			m.typeKeys("/cdn.acme\r\r")
			m.waitFor("index.html")
			m.typeKeys("G")
			m.waitFor("5 of 5")
			at := time.Now()
			m.typeKeys("k")
			times = append(times, m.waitFor("<h1>Acme").Sub(at))
			m.kill()
		}
		slices.Sort(times)
		fmt.Printf("| %s | %.0f |\n", delay, float64(times[rounds/2])/1e6)
	}
}

// TestPerformance_sync prints what it takes to sync many files, and to sync them again.
func TestPerformance_sync(t *testing.T) {
	if os.Getenv("LOOKOUT_PERFORMANCE") == "" {
		t.Skip("measures only if LOOKOUT_PERFORMANCE is set, as .ci/performance does")
	}
	const files = 10_000
	dir, folder := t.TempDir(), t.TempDir()
	lookout := buildBinary(t, dir, "lookout", ".")
	address, env := serveAccount(t, lookout, "demo"), append(performanceEnv(dir), "XDG_STATE_HOME="+t.TempDir())
	for i := range files {
		name := filepath.Join(folder, fmt.Sprintf("d%02d", i%50), fmt.Sprintf("%05d", i))
		err := os.MkdirAll(filepath.Dir(name), 0o700)
		if err = errors.Join(err, os.WriteFile(name, fmt.Appendf(nil, "file %d", i), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Println("| `objects sync` of 10,000 files | s | it says |")
	fmt.Println("|---|---|---|")
	for _, run := range []string{"first run", "second run"} {
		c := exec.Command(lookout, "--base-url", address, "objects", "sync", folder, "us-east-1/acme-backups/many")
		c.Env = append(os.Environ(), env...)
		at := time.Now()
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		fmt.Printf("| %s | %.2f | %s |\n", run, time.Since(at).Seconds(), bytes.TrimSpace(out))
	}
}

// A byteCounter counts what is written to it.
type byteCounter int

// Write implements io.Writer.
func (n *byteCounter) Write(p []byte) (int, error) {
	*n += byteCounter(len(p))
	return len(p), nil
}

// performanceEnv returns the variables of a measured program.
func performanceEnv(home string) []string {
	return []string{
		"HOME=" + home,
		"XDG_CONFIG_HOME=" + home,
		"XDG_STATE_HOME=" + home,
		"XDG_CACHE_HOME=" + home,
		"LOOKOUT_TOKEN=demo",
	}
}

// buildBinary builds the program, stripped as for a release.
func buildBinary(t *testing.T, dir, name, source string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	c := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, source)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// serveLargeAccount serves the emulated API with a large account on loopback.
func serveLargeAccount(t *testing.T, lookout string) (address string) {
	t.Helper()
	return serveAccount(t, lookout, "large")
}

// serveAccount serves the emulated API with the account of a seed on loopback.
func serveAccount(t *testing.T, lookout, seed string, flags ...string) (address string) {
	t.Helper()
	c := exec.Command(lookout, append([]string{"emulate", "--seed", seed}, flags...)...)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if address, found := strings.CutPrefix(strings.TrimSpace(line), "listening on "); found {
		return address
	}
	t.Fatal(errors.Join(err, fmt.Errorf("the emulator says %q", line)))
	return ""
}
