package table

import (
	"strings"

	"lookout/theme"
	"lookout/ui"
)

// splitMinWidth is the width from which the detail stands beside the list. The list then keeps the columns that a
// terminal of 80 cells shows, with some room for those that like more than they need.
const (
	splitMinWidth  = 110
	listMinWidth   = 80
	listExtraWidth = 16
)

// View draws the window of rows, with the detail beside it or over it.
func (l *List[T]) View(b ui.Box) string {
	l.lastBox = b
	l.restoreCursor()
	row, there := l.cursorRow()
	switch {
	case l.Detail == nil || !there:
		l.detailOpen = l.detailOpen && there
		return l.viewList(b)
	case l.detailOpen:
		return l.viewDetail(row, b)
	case b.Width < splitMinWidth:
		return l.viewList(b)
	}
	l.setHeads()
	at := max(b.Width*58/100, min(listMinWidth, l.renderer.minWidth(l.firstColumn, listMinWidth)+listExtraWidth)+3)
	left, right := b, b
	left.Width, right.Width = at-3, b.Width-at
	l.renderer.reset(left.Width, b.Height)
	l.renderer.separator, l.renderer.sideWidth = " "+b.Theme.Paint(theme.Rule, b.Theme.Glyphs.Vertical)+" ", right.Width
	l.renderer.sideText = l.Detail(row, right)
	return l.viewTable(left)
}

// viewDetail is the row's detail over the whole room, scrolled.
func (l *List[T]) viewDetail(row T, b ui.Box) string {
	text, down := scrollDetail(l.Detail(row, b), l.fetchErrors[l.Store.ID(row)], l.detailScroll, b)
	l.detailScroll = down
	return text
}

// scrollDetail is a detail from a line on, as far as there are lines; blind is why its row could not be read by itself.
func scrollDetail(text string, blind error, down int, b ui.Box) (string, int) {
	lines := strings.Split(text, "\n")
	if blind != nil {
		for _, line := range ui.Wrap("not read by itself, this is the list's row: "+blind.Error()+ui.WithPrefix(" · ", ui.Advice(blind)), b.Width) {
			lines = append(lines, b.Theme.Paint(theme.Warn, line))
		}
	}
	down = max(0, min(down, len(lines)-b.Height))
	return b.Fit(strings.Join(lines[down:], "\n")), down
}

// viewList is the table alone.
func (l *List[T]) viewList(b ui.Box) string {
	l.renderer.reset(b.Width, b.Height)
	return l.viewTable(b)
}

// viewTable is the header, the window of rows, and the foot.
func (l *List[T]) viewTable(b ui.Box) string {
	foot := l.footer(b)
	l.height = max(0, b.Height-1-len(foot))
	l.scrollToCursor(l.rowIndex.count(l.Store))
	l.visible = l.visible[:0]
	if b.Width <= 0 || b.Height <= 0 {
		return ""
	}
	l.setHeads()
	if l.renderer.linesLeft > len(foot) {
		l.renderer.layout(l.firstColumn, b.Width)
		l.renderer.writeHeader(l.rowIndex.column, l.rowIndex.reverse, b)
		l.viewRows(b)
	}
	for l.renderer.linesLeft > len(foot) {
		l.renderer.endLine(0)
	}
	for _, line := range foot {
		l.renderer.writeLine(line)
	}
	return string(l.renderer.out)
}

// setHeads tells the sheet the columns.
func (l *List[T]) setHeads() {
	if len(l.renderer.heads) == len(l.Columns) {
		return
	}
	l.renderer.heads = make([]columnHead, len(l.Columns))
	for i, c := range l.Columns {
		l.renderer.heads[i] = columnHead{
			title:        c.Title,
			width:        c.Width,
			min:          c.Min,
			dropPriority: c.DropPriority,
			alignRight:   c.AlignRight,
			hidden:       c.hidden,
		}
	}
}

// viewRows are those in the window, or why there are none.
func (l *List[T]) viewRows(b ui.Box) {
	n := l.rowIndex.count(l.Store)
	if n == 0 {
		lines := l.status().explainEmpty(b)
		for _, line := range lines[:min(len(lines), l.height)] {
			l.renderer.writeLine(line)
		}
	}
	if n == 0 {
		return
	}
	var row T
	look := tableRow{
		stale: l.Freshness().Err != nil,
		cell:  func(column int) (string, theme.Tone) { return l.Columns[column].Cell(row, b) },
	}
	grouped, above, working := l.groupColumn(), "", l.Store.PendingCount() > 0
	for i := l.top; i < min(n, l.top+l.height); i++ {
		at := l.rowIndex.storePosition(i)
		row = l.Store.At(at)
		l.visible = append(l.visible, row)
		look.cursor, look.marked, look.repeatedColumn = i == l.position, l.marks.has(at), -1
		if working {
			look.busy = l.Store.Busy(l.Store.ID(row))
		}
		if grouped >= 0 {
			group, _ := look.cell(grouped)
			if group == above && i > l.top && i != l.position {
				look.repeatedColumn = grouped
			}
			above = group
		}
		l.renderer.writeRow(look, b)
	}
}

// groupColumn is the column that rows are grouped by: the one they are sorted by, where it is such a column; -1
// elsewhere.
func (l *List[T]) groupColumn() int {
	if at := l.rowIndex.column; at >= 0 && l.Columns[at].GroupRepeats {
		return at
	}
	return -1
}

// scrollToCursor keeps the cursor in sight.
func (l *List[T]) scrollToCursor(n int) {
	switch {
	case l.position < l.top:
		l.top = l.position
	case l.position >= l.top+l.height:
		l.top = l.position - l.height + 1
	}
	l.top = max(0, min(l.top, n-l.height))
}

// status is what stands around the rows.
func (l *List[T]) status() listStatus {
	sorted := ""
	if at := l.rowIndex.column; l.Store.Lazy() && l.Store.Loaded() && at >= 0 {
		sorted = l.Columns[at].Title
	}
	return listStatus{
		freshness: l.Store.Freshness(),
		sortTitle: sorted,
		name:      l.Store.Name(),
		notes:     l.Store.Notes(),
		filter:    l.filter,
		matching:  l.rowIndex.count(l.Store),
		loaded:    l.Store.Len(),
		complete:  l.Store.Complete(),
		marked:    l.marks.count(),
		emptyText: l.EmptyText,
	}
}

// footer are the lines beneath the rows: what is wrong, the filter, the sums.
func (l *List[T]) footer(b ui.Box) []string {
	lines := l.status().footer(b)
	if l.Footer != nil && l.Store.Len() > 0 {
		lines = append(lines, l.Footer(l.Store, b))
	}
	return lines[:min(len(lines), max(1, b.Height/3))]
}
