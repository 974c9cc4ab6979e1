package terminal

import "unicode/utf8"

// A span is a part of a line that has to be written: cells of one style, or blanks.
type span struct {
	y, x, end int
	style     styleID
	kind      spanKind
	fixed     bool // must be written in its line's order
	chained   bool // a span above is linked to this one
	next      int  // the span in the line below that is written right after this one, or -1
	saved     int  // bytes that the links from the first span of the chain to this one save
	written   bool
}

type spanKind uint8

const (
	textSpan  spanKind = iota
	cellsSpan          // blanks, by erasing cells
	tailSpan           // blanks, by erasing to the end of the line
	lineSpan           // the whole line, which has graphemes of uncertain width
)

// rowSpans are the spans of a line: the indexes from one to another.
type rowSpans struct{ y, from, to int }

// Limits of what is worth trying.
const (
	maxRewrite    = 4  // unchanged cells that are written in place of a motion
	minBlanks     = 8  // new blanks in a line from which erasing first may be shorter
	minErase      = 6  // blanks from which erasing cells is shorter, if nothing follows
	minEraseInner = 11 // the same, if the cursor must be moved behind them
	minChainGain  = 7  // bytes that a chain must save, because the cursor must return from its end
)

// addSpans adds the spans that change a line into another one.
func (e *frameEncoder) addSpans(y int, old, line []cell) {
	from := 0
	for n := max(len(old), len(line)); from < n && cellAt(old, from) == cellAt(line, from); from++ {
	}
	end := len(line)
	for end > 0 && line[end-1] == blank {
		end--
	}
	start := len(e.spans)
	blanks := e.addChanged(y, max(from, 0), end, old, line)
	e.addTail(y, end, old, start)
	if blanks >= minBlanks {
		e.eraseFirst(y, from, end, line, start)
	}
	if len(e.spans) > start {
		e.rows = append(e.rows, rowSpans{y, start, len(e.spans)})
	}
}

// addChanged adds the spans of the cells that differ between two columns, and returns how many of these cells become
// blank.
func (e *frameEncoder) addChanged(y, from, end int, old, line []cell) (blanks int) {
	for x := from; x < end; {
		if cellAt(old, x) == line[x] {
			x++
			continue
		}
		if line[x] == blank {
			if next := e.addErased(y, x, end, old, line); next > x {
				blanks += next - x
				x = next
				continue
			}
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
			if !e.writer.draws(s.style, c) || c == blank && x > s.x && line[x-1] != blank &&
				e.erasable(x, end, old, line) > x {
				break
			}
			if c == blank {
				blanks++
			}
		}
		s.end = x
		e.spans = append(e.spans, s)
	}
	return blanks
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
	if !e.writer.features.eraseCells {
		return x
	}
	last, n := x, x
	for ; n < end && line[n] == blank; n++ {
		if cellAt(old, n) != blank {
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
		e.spans = append(e.spans, span{y: y, x: x, end: last, kind: cellsSpan, next: -1})
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

// eraseFirst replaces the spans of a line by spans that erase it from a column on, and write the rest of it, if that is
// shorter.
func (e *frameEncoder) eraseFirst(y, from, end int, line []cell, start int) {
	cost, middle := e.spansLength(start), len(e.spans)
	e.spans = append(e.spans, span{y: y, x: from, end: from, kind: tailSpan, next: -1})
	e.addChanged(y, from, end, line[:min(from, len(line))], line)
	if e.spansLength(middle) >= cost {
		e.spans = e.spans[:middle]
		return
	}
	e.spans = append(e.spans[:start], e.spans[middle:]...)
	for i := range e.spans[start:] {
		e.spans[start+i].fixed = true
	}
}

// spansLength estimates the bytes of a line's spans from an index on.
func (e *frameEncoder) spansLength(from int) (sum int) {
	for i := from; i < len(e.spans); i++ {
		s := &e.spans[i]
		if i > from {
			sum += e.stepLength(&e.spans[i-1], s)
		}
		switch s.kind {
		case textSpan:
			sum += s.end - s.x
		case cellsSpan:
			sum += controlLength(s.end - s.x)
		default:
			sum += 3
		}
	}
	return sum
}

// stepLength estimates the bytes between two spans: the motion and the change of style.
func (e *frameEncoder) stepLength(a, b *span) int {
	x := a.end
	if a.kind == cellsSpan {
		x = a.x
	}
	n := len(e.writer.styles.change(a.style, b.style))
	if a.y != b.y {
		return n + positionLength(b.x, b.y)
	}
	return n + min(horizontalLength(x, b.x), max(b.x-x, 0)+maxRewrite)
}
