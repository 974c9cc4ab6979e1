//go:build unix

package terminal

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
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

// A testPty is a terminal that stands in for standard input and output, with all that was written to it. It answers
// requests for its status.
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
	for range strings.Count(string(text), requestSequence) {
		_, _ = p.master.Write(answerSequence)
	}
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

// waitEnd returns the result of Run.
func (p *testPty) waitEnd(done <-chan error) error {
	p.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
		p.Fatalf("it does not end: %q", p.output())
		return nil
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

// Run leaves the terminal as it was, however it ends: the settings of the line, and every mode that it has changed. It
// leaves the signals to whatever follows.
// Another program that borrows the terminal finds it so too.
func TestRun_restoresTheTerminal(t *testing.T) {
	for name, end := range map[string]func() tea.Cmd{
		"quit":             func() tea.Cmd { return Quit(0) },
		"panic":            func() tea.Cmd { panic("canary") },
		"panic in command": func() tea.Cmd { return func() tea.Msg { panic("canary") } },
		"panic in one of several commands": func() tea.Cmd {
			return tea.Batch(func() tea.Msg { return nil }, func() tea.Msg { panic("canary") })
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTestPty(t)
			before := p.state()
			lend := func() tea.Cmd {
				command := exec.Command("sh", "-c", "echo borrowed; read x")
				return Exec(command, "announced", func(error) tea.Msg { return nil })
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
				_, after, lent := strings.Cut(p.output(), "announced\r\nborrowed")
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
			p.waitFor("signals are still caught", func() bool {
				stacks := make([]byte, 1<<20)
				return !strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "terminal.notifySignals")
			})
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

// A program that borrows the terminal gets no token, and what is typed for it is no key of this program, even if the
// borrower does not read it.
func TestRun_lendsTheTerminal(t *testing.T) {
	t.Setenv("LOOKOUT_TEST_TOKEN", "canary")
	p := newTestPty(t)
	ends := filepath.Join(t.TempDir(), "ends")
	script := `env; echo borrowed; while [ ! -e "$0" ]; do sleep 0.01; done`
	count := func() tea.Cmd { return nil }
	s := &modeScreen{keys: map[rune]func() tea.Cmd{
		'l': func() tea.Cmd {
			return Exec(exec.Command("sh", "-c", script, ends), "", func(error) tea.Msg { return nil })
		},
		'x': count,
		'k': count,
		'q': func() tea.Cmd { return Quit(0) },
	}}
	done := make(chan error, 1)
	go func() {
		_, err := Run(t.Context(), s, Options{})
		done <- err
	}()
	p.waitFor("no frame", func() bool { return strings.Contains(p.output(), "40x5 0") })
	_, _ = p.master.WriteString("l")
	p.waitFor("not lent", func() bool { return strings.Contains(p.output(), "borrowed") })
	if strings.Contains(p.output(), "canary") {
		t.Error("the other program gets a token")
	}
	_, _ = p.master.WriteString("xxx\n")
	if err := os.WriteFile(ends, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.waitFor("no frame after the other program", func() bool {
		_, after, _ := strings.Cut(p.output(), "borrowed")
		return strings.Contains(after, "40x5 1")
	})
	from := len(p.output())
	_, _ = p.master.WriteString("k")
	p.waitFor("no answer to a key", func() bool { return len(p.output()) > from })
	if err := pty.Setsize(p.master, &pty.Winsize{Cols: 50, Rows: 5}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil {
		t.Fatal(err)
	}
	p.waitFor("the new size is not noticed", func() bool { return strings.Contains(p.output(), "50x5 ") })
	_, _ = p.master.WriteString("q")
	if err := p.waitEnd(done); err != nil || s.n != 3 {
		t.Errorf("%d keys instead of l, k and q; %v", s.n, err)
	}
}

// A signal from the keyboard is for the program that has the terminal, also if it arrives within a second after that
// program has given it back.
func TestTTY_otherGotIt(t *testing.T) {
	newTestPty(t)
	lender, err := openTTY(Options{})
	if err != nil {
		t.Fatal(err)
	}
	lender.start()
	defer lender.renderer.end()
	defer lender.stop()
	if lender.otherGotIt() {
		t.Error("nobody has borrowed the terminal")
	}
	before := time.Now()
	if err := lender.runCommand(exec.Command("true"), ""); err != nil {
		t.Fatal(err)
	}
	if at := time.Unix(0, lender.returned.Load()); at.Before(before) || lender.lent.Load() {
		t.Errorf("lent is %t, and it was given back %v before it was lent", lender.lent.Load(), before.Sub(at))
	}
	for age, want := range map[time.Duration]bool{500 * time.Millisecond: true, 1100 * time.Millisecond: false} {
		lender.returned.Store(time.Now().Add(-age).UnixNano())
		if lender.otherGotIt() != want {
			t.Errorf("after %v: %t", age, !want)
		}
	}
	lender.returned.Store(0)
	lender.lent.Store(true)
	if !lender.otherGotIt() {
		t.Error("the program that has the terminal does not get the signal")
	}
}

// When the process goes on after a stop, the line is raw again and the modes are on, whatever the shell has made of
// them.
func TestRun_continuesAfterAStop(t *testing.T) {
	p := newTestPty(t)
	before := p.state()
	s := &modeScreen{keys: map[rune]func() tea.Cmd{'q': func() tea.Cmd { return Quit(0) }}}
	done := make(chan error, 1)
	go func() {
		_, err := Run(t.Context(), s, Options{})
		done <- err
	}()
	p.waitFor("no frame", func() bool { return strings.Contains(p.output(), "40x5 0") })
	raw := p.state()
	if err := term.Restore(p.slave.Fd(), &before); err != nil {
		t.Fatal(err)
	}
	from := len(p.output())
	if err := syscall.Kill(os.Getpid(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	p.waitFor("no whole frame", func() bool {
		again := p.output()[from:]
		return strings.Contains(again, "\x1b[?1049h") && strings.Contains(again, "40x5 0")
	})
	if p.state() != raw {
		t.Error("the line is not raw")
	}
	_, _ = p.master.WriteString("q\n") // a line that is not raw passes on whole lines
	if err := p.waitEnd(done); err != nil || p.state() != before {
		t.Errorf("%v, the line is left as %+v", err, p.state())
	}
}

// Over ssh, what is copied goes to the user's terminal, not to the clipboard of the machine that lookout runs on.
func TestCopy_overSSH(t *testing.T) {
	folder := t.TempDir()
	copied := filepath.Join(folder, "copied")
	for _, command := range clipboardCommands() {
		script := "#!/bin/sh\ncat >" + copied + "\n"
		if err := os.WriteFile(filepath.Join(folder, command[0]), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	t.Setenv("TMUX", "")
	first := clipboardCommands()[0][0]
	for connection, here := range map[string]bool{"": true, "192.0.2.1 50000 192.0.2.2 22": false} {
		_ = os.Remove(copied)
		t.Setenv("SSH_CONNECTION", connection)
		sequence, receivers, err := runCopy(t, "text", false)
		if err != nil || !strings.Contains(sequence, "\x1b]52;c;dGV4dA==") ||
			receivers != map[bool]string{true: "the terminal and " + first, false: "the terminal"}[here] {
			t.Errorf("SSH_CONNECTION %q: sent to %q, %v: %q", connection, receivers, err, sequence)
		}
		if _, err := os.Stat(copied); (err == nil) != here {
			t.Errorf("SSH_CONNECTION %q: %v", connection, err)
		}
	}
}
