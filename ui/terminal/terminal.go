// Package terminal owns the terminal: its modes, its input and its output. Bubble Tea runs the loop. Frames are drawn
// here, when something has changed, and never by a ticker.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// A Program is the running program as the terminal sees it.
type Program interface {
	Init() tea.Cmd
	Update(tea.Msg) tea.Cmd // called in the loop
	Frame() Frame           // called after every Update
}

// A Frame is the content of the screen: lines of exactly the size of the last tea.WindowSizeMsg.
type Frame struct {
	Content         string
	Title           string
	Mouse           bool
	ProgressPercent int    // of the work under way, for the terminal's progress bar; 0 means none
	LinearText      string // lines to append if the terminal is linear
	Question        any    // what waits for an answer: a key from before it was on the screen is an UnseenInputMsg
}

// Options say where the terminal is. The zero value is the process's own terminal.
type Options struct {
	In          io.Reader
	Out         io.Writer
	Size        func() (width, height int) // nil asks the terminal
	Term        string                     // the terminal's TERM; the process's own terminal has its own
	BeforeExit  func()                     // runs before every exit, at most for hookTimeout: flushes things
	ProgressBar bool                       // the terminal has a progress bar (OSC 9;4)
	Linear      bool                       // only appends lines, for screen readers
	PanicLog    io.Writer                  // receives stack traces of panics; nil drops them
	ASCII       bool                       // writes nothing but ASCII
}

// Run shows a screen until it quits or the terminal is gone. The code is 0, 1, or 128 plus the number of the signal
// that ended it. Every kind of exit restores the terminal.
func Run(ctx context.Context, s Program, o Options) (code int, err error) {
	t, err := openTTY(o)
	if err != nil {
		return 2, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := &model{screen: s, tty: t}
	t.onPanic = m.recordPanic
	t.start()
	defer func() {
		t.stop()
		_ = t.inputFilter.pipeReader.Close() // the loop has ended: no key may wait for it
		t.renderer.end()
		t.runHook(o.BeforeExit)
		if failure := m.failure.Load(); failure != nil {
			code = 1
			err = errors.New("lookout crashed; run it again with --log-file FILE to record the stack trace")
			if o.PanicLog != nil {
				_, _ = io.WriteString(o.PanicLog, *failure)
			}
		}
	}()
	err = m.runLoop(ctx, cancel)
	if errors.Is(err, tea.ErrProgramKilled) || errors.Is(err, context.Canceled) {
		err = nil
	}
	return max(m.code, t.exitCode()), err
}

// hookTimeout is how long the exit waits for the hook: a disk that hangs keeps nobody from the shell.
const hookTimeout = 2 * time.Second

// runHook runs what is to run before the exit, nil for nothing.
func (t *tty) runHook(hook func()) {
	if hook == nil {
		return
	}
	done := make(chan struct{})
	go t.withRecovery(func() {
		defer close(done)
		hook()
	})
	select {
	case <-done:
	case <-time.After(hookTimeout):
	}
}

// exitTimeout is how long the loop may take to end after a signal.
const exitTimeout = time.Second

// runLoop runs Bubble Tea's loop until it ends, or until the terminal requests the exit.
func (m *model) runLoop(ctx context.Context, cancel func()) error {
	program := tea.NewProgram(
		m, tea.WithContext(ctx), tea.WithInput(m.tty.inputFilter), tea.WithOutput(io.Discard), tea.WithoutRenderer(),
		tea.WithoutSignalHandler(), tea.WithoutCatchPanics(), tea.WithFPS(1), tea.WithEnvironment(os.Environ()),
	)
	m.tty.watch(ctx, program.Send, cancel)
	ended := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				m.recordPanic(r)
				ended <- nil
			}
		}()
		_, err := program.Run()
		ended <- err
	}()
	select {
	case err := <-ended:
		return err
	case <-m.tty.exitRequested:
	}
	cancel()
	select {
	case err := <-ended:
		return err
	case <-time.After(exitTimeout):
		return nil
	}
}

// model is the screen as Bubble Tea's loop knows it.
type model struct {
	screen  Program
	tty     *tty
	code    int
	read    inputRead              // that holds the present key
	failure atomic.Pointer[string] // the first panic with its stack trace, until the terminal is restored
}

// recordPanic records the first panic.
func (m *model) recordPanic(r any) {
	text := fmt.Sprintf("panic: %v\n%s\n", r, debug.Stack())
	m.failure.CompareAndSwap(nil, &text)
}

// firstFrameTimeout is how long the screen's Init waits for the first frame at most, on a slow line.
const firstFrameTimeout = 50 * time.Millisecond

// frameShown says that the first frame was written, or that this takes long.
type frameShown struct{}

// Init draws the first frame. The screen's own Init follows when the frame has been written: what it starts would take
// the processors that drawing needs.
func (m *model) Init() tea.Cmd {
	size := m.tty.askSize()
	first := m.screen.Update(tea.WindowSizeMsg{Width: size.width, Height: size.height})
	m.draw(true)
	return m.withRecovery(tea.Batch(first, func() tea.Msg {
		select {
		case <-m.tty.renderer.shown:
		case <-time.After(firstFrameTimeout):
		}
		return frameShown{}
	}))
}

// Messages for the screen.
type (
	// ResumedMsg says that the program was suspended and is back.
	ResumedMsg struct{}
	// SuspendUnavailableMsg says that the program was not suspended, because no shell could continue it.
	SuspendUnavailableMsg struct{}
	// OutputStalledMsg says that nobody read the terminal for a while, and that input was dropped meanwhile.
	OutputStalledMsg struct{ DroppedBytes int }
)

// UnseenInputMsg carries a key or a click that came while the screen was more than a second behind, or before the
// question that it would answer was on the screen: the user cannot have seen that. It is obeyed like any other, unless
// it changes or deletes something.
type UnseenInputMsg struct{ Input tea.Msg }

// InputReadMsg says that the keys that follow were read from the terminal at once, after those before. Number counts
// such reads. It changes nothing on the screen.
type InputReadMsg struct{ Number int }

// Messages for the terminal.
type (
	quitNow   struct{ code int }
	suspend   struct{}
	continued struct{} // the process was stopped and runs again
	execute   struct {
		cmd  *exec.Cmd
		line string // written before it runs
		done func(error) tea.Msg
	}
	output struct {
		bytes string
		query bool // the terminal answers
	}
	resized struct{ width, height int }
)

// IsTerminalMessage reports whether a message is for the terminal or the loop, and not for the screen.
func IsTerminalMessage(msg tea.Msg) bool {
	switch msg.(type) {
	case quitNow, suspend, execute, output, tea.QuitMsg:
		return true
	}
	return false
}

// Update passes messages to the screen and draws it.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg: // Bubble Tea has no terminal: its size means nothing
		return m, nil
	case frameShown:
		cmd := m.screen.Init()
		m.draw(false)
		return m, m.withRecovery(cmd)
	case resized:
		return m, m.resize(msg)
	case quitNow:
		m.code = msg.code
		return m, tea.Quit
	case suspend:
		if !m.tty.suspend() {
			return m, func() tea.Msg { return SuspendUnavailableMsg{} }
		}
		return m, m.takeBack(func() tea.Msg { return ResumedMsg{} })
	case continued:
		m.tty.reacquire()
		return m, m.takeBack(func() tea.Msg { return ResumedMsg{} })
	case execute:
		err := m.tty.runCommand(msg.cmd, msg.line)
		return m, m.takeBack(func() tea.Msg { return msg.done(err) })
	case output:
		m.tty.renderer.writeRaw(msg.bytes, msg.query)
		return m, nil
	case tea.ModeReportMsg:
		if msg.Mode == readMarkMode {
			if read, found := m.tty.inputFilter.nextRead(); found {
				m.read = read
				return m, m.screen.Update(InputReadMsg{read.number})
			}
		}
		if msg.Mode == ansi.ModeLeftRightMargin {
			m.tty.renderer.setMargins(msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet)
		}
		return m, nil
	case tea.KeyPressMsg, tea.MouseClickMsg:
		if m.tty.renderer.behind() || !m.tty.renderer.questionSeen(m.read) {
			return m, m.forward(UnseenInputMsg{msg}, false)
		}
	}
	return m, m.forward(msg, false)
}

// takeBack draws everything after somebody else had the terminal, in the size that it has now.
func (m *model) takeBack(then tea.Cmd) tea.Cmd { return tea.Batch(m.resize(m.tty.askSize()), then) }

// resize gives a size to the screen and draws everything.
func (m *model) resize(size resized) tea.Cmd {
	return m.forward(tea.WindowSizeMsg{Width: size.width, Height: size.height}, true)
}

// forward gives a message to the screen and draws it.
func (m *model) forward(msg tea.Msg, whole bool) tea.Cmd {
	cmd := m.screen.Update(msg)
	m.draw(whole)
	return m.withRecovery(cmd)
}

// draw gives the frame to the renderer. With whole set, everything is drawn, because the screen's content is unknown.
func (m *model) draw(whole bool) { m.tty.renderer.show(m.screen.Frame(), whole) }

// View is empty, because Bubble Tea draws nothing.
func (m *model) View() tea.View { return tea.View{} }

// withRecovery returns a command whose panic ends the program and restores the terminal.
func (m *model) withRecovery(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				m.recordPanic(r)
				msg = quitNow{1}
			}
		}()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i, c := range batch {
				batch[i] = m.withRecovery(c)
			}
		}
		return msg
	}
}

// Quit ends the program with an exit code.
func Quit(code int) tea.Cmd { return func() tea.Msg { return quitNow{code} } }

// Suspend gives the terminal to the shell until the shell continues the program. Without such a shell,
// SuspendUnavailableMsg follows.
func Suspend() tea.Cmd { return func() tea.Msg { return suspend{} } }

// Exec lends the terminal to another program until that ends. Before, it writes a line, which must be safe to print:
// what was on the terminal before the program says nothing of the one that starts.
func Exec(cmd *exec.Cmd, line string, done func(error) tea.Msg) tea.Cmd {
	return func() tea.Msg { return execute{cmd, line, done} }
}
