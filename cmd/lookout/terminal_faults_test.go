//go:build unix

package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
)

// waitForAfter fails unless a text appears in the output after this moment.
func (c *ptyProcess) waitForAfter(from int, text string) {
	c.t.Helper()
	c.waitUntil(fmt.Sprintf("%q", text), func() bool { return strings.Contains(c.output()[from:], text) })
}

func (c *ptyProcess) waitUntil(what string, holds func() bool) {
	c.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !holds() {
		if time.Now().After(deadline) {
			out := c.output()
			c.t.Fatalf("waited in vain for %s; the end of the output: %q", what, out[max(0, len(out)-1500):])
		}
		select {
		case <-c.outputArrived:
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// pressUntil presses a key again and again until something holds. A key that answers a question counts only once the
// question has been on the screen for a while, because this terminal does not tell when it is.
func (c *ptyProcess) pressUntil(key, what string, holds func() bool) {
	c.t.Helper()
	var again time.Time
	c.waitUntil(what, func() bool {
		if holds() {
			return true
		}
		if now := time.Now(); now.After(again) {
			c.typeKeys(key)
			again = now.Add(time.Second)
		}
		return false
	})
}

// fillOutput fills the terminal's buffer, which nobody reads, until the program waits in a write. The program itself
// would fill it only after seconds: it waits for the terminal's answers.
func (c *ptyProcess) fillOutput() {
	c.t.Helper()
	c.waitUntil("the program's first output", func() bool { return c.output() != "" || ready(c.tty, unix.POLLIN) })
	terminal, err := unix.Open(c.slave.Name(), unix.O_WRONLY|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		c.t.Fatal(err)
	}
	defer unix.Close(terminal)
	keys, full := "83", 0
	c.waitUntil("a terminal that takes nothing more", func() bool {
		for err = nil; err == nil; {
			_, err = unix.Write(terminal, make([]byte, 4096)) // terminals ignore NUL
		}
		if full++; ready(c.slave, unix.POLLOUT) {
			full = 0
		}
		keys = keys[1:] + keys[:1]
		c.typeKeys(keys[:1])
		return full == 5 // not only while a write is under way
	})
}

// ready reports whether an end of the terminal is ready for an event of unix.Poll.
func ready(end *os.File, event int16) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(end.Fd()), Events: event}}, 0)
	return err != nil || n > 0
}

// typeBlindly types keys, one after the other, that the program reads while nobody sees its screen.
func (c *ptyProcess) typeBlindly(keys ...string) {
	c.t.Helper()
	read := func() bool { return !ready(c.slave, unix.POLLIN) }
	for seen := -1; seen != len(c.output()) || ready(c.slave, unix.POLLOUT); { // the last read may have been under way
		c.fillOutput()
		c.waitUntil("the keys that filled the output to be read", read)
		seen = len(c.output())
		wait := 4 * time.Second // the program drops keys after three seconds, and nothing shows that it does
		if c.silent {
			wait = 2 * time.Second // it does after one
		}
		time.Sleep(wait)
	}
	for _, k := range keys {
		c.typeKeys(k)
		c.waitUntil("the keys to be read", read)
	}
}

// If nobody reads the terminal any more, every kind of exit still works and leaves the line discipline as it was.
func TestDeadTerminalConnection_exits(t *testing.T) {
	t.Parallel()
	for _, end := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		faulttest.RunCase(t, "E2", end.String(), func(t *testing.T) {
			t.Parallel()
			c := startPty(t, "demo")
			c.fillOutput()
			c.signal(end)
			if code := c.waitExit(); code != 128+int(end) {
				t.Errorf("exit code %d", code)
			}
		})
	}
	faulttest.RunCase(t, "E2", "line cut", func(t *testing.T) {
		t.Parallel()
		c := startPty(t, "demo")
		c.fillOutput()
		c.slave.Close()
		c.tty.Close()
		if code := c.waitExit(); code != 129 {
			t.Errorf("exit code %d", code)
		}
	})
}

// Keys typed while the screen does not respond do nothing. Once the terminal responds again, the program says so.
func TestKeysTypedDuringAStall(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	for name, keys := range map[string]string{
		"q":              "q",
		"delete and yes": "4Dy",
		"disable":        "3d\x13",
		"name":           "3Dedge-router\r",
	} {
		faulttest.RunCase(t, "E3", name, func(t *testing.T) {
			t.Parallel()
			c := r.startPty(t, "--no-mouse")
			c.silent = true
			c.startReading()
			c.waitFor("12 buckets")
			c.setStalled(true)
			c.typeBlindly(keys)
			c.setStalled(false)
			c.waitFor("did not respond")
			c.waitUntil("keys that work again", func() bool {
				c.typeKeys("?")
				time.Sleep(300 * time.Millisecond) // the first moments after a stall are dropped too
				return strings.Contains(c.output(), "Help")
			})
			if n := len(r.API.Ledger()); n != 0 {
				t.Errorf("%d changes by keys that were typed blindly", n)
			}
		})
	}
}

// If the parent process dies or the connection is cut, the program ends and does not spin.
func TestTheParentDies(t *testing.T) {
	t.Parallel()
	faulttest.RunCase(t, "E4", "shell killed", func(t *testing.T) {
		t.Parallel()
		shell := exec.Command("sh", "-c", os.Args[0]+"; true")
		c := startCommandInPty(t, shell, []string{"LOOKOUT_TEST_ARGS=demo", "TERM=xterm-256color", "LANG=C.UTF-8"})
		c.startReading()
		c.waitFor("12 buckets")
		child := childProcesses(t, shell.Process.Pid)
		if len(child) != 1 {
			t.Fatalf("the shell has the children %v", child)
		}
		_ = shell.Process.Kill()
		_ = c.cmd.Wait()
		c.waitUntil("the end of the program", func() bool { return syscall.Kill(child[0], 0) != nil })
		c.waitFor("\x1b[?1049l")
	})
	faulttest.RunCase(t, "E4", "pane killed and left", func(t *testing.T) {
		t.Parallel()
		tmux, err := exec.LookPath("tmux")
		if err != nil {
			t.Skip("tmux is not installed")
		}
		folder := t.TempDir()
		run := func(args ...string) string {
			c := exec.Command(tmux, append([]string{"-S", "s", "-f", os.DevNull}, args...)...)
			c.Dir = folder // a socket's path must be short
			out, _ := c.CombinedOutput()
			return string(out)
		}
		t.Cleanup(func() { run("kill-server") })
		run("new-session", "-d", "-x", "100", "-y", "30", "env", "LOOKOUT_TEST_ARGS=demo", "LANG=C.UTF-8", os.Args[0])
		wait := func(what string, holds func() bool) {
			t.Helper()
			for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(20 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("waited in vain for %s:\n%s", what, run("capture-pane", "-p"))
				}
			}
		}
		wait("the program", func() bool { return strings.Contains(run("capture-pane", "-p"), "12 buckets") })
		run("resize-window", "-x", "140", "-y", "40") // as when somebody attaches with another size
		wait("the new size", func() bool {
			lines := strings.Split(run("capture-pane", "-p"), "\n")
			return strings.Contains(lines[39], "help")
		})
		var pid int
		_, _ = fmt.Sscan(run("display-message", "-p", "#{pane_pid}"), &pid)
		run("kill-pane")
		wait("the program's end", func() bool { return syscall.Kill(pid, 0) != nil })
	})
}

// childProcesses returns the processes that a process started.
func childProcesses(t *testing.T, pid int) (found []int) {
	t.Helper()
	out, _ := exec.Command("pgrep", "-P", fmt.Sprint(pid)).Output()
	for line := range strings.FieldsSeq(string(out)) {
		var n int
		_, _ = fmt.Sscan(line, &n)
		found = append(found, n)
	}
	return found
}

// ctrl-z gives the terminal to a shell that can resume the program, and to no other. The screen is redrawn afterwards.
func TestSuspend(t *testing.T) {
	t.Parallel()
	faulttest.RunCase(t, "E5", "in a shell with job control", func(t *testing.T) {
		t.Parallel()
		bash, err := exec.LookPath("bash")
		if err != nil {
			t.Skip("bash is not installed")
		}
		shell := exec.Command(bash, "--norc", "--noprofile", "-i")
		c := startCommandInPty(
			t,
			shell,
			[]string{
				"TERM=xterm-256color",
				"LANG=C.UTF-8",
				"PS1=prompt-$(( 40 + 2 ))> ",
				"PROGRAM=" + os.Args[0],
				"HISTFILE=",
			},
		)
		c.startReading()
		c.waitFor("prompt-42> ")
		for _, dialog := range []string{"", ":"} {
			from := len(c.output())
			if dialog == "" {
				c.typeKeys("LOOKOUT_TEST_ARGS=demo \"$PROGRAM\"\n")
			} else {
				c.typeKeys("fg\n")
			}
			c.waitForAfter(from, "\x1b[?1049h")
			c.waitForAfter(from, "Services")
			if dialog != "" {
				c.typeKeys(dialog)
				c.waitForAfter(from, "Go to")
			}
			from = len(c.output())
			c.typeKeys("\x1a")
			c.waitForAfter(from, "\x1b[?1049l")
			c.waitForAfter(from, "Stopped")
			c.waitForAfter(from, "prompt-42> ")
			from = len(c.output())
			c.typeKeys("echo sum-$(( 20 + 3 ))\n")
			c.waitForAfter(from, "sum-23") // the shell's own line discipline is back
		}
		from := len(c.output())
		for _, size := range []pty.Winsize{{Cols: 80, Rows: 24}, {Cols: 100, Rows: 30}} {
			_ = pty.Setsize(c.tty, &size) // only the shell is notified at first
			if size.Cols == 80 {
				c.typeKeys("fg\n")
			}
			c.waitUntil(fmt.Sprint("a screen of ", size.Cols, " columns"), func() bool {
				drawn := c.output()[from:]
				lines := strings.Split(screenAfter(drawn[max(0, strings.LastIndex(drawn, "\x1b[2J")):], size), "\n")
				return len(lines) == int(size.Rows) && strings.Contains(lines[len(lines)-1], "esc close")
			})
		}
		c.typeKeys("\x1bq")
		c.waitForAfter(from, "prompt-42> ")
	})
	faulttest.RunCase(t, "E5", "without job control", func(t *testing.T) {
		t.Parallel()
		c := startPty(t, "demo")
		c.startReading()
		c.waitFor("12 buckets")
		c.typeKeys("\x1a")
		c.waitFor("no shell could resume lookout")
		c.typeKeys("3")
		c.waitFor("edge-router")
	})
	for name, stop := range map[string]func(*ptyProcess){
		"stopped from outside": func(c *ptyProcess) { c.stop(syscall.SIGSTOP) },
		"asked to stop from outside": func(c *ptyProcess) {
			c.signal(syscall.SIGTSTP)
			c.waitFor("no shell could resume lookout")
		},
	} {
		faulttest.RunCase(t, "E5", name, func(t *testing.T) {
			t.Parallel()
			c := startPty(t, "demo")
			c.startReading()
			c.waitFor("12 buckets")
			stop(c)
			from := len(c.output())
			c.signal(syscall.SIGCONT)
			c.waitForAfter(from, "\x1b[2J")
			c.waitForAfter(from, "Services")
			c.typeKeys("q")
			if code := c.waitExit(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			c.checkTerminalRestored()
		})
	}
}

// screenAfter returns what a terminal of a size shows after some output.
func screenAfter(output string, size pty.Winsize) string {
	e := vt.NewEmulator(int(size.Cols), int(size.Rows))
	answers := make(chan struct{})
	go func() { // its answers get nowhere
		_, _ = io.Copy(io.Discard, e)
		close(answers)
	}()
	_, _ = io.WriteString(e, output)
	_ = e.InputPipe().(io.Closer).Close() // Close of the emulator would race with the reader
	<-answers
	return ansi.Strip(e.Render())
}

// A process that was stopped with a change in flight sends it once, and finds out its outcome.
func TestFrozenWithAChangeInFlight(t *testing.T) {
	t.Parallel()
	faulttest.RunCase(t, "B21", "frozen while a service is enabled", func(t *testing.T) {
		r := newTestEnv(t, emulator.Options{})
		c := r.startPty(t, "--no-mouse")
		c.startReading()
		c.waitFor("12 buckets")
		var arrived atomic.Bool
		stopped := make(chan struct{})
		r.Intercept(func(_ http.ResponseWriter, req *http.Request) bool {
			if strings.HasSuffix(req.URL.Path, "/enable") {
				arrived.Store(true)
				select {
				case <-stopped:
				case <-req.Context().Done():
				}
			}
			return false
		})
		r.API.InjectFault("enable service", emulator.Fault{ApplyFirst: true, Reset: true, Times: 1})
		c.typeKeys("3/billing-cron\r")
		c.pressUntil("E", "the change", arrived.Load) // until it is read apart from the text
		c.stop(syscall.SIGSTOP)
		close(stopped)
		c.waitUntil("the answer that is lost", func() bool { return len(r.API.Ledger()) > 0 })
		c.signal(syscall.SIGCONT)
		c.waitFor("monitoring is enabled")
		if n := len(r.API.Ledger()); n != 1 {
			t.Errorf("%d changes", n)
		}
	})
}

// stop stops the program with a signal and waits until it is stopped.
func (c *ptyProcess) stop(s syscall.Signal) {
	c.t.Helper()
	c.signal(s)
	var status unix.WaitStatus
	if _, err := unix.Wait4(c.cmd.Process.Pid, &status, unix.WUNTRACED, nil); err != nil || !status.Stopped() {
		c.t.Fatalf("the program has not stopped: %v, %v", status, err)
	}
}

// In an odd environment, the program prints a plain sentence if there is no screen, and works otherwise.
func TestOddTerminals(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]string{
		"empty":   "TERM=",
		"unknown": "TERM=klingon",
		"long":    "TERM=" + strings.Repeat("x", 5000),
		"columns": "COLUMNS=99999999999",
		"lines":   "LINES=-1",
	} {
		faulttest.RunCase(t, "E8", name, func(t *testing.T) {
			t.Parallel()
			c := startPty(t, "demo", env)
			c.startReading()
			c.waitFor("12 buckets")
			c.typeKeys("q")
			if code := c.waitExit(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
	faulttest.RunCase(t, "E8", "dumb", func(t *testing.T) {
		t.Parallel()
		c := startPty(t, "demo", "TERM=dumb")
		c.startReading()
		if code := c.waitExit(); code != exit.CodeUsage {
			t.Errorf("exit code %d", code)
		}
		c.waitFor("TERM is set to dumb; --linear needs none")
		if strings.Contains(c.output(), "\x1b") {
			t.Errorf("escapes: %q", c.output())
		}
	})
	for name, redirect := range map[string]func(*exec.Cmd){
		"no terminal": func(*exec.Cmd) {},
		"input from a file": func(cmd *exec.Cmd) {
			cmd.Stdin, _ = os.Open(os.DevNull)
		},
	} {
		faulttest.RunCase(t, "E8", name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(slices.Clone(outerVariables), "LOOKOUT_TEST_ARGS=demo")
			redirect(cmd)
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() != exit.CodeUsage || !strings.Contains(string(out), "needs a terminal") ||
				strings.Contains(string(out), "\x1b") {
				t.Errorf("%v: %q", err, out)
			}
		})
	}
}

var panesByKey = []struct{ key, text string }{
	{"2", "ticket"},
	{"3", "edge"},
	{"4", "Ada"},
	{"5", "db2"},
	{"6", "bastion"},
	{"7", "CPU"},
	{"8", "acme-backups"},
	{"9", "backup"},
	{"0", "us-east"},
}

// Without colours, no colour is sent. Without UTF-8, only ASCII is sent.
func TestPlainTerminals(t *testing.T) {
	t.Parallel()
	colour := regexp.MustCompile("\x1b\\[[0-9;]*m")
	walk := func(t *testing.T, env ...string) string {
		t.Parallel()
		c := startPty(t, "demo", env...)
		c.startReading()
		c.waitFor("12 buckets")
		for _, p := range panesByKey {
			c.typeKeys(p.key)
			c.waitFor(p.text)
		}
		c.typeKeys("q")
		c.waitExit()
		return c.output()
	}
	faulttest.RunCase(t, "E9", "NO_COLOR in a pty", func(t *testing.T) {
		for _, style := range colour.FindAllString(walk(t, "NO_COLOR=1"), -1) {
			for part := range strings.SplitSeq(strings.Trim(style, "\x1b[m"), ";") {
				if len(part) == 2 && strings.Contains("34", part[:1]) || len(part) == 3 {
					t.Fatalf("a colour is sent: %q", style)
				}
			}
		}
	})
	for _, locale := range []string{"C", "POSIX", "en_US.ISO-8859-1", "ja_JP.eucJP", ""} {
		faulttest.RunCase(t, "E10", "locale "+locale, func(t *testing.T) {
			out := walk(t, "LANG="+locale, "LC_ALL=", "LC_CTYPE=")
			if i := strings.IndexFunc(out, func(r rune) bool { return r > 0x7e }); i >= 0 {
				t.Errorf("beyond ASCII: %q", out[max(0, i-40):min(len(out), i+40)])
			}
		})
	}
}

// Output of libraries on standard error does not reach the screen, but goes to the log file.
func TestNoiseStaysOffTheScreen(t *testing.T) {
	t.Parallel()
	for _, log := range []string{"", filepath.Join(t.TempDir(), "log")} {
		faulttest.RunCase(
			t,
			"E16",
			map[bool]string{true: "with a log", false: "without"}[log != ""],
			func(t *testing.T) {
				t.Parallel()
				args := "demo"
				if log != "" {
					args += " --log-file " + log
				}
				noise := filepath.Join(t.TempDir(), "noise")
				c := startPty(t, args, "LOOKOUT_TEST_NOISE="+noise)
				c.startReading()
				c.waitFor("12 buckets")
				before, _, _ := strings.Cut(c.output(), "\x1b[?1049h")
				made := func() int { data, _ := os.ReadFile(noise); return len(data) }
				earlier := made()
				c.waitUntil("noise", func() bool { return made() > earlier+5 })
				out := strings.TrimPrefix(c.output(), before)
				c.typeKeys("q")
				c.waitExit()
				if strings.Contains(out, "noise") {
					t.Errorf("it is on the screen: %q", out[max(0, strings.Index(out, "noise")-40):])
				}
				if data, _ := os.ReadFile(log); log != "" && !strings.Contains(string(data), "noise") {
					t.Error("the log does not have it")
				}
			},
		)
	}
}

// The demo reads no real token, opens no connection, and says that it is a demo.
func TestDemoBesideARealToken(t *testing.T) {
	t.Parallel()
	faulttest.RunCase(t, "H1", "token and address in the environment", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		var dialled atomic.Int32
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				dialled.Add(1)
				conn.Close()
			}
		}()
		c := startPty(
			t, "demo", "LOOKOUT_TOKEN="+testenv.Canary, "LINODE_TOKEN="+testenv.Canary,
			"LOOKOUT_BASE_URL=http://"+listener.Addr().String()+"/v4", "HTTP_PROXY=http://"+listener.Addr().String(),
			"HTTPS_PROXY=http://"+listener.Addr().String(),
		)
		c.startReading()
		c.waitFor("12 buckets")
		for _, p := range panesByKey {
			from := len(c.output())
			c.typeKeys(p.key)
			c.waitForAfter(from, p.text)
		}
		_ = pty.Setsize(c.tty, &pty.Winsize{Cols: 90, Rows: 30})
		c.typeKeys("q")
		c.waitExit()
		if out := c.output(); testenv.LeaksToken(out) || !strings.Contains(out, "DEMO") {
			t.Error("the demo shows the token, or does not say DEMO")
		}
		if n := dialled.Load(); n != 0 {
			t.Errorf("%d connections", n)
		}
	})
}

// While nobody reads the terminal, a batch goes on to its end, and the journal is written with it. Afterwards the
// screen shows what was done, and keys that were typed meanwhile do nothing.
func TestBatch_onALineThatCarriesNothing(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]bool{"the line comes back": false, "the line is cut": true} {
		faulttest.RunCase(t, "C7", name, func(t *testing.T) {
			t.Parallel()
			r := newTestEnv(t, emulator.Options{})
			release := r.API.HoldRequests("disable service")
			c := r.startPty(t, "--no-mouse --view services")
			c.startReading()
			c.waitFor("edge-router")
			c.typeKeys("Ad")
			c.waitFor("to it: billing-cron.")
			c.typeKeys("\t\t13")
			outcomes := func(outcome string) int {
				return strings.Count(r.MustRun("journal", "-o", "ndjson").Out, `"outcome":"`+outcome+`"`)
			}
			c.pressUntil("\x13", "the first change", func() bool { return outcomes("sent") > 0 })
			c.setStalled(true)
			c.fillOutput()
			if n := len(r.API.Ledger()); n != 0 {
				t.Fatalf("%d changes before the line was dead", n)
			}
			release() // every change and every outcome is of a time at which the program cannot draw
			c.waitUntil("the last change", func() bool { return len(r.API.Ledger()) == 13 })
			c.waitUntil("the last outcome in the journal", func() bool { return outcomes("done") == 13 })
			if ends {
				c.slave.Close()
				c.tty.Close()
				c.paused.Unlock()
				if code := c.waitExit(); code != 129 {
					t.Errorf("exit code %d", code)
				}
			} else {
				c.typeBlindly("E", "u") // the first enables a service again, the second all of them
				c.setStalled(false)
				c.retype("3", "the outcome", func(written string) bool {
					return strings.Contains(ansi.Strip(written), "14 disabled")
				})
			}
			rows := map[string]bool{}
			for _, change := range r.API.Ledger() {
				rows[change.Path] = true
			}
			if n := len(r.API.Ledger()); n != 13 || len(rows) != 13 || outcomes("done") != 13 {
				t.Errorf("%d changes of %d services, %d of them in the journal", n, len(rows), outcomes("done"))
			}
		})
	}
}
