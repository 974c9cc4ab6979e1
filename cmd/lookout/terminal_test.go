//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

// TestMain lets the test's own binary be the program, so that it can be run in a pty.
func TestMain(m *testing.M) {
	if args := os.Getenv("LOOKOUT_TEST_ARGS"); args != "" {
		os.Exit(run(strings.Fields(args)))
	}
	os.Exit(m.Run())
}

// child is the program in a pty.
type child struct {
	t      *testing.T
	cmd    *exec.Cmd
	tty    *os.File
	slave  *os.File
	before *term.State // of the terminal, before the program has it
	mu     sync.Mutex
	out    bytes.Buffer
	more   chan struct{}
}

func spawn(t *testing.T, args string) *child {
	t.Helper()
	return spawnIn(t, append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8"), 100, 30, args)
}

// spawnIn runs the program with an environment in a terminal of a size.
func spawnIn(t *testing.T, env []string, cols, rows uint16, args string) *child {
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
	c := &child{t: t, tty: tty, slave: slave, before: before, cmd: exec.Command(os.Args[0]), more: make(chan struct{}, 1)}
	c.cmd.Env = append(slices.Clone(env), "LOOKOUT_TEST_ARGS="+args)
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

// read takes the program's output until it ends.
func (c *child) read() {
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := c.tty.Read(buffer)
			c.mu.Lock()
			c.out.Write(buffer[:n])
			c.mu.Unlock()
			select {
			case c.more <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
}

func (c *child) output() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.String()
}

func (c *child) waitFor(text string) {
	c.t.Helper()
	deadline := time.After(20 * time.Second)
	for !strings.Contains(c.output(), text) {
		select {
		case <-c.more:
		case <-deadline:
			c.t.Fatalf("waited in vain for %q", text)
		}
	}
}

// end waits for the exit code.
func (c *child) end(within time.Duration) int {
	c.t.Helper()
	done := make(chan int, 1)
	go func() {
		_ = c.cmd.Wait()
		done <- c.cmd.ProcessState.ExitCode()
	}()
	select {
	case code := <-done:
		return code
	case <-time.After(within):
		c.t.Fatalf("the program is still there after %v", within)
		return -1
	}
}

// Whatever the way out, the terminal is given back: the last of each mode is off, and the line discipline is what it was.
func TestEveryWayOutGivesTheTerminalBack(t *testing.T) {
	signal := func(s syscall.Signal) func(*child) { return func(c *child) { _ = c.cmd.Process.Signal(s) } }
	types := func(keys string) func(*child) { return func(c *child) { _, _ = c.tty.WriteString(keys) } }
	moments := map[string]string{"list": "3", "dialog": "3?", "form": "3n"}
	for name, way := range map[string]struct {
		leave func(*child)
		code  int
	}{
		"ctrl+c": {types("\x03"), 0}, "INT": {signal(syscall.SIGINT), 130}, "TERM": {signal(syscall.SIGTERM), 143},
		"HUP": {signal(syscall.SIGHUP), 129}, "QUIT": {signal(syscall.SIGQUIT), 131},
	} {
		for moment, keys := range moments {
			t.Run(name+" in a "+moment, func(t *testing.T) {
				t.Parallel()
				c := spawn(t, "demo")
				c.read()
				c.waitFor("12 buckets")
				_, _ = c.tty.WriteString(keys)
				c.waitFor(map[string]string{"list": "edge-router", "dialog": "Help", "form": "New service"}[moment])
				way.leave(c)
				if code := c.end(5 * time.Second); code != way.code {
					t.Errorf("exit code %d, not %d", code, way.code)
				}
				after, err := term.GetState(c.slave.Fd())
				if err != nil || *after != *c.before {
					t.Errorf("the terminal is left as %+v, %v", after, err)
				}
				c.waitFor("\x1b[?1049l")
				out := c.output()
				for _, mode := range []string{"1049", "2004", "1004", "1002"} {
					if strings.LastIndex(out, "\x1b[?"+mode+"h") > strings.LastIndex(out, "\x1b[?"+mode+"l") {
						t.Errorf("mode %s is left on", mode)
					}
				}
				if strings.LastIndex(out, "\x1b[?25l") > strings.LastIndex(out, "\x1b[?25h") {
					t.Error("the cursor is left hidden")
				}
			})
		}
	}
}

// Nobody reads the terminal: the program ends all the same.
func TestDeadLinkEnds(t *testing.T) {
	c := spawn(t, "demo")
	time.Sleep(500 * time.Millisecond)
	for range 200 { // keys whose frames fill the pty, which nobody reads
		_, _ = c.tty.WriteString("3G?\x1b1")
	}
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	if code := c.end(4 * time.Second); code != 143 {
		t.Errorf("exit code %d", code)
	}
}

func TestNoTerminal(t *testing.T) {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "LOOKOUT_TEST_ARGS=demo")
	out, err := c.CombinedOutput()
	if c.ProcessState.ExitCode() != exitUsage || !strings.Contains(string(out), "needs a terminal") || strings.Contains(string(out), "\x1b") {
		t.Errorf("%v: %q", err, out)
	}
}
