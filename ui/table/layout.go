package table

import "lookout/ui"

// From splitMinWidth on, the detail stands beside the list, in a box that is at most detailMaxWidth wide. The list
// keeps the columns that a terminal of 80 cells shows, and gets the width that its cells need before the detail grows.
const (
	splitMinWidth  = 108
	listMinWidth   = 78
	detailMinWidth = 42
	detailMaxWidth = 60
	sampleRows     = 200 // rows that say how wide the cells of a column are
	maxCellWidth   = 100 // a column that shows more is not widened for it
)

// columnHead is a Column without its cells.
type columnHead struct {
	title                    string
	width, min, dropPriority int
	alignRight, hidden       bool
	isLabel, isSorted        bool
	content                  int // cells that the widest cell takes
}

// spare is the least DropPriority of a column that is shown only if nothing is cut for it, neither in other columns nor
// in itself; one above it also makes room for a second box. A cell counts as whole from readableWidth on.
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
	withoutSpare := g.withoutSpare && scrolled == 0 // who scrolls looks for them
	for i, c := range g.heads {
		g.hidden[i] = c.hidden || withoutSpare && c.dropPriority > spare
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

// boxesBeside returns how many of the boxes stand beside a list in a width: the second only where it takes no column
// from the list, and the columns above spare only with the second, so that more width never shows less. A list is not
// made narrower than narrow, unless its cells need less.
func (g *tableRenderer) boxesBeside(width, boxes, narrow int) int {
	for g.withoutSpare = boxes > 1; boxes > 1; boxes-- {
		list := width - boxes*(1+detailMinWidth)
		if g.layout(0, list); !g.dropped && list >= min(narrow, g.wanted()) {
			g.withoutSpare = false
			break
		}
	}
	return boxes
}

// wanted returns the width at which nothing is cut in the columns that are not left out.
func (g *tableRenderer) wanted() int {
	width := 0
	for i, c := range g.heads {
		if !g.hidden[i] {
			width += c.wanted() + 2
		}
	}
	return width
}

// listWidth returns the part of a width that the list takes beside a number of boxes: what its cells need, if that
// leaves enough to the boxes; at least what its columns need in a narrow list; and what the boxes do not use.
func (g *tableRenderer) listWidth(scrolled, width, boxes, narrow int) int {
	g.scrollPast(scrolled)
	least, wanted := 0, g.wanted()
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

// setHeads tells the renderer the columns, unless it knows them.
func (l *List[T]) setHeads() {
	if len(l.renderer.heads) == len(l.Columns) {
		return
	}
	l.renderer.measured = 0
	l.renderer.heads = make([]columnHead, len(l.Columns))
	for i, c := range l.Columns {
		l.renderer.heads[i] = columnHead{
			title:        c.Title,
			width:        c.Width,
			min:          c.Min,
			dropPriority: c.DropPriority,
			alignRight:   c.AlignRight,
			hidden:       c.hidden,
			isLabel:      c.IsLabel,
		}
	}
}

// measure tells the renderer how wide the cells of each column are, when the rows have changed, or those of the lists
// that they are joined with. It looks at the first rows of the store, so that the columns stay where they are while the
// list is scrolled, filtered or sorted.
func (l *List[T]) measure() {
	l.setHeads()
	r := &l.renderer
	for i := range r.heads {
		r.heads[i].isSorted = i == l.rowIndex.column
	}
	if version := l.Store.Version() + l.JoinedStores.Version() + 1; r.measured != version {
		r.measured = version
	} else {
		return
	}
	b, n := l.cellBox(), min(l.Store.Len(), sampleRows)
	for i := range r.heads {
		r.heads[i].content = 0
		if r.heads[i].hidden {
			continue
		}
		for at := range n {
			text, _ := l.Columns[i].Cell(l.Store.At(at), b)
			r.heads[i].content = min(maxCellWidth, max(r.heads[i].content, ui.Width(text)))
		}
	}
}
