package dashboard

import (
	"context"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"lookout/client"
	"lookout/client/account"
	"lookout/client/emulator"
	"lookout/client/journal"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/shell"
	"lookout/views"
)

// RunWatch shows an account in a small pane.
func RunWatch(c *cobra.Command, f *config.Flags, invented bool) error {
	f.ReadOnly, f.NoMouse = true, true
	if invented {
		f.ScrubEnvironment(true)
		one, err := newDemoAccount(f, "acme-prod", "demo", emulator.ServiceDocument)
		if err != nil {
			return err
		}
		return RunScreen(c.Context(), f, accountList{}, func(ctx context.Context) (shell.OpenAccount, error) {
			return newWatchSession(ctx, f, one.settings, one.api, one.journal)
		})
	}
	s, err := config.Load(f, c.ErrOrStderr())
	if err != nil {
		return exit.Usage(err)
	}
	if err := CheckTerminal(false); err != nil {
		return exit.Usage(err)
	}
	api, j, err := s.Connect(c.Context())
	if err != nil {
		return err
	}
	f.ScrubEnvironment(false)
	return RunScreen(
		c.Context(), f, accountList{},
		func(ctx context.Context) (shell.OpenAccount, error) { return newWatchSession(ctx, f, s, api, j) },
	)
}

// newWatchSession is an account for a small pane. Maintenance windows of earlier runs are left to the
// dashboard.
func newWatchSession(
	ctx context.Context, f *config.Flags, s config.Settings, c *client.Client, j *journal.Journal,
) (shell.OpenAccount, error) {
	session, acc, err := newShellSession(ctx, f, s, c, j)
	if err != nil {
		return session, err
	}
	accountName := s.DisplayName()
	if s.Protected {
		accountName += " PROD"
	}
	o := &session.Options
	o.Panes, o.PaneOnly, o.LeaveWarnings = []ui.Pane{views.WatchPane(acc, accountName)}, true, nil
	none := func(*account.Account) tea.Cmd { return nil }
	o.OnOpen = func() tea.Cmd {
		return openForUser(s, acc, none, func(_ config.Settings, err error) tea.Cmd {
			return ui.ShowStatus(theme.Bad, err.Error()+" · start lookout watch again")
		})
	}
	return session, nil
}
