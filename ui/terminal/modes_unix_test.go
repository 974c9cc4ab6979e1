//go:build unix

package terminal

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

// A modeScreen uses the mouse, and does something for each key.
type modeScreen struct {
	staticScreen
	keys    map[rune]func() tea.Cmd
	noMouse bool
}

func (s *modeScreen) Update(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok && s.keys[key.Code] != nil {
		s.n++
		return s.keys[key.Code]()
	}
	return s.staticScreen.Update(msg)
}

func (s *modeScreen) Frame() Frame {
	f := s.staticScreen.Frame()
	f.Mouse = !s.noMouse
	return f
}

var modeChange = regexp.MustCompile(`\x1b\[\?(\d+)([hl])`)

// modesLeftOn returns the modes that a program has changed and not changed back: on at the end, or, for the cursor,
// off.
func modesLeftOn(output string) (modes []string) {
	state := map[string]string{"25": "h"}
	for _, change := range modeChange.FindAllStringSubmatch(output, -1) {
		state[change[1]] = change[2]
	}
	for mode, last := range state {
		if (last == "h") != (mode == "25") {
			modes = append(modes, mode)
		}
	}
	slices.Sort(modes)
	return modes
}

// A testPty is a terminal that stands in for standard input and output, with all that was written to it.
type testPty struct {
	*testing.T
	master, slave *os.File
	mu            sync.Mutex
	text          strings.Builder
}

func newTestPty(t *testing.T) *testPty {
	t.Helper()
	master, slave, err := pty.Open()
	if err == nil {
		err = pty.Setsize(master, &pty.Winsize{Cols: 40, Rows: 5})
	}
	if err != nil {
		t.Skip(err)
	}
	p := &testPty{T: t, master: master, slave: slave}
	in, out := os.Stdin, os.Stdout
	os.Stdin, os.Stdout = slave, slave
	t.Cleanup(func() {
		os.Stdin, os.Stdout = in, out
		slave.Close()
		master.Close()
	})
	go func() {
		_, _ = io.Copy(p, master)
	}()
	return p
}

func (p *testPty) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(text)
}

func (p *testPty) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// waitFor waits until something is so.
func (p *testPty) waitFor(what string, so func() bool) {
	p.Helper()
	for end := time.Now().Add(20 * time.Second); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			p.Fatalf("%s: %q", what, p.output())
		}
	}
}

// state returns the settings of the line.
func (p *testPty) state() term.State {
	p.Helper()
	state, err := term.GetState(p.slave.Fd())
	if err != nil {
		p.Fatal(err)
	}
	return *state
}

// Run leaves the terminal as it was, however it ends: the settings of the line, and every mode that it has changed.
// Another program that borrows the terminal finds it so too.
func TestRun_restoresTheTerminal(t *testing.T) {
	for name, end := range map[string]func() tea.Cmd{
		"quit":             func() tea.Cmd { return Quit(0) },
		"panic":            func() tea.Cmd { panic("canary") },
		"panic in command": func() tea.Cmd { return func() tea.Msg { panic("canary") } },
	} {
		t.Run(name, func(t *testing.T) {
			p := newTestPty(t)
			before := p.state()
			lend := func() tea.Cmd {
				return Exec(exec.Command("sh", "-c", "echo borrowed; read x"), func(error) tea.Msg { return nil })
			}
			s := &modeScreen{keys: map[rune]func() tea.Cmd{'q': end, 'l': lend}}
			done := make(chan error, 1)
			go func() {
				_, err := Run(t.Context(), s, Options{})
				done <- err
			}()
			p.waitFor("no frame", func() bool { return strings.Contains(p.output(), "40x5 0") })
			if left := modesLeftOn(p.output()); !slices.Equal(
				left,
				[]string{"1002", "1004", "1006", "1049", "2004", "25"},
			) {
				t.Errorf("modes while it runs: %q", left)
			}
			if p.state() == before {
				t.Error("the line is not raw while the program runs")
			}
			_, _ = p.master.WriteString("l")
			p.waitFor("not lent", func() bool {
				_, after, lent := strings.Cut(p.output(), "borrowed")
				return lent && !strings.Contains(after, "40x5 1")
			})
			if left := modesLeftOn(p.output()); len(left) > 0 || p.state() != before {
				t.Errorf("another program finds other settings of the line, or the modes %q on", left)
			}
			_, _ = p.master.WriteString("\n")
			p.waitFor("no frame after the other program", func() bool {
				_, after, _ := strings.Cut(p.output(), "borrowed")
				return strings.Contains(after, "40x5 1")
			})
			_, _ = p.master.WriteString("q")
			if err := <-done; (err != nil) != (name != "quit") || errors.Is(err, os.ErrClosed) {
				t.Error(err)
			}
			if p.state() != before {
				t.Errorf("the line is left as %+v", p.state())
			}
			p.waitFor("modes are left on", func() bool { return len(modesLeftOn(p.output())) == 0 })
		})
	}
}

// Without a terminal, Run says so and runs nothing.
func TestRun_withoutTerminal(t *testing.T) {
	in, out := os.Stdin, os.Stdout
	defer func() { os.Stdin, os.Stdout = in, out }()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	os.Stdin, os.Stdout = null, null
	for _, linear := range []bool{false, true} {
		code, err := Run(t.Context(), &staticScreen{}, Options{Linear: linear})
		if code != 2 || err == nil || !strings.Contains(err.Error(), "needs a terminal") {
			t.Errorf("linear %t: code %d, %v", linear, code, err)
		}
	}
}

// A screen that stops using the mouse gives it back to the terminal.
func TestRenderer_mouseModesEnd(t *testing.T) {
	p := newRenderer(io.Discard, func() {}, runUnprotected)
	s := &modeScreen{staticScreen: staticScreen{width: 40, height: 5}}
	on := p.diff(s.Frame(), true)
	if left := modesLeftOn(on + "\x1b[?25h"); !slices.Equal(left, []string{"1002", "1006"}) {
		t.Fatalf("modes with the mouse: %q", left)
	}
	s.noMouse = true
	if left := modesLeftOn(on + p.diff(s.Frame(), false)); len(left) > 0 {
		t.Errorf("left on: %q", left)
	}
	if left := modesLeftOn(on + p.diff(s.Frame(), true)); len(left) > 0 {
		t.Errorf("left on after a whole frame: %q", left)
	}
}
