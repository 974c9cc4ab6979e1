package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
)

// A Viewport is how far a text that is longer than its room has been read.
type Viewport struct {
	top, height, length int
}

// Actions move the text.
func (s *Viewport) Actions() []Action {
	by := func(n int) func() { return func() { s.top += n } }
	page := max(1, s.height-1)
	return []Action{
		LocalAction("move", "down", "", by(1), "j", "down"), LocalAction("move", "up", "", by(-1), "k", "up"),
		LocalAction(
			"move",
			"page down",
			"",
			by(page),
			"pgdown",
			"ctrl+f",
		), LocalAction("move", "page up", "", by(-page), "pgup", "ctrl+b"),
		LocalAction(
			"move",
			"first",
			"",
			func() { s.top = 0 },
			"g",
			"home",
		), LocalAction("move", "last", "", func() { s.top = s.length }, "G", "end"),
	}
}

// Update takes the wheel.
func (s *Viewport) Update(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(tea.MouseWheelMsg); ok {
		s.top += 3
		if m.Button == tea.MouseWheelUp {
			s.top -= 6
		}
	}
	return nil
}

// View is the part of a text that fits. Where more follows, the last line says so.
func (s *Viewport) View(b Box, text string) string {
	lines := strings.Split(text, "\n")
	s.height, s.length = b.Height, len(lines)
	s.top = max(0, min(s.top, len(lines)-b.Height))
	more := len(lines) - s.top - b.Height
	lines = lines[s.top:]
	if more > 0 && b.Height > 1 {
		lines[b.Height-1] = b.Theme.Paint(theme.Muted, b.Theme.Glyphs.Down+" "+Plural(more+1, "line", "lines")+" below")
	}
	return b.Fit(strings.Join(lines, "\n"))
}
