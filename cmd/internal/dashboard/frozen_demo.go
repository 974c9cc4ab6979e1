package dashboard

import (
	"context"
	"time"

	"github.com/charmbracelet/colorprofile"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/theme"
	"lookout/ui/form"
	"lookout/ui/shell"
	"lookout/views"
	"lookout/views/account"
)

// NewFrozenDemo returns the demo on a stopped clock, before its first request.
func NewFrozenDemo(ctx context.Context, chosen shell.Preferences) (*shell.Shell, *account.Account, error) {
	now := func() time.Time { return time.Date(2026, 11, 20, 21, 4, 0, 0, time.UTC) }
	api := emulator.New(emulator.Options{Token: "demo", Now: now})
	j := journal.NewInMemory(now)
	c, err := client.New(
		"https://demo.invalid/v4", client.NewSecret("demo"), client.WithTransport(api), client.WithRecorder(j),
		client.WithDialect(client.DialectProvider), client.WithNow(now),
	)
	if err != nil {
		return nil, nil, err
	}
	look, err := theme.New("dark", colorprofile.TrueColor, false)
	if err != nil {
		return nil, nil, err
	}
	acc := account.New(ctx, account.Options{
		API:      c,
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
		Preferences: chosen,
		Panes:       views.Panes(acc),
		TabPlaces:   views.TabPlaces(),
		Theme:       look,
		Now:         now,
		Location:    time.UTC,
		TokenForm:   func() form.Form { return account.TokenForm(acc) },
	})
	return s, acc, err
}
