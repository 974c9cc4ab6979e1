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
