//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// A terminal is the size and kind of a terminal, and the line that leads to it.
type terminal struct {
	cols, rows    int
	margins       bool          // it answers that it has left and right margins
	bitsPerSecond int           // 10 for each byte; 0 is unlimited
	roundTrip     time.Duration // half of it each way
}

// fastTerminal is a terminal on this machine.
func fastTerminal() terminal { return terminal{cols: 200, rows: 50} }

func (t terminal) String() string {
	text := fmt.Sprintf("%dx%d", t.cols, t.rows)
	if !t.margins {
		text += " without margins"
	}
	if t.bitsPerSecond > 0 {
		text += fmt.Sprintf(", %d kbit/s, round trip %d ms", t.bitsPerSecond/1000, t.roundTrip.Milliseconds())
	}
	return text
}

// A chunk is some input or output, and when it arrives.
type chunk struct {
	text []byte
	at   time.Time
}

// A program runs in a pty. It records when its output arrives at the terminal.
type program struct {
	terminal
	cmd    *exec.Cmd
	tty    *os.File
	screen *vt.SafeEmulator
	start  time.Time
	typed  chan chunk
	tail   string // of the output, in which a request may begin

	mu    sync.Mutex
	bytes int       // since the last reset
	first time.Time // of those bytes
	last  time.Time
	want  string // to be on the screen
	found chan time.Time
}

// start starts a program on a terminal.
func (m *measurer) start(t terminal, name string, args ...string) *program {
	p := &program{
		terminal: t,
		cmd:      exec.Command(name, args...),
		screen:   vt.NewSafeEmulator(t.cols, t.rows),
		typed:    make(chan chunk, 1<<10),
		found:    make(chan time.Time, 1),
	}
	p.cmd.Env = append(m.env(), "TERM=xterm-256color", "LANG=C.UTF-8", "COLORTERM=truecolor")
	p.start = time.Now()
	tty, err := pty.StartWithSize(p.cmd, &pty.Winsize{Cols: uint16(t.cols), Rows: uint16(t.rows)})
	check(err)
	p.tty = tty
	m.atEnd(p.kill)
	sent, arrived := make(chan chunk, 1<<16), make(chan chunk, 1<<16)
	go p.read(sent)
	go p.receive(sent, arrived)
	go p.draw(arrived)
	go p.sendInput()
	go func() { _, _ = io.Copy(io.Discard, p.screen) }() // its own answers would come late
	return p
}

// read reads the output as fast as the line carries it, so that writes hang like those to a modem.
func (p *program) read(sent chan<- chunk) {
	defer close(sent)
	size, rate := 1<<14, float64(p.bitsPerSecond)/10
	if rate > 0 {
		size = int(rate * 0.008) // 8 ms of it
	}
	var free time.Time
	for {
		buffer := make([]byte, size)
		n, err := p.tty.Read(buffer)
		if err != nil {
			return
		}
		at := time.Now()
		if rate > 0 {
			if free.Before(at) {
				free = at
			}
			free = free.Add(time.Duration(float64(n) / rate * 1e9))
			time.Sleep(time.Until(free))
			at = free
		}
		sent <- chunk{buffer[:n], at.Add(p.roundTrip / 2)}
	}
}

// receive counts the output when it arrives, and answers requests in it.
func (p *program) receive(sent <-chan chunk, arrived chan<- chunk) {
	defer close(arrived)
	for c := range sent {
		time.Sleep(time.Until(c.at))
		p.mu.Lock()
		if p.bytes == 0 {
			p.first = c.at
		}
		p.bytes, p.last = p.bytes+len(c.text), c.at
		p.mu.Unlock()
		if p.margins && strings.Contains(string(c.text), "\x1b[?69$p") {
			p.typeKeys("\x1b[?69;2$y")
		}
		parts := strings.Split(p.tail+string(c.text), "\x1b[5n")
		for range parts[1:] {
			p.typeKeys("\x1b[0n")
		}
		p.tail = parts[len(parts)-1]
		p.tail = p.tail[max(0, len(p.tail)-3):]
		arrived <- c
	}
}

// draw shows the output, apart from receive because the virtual screen is slower than a terminal.
func (p *program) draw(arrived <-chan chunk) {
	for c := range arrived {
		_, _ = p.screen.Write(c.text)
		p.mu.Lock()
		p.checkWanted(c.at)
		p.mu.Unlock()
	}
}

// checkWanted reports when the wanted text is on the screen.
func (p *program) checkWanted(at time.Time) {
	if p.want != "" && strings.Contains(p.text(), p.want) {
		p.want = ""
		p.found <- at
	}
}

func (p *program) text() string { return ansi.Strip(p.screen.Render()) }

func (p *program) typeKeys(keys string) {
	p.typed <- chunk{[]byte(keys), time.Now().Add(p.roundTrip / 2)}
}

func (p *program) sendInput() {
	for c := range p.typed {
		time.Sleep(time.Until(c.at))
		if _, err := p.tty.Write(c.text); err != nil {
			return
		}
	}
}

func (p *program) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	p.tty.Close()
}

// waitFor waits for a text on the screen and returns when it appeared.
func (p *program) waitFor(text string) time.Time {
	p.mu.Lock()
	p.want = text
	p.checkWanted(p.last)
	p.mu.Unlock()
	select {
	case at := <-p.found:
		return at
	case <-time.After(3 * time.Minute): // ten million objects take one
		panic(failure(fmt.Sprintf("waited in vain for %q:\n%s", text, strings.TrimSpace(p.text()))))
	}
}

// typeUntil types keys, and returns how long it takes until a text is on the screen.
func (p *program) typeUntil(keys, text string) time.Duration {
	at := time.Now()
	p.typeKeys(keys)
	return p.waitFor(text).Sub(at)
}

// open types keys, each followed by a text to wait for.
func (p *program) open(steps ...string) *program {
	for step := range slices.Chunk(steps, 2) {
		p.typeUntil(step[0], step[1])
	}
	return p
}

// waitQuiet waits until nothing has been drawn for a time, and returns when the last output came.
func (p *program) waitQuiet(d time.Duration) time.Time {
	for {
		p.mu.Lock()
		last := p.last
		p.mu.Unlock()
		if time.Since(last) >= d {
			return last
		}
		time.Sleep(time.Until(last.Add(d)))
	}
}

// count returns the bytes since the last call, and when the first of them came.
func (p *program) count() (n int, first time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, p.bytes = p.bytes, 0
	return n, p.first
}

// pressKey presses a key and returns the milliseconds until the screen changed, and the bytes of the whole change.
func (p *program) pressKey(key string) (took, bytes float64) {
	p.waitQuiet(20 * time.Millisecond)
	p.count()
	at := time.Now()
	p.typeKeys(key)
	for time.Since(at) < 2*time.Second {
		time.Sleep(100 * time.Microsecond)
		p.mu.Lock()
		changed := p.bytes > 0
		p.mu.Unlock()
		if changed {
			p.waitQuiet(5 * time.Millisecond)
			n, first := p.count()
			return milliseconds(first.Sub(at)), float64(n)
		}
	}
	panic(failure(fmt.Sprintf("%q changes nothing:\n%s", key, p.text())))
}

// slowestKey presses keys of one character each, and returns the milliseconds of the slowest.
func (p *program) slowestKey(keys string) (slowest float64) {
	p.waitQuiet(time.Second)
	for _, key := range keys {
		took, _ := p.pressKey(string(key))
		slowest = max(slowest, took)
	}
	return slowest
}

// moveCursor moves the cursor some rows away and back, and returns p50 and p99 of the times, and the mean bytes.
func (p *program) moveCursor(forth, back string) []float64 {
	const n = 300
	times, sum := make([]float64, n), 0.0
	for i := range times {
		key := forth
		if i%8 >= 4 {
			key = back
		}
		took, bytes := p.pressKey(key)
		times[i], sum = took, sum+bytes
		time.Sleep(time.Duration(i*7%13) * time.Millisecond) // so that a ticker is met anywhere
	}
	slices.Sort(times)
	return []float64{times[n/2], times[n*99/100], sum / n}
}

// scroll scrolls a list and returns the mean bytes of a row.
func (p *program) scroll() float64 {
	const presses = 90
	sum := 0.0
	for i := range p.rows + presses {
		if _, bytes := p.pressKey("j"); i >= p.rows { // the cursor has reached the last line
			sum += bytes
		}
	}
	return sum / presses
}

// holdKey holds a key down for 3 s in a list of 5,000 services. It returns how many seconds after the last press the
// screen was complete, and how many presses have had no effect.
func (p *program) holdKey() []float64 {
	p.waitQuiet(time.Second)
	const presses = 90
	var last time.Time
	next := time.Now()
	for range presses {
		time.Sleep(time.Until(next))
		last, next = time.Now(), next.Add(time.Second/30)
		p.typeKeys("j")
	}
	time.Sleep(p.roundTrip)
	lag := p.waitQuiet(time.Second).Sub(last).Seconds()
	found := regexp.MustCompile(`([0-9,]+) of 5,000`).FindStringSubmatch(p.text())
	if found == nil {
		panic(failure("the screen does not say where the cursor is:\n" + p.text()))
	}
	at, err := strconv.Atoi(strings.ReplaceAll(found[1], ",", ""))
	check(err)
	return []float64{lag, float64(1 + presses - at)}
}

// rest returns the megabytes of memory, and the CPU milliseconds and the bytes written in a second at rest.
func (p *program) rest() []float64 {
	time.Sleep(time.Until(p.start.Add(70 * time.Second))) // until all ages are in minutes
	p.count()
	before := p.cpu()
	const seconds = 21 // every list is polled once
	time.Sleep(seconds * time.Second)
	cpu := milliseconds(p.cpu() - before)
	n, _ := p.count()
	return []float64{p.memory() / (1 << 20), cpu / seconds, float64(n) / seconds}
}

// memory returns the resident memory in bytes.
func (p *program) memory() float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	check(err)
	_, text, _ := strings.Cut(string(status), "VmRSS:")
	var kilobytes float64
	_, err = fmt.Sscan(text, &kilobytes)
	check(err)
	return kilobytes * 1024
}

// cpu returns the processor time that the program has used.
func (p *program) cpu() (sum time.Duration) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.cmd.Process.Pid))
	for _, task := range tasks {
		var used time.Duration
		if data, err := os.ReadFile(task); err == nil {
			_, _ = fmt.Sscan(string(data), &used)
			sum += used
		}
	}
	return sum
}
