package dashboard

import (
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"lookout/client/emulator"
	"lookout/cmd/internal/config"
	"lookout/ui/terminal"
	"lookout/ui/terminal/termtest"
)

// Sequences that only a frame contains: the accent of the dark and of the light theme.
const darkAccent, lightAccent = "\x1b[38;2;125;207;255m", "\x1b[38;2;0;95;175m"

// lightTerminal answers that its background is white, but only when it has shown a dark frame. It keeps what is written
// to it.
type lightTerminal struct {
	typed *io.PipeWriter

	mu       sync.Mutex
	out      strings.Builder
	answered bool
}

func (l *lightTerminal) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out.Write(p)
	shown := l.out.String()
	if !l.answered && strings.Contains(shown, "\x1b]11;?") && strings.Contains(shown, darkAccent) {
		l.answered = true
		go func() {
			for _, part := range []string{"\x1b]11;rg", "b:ffff/ffff/", "ffff\x1b\\"} {
				time.Sleep(20 * time.Millisecond)
				_, _ = io.WriteString(l.typed, part)
			}
		}()
	}
	return len(p), nil
}

func (l *lightTerminal) output() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.String()
}

// A terminal that reports a light background late and in pieces gets the light theme. The first frame does not wait for
// it, and no letter of the answer counts as a key.
func TestALightTerminalGetsTheLightTheme(t *testing.T) {
	for name, value := range map[string]string{
		"COLORTERM": "truecolor",
		"TERM":      "xterm-256color",
		"NO_COLOR":  "",
		"COLORFGBG": "",
		"TMUX":      "",
	} {
		t.Setenv(name, value)
	}
	termtest.InFakeTime(t, func(t *testing.T) {
		s, err := newTestShell(
			t, emulator.New(emulator.Options{Token: "demo"}), config.Settings{Account: "acme-prod", Theme: "auto"},
		)
		if err != nil {
			t.Fatal(err)
		}
		in, typed := io.Pipe()
		out := &lightTerminal{typed: typed}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = terminal.Run(
				t.Context(), s, terminal.Options{In: in, Out: out, Size: func() (int, int) { return 120, 36 }},
			)
		}()
		for end := time.Now().Add(20 * time.Second); !strings.Contains(out.output(), lightAccent); time.Sleep(
			5 * time.Millisecond,
		) {
			if time.Now().After(end) {
				t.Fatalf("no dark frame before the answer, or no light one after it:\n%q", out.output())
			}
		}
		for _, sign := range []string{"Go to", "Credentials ▲", "rgb"} {
			if strings.Contains(out.output(), sign) {
				t.Errorf("the answer was taken for keys: %q", sign)
			}
		}
		typed.Close()
		<-ended
	})
}
