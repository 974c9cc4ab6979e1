package table

import "lookout/ui"

// parentColumn is what stands before a list on a wide screen: what the list is part of.
type parentColumn struct {
	width func(width int) int // of a width; 0 if there is no room; nil for lists without one
	view  func(ui.Box) string // fills the box
	drawn int                 // its width in the last frame, with the space after it
}

// leastBesideParent is the width that the list takes beside a parent column at least, if its cells need it.
const leastBesideParent = 54

// WithParentColumn shows what a list is part of before it. width returns how wide it is in a pane of a width: 0 if it
// is not shown.
func (l *List[T]) WithParentColumn(width func(pane int) int, view func(ui.Box) string) {
	l.parentColumn = parentColumn{width: width, view: view}
}

// measure sets the width that the column takes in a pane, and returns the least width of the list beside it.
func (p *parentColumn) measure(pane int) (least int) {
	p.drawn = 0
	if p.width == nil {
		return listMinWidth
	}
	if width := p.width(pane); width > 0 {
		p.drawn = width + 1
		return leastBesideParent
	}
	return listMinWidth
}

// RowsAround returns at most n of the rows that a list shows, those around its cursor, and which of them the cursor is
// on; -1 if it is on none.
func (l *List[T]) RowsAround(n int) (rows []T, cursor int) {
	from := max(0, min(l.cursor.position-n/2, l.shown()-n))
	for i := from; i < min(l.shown(), from+n); i++ {
		rows = append(rows, l.rowAt(i))
	}
	if cursor = l.cursor.position - from; cursor >= len(rows) {
		cursor = -1
	}
	return rows, cursor
}
