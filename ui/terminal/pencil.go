package terminal

import (
	"strconv"
	"unicode/utf8"
)

// A pencil turns lines of the screen into others with as few bytes as it can: it knows where the cursor is and which style is on.
type pencil struct {
	out    []byte
	x, y   int // of the cursor; -1 is nowhere known
	pen    pen
	unsure bool // an odd grapheme was written: the cursor may stand elsewhere

	ascii bool // the terminal shows nothing beyond ASCII

	before []cell // of the line under way: what stands there
	after  row
	spare  []byte
}

// begin forgets the last frame's bytes. Between frames the terminal's style is its own.
func (p *pencil) begin() { p.out, p.x, p.y, p.pen, p.unsure = p.out[:0], -1, -1, pen{}, false }

// end leaves the terminal's own style on.
func (p *pencil) end() { p.ink(pen{}) }

// line turns what stands in a line into another text, and keeps that in its place. A line with graphemes that terminals may disagree
// about is written whole.
func (p *pencil) line(y int, stands *row, text string) {
	p.before = stands.cells
	if p.ascii {
		text = asciiOnly(text)
	}
	p.after.parse(text)
	p.rewrite(y, len(stands.odd)+len(p.after.odd) > 0)
	*stands, p.after = p.after, *stands
}

func (p *pencil) rewrite(y int, whole bool) {
	if whole {
		p.erase(0, y)
		p.before = nil
		p.write(y, 0)
		return
	}
	first, blanked := p.differ()
	switch {
	case first < 0:
	case blanked > 4:
		p.shorter(y, first)
	default:
		p.write(y, first)
	}
}

// differ is the first cell that differs, -1 where none does, and how many become blank.
func (p *pencil) differ() (first, blanked int) {
	first = -1
	for x := range max(len(p.before), len(p.after.cells)) {
		if c := at(p.after.cells, x); at(p.before, x) != c {
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

// shorter writes a line from a place on in the shorter of two ways: over what stands there, or after erasing it.
func (p *pencil) shorter(y, first int) {
	start := *p
	p.write(y, first)
	over := *p
	p.spare = append(p.spare[:0], p.out[len(start.out):]...)
	over.spare = p.spare
	p.out, p.x, p.y, p.pen = start.out, start.x, start.y, start.pen
	p.erase(first, y)
	p.before = p.before[:min(first, len(p.before))]
	p.write(y, first)
	if len(p.out) >= len(over.out) {
		over.out = append(p.out[:len(start.out)], p.spare...)
		*p = over
	}
}

// write writes the cells from a place on that differ from what stands there, and the one behind an odd grapheme, which may have covered it.
// Blanks at the end are erased: never with the cursor behind the last cell, where erasing takes that cell away.
func (p *pencil) write(y, from int) {
	cells := p.after.cells
	end := len(cells)
	for end > 0 && cells[end-1] == blank {
		end--
	}
	if end > 0 && end < len(cells) && cells[end-1].r <= 0 {
		end++
	}
	for x := from; x < end; x++ {
		if c := cells[x]; c.r != 0 && (at(p.before, x) != c || p.unsure && p.x == x) {
			p.reach(x, y)
			p.put(c)
		}
	}
	for x := max(from, end); x < len(p.before); x++ {
		if p.before[x] != blank {
			p.erase(x, y)
			return
		}
	}
}

// reach brings the cursor to a cell: over a few cells that stay by writing them again, over more by moving.
func (p *pencil) reach(x, y int) {
	if p.y == y && p.x < x && !p.unsure && p.near(x) {
		for p.x < x {
			p.put(p.after.cells[p.x])
		}
	}
	if p.y != y || p.x != x {
		p.move(x, y)
	}
}

// near reports whether the cells up to x take fewer bytes than moving over them.
func (p *pencil) near(x int) bool {
	bytes := 0
	if x-p.x > 4 {
		return false
	}
	for _, c := range p.after.cells[p.x:x] {
		if bytes += utf8.RuneLen(c.r); bytes > 4 || c.r <= 0 || !p.suits(c) {
			return false
		}
	}
	return true
}

// suits reports whether the style that is on draws a cell as it must be.
func (p *pencil) suits(c cell) bool {
	return p.pen == c.pen || c.r == ' ' && p.pen.seen() == c.pen
}

// put writes a cell at the cursor.
func (p *pencil) put(c cell) {
	odd := c.r < 0
	if p.unsure && !odd {
		p.move(p.x, p.y)
	}
	if !p.suits(c) {
		p.ink(c.pen)
	}
	if odd {
		p.out = append(p.out, p.after.odd[-c.r-1]...)
	} else {
		p.out = utf8.AppendRune(p.out, c.r)
	}
	p.unsure = odd
	for p.x++; p.x < len(p.after.cells) && p.after.cells[p.x].r == 0; {
		p.x++
	}
}

// erase makes everything from a cell to the end of its line blank.
func (p *pencil) erase(x, y int) {
	p.move(x, y)
	p.ink(pen{})
	p.out = append(p.out, "\x1b[K"...)
}

// ink makes a style the one that is on.
func (p *pencil) ink(style pen) { p.out, p.pen = p.pen.change(p.out, style), style }

// move puts the cursor on a cell.
func (p *pencil) move(x, y int) {
	if p.x == x && p.y == y && !p.unsure {
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
	p.x, p.y, p.unsure = x, y, false
}
