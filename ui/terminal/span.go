package terminal

import "unicode/utf8"

// A span is a part of a line that has to be written: cells of one style, or blanks.
type span struct {
	y, x, end int
	style     styleID
	kind      spanKind
	fixed     bool // must be written in its line's order
	next      int  // the next span of the same style, or -1
	written   bool
}

type spanKind uint8

const (
	textSpan  spanKind = iota
	cellsSpan          // blanks, by erasing cells
	tailSpan           // blanks, by erasing to the end of the line
	lineSpan           // the whole line, which has graphemes of uncertain width
)

// Limits of what is worth trying.
const (
	maxRewrite    = 4  // unchanged cells that are written in place of a motion
	minBlanks     = 8  // new blanks from which an estimate takes them for erased
	minErase      = 6  // blanks from which erasing cells is shorter, if nothing follows
	minEraseInner = 11 // the same, if the cursor must be moved behind them
	minReturn     = 6  // bytes that the shortest motion to an earlier span takes
	returnBytes   = 4  // bytes that a return to a span takes beyond what it saves
	minLongStyle  = 9  // bytes of a change of style after which the first span of the new style is written
	maxTries      = 8  // spans of one style that may be written next
	maxStep       = 3  // bytes of a motion to a span that is written before others of its style
)

// addSpans adds the spans that change a line into another one.
func (e *frameEncoder) addSpans(y int, old, line []cell) {
	end := len(line)
	for end > 0 && line[end-1] == blank {
		end--
	}
	start := len(e.spans)
	e.addChanged(y, commonPrefix(old, line), end, old, line)
	e.addTail(y, end, old, start)
}

// commonPrefix returns how many cells two lines have in common at their beginning, up to the end of the shorter one.
func commonPrefix(a, b []cell) int {
	n := min(len(a), len(b))
	for x, c := range a[:n] {
		if b[x] != c {
			return x
		}
	}
	return n
}

// addChanged adds the spans of the cells that differ between two columns.
func (e *frameEncoder) addChanged(y, from, end int, old, line []cell) {
	for x := from; x < end; {
		if cellAt(old, x) == line[x] {
			x++
			continue
		}
		if next := e.addErased(y, x, end, old, line); next > x {
			x = next
			continue
		}
		s := span{y: y, x: x, style: line[x].style, next: -1}
		onlyBlanks := true
		for ; x < end; x++ {
			c := line[x]
			if cellAt(old, x) == c && !e.bridges(s.style, x, end, old, line) {
				break
			}
			if onlyBlanks && c.r != ' ' {
				if e.writer.styles.onBlank[c.style] == s.style {
					s.style = c.style
				}
				onlyBlanks = false
			}
			if !e.writer.draws(s.style, c) || c.r == ' ' && x > s.x && line[x-1] != c &&
				e.erasable(x, end, old, line) > x {
				break
			}
		}
		s.end = x
		e.spans = append(e.spans, s)
	}
}

// bridges reports whether an unchanged cell is written because the next changed one is near and has the same style.
func (e *frameEncoder) bridges(id styleID, x, end int, old, line []cell) bool {
	for n := x; n < min(end, x+maxRewrite); n++ {
		c := line[n]
		if c.r >= utf8.RuneSelf || !e.writer.draws(id, c) {
			return false
		}
		if cellAt(old, n) != c {
			return true
		}
	}
	return false
}

// erasable returns the column behind the blanks that begin at a column if they are better erased than written.
func (e *frameEncoder) erasable(x, end int, old, line []cell) int {
	c := line[x]
	if f := &e.writer.features; c.r != ' ' || !f.eraseCells ||
		c.style != 0 && (!f.eraseColor || e.writer.styles.styles[c.style].attrs != 0) {
		return x
	}
	last, n := x, x
	for ; n < end && line[n] == c; n++ {
		if cellAt(old, n) != c {
			last = n + 1
		}
	}
	limit := minErase
	if n < end && cellAt(old, n) != line[n] {
		limit = minEraseInner
	}
	if last-x < limit {
		return x
	}
	return last
}

// addErased adds a span of blanks that are erased, and returns the column behind it; x if writing them is shorter.
func (e *frameEncoder) addErased(y, x, end int, old, line []cell) int {
	last := e.erasable(x, end, old, line)
	if last > x {
		e.spans = append(e.spans, span{
			y:     y,
			x:     x,
			end:   last,
			style: line[x].style,
			kind:  cellsSpan,
			next:  -1,
		})
	}
	return last
}

// addTail adds the span that erases the end of a line, if something is there.
func (e *frameEncoder) addTail(y, end int, old []cell, start int) {
	x := end
	for x < len(old) && old[x] == blank {
		x++
	}
	if x >= len(old) {
		return
	}
	if n := len(e.spans); n > start && e.spans[n-1].kind == textSpan && e.spans[n-1].end == end {
		x = end // the cursor is there
	}
	e.spans = append(e.spans, span{y: y, x: x, end: x, kind: tailSpan, next: -1})
}
