package terminal

import (
	"strconv"
	"unicode/utf8"
)

// A diffWriter writes cells to the screen with as few bytes as possible. It tracks the cursor and the current style.
type diffWriter struct {
	out   []byte
	x, y  int // position of the cursor; -1 if unknown
	style styleID
	// After a grapheme of uncertain width the cursor may be elsewhere.
	cursorUncertain bool
	width           int // of the screen: the longest line so far

	styles   styleTable
	features features
}

// beginFrame starts a new frame. Between frames the terminal has its default style.
func (p *diffWriter) beginFrame() {
	p.out, p.x, p.y, p.style, p.cursorUncertain = p.out[:0], -1, -1, 0, false
}

// endFrame returns to the default style.
func (p *diffWriter) endFrame() { p.setStyle(0) }

// setStyle changes the current style.
func (p *diffWriter) setStyle(id styleID) {
	if p.style != id {
		p.out, p.style = append(p.out, p.styles.change(p.style, id)...), id
	}
}

// setBlankStyle changes the current style if blanks look different in it than in another.
func (p *diffWriter) setBlankStyle(id styleID) {
	if p.styles.onBlank[p.style] != id {
		p.setStyle(id)
	}
}

// draws reports whether a style draws a cell correctly.
func (p *diffWriter) draws(id styleID, c cell) bool {
	return id == c.style || c.r == ' ' && p.styles.onBlank[id] == c.style
}

// writeCells writes cells of one width at the cursor, in the current style.
func (p *diffWriter) writeCells(cells []cell) {
	for i := 0; i < len(cells); i++ {
		r := cells[i].r
		if r < utf8.RuneSelf {
			p.out = append(p.out, byte(r))
			i += p.repeat(cells[i:])
			continue
		}
		p.out = utf8.AppendRune(p.out, r)
	}
	if p.x += len(cells); p.x >= p.width {
		p.x = -1 // behind the last column, terminals differ
	}
}

// minRepeat is the number of equal characters from which repeating one is shorter than writing them all.
const minRepeat = 6

// repeat writes the characters that follow the first cell and equal it, if repeating that is shorter, and returns how
// many. Only ASCII is repeated, because tmux before 3.5 repeats nothing else.
func (p *diffWriter) repeat(cells []cell) int {
	if !p.features.repeat || len(cells) < minRepeat || cells[1] != cells[0] {
		return 0
	}
	n := 1
	for n < len(cells) && cells[n].r == cells[0].r {
		n++
	}
	if n < minRepeat {
		return 0
	}
	p.out = appendControl(p.out, n-1, 'b')
	return n - 1
}

// eraseToEnd erases the line from the cursor on.
func (p *diffWriter) eraseToEnd() {
	p.setBlankStyle(0)
	p.out = append(p.out, "\x1b[K"...)
}

// eraseCells erases some cells at the cursor, which stays. They get the background of a style.
func (p *diffWriter) eraseCells(n int, id styleID) {
	p.setBlankStyle(id)
	p.out = appendControl(p.out, n, 'X')
}

// appendControl appends a control sequence with one parameter, which may be left out if it is 1.
func appendControl(out []byte, n int, final byte) []byte {
	out = append(out, "\x1b["...)
	if n != 1 {
		out = strconv.AppendInt(out, int64(n), 10)
	}
	return append(out, final)
}

// minPosition is the length of the shortest sequence that moves the cursor from anywhere.
const minPosition = 3

// moveTo moves the cursor to a cell in the shortest way.
func (p *diffWriter) moveTo(x, y int) {
	p.out = p.appendMotion(p.out, x, y)
	p.x, p.y, p.cursorUncertain = x, y, false
}

// appendMotion appends the shortest bytes that move the cursor to a cell.
func (p *diffWriter) appendMotion(out []byte, x, y int) []byte {
	if p.y < 0 || p.cursorUncertain {
		return appendPosition(out, x, y)
	}
	var direct, home, absolute [24]byte
	best := p.appendRelative(append(home[:0], '\r'), 0, x, y)
	if p.x >= 0 {
		if motion := p.appendRelative(direct[:0], p.x, x, y); len(motion) <= len(best) {
			best = motion
		}
	}
	if len(best) > minPosition {
		if motion := appendPosition(absolute[:0], x, y); len(motion) < len(best) {
			best = motion
		}
	}
	return append(out, best...)
}

// appendPosition appends the sequence that moves the cursor from anywhere.
func appendPosition(out []byte, x, y int) []byte {
	out = append(out, "\x1b["...)
	if y > 0 {
		out = strconv.AppendInt(out, int64(y+1), 10)
	}
	if x > 0 {
		out = strconv.AppendInt(append(out, ';'), int64(x+1), 10)
	}
	return append(out, 'H')
}

// appendRelative appends the shortest bytes that move the cursor from a column of its line.
func (p *diffWriter) appendRelative(out []byte, from, x, y int) []byte {
	switch n := y - p.y; {
	case n == 0:
	case n == -1:
		out = append(out, "\x1bM"...)
	case n < 0:
		out = appendControl(out, -n, 'A')
	case p.features.lineFeed && n <= controlLength(n):
		for range n {
			out = append(out, '\n')
		}
	default:
		out = appendControl(out, n, 'B')
	}
	switch n := x - from; {
	case n == 0:
	case x == 0:
		out = append(out, '\r')
	case n > 0 && controlLength(n) <= controlLength(x+1):
		out = appendControl(out, n, 'C')
	case n < 0 && -n <= min(controlLength(-n), controlLength(x+1)):
		for range -n {
			out = append(out, '\b')
		}
	case n < 0 && controlLength(-n) <= controlLength(x+1):
		out = appendControl(out, -n, 'D')
	default:
		out = appendControl(out, x+1, 'G')
	}
	return out
}

// controlLength returns the length of appendControl's sequence.
func controlLength(n int) int {
	if n == 1 {
		return 3
	}
	return 3 + digits(n)
}

// digits returns the number of a number's decimal digits.
func digits(n int) int {
	count := 1
	for ; n >= 10; n /= 10 {
		count++
	}
	return count
}
