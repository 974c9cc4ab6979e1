//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"

	"lookout/client/emulator"
)

// From nothing to the dashboard in a real terminal: the token is not shown, ctrl+c in the middle gives the echo back.
func TestFirstRunInATerminal(t *testing.T) {
	r := newRig(t, emulator.Options{})
	t.Setenv("LOOKOUT_TOKEN", "")
	t.Setenv("LOOKOUT_BASE_URL", "")
	c := spawn(t, "--no-mouse")
	c.read()
	answer := func(question, text string) {
		t.Helper()
		c.waitFor(question)
		_, _ = c.tty.WriteString(text + "\r")
	}
	answer("Address of the API", r.base)
	answer("A name for this account", "prod")
	answer("Number", "1")
	answer("(not shown)", canary)
	answer("Keep the token", "file")
	answer("Write it?", "yes")
	c.waitFor("12 buckets")
	_, _ = c.tty.WriteString("q")
	if code := c.end(5 * time.Second); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	if strings.Contains(c.output(), canary) {
		t.Error("the token is shown")
	}
	kept, err := os.ReadFile(filepath.Join(r.home, "config", "lookout", "prod.token"))
	if err != nil || strings.TrimSpace(string(kept)) != canary {
		t.Errorf("%q, %v", kept, err)
	}
}

func TestInterruptedFirstRunGivesTheEchoBack(t *testing.T) {
	r := newRig(t, emulator.Options{})
	t.Setenv("LOOKOUT_TOKEN", "")
	t.Setenv("LOOKOUT_BASE_URL", "")
	c := spawn(t, "--no-mouse")
	c.read()
	c.waitFor("Address of the API")
	_, _ = c.tty.WriteString(r.base + "\r\r\r")
	c.waitFor("(not shown)")
	_, _ = c.tty.WriteString("\x03")
	if code := c.end(5 * time.Second); code != exitBroken {
		t.Errorf("exit code %d", code)
	}
	after, err := term.GetState(c.slave.Fd())
	if err != nil || *after != *c.before {
		t.Errorf("the terminal is left as %+v, %v", after, err)
	}
	if _, err := os.Stat(filepath.Join(r.home, "config")); err == nil {
		t.Error("something was written")
	}
}

// A deletion asks on a terminal, and takes nothing but yes.
func TestScriptAsksOnATerminal(t *testing.T) {
	r := newRig(t, emulator.Options{})
	t.Setenv("LOOKOUT_TOKEN", canary)
	id := r.idOf("services", "edge-router")
	answer := func(text string, code int) {
		t.Helper()
		c := spawn(t, "services delete "+id)
		c.read()
		c.waitFor("Type yes")
		_, _ = c.tty.WriteString(text + "\r")
		if got := c.end(5 * time.Second); got != code {
			t.Errorf("%s: exit code %d: %s", text, got, c.output())
		}
	}
	answer("y", exitError)
	r.good("services", "get", id)
	answer("yes", exitOK)
	r.bad(r.run("services", "get", id), exitMissing)
}
