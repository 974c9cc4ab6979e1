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

// A LinearScreen is the program for screen readers: lines are added beneath what was said, nothing is drawn over, and
// one item is told at a time. What has not changed is not said again; ages alone are no change.
type LinearScreen struct {
	provider     ShellProvider
	theme        *theme.Theme
	announced    screenSnapshot
	ageReference time.Time // moment by which the ages of the item were told
	lineIndex    int       // line of a text that is read line by line
	out          strings.Builder
	inputLine    string // the line that is being typed, as it stands at the end of the output
}

// ShellProvider is a program with a shell in front: a Shell, a Desk.
type ShellProvider interface {
	terminal.Screen
	ActiveShell() *Shell
}

// ActiveShell is the shell itself.
func (s *Shell) ActiveShell() *Shell { return s }

// ActiveShell is the shell of the account in front.
func (d *AccountSwitcher) ActiveShell() *Shell { return d.Shell }

// NewLinearScreen is a program told in lines.
func NewLinearScreen(p ShellProvider) *LinearScreen {
	return &LinearScreen{provider: p, theme: theme.NewScreenReader()}
}

// screenSnapshot is everything that is told, part by part.
type screenSnapshot struct {
	account    string
	breadcrumb string // the tab, and what was opened in it
	freshness  string // how far the rows can be trusted, without ages
	count      string
	focused    any // the dialog in front, or the pane
	intro      []string
	text       []string // to be read line by line
	item       string
	input      string
	newsNumber int
}

// Init is the program's.
func (l *LinearScreen) Init() tea.Cmd { return l.provider.Init() }

// Update passes messages on. A text that is read line by line takes the keys that move in it; a full stop tells
// everything again.
func (l *LinearScreen) Update(msg tea.Msg) tea.Cmd {
	if _, sized := msg.(tea.WindowSizeMsg); sized {
		msg = tea.WindowSizeMsg{Width: 100, Height: 60} // lines know no size: nothing may fail to fit
	}
	if k, pressed := msg.(tea.KeyPressMsg); pressed {
		switch {
		case k.String() == "." && l.announced.input == "":
			l.announced = screenSnapshot{}
			l.announce("tabs: " + strings.Join(l.tabNames(), ", "))
			return nil
		case l.announced.text != nil && l.moveInText(k.String()):
			return nil
		}
	}
	return l.provider.Update(msg)
}

// moveInText moves in a text. It reports whether the key was such a move.
func (l *LinearScreen) moveInText(key string) bool {
	to := map[string]int{
		"j":    l.lineIndex + 1,
		"down": l.lineIndex + 1,
		"k":    l.lineIndex - 1,
		"up":   l.lineIndex - 1,
		"g":    0,
		"home": 0,
		"G":    len(l.announced.text),
		"end":  len(l.announced.text),
	}
	at, move := to[key]
	if !move {
		return false
	}
	l.lineIndex = max(0, min(at, len(l.announced.text)-1))
	l.announce(l.currentLine())
	return true
}

func (l *LinearScreen) currentLine() string {
	return fmt.Sprintf("line %d of %d: %s", l.lineIndex+1, len(l.announced.text), l.announced.text[l.lineIndex])
}

// Frame is what is said since the last one.
func (l *LinearScreen) Frame() terminal.Frame {
	s := l.provider.ActiveShell()
	s.content() // the window of a list, and what it lacks, are found by drawing it
	l.announceChanges(s)
	text := l.out.String()
	l.out.Reset()
	return terminal.Frame{Title: "lookout " + s.o.Account, LinearText: text, ProgressPercent: s.progressPercent()}
}

// announceChanges says what differs from what was said.
func (l *LinearScreen) announceChanges(s *Shell) {
	first, before := l.announced.focused == nil, l.announced
	now := l.snapshot(s, s.now())
	fresh := before.focused != now.focused || before.breadcrumb != now.breadcrumb
	if !fresh && !l.ageReference.IsZero() { // by the clock of the last time, so that an age is no change
		frozen := l.snapshot(s, l.ageReference)
		if frozen.item == before.item {
			now.item = before.item
		}
		if slices.Equal(frozen.text, before.text) {
			now.text = before.text
		}
	}
	l.announced = now
	l.announcePart(before.account, now.account, "")
	if first {
		l.announce("tabs: " + strings.Join(l.tabNames(), ", "))
	}
	l.announcePart(before.breadcrumb, now.breadcrumb, "")
	l.announcePart(before.freshness, now.freshness, "")
	l.announcePart(before.count, now.count, "")
	if now.newsNumber != before.newsNumber && s.news.current.Text != "" {
		l.announce("news: " + s.news.current.Text + l.undoHint(s))
	}
	if fresh {
		l.lineIndex = 0
		for _, line := range now.intro {
			l.announce(line)
		}
	}
	switch {
	case now.text != nil && (fresh || before.text == nil):
		l.ageReference, l.lineIndex = s.now(), 0
		l.announce(l.currentLine())
	case now.text != nil && !slices.Equal(now.text, before.text):
		l.ageReference, l.lineIndex = s.now(), min(l.lineIndex, len(now.text)-1)
		l.announceNewLines(before.text, now.text)
	case now.text == nil && (fresh || now.item != before.item):
		l.ageReference = s.now()
		l.announce(now.item)
	}
	l.updateInputLine(now.input)
}

func (l *LinearScreen) undoHint(s *Shell) string {
	if s.news.undo == nil {
		return ""
	}
	return "; u: " + s.news.undo.Name()
}

// announcePart says a part that has changed.
func (l *LinearScreen) announcePart(before, now, lead string) {
	if now != before && now != "" {
		l.announce(lead + now)
	}
}

// announceNewLines says lines that were not there before, a few at most.
func (l *LinearScreen) announceNewLines(before, now []string) {
	there := map[string]bool{}
	for _, line := range before {
		there[line] = true
	}
	said := 0
	for _, line := range now {
		if !there[line] && said < 3 {
			l.announce("changed: " + line)
			said++
		}
	}
}

// announce adds lines.
func (l *LinearScreen) announce(text string) {
	if l.inputLine != "" {
		l.out.WriteByte('\n')
		l.inputLine = ""
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line = l.speakable(line); line != "" {
			l.out.WriteString(line + "\n")
		}
	}
}

func (l *LinearScreen) speakable(line string) string { return theme.ScreenReaderText(ansi.Strip(line)) }

// updateInputLine shows the line that is being typed: what was added or taken at its end, or the whole of it again.
func (l *LinearScreen) updateInputLine(line string) {
	rest, added := strings.CutPrefix(line, l.inputLine)
	gone, taken := strings.CutPrefix(l.inputLine, line)
	switch {
	case line == l.inputLine:
	case l.inputLine != "" && added:
		l.out.WriteString(rest)
	case line != "" && taken:
		l.out.WriteString(strings.Repeat("\b \b", ui.Width(gone)))
	default:
		if l.inputLine != "" {
			l.out.WriteByte('\n')
		}
		l.out.WriteString(line)
	}
	l.inputLine = line
}

// tabNames are the panes with their digits and badges.
func (l *LinearScreen) tabNames() []string {
	s := l.provider.ActiveShell()
	names := make([]string, len(s.tabs))
	for i := range s.tabs {
		t := s.tabLabel(i, fullName)
		names[i] = strings.TrimSpace(t.text + t.badge)
	}
	return names
}

// snapshot gathers what there is to tell at a moment.
func (l *LinearScreen) snapshot(s *Shell, now time.Time) screenSnapshot {
	b := ui.Box{
		Width:    76,
		Height:   400,
		TextOnly: true,
		Focused:  true,
		Theme:    l.theme,
		Now:      now,
	}
	t := screenSnapshot{
		account:    s.accountLine(),
		breadcrumb: s.breadcrumbLine(),
		freshness:  s.freshnessWords(),
		focused:    s.pane(),
		newsNumber: s.news.number,
	}
	if n := len(s.dialogs); n > 0 {
		d := s.dialogs[n-1]
		t.focused, t.intro, t.count, t.freshness = d, []string{d.title()}, l.announced.count, l.announced.freshness
		r := readDialog(d, b)
		t.intro = append(t.intro, r.intro...)
		t.setReading(l, r.Announcement)
		return t
	}
	r, reads := s.pane().(ui.Announcer)
	if !reads {
		t.text = l.textLines(s.pane().View(b))
		if p, ok := s.pane().(ui.Typer); ok && p.Typing() {
			t.text = nil
		}
		return t
	}
	reading := r.Announce(b)
	if reading.Input != "" { // a filter on its way: what it leaves is told when it is there
		t.item, t.count, t.input = l.announced.item, l.announced.count, reading.Input
		return t
	}
	if _, counted := s.pane().(ui.ColumnChooser); counted && freshnessOf(s.pane()).Loaded {
		t.count = rowCount(reading.Count)
	}
	t.setReading(l, reading)
	return t
}

func rowCount(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// setReading puts a reading into its parts.
func (t *screenSnapshot) setReading(l *LinearScreen, r ui.Announcement) {
	if r.Text != "" {
		t.text = l.textLines(r.Text)
	}
	t.item, t.input = r.Item, r.Input
	if r.Count > 0 && r.Position > 0 {
		t.item = fmt.Sprintf("%d of %d: %s", r.Position, r.Count, r.Item)
	}
}

// textLines are those of a text in which something stands.
func (l *LinearScreen) textLines(text string) []string {
	lines := []string{}
	for line := range strings.SplitSeq(text, "\n") {
		if line = l.speakable(line); line != "" {
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
	if s.o.AccountLabel != "" {
		parts = append(parts, s.o.AccountLabel)
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

// breadcrumbLine is the tab in front, and where on its stack one stands.
func (s *Shell) breadcrumbLine() string {
	line := fmt.Sprintf("%s, tab %d of %d", tabName(s.tabs[s.front]), s.front+1, len(s.tabs))
	if c, ok := s.pane().(ui.Crumber); ok && len(s.tabs[s.front].stack) > 1 {
		line += ", " + c.Crumb()
	}
	return line
}

// freshnessWords are how fresh the pane in front is, without the ages that change by themselves.
func (s *Shell) freshnessWords() string {
	text, _ := s.freshnessText()
	parts := strings.Split(text, " · ")
	for _, word := range []string{"live", "late", "read", "reading", "loading"} {
		if strings.HasSuffix(parts[0], word) {
			return word
		}
	}
	return strings.Join(parts[:min(2, len(parts))], ", ")
}
