package terminal

import (
	"strconv"
	"unicode/utf8"
)

// A diffWriter changes the lines on the screen into other lines with as few bytes as possible. It tracks the cursor and
// the current style.
type diffWriter struct {
	out             []byte
	x, y            int // position of the cursor; -1 if unknown
	style           style
	cursorUncertain bool // after a grapheme of uncertain width, the cursor may be elsewhere

	ascii    bool // the terminal shows only ASCII
	slowLine bool // the line to the terminal is slow: 256 colours are enough

	oldCells []cell     // the current line as it is on the screen
	newLine  parsedLine // the current line as it must become
	scratch  []byte
}

// beginFrame starts a new frame. Between frames the terminal has its default style.
func (p *diffWriter) beginFrame() {
	p.out, p.x, p.y, p.style, p.cursorUncertain = p.out[:0], -1, -1, style{}, false
}

// endFrame returns to the default style.
func (p *diffWriter) endFrame() { p.setStyle(style{}) }

// updateLine changes a line on the screen into text, and stores the new line in its place. A line with graphemes of
// uncertain width is written whole.
func (p *diffWriter) updateLine(y int, current *parsedLine, text string) {
	p.oldCells = current.cells
	if p.ascii {
		text = asciiOnly(text)
	}
	p.newLine.parse(text)
	p.rewrite(y, len(current.ambiguous)+len(p.newLine.ambiguous) > 0)
	*current, p.newLine = p.newLine, *current
}

// rewrite writes the new line: whole, or where it differs.
func (p *diffWriter) rewrite(y int, whole bool) {
	if whole {
		p.eraseToEnd(0, y)
		p.oldCells = nil
		p.writeFrom(y, 0)
		return
	}
	first, blanked := p.firstDifference()
	switch {
	case first < 0:
	case blanked > 4:
		p.writeShorter(y, first)
	default:
		p.writeFrom(y, first)
	}
}

// firstDifference returns the first cell that differs, or -1, and the number of cells that become blank.
func (p *diffWriter) firstDifference() (first, blanked int) {
	first = -1
	for x := range max(len(p.oldCells), len(p.newLine.cells)) {
		if c := cellAt(p.newLine.cells, x); cellAt(p.oldCells, x) != c {
			if first < 0 {
				first = x
			}
			if c == blank {
				blanked++
			}
		}
	}
	return first, blanked
}

// writeShorter writes a line from a cell on in the shorter of two ways: over the old cells, or after erasing them.
func (p *diffWriter) writeShorter(y, first int) {
	start := *p
	p.writeFrom(y, first)
	over := *p
	p.scratch = append(p.scratch[:0], p.out[len(start.out):]...)
	over.scratch = p.scratch
	p.out, p.x, p.y, p.style = start.out, start.x, start.y, start.style
	p.eraseToEnd(first, y)
	p.oldCells = p.oldCells[:min(first, len(p.oldCells))]
	p.writeFrom(y, first)
	if len(p.out) >= len(over.out) {
		over.out = append(p.out[:len(start.out)], p.scratch...)
		*p = over
	}
}

// writeFrom writes the cells from a column on that differ, and the cell behind an ambiguous grapheme, which may have
// covered it. It erases blanks at the end, but never with the cursor behind the last column, where erasing would
// remove the last cell.
func (p *diffWriter) writeFrom(y, from int) {
	cells := p.newLine.cells
	end := len(cells)
	for end > 0 && cells[end-1] == blank {
		end--
	}
	if end > 0 && end < len(cells) && cells[end-1].r <= 0 {
		end++
	}
	for x := from; x < end; x++ {
		if c := cells[x]; c.r != 0 && (cellAt(p.oldCells, x) != c || p.cursorUncertain && p.x == x) {
			p.advanceTo(x, y)
			p.writeCell(c)
		}
	}
	for x := max(from, end); x < len(p.oldCells); x++ {
		if p.oldCells[x] != blank {
			p.eraseToEnd(x, y)
			return
		}
	}
}

// advanceTo brings the cursor to a cell: it rewrites a few unchanged cells, or moves over more of them.
func (p *diffWriter) advanceTo(x, y int) {
	if p.y == y && p.x < x && !p.cursorUncertain && p.cheaperToRewrite(x) {
		for p.x < x {
			p.writeCell(p.newLine.cells[p.x])
		}
	}
	if p.y != y || p.x != x {
		p.moveCursor(x, y)
	}
}

// cheaperToRewrite reports whether writing the cells up to x takes fewer bytes than moving the cursor.
func (p *diffWriter) cheaperToRewrite(x int) bool {
	bytes := 0
	if x-p.x > 4 {
		return false
	}
	for _, c := range p.newLine.cells[p.x:x] {
		if bytes += utf8.RuneLen(c.r); bytes > 4 || c.r <= 0 || !p.styleMatches(c) {
			return false
		}
	}
	return true
}

// styleMatches reports whether the current style draws a cell correctly.
func (p *diffWriter) styleMatches(c cell) bool {
	return p.style == c.style || c.r == ' ' && p.style.visibleOnBlank() == c.style
}

// writeCell writes a cell at the cursor.
func (p *diffWriter) writeCell(c cell) {
	ambiguous := c.r < 0
	if p.cursorUncertain && !ambiguous {
		p.moveCursor(p.x, p.y)
	}
	if !p.styleMatches(c) {
		p.setStyle(c.style)
	}
	if ambiguous {
		p.out = append(p.out, p.newLine.ambiguous[-c.r-1]...)
	} else {
		p.out = utf8.AppendRune(p.out, c.r)
	}
	p.cursorUncertain = ambiguous
	for p.x++; p.x < len(p.newLine.cells) && p.newLine.cells[p.x].r == 0; {
		p.x++
	}
}

// eraseToEnd erases a line from a cell on.
func (p *diffWriter) eraseToEnd(x, y int) {
	p.moveCursor(x, y)
	p.setStyle(style{})
	p.out = append(p.out, "\x1b[K"...)
}

// setStyle changes the current style.
func (p *diffWriter) setStyle(style style) {
	p.out, p.style = p.style.appendChange(p.out, style), style
}

// moveCursor moves the cursor to a cell.
func (p *diffWriter) moveCursor(x, y int) {
	if p.x == x && p.y == y && !p.cursorUncertain {
		return
	}
	p.out = append(p.out, "\x1b["...)
	final := byte('G')
	if p.y != y {
		p.out, final = strconv.AppendInt(p.out, int64(y+1), 10), 'H'
		if x > 0 {
			p.out = append(p.out, ';')
		}
	}
	if x > 0 {
		p.out = strconv.AppendInt(p.out, int64(x+1), 10)
	}
	p.out = append(p.out, final)
	p.x, p.y, p.cursorUncertain = x, y, false
}
