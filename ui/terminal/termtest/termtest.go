// Package termtest runs a screen on a virtual terminal in the test's own process.
package termtest

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"lookout/ui/terminal"
)

// Terminal is a program on a virtual terminal.
type Terminal struct {
	t     *testing.T
	emu   *vt.SafeEmulator
	input *io.PipeWriter

	mu        sync.Mutex
	changed   chan struct{}
	bytes     int
	clipboard string
	written   strings.Builder
	ended     chan int
}

// waitTimeout is how long a text may take to appear.
const waitTimeout = 20 * time.Second

// New starts a screen on a terminal of a size. It is ended with the test.
func New(t *testing.T, width, height int, s terminal.Screen) *Terminal {
	t.Helper()
	return start(t, width, height, s, false)
}

// NewLinear starts a screen on a terminal to which lines are added.
func NewLinear(t *testing.T, width, height int, s terminal.Screen) *Terminal {
	t.Helper()
	return start(t, width, height, s, true)
}

func start(t *testing.T, width, height int, s terminal.Screen, linear bool) *Terminal {
	t.Helper()
	in, typed := io.Pipe()
	v := &Terminal{
		t:       t,
		emu:     vt.NewSafeEmulator(width, height),
		input:   typed,
		changed: make(chan struct{}),
		ended:   make(chan int, 1),
	}
	go func() { _, _ = io.Copy(typed, v.emu) }() // answers of the terminal
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		code, err := terminal.Run(ctx, s, terminal.Options{
			In:     in,
			Out:    v,
			Linear: linear,
			Size:   func() (int, int) { return width, height },
		})
		if err != nil {
			t.Error(err)
		}
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

// Write is the terminal's side of what the program writes.
func (v *Terminal) Write(p []byte) (int, error) {
	n, err := v.emu.Write(p)
	v.mu.Lock()
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
	v.mu.Unlock()
	return n, err
}

// BytesWritten is how much has been written so far.
func (v *Terminal) BytesWritten() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.bytes
}

// Output is every byte that was written so far.
func (v *Terminal) Output() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.written.String()
}

// WaitOutput waits until something that is not to be seen has been written so many times.
func (v *Terminal) WaitOutput(bytes string, times int) {
	v.t.Helper()
	v.waitUntil(
		fmt.Sprintf("%d times %q", times, bytes),
		func(string) bool { return strings.Count(v.Output(), bytes) >= times },
	)
}

// WaitClipboard waits for a text on the clipboard and takes it away from there.
func (v *Terminal) WaitClipboard() string {
	v.t.Helper()
	text := ""
	v.waitUntil("a text on the clipboard", func(string) bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		text, v.clipboard = v.clipboard, ""
		return text != ""
	})
	return text
}

// BytesAfter lets some time pass and gives how much has been written by then: for programs that ought to be still.
func (v *Terminal) BytesAfter(d time.Duration) int {
	time.Sleep(d)
	return v.BytesWritten()
}

// WaitIdle waits until nothing has been written for some time, and gives how much has been by then.
func (v *Terminal) WaitIdle(d time.Duration) int {
	v.t.Helper()
	deadline := time.Now().Add(waitTimeout)
	for n := v.BytesWritten(); ; {
		m := v.BytesAfter(d)
		if m == n {
			return n
		}
		if n = m; time.Now().After(deadline) {
			v.t.Fatalf("it is never still for %v", d)
		}
	}
}

// Screen is what is to be seen, as text.
func (v *Terminal) Screen() string { return ansi.Strip(v.emu.Render()) }

// WaitFor waits until a text is on the screen.
func (v *Terminal) WaitFor(text string) {
	v.t.Helper()
	v.waitUntil(text, func(screen string) bool { return strings.Contains(screen, text) })
}

// WaitGone waits until a text is on the screen no more.
func (v *Terminal) WaitGone(text string) {
	v.t.Helper()
	v.waitUntil("no "+text, func(screen string) bool { return !strings.Contains(screen, text) })
}

func (v *Terminal) waitUntil(what string, there func(string) bool) {
	v.t.Helper()
	deadline := time.After(waitTimeout)
	for {
		v.mu.Lock()
		changed := v.changed
		v.mu.Unlock()
		if there(v.Screen()) {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			v.t.Fatalf("waited in vain for %s:\n%s", what, v.Screen())
		}
	}
}

// Type sends keys: names in angle brackets, all else as it stands.
func (v *Terminal) Type(keys ...string) {
	v.t.Helper()
	names := map[string]string{
		"<enter>":     "\r",
		"<esc>":       "\x1b",
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
		if bytes, named := names[k]; named {
			k = bytes
		}
		if _, err := io.WriteString(v.input, k); err != nil {
			v.t.Fatalf("the program reads no more: %v", err)
		}
	}
}

// WaitExit waits for the program's end and gives its exit code.
func (v *Terminal) WaitExit() int {
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
