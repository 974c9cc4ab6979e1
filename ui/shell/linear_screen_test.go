package shell

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
	"lookout/ui/uitest"
)

// newAgingShell returns a linear screen whose rows have an age.
func newAgingShell(t *testing.T) (*shellTest, *ScreenReaderProgram) {
	t.Helper()
	b := newShellTest(t, func(o *Options) {
		l := o.Panes[0].(*table.List[string])
		born := o.Now()
		l.Columns = append(
			l.Columns,
			table.Column[string]{
				Title: "age",
				Width: 8,
				Cell: func(_ string, b ui.Box) (string, theme.Tone) {
					return wording.FormatAge(b.Now.Sub(born)), theme.Muted
				},
			},
		)
	})
	return b, NewLinearScreen(b.shell)
}

// An age that grows is not announced, however often the screen is drawn. A changed row is announced with its age.
func TestLinearScreen_ageIsNoChange(t *testing.T) {
	b, l := newAgingShell(t)
	if said := l.Frame().LinearText; !strings.Contains(said, "1 of 2: alpha; age 0 s\n") {
		t.Fatalf("said %q", said)
	}
	for range 3 {
		b.now = b.now.Add(7 * time.Minute)
		l.Update(statusExpired{-1})
		if said := l.Frame().LinearText; said != "" {
			t.Errorf("said %q", said)
		}
	}
	b.replace("beta", "gamma") // alpha is deleted
	if said := l.Frame().LinearText; !strings.Contains(said, "1 of 2: beta; age 22 min\n") {
		t.Errorf("said %q", said)
	}
	b.replace("Beta", "gamma")
	if said := l.Frame().LinearText; said != "1 of 2: Beta; age 23 min\n" {
		t.Errorf("said %q", said)
	}
}

// A line that is typed grows and shrinks at its end. Any other change writes it again.
func TestLinearScreen_updateInputLine(t *testing.T) {
	_, l := newAgingShell(t)
	l.Frame()
	l.out.Reset()
	for _, step := range []struct{ line, want string }{
		{"Label: ", "Label: "},
		{"Label: a", "a"},
		{"Label: ab日", "b日"},
		{"Label: ab", "\b \b\b \b"},
		{"Label: xb", "\nLabel: xb"},
		{"", "\n"},
	} {
		l.updateInputLine(step.line)
		if got := l.out.String(); got != step.want {
			t.Errorf("%q: wrote %q, not %q", step.line, got, step.want)
		}
		l.out.Reset()
	}
}

// What is announced is wrapped at words at the terminal's width; a word that is longer stays whole.
func TestLinearScreen_wrapsAtWords(t *testing.T) {
	_, l := newAgingShell(t)
	l.Update(tea.WindowSizeMsg{Width: 24, Height: 10})
	l.Frame()
	const address = "https://web-1.acme.net/health?verbose=yes"
	l.announce("message: monitoring of web-1 is disabled until 23:01; " + address + " was not read")
	want := "message: monitoring of\nweb-1 is disabled until\n23:01;\n" + address + "\nwas not read\n"
	if said := l.Frame().LinearText; said != want {
		t.Errorf("said %q", said)
	}
}

// Each key announces what it has changed, and nothing else: the row, a message with the key that undoes it, a dialog
// with what it is about, the lines of a text one by one. A full stop announces everything again.
func TestLinearScreen_announcesChanges(t *testing.T) {
	runInBubble(t, func(t *testing.T) {
		b, l := newAgingShell(t)
		undo := &ui.Action{Key: ui.Bind("enable", "u"), Do: func() tea.Cmd { return nil }}
		key := func(k rune) tea.Msg { return uitest.Key(string(k)) }
		for _, c := range []struct {
			msg  tea.Msg
			want string
		}{
			{nil, "account acme\ntabs: 1 Things\nThings, tab 1 of 1\nlive\n2 rows\n1 of 2: alpha; age 0 s\n"},
			{key('j'), "2 of 2: beta; age 0 s\n"},
			{key('j'), ""},
			{ui.StatusMsg{Text: "beta: is disabled", Undo: undo}, "message: beta: is disabled; u: enable\n"},
			{ui.ShowTextMsg{Title: "Notes", Text: "one\n\ntwo\nthree"}, "Notes\nline 1 of 3: one\n"},
			{key('j'), "line 2 of 3: two\n"},
			{key('G'), "line 3 of 3: three\n"},
			{key('j'), "line 3 of 3: three\n"},
			{key('k'), "line 2 of 3: two\n"},
			{key('g'), "line 1 of 3: one\n"},
			{key('k'), "line 1 of 3: one\n"},
			{uitest.Key("<esc>"), "2 of 2: beta; age 0 s\n"},
			{key('.'), "account acme\ntabs: 1 Things\nThings, tab 1 of 1\nlive\n2 rows\n" +
				"message: beta: is disabled; u: enable\n2 of 2: beta; age 0 s\n"},
			{key('.'), "account acme\ntabs: 1 Things\nThings, tab 1 of 1\nlive\n2 rows\n" +
				"message: beta: is disabled; u: enable\n2 of 2: beta; age 0 s\n"},
			{key('/'), "filter: "},
			{key('.'), "."},
		} {
			b.run(l.Update(c.msg))
			if said := l.Frame().LinearText; said != c.want {
				t.Errorf("%v: said %q, want %q", c.msg, said, c.want)
			}
		}
	})
}
