package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
)

// If a safety key is misspelt, misplaced or of the wrong type, nothing starts: no request is sent that the key would
// have forbidden.
func TestParseConfig_misspeltSafetyKeysAreFatal(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	id := r.FindID("services", "edge-router")
	account := "[accounts.prod]\nbase_url = \"" + r.Base + "\"\n"
	for text, said := range map[string]string{
		account + "readonly = true\n":     `did you mean "read_only"`,
		account + "read-only = true\n":    `did you mean "read_only"`,
		account + "Read_Only = true\n":    `did you mean "read_only"`,
		account + "READ_ONLY = true\n":    `did you mean "read_only"`,
		account + "protect = true\n":      `did you mean "protected"`,
		account + "protected = \"yes\"\n": "true or false",
		"read_only = true\n" + account:    "it belongs in [accounts.NAME]",
		"readonly = true\n" + account: `did you mean "read_only"? It belongs in ` +
			`[accounts.NAME]`,
		"[acounts.prod]\nread_only = true\n":                        `did you mean "accounts"`,
		account + "acount = \"prod\"\n":                             `did you mean "account"? It belongs at the top`,
		account + "[keys]\nread_only = true\n":                      "it belongs in [accounts.NAME]",
		account + "[keys]\nread_only = [\"true\"]\n":                "it belongs in [accounts.NAME]",
		account + "[columns]\nprotected = true\n":                   "it belongs in [accounts.NAME]",
		account + "[themes.mine]\nbad = \"red\"\nreadonly = true\n": "It belongs in [accounts.NAME]",
		account + "[themes]\nread_only = true\n":                    "it belongs in [accounts.NAME]",
	} {
		faulttest.RunCase(
			t,
			"G2",
			"safety: "+strings.ReplaceAll(text, account, "[accounts.prod]\n"),
			func(t *testing.T) {
				r := &testEnv{r.With(t)}
				r.WriteConfig(text)
				r.CheckResult(r.Run("services", "disable", id), exit.CodeUsage, said, "config.toml:")
				if sent, _ := filepath.Glob(filepath.Join(r.Home, "state", "*", "*.journal")); len(sent) > 0 {
					t.Error("a change was sent")
				}
			},
		)
	}
	// A key that resembles no safety key is reported and ignored, as cosmetic mistakes are.
	r.WriteConfig(account + "clour = \"red\"\nnonsense = 1\n[keys]\ndisable = [\"d\"]\n")
	r.CheckResult(
		r.Run("services", "list"), exit.CodeOK, `did you mean "color"`, "nonsense: unknown key", "PANE.ACTION",
	)
}

// If a safety variable cannot be parsed, nothing starts.
func TestReadOnlyVariableIsUnderstoodOrRefused(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	id := r.FindID("services", "edge-router")
	for value, code := range map[string]int{
		"yes":   exit.CodeUsage,
		"on":    exit.CodeUsage,
		" ":     exit.CodeUsage,
		"true":  exit.CodeDenied,
		"1":     exit.CodeDenied,
		"false": exit.CodeOK,
		"":      exit.CodeOK,
	} {
		faulttest.RunCase(t, "G2", "LOOKOUT_READ_ONLY="+value, func(t *testing.T) {
			r := &testEnv{r.With(t)}
			r.Setenv("LOOKOUT_READ_ONLY", value)
			s := r.Run("services", "enable", id)
			r.CheckResult(s, code)
			if code == exit.CodeUsage {
				r.CheckResult(s, code, "LOOKOUT_READ_ONLY", "neither true nor false")
				r.CheckResult(r.Run("doctor"), exit.CodeUsage, "LOOKOUT_READ_ONLY")
			}
		})
	}
}

// Doctor reports everything that the dashboard refuses or ignores.
func TestDoctorFindsWhatTheDashboardRefuses(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	for name, one := range map[string]struct {
		text, said string
		code       int
	}{
		"bound twice":  {"[keys]\n\"services.disable\" = [\"d\", \"e\"]\n", "bound twice", exit.CodeOK},
		"opened pane":  {"[keys]\n\"objects.link\" = [\"S\"]\n", "bound twice in objects", exit.CodeOK},
		"no action":    {"[keys]\n\"services.disabel\" = [\"d\"]\n", `did you mean "services.disable"`, exit.CodeOK},
		"no column":    {"[columns]\nservices = [\"nothing\"]\n", `unknown column "nothing"`, exit.CodeOK},
		"no list":      {"[columns]\nservers = [\"state\"]\n", "unknown list", exit.CodeOK},
		"nothing else": {"[keys]\n\"services.disable\" = [\"x\"]\n", "ok       configuration", exit.CodeOK},
	} {
		faulttest.RunCase(t, "G2", "doctor: "+name, func(t *testing.T) {
			r := &testEnv{r.With(t)}
			r.WriteConfig(one.text)
			r.CheckResult(r.Run("doctor"), one.code, one.said)
		})
	}
}

// The flag accepts the same values as the key of the configuration.
func TestRefreshAsAFlagHasItsBound(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	for _, value := range []string{"100ms", "-5s", "0", "soon"} {
		for _, args := range [][]string{nil, {"demo"}, {"watch"}, {"watch", "--demo"}} {
			r.CheckResult(r.Run(append(args, "--refresh", value)...), exit.CodeUsage, "at least 5s", "--refresh")
		}
	}
	s := r.Run("--refresh", "5s")
	if r.CheckResult(s, exit.CodeUsage, "terminal"); strings.Contains(s.Err, "refresh") {
		t.Error(s.Err)
	}
}

// A missing configuration is not reported as one without mistakes.
func TestValidateSaysThatThereIsNoConfiguration(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	s := r.MustRun("config", "validate")
	if r.CheckResult(s, exit.CodeOK, "there is no configuration at", "lookout config init"); strings.Contains(
		s.Out, "no mistakes",
	) {
		t.Error(s.Out)
	}
	r.WriteConfig("")
	r.CheckResult(r.MustRun("config", "validate"), exit.CodeOK, "no mistakes")
}

// A command that only has subcommands asks for one of them, and writes nothing to standard output.
func TestCompletionNeedsItsShell(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	for _, args := range [][]string{{"completion"}, {"completion", "nosuch"}} {
		s := r.Run(args...)
		if r.CheckResult(s, exit.CodeUsage, "lookout completion --help"); s.Out != "" {
			t.Errorf("%v writes %q", args, s.Out)
		}
	}
	r.CheckResult(r.Run("completion", "bsh"), exit.CodeUsage, "did you mean bash or fish or zsh? lookout completion")
	r.CheckResult(r.MustRun("completion", "zsh"), exit.CodeOK, "#compdef lookout")
	r.CheckResult(r.Run("help", "nosuch"), exit.CodeUsage, `no command "nosuch"`)
	r.CheckResult(r.MustRun("help", "services", "list"), exit.CodeOK, "List the services")
}

// The help of a command that does not exist is an error, and not the help of another command.
func TestHelpOfACommandThatDoesNotExist(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	for _, args := range [][]string{{"nosuch", "--help"}, {"--help", "nosuch"}, {"objects", "nosuch", "-h"}} {
		s := r.Run(args...)
		if r.CheckResult(s, exit.CodeUsage, `no command "nosuch"`); s.Out != "" {
			t.Errorf("%q writes %q", args, s.Out)
		}
	}
	for _, args := range [][]string{{"services", "get", "7", "--help"}, {"objects", "--help"}, {"-h"}, {"help"}} {
		r.CheckResult(r.MustRun(args...), exit.CodeOK, "Usage")
	}
}

// What is removed is removed with the word that comes to mind, in each resource; a close word is suggested.
func TestCommands_removeDeleteAndRmAreOneCommand(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.StoreObject("old.txt", 3)
	bucket := testenv.Bucket
	r.CheckResult(r.Run("objects", "delete", bucket, "old.txt", "--yes"), exit.CodeOK, "old.txt is removed")
	r.MustRun("contacts", "rm", r.FindID("contacts", "Ada"), "--yes")
	r.MustRun("keys", "delete", "ci", "--yes")
	s := r.Run("object", "rm")
	r.CheckResult(s, exit.CodeUsage, `has no command "object"; did you mean objects? lookout --help`)
	removals := 0
	for _, c := range everyCommand() {
		switch c.Name() {
		case "delete", "remove", "rm", "revoke":
			for _, word := range []string{"delete", "remove", "rm"} {
				if c.Name() != word && !c.HasAlias(word) {
					t.Errorf("%s has no alias %s", c.CommandPath(), word)
				}
			}
			removals++
		}
	}
	if removals < 7 {
		t.Errorf("only %d commands remove something", removals)
	}
}
