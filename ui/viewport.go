package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lookout/client/wording"
	"lookout/theme"
)

// wheelLines is the number of lines that the mouse wheel scrolls by.
const wheelLines = 3

// Viewport scrolls a text that is longer than its box.
type Viewport struct {
	top int // first line in sight

	height, length int // of the last frame, set by View: scrolling goes by them
}

// scroll moves the text by a number of lines, as far as there are lines.
func (v *Viewport) scroll(by int) { v.top = max(0, min(v.top+by, v.length-v.height)) }

// Actions returns the actions that scroll the text.
func (v *Viewport) Actions() []Action {
	page := max(1, v.height-1)
	scroll := func(name string, by int, keys ...string) Action {
		return LocalAction("move", name, "", func() { v.scroll(by) }, keys...)
	}
	return []Action{
		scroll("down", 1, "j", "down"),
		scroll("up", -1, "k", "up"),
		scroll("page down", page, "pgdown", "ctrl+f"),
		scroll("page up", -page, "pgup", "ctrl+b"),
		scroll("first", -v.length, "g", "home"),
		scroll("last", v.length, "G", "end"),
	}
}

// Update takes the mouse wheel.
func (v *Viewport) Update(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(tea.MouseWheelMsg); ok {
		if m.Button == tea.MouseWheelUp {
			v.scroll(-wheelLines)
		} else {
			v.scroll(wheelLines)
		}
	}
	return nil
}

// View returns the part of a text that fits. If more follows, the last line says so.
func (v *Viewport) View(b Box, text string) string { return v.ViewLines(b, strings.Split(text, "\n")) }

// ViewLines is View for a text that is kept in lines: what it costs does not depend on their number.
func (v *Viewport) ViewLines(b Box, all []string) string {
	v.height, v.length = b.Height, len(all)
	top := max(0, min(v.top, len(all)-b.Height))
	more := len(all) - top - b.Height
	lines := slices.Clone(all[top:min(len(all), top+b.Height)])
	if more > 0 && b.Height > 1 {
		below := b.Theme.Glyphs.Down + " " + wording.Plural(more+1, "line", "lines") + " below"
		lines[b.Height-1] = b.Theme.Paint(theme.Muted, below)
	}
	return b.Fit(strings.Join(lines, "\n"))
}
