package cli

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/dashboard"
	"lookout/ui/shell"
	"lookout/ui/terminal/termtest"
)

// startDashboard starts the dashboard on an account of the configuration, as the command line does.
func (r *testEnv) startDashboard(width, height int, f *config.Flags) *termtest.Terminal {
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
	d, err := shell.NewAccountSwitcher(ctx, first, rest.Open)
	if err != nil {
		r.Fatal(err)
	}
	v := termtest.New(r.T, width, height, d)
	r.Cleanup(d.Close)
	return v
}

// Another account is read with its own address and token: those from flags or the environment stay with the account
// that they were given for.
func TestSwitchingAccountsKeepsTokensApart(t *testing.T) {
	r := newTestEnv(t, emulator.Options{})
	lab := emulator.New(emulator.Options{Token: "lab-token", Seed: "empty"})
	server := httptest.NewServer(lab)
	t.Cleanup(server.Close)
	r.Write(r.Home+"/lab.token", "lab-token\n")
	r.WriteConfig(
		"account = \"prod\"\n[accounts.prod]\nbase_url = \"" + r.Base + "\"\nprotected = true\n[accounts.lab]\nword " +
			"= \"LAB\"\nbase_url = \"" + server.URL + "/v4\"\ntoken_file = \"" + r.Home + "/lab.token\"\n",
	)
	v := r.startDashboard(120, 36, &config.Flags{NoMouse: true})
	v.WaitFor("Services 14")
	v.WaitFor("prod PROD")
	v.Type("3")
	v.WaitFor("edge-router")
	v.Type(":", "account lab", "<enter>")
	v.WaitFor("no services yet")
	v.WaitGone("PROD")
	v.WaitFor("account lab opened")
	v.WaitFor("lab LAB")
	if strings.Contains(v.Screen(), "edge-router") {
		t.Errorf("rows of the other account:\n%s", v.Screen())
	}
	v.Type("C", "2")
	v.WaitFor("edge-router")
	v.Type("q")
	if code := v.WaitExit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
