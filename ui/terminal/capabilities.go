package terminal

import (
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"lookout/theme"
)

// DetectColorProfile is how many colours the terminal has, from its environment: NO_COLOR leaves none. The terminal is
// not asked.
func DetectColorProfile() theme.ColorProfile {
	if os.Getenv("NO_COLOR") != "" {
		return theme.NoColor
	}
	switch colorprofile.Env(os.Environ()) {
	case colorprofile.TrueColor:
		return theme.TrueColor
	case colorprofile.ANSI256:
		return theme.ANSI256
	case colorprofile.ANSI:
		return theme.ANSI16
	}
	return theme.NoColor
}

// HasLightBackground reports whether the terminal says that its background is light (COLORFGBG).
func HasLightBackground() bool {
	parts := strings.Split(os.Getenv("COLORFGBG"), ";")
	switch parts[len(parts)-1] {
	case "7", "15":
		return true
	}
	return false
}

// RequestBackgroundColor asks the terminal for the colour of its background (OSC 11). The answer, if there is one, is a
// tea.BackgroundColorMsg.
func RequestBackgroundColor() tea.Cmd { return func() tea.Msg { return output{"\x1b]11;?\x1b\\"} } }

// SupportsUnicode reports whether the locale can show more than ASCII.
func SupportsUnicode() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := os.Getenv(name); v != "" {
			v = strings.ToLower(v)
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return false
}
