package terminal

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"lookout/theme"
)

// allProfiles are the numbers of colours that a terminal may have.
var allProfiles = []colorprofile.Profile{
	colorprofile.ASCII, colorprofile.ANSI, colorprofile.ANSI256, colorprofile.TrueColor,
}

func darkTheme(t testing.TB, colors colorprofile.Profile) *theme.Theme {
	t.Helper()
	look, err := theme.New("dark", colors, false)
	if err != nil {
		t.Fatal(err)
	}
	return look
}

// visibleCells returns the cells of a terminal, each with the part of its style that is visible.
func visibleCells(e *vt.Emulator, width, height int) [][]string {
	rows := make([][]string, height)
	for y := range rows {
		for x := range width {
			c := e.CellAt(x, y)
			text, style := c.Content, c.Style
			if text == "" && c.Width > 0 {
				text = " "
			}
			drawn := fmt.Sprintf("%q %v %v %v %v", text, style.Attrs, style.Underline, style.Fg, style.Bg)
			if text == " " && style.Underline == 0 && style.Attrs&(1<<5|1<<7) == 0 {
				drawn = fmt.Sprintf("blank %v", style.Bg)
			}
			rows[y] = append(rows[y], drawn)
		}
	}
	return rows
}

// referenceTerminal draws a frame line by line, for comparison with the renderer.
func referenceTerminal(content string, width, height int) *vt.Emulator {
	e := vt.NewEmulator(width, height)
	for y, line := range strings.Split(content, "\n") {
		fmt.Fprintf(e, "\x1b[%d;1H\x1b[m%s\x1b[m", y+1, line)
	}
	return e
}

// compare fails the test if a terminal does not show a frame.
func compare(t *testing.T, e *vt.Emulator, content, sent string) {
	t.Helper()
	width, height := e.Width(), e.Height()
	want, got := visibleCells(referenceTerminal(content, width, height), width, height), visibleCells(e, width, height)
	for y := range want {
		for x := range want[y] {
			if want[y][x] != got[y][x] {
				t.Fatalf(
					"%d,%d is %s and not %s; the line: %q\nsent: %q", x, y, got[y][x], want[y][x],
					strings.Split(content, "\n")[y], sent,
				)
			}
		}
	}
}

// frameGenerator generates random frames. Each differs from the one before in a few lines.
type frameGenerator struct {
	*rand.Rand
	theme  *theme.Theme
	width  int
	height int
	lines  []string
	plain  bool // without wide characters
}

var words = []string{
	"web-01", "a", "problem", "─────", "● ok", "▲", "…", "日本語", "e\u0301", "👩‍👩‍👧", "é", "12:04", "       ", "Ω≈ç",
	"한글", "‹x9B›", "x\u0323\u0301", "✓", "…\ufe0f",
}

func (f *frameGenerator) line() string {
	var b strings.Builder
	for used := 0; used < f.width; {
		text := words[f.IntN(len(words))]
		if f.plain || f.IntN(4) > 0 { // most lines contain no wide characters
			text = words[f.IntN(7)]
		}
		if f.IntN(4) == 0 {
			text = strings.Repeat(" ", f.IntN(20))
		}
		if used += ansi.StringWidth(text); used > f.width-2 { // the emulator cannot hold a mark at the end of a line
			break
		}
		b.WriteString(f.theme.Paint(theme.Tone(f.IntN(int(theme.ChartSecond)+1)), text))
	}
	line := b.String()
	if f.IntN(5) == 0 {
		line = ansi.Strip(line)
	}
	blanks := strings.Repeat(" ", f.width-ansi.StringWidth(line))
	if f.IntN(6) == 0 {
		return f.theme.Paint(theme.Cursor, ansi.Strip(line)+blanks)
	}
	return line + blanks
}

func (f *frameGenerator) next() string {
	if len(f.lines) != f.height {
		f.lines = make([]string, f.height)
		for y := range f.lines {
			f.lines[y] = f.line()
		}
	}
	switch f.IntN(6) {
	case 0, 1:
		f.scroll()
	case 2:
		f.scrollBlock()
	}
	for range f.IntN(4) {
		y := f.IntN(f.height)
		switch f.IntN(5) {
		case 0:
			f.lines[y] = strings.Repeat(" ", f.width)
		case 4: // a longer or shorter word
			x, n := f.IntN(f.width), f.IntN(4)
			line := f.cut(
				f.lines[y],
				0,
				x,
			) + strings.Repeat(
				"+",
				n,
			) + f.cut(
				f.lines[y],
				min(f.width, x+f.IntN(4)),
				f.width,
			)
			f.lines[y] = f.pad(line)
		case 1:
			f.lines[y] = f.lines[f.IntN(f.height)]
		case 2:
			if plain := ansi.Strip(f.lines[y]); ansi.StringWidth(plain) == len(plain) { // one letter
				x := f.IntN(f.width)
				f.lines[y] = plain[:x] + "#" + plain[x+1:]
			}
		default:
			f.lines[y] = f.line()
		}
	}
	return strings.Join(f.lines, "\n")
}

// scroll moves some lines up or down, and fills the gap with new lines.
func (f *frameGenerator) scroll() {
	top, by := f.IntN(f.height), f.IntN(5)-2
	bottom := top + f.IntN(f.height-top)
	before := slices.Clone(f.lines)
	for y := top; y <= bottom; y++ {
		if n := y + by; n >= top && n <= bottom {
			f.lines[y] = before[n]
		} else {
			f.lines[y] = f.line()
		}
	}
}

// scrollBlock moves some columns of some lines up or down.
func (f *frameGenerator) scrollBlock() {
	top, by, left := f.IntN(f.height), f.IntN(3)-1, f.IntN(f.width)
	right := left + f.IntN(f.width-left) + 1
	before := slices.Clone(f.lines)
	for y := top; y < f.height; y++ {
		if n := y + by; n >= top && n < f.height && by != 0 {
			f.lines[y] = f.pad(
				f.cut(before[y], 0, left) + f.cut(before[n], left, right) + f.cut(before[y], right, f.width),
			)
		}
	}
}

// pad returns a line of the generator's width with two blanks at its end: the emulator cannot hold a mark there.
func (f *frameGenerator) pad(line string) string {
	end := max(0, f.width-2)
	return f.cut(line+strings.Repeat(" ", f.width), 0, end) + strings.Repeat(" ", f.width-end)
}

// cut returns some columns of a line; blanks stand for wide characters at their edges.
func (f *frameGenerator) cut(line string, left, right int) string {
	part := ansi.Cut(line, left, right)
	if ansi.StringWidth(part) != right-left {
		return strings.Repeat(" ", right-left)
	}
	return part + "\x1b[m"
}

// randomFeatures returns any features that a terminal may have.
func randomFeatures(r *rand.Rand) features {
	has := func() bool { return r.IntN(4) > 0 }
	return features{
		lineFeed:    has(),
		insertLines: has(),
		scroll:      has(),
		eraseCells:  has(),
		eraseColor:  has(),
		repeat:      has(),
		margins:     has(),
	}
}

// The renderer turns any screen into any frame, on terminals with any features, with control functions that all of them
// obey in the same way. Another implementation of a terminal shows the same.
func TestRenderer_screenMatchesFrame(t *testing.T) {
	pairs := 1000
	if os.Getenv("LOOKOUT_NIGHTLY") != "" {
		pairs = 1_000_000
	}
	for seed := uint64(0); pairs > 0; seed++ {
		r := rand.New(rand.NewPCG(seed, 1))
		f := &frameGenerator{
			Rand:  r,
			theme: darkTheme(t, allProfiles[seed%4]),
			plain: r.IntN(2) == 0,
		}
		e := frameEncoder{}
		e.writer.features = randomFeatures(r)
		for range 1 + r.IntN(3) { // the same program on a terminal that is resized
			f.width, f.height, f.lines = 1+r.IntN(90), 1+r.IntN(20), nil
			f.checkFrames(t, &e, 15)
			pairs -= 15
		}
	}
}

// checkFrames writes frames to new terminals of the generator's size and checks that they are shown.
func (f *frameGenerator) checkFrames(t *testing.T, e *frameEncoder, count int) {
	t.Helper()
	strict := newStrictTerminal(t, f.width, f.height, e.writer.features)
	other := vt.NewEmulator(f.width, f.height)
	fmt.Fprint(other, strings.Repeat("garbage ", 200)) // as a resize may leave it
	for n := range count {
		content := f.next()
		bytes := string(e.encode(content, n == 0))
		if n == 0 {
			bytes = "\x1b[m\x1b[2J" + bytes
		}
		strict.Write(bytes)
		fmt.Fprint(other, bytes)
		strict.check(content)
		if n%5 == 0 { // it is slow
			compare(t, other, content, strict.sent)
		}
	}
}

// A full redraw restores a screen that another program has written to, whatever style it has left.
func TestRenderer_fullRedraw(t *testing.T) {
	f := &frameGenerator{
		Rand:   rand.New(rand.NewPCG(1, 1)),
		theme:  darkTheme(t, colorprofile.TrueColor),
		width:  60,
		height: 8,
	}
	e, p := vt.NewEmulator(60, 8), renderer{}
	content := f.next()
	fmt.Fprint(e, p.diff(Frame{Content: content}, true))
	fmt.Fprint(e, "\x1b[H\x1b[31;44m"+strings.Repeat("wall message ", 30))
	sent := p.diff(Frame{Content: content}, true)
	fmt.Fprint(e, sent)
	compare(t, e, content, sent)
}

// A terminal that never answers gets the whole of a large frame at once: nothing waits for its first answer.
func TestRenderer_terminalThatNeverAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		p := newRenderer(&out, func() {}, runUnprotected)
		p.start("")
		lines := make([]string, 40)
		for y := range lines {
			lines[y] = fmt.Sprint("line ", y, strings.Repeat("abcdefgh", 9))
		}
		p.show(Frame{Content: strings.Join(lines, "\n")}, true)
		time.Sleep(2 * minFrameInterval) // what start writes may be a frame of its own
		synctest.Wait()
		for _, line := range lines {
			if !strings.Contains(out.String(), line) {
				t.Errorf("%q is not written", line)
			}
		}
		p.end()
	})
}

// Another theme changes every style, but no text.
func TestRenderer_themeChange(t *testing.T) {
	light, err := theme.New("light", colorprofile.TrueColor, false)
	if err != nil {
		t.Fatal(err)
	}
	e, p := vt.NewEmulator(120, 20), renderer{}
	fmt.Fprint(e, p.diff(Frame{Content: tableFrame(darkTheme(t, colorprofile.TrueColor), 120, 20, 3)}, true))
	for _, next := range []*theme.Theme{light, darkTheme(t, colorprofile.ASCII), darkTheme(t, colorprofile.ANSI)} {
		content := tableFrame(next, 120, 20, 3)
		sent := p.diff(Frame{Content: content}, false)
		fmt.Fprint(e, sent)
		compare(t, e, content, sent)
	}
}

// Lines that are no longer part of the frame become blank.
func TestRenderer_shorterFrame(t *testing.T) {
	e, p := vt.NewEmulator(20, 4), renderer{}
	fmt.Fprint(e, p.diff(Frame{Content: "one\ntwo\nthree\nfour"}, true))
	fmt.Fprint(e, p.diff(Frame{Content: "one\ntwo"}, false))
	compare(t, e, "one\ntwo", "")
}

// A line that changes only in the case of its letters is drawn, also when lines move at the same time, and whatever the
// width of its characters.
func TestRenderer_caseOnly(t *testing.T) {
	lines := []string{"one ⚠\ufe0f up", "ONE ⚠\ufe0f up", "One ⚠\ufe0f up", "one ⚠\ufe0f UP", "two", "TWO", "Two"}
	seeds := uint64(15)
	if os.Getenv("LOOKOUT_LONG") != "" {
		seeds = 100
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 7))
		e, p := vt.NewEmulator(20, len(lines)), renderer{}
		p.encoder.writer.features = randomFeatures(r)
		for range 10 {
			content := strings.Join(lines, "\n")
			sent := p.diff(Frame{Content: content}, false)
			fmt.Fprint(e, sent)
			compare(t, e, content, sent)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
			if r.IntN(2) == 0 {
				lines = append(lines[1:], lines[0]) // scrolls
			} else {
				i, j := r.IntN(len(lines)), r.IntN(len(lines))
				lines[i], lines[j] = lines[j], lines[i]
			}
		}
	}
}

// The title follows the screen, letter by letter, and without its controls.
func TestRenderer_title(t *testing.T) {
	p := renderer{}
	p.diff(Frame{Title: "lookout · acme"}, true)
	for _, c := range []struct{ title, want string }{
		{"lookout · other", "\x1b]2;lookout · other\x1b\\"},
		{"lookout · Other", "\x1b]2;lookout · Other\x1b\\"},
		{"lookout · x\x1b]52;c;aA==\a", "\x1b]2;lookout · x]52;c;aA==\x1b\\"},
		{"", "\x1b]2;\x1b\\"},
	} {
		title := c.title
		if sent := p.diff(Frame{Title: title}, false); !strings.Contains(sent, c.want) {
			t.Errorf("%q: %q is written", title, sent)
		}
		if sent := p.diff(Frame{Title: title}, false); sent != "" {
			t.Errorf("%q again: %q is written", title, sent)
		}
	}
}

// A linear terminal gets text and line ends, and no other controls.
func TestRenderer_linearStripsControls(t *testing.T) {
	out := make(writeRecorder, 10)
	p := newRenderer(out, func() {}, runUnprotected)
	p.linear, p.flow.off = true, true
	p.start("")
	p.show(Frame{LinearText: "a\x1b[2Jb\rc\u009bd\n"}, false)
	got := ""
	for !strings.Contains(got, "d") {
		got += out.next(t)
	}
	if got != "a[2Jbcd\r\n" {
		t.Errorf("%q is written", got)
	}
}

// Only text and styles are written, and the default style is set between frames.
func TestRenderer_stripsControls(t *testing.T) {
	p := renderer{}
	p.diff(Frame{Title: "t"}, true)
	sent := p.diff(
		Frame{Title: "t", Content: "a\x1b]52;c;aGk=\x07b\x1b[2Jc\rd\u009b31me\x00 \x9b31m \x1b[31mred"}, false,
	)
	for _, bad := range []string{"\x1b]", "\x1b[2J", "\r", "\u009b", "\x9b31m", "\x00", "\x07"} {
		if strings.Contains(sent, bad) {
			t.Errorf("%q is written: %q", bad, sent)
		}
	}
	if !strings.Contains(ansi.Strip(sent), "\ufffd31m") {
		t.Errorf("no mark stands for a byte that is not UTF-8: %q", sent)
	}
	if !strings.HasSuffix(sent, "\x1b[m") {
		t.Errorf("the style is not reset: %q", sent)
	}
	if again := p.diff(Frame{Title: "t", Content: "a\x1b]52;c;aGk=\x07b\x1b[2Jc\rd\u009b31me\x00 \x9b31m " +
		"\x1b[31mred"}, false); again != "" {
		t.Errorf("an unchanged frame writes %q", again)
	}
}

// tableFrame returns a frame with a table of several columns, with a tint on the row at the cursor.
func tableFrame(look *theme.Theme, width, height, at int) string {
	lines := make([]string, height)
	for y := range lines {
		cells := []string{
			fmt.Sprintf("● %-8s", "ok"),
			fmt.Sprintf("service-%04d", y),
			"url",
			fmt.Sprintf("https://10.0.%d.7/health", y%256),
			"30 s",
			"platform",
		}
		tones := []theme.Tone{theme.Good, theme.Strong, theme.Muted, theme.Plain, theme.Muted, theme.Plain}
		text, row := "  ", look.Tint(theme.Plain)
		if y == at {
			text, row = "▸ ", look.Tint(theme.Cursor)
		}
		for i, c := range cells {
			codes := row.Codes(tones[i])
			text += codes.Open + c + codes.Close
			text += strings.Repeat(" ", []int{12, 30, 6, 36, 8, 14}[i]-ansi.StringWidth(c))
		}
		text += strings.Repeat(" ", width-ansi.StringWidth(text))
		lines[y] = row.Around.Open + text + row.Around.Close
	}
	return strings.Join(lines, "\n")
}

// Moving the cursor rewrites little of two rows, with any number of colours: no more bytes than it took so far.
func TestRenderer_cursorMoveIsSmall(t *testing.T) {
	for colors, most := range map[colorprofile.Profile]int{
		colorprofile.ASCII:     254,
		colorprofile.ANSI:      274,
		colorprofile.ANSI256:   342,
		colorprofile.TrueColor: 380,
	} {
		p := renderer{}
		p.diff(Frame{Content: tableFrame(darkTheme(t, colors), 120, 36, 10)}, true)
		sent := p.diff(Frame{Content: tableFrame(darkTheme(t, colors), 120, 36, 11)}, false)
		if len(sent) > most {
			t.Errorf("%v: %d bytes, at most %d before: %q", colors, len(sent), most, sent)
		}
	}
}

// benchmarkFrames encodes two frames in turn, on a terminal like xterm.
func benchmarkFrames(b *testing.B, first, second string, fresh bool) {
	b.Helper()
	e := frameEncoder{}
	e.writer.features = knownFeatures("xterm-256color")
	e.writer.features.lineFeed, e.writer.features.margins = true, true
	e.encode(first, true)
	e.encode(second, fresh)
	b.ReportAllocs()
	total, n := 0, 0
	for b.Loop() {
		bytes := e.encode(first, fresh)
		first, second = second, first
		total += len(bytes)
		n++
	}
	b.ReportMetric(float64(total)/float64(n), "bytes/frame")
}

func BenchmarkCursorMove(b *testing.B) {
	look := darkTheme(b, colorprofile.TrueColor)
	benchmarkFrames(b, tableFrame(look, 200, 50, 10), tableFrame(look, 200, 50, 11), false)
}

// BenchmarkAllRows changes every row, as a page down does.
func BenchmarkAllRows(b *testing.B) {
	first := tableFrame(darkTheme(b, colorprofile.TrueColor), 200, 50, 10)
	second := strings.NewReplacer("service-00", "service-01", "10.0.", "10.3.", "● ok", "▲ no").Replace(first)
	benchmarkFrames(b, first, second, false)
}

// BenchmarkScroll moves all rows by one, below a heading.
func BenchmarkScroll(b *testing.B) {
	look := darkTheme(b, colorprofile.TrueColor)
	rows := strings.Split(tableFrame(look, 200, 51, 60), "\n")
	first := "heading\n" + strings.Join(rows[:49], "\n")
	second := "heading\n" + strings.Join(rows[1:50], "\n")
	benchmarkFrames(b, first, second, false)
}

func BenchmarkWholeFrame(b *testing.B) {
	frame := tableFrame(darkTheme(b, colorprofile.TrueColor), 200, 50, 10)
	benchmarkFrames(b, frame, frame, true)
}

// lookout's own texts keep their shape on a terminal that shows only ASCII: no question mark stands for a dot or an
// ellipsis.
func TestASCIIOnly_hasTwinsForOurOwnTexts(t *testing.T) {
	for text, want := range map[string]string{
		"3 shown · 1 marked…":       "3 shown - 1 marked~",
		"a › b — none ≥ 2 d ✓ ‹no›": "a > b - none > 2 d + <no>",
		"→ completes the path":      "> completes the path",
		"│ ╭─ 7 ┤ ▁▃█ ▲821 ┊":       "| +- 7 | _-# ^821 :",
		"größe 日本":                  "gr??e ????",
	} {
		if got := asciiOnly(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// Each question to the terminal is awaited, so that no answer reaches the shell after the exit.
func TestRenderer_writeRaw_query(t *testing.T) {
	out := make(writeRecorder, 10)
	p := newRenderer(out, func() {}, runUnprotected)
	p.writeRaw("\a", false)
	if sent := out.next(t); sent != "\a" || p.awaitsAnswer() {
		t.Errorf("a bell is written as %q", sent)
	}
	question := RequestBackgroundColor()().(output)
	p.writeRaw(question.bytes, question.query)
	if sent := out.next(t); sent != question.bytes+requestSequence || !p.awaitsAnswer() {
		t.Errorf("a query is written as %q", sent)
	}
	if p.answered(); p.awaitsAnswer() {
		t.Error("an answer is awaited that has arrived")
	}
}

// A line is dead from its second write on, until alive is closed. Once it is broken, writes fail.
type deadLine struct {
	written int
	alive   chan struct{}
	broken  bool
}

func (l *deadLine) Write(b []byte) (int, error) {
	if l.broken {
		return 0, io.ErrClosedPipe
	}
	if l.written++; l.written > 1 {
		<-l.alive
	}
	return len(b), nil
}

// Keys are dropped while a write hangs: after a second on a terminal that does not answer, and after three on one that
// does, because its line may only be slow.
func TestRenderer_stalled_whileWriteHangs(t *testing.T) {
	for name, c := range map[string]struct {
		answers bool
		alive   time.Duration
	}{"answers": {true, 2900 * time.Millisecond}, "silent": {false, 900 * time.Millisecond}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				line := &deadLine{alive: make(chan struct{})}
				p := newRenderer(line, func() {}, func(f func()) { f() })
				p.start("")
				synctest.Wait()
				if c.answers {
					p.answered()
				}
				time.Sleep(firstAnswerTimeout + time.Millisecond)
				p.show(Frame{Content: "frame"}, true)
				synctest.Wait()
				if time.Sleep(c.alive); p.stalled(time.Now()) {
					t.Errorf("keys are dropped after %v", c.alive)
				}
				if time.Sleep(200 * time.Millisecond); !p.stalled(time.Now()) {
					t.Error("keys are not dropped on a dead line")
				}
				close(line.alive)
				synctest.Wait()
				if !p.stalled(time.Now()) {
					t.Error("keys typed on the dead line are obeyed")
				}
				for range 3 {
					p.answered()
				}
				if time.Sleep(300 * time.Millisecond); p.stalled(time.Now()) {
					t.Error("keys are dropped on a line that is alive again")
				}
				line.broken = true
				p.writeRaw("the end", false) // ends the goroutine
				synctest.Wait()
			})
		})
	}
}

// A terminal that shows only ASCII gets nothing else, whatever it is for: the bytes of other characters may be control
// characters there.
func TestRenderer_asciiEverywhere(t *testing.T) {
	const text = "caf\u00e9 \u00db31m…"
	for _, linear := range []bool{false, true} {
		out := make(writeRecorder, 10)
		p := newRenderer(out, func() {}, runUnprotected)
		p.encoder.ascii, p.linear, p.flow.off = true, linear, true
		p.writeRaw(notificationSequence([]string{"osc9"}, text, text, false, false), false)
		p.show(Frame{Content: text, Title: text, LinearText: text}, true)
		got, want := "", map[bool]int{false: 4, true: 3}[linear] // the notification has a title of its own
		for strings.Count(got, "caf? ?31m~") < want {
			got += out.next(t)
		}
		if strings.ContainsFunc(got, func(r rune) bool { return r >= utf8.RuneSelf }) {
			t.Errorf("linear %v: %q", linear, got)
		}
	}
}

// Once the terminal is given back, nothing is drawn on it.
func TestRenderer_flush_endsDrawing(t *testing.T) {
	out := make(writeRecorder, 10)
	p := newRenderer(out, func() {}, runUnprotected)
	p.flush("end", 10*time.Second)
	p.show(Frame{Content: "late"}, true)
	p.writeRaw("late", false)
	p.start("again")
	if got := out.next(t) + out.next(t); got != "endagain"+requestSequence {
		t.Errorf("%q", got)
	}
}

// A screen that has shown everything is not behind, however long nothing changes.
func TestRenderer_behind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := make(writeRecorder, 10)
		p := newRenderer(out, func() {}, func(f func()) { f() })
		p.start("")
		synctest.Wait()
		p.answered()
		p.show(Frame{Content: "frame"}, true)
		synctest.Wait()
		if time.Sleep(blindTimeout / 2); p.behind() {
			t.Error("it is behind at once")
		}
		if time.Sleep(blindTimeout); !p.behind() {
			t.Error("it is not behind although nobody has seen the frame")
		}
		for range 3 {
			p.answered()
		}
		if time.Sleep(2 * blindTimeout); p.behind() {
			t.Error("it is behind although the frame was seen")
		}
		p.end()
	})
}
