package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/setup"
	"lookout/cmd/internal/testenv"
	"lookout/ui"
)

func TestConfigCommands(t *testing.T) {
	faulttest.ReportCase(t, "F3", "config init")
	r := newSerialEnv(t, emulator.Options{})
	path := strings.TrimSpace(r.MustRun("config", "path").Out)
	r.CheckResult(r.MustRun("config", "init"), exit.CodeOK, path)
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	r.CheckResult(r.Run("config", "init"), exit.CodeFailure, "already exists")
	r.MustRun("config", "validate")
	r.WriteConfig(
		"theme = \"pink\"\n[accounts.prod]\nbase_url = \"" + r.Base + "\"\ntoken_env = \"PROD_TOKEN\"\n[keys]\n" +
			"\"services.disabel\" = [\"x\"]\n",
	)
	r.CheckResult(
		r.Run("config", "validate"), exit.CodeUsage, "config.toml:1:1: theme", "config.toml:6:1:", "services.disable",
	)
	t.Setenv("LOOKOUT_TOKEN", "")
	t.Setenv("LOOKOUT_BASE_URL", "")
	r.CheckResult(
		r.MustRun("config", "show", "-a", "prod"), exit.CodeOK, "accounts.prod.token_env", "PROD_TOKEN", "line 4",
		"--account",
	)
	r.WriteConfig(
		"[accounts.a]\nbase_url = \"" + r.Base + "\"\n[accounts.b]\nbase_url = \"" + r.Base + "\"\nread_only = " +
			"true\nkeyring = true\n",
	)
	r.CheckResult(
		r.MustRun("config", "show"), exit.CodeOK, "accounts.a.base_url", "accounts.b.read_only", "line 5",
		"the system's keyring", "default",
	)
	r.WriteConfig("[keys]\n\"services.disable\" = [\"x\"]\n\"services.edit\" = [\"x\"]\n")
	r.CheckResult(r.Run("config", "validate"), exit.CodeUsage, "bound twice")
	r.CheckResult(r.Run("config", "validate", filepath.Join(r.Home, "none.toml")), exit.CodeUsage, "none.toml")
	r.CheckResult(r.Run("config", "edit"), exit.CodeUsage, "terminal")
	var schema map[string]any
	if err := json.Unmarshal([]byte(r.MustRun("config", "schema").Out), &schema); err != nil ||
		schema["additionalProperties"] != false {
		t.Errorf("%v, %v", err, schema)
	}
}

// All mistakes of a file are reported at once, each with its line and a correction, in the order of the file.
func TestConfigValidate_reportsEveryErrorWithItsLine(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	lines := []struct{ text, said string }{
		{`theme = "pink"`, "use auto, dark"},
		{`refesh = "20s"`, `did you mean "refresh"`},
		{`refresh = "1s"`, "at least 5s"},
		{`account = "prod"`, `there is no account "prod"; the accounts are production`},
		{`keyring = true`, "it belongs in [accounts.NAME]"},
		{`[accounts.production]`, ""},
		{`base_url = "http://api.linode.com/v4"`, "https://"},
		{`token_file = "linode.token"`, "begin it with / or ~/"},
		{`token_env = "LINODE_TOKEN"`, "token_file is set too"},
		{`protected = "yes"`, "true or false"},
		{`color = "pinkish"`, "is not one of blue"},
		{`ascii = true`, "it belongs at the top"},
		{`[keys]`, ""},
		{`"services.disabel" = ["x"]`, `did you mean "services.disable"`},
		{`"services.delete" = ["d"]`, `to "disable" and to "delete"`},
		{`"contacts.delete" = ["n"]`, `to "delete" and to "new contact"`},
	}
	var text string
	for _, line := range lines {
		text += line.text + "\n"
	}
	r.WriteConfig(text)
	s := r.Run("config", "validate")
	told := strings.Split(strings.TrimSpace(s.Err), "\n")
	for i, line := range lines {
		if line.said == "" {
			continue
		}
		if len(told) == 0 || !strings.Contains(told[0], fmt.Sprintf("config.toml:%d:1: ", i+1)) ||
			!strings.Contains(told[0], line.said) {
			t.Fatalf("line %d should say %q; the rest is %q", i+1, line.said, told)
		}
		told = told[1:]
	}
	if len(told) > 0 || s.Code != exit.CodeUsage {
		t.Errorf("exit code %d, and unexpected lines: %q", s.Code, told)
	}
}

// Cosmetic mistakes are reported, and the program starts.
func TestLoadSettings_reportsAndIgnoresCosmeticErrors(t *testing.T) {
	faulttest.ReportCase(t, "G2", "looks")
	r := newSerialEnv(t, emulator.Options{})
	r.WriteConfig("theme = \"pink\"\n")
	s := r.MustRun("services", "list")
	if !strings.Contains(s.Err, "config.toml:1:1: theme") || strings.Contains(s.Out, "pink") {
		t.Errorf("%q", s.Err)
	}
	r.WriteConfig("[accounts.a]\nbase_url = 7\n")
	r.CheckResult(r.Run("services", "list"), exit.CodeUsage, "config.toml:2:1: accounts.a.base_url")
}

// The shell completes accounts from the configuration, without a request.
func TestAccountsAreCompleted(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	r.WriteConfig("[accounts.prod]\nbase_url = \"" + r.Base + "\"\n[accounts.staging]\nbase_url = \"" + r.Base + "\"\n")
	for _, args := range [][]string{{"-a", ""}, {"services", "list", "-a", ""}, {"doctor", "--account", ""}} {
		r.CheckResult(r.MustRun(append([]string{"__complete"}, args...)...), exit.CodeOK, "prod\nstaging\n")
	}
}

// Each source of a token works in a real request.
func TestEveryWayToAToken(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	t.Setenv("LOOKOUT_TOKEN", "")
	t.Setenv("LOOKOUT_BASE_URL", "")
	file := filepath.Join(r.Home, "token")
	r.Write(file, testenv.Canary+"\n")
	r.Write(
		filepath.Join(r.Home, "linode-cli"),
		"[DEFAULT]\ndefault-user = ops\n\n[ops]\ntoken = "+testenv.Canary+"\nregion = us-east\n",
	)
	t.Setenv("LINODE_TOKEN", testenv.Canary)
	if err := keyring.Set(config.KeyringService, "ring", testenv.Canary); err != nil {
		t.Fatal(err)
	}
	r.WriteConfig(strings.ReplaceAll(`
[accounts.file]
base_url = "BASE"
token_file = "~/token"
[accounts.env]
base_url = "BASE"
token_env = "LINODE_TOKEN"
[accounts.command]
base_url = "BASE"
token_command = ["cat", "`+file+`"]
[accounts.ring]
base_url = "BASE"
keyring = true
[accounts.cli]
base_url = "BASE"
linode_cli = "default"
[accounts.none]
base_url = "BASE"
`, "BASE", r.Base))
	names := []string{"file", "env", "ring", "cli"}
	if runtime.GOOS != "windows" {
		names = append(names, "command")
	}
	for _, name := range names {
		r.CheckResult(r.Run("services", "list", "-a", name), exit.CodeOK, "edge-router")
	}
	r.CheckResult(
		r.Run("services", "list", "-a", "none"), exit.CodeDenied, "there is no token", "--token-env LINODE_TOKEN",
		`linode_cli = "ops"`,
	)
	r.CheckResult(r.Run("services", "list", "-a", "none", "--token-file", file), exit.CodeOK)
	r.CheckResult(r.Run("services", "list", "-a", "none", "--token-env", "LINODE_TOKEN"), exit.CodeOK)
	r.CheckResult(r.Run("-a", "file", "services", "list"), exit.CodeOK)
	r.CheckResult(r.Run("services", "list"), exit.CodeUsage, "several accounts", "ring")
	r.CheckResult(
		r.RunWithInput("another\n", "accounts", "token", "none", "--store", "keyring", "--untested"), exit.CodeOK,
	)
	if got, err := keyring.Get(config.KeyringService, "none"); err != nil || got != "another" {
		t.Errorf("%q, %v", got, err)
	}
	// Flags take precedence over the environment.
	t.Setenv("LOOKOUT_TOKEN", "wrong")
	r.CheckResult(r.Run("services", "list", "-a", "none", "--token-file", file), exit.CodeOK)
	r.CheckResult(r.Run("services", "list", "-a", "file"), exit.CodeDenied)
}

func TestDoctor(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{Scopes: "account:read_only"})
	r.CheckResult(
		r.MustRun("doctor"), exit.CodeOK, "$LOOKOUT_TOKEN", "services     read; changes need account:read_write",
		"contacts     list; reading single rows and changes need account:read_write",
		"buckets      nothing; it needs object_storage:read_only", "within 30s",
	)
	var told struct {
		Findings []setup.Diagnosis
		Panes    []setup.PanePermissions
	}
	if err := json.Unmarshal([]byte(r.MustRun("doctor", "--json").Out), &told); err != nil || len(told.Findings) < 9 ||
		len(told.Panes) < 11 {
		t.Errorf("%+v, %v", told, err)
	}
	r.Write(r.journalPath(), "torn\n")
	if runtime.GOOS != "windows" {
		if err := os.Chmod(filepath.Join(r.Home, "state", "lookout"), 0o755); err != nil {
			t.Fatal(err)
		}
		r.CheckResult(r.MustRun("doctor"), exit.CodeOK, "mode 0755", "chmod 700")
	}
	r.CheckResult(r.MustRun("doctor"), exit.CodeOK, "1 unreadable lines")
	r.WriteConfig("[accounts.a]\nbase_url = 7\n")
	r.CheckResult(r.Run("doctor"), exit.CodeUsage, "config.toml:2:1")
	r.WriteConfig("")
	r.CheckResult(r.Run("doctor", "--base-url", "http://127.0.0.1:1/v4"), exit.CodeUnavailable, "skipped  scopes")
	t.Setenv("LOOKOUT_TOKEN", "wrong")
	r.CheckResult(r.Run("doctor"), exit.CodeDenied, "not accepted")
	t.Setenv("LOOKOUT_TOKEN", "")
	r.CheckResult(r.Run("doctor"), exit.CodeDenied, "there is no token")
	t.Setenv("LOOKOUT_BASE_URL", "")
	r.CheckResult(r.Run("doctor"), exit.CodeUsage, "no account is configured")
}

// Doctor reports a wrong clock, and a server that is not the API, with the next step.
func TestDoctorOnAnOddServer(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
		http.Error(w, "<html>it works</html>", http.StatusForbidden)
	}))
	defer server.Close()
	t.Setenv("LOOKOUT_BASE_URL", server.URL+"/v4")
	t.Setenv("TMUX", "/tmp/tmux")
	t.Setenv("NO_COLOR", "1")
	t.Setenv("LANG", "C")
	r.CheckResult(
		r.Run("doctor"),
		exit.CodeFailure,
		"off by 1h0m",
		"set the clock",
		"not an API response",
		"check the base URL",
		"no colours (NO_COLOR)",
		"ASCII only",
		"unknown  clipboard",
		"set -g mouse on",
		"failed: 1, warnings: 3, unknown: 2",
	)
	r.CheckResult(r.Run("services", "get", "1"), exit.CodeFailure, "not an API response")
	t.Setenv("LOOKOUT_BASE_URL", strings.Replace(server.URL, "http:", "https:", 1)+"/v4")
	r.CheckResult(r.Run("doctor"), exit.CodeUnavailable, "does not speak TLS", "skipped  scopes")
	t.Setenv("LOOKOUT_BASE_URL", "http://example.com/v4")
	r.CheckResult(r.Run("doctor"), exit.CodeUsage, "must begin with https://")
}

// The report fits into 80 columns, except for words that cannot be broken, such as a path.
func TestDoctorFitsItsTerminal(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{RestrictedUser: true})
	for line := range strings.Lines(r.MustRun("doctor").Out) {
		if ui.Width(strings.TrimRight(line, "\n")) > 80 && !strings.Contains(line, r.Home) {
			t.Errorf("%q is too wide", line)
		}
	}
}

func TestDoctorOnARestrictedUser(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{RestrictedUser: true})
	r.CheckResult(
		r.MustRun("doctor"), exit.CodeOK, "no access to Managed", "unrestricted user",
		"services     nothing; it needs access to Managed", "buckets      read and change",
	)
}

// The doctor does not call a user restricted if Managed refuses for another reason.
func TestDoctorOnAnotherRefusal(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	r.API.InjectFault("list services", emulator.Fault{
		Status: 403,
		Body:   `{"errors":[{"reason":"Your account must be activated before you can use this endpoint"}]}`,
	})
	s := r.MustRun("doctor")
	r.CheckResult(s, exit.CodeOK, "no access to Managed", "the account must be activated at")
	if strings.Contains(s.Out, "restricted") {
		t.Error(s.Out)
	}
}

// newTestWizard returns a wizard whose questions are answered line by line, and its token.
func newTestWizard(r *testEnv, token string, answers ...string) (*setup.Wizard, *bytes.Buffer) {
	var out bytes.Buffer
	path, _ := config.Path(r.flags())
	return &setup.Wizard{
		In:         bufio.NewReader(strings.NewReader(strings.Join(answers, "\n") + "\n")),
		Out:        &out,
		Flags:      r.flags(),
		Path:       path,
		ReadHidden: func(string) ([]byte, error) { return []byte(token), nil },
	}, &out
}

func TestFirstRunWritesAfterYesAlone(t *testing.T) {
	faulttest.ReportCase(t, "F3", "first run")
	r := newSerialEnv(t, emulator.Options{Scopes: "account:read_only"})
	w, out := newTestWizard(r, testenv.Canary, r.Base, "prod", "1", "file", "no", "quit")
	if err := w.Run(t.Context()); !errors.Is(err, setup.ErrCancelled) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(r.Home, "config")); err == nil {
		t.Error("something was written after a no")
	}
	for _, part := range []string{"Welcome, ops", "services     read; changes need", "[accounts.prod]", "prod.token"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%q is not said in:\n%s", part, out)
		}
	}
	w, out = newTestWizard(r, testenv.Canary, "ftp://x", r.Base, "a/b", "prod", "9", "1", "file", "yes")
	if err := w.Run(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if testenv.LeaksToken(out.String()) {
		t.Error("the token is shown")
	}
	for _, name := range []string{"config.toml", "prod.token"} {
		info, err := os.Stat(filepath.Join(r.Home, "config", "lookout", name))
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	t.Setenv("LOOKOUT_TOKEN", "")
	t.Setenv("LOOKOUT_BASE_URL", "")
	r.MustRun("services", "list")
	r.MustRun("config", "validate")
}

// The wizard asks again for a refused token, and adds to an existing configuration instead of replacing it.
func TestFirstRunAsksAgainAndAdds(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	path := r.WriteConfig("theme = \"light\"\n")
	t.Setenv("LINODE_TOKEN", testenv.Canary)
	w, out := newTestWizard(r, "wrong", r.Base, "", "2", "1", "y")
	if err := w.Run(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, _ := os.ReadFile(path)
	if text := string(data); !strings.HasPrefix(text, "theme = \"light\"\n") ||
		!strings.Contains(text, "token_env = \"LINODE_TOKEN\"") {
		t.Errorf("%s", text)
	}
	if !strings.Contains(out.String(), "not accepted") {
		t.Errorf("%s", out)
	}
}

// A token that is to stay in the keyring is there, and in no file.
func TestFirstRunKeepsInTheKeyring(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	w, out := newTestWizard(r, testenv.Canary, r.Base, "lab", "1", "keyring", "yes")
	if err := w.Run(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if kept, err := keyring.Get(config.KeyringService, "lab"); err != nil || kept != testenv.Canary {
		t.Errorf("the keyring holds %d bytes, %v", len(kept), err)
	}
	err := filepath.WalkDir(r.Home, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.Contains(readText(t, path), testenv.Canary) {
			t.Errorf("%s holds the token", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	t.Setenv("LOOKOUT_TOKEN", "")
	t.Setenv("LOOKOUT_BASE_URL", "")
	r.MustRun("services", "list")
}

// The wizard asks again for an address where another program answers, and keeps the name and the token.
func TestFirstRunAsksForTheAddressAgain(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	other := strings.TrimSuffix(r.Base, "/v4") + "/v9"
	w, out := newTestWizard(r, testenv.Canary, other, "prod", "1", r.Base, "file", "yes")
	if err := w.Run(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for part, times := range map[string]int{
		"API address":         2,
		"A name for":          1,
		"Where is the token":  1,
		"not an API response": 1,
	} {
		if strings.Count(out.String(), part) != times {
			t.Errorf("%q is not said %d times in:\n%s", part, times, out)
		}
	}
}

// The wizard offers tokens that it finds first. It uses them, and those of a file or a command, in place and never
// copies them.
func TestFirstRunTakesTokensWhereTheyAre(t *testing.T) {
	for _, way := range []struct {
		answers []string
		line    string
	}{
		{[]string{"1"}, `token_env = "LINODE_TOKEN"`},
		{[]string{"2"}, `linode_cli = "ops"`},
		{[]string{"4", "token", "~/none", "4", "~/token"}, `token_file = "~/token"`},
		{[]string{"5", "", "cat HOME/token"}, `token_command = ["cat", `},
	} {
		r := newSerialEnv(t, emulator.Options{})
		r.Write(
			filepath.Join(r.Home, "linode-cli"), "[DEFAULT]\ndefault-user = ops\n\n[ops]\ntoken = "+testenv.Canary+"\n",
		)
		r.Write(filepath.Join(r.Home, "token"), testenv.Canary+"\n")
		t.Setenv("LINODE_TOKEN", testenv.Canary)
		if way.answers[0] == "5" && runtime.GOOS == "windows" {
			continue // there is no cat
		}
		answers := append([]string{r.Base, ""}, way.answers...)
		for i := range answers {
			answers[i] = strings.ReplaceAll(answers[i], "HOME", r.Home)
		}
		w, out := newTestWizard(r, "", append(answers, "yes")...)
		if err := w.Run(t.Context()); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		kept := r.ReadTree(filepath.Join(r.Home, "config"))
		if testenv.LeaksToken(kept+out.String()) || !strings.Contains(kept, way.line) {
			t.Errorf("kept:\n%s\nsaid:\n%s", kept, out)
		}
		t.Setenv("LOOKOUT_TOKEN", "")
		t.Setenv("LOOKOUT_BASE_URL", "")
		r.MustRun("services", "list")
	}
}

// Every line of the wizard fits into 80 columns, also after failures.
func TestFirstRunFitsItsTerminal(t *testing.T) {
	for _, o := range []emulator.Options{{Scopes: "account:read_only"}, {RestrictedUser: true}} {
		r := newSerialEnv(t, o)
		w, out := newTestWizard(
			r, testenv.Canary, strings.TrimSuffix(r.Base, "/v4")+"/v9", "prod", "1", r.Base, "file", "no",
		)
		_ = w.Run(t.Context())
		for line := range strings.Lines(strings.ReplaceAll(out.String(), "]: ", "]: \n")) {
			if ui.Width(strings.TrimRight(line, "\n")) > 80 && !strings.Contains(line, r.Home) {
				t.Errorf("%q is too wide", line)
			}
		}
	}
}

func TestFirstRunIsLeft(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	w, _ := newTestWizard(r, testenv.Canary, r.Base)
	if err := w.Run(t.Context()); err == nil {
		t.Error("the end of input passes")
	}
}
