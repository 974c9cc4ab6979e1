package main

import (
	"context"
	"os"
	"time"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/ui/shell"
)

// runDemo runs the dashboard on emulators in the same process. Nothing is dialled, and no configuration of a real
// account is read.
func runDemo(ctx context.Context, f *flags) error {
	(&flags{config: os.DevNull}).scrubEnvironment()
	first, err := newDemoAccount(f, "acme-prod", "demo")
	if err != nil {
		return err
	}
	second, err := newDemoAccount(f, "acme-lab", "empty")
	if err != nil {
		return err
	}
	rest := accountList{names: []string{second.settings.Account, first.settings.Account}}
	rest.open = func(ctx context.Context, name string) (shell.Session, error) {
		one := first
		if name == second.settings.Account {
			one = second
		}
		return one.newSession(context.WithoutCancel(ctx), f, rest.names)
	}
	return runScreen(
		ctx,
		f,
		rest,
		func(ctx context.Context) (shell.Session, error) { return first.newSession(ctx, f, rest.names) },
	)
}

// An demoAccount account lives in this process.
type demoAccount struct {
	settings  settings
	api       *client.Client
	journal   *journal.Journal
	faultMenu *faultMenu
}

// newSession is the account as the program shows it, with its fault dial.
func (i demoAccount) newSession(ctx context.Context, f *flags, names []string) (shell.Session, error) {
	session, err := newDashboardSession(ctx, f, i.settings, i.api, i.journal, names)
	session.Options.Commands, session.Options.Banner = i.faultMenu.commands(), i.faultMenu.banner
	return session, err
}

func newDemoAccount(f *flags, name, seed string) (demoAccount, error) {
	token := client.NewSecret("demo")
	api := emulator.New(emulator.Options{Token: token.Reveal(), Seed: seed, SimulateIncidents: seed == "demo"})
	j := journal.NewInMemory(time.Now)
	options := []client.Option{
		client.WithTransport(api),
		client.WithRecorder(j),
		client.WithDialect(client.DialectProvider),
	}
	if f.readOnly {
		options = append(options, client.WithReadOnly())
	}
	c, err := client.New("https://demo.invalid/v4", token, options...)
	return demoAccount{settings{
		accountConfig: accountConfig{ReadOnly: f.readOnly},
		Account:       name,
		Theme:         f.theme,
		ASCII:         f.ascii,
		Refresh:       time.Duration(f.refresh),
		demo:          true,
	}, c, j, &faultMenu{api: api, resume: c.Resume}}, err
}
