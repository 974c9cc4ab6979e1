package main

import (
	"context"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/cmd/internal/dashboard"
	"lookout/ui/shell"
)

// A recorder runs the demo without a terminal: it presses keys and takes frames. Its clock stands still while the
// program works, so that the same keys always make the same frames.
type recorder struct {
	ctx      context.Context
	shell    *shell.Shell
	now      time.Time
	requests atomic.Int64 // requests under way
	launched int          // commands so far
	working  map[int]bool // commands that the program waits for
	results  chan result
}

// newRecorder starts the demo in a theme on a screen of a size.
func newRecorder(ctx context.Context, look string, width, height int) (*recorder, error) {
	r := &recorder{
		ctx:     ctx,
		now:     dashboard.FrozenTime(),
		working: map[int]bool{},
		results: make(chan result),
	}
	demo := dashboard.FrozenDemoOptions{
		Theme:     look,
		Now:       func() time.Time { return r.now },
		Transport: func(next http.RoundTripper) http.RoundTripper { return &requestCounter{next, &r.requests} },
	}
	s, _, err := demo.Open(ctx)
	if err != nil {
		return nil, err
	}
	r.shell = s
	r.send(tea.WindowSizeMsg{Width: width, Height: height})
	r.run(s.Init())
	return r, nil
}

// requestCounter counts the requests under way.
type requestCounter struct {
	next  http.RoundTripper
	count *atomic.Int64
}

// RoundTrip sends a request.
func (c *requestCounter) RoundTrip(r *http.Request) (*http.Response, error) {
	c.count.Add(1)
	defer c.count.Add(-1)
	return c.next.RoundTrip(r)
}

// quietFor is how long a command may work before it counts as one that waits for something to happen.
const quietFor = 3 * time.Second

// A result is what a command has returned.
type result struct {
	command int
	msg     tea.Msg
}

// run runs a command and everything that follows from it, apart from timers and what waits for something to happen.
func (r *recorder) run(cmd tea.Cmd) {
	r.launch(cmd)
	for len(r.working) > 0 {
		select {
		case one := <-r.results:
			delete(r.working, one.command)
			r.handle(one.msg)
		case <-time.After(quietFor):
			if r.requests.Load() == 0 {
				clear(r.working)
			}
		}
	}
}

// restFor is how long a frame is looked at before it is taken: longer than the cursor rests before a preview is read.
const restFor = 400 * time.Millisecond

// rest lets timers end that are shorter, and waits for what follows from them.
func (r *recorder) rest() {
	for done := time.After(restFor); ; {
		select {
		case one := <-r.results:
			delete(r.working, one.command)
			r.handle(one.msg)
		case <-done:
			r.run(nil)
			return
		}
	}
}

// handle passes a message to the program, which draws a frame: a list reads what its last frame lacked.
func (r *recorder) handle(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, one := range msg {
			r.launch(one)
		}
	default:
		r.launch(r.shell.Update(msg))
		r.shell.Frame()
	}
}

// launch runs a command off the loop.
func (r *recorder) launch(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	r.launched++
	n := r.launched
	if !isTimer(cmd) {
		r.working[n] = true
	}
	go func() {
		select {
		case r.results <- result{n, cmd()}:
		case <-r.ctx.Done():
		}
	}()
}

// isTimer reports whether a command is one of tea.Tick. Only its code tells.
func isTimer(cmd tea.Cmd) bool {
	return strings.Contains(runtime.FuncForPC(reflect.ValueOf(cmd).Pointer()).Name(), "tea/v2.Tick")
}

func (r *recorder) send(msg tea.Msg) {
	cmd := r.shell.Update(msg)
	r.shell.Frame()
	r.run(cmd)
}

// pass lets the demo's clock go on.
func (r *recorder) pass(d time.Duration) { r.now = r.now.Add(d) }

// frame returns the lines of the screen.
func (r *recorder) frame() []string { return strings.Split(r.shell.Frame().Content, "\n") }

// press presses keys, separated by blanks. A key in angle brackets has a name, and a number of seconds is waited:
// "3 <down> +60". Any other word is typed.
func (r *recorder) press(keys string) {
	for _, word := range strings.Fields(keys) {
		if name, named := strings.CutPrefix(word, "<"); named && len(word) > 2 {
			r.send(namedKey(strings.TrimSuffix(name, ">")))
			continue
		}
		if wait, err := time.ParseDuration(strings.TrimPrefix(word, "+")); err == nil && word[0] == '+' {
			r.pass(wait)
			continue
		}
		for _, letter := range word {
			r.send(tea.KeyPressMsg{Code: letter, Text: string(letter)})
		}
	}
}

// namedKey returns a key by its name.
func namedKey(name string) tea.KeyPressMsg {
	if letter, ctrl := strings.CutPrefix(name, "ctrl+"); ctrl {
		return tea.KeyPressMsg{Code: rune(letter[0]), Mod: tea.ModCtrl}
	}
	if name == "space" {
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	}
	return tea.KeyPressMsg{Code: map[string]rune{
		"enter": tea.KeyEnter,
		"esc":   tea.KeyEscape,
		"tab":   tea.KeyTab,
		"down":  tea.KeyDown,
		"up":    tea.KeyUp,
		"left":  tea.KeyLeft,
		"right": tea.KeyRight,
	}[name]}
}
