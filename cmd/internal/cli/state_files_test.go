package cli

import (
	"crypto/sha256"
	"fmt"
	"io"
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
	t.Parallel()
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
	r.Setenv("LOOKOUT_BASE_URL", "")
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

// Two users of one server never share a file, with and without a configuration. The file that an earlier version wrote
// stays with the first token that is used; an account's own token may be replaced.
func TestJournalPath_perToken(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	folder := filepath.Join(r.Home, "state", "lookout")
	path := func(token string) string {
		t.Helper()
		r.Setenv("LOOKOUT_TOKEN", token)
		s, err := config.Load(r.flags(), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.ClaimJournal(); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(s.JournalPath(), token) && token != "" {
			t.Errorf("the path has the token: %s", s.JournalPath())
		}
		return s.JournalPath()
	}
	ada, ben := path("token-of-ada"), path("token-of-ben")
	if ada == ben || ada != path("token-of-ada") {
		t.Errorf("Ada has %s, Ben %s", ada, ben)
	}
	// an earlier version wrote one file for all tokens, whose name had the hash of the address alone
	hash := sha256.Sum256([]byte(r.Base + "\n\n"))
	host := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(r.Base, "http://"), "/v4"), ":", "-")
	old := filepath.Join(folder, fmt.Sprintf("account@%s-%x.journal", host, hash[:4]))
	r.Write(old, "")
	for range 2 {
		if got := path("token-of-ada"); got != old {
			t.Errorf("Ada has lost her journal: %s, not %s", got, old)
		}
		if got := path("token-of-ben"); got != ben {
			t.Errorf("Ben has %s", got)
		}
	}
	// an account without a token of its own: the same with its plain name
	r.WriteConfig("[accounts.acme]\nbase_url = \"" + r.Base + "\"\n")
	acme := filepath.Join(folder, "acme.journal")
	r.Write(acme, "")
	r.Write(filepath.Join(folder, "acme.server"), r.Base+"\n\n") // as an earlier version claimed it
	for range 2 {
		if got := path("token-of-ada"); got != acme {
			t.Errorf("Ada has lost her journal: %s", got)
		}
		if got := path("token-of-ben"); got == acme || got == ben {
			t.Errorf("Ben has %s", got)
		}
	}
	// an account with a token of its own keeps its journal when that is replaced; another token has another file
	file := filepath.Join(r.Home, "token")
	r.WriteConfig("[accounts.shop]\nbase_url = \"" + r.Base + "\"\ntoken_file = \"" + file + "\"\n")
	shop := filepath.Join(folder, "shop.journal")
	for _, own := range []string{"token-of-shop", "new-token-of-shop"} {
		r.Write(file, own)
		if got := path(""); got != shop {
			t.Errorf("with its own token the account has %s", got)
		}
		if got := path(own); got != shop {
			t.Errorf("with its own token from the environment the account has %s", got)
		}
		if got := path("token-of-ben"); got == shop {
			t.Error("Ben shares the account's journal")
		}
	}
}

// The head line shows the host when there is no account name.
func TestHeadLine_hostWithoutAccountName(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	host, _, _ := strings.Cut(strings.TrimPrefix(r.Base, "http://"), "/")
	r.startDashboard(120, 36, &config.Flags{NoMouse: true, Env: r.Variables}).WaitFor("lookout  " + host)
	r.WriteConfig("[accounts.acme]\nbase_url = \"" + r.Base + "\"\n")
	r.startDashboard(120, 36, &config.Flags{NoMouse: true, Env: r.Variables}).WaitFor("lookout  acme ")
}

// useProviderDialect configures the emulated API as one with support tickets.
func (r *testEnv) useProviderDialect() {
	r.Helper()
	r.WriteConfig("[accounts.acme]\nbase_url = \"" + r.Base + "\"\ndialect = \"provider\"\n")
}

// The handover reads the same model as the dashboard: an open incident whose service is disabled or well again is in
// it, one whose ticket is closed only while its service is down, and the age of a disabled service is not reset by an
// edit.
func TestHandover_openIncidentsWhateverTheirServices(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.useProviderDialect()
	disabled, recovered, closed := r.API.FailService(8), r.API.FailService(9), r.API.FailService(5)
	r.MustRun("services", "disable", "8", "--reason", "noise")
	r.API.RecoverService(9)
	r.API.CloseTicket(closed)
	r.CheckResult(r.MustRun("handover"), exit.CodeOK, fmt.Sprintf("issue %d: ", closed)) // its service is down
	r.API.RecoverService(5)
	s := r.MustRun("handover")
	r.CheckResult(
		s, exit.CodeOK,
		fmt.Sprintf("issue %d: cdn-origin; ticket %d, open; **silenced**", disabled, disabled+50_000),
		fmt.Sprintf("issue %d: edge-router; ticket %d, open; ok again", recovered, recovered+50_000),
		"**billing-cron** (3) since at the latest", "for ≥ 2 d 4 h", "**cdn-origin** (8) since 2", ": noise",
	)
	if strings.Contains(s.Out, fmt.Sprint("issue ", closed)) {
		t.Errorf("an incident that is over is in the handover: %s", s.Out)
	}
}

// A handover says that it could not read what the dashboard has seen, and leaves the file to the dashboard.
func TestHandover_damagedState(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	r.MustRun("services", "disable", "8")
	state := strings.TrimSuffix(r.journalPath(), ".journal") + ".state"
	r.Write(state, "{torn")
	r.CheckResult(r.Run("handover"), exit.CodeFailure, "## Not read - state: ", "the handover is incomplete")
	if data, err := os.ReadFile(state); err != nil || string(data) != "{torn" {
		t.Errorf("%q, %v", data, err)
	}
}
