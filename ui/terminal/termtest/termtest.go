// Package termtest runs a screen on a virtual terminal inside a test's process.
package termtest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"lookout/ui/terminal"
	"lookout/ui/uitest"
)

// VirtualTerminal is a virtual terminal with a program on it.
type VirtualTerminal struct {
	t     *testing.T
	emu   *vt.SafeEmulator
	input *io.PipeWriter
	sent  chan []byte // written and not yet shown; nil at the end

	mu        sync.Mutex
	changed   chan struct{}
	bytes     int
	clipboard string
	written   strings.Builder
	ended     chan int
}

// waitTimeout is how long anything that a test waits for may take.
const waitTimeout = time.Minute

// InFakeTime runs a test in fake time, which moves on whenever everything waits. Nothing in it may wait for another
// process.
func InFakeTime(t *testing.T, test func(*testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		t.Cleanup(func() { time.Sleep(72 * time.Hour) }) // the last one: timers that are still armed end
		defer time.Sleep(time.Second)                    // Bubble Tea's reader hangs if keys are left at its end
		test(t)
	})
}

// New starts a screen on a terminal with a size. It ends with the test.
func New(t *testing.T, width, height int, s terminal.Program) *VirtualTerminal {
	t.Helper()
	return start(t, width, height, s, false)
}

// NewLinear starts a screen on a linear terminal, which only appends lines.
func NewLinear(t *testing.T, width, height int, s terminal.Program) *VirtualTerminal {
	t.Helper()
	return start(t, width, height, s, true)
}

func start(t *testing.T, width, height int, s terminal.Program, linear bool) *VirtualTerminal {
	t.Helper()
	in, typed := io.Pipe()
	v := &VirtualTerminal{
		t:       t,
		emu:     vt.NewSafeEmulator(width, height),
		input:   typed,
		sent:    make(chan []byte, 1000),
		changed: make(chan struct{}),
		ended:   make(chan int, 1),
	}
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		for p := <-v.sent; p != nil; p = <-v.sent {
			v.show(p)
		}
	}()
	go func() {
		_, _ = io.Copy(answers{typed}, v.emu) // the terminal answers queries
		_, _ = io.Copy(io.Discard, v.emu)     // after the end nobody reads the answers, and nothing may wait for that
	}()
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		code, err := terminal.Run(ctx, s, terminal.Options{
			In:     in,
			Out:    v,
			Term:   "xterm-256color",
			Linear: linear,
			Size:   func() (int, int) { return width, height },
		})
		if err != nil {
			t.Error(err)
		}
		in.Close()
		v.sent <- nil
		<-shown
		_ = v.emu.InputPipe().(io.Closer).Close()
		v.ended <- code
	}()
	t.Cleanup(func() {
		cancel()
		typed.Close()
		select {
		case <-v.ended:
		case <-time.After(waitTimeout):
			t.Error("the program does not end")
		}
	})
	return v
}

// answers passes on what the emulator answers. It leaves out the answers to requests for the status, which show gives:
// the emulator answers later, and as no terminal does.
type answers struct{ typed io.Writer }

func (a answers) Write(p []byte) (int, error) {
	if rest := bytes.ReplaceAll(p, []byte("\x1b[?0n"), nil); len(rest) > 0 {
		if _, err := a.typed.Write(rest); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Write receives the program's output. Like a real terminal, it takes it at once and shows it later: on a busy machine,
// a write that takes long would count as a terminal that does not respond.
func (v *VirtualTerminal) Write(p []byte) (int, error) {
	v.sent <- bytes.Clone(p)
	return len(p), nil
}

// show shows output, and answers the requests for the status in it before a test can see the screen.
func (v *VirtualTerminal) show(p []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, _ = v.emu.Write(p)
	for range bytes.Count(p, []byte("\x1b[5n")) {
		_, _ = io.WriteString(v.input, "\x1b[0n")
	}
	v.bytes += len(p)
	v.written.Write(p)
	if _, after, copied := strings.Cut(string(p), "\x1b]52;c;"); copied {
		text, _, _ := strings.Cut(after, "\a")
		if data, err := base64.StdEncoding.DecodeString(text); err == nil {
			v.clipboard = string(data)
		}
	}
	close(v.changed)
	v.changed = make(chan struct{})
}

// BytesWritten returns the number of bytes written so far.
func (v *VirtualTerminal) BytesWritten() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.bytes
}

// Output returns all bytes written so far.
func (v *VirtualTerminal) Output() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.written.String()
}

// WaitOutput waits until some bytes, visible or not, have been written a number of times.
func (v *VirtualTerminal) WaitOutput(bytes string, times int) {
	v.t.Helper()
	v.WaitUntil(
		fmt.Sprintf("%d times %q", times, bytes),
		func(string) bool { return strings.Count(v.Output(), bytes) >= times },
	)
}

// WaitClipboard waits for text on the clipboard, returns it, and clears the clipboard.
func (v *VirtualTerminal) WaitClipboard() string {
	v.t.Helper()
	text := ""
	v.WaitUntil("text on the clipboard", func(string) bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		text, v.clipboard = v.clipboard, ""
		return text != ""
	})
	return text
}

// BytesAfter returns BytesWritten after some time, to test that an idle program writes nothing.
func (v *VirtualTerminal) BytesAfter(d time.Duration) int {
	time.Sleep(d)
	return v.BytesWritten()
}

// WaitIdle waits until nothing has been written for some time, and returns BytesWritten.
func (v *VirtualTerminal) WaitIdle(d time.Duration) int {
	v.t.Helper()
	deadline := time.Now().Add(waitTimeout)
	for n := v.BytesWritten(); ; {
		m := v.BytesAfter(d)
		if m == n {
			return n
		}
		if n = m; time.Now().After(deadline) {
			v.t.Fatalf("the program is never idle for %v", d)
		}
	}
}

// Screen returns the content of the screen as text. Between two pieces of a frame it shows parts of both frames: a test
// that looks at more than one place of the screen uses WaitUntil.
func (v *VirtualTerminal) Screen() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return ansi.Strip(v.emu.Render())
}

// WaitFor waits until the screen contains a text.
func (v *VirtualTerminal) WaitFor(text string) {
	v.t.Helper()
	v.WaitUntil(text, func(screen string) bool { return strings.Contains(screen, text) })
}

// WaitGone waits until the screen no longer contains a text.
func (v *VirtualTerminal) WaitGone(text string) {
	v.t.Helper()
	v.WaitUntil("no "+text, func(screen string) bool { return !strings.Contains(screen, text) })
}

// WaitUntil waits until the whole screen fulfils a condition, which what describes.
func (v *VirtualTerminal) WaitUntil(what string, reached func(screen string) bool) {
	v.t.Helper()
	deadline := time.After(waitTimeout)
	for {
		v.mu.Lock()
		changed := v.changed
		v.mu.Unlock()
		if reached(v.Screen()) {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			v.t.Fatalf("timed out waiting for %s:\n%s", what, v.Screen())
		}
	}
}

// Type sends keys: names in angle brackets such as "<enter>", and any other text as it is. Escape is sent as terminals
// send it that tell it from alt: on a busy machine, a program that reads late takes "\x1b" and the key behind it for
// one key.
func (v *VirtualTerminal) Type(keys ...string) {
	v.t.Helper()
	names := map[string]string{
		"<enter>":     "\r",
		"<esc>":       "\x1b[27u",
		"<tab>":       "\t",
		"<up>":        "\x1b[A",
		"<down>":      "\x1b[B",
		"<right>":     "\x1b[C",
		"<left>":      "\x1b[D",
		"<backspace>": "\x7f",
		"<ctrl+s>":    "\x13",
		"<ctrl+c>":    "\x03",
		"<ctrl+o>":    "\x0f",
	}
	for _, k := range keys {
		for _, part := range uitest.Split(k) {
			if _, err := io.WriteString(v.input, cmp.Or(names[part], part)); err != nil {
				v.t.Fatalf("the program no longer reads its input: %v", err)
			}
		}
	}
}

// WaitExit waits until the program ends, and returns its exit code.
func (v *VirtualTerminal) WaitExit() int {
	v.t.Helper()
	select {
	case code := <-v.ended:
		v.ended <- code
		return code
	case <-time.After(waitTimeout):
		v.t.Fatal("the program does not end")
		return -1
	}
}
