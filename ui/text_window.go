package ui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"lookout/theme"
)

// LongTextView shows a text of any length. It wraps only the lines in sight, so a frame takes the same time for a line
// and for a megabyte.
type LongTextView struct {
	text   string
	clean  func(string) string
	starts []int // where the pieces of the text begin: its lines, and parts of long lines
	piece  int   // the piece of the first line in sight
	row    int   // of the piece's wrapped lines, the first one in sight

	width, height int // of the last frame, set by View: scrolling goes by them

	wrapped Memo[[2]int, []string] // the lines of a piece in a width
}

// pieceSize is the number of bytes from which on a line is split into pieces.
const pieceSize = 2 << 10

// NewTextWindow returns a window at the beginning of a text. clean makes a line safe to display.
func NewTextWindow(text string, clean func(string) string) *LongTextView {
	w := &LongTextView{
		text:   text,
		clean:  clean,
		width:  1,
		height: 1,
	}
	for at := 0; at <= len(text); {
		w.starts = append(w.starts, at)
		at = pieceEnd(text, at)
		if at < len(text) && text[at] == '\n' || at == len(text) {
			at++
		}
	}
	return w
}

// pieceEnd returns where the piece that begins at a position ends: at a line break, at the last blank that fits, or
// between two characters.
func pieceEnd(text string, at int) int {
	rest := text[at:min(len(text), at+pieceSize)]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		return at + i
	}
	if at+len(rest) == len(text) {
		return len(text)
	}
	if i := strings.LastIndexByte(rest, ' '); i > 0 {
		return at + i
	}
	end := len(rest)
	for end > len(rest)-utf8.UTFMax && !utf8.RuneStart(text[at+end]) {
		end--
	}
	return at + end
}

// lines returns the wrapped lines of a piece.
func (w *LongTextView) lines(piece int) []string {
	return w.wrapped.Get([2]int{piece, w.width}, func() []string {
		start := w.starts[piece]
		return Wrap(w.clean(w.text[start:pieceEnd(w.text, start)]), w.width)
	})
}

// scroll moves the window by a number of lines.
func (w *LongTextView) scroll(by int) {
	w.scrollUp(-by)
	for ; by > 0; by-- {
		if w.row+1 < len(w.lines(w.piece)) {
			w.row++
		} else if w.piece+1 < len(w.starts) {
			w.piece, w.row = w.piece+1, 0
		}
	}
	w.keepFilled()
}

// scrollUp moves the window up by a number of lines; a negative number does nothing.
func (w *LongTextView) scrollUp(by int) {
	for ; by > 0 && (w.piece > 0 || w.row > 0); by-- {
		if w.row--; w.row < 0 {
			w.piece--
			w.row = max(0, len(w.lines(w.piece))-1)
		}
	}
}

// scrollToEnd shows the last page.
func (w *LongTextView) scrollToEnd() {
	w.piece = len(w.starts) - 1
	w.row = max(0, len(w.lines(w.piece))-1)
	w.keepFilled()
}

// keepFilled moves the window up if less than a full page is left below its first line.
func (w *LongTextView) keepFilled() {
	below := -w.row
	for i := w.piece; i < len(w.starts); i++ {
		if below += len(w.lines(i)); below >= w.height {
			return
		}
	}
	w.scrollUp(w.height - below)
}

// LineCount returns the number of lines that the text takes at a width, or most if there are more.
func (w *LongTextView) LineCount(width, most int) int {
	n := 0
	for i := 0; i < len(w.starts) && n < most; i++ {
		n += len(Wrap(w.clean(w.text[w.starts[i]:pieceEnd(w.text, w.starts[i])]), width))
	}
	return min(n, most)
}

// Actions returns the actions that scroll the text.
func (w *LongTextView) Actions() []Action {
	return scrollActions(w.height, w.scroll, func() { w.piece, w.row = 0, 0 }, w.scrollToEnd)
}

// View draws the lines in sight. If more follows, the last line says how much of the text is above.
func (w *LongTextView) View(b Box) string {
	if b.Width <= 0 || b.Height <= 0 {
		return ""
	}
	if w.width != b.Width {
		w.width, w.row = b.Width, 0
	}
	w.height = b.Height
	w.keepFilled()
	lines, skip := make([]string, 0, b.Height+1), w.row
	last := w.piece
	for ; last < len(w.starts) && len(lines) <= b.Height; last++ {
		part := w.lines(last)
		lines = append(lines, part[min(skip, len(part)):]...)
		skip = 0
	}
	if len(lines) > b.Height && b.Height > 1 {
		shown := w.starts[last-1] * 100 / max(1, len(w.text))
		more := fmt.Sprintf("%s more below · %d %%", b.Theme.Glyphs.Down, shown)
		lines = append(lines[:b.Height-1], b.Theme.Paint(theme.Muted, more))
	}
	return b.Fit(strings.Join(lines[:min(len(lines), b.Height)], "\n"))
}
