package terminal

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"lookout/theme"
)

// xtermFeatures returns the features of an xterm that answers that it has left and right margins.
func xtermFeatures() features {
	f := featuresOf("xterm-256color", nil, nil)
	f.margins = true
	return f
}

// listWithBox returns a list of rows, scrolled by some lines, beside a box about the row at its end.
func listWithBox(look *theme.Theme, scrolled int) string {
	lines := []string{"heading" + strings.Repeat(" ", 73)}
	at := scrolled + 20
	for y := range 21 {
		number := (scrolled + y) * 7919 % 10007
		row := fmt.Sprintf("● ok   service-%05d   https://%05x.acme.net  ", number, number*number)
		row = fmt.Sprintf("%.46s", row)
		text := look.Paint(theme.Strong, row)
		if y == 20 {
			text = look.Paint(theme.Cursor, row)
		}
		text += strings.Repeat(" ", 48-ansi.StringWidth(row))
		person := fmt.Sprintf("person %d-%04d", y, at)
		text += look.Paint(theme.Muted, "│ ") + person + strings.Repeat(" ", 29-len(person))
		lines = append(lines, text+look.Paint(theme.Muted, "│"))
	}
	return strings.Join(lines, "\n")
}

// encodeAll writes frames one after another, and returns the bytes of the last one.
func encodeAll(t *testing.T, f features, frames ...string) string {
	t.Helper()
	height := strings.Count(frames[0], "\n") + 1
	width := ansi.StringWidth(strings.SplitN(frames[0], "\n", 2)[0])
	e := frameEncoder{}
	e.writer.features = f
	strict, other := newStrictTerminal(t, width, height, f), vt.NewEmulator(width, height)
	for n, frame := range frames {
		bytes := e.encode(frame, n == 0)
		strict.Write(strings.Repeat("\x1b[2J", btoi(n == 0)) + string(bytes))
		strict.check(frame)
		fmt.Fprint(other, strict.sent)
		compare(t, other, frame, strict.sent)
	}
	return strict.sent
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A list that scrolls beside a box moves alone on a terminal with left and right margins, and with the box on others,
// which is then repaired; without scroll regions, lines are deleted and inserted; on an unknown terminal every row is
// overwritten. The shortest is chosen.
func TestFrameEncoder_scroll(t *testing.T) {
	look := darkTheme(t, colorprofile.TrueColor)
	plain := features{lineFeed: true}
	lines, region := plain, plain
	lines.insertLines = true
	region.scroll = true
	margins := region
	margins.margins = true
	frames := []string{listWithBox(look, 100), listWithBox(look, 101)}
	for _, test := range []struct {
		name     string
		features features
		sequence string // that must be used
		limit    int    // bytes
	}{
		{"unknown terminal", plain, `^[^r]*$`, 700},
		{"insert and delete line", lines, `\x1b\[M.*\x1b\[L`, 350},
		{"scroll region", region, `\x1b\[2;2[0-9]r\x1b\[S\x1b\[r`, 350},
		{"margins", margins, `\x1b\[\?69h\x1b\[2;2[0-9]r\x1b\[[0-9]+;[0-9]+s\x1b\[S\x1b\[s\x1b\[\?69l\x1b\[r`, 220},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, pair := range [][]string{frames, {frames[1], frames[0]}} {
				sent := encodeAll(t, test.features, pair...)
				t.Logf("%d bytes: %q", len(sent), sent)
				pattern := test.sequence
				if pair[0] == frames[1] {
					pattern = strings.NewReplacer(`\x1b\[S`, `\x1b\[T`).Replace(pattern)
				}
				if !regexp.MustCompile(`(?s)` + pattern).MatchString(sent) {
					t.Errorf("%q does not match %s", sent, pattern)
				}
				if len(sent) > test.limit {
					t.Errorf("%d bytes", len(sent))
				}
			}
		})
	}
}

// What stands above and below a list that scrolls, up or down, is neither moved nor written again.
func TestFrameEncoder_scrollBetween(t *testing.T) {
	frame := func(scrolled int) string {
		var lines []string
		for y := range 24 {
			number := (scrolled + y) * 7919 % 10007
			line := fmt.Sprintf("service-%05d   https://%05x.acme.net   person %d", number, number*number, number%97)
			if y < 3 || y >= 20 {
				line = fmt.Sprintf("fixed %c: %s", 'a'+y, strings.Repeat(string(rune('A'+y)), 40))
			}
			lines = append(lines, fmt.Sprintf("%-70s", line))
		}
		return strings.Join(lines, "\n")
	}
	for _, pair := range [][2]int{{100, 101}, {101, 100}} {
		sent := encodeAll(t, features{lineFeed: true, scroll: true}, frame(pair[0]), frame(pair[1]))
		if strings.Contains(sent, "fixed") || !strings.Contains(sent, "\x1b[4;20r") {
			t.Errorf("from %d to %d: %q", pair[0], pair[1], sent)
		}
	}
}

// Nobody knows the columns of a line with wide characters, so they are not moved by margins.
func TestFrameEncoder_scrollWideCharacters(t *testing.T) {
	look := darkTheme(t, colorprofile.TrueColor)
	wide := func(scrolled int) string {
		return strings.ReplaceAll(listWithBox(look, scrolled), "person 5-", "日本語 5-")
	}
	sent := encodeAll(t, xtermFeatures(), wide(100), wide(101))
	if strings.Contains(sent, "\x1b[?69h") {
		t.Errorf("margins are used: %q", sent)
	}
}

// A line that is erased before it is written is not written from a column above it: that would be erased.
func TestFrameEncoder_erasedLineBelow(t *testing.T) {
	red := func(s string) string { return "\x1b[38;2;200;1;1m" + s + "\x1b[m" }
	before := strings.Repeat(strings.Repeat("long line ", 6)+"\n", 3) + strings.Repeat(" ", 60)
	line := "x    " + red("bb") + strings.Repeat(" ", 40) + "end" + strings.Repeat(" ", 10)
	after := "long " + red("aa") + strings.Repeat("long line ", 6)[7:] + "\n" + line + "\n" + line + "\n" +
		strings.Repeat(" ", 60)
	encodeAll(t, features{lineFeed: true}, before, after)
}

// A column of digits in one colour takes one style and three bytes for each digit.
func TestFrameEncoder_column(t *testing.T) {
	look := darkTheme(t, colorprofile.TrueColor)
	frame := func(digit string) string {
		var lines []string
		for y := range 20 {
			line := look.Paint(theme.Good, fmt.Sprintf("row %c", 'a'+y)) + look.Paint(theme.Muted, " value "+digit)
			lines = append(lines, line+look.Paint(theme.Good, strings.Repeat(" x", 20)+digit)+" ")
		}
		return strings.Join(lines, "\n")
	}
	sent := encodeAll(t, xtermFeatures(), frame("1"), frame("2"))
	if len(sent) > 20*2*3+80 {
		t.Errorf("%d bytes: %q", len(sent), sent)
	}
}

// Words in alternating colours, such as keys and what they do, take each colour once.
func TestFrameEncoder_alternatingStyles(t *testing.T) {
	look := darkTheme(t, colorprofile.TrueColor)
	frame := func(words ...string) string {
		line := ""
		for n, word := range words {
			line += look.Paint([]theme.Tone{theme.Accent, theme.Muted}[n%2], word+" ")
		}
		return line + strings.Repeat(" ", 60-ansi.StringWidth(line))
	}
	sent := encodeAll(t, xtermFeatures(), frame(), frame("e", "edit", "n", "new", "s", "sort", "?", "help"))
	for _, tone := range []theme.Tone{theme.Accent, theme.Muted} {
		style, _, _ := strings.Cut(look.Paint(tone, "\x00"), "\x00")
		if n := strings.Count(sent, style[2:]); n != 1 {
			t.Errorf("%q is written %d times: %q", style, n, sent)
		}
	}
}

// A screen of boxes takes each colour a few times, although each line has all of them.
func TestFrameEncoder_boxes(t *testing.T) {
	look := darkTheme(t, colorprofile.TrueColor)
	edge, rule := look.Paint(theme.Rule, "│"), look.Paint(theme.Rule, strings.Repeat("─", 28))
	var lines []string
	for y := range 18 {
		row := fmt.Sprintf("%s %s %s %s", edge, look.Paint(theme.Muted, fmt.Sprintf("label %c", 'a'+y)),
			look.Paint(theme.Accent, fmt.Sprintf("key %02d", y)), fmt.Sprintf("value %3d", y*y)+edge)
		if y%6 == 5 {
			row = rule
		}
		row += strings.Repeat(" ", 28-ansi.StringWidth(row))
		lines = append(lines, row+row)
	}
	blank := strings.Repeat(strings.Repeat(" ", 56)+"\n", 17) + strings.Repeat(" ", 56)
	sent := encodeAll(t, xtermFeatures(), blank, strings.Join(lines, "\n"))
	for _, tone := range []theme.Tone{theme.Rule, theme.Muted, theme.Accent} {
		style, _, _ := strings.Cut(look.Paint(tone, "\x00"), "\x00")
		if n := strings.Count(sent, style[2:]); n > 1 {
			t.Errorf("%q is written %d times: %q", style, n, sent)
		}
	}
}

// Each pair of lines is written with the shortest of the control functions that the terminal has.
func TestFrameEncoder_shortestForm(t *testing.T) {
	all := xtermFeatures()
	all.repeat = true
	oldErase := xtermFeatures()
	oldErase.eraseColor = false
	bold := func(s string) string { return "\x1b[1m" + s + "\x1b[m" }
	red := func(s string) string { return "\x1b[41m" + s + "\x1b[m" }
	for _, test := range []struct {
		name, before, after, want string
		features                  features
	}{
		{"erase to the end", "a long line", "a          ", "\x1b[;3H\x1b[K", all},
		{"erase cells", "a long line of text, the end", "a                    the end", "\x1b[;3H\x1b[18X", all},
		{"erase in the style of a text", bold("one") + " and more text", bold("two"), "\x1b[H\x1b[1mtwo\x1b[K\x1b[m",
			all},
		{"blanks", "a long line of text, the end", "a                    the end",
			"\x1b[;3H" + strings.Repeat(" ", 18), features{}},
		{"erase cells with a background", red("a long line of text") + ", the end",
			red("a long") + red(strings.Repeat(" ", 13)) + ", the end", "\x1b[;8H\x1b[41m\x1b[12X\x1b[m", all},
		{"blanks with a background", red("a long line of text") + ", the end",
			red("a long") + red(strings.Repeat(" ", 13)) + ", the end", "\x1b[;8H\x1b[41m            \x1b[m", oldErase},
		{"repeat", "          ", "xxxxxxxxxx", "\x1b[Hx\x1b[9b", all},
		{"no repetition of other characters", "          ", "──────────", "\x1b[H──────────", all},
		{"no repetition", "          ", "xxxxxxxxxx", "\x1b[Hxxxxxxxxxx", features{}},
		{"rewrite a gap", "abcdef", "xbcdex", "\x1b[Hxbcdex", all},
		{"jump over a gap", "abcdefghij", "xbcdefghix", "\x1b[Hx\x1b[8Cx", all},
		{"style", bold("abc") + "def", bold("abx") + "def", "\x1b[;3H\x1b[1mx\x1b[m", all},
		{"next line", "a\nb", "x\ny", "\x1b[Hx\n\ry", all},
		{"next line without line feeds", "a\nb", "x\ny", "\x1b[Hx\x1b[B\ry", features{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			pad := func(text string) string {
				lines := strings.Split(text, "\n")
				for y, line := range lines {
					lines[y] = line + strings.Repeat(" ", 30-ansi.StringWidth(line))
				}
				return strings.Join(lines, "\n")
			}
			if sent := encodeAll(t, test.features, pad(test.before), pad(test.after)); sent != test.want {
				t.Errorf("sent %q, want %q", sent, test.want)
			}
		})
	}
}

// Nothing is used that the terminal may not have.
func TestKnownFeatures(t *testing.T) {
	common := features{insertLines: true, scroll: true, eraseCells: true, eraseColor: true}
	multiplexer := common
	multiplexer.eraseColor = false
	repeat := common
	repeat.repeat = true
	for term, want := range map[string]features{
		"":                 {},
		"vt100":            {},
		"dumb":             {},
		"linux":            {insertLines: true, eraseCells: true, eraseColor: true},
		"xterm-256color":   common,
		"screen-256color":  multiplexer,
		"tmux-256color":    multiplexer,
		"rxvt-unicode":     common,
		"xterm-kitty":      repeat,
		"foot":             repeat,
		"alacritty-direct": repeat,
	} {
		if got := knownFeatures(term); got != want {
			t.Errorf("%s: %+v, want %+v", term, got, want)
		}
	}
}

// Frames that follow each other need no memory.
func TestFrameEncoder_noAllocations(t *testing.T) {
	look := darkTheme(t, colorprofile.TrueColor)
	e := frameEncoder{}
	e.writer.features = xtermFeatures()
	first, second := listWithBox(look, 100), listWithBox(look, 101)
	e.encode(first, true)
	swap := func() {
		e.encode(second, false)
		first, second = second, first
	}
	swap()
	swap()
	swap()
	if n := testing.AllocsPerRun(50, swap); n > 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

// scrollScreen is a list beside a box that each key scrolls by a line.
type scrollScreen struct {
	look     *theme.Theme
	scrolled int
}

func (s *scrollScreen) Init() tea.Cmd { return nil }

func (s *scrollScreen) Update(msg tea.Msg) tea.Cmd {
	if _, pressed := msg.(tea.KeyPressMsg); pressed {
		s.scrolled++
	}
	return nil
}

func (s *scrollScreen) Frame() Frame { return Frame{Content: listWithBox(s.look, s.scrolled)} }

// Left and right margins are used once the terminal has answered that it has them. A terminal whose functions are not
// known is not asked.
func TestRun_asksForMargins(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, term, answer string
		asks, uses         bool
	}{
		{"has margins", "xterm-256color", "\x1b[?69;2$y", true, true},
		{"has them on", "xterm-256color", "\x1b[?69;1$y", true, true},
		{"does not know them", "xterm-256color", "\x1b[?69;0$y", true, false},
		{"cannot switch them on", "xterm-256color", "\x1b[?69;4$y", true, false},
		{"does not answer", "tmux-256color", "", true, false},
		{"unknown terminal", "vt100", "", false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel() // each waits for a first answer that does not come
			in, typed := io.Pipe()
			defer typed.Close()
			out := make(writeRecorder, 100)
			go func() {
				_, _ = Run(t.Context(), &scrollScreen{look: darkTheme(t, colorprofile.TrueColor)}, Options{
					In:   in,
					Out:  out,
					Size: func() (int, int) { return 80, 22 },
					Term: test.term,
				})
			}()
			sent := ""
			waitFor := func(text string) string {
				for !strings.Contains(sent, text) {
					sent += out.next(t)
				}
				before := sent
				sent = ""
				return before
			}
			first := waitFor("person 20")
			if at := strings.Index(first, marginQuery); at >= 0 != test.asks ||
				at > strings.Index(first, clearSequence) {
				t.Errorf("the terminal is asked at %d: %.100q", at, first)
			}
			fmt.Fprint(typed, test.answer, "x")
			waitFor("\x1b[m")
			fmt.Fprint(typed, "x")
			if got := waitFor("\x1b[m"); strings.Contains(got, "\x1b[?69h") != test.uses {
				t.Errorf("sent %q", got)
			}
		})
	}
}
