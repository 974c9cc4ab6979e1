//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
)

// A script that waits for an answer ends with the first signal: nothing is changed, and the exit code names the signal.
func TestSignalsEndWhatWaitsForAnAnswer(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	for name, c := range map[string]struct{ args, question string }{
		"a name":     {"services delete edge-router", "Type edge-router to continue"},
		"a password": {"credentials create lab", "password (not shown)"},
	} {
		for _, end := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			faulttest.RunCase(t, "E1", "a script asks for "+name+", "+end.String(), func(t *testing.T) {
				p := r.startPty(t, c.args)
				p.startReading()
				p.waitFor(c.question)
				p.signal(end)
				if code := p.waitExit(); code != 128+int(end) {
					t.Errorf("exit code %d: %s", code, p.output())
				}
				p.waitFor("interrupted; nothing was changed")
				p.checkLineDiscipline()
			})
		}
	}
	faulttest.RunCase(t, "E1", "a script asks for a name, ctrl+c", func(t *testing.T) {
		p := r.startPty(t, "services delete edge-router")
		p.startReading()
		p.waitFor("to continue: ")
		p.typeKeys("\x03")
		if code := p.waitExit(); code != 130 {
			t.Errorf("exit code %d: %s", code, p.output())
		}
	})
	if n, s := len(r.API.Ledger()), r.MustRun("journal", "-o", "csv"); n != 0 || strings.Count(s.Out, "\n") != 1 {
		t.Errorf("%d changes: %s", n, s.Out)
	}
}

// checkLineDiscipline fails unless the line discipline is as before.
func (c *ptyProcess) checkLineDiscipline() {
	c.t.Helper()
	if after, err := term.GetState(c.slave.Fd()); err != nil || *after != *c.initialState {
		c.t.Errorf("the terminal is left as %+v, %v", after, err)
	}
}

// startProgram runs a command line without a terminal.
func (r *testEnv) startProgram(args string) *exec.Cmd {
	r.Helper()
	return r.startProgramWithErrors(args, nil)
}

// startProgramWithErrors is startProgram with an output for standard error.
func (r *testEnv) startProgramWithErrors(args string, errOut io.Writer) *exec.Cmd {
	r.Helper()
	c := exec.Command(os.Args[0])
	c.Env, c.Stderr = append(r.environ(), "LOOKOUT_TEST_ARGS="+args), errOut
	if err := c.Start(); err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { _ = c.Process.Kill() })
	return c
}

// Programs that start at once share 60 requests in ten seconds, although one of them is killed. Those that wait say so
// and can be interrupted.
func TestRequests_sharedByPrograms(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	lines := append(slices.Repeat([]string{"audit"}, 12), "services list")
	programs, errOut := make([]*exec.Cmd, len(lines)), make([]*os.File, len(lines))
	for i, line := range lines {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { read.Close() })
		programs[i], errOut[i] = r.startProgramWithErrors(line, write), read
		write.Close()
	}
	_ = programs[0].Process.Kill()
	interrupted := 0
	for i, c := range programs {
		said, _ := bufio.NewReader(errOut[i]).ReadString('\n')
		if strings.Contains(said, "waiting for other requests from this machine; ctrl+c cancels") {
			_ = c.Process.Signal(os.Interrupt)
			interrupted++
		}
		_ = c.Wait()
	}
	if sent := r.API.RequestCount(""); sent > 60 || interrupted == 0 {
		t.Errorf("%d requests, %d programs were interrupted", sent, interrupted)
	}
}

// A question names the account, with PROD if it is protected, and does not accept an empty line.
func TestQuestionsOfScripts(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.Setenv("LOOKOUT_BASE_URL", "")
	r.WriteConfig(
		strings.ReplaceAll(
			"account = \"prod\"\n[accounts.prod]\nbase_url = \"BASE\"\nprotected = true\n[accounts.lab]\nbase_url = "+
				"\"BASE\"\n",
			"BASE",
			r.Base,
		),
	)
	r.MustRun("contacts", "create", "--name", "a\x1b[31m", "--email", "e@acme.net", "--yes=prod")
	odd := r.FindID("contacts", "e@acme.net")
	before := len(r.API.Ledger())
	for _, c := range []struct {
		args, question, answer string
		code                   int
	}{
		{"keys revoke finance", "Account prod, PROD. Type finance to continue", "yes", exit.CodeFailure},
		{"keys revoke finance -a lab", "Account lab. Type finance to continue", "", exit.CodeFailure},
		{"storage cancel -a lab", "Account lab. Type lab to continue", "yes", exit.CodeFailure},
		{"keys revoke finance -a lab", "Type finance to continue", "Finance", exit.CodeFailure},
		{"keys revoke finance -a lab", "Type finance to continue", "financ", exit.CodeFailure},
		{"keys revoke finance -a lab", "Type finance to continue", "finances", exit.CodeFailure},
		{"keys revoke finance -a lab", "Type finance to continue", "finаnce", exit.CodeFailure}, // a Cyrillic а
		{
			"services disable web-1",
			"Disable service web-1 (4). Nobody is alerted about web-1 until somebody enables it. " +
				"Account prod, PROD. Type prod to continue",
			"web-1", exit.CodeFailure,
		},
		{"contacts delete " + odd, "Type " + odd + " to continue", "", exit.CodeFailure},
		{"objects acl " + testenv.Bucket + " README.txt private", "Type prod to continue", "lab", exit.CodeFailure},
		{"services disable web-1", "Type prod to continue", "prod", exit.CodeOK},
		{"contacts delete " + odd, "Type " + odd + " to continue", odd, exit.CodeOK},
	} {
		faulttest.RunCase(t, "B14", c.args+", "+c.answer, func(t *testing.T) {
			p := r.startPty(t, c.args)
			p.startReading()
			p.waitUntil(
				c.question,
				func() bool { return strings.Contains(strings.ReplaceAll(p.output(), "\r\n", ""), c.question) },
			)
			p.typeKeys(c.answer + "\r")
			if code := p.waitExit(); code != c.code {
				t.Errorf("exit code %d: %s", code, p.output())
			}
		})
	}
	if n := len(r.API.Ledger()) - before; n != 2 {
		t.Errorf("%d changes", n)
	}
}

// A script whose input does not end is ended by a signal.
func TestSignalsEndWhatWaitsForInput(t *testing.T) {
	r := newTestEnv(t, emulator.Options{})
	faulttest.RunCase(t, "E1", "a script reads a pipe", func(t *testing.T) {
		fifo := filepath.Join(t.TempDir(), "fifo")
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Skipf("this system cannot create it: %v", err)
		}
		c := r.startProgram("credentials create lab --password-file " + fifo)
		held, err := os.OpenFile(fifo, os.O_WRONLY, 0) // once somebody reads
		if err != nil {
			t.Fatal(err)
		}
		defer held.Close()
		_ = c.Process.Signal(syscall.SIGTERM)
		done := make(chan error, 1)
		go func() { done <- c.Wait() }()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Fatal("it is still there")
		}
		if code := c.ProcessState.ExitCode(); code != 143 || len(r.API.Ledger()) != 0 {
			t.Errorf("%v, %d changes", c.ProcessState, len(r.API.Ledger()))
		}
	})
}

// A pipe in place of a file is refused before it is opened.
func TestPipesAreNoFiles(t *testing.T) {
	r := newTestEnv(t, emulator.Options{})
	fifo := filepath.Join(r.Home, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skipf("this system cannot create it: %v", err)
	}
	dir := testenv.WriteCertificate(t, "cdn.acme.net")
	cert := filepath.Join(dir, "cert.pem")
	for _, c := range []struct {
		row  string
		args []string
		code int
	}{
		{"D11", []string{"objects", "put", testenv.Bucket, "new", fifo}, exit.CodeUsage},
		{"F11", []string{"certificates", "upload", "us-east-1/cdn.acme.net", fifo, fifo}, exit.CodeFailure},
		{"F11", []string{"certificates", "upload", "us-east-1/cdn.acme.net", cert, fifo}, exit.CodeFailure},
	} {
		faulttest.RunCase(t, c.row, strings.Join(c.args[:2], " ")+" of a pipe", func(t *testing.T) {
			done := make(chan testenv.CommandResult, 1)
			go func() { done <- r.Run(c.args...) }()
			select {
			case s := <-done:
				(&testenv.Env{T: t}).CheckResult(s, c.code, "not a regular file")
			case <-time.After(20 * time.Second):
				t.Fatal("it waits for the pipe")
			}
		})
	}
}

// A signal ends a transfer. The received part is kept for the next time, and the exit code names the signal.
func TestSignalsEndTransfers(t *testing.T) {
	t.Parallel()
	faulttest.RunCase(t, "D16", "objects get, SIGTERM", func(t *testing.T) {
		r := newTestEnv(t, emulator.Options{})
		data := r.StoreObject("object", 100_000)
		sent := make(chan struct{}, 1)
		var well atomic.Bool
		var resumed atomic.Value
		r.InterceptDownloads(func(w http.ResponseWriter, req *http.Request) {
			if well.Load() {
				resumed.Store(req.Header.Get("Range"))
				r.API.ServeHTTP(w, req)
				return
			}
			w.Header().Set("Content-Length", "100000")
			_, _ = w.Write(data[:1000])
			_ = http.NewResponseController(w).Flush()
			sent <- struct{}{}
			<-req.Context().Done()
		})
		file := filepath.Join(r.Home, "out")
		p := r.startPty(t, "objects get "+testenv.Bucket+" object "+file)
		p.startReading()
		<-sent
		p.waitUntil("the part", func() bool {
			parts, _ := filepath.Glob(file + ".*.part")
			if len(parts) != 1 {
				return false
			}
			info, err := os.Stat(parts[0])
			return err == nil && info.Size() == 1000
		})
		p.signal(syscall.SIGTERM)
		if code := p.waitExit(); code != 143 {
			t.Errorf("exit code %d: %s", code, p.output())
		}
		well.Store(true)
		r.MustRun("objects", "get", testenv.Bucket, "object", file)
		if whole, err := os.ReadFile(file); resumed.Load() != "bytes=1000-" || err != nil || !bytes.Equal(whole, data) {
			t.Errorf("resumed with %q: %d bytes, %v", resumed.Load(), len(whole), err)
		}
	})
}
