package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/ui/shell"
)

func demoCommand(f *flags) *cobra.Command {
	c := &cobra.Command{
		Use: "demo", Short: "Try it on an invented account: no token, no network", Args: nothing,
		Long: "Opens the dashboard on an account that lives in this process; a second, empty one is under C.\n" +
			"Something can be made to go wrong: \":demo 429\", and " + troubleNames() + "; \":demo off\" ends it.",
		RunE: func(c *cobra.Command, _ []string) error { return demo(c.Context(), f) },
	}
	f.ofScreen(c.Flags())
	return c
}

// demo runs the dashboard on emulators in the same process. Nothing is dialled, and no configuration of a real account is read.
func demo(ctx context.Context, f *flags) error {
	(&flags{config: os.DevNull}).hush()
	first, err := newInvented(f, "acme-prod", "demo")
	if err != nil {
		return err
	}
	second, err := newInvented(f, "acme-lab", "empty")
	if err != nil {
		return err
	}
	rest := accounts{names: []string{second.settings.Account, first.settings.Account}}
	rest.open = func(ctx context.Context, name string) (shell.Session, error) {
		one := first
		if name == second.settings.Account {
			one = second
		}
		return one.session(context.WithoutCancel(ctx), f, rest.names)
	}
	return show(ctx, f, rest, func(ctx context.Context) (shell.Session, error) { return first.session(ctx, f, rest.names) })
}

// An invented account lives in this process.
type invented struct {
	settings settings
	api      *client.Client
	journal  *journal.Journal
	dial     *dial
}

// session is the account as the program shows it, with its fault dial.
func (i invented) session(ctx context.Context, f *flags, names []string) (shell.Session, error) {
	session, err := onScreen(ctx, f, i.settings, i.api, i.journal, names)
	session.Options.Commands, session.Options.Banner = i.dial.commands(), i.dial.banner
	return session, err
}

func newInvented(f *flags, name, seed string) (invented, error) {
	token := client.NewSecret("demo")
	api := emulator.New(emulator.Options{Token: token.Reveal(), Seed: seed, Lively: seed == "demo"})
	j := journal.Memory(time.Now)
	options := []client.Option{client.WithTransport(api), client.WithRecorder(j), client.WithDialect(client.DialectProvider)}
	if f.readOnly {
		options = append(options, client.WithReadOnly())
	}
	c, err := client.New("https://demo.invalid/v4", token, options...)
	return invented{settings{accountBlock: accountBlock{ReadOnly: f.readOnly}, Account: name, Theme: f.theme, ASCII: f.ascii, Refresh: time.Duration(f.refresh), demo: true}, c, j, &dial{api: api, resume: c.Resume}}, err
}
