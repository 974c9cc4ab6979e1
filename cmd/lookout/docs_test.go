package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lookout/client/emulator"
)

// The committed documents are what the program would write. Completions are made for a release alone.
func TestDocumentsAreUpToDate(t *testing.T) {
	pages, err := documents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range pages {
		if strings.HasPrefix(name, "completions/") {
			continue
		}
		kept, err := os.ReadFile(filepath.Join("..", "..", "docs", filepath.FromSlash(name)))
		if err != nil || strings.ReplaceAll(string(kept), "\r\n", "\n") != text {
			t.Errorf("docs/%s is not up to date (%v): go run ./cmd/lookout docs docs", name, err)
		}
	}
	kept, err := filepath.Glob("../../docs/commands/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range kept {
		if _, made := pages["commands/"+filepath.Base(path)]; !made {
			t.Errorf("%s is about a command that is gone", path)
		}
	}
}

// Every command says what it is and every flag what it does; each has its exit codes in the manual.
func TestEveryCommandIsTold(t *testing.T) {
	pages, err := documents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	man := pages["man/lookout.1"]
	for _, c := range documented(command()) {
		if c.Short == "" || !strings.Contains(man, ".SS lookout "+c.Name()) {
			t.Errorf("%s is not told", c.CommandPath())
		}
	}
	for _, code := range codes {
		if !strings.Contains(man, roff(code.meaning)) {
			t.Errorf("the manual does not tell %d", code.code)
		}
	}
}

// Every command line of the README and of the hand-written guides works: scripts on an emulated account, the rest by its name.
func TestDocumentedCommandsWork(t *testing.T) {
	r := newRig(t, emulator.Options{})
	r.write(filepath.Join(r.home, "password"), "secret\n")
	t.Chdir(r.home)
	for _, page := range []string{"README.md", "docs/on-call.md", "docs/buckets.md", "docs/developing.md"} {
		for _, line := range commandLines(t, filepath.Join(rootOf(t), page)) {
			args := words(line)
			switch args[0] {
			case "demo", "emulate", "picture", "docs", "completion":
				if c, _, err := command().Find(args); err != nil || c.Name() != args[0] && args[0] != "completion" {
					t.Errorf("%s: lookout %s: there is no such command", page, line)
				}
			default:
				if s := r.run(append(args, documentedExtra(args)...)...); s.code != exitOK {
					t.Errorf("%s: lookout %s: %d %s", page, line, s.code, s.err)
				}
			}
		}
	}
}

// documentedExtra answers what a person at a terminal would be asked.
func documentedExtra(args []string) []string {
	if len(args) > 1 && (args[1] == "delete" || args[1] == "revoke" || args[1] == "rm") && args[len(args)-1] != "--yes" {
		return []string{"--yes"}
	}
	return nil
}

var packageFolder, _ = os.Getwd()

func rootOf(*testing.T) string { return filepath.Join(packageFolder, "..", "..") }

// commandLines are the lines of a page's sh blocks that run the program with a command, without their comments.
func commandLines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	inside := false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			inside = line == "```sh"
			continue
		}
		line, _, _ = strings.Cut(line, " #")
		_, rest, found := strings.Cut(line, "lookout ")
		if !inside || !found || strings.HasPrefix(line, "#") {
			continue
		}
		rest, _, _ = strings.Cut(rest, " |")
		rest, _, _ = strings.Cut(rest, " >")
		rest, _, _ = strings.Cut(rest, " <")
		if rest = strings.TrimSpace(rest); !strings.HasPrefix(rest, "-") {
			lines = append(lines, rest)
		}
	}
	return lines
}

// words splits a command line at spaces that stand outside of double quotes.
func words(line string) []string {
	var out []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}
