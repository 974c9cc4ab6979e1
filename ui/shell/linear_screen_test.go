package shell

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/table"
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
					return ui.FormatAge(b.Now.Sub(born)), theme.Muted
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
	b.rows = []string{"beta", "gamma"} // alpha is deleted
	b.run(b.shell.pane().Refresh())
	if said := l.Frame().LinearText; !strings.Contains(said, "1 of 2: beta; age 21 min\n") {
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
