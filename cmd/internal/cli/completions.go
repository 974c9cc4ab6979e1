package cli

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lookout/cmd/internal/config"
	"lookout/cmd/internal/dashboard"
	"lookout/ui/shell"
	"lookout/views"
)

// choicesAnnotation is the annotation of a flag that holds its allowed values.
const choicesAnnotation = "lookout_choices"

// setFlagChoices declares the allowed values of a flag, which the shell completes.
func setFlagChoices(set *pflag.FlagSet, name string, choices ...string) {
	_ = set.SetAnnotation(name, choicesAnnotation, choices)
}

// registerCompletions registers completions for every flag and argument of a command and its subcommands. The shell
// offers files only where a file is expected.
func registerCompletions(f *config.Flags, c *cobra.Command) {
	dynamic := map[string]cobra.CompletionFunc{
		"account": completeAccounts(f),
		"theme":   completeThemes(f),
		"view":    completePanes,
	}
	complete := func(flag *pflag.Flag) {
		choices, fixed := flag.Annotations[choicesAnnotation]
		switch {
		case fixed:
			_ = c.RegisterFlagCompletionFunc(
				flag.Name, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp),
			)
		case dynamic[flag.Name] != nil:
			_ = c.RegisterFlagCompletionFunc(flag.Name, dynamic[flag.Name])
		case !takesFile(flag):
			_ = c.RegisterFlagCompletionFunc(flag.Name, cobra.NoFileCompletions)
		}
	}
	c.Flags().VisitAll(complete)
	c.PersistentFlags().VisitAll(complete)
	if c.ValidArgsFunction == nil {
		c.ValidArgsFunction = completeArgs
	}
	for _, sub := range c.Commands() {
		registerCompletions(f, sub)
	}
}

// takesFile reports whether a flag takes a file, judging by its name and its help.
func takesFile(flag *pflag.Flag) bool {
	return flag.Name == "config" || strings.HasSuffix(flag.Name, "-file") || strings.HasPrefix(flag.Usage, "file ")
}

// completeArgs completes the next argument by its name in the command's usage line.
func completeArgs(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	words := strings.Fields(c.Use)[1:]
	if len(args) >= len(words) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	switch word := strings.Trim(words[len(args)], "[]"); {
	case word == "NAME" && c.HasParent() && c.Parent().Name() == "accounts" && c.Name() != "add":
		path, _ := c.Flags().GetString("config")
		return config.AccountNames(&config.Flags{Config: path}), cobra.ShellCompDirectiveNoFileComp
	case word == "ACL":
		return aclNames(), cobra.ShellCompDirectiveNoFileComp
	case word == "DIR" || strings.HasSuffix(word, "FILE"):
		return nil, cobra.ShellCompDirectiveDefault
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeAccounts completes the name of an account from the configuration.
func completeAccounts(f *config.Flags) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return slices.Sorted(maps.Keys(readConfigLenient(f).Accounts)), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeThemes completes the name of a theme: a built-in one, or one of the configuration.
func completeThemes(f *config.Flags) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		names := config.ThemeNames(readConfigLenient(f).Themes)
		return append([]string{"auto"}, names...), cobra.ShellCompDirectiveNoFileComp
	}
}

// completePanes completes the name of a pane.
func completePanes(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	_, account, err := dashboard.NewFrozenDemo(ctx, shell.Preferences{})
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return dashboard.PaneNames(views.Panes(account)), cobra.ShellCompDirectiveNoFileComp
}

// readConfigLenient returns what can be read of the configuration.
func readConfigLenient(f *config.Flags) config.File {
	_, data, _ := config.Read(f)
	cfg, _ := config.Parse(data)
	return cfg
}
