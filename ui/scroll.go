package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/theme"
)

// A Scroll is how far a text that is longer than its room has been read.
type Scroll struct {
	at, height, length int
}

// Actions move the text.
func (s *Scroll) Actions() []Action {
	by := func(n int) func() { return func() { s.at += n } }
	page := max(1, s.height-1)
	return []Action{
		plain("move", "down", "", by(1), "j", "down"), plain("move", "up", "", by(-1), "k", "up"),
		plain("move", "page down", "", by(page), "pgdown", "ctrl+f"), plain("move", "page up", "", by(-page), "pgup", "ctrl+b"),
		plain("move", "first", "", func() { s.at = 0 }, "g", "home"), plain("move", "last", "", func() { s.at = s.length }, "G", "end"),
	}
}

// Update takes the wheel.
func (s *Scroll) Update(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(tea.MouseWheelMsg); ok {
		s.at += 3
		if m.Button == tea.MouseWheelUp {
			s.at -= 6
		}
	}
	return nil
}

// View is the part of a text that fits. Where more follows, the last line says so.
func (s *Scroll) View(b Box, text string) string {
	lines := strings.Split(text, "\n")
	s.height, s.length = b.Height, len(lines)
	s.at = max(0, min(s.at, len(lines)-b.Height))
	more := len(lines) - s.at - b.Height
	lines = lines[s.at:]
	if more > 0 && b.Height > 1 {
		lines[b.Height-1] = b.Theme.Paint(theme.Muted, b.Theme.Glyphs.Down+" "+plural(more+1, "line", "lines")+" below")
	}
	return b.Fit(strings.Join(lines, "\n"))
}
