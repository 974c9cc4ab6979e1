package table

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lookout/theme"
	"lookout/ui"
)

// lineBuffer builds a block of lines of one width, each with lines of other texts beside it if there are any. It reuses
// its memory from frame to frame.
type lineBuffer struct {
	out       []byte
	lineStart int // of the current line
	width     int
	linesLeft int // lines to come
	// The rest of the texts before and behind it. They have as many lines as it, and each line has the width of its
	// text already; "" is none.
	beforeText string
	sideTexts  [2]string
}

// reset starts a new block.
func (p *lineBuffer) reset(width, height int) {
	*p = lineBuffer{out: p.out[:0], width: width, linesLeft: height}
}

// writeLine writes a line of any width.
func (p *lineBuffer) writeLine(line string) {
	p.out = append(p.out, line...)
	p.endLine(ui.Width(line))
}

// endLine ends the current line, which has a number of cells: it is cut or padded to the width.
func (p *lineBuffer) endLine(cells int) {
	cells -= p.trimBlanks(cells - p.width)
	if cells > p.width {
		line := ansi.Truncate(string(p.out[p.lineStart:]), p.width, "")
		p.out, cells = append(p.out[:p.lineStart], line...), ui.Width(line)
	}
	p.pad(p.width - cells)
	p.writeSides()
	if p.linesLeft--; p.linesLeft > 0 {
		p.out = append(p.out, '\n')
	}
	p.beginLine()
}

// beginLine begins a line with the next one of the text before it.
func (p *lineBuffer) beginLine() {
	if p.beforeText != "" && p.linesLeft > 0 {
		var line string
		line, p.beforeText, _ = strings.Cut(p.beforeText, "\n")
		p.out = append(append(p.out, line...), ' ')
	}
	p.lineStart = len(p.out)
}

// writeSides writes the next lines of the texts behind it.
func (p *lineBuffer) writeSides() {
	for i, separator := range [...]string{" ", ""} {
		if p.sideTexts[i] != "" {
			var line string
			line, p.sideTexts[i], _ = strings.Cut(p.sideTexts[i], "\n")
			p.out = append(append(p.out, separator...), line...)
		}
	}
}

// trimBlanks removes at most n blanks from the end of the current line and returns how many it removed.
func (p *lineBuffer) trimBlanks(n int) (trimmed int) {
	for trimmed < n && len(p.out) > p.lineStart && p.out[len(p.out)-1] == ' ' {
		p.out = p.out[:len(p.out)-1]
		trimmed++
	}
	return trimmed
}

// pad writes n spaces.
func (p *lineBuffer) pad(n int) { p.out = ui.AppendSpaces(p.out, n) }

// writeCell writes text in a column of a width, cut with a mark if it is longer.
func (p *lineBuffer) writeCell(text string, width int, right bool, look theme.EscapeCodes, mark string) {
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

// endStyledLine ends a line that started with the opening of a style. The style ends with the text, or fills the width.
func (p *lineBuffer) endStyledLine(cells int, look theme.EscapeCodes, fill bool, mark string) {
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
