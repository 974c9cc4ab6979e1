package main

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lookout/ui"
)

// choicesNote is the annotation of a flag that holds what it may be.
const choicesNote = "lookout_choices"

// oneOf says what a flag may be, for the shell to complete.
func oneOf(set *pflag.FlagSet, name string, choices ...string) {
	_ = set.SetAnnotation(name, choicesNote, choices)
}

// completed lets the shell offer, for every flag and argument beneath a command, what may stand there; files only where one is meant.
func (f *flags) completed(c *cobra.Command) {
	dynamic := map[string]cobra.CompletionFunc{"account": f.accounts, "theme": f.themes, "view": f.panes}
	complete := func(flag *pflag.Flag) {
		choices, fixed := flag.Annotations[choicesNote]
		switch {
		case fixed:
			_ = c.RegisterFlagCompletionFunc(flag.Name, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
		case dynamic[flag.Name] != nil:
			_ = c.RegisterFlagCompletionFunc(flag.Name, dynamic[flag.Name])
		case !namesFile(flag):
			_ = c.RegisterFlagCompletionFunc(flag.Name, cobra.NoFileCompletions)
		}
	}
	c.Flags().VisitAll(complete)
	c.PersistentFlags().VisitAll(complete)
	if c.ValidArgsFunction == nil {
		c.ValidArgsFunction = completedArgs
	}
	for _, sub := range c.Commands() {
		f.completed(sub)
	}
}

// namesFile reports whether a flag takes the name of a file, as its help says.
func namesFile(flag *pflag.Flag) bool {
	return flag.Name == "config" || strings.HasSuffix(flag.Name, "-file") || strings.HasPrefix(flag.Usage, "file ")
}

// completedArgs completes the argument that a command's use names at its place.
func completedArgs(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
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

// accounts completes the name of an account from the configuration.
func (f *flags) accounts(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return slices.Sorted(maps.Keys(f.written().Accounts)), cobra.ShellCompDirectiveNoFileComp
}

// themes completes the name of a theme: the program's, and the configuration's own.
func (f *flags) themes(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return append([]string{"auto"}, themeNames(f.written().Themes)...), cobra.ShellCompDirectiveNoFileComp
}

// panes completes the name of a pane.
func (f *flags) panes(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	_, account, err := still(ctx, nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return paneNames(account.Panes()), cobra.ShellCompDirectiveNoFileComp
}

// paneNames are the names of panes, in their order.
func paneNames(panes []ui.Pane) []string {
	names := make([]string, len(panes))
	for i, p := range panes {
		names[i] = p.Name()
	}
	return names
}

// written is what the configuration says, as far as it can be read.
func (f *flags) written() file {
	_, data, _ := readConfig(f)
	cfg, _ := parse(data)
	return cfg
}
