package table

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lookout/theme"
	"lookout/ui"
)

// A lineBuffer is a block of text under way: lines of exactly one width, each with its part of another text beside it
// where there is one. It keeps its room from frame to frame.
type lineBuffer struct {
	out       []byte
	lineStart int // of the line under way
	width     int
	linesLeft int // lines to come
	separator string
	sideText  string // what is left of the text beside
	sideWidth int    // cells for it; 0 is none
}

// reset starts a block anew.
func (p *lineBuffer) reset(width, height int) {
	*p = lineBuffer{out: p.out[:0], width: width, linesLeft: height}
}

// writeLine writes a line that may have any width.
func (p *lineBuffer) writeLine(line string) {
	p.out = append(p.out, line...)
	p.endLine(ui.Width(line))
}

// endLine ends the line under way, which has so many cells: what is too much goes, what lacks is blank.
func (p *lineBuffer) endLine(cells int) {
	cells -= p.trimBlanks(cells - p.width)
	if cells > p.width {
		line := ansi.Truncate(string(p.out[p.lineStart:]), p.width, "")
		p.out, cells = append(p.out[:p.lineStart], line...), ui.Width(line)
	}
	p.pad(p.width - cells)
	if p.sideWidth > 0 {
		p.writeSide()
	}
	if p.linesLeft--; p.linesLeft > 0 {
		p.out = append(p.out, '\n')
	}
	p.lineStart = len(p.out)
}

// writeSide writes the next line of the text beside.
func (p *lineBuffer) writeSide() {
	var line string
	line, p.sideText, _ = strings.Cut(p.sideText, "\n")
	cells := ui.Width(line)
	if cells > p.sideWidth {
		line = ansi.Truncate(line, p.sideWidth, "")
		cells = ui.Width(line)
	}
	p.out = append(append(p.out, p.separator...), line...)
	p.pad(p.sideWidth - cells)
}

// trimBlanks takes at most n blanks from the end of the line under way and says how many.
func (p *lineBuffer) trimBlanks(n int) (gone int) {
	for gone < n && len(p.out) > p.lineStart && p.out[len(p.out)-1] == ' ' {
		p.out = p.out[:len(p.out)-1]
		gone++
	}
	return gone
}

func (p *lineBuffer) pad(n int) { p.out = ui.AppendSpaces(p.out, n) }

// writeCell writes a text in a column of so many cells, cut with a mark where it is longer.
func (p *lineBuffer) writeCell(text string, width int, right bool, look theme.Codes, mark string) {
	cells := ui.Width(text)
	tail := ""
	switch {
	case cells <= width:
	case width <= 0:
		text, cells = "", 0
	case cells == len(text):
		text, tail, cells = text[:width-1], mark, width
	default:
		text = ansi.Truncate(text, width, mark)
		cells = ui.Width(text)
	}
	if right {
		p.pad(width - cells)
	}
	if text != "" || tail != "" {
		p.out = append(append(append(append(p.out, look.Open...), text...), tail...), look.Close...)
	}
	if !right {
		p.pad(width - cells)
	}
}

// endStyledLine closes the line under way, which began with the opening of a style: the style ends with its text, or
// reaches over the whole width.
func (p *lineBuffer) endStyledLine(cells int, look theme.Codes, fill bool, mark string) {
	cells -= p.trimBlanks(cells)
	if cells > p.width {
		line := ansi.Truncate(string(p.out[p.lineStart:]), p.width, mark)
		p.out, cells = append(p.out[:p.lineStart], line...), ui.Width(line)
	}
	if fill {
		p.pad(p.width - cells)
		cells = p.width
	}
	p.out = append(p.out, look.Close...)
	p.endLine(cells)
}
