package table

import (
	"cmp"
	"slices"

	"lookout/theme"
	"lookout/ui"
)

// Column is one property of the rows.
type Column[T any] struct {
	Title            string
	Name             string // in the configuration and in filters, which take the title too; empty is the title
	Width            int    // in cells; narrower where space is short and no cell needs it; 0 shares what others leave
	Min              int    // least width of a column without a Width, or that has a Shorten
	DropPriority     int    // where space is short the highest goes first; 0 always stays; see spare
	AlignRight       bool
	Cell             func(T, ui.Box) (string, theme.Tone) // clean text; reads nothing but the row if the store is lazy
	Value            func(T) string                       // for filter.FilterableColumn; nil is the text of Cell
	Raw              func(T) string                       // the whole text, as it came: for copies; nil is Cell's
	Less             func(a, b T) bool                    // nil sorts by the cell's text
	Rank             func(T) SortRank                     // sorts instead of Less, unless it is nil
	Choices          []string                             // the values that it is known to have; nil is any
	FilterByNameOnly bool                                 // a filter looks here only if it names the column
	LargestFirst     bool                                 // a sort by it begins with the greatest
	IsLabel          bool                                 // names the row: it stays when the columns scroll sideways
	Spans            func(T, ui.Box) []TonedText          // the text of Cell in several tones; nil takes Cell's
	Shorten          func(T, ui.Box) string               // a text for the box's width, which is less than Cell's

	hidden bool // left out by the user
}

// TonedText is a part of a cell with a tone of its own.
type TonedText struct {
	Text string
	Tone theme.Tone
}

// TextCell returns the Cell of a column that shows a text of the row in one tone.
func TextCell[T any](tone theme.Tone, text func(T) string) func(T, ui.Box) (string, theme.Tone) {
	return func(row T, _ ui.Box) (string, theme.Tone) { return text(row), tone }
}

// ColumnNames returns the names of all columns, shown or not.
func (l *List[T]) ColumnNames() []string {
	names := make([]string, len(l.Columns))
	for i, c := range l.Columns {
		names[i] = cmp.Or(c.Name, c.Title)
	}
	return names
}

// titles returns the titles of all columns, shown or not.
func (l *List[T]) titles() []string {
	titles := make([]string, len(l.Columns))
	for i, c := range l.Columns {
		titles[i] = c.Title
	}
	return titles
}

// ChooseColumns shows the columns with these names or titles, in this order. The others still serve for filtering and
// sorting. It returns the names that no column has; if none is known, nothing changes.
func (l *List[T]) ChooseColumns(names []string) (unknown []string) {
	order, shown, unknown := arrangeColumns(l.ColumnNames(), l.titles(), names)
	if shown == 0 {
		return unknown
	}
	columns := make([]Column[T], len(order))
	for i, at := range order {
		columns[i] = l.Columns[at]
		if columns[i].hidden = i >= shown; !columns[i].hidden {
			columns[i].DropPriority = min(columns[i].DropPriority, spare) // no box takes the place of what was chosen
		}
	}
	l.Columns, l.renderer.heads = columns, nil
	return unknown
}

// arrangeColumns returns the order of the columns: first those that were chosen by name or title, which are shown, then
// all others.
func arrangeColumns(names, titles, chosen []string) (order []int, shown int, unknown []string) {
	for _, name := range chosen {
		at := slices.Index(names, name)
		if at < 0 {
			at = slices.Index(titles, name)
		}
		switch {
		case at < 0:
			unknown = append(unknown, name)
		case !slices.Contains(order, at):
			order = append(order, at)
		}
	}
	shown = len(order)
	for at := range names {
		if !slices.Contains(order[:shown], at) {
			order = append(order, at)
		}
	}
	return order, shown, unknown
}
