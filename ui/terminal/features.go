package terminal

import (
	"os"
	"runtime"
	"strings"
)

// features are the control functions that the terminal is known to have, beyond those of every terminal: absolute and
// relative cursor motion, SGR, erasing to the end of a line.
type features struct {
	lineFeed    bool // a line feed moves the cursor straight down
	insertLines bool // IL, DL
	scroll      bool // DECSTBM, SU, SD
	eraseCells  bool // ECH
	eraseColor  bool // ECH leaves the current background
	repeat      bool // REP, for ASCII
	margins     bool // DECLRMM, DECSLRM; set when the terminal answers marginQuery
}

// marginQuery asks the terminal whether it has left and right margins (DECRQM). Many do and many do not, whatever their
// name.
const marginQuery = "\x1b[?69$p"

// knownFeatures returns the features of the terminals that use a value of TERM. Most terminals of the last twenty years
// call themselves xterm, so it only has what all of them have.
func knownFeatures(term string) features {
	family, rest, _ := strings.Cut(term, "-")
	all := features{insertLines: true, scroll: true, eraseCells: true, eraseColor: true}
	switch family {
	case "xterm":
		all.repeat = rest == "kitty" || rest == "ghostty"
	case "foot", "kitty", "ghostty", "wezterm", "contour", "alacritty":
		all.repeat = true
	case "tmux", "screen": // old versions erase with the default background
		all.eraseColor = false
	case "rxvt", "st", "konsole", "vte", "gnome", "iterm2", "iTerm2.app", "putty", "mintty", "ms":
	case "linux": // the console has no SU and SD
		all.scroll = false
	default:
		return features{}
	}
	return all
}

// featuresOf returns the features of a terminal with a value of TERM. The files are those that it is read and written
// with; nil in tests.
func featuresOf(term string, input, output *os.File) features {
	f := knownFeatures(term)
	f.lineFeed = input == nil || runtime.GOOS != "windows" && isSameFile(input, output)
	return f
}

// isSameFile reports whether input and output are one terminal. Then the raw mode, which is set for the input, is also
// the output's, and nothing adds a carriage return to a line feed.
func isSameFile(input, output *os.File) bool {
	in, _ := input.Stat()
	out, _ := output.Stat()
	return os.SameFile(in, out) // false if the system does not tell
}
