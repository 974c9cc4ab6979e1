// Command lookout is a terminal dashboard for an account's Managed monitoring and Object Storage.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/theme"
)

func main() { os.Exit(run(os.Args[1:])) }

// run is the program without its process.
func run(args []string) int {
	protectMemory()
	return execute(args, os.Stdin, os.Stdout, os.Stderr)
}

// execute runs a command line on streams of the caller's.
func execute(args []string, in io.Reader, out, complaints io.Writer) int {
	root := newRootCommand()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(complaints)
	restrictBuiltinCommands(root)
	c, err := root, checkGODEBUG()
	if err == nil {
		c, err = root.ExecuteContextC(context.Background())
	}
	if text := describeError(err); text != "" {
		fmt.Fprintln(complaints, "lookout: "+text)
	}
	if code := exitCodeFor(err); code != exitInterrupted || c.Context() == nil {
		return code
	}
	return exitCodeForSignal(c.Context())
}

// flags are what the command line says beside a command's own.
type flags struct {
	config      string
	account     string
	baseURL     string
	tokenFile   string
	tokenEnv    string
	readOnly    bool
	refresh     refreshFlag
	theme       string
	ascii       bool
	noMouse     bool
	linear      bool
	savedTokens map[string]client.Secret // of the environment's variables that have been unset
	view        string
	logFile     string
	version     bool
	accountOnly bool // the account's block alone says where it is and which token it has
}

// addAccountFlags are the flags of commands that work on a real account.
func (f *flags) addAccountFlags(set *pflag.FlagSet) {
	set.StringVar(&f.config, "config", "", "configuration file (default $XDG_CONFIG_HOME/lookout/config.toml)")
	set.StringVarP(&f.account, "account", "a", "", "account of the configuration")
	set.StringVar(&f.baseURL, "base-url", "", "address of the API, ending with its version")
	set.StringVar(&f.tokenFile, "token-file", "", "file that holds the token, readable by its owner alone")
	set.StringVar(&f.tokenEnv, "token-env", "", "environment variable that holds the token, as LINODE_TOKEN")
}

// addScreenFlags are the flags of the dashboard, on a real account or an invented one.
func (f *flags) addScreenFlags(set *pflag.FlagSet) {
	set.StringVar(
		&f.theme,
		"theme",
		"",
		"colours: auto, "+strings.Join(theme.Names(), ", ")+", or one of the configuration",
	)
	set.BoolVar(&f.ascii, "ascii", false, "draw with ASCII characters alone")
	set.BoolVar(&f.noMouse, "no-mouse", false, "leave the mouse to the terminal")
	set.BoolVar(
		&f.linear,
		"linear",
		false,
		"for screen readers: lines are added, nothing is drawn over, one item is told at a time",
	)
	set.StringVar(&f.view, "view", "", "pane to start with: overview, issues, services, …")
	set.Var(&f.refresh, "refresh", "time between refreshes of the pane in front, at least 5s (default 20s)")
	set.StringVar(&f.logFile, "log-file", "", "write faults of the program itself to this file")
}

func newRootCommand() *cobra.Command {
	f := &flags{}
	root := &cobra.Command{
		Use:   "lookout",
		Short: "A terminal dashboard for Managed monitoring and Object Storage",
		Long: "lookout shows what is broken, what it touches and whom to call, and browses buckets by keyboard.\n" +
			"Without a command it opens the dashboard; without a configuration it helps to make one.\nTry it " +
			"without an account: lookout demo\n\n" + exitCodesHelp(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.version {
				_, err := fmt.Fprintln(c.OutOrStdout(), version())
				return err
			}
			return runDashboard(c, f)
		},
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageError(fmt.Errorf("%w; %s --help lists the flags", err, c.CommandPath()))
	})
	root.PersistentFlags().BoolVar(&f.readOnly, "read-only", false, "refuse every change, where requests are made")
	// Not cobra's own: to print with its template links text/template, and the linker then keeps every method of every
	// type (2.5 MB).
	root.Flags().BoolVarP(&f.version, "version", "v", false, "version for lookout")
	f.addAccountFlags(root.Flags())
	f.addScreenFlags(root.Flags())
	root.AddGroup(
		&cobra.Group{ID: "screen", Title: "On the screen:"},
		&cobra.Group{ID: "account", Title: "For scripts:"},
		&cobra.Group{ID: "setup", Title: "Setting up:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("screen", demoCommand(f), watchCommand(f))
	for _, n := range resourceCommands() {
		add("account", n.newCommand(f))
	}
	add("account", handoverCommand(f))
	add("setup", configCommand(f), doctorCommand(f), emulateCommand(), versionCommand())
	root.AddCommand(pictureCommand(), docsCommand())
	f.registerCompletions(root)
	return root
}

// restrictBuiltinCommands makes the commands that cobra adds by itself refuse a name that is not there, as ours do:
// help on standard output would land where a script is expected. They write to the streams that the root has by then.
func restrictBuiltinCommands(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion":
			c.Args, c.RunE = noArgs, requireSubcommand
		case "help":
			c.Args = func(c *cobra.Command, args []string) error {
				about, rest, err := root.Find(args)
				if err != nil {
					return usageError(err)
				}
				return noArgs(about, rest)
			}
		}
	}
}
