package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"lookout/client/emulator"
	"lookout/cmd/internal/cli"
	"lookout/cmd/internal/dashboard"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
	"lookout/views"
)

// The committed documents equal those that docgen writes. Completions are written only for a release.
func TestDocumentsAreUpToDate(t *testing.T) {
	pages, err := generateDocs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range pages {
		if strings.HasPrefix(name, "completions/") {
			continue
		}
		kept, err := os.ReadFile(filepath.Join("..", "..", "docs", filepath.FromSlash(name)))
		if err != nil || strings.ReplaceAll(string(kept), "\r\n", "\n") != text {
			t.Errorf("docs/%s is not up to date (%v): go run ./cmd/docgen docs", name, err)
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

// Every command and every flag has a description, and the manual has the exit codes of each command.
func TestGenerateDocs_everyCommandHasAPage(t *testing.T) {
	pages, err := generateDocs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	man := pages["man/lookout.1"]
	for _, c := range visibleCommands(cli.NewRootCommand()) {
		if c.Short == "" || !strings.Contains(man, ".SS lookout "+c.Name()) {
			t.Errorf("%s is not told", c.CommandPath())
		}
	}
	for _, code := range exit.Codes {
		if !strings.Contains(man, escapeRoff(code.Meaning)) {
			t.Errorf("the manual does not tell %d", code.Code)
		}
	}
}

// Every command line in the README, the guides and the pages of commands works, each page on its own emulated account.
// The manual has the same examples as the pages.
func TestDocumentedCommandsWork(t *testing.T) {
	for _, page := range docPages(t) {
		t.Run(strings.ReplaceAll(page, "/", "-"), func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			t.Chdir(r.Home)
			for _, name := range []string{"password", "notes.txt", "docs/index.html"} {
				r.Write(name, "secret\n")
			}
			r.Write("new.toml", "theme = \"dark\"\n")
			r.Write("~/staging.token", testenv.Canary+"\n")
			r.writeCertificate("cdn.acme.net")
			for _, args := range commandLines(t, filepath.Join(testenv.RepoRoot(t), page)) {
				line := strings.Join(args, " ")
				switch {
				case line == "keep", line == "keep --detach": // they do not end; the tests of cmd/lookout run them
					r.checkCommandLine(page, args)
				case len(args) == 0, strings.HasPrefix(line, "-"), args[0] == "demo", args[0] == "watch",
					strings.HasPrefix(line, "config edit"):
					r.writeAccounts()
					r.runToError(page, append(args, ownAccount(args)...), "terminal")
				case unserved(r)[args[0]]:
					r.checkCommandLine(page, args)
				case args[0] == "emulate":
					r.runToError(page, append(args, "--listen", "no address"), "listen")
				case args[0] == "audit" || args[0] == "status": // their exit code says what they found
					if s := r.Run(args...); s.Err != "" || s.Out == "" {
						t.Errorf("%s: lookout %s: %d %s", page, line, s.Code, s.Err)
					}
				case strings.HasPrefix(line, "issues wait"):
					r.waitForIssue(page, args)
				case strings.HasPrefix(line, "journal get"):
					r.MustRun("services", "disable", "web-2") // an entry to show
					entry := r.MustRun("journal", "list", "--limit", "1", "--jq", ".[0].id").Out
					args[2] = strings.TrimSpace(entry)
					r.MustRun(args...)
				case args[0] == "accounts" || args[0] == "config" || slices.Contains(args, "-a"):
					r.runOnAccounts(page, args)
				default:
					args = append(args, confirmationArgs(args)...)
					if s := r.RunWithInput("typed secret\n", args...); s.Code != exit.CodeOK {
						t.Errorf("%s: lookout %s: %d %s", page, line, s.Code, s.Err)
					}
				}
			}
		})
	}
}

// ownAccount returns the flags that replace the account of an example: the environment has one of its own.
func ownAccount(args []string) []string {
	if slices.Contains(args, "-a") {
		return []string{"-a", ""}
	}
	return nil
}

// runToError runs a command line that cannot go on here, and fails unless it got as far as an error.
func (r *testEnv) runToError(page string, args []string, want string) {
	r.Helper()
	token := os.Getenv("LOOKOUT_TOKEN") // which a dashboard removes
	defer os.Setenv("LOOKOUT_TOKEN", token)
	if s := r.RunWithInput("", args...); s.Code == exit.CodeOK || !strings.Contains(s.Err, want) {
		r.Errorf("%s: lookout %s: %d %s", page, strings.Join(args, " "), s.Code, s.Err)
	}
}

// waitForIssue runs a command that waits for an issue, and opens one once it has read which there are.
func (r *testEnv) waitForIssue(page string, args []string) {
	r.Helper()
	var once sync.Once
	r.Intercept(func(_ http.ResponseWriter, req *http.Request) bool {
		if strings.HasSuffix(req.URL.Path, "/issues") {
			time.AfterFunc(500*time.Millisecond, func() { once.Do(func() { r.API.FailService(8) }) })
		}
		return false
	})
	if s := r.Run(append(args, "--interval", "1s")...); s.Code != exit.CodeOK {
		r.Errorf("%s: lookout %s: %d %s", page, strings.Join(args, " "), s.Code, s.Err)
	}
}

// runOnAccounts runs a command line on a configuration with two accounts, or on none if it writes one.
func (r *testEnv) runOnAccounts(page string, args []string) {
	r.Helper()
	path := r.writeAccounts()
	line := strings.Join(args, " ")
	if adds := strings.HasPrefix(line, "accounts add"); adds || line == "config init" {
		if err := os.RemoveAll(filepath.Dir(path)); err != nil {
			r.Fatal(err)
		}
		if adds {
			args = append(args, "--base-url", r.Base)
		}
	}
	s := r.RunWithInput(testenv.Canary, append(args, confirmationArgs(args)...)...)
	if s.Code != exit.CodeOK {
		r.Errorf("%s: lookout %s: %d %s", page, strings.Join(args, " "), s.Code, s.Err)
	}
}

// writeAccounts writes a configuration with two accounts and returns its path.
func (r *testEnv) writeAccounts() string {
	r.Helper()
	path := filepath.Join(r.Home, "config", "lookout", "config.toml")
	text := ""
	for _, name := range []string{"production", "staging"} {
		file := filepath.Join(filepath.Dir(path), name+".token")
		r.Write(file, testenv.Canary+"\n")
		text += fmt.Sprintf("[accounts.%s]\nbase_url = %q\ntoken_file = %q\n", name, r.Base, file)
	}
	r.Write(path, text)
	return path
}

// unserved returns the names of the resources whose list the emulator does not serve.
func unserved(r *testEnv) map[string]bool {
	names := map[string]bool{}
	for _, d := range views.Declarations() {
		names[d.Name] = d.Calls.List != "" && !r.API.Serves(d.Calls.List)
	}
	return names
}

// writeCertificate puts a certificate and its key into the working directory.
func (r *testEnv) writeCertificate(name string) {
	r.Helper()
	dir := testenv.WriteCertificate(r.T, name)
	for _, file := range []string{"cert.pem", "key.pem"} {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			r.Fatal(err)
		}
		r.Write(file, string(data))
	}
}

// Every command that a text names exists, and takes the flags that follow it.
func TestNamedCommandsExist(t *testing.T) {
	r := newTestEnv(t, emulator.Options{})
	for _, page := range docPages(t) {
		data, err := os.ReadFile(filepath.Join(testenv.RepoRoot(t), page))
		if err != nil {
			t.Fatal(err)
		}
		for i, code := range strings.Split(string(data), "`") {
			if line, named := strings.CutPrefix(code, "lookout "); named && i%2 == 1 && !strings.Contains(line, "\n") {
				r.checkCommandLine(page, commandWords(strings.ReplaceAll(line, "bash|zsh|fish|powershell", "bash")))
			}
		}
	}
}

// Every configuration in a text is valid.
func TestDocumentedConfigurationsAreValid(t *testing.T) {
	for _, page := range docPages(t) {
		data, err := os.ReadFile(filepath.Join(testenv.RepoRoot(t), page))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(data), "```toml\n")[1:] {
			text, _, _ := strings.Cut(part, "```")
			if err := dashboard.CheckConfig(t.Context(), []byte(text)).AsError(page); err != nil {
				t.Error(err)
			}
		}
	}
}

// checkCommandLine fails unless a command line names an existing command and existing flags.
func (r *testEnv) checkCommandLine(page string, args []string) {
	r.Helper()
	c, rest, err := cli.NewRootCommand().Find(args)
	if err != nil || !c.Runnable() {
		r.Errorf("%s: lookout %v: no such command", page, args)
		return
	}
	if err := c.ParseFlags(rest); err != nil && !errors.Is(err, pflag.ErrHelp) {
		r.Errorf("%s: lookout %v: %v", page, args, err)
	}
	if left := c.Flags().Args(); c.HasSubCommands() && len(left) > 0 && c.HasParent() {
		r.Errorf("%s: lookout %v: no such command", page, args)
	}
}

// docPages returns the pages at the top, and all pages in docs.
func docPages(t *testing.T) []string {
	t.Helper()
	pages := []string{"README.md", "SECURITY.md", "CHANGELOG.md", ".github/CONTRIBUTING.md"}
	for _, pattern := range []string{"docs/*.md", "docs/commands/*.md"} {
		found, err := filepath.Glob(filepath.Join(testenv.RepoRoot(t), pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			name, err := filepath.Rel(testenv.RepoRoot(t), path)
			if err != nil {
				t.Fatal(err)
			}
			pages = append(pages, filepath.ToSlash(name))
		}
	}
	return pages
}

// confirmationArgs returns the flags that answer the question that a person at a terminal would be asked.
func confirmationArgs(args []string) []string {
	if len(args) > 1 && slices.Contains([]string{"delete", "remove", "revoke", "rm"}, args[1]) &&
		args[len(args)-1] != "--yes" {
		return []string{"--yes"}
	}
	return nil
}

// commandLines returns the words of the lines of a page's sh blocks that run the program, without its name and the
// variables before it.
func commandLines(t *testing.T, path string) [][]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	inside := false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			inside = line == "```sh"
			continue
		}
		words := commandWords(line)
		at := slices.IndexFunc(words, func(word string) bool {
			return word == "lookout" || strings.HasSuffix(word, "/lookout")
		})
		if inside && at >= 0 {
			lines = append(lines, words[at+1:])
		}
	}
	return lines
}

// commandWords returns the words of a command line as a shell splits it, up to a comment, a pipe or a redirection.
func commandWords(line string) (words []string) {
	word, quote, begun := "", rune(0), false
	for _, r := range line + " " {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote != 0 || begun && r != ' ' || !strings.ContainsRune(" #|<>", r):
			word, begun = word+string(r), true
		case r != ' ':
			return words
		case begun:
			words, word, begun = append(words, word), "", false
		}
	}
	return words
}
