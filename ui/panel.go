package ui

import (
	"slices"

	"lookout/theme"
)

// InPanel returns the box inside a panel that fills this box: its border takes one cell on each side, and its padding
// one column on the left and right.
func (b Box) InPanel() Box {
	b.Width, b.Height = max(0, b.Width-4), max(0, b.Height-2)
	return b
}

// A Panel draws a rounded box with titles in its border, and draws it again only if something has changed. Keep one for
// each panel on the screen.
type Panel struct {
	theme *theme.Theme
	panel theme.PanelFrame
	body  string
	text  string
}

// View draws a panel that fills a box, around a body that was drawn in b.InPanel(). Its border has the accent colour if
// the box is focused.
func (p *Panel) View(b Box, title, right []theme.Segment, body string) string {
	if b.Width < 4 || b.Height < 2 {
		return b.Fit(body)
	}
	next := theme.PanelFrame{
		Title:   title,
		Right:   right,
		Width:   b.Width,
		Height:  b.Height,
		Focused: b.Focused,
	}
	if p.text == "" || p.theme != b.Theme || p.body != body || !samePanel(p.panel, next) {
		*p = Panel{b.Theme, next, body, b.Theme.RenderPanel(next, b.InPanel().Fit(body))}
	}
	return p.text
}

// samePanel reports whether two panels have the same frame.
func samePanel(a, b theme.PanelFrame) bool {
	return a.Width == b.Width && a.Height == b.Height && a.Focused == b.Focused &&
		slices.Equal(a.Title, b.Title) && slices.Equal(a.Right, b.Right)
}
