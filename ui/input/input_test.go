package input

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/uitest"
)

// press presses keys.
func press(e TextEditor, keys ...string) {
	for _, k := range uitest.Keys(keys...) {
		e.Press(k)
	}
}

// A line and a block take the same keys to the same effect.
func TestEditor_Press_keys(t *testing.T) {
	for _, c := range []struct{ start, keys, want string }{
		{"one two", "x", "one twox|"},
		{"one two", "<home>x", "x|one two"},
		{"one two", "<ctrl+a>x<ctrl+e>y", "xone twoy|"},
		{"one two", "<left><left><delete>", "one t|o"},
		{"one two", "<ctrl+b><ctrl+b><ctrl+d>", "one t|o"},
		{"one two", "<home><ctrl+f><ctrl+h>", "|ne two"},
		{"one two", "<ctrl+w>", "one |"},
		{"one  ", "<ctrl+w>", "|"},
		{"one two", "<home><ctrl+w>", "|one two"},
		{"one two", "<alt+b><backspace>", "one|two"},
		{"one two", "<ctrl+left>x", "one x|two"},
		{"one two", "<home><alt+f>x", "onex| two"},
		{"one two", "<home><alt+right><alt+right>x", "one twox|"},
		{"one two", "<home><alt+d>", "| two"},
		{"one two", "<left><alt+d>", "one tw|"},
		{"one two", "<alt+d>", "one two|"},
		{"one two", "<alt+b><ctrl+u>", "|two"},
		{"one two", "<alt+b><ctrl+k>", "one |"},
		{"one two", "<ctrl+backspace>", "one |"},
		{"größe", "<left><left><delete>", "grö|e"},
		{"", "<backspace><delete><ctrl+w><ctrl+k><ctrl+u><alt+b><alt+f><alt+d><left><right>", "|"},
		{"one", "<ctrl+v>", "one|"},
	} {
		for kind, e := range map[string]TextEditor{"line": NewLine(c.start), "block": NewBlock(c.start)} {
			press(e, c.keys)
			text, before := e.Text(), ""
			press(e, "<ctrl+k>")
			before = e.Text()
			if got := before + "|" + text[len(before):]; got != c.want {
				t.Errorf("%s %q, %s: got %q, want %q", kind, c.start, c.keys, got, c.want)
			}
		}
	}
}

// No key of an input starts a program or waits for one, and keys that edit nothing are left to the caller. Keys that
// edit text are taken even where they change nothing, so that no form takes them for its own.
func TestEditor_Press_leavesOtherKeys(t *testing.T) {
	const moves = "<left><right><up><down><home><end><enter><esc><ctrl+left><alt+right>" +
		"<ctrl+a><ctrl+b><ctrl+e><ctrl+f><alt+b><alt+f>"
	const edits = "x<delete><backspace><ctrl+backspace><ctrl+d><ctrl+h><ctrl+k><ctrl+u><ctrl+v><ctrl+w><alt+d>"
	others := []string{"up", "down", "enter", "esc", "ctrl+v"}
	for _, k := range uitest.Keys(moves, edits) {
		for _, e := range []TextEditor{NewLine("text"), NewBlock("text"), NewLine(""), NewBlock("")} {
			if taken := e.Press(k); taken == slices.Contains(others, k.String()) {
				t.Errorf("%T with %q: taken is %t for %s", e, e.Text(), taken, k)
			}
		}
	}
}

// A text that is not edited keeps its bytes, whatever they are.
func TestNew_keepsBytes(t *testing.T) {
	for _, text := range []string{
		"", "plain", "größe 日本 👍", "tab\there", "dos\r\nline", "unix\nline", "\u0085c1", "\xff\xfe invalid", "\x1b[31m",
		"end\x00", "\ufffd", strings.Repeat("x", MaxRunes+1),
	} {
		e := New(text)
		if got := e.Text(); got != text {
			t.Errorf("%.40q became %.40q", text, got)
		}
		press(e, "!<backspace>")
		if got := e.Text(); len(text) <= MaxRunes && got != text {
			t.Errorf("%.40q became %.40q after a key and backspace", text, got)
		}
	}
}

func TestEditor_Paste(t *testing.T) {
	for _, c := range []struct{ text, line, block string }{
		{"one\r\ntwo\n", "one two", "one\ntwo\n"},
		{"one\rtwo\r", "one two", "one\ntwo\n"},
		{"\none\n\ntwo", "one  two", "\none\n\ntwo"},
		{"a\tb", "a b", "a b"},
		{"a\x1b[31mb\x00\u0085", "a[31mb", "a[31mb"},
	} {
		for want, e := range map[string]TextEditor{c.line: NewLine("<>"), c.block: NewLines("<>")} {
			press(e, "<left>")
			if cut := e.Paste(c.text); cut || e.Text() != "<"+want+">" {
				t.Errorf("pasted %q: got %q, cut %v", c.text, e.Text(), cut)
			}
			if press(e, "!"); e.Text() != "<"+want+"!>" {
				t.Errorf("pasted %q: the cursor is not behind it: %q", c.text, e.Text())
			}
		}
	}
	for _, e := range []TextEditor{NewLine(""), NewLines("")} {
		if !e.Paste(strings.Repeat("é", MaxRunes+1)) || len(e.Text()) != 2*MaxRunes {
			t.Errorf("%T holds %d bytes of a paste that is too long", e, len(e.Text()))
		}
		if !e.Paste("x") {
			t.Errorf("%T is full and takes more", e)
		}
	}
}

func TestBlock_Press_lines(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"<up>x", "first\nsecx\nond"},
		{"<up><up>x", "firxst\nsec\nond"},
		{"<up><up><up>x", "firxst\nsec\nond"},
		{"<up><up><end><down>x", "first\nsecx\nond"},
		{"<home><enter>", "first\nsec\n\nond"},
		{"<home><backspace>", "first\nsecond"},
		{"<up><home><ctrl+k>", "first\n\nond"},
	} {
		e := NewLines("first\nsec\nond")
		press(e, c.keys)
		if e.Text() != c.want {
			t.Errorf("%s: got %q, want %q", c.keys, e.Text(), c.want)
		}
	}
	if e := NewBlock("a\nb"); e.Press(uitest.Key("<enter>")) || e.Press(uitest.Key("<down>")) {
		t.Error("enter, or down in the last line, was taken")
	}
}

// The cursor is in sight at every width, and no line is wider than its box.
func TestEditor_View_fits(t *testing.T) {
	long := strings.Repeat("日本語 wide and long ", 30)
	texts := []string{
		"",
		"short",
		long,
		"e\u0301\u0301 combining \u202e bidi",
		long + "\n" + long + "\n\n\n\nlast\nof all",
	}
	for _, text := range texts {
		for width := 4; width < 90; width += 7 {
			b := uitest.NewBox(t, width, 10)
			for _, e := range []TextEditor{NewLine(text), NewBlock(text)} {
				for range 4 {
					checkView(t, e, b)
					press(e, "<alt+b><left><left><left><up>")
				}
			}
		}
	}
}

// checkView draws an editor and checks that its cursor is in sight.
func checkView(t *testing.T, e TextEditor, b ui.Box) {
	t.Helper()
	lines := e.View(b, true)
	for _, line := range lines {
		if n := ansi.StringWidth(line); n > b.Width {
			t.Errorf("%T: %d cells in %d: %q", e, n, b.Width, line)
		}
	}
	cursor := b.Theme.Paint(theme.Caret, "x")
	if open, _, _ := strings.Cut(cursor, "x"); !strings.Contains(strings.Join(lines, "\n"), open) {
		t.Errorf("%T: the cursor is out of sight at width %d", e, b.Width)
	}
	if len(lines) > blockLines {
		t.Errorf("%T: %d lines", e, len(lines))
	}
}

// A secret shows neither its text nor its length, and ctrl+w does not tell its words apart.
func TestNewSecret(t *testing.T) {
	b := uitest.NewBox(t, 40, 3)
	short, long := NewSecret("x"), NewSecret("correct horse battery")
	if short.View(b, true)[0] != long.View(b, true)[0] || strings.Contains(long.View(b, false)[0], "horse") {
		t.Errorf("%q and %q", short.View(b, true), long.View(b, true))
	}
	if press(long, "<ctrl+w>"); long.Text() != "" {
		t.Errorf("ctrl+w left %q", long.Text())
	}
}

func TestShowInvisible(t *testing.T) {
	if got := ShowInvisible("a\x1b\tb\nc\u202e\u0085\u200d\x7f"); got != "a␛␉b\nc\ufffd\ufffd\ufffd\ufffd" {
		t.Errorf("%q", got)
	}
}

// A block shows five lines: two above the cursor, and what follows it; more above it at the end.
func TestBlock_View_linesAroundCursor(t *testing.T) {
	b := uitest.NewBox(t, 20, 10)
	e := NewBlock("l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9")
	for _, want := range []string{
		"l5 l6 l7 l8 l9", "l5 l6 l7 l8 l9", "l5 l6 l7 l8 l9", "l4 l5 l6 l7 l8", "l3 l4 l5 l6 l7", "l2 l3 l4 l5 l6",
		"l1 l2 l3 l4 l5", "l1 l2 l3 l4 l5", "l1 l2 l3 l4 l5",
	} {
		if got := strings.Join(strings.Fields(ansi.Strip(strings.Join(e.View(b, true), " "))), " "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		press(e, "<up>")
	}
	if got := strings.Fields(ansi.Strip(strings.Join(e.View(b, false), " "))); len(got) != 5 || got[0] != "l1" {
		t.Errorf("without the keyboard: %v", got)
	}
}

// What is behind the cursor is drawn too, a paste that just fits is not cut, and a word ends at the space before it.
func TestEditor_edges(t *testing.T) {
	b := uitest.NewBox(t, 20, 10)
	for _, e := range []TextEditor{NewLine("abcdef"), NewBlock("abcdef")} {
		press(e, "<left><left><left>")
		if got := ansi.Strip(strings.Join(e.View(b, true), "")); !strings.Contains(got, "abcdef") {
			t.Errorf("%T: %q", e, got)
		}
	}
	for _, e := range []TextEditor{NewLine(""), NewLines("")} {
		if e.Paste(strings.Repeat("é", MaxRunes)) || len(e.Text()) != 2*MaxRunes {
			t.Errorf("%T cuts a paste that fits: %d bytes", e, len(e.Text()))
		}
	}
	e := NewBlock(" word")
	if press(e, "<ctrl+w>"); e.Text() != " " {
		t.Errorf("ctrl+w leaves %q", e.Text())
	}
}

// The end of a text fills the room before the cursor to its last cell.
func TestTail(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"abcdef", 3, "def"}, {"abc", 3, "abc"}, {"abc", 0, ""}, {"a日本", 4, "日本"}, {"a日本", 3, "本"},
	} {
		if got := tail(c.text, c.width); got != c.want {
			t.Errorf("the last %d cells of %q are %q, not %q", c.width, c.text, got, c.want)
		}
	}
}

// Characters are text, with shift too; with ctrl or alt they are commands.
func TestEntersText(t *testing.T) {
	for mod, want := range map[tea.KeyMod]bool{
		0: true, tea.ModShift: true, tea.ModAlt: false, tea.ModCtrl: false, tea.ModCtrl | tea.ModAlt: false,
	} {
		if got := EntersText(tea.KeyPressMsg{Code: 'x', Text: "x", Mod: mod}); got != want {
			t.Errorf("with %v: %v", mod, got)
		}
	}
	if EntersText(tea.KeyPressMsg{Code: tea.KeyEnter}) {
		t.Error("enter is text")
	}
}
