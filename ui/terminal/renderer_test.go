package terminal

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

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
}

var words = []string{
	"web-01", "a", "problem", "─────", "● ok", "▲", "…", "日本語", "e\u0301", "👩‍👩‍👧", "é", "12:04", "       ", "Ω≈ç",
	"한글", "‹x9B›", "x\u0323\u0301", "✓", "…\ufe0f",
}

func (f *frameGenerator) line() string {
	var b strings.Builder
	for used := 0; used < f.width; {
		text := words[f.IntN(len(words))]
		if f.IntN(4) > 0 { // most lines contain no wide characters
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
	for range f.IntN(4) {
		y := f.IntN(f.height)
		switch f.IntN(4) {
		case 0:
			f.lines[y] = strings.Repeat(" ", f.width)
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

// The renderer turns any screen into the frame.
func TestRenderer_screenMatchesFrame(t *testing.T) {
	for _, colors := range allProfiles {
		for seed := range uint64(2) {
			r := rand.New(rand.NewPCG(seed, uint64(colors)))
			f := &frameGenerator{Rand: r, theme: darkTheme(t, colors)}
			for range 4 {
				f.width, f.height, f.lines = 1+r.IntN(90), 1+r.IntN(12), nil
				e := vt.NewEmulator(f.width, f.height)
				fmt.Fprint(e, strings.Repeat("garbage ", 200)) // as a resize may leave it
				p := renderer{}
				for n := range 25 {
					content := f.next()
					sent := p.diff(Frame{Content: content}, n == 0)
					fmt.Fprint(e, sent)
					compare(t, e, content, sent)
				}
			}
		}
	}
}

// A full redraw restores a screen that another program has written to.
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
	fmt.Fprint(e, "\x1b[H\x1b[31;44m"+strings.Repeat("wall message ", 30)+"\x1b[m")
	sent := p.diff(Frame{Content: content}, true)
	fmt.Fprint(e, sent)
	compare(t, e, content, sent)
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

// Moving the cursor rewrites little of two rows, with any number of colours.
func TestRenderer_cursorMoveIsSmall(t *testing.T) {
	for _, colors := range allProfiles {
		p := renderer{}
		p.diff(Frame{Content: tableFrame(darkTheme(t, colors), 120, 36, 10)}, true)
		sent := p.diff(Frame{Content: tableFrame(darkTheme(t, colors), 120, 36, 11)}, false)
		t.Logf("%v: %d bytes", colors, len(sent))
		if len(sent) > 400 {
			t.Errorf("%v: %d bytes: %q", colors, len(sent), sent)
		}
	}
}

func BenchmarkCursorMove(b *testing.B) {
	look := darkTheme(b, colorprofile.TrueColor)
	first, second := Frame{Content: tableFrame(look, 200, 50, 10)}, Frame{Content: tableFrame(look, 200, 50, 11)}
	p := renderer{}
	p.diff(first, true)
	b.ReportAllocs()
	for range b.N {
		b.ReportMetric(float64(len(p.diff(second, false))), "bytes/frame")
		first, second = second, first
	}
}

// BenchmarkAllRows changes every row, as a page down does.
func BenchmarkAllRows(b *testing.B) {
	look := darkTheme(b, colorprofile.TrueColor)
	first := Frame{Content: tableFrame(look, 200, 50, 10)}
	second := Frame{
		Content: strings.NewReplacer(
			"service-00", "service-01", "10.0.", "10.3.", "● ok", "▲ no",
		).Replace(first.Content),
	}
	p := renderer{}
	p.diff(first, true)
	b.ReportAllocs()
	for range b.N {
		b.ReportMetric(float64(len(p.diff(second, false))), "bytes/frame")
		first, second = second, first
	}
}

func BenchmarkWholeFrame(b *testing.B) {
	f := Frame{Content: tableFrame(darkTheme(b, colorprofile.TrueColor), 200, 50, 10)}
	p := renderer{}
	b.ReportAllocs()
	for range b.N {
		b.ReportMetric(float64(len(p.diff(f, true))), "bytes/frame")
	}
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
