package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/keep"
	"lookout/cmd/internal/testenv"
)

// A tokenUsers answers for an account whose tokens "USER-token" and "USER-token-2" belong to USER.
type tokenUsers struct {
	*testEnv
	profiles atomic.Int64                  // how often the profile was read
	silent   atomic.Bool                   // the API does not say whose a token is
	used     atomic.Value                  // the token of the last request: a string
	revoked  atomic.Value                  // a token that is not accepted any more: a string
	answer   atomic.Pointer[chan struct{}] // the profile is not answered before this is closed
}

// newTokenUsers returns an account of the configuration whose token is in a file.
func newTokenUsers(t *testing.T) *tokenUsers {
	u := &tokenUsers{testEnv: newTestEnv(t, emulator.Options{})}
	u.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		user, _, known := strings.Cut(strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer "), "-token")
		token := strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
		if u.used.Store(token); u.revoked.Load() == token {
			return false // the emulator does not know it
		}
		if known && user != "canary" {
			req.Header.Set("Authorization", "Bearer "+testenv.Canary)
		}
		if req.URL.Path != "/v4/profile" {
			return false
		}
		u.profiles.Add(1)
		if wait := u.answer.Load(); wait != nil {
			<-*wait
		}
		if u.silent.Load() {
			w.WriteHeader(http.StatusNotFound)
			return true
		}
		_, _ = w.Write([]byte(`{"username": "` + user + `", "email": "a@b.net", "restricted": false}`))
		return true
	})
	u.Setenv("LOOKOUT_TOKEN", "")
	u.Setenv("LOOKOUT_BASE_URL", "")
	u.setToken("ada-token")
	u.WriteConfig("[accounts.shop]\nbase_url = \"" + u.Base + "\"\ntoken_file = \"" + u.tokenFile() + "\"\n")
	return u
}

func (u *tokenUsers) tokenFile() string { return filepath.Join(u.Home, "token") }

// setToken replaces the account's token as another program does.
func (u *tokenUsers) setToken(token string) { u.Write(u.tokenFile(), token) }

// readJournal returns what the journal at a path holds.
func (u *tokenUsers) readJournal(path string) string {
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		u.Fatal(err)
	}
	return string(data)
}

// If an account's own token is replaced by another user's, that user has a journal of their own, and the first one
// gets back theirs with their token. A token that only replaces an expired one keeps the files.
func TestJournalPath_ownTokenOfAnotherUser(t *testing.T) {
	t.Parallel()
	u := newTokenUsers(t)
	u.MustRun("services", "disable", "8", "--for", "1h")
	ada := u.journalPath()
	u.MustRun("services", "disable", "9")
	if n := u.profiles.Load(); n != 1 {
		t.Errorf("the profile was read %d times for one token", n)
	}
	u.setToken("ada-token-2")
	u.MustRun("services", "enable", "9")
	if got := u.journalPath(); got != ada || strings.Count(u.readJournal(ada), `"intent"`) != 3 {
		t.Errorf("with a newer token of hers, Ada has %s: %s", got, u.readJournal(ada))
	}
	u.setToken("ben-token")
	s := u.MustRun("services", "disable", "5")
	ben := u.journalPath()
	if ben == ada || strings.Contains(u.readJournal(ada), `"5"`) || !strings.Contains(u.readJournal(ben), `"5"`) {
		t.Errorf("Ada's journal %s: %s\nBen's %s: %s", ada, u.readJournal(ada), ben, u.readJournal(ben))
	}
	u.CheckResult(s, exit.CodeOK,
		"the token of account shop now belongs to ben; the journal, windows and downloads of ada stay in "+ada)
	if out := u.MustRun("journal", "-o", "csv").Out; strings.Contains(out, ",8,") || !strings.Contains(out, ",5,") {
		t.Errorf("Ben reads %s", out)
	}
	u.setToken("ada-token-2")
	u.MustRun("services", "enable", "8")
	if got := u.journalPath(); got != ada || strings.Count(u.readJournal(ada), `"intent"`) != 4 {
		t.Errorf("Ada has lost her journal: %s", got)
	}
}

// Where the API does not say whose a token is, the account's name stands for its user, as it always did.
func TestJournalPath_ownTokenOfUnknownUser(t *testing.T) {
	t.Parallel()
	u := newTokenUsers(t)
	u.silent.Store(true)
	u.MustRun("services", "disable", "8")
	path := u.journalPath()
	u.setToken("ben-token")
	u.MustRun("services", "disable", "9")
	if u.journalPath() != path || strings.Count(u.readJournal(path), `"intent"`) != 2 {
		t.Errorf("the journal is %s", u.journalPath())
	}
	if u.readJournal(strings.TrimSuffix(path, ".journal")+".user") != "" {
		t.Error("a user was recorded whom nobody has named")
	}
}

// lookout accounts token says whose files stay behind, and renaming the account takes the files of all users along.
func TestAccountsToken_ofAnotherUserStartsNewFiles(t *testing.T) {
	t.Parallel()
	u := newTokenUsers(t)
	u.MustRun("services", "disable", "8")
	ada := u.journalPath()
	u.CheckResult(
		u.RunWithInput("ada-token-2", "accounts", "token", "shop"), exit.CodeOK, "(ada, every list can be read)",
	)
	if u.journalPath() != ada {
		t.Errorf("Ada has %s", u.journalPath())
	}
	s := u.RunWithInput("ben-token", "accounts", "token", "shop")
	u.CheckResult(s, exit.CodeOK, "(ben, every list can be read)",
		"the token of account shop now belongs to ben; the journal, windows and downloads of ada stay in "+ada)
	if u.journalPath() == ada {
		t.Error("Ben shares Ada's journal")
	}
	u.MustRun("services", "disable", "9")
	u.MustRun("accounts", "rename", "shop", "store")
	if text := u.readJournal(u.journalPath()); strings.Count(text, `"intent"`) != 1 || !strings.Contains(text, `"9"`) {
		t.Errorf("after the account was renamed, Ben has %s: %s", u.journalPath(), text)
	}
}

// lookout keep does not end a window with the token of another user than the one who began it.
func TestKeep_leavesWindowsOfAnotherUser(t *testing.T) {
	t.Parallel()
	u := newTokenUsers(t)
	u.MustRun("services", "disable", "8", "--for", "1h")
	u.setToken("ben-token")
	accounts, err := keep.ConfiguredAccounts(u.flags())
	if err != nil {
		t.Fatal(err)
	}
	_, err = accounts()[0].Connect(t.Context(), nil, nil)
	if err == nil || !strings.Contains(err.Error(), "the token of account shop now belongs to ben") {
		t.Errorf("lookout keep ends Ada's windows with Ben's token: %v", err)
	}
	u.setToken("ada-token-2")
	if _, err = accounts()[0].Connect(t.Context(), nil, nil); err != nil {
		t.Errorf("lookout keep refuses Ada's own token: %v", err)
	}
}

// A token that was replaced while nothing ran is used at once, because the account's name stands for its user; but if
// the API does not say that it is the same user's, a 404 says nothing about a window.
func TestKeep_doubtsTokenOfUnknownUser(t *testing.T) {
	t.Parallel()
	u := newTokenUsers(t)
	u.MustRun("services", "disable", "8", "--for", "1h")
	accounts, err := keep.ConfiguredAccounts(u.flags())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		token          string
		silent, doubts bool
	}{
		{"ada-token", true, false}, // it was recorded as hers
		{"ada-token-2", true, true},
		{"ada-token-2", false, false},
		{"ada-token-2", true, false},
	} {
		u.setToken(c.token)
		u.silent.Store(c.silent)
		api, err := accounts()[0].Connect(t.Context(), nil, nil)
		if err != nil || api.DoubtsToken() != c.doubts {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// lookout keep uses a token that has replaced the one that the API no longer accepts only if the API says that it is
// the same user's: a 404 under another's would end a window.
func TestKeep_replacedTokenMustBeKnown(t *testing.T) {
	t.Parallel()
	u := newTokenUsers(t)
	u.MustRun("services", "disable", "8", "--for", "1h")
	accounts, err := keep.ConfiguredAccounts(u.flags())
	if err != nil {
		t.Fatal(err)
	}
	api, err := accounts()[0].Connect(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	u.revoked.Store("ada-token")
	for _, c := range []struct {
		token, said string
		silent      bool
	}{
		{"ben-token", "it is not known whose it is", true},
		{"ada-token-2", "it is not known whose it is", true},
		{"ben-token", "this token belongs to ben", false},
		{"ada-token-2", "", false},
	} {
		u.setToken(c.token)
		u.silent.Store(c.silent)
		_, err := accounts()[0].Connect(t.Context(), nil, api)
		if c.said == "" && err != nil || c.said != "" && (err == nil || !strings.Contains(err.Error(), c.said)) {
			t.Errorf("%s: %v, not %q", c.token, err, c.said)
		}
		if uses := api.Uses(client.NewSecret(c.token)); uses != (c.said == "") {
			t.Errorf("%s: used is %v", c.token, uses)
		}
	}
}

// A dashboard whose account has another user's token opens that user's files: the first user's windows and undo are not
// there, and nothing of the second is written into the first user's journal.
func TestDashboard_tokenOfAnotherUserOpensTheirFiles(t *testing.T) {
	t.Parallel()
	u := newTokenUsers(t)
	u.MustRun("services", "disable", "8", "--for", "1h")
	ada := u.journalPath()
	u.Write(strings.TrimSuffix(ada, ".journal")+".bookmarks", "[]")
	before := u.readJournal(ada)
	u.setToken("ben-token")
	answer := make(chan struct{})
	u.answer.Store(&answer)
	v := u.startDashboard(140, 36, &config.Flags{NoMouse: true, Env: u.Variables})
	v.WaitFor("billing-cron") // the dashboard waits for no profile
	close(answer)
	v.WaitFor("the token of account shop now belongs to ben")
	if u.journalPath() == ada || u.readJournal(ada) != before {
		t.Errorf("Ben's dashboard uses %s; Ada's journal: %s", u.journalPath(), u.readJournal(ada))
	}
	v.Type("3")
	v.WaitUntil("a service whose end Ben does not know", func(screen string) bool {
		_, row, _ := strings.Cut(screen, "disabled  cdn-origin")
		row, _, _ = strings.Cut(row, "\n")
		return strings.Contains(row, "unknown")
	})
	v.Type("q")
	v.WaitExit()
	if seen := u.readJournal(strings.TrimSuffix(ada, ".journal") + ".state"); seen != "" {
		t.Errorf("what Ben saw is in Ada's file: %s", seen)
	}
}

// The form for a token that replaces one which is no longer accepted refuses the token of another user: the files that
// are open are not theirs.
func TestDashboard_tokenFormRefusesAnotherUser(t *testing.T) {
	t.Parallel()
	u := newTokenUsers(t)
	u.MustRun("services", "disable", "8")
	v := u.startDashboard(140, 36, &config.Flags{NoMouse: true, Env: u.Variables})
	v.WaitFor("cdn-origin")
	use := func(token string) {
		v.Type("T")
		v.WaitFor("Token for shop")
		v.Type(token, "<ctrl+s>")
	}
	use("ben-token")
	v.WaitFor("this token belongs to ben, but the open journal belongs to ada")
	v.Type("<esc>", "<esc>")
	v.WaitUntil("the form is closed", func(screen string) bool { return !strings.Contains(screen, "Token for shop") })
	use("ada-token-2")
	v.WaitFor("the token is accepted")
}

// A change that is sent before the API has said whose the token is waits for that, and is not sent for another user.
func TestConnect_changesWaitForTheUser(t *testing.T) {
	t.Parallel()
	u := newTokenUsers(t)
	u.MustRun("services", "disable", "8")
	ada := u.journalPath()
	before, changes := u.readJournal(ada), len(u.API.Ledger())
	u.setToken("ben-token")
	s, err := config.Load(u.flags(), nil)
	if err != nil {
		t.Fatal(err)
	}
	api, j, err := s.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	consent, err := api.Consent(t.Context(), nil, client.ConsentQuestion{Op: client.OpDisableService}, "9")
	if err != nil {
		t.Fatal(err)
	}
	w, err := api.Begin(client.Change{Op: client.OpDisableService, Resource: "service", ID: "9"}, consent)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = w.DisableService(t.Context(), 9); err == nil || !strings.Contains(err.Error(), "now belongs to ben") {
		t.Errorf("a change of another user: %v", err)
	}
	if len(u.API.Ledger()) != changes || u.readJournal(ada) != before {
		t.Errorf("it was sent or recorded: %v, %s", u.API.Ledger()[changes:], u.readJournal(ada))
	}
}

// Once an account is closed, nothing looks any more whose its token is, and nothing is written about it.
func TestConnect_stopUserCheck(t *testing.T) {
	t.Parallel()
	u := newTokenUsers(t)
	answer := make(chan struct{})
	defer close(answer)
	u.answer.Store(&answer)
	s, err := config.Load(u.flags(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, j, err := s.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	checked := make(chan struct{})
	go func() {
		_ = s.CheckUser()
		close(checked)
	}()
	s.StopUserCheck()
	<-checked
	u.profiles.Store(0)
	if _ = s.CheckUser(); u.profiles.Load() != 0 {
		t.Error("it asks again")
	}
	if found, _ := filepath.Glob(filepath.Join(u.Home, "state", "lookout", "*.user")); len(found) > 0 {
		t.Errorf("written: %q", found)
	}
}
