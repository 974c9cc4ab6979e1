//go:build unix

package terminal

import (
	"bytes"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// tmuxTest is a tmux with its default settings, shown by a terminal.
type tmuxTest struct {
	*testing.T
	socket string
	mu     sync.Mutex
	shown  []byte // what the terminal received
}

// startTmux starts tmux in a terminal, and makes it the one around this program.
func startTmux(t *testing.T) *tmuxTest {
	t.Helper()
	path, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("needs tmux")
	}
	folder, err := os.MkdirTemp("", "tmux") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	m := &tmuxTest{T: t, socket: filepath.Join(folder, "s")}
	t.Setenv("TMUX", "")
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("SSH_CONNECTION", "somewhere") // the machine's own clipboard is left alone
	c := exec.CommandContext(t.Context(), path, "-f", "/dev/null", "-S", m.socket, "new-session", "cat")
	screen, err := pty.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		part := make([]byte, 4096)
		for {
			n, err := screen.Read(part)
			m.mu.Lock()
			m.shown = append(m.shown, part[:n]...)
			m.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_, _ = m.run("kill-server")
		_ = c.Wait()
		_ = screen.Close()
		<-read
		_ = os.RemoveAll(folder)
	})
	m.waitFor("a session", func() bool {
		clients, err := m.run("list-clients", "-F", "#{client_termfeatures}")
		return err == nil && strings.Contains(clients, "clipboard")
	})
	t.Setenv("TMUX", m.socket+",1,0")
	return m
}

// run runs a command of tmux.
func (m *tmuxTest) run(args ...string) (string, error) {
	out, err := exec.Command("tmux", append([]string{"-S", m.socket}, args...)...).CombinedOutput()
	return string(out), err
}

// waitFor waits for a condition.
func (m *tmuxTest) waitFor(what string, holds func() bool) {
	m.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); {
		if time.Now().After(end) {
			m.Fatalf("no %s in tmux", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Inside tmux with its default settings, a copy reaches the terminal around tmux, whole. A secret leaves no buffer
// behind.
func TestCopy_insideTmux(t *testing.T) {
	m := startTmux(t)
	big := strings.Repeat("0123456789abcdef", 2000)
	for _, c := range []struct {
		text   string
		secret bool
	}{{"line one\nline two\n", false}, {big, false}, {"-canary", true}} {
		sequence, receivers, err := runCopy(t, c.text, c.secret)
		if err != nil || receivers != "tmux" || sequence != "" {
			t.Errorf("%.20q: sent to %q, %v, and written: %.40q", c.text, receivers, err, sequence)
		}
		encoded := []byte(base64.StdEncoding.EncodeToString([]byte(c.text)))
		m.waitFor("copy on the terminal", func() bool {
			m.mu.Lock()
			defer m.mu.Unlock()
			return bytes.Contains(m.shown, encoded)
		})
		buffers, err := m.run("list-buffers")
		if held, _ := m.run("show-buffer"); err != nil || strings.Contains(buffers, "canary") ||
			!c.secret && held != c.text {
			t.Errorf("%.20q: tmux holds %.100q, %v; buffers:\n%.200s", c.text, held, err, buffers)
		}
	}
}

// If tmux refuses a copy because it is too old or gone, the text goes to the terminal, and the message says why.
func TestCopy_tmuxRefuses(t *testing.T) {
	t.Setenv("TMUX", filepath.Join(t.TempDir(), "gone")+",1,0")
	t.Setenv("SSH_CONNECTION", "somewhere")
	old := t.TempDir()
	script := "#!/bin/sh\necho 'load-buffer: unknown option -- w' >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(old, "tmux"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"too old": old, "not installed": t.TempDir()} {
		t.Setenv("PATH", path)
		sequence, receivers, err := runCopy(t, "text", true)
		if err == nil || receivers != "the terminal" || strings.Count(sequence, "]52;c;dGV4dA==") != 2 {
			t.Errorf("%s: sent to %q, %v, and written: %q", name, receivers, err, sequence)
		}
	}
}

// The text reaches tmux on standard input, not in the arguments, and tmux gets no token.
func TestCopy_showsTmuxNoSecret(t *testing.T) {
	folder := t.TempDir()
	noted := filepath.Join(folder, "noted")
	script := "#!/bin/sh\n{ echo \"$* $LOOKOUT_TOKEN\"; IFS= read -r line; echo \"input: $line\"; } >" + noted + "\n"
	if err := os.WriteFile(filepath.Join(folder, "tmux"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder)
	t.Setenv("TMUX", "x")
	t.Setenv("SSH_CONNECTION", "somewhere")
	t.Setenv("LOOKOUT_TOKEN", "canary")
	if _, receivers, err := runCopy(t, "text\n", true); err != nil || receivers != "tmux" {
		t.Fatal(receivers, err)
	}
	got, err := os.ReadFile(noted)
	if err != nil {
		t.Fatal(err)
	}
	args, input, _ := strings.Cut(string(got), "\n")
	if strings.Contains(args, "text") || strings.Contains(args, "canary") || input != "input: text\n" {
		t.Errorf("tmux got %q", got)
	}
}
