package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"lookout/cmd/internal/config"
	"lookout/ui"
)

// helpTexts returns the help of each command by its path.
func helpTexts(width int) map[string]string {
	texts := map[string]string{}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		texts[c.CommandPath()] = helpText(c, width)
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(NewRootCommand())
	return texts
}

// Help fits the terminal; only examples, which can be copied, and single words may be wider.
func TestHelp_fitsTheTerminal(t *testing.T) {
	for _, width := range []int{40, 80, 120} {
		for path, text := range helpTexts(width) {
			for line := range strings.Lines(text) {
				line = strings.TrimRight(line, "\n")
				if ui.Width(line) > width && !strings.HasPrefix(line, "  lookout ") && strings.Contains(line[8:], " ") {
					t.Errorf("%s, %d columns: %q", path, width, line)
				}
			}
		}
	}
}

// Only the help of lookout itself describes global flags; that of other commands names those that they have.
func TestHelp_describesGlobalFlagsOnce(t *testing.T) {
	for path, text := range helpTexts(200) {
		describes := strings.Contains(text, "file that holds the token, readable only by its owner\n")
		if describes != (path == "lookout") {
			t.Errorf("%s describes --token-file: %v", path, describes)
		}
	}
	text := helpTexts(200)["lookout issues list"]
	if !strings.Contains(text, "  --account, --base-url, --config, --no-color,") {
		t.Errorf("global flags are missing: %s", text)
	}
}

// Everything that can be set is found from the help of lookout.
func TestHelp_leadsToEverySetting(t *testing.T) {
	texts := helpTexts(80)
	for _, want := range []string{"--debug", "lookout config --help", "[columns]"} {
		if !strings.Contains(texts["lookout"], want) {
			t.Errorf("lookout --help does not name %s", want)
		}
	}
	for _, v := range config.EnvironmentVariables {
		if !strings.Contains(texts["lookout"], v.Name) {
			t.Errorf("lookout --help does not name %s", v.Name)
		}
	}
	for _, key := range append(config.TopLevelKeys(), config.AccountKeys()...) {
		if !strings.Contains(texts["lookout config"], key.Name) {
			t.Errorf("lookout config --help does not name %s", key.Name)
		}
	}
	for _, table := range config.Tables() {
		if !strings.Contains(texts["lookout config"], "["+table.Title+"]") {
			t.Errorf("lookout config --help does not name [%s]", table.Title)
		}
	}
}
