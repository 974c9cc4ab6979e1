package cli

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/dashboard"
	"lookout/cmd/internal/exit"
	"lookout/ui/shell"
	"lookout/ui/terminal"
	"lookout/ui/terminal/termtest"
)

// manyAccounts are a broken account, one that does not answer, one that is empty and read-only, and one whose token is
// refused, each on a server of its own.
type manyAccounts struct {
	*testEnv
	prod, slow, lab, refused *emulator.Emulator
	release                  func() // lets the slow one answer
}

// newManyAccounts writes a configuration with the accounts, and more of its text.
func newManyAccounts(t *testing.T, more string) *manyAccounts {
	t.Helper()
	r := &manyAccounts{testEnv: newTestEnv(t, emulator.Options{})}
	r.Setenv("LOOKOUT_BASE_URL", "")
	r.Setenv("LOOKOUT_TOKEN", "")
	r.Write(r.Home+"/all.token", "all-token\n")
	text := ""
	add := func(name, accepted, seed, keys string) *emulator.Emulator {
		api := emulator.New(emulator.Options{Token: accepted, Seed: seed, Service: os.Getenv("LOOKOUT_TEST_SERVICE")})
		server := httptest.NewServer(api)
		t.Cleanup(server.Close)
		text += fmt.Sprintf(
			"[accounts.%s]\nbase_url = %q\ntoken_file = %q\n%s\n", name, server.URL+"/v4", r.Home+"/all.token", keys,
		)
		return api
	}
	r.prod = add("prod", "all-token", "demo", "protected = true\nword = \"EU\"\ncolor = \"red\"")
	r.slow = add("slow", "all-token", "demo", "")
	r.lab = add("lab", "all-token", "empty", "read_only = true")
	r.refused = add("refused", "another", "demo", "")
	r.release = r.slow.HoldRequests("*")
	t.Cleanup(r.release)
	r.WriteConfig(text + more)
	return r
}

// startAllAccounts starts the overview of all accounts, as the command line does.
func (r *manyAccounts) startAllAccounts(width, height int, linear bool) *termtest.VirtualTerminal {
	r.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r.Cleanup(cancel)
	f := &config.Flags{NoMouse: true, Env: r.Variables}
	s, err := config.LoadGeneral(f, nil)
	if err != nil {
		r.Fatal(err)
	}
	all := dashboard.AllAccounts(f, s)
	first, err := all.Open(ctx, shell.AllAccounts)
	if err != nil {
		r.Fatal(err)
	}
	d, err := shell.NewRootModel(ctx, first, all.Open)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(d.Close)
	var screen terminal.Program = d
	if linear {
		return termtest.NewLinear(r.T, width, height, shell.NewLinearScreen(d))
	}
	return termtest.New(r.T, width, height, screen)
}

// requireNoChange fails if something was changed in one of the accounts.
func (r *manyAccounts) requireNoChange() {
	r.Helper()
	for name, api := range map[string]*emulator.Emulator{
		"prod":    r.prod,
		"slow":    r.slow,
		"lab":     r.lab,
		"refused": r.refused,
	} {
		if n := len(api.Ledger()); n != 0 {
			r.Errorf("%d changes in %s", n, name)
		}
	}
}

// The overview shows each account as soon as it was read, enter opens the dashboard of one, and O comes back. Nothing
// is changed, and no journal is written.
func TestAllAccounts_enterOpensAndOReturns(t *testing.T) {
	t.Parallel()
	r := newManyAccounts(t, "")
	v := r.startAllAccounts(140, 30, false)
	for _, text := range []string{
		"prod EU PROD", "1 down", "billing-api", "lab read-only", "nothing is down", "reading services and issues",
		"lookout accounts token refused",
	} {
		v.WaitFor(text)
	}
	for _, api := range []*emulator.Emulator{r.prod, r.lab} {
		if all := api.RequestCount(""); all > 2 { // the second may still be under way: the row needs only one
			t.Errorf("%d requests for one account", all)
		}
	}
	written, _ := filepath.Glob(filepath.Join(r.Home, "state", "lookout", "*"))
	for _, path := range written {
		if filepath.Ext(path) != ".requests" {
			t.Errorf("the overview wrote %s", path)
		}
	}
	v.Type("d", "e", "D", "n", "E") // keys that change something elsewhere
	r.release()
	v.WaitGone("reading services and issues")
	v.Type("<enter>")
	v.WaitFor("Services ─ 14")
	v.Type("<esc>")
	v.WaitFor("press O for all accounts")
	v.Type("O")
	v.WaitFor("nothing is down")
	v.Type("C")
	v.WaitFor("Switch account")
	v.WaitFor("this is the overview of all accounts")
	v.Type("1")
	v.WaitFor("account lab opened")
	v.WaitFor("lab read-only")
	v.Type(":", "all accounts", "<enter>")
	v.WaitFor("1 down") // in prod, on which the cursor starts
	v.WaitUntil("account slow in its place, below prod", func(screen string) bool {
		return regexp.MustCompile(`prod EU PROD +▲ 1 down.*\n.* slow +▲ 1 down`).MatchString(screen)
	})
	v.WaitFor("▸ lab")
	v.Type("g", "j", "<enter>")
	v.WaitFor("account slow opened")
	v.Type("O")
	v.WaitFor("▸ slow")
	v.Type("q")
	if code := v.WaitExit(); code != exit.CodeOK {
		t.Errorf("exit code %d", code)
	}
	r.requireNoChange()
}

// The switcher shows PROD, read-only and the last problem of each account, also those that only the overview has read.
func TestAllAccounts_problemsInTheSwitcher(t *testing.T) {
	t.Parallel()
	r := newManyAccounts(t, "")
	v := r.startAllAccounts(120, 30, false)
	v.WaitFor("token not accepted")
	v.WaitFor("1 down")
	v.Type("<enter>")
	v.WaitFor("Services ─ 14")
	v.Type("C")
	v.WaitUntil("the switcher with badges and problems", func(screen string) bool {
		return strings.Contains(screen, "EU  PROD") && strings.Contains(screen, "read-only") &&
			strings.Contains(screen, "refused") && strings.Contains(screen, "401 at ")
	})
	v.Type("O")
	v.WaitFor("nothing is down")
	r.requireNoChange()
}

// A program that prints a token, and takes its time, keeps no other account waiting. It gets no terminal, its complaint
// is shown, and it is not run again when the account is opened.
func TestAllAccounts_tokenCommandWaits(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	home := t.TempDir()
	script := fmt.Sprintf(
		"echo run >> %s/runs; while [ ! -e %s/go ]; do sleep 0.05; done; cat %s/vault.token", home, home, home,
	)
	vault := httptest.NewServer(emulator.New(emulator.Options{Token: "vault-token", Seed: "empty"}))
	t.Cleanup(vault.Close)
	r := newManyAccounts(t, fmt.Sprintf(
		"[accounts.vault]\nbase_url = %q\ntoken_timeout = \"1m\"\ntoken_command = [\"sh\", \"-c\", %q]\n"+
			"[accounts.broken]\nbase_url = %q\ntoken_command = [\"sh\", \"-c\", %q]\n",
		vault.URL+"/v4", script, vault.URL+"/v4", "echo the agent is locked >&2; exit 3",
	))
	v := r.startAllAccounts(160, 30, false)
	v.WaitFor("waiting for token_command sh, for at most 1m0s")
	v.WaitFor("the agent is locked")
	v.WaitFor("1 down")
	r.Write(home+"/vault.token", "vault-token")
	r.Write(home+"/go", "")
	v.WaitGone("waiting for token_command")
	v.Type("/", "vault", "<enter>")
	v.WaitFor("1 of 6 match")
	v.Type("<enter>")
	v.WaitFor("account vault opened")
	v.WaitFor("no services yet")
	v.Type("O")
	v.WaitFor("1 of 6 match")
	v.WaitFor("nothing is down")
	runs, err := os.ReadFile(home + "/runs")
	if err != nil || strings.Count(string(runs), "run") != 1 {
		t.Errorf("the program was run %d times, %v", strings.Count(string(runs), "run"), err)
	}
	r.requireNoChange()
}

// In linear mode the overview is text: one account at a time, its name first.
func TestAllAccounts_linear(t *testing.T) {
	t.Parallel()
	r := newManyAccounts(t, "")
	v := r.startAllAccounts(200, 200, true)
	v.WaitFor("account all accounts")
	v.WaitFor("prod; account prod EU PROD; problems problem: 1 down; newest issue")
	v.Type("/", "refused", "<enter>") // the order of rows changes while they are read
	v.WaitFor("1 of 1: refused; problems unknown: not known; newest issue token not accepted")
	v.Type("<esc>")
	v.WaitFor("4 rows")
	v.Type("/", "prod", "<enter>")
	v.WaitFor("1 of 1: prod; account prod EU PROD")
	v.Type("<enter>")
	v.WaitFor("message: account prod opened")
	const read = "account prod EU PROD; problems problem: 1 down"
	before := strings.Count(v.Screen(), read)
	v.Type("O")
	v.WaitUntil("the accounts again", func(screen string) bool { return strings.Count(screen, read) > before })
}

// The flags of one account make no sense together with --all, which needs accounts in the configuration.
func TestAllAccounts_commandLine(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	for _, flag := range []string{
		"--account=prod", "--base-url=" + r.Base, "--token-file=x", "--token-env=X", "--view=keys",
	} {
		name, _, _ := strings.Cut(flag, "=")
		got := r.Run("--all", flag)
		want := "lookout: --all shows every account in the configuration; omit " + name + "\n"
		if got.Code != exit.CodeUsage || got.Err != want {
			t.Errorf("%s: %d %q", flag, got.Code, got.Err)
		}
	}
	if got := r.Run("--all"); got.Code != exit.CodeUsage || !strings.Contains(got.Err, "lookout accounts add") {
		t.Errorf("without a configuration: %d %q", got.Code, got.Err)
	}
}
