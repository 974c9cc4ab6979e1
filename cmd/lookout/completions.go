package main

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lookout/ui"
	"lookout/views"
)

// choicesAnnotation is the annotation of a flag that holds what it may be.
const choicesAnnotation = "lookout_choices"

// setFlagChoices says what a flag may be, for the shell to complete.
func setFlagChoices(set *pflag.FlagSet, name string, choices ...string) {
	_ = set.SetAnnotation(name, choicesAnnotation, choices)
}

// registerCompletions lets the shell offer, for every flag and argument beneath a command, what may stand there; files
// only where one is meant.
func (f *flags) registerCompletions(c *cobra.Command) {
	dynamic := map[string]cobra.CompletionFunc{
		"account": f.completeAccounts,
		"theme":   f.completeThemes,
		"view":    f.completePanes,
	}
	complete := func(flag *pflag.Flag) {
		choices, fixed := flag.Annotations[choicesAnnotation]
		switch {
		case fixed:
			_ = c.RegisterFlagCompletionFunc(
				flag.Name,
				cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp),
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
		f.registerCompletions(sub)
	}
}

// takesFile reports whether a flag takes the name of a file, as its help says.
func takesFile(flag *pflag.Flag) bool {
	return flag.Name == "config" || strings.HasSuffix(flag.Name, "-file") || strings.HasPrefix(flag.Usage, "file ")
}

// completeArgs completes the argument that a command's use names at its place.
func completeArgs(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	words := strings.Fields(c.Use)[1:]
	if len(args) >= len(words) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	switch word := strings.Trim(words[len(args)], "[]"); {
	case word == "ACL":
		return aclNames(), cobra.ShellCompDirectiveNoFileComp
	case word == "DIR" || strings.HasSuffix(word, "FILE"):
		return nil, cobra.ShellCompDirectiveDefault
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeAccounts completes the name of an account from the configuration.
func (f *flags) completeAccounts(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return slices.Sorted(maps.Keys(f.readConfigLenient().Accounts)), cobra.ShellCompDirectiveNoFileComp
}

// completeThemes completes the name of a theme: the program's, and the configuration's own.
func (f *flags) completeThemes(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return append([]string{"auto"}, themeNames(f.readConfigLenient().Themes)...), cobra.ShellCompDirectiveNoFileComp
}

// completePanes completes the name of a pane.
func (f *flags) completePanes(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	_, account, err := newFrozenDemo(ctx, nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return paneNames(views.Panes(account)), cobra.ShellCompDirectiveNoFileComp
}

// paneNames are the names of panes, in their order.
func paneNames(panes []ui.Pane) []string {
	names := make([]string, len(panes))
	for i, p := range panes {
		names[i] = p.Name()
	}
	return names
}

// readConfigLenient is what the configuration says, as far as it can be read.
func (f *flags) readConfigLenient() configFile {
	_, data, _ := readConfig(f)
	cfg, _ := parseConfig(data)
	return cfg
}
