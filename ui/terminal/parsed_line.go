package terminal

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// A cell is one place of a line.
type cell struct {
	r     rune // 0 is the second place of a wide grapheme; below 0 is the number of an odd one
	style style
}

var blank = cell{r: ' '}

// A parsedLine is a line taken apart.
type parsedLine struct {
	cells     []cell
	ambiguous []string // graphemes whose width terminals may disagree about
}

// parse takes a line apart. What is neither text nor style is left out.
func (w *parsedLine) parse(line string) {
	w.cells, w.ambiguous = slices.Grow(w.cells[:0], min(len(line), 256)), w.ambiguous[:0]
	var on, onBlank style
	for i := 0; i < len(line); {
		c := line[i]
		switch {
		case c == 0x1b:
			i += on.parseEscape(line[i:])
			onBlank = on.visibleOnBlank()
		case c >= utf8.RuneSelf || startsCombining(line[i+1:]):
			i += w.parseNonASCII(line[i:], on)
		case c == ' ':
			w.cells = append(w.cells, cell{' ', onBlank})
			i++
		default:
			if c > ' ' && c != 0x7f {
				w.cells = append(w.cells, cell{rune(c), on})
			}
			i++
		}
	}
}

// parseNonASCII takes the character that a text begins with, which is not ASCII or has a mark, and gives its length.
func (w *parsedLine) parseNonASCII(text string, on style) int {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case r < ' ' || r >= 0x7f && r < 0xa0:
		return size
	case isSingleCell(r) && !startsCombining(text[size:]):
		w.cells = append(w.cells, cell{r, on})
		return size
	}
	if r == utf8.RuneError && size == 1 { // a byte that is no character: some terminals obey it
		w.ambiguous = append(w.ambiguous, "\ufffd")
		w.cells = append(w.cells, cell{rune(-len(w.ambiguous)), on})
		return size
	}
	grapheme, width := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	if width > 0 {
		w.ambiguous = append(w.ambiguous, grapheme)
		w.cells = append(w.cells, cell{rune(-len(w.ambiguous)), on})
	}
	for range width - 1 {
		w.cells = append(w.cells, cell{0, on})
	}
	return len(grapheme)
}

// cellAt is a cell of a line; beyond its end there are blanks.
func cellAt(cells []cell, x int) cell {
	if x < len(cells) {
		return cells[x]
	}
	return blank
}

// isSingleCell reports whether a character is a shape that every terminal draws one cell wide: lines, blocks, geometric
// shapes.
func isSingleCell(r rune) bool {
	return r >= 0x2500 && r <= 0x25ff || r == '…' || r == '·' || r == '‹' || r == '›' || r == '✓' || r == '✗' ||
		r == '•'
}

// startsCombining reports whether a text may begin with a mark that belongs to the character before it.
func startsCombining(rest string) bool {
	if rest == "" || rest[0] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return !isSingleCell(r)
}

// asciiOnly is a line for a terminal that shows nothing beyond ASCII: question marks stand for the rest, as wide as it
// was.
func asciiOnly(line string) string {
	if !strings.ContainsFunc(line, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return line
	}
	var out strings.Builder
	for i := 0; i < len(line); {
		if line[i] < utf8.RuneSelf {
			out.WriteByte(line[i])
			i++
			continue
		}
		grapheme, width := ansi.FirstGraphemeCluster(line[i:], ansi.GraphemeWidth)
		out.WriteString(strings.Repeat("?", width))
		i += max(1, len(grapheme))
	}
	return out.String()
}
