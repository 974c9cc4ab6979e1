package lists

import (
	"cmp"
	"context"
	"time"
)

// RowSource describes where the rows of one resource come from.
type RowSource[T any] struct {
	Name string         // in the user's words: "services"
	ID   func(T) string // identity: "7", "us-east-1/photos", "2024/a.jpg"
	// Note returns what must be known of a row that the store does not know; "" for nothing. It may be nil.
	Note func(T) string
	// Fetch returns the page behind a cursor; "" asks for the first page. It runs off the loop. nil if PrefetchFrom
	// reads all pages.
	Fetch func(ctx context.Context, cursor string) (RowPage[T], error)
	Lazy  bool // reads the next page only when someone scrolls that far
	Local bool // the rows are made on this machine: one that a read lacks is gone
	// PrefetchFrom returns the pages from a cursor on, faster than Fetch, when a store is read to its end, as all but
	// lazy ones are: see Prefetch. rowsBefore is how many rows were read before the cursor. nil fetches one page after
	// another.
	PrefetchFrom func(ctx context.Context, cursor string, rowsBefore int) (next func() (RowPage[T], error))
	Now          func() time.Time       // dates answers; nil is WallTime
	Created      func(T) time.Time      // when a row was made; nil if no identity is ever used twice
	Updated      func(T) time.Time      // when a row was changed last, zero if unknown; nil if the API does not tell
	State        func(T) string         // a row is tinted when a read brings it in another one; nil if rows have none
	NewStorage   func() RowContainer[T] // makes the storage of the rows; nil is a SliceStorage
	ReadToEnd    func(rows int)         // runs on the loop after LoadAll has read the last page; may be nil
}

// RowPage is one page of rows.
type RowPage[T any] struct {
	Rows    []T
	Next    string   // cursor of the next page; empty at the end
	Total   int      // rows on all pages, 0 if unknown
	Notes   []string // what the reader must know: a part that did not answer, a value that made no sense
	Missing []string // those of the notes that say why rows may be missing
	Rereads bool     // the source has read some rows again: duplicates are not worth a note
}

// RowStore holds the rows of one resource as last read from the API. It belongs to the loop and has no lock. T is a
// pointer to a row, or a small value: the program contains the code of stores and lists once for all pointers and once
// more for every other T. Readers on other goroutines share what a pointer points to, so it never changes.
type RowStore[T any] struct {
	Executor
	source     RowSource[T]
	ctx        context.Context
	rows       RowContainer[T]
	busy       map[string]string    // by row ID: the progress text of the change under way
	absent     map[string]time.Time // by row ID: rows that the last read lacked, and since when reads have lacked them
	changes    changes[T]
	reading    reading[T]
	answers    answers
	version    versions
	Highlights RowHighlights[T]
	CreatedRow CreatedRow // the row that the user has made last
}

// CreatedRow is the row that the user has created last, so that a list can move its cursor there.
type CreatedRow struct {
	ID    string
	Count int // rows made so far
}

// Set says which row was made.
func (r *CreatedRow) Set(id string) { *r = CreatedRow{id, r.Count + 1} }

// answers is what a store knows from the reads that have ended.
type answers struct {
	loaded       bool // the first page has arrived once
	complete     bool // the last page has arrived
	total        int  // as the API reported it
	notes        []string
	missing      []string  // why rows may be missing although the last page has arrived
	loadedAt     time.Time // of the last good answer
	err          error     // of the last read, nil if it succeeded
	failedAt     time.Time
	failingSince time.Time // of the first failure after a good answer
}

// versions shows when a value computed from the rows is out of date.
type versions struct {
	rows   int // grows with every change
	epoch  int // grows with every change that is not an addition
	layout int // grows when rows change position: not when they are added or replaced in place
}

// NewRowStore returns an empty store. Everything that it asks the API ends with ctx. It belongs to the loop of the
// executor.
func NewRowStore[T any](ctx context.Context, e Executor, source RowSource[T]) *RowStore[T] {
	if source.Now == nil {
		source.Now = WallTime
	}
	if source.NewStorage == nil {
		source.NewStorage = func() RowContainer[T] { return NewSliceStorage(source.ID) }
	}
	s := &RowStore[T]{
		Executor: e,
		source:   source,
		ctx:      ctx,
		rows:     source.NewStorage(),
		busy:     map[string]string{},
		changes:  changes[T]{confirmed: map[string]confirmation[T]{}},
	}
	s.Highlights.source = &s.source
	return s
}

// Name returns what the rows are called: "services".
func (s *RowStore[T]) Name() string { return s.source.Name }

// Lazy reports whether pages are fetched only when someone scrolls that far.
func (s *RowStore[T]) Lazy() bool { return s.source.Lazy }

// Now returns the time of the clock that dates answers.
func (s *RowStore[T]) Now() time.Time { return s.source.Now() }

// ID returns the identity of a row.
func (s *RowStore[T]) ID(row T) string { return s.source.ID(row) }

// CompareUpdated compares when two rows were changed last, as far as the API tells: -1 if a was changed earlier.
func (s *RowStore[T]) CompareUpdated(a, b T) int {
	if s.source.Updated == nil {
		return 0
	}
	return s.source.Updated(a).Compare(s.source.Updated(b))
}

// Len returns the number of rows held.
func (s *RowStore[T]) Len() int { return s.rows.Len() }

// At returns the row at position i, 0 ≤ i < Len.
func (s *RowStore[T]) At(i int) T { return s.rows.At(i) }

// Index returns the position of the row with an identity.
func (s *RowStore[T]) Index(id string) (int, bool) { return s.rows.Index(id) }

// Get returns the row with an identity, or the zero T.
func (s *RowStore[T]) Get(id string) (T, bool) {
	if i, ok := s.rows.Index(id); ok {
		return s.rows.At(i), true
	}
	var none T
	return none, false
}

// Rows returns a copy of all rows in order: for joins over small resources, not for drawing.
func (s *RowStore[T]) Rows() []T {
	rows := make([]T, s.rows.Len())
	for i := range rows {
		rows[i] = s.rows.At(i)
	}
	return rows
}

// Snapshot returns the rows as they are now. at may be called off the loop, whatever happens to the store, and returns
// row 0 ≤ i < n. Rows are copied if their storage cannot take a snapshot itself.
func (s *RowStore[T]) Snapshot() (n int, at func(i int) T) {
	if frozen, ok := s.rows.(interface{ Snapshot() func(i int) T }); ok {
		return s.rows.Len(), frozen.Snapshot()
	}
	rows := s.Rows()
	return len(rows), func(i int) T { return rows[i] }
}

// Searcher returns the storage's own way to filter and sort the rows as they are now, or nil.
func (s *RowStore[T]) Searcher() RowSearcher {
	if quick, ok := s.rows.(interface{ Searcher() RowSearcher }); ok {
		return quick.Searcher()
	}
	return nil
}

// Loaded reports whether rows have ever arrived: until then a missing row means nothing.
func (s *RowStore[T]) Loaded() bool { return s.answers.loaded }

// Complete reports whether the last page has arrived.
func (s *RowStore[T]) Complete() bool { return s.answers.complete }

// Total returns the number of rows that the API reported, or the number held if that is greater.
func (s *RowStore[T]) Total() int { return max(s.answers.total, s.rows.Len()) }

// Notes returns what must be known beside the rows: changes without a row whose answer was lost, and what the last
// answers said.
func (s *RowStore[T]) Notes() []string {
	notes := s.answers.notes
	for _, c := range s.changes.lookups {
		if c.RowID == "" && c.Waiting() {
			notes = append([]string{c.Text(s.Now())}, notes...)
		}
	}
	return notes
}

// RowNote returns what must be known of a row: a change whose answer was lost, a list that is behind a change or shows
// an older version, or that the last reads lacked it; "" for nothing.
func (s *RowStore[T]) RowNote(row T) string {
	if len(s.changes.lookups) == 0 && len(s.changes.confirmed) == 0 && len(s.absent) == 0 {
		return s.sourceNote(row)
	}
	id := s.source.ID(row)
	return cmp.Or(s.changes.note(id, s.Now()), s.absenceNote(id), s.sourceNote(row))
}

// sourceNote returns what the source knows of a row that was read.
func (s *RowStore[T]) sourceNote(row T) string {
	if s.source.Note == nil {
		return ""
	}
	return s.source.Note(row)
}

// Missing returns why rows may be missing although the last page has arrived: a part that did not answer.
func (s *RowStore[T]) Missing() []string { return s.answers.missing }

// Version grows with every change of the rows.
func (s *RowStore[T]) Version() int { return s.version.rows }

// Epoch grows whenever rows are replaced or removed: as long as it stays, rows have only been added.
func (s *RowStore[T]) Epoch() int { return s.version.epoch }

// LayoutVersion grows whenever rows change position: as long as it stays, positions remain valid.
func (s *RowStore[T]) LayoutVersion() int { return s.version.layout }

// Busy returns the progress text of the change under way on a row ("disabling"), or "".
func (s *RowStore[T]) Busy(id string) string { return s.busy[id] }

// PendingCount returns the number of changes that wait for their answer.
func (s *RowStore[T]) PendingCount() int { return len(s.busy) }

// Freshness returns how old the rows are and whether the last read succeeded.
func (s *RowStore[T]) Freshness() Freshness {
	return Freshness{
		Loading:      s.reading.cancel != nil,
		Loaded:       s.answers.loaded,
		LoadedAt:     s.answers.loadedAt,
		Err:          s.answers.err,
		FailedAt:     s.answers.failedAt,
		FailingSince: s.answers.failingSince,
	}
}

// Replace exchanges the storage for one that holds the same rows in the same positions, and perhaps more: for a source
// that tracks its changes itself. A read under way starts again, because its answer may be older.
func (s *RowStore[T]) Replace(rows RowContainer[T]) {
	s.rows = rows
	s.answers.loaded, s.answers.complete = true, true
	s.answers.err, s.answers.loadedAt = nil, s.source.Now()
	s.answers.missing = nil
	s.answers.total = rows.Len()
	s.version.rowsChanged()
	if s.reading.cancel != nil {
		s.Refresh()
	}
}

// rowsChanged counts a change that is not an addition.
func (v *versions) rowsChanged() {
	v.rows++
	v.epoch++
}
