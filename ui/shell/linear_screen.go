package shell

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
	"lookout/ui/input"
	"lookout/ui/terminal"
)

// A ScreenReaderProgram is the program for screen readers. It only appends lines, and announces one item at a time. It
// does not repeat what has not changed; an age that grows is no change.
type ScreenReaderProgram struct {
	provider     activeShellProvider
	theme        *theme.Theme
	announced    screenSnapshot
	ageReference time.Time // the time from which the announced ages were computed
	lineIndex    int       // current line of a text that is read line by line
	out          strings.Builder
	width        int    // of the terminal; 0 if it is not known
	inputLine    string // the line being typed, at the end of the output
}

// An activeShellProvider is a program with a shell in front: a Shell or a RootModel, which embeds one.
type activeShellProvider interface {
	terminal.Program
	activeShell() *Shell
}

func (s *Shell) activeShell() *Shell { return s }

// NewLinearScreen returns a program that announces its screen in lines.
func NewLinearScreen(p activeShellProvider) *ScreenReaderProgram {
	return &ScreenReaderProgram{provider: p, theme: theme.NewScreenReader()}
}

// Init starts the program.
func (l *ScreenReaderProgram) Init() tea.Cmd { return l.provider.Init() }

// Update passes messages on. A text that is read line by line handles the keys that move in it; a full stop announces
// everything again.
func (l *ScreenReaderProgram) Update(msg tea.Msg) tea.Cmd {
	if size, sized := msg.(tea.WindowSizeMsg); sized {
		l.width = size.Width
		msg = tea.WindowSizeMsg{Width: 100, Height: 60} // large enough for every dialog to fit
	}
	if k, pressed := msg.(tea.KeyPressMsg); pressed {
		switch {
		case k.String() == "." && l.announced.input == "":
			l.announced = screenSnapshot{}
			return nil
		case l.announced.text != nil && l.moveInText(k.String()):
			return nil
		}
	}
	return l.provider.Update(msg)
}

// moveInText moves to another line of a text. It reports whether the key was such a move.
func (l *ScreenReaderProgram) moveInText(key string) bool {
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

// currentLine describes the current line of the text.
func (l *ScreenReaderProgram) currentLine() string {
	return fmt.Sprintf("line %d of %d: %s", l.lineIndex+1, len(l.announced.text), l.announced.text[l.lineIndex])
}

// Frame returns the lines to add since the last frame.
func (l *ScreenReaderProgram) Frame() terminal.Frame {
	s := l.provider.activeShell()
	s.o.Loop.Lock()
	defer s.o.Loop.Unlock()
	s.content() // a list finds its visible rows, and those it lacks, by drawing them
	l.announceChanges(s)
	text := l.out.String()
	l.out.Reset()
	return terminal.Frame{Title: "lookout " + s.o.Account, LinearText: text, ProgressPercent: s.progress().Percent}
}

// announceChanges announces the parts that differ from the last snapshot.
func (l *ScreenReaderProgram) announceChanges(s *Shell) {
	first, before := l.announced.focused == nil, l.announced
	now := l.snapshot(s, s.now())
	fresh := before.focused != now.focused
	if !fresh && !l.ageReference.IsZero() { // with the time of the last announcement, ages are the same
		frozen := l.snapshot(s, l.ageReference)
		if frozen.item == before.item {
			now.item = before.item
		}
		if slices.Equal(frozen.text, before.text) {
			now.text = before.text
		}
	}
	l.announced = now
	l.announcePart(before.account, now.account)
	if first {
		l.announce("tabs: " + strings.Join(l.tabNames(), ", "))
	}
	l.announcePart(before.breadcrumb, now.breadcrumb)
	l.announcePart(before.freshness, now.freshness)
	l.announcePart(before.count, now.count)
	if now.statusNumber != before.statusNumber && s.status.current.Text != "" {
		l.announce("message: " + s.status.current.Text + l.undoHint(s))
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

// undoHint names the key that undoes the change in the message.
func (l *ScreenReaderProgram) undoHint(s *Shell) string {
	if s.status.current.Undo == nil {
		return ""
	}
	return "; " + s.programKey(undoName, "u") + ": " + s.status.current.Undo.Name()
}

// announcePart announces a part that has changed.
func (l *ScreenReaderProgram) announcePart(before, now string) {
	if now != before && now != "" {
		l.announce(now)
	}
}

// maxNewLines bounds how many changed lines are announced at once.
const maxNewLines = 3

// announceNewLines announces at most maxNewLines lines that were not in the text before.
func (l *ScreenReaderProgram) announceNewLines(before, now []string) {
	seen := map[string]bool{}
	for _, line := range before {
		seen[line] = true
	}
	said := 0
	for _, line := range now {
		if !seen[line] && said < maxNewLines {
			l.announce("changed: " + line)
			said++
		}
	}
}

// announce appends lines, wrapped at words.
func (l *ScreenReaderProgram) announce(text string) {
	if l.inputLine != "" {
		l.out.WriteByte('\n')
		l.inputLine = ""
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line = l.speakable(line); line != "" {
			l.out.WriteString(wrapWords(line, l.width) + "\n")
		}
	}
}

// wrapWords breaks a line between words where it is wider than the terminal. A longer word stays whole, so that an
// address can be copied. A width of 0 breaks nothing.
func wrapWords(line string, width int) string {
	if width <= 0 || ui.Width(line) <= width {
		return line
	}
	var b strings.Builder
	cells := 0
	for i, word := range strings.Fields(line) {
		n := ui.Width(word)
		switch {
		case i == 0:
		case cells+1+n <= width:
			b.WriteByte(' ')
			cells++
		default:
			b.WriteByte('\n')
			cells = 0
		}
		b.WriteString(word)
		cells += n
	}
	return b.String()
}

// speakable turns a drawn line into text to be read aloud. It replaces control characters and hidden ones, because the
// terminal receives these lines as they are.
func (l *ScreenReaderProgram) speakable(line string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Cs, unicode.Co) ||
			unicode.Is(unicode.Cf, r) && r != zeroWidthJoiner {
			return unicode.ReplacementChar
		}
		return r
	}, theme.ScreenReaderText(ansi.Strip(line)))
}

// zeroWidthJoiner joins emoji. Cleaned text has it only between two.
const zeroWidthJoiner = '\u200d'

// updateInputLine shows the line being typed: only the change if it is at the end of the line, otherwise all of it.
// Values come from the server too, so invisible characters are shown as in the form.
func (l *ScreenReaderProgram) updateInputLine(line string) {
	line = strings.ReplaceAll(input.ShowInvisible(line), "\n", "␊")
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

// tabNames returns the tabs with their digits and badges.
func (l *ScreenReaderProgram) tabNames() []string {
	s := l.provider.activeShell()
	names := make([]string, len(s.tabs.list))
	for i, t := range s.tabCells(l.theme.Glyphs) {
		names[i] = strings.TrimSpace(t.key + wording.WithPrefix(" ", t.name) + wording.WithPrefix(" ", t.badge))
	}
	return names
}
