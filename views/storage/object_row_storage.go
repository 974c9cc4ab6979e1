package storage

import (
	"context"

	"lookout/client"
	"lookout/client/objectindex"
	"lookout/ui"
)

// The columns of a listing, by their places.
const (
	nameColumn = iota
	sizeColumn
	modifiedColumn
)

// objectIndex is an alias because the name of the embedded field must not be Index, which is a method.
type objectIndex = objectindex.Index

// A objectRowStorage is the store of a listing: about 100 bytes an object, filtered and sorted in its own quick ways.
type objectRowStorage struct {
	*objectIndex
	hiddenPrefix string // what names begin with that is not shown
}

func (l *objectListing) newStorage() ui.RowStorage[client.Object] {
	return objectRowStorage{objectindex.New(), l.path.hiddenPrefix()}
}

// Snapshot is the objects as they are now.
func (s objectRowStorage) Snapshot() func(i int) client.Object { return s.objectIndex.Snapshot().At }

// Searcher is the objects as they are now, to be filtered and sorted.
func (s objectRowStorage) Searcher() ui.Searcher {
	return objectSearcher{s.objectIndex.Snapshot(), s.hiddenPrefix}
}

// objectSearcher filters objects by their names and sorts them by every column.
type objectSearcher struct {
	objects      *objectindex.Snapshot
	hiddenPrefix string
}

// Filter looks into names alone, as the server has them: sizes and dates are done row by row, where somebody names
// their columns.
func (q objectSearcher) Filter(ctx context.Context, column int, word string, within []int32) ([]int32, bool) {
	if column != nameColumn && column >= 0 {
		return nil, false
	}
	places, err := q.objects.Filter(ctx, word, q.hiddenPrefix, within)
	return places, err == nil
}

// Sort puts folders first, by name.
func (q objectSearcher) Sort(ctx context.Context, column int, reverse bool, within []int32) ([]int32, bool) {
	by, known := map[int]objectindex.Order{nameColumn: objectindex.ByName, sizeColumn: objectindex.BySize, modifiedColumn: objectindex.ByModified}[column]
	if !known {
		return nil, false
	}
	places, err := q.objects.Sort(ctx, by, reverse, within)
	return places, err == nil
}
