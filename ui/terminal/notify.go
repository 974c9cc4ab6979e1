package terminal

import (
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Notify sends a notification outside the screen, by some of these methods: "bell", "osc9" and "osc777", the last two
// by the terminal.
func Notify(methods []string, title, text string) tea.Cmd {
	return func() tea.Msg {
		tmux, screen := os.Getenv("TMUX") != "", strings.HasPrefix(os.Getenv("TERM"), "screen")
		return output{bytes: notificationSequence(methods, title, text, tmux, screen)}
	}
}

// notificationSequence returns the bytes of a notification.
func notificationSequence(methods []string, title, text string, tmux, screen bool) string {
	title, text = truncate(stripControls(title)), truncate(stripControls(text))
	var out strings.Builder
	for _, method := range methods {
		switch method {
		case "bell":
			out.WriteString("\a")
		case "osc9":
			out.WriteString(wrapPassthrough("\x1b]9;"+title+": "+text+"\a", tmux, screen))
		case "osc777":
			fields := strings.ReplaceAll(title, ";", ",") + ";" + strings.ReplaceAll(text, ";", ",")
			out.WriteString(wrapPassthrough("\x1b]777;notify;"+fields+"\a", tmux, screen))
		}
	}
	return out.String()
}

// maxNotificationRunes bounds the title and the text of a notification.
const maxNotificationRunes = 200

func truncate(text string) string {
	if r := []rune(text); len(r) > maxNotificationRunes {
		return string(r[:maxNotificationRunes])
	}
	return text
}

// wrapPassthrough wraps a sequence that ends with a bell, so that tmux or screen pass it on to their terminal.
func wrapPassthrough(sequence string, tmux, screen bool) string {
	switch {
	case tmux:
		return "\x1bPtmux;" + strings.ReplaceAll(sequence, "\x1b", "\x1b\x1b") + "\x1b\\"
	case screen:
		return "\x1bP" + sequence + "\x1b\\"
	}
	return sequence
}
