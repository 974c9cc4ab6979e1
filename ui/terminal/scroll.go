package terminal

import (
	"slices"
	"strconv"
)

// A scrollPlan moves a part of the screen up or down before the lines are written.
type scrollPlan struct {
	top, bottom int // lines, both included
	by          int // lines that the content moves up; negative for down
	left, right int // columns, without the last; the whole width without margins
}

// A scrollPlanner finds out whether much of a frame is on the screen already, a few lines above or below.
type scrollPlanner struct {
	votes   []int    // for each shift, how many quarters of lines match
	extents [][2]int // for each shift, the first and the last of these lines
	source  []int    // for each line, the line of the screen that is shown there; -1 if none
	stay    []int    // estimated bytes of all lines above each, if nothing is scrolled
	shifted []int    // the same after a scroll
	blanked []int    // the same for lines that a scroll leaves blank
	columns []int    // for each column, how many cells a scroll brings into place
}

// Limits of what is worth trying.
const (
	minScrollChanges = 3  // changed lines
	linesPerVote     = 4  // changed lines for each matching quarter of a line that a shift needs
	maxShift         = 60 // lines
	scrollLength     = 16 // bytes of a scroll
	marginLength     = 25 // bytes of margins
)

// planScroll plans the scroll, of whole lines or of some columns, that saves most bytes by estimate. Its shift is 0 if
// none is worth its bytes.
func (e *frameEncoder) planScroll() (best scrollPlan) {
	f := e.writer.features
	by := 0
	if f.scroll || f.insertLines {
		by = e.bestShift()
	}
	if by == 0 {
		return best
	}
	best, gain := e.bestRegion(by, 0, e.writer.width)
	if gain <= scrollLength {
		best, gain = scrollPlan{}, scrollLength
	}
	if !f.margins || !f.scroll {
		return best
	}
	left, right := e.bestColumns(by)
	if right-left < 2 || right-left >= e.writer.width {
		return best
	}
	s, columnGain := e.bestRegion(by, left, right)
	uncertain := func(line *parsedLine) bool { return len(line.ambiguous) > 0 }
	if columnGain-marginLength <= gain || slices.ContainsFunc(e.before[s.top:s.bottom+1], uncertain) {
		return best
	}
	return s
}

// bestShift returns the shift by which most quarters of changed lines come into place, or 0. Blank quarters do not
// count: they match others all over the screen, and are erased in a few bytes.
func (e *frameEncoder) bestShift() int {
	p, width := &e.plan, e.writer.width
	p.votes, p.extents = grow(p.votes, 2*maxShift+1), grow(p.extents, 2*maxShift+1)
	clear(p.votes)
	changes := 0
	for y, line := range e.after {
		if !e.changed[y] {
			continue
		}
		changes++
		now, then := e.before[y].blockHashes(width), line.blockHashes(width)
		for n := max(0, y-maxShift); n < min(len(e.before), y+maxShift+1); n++ {
			there := e.before[n].blockHashes(width)
			for block, hash := range then {
				if hash == there[block] && hash != now[block] && hash != 0 {
					i := n - y + maxShift
					if p.votes[i] == 0 {
						p.extents[i][0] = y
					}
					p.votes[i]++
					p.extents[i][1] = y
				}
			}
		}
	}
	best, most := 0, max(minScrollChanges-1, changes/linesPerVote)
	for i, votes := range p.votes {
		by := i - maxShift
		if votes > most || votes == most && by*by < best*best {
			best, most = by, votes
		}
	}
	return best
}

// bestRegion returns the lines for which a scroll of some columns saves most bytes, and how many.
func (e *frameEncoder) bestRegion(by, left, right int) (scrollPlan, int) {
	p, height := &e.plan, len(e.after)
	p.stay, p.shifted, p.blanked = grow(p.stay, height+1), grow(p.shifted, height+1), grow(p.blanked, height+1)
	p.stay[0], p.shifted[0], p.blanked[0] = 0, 0, 0
	for y, line := range e.after {
		stay, shifted := 0, 0
		if e.changed[y] {
			stay = e.estimate(e.before[y], line, left, right)
		}
		if n := y + by; n >= 0 && n < height && e.lines[n].text != e.next[y].text {
			shifted = e.estimate(e.before[n], line, left, right)
		}
		p.stay[y+1] = p.stay[y] + stay
		p.shifted[y+1] = p.shifted[y] + shifted
		p.blanked[y+1] = p.blanked[y] + line.weight*(right-left)/e.writer.width
	}
	if by < 0 {
		return p.bestRegionDown(-by, left, right)
	}
	return p.bestRegionUp(by, left, right)
}

// bestRegionUp is bestRegion for content that moves up.
func (p *scrollPlanner) bestRegionUp(by, left, right int) (best scrollPlan, most int) {
	saved := func(y int) int { return p.stay[y] - p.shifted[y] }
	top := 0
	for bottom := by; bottom < len(p.stay)-1; bottom++ {
		last := bottom - by + 1 // behind the lines that have content
		if saved(last-1) < saved(top) {
			top = last - 1
		}
		gain := saved(last) - saved(top) + p.stay[bottom+1] - p.stay[last] - (p.blanked[bottom+1] - p.blanked[last])
		if gain > most {
			best = scrollPlan{
				top:    top,
				bottom: bottom,
				by:     by,
				left:   left,
				right:  right,
			}
			most = gain
		}
	}
	return best, most
}

// bestRegionDown is bestRegion for content that moves down by some lines.
func (p *scrollPlanner) bestRegionDown(by, left, right int) (best scrollPlan, most int) {
	saved := func(y int) int { return p.stay[y] - p.shifted[y] }
	height := len(p.stay) - 1
	bottom := height - 1
	for top := height - 1 - by; top >= 0; top-- {
		first := top + by // the first line that has content
		if saved(first+1) > saved(bottom+1) {
			bottom = first
		}
		gain := saved(bottom+1) - saved(first) + p.stay[first] - p.stay[top] - (p.blanked[first] - p.blanked[top])
		if gain > most {
			best = scrollPlan{
				top:    top,
				bottom: bottom,
				by:     -by,
				left:   left,
				right:  right,
			}
			most = gain
		}
	}
	return best, most
}

// bestColumns returns the columns in which a scroll brings most cells into place.
func (e *frameEncoder) bestColumns(by int) (left, right int) {
	p := &e.plan
	p.columns = grow(p.columns, e.writer.width)
	clear(p.columns)
	lines := p.extents[by+maxShift]
	for y := lines[0]; y <= lines[1]; y++ {
		if n := y + by; n >= 0 && n < len(e.before) {
			now, there, line := e.before[y].cells, e.before[n].cells, e.after[y].cells
			for x := range p.columns {
				c := cellAt(line, x)
				if cellAt(now, x) != c {
					p.columns[x]++
				}
				if cellAt(there, x) != c {
					p.columns[x]--
				}
			}
		}
	}
	sum, most, start := 0, 0, 0
	for x, n := range p.columns {
		if sum += n; sum <= 0 {
			sum, start = 0, x+1
		}
		if sum > most {
			most, left, right = sum, start, x+1
		}
	}
	return left, right
}

// estimate estimates the bytes that change some columns of a line into another.
func (e *frameEncoder) estimate(old, line *parsedLine, left, right int) (bytes int) {
	if len(old.ambiguous)+len(line.ambiguous) > 0 {
		return len(line.cells) + scrollLength
	}
	var id styleID
	blanks, near, cells := 0, -1, old.cells
	right = min(right, max(len(cells), len(line.cells)))
	for x := max(left, commonPrefix(cells, line.cells)); x < right; x++ {
		if x < len(cells) && x < len(line.cells) && cells[x] == line.cells[x] {
			continue
		}
		c := cellAt(line.cells, x)
		switch {
		case cellAt(cells, x) == c:
			continue
		case c == blank:
			if blanks++; blanks > minBlanks { // these are erased
				continue
			}
		case c.style != id:
			bytes, id = bytes+len(e.writer.styles.change(id, c.style)), c.style
			fallthrough
		default:
			blanks = 0
		}
		if near != x-1 {
			bytes += maxRewrite
		}
		bytes++
		near = x
	}
	return bytes
}

// place notes what is on the screen after a scroll.
func (e *frameEncoder) place(s scrollPlan) {
	p := &e.plan
	p.source = grow(p.source, len(e.before))
	for y := range e.before {
		e.before[y], p.source[y] = &e.lines[y].row, y
	}
	switch {
	case s.by == 0:
	case s.left > 0 || s.right < e.writer.width:
		e.placeBlock(s)
	default:
		for y := s.top; y <= s.bottom; y++ {
			e.before[y], p.source[y] = &blankLine, -1
			if n := y + s.by; n >= s.top && n <= s.bottom {
				e.before[y], p.source[y] = &e.lines[n].row, n
			}
		}
	}
}

// placeBlock notes what a scroll of some columns leaves on the screen.
func (e *frameEncoder) placeBlock(s scrollPlan) {
	for len(e.moved) < len(e.before) {
		e.moved = append(e.moved, parsedLine{})
	}
	for y := s.top; y <= s.bottom; y++ {
		there := &blankLine
		if n := y + s.by; n >= s.top && n <= s.bottom {
			there = &e.lines[n].row
		}
		now, line := e.lines[y].row.cells, &e.moved[y]
		line.cells = grow(line.cells, e.writer.width)
		for x := range line.cells {
			if line.cells[x] = cellAt(now, x); x >= s.left && x < s.right {
				line.cells[x] = cellAt(there.cells, x)
			}
		}
		e.before[y], e.plan.source[y] = line, -1
	}
}

// scroll writes a scroll, if there is one.
func (p *diffWriter) scroll(s scrollPlan) {
	switch {
	case s.by == 0:
	case s.left > 0 || s.right < p.width:
		p.scrollMargins(s)
	default:
		p.scrollLines(s)
	}
}

// scrollLines scrolls whole lines: with a scroll region, or by deleting and inserting lines.
func (p *diffWriter) scrollLines(s scrollPlan) {
	n, deleteAt, insertAt := s.by, s.top, s.bottom-s.by+1
	if n < 0 {
		n, deleteAt, insertAt = -n, s.bottom+s.by+1, s.top
	}
	var motions [32]byte
	lines := len(appendPosition(appendPosition(motions[:0], 0, deleteAt), 0, insertAt)) + 2*controlLength(n)
	region := 3 + digits(s.top+1) + 1 + digits(s.bottom+1) + controlLength(n) + 3
	if p.features.scroll && (region <= lines || !p.features.insertLines) {
		p.setRegion(s)
		p.appendScroll(s.by)
		p.resetRegion()
		return
	}
	p.moveTo(0, deleteAt)
	p.out = appendControl(p.out, n, 'M')
	p.moveTo(0, insertAt)
	p.out = appendControl(p.out, n, 'L')
}

// scrollMargins scrolls some columns of some lines.
func (p *diffWriter) scrollMargins(s scrollPlan) {
	p.out = append(p.out, "\x1b[?69h"...)
	p.setRegion(s)
	p.out = strconv.AppendInt(append(p.out, "\x1b["...), int64(s.left+1), 10)
	p.out = append(strconv.AppendInt(append(p.out, ';'), int64(s.right), 10), 's')
	p.appendScroll(s.by)
	p.out = append(p.out, "\x1b[s\x1b[?69l"...) // not all terminals drop the margins with the mode
	p.resetRegion()
}

// setRegion sets the top and bottom margin.
func (p *diffWriter) setRegion(s scrollPlan) {
	p.out = append(p.out, "\x1b["...)
	if s.top > 0 {
		p.out = strconv.AppendInt(p.out, int64(s.top+1), 10)
	}
	p.out = append(strconv.AppendInt(append(p.out, ';'), int64(s.bottom+1), 10), 'r')
}

// resetRegion removes the margins. Terminals differ in where that leaves the cursor; its position is unknown before,
// because a frame begins with the scroll.
func (p *diffWriter) resetRegion() { p.out = append(p.out, "\x1b[r"...) }

// appendScroll scrolls the region.
func (p *diffWriter) appendScroll(by int) {
	if by < 0 {
		p.out = appendControl(p.out, -by, 'T')
		return
	}
	p.out = appendControl(p.out, by, 'S')
}
