package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"lookout/client/emulator"
	"lookout/cmd/internal/exit"
)

// everyCommand returns the program's commands as Execute has them, with those that cobra adds.
func everyCommand() (all []*cobra.Command) {
	root := NewRootCommand()
	restrictBuiltinCommands(root)
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		all = append(all, c)
		for _, sub := range c.Commands() {
			if !sub.Hidden {
				visit(sub)
			}
		}
	}
	visit(root)
	return all
}

// The help of every command has an example of it. A test of the documentation runs those of its pages; the commands
// that cobra adds have none, and run here.
func TestExamples_ofEveryCommand(t *testing.T) {
	t.Parallel()
	r := newTestEnv(t, emulator.Options{})
	count := 0
	for _, c := range everyCommand() {
		if !strings.Contains(c.Example, c.CommandPath()) {
			t.Errorf("%s has no example", c.CommandPath())
		}
		count++
		words := strings.Fields(c.CommandPath())
		if len(words) < 2 || !slices.Contains([]string{"completion", "help"}, words[1]) {
			continue
		}
		for line := range strings.Lines(c.Example) {
			line, _, _ = strings.Cut(line, " > ")
			r.CheckResult(r.Run(strings.Fields(line)[1:]...), exit.CodeOK)
		}
	}
	if count < 90 {
		t.Errorf("only %d commands", count)
	}
}

// Every command refuses arguments that it has no place for: a mistake on the command line, as an unknown command is.
func TestArguments_tooMany(t *testing.T) {
	t.Parallel()
	for _, c := range everyCommand() {
		if strings.Contains(c.Use, "...") {
			continue
		}
		if err := c.ValidateArgs(strings.Fields("a b c d e f")); exit.CodeFor(err) != exit.CodeUsage {
			t.Errorf("%s: %v: exit code %d", c.CommandPath(), err, exit.CodeFor(err))
		}
	}
	r := newTestEnv(t, emulator.Options{})
	for _, line := range []string{"completion bash x", "completion nosuch", "help nosuch", "accounts x", "nosuch"} {
		r.CheckResult(r.Run(strings.Fields(line)...), exit.CodeUsage)
	}
}
