//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// A meter is a program in a pty of 200x50 that plays a terminal which answers nothing, and tells when what was drawn.
type meter struct {
	t     *testing.T
	cmd   *exec.Cmd
	tty   *os.File
	emu   *vt.SafeEmulator
	start time.Time

	mu    sync.Mutex
	bytes int
	first time.Time // of the bytes since the last reset
	last  time.Time
	want  string // to be on the screen
	found chan time.Time
}

// A piece is some output and when it came.
type piece struct {
	text []byte
	at   time.Time
}

// measured starts a program whose output is timed and shown on a virtual screen.
func measured(t *testing.T, env []string, name string, args ...string) *meter {
	t.Helper()
	m := &meter{t: t, cmd: exec.Command(name, args...), emu: vt.NewSafeEmulator(200, 50), found: make(chan time.Time, 1)}
	m.cmd.Env = append(append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8", "COLORTERM=truecolor"), env...)
	m.start = time.Now()
	tty, err := pty.StartWithSize(m.cmd, &pty.Winsize{Cols: 200, Rows: 50})
	if err != nil {
		t.Fatal(err)
	}
	m.tty = tty
	go func() { _, _ = io.Copy(io.Discard, m.emu) }() // the terminal's answers get nowhere
	drawn := make(chan piece, 1<<16)
	go m.draw(drawn)
	go m.read(drawn)
	return m
}

// draw shows what is read, beside the timing: the virtual screen is slower than a terminal.
func (m *meter) draw(drawn <-chan piece) {
	for p := range drawn {
		_, _ = m.emu.Write(p.text)
		m.mu.Lock()
		m.look(p.at)
		m.mu.Unlock()
	}
}

// look tells when what is wanted is on the screen.
func (m *meter) look(at time.Time) {
	if m.want != "" && strings.Contains(m.screen(), m.want) {
		m.want = ""
		m.found <- at
	}
}

func (m *meter) read(drawn chan<- piece) {
	defer close(drawn)
	for {
		buffer := make([]byte, 1<<14)
		n, err := m.tty.Read(buffer)
		now := time.Now()
		m.mu.Lock()
		if m.bytes == 0 {
			m.first = now
		}
		m.bytes, m.last = m.bytes+n, now
		m.mu.Unlock()
		drawn <- piece{buffer[:n], now}
		if err != nil {
			return
		}
	}
}

// end ends the program.
func (m *meter) end() {
	_ = m.cmd.Process.Kill()
	_ = m.cmd.Wait()
	m.tty.Close()
}

func (m *meter) screen() string { return ansi.Strip(m.emu.Render()) }

// until waits for a text on the screen and gives when it came.
func (m *meter) until(text string) time.Time {
	m.t.Helper()
	m.mu.Lock()
	m.want = text
	m.look(m.last)
	m.mu.Unlock()
	select {
	case at := <-m.found:
		return at
	case <-time.After(time.Minute):
		m.t.Fatalf("waited in vain for %q:\n%s", text, strings.TrimSpace(m.screen()))
		return time.Time{}
	}
}

func (m *meter) types(keys string) {
	m.t.Helper()
	if _, err := m.tty.WriteString(keys); err != nil {
		m.t.Fatal(err)
	}
}

// quiet waits until nothing has been drawn for a time, and gives when the last was.
func (m *meter) quiet(d time.Duration) time.Time {
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

// reset counts bytes anew.
func (m *meter) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes = 0
}

// key presses a key and gives how long the first change of the screen took, and how many bytes all of it.
func (m *meter) key(key string) (time.Duration, int) {
	m.t.Helper()
	m.quiet(20 * time.Millisecond)
	m.reset()
	at := time.Now()
	m.types(key)
	for deadline := at.Add(2 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Microsecond) {
		m.mu.Lock()
		n := m.bytes
		m.mu.Unlock()
		if n > 0 {
			m.quiet(5 * time.Millisecond)
			m.mu.Lock()
			defer m.mu.Unlock()
			return m.first.Sub(at), m.bytes
		}
	}
	m.t.Fatalf("%q changes nothing:\n%s", key, m.screen())
	return 0, 0
}

// A figure is what was measured of a program.
type figure struct {
	name               string
	first, data        time.Duration // from its start; data is 0 where there is none
	p50, p99           time.Duration
	bytes              int // a key
	rss                string
	cpu                time.Duration // a second at rest
	restBytes, restFor int
}

// keys fills in what keys cost: some steps one way from where the cursor is, and back.
func (f *figure) keys(m *meter, n int, forth, back string) {
	times, sum := make([]time.Duration, n), 0
	for i := range n {
		key := forth
		if i%8 >= 4 {
			key = back
		}
		var b int
		times[i], b = m.key(key)
		sum += b
		time.Sleep(time.Duration(i*7%13) * time.Millisecond) // so that a ticker is met anywhere
	}
	slices.Sort(times)
	f.p50, f.p99, f.bytes = times[n/2], times[n*99/100], sum/n
}

// rest fills in what is spent while nobody touches it, and what is held.
func (f *figure) rest(m *meter, d time.Duration) {
	m.quiet(100 * time.Millisecond)
	m.reset()
	before := m.cpu()
	time.Sleep(d)
	f.cpu = time.Duration(float64(m.cpu()-before) / d.Seconds())
	m.mu.Lock()
	f.restBytes, f.restFor = m.bytes, int(d.Seconds())
	m.mu.Unlock()
	f.rss = m.rss()
}

// rss is the memory that is held, in MB.
func (m *meter) rss() string {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", m.cmd.Process.Pid))
	if err != nil {
		m.t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(status), "VmRSS:")
	var kb float64
	fmt.Sscan(text, &kb)
	return fmt.Sprintf("%.0f", kb/1024)
}

// cpu is the time that the program has worked, by the scheduler's own account.
func (m *meter) cpu() (sum time.Duration) {
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

// starts fills in how long the first frame takes, and the data: medians of so many starts.
func (f *figure) starts(t *testing.T, n int, frame, data string, start func() *meter) {
	var first, whole []time.Duration
	for range n {
		m := start()
		first = append(first, m.until(frame).Sub(m.start))
		if data != "" {
			whole = append(whole, m.until(data).Sub(m.start))
		}
		m.end()
	}
	slices.Sort(first)
	f.first = first[n/2]
	if data != "" {
		slices.Sort(whole)
		f.data = whole[n/2]
	}
}

func (f figure) String() string {
	ms := func(d time.Duration) string {
		if d == 0 {
			return "–"
		}
		return fmt.Sprintf("%.2f", float64(d)/1e6)
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %d | %s | %s | %.1f |", f.name, ms(f.first), ms(f.data), ms(f.p50), ms(f.p99), f.bytes, f.rss, ms(f.cpu), float64(f.restBytes)/float64(max(1, f.restFor)))
}

// TestPerformance prints the table of programs: .ci/performance runs it.
func TestPerformance(t *testing.T) {
	if os.Getenv("LOOKOUT_PERFORMANCE") == "" {
		t.Skip("measures only where LOOKOUT_PERFORMANCE is set: .ci/performance")
	}
	dir := t.TempDir()
	lookout, floor := built(t, dir, "lookout", "."), built(t, dir, "floor", "./testdata/floor")
	address := served(t, lookout)
	home := t.TempDir()
	env := []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_CACHE_HOME=" + home, "LOOKOUT_TOKEN=demo"}
	const starts, presses = 15, 300

	bare := figure{name: "floor: Bubble Tea alone, 50 rows"}
	bare.starts(t, starts, "row 049", "", func() *meter { return measured(t, env, floor) })
	m := measured(t, env, floor)
	m.until("row 049")
	bare.keys(m, presses, "j", "k")
	bare.rest(m, 10*time.Second)
	m.end()

	demo := figure{name: "lookout demo, 12 services"}
	demo.starts(t, starts, "lookout", "12 buckets", func() *meter { return measured(t, env, lookout, "demo") })
	m = measured(t, env, lookout, "demo")
	m.until("12 buckets")
	m.types("3")
	m.until("billing-api")
	demo.keys(m, presses, "j", "k")
	demo.rest(m, 21*time.Second)
	m.end()

	large := figure{name: "lookout, 5,000 services over HTTP"}
	opened := func() *meter {
		return measured(t, env, lookout, "--base-url", address, "--view", "services")
	}
	large.starts(t, starts, "lookout", "service-0009", opened)
	m = opened()
	m.until("service-0009")
	large.keys(m, presses, "j", "k")
	large.rest(m, 21*time.Second)
	m.end()

	million := figure{name: "lookout, 1,000,000 objects, at their end"}
	m = measured(t, env, lookout, "--base-url", address, "--view", "buckets")
	m.until("million")
	m.types("/million\r\r")
	m.until("data/")
	m.types("F")
	m.until("(flat)")
	at := time.Now()
	m.types("G")
	read := m.until("object-999999").Sub(at)
	grown := m.rss()
	million.keys(m, presses, "k", "j")
	filter, _ := m.key("/")
	for _, letter := range "object-77777" {
		took, _ := m.key(string(letter))
		filter = max(filter, took)
	}
	m.until("object-777770")
	m.types("\x1b")
	million.rest(m, 21*time.Second)
	m.end()

	info, err := os.Stat(lookout)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("| program, 200x50 | first frame ms | data ms | key p50 ms | key p99 ms | bytes/key | RSS MB | CPU at rest ms/s | bytes/s at rest |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for _, f := range []figure{bare, demo, large, million} {
		fmt.Println(f)
	}
	fmt.Printf("\nA million objects over HTTP, from G to the last on the screen: %.2f s, %s MB then. Slowest key while a filter is typed over them: %.1f ms. Binary: %.1f MB.\n",
		read.Seconds(), grown, float64(filter)/1e6, float64(info.Size())/1e6)
}

// built is a program, stripped as for release.
func built(t *testing.T, dir, name, source string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	c := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, source)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// served is the emulated API with a large account, on this machine.
func served(t *testing.T, lookout string) (address string) {
	t.Helper()
	c := exec.Command(lookout, "emulate", "--seed", "large")
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
