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
	return scrollActions(v.height, v.scroll, func() { v.scroll(-v.length) }, func() { v.scroll(v.length) })
}

// scrollActions returns the actions that scroll a text in a box of some height.
func scrollActions(height int, scroll func(by int), first, last func()) []Action {
	page := max(1, height-1)
	move := func(name string, do func(), keys ...string) Action { return LocalAction("move", name, "", do, keys...) }
	return []Action{
		move("down", func() { scroll(1) }, "j", "down"),
		move("up", func() { scroll(-1) }, "k", "up"),
		move("page down", func() { scroll(page) }, "pgdown", "ctrl+f"),
		move("page up", func() { scroll(-page) }, "pgup", "ctrl+b"),
		move("first", first, "g", "home"),
		move("last", last, "G", "end"),
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
