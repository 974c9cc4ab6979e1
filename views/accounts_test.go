package views_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/shell"
	"lookout/views"
)

// accountSources are accounts with emulators of their own: "prod" is broken, "slow" does not answer, "lab" is empty,
// "refused" does not accept the token, and the token of "vault" comes from a program that does not end.
type accountSources struct {
	emulators map[string]*emulator.Emulator
	journals  map[string]*journal.Journal
	mu        sync.Mutex
	opened    map[string]int // how often accounts were opened or their tokens read again
	sources   []views.AccountSource
	all       *views.AllAccountsPane
	token     chan string // of the vault
	sent      []string    // notifications
}

// addAccount adds an account.
func (s *accountSources) addAccount(r *harness, name, accepted, seed string, badges ...theme.TitleSegment) {
	emu := emulator.New(emulator.Options{Token: accepted, Seed: seed, Now: time.Now, Service: testedService})
	s.emulators[name], s.journals[name] = emu, journal.NewInMemory(time.Now)
	open := func(_ context.Context) (*account.Account, error) {
		options := []client.Option{
			client.WithTransport(emu),
			client.WithRecorder(s.journals[name]),
			client.WithReadOnly(),
		}
		if emu.Service() == emulator.ServiceNow {
			options = append(options, client.WithDialect(client.DialectProvider))
		}
		api, err := client.New("https://"+name+".example.test/v4", client.NewSecret(token), options...)
		if err != nil {
			return nil, err
		}
		return r.newAccount(r.ctx, name, api, s.journals[name]), nil
	}
	source := views.AccountSource{
		Name:   name,
		Badges: badges,
		Open: func(ctx context.Context) (*account.Account, error) {
			s.countOpened(name)
			return open(ctx)
		},
		Token: func(context.Context) (client.Secret, error) {
			s.countOpened(name)
			return client.NewSecret(token), nil
		},
		ForgetToken: func() {},
	}
	if name == "vault" {
		source.Waits = "token_command pass, for at most 10s"
		source.Open = func(ctx context.Context) (*account.Account, error) {
			s.countOpened(name)
			if said := <-s.token; said != "" {
				return nil, errors.New(said)
			}
			return open(ctx)
		}
	}
	s.sources = append(s.sources, source)
}

// countOpened counts that an account was opened, or its token read.
func (s *accountSources) countOpened(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened[name]++
}

// timesOpened returns how often an account was opened or its token read.
func (s *accountSources) timesOpened(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened[name]
}

// startAllAccounts starts the pane of all accounts alone.
func startAllAccounts(t *testing.T, size screenSize, test func(*harness, *accountSources)) {
	t.Helper()
	s := &accountSources{
		emulators: map[string]*emulator.Emulator{},
		journals:  map[string]*journal.Journal{},
		opened:    map[string]int{},
	}
	var release func()
	configure := func(r *harness, o *shell.Options) {
		s.token = make(chan string)
		s.addAccount(r, "lab", token, "empty", theme.TitleSegment{Text: "read-only", Tone: theme.Warn})
		s.addAccount(
			r,
			"prod",
			token,
			"demo",
			theme.TitleSegment{Text: "EU"},
			theme.TitleSegment{Text: "PROD", Tone: theme.Bad},
		)
		s.addAccount(r, "refused", "another", "demo")
		s.addAccount(r, "slow", token, "demo")
		s.addAccount(r, "vault", token, "empty")
		release = s.emulators["slow"].HoldRequests("*")
		s.all = views.NewAllAccounts(r.ctx, r.loop, s.sources, time.Now)
		*o = shell.Options{
			AccountInfo:    shell.AccountInfo{Account: shell.AllAccounts, Overview: true},
			RateLimitHooks: shell.RateLimitHooks{RetryNow: s.all.Resume},
			Panes:          []ui.Pane{s.all.Pane},
			Loop:           r.loop,
			Notify: shell.NotifyOptions{
				Notices: s.all.Notices,
				Methods: []string{"bell"},
				Rules:   []string{account.RuleServiceLeavesOK, account.RuleNewIssue},
				Send: func(title, text string) tea.Cmd {
					s.sent = append(s.sent, title+": "+text)
					return nil
				},
			},
			Theme:           r.theme,
			RefreshInterval: 20 * time.Second,
			Now:             time.Now,
			Location:        time.UTC,
		}
	}
	runProgram(t, programOptions{size: size, configure: configure}, func(r *harness) {
		defer close(s.token)
		defer release()
		r.wait(time.Second)
		test(r, s)
	})
}

// line returns the line of an account.
func (s *accountSources) line(r *harness, name string) string {
	r.Helper()
	for _, line := range r.paneLines() {
		if words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "▸")); len(words) > 0 &&
			words[0] == name {
			return line
		}
	}
	r.Fatalf("no line of %s\n%s", name, r.screen())
	return ""
}

// requireLine fails unless the line of an account has all texts.
func (s *accountSources) requireLine(r *harness, name string, texts ...string) {
	r.Helper()
	for _, text := range texts {
		if line := s.line(r, name); !strings.Contains(line, text) {
			r.Fatalf("%s has no %q: %s", name, text, line)
		}
	}
}

// Each account is read on its own: none that is slow, refused, or waits for its token keeps the others waiting. The
// broken one comes first, those that are not known next, and the cursor starts on the first.
func TestAllAccounts_noneWaitsForAnother(t *testing.T) {
	t.Parallel()
	startAllAccounts(t, screenSize{160, 36}, func(r *harness, s *accountSources) {
		s.requireLine(r, "prod", "▸", "EU PROD", "1 down", "billing-api", "1 off")
		s.requireLine(r, "lab", "read-only", "ok", "nothing is down", "none")
		s.requireLine(r, "refused", "not known", "token not accepted", "lookout accounts token refused", "never")
		s.requireLine(r, "slow", "reading", "reading services and issues")
		s.requireLine(r, "vault", "reading", "waiting for token_command pass, for at most 10s")
		var order []string
		for _, line := range r.paneLines()[1:6] {
			order = append(order, strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "▸"))[0])
		}
		if got := strings.Join(order, " "); got != "prod refused slow vault lab" {
			t.Errorf("order: %s", got)
		}
		r.wait(5 * time.Minute)
		s.requireLine(r, "slow", "not known", "no answer", "press r to retry", "never")
		s.requireLine(r, "vault", "waiting for token_command pass")
		if n := s.timesOpened("vault"); n != 1 {
			t.Errorf("the program that prints the token was run %d times", n)
		}
		s.token <- "token_command pass: exit status 1"
		r.wait(time.Minute)
		s.requireLine(r, "vault", "not known", "exit status 1", "press r to retry")
		r.wait(time.Hour)
		if n := s.timesOpened("vault"); n != 1 {
			t.Errorf("the program was run %d times although nobody asked", n)
		}
		r.press("r")
		s.token <- ""
		r.wait(time.Second)
		s.requireLine(r, "vault", "ok", "nothing is down")
	})
}

// A refresh reads services and issues of each account, and nothing else. An API that does not accept the token is not
// asked again until the user does, and one that wants a pause gets it, while the others are read as ever.
func TestAllAccounts_fewRequests(t *testing.T) {
	t.Parallel()
	startAllAccounts(t, screenSize{120, 36}, func(r *harness, s *accountSources) {
		s.emulators["lab"].InjectFault("GET *", emulator.Fault{Status: 429, RetryAfter: "50"})
		before := s.emulators["lab"].RequestCount("")
		r.wait(time.Hour)
		prod := s.emulators["prod"]
		services, issues := prod.RequestCount("list services"), prod.RequestCount("list issues")
		if all := prod.RequestCount(""); services < 175 || services > 182 || issues != services ||
			all != services+issues {
			t.Errorf("prod: %d services, %d issues, %d requests", services, issues, all)
		}
		if n := s.emulators["refused"].RequestCount(""); n > 2 {
			t.Errorf("a refused token was sent %d times", n)
		}
		if n := s.emulators["lab"].RequestCount("") - before; n > 2*72+2 {
			t.Errorf("%d requests in an hour to an API that asks for 50 seconds after each", n)
		}
		s.requireLine(r, "lab", "none", "429")
		s.emulators["lab"].ClearFaults()
		r.press("r")
		r.wait(time.Second)
		s.requireLine(r, "lab", "ok", "1 s")
		if n := s.timesOpened("refused"); n != 2 {
			t.Errorf("the refused token was read %d times", n)
		}
	})
}

// An account that fails after it was read keeps what is known, with its age, and a new problem moves it up under a
// cursor that stays on its row.
func TestAllAccounts_keepsWhatIsKnown(t *testing.T) {
	t.Parallel()
	startAllAccounts(t, screenSize{160, 36}, func(r *harness, s *accountSources) {
		r.press("G")
		s.requireLine(r, "lab", "▸")
		prod := s.emulators["prod"]
		prod.FailService(serviceID(r, prod, "edge-router"))
		r.wait(21 * time.Second)
		s.requireLine(r, "prod", "2 down", "0 s", "edge-router")
		prod.InjectFault("GET *", emulator.Fault{Status: 503})
		r.wait(10 * time.Minute)
		s.requireLine(r, "prod", "2 down", "10 min, 503", "edge-router")
		s.requireLine(r, "lab", "▸")
		r.requireText("prod: 503 and 2 more")
	})
}

// serviceID returns the id of a service of an emulated account.
func serviceID(r *harness, emu *emulator.Emulator, label string) int {
	r.Helper()
	api, err := client.New("https://any.example.test/v4", client.NewSecret(token), client.WithTransport(emu))
	if err != nil {
		r.Fatal(err)
	}
	for s, err := range api.Services.All(r.ctx) {
		if err == nil && s.Label.Raw() == label {
			return s.ID
		}
	}
	r.Fatalf("no service %s", label)
	return 0
}

// The pane has the exact size at every width and in every theme, and no badge is cut.
func TestAllAccounts_fitsEveryWidthAndTheme(t *testing.T) {
	t.Parallel()
	startAllAccounts(t, screenSize{60, 20}, func(r *harness, _ *accountSources) {
		for _, name := range theme.Names() {
			look, err := theme.New(name, colorprofile.TrueColor, name == "mono")
			if err != nil {
				t.Fatal(err)
			}
			*r.theme = *look
			for width := 60; width <= 250; width += 10 {
				r.width = width
				r.send(tea.WindowSizeMsg{Width: width, Height: r.height})
				r.requireExactFrame()
				r.requireText("prod EU PROD", "lab read-only", "1 down", "not known")
			}
		}
	})
}

// The golden of the pane's own box.
func TestAllAccountsGolden(t *testing.T) {
	t.Parallel()
	var boxes paneGolden
	for _, size := range []screenSize{{60, 16}, {80, 16}, {120, 18}, {200, 18}, {250, 18}} {
		startAllAccounts(t, size, func(r *harness, _ *accountSources) {
			boxes.add(r, "all accounts")
			if size.width == 60 {
				r.press("G", "k", "k", "k", "i")
				boxes.add(r, "details")
			}
		})
	}
	boxes.requireEqual(t)
}

// The overview notifies as each dashboard does, with the name of the account. What is broken from the start is
// not reported, and nothing but services and issues is requested for it.
func TestAllAccounts_notifiesWhenAServiceBreaks(t *testing.T) {
	t.Parallel()
	startAllAccounts(t, screenSize{160, 36}, func(r *harness, s *accountSources) {
		r.wait(time.Minute)
		if len(s.sent) > 0 {
			t.Errorf("nothing has changed: %q", s.sent)
		}
		s.emulators["prod"].FailService(4)
		r.wait(2 * time.Minute)
		if sent := strings.Join(s.sent, "\n"); !strings.Contains(sent, "prod: ") || !strings.Contains(sent, "web-1") {
			t.Errorf("sent: %q", s.sent)
		}
		if n := len(s.sent); n > 2 {
			t.Errorf("%d notifications: %q", n, s.sent)
		}
		if n := s.emulators["prod"].RequestCount("get ticket"); n > 0 {
			t.Errorf("%d tickets are requested", n)
		}
	})
}
