// Package terminal owns the terminal: its modes, what is read from it and what is written to it. Bubble Tea runs the
// loop behind it; frames are drawn here, when something changed, and never by a ticker.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A Screen is the running program as the terminal sees it.
type Screen interface {
	Init() tea.Cmd
	Update(tea.Msg) tea.Cmd // on the loop
	Frame() Frame           // after every Update
}

// A Frame is what is to be seen: lines of exactly the size that the last tea.WindowSizeMsg told.
type Frame struct {
	Content         string
	Title           string
	Mouse           bool
	ProgressPercent int    // of work under way, for the terminal's own progress bar; 0 is none
	LinearText      string // lines to be added, where the terminal is linear
}

// Options say where the terminal is. The zero value is the process's own.
type Options struct {
	In          io.Reader
	Out         io.Writer
	Size        func() (width, height int) // nil asks the terminal
	BeforeExit  func()                     // run before leaving, whatever the way: flush what must not be lost
	ProgressBar bool                       // the terminal has a progress bar of its own (OSC 9;4)
	Linear      bool                       // lines are added, nothing is drawn over: for screen readers
	PanicLog    io.Writer                  // stack traces of panics; nil drops them
	ASCII       bool                       // nothing beyond ASCII is written
}

// Run shows a screen until it quits or the terminal goes away. The code is 0, 1, or 128 and the number of the signal
// that ended it. Every way out gives the terminal back as it was.
func Run(ctx context.Context, s Screen, o Options) (code int, err error) {
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
		if o.BeforeExit != nil {
			o.BeforeExit()
		}
		if failure := m.recordedPanic(); failure != nil {
			code, err = 1, errors.New("lookout met a fault of its own and ended; --log-file keeps where")
			if o.PanicLog != nil {
				fmt.Fprintf(o.PanicLog, "panic: %v\n%s\n", failure, m.stack)
			}
		}
	}()
	program := tea.NewProgram(
		m,
		tea.WithContext(ctx),
		tea.WithInput(t.inputFilter),
		tea.WithOutput(io.Discard),
		tea.WithoutRenderer(),
		tea.WithoutSignalHandler(),
		tea.WithoutCatchPanics(),
		tea.WithFPS(1),
		tea.WithEnvironment(os.Environ()),
	)
	m.send = program.Send
	t.watch(ctx, program.Send, cancel)
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
	case err = <-ended:
	case <-t.exitRequested:
		cancel()
		select {
		case err = <-ended:
		case <-time.After(time.Second):
		}
	}
	if errors.Is(err, tea.ErrProgramKilled) || errors.Is(err, context.Canceled) {
		err = nil
	}
	return max(m.code, t.exitCode()), err
}

// model is the screen as Bubble Tea's loop knows it.
type model struct {
	screen Screen
	tty    *tty
	send   func(tea.Msg)
	code   int

	mu         sync.Mutex
	panicValue any
	stack      []byte
}

// recordPanic keeps a panic until the terminal is back.
func (m *model) recordPanic(r any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.panicValue == nil {
		m.panicValue, m.stack = r, debug.Stack()
	}
}

func (m *model) recordedPanic() any {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.panicValue
}

// Init draws the first frame before anything is asked.
func (m *model) Init() tea.Cmd {
	w, h := m.tty.size()
	first := m.screen.Update(tea.WindowSizeMsg{Width: w, Height: h})
	cmd := m.withRecovery(tea.Batch(first, m.screen.Init()))
	m.draw(true)
	return cmd
}

// quitNow ends the program; resumeMsg follows a suspension.
type (
	quitNow struct{ code int }
	// Resumed says that the program was suspended and is back.
	Resumed struct{}
	// SuspendUnavailable says that the program was not suspended, since no shell could continue it.
	SuspendUnavailable struct{}
	// OutputStalled says that nobody read the screen for a while, and that keys typed meanwhile were dropped.
	OutputStalled struct{ DroppedBytes int }
	suspend       struct{}
	continued     struct{} // the process stood still and goes on
	execute       struct {
		cmd  *exec.Cmd
		done func(error) tea.Msg
	}
	output  struct{ bytes string }
	resized struct{ width, height int }
)

// IsTerminalMessage reports whether a message is for the terminal or the loop, and none of the screen's.
func IsTerminalMessage(msg tea.Msg) bool {
	switch msg.(type) {
	case quitNow, suspend, execute, output, tea.QuitMsg:
		return true
	}
	return false
}

// Update passes messages to the screen and draws once it has changed.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg: // Bubble Tea has no terminal to ask: its size means nothing
		return m, nil
	case resized:
		return m, m.forward(tea.WindowSizeMsg{Width: msg.width, Height: msg.height}, true)
	case quitNow:
		m.code = msg.code
		return m, tea.Quit
	case suspend:
		if !m.tty.suspend() {
			return m, func() tea.Msg { return SuspendUnavailable{} }
		}
		m.draw(true)
		return m, func() tea.Msg { return Resumed{} }
	case continued:
		m.tty.reacquire()
		m.draw(true)
		return m, func() tea.Msg { return Resumed{} }
	case execute:
		err := m.tty.runCommand(msg.cmd)
		m.draw(true)
		return m, func() tea.Msg { return msg.done(err) }
	case output:
		m.tty.renderer.writeRaw(msg.bytes)
		return m, nil
	}
	return m, m.forward(msg, false)
}

// forward gives a message to the screen and draws.
func (m *model) forward(msg tea.Msg, whole bool) tea.Cmd {
	cmd := m.screen.Update(msg)
	m.draw(whole)
	return m.withRecovery(cmd)
}

// draw hands the frame to the painter, which draws what changed, or everything after the terminal lost what stood on
// it.
func (m *model) draw(whole bool) { m.tty.renderer.show(m.screen.Frame(), whole) }

// View is empty: Bubble Tea draws nothing.
func (m *model) View() tea.View { return tea.View{} }

// withRecovery makes a command whose panic gives the terminal back instead of leaving it raw.
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

// Suspend gives the terminal back to the shell until the program is continued. Without a shell to come back from it
// does nothing.
func Suspend() tea.Cmd { return func() tea.Msg { return suspend{} } }

// Exec lends the terminal to a program and takes it back when that has ended.
func Exec(cmd *exec.Cmd, done func(error) tea.Msg) tea.Cmd {
	return func() tea.Msg { return execute{cmd, done} }
}
