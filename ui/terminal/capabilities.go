package terminal

import (
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// DetectColorProfile returns the colours of the terminal, as its environment describes them. NO_COLOR means none.
func DetectColorProfile() colorprofile.Profile {
	if os.Getenv("NO_COLOR") != "" {
		return colorprofile.ASCII
	}
	return max(colorprofile.Env(os.Environ()), colorprofile.ASCII)
}

// HasLightBackground reports whether COLORFGBG says that the terminal has a light background.
func HasLightBackground() bool {
	parts := strings.Split(os.Getenv("COLORFGBG"), ";")
	switch parts[len(parts)-1] {
	case "7", "15":
		return true
	}
	return false
}

// RequestBackgroundColor asks the terminal for its background colour (OSC 11). If the terminal answers, a
// tea.BackgroundColorMsg follows.
func RequestBackgroundColor() tea.Cmd {
	return func() tea.Msg { return output{bytes: "\x1b]11;?\x1b\\", query: true} }
}

// SupportsUnicode reports whether the locale uses UTF-8.
func SupportsUnicode() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := os.Getenv(name); v != "" {
			v = strings.ToLower(v)
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return false
}
