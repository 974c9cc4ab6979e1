package terminal

import (
	"encoding/base64"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Copy puts text on the clipboard: through the terminal (OSC 52, which crosses ssh), and through the system's own where
// the program runs on the machine of the screen.
func Copy(text string) tea.Cmd {
	return func() tea.Msg {
		if os.Getenv("SSH_CONNECTION") == "" {
			_ = writeSystemClipboard(text) // the terminal's way stays
		}
		return output{osc52(text, os.Getenv("TMUX") != "", strings.HasPrefix(os.Getenv("TERM"), "screen"))}
	}
}

// osc52 is the sequence that sets the clipboard, wrapped for tmux or screen to pass on.
func osc52(text string, tmux, screen bool) string {
	sequence := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a"
	if tmux {
		return sequence + wrapPassthrough(sequence, tmux, screen)
	}
	return wrapPassthrough(sequence, tmux, screen)
}
