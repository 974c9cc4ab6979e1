package terminal

import "unicode/utf8"

// A span is a part of a line that has to be written: cells of one style, or blanks.
type span struct {
	y, x, end int
	style     styleID
	kind      spanKind
	shift     int  // of a shiftSpan: cells to the right; negative for left
	fixed     bool // must be written in its line's order
	next      int  // the next span of the same style, or -1
	written   bool
}

type spanKind uint8

const (
	textSpan  spanKind = iota
	cellsSpan          // blanks, by erasing cells
	tailSpan           // blanks, by erasing to the end of the line
	shiftSpan          // no cells: the rest of the line is shifted by inserting or deleting cells
	lineSpan           // the whole line, which has graphemes of uncertain width
)

// Limits of what is worth trying.
const (
	maxRewrite    = 4  // unchanged cells that are written in place of a motion
	minBlanks     = 8  // new blanks in a line from which erasing first may be shorter
	minErase      = 6  // blanks from which erasing cells is shorter, if nothing follows
	minEraseInner = 11 // the same, if the cursor must be moved behind them
	minShiftSpans = 3  // spans of a line from which shifting the rest of it may be shorter
	maxCellShift  = 8  // cells
	minReturn     = 6  // bytes that the shortest motion to an earlier span takes
	returnBytes   = 4  // bytes that a return to a span takes beyond what it saves
	minLongStyle  = 9  // bytes of a change of style after which the first span of the new style is written
	maxTries      = 8  // spans of one style that may be written next
	maxStep       = 3  // bytes of a motion to a span that is written before others of its style
)

// addSpans adds the spans that change a line into another one.
func (e *frameEncoder) addSpans(y int, old, line []cell) {
	from := commonPrefix(old, line)
	end := len(line)
	for end > 0 && line[end-1] == blank {
		end--
	}
	start := len(e.spans)
	blanks := e.addChanged(y, from, end, old, line)
	e.addTail(y, end, old, start)
	if blanks >= minBlanks {
		e.eraseFirst(y, from, end, line, start)
	}
	if e.writer.features.insertCells && len(old) > 0 && len(e.spans)-start >= minShiftSpans {
		e.shiftFirst(y, from, old, line, start)
	}
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

// addChanged adds the spans of the cells that differ between two columns, and returns how many of these cells become
// blank.
func (e *frameEncoder) addChanged(y, from, end int, old, line []cell) (blanks int) {
	for x := from; x < end; {
		if cellAt(old, x) == line[x] {
			x++
			continue
		}
		if next := e.addErased(y, x, end, old, line); next > x {
			if line[x] == blank {
				blanks += next - x
			}
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

// eraseFirst replaces the spans of a line by spans that erase it from a column on, and write the rest of it, if that is
// shorter.
func (e *frameEncoder) eraseFirst(y, from, end int, line []cell, start int) {
	cost, middle := e.spansLength(start), len(e.spans)
	e.spans = append(e.spans, span{y: y, x: from, end: from, kind: tailSpan, next: -1})
	e.addChanged(y, from, end, line[:min(from, len(line))], line)
	e.replaceSpans(start, middle, cost)
}

// shiftFirst replaces the spans of a line by spans that shift the rest of it from a column on, if that is shorter: a
// longer or shorter word moves all that follows.
func (e *frameEncoder) shiftFirst(y, from int, old, line []cell, start int) {
	shift := bestCellShift(from, old, line)
	if shift == 0 {
		return
	}
	e.shifted = grow(e.shifted, len(line))
	for x := range e.shifted {
		switch {
		case x < from:
			e.shifted[x] = cellAt(old, x)
		case x < from+shift:
			e.shifted[x] = blank
		default:
			e.shifted[x] = cellAt(old, x-shift)
		}
	}
	middle, cost := len(e.spans), e.spansLength(start)
	e.spans = append(e.spans, span{
		y:     y,
		x:     from,
		end:   from,
		kind:  shiftSpan,
		shift: shift,
		next:  -1,
	})
	end := len(line)
	for end > 0 && line[end-1] == blank {
		end--
	}
	e.addChanged(y, from, end, e.shifted, line)
	e.addTail(y, end, e.shifted, middle)
	e.replaceSpans(start, middle, cost)
}

// replaceSpans replaces the spans of a line from an index on by those behind them, which must be written in their
// order, if these are shorter than a number of bytes.
func (e *frameEncoder) replaceSpans(start, middle, cost int) {
	if e.spansLength(middle) >= cost {
		e.spans = e.spans[:middle]
		return
	}
	e.spans = append(e.spans[:start], e.spans[middle:]...)
	for i := range e.spans[start:] {
		e.spans[start+i].fixed = true
	}
}

// bestCellShift returns by how many cells to the right the rest of a line is shifted, at best; negative for left, 0 if
// a shift leaves more than half of the differences. What leaves the screen at its edge must be blank.
func bestCellShift(from int, old, line []cell) (best int) {
	limit := 0
	for x := from; x < len(line); x++ {
		if cellAt(old, x) != line[x] {
			limit++
		}
	}
	if limit /= 2; limit == 0 {
		return 0
	}
	free := 0
	for free < len(old) && len(old) == len(line) && old[len(old)-free-1] == blank {
		free++
	}
	for n := 1; n <= maxCellShift; n++ {
		for _, shift := range [...]int{-n, n} {
			if shift > free {
				continue
			}
			different := 0
			for x := from; x < len(line) && different < limit; x++ {
				if x-shift >= from && cellAt(old, x-shift) != line[x] {
					different++
				}
			}
			if different < limit {
				limit, best = different, shift
			}
		}
	}
	return best
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
		case shiftSpan:
			sum += controlLength(max(s.shift, -s.shift))
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
