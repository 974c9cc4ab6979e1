package table

import "slices"

// ColumnNames are the titles of all columns, shown or not.
func (l *List[T]) ColumnNames() []string {
	names := make([]string, len(l.Columns))
	for i, c := range l.Columns {
		names[i] = c.Title
	}
	return names
}

// ChooseColumns shows these columns in this order. Those that are left out still serve for filters and sorting. Names
// that no column has are given back; without any that is known everything stays as it is.
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

// arrangeColumns is the order in which columns stand when some are chosen by name: those, so many are shown, then all
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
