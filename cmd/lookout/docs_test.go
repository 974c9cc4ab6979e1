package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

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

// Every command line in a block of the README, of the guides and of the commands' pages works, each page on an emulated account of its own.
// The manual has the same examples as the pages.
func TestDocumentedCommandsWork(t *testing.T) {
	for _, page := range pagesOf(t) {
		t.Run(strings.ReplaceAll(page, "/", "-"), func(t *testing.T) {
			r := newRig(t, emulator.Options{})
			t.Chdir(r.home)
			for _, name := range []string{"password", "docs/overview.svg"} {
				r.write(name, "secret\n")
			}
			r.certified("cdn.acme.net")
			for _, line := range commandLines(t, filepath.Join(rootOf(t), page)) {
				args := words(line)
				switch {
				case strings.HasPrefix(line, "-"), line == "", args[0] == "demo", args[0] == "emulate": // they need a terminal, or stay
					r.understood(page, args)
				default:
					if s := r.fed("typed secret\n", append(args, documentedExtra(args)...)...); s.code != exitOK {
						t.Errorf("%s: lookout %s: %d %s", page, line, s.code, s.err)
					}
				}
			}
		})
	}
}

// certified puts a certificate and its key into the working directory.
func (r *rig) certified(name string) {
	r.Helper()
	dir := certificateIn(r.T, name)
	for _, file := range []string{"cert.pem", "key.pem"} {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			r.Fatal(err)
		}
		r.write(file, string(data))
	}
}

// Every command that is named in a text exists, and takes the flags that stand with it.
func TestNamedCommandsExist(t *testing.T) {
	r := newRig(t, emulator.Options{})
	for _, page := range pagesOf(t) {
		data, err := os.ReadFile(filepath.Join(rootOf(t), page))
		if err != nil {
			t.Fatal(err)
		}
		for i, code := range strings.Split(string(data), "`") {
			if line, named := strings.CutPrefix(code, "lookout "); named && i%2 == 1 && !strings.Contains(line, "\n") {
				r.understood(page, words(strings.ReplaceAll(line, "bash|zsh|fish|powershell", "bash")))
			}
		}
	}
}

// Every configuration in a text is one without mistakes.
func TestDocumentedConfigurationsAreValid(t *testing.T) {
	for _, page := range pagesOf(t) {
		data, err := os.ReadFile(filepath.Join(rootOf(t), page))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(data), "```toml\n")[1:] {
			text, _, _ := strings.Cut(part, "```")
			if err := allMistakes(t.Context(), []byte(text)).in(page); err != nil {
				t.Error(err)
			}
		}
	}
}

// Every picture of a page is there, is small, and is told to those who do not see it.
func TestPicturesAreToldAndSmall(t *testing.T) {
	shown := map[string]bool{}
	for _, page := range pagesOf(t) {
		data, err := os.ReadFile(filepath.Join(rootOf(t), page))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(data), "![")[1:] {
			alt, rest, _ := strings.Cut(part, "](")
			name, _, _ := strings.Cut(rest, ")")
			info, err := os.Stat(filepath.Join(rootOf(t), filepath.Dir(page), name))
			if err != nil || info.Size() > 24<<10 || len(alt) < 60 {
				t.Errorf("%s: %s: %v, %d bytes, told as %q", page, name, err, info.Size(), alt)
			}
			shown[filepath.Base(name)] = true
		}
	}
	for _, one := range shots() {
		if !shown[one.name+".svg"] {
			t.Errorf("%s is on no page", one.name)
		}
	}
}

// understood checks that a command line names a command and flags that there are.
func (r *rig) understood(page string, args []string) {
	r.Helper()
	c, rest, err := command().Find(args)
	if err != nil || !c.Runnable() {
		r.Errorf("%s: lookout %v: there is no such command", page, args)
		return
	}
	if err := c.ParseFlags(rest); err != nil && !errors.Is(err, pflag.ErrHelp) {
		r.Errorf("%s: lookout %v: %v", page, args, err)
	}
	if left := c.Flags().Args(); c.HasSubCommands() && len(left) > 0 && c.HasParent() {
		r.Errorf("%s: lookout %v: there is no such command", page, args)
	}
}

// pagesOf are the README and all pages below docs.
func pagesOf(t *testing.T) []string {
	t.Helper()
	pages := []string{"README.md", ".github/CONTRIBUTING.md"}
	for _, pattern := range []string{"docs/*.md", "docs/commands/*.md"} {
		found, err := filepath.Glob(filepath.Join(rootOf(t), pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			name, err := filepath.Rel(rootOf(t), path)
			if err != nil {
				t.Fatal(err)
			}
			pages = append(pages, filepath.ToSlash(name))
		}
	}
	return pages
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

// commandLines are the lines of a page's sh blocks that run the program, without its name, variables before it, comments, pipes and redirections.
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
		for _, end := range []string{" |", " >", " <"} {
			line, _, _ = strings.Cut(line, end)
		}
		at := slices.IndexFunc(strings.Fields(line), func(word string) bool { return word == "lookout" || strings.HasSuffix(word, "/lookout") })
		if inside && at >= 0 && !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.Join(strings.Fields(line)[at+1:], " "))
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
