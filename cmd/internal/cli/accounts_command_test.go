package cli

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"lookout/client/emulator"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
)

// newAccountsTest returns an environment with two accounts: prod, whose token is in a file beside the configuration,
// and stage, whose token is in the keyring. No variable names an account or a token.
func newAccountsTest(t *testing.T, o emulator.Options) (r *testEnv, path string) {
	t.Helper()
	r = newSerialEnv(t, o)
	r.Setenv("LOOKOUT_BASE_URL", "")
	r.Setenv("LOOKOUT_TOKEN", "")
	token := filepath.Join(r.Home, "config", "lookout", "prod.token")
	r.Write(token, testenv.Canary+"\n")
	if err := keyring.Set(config.KeyringService, "stage", testenv.Canary); err != nil {
		t.Fatal(err)
	}
	return r, r.WriteConfig(
		"# mine\naccount = \"prod\"\n\n[accounts.prod]\nbase_url = \"" + r.Base + "\"\ntoken_file = \"" +
			filepath.ToSlash(
				token,
			) + "\"\nprotected = true\ncolor = \"red\"\n\n[accounts.stage] # play here\nbase_url = \"" +
			r.Base + "\"\nkeyring = true\nread_only = true\n",
	)
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The list says where each token is, never what it is.
func TestAccountsList(t *testing.T) {
	r, _ := newAccountsTest(t, emulator.Options{})
	var rows []listedAccount
	if err := json.Unmarshal([]byte(r.MustRun("accounts", "list", "-o", "json").Out), &rows); err != nil ||
		len(rows) != 2 {
		t.Fatalf("%v, %v", rows, err)
	}
	prod, stage := rows[0], rows[1]
	if prod.Name != "prod" || !prod.Protected || !prod.Start || prod.Color != "red" || prod.ReadOnly ||
		!strings.Contains(prod.Token, "prod.token") {
		t.Errorf("%+v", prod)
	}
	if stage.Name != "stage" || stage.Protected || stage.Start || !stage.ReadOnly ||
		stage.Token != "the system's keyring" {
		t.Errorf("%+v", stage)
	}
	r.CheckResult(r.MustRun("accounts", "list"), exit.CodeOK, "prod", "stage", "BASE_URL")
	r.CheckResult(r.Run("accounts", "list", "-o", "yaml"), exit.CodeUsage, "yaml")
}

// check tries every account; one whose token is refused decides the exit code, and the others are still reported.
func TestAccountsCheck(t *testing.T) {
	r, _ := newAccountsTest(t, emulator.Options{Scopes: "account:read_write"})
	s := r.MustRun("accounts", "check")
	r.CheckResult(
		s,
		exit.CodeOK,
		"prod",
		"warning",
		"cannot be read: buckets, objects, keys",
		"object_storage:read_only",
	)
	if err := keyring.Set(config.KeyringService, "stage", "wrong"); err != nil {
		t.Fatal(err)
	}
	r.CheckResult(
		r.Run("accounts", "check", "-o", "ndjson"), exit.CodeDenied, `"account":"prod","state":"warning"`,
		`"account":"stage","state":"failed"`, "not accepted", "lookout accounts token stage",
	)
	r.MustRun("accounts", "check", "prod")
	r.CheckResult(r.Run("accounts", "check", "nosuch"), exit.CodeNotFound, "it has prod, stage")
}

// The requests of a command are numbered once, however many clients send them, and no log has any account's token.
func TestDebug_numbersRequestsOncePerCommand(t *testing.T) {
	r, _ := newAccountsTest(t, emulator.Options{})
	for _, line := range []string{"accounts check --debug", "doctor --debug"} {
		s := r.MustRun(strings.Fields(line)...)
		sent := regexp.MustCompile(`(?m)^#(\d+) > (GET|POST) `).FindAllStringSubmatch(s.Err, -1)
		seen := map[string]bool{}
		for _, request := range sent {
			seen[request[1]] = true
		}
		if len(sent) < 3 || len(seen) != len(sent) || !seen[strconv.Itoa(len(sent))] {
			t.Errorf("%s: %d requests have %d numbers:\n%s", line, len(sent), len(seen), s.Err)
		}
	}
}

// A new token replaces the old one where that is, once the API has accepted it. It is in no output and no other file.
func TestAccountsToken_replacesInPlace(t *testing.T) {
	r, path := newAccountsTest(t, emulator.Options{})
	before, file := readText(t, path), filepath.Join(filepath.Dir(path), "prod.token")
	r.Write(file, "old\n")
	r.CheckResult(
		r.RunWithInput("wrong\n", "accounts", "token", "prod"),
		exit.CodeDenied,
		"was not stored",
		"not accepted",
	)
	if got := readText(t, file); got != "old\n" {
		t.Errorf("a refused token is stored: %q", got)
	}
	s := r.RunWithInput(testenv.Canary+"\n", "accounts", "token") // that of the account to start with
	r.CheckResult(s, exit.CodeOK, "the token of prod is in the file")
	r.requireListsRead(s)
	if got := readText(t, file); got != testenv.Canary+"\n" {
		t.Errorf("%q", got)
	}
	r.chmod(file, 0o600)
	r.MustRun("services", "list", "-a", "prod")
	if err := keyring.Set(config.KeyringService, "stage", "old"); err != nil {
		t.Fatal(err)
	}
	r.CheckResult(r.RunWithInput(testenv.Canary, "accounts", "token", "stage"), exit.CodeOK, "in the system's keyring")
	r.MustRun("services", "list", "-a", "stage")
	if readText(t, path) != before {
		t.Errorf("the configuration has changed:\n%s", readText(t, path))
	}
	r.CheckResult(r.RunWithInput("", "accounts", "token", "prod"), exit.CodeUsage, "the token is empty")
	r.CheckResult(
		r.RunWithInput("new", "accounts", "token", "stage", "--untested"), exit.CodeOK, "not tried",
	)
}

// A token that comes from elsewhere is moved only where the user says so, and the configuration then names the place.
func TestAccountsToken_movesWhereToldTo(t *testing.T) {
	r, path := newAccountsTest(t, emulator.Options{})
	r.WriteConfig("[accounts.prod]\nbase_url = \"" + r.Base + "\"\n" +
		"token_env = \"SOME_VARIABLE\" # old\n# a comment\ncolor = \"red\"\n")
	r.CheckResult(
		r.RunWithInput(
			testenv.Canary,
			"accounts",
			"token",
		),
		exit.CodeUsage,
		"comes from $SOME_VARIABLE",
		"--store file",
	)
	r.CheckResult(
		r.RunWithInput(testenv.Canary, "accounts", "token", "--store", "cloud"),
		exit.CodeUsage,
		"file or keyring",
	)
	r.CheckResult(r.RunWithInput(testenv.Canary, "accounts", "token", "--store", "keyring"), exit.CodeOK, "keyring")
	want := "[accounts.prod]\nbase_url = \"" + r.Base + "\"\n# a comment\ncolor = \"red\"\nkeyring = true\n"
	if got := readText(t, path); got != want {
		t.Errorf("%s", got)
	}
	r.MustRun("services", "list")
	r.CheckResult(r.RunWithInput(testenv.Canary, "accounts", "token", "--store", "file"), exit.CodeOK, "prod.token")
	r.MustRun("services", "list")
	r.MustRun("config", "validate")
}

// A renamed account keeps its journal, its token and its place as the account to start with.
func TestAccountsRename(t *testing.T) {
	r, path := newAccountsTest(t, emulator.Options{})
	id := r.FindID("services", "edge-router")
	r.MustRun("services", "disable", id, "--yes=prod", "--reason", "cable")
	r.CheckResult(r.Run("accounts", "rename", "prod", "stage"), exit.CodeUsage, "already")
	r.CheckResult(r.Run("accounts", "rename", "prod", "a/b"), exit.CodeUsage, "letters")
	state := filepath.Join(r.Home, "state", "lookout")
	r.Write(filepath.Join(state, "prod.bookmarks"), "[]")
	r.MustRun("accounts", "rename", "prod", "live.eu")
	r.MustRun("accounts", "rename", "stage", "test")
	r.MustRun("config", "validate")
	r.CheckResult(r.MustRun("journal"), exit.CodeOK, "cable")
	r.MustRun("services", "list", "-a", "test")
	if text := readText(t, path); !strings.Contains(text, "account = \"live.eu\"") ||
		!strings.Contains(text, "[accounts.\"live.eu\"]") || !strings.Contains(text, "[accounts.test] # play here") {
		t.Errorf("%s", text)
	}
	token := filepath.Join(filepath.Dir(path), "live.eu.token")
	if text := readText(t, path); !strings.Contains(text, filepath.ToSlash(token)) || readText(t, token) == "" {
		t.Errorf("the token file is not renamed:\n%s", text)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "prod.*")); len(left) != 0 {
		t.Errorf("the old token file is left: %v", left)
	}
	if left, _ := filepath.Glob(filepath.Join(state, "prod.*")); len(left) != 0 {
		t.Errorf("what was kept beside the journal has the old name: %v", left)
	}
	if _, err := keyring.Get(config.KeyringService, "stage"); err == nil {
		t.Error("the old token is still in the keyring")
	}
}

// A rename that fails halfway leaves everything as it was: configuration, journals, keyring.
func TestAccountsRename_undoesHalfARename(t *testing.T) {
	long := strings.Repeat("x", 230) // the path of a file beside it cannot be written
	for name, c := range map[string]struct{ from, to, file string }{
		"journal":       {"prod", strings.Repeat("n", 60), "config.toml"},
		"configuration": {"prod", "live", long + ".config.toml"},
		"keyring":       {"stage", "live", long + ".config.toml"},
	} {
		t.Run(name, func(t *testing.T) {
			r, path := newAccountsTest(t, emulator.Options{})
			moved := filepath.Join(filepath.Dir(path), c.file)
			if err := os.Rename(path, moved); err != nil {
				t.Fatal(err)
			}
			r.Setenv("LOOKOUT_CONFIG", moved)
			state := filepath.Join(r.Home, "state", "lookout")
			files := []string{"NAME.journal", "NAME.server", "NAME@" + strings.Repeat("h", 220) + ".journal"}
			for i, file := range files {
				files[i] = filepath.Join(state, strings.ReplaceAll(file, "NAME", c.from))
				r.Write(files[i], "{}\n")
			}
			before := readText(t, moved)
			r.CheckResult(r.Run("accounts", "rename", c.from, c.to), exit.CodeFailure, "nothing was renamed")
			if readText(t, moved) != before {
				t.Errorf("the configuration has changed:\n%s", readText(t, moved))
			}
			for _, file := range files {
				readText(t, file)
			}
			for _, folder := range []string{state, filepath.Dir(path)} {
				if left, _ := filepath.Glob(filepath.Join(folder, c.to+"*")); len(left) > 0 {
					t.Errorf("left behind: %v", left)
				}
			}
			if c.from == "prod" {
				readText(t, filepath.Join(filepath.Dir(path), "prod.token"))
			}
			if _, err := keyring.Get(config.KeyringService, c.to); err == nil {
				t.Error("the keyring has a token under the new name")
			}
			r.MustRun("services", "list", "-a", "stage")
		})
	}
}

// A rename leaves a token file alone that lookout does not keep, and replaces no other file.
func TestAccountsRename_otherTokenFiles(t *testing.T) {
	r, path := newAccountsTest(t, emulator.Options{})
	folder := filepath.Dir(path)
	r.Write(filepath.Join(folder, "live.token"), "another\n")
	r.CheckResult(r.Run("accounts", "rename", "prod", "live"), exit.CodeFailure, "live.token", "nothing was renamed")
	if readText(t, filepath.Join(folder, "live.token")) != "another\n" {
		t.Error("another token was replaced")
	}
	shared := filepath.ToSlash(filepath.Join(r.Home, "shared.token"))
	r.Write(filepath.Join(r.Home, "shared.token"), testenv.Canary+"\n")
	r.WriteConfig("[accounts.one]\nbase_url = \"" + r.Base + "\"\ntoken_file = \"" + shared + "\"\n")
	r.MustRun("accounts", "rename", "one", "two")
	if text := readText(t, path); !strings.Contains(text, shared) {
		t.Errorf("%s", text)
	}
}

// A rename replaces no token that the keyring has under the new name.
func TestAccountsRename_keepsAnotherToken(t *testing.T) {
	r, path := newAccountsTest(t, emulator.Options{})
	if err := keyring.Set(config.KeyringService, "live", "another"); err != nil {
		t.Fatal(err)
	}
	before := readText(t, path)
	r.CheckResult(
		r.Run("accounts", "rename", "stage", "live"), exit.CodeFailure, "it already has a token for live",
		"choose another name", "nothing was renamed",
	)
	if token, err := keyring.Get(config.KeyringService, "live"); token != "another" || readText(t, path) != before {
		t.Errorf("%q, %v\n%s", token, err, readText(t, path))
	}
}

// A token that moves leaves no copy: the token file that lookout wrote is removed once the keyring has the new token,
// and the keyring's once the file has it. A file of the user's own stays, and is named.
func TestAccountsToken_removesTheOldOne(t *testing.T) {
	r, path := newAccountsTest(t, emulator.Options{})
	file := filepath.Join(filepath.Dir(path), "prod.token")
	keyring.MockInitWithError(errors.New("locked"))
	r.CheckResult(
		r.RunWithInput(testenv.Canary, "accounts", "token", "prod", "--store", "keyring"), exit.CodeFailure, "locked",
	)
	readText(t, file) // the only one there is
	keyring.MockInit()
	r.CheckResult(
		r.RunWithInput(testenv.Canary, "accounts", "token", "prod", "--store", "keyring"), exit.CodeOK,
		"in the system's keyring", "the old one in "+file+" is removed",
	)
	if _, err := os.Stat(file); err == nil {
		t.Error("the old token file is still there")
	}
	r.CheckResult(
		r.RunWithInput(testenv.Canary, "accounts", "token", "prod", "--store", "file"), exit.CodeOK,
		"in the file "+file, "the old one was removed from the keyring",
	)
	if _, err := keyring.Get(config.KeyringService, "prod"); err == nil {
		t.Error("the old token is still in the keyring")
	}
	r.MustRun("services", "list", "-a", "prod")
	other := filepath.Join(r.Home, "secrets", "token")
	r.Write(other, testenv.Canary)
	r.WriteConfig(strings.Replace(readText(t, path), filepath.ToSlash(file), filepath.ToSlash(other), 1))
	r.CheckResult(
		r.RunWithInput(testenv.Canary, "accounts", "token", "prod", "--store", "keyring"), exit.CodeOK,
		"the file "+other+" stays",
	)
	readText(t, other)
}

// Removing an account removes the token that lookout keeps for it, and nothing that is not its own.
func TestAccountsRemove(t *testing.T) {
	r, path := newAccountsTest(t, emulator.Options{})
	before := readText(t, path)
	r.CheckResult(r.Run("accounts", "remove", "prod"), exit.CodeUsage, "prod.token", "add --yes")
	if readText(t, path) != before {
		t.Error("something was removed without a yes")
	}
	r.CheckResult(r.MustRun("accounts", "remove", "prod", "--yes"), exit.CodeOK, "its journal stays at")
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), "prod.token")); err == nil {
		t.Error("its token is still there")
	}
	if text := readText(t, path); strings.Contains(text, "prod") || !strings.HasPrefix(text, "# mine\n") {
		t.Errorf("%s", text)
	}
	r.MustRun("services", "list")
	r.MustRun("accounts", "remove", "stage", "--yes")
	if _, err := keyring.Get(config.KeyringService, "stage"); err == nil {
		t.Error("its token is still in the keyring")
	}
	r.CheckResult(r.Run("services", "list"), exit.CodeUsage, "no account is configured", "lookout accounts add")
	r.CheckResult(r.Run("accounts", "add"), exit.CodeUsage, "terminal")
}

// The wizard adds an account beside others, under a name that is free, and says where a token is created.
func TestAccountsAdd(t *testing.T) {
	r, path := newAccountsTest(t, emulator.Options{})
	w, out := newTestWizard(r, testenv.Canary, r.Base, "prod", "third", "1", "file", "yes")
	w.Taken, w.Keys = []string{"prod", "stage"}, "protected = true\n"
	if err := w.AddAccount(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, part := range []string{
		"add an account", "there is an account prod already", "Create a token", "Added: lookout -a third opens it",
	} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%q is not said in:\n%s", part, out)
		}
	}
	if strings.Contains(out.String(), "No account is configured") || testenv.LeaksToken(out.String()) {
		t.Error(out)
	}
	if text := readText(t, path); !strings.Contains(text, "[accounts.third]") ||
		!strings.HasSuffix(text, "protected = true\n") {
		t.Errorf("%s", text)
	}
	r.MustRun("services", "list", "-a", "third")
}

// requireListsRead fails if a check of an account does not say that all lists which the emulator serves can be read.
func (r *testEnv) requireListsRead(s testenv.CommandResult) {
	r.Helper()
	_, unread, some := strings.Cut(s.Out+s.Err, "not known: ")
	unread, _, _ = strings.Cut(unread, "\n")
	isServed := func(name string) bool { return r.API.Serves("list " + name) }
	words := strings.FieldsFunc(unread, func(c rune) bool { return c == ' ' || c == ',' })
	if some && !slices.ContainsFunc(words, isServed) {
		return
	}
	r.CheckResult(s, s.Code, "every list can be read")
}

// The account that the environment describes can be checked without a configuration.
func TestAccountsCheck_environment(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	s := r.MustRun("accounts", "check")
	r.CheckResult(s, exit.CodeOK)
	r.requireListsRead(s)
	r.Setenv("LOOKOUT_BASE_URL", "")
	r.CheckResult(r.Run("accounts", "check"), exit.CodeUsage, "no account is configured")
}

// An empty name is that of no account: a script whose variable is empty does not change the account to start with.
func TestAccounts_emptyNameIsNoAccount(t *testing.T) {
	r, path := newAccountsTest(t, emulator.Options{})
	before := readText(t, path)
	for _, line := range [][]string{
		{"remove", "", "--yes"}, {"rename", "", "live"}, {"token", "", "--untested"}, {"check", ""},
	} {
		r.CheckResult(
			r.RunWithInput(testenv.Canary, append([]string{"accounts"}, line...)...), exit.CodeNotFound,
			`no account ""`, "it has prod, stage",
		)
	}
	if readText(t, path) != before {
		t.Errorf("the configuration has changed:\n%s", readText(t, path))
	}
}

// A token file that is another account's is neither overwritten nor removed.
func TestAccounts_leaveTheTokenOfAnotherAccount(t *testing.T) {
	r, path := newAccountsTest(t, emulator.Options{})
	file := filepath.Join(filepath.Dir(path), "prod.token")
	r.WriteConfig(strings.NewReplacer( // renamed in an editor, so its token stays in prod.token
		`"prod"`, `"live"`, "accounts.prod", "accounts.live",
	).Replace(readText(t, path)))
	block := "\n[accounts.prod]\nbase_url = \"" + r.Base + "\"\n"
	r.WriteConfig(readText(t, path) + block + "token_env = \"ELSEWHERE\"\n")
	r.CheckResult(
		r.RunWithInput("new", "accounts", "token", "prod", "--store", "file", "--untested"), exit.CodeUsage,
		"prod.token already exists and holds the token of live", "--store keyring",
	)
	r.WriteConfig(strings.Replace(readText(t, path), "token_env = \"ELSEWHERE\"", "token_file = \""+
		filepath.ToSlash(file)+"\"", 1))
	r.CheckResult(r.MustRun("accounts", "remove", "prod", "--yes"), exit.CodeOK, "account prod is removed")
	if got := readText(t, file); got != testenv.Canary+"\n" {
		t.Errorf("%q", got)
	}
	r.MustRun("services", "list", "-a", "live")
}

// Nothing is listed or removed while the environment says something that cannot be understood.
func TestAccounts_mistakeInTheEnvironment(t *testing.T) {
	r, path := newAccountsTest(t, emulator.Options{})
	before := readText(t, path)
	r.Setenv("LOOKOUT_READ_ONLY", "banana")
	r.CheckResult(r.Run("accounts", "list"), exit.CodeUsage, "LOOKOUT_READ_ONLY=banana")
	r.CheckResult(r.Run("accounts", "remove", "prod", "--yes"), exit.CodeUsage, "LOOKOUT_READ_ONLY=banana")
	if readText(t, path) != before {
		t.Error("an account was removed")
	}
}

// If the configuration cannot be changed after the token was stored, the error says where the token is.
func TestAccountsToken_saysWhatWasStored(t *testing.T) {
	r, path := newAccountsTest(t, emulator.Options{})
	text := "[accounts.prod]\nbase_url = \"" + r.Base + "\"\ntoken_env = \"SOME_VARIABLE\"\n"
	r.WriteConfig(text)
	r.Intercept(func(http.ResponseWriter, *http.Request) bool {
		r.WriteConfig(text + "# changed\n")
		return false
	})
	r.CheckResult(
		r.RunWithInput(testenv.Canary, "accounts", "token", "--store", "keyring"), exit.CodeFailure,
		"another program has just changed the file", "the token is already in the system's keyring",
	)
	if got := readText(t, path); got != text+"# changed\n" {
		t.Errorf("%s", got)
	}
}

// An account is added only if the file still says all the rest afterwards: one that is written inline is left alone.
func TestAccountsAdd_leavesWhatItCannotChange(t *testing.T) {
	r, path := newAccountsTest(t, emulator.Options{})
	text := "accounts = {prod = {base_url = \"" + r.Base + "\", token_env = \"X\"}}\n"
	r.WriteConfig(text)
	w, out := newTestWizard(r, testenv.Canary, r.Base, "third", "1", "file", "yes")
	w.Taken = []string{"prod"}
	err := w.AddAccount(t.Context())
	if err == nil || !strings.Contains(err.Error(), "config edit") || readText(t, path) != text {
		t.Errorf("%v\n%s\n%s", err, readText(t, path), out)
	}
	r.CheckResult(r.Run("accounts", "add", "x", "--color", "purple"), exit.CodeUsage, "purple", "blue, cyan")
}

// A new token file goes into the configuration's folder even if that is a link, as those who keep it elsewhere have it.
func TestAccountsToken_folderIsALink(t *testing.T) {
	r, path := newAccountsTest(t, emulator.Options{})
	folder, moved := filepath.Dir(path), filepath.Join(r.Home, "dotfiles")
	if err := os.Rename(folder, moved); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(moved, folder); err != nil {
		t.Skip(err)
	}
	r.CheckResult(
		r.RunWithInput(testenv.Canary, "accounts", "token", "stage", "--store", "file"), exit.CodeOK, "stage.token",
	)
	r.MustRun("services", "list", "-a", "stage")
}

// With a second account, commands without -a still use the first: lookout writes that it starts with it, and shows so
// before.
func TestAccountsAdd_keepsTheFirst(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	path := filepath.Join(r.Home, "config", "lookout", "config.toml")
	for _, name := range []string{"prod", "stage", "third"} {
		w, out := newTestWizard(r, testenv.Canary, r.Base, name, "1", "file", "yes")
		w.Path = path
		if err := w.AddAccount(t.Context()); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		const start = "account = \"prod\" # lookout starts with it"
		if shown := strings.Contains(out.String(), start); shown != (name == "stage") {
			t.Errorf("adding %s shows\n%s", name, out)
		}
		if text := readText(t, path); strings.Count(
			text,
			start,
		) != map[string]int{"prod": 0, "stage": 1, "third": 1}[name] {
			t.Errorf("after %s:\n%s", name, text)
		}
		r.Setenv("LOOKOUT_BASE_URL", "")
		r.Setenv("LOOKOUT_TOKEN", "")
		r.MustRun("services", "list")
	}
}

// accounts use chooses the account to start with, and changes nothing else.
func TestAccountsUse_choosesTheAccountToStartWith(t *testing.T) {
	r, path := newAccountsTest(t, emulator.Options{})
	before := readText(t, path)
	for _, name := range []string{"stage", "stage", "prod"} {
		r.CheckResult(r.MustRun("accounts", "use", name), exit.CodeOK, "lookout starts with account "+name)
		r.CheckResult(r.MustRun("accounts", "--filter", "start:true", "--columns", "name"), exit.CodeOK, "NAME "+name)
		if want := strings.Replace(before, `account = "prod"`, "account = \""+name+"\"", 1); readText(t, path) != want {
			t.Errorf("%s\nwant\n%s", readText(t, path), want)
		}
	}
	r.CheckResult(r.Run("accounts", "use", "nobody"), exit.CodeNotFound, "prod, stage")
	r.CheckResult(r.Run("accounts", "use"), exit.CodeUsage, "NAME")
	r.Setenv("LOOKOUT_ACCOUNT", "prod")
	r.CheckResult(r.MustRun("accounts", "use", "stage"), exit.CodeOK, "LOOKOUT_ACCOUNT=prod overrides it")
}

// Without a terminal, or with --token-file, accounts add asks nothing. It writes only after the token was tried.
func TestAccountsAdd_asksNothingInScripts(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	base := r.Base
	r.Setenv("LOOKOUT_BASE_URL", "")
	r.Setenv("LOOKOUT_TOKEN", "")
	path := filepath.Join(r.Home, "config", "lookout", "config.toml")
	add := func(input, line string) testenv.CommandResult {
		return r.RunWithInput(input, strings.Fields("accounts add --base-url "+base+" "+line)...)
	}
	t.Chdir(r.Home)
	r.Write("secret", testenv.Canary+"\n")
	r.Write("open", testenv.Canary+"\n")
	r.Write("wrong", "wrong-token\n")
	if err := os.Chmod("open", 0o644); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]struct {
		code int
		text string
	}{
		"prod --token-file wrong":              {exit.CodeDenied, "not added"},
		"prod --token-file open":               {exit.CodeDenied, "chmod 600"},
		"prod --token-file missing":            {exit.CodeDenied, "missing"},
		"prod":                                 {exit.CodeUsage, "--token-file"},
		"--token-file secret":                  {exit.CodeUsage, "NAME"},
		"a/b --token-file secret":              {exit.CodeUsage, "letters"},
		"prod --token-file secret --color ink": {exit.CodeUsage, "blue, cyan"},
	} {
		if line == "prod --token-file open" && runtime.GOOS == "windows" {
			continue
		}
		r.CheckResult(add("", line), want.code, want.text)
	}
	if _, err := os.Stat(path); err == nil {
		t.Fatalf("an account was written: %s", readText(t, path))
	}
	r.CheckResult(
		add("", "prod --token-file secret --protected --color red"), exit.CodeOK, "account prod is in "+path,
		"every list can be read",
	)
	if text := readText(t, path); !strings.Contains(text, "token_file = \""+filepath.Join(r.Home, "secret")) ||
		!strings.Contains(text, "protected = true") || !strings.Contains(text, `color = "red"`) {
		t.Errorf("%s", text)
	}
	r.CheckResult(add(testenv.Canary, "stage"), exit.CodeOK, "account stage is in")
	r.CheckResult(add("wrong-token", "later --untested"), exit.CodeOK, "not tested")
	r.CheckResult(add(testenv.Canary, "prod"), exit.CodeUsage, "there is an account prod already")
	r.MustRun("services", "list", "-a", "stage")
	r.MustRun("services", "list") // still prod
	r.CheckResult(r.Run("services", "list", "-a", "later"), exit.CodeDenied)
	if kept := readText(t, filepath.Join(filepath.Dir(path), "stage.token")); kept != testenv.Canary+"\n" {
		t.Errorf("%q", kept)
	}
}

// A token that the API knows but that may read nothing is refused wherever a token is taken, and doctor fails.
func TestTokenThatMayReadNothing(t *testing.T) {
	r, path := newAccountsTest(t, emulator.Options{Scopes: "linodes:read_only"})
	before := readText(t, path)
	const text = "this token can read nothing"
	replaced := r.RunWithInput(testenv.Canary, "accounts", "token", "stage", "--store", "file")
	r.CheckResult(replaced, exit.CodeDenied, text)
	r.CheckResult(r.RunWithInput(testenv.Canary, "accounts", "add", "new", "--base-url", r.Base), exit.CodeDenied, text)
	r.CheckResult(r.Run("accounts", "check", "prod"), exit.CodeDenied, text, "account:read_only")
	r.CheckResult(r.Run("doctor", "-a", "prod"), exit.CodeDenied, text, "account:read_only")
	if readText(t, path) != before {
		t.Errorf("%s", readText(t, path))
	}
	w, out := newTestWizard(r, testenv.Canary, r.Base, "new", "1")
	if err := w.Run(t.Context()); err == nil || strings.Count(out.String(), "Where is the token?") != 2 ||
		!strings.Contains(out.String(), text) {
		t.Errorf("%v\n%s", err, out)
	}
}
