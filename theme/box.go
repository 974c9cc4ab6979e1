package theme

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Border returns the border of a box, made of the theme's glyphs.
func (t *Theme) Border() lipgloss.Border {
	g := t.Glyphs
	return lipgloss.Border{
		Top:         g.Horizontal,
		Bottom:      g.Horizontal,
		Left:        g.Vertical,
		Right:       g.Vertical,
		TopLeft:     g.TopLeft,
		TopRight:    g.TopRight,
		BottomLeft:  g.BottomLeft,
		BottomRight: g.BottomRight,
	}
}

// Box returns the style of a box: a border, and a padding of one column on the left and right.
func (t *Theme) Box() lipgloss.Style {
	return lipgloss.NewStyle().
		Border(t.Border()).
		BorderForeground(t.Style(Rule).GetForeground()).
		Padding(0, 1)
}

// TitledBox renders body in a box with a title in its top border, in the tone Strong. Every line of body has the same
// width; the title is cut to it. Lip Gloss has no titles for borders.
func (t *Theme) TitledBox(title, body string) string {
	box := t.Box().BorderTop(false).Render(body)
	inside := lipgloss.Width(box) - 2
	edge := lipgloss.NewStyle().Foreground(t.Style(Rule).GetForeground())
	name := t.Style(Strong).Render(" " + truncate(title, max(0, inside-4), t.Glyphs.Ellipsis) + " ")
	bar := strings.Repeat(t.Glyphs.Horizontal, max(0, inside-1-lipgloss.Width(name)))
	top := edge.Render(t.Glyphs.TopLeft+t.Glyphs.Horizontal) + name + edge.Render(bar+t.Glyphs.TopRight)
	return lipgloss.JoinVertical(lipgloss.Left, top, box)
}

// A BoxCache holds the box that was rendered last. Rendering a box takes some 0.1 ms, and most frames change nothing in
// it. Keep one for each box on the screen.
type BoxCache struct {
	theme             *Theme
	title, body, text string
}

// TitledBox returns the theme's TitledBox, rendered again only if something has changed.
func (c *BoxCache) TitledBox(t *Theme, title, body string) string {
	if c.theme != t || c.title != title || c.body != body {
		*c = BoxCache{theme: t, title: title, body: body, text: t.TitledBox(title, body)}
	}
	return c.text
}

// truncate cuts text to a width and marks the cut.
func truncate(text string, width int, mark string) string {
	if lipgloss.Width(text) <= width {
		return text
	}
	return lipgloss.NewStyle().MaxWidth(max(0, width-lipgloss.Width(mark))).Render(text) + mark
}
