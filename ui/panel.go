package ui

import (
	"slices"
	"strings"

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
func (p *Panel) View(b Box, title, right []theme.TitleSegment, body string) string {
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

// A StackedPanel is a panel of a PanelStack: lines in a box with a title, or a drawing that fills a box.
type StackedPanel struct {
	Name  string // identifies it from frame to frame
	Title []theme.TitleSegment
	Lines []string
	Draw  func(Box) string // draws the panel with its border instead, in the height that the others leave
}

// A PanelStack draws panels below each other and remembers them. The zero value is ready.
type PanelStack struct{ panels map[string]*Panel }

// The least and the greatest height of a drawing in a column.
const (
	minDrawing = 8
	maxDrawing = 16
)

// View draws panels that fill a box. Without room for all drawings, it leaves out the last ones. The last panel of
// lines takes the rest of the height.
func (s *PanelStack) View(panels []StackedPanel, b Box) string {
	b.Focused = false
	fixed, drawings, last := 0, 0, -1
	for n, p := range panels {
		if p.Draw != nil {
			drawings++
			continue
		}
		fixed, last = fixed+len(p.Lines)+2, n
	}
	drawings = min(drawings, max(0, b.Height-fixed)/minDrawing)
	var drawn []string
	left := b.Height
	for n, p := range panels {
		box := b
		switch {
		case p.Draw != nil && drawings > 0:
			box.Height = min((left-fixed)/drawings, maxDrawing)
			if last < 0 && drawings == 1 {
				box.Height = left
			}
			drawings--
			drawn = append(drawn, p.Draw(box))
		case p.Draw != nil:
			continue
		default:
			box.Height = min(left, len(p.Lines)+2)
			if fixed -= len(p.Lines) + 2; n == last {
				box.Height = left
			}
			drawn = append(drawn, s.panel(p.Name).View(box, p.Title, nil, strings.Join(p.Lines, "\n")))
		}
		left -= box.Height
	}
	return b.Fit(strings.Join(drawn, "\n"))
}

// panel returns the panel with a name.
func (s *PanelStack) panel(name string) *Panel {
	if s.panels == nil {
		s.panels = map[string]*Panel{}
	}
	if s.panels[name] == nil {
		s.panels[name] = &Panel{}
	}
	return s.panels[name]
}
