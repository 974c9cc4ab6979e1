package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lookout/client/faulttest"
	"lookout/cmd/internal/testenv"
)

// copyProject copies the files of the project.
func copyProject(t *testing.T, to string) {
	t.Helper()
	from := testenv.RepoRoot(t)
	err := filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		below, _ := filepath.Rel(from, name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "dist"):
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, below), 0o755)
		case !entry.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, below), data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// runGo runs the go command in a folder.
func runGo(t *testing.T, folder string, args ...string) {
	t.Helper()
	run := exec.Command("go", args...)
	run.Dir = folder
	if output, err := run.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, output)
	}
}

// .ci/module.go changes the module's path and the owner everywhere: what is left of the old ones are names of folders
// and of the program. It does so twice; the copy can be built, and passes the tests that read sources and release
// configuration.
func TestModuleCommand(t *testing.T) {
	faulttest.SkipUnlessLong(t)
	project := t.TempDir()
	copyProject(t, project)
	old := testenv.ModulePath(t)
	owner := regexp.MustCompile(`(?m)^    owner: (\S+)\n    name: (\S+)$`).FindStringSubmatch(
		readPage(t, ".goreleaser.yaml"))
	for _, path := range []string{"github.com/Acme-Test/watch", "github.com/second/watch/v2"} {
		runGo(t, project, "run", ".ci/module.go", path)
		traces := regexp.MustCompile(`["=\t ]` + regexp.QuoteMeta(old) + `/(client|cmd|theme|ui|views)\b|` +
			`(?m)pkg: ` + regexp.QuoteMeta(old) + `/$|owner: ` + owner[1] + `$|[/ =]` + owner[1] + `/(tap|nur)/|` +
			`(?i)(github\.com/|ghcr\.io/|=)` + owner[1] + `/` + owner[2] + `\b`)
		count := checkNoTrace(t, project, traces, path)
		if count < 100 {
			t.Errorf("only %d files name %s", count, path)
		}
		for _, page := range []string{"README.md", "docs/installing.md"} {
			checkInstallPage(t, filepath.Join(project, filepath.FromSlash(page)), path)
		}
		runGo(t, project, "list", "-deps", "./...")
		old, owner[1], owner[2] = path, strings.Split(path, "/")[1], "watch"
	}
	if output, err := exec.Command("gofmt", "-l", project).Output(); err != nil || len(output) > 0 {
		t.Errorf("not formatted: %s%v", output, err)
	}
	runGo(t, project, "build", "./...")
	runGo(t, project, "test", "-run", "Release|Packages|README|Imports", "./cmd/docgen", "./cmd/internal/rules")
}

// checkInstallPage fails unless a page says how a release is installed, once.
func checkInstallPage(t *testing.T, name, path string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text, owner := string(data), strings.Split(path, "/")[1]
	for _, want := range []string{
		"`go install " + path + "/cmd/lookout@latest`", "`brew install --cask " + owner + "/tap/lookout`",
		"`winget install " + owner + ".lookout`",
	} {
		if n := strings.Count(text, want); n != 1 {
			t.Errorf("%s has %q %d times", name, want, n)
		}
	}
	for _, old := range []string{"no release", "will be", "will bring", "install ./cmd/lookout", "placeholder"} {
		if strings.Contains(text, old) {
			t.Errorf("%s still says %q", name, old)
		}
	}
}

// checkNoTrace fails if a file of a project has a trace, and returns how many files name a path.
func checkNoTrace(t *testing.T, project string, traces *regexp.Regexp, path string) (count int) {
	t.Helper()
	err := filepath.WalkDir(project, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if bytes.Contains(data, []byte(path)) {
			count++
		}
		if trace := traces.Find(data); trace != nil && !strings.HasSuffix(name, "module_test.go") {
			t.Errorf("%s still has %q", name, trace)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return count
}
