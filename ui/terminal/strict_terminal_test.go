package terminal

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"lookout/theme"
)

// A strictTerminal is a terminal that has only some features, and rejects whatever terminals do differently: relative
// motions from an unknown position, text behind the last column, line feeds on the last line, erasing or scrolling in
// colour, a repetition that follows no ASCII character, halves of wide characters.
type strictTerminal struct {
	t        testing.TB
	features features
	width    int
	height   int
	cells    [][]strictCell
	x, y     int // -1 if unknown
	style    style
	last     byte   // the ASCII character just written, or 0
	margins  [4]int // top, bottom, left and right; the last ones are outside
	leftMode bool   // DECLRMM
	unsure   bool   // the cursor is behind a grapheme of uncertain width
	sent     string // for messages
}

// strictCell is a cell with what is visible of it.
type strictCell struct {
	text  string // "" for the second half of a wide character
	style style
}

func newStrictTerminal(t testing.TB, width, height int, f features) *strictTerminal {
	s := &strictTerminal{
		t:        t,
		features: f,
		width:    width,
		height:   height,
		x:        -1,
		y:        -1,
		margins:  [4]int{0, height, 0, width},
	}
	for range height {
		line := make([]strictCell, width)
		for x := range line {
			line[x].text = "?" // nobody knows what is there before the first frame
		}
		s.cells = append(s.cells, line)
	}
	return s
}

func (s *strictTerminal) reject(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("%s\nsent: %q", fmt.Sprintf(format, args...), s.sent)
}

// Write obeys some output.
func (s *strictTerminal) Write(output string) {
	s.t.Helper()
	s.sent = output
	for output != "" {
		switch c := output[0]; {
		case c == 0x1b:
			n := s.escape(output)
			output = output[n:]
			continue
		case c == '\n':
			s.needLineFeed()
			s.y++
		case c == '\r':
			s.needRow()
			s.x = 0
		case c == '\b':
			s.needPosition()
			if s.x--; s.x < 0 {
				s.reject("backspace in the first column")
			}
		case c < ' ' || c == 0x7f:
			s.reject("control character %q", c)
		default:
			n := s.print(output)
			output = output[n:]
			continue
		}
		s.last, output = 0, output[1:]
	}
	if s.style != (style{}) || s.leftMode || s.margins != [4]int{0, s.height, 0, s.width} {
		s.reject("the frame leaves a style or margins")
	}
}

func (s *strictTerminal) needPosition() {
	s.t.Helper()
	s.needRow()
	if s.x < 0 || s.x >= s.width {
		s.reject("relative motion from an unknown column")
	}
}

func (s *strictTerminal) needRow() {
	s.t.Helper()
	if s.y < 0 || s.unsure {
		s.reject("relative motion from an unknown line")
	}
}

func (s *strictTerminal) needLineFeed() {
	s.t.Helper()
	s.needPosition()
	if !s.features.lineFeed || s.y+1 >= s.height {
		s.reject("line feed on line %d", s.y)
	}
}

// print shows a grapheme and returns its length.
func (s *strictTerminal) print(output string) int {
	s.t.Helper()
	grapheme, width := ansi.FirstGraphemeCluster(output, ansi.GraphemeWidth)
	r, size := utf8.DecodeRuneInString(output)
	certain := (r < utf8.RuneSelf || theme.IsSingleCell(r)) && !startsCombining(output[size:])
	if s.unsure && certain || s.y < 0 || s.x < 0 || s.x+width > s.width {
		s.reject("%q at %d,%d", grapheme, s.x, s.y)
	}
	if width == 0 {
		return len(grapheme)
	}
	line := s.cells[s.y]
	for n := range width {
		s.split(line, s.x+n)
		line[s.x+n] = strictCell{"", s.style}
	}
	line[s.x] = visibleCell(grapheme, s.style)
	s.x += width
	s.unsure, s.last = !certain, 0
	if r < utf8.RuneSelf && certain {
		s.last = byte(r)
	}
	return len(grapheme)
}

// visibleCell returns a cell with what is visible of its style.
func visibleCell(text string, s style) strictCell {
	if text == " " {
		s = s.visibleOnBlank()
	}
	return strictCell{text, s}
}

// split rejects a change of half a wide character.
func (s *strictTerminal) split(line []strictCell, x int) {
	s.t.Helper()
	if x > s.x && line[x].text == "" && line[x-1].text == "" || x == s.x && line[x].text == "" && x > 0 {
		s.reject("half a wide character at %d,%d", x, s.y)
	}
}

// escape obeys an escape sequence and returns its length.
func (s *strictTerminal) escape(output string) int {
	s.t.Helper()
	last := s.last
	s.last = 0
	if strings.HasPrefix(output, "\x1bM") {
		s.needPosition()
		if s.y--; s.y < 0 {
			s.reject("reverse index on the first line")
		}
		return 2
	}
	n, _ := escapeLength(output)
	if n < 3 || output[1] != '[' {
		s.reject("unknown sequence %q", output[:min(n+4, len(output))])
	}
	private := output[2] == '?'
	body := strings.TrimPrefix(output[2:n-1], "?")
	first, second, _ := strings.Cut(body, ";")
	a, b := max(atoi(first), 1), atoi(second)
	switch final := output[n-1]; {
	case private:
		s.mode(body, final)
	case final == 'm':
		s.style.applySGR(body)
	case final == 'H':
		s.x, s.y, s.unsure = max(b, 1)-1, a-1, false
		if s.x >= s.width || s.y >= s.height {
			s.reject("the cursor leaves the screen")
		}
	case strings.IndexByte("ABCDG", final) >= 0:
		s.move(final, a)
	case final == 'r' || final == 's':
		s.setMargins(final, a, b, body == "")
	case final == 'b':
		s.repeat(last, a)
	default:
		s.change(final, a)
	}
	return n
}

func atoi(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// move obeys a motion.
func (s *strictTerminal) move(final byte, n int) {
	s.t.Helper()
	if final == 'G' {
		s.needRow()
		s.x = n - 1
	} else {
		s.needPosition()
		s.y += map[byte]int{'A': -n, 'B': n}[final]
		s.x += map[byte]int{'C': n, 'D': -n}[final]
	}
	if s.x < 0 || s.x >= s.width || s.y < 0 || s.y >= s.height {
		s.reject("the cursor leaves the screen")
	}
}

// mode obeys the mode of left and right margins, the only one that a frame uses.
func (s *strictTerminal) mode(body string, final byte) {
	s.t.Helper()
	if body != "69" || !s.features.margins {
		s.reject("mode %s", body)
	}
	s.leftMode = final == 'h'
}

// setMargins obeys DECSTBM and DECSLRM.
func (s *strictTerminal) setMargins(final byte, a, b int, reset bool) {
	s.t.Helper()
	n, size := 0, s.height
	if final == 's' {
		n, size = 2, s.width
	}
	switch {
	case final == 's' && !s.leftMode:
		s.reject("left and right margins without their mode")
	case final == 'r' && !s.features.scroll:
		s.reject("scroll region")
	case reset:
		a, b = 1, size
	case a >= b || b > size:
		s.reject("margins %d to %d", a, b)
	}
	s.margins[n], s.margins[n+1], s.x, s.y = a-1, b, -1, -1
}

// repeat obeys REP.
func (s *strictTerminal) repeat(last byte, n int) {
	s.t.Helper()
	if last == 0 || !s.features.repeat {
		s.reject("repetition")
	}
	for range n {
		s.print(string(last))
	}
}

// change obeys what erases and scrolls.
func (s *strictTerminal) change(final byte, n int) {
	s.t.Helper()
	on := s.style.visibleOnBlank()
	if on != (style{}) && (final != 'X' || !s.features.eraseColor || on.attrs != 0) {
		s.reject("%q in a style", final)
	}
	switch final {
	case 'J':
		for y := range s.cells {
			s.erase(y, 0, s.width)
		}
	case 'K':
		s.needPosition()
		s.erase(s.y, s.x, s.width)
	case 'X':
		s.needPosition()
		if !s.features.eraseCells || s.x+n > s.width {
			s.reject("erasing %d cells", n)
		}
		s.erase(s.y, s.x, s.x+n)
		for x := s.x; x < s.x+n; x++ {
			s.cells[s.y][x].style = on
		}
	case '@', 'P':
		s.shift(map[byte]int{'@': n, 'P': -n}[final])
	case 'L', 'M':
		if !s.features.insertLines || s.y < 0 {
			s.reject("lines are inserted or deleted")
		}
		s.scroll(s.y, map[byte]int{'L': -n, 'M': n}[final])
	case 'S', 'T':
		if !s.features.scroll {
			s.reject("scroll")
		}
		s.scroll(s.margins[0], map[byte]int{'T': -n, 'S': n}[final])
	default:
		s.reject("unknown sequence with %q", final)
	}
}

// shift obeys ICH and DCH. Nothing visible may leave the screen.
func (s *strictTerminal) shift(by int) {
	s.t.Helper()
	s.needPosition()
	line := s.cells[s.y]
	before := append([]strictCell{}, line...)
	for x := s.x; x < s.width; x++ {
		if before[x].text == "" || x+by >= s.width && before[x] != (strictCell{text: " "}) {
			s.reject("cells are shifted by %d", by)
		}
		line[x] = strictCell{text: " "}
		if n := x - by; n >= s.x && n < s.width {
			line[x] = before[n]
		}
	}
}

func (s *strictTerminal) erase(y, from, to int) {
	for x := from; x < to; x++ {
		s.cells[y][x] = strictCell{text: " "}
	}
}

// scroll moves what is between the margins up, from a line on.
func (s *strictTerminal) scroll(top, by int) {
	s.t.Helper()
	before := make([][]strictCell, s.height)
	for y := range before {
		before[y] = append(before[y], s.cells[y]...)
	}
	left, right := s.margins[2], s.margins[3]
	for y := top; y < s.margins[1]; y++ {
		if before[y][left].text == "" || right < s.width && before[y][right].text == "" {
			s.reject("margins split a wide character")
		}
		s.erase(y, left, right)
		if n := y + by; n >= top && n < s.margins[1] {
			copy(s.cells[y][left:right], before[n][left:right])
		}
	}
}

// check fails the test if the terminal does not show a frame.
func (s *strictTerminal) check(content string) {
	s.t.Helper()
	want := newStrictTerminal(s.t, s.width, s.height, s.features)
	for y, line := range strings.Split(content, "\n") {
		want.draw(y, line)
		for x := range want.cells[y] {
			if want.cells[y][x] != s.cells[y][x] {
				s.reject("%d,%d is %v and not %v; the line: %q", x, y, s.cells[y][x], want.cells[y][x], line)
			}
		}
	}
}

// draw shows a line of a frame.
func (s *strictTerminal) draw(y int, line string) {
	s.t.Helper()
	s.x, s.y, s.style = 0, y, style{}
	s.erase(y, 0, s.width)
	for line != "" {
		s.unsure = false
		n := 0
		if line[0] == 0x1b {
			n, _ = escapeLength(line)
			s.style.applySGR(line[2 : n-1])
		} else {
			n = s.print(line)
		}
		line = line[n:]
	}
}
