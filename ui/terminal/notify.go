package terminal

import (
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Notify tells a text beside the screen: by the bell, or by a notification of the terminal (OSC 9, OSC 777).
func Notify(ways []string, title, text string) tea.Cmd {
	return func() tea.Msg {
		return output{
			notificationSequence(
				ways,
				title,
				text,
				os.Getenv("TMUX") != "",
				strings.HasPrefix(os.Getenv("TERM"), "screen"),
			),
		}
	}
}

func notificationSequence(ways []string, title, text string, tmux, screen bool) string {
	title, text = truncate(stripControls(title)), truncate(stripControls(text))
	var out strings.Builder
	for _, way := range ways {
		switch way {
		case "bell":
			out.WriteString("\a")
		case "osc9":
			out.WriteString(wrapPassthrough("\x1b]9;"+title+": "+text+"\a", tmux, screen))
		case "osc777":
			out.WriteString(
				wrapPassthrough(
					"\x1b]777;notify;"+strings.ReplaceAll(title, ";", ",")+";"+strings.ReplaceAll(text, ";", ",")+"\a",
					tmux,
					screen,
				),
			)
		}
	}
	return out.String()
}

// truncate bounds a text that leaves the screen.
func truncate(text string) string {
	const most = 200
	if r := []rune(text); len(r) > most {
		return string(r[:most])
	}
	return text
}

// wrapPassthrough wraps a sequence that ends with a bell so that tmux or screen pass it on to their terminal.
func wrapPassthrough(sequence string, tmux, screen bool) string {
	switch {
	case tmux:
		return "\x1bPtmux;" + strings.ReplaceAll(sequence, "\x1b", "\x1b\x1b") + "\x1b\\"
	case screen:
		return "\x1bP" + sequence + "\x1b\\"
	}
	return sequence
}
