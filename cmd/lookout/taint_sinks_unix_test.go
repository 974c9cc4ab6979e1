//go:build unix

package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lookout/client/emulator"
	"lookout/cmd/internal/exit"
)

// A taintSink is a place that texts of the account reach, beside the panes and the formats of commands: those are in
// TestTaint_dashboard and TestTaint_commands.
type taintSink struct {
	write  func(*testEnv, *testing.T) string // what lookout wrote there
	tty    bool                              // a terminal reads it: lookout's own sequences may be in it
	more   string                            // characters that may be in it, beside visible ones
	silent bool                              // it holds no text of the account
}

// taintSinks returns the sinks by name.
func taintSinks() map[string]taintSink {
	file := func(r *testEnv, t *testing.T, path ...string) string {
		data, err := os.ReadFile(filepath.Join(append([]string{r.Home}, path...)...))
		if err != nil {
			t.Error(err)
		}
		return string(data)
	}
	return map[string]taintSink{
		"--debug to a file": {
			write: func(r *testEnv, t *testing.T) string {
				r.Run("services", "list", "--debug="+filepath.Join(r.Home, "requests"))
				return file(r, t, "requests")
			},
			more: "\n",
		},
		"--debug on a terminal": {
			write: func(r *testEnv, t *testing.T) string { return r.runOnTerminal(t, "contacts list --debug") },
			tty:   true,
		},
		"watch": {
			write: func(r *testEnv, t *testing.T) string {
				p := r.startPty(t, "watch")
				p.startReading()
				p.waitUntil("a service", func() bool { return visibleTaint.MatchString(p.output()) })
				p.typeKeys("q")
				p.waitExit()
				return p.output()
			},
			tty: true,
		},
		"keep": {
			write: func(r *testEnv, t *testing.T) string {
				r.MustRun("services", "disable", r.FindID("services", "web-1"), "--for", "1h")
				k := r.startKeep(t)
				k.waitFor("web-1")
				k.signal(syscall.SIGTERM)
				return k.output()
			},
			more: "\n",
		},
		"names for shells": {
			write: func(r *testEnv, t *testing.T) string {
				return r.MustRun("__complete", "services", "get", "").Out +
					r.MustRun("__complete", "keys", "get", "").Out
			},
			more:   "\n\t",
			silent: true, // a name that nobody can type is offered as an ID
		},
		"doctor": {
			write:  func(r *testEnv, t *testing.T) string { a := r.Run("doctor"); return a.Out + a.Err },
			more:   "\n",
			silent: true,
		},
		"lookout api in a pipe": {
			write: func(r *testEnv, t *testing.T) string { return r.Run("api", "GET", "/managed/services").Out },
			more:  "\n",
		},
		"lookout api on a terminal": {
			write: func(r *testEnv, t *testing.T) string { return r.runOnTerminal(t, "api GET /managed/contacts") },
			tty:   true,
		},
		"--jq on a terminal": {
			write: func(r *testEnv, t *testing.T) string {
				// a tab stays: @tsv writes them
				return strings.ReplaceAll(r.runOnTerminal(t, "services list -o json --jq .[].label"), "\t", "")
			},
			tty: true,
		},
		"--dry-run": {
			write: func(r *testEnv, t *testing.T) string {
				a := r.Run("services", "delete", r.FindID("services", "edge-router"), "--dry-run")
				return a.Out + a.Err
			},
			more:   "\n",
			silent: true,
		},
	}
}

// runOnTerminal runs a command line on a terminal, and returns what it wrote.
func (r *testEnv) runOnTerminal(t *testing.T, line string) string {
	t.Helper()
	p := r.startPty(t, line)
	p.startReading()
	if code := p.waitExit(); code != exit.CodeOK {
		t.Errorf("%s: exit code %d: %s", line, code, p.output())
	}
	return p.output()
}

// What the account holds is visible characters wherever lookout writes it, and every text that the client decodes is
// tainted in what the emulated account answers.
func TestTaint_everySink(t *testing.T) {
	t.Parallel()
	sinks := taintSinks()
	for taint := range taints() {
		if taint == "other types" || taint != "texts" && !runsLongSeries() {
			continue // without numbers, no row has an ID
		}
		t.Run(taint, func(t *testing.T) {
			for _, name := range slices.Sorted(maps.Keys(sinks)) {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					r, _ := startTainted(t, taint)
					sink := sinks[name]
					written := sink.write(r, t)
					if sink.tty {
						requireOwnBytes(t, name, written)
					} else {
						requireVisible(t, name, written, sink.more)
					}
					if taint == "texts" && !sink.silent && !visibleTaint.MatchString(written) {
						t.Errorf("no taint in %.500q", written)
					}
				})
			}
		})
	}
}

// A program of the user's gets a value as it is, in one argument, and nothing of the account in its environment. What
// it prints is made visible.
func TestTaint_programOfTheUser(t *testing.T) {
	t.Parallel()
	const label = "web\x1b[31m\u202e\u009b31m\u200b; $(touch x) 'y'"
	r, _ := startTainted(t, "texts", func(s *taintedServer) { s.replace = map[string]string{"label": label} })
	r.installPrograms("printf 'said \\033[31m\\302\\233x\\n'", "runbook")
	r.WriteConfig("[[commands]]\npane = \"services\"\nkey = \"z\"\nname = \"runbook\"\n" +
		"command = [\"runbook\", \"--service={label}\", \"{id}\"]\noutput = \"dialog\"\nharmless = true\n")
	p := r.startPty(t, "--view services")
	p.startReading()
	p.waitUntil("services", func() bool { return visibleTaint.MatchString(p.output()) })
	p.typeKeys("z")
	p.waitFor("said")
	arguments, environment, _ := strings.Cut(r.started("runbook", 10*time.Second), "\n")
	if !strings.HasPrefix(arguments, "--service="+label+" ") {
		t.Errorf("runbook was started with %q", arguments)
	}
	requireVisible(t, "its environment", environment, "\n")
	p.typeKeys("\x03")
	p.waitExit() // before that, what has been read may end within a character
	requireOwnBytes(t, "the dialog", p.output())
}

// Every text of the client's types is one that the emulated account sends, so that the taint reaches it. A new field
// that the emulator does not know would go unnoticed otherwise.
func TestTaint_everyField(t *testing.T) {
	var sent sync.Map // commands send requests at once
	for _, service := range []string{emulator.ServiceDocument, emulator.ServiceNow} {
		t.Setenv("LOOKOUT_TEST_SERVICE", service)
		r, s := startTainted(t, "texts")
		s.clean.Store(true)
		r.StoreObject("new.txt", 10)
		lines := readCommands(r)
		s.clean.Store(false)
		s.taint = func(member string, _ any) bool {
			sent.Store(member, true)
			return false
		}
		for _, line := range lines {
			r.Run(append(strings.Fields(line), "-o", "json")...)
		}
		r.Run("api", "GET", "/profile")
		r.Run("api", "GET", "/support/tickets/48213")
	}
	for member := range textMembers() {
		if _, found := sent.Load(member); !found {
			t.Errorf("the emulated account never sends %q: it is not tested with taints", member)
		}
	}
}
