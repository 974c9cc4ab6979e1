package shell

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lookout/theme"
	"lookout/ui"
	"lookout/ui/terminal"
)

// A Linear is the program for screen readers: lines are added beneath what was said, nothing is drawn over, and one item is told at a time.
// What has not changed is not said again; ages alone are no change.
type Linear struct {
	program Fronted
	look    *theme.Theme
	said    telling
	since   time.Time // moment by which the ages of the item were told
	at      int       // line of a text that is read line by line
	out     strings.Builder
	line    string // the line that is being typed, as it stands at the end of the output
}

// Fronted is a program with a shell in front: a Shell, a Desk.
type Fronted interface {
	terminal.Screen
	Front() *Shell
}

// Front is the shell itself.
func (s *Shell) Front() *Shell { return s }

// Front is the shell of the account in front.
func (d *Desk) Front() *Shell { return d.Shell }

// NewLinear is a program told in lines.
func NewLinear(p Fronted) *Linear { return &Linear{program: p, look: theme.Spoken()} }

// telling is everything that is told, part by part.
type telling struct {
	account string
	place   string // the tab, and what was opened in it
	state   string // how far the rows can be trusted, without ages
	count   string
	front   any // the dialog in front, or the pane
	intro   []string
	text    []string // to be read line by line
	item    string
	input   string
	news    int
}

// Init is the program's.
func (l *Linear) Init() tea.Cmd { return l.program.Init() }

// Update passes messages on. A text that is read line by line takes the keys that move in it; a full stop tells everything again.
func (l *Linear) Update(msg tea.Msg) tea.Cmd {
	if _, sized := msg.(tea.WindowSizeMsg); sized {
		msg = tea.WindowSizeMsg{Width: 100, Height: 60} // lines know no size: nothing may fail to fit
	}
	if k, pressed := msg.(tea.KeyPressMsg); pressed {
		switch {
		case k.String() == "." && l.said.input == "":
			l.said = telling{}
			l.say("tabs: " + strings.Join(l.tabs(), ", "))
			return nil
		case l.said.text != nil && l.step(k.String()):
			return nil
		}
	}
	return l.program.Update(msg)
}

// step moves in a text. It reports whether the key was such a move.
func (l *Linear) step(key string) bool {
	to := map[string]int{"j": l.at + 1, "down": l.at + 1, "k": l.at - 1, "up": l.at - 1, "g": 0, "home": 0, "G": len(l.said.text), "end": len(l.said.text)}
	at, move := to[key]
	if !move {
		return false
	}
	l.at = max(0, min(at, len(l.said.text)-1))
	l.say(l.textLine())
	return true
}

func (l *Linear) textLine() string {
	return fmt.Sprintf("line %d of %d: %s", l.at+1, len(l.said.text), l.said.text[l.at])
}

// Frame is what is said since the last one.
func (l *Linear) Frame() terminal.Frame {
	s := l.program.Front()
	s.content() // the window of a list, and what it lacks, are found by drawing it
	l.hear(s)
	text := l.out.String()
	l.out.Reset()
	return terminal.Frame{Title: "lookout " + s.o.Account, Say: text, Percent: s.percent()}
}

// hear says what differs from what was said.
func (l *Linear) hear(s *Shell) {
	first, before := l.said.front == nil, l.said
	now := l.tell(s, s.now())
	fresh := before.front != now.front || before.place != now.place
	if !fresh && !l.since.IsZero() { // by the clock of the last time, so that an age is no change
		frozen := l.tell(s, l.since)
		if frozen.item == before.item {
			now.item = before.item
		}
		if slices.Equal(frozen.text, before.text) {
			now.text = before.text
		}
	}
	l.said = now
	l.sayPart(before.account, now.account, "")
	if first {
		l.say("tabs: " + strings.Join(l.tabs(), ", "))
	}
	l.sayPart(before.place, now.place, "")
	l.sayPart(before.state, now.state, "")
	l.sayPart(before.count, now.count, "")
	if now.news != before.news && s.news.line.Text != "" {
		l.say("news: " + s.news.line.Text + l.undo(s))
	}
	if fresh {
		l.at = 0
		for _, line := range now.intro {
			l.say(line)
		}
	}
	switch {
	case now.text != nil && (fresh || before.text == nil):
		l.since, l.at = s.now(), 0
		l.say(l.textLine())
	case now.text != nil && !slices.Equal(now.text, before.text):
		l.since, l.at = s.now(), min(l.at, len(now.text)-1)
		l.sayChanges(before.text, now.text)
	case now.text == nil && (fresh || now.item != before.item):
		l.since = s.now()
		l.say(now.item)
	}
	l.typeLine(now.input)
}

func (l *Linear) undo(s *Shell) string {
	if s.news.undo == nil {
		return ""
	}
	return "; u: " + s.news.undo.Name()
}

// sayPart says a part that has changed.
func (l *Linear) sayPart(before, now, lead string) {
	if now != before && now != "" {
		l.say(lead + now)
	}
}

// sayChanges says lines that were not there before, a few at most.
func (l *Linear) sayChanges(before, now []string) {
	there := map[string]bool{}
	for _, line := range before {
		there[line] = true
	}
	said := 0
	for _, line := range now {
		if !there[line] && said < 3 {
			l.say("changed: " + line)
			said++
		}
	}
}

// say adds lines.
func (l *Linear) say(text string) {
	if l.line != "" {
		l.out.WriteByte('\n')
		l.line = ""
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line = l.aloud(line); line != "" {
			l.out.WriteString(line + "\n")
		}
	}
}

func (l *Linear) aloud(line string) string { return theme.Aloud(ansi.Strip(line)) }

// typeLine shows the line that is being typed: what was added or taken at its end, or the whole of it again.
func (l *Linear) typeLine(line string) {
	rest, added := strings.CutPrefix(line, l.line)
	gone, taken := strings.CutPrefix(l.line, line)
	switch {
	case line == l.line:
	case l.line != "" && added:
		l.out.WriteString(rest)
	case line != "" && taken:
		l.out.WriteString(strings.Repeat("\b \b", ui.Width(gone)))
	default:
		if l.line != "" {
			l.out.WriteByte('\n')
		}
		l.out.WriteString(line)
	}
	l.line = line
}

// tabs are the panes with their digits and badges.
func (l *Linear) tabs() []string {
	s := l.program.Front()
	names := make([]string, len(s.tabs))
	for i := range s.tabs {
		t := s.tabText(i, whole)
		names[i] = strings.TrimSpace(t.text + t.badge)
	}
	return names
}

// tell gathers what there is to tell at a moment.
func (l *Linear) tell(s *Shell, now time.Time) telling {
	b := ui.Box{Width: 76, Height: 400, Words: true, Focused: true, Theme: l.look, Now: now}
	t := telling{account: s.accountLine(), place: s.placeLine(), state: s.stateWords(), front: s.pane(), news: s.news.n}
	if n := len(s.dialogs); n > 0 {
		d := s.dialogs[n-1]
		t.front, t.intro, t.count, t.state = d, []string{d.title()}, l.said.count, l.said.state
		r := readDialog(d, b)
		t.intro = append(t.intro, r.intro...)
		t.take(l, r.Reading)
		return t
	}
	r, reads := s.pane().(ui.Reader)
	if !reads {
		t.text = l.lines(s.pane().View(b))
		if p, ok := s.pane().(ui.Typer); ok && p.Typing() {
			t.text = nil
		}
		return t
	}
	reading := r.Read(b)
	if reading.Input != "" { // a filter on its way: what it leaves is told when it is there
		t.item, t.count, t.input = l.said.item, l.said.count, reading.Input
		return t
	}
	if _, counted := s.pane().(ui.Columned); counted && fresh(s.pane()).Loaded {
		t.count = rows(reading.Of)
	}
	t.take(l, reading)
	return t
}

func rows(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// take puts a reading into its parts.
func (t *telling) take(l *Linear, r ui.Reading) {
	if r.Text != "" {
		t.text = l.lines(r.Text)
	}
	t.item, t.input = r.Item, r.Input
	if r.Of > 0 && r.At > 0 {
		t.item = fmt.Sprintf("%d of %d: %s", r.At, r.Of, r.Item)
	}
}

// lines are those of a text in which something stands.
func (l *Linear) lines(text string) []string {
	lines := []string{}
	for line := range strings.SplitSeq(text, "\n") {
		if line = l.aloud(line); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return []string{"nothing stands here"}
	}
	return lines
}

// accountLine is where one is, and what is different from other accounts.
func (s *Shell) accountLine() string {
	parts := []string{"account " + s.o.Account}
	if s.o.Word != "" {
		parts = append(parts, s.o.Word)
	}
	if s.o.Protected {
		parts = append(parts, "PROD")
	}
	if s.o.Demo {
		parts = append(parts, "DEMO")
	}
	if s.o.Banner != nil && s.o.Banner() != "" {
		parts = append(parts, s.o.Banner())
	}
	if s.o.ReadOnly {
		parts = append(parts, "read-only")
	}
	return strings.Join(parts, ", ")
}

// placeLine is the tab in front, and where on its stack one stands.
func (s *Shell) placeLine() string {
	line := fmt.Sprintf("%s, tab %d of %d", tabName(s.tabs[s.front]), s.front+1, len(s.tabs))
	if c, ok := s.pane().(ui.Crumber); ok && len(s.tabs[s.front].stack) > 1 {
		line += ", " + c.Crumb()
	}
	return line
}

// stateWords are how fresh the pane in front is, without the ages that change by themselves.
func (s *Shell) stateWords() string {
	text, _ := s.state()
	parts := strings.Split(text, " · ")
	for _, word := range []string{"live", "late", "read", "reading", "loading"} {
		if strings.HasSuffix(parts[0], word) {
			return word
		}
	}
	return strings.Join(parts[:min(2, len(parts))], ", ")
}
