package shell

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
	"lookout/ui"
)

// menuDialog offers actions, by their keys or by the cursor.
type menuDialog struct {
	ignoresPaste
	name              string
	text              []string // sentences above the actions
	textHeight        int      // lines that the sentences take
	actions           []ui.Action
	labels            [][]theme.Segment // in place of the names of actions, where they have any
	cursor, scrollTop int
	height            int // lines that are visible
}

// actionsMenu offers everything that can be done in a pane, except for moving around.
func actionsMenu(actions []ui.Action) *menuDialog {
	m := &menuDialog{name: "Actions"}
	for _, a := range actions {
		if a.Group != "move" && a.Group != "panes" {
			m.actions = append(m.actions, a)
		}
	}
	return m
}

func (m *menuDialog) title() string { return m.name }

func (m *menuDialog) size(ui.Box) (int, int) {
	w := 30
	for i, a := range m.actions {
		needs := ui.Width(a.DisabledReason) + 14
		for _, part := range m.label(i) {
			needs += ui.Width(part.Text)
		}
		w = max(w, needs)
	}
	w = max(w, ui.Width(m.name)+4)
	for _, sentence := range m.text {
		w = max(w, ui.Width(sentence)+2)
	}
	w = min(w, 90)
	return w, len(m.actions) + len(m.textLines(w))
}

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
	if len(m.actions) > m.height {
		hints = append(hints, hint{"pgdown", "more"})
	}
	return hints
}

// layout scrolls the menu so that the cursor is visible.
func (m *menuDialog) layout(b ui.Box) {
	m.textHeight = max(0, min(len(m.textLines(b.Width)), b.Height-min(len(m.actions), 3)))
	b.Height -= m.textHeight
	m.height = b.Height
	m.scrollTop = max(min(m.scrollTop, m.cursor), m.cursor-b.Height+1)
}

func (m *menuDialog) view(b ui.Box) string {
	text := m.textLines(b.Width)
	lines := text[:min(m.textHeight, len(text))]
	b.Height -= len(lines)
	for i := m.scrollTop; i < min(len(m.actions), m.scrollTop+b.Height); i++ {
		lines = append(lines, actionLine(m.actions[i], i == m.cursor, b, m.label(i)...))
	}
	return strings.Join(lines, "\n")
}

// label returns what stands for an action: its name, unless the menu says more.
func (m *menuDialog) label(i int) []theme.Segment {
	if i < len(m.labels) {
		return m.labels[i]
	}
	return []theme.Segment{{Text: m.actions[i].Name()}}
}

// actionLine renders an action of a menu: its key, its label, and why it is disabled.
func actionLine(a ui.Action, cursor bool, b ui.Box, label ...theme.Segment) string {
	segments := []theme.Segment{{Text: ui.Pad(a.Key.Help().Key, 9), Tone: theme.Accent}}
	if a.DisabledReason != "" {
		segments[0].Tone = theme.Off
		label = append(slices.Clone(label), theme.Segment{Text: "  " + a.DisabledReason})
		for i := range label {
			if label[i].Tone == theme.Plain {
				label[i].Tone = theme.Off
			}
		}
	}
	return entryLine(cursor, b, append(segments, label...)...)
}

func (m *menuDialog) read(ui.Box) dialogReading {
	r := dialogReading{intro: m.text, Announcement: ui.Announcement{Position: m.cursor + 1, Count: len(m.actions)}}
	if m.cursor < len(m.actions) {
		r.Item = describeAction(m.actions[m.cursor])
	}
	return r
}

// describeAction describes an action for a screen reader.
func describeAction(a ui.Action) string {
	return a.Name() + prefixed("; key ", a.Key.Help().Key) + prefixed("; ", a.Description) +
		prefixed("; not available: ", a.DisabledReason)
}

func (m *menuDialog) handleKey(s *Shell, k tea.KeyPressMsg) (tea.Cmd, bool) {
	pressed := k.String()
	for _, a := range m.actions {
		for _, name := range a.Key.Keys() {
			if name == pressed && !movesMenu(pressed) {
				return m.choose(s, a)
			}
		}
	}
	switch pressed {
	case "esc":
		return nil, true
	case "down", "j":
		m.moveBy(1)
	case "up", "k":
		m.moveBy(-1)
	case "pgdown", "ctrl+f":
		m.moveBy(m.height)
	case "pgup", "ctrl+b":
		m.moveBy(-m.height)
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

// movesMenu reports whether a key belongs to the menu itself.
func movesMenu(key string) bool {
	switch key {
	case "enter", "esc", "up", "down", "pgup", "pgdown", "home", "end":
		return true
	}
	return false
}

// moveBy moves the cursor by a number of actions, as far as there are any.
func (m *menuDialog) moveBy(n int) { m.cursor = max(0, min(m.cursor+n, len(m.actions)-1)) }

// choose closes the menu before the action begins, because the action may open a dialog.
func (m *menuDialog) choose(s *Shell, a ui.Action) (tea.Cmd, bool) {
	s.dialogs.dismiss(m)
	return s.startAction(a), true
}

func (m *menuDialog) clickLine(line int) bool {
	return line >= m.textHeight && clickEntry(&m.cursor, m.scrollTop+line-m.textHeight, len(m.actions))
}
