package config

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// completing counts the calls of ForCompletion that have not returned.
var completing atomic.Int32

// ForCompletion returns the command that build returns, with the completions of its flags. Commands that are built
// otherwise have none: cobra keeps these functions, and with them the commands, as long as the process runs.
func ForCompletion(build func() *cobra.Command) *cobra.Command {
	completing.Add(1)
	defer completing.Add(-1)
	return build()
}

// CompleteFlag says how the shell completes a flag of a set; of a flag that takes a list, each value of it. Values that
// are in the list are not offered again. See ForCompletion.
func CompleteFlag(set *pflag.FlagSet, name string, complete cobra.CompletionFunc) {
	if completing.Load() == 0 {
		return
	}
	flag, values := set.Lookup(name), complete
	if kind := flag.Value.Type(); kind == "stringSlice" || kind == "intSlice" {
		values = func(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			begin := strings.LastIndexByte(typed, ',') + 1
			given := strings.Split(typed[:begin], ",")
			candidates, directive := complete(c, args, typed[begin:])
			var lists []cobra.Completion
			for _, candidate := range candidates {
				if value, _, _ := strings.Cut(candidate, "\t"); !slices.Contains(given, value) {
					lists = append(lists, typed[:begin]+candidate)
				}
			}
			return lists, directive
		}
	}
	var c cobra.Command // cobra registers only what a command has
	c.Flags().AddFlag(flag)
	_ = c.RegisterFlagCompletionFunc(name, values)
}

// CompleteValues is CompleteFlag for a flag with values that are known.
func CompleteValues(set *pflag.FlagSet, name string, values ...string) {
	CompleteFlag(set, name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// CompleteFile is CompleteFlag for a flag that takes a file.
func CompleteFile(set *pflag.FlagSet, name string) {
	CompleteFlag(set, name, cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault))
}
