package shell

import (
	"image/color"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"lookout/theme"
)

func withThemes(name string) func(*Options) {
	return func(o *Options) {
		o.Themes = ThemeChoices{
			Selected: name,
			Names:    append([]string{"auto"}, theme.Names()...),
			New:      func(name string) (*theme.Theme, error) { return theme.New(name, colorprofile.TrueColor, false) },
		}
		o.Theme, _ = o.Themes.New(theme.ForBackground(name, false))
	}
}

// The terminal's answer chooses between dark and light, whenever it comes, for themes that follow the background. Other
// themes stay.
func TestThemes_followBackground(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		for name, want := range map[string]string{
			"auto":       "light",
			"colorblind": "colorblind-light",
			"dark":       "dark",
			"mono":       "mono",
		} {
			b := newShellTest(t, withThemes(name))
			if asks := b.shell.themes.requestBackgroundColor() != nil; asks != strings.HasSuffix(want, "light") {
				t.Errorf("%s asks the terminal: %v", name, asks)
			}
			b.run(b.shell.Update(tea.BackgroundColorMsg{Color: color.White}))
			if got := b.shell.themes.current.Name; got != want {
				t.Errorf("%s on a light terminal is %s", name, got)
			}
		}
	})
}

// The palette previews a theme, and esc restores the one before.
func TestThemePreview(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b := newShellTest(t, withThemes("dark"))
		b.press(":theme mono")
		if got := b.shell.themes.current.Name; got != "mono" {
			t.Fatalf("the preview is %s:\n%s", got, b.screen())
		}
		b.press("<esc>")
		if got := b.shell.themes.current.Name; got != "dark" {
			t.Errorf("esc leaves %s", got)
		}
		b.press(":theme monoxx")
		if got := b.shell.themes.current.Name; got != "dark" {
			t.Errorf("without an entry at the cursor, the theme is %s", got)
		}
		b.press("<esc>:theme mono<enter>")
		if got := b.shell.themes.current.Name; got != "mono" || !strings.Contains(b.screen(), `theme = "mono"`) {
			t.Errorf("chosen, it is %s:\n%s", got, b.screen())
		}
	})
}
