package cli

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/dashboard"
	"lookout/ui/shell"
	"lookout/ui/terminal/termtest"
)

// startDashboard starts the dashboard on an account of the configuration, as the command line does.
func (r *testEnv) startDashboard(width, height int, f *config.Flags) *termtest.VirtualTerminal {
	r.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r.Cleanup(cancel)
	s, err := config.Load(f, nil)
	if err != nil {
		r.Fatal(err)
	}
	api, j, err := s.Connect(ctx)
	if err != nil {
		r.Fatal(err)
	}
	rest := dashboard.ConfiguredAccounts(f, s)
	first, err := rest.NewSession(ctx, f, s, api, j)
	if err != nil {
		r.Fatal(err)
	}
	d, err := shell.NewRootModel(ctx, first, rest.Open)
	if err != nil {
		r.Fatal(err)
	}
	v := termtest.New(r.T, width, height, d)
	r.Cleanup(d.Close)
	return v
}

// An unwritable state folder, or one that is refused, does not stop the dashboard from starting: it opens read-only and
// says why in the head line, in the message, and when a change is tried.
func TestDashboard_opensReadOnlyWhenTheStateCannotBeWritten(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(state, elsewhere string) error{
		"a file":  func(state, _ string) error { return os.WriteFile(state, nil, 0o600) },
		"a link":  func(state, elsewhere string) error { return os.Symlink(elsewhere, state) },
		"a loop":  func(state, _ string) error { return os.Symlink(state, state) },
		"no room": func(state, _ string) error { return os.Symlink("/proc/1/nothing", state) },
	} {
		faulttest.RunCase(t, "C3", "the state folder is "+name, func(t *testing.T) {
			r := newTestEnv(t, emulator.Options{})
			if err := os.MkdirAll(filepath.Join(r.Home, "state"), 0o700); err != nil {
				t.Fatal(err)
			}
			elsewhere := t.TempDir()
			if err := prepare(filepath.Join(r.Home, "state", "lookout"), elsewhere); err != nil {
				t.Skip(err)
			}
			v := r.startDashboard(120, 36, &config.Flags{NoMouse: true, Env: r.Variables})
			v.WaitFor("read-only: changes cannot be recorded")
			v.Type("3")
			v.WaitFor("edge-router")
			v.Type("d")
			v.WaitFor("disable: read-only, because changes cannot be recorded")
			if n := len(r.API.Ledger()); n != 0 {
				t.Errorf("%d changes", n)
			}
			if left, err := os.ReadDir(elsewhere); err != nil || len(left) != 0 {
				t.Errorf("%v, %v", left, err)
			}
		})
	}
}

// Another account is read with its own address and token: those from flags or the environment stay with the account
// that they were given for.
func TestSwitchingAccountsKeepsTokensApart(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	lab := emulator.New(emulator.Options{Token: "lab-token", Seed: "empty"})
	server := httptest.NewServer(lab)
	t.Cleanup(server.Close)
	r.Write(r.Home+"/lab.token", "lab-token\n")
	r.WriteConfig(
		"account = \"prod\"\n[accounts.prod]\nbase_url = \"" + r.Base + "\"\nprotected = true\n[accounts.lab]\nword " +
			"= \"LAB\"\nbase_url = \"" + server.URL + "/v4\"\ntoken_file = \"" + r.Home + "/lab.token\"\n",
	)
	v := r.startDashboard(120, 36, &config.Flags{NoMouse: true, Env: r.Variables})
	v.WaitFor("Services ─ 14")
	v.WaitFor("prod PROD")
	v.Type("3")
	v.WaitFor("edge-router")
	v.Type(":", "account lab", "<enter>")
	v.WaitFor("no services yet")
	v.WaitGone("PROD")
	v.WaitFor("account lab opened")
	v.WaitFor("lab LAB")
	v.WaitGone("edge-router")
	v.Type("C", "2")
	v.WaitFor("edge-router")
	v.Type("q")
	if code := v.WaitExit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
