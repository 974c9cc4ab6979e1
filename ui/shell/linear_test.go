package shell

import (
	"strings"
	"testing"
	"time"

	"lookout/theme"
	"lookout/ui"
)

// aging gives the bench's rows an age, and tells the program in lines.
func aging(t *testing.T) (*bench, *Linear) {
	t.Helper()
	b := newBench(t, func(o *Options) {
		l := o.Panes[0].(*ui.List[string])
		born := o.Now()
		l.Columns = append(l.Columns, ui.Column[string]{Title: "age", Width: 8, Cell: func(_ string, b ui.Box) (string, theme.Tone) { return ui.Age(b.Now.Sub(born)), theme.Muted }})
	})
	return b, NewLinear(b.shell)
}

// An age is no change, however often it is looked at; a row that has changed is told with its age of now.
func TestAnAgeIsNoChange(t *testing.T) {
	b, l := aging(t)
	if said := l.Frame().Say; !strings.Contains(said, "1 of 2: alpha; age 0 s\n") {
		t.Fatalf("said %q", said)
	}
	for range 3 {
		b.now = b.now.Add(7 * time.Minute)
		l.Update(hush{-1})
		if said := l.Frame().Say; said != "" {
			t.Errorf("said %q", said)
		}
	}
	b.rows = []string{"beta", "gamma"} // alpha is gone
	b.run(b.shell.pane().Refresh())
	if said := l.Frame().Say; !strings.Contains(said, "1 of 2: beta; age 21 min\n") {
		t.Errorf("said %q", said)
	}
}

// A line that is typed grows and shrinks at its end, and nothing else is written for it.
func TestATypedLineGrows(t *testing.T) {
	_, l := aging(t)
	l.Frame()
	l.out.Reset()
	for _, step := range []struct{ line, want string }{{"Label: ", "Label: "}, {"Label: a", "a"}, {"Label: ab日", "b日"}, {"Label: ab", "\b \b\b \b"}, {"Label: xb", "\nLabel: xb"}, {"", "\n"}} {
		l.typeLine(step.line)
		if got := l.out.String(); got != step.want {
			t.Errorf("%q: wrote %q, not %q", step.line, got, step.want)
		}
		l.out.Reset()
	}
}
