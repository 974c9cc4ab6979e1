//go:build unix

package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
	"github.com/zalando/go-keyring"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/cmd/internal/exit"
	"lookout/ui/terminal"
)

// TestMain lets the test binary act as the program, so that it can be run in a pty.
func TestMain(m *testing.M) {
	if fault := os.Getenv("LOOKOUT_TEST_FAULT"); fault != "" {
		os.Exit(runFaultyScreen(fault))
	}
	if len(os.Args) > 1 && os.Args[1] == "keep" || filepath.Base(os.Args[0]) == "lookout" {
		os.Exit(run(os.Args[1:])) // lookout keep --detach starts itself, and a shell starts it by its name
	}
	if args := os.Getenv("LOOKOUT_TEST_ARGS"); args != "" {
		if count := os.Getenv("LOOKOUT_TEST_NOISE"); count != "" {
			go writeNoise(log.Writer(), count)
		}
		os.Exit(run(strings.Fields(args)))
	}
	flag.Parse()
	keyring.MockInit()
	_ = flag.Set("test.parallel", "8") // most tests wait for a clock or another process
	os.Exit(m.Run())
}

// ptyProcess is the program in a pty.
type ptyProcess struct {
	t             *testing.T
	cmd           *exec.Cmd
	tty           *os.File
	slave         *os.File
	initialState  *term.State // of the terminal, before the program has it
	mu            sync.Mutex
	out           bytes.Buffer
	outputArrived chan struct{}
	outputEnded   chan struct{} // closed when the terminal is gone; nil if nobody reads
	paused        sync.Mutex    // held while nobody reads
	stalled       bool
	silent        bool // the terminal answers no requests for its status
}

func startPty(t *testing.T, args string, env ...string) *ptyProcess {
	t.Helper()
	return startCommandInPty(
		t, exec.Command(os.Args[0]),
		append([]string{"LOOKOUT_TEST_ARGS=" + args, "TERM=xterm-256color", "LANG=C.UTF-8"}, env...),
	)
}

// startPty starts the program in a pty with the variables of an account, and additional ones.
func (r *testEnv) startPty(t *testing.T, args string, env ...string) *ptyProcess {
	t.Helper()
	return startPty(t, args, append(r.environ(), env...)...)
}

// startCommandInPty runs a command in a new pty session, with additional environment variables.
func startCommandInPty(t *testing.T, cmd *exec.Cmd, env []string) *ptyProcess {
	t.Helper()
	return runInPty(t, cmd, append(slices.Clone(outerVariables), env...), 100, 30)
}

// startSizedPty starts the program with an environment in a terminal of a size.
func startSizedPty(t *testing.T, env []string, cols, rows uint16, args string) *ptyProcess {
	t.Helper()
	return runInPty(t, exec.Command(os.Args[0]), append(slices.Clone(env), "LOOKOUT_TEST_ARGS="+args), cols, rows)
}

// runInPty runs a command in a terminal of a size.
func runInPty(t *testing.T, cmd *exec.Cmd, env []string, cols, rows uint16) *ptyProcess {
	t.Helper()
	tty, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(tty, &pty.Winsize{Cols: cols, Rows: rows}); err != nil {
		t.Fatal(err)
	}
	before, err := term.GetState(slave.Fd())
	if err != nil {
		t.Fatal(err)
	}
	c := &ptyProcess{
		t:             t,
		tty:           tty,
		slave:         slave,
		initialState:  before,
		cmd:           cmd,
		outputArrived: make(chan struct{}, 1),
	}
	c.cmd.Env = env
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = slave, slave, slave
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		tty.Close()
		slave.Close()
	})
	return c
}

// startReading reads the program's output until it ends, and answers requests for the terminal's status.
func (c *ptyProcess) startReading() {
	const request, answer = "\x1b[5n", "\x1b[0n"
	c.outputEnded = make(chan struct{})
	go func() {
		defer close(c.outputEnded)
		buffer, tail := make([]byte, 4096), ""
		for {
			c.paused.Lock()
			//lint:ignore SA2001 it waits while nobody is to read
			c.paused.Unlock()
			n, err := c.tty.Read(buffer)
			c.mu.Lock()
			c.out.Write(buffer[:n])
			c.mu.Unlock()
			parts := strings.Split(tail+string(buffer[:n]), request)
			tail = lastBytes(parts[len(parts)-1], len(request)-1)
			if !c.silent {
				c.typeKeys(strings.Repeat(answer, len(parts)-1))
			}
			select {
			case c.outputArrived <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
}

// setStalled stops or resumes reading, like a connection that carries nothing for a while.
func (c *ptyProcess) setStalled(on bool) {
	c.stalled = on
	if on {
		c.paused.Lock()
		return
	}
	c.paused.Unlock()
}

func (c *ptyProcess) output() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.String()
}

func (c *ptyProcess) waitFor(text string) {
	c.t.Helper()
	deadline := time.After(20 * time.Second)
	for !strings.Contains(c.output(), text) {
		select {
		case <-c.outputArrived:
		case <-deadline:
			c.t.Fatalf("waited in vain for %q; the end of the output: %q", text, lastBytes(c.output(), 2000))
		}
	}
}

// waitExit returns the exit code. All that the program wrote has been read then, unless reading is stalled. If the
// program does not end, the test fails with the stacks of the program's goroutines.
func (c *ptyProcess) waitExit() int {
	c.t.Helper()
	done := make(chan int, 1)
	go func() {
		_ = c.cmd.Wait()
		done <- c.cmd.ProcessState.ExitCode()
	}()
	select {
	case code := <-done:
		c.readRest()
		return code
	case <-time.After(20 * time.Second):
		before := c.output()
		c.signal(syscall.SIGABRT) // the Go runtime writes all stacks
		<-done
		c.readRest()
		stacks := strings.TrimPrefix(c.output(), before)
		c.t.Fatalf("the program does not end; the end of the output: %q\n%s", lastBytes(before, 2000), stacks)
		return -1
	}
}

// readRest waits until everything in the terminal has been read: up to a mark that it writes behind it.
func (c *ptyProcess) readRest() {
	if c.outputEnded == nil || c.stalled {
		return
	}
	const mark = "(end of the output)"
	go func() { _, _ = c.slave.WriteString(mark) }()
	for deadline := time.After(20 * time.Second); ; {
		c.mu.Lock()
		rest, read := strings.CutSuffix(c.out.String(), mark)
		if read {
			c.out.Truncate(len(rest))
		}
		c.mu.Unlock()
		if read {
			return
		}
		select {
		case <-c.outputArrived:
		case <-c.outputEnded:
			return
		case <-deadline:
			c.t.Fatal("the output has no end")
		}
	}
}

// typeKeys writes keys.
func (c *ptyProcess) typeKeys(keys string) { _, _ = c.tty.WriteString(keys) }

// signal sends the program a signal.
func (c *ptyProcess) signal(s syscall.Signal) { _ = c.cmd.Process.Signal(s) }

// checkTerminalRestored fails unless every mode of the terminal is off and the line discipline is as before.
func (c *ptyProcess) checkTerminalRestored() {
	c.t.Helper()
	after, err := term.GetState(c.slave.Fd())
	if err != nil || *after != *c.initialState {
		c.t.Errorf("the terminal is left as %+v, %v", after, err)
	}
	c.waitUntil("the alternate screen is left", func() bool {
		out := c.output()
		return strings.LastIndex(out, "\x1b[?1049l") > strings.LastIndex(out, "\x1b[?1049h")
	})
	out := c.output()
	for _, mode := range []string{"1049", "2004", "1004", "1002"} {
		if strings.LastIndex(out, "\x1b[?"+mode+"h") > strings.LastIndex(out, "\x1b[?"+mode+"l") {
			c.t.Errorf("mode %s is left on", mode)
		}
	}
	if strings.LastIndex(out, "\x1b[?25l") > strings.LastIndex(out, "\x1b[?25h") {
		c.t.Error("the cursor is left hidden")
	}
}

// An exitCase is a way to end the program, with the expected exit code.
type exitCase struct {
	leave func(*ptyProcess)
	code  int
}

// Every kind of exit restores the terminal.
func TestExit_restoresTheTerminal(t *testing.T) {
	t.Parallel()
	signal := func(s syscall.Signal) exitCase { return exitCase{func(c *ptyProcess) { c.signal(s) }, 128 + int(s)} }
	moments := map[string]string{"list": "3", "dialog": "3?", "form": "3n"}
	ways := map[string]exitCase{
		"q":           {func(c *ptyProcess) { c.typeKeys("q") }, 0},
		"ctrl+c":      {func(c *ptyProcess) { c.typeKeys("\x03") }, 0},
		"INT":         signal(syscall.SIGINT),
		"TERM":        signal(syscall.SIGTERM),
		"HUP":         signal(syscall.SIGHUP),
		"QUIT":        signal(syscall.SIGQUIT),
		"two signals": {func(c *ptyProcess) { c.signal(syscall.SIGTERM); c.signal(syscall.SIGTERM) }, 143},
	}
	for i, name := range faulttest.Sorted(ways) {
		for j, moment := range faulttest.Sorted(moments) {
			if name == "q" && moment != "list" {
				continue // it is text in a form and a word of the search in the help
			}
			if !faulttest.InSample(2, i, j) {
				continue
			}
			faulttest.RunCase(t, "E1", name+" in a "+moment, func(t *testing.T) {
				t.Parallel()
				way := ways[name]
				c := startPty(t, "demo")
				c.startReading()
				c.waitFor("12 buckets")
				c.typeKeys(moments[moment])
				c.waitFor(map[string]string{"list": "edge-router", "dialog": "Help", "form": "New service"}[moment])
				way.leave(c)
				if code := c.waitExit(); code != way.code {
					t.Errorf("exit code %d, not %d", code, way.code)
				}
				c.checkTerminalRestored()
			})
		}
	}
}

// A panic anywhere in the program restores the terminal, prints one line and exits with 1. The stack goes only to the
// log.
func TestPanic_restoresTheTerminal(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"update", "frame", "command", "batch", "init"} {
		faulttest.RunCase(t, "E1", "panic in "+where, func(t *testing.T) {
			t.Parallel()
			c := startCommandInPty(
				t, exec.Command(os.Args[0]),
				[]string{"LOOKOUT_TEST_FAULT=" + where, "TERM=xterm-256color", "LANG=C.UTF-8"},
			)
			c.startReading()
			if where != "init" {
				c.waitFor("a screen")
				c.typeKeys("x")
			}
			if code := c.waitExit(); code != 1 {
				t.Errorf("exit code %d", code)
			}
			c.checkTerminalRestored()
			c.waitFor("lookout crashed")
			if strings.Contains(c.output(), "canary") || strings.Contains(c.output(), "goroutine ") {
				t.Errorf("the panic is shown:\n%q", c.output())
			}
		})
	}
}

// faultyScreen fails at one place when a key is pressed.
type faultyScreen struct {
	where   string
	pressed bool
}

func (s *faultyScreen) Init() tea.Cmd {
	if s.where == "init" {
		panic("canary")
	}
	return nil
}

func (s *faultyScreen) Update(msg tea.Msg) tea.Cmd {
	if _, key := msg.(tea.KeyPressMsg); !key {
		return nil
	}
	s.pressed = true
	fails := func() tea.Msg { panic("canary") }
	switch s.where {
	case "update":
		panic("canary")
	case "command":
		return fails
	case "batch":
		return tea.Batch(fails, fails)
	}
	return nil
}

func (s *faultyScreen) Frame() terminal.Frame {
	if s.pressed && s.where == "frame" {
		panic("canary")
	}
	return terminal.Frame{Content: "a screen" + map[bool]string{true: " pressed"}[s.pressed]}
}

// runFaultyScreen runs a screen that fails.
func runFaultyScreen(where string) int {
	code, err := terminal.Run(context.Background(), &faultyScreen{where: where}, terminal.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return code
}

// writeNoise writes to standard error, as a library might. A file has one byte for each time.
func writeNoise(before io.Writer, count string) {
	for log.Writer() == before {
		time.Sleep(time.Millisecond)
	}
	for n := 1; ; n++ {
		log.Print("noise")
		fmt.Fprintln(os.Stderr, "noise")
		_ = os.WriteFile(count, make([]byte, n), 0o600)
		time.Sleep(20 * time.Millisecond)
	}
}

// lastBytes returns the end of a text, of at most a number of bytes.
func lastBytes(text string, most int) string { return text[max(0, len(text)-most):] }

// Mistakes in keys and in the theme never keep the program from starting: each is reported before, with file and line,
// and one status message names the first. What only the assembled dashboard knows is in the message alone.
func TestStart_cosmeticMistakes(t *testing.T) {
	t.Parallel()
	mistakes := map[string]struct{ config, want string }{
		"a key bound twice": {
			"[keys]\n\"services.edit\" = [\"d\"]\n",
			`config.toml:2: keys: the key "d" is bound twice in services: to "disable" and to "edit"; ` +
				"only the first works",
		},
		"no key": {
			"[keys]\n\"services.edit\" = [\"ctlr+x\"]\n",
			`config.toml:2:20: keys.services.edit: "ctlr+x" is not a key; use a character`,
		},
		"ctrl+c bound": {
			"[keys]\n\"services.edit\" = [\"ctrl+c\"]\n",
			"config.toml:2:20: keys.services.edit: ctrl+c always ends lookout",
		},
		"an unknown action": {
			"[keys]\n\"services.disabel\" = [\"x\"]\n", `config.toml:2:1: keys."services.disabel": unknown action`,
		},
		"an unknown column": {
			"[columns]\nservices = [\"labl\"]\n", `config.toml:2:13: columns.services: unknown column "labl"`,
		},
		"an unknown pane of a command": {
			"[[commands]]\npane = \"servics\"\nkey = \"x\"\nname = \"a\"\ncommand = [\"true\"]\nharmless = true\n",
			`config.toml:2:1: commands.pane: unknown list "servics"`,
		},
		"an unknown placeholder of a command": {
			"[[commands]]\npane = \"services\"\nkey = \"x\"\nname = \"a\"\n" +
				"command = [\"true\", \"{lable}\"]\nharmless = true\n",
			"config.toml:5:1: commands.command: unknown placeholder {lable}",
		},
		"no theme":          {"theme = \"pink\"\n", `config.toml:1:1: theme: unknown theme "pink"`},
		"no tone":           {"theme = \"own\"\n[themes.own]\nbade = \"red\"\n", "config.toml:3:1: themes.own.bade"},
		"no base of themes": {"theme = \"own\"\n[themes.own]\nbase = \"pink\"\n", "config.toml:3:1: themes.own.base:"},
	}
	for i, name := range faulttest.Sorted(mistakes) {
		if !faulttest.InSample(3, i) {
			continue
		}
		c := mistakes[name]
		faulttest.RunCase(t, "G2", "start with "+name, func(t *testing.T) {
			t.Parallel()
			r := newTestEnv(t, emulator.Options{})
			r.WriteConfig(c.config)
			p := r.startPty(t, "--view services")
			p.startReading()
			p.waitFor("edge-router")
			place, _, _ := strings.Cut(
				strings.TrimPrefix(c.want, "config.toml"),
				": ",
			) // the name may overwrite equal cells
			p.waitUntil("message about "+place, func() bool {
				_, screen, _ := strings.Cut(p.output(), "\x1b[?1049h")
				return strings.Contains(ansi.Strip(screen), place)
			})
			p.typeKeys("q")
			if code := p.waitExit(); code != exit.CodeOK {
				t.Errorf("exit code %d", code)
			}
			before, _, _ := strings.Cut(p.output(), "\x1b[?1049h")
			reported := strings.Contains(before, "lookout: "+r.Home) && strings.Contains(before, c.want)
			if !reported && !strings.Contains(c.want, "unknown action") &&
				!strings.Contains(c.want, "unknown column") &&
				!strings.Contains(c.want, "commands.") {
				t.Errorf("before the start: %q, want %q", before, c.want)
			}
		})
	}
}
