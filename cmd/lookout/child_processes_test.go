//go:build unix

package main

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
)

// installPrograms puts stand-ins for the programs that lookout starts at the front of PATH. Each notes its environment,
// with its arguments first, and then runs a line of shell. Several may run at once, so each writes a file of its own.
func (r *testEnv) installPrograms(line string, names ...string) {
	r.Helper()
	bin := filepath.Join(r.Home, "bin")
	for _, name := range names {
		path := filepath.Join(bin, name)
		text := "#!/bin/sh\n{ echo \"$@\"; env; } >$0.$$\nmv $0.$$ " + path + ".started\n" + line + "\n"
		testenv.WriteProgram(r, path, text)
	}
	r.Setenv("PATH", bin+":"+outerPath)
}

// started returns what a program noted; "" if it was not started within a time.
func (r *testEnv) started(name string, within time.Duration) string {
	r.Helper()
	path := filepath.Join(r.Home, "bin", name+".started")
	for end := time.Now().Add(within); ; {
		data, err := os.ReadFile(path)
		if err == nil || time.Now().After(end) {
			return string(data)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// No process that lookout starts has a variable with a token: lookout's, the provider's own tools', and those that the
// configuration and flags name. One row for each place that starts a process; see the source rule.
func TestChildProcesses_getNoTokenVariable(t *testing.T) {
	t.Parallel()
	variables := []string{"LOOKOUT_TOKEN", "LINODE_TOKEN", "LINODE_CLI_TOKEN", "SECRET_OF_ACCOUNT"}
	for name, c := range map[string]struct {
		program, args string
		config        string
		keys          []string // what to wait for and what to type, by turns
	}{
		"ssh":          {"ssh", "--view ssh --token-env SECRET_OF_FLAG", "", []string{"live", "x"}},
		"ssh in demo":  {"ssh", "demo --view ssh", "", []string{"live", "x"}},
		"browser":      {"xdg-open", "--view issues", "", []string{"live", "o"}},
		"clipboard":    {"xclip", "--view services", "", []string{"edge-router", "y"}},
		"editor":       {"vi", "config edit", "", nil},
		"tokencommand": {"tokens", "--view services", "token_command = [\"tokens\"]\n", nil},
	} {
		faulttest.RunCase(t, "F14", name, func(t *testing.T) {
			t.Parallel()
			r := newTestEnv(t, emulator.Options{})
			r.installPrograms("echo "+testenv.Canary, "ssh", "xdg-open", "xclip", "vi", "tokens")
			variables := slices.Clone(variables)
			if strings.Contains(c.args, "SECRET_OF_FLAG") {
				variables = append(variables, "SECRET_OF_FLAG")
			}
			if c.config == "" {
				variables = append(variables, "OWN_SECRET")
			}
			for _, variable := range variables {
				r.Setenv(variable, testenv.Canary)
			}
			r.Setenv("KEPT", "yes")
			for _, variable := range []string{"WAYLAND_DISPLAY", "VISUAL", "EDITOR"} {
				r.Setenv(variable, "")
			}
			own := "[accounts.own]\nbase_url = \"" + r.Base + "\"\n" + cmp.Or(c.config, "token_env = \"OWN_SECRET\"\n")
			if c.config != "" {
				r.Setenv("LOOKOUT_TOKEN", "") // it would take precedence
			}
			r.WriteConfig("account = \"own\"\n" + own +
				"[accounts.b]\nbase_url = \"https://x/v4\"\ntoken_env = \"SECRET_OF_ACCOUNT\"\n")
			p := r.startPty(t, c.args)
			p.startReading()
			for i := 0; i < len(c.keys); i += 2 {
				p.waitFor(c.keys[i])
				p.typeKeys(c.keys[i+1])
			}
			noted := r.started(c.program, 10*time.Second)
			if !strings.Contains(noted, "KEPT=yes") {
				t.Fatalf("%s was not started: %q\n%s", c.program, noted, p.output())
			}
			if testenv.LeaksToken(noted) {
				t.Errorf("%s gets a token", c.program)
			}
			for _, variable := range variables {
				if strings.Contains(noted, "\n"+variable+"=") {
					t.Errorf("%s gets %s", c.program, variable)
				}
			}
		})
	}
}

// The browser opens the provider's hosts and the account's own. For any other host, which a server may have named,
// lookout shows the host and asks first.
func TestBrowser_asksBeforeAnUnknownHost(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.installPrograms("", "xdg-open")
	faulttest.RunCase(t, "F14", "a bucket's host", func(t *testing.T) {
		p := r.startPty(t, "--view buckets")
		p.startReading()
		p.waitFor("acme-backups")
		p.typeKeys("o")
		p.waitFor("neither the provider's nor this account's host")
		p.waitFor("no, leave it")
		if noted := r.started("xdg-open", 100*time.Millisecond); noted != "" {
			t.Errorf("opened without a question: %s", noted)
		}
		var noted string
		p.pressUntil("y", "the browser", func() bool {
			noted = r.started("xdg-open", 0)
			return noted != ""
		})
		if !strings.HasPrefix(noted, "https://") {
			t.Errorf("opened after yes: %s", noted)
		}
	})
}

// Text from the server reaches ssh and the browser neither as an argument nor in the environment, wherever it stands:
// a zone of an IPv6 address may be any text.
func TestChildProcesses_getNoTextOfTheServer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ip     string
		starts bool
	}{
		"address":            {"192.0.2.7", true},
		"zone":               {"fe80::1%eth0", true},
		"zone with escapes":  {"fe80::1%" + taintBefore, false},
		"zone with commands": {"fe80::1%$(touch x)", false},
	} {
		faulttest.RunCase(t, "F14", name, func(t *testing.T) {
			t.Parallel()
			r, _ := startTainted(t, "texts", func(s *taintedServer) {
				tainted := s.taint
				s.taint = func(member string, value any) bool { return tainted(member, value) && member != "user" }
				s.replace = map[string]string{"ip": c.ip}
			})
			r.installPrograms("", "ssh")
			p := r.startPty(t, "--view ssh")
			p.startReading()
			p.waitFor("root")
			p.typeKeys("x")
			if !c.starts {
				p.waitFor("the settings give no single address")
			}
			noted := r.started("ssh", map[bool]time.Duration{true: 10 * time.Second}[c.starts])
			requireVisible(t, name, noted, "\n")
			if line, _, _ := strings.Cut(noted, "\n"); c.starts != strings.HasSuffix(line, "@"+c.ip) {
				t.Errorf("ssh was started with %q", line)
			}
			p.signal(syscall.SIGTERM)
			p.waitExit() // before that, what has been read may end within a character
			requireOwnBytes(t, name, p.output())
		})
	}
}

// While ssh has the terminal, ctrl+c ends ssh and not lookout.
func TestSSH_ctrlCEndsSSHAndNotLookout(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.installPrograms("echo waiting; exec sleep 60", "ssh", "vi")
	r.Setenv("VISUAL", "")
	r.Setenv("EDITOR", "")
	for name, c := range map[string]struct{ program, args, shown, key, after string }{
		"ssh":    {"ssh", "--view ssh", "live", "x", "ssh ended"},
		"editor": {"vi", "config edit", "", "", "editor vi"},
	} {
		faulttest.RunCase(t, "E1", "ctrl+c in "+name, func(t *testing.T) {
			p := r.startPty(t, c.args)
			p.startReading()
			p.waitFor(c.shown)
			p.typeKeys(c.key)
			p.waitFor("waiting\r\n")
			_ = os.Remove(filepath.Join(r.Home, "bin", c.program+".started"))
			p.typeKeys("\x03")
			p.waitFor(c.after)
			if name == "editor" {
				return
			}
			p.typeKeys("q")
			if code := p.waitExit(); code != exit.CodeOK {
				t.Errorf("exit code %d", code)
			}
			p.checkTerminalRestored()
		})
	}
	faulttest.RunCase(t, "E1", "SIGTERM while ssh runs", func(t *testing.T) {
		p := r.startPty(t, "--view ssh")
		p.startReading()
		p.waitFor("live")
		p.typeKeys("x")
		p.waitFor("waiting\r\n")
		p.signal(syscall.SIGTERM)
		if code := p.waitExit(); code != 143 {
			t.Errorf("exit code %d", code)
		}
	})
}

// All keys that are typed while ssh has the terminal reach ssh, and what ssh leaves unread reaches nobody.
func TestSSH_getsEveryKey(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.installPrograms("echo waiting\nfor n in 1 2 3 4 5 6; do read line; echo \"got $line\"; done", "ssh")
	p := r.startPty(t, "--view ssh")
	p.startReading()
	p.waitFor("live")
	p.typeKeys("x")
	p.waitFor("waiting\r\n")
	for _, word := range []string{"one", "two", "three", "four", "five"} {
		p.typeKeys(word + "\n")
		p.waitFor("got " + word + "\r\n")
	}
	p.typeKeys("six\nq\nq")
	p.waitFor("ssh ended")
	p.typeKeys("?")
	p.waitFor("type to search")
	p.typeKeys("\x03")
	if code := p.waitExit(); code != exit.CodeOK {
		t.Errorf("exit code %d", code)
	}
	p.checkTerminalRestored()
}
