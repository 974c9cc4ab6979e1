package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Width is how many cells text takes, styles not counted.
func Width(text string) int {
	if plainASCII(text) {
		return len(text)
	}
	return ansi.StringWidth(text)
}

// plainASCII reports whether text is printable ASCII alone: a cell a byte.
func plainASCII(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] < 0x20 || text[i] > 0x7e {
			return false
		}
	}
	return true
}

// Cut shortens text to at most width cells and marks the cut.
func Cut(text string, width int, mark string) string {
	switch {
	case width <= 0:
		return ""
	case Width(text) <= width:
		return text
	case plainASCII(text):
		return text[:max(0, width-1)] + mark
	}
	return ansi.Truncate(text, width, mark)
}

// Pad fills text with spaces to width cells; longer text stays.
func Pad(text string, width int) string {
	if n := width - Width(text); n > 0 {
		return text + strings.Repeat(" ", n)
	}
	return text
}

// PadLeft puts the spaces before the text: numbers.
func PadLeft(text string, width int) string {
	if n := width - Width(text); n > 0 {
		return strings.Repeat(" ", n) + text
	}
	return text
}

// Wrap breaks text into lines of at most width cells, between words where it can.
func Wrap(text string, width int) []string {
	if width <= 0 {
		return nil
	}
	return strings.Split(ansi.Wrap(text, width, " "), "\n")
}

// Fit cuts and pads text to exactly the box: no pane can break the frame.
func (b Box) Fit(text string) string {
	if b.Width <= 0 || b.Height <= 0 {
		return ""
	}
	var out strings.Builder
	lines := strings.Split(text, "\n")
	for i := range b.Height {
		if i > 0 {
			out.WriteByte('\n')
		}
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		if w := Width(line); w > b.Width {
			line = ansi.Truncate(line, b.Width, "")
		}
		out.WriteString(Pad(line, b.Width))
	}
	return out.String()
}

// Beside sets two blocks side by side: the right one starts at cell at, and no line is wider than width.
func Beside(left, right string, at, width int) string {
	l, r := strings.Split(left, "\n"), strings.Split(right, "\n")
	var out strings.Builder
	for i := range max(len(l), len(r)) {
		if i > 0 {
			out.WriteByte('\n')
		}
		a, b := "", ""
		if i < len(l) {
			a = ansi.Truncate(l[i], at, "")
		}
		if i < len(r) {
			b = ansi.Truncate(r[i], max(0, width-at), "")
		}
		out.WriteString(Pad(a, at) + b)
	}
	return out.String()
}
