package dashboard

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/charmbracelet/colorprofile"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/form"
	"lookout/ui/shell"
	"lookout/views"
	"lookout/views/operation"
)

// FrozenDemoOptions say what is special about a demo without a terminal and without refreshes. The zero value is dark,
// on a stopped clock.
type FrozenDemoOptions struct {
	Preferences shell.Preferences
	Theme       string                                    // a built-in theme
	Now         func() time.Time                          // the clock
	Transport   func(http.RoundTripper) http.RoundTripper // goes between the client and its API
}

// FrozenTime is the time of the stopped clock.
func FrozenTime() time.Time { return time.Date(2026, 11, 20, 21, 4, 0, 0, time.UTC) }

// NewFrozenDemo returns the demo on a stopped clock, before its first request.
func NewFrozenDemo(ctx context.Context, chosen shell.Preferences) (*shell.Shell, *account.Account, error) {
	return FrozenDemoOptions{Preferences: chosen}.Open(ctx)
}

// Open returns the demo before its first request.
func (f FrozenDemoOptions) Open(ctx context.Context) (*shell.Shell, *account.Account, error) {
	now := f.Now
	if now == nil {
		now = FrozenTime
	}
	var api http.RoundTripper = emulator.New(emulator.Options{Token: "demo", Now: now})
	if f.Transport != nil {
		api = f.Transport(api)
	}
	j := journal.NewInMemory(now)
	c, err := client.New(
		"https://demo.invalid/v4", client.NewSecret("demo"), client.WithTransport(api), client.WithRecorder(j),
		client.WithDialect(client.DialectProvider), client.WithNow(now),
	)
	if err != nil {
		return nil, nil, err
	}
	look, err := theme.New(cmp.Or(f.Theme, "dark"), colorprofile.TrueColor, false)
	if err != nil {
		return nil, nil, err
	}
	loop := &ui.EventLoop{}
	acc := account.New(ctx, account.Options{
		API:      c,
		Executor: loop,
		Name:     "acme-prod",
		Journal:  j,
		Now:      now,
		Location: time.UTC,
	})
	s, err := shell.New(shell.Options{
		AccountInfo: shell.AccountInfo{Account: "acme-prod", Demo: true},
		RateLimitHooks: shell.RateLimitHooks{
			RequestBudget: func() string { return formatBudget(c.RateLimit(), now()) },
		},
		Preferences: f.Preferences,
		Notify: shell.NotifyOptions{
			Notices: func(bool) []ui.Notification { return operation.Notifications(acc.Notices(false)) },
		},
		Panes:     views.Panes(acc),
		Loop:      loop,
		TabPlaces: views.TabPlaces(),
		Theme:     look,
		Now:       now,
		Location:  time.UTC,
		TokenForm: func() form.Form { return operation.TokenForm(acc, nil) },
	})
	return s, acc, err
}

// KeyBindings returns the actions of all tabs, of the panes that open from them, of the overview of all accounts and of
// the program, with the keys that they have without a configuration.
func KeyBindings(ctx context.Context) ([]shell.KeyBinding, error) {
	program, acc, err := NewFrozenDemo(ctx, shell.Preferences{})
	if err != nil {
		return nil, err
	}
	overview, err := shell.New(shell.Options{Panes: []ui.Pane{views.NewAllAccounts(ctx, nil, nil, FrozenTime).Pane}})
	if err != nil {
		return nil, err
	}
	var all, ofProgram []shell.KeyBinding
	for _, k := range program.KeyBindings(views.OpenablePanes(acc)...) {
		if k.Pane == "program" {
			ofProgram = append(ofProgram, k)
			continue
		}
		all = append(all, k)
	}
	for _, k := range overview.KeyBindings() {
		if k.Pane != "program" {
			all = append(all, k)
		}
	}
	return append(all, ofProgram...), nil
}
