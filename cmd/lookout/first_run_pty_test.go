//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"

	"lookout/client/emulator"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
)

// In a real terminal, from no configuration to the dashboard: the token is not shown, and ctrl+c in the middle restores
// the echo.
func TestFirstRunInATerminal(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.Setenv("LOOKOUT_TOKEN", "")
	r.Setenv("LOOKOUT_BASE_URL", "")
	c := r.startPty(t, "--no-mouse")
	c.startReading()
	answer := func(question, text string) {
		t.Helper()
		c.waitFor(question)
		_, _ = c.tty.WriteString(text + "\r")
	}
	answer("API address", r.Base)
	answer("A name for this account", "prod")
	const tooEarly = "4f6e0c7fa1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c"
	answer("Number", tooEarly)
	c.waitFor("looks like a token and was ignored")
	_, _ = c.tty.WriteString("1\r")
	answer("(not shown)", testenv.Canary)
	answer("file or keyring", "file")
	answer("Write it?", "yes")
	c.waitFor("12 buckets")
	_, _ = c.tty.WriteString("q")
	if code := c.waitExit(); code != exit.CodeOK {
		t.Errorf("exit code %d", code)
	}
	if testenv.LeaksToken(c.output()) || strings.Contains(c.output(), tooEarly[:12]) {
		t.Error("the token is shown")
	}
	kept, err := os.ReadFile(filepath.Join(r.Home, "config", "lookout", "prod.token"))
	if err != nil || strings.TrimSpace(string(kept)) != testenv.Canary {
		t.Errorf("%q, %v", kept, err)
	}
}

// startEmulatorProcess starts lookout emulate as a process and returns its address.
func startEmulatorProcess(t *testing.T) string {
	t.Helper()
	server := exec.Command(os.Args[0])
	args := "emulate --listen 127.0.0.1:0 --token " + testenv.Canary
	server.Env = append(slices.Clone(outerVariables), "LOOKOUT_TEST_ARGS="+args)
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
}

// A newcomer with an empty home gets from the first question to their account with few keys, in a terminal of 80
// columns.
func TestFromNothingToTheAccount(t *testing.T) {
	t.Parallel()
	base := startEmulatorProcess(t)
	for name, way := range map[string]struct {
		env     []string
		cli     string   // of linode-cli
		answers []string // question, keys, question, keys, …
		keys    int      // without addresses and tokens
		kept    []string
	}{
		"paste": {
			nil,
			"",
			[]string{"Number", "\r", "(not shown)", testenv.Canary + "\r", "file or keyring", "\r", "Write it", "y\r"},
			7,
			[]string{"config.toml", "main.token"},
		},
		"variable": {
			[]string{"LINODE_TOKEN=" + testenv.Canary},
			"",
			[]string{"LINODE_TOKEN", "\r", "Write it", "y\r"},
			5,
			[]string{"config.toml"},
		},
		"linode-cli": {
			nil,
			"[DEFAULT]\ndefault-user = ops\n\n[ops]\ntoken = " + testenv.Canary + "\n",
			[]string{"linode-cli's", "\r", "Write it", "y\r"},
			5,
			[]string{"config.toml"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			if way.cli != "" {
				(&testenv.Env{T: t}).Write(filepath.Join(home, ".config", "linode-cli"), way.cli)
			}
			began := time.Now()
			env := append(
				[]string{"HOME=" + home, "PATH=/usr/bin:/bin", "TERM=xterm-256color", "LANG=C.UTF-8"},
				way.env...)
			c := startSizedPty(t, env, 80, 24, "--no-mouse")
			c.startReading()
			keys := 0
			for questions := slices.Collect(slices.Chunk(append([]string{
				"API address",
				base + "\r",
				"A name",
				"\r",
			}, way.answers...), 2)); len(questions) > 0; questions = questions[1:] {
				c.waitFor(questions[0][0])
				_, _ = c.tty.WriteString(questions[0][1])
				keys += len(strings.NewReplacer(base, "", testenv.Canary, "").Replace(questions[0][1]))
			}
			c.waitFor("services     read and change")
			c.waitFor("12 buckets")
			t.Logf("%d keys, %s", keys, time.Since(began).Round(time.Millisecond))
			_, _ = c.tty.WriteString("q")
			if code := c.waitExit(); code != exit.CodeOK || keys > way.keys {
				t.Errorf("exit code %d, %d keys", code, keys)
			}
			if testenv.LeaksToken(c.output()) {
				t.Error("the token is shown")
			}
			c.checkFolder(filepath.Join(home, ".config", "lookout"), way.kept)
		})
	}
}

// checkFolder fails unless a folder holds these files, each readable by its owner alone, and the token only in its own
// file.
func (c *ptyProcess) checkFolder(folder string, files []string) {
	c.t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		c.t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
		info, err := entry.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			c.t.Errorf("%s: %v, %v", entry.Name(), info, err)
		}
		data, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil || strings.Contains(string(data), testenv.Canary) != strings.HasSuffix(entry.Name(), ".token") {
			c.t.Errorf("%s holds %q, %v", entry.Name(), data, err)
		}
	}
	if !slices.Equal(names, files) {
		c.t.Errorf("%q were written", names)
	}
}

func TestInterruptedFirstRunGivesTheEchoBack(t *testing.T) {
	r := newTestEnv(t, emulator.Options{})
	r.Setenv("LOOKOUT_TOKEN", "")
	r.Setenv("LOOKOUT_BASE_URL", "")
	c := r.startPty(t, "--no-mouse")
	c.startReading()
	c.waitFor("API address")
	_, _ = c.tty.WriteString(r.Base + "\r\r\r")
	c.waitFor("(not shown)")
	_, _ = c.tty.WriteString("\x03")
	if code := c.waitExit(); code != exit.CodeInterrupted {
		t.Errorf("exit code %d", code)
	}
	after, err := term.GetState(c.slave.Fd())
	if err != nil || *after != *c.initialState {
		t.Errorf("the terminal is left as %+v, %v", after, err)
	}
	if _, err := os.Stat(filepath.Join(r.Home, "config")); err == nil {
		t.Error("something was written")
	}
}

// A deletion asks on a terminal and accepts only the name.
func TestScriptAsksOnATerminal(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.Setenv("LOOKOUT_TOKEN", testenv.Canary)
	id := r.FindID("services", "edge-router")
	answer := func(text string, code int) {
		t.Helper()
		c := r.startPty(t, "services delete "+id)
		c.startReading()
		c.waitFor("Type edge-router to continue")
		_, _ = c.tty.WriteString(text + "\r")
		if got := c.waitExit(); got != code {
			t.Errorf("%s: exit code %d: %s", text, got, c.output())
		}
	}
	for _, wrong := range []string{"y", "yes", "", "Edge-router", "edge-route"} {
		answer(wrong, exit.CodeFailure)
	}
	r.MustRun("services", "get", id)
	answer("edge-router", exit.CodeOK)
	r.CheckResult(r.Run("services", "get", id), exit.CodeNotFound)
}

// A variable with only blanks does not choose an editor.
func TestEditorOfBlanksIsNone(t *testing.T) {
	r := newTestEnv(t, emulator.Options{})
	r.WriteConfig("theme = \"dark\"\n")
	testenv.WriteProgram(t, filepath.Join(r.Home, "vi"), "#!/bin/sh\necho \"vi opens $1\"\n")
	for _, env := range [][]string{{"VISUAL=", "EDITOR= "}, {"VISUAL= ", "EDITOR=vi"}} {
		c := r.startPty(t, "config edit", append(env, "PATH="+r.Home+":/usr/bin:/bin")...)
		c.startReading()
		c.waitFor("vi opens " + r.Home)
		c.waitFor("no mistakes")
		if code := c.waitExit(); code != exit.CodeOK {
			t.Errorf("%q: exit code %d", env, code)
		}
	}
}

// An unknown pane is an error that lists the known ones, and no other pane opens.
func TestViewIsAPaneOrRefused(t *testing.T) {
	r := newTestEnv(t, emulator.Options{})
	for _, args := range []string{"--view nope", "demo --view nope", "--linear --view nope"} {
		c := r.startPty(t, args)
		c.startReading()
		c.waitFor(`--view "nope": unknown pane (use overview, issues, services`)
		if code := c.waitExit(); code != exit.CodeUsage {
			t.Errorf("%s: exit code %d", args, code)
		}
	}
}
