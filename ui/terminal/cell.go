package terminal

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// A cell is one place of a line.
type cell struct {
	r   rune // 0 is the second place of a wide grapheme; below 0 is the number of an odd one
	pen pen
}

var blank = cell{r: ' '}

// A row is a line taken apart.
type row struct {
	cells []cell
	odd   []string // graphemes whose width terminals may disagree about
}

// parse takes a line apart. What is neither text nor style is left out.
func (w *row) parse(line string) {
	w.cells, w.odd = slices.Grow(w.cells[:0], min(len(line), 256)), w.odd[:0]
	var on, onBlank pen
	for i := 0; i < len(line); {
		c := line[i]
		switch {
		case c == 0x1b:
			i += on.escape(line[i:])
			onBlank = on.seen()
		case c >= utf8.RuneSelf || joined(line[i+1:]):
			i += w.beyond(line[i:], on)
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

// beyond takes the character that a text begins with, which is not ASCII or has a mark, and gives its length.
func (w *row) beyond(text string, on pen) int {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case r < ' ' || r >= 0x7f && r < 0xa0:
		return size
	case single(r) && !joined(text[size:]):
		w.cells = append(w.cells, cell{r, on})
		return size
	}
	if r == utf8.RuneError && size == 1 { // a byte that is no character: some terminals obey it
		w.odd = append(w.odd, "\ufffd")
		w.cells = append(w.cells, cell{rune(-len(w.odd)), on})
		return size
	}
	grapheme, width := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	if width > 0 {
		w.odd = append(w.odd, grapheme)
		w.cells = append(w.cells, cell{rune(-len(w.odd)), on})
	}
	for range width - 1 {
		w.cells = append(w.cells, cell{0, on})
	}
	return len(grapheme)
}

// at is a cell of a line; beyond its end there are blanks.
func at(cells []cell, x int) cell {
	if x < len(cells) {
		return cells[x]
	}
	return blank
}

// single reports whether a character is a shape that every terminal draws one cell wide: lines, blocks, geometric shapes.
func single(r rune) bool {
	return r >= 0x2500 && r <= 0x25ff || r == '…' || r == '·' || r == '‹' || r == '›' || r == '✓' || r == '✗' || r == '•'
}

// joined reports whether a text may begin with a mark that belongs to the character before it.
func joined(rest string) bool {
	if rest == "" || rest[0] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return !single(r)
}

// asciiOnly is a line for a terminal that shows nothing beyond ASCII: question marks stand for the rest, as wide as it was.
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
