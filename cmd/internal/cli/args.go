package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lookout/client"
	"lookout/cmd/internal/exit"
)

// NoArgs rejects arguments. If one resembles a subcommand, the error suggests it.
func NoArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !c.HasSubCommands() {
		return exit.Usage(fmt.Errorf("%s takes no argument: %q", c.CommandPath(), client.Clean(args[0])))
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
				"%s needs %s; %d given", c.CommandPath(), cmp.Or(strings.Join(words, " "), "no argument"), len(args),
			),
		)
	}
	return nil
}
