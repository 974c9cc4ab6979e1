package dashboard

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/cmd/internal/config"
	"lookout/ui/terminal"
	"lookout/ui/terminal/termtest"
)

// A simulatedLine carries the program's output to a terminal that answers requests for its status, in fake time.
type simulatedLine struct {
	rate          int  // bytes per second; 0 is unlimited
	silent        bool // the terminal does not answer
	width, height int
	account       emulator.Options
	delay         time.Duration // of the account's answers

	emu     *vt.SafeEmulator
	written chan string
	typed   *io.PipeWriter
	tail    string       // of the output, in which a request may begin
	bytes   atomic.Int64 // that have arrived
	changes atomic.Int64 // that the account has received
}

// A delayedAccount answers each request after the line's delay, and counts the changes.
type delayedAccount struct {
	*emulator.Emulator
	line *simulatedLine
}

func (d delayedAccount) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet {
		d.line.changes.Add(1)
	}
	time.Sleep(d.line.delay)
	return d.Emulator.RoundTrip(r)
}

// runOnLine runs a test in a bubble of fake time, while the program starts on a line.
func runOnLine(t *testing.T, l *simulatedLine, test func(*testing.T, *simulatedLine)) {
	t.Helper()
	termtest.InFakeTime(t, func(t *testing.T) {
		l.account.Token, l.account.Now = "demo", time.Now
		account := delayedAccount{emulator.New(l.account), l}
		program, err := newTestShell(t, account, config.Settings{Account: "acme-prod", Theme: "dark"})
		if err != nil {
			t.Fatal(err)
		}
		in, typed := io.Pipe()
		l.emu, l.written, l.typed = vt.NewSafeEmulator(l.width, l.height), make(chan string, 1000), typed
		go l.carry()
		go func() { _, _ = io.Copy(io.Discard, l.emu) }()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, err := terminal.Run(t.Context(), program, terminal.Options{
				In:   in,
				Out:  l,
				Term: "xterm-256color",
				Size: func() (int, int) { return l.width, l.height },
			})
			if err != nil {
				t.Error(err)
			}
		}()
		test(t, l)
		for quit := false; !quit; { // an open form asks once
			l.press("\x03")
			select {
			case <-ended:
				quit = true
			case <-time.After(time.Second):
			}
		}
		close(l.written)
		in.Close()
		_ = l.emu.InputPipe().(io.Closer).Close()
	})
}

// Write takes output, as much as there is.
func (l *simulatedLine) Write(p []byte) (int, error) {
	l.written <- string(p)
	return len(p), nil
}

// carry carries output to the terminal: 8 ms of it at a time.
func (l *simulatedLine) carry() {
	for text := range l.written {
		for text != "" {
			n := len(text)
			if l.rate > 0 {
				n = min(n, max(1, l.rate/125))
				time.Sleep(time.Duration(n) * time.Second / time.Duration(l.rate))
			}
			l.show(text[:n])
			text = text[n:]
		}
	}
}

// show shows output and answers the requests in it.
func (l *simulatedLine) show(text string) {
	_, _ = l.emu.Write([]byte(text)) // its WriteString does not lock
	l.bytes.Add(int64(len(text)))
	parts := strings.Split(l.tail+text, "\x1b[5n")
	l.tail = parts[len(parts)-1]
	l.tail = l.tail[max(0, len(l.tail)-3):]
	for range parts[1:] {
		if !l.silent {
			l.press("\x1b[0n")
		}
	}
}

func (l *simulatedLine) press(keys string) { _, _ = io.WriteString(l.typed, keys) }

func (l *simulatedLine) screen() string { return ansi.Strip(l.emu.Render()) }

// waitFor returns how long it takes until a text is on the screen, a minute at most.
func (l *simulatedLine) waitFor(text string) time.Duration {
	start := time.Now()
	for time.Since(start) < time.Minute && !strings.Contains(l.screen(), text) {
		time.Sleep(20 * time.Millisecond)
	}
	return time.Since(start)
}

// At 64,000 bits a second, the first issue can be read 0.9 s after the API has answered. What the first frame says
// about reading must not delay it, nor a terminal that does not answer.
func TestSlowLine_firstIssue(t *testing.T) {
	t.Parallel()
	for _, delay := range []time.Duration{0, 5 * time.Millisecond, 200 * time.Millisecond, time.Second} {
		for _, silent := range []bool{false, true} {
			line := &simulatedLine{rate: 6400, silent: silent, width: 80, height: 24, delay: delay}
			runOnLine(t, line, func(t *testing.T, l *simulatedLine) {
				if took := l.waitFor("billing-api"); took > 3*delay+900*time.Millisecond {
					t.Errorf("the API answers in %v, silent %v: the first issue is there after %v", delay, silent, took)
				}
			})
		}
	}
}

// At 64,000 bits a second and 200x50, the last screen of a held key takes about 0.4 s, and no press is lost.
func TestSlowLine_heldKey(t *testing.T) {
	t.Parallel()
	line := &simulatedLine{rate: 6400, width: 200, height: 50, account: emulator.Options{Seed: "large"}}
	runOnLine(t, line, func(t *testing.T, l *simulatedLine) {
		l.waitFor("300 open")
		l.press("3")
		l.waitFor("▸ ● ok        service-0000")
		time.Sleep(5 * time.Second)
		for range 90 {
			l.press("j")
			time.Sleep(time.Second / 30)
		}
		if took := l.waitFor("▸ ● ok        service-0090"); took > time.Second {
			t.Errorf("the row at the cursor is on the screen after %v", took)
		}
	})
}

// At rest, nothing is written between two changes of the clock, although every pane is read again three times a minute.
// After `r`, the screen says that the rows are new.
func TestAtRest_writesNothing(t *testing.T) {
	t.Parallel()
	for _, pane := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "0"} {
		line := &simulatedLine{width: 200, height: 50, delay: 5 * time.Millisecond}
		runOnLine(t, line, func(t *testing.T, l *simulatedLine) {
			time.Sleep(time.Second)
			l.press(pane)
			time.Sleep(3 * time.Minute)
			before := l.bytes.Load()
			time.Sleep(58 * time.Second)
			if n := l.bytes.Load() - before; n > 0 {
				t.Errorf("pane %s: %d bytes within a minute", pane, n)
			}
			time.Sleep(2 * time.Second)
			if n := l.bytes.Load() - before; n > 200 {
				t.Errorf("pane %s: %d bytes when the minute changes", pane, n)
			}
			if head := l.screen(); !strings.Contains(head, "● live   640+ API requests left") {
				t.Errorf("pane %s is not live:\n%s", pane, head)
			}
			l.press("r")
			if took := l.waitFor("live · 0 s"); took > time.Second {
				t.Errorf("pane %s does not show that it was read again:\n%s", pane, l.screen())
			}
		})
	}
}

// The rest of the request budget is shown in coarse steps, so that a refresh does not change the text. When it runs
// low, the freshness shows it instead.
func TestFormatBudget(t *testing.T) {
	for remaining, want := range map[int]string{
		800: "800+ API requests left",
		796: "640+ API requests left",
		641: "640+ API requests left",
		639: "480+ API requests left",
		160: "160+ API requests left",
		159: "",
	} {
		if got := formatBudget(client.RateLimit{Limit: 800, Remaining: remaining}, time.Now()); got != want {
			t.Errorf("%d: %q, want %q", remaining, got, want)
		}
	}
	if got := formatBudget(client.RateLimit{Limit: 5, Remaining: 3}, time.Now()); got != "3+ API requests left" {
		t.Errorf("of 5: %q", got)
	}
}
