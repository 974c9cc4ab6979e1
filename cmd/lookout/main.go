// Command lookout is a terminal dashboard for an account's Managed monitoring and Object Storage.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"lookout/theme"
	"lookout/ui/terminal"
)

func main() { os.Exit(run(os.Args[1:])) }

// Exit codes. A signal ends the program with 128 and its number.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2 // bad flags or configuration, or no terminal
)

// exit is an error with its own exit code.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string { return e.err.Error() }

func (e *exit) Unwrap() error { return e.err }

func usage(err error) error { return &exit{exitUsage, err} }

// run is the program without its process.
func run(args []string) int {
	root := command()
	root.SetArgs(args)
	err := root.ExecuteContext(context.Background())
	if err == nil {
		return exitOK
	}
	var e *exit
	if !errors.As(err, &e) {
		e = &exit{exitUsage, err}
	}
	if e.err != nil {
		fmt.Fprintln(os.Stderr, "lookout: "+e.err.Error())
	}
	return e.code
}

// flags are those that the dashboard and the demo share.
type flags struct {
	config    string
	account   string
	baseURL   string
	tokenFile string
	readOnly  bool
	refresh   time.Duration
	theme     string
	ascii     bool
	noMouse   bool
	view      string
	logFile   string
}

func command() *cobra.Command {
	f := &flags{}
	root := &cobra.Command{
		Use:           "lookout",
		Short:         "A terminal dashboard for Managed monitoring and Object Storage",
		Long:          "lookout shows what is broken, what it touches and whom to call, and browses buckets by keyboard.\nTry it without an account: lookout demo",
		SilenceErrors: true, SilenceUsage: true, Args: cobra.NoArgs, Version: version(),
		RunE: func(c *cobra.Command, _ []string) error { return dashboard(c.Context(), f) },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	look := root.PersistentFlags()
	look.StringVar(&f.theme, "theme", "", "colours: dark, light, contrast or mono")
	look.BoolVar(&f.ascii, "ascii", false, "draw with ASCII characters alone")
	look.BoolVar(&f.noMouse, "no-mouse", false, "leave the mouse to the terminal")
	look.StringVar(&f.view, "view", "", "pane to start with: overview, issues, services, …")
	look.DurationVar(&f.refresh, "refresh", 0, "time between refreshes of the pane in front (default 20s)")
	look.BoolVar(&f.readOnly, "read-only", false, "refuse every change, where requests are made")
	look.StringVar(&f.logFile, "log-file", "", "write faults of the program itself to this file")
	own := root.Flags()
	own.StringVar(&f.config, "config", "", "configuration file (default: $XDG_CONFIG_HOME/lookout/config.toml)")
	own.StringVarP(&f.account, "account", "a", "", "account of the configuration")
	own.StringVar(&f.baseURL, "base-url", "", "address of the API, ending with its version")
	own.StringVar(&f.tokenFile, "token-file", "", "file that holds the token, readable by its owner alone")
	root.AddCommand(demoCommand(f), emulateCommand(), versionCommand(), pictureCommand())
	return root
}

// look is the theme that flags, configuration and terminal choose, in that order.
func look(name string, plain bool) (*theme.Theme, error) {
	if name == "" || name == "auto" {
		name = "dark"
		if terminal.Light() {
			name = "light"
		}
	}
	t, err := theme.New(name, terminal.Colors(), plain || !terminal.Unicode())
	if err != nil {
		return nil, usage(err)
	}
	return t, nil
}
