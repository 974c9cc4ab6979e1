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

	measured int  // version of the rows for which the heads know their contents; 0 is none
	grown    bool // a cell was wider than the contents that its column was narrowed to
}

// columnHead is a Column without its cells.
type columnHead struct {
	title                    string
	width, min, dropPriority int
	alignRight, hidden       bool
	isLabel, isSorted        bool
	content                  int // cells that the widest cell takes
}

// spare is the least DropPriority of a column that is shown only if nothing is cut for it, neither in other columns nor
// in itself. A cell counts as whole from readableWidth on.
const (
	spare         = 4
	readableWidth = 40
)

// header returns the width of the title, with the arrow of the column that rows are sorted by.
func (c columnHead) header() int {
	if c.isSorted {
		return ui.Width(c.title) + 2
	}
	return ui.Width(c.title)
}

// wanted returns the width at which nothing in the column is cut.
func (c columnHead) wanted() int { return max(c.width, c.min, c.content, c.header()) }

// least returns the width from which the column is shown: without cells that need more, a Width is as narrow as they.
func (c columnHead) least() int {
	switch {
	case c.width > 0 && c.min == 0:
		return max(c.header(), min(c.width, c.content))
	case c.dropPriority >= spare:
		return c.readable()
	}
	return max(c.header(), min(c.min, c.content))
}

// readable returns the width at which nothing in the column is cut that can be read at a glance.
func (c columnHead) readable() int {
	return max(c.header(), min(c.content, max(c.width, readableWidth)))
}

// columnLayout is a column with its width in this frame.
type columnLayout struct {
	index int
	width int
}

// scrollPast leaves out the hidden columns and the given number of others, but never the first or the row's label.
func (g *tableRenderer) scrollPast(scrolled int) {
	g.hidden, g.dropped = append(g.hidden[:0], make([]bool, len(g.heads))...), false
	for i, c := range g.heads {
		g.hidden[i] = c.hidden
		if !c.hidden && i > 0 && !c.isLabel && scrolled > 0 {
			g.hidden[i] = true
			scrolled--
		}
	}
}

// layout gives the columns their widths. A number of them is scrolled past; of those that do not fit, the ones with the
// highest drop priority are left out, and of these the last.
func (g *tableRenderer) layout(scrolled, width int) {
	g.scrollPast(scrolled)
	for {
		least, readable, drop := 2, 2, -1
		for i, c := range g.heads {
			if g.hidden[i] {
				continue
			}
			least += c.least() + 2
			readable += max(c.least(), c.readable()) + 2
			if c.dropPriority > 0 && (drop < 0 || c.dropPriority >= g.heads[drop].dropPriority) {
				drop = i
			}
		}
		need := least
		if drop >= 0 && g.heads[drop].dropPriority >= spare {
			need = readable
		}
		if need-2 <= width || drop < 0 {
			g.share(width - least + 2)
			return
		}
		g.hidden[drop], g.dropped = true, true
	}
}

// share divides the remaining width among the columns whose cells are wider than they are, the most important first.
// What is left goes to columns that are narrower than they are declared, so that they seldom change.
func (g *tableRenderer) share(left int) {
	g.columns = g.columns[:0]
	last := 0
	for i, c := range g.heads {
		if !g.hidden[i] {
			g.columns, last = append(g.columns, columnLayout{i, c.least()}), max(last, c.dropPriority)
		}
	}
	for priority := 0; priority <= last; priority++ {
		left = g.widen(left, func(c columnHead) int {
			if c.dropPriority != priority {
				return 0
			}
			return c.content
		})
	}
	g.widen(left, columnHead.wanted)
}

// widen divides a width evenly among the columns that want to be wider. It returns what they leave.
func (g *tableRenderer) widen(left int, wanted func(columnHead) int) int {
	for cut := len(g.columns); left > 0 && cut > 0; {
		part := max(1, left/cut)
		cut = 0
		for n := range g.columns {
			c := &g.columns[n]
			missing := wanted(g.heads[c.index]) - c.width
			more := max(0, min(missing, part, left))
			c.width, left = c.width+more, left-more
			if missing > more {
				cut++
			}
		}
	}
	return left
}

// listWidth returns the part of a width that the list takes beside a number of boxes: what its cells need, if that
// leaves enough to the boxes; at least what its columns need in a narrow list; and what the boxes do not use.
func (g *tableRenderer) listWidth(scrolled, width, boxes, narrow int) int {
	g.scrollPast(scrolled)
	least, wanted := 0, 0
	for i, c := range g.heads {
		if !g.hidden[i] {
			wanted += c.wanted() + 2
		}
	}
	g.layout(scrolled, narrow)
	for _, c := range g.columns {
		least += g.heads[c.index].wanted() + 2
	}
	list := min(wanted, width-boxes*(1+detailMinWidth))
	return max(list, min(least, narrow), width-boxes*(1+detailMaxWidth))
}

// widthFrom returns the width of the columns from one on.
func (g *tableRenderer) widthFrom(n int) int {
	width := -2
	for _, c := range g.columns[n:] {
		width += c.width + 2
	}
	return width
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

// writeMarks writes the two cells before a row: the cursor and the mark.
func (g *tableRenderer) writeMarks(r tableRow, tint *theme.RowTint, b ui.Box) {
	g.out = append(g.out, tint.Around.Open...)
	if r.cursor {
		g.writeCell(b.Theme.Glyphs.Cursor, 1, false, tint.Codes(theme.Accent), "")
	} else {
		g.pad(1)
	}
	if r.marked {
		g.writeCell(b.Theme.Glyphs.Mark, 1, false, tint.Codes(theme.Marked), "")
	} else {
		g.pad(1)
	}
}
