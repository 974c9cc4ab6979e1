package table

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lookout/client/wording"
	"lookout/theme"
	"lookout/ui"
)

// View draws the rows in sight, with the detail beside them or over them. It records the frame's geometry.
func (l *List[T]) View(b ui.Box) string {
	l.frame.box = b
	l.restoreCursor()
	text := l.draw(b)
	if l.renderer.grown {
		l.renderer.grown = false
		text = l.draw(b)
	}
	return text
}

// draw draws the list, and the row's detail over it or beside it.
func (l *List[T]) draw(b ui.Box) string {
	row, there := l.cursorRow()
	l.sidebar.visible, l.parentColumn.drawn, l.renderer.withoutSpare = false, 0, false
	switch {
	case l.Detail == nil || !there && !l.parent.selected:
		return l.drawTable(b)
	case l.detail.open:
		return l.drawDetail(row, b)
	case b.Width < splitMinWidth:
		return l.drawTable(b)
	}
	return l.drawSplit(row, b)
}

// drawDetail draws the row's detail over the whole box.
func (l *List[T]) drawDetail(row T, b ui.Box) string {
	inner := b.InPanel()
	title := l.detailTitle(row, inner)
	text := l.detailText(row, inner, title)
	lines := detailLines(text, l.detail.errors[l.Store.ID(row)], inner)
	l.detail.scroll = max(0, min(l.detail.scroll, len(lines)-inner.Height))
	text = strings.Join(lines[l.detail.scroll:], "\n")
	return l.detail.panel.View(b, theme.Title(title), linesInSight(l.detail.scroll, len(lines), inner), text)
}

// detailText returns everything about a row but the line that repeats the title of its border, below what must be known
// of it first.
func (l *List[T]) detailText(row T, b ui.Box, title string) string {
	text, note := l.Detail(row, b), l.Store.RowNote(row)
	first, rest, _ := strings.Cut(text, "\n")
	if ansi.Strip(first) == title {
		text = rest
	}
	if note == "" {
		return text
	}
	var lines []string
	for _, line := range ui.Wrap(note, b.Width) {
		lines = append(lines, b.Theme.Paint(theme.Warn, line))
	}
	return strings.Join(append(lines, text), "\n")
}

// detailTitle returns what the border around a detail says: what the row is called if that fits whole, otherwise what
// the rows of the list are. b is the box inside the border.
func (l *List[T]) detailTitle(row T, b ui.Box) string {
	if label := l.label(row, b); ui.Width(label) <= b.Width-2 {
		return label
	}
	return l.Title
}

// detailLines returns the lines of a detail. err is why its row could not be fetched; the values are then those of the
// list.
func detailLines(text string, err error, b ui.Box) []string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if err != nil {
		reason := "values from the list; this row could not be read: " + err.Error()
		reason += wording.WithPrefix(" · ", wording.Advice(err))
		for _, line := range ui.Wrap(reason, b.Width) {
			lines = append(lines, b.Theme.Paint(theme.Warn, line))
		}
	}
	return lines
}

// linesInSight says in the border of a detail which of its lines are in sight. It returns nil if all of them are.
func linesInSight(first, lines int, b ui.Box) []theme.TitleSegment {
	if lines <= b.Height {
		return nil
	}
	text := fmt.Sprintf("lines %d-%d of %d", first+1, min(first+b.Height, lines), lines)
	return []theme.TitleSegment{{Text: text, Tone: theme.Muted}}
}

// drawSplit draws the table with the row's detail in a box beside it.
func (l *List[T]) drawSplit(row T, b ui.Box) string {
	r := &l.renderer
	l.measure()
	narrow := l.parentColumn.measure(b.Width)
	b.Width -= l.parentColumn.drawn
	left, right := b, b
	boxes := 1
	if l.sidebar.View != nil {
		boxes = r.boxesBeside(b.Width, 2, narrow)
	}
	left.Width = r.listWidth(l.frame.scrolledColumns, b.Width, boxes, narrow)
	right.Width, right.Focused = (b.Width-left.Width-1)/boxes, false
	sidebar := right
	sidebar.Width = b.Width - left.Width - 1 - right.Width
	r.reset(left.Width, b.Height)
	if before := b; l.parentColumn.drawn > 0 {
		before.Width = l.parentColumn.drawn - 1
		r.beforeText = l.parentColumn.view(before)
		r.beginLine()
	}
	r.sideTexts[0] = l.drawSidePanel(row, right)
	if boxes == 2 {
		l.sidebar.visible = true
		r.sideTexts[1] = l.sidebar.View(row, sidebar)
	}
	return l.drawLines(left)
}

// drawSidePanel draws the detail of the row under the cursor in a box beside the list.
func (l *List[T]) drawSidePanel(row T, b ui.Box) string {
	inner := b.InPanel()
	if l.parent.selected {
		return l.detail.panel.View(b, theme.Title(parentName), nil, l.parent.Detail(inner))
	}
	title := l.detailTitle(row, inner)
	text := strings.TrimRight(l.detailText(row, inner, title), "\n")
	return l.detail.panel.View(b, theme.Title(title), linesInSight(0, strings.Count(text, "\n")+1, inner), text)
}

// drawTable draws the table alone.
func (l *List[T]) drawTable(b ui.Box) string {
	l.renderer.reset(b.Width, b.Height)
	return l.drawLines(b)
}

// drawLines draws the header, the rows in sight and the footer.
func (l *List[T]) drawLines(b ui.Box) string {
	r := &l.renderer
	foot := l.drawFooter(b)
	l.layout(b, len(foot))
	if b.Width <= 0 || b.Height <= 0 {
		return ""
	}
	l.measure()
	if r.linesLeft > len(foot) {
		r.layout(l.frame.scrolledColumns, b.Width)
		r.writeHeader(l.rowIndex.column, l.rowIndex.reverse, b)
		if l.parent.Open != nil && r.linesLeft > len(foot) {
			r.writeRow(l.parent.tableRow(r.heads), b)
		}
		l.drawRows(b)
	}
	for r.linesLeft > len(foot) {
		r.endLine(0)
	}
	for _, line := range foot {
		r.writeLine(line)
	}
	return string(r.out)
}

// layout decides which rows are in sight: the cursor's among them.
func (l *List[T]) layout(b ui.Box, footHeight int) {
	f := &l.frame
	f.height = max(0, b.Height-1-footHeight-l.parent.height())
	switch at := l.cursor.position; {
	case at < f.top:
		f.top = at
	case at >= f.top+f.height:
		f.top = at - f.height + 1
	}
	f.top = max(0, min(f.top, l.shown()-f.height))
	f.visible = f.visible[:0]
	if b.Width <= 0 {
		return
	}
	for i := f.top; i < min(l.shown(), f.top+f.height); i++ {
		f.visible = append(f.visible, l.rowAt(i))
	}
}

// drawRows draws the rows in sight, or says why there are none.
func (l *List[T]) drawRows(b ui.Box) {
	if l.shown() == 0 {
		b.Height = l.frame.height
		for _, line := range l.drawEmpty(b) {
			l.renderer.writeLine(line)
		}
		return
	}
	var row T
	look := tableRow{
		stale: l.Info().Freshness.Err != nil,
		cell:  func(column int) (string, theme.Tone) { return l.Columns[column].Cell(row, b) },
		shorten: func(column int, text string, width int) string {
			if shorten := l.Columns[column].Shorten; shorten != nil {
				inside := b
				inside.Width = width
				return shorten(row, inside)
			}
			return text
		},
		spans: func(column int) []TonedText {
			if draw := l.Columns[column].Spans; draw != nil {
				return draw(row, b)
			}
			return nil
		},
	}
	working := l.Store.PendingCount() > 0
	stale, absent := look.stale, l.Store.AbsentCount() > 0
	tinted := b.Motion && l.Store.Highlights.Left() > 0
	for i := range l.frame.visible {
		row = l.frame.visible[i]
		position := l.frame.top + i
		look.cursor = position == l.cursor.position && !l.parent.selected
		look.marked = l.marks.has(l.rowIndex.storePosition(position))
		look.note = l.Store.RowNote(row)
		look.stale = stale || absent && l.Store.Absent(l.Store.ID(row))
		look.highlighted = tinted && l.Store.Highlights.Has(row)
		if working {
			look.busy = l.Store.Busy(l.Store.ID(row))
		}
		l.renderer.writeRow(look, b)
	}
}
