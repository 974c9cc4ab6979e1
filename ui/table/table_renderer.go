package table

import (
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

	measured int // version of the rows for which the heads know their contents; 0 is none
}

// columnHead is a Column without its cells.
type columnHead struct {
	title                    string
	width, min, dropPriority int
	alignRight, hidden       bool
	isLabel                  bool
	content                  int // cells that the widest cell takes
}

// wanted returns the width at which nothing in the column is cut.
func (c columnHead) wanted() int { return max(c.width, c.min, c.content, ui.Width(c.title)) }

// columnLayout is a column with its width in this frame.
type columnLayout struct {
	index int
	width int
}

// layout gives the columns their widths. A number of them is scrolled past, never the first or the row's label; of
// those that do not fit, the ones with the highest drop priority are left out.
func (g *tableRenderer) layout(scrolled, width int) {
	g.hidden, g.dropped = append(g.hidden[:0], make([]bool, len(g.heads))...), false
	for i, c := range g.heads {
		g.hidden[i] = c.hidden
		if !c.hidden && i > 0 && !c.isLabel && scrolled > 0 {
			g.hidden[i] = true
			scrolled--
		}
	}
	for {
		need, drop := 2, -1
		for i, c := range g.heads {
			if g.hidden[i] {
				continue
			}
			need += max(c.width, c.min) + 2
			if c.dropPriority > 0 && (drop < 0 || c.dropPriority > g.heads[drop].dropPriority) {
				drop = i
			}
		}
		if need <= width || drop < 0 {
			g.share(width - need + 2)
			return
		}
		g.hidden[drop], g.dropped = true, true
	}
}

// listWidth returns the part of a width that the list takes beside its detail: what its cells need, if that leaves
// enough to the detail; at least what its columns need on a terminal of 80 cells; and what the detail does not use.
func (g *tableRenderer) listWidth(scrolled, width int) int {
	g.layout(scrolled, listMinWidth)
	least := 2
	for _, c := range g.columns {
		least += max(g.heads[c.index].width, g.heads[c.index].min) + 2
	}
	wanted := 2
	for i, c := range g.heads {
		if !c.hidden && (i == 0 || c.isLabel || i > scrolled) {
			wanted += c.wanted() + 2
		}
	}
	list := min(wanted, width-1-detailMinWidth)
	return max(list, min(least, listMinWidth), width-1-detailMaxWidth)
}

// share divides the remaining width among the columns whose cells are wider than they are.
func (g *tableRenderer) share(left int) {
	g.columns = g.columns[:0]
	cut := 0
	for i, c := range g.heads {
		if g.hidden[i] {
			continue
		}
		w := max(c.width, c.min)
		if w < c.wanted() {
			cut++
		}
		g.columns = append(g.columns, columnLayout{i, w})
	}
	for left > 0 && cut > 0 {
		part := max(1, left/cut)
		cut = 0
		for n := range g.columns {
			c := &g.columns[n]
			missing := g.heads[c.index].wanted() - c.width
			more := max(0, min(missing, part, left))
			c.width, left = c.width+more, left-more
			if missing > more {
				cut++
			}
		}
	}
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
		g.writeCell(title, c.width, g.heads[c.index].alignRight, theme.Codes{}, b.Theme.Glyphs.Ellipsis)
		g.pad(2)
		cells += c.width + 2
	}
	g.endStyledLine(cells, look, false, "")
}

// tableRow is how a row is drawn.
type tableRow struct {
	cell                  func(column int) (string, theme.Tone)
	spans                 func(column int) []Span // of a cell with several tones, otherwise nil
	cursor, marked, stale bool
	flashing              bool   // it has just changed
	repeatedColumn        int    // column that repeats the row above and is left empty; -1 is none
	busy                  string // the change under way
	note                  string // what must be known of the row; it takes the place of the columns from the third on
}

// writeSpans writes the parts of a cell in a column of a width, cut with a mark if they are longer.
func (g *tableRenderer) writeSpans(spans []Span, width int, tint *theme.Tint, mark string) {
	left := width
	for n, s := range spans {
		cells := ui.Width(s.Text)
		if cells == left && n < len(spans)-1 {
			cells++ // there is more to come, so the mark must show it
			s.Text += " "
		}
		g.writeCell(s.Text, min(cells, left), false, tint.Codes(s.Tone), mark)
		if left -= min(cells, left); left == 0 {
			return
		}
	}
	g.pad(left)
}

// isCutNumber reports whether a text begins with a digit and does not fit.
func isCutNumber(text string, width int) bool {
	return text[0] >= '0' && text[0] <= '9' && ui.Width(text) > width
}

// tintOf returns how a row is drawn: the background of a change, of the cursor or of a mark covers its whole width. The
// row at the cursor shows a change as well: most changes are made there, and the glyph stays.
func tintOf(r tableRow, t *theme.Theme) *theme.Tint {
	switch {
	case r.flashing && t.CanFlash():
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
	for n, c := range g.columns {
		text, tone := r.cell(c.index)
		if r.busy != "" && n == 0 {
			text, tone = r.busy+glyphs.Ellipsis, theme.Warn
		}
		if c.index == r.repeatedColumn {
			text = ""
		}
		width := c.width
		noted := r.note != "" && (n == 2 || n == len(g.columns)-1)
		if noted {
			text, tone, width = r.note, theme.Warn, g.widthFrom(n)
		}
		if r.stale {
			tone = theme.Muted
		}
		if !noted && g.heads[c.index].alignRight && len(text) > width && isCutNumber(text, width) {
			text = glyphs.Ellipsis // a part of a number is another number
		}
		if spans := r.spans(c.index); spans != nil && !noted && !r.stale && text != "" {
			g.writeSpans(spans, c.width, tint, glyphs.Ellipsis)
		} else {
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

// writeMarks writes the two cells before a row: the cursor and the mark.
func (g *tableRenderer) writeMarks(r tableRow, tint *theme.Tint, b ui.Box) {
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
