package dashboard

import (
	"context"
	"time"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/cmd/internal/config"
	"lookout/ui/shell"
	"lookout/views"
)

// RunDemo runs the dashboard on emulators of a service in the same process. It opens no connection and reads no
// configuration.
func RunDemo(ctx context.Context, f *config.Flags, service string) error {
	f.ScrubEnvironment(true)
	first, err := newDemoAccount(f, "acme-prod", "demo", service)
	if err != nil {
		return err
	}
	second, err := newDemoAccount(f, "acme-lab", "empty", service)
	if err != nil {
		return err
	}
	rest := accountList{Overview: true, Choices: []shell.AccountChoice{
		{Name: second.settings.Account, ReadOnly: f.ReadOnly}, {Name: first.settings.Account, ReadOnly: f.ReadOnly},
	}}
	named := func(name string) demoAccount {
		if name == second.settings.Account {
			return second
		}
		return first
	}
	rest.Open = func(ctx context.Context, name string) (shell.OpenAccount, error) {
		ctx = context.WithoutCancel(ctx)
		if name == shell.AllAccounts {
			source := func(name string) views.AccountSource { return named(name).source() }
			return newOverview(ctx, f, first.settings, rest, source)
		}
		return named(name).newSession(ctx, f, rest)
	}
	return RunScreen(
		ctx, f, rest, func(ctx context.Context) (shell.OpenAccount, error) { return first.newSession(ctx, f, rest) },
	)
}

// A demoAccount is an account that lives in this process.
type demoAccount struct {
	settings  config.Settings
	api       *client.Client
	journal   *journal.Journal
	faultMenu *faultMenu
}

// newSession returns the account for the screen, with its fault menu. The user can switch to the accounts of rest.
func (i demoAccount) newSession(ctx context.Context, f *config.Flags, rest accountList) (shell.OpenAccount, error) {
	session, err := rest.NewSession(ctx, f, i.settings, i.api, i.journal)
	session.Options.Commands, session.Options.Banner = i.faultMenu.commands(), i.faultMenu.banner
	return session, err
}

// source returns the account for the overview of all.
func (i demoAccount) source() views.AccountSource {
	return views.AccountSource{
		Open: func(ctx context.Context) (*account.Account, error) {
			return account.New(ctx, account.Options{API: i.api, Name: i.settings.Account, Journal: i.journal}), nil
		},
		Token:       func(context.Context) (client.Secret, error) { return client.NewSecret("demo"), nil },
		ForgetToken: func() {},
	}
}

func newDemoAccount(f *config.Flags, name, seed, service string) (demoAccount, error) {
	token := client.NewSecret("demo")
	api := emulator.New(emulator.Options{
		Token:             token.Reveal(),
		Service:           service,
		Seed:              seed,
		SimulateIncidents: seed == "demo",
	})
	j := journal.NewInMemory(time.Now)
	options := []client.Option{
		client.WithTransport(api),
		client.WithRecorder(j),
		client.WithDialect(client.DialectProvider),
	}
	if f.ReadOnly {
		options = append(options, client.WithReadOnly())
	}
	c, err := client.New("https://demo.invalid/v4", token, options...)
	return demoAccount{config.Settings{
		AccountConfig: config.AccountConfig{ReadOnly: f.ReadOnly},
		Account:       name,
		Theme:         f.Theme,
		ASCII:         f.ASCII,
		NoMotion:      f.NoMotion,
		Refresh:       time.Duration(f.Refresh),
		Demo:          true,
	}, c, j, &faultMenu{api: api, resume: c.Resume}}, err
}
