package cli

import (
	_ "embed" // of the scripts
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lookout/cmd/internal/config"
	"lookout/cmd/internal/output"
	"lookout/views/resource"
)

// The scripts that shells load. Cobra's own leave names with spaces unquoted in bash, need another package there, and
// run what stands on the command line again in order to complete it; in fish, even text that is quoted.
var (
	//go:embed shells/lookout.bash
	bashScript string
	//go:embed shells/lookout.zsh
	zshScript string
	//go:embed shells/lookout.fish
	fishScript string
)

// bashHelp replaces cobra's help, which asks for another package.
const bashHelp = "Generate the autocompletion script for the bash shell. It needs no other package.\n\n" +
	"To load completions in your current shell session:\n\n\teval \"$(lookout completion bash)\"\n\n" +
	"To load completions for every new session, add this line to ~/.bashrc."

// CompletionScripts returns the scripts by their shells.
func CompletionScripts() map[string]string {
	return map[string]string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}
}

// printOwnScripts makes cobra's completion commands print these scripts.
func printOwnScripts(completion *cobra.Command) {
	for _, shell := range completion.Commands() {
		shell.Args, shell.Example = NoArgs, indentExamples(shell.CommandPath())
		script, own := CompletionScripts()[shell.Name()]
		if !own {
			continue
		}
		if shell.Name() == "bash" {
			shell.Long = bashHelp
		}
		shell.RunE = func(c *cobra.Command, _ []string) error {
			text := script
			if plain, _ := c.Flags().GetBool("no-descriptions"); plain {
				text = strings.ReplaceAll(text, cobra.ShellCompRequestCmd+" ", cobra.ShellCompNoDescRequestCmd+" ")
			}
			_, err := io.WriteString(c.OutOrStdout(), text)
			return err
		}
	}
}

// noFiles keeps the shell from offering files.
const noFiles = cobra.ShellCompDirectiveNoFileComp

// completeRowFlags completes the flags of a set that say how rows are printed.
func completeRowFlags(set *pflag.FlagSet, columns []resource.ColumnDefinition[any]) {
	names := output.ColumnNames(columns)
	orders := slices.Clone(names)
	for _, name := range names {
		orders = append(orders, "-"+name)
	}
	for flag, values := range map[string][]string{"output": output.Formats, "columns": names, "sort": orders} {
		if set.Lookup(flag) != nil {
			config.CompleteValues(set, flag, values...)
		}
	}
}

// joinSortOrder returns the arguments of a completion so that a value of --sort that begins with - is not taken for a
// flag.
func joinSortOrder(args []string) []string {
	last := len(args) - 1
	if last > 1 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) && args[last-1] == "--sort" &&
		strings.HasPrefix(args[last], "-") {
		return append(slices.Clone(args[:last-1]), "--sort="+args[last])
	}
	return args
}
