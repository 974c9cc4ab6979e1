package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
)

// Sequences that switch modes on at the start and off at the end: alternate screen, cursor, pastes, focus, mouse.
const (
	enterSequence = "\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?1004h"
	leaveSequence = "\x1b[m\x1b[?1006l\x1b[?1002l\x1b[?1004l\x1b[?2004l\x1b[?25h\x1b[?1049l"
)

// clearSequence clears the screen. A terminal that does not know a query may have printed it there.
const clearSequence = "\x1b[H\x1b[2J"

// A linear terminal only marks pastes.
const (
	enterLinearSequence = "\x1b[?2004h"
	leaveLinearSequence = "\x1b[?2004l\r\n"
)

// tty is the terminal with its modes, its input and its output.
type tty struct {
	in          io.Reader
	out         io.Writer
	input       *os.File // the terminal that is read; nil in tests
	output      *os.File // the terminal that is written; nil in tests
	reader      *pausableReader
	size        func() (int, int)
	savedState  *term.State
	inputFilter *inputFilter
	renderer    *renderer
	// closed when the terminal is gone, a signal ends the program, or a goroutine of the terminal panics
	exitRequested chan struct{}
	onPanic       func(any) // records a panic until the terminal is restored
	linear        bool
	query         string // asks the terminal for features

	mu       sync.Mutex
	exitOnce sync.Once
	code     int
	active   bool

	lastSize atomic.Value // the resized that askSize returned last
	lent     atomic.Bool  // another program has the terminal: its keys and signals are not for this one
	returned atomic.Int64 // when the other program ended, in Unix nanoseconds; 0 if none did
}

// Check returns an error if the program has no terminal that it can draw on.
func Check() error {
	switch {
	case !term.IsTerminal(os.Stdin.Fd()) || !term.IsTerminal(os.Stdout.Fd()):
		return errors.New("lookout needs a terminal, but standard input or output is not a terminal")
	case isDumb():
		return errors.New(
			"lookout needs a terminal that can move its cursor, but TERM is set to dumb; --linear needs none",
		)
	}
	return nil
}

// CheckLinear is Check for linear output, which any terminal can show.
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
		t.reader = newPausableReader(os.Stdin)
		t.input, t.output, t.in, t.out = os.Stdin, os.Stdout, t.reader, os.Stdout
		o.Term = os.Getenv("TERM")
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
	t.renderer.encoder.ascii = o.ASCII
	t.renderer.encoder.writer.features = featuresOf(o.Term, t.input, t.output)
	if t.renderer.encoder.writer.features.scroll {
		t.query = marginQuery
	}
	t.inputFilter.answered, t.inputFilter.awaited = t.renderer.answered, t.renderer.awaitsAnswer
	t.inputFilter.confirmed = t.renderer.confirmedRequests
	if t.output != nil {
		t.renderer.queued = func() int { return queuedOutput(t.output) }
	}
	t.renderer.linear, t.renderer.flow.off, t.renderer.hasProgressBar = o.Linear, o.Linear, o.ProgressBar
	return t, nil
}

// start switches the terminal to the program's modes.
func (t *tty) start() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.input != nil {
		t.savedState, _ = term.MakeRaw(t.input.Fd())
		if t.lent.Load() {
			discardInput(t.input) // it was typed for the other program
		}
		t.reader.resume()
	}
	t.active = true
	on, _ := t.modeSequences()
	t.renderer.start(on)
}

// stop restores the terminal. It waits at most a second for a terminal that nobody reads.
func (t *tty) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.active {
		return
	}
	t.active = false
	_, off := t.modeSequences()
	t.renderer.flush(t.renderer.clearProgressBar()+off, time.Second)
	if t.reader != nil {
		t.reader.pause()
	}
	if t.savedState != nil {
		_ = term.Restore(t.input.Fd(), t.savedState)
	}
}

// modeSequences returns the sequences that switch the modes on and off.
func (t *tty) modeSequences() (on, off string) {
	switch {
	case t.linear && isDumb():
		return "", "\r\n"
	case t.linear:
		return enterLinearSequence, leaveLinearSequence
	}
	return enterSequence + t.query + clearSequence, leaveSequence
}

// requestExit ends the program with an exit code. Only the first call counts.
func (t *tty) requestExit(code int) {
	t.exitOnce.Do(func() {
		t.code = code
		close(t.exitRequested)
	})
}

// terminalLost ends the program as SIGHUP does.
func (t *tty) terminalLost() { t.requestExit(129) }

// withRecovery runs the work of a goroutine. A panic in it restores the terminal and ends the program.
func (t *tty) withRecovery(work func()) {
	defer func() {
		if r := recover(); r != nil {
			t.onPanic(r)
			t.requestExit(1)
		}
	}()
	work()
}

// exitCode returns the code of requestExit, or 0.
func (t *tty) exitCode() int {
	select {
	case <-t.exitRequested:
		return t.code
	default:
		return 0
	}
}

// watch sends changes of the window's size, signals and stalls to the loop.
func (t *tty) watch(ctx context.Context, send func(tea.Msg), cancel func()) {
	t.inputFilter.run(
		t.withRecovery, t.renderer.stalled, func(dropped int) { go send(OutputStalledMsg{dropped}) },
		func() { t.terminalLost() },
	)
	if t.input == nil {
		return
	}
	sizes, ends, pauses := notifySignals(ctx)
	go t.withRecovery(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case stop := <-pauses:
				switch {
				case t.lent.Load() && stop:
					stopSelf()
				case t.lent.Load(): // the terminal is still the other program's
				case stop:
					send(suspend{})
				default:
					send(continued{})
				}
			case code := <-ends:
				if isFromKeyboard(code) && t.otherGotIt() {
					continue
				}
				t.requestExit(code)
				go t.forceExit(cancel)
			case <-sizes:
				if t.lent.Load() {
					continue // the loop waits for the other program, and asks for the size then
				}
				before := t.lastSize.Load()
				if size := t.askSize(); size != before {
					send(size)
				}
			}
		}
	})
}

// askSize returns the size that the window has now. Whenever the terminal comes back, it may be another one: a program
// that is not in the foreground is not told.
func (t *tty) askSize() resized {
	w, h := t.size()
	size := resized{w, h}
	t.lastSize.Store(size)
	return size
}

// reacquire switches the modes on again after the process was stopped: another program may have changed them.
func (t *tty) reacquire() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.active || t.input == nil {
		return
	}
	_, _ = term.MakeRaw(t.input.Fd())
	on, _ := t.modeSequences()
	t.renderer.start(on)
}

// forceExit ends the process if the loop does not end: it hangs, or nobody reads the terminal.
func (t *tty) forceExit(cancel func()) {
	cancel()
	time.Sleep(1800 * time.Millisecond)
	t.stop()
	os.Exit(t.code)
}

// suspend gives the terminal to the shell until the shell continues the program. It reports whether a shell can do so.
func (t *tty) suspend() bool {
	if t.input == nil || !canSuspend() {
		return false
	}
	t.stop()
	stopSelf()
	t.start()
	return true
}

// isFromKeyboard reports whether an exit code is that of a signal that ctrl+c or ctrl+\ sends to every program in the
// foreground: SIGINT, SIGQUIT.
func isFromKeyboard(code int) bool { return code == 130 || code == 131 }

// otherGotIt reports whether a signal from the keyboard was for another program. Such a signal may end that program
// before this one has noticed it, so it counts as the other's for another second. With its own modes on, the terminal
// makes no signals from keys.
func (t *tty) otherGotIt() bool {
	return t.lent.Load() || time.Since(time.Unix(0, t.returned.Load())) < time.Second
}

// runCommand writes a line and lends the terminal to another program. Until that ends, ctrl+c and ctrl+\ are for it
// alone.
func (t *tty) runCommand(cmd *exec.Cmd, line string) error {
	if cmd.Env == nil {
		cmd.Env = childEnviron()
	}
	if t.input == nil {
		return cmd.Run()
	}
	t.lent.Store(true)
	defer func() {
		t.returned.Store(time.Now().UnixNano())
		t.lent.Store(false)
	}()
	t.inputFilter.setPaused(true)
	t.stop()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = t.input, t.output, t.output // os.Stderr may be a log file
	_, _ = fmt.Fprintln(t.output, line)
	err := cmd.Run()
	t.start()
	t.inputFilter.setPaused(false)
	return err
}
