package terminal

import (
	"fmt"
	"os"
	"strconv"
)

// progressSequence returns the sequence that sets the terminal's progress bar; 0 removes the bar.
func progressSequence(percent int) string {
	if percent <= 0 {
		return "\x1b]9;4;0\x1b\\"
	}
	return fmt.Sprintf("\x1b]9;4;1;%d\x1b\\", min(percent, 100))
}

// HasProgressBar reports whether the environment names a terminal with a progress bar (OSC 9;4). Other terminals may
// take the sequence for a notification.
func HasProgressBar() bool {
	if os.Getenv("TMUX") != "" || os.Getenv("STY") != "" {
		return false
	}
	switch os.Getenv("TERM_PROGRAM") {
	case "ghostty", "WezTerm":
		return true
	}
	vte, _ := strconv.Atoi(os.Getenv("VTE_VERSION"))
	return os.Getenv("WT_SESSION") != "" || os.Getenv("ConEmuANSI") == "ON" || vte >= 8000
}
