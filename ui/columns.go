package ui

import "slices"

// Columned is a pane with columns that the user can choose and put in order.
type Columned interface {
	Name() string
	ColumnNames() []string
	ChooseColumns(names []string) (unknown []string)
}

// ColumnNames are the titles of all columns, shown or not.
func (l *List[T]) ColumnNames() []string {
	names := make([]string, len(l.Columns))
	for i, c := range l.Columns {
		names[i] = c.Title
	}
	return names
}

// ChooseColumns shows these columns in this order. Those that are left out still serve for filters and sorting. Names that no column has
// are given back; without any that is known everything stays as it is.
func (l *List[T]) ChooseColumns(names []string) (unknown []string) {
	var chosen, rest []Column[T]
	for i, name := range names {
		at := slices.IndexFunc(l.Columns, func(c Column[T]) bool { return c.Title == name })
		switch {
		case at < 0:
			unknown = append(unknown, name)
		case !slices.Contains(names[:i], name):
			c := l.Columns[at]
			c.hidden = false
			chosen = append(chosen, c)
		}
	}
	if len(chosen) == 0 {
		return unknown
	}
	for _, c := range l.Columns {
		if !slices.Contains(names, c.Title) {
			c.hidden = true
			rest = append(rest, c)
		}
	}
	l.Columns = append(chosen, rest...)
	l.sheet.heads = nil
	return unknown
}
