package terminal

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A frameEncoder turns the screen into frames with as few bytes as possible. It knows what is on the screen.
type frameEncoder struct {
	ascii  bool // the terminal shows only ASCII
	writer diffWriter

	lines []screenLine // on the screen
	next  []screenLine // of the new frame, where its text differs

	// What the current frame is made of, line by line.
	before, after []*parsedLine
	changed       []bool // the text differs
	moved         []parsedLine
	spans         []span
	heads         []int // for each style, its first span
	plan          scrollPlanner
}

// screenLine is a line of the screen.
type screenLine struct {
	text string
	row  parsedLine
}

// blankLine is a line without anything on it.
var blankLine parsedLine

// clear makes the line blank and keeps its memory.
func (l *screenLine) clear() {
	l.text = ""
	l.row.cells, l.row.ambiguous, l.row.hashed = l.row.cells[:0], l.row.ambiguous[:0], false
}

// encode returns the bytes that change the screen into a frame's content. They are valid until the next call. With
// fresh set, the screen has just been erased.
func (e *frameEncoder) encode(content string, fresh bool) []byte {
	if styles := &e.writer.styles; fresh && len(styles.styles) > maxStyles || len(styles.styles) == 0 {
		styles.reset()
	}
	if fresh { // the size may have changed
		height := min(len(e.lines), strings.Count(content, "\n")+1)
		e.lines, e.next, e.changed, e.writer.width = e.lines[:height], e.next[:height], e.changed[:height], 0
		for n := range e.lines {
			e.lines[n].clear()
		}
	}
	changes := e.parse(content)
	if changes == 0 {
		return nil
	}
	var scroll scrollPlan
	if !fresh && changes >= minScrollChanges {
		e.place(scroll)
		scroll = e.planScroll()
	}
	e.writer.beginFrame()
	e.writer.scroll(scroll)
	e.place(scroll)
	e.encodeLines()
	for y := range e.lines {
		if e.changed[y] {
			e.lines[y], e.next[y] = e.next[y], e.lines[y]
		}
	}
	return e.writer.out
}

// parse parses the lines of a frame that differ from the screen, and returns how many they are.
func (e *frameEncoder) parse(content string) (changes int) {
	y := 0
	for text := range strings.SplitSeq(content, "\n") {
		changes += e.parseLine(y, text)
		y++
	}
	for ; y < len(e.lines); y++ {
		changes += e.parseLine(y, "")
	}
	e.before, e.after = e.before[:0], e.after[:0]
	for y := range e.lines {
		e.before, e.after = append(e.before, &e.lines[y].row), append(e.after, &e.lines[y].row)
		if e.changed[y] {
			e.after[y] = &e.next[y].row
		}
		e.writer.width = max(e.writer.width, len(e.after[y].cells))
	}
	return changes
}

// parseLine parses a line of a frame, and returns 1 if it differs from the screen.
func (e *frameEncoder) parseLine(y int, text string) int {
	if y == len(e.lines) {
		e.lines, e.next = append(e.lines, screenLine{}), append(e.next, screenLine{})
		e.changed = append(e.changed, false)
	}
	if e.ascii {
		text = asciiOnly(text)
	}
	e.next[y].text = text
	if e.changed[y] = e.lines[y].text != text; !e.changed[y] {
		return 0
	}
	e.next[y].row.parse(text, &e.writer.styles)
	return 1
}

// encodeLines writes what differs between before and after.
func (e *frameEncoder) encodeLines() {
	e.spans = e.spans[:0]
	for y, line := range e.after {
		old := e.before[y]
		switch {
		case e.isShown(y):
		case len(old.ambiguous)+len(line.ambiguous) == 0:
			e.addSpans(y, old.cells, line.cells)
		default:
			e.spans = append(e.spans, span{y: y, kind: lineSpan, fixed: true, next: -1})
		}
	}
	e.writeSpans()
	e.writer.endFrame()
}

// isShown reports whether a line is on the screen already: it is as before, or a scroll moved it there.
func (e *frameEncoder) isShown(y int) bool {
	n := e.plan.source[y]
	return n >= 0 && e.lines[n].text == e.next[y].text
}

// writeSpan writes a span.
func (e *frameEncoder) writeSpan(s *span) {
	s.written = true
	line := e.after[s.y]
	switch s.kind {
	case textSpan:
		e.advanceTo(s, line.cells)
		e.writer.setStyle(s.style)
		e.writer.writeCells(line.cells[s.x:s.end])
	case cellsSpan:
		e.writer.moveTo(s.x, s.y)
		e.writer.eraseCells(s.end-s.x, s.style)
	case tailSpan:
		e.writer.moveTo(s.x, s.y)
		e.writer.eraseToEnd()
	case lineSpan:
		e.writeLine(s.y, line)
	}
}

// advanceTo brings the cursor to a span: it rewrites a few cells, or moves over them.
func (e *frameEncoder) advanceTo(s *span, line []cell) {
	p := &e.writer
	if p.y == s.y && p.x >= 0 && p.x < s.x && s.x-p.x <= maxRewrite && !p.cursorUncertain {
		between := line[p.x:s.x]
		if e.writer.canRewrite(p.style, between) {
			p.writeCells(between)
			return
		}
		if e.writer.canRewrite(s.style, between) {
			p.setStyle(s.style)
			p.writeCells(between)
			return
		}
	}
	p.moveTo(s.x, s.y)
}

// canRewrite reports whether cells can be written in a style with fewer bytes than a motion takes.
func (w *diffWriter) canRewrite(id styleID, cells []cell) bool {
	bytes := 0
	for _, c := range cells {
		if c.r <= 0 || !w.draws(id, c) {
			return false
		}
		bytes += utf8.RuneLen(c.r)
	}
	return bytes <= controlLength(len(cells))
}

// writeLine erases a line and writes it whole, because it has graphemes of uncertain width.
func (e *frameEncoder) writeLine(y int, line *parsedLine) {
	p := &e.writer
	p.moveTo(0, y)
	p.eraseToEnd()
	end := len(line.cells)
	for end > 0 && line.cells[end-1] == blank {
		end--
	}
	if end > 0 && end < len(line.cells) && line.cells[end-1].r <= 0 {
		end++ // the cell behind an uncertain grapheme, which may have covered it
	}
	for x := 0; x < end; x++ {
		c := line.cells[x]
		if c.r == 0 || c == blank && !(p.cursorUncertain && p.x == x) {
			continue
		}
		e.advanceInLine(x, y, line.cells)
		p.writeUncertain(c, line)
	}
}

// advanceInLine brings the cursor to a cell of a line that is written whole.
func (e *frameEncoder) advanceInLine(x, y int, cells []cell) {
	p := &e.writer
	switch {
	case p.y == y && p.x == x && (!p.cursorUncertain || cells[x].r < 0):
	case p.y == y && p.x >= 0 && p.x < x && x-p.x <= maxRewrite && !p.cursorUncertain &&
		e.writer.canRewrite(p.style, cells[p.x:x]):
		p.writeCells(cells[p.x:x])
	default:
		p.moveTo(x, y)
	}
}

// writeUncertain writes a cell at the cursor, which may be a grapheme of uncertain width.
func (p *diffWriter) writeUncertain(c cell, line *parsedLine) {
	if !p.draws(p.style, c) {
		p.setStyle(c.style)
	}
	if c.r > 0 {
		p.out = utf8.AppendRune(p.out, c.r)
	} else {
		p.out = append(p.out, line.ambiguous[-c.r-1]...)
	}
	p.cursorUncertain = c.r < 0
	for p.x++; p.x < len(line.cells) && line.cells[p.x].r == 0; {
		p.x++
	}
	if !p.cursorUncertain && p.x >= p.width {
		p.x = -1
	}
}

// writeSpans writes all spans, in an order that takes few bytes: it goes on in the current style where a motion is
// shorter than a change of the style. A column of digits takes one style and three bytes for each digit.
func (e *frameEncoder) writeSpans() {
	e.heads = grow(e.heads, len(e.writer.styles.styles))
	linkStyles(e.spans, e.heads)
	for first, last := 0, -1; first < len(e.spans); {
		if e.spans[first].written {
			first++
			continue
		}
		last = e.nextSpan(first, last)
		e.writeSpan(&e.spans[last])
		for ; e.spans[last].fixed && last+1 < len(e.spans) && e.spans[last+1].y == e.spans[last].y; last++ {
			e.writeSpan(&e.spans[last+1])
		}
	}
}

// linkStyles links each span to the next one of its style, and each style to its first span.
func linkStyles(spans []span, heads []int) {
	for i := range heads {
		heads[i] = -1
	}
	for i := len(spans) - 1; i >= 0; i-- {
		if s := &spans[i]; !s.fixed {
			s.next, heads[s.style] = heads[s.style], i
		}
	}
}

// nextSpan returns the span that is written after the last one: the next in reading order, the first that is left, or
// one of the same style, if that saves bytes. A style that takes many bytes begins with its first span.
func (e *frameEncoder) nextSpan(first, last int) int {
	if last < 0 {
		return first
	}
	best := last + 1
	for best < len(e.spans) && e.spans[best].written {
		best++
	}
	if best == len(e.spans) {
		best = first
	}
	bytes := e.bytesTo(&e.spans[best])
	if best != first && bytes >= minReturn {
		if n := e.bytesTo(&e.spans[first]); n <= bytes {
			best, bytes = first, n
		}
	}
	if bytes <= 1 {
		return best
	}
	best = e.nextOfStyle(last, best, bytes)
	if id := e.spans[best].style; len(e.writer.styles.change(e.writer.style, id)) >= minLongStyle {
		if n := e.firstOfStyle(id); n >= 0 {
			return n
		}
	}
	return best
}

// nextOfStyle returns the span of the last one's style that is written next, if that saves bytes, or another one, to
// which a number of bytes leads.
func (e *frameEncoder) nextOfStyle(last, other, bytes int) int {
	s := &e.spans[last]
	s.next = unwritten(e.spans, s.next)
	n := s.next
	if n < 0 {
		n = e.firstOfStyle(s.style)
	}
	if n < 0 {
		return other
	}
	best := other
	if length := e.bytesTo(&e.spans[n]); length <= bytes+e.writer.styles.detour(&e.spans[other], s.style) {
		best, bytes = n, length
	}
	for range maxTries {
		n = unwritten(e.spans, e.spans[n].next)
		if n < 0 || bytes <= 1 || e.spans[n].y > s.y+1 {
			break
		}
		if length := e.bytesTo(&e.spans[n]); length <= min(bytes, maxStep) {
			best, bytes = n, length
		}
	}
	return best
}

// firstOfStyle returns the first span of a style that is not written yet, or -1.
func (e *frameEncoder) firstOfStyle(id styleID) int {
	e.heads[id] = unwritten(e.spans, e.heads[id])
	return e.heads[id]
}

// unwritten returns the first span of a style, from one on, that is not written yet, or -1.
func unwritten(spans []span, n int) int {
	for n >= 0 && spans[n].written {
		n = spans[n].next
	}
	return n
}

// detour estimates how many bytes it saves to write a span after the next one of the current style, and not before it.
// It is negative if that takes more.
func (t *styleTable) detour(s *span, current styleID) int {
	n := len(t.change(s.style, current)) - returnBytes
	if s.next < 0 {
		n -= len(t.change(current, s.style))
	}
	return n
}

// bytesTo returns the bytes of the motion and the change of style before a span.
func (e *frameEncoder) bytesTo(s *span) int {
	w := &e.writer
	n := 0
	if s.kind == textSpan || w.styles.onBlank[w.style] != s.style {
		n = len(w.styles.change(w.style, s.style))
	}
	if gap := s.x - w.x; w.y == s.y && w.x >= 0 && gap >= 0 && gap <= maxRewrite && s.kind == textSpan &&
		!w.cursorUncertain {
		between := e.after[s.y].cells[w.x:s.x]
		if w.canRewrite(w.style, between) || w.canRewrite(s.style, between) {
			return n + gap
		}
	}
	var motion [64]byte
	return n + len(w.appendMotion(motion[:0], s.x, s.y))
}

// grow returns a slice with a length, and keeps its memory.
func grow[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
