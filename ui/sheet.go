package ui

import (
	"strings"

	"lookout/theme"
)

// A sheet is the columns of a frame under way. It keeps its room from frame to frame and knows nothing of the rows.
type sheet struct {
	page
	heads []head
	shown []column
	gone  []bool
}

// A head is a column without its cells.
type head struct {
	title            string
	width, min, drop int // see Column
	right, hidden    bool
}

// column is a column with its width in this frame.
type column struct {
	at    int
	width int
}

// layout gives columns their widths: those before left are scrolled past, the first excepted; of those that do not fit the highest drop leave.
func (g *sheet) layout(left, width int) {
	g.gone = append(g.gone[:0], make([]bool, len(g.heads))...)
	for i := range g.gone {
		g.gone[i] = g.heads[i].hidden || i > 0 && i < left
	}
	for {
		need, flex, drop := 2, 0, -1
		for i, c := range g.heads {
			if g.gone[i] {
				continue
			}
			need += max(c.width, c.min) + 2
			if c.width == 0 {
				flex++
			}
			if c.drop > 0 && (drop < 0 || c.drop > g.heads[drop].drop) {
				drop = i
			}
		}
		if need <= width || drop < 0 {
			g.share(width-need+2, flex)
			return
		}
		g.gone[drop] = true
	}
}

// least is what the columns of a width need at least.
func (g *sheet) least(left, width int) int {
	g.layout(left, width)
	need := 2
	for _, c := range g.shown {
		need += max(g.heads[c.at].width, g.heads[c.at].min) + 2
	}
	return need
}

// share gives what is left to the columns without a width.
func (g *sheet) share(left, flex int) {
	g.shown = g.shown[:0]
	left = max(0, left)
	for i, c := range g.heads {
		if g.gone[i] {
			continue
		}
		w := max(c.width, c.min)
		if c.width == 0 && flex > 0 {
			extra := left / flex
			w += extra
			left -= extra
			flex--
		}
		g.shown = append(g.shown, column{i, w})
	}
}

// header is the titles, with an arrow at the column that rows are sorted by.
func (g *sheet) header(by int, reverse bool, b Box) {
	look := b.Theme.Style(theme.Muted)
	g.out = append(append(g.out, look.Open...), "  "...)
	cells := 2
	for _, c := range g.shown {
		title := g.heads[c.at].title
		if c.at == by {
			arrow := b.Theme.Glyphs.Up
			if reverse {
				arrow = b.Theme.Glyphs.Down
			}
			title += " " + arrow
		}
		g.field(title, c.width, g.heads[c.at].right, theme.Style{}, b.Theme.Glyphs.Ellipsis)
		g.pad(2)
		cells += c.width + 2
	}
	g.whole(cells, look, false, "")
}

// A rowLook is a row as it stands in its line.
type rowLook struct {
	cell                  func(column int) (string, theme.Tone)
	cursor, marked, stale bool
	again                 int    // column that says what the row above said, and is left empty; -1 is none
	busy                  string // what is being done with it
}

// line is one row. The row at the cursor has a glyph and one style over all of it, nothing within.
func (g *sheet) line(r rowLook, b Box) {
	glyphs := &b.Theme.Glyphs
	look := b.Theme.Style(theme.Cursor)
	if r.cursor {
		g.out = append(append(g.out, look.Open...), glyphs.Cursor...)
	} else {
		g.pad(1)
	}
	switch {
	case r.marked && r.cursor:
		g.out = append(g.out, glyphs.Mark...)
	case r.marked:
		g.field(glyphs.Mark, 1, false, b.Theme.Style(theme.Marked), "")
	default:
		g.pad(1)
	}
	cells := 2
	for n, c := range g.shown {
		text, tone := r.cell(c.at)
		if r.busy != "" && n == 0 {
			text, tone = r.busy+glyphs.Ellipsis, theme.Warn
		}
		if c.at == r.again {
			text = ""
		}
		if r.stale {
			tone = theme.Muted
		}
		var inner theme.Style
		if !r.cursor {
			inner = b.Theme.Style(tone)
		}
		g.field(text, c.width, g.heads[c.at].right, inner, glyphs.Ellipsis)
		g.pad(2)
		cells += c.width + 2
	}
	if r.cursor {
		g.whole(cells, look, true, glyphs.Ellipsis)
		return
	}
	g.end(cells)
}

// blanks are written in pieces of this.
const blanks = "                                                                "

func spaces(out *strings.Builder, n int) {
	for ; n > len(blanks); n -= len(blanks) {
		out.WriteString(blanks)
	}
	if n > 0 {
		out.WriteString(blanks[:n])
	}
}

func prefix(lead, text string) string {
	if text == "" {
		return ""
	}
	return lead + text
}
