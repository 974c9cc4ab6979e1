package main

import (
	"cmp"
	"fmt"
	"lookout/client"
	"strings"

	"github.com/spf13/cobra"
)

// noArgs is for commands that take no arguments. A word that is like a command is offered.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !c.HasSubCommands() {
		return usageError(fmt.Errorf("%s takes no argument: %q", c.CommandPath(), client.Clean(args[0])))
	}
	text := fmt.Sprintf("%s has no command %q", c.CommandPath(), client.Clean(args[0]))
	c.SuggestionsMinimumDistance = 2
	if like := c.SuggestionsFor(args[0]); len(like) > 0 {
		text += "; is " + strings.Join(like, " or ") + " meant?"
	}
	return usageError(fmt.Errorf("%s; %s --help lists what there is", text, c.CommandPath()))
}

// requireSubcommand is the work of a command that does nothing without one of those beneath it.
func requireSubcommand(c *cobra.Command, _ []string) error {
	return usageError(fmt.Errorf("%s needs a command; %[1]s --help lists what there is", c.CommandPath()))
}

// argsFromUse is for commands whose use names their arguments: "get ID".
func argsFromUse(c *cobra.Command, args []string) error {
	words := strings.Fields(c.Use)[1:]
	least := 0
	for _, w := range words {
		if !strings.HasPrefix(w, "[") {
			least++
		}
	}
	if len(args) < least || len(args) > len(words) {
		return usageError(
			fmt.Errorf(
				"%s needs %s; %d given",
				c.CommandPath(),
				cmp.Or(strings.Join(words, " "), "no argument"),
				len(args),
			),
		)
	}
	return nil
}
