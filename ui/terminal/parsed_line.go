package terminal

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"lookout/theme"
)

// A cell is one column of a line.
type cell struct {
	r     rune // 0: the second cell of a wide grapheme; -n: grapheme n-1 of the line's ambiguous ones
	style styleID
}

var blank = cell{r: ' '}

// A parsedLine is a line as cells.
type parsedLine struct {
	cells     []cell
	ambiguous []string // graphemes that terminals may draw in different widths
	weight    int      // an estimate of the bytes that draw the line

	hashes      [blockCount]uint64 // of the line's quarters, if hashed is set
	hashed      bool
	hashedWidth int
}

// blockCount is the number of blocks of a line that are compared when a scroll is looked for.
const blockCount = 4

// hashFactor spreads the bits of characters and styles.
const hashFactor = 0x9e3779b97f4a7c15

// parse splits a line into cells. It drops everything but text and styles.
func (w *parsedLine) parse(line string, styles *styleTable) {
	w.cells, w.ambiguous, w.hashed = slices.Grow(w.cells[:0], min(len(line), 256)), w.ambiguous[:0], false
	blanks := 0
	var on, onBlank styleID
	for i := 0; i < len(line); {
		n, spaces := w.parsePlain(line[i:], on, onBlank)
		blanks += spaces
		if i += n; i == len(line) {
			break
		}
		switch c := line[i]; {
		case c == 0x1b:
			n, sgr := escapeLength(line[i:])
			if sgr {
				on = styles.apply(on, line[i:i+n])
				onBlank = styles.onBlank[on]
			}
			i += n
		case theme.StartsWithShape(line[i:]) && !startsCombining(line[i+3:]):
			w.cells = append(w.cells, cell{0x2000 | rune(line[i+1]&0x3f)<<6 | rune(line[i+2]&0x3f), on})
			i += 3
		case c >= utf8.RuneSelf || startsCombining(line[i+1:]):
			i += w.parseNonASCII(line[i:], on)
		default: // a control character
			i++
		}
	}
	w.weight = len(line) - blanks
}

// parsePlain parses the printable ASCII characters that a text begins with, up to one that has a combining mark. It
// returns their number, and how many of them are blanks.
func (w *parsedLine) parsePlain(text string, on, onBlank styleID) (n, blanks int) {
	cells := w.cells
	for ; n < len(text) && text[n] >= ' ' && text[n] < 0x7f; n++ {
		if n+1 < len(text) && text[n+1] >= utf8.RuneSelf && startsCombining(text[n+1:]) {
			break
		}
		if text[n] == ' ' {
			cells = append(cells, cell{' ', onBlank})
			blanks++
			continue
		}
		cells = append(cells, cell{rune(text[n]), on})
	}
	w.cells = cells
	return n, blanks
}

// parseNonASCII parses the first character of a text, which is not ASCII or has a combining mark, and returns its
// length.
func (w *parsedLine) parseNonASCII(text string, on styleID) int {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case unicode.IsControl(r):
		return size
	case theme.IsSingleCell(r) && !startsCombining(text[size:]):
		w.cells = append(w.cells, cell{r, on})
		return size
	}
	if r == utf8.RuneError && size == 1 { // not UTF-8: some terminals obey such bytes
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

// blockHashes returns the hashes of the line's four quarters for a screen of a width. Lines with equal hashes of a
// quarter look alike there; the hash of a blank quarter is 0.
func (w *parsedLine) blockHashes(width int) *[blockCount]uint64 {
	if w.hashed && w.hashedWidth == width {
		return &w.hashes
	}
	w.hashed, w.hashedWidth = true, width
	size := (width + blockCount - 1) / blockCount
	for n := range w.hashes {
		sum := uint64(0)
		from, to := min(n*size, len(w.cells)), min((n+1)*size, len(w.cells))
		for x, c := range w.cells[from:to] {
			if c == blank {
				continue
			}
			sum += (uint64(uint32(c.r)) | uint64(c.style)<<32) * (hashFactor + 2*uint64(x))
		}
		w.hashes[n] = sum
	}
	return &w.hashes
}

// cellAt returns a cell of a line, or a blank beyond its end.
func cellAt(cells []cell, x int) cell {
	if x < len(cells) {
		return cells[x]
	}
	return blank
}

// startsCombining reports whether a text may begin with a mark that combines with the character before it.
func startsCombining(rest string) bool {
	if rest == "" || rest[0] < utf8.RuneSelf || theme.StartsWithShape(rest) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return !theme.IsSingleCell(r)
}

// asciiOnly returns a line for a terminal that shows only ASCII: question marks of the same width replace the rest.
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
		out.WriteString(strings.Repeat(asciiFor(grapheme), width))
		i += max(1, len(grapheme))
	}
	return out.String()
}

// asciiFor returns what stands for a character on a terminal that shows only ASCII.
func asciiFor(grapheme string) string {
	if i := strings.Index(asciiTwins, grapheme); i >= 0 {
		_, twin, _ := strings.Cut(asciiTwins[i:], "=")
		return twin[:1]
	}
	return "?"
}

// asciiTwins are the characters that lookout writes in its own texts, each with an ASCII character of similar shape.
const asciiTwins = "·=- …=~ ›=> ‹=< —=- –=- ≥=> ≤=< →=> ←=< ↑=^ ↓=v ×=x µ=u °=o “=\" ”=\" ‘=' ’=' " +
	"─=- │=| ╭=+ ╮=+ ╰=+ ╯=+ ┤=| ├=| ┼=+ ┊=: █=# ░=. ▁=_ ▂=_ ▃=- ▅== ▇=# •=* ✓=+ ✗=x ▲=^ ▼=v ▸=> ●=* ○=o ◌=~ ⋯=:"
