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

// T is a program on a virtual terminal.
type T struct {
	t     *testing.T
	emu   *vt.SafeEmulator
	typed *io.PipeWriter

	mu      sync.Mutex
	changed chan struct{}
	bytes   int
	clip    string
	written strings.Builder
	ended   chan int
}

// patience is how long a text may take to appear.
const patience = 20 * time.Second

// New starts a screen on a terminal of a size. It is ended with the test.
func New(t *testing.T, width, height int, s terminal.Screen) *T {
	t.Helper()
	return run(t, width, height, s, false)
}

// NewLinear starts a screen on a terminal to which lines are added.
func NewLinear(t *testing.T, width, height int, s terminal.Screen) *T {
	t.Helper()
	return run(t, width, height, s, true)
}

func run(t *testing.T, width, height int, s terminal.Screen, linear bool) *T {
	t.Helper()
	in, typed := io.Pipe()
	v := &T{t: t, emu: vt.NewSafeEmulator(width, height), typed: typed, changed: make(chan struct{}), ended: make(chan int, 1)}
	go func() { _, _ = io.Copy(typed, v.emu) }() // answers of the terminal
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		code, err := terminal.Run(ctx, s, terminal.Options{In: in, Out: v, Linear: linear, Size: func() (int, int) { return width, height }})
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
		case <-time.After(patience):
			t.Error("the program does not end")
		}
	})
	return v
}

// Write is the terminal's side of what the program writes.
func (v *T) Write(p []byte) (int, error) {
	n, err := v.emu.Write(p)
	v.mu.Lock()
	v.bytes += len(p)
	v.written.Write(p)
	if _, after, copied := strings.Cut(string(p), "\x1b]52;c;"); copied {
		text, _, _ := strings.Cut(after, "\a")
		if data, err := base64.StdEncoding.DecodeString(text); err == nil {
			v.clip = string(data)
		}
	}
	close(v.changed)
	v.changed = make(chan struct{})
	v.mu.Unlock()
	return n, err
}

// Bytes is how much has been written so far.
func (v *T) Bytes() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.bytes
}

// Written is every byte that was written so far.
func (v *T) Written() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.written.String()
}

// WaitWritten waits until something that is not to be seen has been written so many times.
func (v *T) WaitWritten(bytes string, times int) {
	v.t.Helper()
	v.until(fmt.Sprintf("%d times %q", times, bytes), func(string) bool { return strings.Count(v.Written(), bytes) >= times })
}

// Copied waits for a text on the clipboard and takes it away from there.
func (v *T) Copied() string {
	v.t.Helper()
	text := ""
	v.until("a text on the clipboard", func(string) bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		text, v.clip = v.clip, ""
		return text != ""
	})
	return text
}

// Settled lets some time pass and gives how much has been written by then: for programs that ought to be still.
func (v *T) Settled(d time.Duration) int {
	time.Sleep(d)
	return v.Bytes()
}

// Still waits until nothing has been written for some time, and gives how much has been by then.
func (v *T) Still(d time.Duration) int {
	v.t.Helper()
	deadline := time.Now().Add(patience)
	for n := v.Bytes(); ; {
		m := v.Settled(d)
		if m == n {
			return n
		}
		if n = m; time.Now().After(deadline) {
			v.t.Fatalf("it is never still for %v", d)
		}
	}
}

// Screen is what is to be seen, as text.
func (v *T) Screen() string { return ansi.Strip(v.emu.Render()) }

// WaitFor waits until a text is on the screen.
func (v *T) WaitFor(text string) {
	v.t.Helper()
	v.until(text, func(screen string) bool { return strings.Contains(screen, text) })
}

// WaitGone waits until a text is on the screen no more.
func (v *T) WaitGone(text string) {
	v.t.Helper()
	v.until("no "+text, func(screen string) bool { return !strings.Contains(screen, text) })
}

func (v *T) until(what string, there func(string) bool) {
	v.t.Helper()
	deadline := time.After(patience)
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
func (v *T) Type(keys ...string) {
	v.t.Helper()
	names := map[string]string{"<enter>": "\r", "<esc>": "\x1b", "<tab>": "\t", "<up>": "\x1b[A", "<down>": "\x1b[B", "<right>": "\x1b[C", "<left>": "\x1b[D",
		"<backspace>": "\x7f", "<ctrl+s>": "\x13", "<ctrl+c>": "\x03", "<ctrl+o>": "\x0f"}
	for _, k := range keys {
		if bytes, named := names[k]; named {
			k = bytes
		}
		if _, err := io.WriteString(v.typed, k); err != nil {
			v.t.Fatalf("the program reads no more: %v", err)
		}
	}
}

// Ended waits for the program's end and gives its exit code.
func (v *T) Ended() int {
	v.t.Helper()
	select {
	case code := <-v.ended:
		v.ended <- code
		return code
	case <-time.After(patience):
		v.t.Fatal("the program does not end")
		return -1
	}
}
