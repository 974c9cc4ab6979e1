package terminal

import (
	"encoding/base64"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Copy puts text on the clipboard: through the terminal (OSC 52, which crosses ssh), and through the system's own where the program runs
// on the machine of the screen.
func Copy(text string) tea.Cmd {
	return func() tea.Msg {
		if os.Getenv("SSH_CONNECTION") == "" {
			_ = toSystem(text) // the terminal's way stays
		}
		return output{osc52(text, os.Getenv("TMUX") != "", strings.HasPrefix(os.Getenv("TERM"), "screen"))}
	}
}

// osc52 is the sequence that sets the clipboard, wrapped for tmux or screen to pass on.
func osc52(text string, tmux, screen bool) string {
	sequence := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a"
	switch {
	case tmux:
		return sequence + "\x1bPtmux;\x1b" + sequence + "\x1b\\"
	case screen:
		return "\x1bP" + sequence + "\x1b\\"
	}
	return sequence
}

// Notify asks the terminal for a notification (OSC 9 and 777).
func Notify(title, text string) tea.Cmd {
	return func() tea.Msg {
		return output{"\x1b]9;" + clean(title+": "+text) + "\x1b\\\x1b]777;notify;" + clean(title) + ";" + clean(text) + "\x1b\\"}
	}
}
