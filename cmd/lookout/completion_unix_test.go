//go:build unix

package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lookout/client/emulator"
)

// oddLabels are the labels of the services 1, 2, … in tests of shells.
var oddLabels = []string{
	"web 1", "web 2", `it's "$HOME" \ !x`, "größe 日本", "-rf", "plain", "a$(touch pwned)b", "semi;touch pwned",
	"[b]*?~{}",
}

// serveOddLabels answers for the services.
func serveOddLabels(r *testEnv) {
	rows := []map[string]any{}
	for i, label := range oddLabels {
		rows = append(rows, map[string]any{"id": i + 1, "label": label, "status": "ok"})
	}
	page := map[string]any{"data": rows, "page": 1, "pages": 1, "results": len(rows)}
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		if !strings.Contains(req.URL.Path, "/managed/services") {
			return false
		}
		var answer any = page
		if id, err := strconv.Atoi(path.Base(req.URL.Path)); err == nil {
			answer = rows[id-1]
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
		return true
	})
}

// A shellSession is a shell in a terminal, with completions for lookout.
type shellSession struct {
	*ptyProcess
	read int // how much of the output belongs to lines that have been checked
}

// startShell starts a shell, whose folder is the home folder, or skips the test if there is none.
func startShell(r *testEnv, name, setup string, args ...string) *shellSession {
	r.Helper()
	program, err := exec.LookPath(name)
	if err != nil {
		r.Skipf("%s is not installed", name)
	}
	if old := exec.Command(program, "-c", "echo $BASH_VERSION"); name == "bash" {
		if version, err := old.Output(); err != nil || strings.HasPrefix(string(version), "3.") {
			r.Skipf("bash %s lists and inserts in another way", version)
		}
	}
	bin := filepath.Join(r.Home, "bin")
	self, err := os.Executable()
	if err == nil {
		err = os.Mkdir(bin, 0o700)
	}
	if err == nil {
		err = os.Symlink(self, filepath.Join(bin, "lookout"))
	}
	if err != nil {
		r.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = r.Home
	env := append(
		r.environ(), "PATH="+bin+":"+outerPath, "TERM=xterm", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "PS1=> ",
	)
	s := &shellSession{ptyProcess: startCommandInPty(r.T, cmd, env)}
	s.startReading()
	s.check(setup+"\r", "shell is ready")
	return s
}

// check types keys and waits for each of some texts in what follows.
func (s *shellSession) check(keys string, wants ...string) {
	s.t.Helper()
	s.typeKeys(keys)
	deadline := time.After(20 * time.Second)
	for _, want := range wants {
		for !strings.Contains(s.output()[s.read:], want) {
			select {
			case <-s.outputArrived:
			case <-deadline:
				s.t.Fatalf("%q is not followed by %q: %q", keys, want, s.output()[s.read:])
			}
		}
	}
	s.read = len(s.output())
}

// awaitNames completes names until they come in time: on a busy machine, the first answers may be too late.
func awaitNames(r *testEnv) {
	r.Helper()
	lines := []string{"services get ", "buckets get ", "objects list us-east-1/acme-backups "}
	empty := func(line string) bool {
		out := r.MustRun(append([]string{"__complete"}, strings.Split(line, " ")...)...).Out
		return strings.HasPrefix(out, ":")
	}
	for tries := 0; slices.ContainsFunc(lines, empty); tries++ {
		if tries == 20 {
			r.Fatal("no names")
		}
	}
}

// Labels that need quotes, folders and words with colons are completed in a real shell so that the command gets them as
// they are. Nothing in a label is run.
func TestCompletion_inShells(t *testing.T) {
	t.Parallel()
	const compinit = "autoload -U compinit; compinit -D -u; "
	for name, shell := range map[string]struct {
		setup string
		args  []string
		keys  string // that list what begins with "web "
		list  string
	}{
		"bash": {
			setup: "eval \"$(lookout completion bash)\"; echo shell is re''ady",
			args:  []string{"--norc", "--noprofile", "-i"},
			keys:  "\t\t\t",
			list:  "web\\ 1  (id 1)",
		},
		"zsh": {
			setup: compinit + "source <(lookout completion zsh); echo shell is re''ady",
			args:  []string{"-f", "-i"},
			keys:  "\t\t",
			list:  "web 1  -- id 1",
		},
		"fish": {
			setup: "lookout completion fish | source; echo shell is re''ady",
			args:  []string{"--no-config", "-i"},
			keys:  "\t",
			list:  "(id 2)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newTestEnv(t, emulator.Options{})
			serveOddLabels(r)
			awaitNames(r)
			s := startShell(r, name, shell.setup, shell.args...)
			get := func(typed string, id int) {
				t.Helper()
				s.check("lookout services get "+typed+" -o ndjson\r", `"id":`+strconv.Itoa(id)+`,`)
			}
			get("pl\t", 6)
			get("it\t", 3)
			get("gr\t", 4)
			get("a\t", 7)
			get("se\t", 8)
			get("\\[\t", 9)
			get("5\t", 5) // -rf would be a flag
			get("w\t2", 2)
			get("web\\ \t1\t", 1)
			get("\"web 2\t", 2)
			get("\"it\t", 3)
			get("'it\t", 3)
			get("\"w\t1\t", 1)
			s.check("lookout services get we"+shell.keys, shell.list)
			s.check("\x15lookout services disable a\t--f\t1h --dry-run\r", "curl", "/managed/services/7/disable")
			s.check("lookout objects list us-east-1/acme-b\td\t -o csv\r", "db/")
			s.check(
				"lookout keys create photos --bucket us-east-1/acme-w\tread_o\t --dry-run\r", "acme-www", `"read_only"`,
			)
			s.check("lookout services list --sort=-lab\t --columns label,i\t -o csv\r", "web 2,2\r\n", "web 1,1\r")
			if name == "bash" {
				s.check("bind 'TAB: menu-complete'; echo is bou''nd\r", "is bound")
				get("we\t\t", 2)
			}
			if _, err := os.Lstat(filepath.Join(r.Home, "pwned")); err == nil {
				t.Error("a label was run")
			}
		})
	}
}
