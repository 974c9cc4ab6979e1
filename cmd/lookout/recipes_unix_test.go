//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
	"lookout/ui"
)

// recipes returns the blocks of a language on the page of recipes.
func recipes(t *testing.T, language string) (blocks []string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(testenv.RepoRoot(t), "docs", "recipes.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		blocks = append(blocks, found[1])
	}
	if len(blocks) == 0 {
		t.Fatalf("the page has no %s", language)
	}
	return blocks
}

// recipePrograms puts lookout and the scripts of the page into a folder, in front of others in PATH.
func (r *testEnv) recipePrograms() (folder string) {
	r.Helper()
	folder = filepath.Join(r.Home, "bin")
	for _, script := range recipes(r.T, "sh") {
		if name := regexp.MustCompile("^#!/bin/sh\n# (.+)\n").FindStringSubmatch(script); name != nil {
			testenv.WriteProgram(r.T, filepath.Join(folder, name[1]), script)
		}
	}
	if err := os.Symlink(os.Args[0], filepath.Join(folder, "lookout")); err != nil {
		r.Fatal(err)
	}
	r.Setenv("PATH", folder+string(os.PathListSeparator)+outerPath)
	return folder
}

// runRecipe runs a program in the environment and returns what it prints and its exit code.
func (r *testEnv) runRecipe(input string, argv ...string) (out string, code int) {
	r.Helper()
	c := exec.Command(argv[0], argv[1:]...)
	c.Env, c.Stdin = r.environ(), strings.NewReader(input)
	text, err := c.CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		r.Fatal(err)
	}
	return string(text), c.ProcessState.ExitCode()
}

// The plugin and the metrics of the page say what is broken, that nothing is, and that it is not known.
func TestRecipes_scripts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options      emulator.Options
		token        string
		nagios, prom string
		code         int
	}{
		"broken": {
			token:  testenv.Canary,
			nagios: "^CRITICAL: problem +service +1 +billing-api",
			prom:   "^lookout_services_down 1\nlookout_issues_open 1\nlookout_status_exit_code 8\n$",
			code:   2,
		},
		"well": {
			options: emulator.Options{Seed: "empty"},
			token:   testenv.Canary,
			nagios:  "^OK: nothing is broken\n$",
			prom:    "^lookout_services_down 0\nlookout_issues_open 0\nlookout_status_exit_code 0\n$",
		},
		"not known": {
			token:  "revoked",
			nagios: "^UNKNOWN: .*token",
			prom:   "^(?s:.*)lookout_status_exit_code 3\n$",
			code:   3,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newTestEnv(t, c.options)
			folder := r.recipePrograms()
			r.Setenv("LOOKOUT_TOKEN", c.token)
			out, code := r.runRecipe("", filepath.Join(folder, "check_lookout"))
			if !regexp.MustCompile(c.nagios).MatchString(out) || code != c.code {
				t.Errorf("the plugin: exit code %d: %s", code, out)
			}
			file := filepath.Join(r.Home, "lookout.prom")
			out, code = r.runRecipe("", filepath.Join(folder, "lookout-metrics"), file)
			metrics, err := os.ReadFile(file)
			if err != nil || code != 0 || !regexp.MustCompile(c.prom).Match(metrics) {
				t.Errorf("the metrics: exit code %d: %s%s (%v)", code, out, metrics, err)
			}
		})
	}
}

// The command lines in the crontab and the units of the page work; cron has nothing to mail if all is well.
func TestRecipes_scheduled(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{Seed: "empty"})
	r.WriteConfig("[accounts.production]\nbase_url = \"" + r.Base + "\"\ntoken_env = \"LOOKOUT_TOKEN\"\n")
	text := strings.Join(append(recipes(t, "crontab"), recipes(t, "ini")...), "\n")
	lines := regexp.MustCompile(`(?m)^(?:(?:\S+ ){5}|ExecStart=)/usr/local/bin/lookout (.+)$`)
	found := lines.FindAllStringSubmatch(text, -1)
	if len(found) != 3 {
		t.Errorf("%d lines run lookout", len(found))
	}
	for _, line := range found {
		s := r.Run(strings.Fields(line[1])...)
		if isStatus := strings.HasPrefix(line[1], "status"); s.Code != exit.CodeOK || (s.Out+s.Err == "") != isStatus {
			t.Errorf("lookout %s: exit code %d: %s%s", line[1], s.Code, s.Out, s.Err)
		}
	}
}

// The actions of the page give their programs what they need: each gets a row's values and its JSON.
func TestRecipes_commands(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("there is no jq")
	}
	r := newTestEnv(t, emulator.Options{})
	folder := r.recipePrograms()
	for _, program := range strings.Fields("xdg-open curl gh") {
		testenv.WriteProgram(t, filepath.Join(folder, program), "#!/bin/sh\necho \"$0 $*\"\ncat\n")
	}
	r.Setenv("CHAT_WEBHOOK", "https://chat.example.com/hook")
	file, mistakes := config.Parse([]byte(recipes(t, "toml")[0]))
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	want := map[string][]string{
		"runbook":           {"xdg-open https://wiki.example.com/runbooks/billing-api\n"},
		"tell the chat":     {"https://chat.example.com/hook\n", `"text": "billing-api is problem"`},
		"ticket of our own": {"--title Issue 823 of billing-api --body-file -\n", `"id": 823`},
	}
	rows := map[string]struct{ json, id string }{
		"services": {r.MustRun("services", "get", "billing-api", "-o", "json").Out, "1"},
		"issues":   {r.MustRun("issues", "get", "823", "-o", "json").Out, "823"},
	}
	for _, c := range file.Commands {
		row := rows[c.Pane]
		values := map[string]string{"id": row.id, "label": "billing-api", "services": "billing-api"}
		argv, err := ui.CustomCommand.Expand(c, func(name string) string { return values[name] })
		if err != nil {
			t.Fatal(err)
		}
		if path := filepath.Join(folder, argv[0]); argv[0] != "sh" {
			argv[0] = path
		}
		out, code := r.runRecipe(row.json, argv...)
		for _, part := range want[c.Name] {
			if code != 0 || !strings.Contains(out, part) {
				t.Errorf("%s: exit code %d, and %q is not in %s", c.Name, code, part, out)
			}
		}
		delete(want, c.Name)
	}
	if len(want) > 0 {
		t.Errorf("the page lacks %v", want)
	}
}
