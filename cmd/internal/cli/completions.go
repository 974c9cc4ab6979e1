package cli

import (
	_ "embed" // of the scripts
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lookout/cmd/internal/config"
	"lookout/views"
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

// choicesAnnotation is the annotation of a flag that holds its allowed values.
const choicesAnnotation = "lookout_choices"

// setFlagChoices declares the allowed values of a flag, which the shell completes.
func setFlagChoices(set *pflag.FlagSet, name string, choices ...string) {
	_ = set.SetAnnotation(name, choicesAnnotation, choices)
}

// registerCompletions registers completions for every flag and argument of a command and its subcommands. The shell
// offers files only where a file is expected.
func registerCompletions(n nameCompleter, c *cobra.Command) {
	dynamic := map[string]cobra.CompletionFunc{
		"account": completeAccounts(n.flags),
		"theme":   completeThemes(n.flags),
		"view":    completePanes,
		"for":     completeTimes,
		"since":   cobra.FixedCompletions([]cobra.Completion{"1h", "8h", "24h", "72h", "all"}, noFiles),
	}
	for name := range nameFlags() {
		dynamic[name] = n.completeFlag(name)
	}
	complete := func(flag *pflag.Flag) {
		choices, fixed := flag.Annotations[choicesAnnotation]
		values := dynamic[flag.Name]
		if fixed {
			values = completeChoices(flag, choices)
		}
		if values == nil && !takesFile(flag) {
			values = cobra.NoFileCompletions
		}
		if values == nil {
			return
		}
		if kind := flag.Value.Type(); kind == "stringSlice" || kind == "intSlice" {
			values = inLists(values)
		}
		_ = c.RegisterFlagCompletionFunc(flag.Name, values)
	}
	c.Flags().VisitAll(complete)
	c.PersistentFlags().VisitAll(complete)
	if c.ValidArgsFunction == nil {
		c.ValidArgsFunction = n.completeArgs
	}
	for _, sub := range c.Commands() {
		registerCompletions(n, sub)
	}
}

// noFiles keeps the shell from offering files.
const noFiles = cobra.ShellCompDirectiveNoFileComp

// completeTimes completes how long a link works, or how long monitoring is disabled.
func completeTimes(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	times := []cobra.Completion{"15m", "1h", "4h", "24h"}
	if c.Name() == "disable" {
		times = append(times, "none")
	}
	return times, noFiles
}

// completeChoices completes the allowed values of a flag.
func completeChoices(flag *pflag.Flag, choices []string) cobra.CompletionFunc {
	if flag.Name == "sort" {
		for _, name := range slices.Clone(choices) {
			choices = append(choices, "-"+name)
		}
	}
	return cobra.FixedCompletions(choices, noFiles)
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

// inLists completes the last of several values with commas between them. Values that are there are not offered again.
func inLists(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
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

// takesFile reports whether a flag takes a file, judging by its name and its help.
func takesFile(flag *pflag.Flag) bool {
	return flag.Name == "config" || strings.HasSuffix(flag.Name, "-file") || strings.HasPrefix(flag.Usage, "file ")
}

// completeArgs completes the next argument by its name in the command's usage line.
func (n nameCompleter) completeArgs(
	c *cobra.Command, args []string, typed string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	words := strings.Fields(c.Use)[1:]
	at := len(args)
	if strings.Contains(c.Use, "...") { // what comes last may be repeated
		at = min(at, len(words)-1)
	}
	if at >= len(words) {
		return nil, noFiles
	}
	return n.argument(c, strings.Trim(words[at], "[]."), args, typed)
}

// completeAccounts completes the name of an account from the configuration.
func completeAccounts(f *config.Flags) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return slices.Sorted(maps.Keys(readConfigLenient(f).Accounts)), noFiles
	}
}

// completeThemes completes the name of a theme: a built-in one, or one of the configuration.
func completeThemes(f *config.Flags) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		names := config.ThemeNames(readConfigLenient(f).Themes)
		return append([]string{"auto"}, names...), noFiles
	}
}

// completePanes completes the name of a pane.
func completePanes(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return views.TabNames(), noFiles
}

// readConfigLenient returns what can be read of the configuration.
func readConfigLenient(f *config.Flags) config.File {
	_, data, _ := config.Read(f)
	cfg, _ := config.Parse(data)
	return cfg
}
