package table

import (
	"slices"

	"lookout/theme"
	"lookout/ui"
)

// Column is one property of the rows.
type Column[T any] struct {
	Title            string
	Width            int // in cells; 0 shares what the other columns leave
	Min              int // least width of a column without a Width
	DropPriority     int // where space is short the highest goes first; 0 always stays
	AlignRight       bool
	Cell             func(T, ui.Box) (string, theme.Tone) // clean text; reads nothing but the row if the store is lazy
	Less             func(a, b T) bool                    // nil sorts by the cell's text
	Rank             func(T) Rank                         // sorts instead of Less, unless it is nil
	FilterByNameOnly bool                                 // a filter looks here only if it names the column
	GroupRepeats     bool                                 // sorted by it, rows with the same cell show it once

	hidden bool // left out by the user
}

// TextCell returns the Cell of a column that shows a text of the row in one tone.
func TextCell[T any](tone theme.Tone, text func(T) string) func(T, ui.Box) (string, theme.Tone) {
	return func(row T, _ ui.Box) (string, theme.Tone) { return text(row), tone }
}

// ColumnNames returns the titles of all columns, shown or not.
func (l *List[T]) ColumnNames() []string {
	names := make([]string, len(l.Columns))
	for i, c := range l.Columns {
		names[i] = c.Title
	}
	return names
}

// ChooseColumns shows these columns in this order. The others still serve for filtering and sorting. It returns the
// names that no column has; if none is known, nothing changes.
func (l *List[T]) ChooseColumns(names []string) (unknown []string) {
	order, shown, unknown := arrangeColumns(l.ColumnNames(), names)
	if shown == 0 {
		return unknown
	}
	columns := make([]Column[T], len(order))
	for i, at := range order {
		columns[i] = l.Columns[at]
		columns[i].hidden = i >= shown
	}
	l.Columns, l.renderer.heads = columns, nil
	return unknown
}

// arrangeColumns returns the order of the columns: first those that were chosen by name, which are shown, then all
// others.
func arrangeColumns(titles, names []string) (order []int, shown int, unknown []string) {
	for i, name := range names {
		at := slices.Index(titles, name)
		switch {
		case at < 0:
			unknown = append(unknown, name)
		case !slices.Contains(names[:i], name):
			order = append(order, at)
		}
	}
	shown = len(order)
	for at := range titles {
		if !slices.Contains(order[:shown], at) {
			order = append(order, at)
		}
	}
	return order, shown, unknown
}
