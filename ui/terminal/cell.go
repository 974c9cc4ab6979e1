package terminal

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// A cell is one place of a line.
type cell struct {
	text string // a grapheme; empty in the second place of a wide one
	pen  pen
	odd  bool // terminals may disagree about how wide it is
}

var blank = cell{text: " "}

// parse takes a line apart, into cells. odd reports whether any cell is. What is neither text nor style is left out.
func parse(cells []cell, line string) (_ []cell, odd bool) {
	var p pen
	for i := 0; i < len(line); {
		c := line[i]
		if c == 0x1b {
			i += p.escape(line[i:])
			continue
		}
		size := 1
		if c >= utf8.RuneSelf {
			_, size = utf8.DecodeRuneInString(line[i:])
		}
		text, width := line[i:i+size], 1
		switch {
		case c < 0x20 || c == 0x7f || c == 0xc2 && size == 2 && line[i+1] < 0xa0:
			i += size
			continue
		case c >= utf8.RuneSelf && !single(text) || joined(line[i+size:]):
			text, width = ansi.FirstGraphemeCluster(line[i:], ansi.GraphemeWidth)
			cells, odd = append(cells, grapheme(text, width, p)...), true
		default:
			cells = append(cells, place(text, p))
		}
		i += len(text)
	}
	return cells, odd
}

// grapheme is the cells of one that is neither ASCII nor a shape. One without a width has no place.
func grapheme(text string, width int, p pen) []cell {
	first := place(text, p)
	first.odd = true
	switch width {
	case 0:
		return nil
	case 1:
		return []cell{first}
	}
	return []cell{first, {pen: first.pen, odd: true}}
}

// place is a cell. Of a blank's style only what can be seen counts, so that blanks that look the same are the same.
func place(text string, p pen) cell {
	if text == " " {
		p = p.seen()
	}
	return cell{text: text, pen: p}
}

// single reports whether a grapheme is a shape that every terminal draws one cell wide: lines, blocks, geometric shapes.
func single(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return r >= 0x2500 && r <= 0x25ff || r == '…' || r == '·' || r == '‹' || r == '›' || r == '✓' || r == '✗' || r == '•'
}

// joined reports whether a text may begin with a mark that belongs to the character before it.
func joined(rest string) bool { return rest != "" && rest[0] >= utf8.RuneSelf && !single(rest) }
