package terminal

import (
	"strconv"
	"unicode/utf8"
)

// A diffWriter turns lines of the screen into others with as few bytes as it can: it knows where the cursor is and
// which style is on.
type diffWriter struct {
	out             []byte
	x, y            int // of the cursor; -1 is nowhere known
	style           style
	cursorUncertain bool // an odd grapheme was written: the cursor may stand elsewhere

	ascii bool // the terminal shows nothing beyond ASCII

	oldCells []cell // of the line under way: what stands there
	newLine  parsedLine
	scratch  []byte
}

// beginFrame forgets the last frame's bytes. Between frames the terminal's style is its own.
func (p *diffWriter) beginFrame() {
	p.out, p.x, p.y, p.style, p.cursorUncertain = p.out[:0], -1, -1, style{}, false
}

// endFrame leaves the terminal's own style on.
func (p *diffWriter) endFrame() { p.setStyle(style{}) }

// updateLine turns what stands in a line into another text, and keeps that in its place. A line with graphemes that
// terminals may disagree about is written whole.
func (p *diffWriter) updateLine(y int, stands *parsedLine, text string) {
	p.oldCells = stands.cells
	if p.ascii {
		text = asciiOnly(text)
	}
	p.newLine.parse(text)
	p.rewrite(y, len(stands.ambiguous)+len(p.newLine.ambiguous) > 0)
	*stands, p.newLine = p.newLine, *stands
}

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

// firstDifference is the first cell that differs, -1 where none does, and how many become blank.
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

// writeShorter writes a line from a place on in the shorter of two ways: over what stands there, or after erasing it.
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

// writeFrom writes the cells from a place on that differ from what stands there, and the one behind an odd grapheme,
// which may have covered it. Blanks at the end are erased: never with the cursor behind the last cell, where erasing
// takes that cell away.
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

// advanceTo brings the cursor to a cell: over a few cells that stay by writing them again, over more by moving.
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

// cheaperToRewrite reports whether the cells up to x take fewer bytes than moving over them.
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

// styleMatches reports whether the style that is on draws a cell as it must be.
func (p *diffWriter) styleMatches(c cell) bool {
	return p.style == c.style || c.r == ' ' && p.style.visibleOnBlank() == c.style
}

// writeCell writes a cell at the cursor.
func (p *diffWriter) writeCell(c cell) {
	odd := c.r < 0
	if p.cursorUncertain && !odd {
		p.moveCursor(p.x, p.y)
	}
	if !p.styleMatches(c) {
		p.setStyle(c.style)
	}
	if odd {
		p.out = append(p.out, p.newLine.ambiguous[-c.r-1]...)
	} else {
		p.out = utf8.AppendRune(p.out, c.r)
	}
	p.cursorUncertain = odd
	for p.x++; p.x < len(p.newLine.cells) && p.newLine.cells[p.x].r == 0; {
		p.x++
	}
}

// eraseToEnd makes everything from a cell to the end of its line blank.
func (p *diffWriter) eraseToEnd(x, y int) {
	p.moveCursor(x, y)
	p.setStyle(style{})
	p.out = append(p.out, "\x1b[K"...)
}

// setStyle makes a style the one that is on.
func (p *diffWriter) setStyle(style style) {
	p.out, p.style = p.style.appendChange(p.out, style), style
}

// moveCursor puts the cursor on a cell.
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
