package ui

import (
	"strings"

	"lookout/theme"
)

// beside is the width from which the detail stands beside the list.
const beside = 110

// View draws the window of rows, with the detail beside it or over it.
func (l *List[T]) View(b Box) string {
	l.box = b
	l.settle()
	row, there := l.row()
	switch {
	case l.Detail == nil || !there:
		l.open = l.open && there
		return l.list(b)
	case l.open:
		return l.detail(row, b)
	case b.Width < beside:
		return l.list(b)
	}
	at := b.Width * 58 / 100
	left, right := b, b
	left.Width, right.Width = at-3, b.Width-at
	l.page.begin(left.Width, b.Height)
	l.page.seam, l.page.room = " "+b.Theme.Paint(theme.Rule, b.Theme.Glyphs.V)+" ", right.Width
	l.page.beside = l.Detail(row, right)
	return l.table(left)
}

// detail is the row's detail over the whole room, scrolled.
func (l *List[T]) detail(row T, b Box) string {
	lines := strings.Split(l.Detail(row, b), "\n")
	if err := l.blind[l.Set.ID(row)]; err != nil {
		for _, line := range Wrap("not read by itself, this is the list's row: "+err.Error()+prefix(" · ", Advice(err)), b.Width) {
			lines = append(lines, b.Theme.Paint(theme.Warn, line))
		}
	}
	l.down = max(0, min(l.down, len(lines)-b.Height))
	return b.Fit(strings.Join(lines[l.down:], "\n"))
}

// column is a column with its width in this frame.
type column struct {
	at    int
	width int
}

// layout gives columns their widths: those that do not fit leave, the highest Drop first.
func (l *List[T]) layout(width int) {
	l.gone = append(l.gone[:0], make([]bool, len(l.Columns))...)
	for i := range l.gone {
		l.gone[i] = l.Columns[i].hidden || i > 0 && i < l.left
	}
	for {
		need, flex, drop := 2, 0, -1
		for i := range l.Columns {
			c := &l.Columns[i]
			if l.gone[i] {
				continue
			}
			need += max(c.Width, c.Min) + 2
			if c.Width == 0 {
				flex++
			}
			if c.Drop > 0 && (drop < 0 || c.Drop > l.Columns[drop].Drop) {
				drop = i
			}
		}
		if need <= width || drop < 0 {
			l.share(width-need+2, flex)
			return
		}
		l.gone[drop] = true
	}
}

// share gives what is left to the columns without a width.
func (l *List[T]) share(left, flex int) {
	l.columns = l.columns[:0]
	left = max(0, left)
	for i := range l.Columns {
		c := &l.Columns[i]
		if l.gone[i] {
			continue
		}
		w := max(c.Width, c.Min)
		if c.Width == 0 && flex > 0 {
			extra := left / flex
			w += extra
			left -= extra
			flex--
		}
		l.columns = append(l.columns, column{i, w})
	}
}

// list is the table alone.
func (l *List[T]) list(b Box) string {
	l.page.begin(b.Width, b.Height)
	return l.table(b)
}

// table is the header, the window of rows, and the foot.
func (l *List[T]) table(b Box) string {
	foot := l.foot(b)
	l.height = max(0, b.Height-1-len(foot))
	l.window(l.order.count(l.Set))
	l.shown = l.shown[:0]
	if b.Width <= 0 || b.Height <= 0 {
		return ""
	}
	if l.page.left > len(foot) {
		l.layout(b.Width)
		l.header(b)
		l.rows(b)
	}
	for l.page.left > len(foot) {
		l.page.end(0)
	}
	for _, line := range foot {
		l.page.add(line)
	}
	return string(l.page.out)
}

// rows are those in the window, or why there are none.
func (l *List[T]) rows(b Box) {
	n := l.order.count(l.Set)
	if n == 0 {
		lines := l.state().absent(b)
		for _, line := range lines[:min(len(lines), l.height)] {
			l.page.add(line)
		}
	}
	stale := l.Fresh().Err != nil
	grouped, above := l.grouped(), ""
	for i := l.top; i < min(n, l.top+l.height); i++ {
		row := l.Set.At(l.order.index(i))
		l.shown = append(l.shown, row)
		again := false
		if grouped >= 0 {
			group, _ := l.Columns[grouped].Cell(row, b)
			again, above = group == above && i > l.top && i != l.at, group
		}
		l.line(row, i == l.at, l.marks.has(l.order.index(i)), stale, again, b)
	}
}

// grouped is the column that rows are grouped by: the one they are sorted by, where it is such a column; -1 elsewhere.
func (l *List[T]) grouped() int {
	if at := l.order.column; at >= 0 && l.Columns[at].Once {
		return at
	}
	return -1
}

// window keeps the cursor in sight.
func (l *List[T]) window(n int) {
	switch {
	case l.at < l.top:
		l.top = l.at
	case l.at >= l.top+l.height:
		l.top = l.at - l.height + 1
	}
	l.top = max(0, min(l.top, n-l.height))
}

func (l *List[T]) header(b Box) {
	p, look := &l.page, b.Theme.Style(theme.Muted)
	p.out = append(append(p.out, look.Open...), "  "...)
	cells := 2
	for _, c := range l.columns {
		title := l.Columns[c.at].Title
		if c.at == l.order.column {
			arrow := b.Theme.Glyphs.Up
			if l.order.reverse {
				arrow = b.Theme.Glyphs.Down
			}
			title += " " + arrow
		}
		p.field(title, c.width, l.Columns[c.at].Right, theme.Style{}, b.Theme.Glyphs.Ellipsis)
		p.pad(2)
		cells += c.width + 2
	}
	p.whole(cells, look, false, "")
}

// line is one row. The row at the cursor has a glyph and one style over all of it, nothing within.
// again leaves the column that rows are grouped by empty.
func (l *List[T]) line(row T, cursor, marked, stale, again bool, b Box) {
	p, g := &l.page, &b.Theme.Glyphs
	busy := ""
	if l.Set.working() {
		busy = l.Set.Busy(l.Set.ID(row))
	}
	look := b.Theme.Style(theme.Cursor)
	if cursor {
		p.out = append(append(p.out, look.Open...), g.Cursor...)
	} else {
		p.pad(1)
	}
	switch {
	case marked && cursor:
		p.out = append(p.out, g.Mark...)
	case marked:
		p.field(g.Mark, 1, false, b.Theme.Style(theme.Marked), "")
	default:
		p.pad(1)
	}
	cells := 2
	for n, c := range l.columns {
		col := &l.Columns[c.at]
		text, tone := col.Cell(row, b)
		if busy != "" && n == 0 {
			text, tone = busy+g.Ellipsis, theme.Warn
		}
		if again && c.at == l.order.column {
			text = ""
		}
		if stale {
			tone = theme.Muted
		}
		var inner theme.Style
		if !cursor {
			inner = b.Theme.Style(tone)
		}
		p.field(text, c.width, col.Right, inner, g.Ellipsis)
		p.pad(2)
		cells += c.width + 2
	}
	if cursor {
		p.whole(cells, look, true, g.Ellipsis)
		return
	}
	p.end(cells)
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

// state is what stands around the rows.
func (l *List[T]) state() frameState {
	return frameState{fresh: l.Set.Fresh(), name: l.Set.Name(), notes: l.Set.Notes(), filter: l.filter, shown: l.order.count(l.Set), held: l.Set.Len(),
		whole: l.Set.Whole(), marked: l.marks.count(), ifNothing: l.Empty}
}

// foot are the lines beneath the rows: what is wrong, the filter, the sums.
func (l *List[T]) foot(b Box) []string {
	lines := l.state().foot(b)
	if l.Foot != nil && l.Set.Len() > 0 {
		lines = append(lines, l.Foot(l.Set, b))
	}
	return lines[:min(len(lines), max(1, b.Height/3))]
}
