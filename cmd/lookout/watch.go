package main

import (
	"context"

	"github.com/spf13/cobra"

	"lookout/client"
	"lookout/client/journal"
	"lookout/ui"
	"lookout/ui/shell"
	"lookout/views/activity"
)

func watchCommand(f *flags) *cobra.Command {
	invented := false
	c := &cobra.Command{
		Use:   "watch",
		Short: "What is broken, since when and whom to call, for a small pane",
		Args:  noArgs,
		Long: "A few lines for a corner of the screen, from 20 columns and 4 lines on: services with a problem, " +
			"since when, and the number to call.\n" +
			"It changes nothing at the API, and writes nothing while nothing changes. q leaves. Beside a shell in " +
			"tmux: tmux split-window -l 6 lookout watch",
		RunE: func(c *cobra.Command, _ []string) error { return runWatch(c, f, invented) },
	}
	f.addAccountFlags(c.Flags())
	c.Flags().StringVar(&f.theme, "theme", "", "colours, as for the dashboard")
	c.Flags().BoolVar(&f.ascii, "ascii", false, "draw with ASCII characters alone")
	c.Flags().Var(&f.refresh, "refresh", "time between refreshes, at least 5s (default 20s)")
	c.Flags().BoolVar(&invented, "demo", false, "watch the invented account of the demo")
	return c
}

// runWatch shows an account in a small pane.
func runWatch(c *cobra.Command, f *flags, invented bool) error {
	f.readOnly, f.noMouse = true, true
	if invented {
		one, err := newDemoAccount(f, "acme-prod", "demo")
		if err != nil {
			return err
		}
		return runScreen(c.Context(), f, accountList{}, func(ctx context.Context) (shell.Session, error) {
			return newWatchSession(ctx, f, one.settings, one.api, one.journal)
		})
	}
	s, err := loadSettings(f, c.ErrOrStderr())
	if err != nil {
		return usageError(err)
	}
	if err := checkTerminal(false); err != nil {
		return usageError(err)
	}
	api, j, err := s.connect(c.Context())
	if err != nil {
		return err
	}
	return runScreen(
		c.Context(),
		f,
		accountList{},
		func(ctx context.Context) (shell.Session, error) { return newWatchSession(ctx, f, s, api, j) },
	)
}

// newWatchSession is an account for a small pane. What an earlier run promised is left to the dashboard.
func newWatchSession(
	ctx context.Context,
	f *flags,
	s settings,
	c *client.Client,
	j *journal.Journal,
) (shell.Session, error) {
	session, account, err := newShellSession(ctx, f, s, c, j)
	if err != nil {
		return session, err
	}
	lead := s.Account
	if s.Protected {
		lead += " PROD"
	}
	o := &session.Options
	o.Panes, o.PaneOnly, o.OnOpen, o.LeaveWarnings = []ui.Pane{activity.WatchPane(account, lead)}, true, nil, nil
	return session, nil
}
