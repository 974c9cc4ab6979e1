package terminal

import (
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/vt"

	"lookout/client/faulttest"
)

// staticScreen shows its size and the number of keys pressed, in every line.
type staticScreen struct{ width, height, n int }

func (s *staticScreen) Init() tea.Cmd { return nil }

func (s *staticScreen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		s.n++
	}
	return nil
}

func (s *staticScreen) Frame() Frame {
	line := fmt.Sprintf("%dx%d %d", s.width, s.height, s.n)
	line += strings.Repeat("-", s.width-len(line))
	return Frame{Content: strings.TrimSuffix(strings.Repeat(line+"\n", s.height), "\n")}
}

// writeRecorder sends each write to a channel.
type writeRecorder chan string

func (w writeRecorder) Write(p []byte) (int, error) {
	w <- string(p)
	return len(p), nil
}

func (w writeRecorder) next(t *testing.T) string {
	t.Helper()
	select {
	case text := <-w:
		return text
	case <-time.After(10 * time.Second):
		t.Fatal("nothing was written")
		return ""
	}
}

// After a new size, a stop and another program, everything is drawn again, in the size that the window has then;
// otherwise only what has changed.
func TestModel_fullRedraws(t *testing.T) {
	out := make(writeRecorder, 10)
	screen := &staticScreen{width: 40, height: 5}
	m := &model{
		screen: screen,
		tty:    &tty{renderer: newRenderer(out, func() {}, runUnprotected)},
	}
	size := resized{40, 5} // of the window
	m.tty.size = func() (int, int) { return size.width, size.height }
	m.tty.renderer.flow.off = true // nothing answers
	m.Init()
	e := vt.NewEmulator(40, 5)
	go func() { _, _ = io.Copy(io.Discard, e) }() // its answers get nowhere
	check := func(what string, whole bool, msg tea.Msg) {
		t.Helper()
		if msg != nil {
			m.Update(msg)
		}
		sent := out.next(t)
		if strings.Contains(sent, "\x1b[2J") != whole {
			t.Errorf("%s draws %q", what, sent)
		}
		fmt.Fprint(e, sent)
		compare(t, e, screen.Frame().Content, sent)
	}
	check("the start", true, nil)
	check("a key", false, tea.KeyPressMsg{Code: 'x'})
	e.Resize(60, 7)
	check("a new size", true, resized{60, 7})
	check("a key", false, tea.KeyPressMsg{Code: 'x'})
	e.Resize(60, 7)
	check("the same size again", true, resized{60, 7})
	size = resized{50, 6} // the program was not told
	e.Resize(50, 6)
	check("continuing after a stop", true, continued{})
	size = resized{45, 8}
	e.Resize(45, 8)
	check("another program", true, execute{cmd: exec.Command("true"), done: func(error) tea.Msg { return nil }})
	m.Update(tea.FocusMsg{})
	m.Update(tea.KeyPressMsg{Code: 'x'})
	if sent := out.next(t); strings.Contains(sent, "\x1b[2J") || len(sent) > 100 {
		t.Errorf("a message that changes nothing draws %q", sent)
	}
}

// startedScreen quits as soon as it may request anything, and notes what had been written by then.
type startedScreen struct {
	staticScreen
	out   writeRecorder
	wrote string
}

func (s *startedScreen) Init() tea.Cmd {
	for len(s.out) > 0 {
		s.wrote += <-s.out
	}
	return Quit(0)
}

// Nothing is requested before the first frame has been written, also if the terminal has answered: answers that have to
// be decoded would keep it waiting. On a terminal that takes long, the wait ends.
func TestRun_requestsAfterFirstFrame(t *testing.T) {
	for name, answers := range map[string]bool{"a terminal that answers": true, "a silent one": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in, terminal := io.Pipe()
				out := make(writeRecorder, 1000)
				screen := &startedScreen{out: out}
				tee := writerFunc(func(p []byte) (int, error) {
					for range strings.Count(string(p), requestSequence) {
						if answers {
							go func() {
								time.Sleep(time.Millisecond)
								_, _ = terminal.Write(answerSequence)
							}()
						}
					}
					return out.Write(p)
				})
				_, err := Run(t.Context(), screen, Options{
					In:   in,
					Out:  tee,
					Size: func() (int, int) { return 120, 40 },
				})
				_ = terminal.Close()
				if n := strings.Count(screen.wrote, "120x40"); n != 40 || err != nil {
					t.Errorf("%d of 40 lines were written: %q, %v", n, screen.wrote, err)
				}
			})
		})
	}
}

// Keys that arrive when the loop has ended keep no goroutine waiting for it.
func TestRun_inputAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, terminal := io.Pipe()
		out := make(writeRecorder, 1000)
		_, err := Run(t.Context(), &startedScreen{out: out}, Options{
			In:   in,
			Out:  out,
			Size: func() (int, int) { return 40, 5 },
		})
		if err != nil {
			t.Error(err)
		}
		for range 3 {
			_, _ = terminal.Write([]byte("q"))
		}
		_ = terminal.Close()
	})
}

// writerFunc is a function as a writer.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// panickingWriter panics once, when the renderer writes the first frame.
type panickingWriter struct {
	text     strings.Builder
	panicked bool
}

func (b *panickingWriter) Write(p []byte) (int, error) {
	if !b.panicked && strings.Contains(string(p), "40x5") {
		b.panicked = true
		panic("canary")
	}
	return b.text.Write(p)
}

// A panic in the renderer's goroutine restores the terminal too.
func TestRun_rendererPanic(t *testing.T) {
	faulttest.RunCase(t, "E1", "panic in renderer", func(t *testing.T) {
		in, _ := io.Pipe()
		out, log := &panickingWriter{}, &strings.Builder{}
		code, err := Run(t.Context(), &staticScreen{}, Options{
			In:       in,
			Out:      out,
			Size:     func() (int, int) { return 40, 5 },
			PanicLog: log,
		})
		if code != 1 || err == nil || strings.Contains(err.Error(), "canary") ||
			!strings.Contains(log.String(), "canary") {
			t.Errorf("code %d, %v, log %q", code, err, log)
		}
		if got := out.text.String(); !strings.HasSuffix(got, leaveSequence) {
			t.Errorf("the output ends with %q", got[max(0, len(got)-60):])
		}
	})
}

// What is switched on is switched off again, styles are reset, and the screen is cleared from its first cell.
func TestTerminal_sequences(t *testing.T) {
	for _, c := range []struct{ all, part string }{
		{clearSequence, "\x1b[H\x1b[2J"},
		{leaveSequence, "\x1b[m"},
		{leaveSequence, "\x1b[?25h"},
		{enterLinearSequence, "\x1b[?2004h"},
		{leaveLinearSequence, "\x1b[?2004l"},
	} {
		if !strings.Contains(c.all, c.part) {
			t.Errorf("%q lacks %q", c.all, c.part)
		}
	}
	for _, mode := range regexp.MustCompile(`\x1b\[\?(\d+)h`).FindAllStringSubmatch(enterSequence, -1) {
		if off := "\x1b[?" + mode[1] + "l"; mode[1] != "25" && !strings.Contains(leaveSequence, off) {
			t.Errorf("mode %s stays on", mode[1])
		}
	}
}

// quittingScreen quits at once.
type quittingScreen struct{ staticScreen }

func (s *quittingScreen) Init() tea.Cmd { return Quit(0) }

// Run ends as soon as the work before the exit is done, or after hookTimeout if that hangs. Everything that Run has
// started ends with it.
func TestRun_hookAndGoroutines(t *testing.T) {
	for takes, want := range map[time.Duration]time.Duration{
		0:               0,
		time.Second:     time.Second,
		2 * hookTimeout: hookTimeout,
	} {
		synctest.Test(t, func(t *testing.T) {
			in, typed := io.Pipe()
			called := make(chan time.Time, 1)
			code, err := Run(t.Context(), &quittingScreen{}, Options{
				In:   in,
				Out:  io.Discard,
				Size: func() (int, int) { return 40, 5 },
				BeforeExit: func() {
					called <- time.Now()
					time.Sleep(takes)
				},
			})
			if took := time.Since(<-called); code != 0 || err != nil || took != want {
				t.Errorf("code %d, %v, %v after a hook was called that takes %v", code, err, took, takes)
			}
			typed.Close()
			time.Sleep(takes)
		}) // it panics if a goroutine is left
	}
}

// A terminal that is gone ends the program at once with the code of SIGHUP, and is not read again.
func TestRun_terminalGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		code, err := Run(t.Context(), &staticScreen{}, Options{
			In:     &endedReader{Reader: strings.NewReader("")},
			Out:    io.Discard,
			Size:   func() (int, int) { return 40, 5 },
			Linear: true, // no answer is waited for
		})
		if took := time.Since(begun); code != 129 || err != nil || took >= exitTimeout {
			t.Errorf("code %d, %v after %v, want 129", code, err, took)
		}
	})
}
