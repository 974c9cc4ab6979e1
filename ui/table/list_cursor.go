package table

import (
	"context"
	"slices"

	"lookout/ui/filter"
)

// shown returns the number of rows that the filter lets through.
func (l *List[T]) shown() int { return l.rowIndex.count(l.Store) }

// columnTitled returns the column with a title; -1 if there is none.
func (l *List[T]) columnTitled(title string) int {
	return slices.Index(l.titles(), title)
}

// cursorRow returns the row under the cursor.
func (l *List[T]) cursorRow() (T, bool) {
	if l.shown() == 0 || l.parent.selected {
		var none T
		return none, false
	}
	return l.rowAt(l.cursor.position), true
}

// rowAt returns the row at a position among those shown.
func (l *List[T]) rowAt(position int) T { return l.Store.At(l.rowIndex.storePosition(position)) }

// restoreCursor finds the cursor's row again after the rows or their order have changed. If the row is gone or has
// another rank by now, the cursor stays where it was. The cursor goes to the row that the user has just made, once that
// is shown, unless the user has moved the cursor meanwhile. The detail of a list without rows is closed.
func (l *List[T]) restoreCursor() {
	l.rowIndex.update(l)
	n := l.shown()
	if made := l.Store.CreatedRow; made.Count != l.cursor.made && l.rowIndex.position(l.Store, made.ID) >= 0 {
		l.cursor.id, l.cursor.made = made.ID, made.Count
	}
	position := l.rowIndex.position(l.Store, l.cursor.id)
	if position >= 0 && !l.detail.open &&
		l.cursor.rank.changedRank(rowRank{l.cursor.id, l.rowIndex.rank(position)}) {
		position = -1
	}
	if position >= 0 {
		l.cursor.position = position
	}
	l.cursor.position = max(0, min(l.cursor.position, n-1))
	if position < 0 && n > 0 && l.Store.Loaded() {
		l.cursor.id = l.Store.ID(l.rowAt(l.cursor.position))
	}
	l.cursor.rank = rowRank{l.cursor.id, l.rowIndex.rank(l.cursor.position)}
	l.marks.relocate(l.Store)
	l.detail.open = l.detail.open && n > 0 && l.Detail != nil
}

// moveCursor moves the cursor by a number of rows, from the first one to the parent row.
func (l *List[T]) moveCursor(by int) {
	position := l.parent.moveFrom(l.cursor.position) + by
	if position < 0 && l.parent.Open != nil {
		l.parent.selected = true
		return
	}
	l.moveCursorTo(position)
}

// moveCursorTo moves the cursor to a position, or to the nearest that there is.
func (l *List[T]) moveCursorTo(position int) {
	n := l.shown()
	if n == 0 {
		return
	}
	l.parent.selected = false
	l.cursor.position = max(0, min(position, n-1))
	l.cursor.id = l.Store.ID(l.rowAt(l.cursor.position))
	l.cursor.made = l.Store.CreatedRow.Count
	l.detail.scroll = 0
}

// lookup returns the store as a rowIndex sees it.
func (l *List[T]) lookup() rowLookup { return l.Store }

// initialSortColumn returns the column that the list is first sorted by; -1 if there is none.
func (l *List[T]) initialSortColumn() int { return l.columnTitled(l.SortBy) }

// wantedKey returns what the order of the rows depends on now.
func (l *List[T]) wantedKey() rowIndexKey {
	return rowIndexKey{
		version:       l.Store.Version() + l.JoinedStores.Version(),
		layoutVersion: l.Store.LayoutVersion(),
		filter:        l.filter.text,
		typing:        l.filter.typing && l.filter.text != "",
		column:        l.rowIndex.column,
		reverse:       l.rowIndex.reverse,
		valid:         true,
	}
}

// newSortJob returns the job that makes the wanted order. It can run off the loop.
func (l *List[T]) newSortJob(ctx context.Context) *sortJob {
	n, at := l.Store.Snapshot()
	job := &sortJob{
		ctx:      ctx,
		key:      l.wantedKey(),
		rowCount: n,
		now:      l.cellBox().Now,
		cells:    make([]filter.FilterableColumn, len(l.Columns)),
		columns:  make([]columnAccessor, len(l.Columns)),
		quick:    l.Store.Searcher(),
	}
	box := l.cellBox()
	for i, c := range l.Columns {
		job.cells[i] = filter.FilterableColumn{
			Name:       c.Name,
			Title:      c.Title,
			ByNameOnly: c.FilterByNameOnly,
			Choices:    c.Choices,
			Text: func(row int32) string {
				text, _ := c.Cell(at(int(row)), box)
				return text
			},
		}
		if c.Value != nil {
			job.cells[i].Value = func(row int32) string { return c.Value(at(int(row))) }
		}
		if c.Rank != nil {
			job.columns[i].rank = func(row int32) SortRank { return c.Rank(at(int(row))) }
		}
		if c.Less != nil {
			job.columns[i].less = func(a, b int32) bool { return c.Less(at(int(a)), at(int(b))) }
		}
	}
	job.candidates = l.rowIndex.reusableRows(job.key)
	return job
}
