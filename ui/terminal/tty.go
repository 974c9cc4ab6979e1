package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
)

// What is switched on at the start and off at the end, in reverse.
const (
	enterSequence = "\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?1004h\x1b[H\x1b[2J"
	leaveSequence = "\x1b[m\x1b[?1006l\x1b[?1002l\x1b[?1004l\x1b[?2004l\x1b[?25h\x1b[?1049l"
)

// What a linear terminal has instead: pastes alone are told from keys.
const (
	enterLinearSequence = "\x1b[?2004h"
	leaveLinearSequence = "\x1b[?2004l\r\n"
)

// tty is the terminal with its modes.
type tty struct {
	in          io.Reader
	out         io.Writer
	input       *os.File // the tty that is read, nil in tests
	output      *os.File // the tty that is written, nil in tests
	size        func() (int, int)
	savedState  *term.State
	inputFilter *inputFilter
	renderer    *renderer
	// closed when the terminal is gone, a signal ends the program, or one of the terminal's own goroutines failed
	exitRequested chan struct{}
	onPanic       func(any) // keeps a panic until the terminal is back
	linear        bool

	mu       sync.Mutex
	exitOnce sync.Once
	code     int
	active   bool
}

// Check says in one sentence why there is no terminal to work on, nil where there is one.
func Check() error {
	switch {
	case !term.IsTerminal(os.Stdin.Fd()) || !term.IsTerminal(os.Stdout.Fd()):
		return errors.New("lookout needs a terminal for its screen, and standard input or output is none")
	case isDumb():
		return errors.New("lookout needs a terminal that can move its cursor, and TERM=dumb says that this one cannot")
	}
	return nil
}

// CheckLinear is Check for lines, which any terminal can show.
func CheckLinear() error {
	if err := Check(); err != nil && !(isDumb() && term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stdout.Fd())) {
		return err
	}
	return nil
}

func isDumb() bool { return os.Getenv("TERM") == "dumb" }

func openTTY(o Options) (*tty, error) {
	t := &tty{
		in:            o.In,
		out:           o.Out,
		size:          o.Size,
		linear:        o.Linear,
		exitRequested: make(chan struct{}),
	}
	if o.In == nil || o.Out == nil {
		check := Check
		if o.Linear {
			check = CheckLinear
		}
		if err := check(); err != nil {
			return nil, err
		}
		t.input, t.output, t.in, t.out = os.Stdin, os.Stdout, os.Stdin, os.Stdout
	}
	if t.size == nil {
		t.size = func() (int, int) {
			w, h, err := term.GetSize(t.output.Fd())
			if err != nil || w <= 0 || h <= 0 {
				return 80, 24
			}
			return min(w, 1000), min(h, 500)
		}
	}
	t.inputFilter = newInputFilter(t.in)
	t.renderer = newRenderer(t.out, t.terminalLost, t.withRecovery)
	t.renderer.diffWriter.ascii = o.ASCII
	t.renderer.linear, t.renderer.hasProgressBar = o.Linear, o.ProgressBar
	return t, nil
}

// start takes the terminal.
func (t *tty) start() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.input != nil {
		t.savedState, _ = term.MakeRaw(t.input.Fd())
	}
	t.active = true
	t.renderer.requestFullRedraw()
	on, _ := t.modeSequences()
	t.renderer.writeRaw(on)
}

// stop gives the terminal back. It never waits long for a terminal that nobody reads.
func (t *tty) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.active {
		return
	}
	t.active = false
	_, off := t.modeSequences()
	t.renderer.flush(t.renderer.clearProgressBar()+off, time.Second)
	if t.savedState != nil {
		_ = term.Restore(t.input.Fd(), t.savedState)
	}
}

// modeSequences are what is switched on at the start and off at the end.
func (t *tty) modeSequences() (on, off string) {
	switch {
	case t.linear && isDumb():
		return "", "\r\n"
	case t.linear:
		return enterLinearSequence, leaveLinearSequence
	}
	return enterSequence, leaveSequence
}

// requestExit is the end by a signal or a terminal that is gone.
func (t *tty) requestExit(code int) {
	t.exitOnce.Do(func() {
		t.code = code
		close(t.exitRequested)
	})
}

func (t *tty) terminalLost() { t.requestExit(129) }

// withRecovery runs what has a goroutine of its own: a panic in it gives the terminal back.
func (t *tty) withRecovery(work func()) {
	defer func() {
		if r := recover(); r != nil {
			t.onPanic(r)
			t.requestExit(1)
		}
	}()
	work()
}

func (t *tty) exitCode() int {
	select {
	case <-t.exitRequested:
		return t.code
	default:
		return 0
	}
}

// watch follows the size and the signals, and what the guard has to tell.
func (t *tty) watch(ctx context.Context, send func(tea.Msg), cancel func()) {
	t.inputFilter.run(
		t.withRecovery,
		t.renderer.stalled,
		func(dropped int) { go send(OutputStalled{dropped}) },
		func() { t.terminalLost() },
	)
	if t.input == nil {
		return
	}
	sizes, ends, pauses := notifySignals(ctx)
	go t.withRecovery(func() {
		w, h := t.size()
		for {
			select {
			case <-ctx.Done():
				return
			case stop := <-pauses:
				if stop {
					send(suspend{})
				} else {
					send(continued{})
				}
			case code := <-ends:
				t.requestExit(code)
				go t.forceExit(cancel)
			case <-sizes:
				if nw, nh := t.size(); nw != w || nh != h {
					w, h = nw, nh
					send(resized{w, h})
				}
			}
		}
	})
}

// reacquire takes the terminal again after the process stood still: whoever had it meanwhile may have left it
// otherwise.
func (t *tty) reacquire() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.active || t.input == nil {
		return
	}
	_, _ = term.MakeRaw(t.input.Fd())
	t.renderer.requestFullRedraw()
	t.renderer.writeRaw(enterSequence)
}

// forceExit ends the process when the loop does not: nobody reads the terminal, or the loop hangs.
func (t *tty) forceExit(cancel func()) {
	cancel()
	time.Sleep(1800 * time.Millisecond)
	t.stop()
	os.Exit(t.code)
}

// suspend gives the terminal to the shell until the program is continued. It reports whether there is a shell that can
// do so.
func (t *tty) suspend() bool {
	if t.input == nil || !canSuspend() {
		return false
	}
	t.stop()
	stopSelf()
	t.start()
	return true
}

// runCommand gives the terminal to another program.
func (t *tty) runCommand(cmd *exec.Cmd) error {
	if t.input == nil {
		return cmd.Run()
	}
	t.inputFilter.setPaused(true)
	t.stop()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = t.input, t.output, t.output // standard error is not the terminal meanwhile
	err := cmd.Run()
	t.start()
	t.inputFilter.setPaused(false)
	return err
}
