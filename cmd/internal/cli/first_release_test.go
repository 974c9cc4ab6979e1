package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
)

// startFirstRelease is an environment with the configuration and the journal that the first release left.
func startFirstRelease(t *testing.T) (r *testEnv, configuration string) {
	t.Helper()
	r = newTestEnv(t, emulator.Options{})
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(testenv.RepoRoot(t), "cmd/internal/cli/testdata/first_release", name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(data), "BASE", r.Base)
	}
	configuration = read("config.toml")
	r.WriteConfig(configuration)
	r.Write(filepath.Join(r.Home, "state/lookout/own.journal"), read("own.journal"))
	r.Setenv("LOOKOUT_BASE_URL", "")
	r.Setenv("LOOKOUT_TOKEN", "")
	r.Setenv("LOOKOUT_TOKEN_OF_OWN", testenv.Canary)
	return r, configuration
}

// Later releases understand what the first one left: every key of the configuration with its meaning, and every change
// in the journal. They rewrite neither.
func TestUpgrade_readsTheFirstRelease(t *testing.T) {
	t.Parallel()
	faulttest.RunCase(t, "G6", "the configuration is valid, and stays as it is", func(t *testing.T) {
		r, before := startFirstRelease(t)
		for _, line := range []string{"config validate", "services list", "accounts list"} {
			if answer := r.MustRun(strings.Fields(line)...); answer.Err != "" {
				t.Errorf("%s: %s", line, answer.Err)
			}
		}
		shown := r.MustRun("config", "show").Out
		for _, value := range []string{"45s", "STAGING", "mine", "LOOKOUT_TOKEN_OF_OWN", "30s"} {
			if !strings.Contains(shown, value) {
				t.Errorf("config show does not show %s:\n%s", value, shown)
			}
		}
		r.CheckResult(r.Run("services", "disable", "web-1"), exit.CodeUsage, "account own is protected")
		after, err := os.ReadFile(filepath.Join(r.Home, "config/lookout/config.toml"))
		if err != nil || string(after) != before {
			t.Errorf("the configuration was changed: %v\n%s", err, after)
		}
	})
	faulttest.RunCase(t, "G6", "the sample has every key", func(t *testing.T) {
		_, text := startFirstRelease(t)
		var names []string
		for _, key := range config.AccountKeys() {
			names = append(names, key.Name)
		}
		for _, key := range config.TopLevelKeys() {
			names = append(names, key.Name)
		}
		for _, name := range names {
			if !strings.Contains(text, "\n"+name+" = ") {
				t.Errorf("no %s: a key that is newer than the first release goes into the list of those", name)
			}
		}
	})
	faulttest.RunCase(t, "G6", "a new account leaves the rest as it is", func(t *testing.T) {
		r, before := startFirstRelease(t)
		r.MustRun("accounts", "rename", "other", "others")
		after, err := os.ReadFile(filepath.Join(r.Home, "config/lookout/config.toml"))
		want := strings.Replace(before, "[accounts.other]", "[accounts.others]", 1)
		if err != nil || string(after) != want {
			t.Errorf("the configuration became\n%s\n%v", after, err)
		}
	})
	faulttest.RunCase(t, "G6", "the journal is read, and only added to", func(t *testing.T) {
		r, _ := startFirstRelease(t)
		outcomes := func() (all []string) {
			var rows []struct{ Op, Label, Outcome string }
			printed := r.MustRun("journal", "--since", "all", "-o", "json").Out
			if err := json.Unmarshal([]byte(printed), &rows); err != nil {
				t.Fatal(err)
			}
			for _, row := range rows {
				all = append(all, row.Op+" "+row.Label+": "+row.Outcome)
			}
			return all
		}
		const old = "disable service web-1: done, update contact Ada Wong: not done, " +
			"delete service edge-router: unknown"
		if got := strings.Join(outcomes(), ", "); got != old {
			t.Errorf("the journal holds %s", got)
		}
		r.MustRun("contacts", "update", "12", "--group", "night", "--yes=own")
		if got := strings.Join(outcomes(), ", "); got != old+", update contact Ben Idris: done" {
			t.Errorf("the journal holds %s", got)
		}
	})
}
