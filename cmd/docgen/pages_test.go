package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/adrg/xdg"

	"lookout/client/emulator"
	"lookout/cmd/internal/dashboard"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
)

// readPage returns the text of a page, by its path below the top.
func readPage(t *testing.T, page string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(testenv.RepoRoot(t), filepath.FromSlash(page)))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}

// anchors returns the anchors of a page's headings.
func anchors(text string) (all []string) {
	dropped := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		plain := dropped.ReplaceAllString(strings.ToLower(heading[1]), "")
		all = append(all, strings.ReplaceAll(plain, " ", "-"))
	}
	return all
}

// Every link from a page to another leads to a file, and to a heading if it names one.
func TestPages_linksLeadSomewhere(t *testing.T) {
	count := 0
	for _, page := range docPages(t) {
		for _, link := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(readPage(t, page), -1) {
			file, anchor, _ := strings.Cut(link[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			count++
			target := page
			if file != "" {
				target = path.Join(path.Dir(page), file)
			}
			if _, err := os.Stat(filepath.Join(testenv.RepoRoot(t), filepath.FromSlash(target))); err != nil {
				t.Errorf("%s: %s leads nowhere", page, link[1])
			} else if anchor != "" && !slices.Contains(anchors(readPage(t, target)), anchor) {
				t.Errorf("%s: %s has no such heading", page, link[1])
			}
		}
	}
	if count < 50 {
		t.Errorf("only %d links", count)
	}
}

// The tests that the security page names are there.
func TestSecurityPage_namesTests(t *testing.T) {
	var tests strings.Builder
	err := filepath.WalkDir(testenv.RepoRoot(t), func(name string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, "_test.go") {
			data, failed := os.ReadFile(name)
			tests.Write(data)
			return failed
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(readPage(t, "docs/security.md"), -1)
	for _, name := range named {
		if !strings.Contains(tests.String(), "func "+name[1]+"(t *testing.T)") {
			t.Errorf("there is no %s", name[1])
		}
	}
	if len(named) < 20 {
		t.Errorf("only %d tests", len(named))
	}
}

// The security page names every file that commands create, and only their owner can read them.
func TestSecurityPage_files(t *testing.T) {
	r := newTestEnv(t, emulator.Options{})
	kept := configFolder(r)
	r.MustRun("config", "init")
	r.MustRun("services", "disable", "web-1", "--for", "1h", "--reason", "kernel update")
	r.MustRun("api", "GET", "/managed/services")
	page, count := readPage(t, "docs/security.md"), 0
	for variable, folder := range kept {
		err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || name == folder {
				return err
			}
			info, err := entry.Info()
			want := fs.FileMode(0o600)
			if entry.IsDir() {
				want = 0o700
			} else {
				count++
				known := "`" + variable + "/lookout/" + entry.Name() + "`"
				kind := "`" + variable + "/lookout/NAME" + filepath.Ext(name) + "`"
				if !strings.Contains(page, known) && !strings.Contains(page, kind) {
					t.Errorf("the page does not name %s", name)
				}
			}
			if err == nil && runtime.GOOS != "windows" && info.Mode().Perm() != want {
				t.Errorf("%s has mode %04o", name, info.Mode().Perm())
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if count < 2 {
		t.Errorf("only %d files were created", count)
	}
}

// The page of keys has every action with its keys: under its pane, or with those that panes share.
func TestKeysPage_hasEveryAction(t *testing.T) {
	bindings, err := dashboard.KeyBindings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, section := range strings.Split(readPage(t, "docs/keys.md"), "\n## ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		sections[name] = strings.ReplaceAll(text, `\*`, "")
	}
	tabs := readPage(t, "docs/keys.md")
	for _, k := range bindings {
		keys := keyNames(k.Keys)
		row := "\n" + keys + " | **" + k.Action + "**"
		if !strings.Contains(sections[k.Pane], row) && !strings.Contains(sections[sharedSection], row) &&
			!strings.Contains(tabs, keys+" "+k.Action) {
			t.Errorf("%s (%s) is not on the page", k.Name(), keys)
		}
	}
}

// The page to print has all panes and exit codes, and each of its keys belongs to the pane at the top of its column.
func TestOnePage_keysAndExitCodes(t *testing.T) {
	bindings, err := dashboard.KeyBindings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	known := map[string][]string{}
	for _, k := range bindings {
		known[k.Pane] = append(known[k.Pane], strings.Fields(keyNames(k.Keys))...)
	}
	known["anywhere"], known["lists"] = known["program"], append(known["services"], known["buckets"]...)
	page, count := readPage(t, "docs/one-page.md"), 0
	panes := regexp.MustCompile(`Panes: .*`).FindString(readPage(t, "docs/keys.md"))
	if !strings.Contains(page, panes) {
		t.Errorf("it does not list the panes: %s", panes)
	}
	keys, codes, _ := strings.Cut(page, "| exit code |")
	for _, table := range strings.Split(keys, "\n\n|")[1:] {
		var panes []string
		for row := range strings.Lines(table) {
			cells := strings.Split(strings.TrimPrefix(row, "|"), "|")
			if panes == nil {
				panes = cells
			}
			for i, cell := range cells {
				for _, key := range strings.Fields(cell) {
					if pane := strings.TrimSpace(panes[i]); pane != "" && strings.HasPrefix(key, "`") {
						count++
						if !slices.Contains(known[pane], key) {
							t.Errorf("%s has no key %s", pane, key)
						}
					}
				}
			}
		}
	}
	for _, code := range exit.Codes {
		if !strings.Contains(codes, fmt.Sprintf("| %d |", code.Code)) {
			t.Errorf("exit code %d is missing", code.Code)
		}
	}
	if count < 30 {
		t.Errorf("only %d keys", count)
	}
}

// The README says which Go builds lookout, and has one command that runs the tests, which .ci/run reads from there.
func TestReadme_goAndTests(t *testing.T) {
	version := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(readPage(t, "go.mod"))[1]
	text := readPage(t, "README.md")
	if want := "Go " + version + " or later"; !strings.Contains(text, want) {
		t.Errorf("the README does not say %q", want)
	}
	if found := regexp.MustCompile(`(?m)^go test .*$`).FindAllString(text, -1); len(found) != 1 {
		t.Errorf("commands that run the tests: %q", found)
	}
}

// The page about security says where folders are if their variables are not set, as on the system of this test.
func TestSecurityPage_folders(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		t.Setenv(name, "")
	}
	xdg.Reload()
	t.Cleanup(xdg.Reload)
	column := map[string]int{"darwin": 2, "windows": 3}[runtime.GOOS]
	for name, is := range map[string]string{
		"XDG_CONFIG_HOME": xdg.ConfigHome,
		"XDG_STATE_HOME":  xdg.StateHome,
	} {
		page := readPage(t, "docs/security.md")
		row := regexp.MustCompile(`(?m)^\| .\$` + name + `. \| (.+) \|$`).FindStringSubmatch(page)
		if row == nil {
			t.Fatalf("there is no row for %s", name)
		}
		said := strings.Trim(strings.Split(row[1], " | ")[max(column-1, 0)], "`")
		said = strings.ReplaceAll(said, "%LOCALAPPDATA%", os.Getenv("LOCALAPPDATA"))
		if rest, inHome := strings.CutPrefix(said, "~/"); inHome {
			said = filepath.Join(home, filepath.FromSlash(rest))
		}
		if said != is {
			t.Errorf("%s: the page says %s, it is %s", name, said, is)
		}
	}
}

// configFolder returns the folders of configuration and state by their variables.
func configFolder(r *testEnv) map[string]string {
	return map[string]string{
		"$XDG_CONFIG_HOME": filepath.Join(r.Home, "config"),
		"$XDG_STATE_HOME":  filepath.Join(r.Home, "state"),
	}
}
