package table

import (
	"strings"

	"lookout/theme"
	"lookout/ui"
)

// tableRenderer draws the header and the rows of a table. It reuses its memory from frame to frame and does not know
// the type of the rows.
type tableRenderer struct {
	lineBuffer
	heads   []columnHead
	columns []columnLayout
	hidden  []bool
	dropped bool // a column is left out for lack of space

	withoutSpare bool // the columns above spare are left out

	measured int  // version of the rows for which the heads know their contents; 0 is none
	grown    bool // a cell was wider than the contents that its column was narrowed to
}

// writeHeader writes the titles, with an arrow at the column that rows are sorted by.
func (g *tableRenderer) writeHeader(by int, reverse bool, b ui.Box) {
	look := b.Theme.Codes(theme.Muted)
	g.out = append(append(g.out, look.Open...), "  "...)
	cells := 2
	for _, c := range g.columns {
		title := g.heads[c.index].title
		if c.index == by {
			arrow := b.Theme.Glyphs.Up
			if reverse {
				arrow = b.Theme.Glyphs.Down
			}
			title += " " + arrow
		}
		g.writeCell(title, c.width, g.heads[c.index].alignRight, theme.EscapeCodes{}, b.Theme.Glyphs.Ellipsis)
		g.pad(2)
		cells += c.width + 2
	}
	g.endStyledLine(cells, look, false, "")
}

// tableRow is how a row is drawn.
type tableRow struct {
	cell                  func(column int) (string, theme.Tone)
	spans                 func(column int) []TonedText                    // of a cell with several tones, otherwise nil
	shorten               func(column int, text string, width int) string // a text that is too wide for its cell
	cursor, marked, stale bool
	highlighted           bool   // it has just changed
	busy                  string // the change under way
	note                  string // what must be known of the row; it takes the place of the columns from the third on
}

// writeSpans writes a text in a column of a width, in the tones of the spans that it begins with, and cuts it with a
// mark if it is longer.
func (g *tableRenderer) writeSpans(spans []TonedText, text string, width int, tint *theme.RowTint, mark string) {
	left := width
	for _, s := range spans {
		cells := ui.Width(s.Text)
		if !strings.HasPrefix(text, s.Text) || cells > left || cells == left && len(s.Text) < len(text) {
			g.writeCell(text, left, false, tint.Codes(s.Tone), mark)
			return
		}
		g.writeCell(s.Text, cells, false, tint.Codes(s.Tone), mark)
		text, left = text[len(s.Text):], left-cells
	}
	g.pad(left)
}

// isNumber reports whether a text begins with a digit.
func isNumber(text string) bool { return text[0] >= '0' && text[0] <= '9' }

// tintOf returns how a row is drawn: the background of a change, of the cursor or of a mark covers its whole width. The
// row at the cursor shows a change as well: most changes are made there, and the glyph stays.
func tintOf(r tableRow, t *theme.Theme) *theme.RowTint {
	switch {
	case r.highlighted && t.CanFlash():
		return t.Tint(theme.Flash)
	case r.cursor:
		return t.Tint(theme.Cursor)
	case r.marked:
		return t.Tint(theme.MarkedRow)
	}
	return t.Tint(theme.Plain)
}

// writeRow writes one row. Glyphs before it stand for the cursor and the mark, together with a background.
func (g *tableRenderer) writeRow(r tableRow, b ui.Box) {
	glyphs := &b.Theme.Glyphs
	tint := tintOf(r, b.Theme)
	g.writeMarks(r, tint, b)
	cells := 2
	for n := 0; n < len(g.columns); n++ {
		c := g.columns[n]
		text, tone := r.cell(c.index)
		if r.busy != "" && n == 0 {
			text, tone = r.busy+glyphs.Ellipsis, theme.Warn
		}
		width := c.width
		noted := r.note != "" && (n == 2 || n == len(g.columns)-1)
		if noted {
			text, tone, width = r.note, theme.Warn, g.widthFrom(n)
		}
		if r.stale {
			tone = theme.Muted
		}
		if !noted && len(text) > width && ui.Width(text) > width {
			text, width, n = g.fit(r, text, n, glyphs.Ellipsis)
		}
		spans := r.spans(c.index)
		switch {
		case spans != nil && !noted && !r.stale && text != "":
			g.writeSpans(spans, text, width, tint, glyphs.Ellipsis)
		default:
			left := width
			if shape, words := theme.SplitState(tone, text); words != "" && ui.Width(shape) < width {
				left -= ui.Width(shape)
				g.writeCell(shape, width-left, false, tint.Codes(tone), "")
				text, tone = words, theme.Plain
			}
			g.writeCell(text, left, !noted && g.heads[c.index].alignRight, tint.Codes(tone), glyphs.Ellipsis)
		}
		g.pad(2)
		cells += width + 2
		if noted {
			break
		}
	}
	if tint.Around.Open != "" {
		g.endStyledLine(cells, tint.Around, true, glyphs.Ellipsis)
		return
	}
	g.endLine(cells)
}

// fit returns how a text that is too wide for the nth column is drawn: over the columns beside it that are empty in
// this row, or shorter. last is the last column that it takes.
func (g *tableRenderer) fit(r tableRow, text string, n int, mark string) (fitting string, width, last int) {
	c := g.columns[n]
	head, cells := &g.heads[c.index], ui.Width(text)
	if needs := min(cells, maxCellWidth); c.width < needs && head.content < needs {
		head.content, g.grown = needs, true
	}
	if head.alignRight && isNumber(text) {
		return mark, c.width, n // a part of a number is another number
	}
	if short := r.shorten(c.index, text, c.width); head.width > 0 && ui.Width(short) < cells {
		return short, c.width, n // under the title beside it, the rest would look like that column's
	}
	width, last = c.width, n
	for width < cells && last+1 < len(g.columns) && !head.alignRight && (r.note == "" || last != 1) {
		if beside, _ := r.cell(g.columns[last+1].index); beside != "" {
			break
		}
		last++
		width += g.columns[last].width + 2
	}
	if width < cells {
		text = r.shorten(c.index, text, width)
	}
	return text, width, last
}

// writeMarks writes the two cells before a row: the cursor and the mark. A mark alone keeps away from the text.
func (g *tableRenderer) writeMarks(r tableRow, tint *theme.RowTint, b ui.Box) {
	g.out = append(g.out, tint.Around.Open...)
	free := 2
	if r.cursor {
		g.writeCell(b.Theme.Glyphs.Cursor, 1, false, tint.Codes(theme.Accent), "")
		free--
	}
	if r.marked {
		g.writeCell(b.Theme.Glyphs.Mark, 1, false, tint.Codes(theme.Marked), "")
		free--
	}
	g.pad(free)
}
