package terminal

import "strconv"

// A pencil turns lines of the screen into others with as few bytes as it can: it knows where the cursor is and which style is on.
type pencil struct {
	out    []byte
	x, y   int // of the cursor; -1 is nowhere known
	pen    pen
	unsure bool // an odd grapheme was written: the cursor may stand elsewhere

	before, after []cell // of the line under way
	spare         []byte
}

// begin forgets the last frame's bytes. Between frames the terminal's style is its own.
func (p *pencil) begin() { p.out, p.x, p.y, p.pen, p.unsure = p.out[:0], -1, -1, pen{}, false }

// end leaves the terminal's own style on.
func (p *pencil) end() { p.ink(pen{}) }

// line turns what stands in a line into another text. A line with graphemes that terminals may disagree about is written whole.
func (p *pencil) line(y int, before, after string) {
	var old, odd bool
	p.before, old = parse(p.before[:0], before)
	p.after, odd = parse(p.after[:0], after)
	if old || odd {
		p.erase(0, y)
		p.write(y, 0, nil)
		return
	}
	first := p.first()
	if first < 0 {
		return
	}
	start := *p
	p.write(y, first, p.before)
	if len(p.before) == 0 {
		return
	}
	changed, end := len(p.out), *p
	p.spare = append(p.spare[:0], p.out[len(start.out):]...)
	p.out, p.x, p.y, p.pen = start.out, start.x, start.y, start.pen
	p.erase(first, y)
	p.write(y, first, p.before[:min(first, len(p.before))])
	if len(p.out) >= changed {
		p.out = append(p.out[:len(start.out)], p.spare...)
		p.x, p.y, p.pen = end.x, end.y, end.pen
	}
}

// first is the first cell that differs, -1 where none does.
func (p *pencil) first() int {
	for x := range max(len(p.before), len(p.after)) {
		if at(p.before, x) != at(p.after, x) {
			return x
		}
	}
	return -1
}

// at is a cell of a line; beyond its end there are blanks.
func at(cells []cell, x int) cell {
	if x < len(cells) {
		return cells[x]
	}
	return blank
}

// write writes the cells from a place on that differ from what stands there, and the one behind an odd grapheme, which may have covered it.
// Blanks at the end are erased: never with the cursor behind the last cell, where erasing takes that cell away.
func (p *pencil) write(y, from int, before []cell) {
	end := len(p.after)
	for end > 0 && p.after[end-1] == blank {
		end--
	}
	if end > 0 && end < len(p.after) && p.after[end-1].odd {
		end++
	}
	for x := from; x < end; x++ {
		if c := p.after[x]; c.text != "" && (at(before, x) != c || p.unsure && p.x == x) {
			p.reach(x, y)
			p.put(c)
		}
	}
	for x := max(from, end); x < len(before); x++ {
		if before[x] != blank {
			p.erase(x, y)
			return
		}
	}
}

// reach brings the cursor to a cell: over a few cells that stay by writing them again, over more by moving.
func (p *pencil) reach(x, y int) {
	if p.y == y && p.x < x && !p.unsure && p.near(x) {
		for p.x < x {
			p.put(p.after[p.x])
		}
	}
	if p.y != y || p.x != x {
		p.move(x, y)
	}
}

// near reports whether the cells up to x take fewer bytes than moving over them.
func (p *pencil) near(x int) bool {
	bytes := 0
	for _, c := range p.after[p.x:x] {
		if bytes += len(c.text); bytes > 4 || c.odd || !p.suits(c) {
			return false
		}
	}
	return true
}

// suits reports whether the style that is on draws a cell as it must be.
func (p *pencil) suits(c cell) bool {
	return p.pen == c.pen || c.text == " " && p.pen.seen() == c.pen
}

// put writes a cell at the cursor.
func (p *pencil) put(c cell) {
	if p.unsure && !c.odd {
		p.move(p.x, p.y)
	}
	if !p.suits(c) {
		p.ink(c.pen)
	}
	p.out = append(p.out, c.text...)
	p.unsure = c.odd
	p.x++
	if p.x < len(p.after) && p.after[p.x].text == "" {
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
