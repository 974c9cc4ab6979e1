package storage

import (
	"context"

	"lookout/client"
	"lookout/client/lists"
	"lookout/client/objectindex"
)

// objectIndex is an alias because the name of the embedded field must not be Index, which is a method.
type objectIndex = objectindex.Index

// objectRowStorage holds the rows of a listing in about 60 bytes each. It filters and sorts faster than the table.
type objectRowStorage struct {
	*objectIndex
	listing *objectListing
}

// newStorage returns an empty storage for the listing.
func (l *objectListing) newStorage() lists.RowContainer[*client.Object] {
	return objectRowStorage{objectindex.New(), l}
}

// At returns the object at a position.
func (s objectRowStorage) At(i int) *client.Object { return rowOf(s.objectIndex.At(i)) }

// Snapshot returns the objects as they are now.
func (s objectRowStorage) Snapshot() func(i int) *client.Object {
	rows := s.objectIndex.Snapshot()
	return func(i int) *client.Object { return rowOf(rows.At(i)) }
}

// rowOf returns an object as a row of a list.
func rowOf(o client.Object) *client.Object { return &o }

// Searcher returns a searcher over the objects as they are now.
func (s objectRowStorage) Searcher() lists.RowSearcher {
	l := s.listing
	return objectSearcher{
		s.objectIndex.Snapshot(),
		l.path.hiddenPrefix(),
		l.ColumnNames(),
		l.sizes.shown(l.path.prefix),
	}
}

// objectSearcher filters objects by their names and sorts them by every column.
type objectSearcher struct {
	objects      *objectindex.Snapshot
	hiddenPrefix string    // the part of all names that is not shown
	columns      []string  // their names
	sizes        *sizeRead // of the folders; nil if they are not known
}

// Filter searches the names. It declines sizes and dates, which the table filters row by row.
func (q objectSearcher) Filter(ctx context.Context, column int, word string, within []int32) ([]int32, bool) {
	if column >= 0 && q.columns[column] != "name" {
		return nil, false
	}
	places, err := q.objects.Filter(ctx, word, q.hiddenPrefix, within)
	return places, err == nil
}

// Sort sorts by a column, with folders first.
func (q objectSearcher) Sort(ctx context.Context, column int, reverse bool, within []int32) ([]int32, bool) {
	if column < 0 {
		return nil, false
	}
	by, key := objectindex.ByName, (func(string) uint64)(nil)
	switch q.columns[column] {
	case "size", "share":
		by = objectindex.BySize
		key = q.folderKey(func(sum objectindex.ObjectTotal) int64 { return sum.Bytes })
	case "objects":
		by = objectindex.ByFolder
		key = q.folderKey(func(sum objectindex.ObjectTotal) int64 { return sum.Objects })
	case "last_modified":
		by = objectindex.ByModified
	}
	places, err := q.objects.Sort(ctx, by, reverse, within, key)
	return places, err == nil
}

// folderKey returns what folders are sorted by: a number of their sums, if they are known.
func (q objectSearcher) folderKey(number func(objectindex.ObjectTotal) int64) func(name string) uint64 {
	if q.sizes == nil {
		return nil
	}
	return func(name string) uint64 {
		sum, known := q.sizes.sums.Sum(name)
		if !known {
			return 0
		}
		return 1 + uint64(number(sum))
	}
}
