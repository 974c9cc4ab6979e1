package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"lookout/client"
	"lookout/client/emulator"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/dashboard"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/keep"
	"lookout/cmd/internal/output"
	"lookout/cmd/internal/setup"
	"lookout/cmd/internal/version"
	"lookout/ui/shell"
	"lookout/views"
	"lookout/views/resource"
)

// runDashboard runs the dashboard on a real account. If no account is configured, the wizard runs first.
func runDashboard(c *cobra.Command, f *config.Flags) error {
	s, err := config.Load(f, c.ErrOrStderr())
	asks := dashboard.CheckTerminal(f.Linear) == nil && f.Env.Get("LOOKOUT_TOKEN") == ""
	if errors.Is(err, config.ErrNoAccount) && asks {
		if s, err = setup.RunWizard(c, f); err != nil {
			return err
		}
	}
	if err != nil {
		return exit.Usage(err)
	}
	if err := dashboard.CheckTerminal(s.Linear); err != nil {
		return exit.Usage(fmt.Errorf("%w; in scripts, use a command such as lookout services list -o json", err))
	}
	api, j, err := s.Connect(withProgress(c))
	if err != nil {
		return err
	}
	rest := dashboard.ConfiguredAccounts(f, s)
	f.Linear, f.ASCII = s.Linear, s.ASCII
	f.ScrubEnvironment(false)
	return dashboard.RunScreen(c.Context(), f, rest, func(ctx context.Context) (shell.OpenAccount, error) {
		return rest.NewSession(ctx, f, s, api, j)
	})
}

// runAllAccounts runs the overview of all accounts of the configuration.
func runAllAccounts(c *cobra.Command, f *config.Flags) error {
	for _, name := range []string{"account", "base-url", "token-file", "token-env", "view"} {
		if c.Flags().Changed(name) {
			return exit.Usage(fmt.Errorf("--all shows every account in the configuration; omit --%s", name))
		}
	}
	s, err := config.LoadGeneral(f, c.ErrOrStderr())
	if err != nil {
		return exit.Usage(err)
	}
	if err := dashboard.CheckTerminal(s.Linear); err != nil {
		return exit.Usage(fmt.Errorf("%w; in scripts, use lookout accounts check", err))
	}
	all := dashboard.AllAccounts(f, s)
	f.Linear, f.ASCII = s.Linear, s.ASCII
	f.ScrubEnvironment(false)
	return dashboard.RunScreen(c.Context(), f, all, func(ctx context.Context) (shell.OpenAccount, error) {
		return all.Open(ctx, shell.AllAccounts)
	})
}

// withProgress returns a command's context in which a terminal shows what the command waits for.
func withProgress(c *cobra.Command) context.Context {
	if file, ok := output.AsTerminal(c.ErrOrStderr()); ok {
		return config.WithProgress(c.Context(), file)
	}
	return c.Context()
}

func demoCommand(f *config.Flags) *cobra.Command {
	service := emulator.ServiceDocument
	c := &cobra.Command{
		Use:     "demo",
		Short:   "Try lookout on a built-in demo account: no token, no network",
		Args:    NoArgs,
		Example: indentExamples("lookout demo --theme light\nlookout demo --service now"),
		Long: "Opens the dashboard on an account that exists only while lookout runs; C switches to a second, empty " +
			"one.\n" +
			"To make something go wrong, type \":demo\" and one of these names; \":demo off\" ends it:\n" +
			dashboard.DemoFaultHelp(),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkService(service); err != nil {
				return err
			}
			return dashboard.RunDemo(c.Context(), f, service)
		},
	}
	f.AddScreenFlags(c.Flags(), views.TabNames())
	addServiceFlag(c, &service)
	return c
}

func watchCommand(f *config.Flags) *cobra.Command {
	invented := false
	c := &cobra.Command{
		Use:     "watch",
		Short:   "Show what is broken, since when and whom to call, in a small pane",
		Args:    NoArgs,
		Example: indentExamples("lookout watch -a production\ntmux split-window -l 6 lookout watch"),
		Long: "Shows which services have a problem, since when, and the number to call.\n" +
			"A corner of the screen is enough: at least 20 columns by 4 lines.\n" +
			"From 60 columns by 10 lines on, it shows the dashboard's overview.\n" +
			"It makes no changes, and redraws only when something changes. q quits.",
		RunE: func(c *cobra.Command, _ []string) error { return dashboard.RunWatch(c, f, invented) },
	}
	f.AddAccountFlags(c.Flags())
	c.Flags().StringVar(&f.Theme, "theme", "", "colours: any theme of the dashboard (see lookout --help)")
	config.CompleteFlag(c.Flags(), "theme", f.CompleteTheme)
	c.Flags().BoolVar(&f.ASCII, "ascii", false, "use only ASCII characters")
	c.Flags().Var(&f.Refresh, "refresh", "time between refreshes, at least 5s (default 20s)")
	c.Flags().BoolVar(&invented, "demo", false, "watch the built-in demo account")
	return c
}

func keepCommand(f *config.Flags) *cobra.Command {
	detach, unit := false, ""
	c := &cobra.Command{
		Use:     "keep",
		Short:   "Begin and end maintenance windows on time while no dashboard is open",
		Args:    NoArgs,
		Example: indentExamples("lookout keep --detach\nlookout keep --unit=systemd"),
		Long: "Reads the maintenance windows of all accounts from their journals, disables services when planned " +
			"windows begin, and enables them when windows end.\n" +
			"It can be killed and started again at any time. It lists the windows that it cannot end: those of " +
			"accounts that are read-only or whose token it cannot read.\n" +
			"Only one instance runs at a time. With -a, it handles only the account that you name.",
		RunE: func(c *cobra.Command, _ []string) error {
			if unit != "" {
				return printUnit(c.OutOrStdout(), unit, f)
			}
			if err := config.CheckHome(f); err != nil {
				return exit.Usage(err)
			}
			if detach {
				return detachKeep(c, f)
			}
			return runKeep(c, f)
		},
	}
	f.AddAccountFlags(c.Flags())
	c.Flags().BoolVar(&detach, "detach", false, "run in the background, and keep running after the terminal is closed")
	c.Flags().StringVar(
		&unit, "unit", "",
		"print a file that starts lookout keep at login: systemd (a user unit), launchd (a plist), or both",
	)
	c.Flags().Lookup("unit").NoOptDefVal = "both"
	config.CompleteValues(c.Flags(), "unit", "systemd", "launchd", "both")
	return c
}

// runKeep looks after the windows until a signal ends it.
func runKeep(c *cobra.Command, f *config.Flags) error {
	accounts, err := keep.ConfiguredAccounts(f)
	if err != nil {
		return err
	}
	lock, err := keep.Lock(f.Env.StateFolder())
	if err != nil {
		return err
	}
	defer lock.Close()
	ctx, stop := exit.CancelOnSignal(c.Context())
	defer stop()
	report := func(line string) {
		fmt.Fprintln(c.OutOrStdout(), time.Now().Format(time.RFC3339)+" "+line)
	}
	report("watching the maintenance windows; ctrl+c stops it")
	return keep.Run(ctx, keep.Options{
		Accounts: accounts,
		Now:      time.Now,
		Report:   report,
		Watching: func(journals []string) { _ = keep.WriteStatus(lock, journals) }, // dashboards then warn once more
	})
}

// detachKeep starts lookout keep in the background.
func detachKeep(c *cobra.Command, f *config.Flags) error {
	if _, err := keep.ConfiguredAccounts(f); err != nil {
		return err
	}
	args := append([]string{"keep"}, f.AccountArgs()...)
	pid, err := keep.Detach(c.Context(), f.Env.StateFolder(), args, f.EnvironWithTokens())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(
		c.OutOrStdout(), "lookout keep is running in the background as process %d and writes to %s\n", pid,
		keep.LogPath(f.Env.StateFolder()),
	)
	return err
}

// printUnit prints files that start lookout keep at login.
func printUnit(out io.Writer, unit string, f *config.Flags) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	args := append([]string{"keep"}, f.AccountArgs()...)
	text := map[string]string{
		"systemd": keep.SystemdUnit(program, args),
		"launchd": keep.LaunchdPlist(program, args),
	}
	text["both"] = text["systemd"] + "\n" + text["launchd"]
	if text[unit] == "" {
		return exit.Usage(fmt.Errorf("--unit %q: use systemd, launchd or both", client.Clean(unit)))
	}
	return output.WriteText(out, text[unit])
}

func doctorCommand(f *config.Flags) *cobra.Command {
	asJSON, format := false, ""
	c := &cobra.Command{
		Use:     "doctor",
		Short:   "Check configuration, token, connection, terminal and folders",
		Args:    NoArgs,
		Example: indentExamples("lookout doctor\nlookout doctor -o json"),
		Long: "Checks the configuration, the source of the token, the address, TLS, proxy and clock, the token's " +
			"scopes and what they allow in each pane, " +
			"the terminal, and the state folders. It checks all accounts of the configuration; -a chooses one.\n" +
			"It reads the first rows of every list, and changes nothing. " +
			"Warnings alone give exit code 0. Otherwise the exit code is that of the first failure: " +
			"2 for the configuration, 3 for the token, 6 for the connection, 1 for anything else.\n" +
			"The report contains no token and shows the home folder as ~, so it can be pasted into a bug report.",
		RunE: func(c *cobra.Command, _ []string) error {
			if format != "text" && format != "json" {
				return exit.Usage(fmt.Errorf("unknown output format %q (use text or json)", client.Clean(format)))
			}
			closeDebug, err := f.OpenDebug(c.ErrOrStderr())
			if err != nil {
				return err
			}
			defer closeDebug()
			d := &setup.Doctor{Flags: f, Permissions: []setup.PanePermissions{}}
			d.RunChecks(c.Context())
			if asJSON || format == "json" {
				if err := output.WriteJSON(c.OutOrStdout(), map[string]any{
					"findings": d.Findings,
					"panes":    d.Permissions,
				}, "  "); err != nil {
					return err
				}
				return d.ExitStatus()
			}
			if err := output.WriteText(c.OutOrStdout(), d.Report()); err != nil {
				return err
			}
			return d.ExitStatus()
		},
	}
	f.AddAccountFlags(c.Flags())
	f.AddDebugFlag(c.Flags())
	c.Flags().StringVarP(&format, "output", "o", "text", "output format: text, json")
	config.CompleteValues(c.Flags(), "output", "text", "json")
	c.Flags().BoolVar(&asJSON, "json", false, "the same as -o json")
	return c
}

func versionCommand() *cobra.Command {
	p, licenses := &output.Printer{}, false
	columns := resource.EraseColumns([]resource.ColumnDefinition[*version.Info]{
		{Name: "version", Value: func(i *version.Info) string { return i.Version }},
		{Name: "commit", Value: func(i *version.Info) string { return i.Commit }},
		{Name: "date", Value: func(i *version.Info) string { return i.Date }},
		{Name: "go", Value: func(i *version.Info) string { return i.Go }},
		{Name: "platform", Value: func(i *version.Info) string { return i.Platform }},
	})
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Prints version, commit, date, Go and platform on one line, unless a flag chooses another output.",
		Args:    NoArgs,
		Example: indentExamples("lookout version\nlookout version --jq .version\nlookout version --licenses"),
		RunE: func(c *cobra.Command, _ []string) error {
			p.Out = c.OutOrStdout()
			if licenses {
				return output.WriteText(p.Out, version.Licenses)
			}
			if err := p.Check(columns); err != nil {
				return err
			}
			if p.Format == "table" && len(p.Columns) == 0 {
				return output.WriteText(p.Out, "lookout "+version.Line()+"\n")
			}
			info := version.Get()
			return output.WriteRow(c.Context(), *p, columns, &info)
		},
	}
	p.AddFlags(c.Flags())
	completeRowFlags(c.Flags(), columns)
	c.Flags().BoolVar(&licenses, "licenses", false, "print the licences of the software that lookout contains")
	return c
}
