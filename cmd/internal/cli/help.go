package cli

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lookout/cmd/internal/output"
)

// helpWidth is the width of help that is not written to a terminal.
const helpWidth = 80

// printHelp prints the help of a command as wide as the terminal. It has no template: text/template makes the linker
// keep every method of every type.
func printHelp(c *cobra.Command) {
	width := cmp.Or(output.TerminalWidth(c.OutOrStdout()), helpWidth)
	fmt.Fprint(c.OutOrStdout(), helpText(c, width))
}

// helpText returns the help of a command, wrapped at width columns; only examples are not.
func helpText(c *cobra.Command, width int) string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(cmp.Or(c.Long, c.Short)) + "\n\nUsage:\n")
	if c.Runnable() {
		b.WriteString("  " + c.UseLine() + "\n")
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("  " + c.CommandPath() + " COMMAND\n")
	}
	usage := WrapLines(b.String(), width)
	b.Reset()
	if c.HasExample() {
		b.WriteString("\nExamples:\n" + c.Example + "\n")
	}
	examples := b.String()
	b.Reset()
	groups := []*cobra.Group{{Title: "Commands:"}}
	if len(c.Groups()) > 0 {
		groups = append(slices.Clone(c.Groups()), &cobra.Group{Title: "Other:"})
	}
	for _, group := range groups {
		title := "\n" + group.Title + "\n"
		for _, sub := range c.Commands() {
			if sub.GroupID == group.ID && (sub.IsAvailableCommand() || sub.Name() == "help") {
				fmt.Fprintf(&b, "%s  %-*s  %s\n", title, sub.NamePadding(), sub.Name(), sub.Short)
				title = ""
			}
		}
	}
	own, global := Flags(c)
	if own.HasAvailableFlags() {
		b.WriteString("\nFlags:\n" + FlagUsages(own, width))
	}
	if len(global) > 0 {
		fmt.Fprintf(&b, "\nGlobal flags, described by %s --help:\n  %s\n", c.Root().Name(), strings.Join(global, ", "))
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s COMMAND --help describes a command.\n", c.CommandPath())
	}
	return usage + examples + WrapLines(b.String(), width)
}

// Flags returns the flags that the help of a command describes, and the names of those that the help of the root
// describes in the same words.
func Flags(c *cobra.Command) (own *pflag.FlagSet, global []string) {
	own = pflag.NewFlagSet("", pflag.ContinueOnError)
	c.InheritedFlags() // adds them to Flags
	c.Flags().VisitAll(func(f *pflag.Flag) {
		described := c.Root().Flags().Lookup(f.Name)
		switch {
		case f.Hidden, f.Name == "help" && c.HasParent():
		case c.HasParent() && described != nil && described.Usage == f.Usage:
			global = append(global, "--"+f.Name)
		default:
			own.AddFlag(f)
		}
	})
	return own, global
}

// FlagUsages describes each flag, wrapped at width columns.
func FlagUsages(set *pflag.FlagSet, width int) string {
	var names, usages []string
	longest := 0
	set.VisitAll(func(f *pflag.Flag) {
		name, usage := FlagUsage(f)
		if f.Shorthand == "" {
			name = "    " + name
		}
		names, usages, longest = append(names, name), append(usages, usage), max(longest, len(name))
	})
	var b strings.Builder
	for i, name := range names {
		b.WriteString(wrapLine(fmt.Sprintf("  %-*s   ", longest, name), usages[i], width) + "\n")
	}
	return b.String()
}

// FlagUsage returns a flag as it is written, such as "-o, --output string", and what it means.
func FlagUsage(f *pflag.Flag) (name, usage string) {
	kind, usage := pflag.UnquoteUsage(f)
	name = "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	switch {
	case kind != "" && f.NoOptDefVal != "":
		name += "[=" + kind + "]"
	case kind != "":
		name += " " + kind
	}
	if !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) {
		usage += " (default " + f.DefValue + ")"
	}
	return name, usage
}

// WrapLines wraps each line at width columns, and continues it below where its text begins.
func WrapLines(text string, width int) string {
	start := regexp.MustCompile(`^ +\S+(?: \S+)* {2,}|^  \d{3} |^ *`) // up to the text of a list item, or any text
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		indent := start.FindString(line)
		lines[i] = wrapLine(indent, line[len(indent):], width)
	}
	return strings.Join(lines, "\n")
}

// wrapLine wraps text behind what its first line starts with. Where that leaves too little space, the text begins on
// the next line.
func wrapLine(start, text string, width int) string {
	indent := len(start)
	if strings.TrimSpace(start) != "" && width-indent < 30 {
		indent = 8
		start = strings.TrimRight(start, " ") + "\n" + strings.Repeat(" ", indent)
	}
	return start + strings.Join(output.WrapWords(text, width-indent), "\n"+strings.Repeat(" ", indent))
}
