package theme

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// A TitleSegment is a part of a panel's title. Text in the tone Plain may have styles of its own.
type TitleSegment struct {
	Text string
	Tone Tone
}

// Title returns the usual segments of a title: a name in the tone Strong, then muted details. Empty details are left
// out.
func Title(name string, details ...string) []TitleSegment {
	segments := []TitleSegment{{name, Strong}}
	for _, text := range details {
		if text != "" {
			segments = append(segments, TitleSegment{text, Muted})
		}
	}
	return segments
}

// A PanelFrame is a rounded box with titles in its top border: ╭─ Services ─ 14 ─────── by state ─╮.
type PanelFrame struct {
	Title         []TitleSegment // from the left, the most important first
	Right         []TitleSegment // at the right end
	Width, Height int            // of the whole box, at least 4 by 2
	Focused       bool           // has keyboard focus: border and title have the tone Accent
}

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

// RenderPanel draws a panel around lines that are Width-4 cells wide. There are exactly Height-2 of them. Lip Gloss has
// no titles for borders, and measures each line again, which takes ten times as long as joining them.
func (t *Theme) RenderPanel(p PanelFrame, body string) string {
	border, edge := t.Border(), Rule
	if p.Focused {
		edge = Accent
	}
	left, right := t.Paint(edge, border.Left)+" ", " "+t.Paint(edge, border.Right)
	var out strings.Builder
	out.Grow(len(body) + p.Height*(len(left)+len(right)+1) + 8*p.Width)
	out.WriteString(t.panelTop(p, border, edge))
	if p.Height > 2 {
		for line := range strings.SplitSeq(body, "\n") {
			out.WriteByte('\n')
			out.WriteString(left)
			out.WriteString(line)
			out.WriteString(right)
		}
	}
	bottom := border.BottomLeft + strings.Repeat(border.Bottom, max(0, p.Width-2)) + border.BottomRight
	out.WriteString("\n" + t.Paint(edge, bottom))
	return out.String()
}

// panelTop draws the top border with as many whole segments as fit: those of the title first. Only the first segment of
// the title is cut if it is too long.
func (t *Theme) panelTop(p PanelFrame, border lipgloss.Border, edge Tone) string {
	room := p.Width - 3 // for segments, each with a blank on both sides and a line behind it
	title, left := "", 0
	for i, s := range p.Title {
		width := lipgloss.Width(s.Text) + 3
		if i == 0 && width > room {
			s.Text = truncate(s.Text, max(0, room-3), t.Glyphs.Ellipsis)
			width = lipgloss.Width(s.Text) + 3
		}
		if left+width > room || s.Text == "" {
			break
		}
		title += t.paintSegment(s, p.Focused) + t.Paint(edge, border.Top)
		left += width
	}
	end, used := "", 0
	for _, s := range p.Right {
		width := lipgloss.Width(s.Text) + 3
		if left+used+width > room {
			break
		}
		end += t.paintSegment(s, false) + t.Paint(edge, border.Top)
		used += width
	}
	bar := strings.Repeat(border.Top, max(0, room-left-used))
	return t.Paint(edge, border.TopLeft+border.Top) + title + t.Paint(edge, bar) + end +
		t.Paint(edge, border.TopRight)
}

// paintSegment paints a segment with a blank on both sides. Strong segments of a focused panel have its colour.
func (t *Theme) paintSegment(s TitleSegment, focused bool) string {
	if s.Tone == Strong && focused {
		return t.Style(Strong).Inherit(t.Style(Accent)).Render(" " + s.Text + " ")
	}
	return t.Paint(s.Tone, " "+s.Text+" ")
}

// truncate cuts text to a width and marks the cut.
func truncate(text string, width int, mark string) string {
	if lipgloss.Width(text) <= width {
		return text
	}
	return lipgloss.NewStyle().MaxWidth(max(0, width-lipgloss.Width(mark))).Render(text) + mark
}
