package cli

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
)

// Two servers viewed without a configuration never share a file, and neither do two addresses of one account. The
// journal of an account in the configuration keeps its released name as long as its address and user stay.
func TestJournalPath_perAccountServerAndUser(t *testing.T) {
	r := newTestEnv(t, emulator.Options{})
	other := httptest.NewServer(r.API)
	t.Cleanup(other.Close)
	journals := func() []string {
		found, err := filepath.Glob(filepath.Join(r.Home, "state", "lookout", "*.journal"))
		if err != nil {
			t.Fatal(err)
		}
		for n := range found {
			found[n] = filepath.Base(found[n])
		}
		return found
	}
	r.MustRun("services", "disable", "8")
	r.MustRun("services", "disable", "9", "--base-url", other.URL+"/v4")
	if got := journals(); len(got) != 2 || slices.Contains(got, "account.journal") {
		t.Errorf("two servers without a configuration: %v", got)
	}
	if out := r.MustRun("journal", "-o", "csv").Out; !strings.Contains(out, ",8,") || strings.Contains(out, ",9,") {
		t.Errorf("the journal of one server has the changes of another: %s", out)
	}
	old := filepath.Join(r.Home, "state", "lookout", "acme.journal")
	r.Write(old, "")
	configure := func(address, also string) {
		r.WriteConfig("[accounts.acme]\nbase_url = \"" + address + "\"\n" + also)
	}
	t.Setenv("LOOKOUT_BASE_URL", "")
	configure(r.Base, "")
	r.MustRun("services", "enable", "8")
	if data, err := os.ReadFile(old); err != nil || !strings.Contains(string(data), "enable service") {
		t.Errorf("the journal under its released name is not used: %q, %v", data, err)
	}
	configure(other.URL+"/v4", "")
	r.MustRun("services", "enable", "9")
	if data, err := os.ReadFile(old); err != nil || strings.Count(string(data), `"intent"`) != 1 ||
		len(journals()) != 4 {
		t.Errorf("another server shares the journal: %s, %v", data, journals())
	}
	configure(r.Base+"/", "")
	r.MustRun("services", "disable", "8")
	if data, err := os.ReadFile(old); err != nil || strings.Count(string(data), `"intent"`) != 2 {
		t.Errorf("the first server has lost its journal: %s, %v", data, err)
	}
}

// The head line shows the host when there is no account name.
func TestHeadLine_hostWithoutAccountName(t *testing.T) {
	r := newTestEnv(t, emulator.Options{})
	host, _, _ := strings.Cut(strings.TrimPrefix(r.Base, "http://"), "/")
	r.startDashboard(120, 36, &config.Flags{NoMouse: true}).WaitFor("lookout  " + host)
	r.WriteConfig("[accounts.acme]\nbase_url = \"" + r.Base + "\"\n")
	r.startDashboard(120, 36, &config.Flags{NoMouse: true}).WaitFor("lookout  acme ")
}

// The hand-over reads the same model as the dashboard: an open incident whose service is disabled or well again is in
// it, a closed one is not, and the age of a disabled service is not reset by an edit.
func TestHandover_openIncidentsWhateverTheirServices(t *testing.T) {
	r := newTestEnv(t, emulator.Options{})
	disabled, recovered, closed := r.API.FailService(8), r.API.FailService(9), r.API.FailService(5)
	r.MustRun("services", "disable", "8", "--reason", "noise")
	r.API.RecoverService(9)
	r.API.CloseTicket(closed)
	s := r.MustRun("handover")
	r.CheckResult(
		s, exit.CodeOK,
		fmt.Sprintf("issue %d: cdn-origin; ticket %d, open; **silenced**", disabled, disabled+50_000),
		fmt.Sprintf("issue %d: edge-router; ticket %d, open; ok again", recovered, recovered+50_000),
		"**billing-cron** (3) since at the latest", "for ≥ 2 d 4 h", "**cdn-origin** (8) since 2", ": noise",
	)
	if strings.Contains(s.Out, fmt.Sprint("issue ", closed)) {
		t.Errorf("an incident that is over is in the hand-over: %s", s.Out)
	}
}
