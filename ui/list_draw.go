package ui

import (
	"strings"

	"lookout/theme"
)

// beside is the width from which the detail stands beside the list. The list then keeps the columns that a terminal of 80 cells shows, with
// some room for those that like more than they need.
const (
	beside = 110
	least  = 80
	spare  = 16
)

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
	l.title()
	at := max(b.Width*58/100, min(least, l.sheet.least(l.left, least)+spare)+3)
	left, right := b, b
	left.Width, right.Width = at-3, b.Width-at
	l.sheet.begin(left.Width, b.Height)
	l.sheet.seam, l.sheet.room = " "+b.Theme.Paint(theme.Rule, b.Theme.Glyphs.Vertical)+" ", right.Width
	l.sheet.beside = l.Detail(row, right)
	return l.table(left)
}

// detail is the row's detail over the whole room, scrolled.
func (l *List[T]) detail(row T, b Box) string {
	text, down := scrolled(l.Detail(row, b), l.blind[l.Set.ID(row)], l.down, b)
	l.down = down
	return text
}

// scrolled is a detail from a line on, as far as there are lines; blind is why its row could not be read by itself.
func scrolled(text string, blind error, down int, b Box) (string, int) {
	lines := strings.Split(text, "\n")
	if blind != nil {
		for _, line := range Wrap("not read by itself, this is the list's row: "+blind.Error()+prefix(" · ", Advice(blind)), b.Width) {
			lines = append(lines, b.Theme.Paint(theme.Warn, line))
		}
	}
	down = max(0, min(down, len(lines)-b.Height))
	return b.Fit(strings.Join(lines[down:], "\n")), down
}

// list is the table alone.
func (l *List[T]) list(b Box) string {
	l.sheet.begin(b.Width, b.Height)
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
	l.title()
	if l.sheet.left > len(foot) {
		l.sheet.layout(l.left, b.Width)
		l.sheet.header(l.order.column, l.order.reverse, b)
		l.rows(b)
	}
	for l.sheet.left > len(foot) {
		l.sheet.end(0)
	}
	for _, line := range foot {
		l.sheet.add(line)
	}
	return string(l.sheet.out)
}

// title tells the sheet the columns.
func (l *List[T]) title() {
	if len(l.sheet.heads) == len(l.Columns) {
		return
	}
	l.sheet.heads = make([]head, len(l.Columns))
	for i, c := range l.Columns {
		l.sheet.heads[i] = head{title: c.Title, width: c.Width, min: c.Min, drop: c.Drop, right: c.Right, hidden: c.hidden}
	}
}

// rows are those in the window, or why there are none.
func (l *List[T]) rows(b Box) {
	n := l.order.count(l.Set)
	if n == 0 {
		lines := l.state().absent(b)
		for _, line := range lines[:min(len(lines), l.height)] {
			l.sheet.add(line)
		}
	}
	if n == 0 {
		return
	}
	var row T
	look := rowLook{stale: l.Fresh().Err != nil, cell: func(column int) (string, theme.Tone) { return l.Columns[column].Cell(row, b) }}
	grouped, above, working := l.grouped(), "", l.Set.working()
	for i := l.top; i < min(n, l.top+l.height); i++ {
		at := l.order.index(i)
		row = l.Set.At(at)
		l.shown = append(l.shown, row)
		look.cursor, look.marked, look.again = i == l.at, l.marks.has(at), -1
		if working {
			look.busy = l.Set.Busy(l.Set.ID(row))
		}
		if grouped >= 0 {
			group, _ := look.cell(grouped)
			if group == above && i > l.top && i != l.at {
				look.again = grouped
			}
			above = group
		}
		l.sheet.line(look, b)
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

// state is what stands around the rows.
func (l *List[T]) state() frameState {
	sorted := ""
	if at := l.order.column; l.Set.Lazy() && l.Set.Loaded() && at >= 0 {
		sorted = l.Columns[at].Title
	}
	return frameState{fresh: l.Set.Fresh(), sorted: sorted, name: l.Set.Name(), notes: l.Set.Notes(), filter: l.filter, shown: l.order.count(l.Set), held: l.Set.Len(),
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
