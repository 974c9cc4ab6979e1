package terminal

import (
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/vt"

	"lookout/client/faulttest"
)

// staticScreen is a screen that shows its size and a count, the same in every line.
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

// writeRecorder hands over what is written, write by write.
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
		t.Fatal("nothing is drawn")
		return ""
	}
}

// After a new size, a suspension and another program the screen cannot be trusted: everything is drawn again. Else only
// what changed.
func TestModel_fullRedraws(t *testing.T) {
	out := make(writeRecorder, 10)
	screen := &staticScreen{width: 40, height: 5}
	m := &model{
		screen: screen,
		tty:    &tty{renderer: newRenderer(out, func() {}, runUnprotected), size: func() (int, int) { return 40, 5 }},
	}
	m.Init()
	e := vt.NewEmulator(40, 5)
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
		compare(t, e, screen.Frame().Content, screen.width, screen.height, sent)
	}
	check("the start", true, nil)
	check("a key", false, tea.KeyPressMsg{Code: 'x'})
	e.Resize(60, 7)
	check("a new size", true, resized{60, 7})
	check("a key", false, tea.KeyPressMsg{Code: 'x'})
	e.Resize(60, 7)
	check("the same size again", true, resized{60, 7})
	check("going on after standing still", true, continued{})
	check("another program", true, execute{cmd: exec.Command("true"), done: func(error) tea.Msg { return nil }})
	m.Update(tea.FocusMsg{})
	m.Update(tea.KeyPressMsg{Code: 'x'})
	if sent := out.next(t); strings.Contains(sent, "\x1b[2J") || len(sent) > 100 {
		t.Errorf("after a message that changed nothing: %q", sent)
	}
}

// panickingWriter is a terminal at which the painter fails once.
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

// A panic in the terminal's own goroutine gives the terminal back too.
func TestRun_rendererPanic(t *testing.T) {
	faulttest.RunCase(t, "E1", "panic in painter", func(t *testing.T) {
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
			t.Errorf("the terminal is left after %q", got[max(0, len(got)-60):])
		}
	})
}
