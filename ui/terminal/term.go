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
	enter = "\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?1004h\x1b[H\x1b[2J"
	leave = "\x1b[m\x1b[?1006l\x1b[?1002l\x1b[?1004l\x1b[?2004l\x1b[?25h\x1b[?1049l"
)

// What a linear terminal has instead: pastes alone are told from keys.
const (
	enterLinear = "\x1b[?2004h"
	leaveLinear = "\x1b[?2004l\r\n"
)

// console is the terminal with its modes.
type console struct {
	in      io.Reader
	out     io.Writer
	input   *os.File // the tty that is read, nil in tests
	output  *os.File // the tty that is written, nil in tests
	size    func() (int, int)
	before  *term.State
	guard   *guard
	painter *painter
	gone    chan struct{} // closed when the terminal is gone, a signal ends the program, or one of the terminal's own goroutines failed
	fault   func(any)     // keeps a panic until the terminal is back
	linear  bool

	mu     sync.Mutex
	once   sync.Once
	code   int
	active bool
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

func open(o Options) (*console, error) {
	t := &console{in: o.In, out: o.Out, size: o.Size, linear: o.Linear, gone: make(chan struct{})}
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
	t.guard = newGuard(t.in)
	t.painter = newPainter(t.out, t.lost, t.shield)
	t.painter.pencil.ascii = o.ASCII
	t.painter.linear, t.painter.bar = o.Linear, o.Progress
	return t, nil
}

// start takes the terminal.
func (t *console) start() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.input != nil {
		t.before, _ = term.MakeRaw(t.input.Fd())
	}
	t.active = true
	t.painter.reset()
	on, _ := t.modes()
	t.painter.raw(on)
}

// stop gives the terminal back. It never waits long for a terminal that nobody reads.
func (t *console) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.active {
		return
	}
	t.active = false
	_, off := t.modes()
	t.painter.finish(t.painter.unbarred()+off, time.Second)
	if t.before != nil {
		_ = term.Restore(t.input.Fd(), t.before)
	}
}

// modes are what is switched on at the start and off at the end.
func (t *console) modes() (on, off string) {
	switch {
	case t.linear && isDumb():
		return "", "\r\n"
	case t.linear:
		return enterLinear, leaveLinear
	}
	return enter, leave
}

// end is the end by a signal or a terminal that is gone.
func (t *console) end(code int) {
	t.once.Do(func() {
		t.code = code
		close(t.gone)
	})
}

func (t *console) lost() { t.end(129) }

// shield runs what has a goroutine of its own: a panic in it gives the terminal back.
func (t *console) shield(work func()) {
	defer func() {
		if r := recover(); r != nil {
			t.fault(r)
			t.end(1)
		}
	}()
	work()
}

func (t *console) exit() int {
	select {
	case <-t.gone:
		return t.code
	default:
		return 0
	}
}

// watch follows the size and the signals, and what the guard has to tell.
func (t *console) watch(ctx context.Context, send func(tea.Msg), cancel func()) {
	t.guard.run(t.shield, t.painter.stalled, func(dropped int) { go send(Stalled{dropped}) }, func() { t.lost() })
	if t.input == nil {
		return
	}
	sizes, ends, pauses := signals(ctx)
	go t.shield(func() {
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
				t.end(code)
				go t.deadline(cancel)
			case <-sizes:
				if nw, nh := t.size(); nw != w || nh != h {
					w, h = nw, nh
					send(resized{w, h})
				}
			}
		}
	})
}

// retake takes the terminal again after the process stood still: whoever had it meanwhile may have left it otherwise.
func (t *console) retake() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.active || t.input == nil {
		return
	}
	_, _ = term.MakeRaw(t.input.Fd())
	t.painter.reset()
	t.painter.raw(enter)
}

// deadline ends the process when the loop does not: nobody reads the terminal, or the loop hangs.
func (t *console) deadline(cancel func()) {
	cancel()
	time.Sleep(1800 * time.Millisecond)
	t.stop()
	os.Exit(t.code)
}

// suspend gives the terminal to the shell until the program is continued. It reports whether there is a shell that can do so.
func (t *console) suspend() bool {
	if t.input == nil || !resumable() {
		return false
	}
	t.stop()
	stopSelf()
	t.start()
	return true
}

// lend gives the terminal to another program.
func (t *console) lend(cmd *exec.Cmd) error {
	if t.input == nil {
		return cmd.Run()
	}
	t.guard.pause(true)
	t.stop()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = t.input, t.output, t.output // standard error is not the terminal meanwhile
	err := cmd.Run()
	t.start()
	t.guard.pause(false)
	return err
}
