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
	p.appendControl(n-1, 'b')
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
	p.appendControl(n, 'X')
}

// appendControl appends a control sequence with one parameter, which may be left out if it is 1.
func (p *diffWriter) appendControl(n int, final byte) {
	p.out = append(p.out, "\x1b["...)
	if n != 1 {
		p.out = strconv.AppendInt(p.out, int64(n), 10)
	}
	p.out = append(p.out, final)
}

// moveTo moves the cursor to a cell in the shortest way.
func (p *diffWriter) moveTo(x, y int) {
	fromX, fromY := p.x, p.y
	if p.cursorUncertain {
		fromX, fromY = -1, -1
	}
	m := p.features.motion(fromX, fromY, x, y)
	p.x, p.y, p.cursorUncertain = x, y, false
	if m.absolute {
		p.appendPosition(x, y)
		return
	}
	if m.home {
		p.out, fromX = append(p.out, '\r'), 0
	}
	p.appendVertical(y - fromY)
	p.appendHorizontal(fromX, x)
}

// appendPosition appends the sequence that moves the cursor from anywhere.
func (p *diffWriter) appendPosition(x, y int) {
	p.out = append(p.out, "\x1b["...)
	if y > 0 {
		p.out = strconv.AppendInt(p.out, int64(y+1), 10)
	}
	if x > 0 {
		p.out = strconv.AppendInt(append(p.out, ';'), int64(x+1), 10)
	}
	p.out = append(p.out, 'H')
}

// appendVertical appends the shortest bytes that move the cursor down, or up.
func (p *diffWriter) appendVertical(n int) {
	switch {
	case n == 0:
	case n == -1:
		p.out = append(p.out, "\x1bM"...)
	case n < 0:
		p.appendControl(-n, 'A')
	case p.features.lineFeed && n <= controlLength(n):
		for range n {
			p.out = append(p.out, '\n')
		}
	default:
		p.appendControl(n, 'B')
	}
}

// appendHorizontal appends the shortest bytes that move the cursor within a line.
func (p *diffWriter) appendHorizontal(from, to int) {
	switch n := to - from; {
	case n == 0:
	case to == 0:
		p.out = append(p.out, '\r')
	case n > 0 && controlLength(n) <= controlLength(to+1):
		p.appendControl(n, 'C')
	case n < 0 && -n <= min(controlLength(-n), controlLength(to+1)):
		for range -n {
			p.out = append(p.out, '\b')
		}
	case n < 0 && controlLength(-n) <= controlLength(to+1):
		p.appendControl(-n, 'D')
	default:
		p.appendControl(to+1, 'G')
	}
}

// A motion is a way to move the cursor.
type motion struct {
	bytes    int
	absolute bool // from anywhere
	home     bool // begins with a carriage return
}

// motion returns the shortest motion between two cells. fromY is -1 if the cursor may be anywhere, and fromX if it may
// be anywhere in its line.
func (f *features) motion(fromX, fromY, x, y int) motion {
	best := motion{bytes: positionLength(x, y), absolute: true}
	if fromY < 0 {
		return best
	}
	vertical := f.verticalLength(y - fromY)
	if n := 1 + vertical + horizontalLength(0, x); n <= best.bytes {
		best = motion{bytes: n, home: true}
	}
	if fromX < 0 {
		return best
	}
	if n := vertical + horizontalLength(fromX, x); n <= best.bytes {
		best = motion{bytes: n}
	}
	return best
}

// positionLength returns the length of appendPosition's sequence.
func positionLength(x, y int) int {
	n := 3
	if y > 0 {
		n += digits(y + 1)
	}
	if x > 0 {
		n += 1 + digits(x+1)
	}
	return n
}

// verticalLength returns the number of appendVertical's bytes.
func (f *features) verticalLength(n int) int {
	switch {
	case n == 0:
		return 0
	case n == -1:
		return 2
	case n < 0:
		return controlLength(-n)
	case f.lineFeed:
		return min(n, controlLength(n))
	}
	return controlLength(n)
}

// horizontalLength returns the number of appendHorizontal's bytes.
func horizontalLength(from, to int) int {
	switch n := to - from; {
	case n == 0:
		return 0
	case to == 0:
		return 1
	case n > 0:
		return min(controlLength(n), controlLength(to+1))
	default:
		return min(-n, controlLength(-n), controlLength(to+1))
	}
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
