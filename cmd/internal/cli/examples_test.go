package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// The help of every command of a resource has an example of it. A test of the documentation runs them all.
func TestExamples_ofEveryResourceCommand(t *testing.T) {
	var check func(*cobra.Command)
	check = func(c *cobra.Command) {
		if !strings.Contains(c.Example, c.CommandPath()) {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			check(sub)
		}
	}
	for _, c := range NewRootCommand().Commands() {
		if c.GroupID == "account" {
			check(c)
		}
	}
}
