package main

import (
	"context"
	"errors"
	"fmt"
	"lookout/ui/shell"
	"lookout/ui/terminal"
	"os"

	"github.com/spf13/cobra"
)

// runDashboard runs the program on a real account; where nothing is configured it helps to begin.
func runDashboard(c *cobra.Command, f *flags) error {
	s, err := loadSettings(f, c.ErrOrStderr())
	if errors.Is(err, errNoAccount) && terminal.Check() == nil && os.Getenv("LOOKOUT_TOKEN") == "" {
		if s, err = runWizard(c, f); err != nil {
			return err
		}
	}
	if err != nil {
		return usageError(err)
	}
	if err := checkTerminal(s.Linear); err != nil {
		return usageError(fmt.Errorf("%w; scripts use its commands, as lookout services list -o json", err))
	}
	api, j, err := s.connect(c.Context())
	if err != nil {
		return err
	}
	rest := configuredAccounts(f, s)
	f.linear, f.ascii = s.Linear, s.ASCII
	f.scrubEnvironment()
	return runScreen(c.Context(), f, rest, func(ctx context.Context) (shell.Session, error) {
		return newDashboardSession(ctx, f, s, api, j, rest.names)
	})
}

func demoCommand(f *flags) *cobra.Command {
	c := &cobra.Command{
		Use:   "demo",
		Short: "Try it on an invented account: no token, no network",
		Args:  noArgs,
		Long: "Opens the dashboard on an account that lives in this process; a second, empty one is under C.\n" +
			"Something can be made to go wrong: \":demo 429\", and " + demoFaultNames() + "; \":demo off\" ends it.",
		RunE: func(c *cobra.Command, _ []string) error { return runDemo(c.Context(), f) },
	}
	f.addScreenFlags(c.Flags())
	return c
}

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

func doctorCommand(f *flags) *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use:     "doctor",
		Short:   "Check configuration, token, connection, terminal and folders",
		Args:    noArgs,
		Example: indentExamples("lookout doctor\nlookout doctor --json"),
		Long: "Looks at the configuration, where the token is, the address, TLS, proxy and clock, the token's " +
			"scopes and what they allow in each pane,\n" +
			"the terminal, and the folders for state. It changes nothing. Warnings end with 0, the first failure " +
			"decides the exit code:\n" +
			"2 configuration, 3 token, 6 no connection, 1 anything else.",
		RunE: func(c *cobra.Command, _ []string) error {
			d := &doctor{flags: f, permissions: []panePermissions{}}
			d.runChecks(c.Context())
			if asJSON {
				if err := writeJSON(c.OutOrStdout(), map[string]any{"findings": d.findings, "panes": d.permissions}, "  "); err != nil {
					return err
				}
				return d.exitStatus()
			}
			if err := writeText(c.OutOrStdout(), d.report()); err != nil {
				return err
			}
			return d.exitStatus()
		},
	}
	f.addAccountFlags(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "write the findings as JSON")
	return c
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which version this is",
		Args:  noArgs,
		Run: func(c *cobra.Command, _ []string) {
			fmt.Fprintln(c.OutOrStdout(), "lookout "+versionLine())
		},
	}
}
