package shell

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
)

// A listEntry is an entry of help, of a menu or of the palette.
type listEntry struct {
	heading string // above it, unless the entry before has the same
	keys    string
	name    string
	about   string
	off     bool                 // it cannot be chosen now
	tone    theme.Tone           // of the name
	badges  []theme.TitleSegment // words behind the name
	id      string               // tells it from others when the entries are found again
	spoken  func() string        // what a screen reader says of it
	run     func(*Shell) tea.Cmd // what it is for
	preview func()               // shows the effect while the cursor is on it; nil shows nothing
}

// badgeWidth returns the width of the badges with two blanks behind each.
func (e listEntry) badgeWidth() (n int) {
	for _, badge := range e.badges {
		n += ui.Width(badge.Text) + 2
	}
	return n
}

// entryOf returns the entry of an action.
func entryOf(a ui.Action, keys string) listEntry {
	e := listEntry{
		keys:   keys,
		name:   strings.TrimSuffix(a.Name()+" "+a.Object, " "),
		about:  a.Description,
		spoken: func() string { return describeAction(a) },
		run:    func(s *Shell) tea.Cmd { return s.startAction(a) },
	}
	if a.DisabledReason != "" {
		e.off, e.about = true, a.DisabledReason
	}
	return e
}

// A listLine is a line of an entryList: a part of an entry, a heading, or an empty line between groups.
type listLine struct {
	entry             int // -1 for none
	keys, name, about string
	heading           string
	first             bool // of its entry
}

// An entryList shows entries in columns and moves a cursor over them. Nothing is cut: an entry takes as many lines as
// it needs.
type entryList struct {
	entries   []listEntry
	keysRight bool // the keys stand at the right end
	cursor    int
	top       int // first line in sight
	room      int // lines in sight

	lines                     []listLine // of all entries
	starts                    []int      // the first line of each entry
	width                     int        // that the lines are made for
	keyCol, nameCol, badgeCol int        // widths of the columns
}

// setEntries replaces the entries. The cursor stays on one of them.
func (l *entryList) setEntries(entries []listEntry) {
	l.entries, l.lines = entries, nil
	l.cursor = max(0, min(l.cursor, len(entries)-1))
}

// chosen returns the entry at the cursor, or nil.
func (l *entryList) chosen() *listEntry {
	if l.cursor >= len(l.entries) {
		return nil
	}
	return &l.entries[l.cursor]
}

// read returns what a screen reader says of the entry at the cursor.
func (l *entryList) read() ui.ScreenReaderText {
	if e := l.chosen(); e != nil {
		return ui.ScreenReaderText{Position: l.cursor + 1, Count: len(l.entries), Item: e.spoken()}
	}
	return ui.ScreenReaderText{}
}

// layout makes the lines for a box, and scrolls so that the entry at the cursor is in sight.
func (l *entryList) layout(b ui.Box) {
	l.room = b.Height
	l.makeLines(b.Width)
	if len(l.entries) == 0 {
		return
	}
	first, end := l.starts[l.cursor], len(l.lines)
	if l.cursor+1 < len(l.entries) {
		end = l.starts[l.cursor+1]
		for end > first+1 && l.lines[end-1].entry < 0 { // the heading of the next entry
			end--
		}
	}
	for first > 0 && first < l.top && l.lines[first-1].entry < 0 { // its own heading
		first--
	}
	l.top = max(min(l.top, first, max(0, len(l.lines)-l.room)), end-l.room, 0)
}

// makeLines breaks the entries into lines, unless it has done so for the width.
func (l *entryList) makeLines(width int) {
	if l.lines != nil && l.width == width {
		return
	}
	l.width, l.lines, l.starts = width, l.lines[:0], l.starts[:0]
	l.keyCol, l.nameCol, l.badgeCol = 0, 0, 0
	for _, e := range l.entries {
		l.keyCol, l.nameCol = max(l.keyCol, ui.Width(e.keys)), max(l.nameCol, ui.Width(e.name))
		l.badgeCol = max(l.badgeCol, e.badgeWidth())
	}
	l.keyCol = min(l.keyCol, max(8, width/5))
	room := width - 2 - l.keyCol - 2
	most := room - 2 - l.badgeCol
	switch widest := l.aboutWidth(); {
	case l.keysRight:
		l.nameCol, most = width, room-2-min(widest, maxAboutWidth)
	case widest > 0:
		most = room * 2 / 5
	}
	l.nameCol = min(l.nameCol, max(8, most))
	about := room - l.nameCol - 2 - l.badgeCol
	for i, e := range l.entries {
		if e.heading != "" && (i == 0 || l.entries[i-1].heading != e.heading) {
			if i > 0 {
				l.lines = append(l.lines, listLine{entry: -1})
			}
			l.lines = append(l.lines, listLine{entry: -1, heading: e.heading})
		}
		l.starts = append(l.starts, len(l.lines))
		keys, names, abouts := ui.Wrap(e.keys, l.keyCol), ui.Wrap(e.name, l.nameCol), ui.Wrap(e.about, about)
		for n := range max(1, len(keys), len(names), len(abouts)) {
			l.lines = append(l.lines, listLine{
				entry: i,
				keys:  lineAt(keys, n),
				name:  lineAt(names, n),
				about: lineAt(abouts, n),
				first: n == 0,
			})
		}
	}
}

// maxAboutWidth is the width of what is known about an entry where the keys stand at the right end.
const maxAboutWidth = 26

// aboutWidth returns the width of the widest remark.
func (l *entryList) aboutWidth() int {
	widest := 0
	for _, e := range l.entries {
		widest = max(widest, ui.Width(e.about))
	}
	return widest
}

// lineAt returns a line of a text, or "" behind its end.
func lineAt(lines []string, n int) string {
	if n >= len(lines) {
		return ""
	}
	return lines[n]
}

// view returns the lines in sight.
func (l *entryList) view(b ui.Box) []string {
	var lines []string
	for _, line := range l.lines[min(l.top, len(l.lines)):min(l.top+l.room, len(l.lines))] {
		if line.entry < 0 {
			lines = append(lines, headingLine(line.heading, b))
			continue
		}
		lines = append(lines, l.viewLine(line, b))
	}
	for len(lines) > 0 && l.lines[l.top+len(lines)-1].entry < 0 { // a heading without its entries
		lines = lines[:len(lines)-1]
	}
	return lines
}

// headingLine draws a heading with a line to the end of the box, or an empty line without one.
func headingLine(heading string, b ui.Box) string {
	if heading == "" {
		return ""
	}
	bar, rest := b.Theme.Glyphs.Horizontal, max(0, b.Width-ui.Width(heading)-4)
	return b.Theme.Paint(theme.Rule, bar+bar+" ") + b.Theme.Paint(theme.Muted, heading) +
		b.Theme.Paint(theme.Rule, " "+strings.Repeat(bar, rest))
}

// viewLine draws a line of an entry.
func (l *entryList) viewLine(line listLine, b ui.Box) string {
	mark := " "
	if line.first {
		mark = b.Theme.Glyphs.Cursor
	}
	keys, about := theme.TitleSegment{
		Text: line.keys,
		Tone: theme.Accent,
	}, theme.TitleSegment{
		Text: line.about,
		Tone: theme.Muted,
	}
	e := l.entries[line.entry]
	name := theme.TitleSegment{Text: ui.Pad(line.name, l.nameCol) + "  ", Tone: e.tone}
	if e.off {
		name.Tone, about.Tone, keys.Tone = theme.Off, theme.Off, theme.Off
	}
	if l.keysRight {
		keys.Tone = theme.Muted
		about.Text = ui.Pad(about.Text, l.width-2-l.nameCol-2-l.keyCol)
		keys.Text = ui.PadLeft(keys.Text, l.keyCol)
		return markedLine(line.entry == l.cursor, mark, b, name, about, keys)
	}
	keys.Text = ui.Pad(keys.Text, l.keyCol) + "  "
	parts, badges := []theme.TitleSegment{keys, name}, l.badgeCol
	for _, badge := range e.badges {
		if line.first {
			parts = append(parts, badge, theme.TitleSegment{Text: "  "})
			badges -= ui.Width(badge.Text) + 2
		}
	}
	parts = append(parts, theme.TitleSegment{Text: blanks(badges)}, about)
	return markedLine(line.entry == l.cursor, mark, b, parts...)
}

// moveBy moves the cursor by a number of entries, as far as there are any.
func (l *entryList) moveBy(n int) {
	if l.cursor = max(0, min(l.cursor+n, len(l.entries)-1)); l.cursor == 0 {
		l.top = 0 // with its heading
	}
}

// page shows the next lines, or those before for -1, and moves the cursor to the first entry there.
func (l *entryList) page(by int) {
	before := l.top
	l.top = max(0, min(l.top+by*l.room, len(l.lines)-l.room))
	switch {
	case l.top == before:
		l.moveBy(by * len(l.entries))
	default:
		for l.lines[l.top].entry < 0 && l.lines[l.top].heading == "" {
			l.top++
		}
		if e := l.lines[l.top].entry; e >= 0 && l.starts[e] > before && by > 0 { // an entry that was cut
			l.top = l.starts[e]
		}
		for l.cursor = 0; l.cursor < len(l.entries)-1 && l.starts[l.cursor] < l.top; {
			l.cursor++
		}
	}
}

// position says which entries are in sight, unless all are: "12-30 of 63".
func (l *entryList) position() string {
	if len(l.lines) <= l.room {
		return ""
	}
	first, last := 0, 0
	for _, line := range l.lines[l.top:min(l.top+l.room, len(l.lines))] {
		if line.entry >= 0 {
			last = line.entry + 1
			if first == 0 {
				first = last
			}
		}
	}
	return fmt.Sprintf("%d-%d of %d", first, last, len(l.entries))
}

// click moves the cursor to the entry in a line. It reports whether the cursor was there already.
func (l *entryList) click(line int) bool {
	line += l.top
	if line < 0 || line >= len(l.lines) || l.lines[line].entry < 0 {
		return false
	}
	before := l.cursor
	l.cursor = l.lines[line].entry
	return before == l.cursor
}

// menuDialog offers actions, by their keys or by the cursor.
type menuDialog struct {
	ignoresPaste
	entryList
	name       string
	text       []string // sentences above the actions
	textHeight int      // lines that the sentences take
	actions    []ui.Action
}

// newMenu offers actions below sentences.
func newMenu(name string, text []string, actions []ui.Action) *menuDialog {
	m := &menuDialog{name: name, text: text, actions: actions}
	entries := make([]listEntry, len(actions))
	for i, a := range actions {
		entries[i] = entryOf(a, a.Key.Help().Key)
	}
	m.setEntries(entries)
	return m
}

// actionsMenu offers everything that can be done in a pane, except for moving around.
func actionsMenu(pane string, actions iter.Seq[ui.Action]) *menuDialog {
	offered := slices.DeleteFunc(byGroup(actions), func(a ui.Action) bool {
		return a.Group == "move" || a.Group == tabGroup || a.Name() == allActionsName
	})
	m := newMenu("Actions", nil, offered)
	for i, a := range offered {
		m.entries[i].heading = groupHeading(a.Group, pane)
	}
	return m
}

func (m *menuDialog) title() string { return m.name }

func (m *menuDialog) size(most ui.Box) (int, int) {
	keys, names, badges, abouts := 0, 0, 0, 0
	for _, e := range m.entries {
		badges = max(badges, e.badgeWidth())
		keys, names, abouts = max(keys, ui.Width(e.keys)), max(names, ui.Width(e.name)), max(abouts, ui.Width(e.about))
	}
	w := max(30, ui.Width(m.name)+4, 2+keys+2+names+2+badges+abouts)
	for _, sentence := range m.text {
		w = max(w, ui.Width(sentence)+2)
	}
	w = min(w, maxMenuWidth, most.Width)
	m.makeLines(w)
	return w, len(m.lines) + len(m.textLines(w))
}

// maxMenuWidth is the width of a menu with long entries.
const maxMenuWidth = 90

// textLines wraps the sentences above the actions, with an empty line after them.
func (m *menuDialog) textLines(width int) []string {
	var lines []string
	for _, sentence := range m.text {
		lines = append(lines, ui.Wrap(sentence, width)...)
	}
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	return lines
}

func (m *menuDialog) hints() []hint {
	hints := []hint{{"enter", "run"}, {"", "or press its key"}, {"esc", "close"}}
	if m.position() != "" {
		hints = append(hints, hint{"pgdown", "more"})
	}
	return hints
}

// layout scrolls the menu so that the cursor is visible.
func (m *menuDialog) layout(b ui.Box) {
	m.textHeight = max(0, min(len(m.textLines(b.Width)), b.Height-min(len(m.actions), 3)))
	b.Height -= m.textHeight
	m.entryList.layout(b)
}

func (m *menuDialog) view(b ui.Box) string {
	text := m.textLines(b.Width)
	return strings.Join(append(text[:min(m.textHeight, len(text))], m.entryList.view(b)...), "\n")
}

func (m *menuDialog) read(ui.Box) dialogReading {
	return dialogReading{intro: m.text, ScreenReaderText: m.entryList.read()}
}

// describeAction describes an action for a screen reader.
func describeAction(a ui.Action) string {
	return a.Name() + wording.WithPrefix("; key ", a.Key.Help().Key) + wording.WithPrefix("; ", a.Description) +
		wording.WithPrefix("; not available: ", a.DisabledReason)
}

func (m *menuDialog) handleKey(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	pressed := k.String()
	own := []string{"enter", "esc", "up", "down", "pgup", "pgdown", "home", "end"} // whatever the actions are bound to
	if a, found := actionOf(k, slices.Values(m.actions)); found && !slices.Contains(own, pressed) {
		return m.choose(s, a)
	}
	switch pressed {
	case "esc":
		return nil, true
	case "down", "j":
		m.moveBy(1)
	case "up", "k":
		m.moveBy(-1)
	case "pgdown", "ctrl+f":
		m.page(1)
	case "pgup", "ctrl+b":
		m.page(-1)
	case "home":
		m.moveBy(-len(m.actions))
	case "end":
		m.moveBy(len(m.actions))
	case "enter":
		if m.cursor < len(m.actions) {
			return m.choose(s, m.actions[m.cursor])
		}
	}
	return nil, false
}

// choose closes the menu before the action begins, because the action may open a dialog.
func (m *menuDialog) choose(s *Shell, a ui.Action) (tea.Cmd, bool) {
	s.dialogs.dismiss(m)
	return s.startAction(a), true
}

func (m *menuDialog) clickLine(line int) bool {
	return line >= m.textHeight && m.click(line-m.textHeight)
}
