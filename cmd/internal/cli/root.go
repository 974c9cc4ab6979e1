// Package cli holds the commands of the program, and those for scripts in particular.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lookout/client"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
	"lookout/cmd/internal/version"
	"lookout/views"
)

// Execute runs a command line with the caller's streams. The variables in env take the place of the process's.
func Execute(env map[string]string, args []string, in io.Reader, out, complaints io.Writer) int {
	var root *cobra.Command
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		root = config.ForCompletion(NewRootCommand)
	} else {
		root = NewRootCommand()
	}
	flagsOf(root).Env = env
	root.SetArgs(joinSortOrder(args))
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(complaints)
	restrictBuiltinCommands(root)
	helpRefused := restrictHelp(root)
	c, err := root, config.CheckGODEBUG()
	if err == nil {
		c, err = root.ExecuteC()
	}
	err = cmp.Or(err, helpRefused())
	if text := exit.Describe(err); text != "" {
		fmt.Fprintln(complaints, "lookout: "+text)
	}
	if code := exit.CodeFor(err); code != exit.CodeInterrupted || c.Context() == nil {
		return code
	}
	return exit.CodeForSignal(c.Context())
}

// flagsKey is the key of the flags in the context of all commands.
type flagsKey struct{}

// flagsOf returns the flags of the command line.
func flagsOf(c *cobra.Command) *config.Flags { return c.Context().Value(flagsKey{}).(*config.Flags) }

// NewRootCommand returns the command lookout with all its subcommands.
func NewRootCommand() *cobra.Command {
	f := &config.Flags{}
	var all, showVersion bool
	root := &cobra.Command{
		Use:   "lookout",
		Short: "A terminal dashboard for Managed monitoring and Object Storage",
		Long: "lookout shows what is broken, what it affects and whom to call, and lets you browse buckets from " +
			"the keyboard.\nWithout a command it opens the dashboard; without a configuration it helps you " +
			"create one.\nWith several accounts, lookout --all starts with an overview of all of them.\n" +
			"Try it without an account: lookout demo\n\n" +
			"Settings come from flags, the variables below and the configuration file. lookout config --help " +
			"lists what the file may contain: accounts, [columns], [keys] and others. Commands that send requests " +
			"also take --debug, which writes each request and response to standard error.\n\n" +
			output.Help + "\n\n" + exit.Help() + "\n\n" + config.EnvironmentHelp(),
		Example:       indentExamples("lookout demo\nlookout -a production --read-only\nlookout --view services"),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case showVersion:
				_, err := fmt.Fprintln(c.OutOrStdout(), version.Line())
				return err
			case all:
				return runAllAccounts(c, f)
			}
			return runDashboard(c, f)
		},
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return exit.Usage(fmt.Errorf("%w; %s --help lists the flags", flagError(err), c.CommandPath()))
	})
	addGlobalFlags(f, root)
	root.Flags().BoolVar(&all, "all", false, "start with an overview of all configured accounts, one line each")
	f.AddAccountFlags(root.Flags())
	f.AddScreenFlags(root.Flags(), views.TabNames())
	// The flag is not cobra's own: printing with its template links text/template, and the linker then keeps every
	// method of every type (2.5 MB).
	root.Flags().BoolVarP(&showVersion, "version", "v", false, "print the version")
	root.AddGroup(
		&cobra.Group{ID: "screen", Title: "Interactive and background:"},
		&cobra.Group{ID: "account", Title: "For scripts:"},
		&cobra.Group{ID: "setup", Title: "Setup:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("screen", demoCommand(f), watchCommand(f), keepCommand(f))
	for _, r := range resourceCommands() {
		add("account", r.newCommand(f))
	}
	add("account", statusCommand(f), handoverCommand(f), auditCommand(f), apiCommand(f))
	add("setup", accountsCommand(f), configCommand(f), doctorCommand(f), emulateCommand(), versionCommand())
	root.SetContext(context.WithValue(context.Background(), flagsKey{}, f))
	root.CompletionOptions.SetDefaultShellCompDirective(noFiles)
	return root
}

// addGlobalFlags adds --read-only and --no-color to all commands.
func addGlobalFlags(f *config.Flags, root *cobra.Command) {
	const readOnly = "refuse every change except creating download links"
	root.PersistentFlags().BoolVar(&f.ReadOnly, "read-only", false, readOnly)
	root.PersistentFlags().BoolVar(&f.NoColor, "no-color", false, "do not use colours (same as setting NO_COLOR)")
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		if f.NoColor {
			return os.Setenv("NO_COLOR", "1") // programs that lookout starts use none either
		}
		return nil
	}
}

// flagError returns an error of the command line in lookout's words.
func flagError(err error) error {
	var value *pflag.InvalidValueError
	if !errors.As(err, &value) {
		return err
	}
	reason, number := value.Unwrap(), (*strconv.NumError)(nil)
	given, is := client.Clean(value.GetValue()), ""
	switch {
	case errors.As(reason, &number) && number.Func == "ParseBool":
		is = "neither true nor false"
	case errors.As(reason, &number):
		is = "not a number"
	case strings.HasPrefix(reason.Error(), "time: "):
		is = "not a duration, such as 30s or 5m"
	}
	if is != "" {
		reason = fmt.Errorf("%q is %s", given, is)
	}
	return fmt.Errorf("--%s: %w", value.GetFlag().Name, reason)
}

// restrictBuiltinCommands makes the commands that cobra adds refuse a name that is not there, as ours do:
// help on standard output would land where a script is expected. They write to the streams that the root has by then.
func restrictBuiltinCommands(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion":
			c.Args, c.RunE = NoArgs, requireSubcommand
			c.Example = indentExamples("lookout completion zsh --help\nlookout completion zsh > _lookout")
			printOwnScripts(c)
		case "help":
			c.Example = indentExamples("lookout help services disable")
			c.Args = func(c *cobra.Command, args []string) error {
				about, rest, err := root.Find(args)
				if err != nil {
					return exit.Usage(err)
				}
				return NoArgs(about, rest)
			}
		}
	}
}

// restrictHelp makes --help refuse the name of a command that does not exist. After the command line has run, the
// function that it returns reports why no help was printed, or nil.
func restrictHelp(root *cobra.Command) (refused func() error) {
	var err error
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if c.HasSubCommands() {
			err = NoArgs(c, c.Flags().Args())
		}
		if err == nil {
			printHelp(c)
		}
	})
	return func() error { return err }
}

// NoArgs rejects arguments. If one resembles a subcommand, the error suggests it.
func NoArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !c.HasSubCommands() {
		return exit.Usage(fmt.Errorf("%s takes no arguments, but got %q", c.CommandPath(), client.Clean(args[0])))
	}
	text := fmt.Sprintf("%s has no command %q;", c.CommandPath(), client.Clean(args[0]))
	c.SuggestionsMinimumDistance = 2
	if like := c.SuggestionsFor(args[0]); len(like) > 0 {
		text += " did you mean " + strings.Join(like, " or ") + "?"
	}
	return exit.Usage(fmt.Errorf("%s %s --help lists everything", text, c.CommandPath()))
}

// requireSubcommand fails: the command does nothing without a subcommand.
func requireSubcommand(c *cobra.Command, _ []string) error {
	return exit.Usage(fmt.Errorf("%s needs a command; %[1]s --help lists everything", c.CommandPath()))
}

// ArgsFromUse checks the number of arguments against the command's use line: "get ID".
func ArgsFromUse(c *cobra.Command, args []string) error {
	words := strings.Fields(c.Use)[1:]
	least, most := 0, len(words)
	for _, w := range words {
		if !strings.HasPrefix(w, "[") {
			least++
		}
		if strings.Contains(w, "...") { // it may be repeated
			most = max(len(args), most)
		}
	}
	if len(args) < least || len(args) > most {
		return exit.Usage(
			fmt.Errorf(
				"%s takes %s; %d given", c.CommandPath(), cmp.Or(strings.Join(words, " "), "no arguments"), len(args),
			),
		)
	}
	return nil
}
