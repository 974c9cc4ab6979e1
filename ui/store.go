package ui

import (
	"context"
	"runtime/debug"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A Source says where the rows of one kind come from.
type Source[T any] struct {
	Name string // in the user's words: "services"
	// identity: "7", "us-east-1/photos", "2024/a.jpg"
	ID    func(T) string
	Fetch func(ctx context.Context, cursor string) (RowPage[T], error) // "" asks for the first page
	Lazy  bool                                                         // next page only when someone reads that far
	// Rest gives pages from a cursor on, faster than Fetch, for a lazy set that is read to its end: see Ahead. nil asks
	// for one after another.
	PrefetchFrom func(ctx context.Context, cursor string) (next func() (RowPage[T], error))
	Now          func() time.Time     // the clock that dates answers; nil is Wall
	NewStorage   func() RowStorage[T] // where rows are held; nil is a slice
}

// A RowPage is one answer's worth of rows.
type RowPage[T any] struct {
	Rows  []T
	Next  string   // cursor of the next page; empty at the end
	Total int      // rows on all pages, 0 where it is not told
	Notes []string // what the reader must know: a part that did not answer, a cell that made no sense
}

// A AsyncResult is an answer on its way to whoever asked. Deliver runs on the loop.
type AsyncResult interface{ Deliver() tea.Cmd }

// A Store is the rows of one kind as the API said them last. It lives on the loop: no lock exists. T is a pointer to a
// row, or a row that is small or made when it is looked at: the program holds the code of sets and lists once for all
// pointers, and once more for every other T. What a pointer points to belongs to everybody who reads the set, also off
// the loop, and is never changed.
type Store[T any] struct {
	Source         Source[T]
	ctx            context.Context
	Storage        RowStorage[T]
	incoming       RowStorage[T] // what a refresh has read so far; rows stay in sight until it is whole
	busy           map[string]string
	notes          []string
	pendingNotes   []string // notes of the reading under way
	Generation     int
	epoch          int // grows with every change of rows that is no addition
	RowVersion     int // grows with every change of rows, for whoever keeps something made from them
	LayoutVersion  int // grows when rows change their places: not when they are added or replaced in place
	CancelFetch    context.CancelFunc
	nextPrefetched func() (RowPage[T], error) // the next pages of a reading to the end; nil elsewhere
	cancelPrefetch context.CancelFunc         // ends that reading
	loaded         bool                       // the first page has arrived once
	complete       bool                       // the last page has arrived
	nextCursor     string
	seenCursors    map[string]bool // cursors of this reading, to tell when it turns in circles
	loadingAll     bool            // read on to the end
	refreshMinRows int             // rows that a refresh of a lazy set must have read before they replace the old ones
	total          int
	loadedAt       time.Time // of the last good answer
	err            error     // of the last question, nil when it went well
	failedAt       time.Time
	failingSince   time.Time // of the first failure after a good answer
}

// NewStore is a set that asks under ctx.
func NewStore[T any](ctx context.Context, src Source[T]) *Store[T] {
	if src.Now == nil {
		src.Now = WallTime
	}
	if src.NewStorage == nil {
		src.NewStorage = func() RowStorage[T] { return NewSliceStorage(src.ID) }
	}
	return &Store[T]{
		Source:  src,
		ctx:     ctx,
		Storage: src.NewStorage(),
		busy:    map[string]string{},
	}
}

// Name is what the rows are called.
func (s *Store[T]) Name() string { return s.Source.Name }

// ID is the identity of a row.
func (s *Store[T]) ID(row T) string { return s.Source.ID(row) }

// Len is how many rows are held.
func (s *Store[T]) Len() int { return s.Storage.Len() }

// At is the row at a place, 0 ≤ i < Len.
func (s *Store[T]) At(i int) T { return s.Storage.At(i) }

// Get finds a row by identity. Where there is none the row is the zero T, nil of a pointer.
func (s *Store[T]) Get(id string) (T, bool) {
	if i, ok := s.Storage.Index(id); ok {
		return s.Storage.At(i), true
	}
	var none T
	return none, false
}

// Index is the place of a row.
func (s *Store[T]) Index(id string) (int, bool) { return s.Storage.Index(id) }

// Loaded reports whether rows have ever arrived: until then an absent row means nothing.
func (s *Store[T]) Loaded() bool { return s.loaded }

// Complete reports whether the last page is here.
func (s *Store[T]) Complete() bool { return s.complete }

// Total is how many rows the API says there are, at least those held.
func (s *Store[T]) Total() int { return max(s.total, s.Storage.Len()) }

// Version changes whenever the rows do.
func (s *Store[T]) Version() int { return s.RowVersion }

// Epoch changes whenever rows were replaced or taken out: as long as it stays, rows have only been added.
func (s *Store[T]) Epoch() int { return s.epoch }

// Notes are what the last answers said beside the rows.
func (s *Store[T]) Notes() []string { return s.notes }

// Busy is the verb under way on a row ("disabling"), or "".
func (s *Store[T]) Busy(id string) string { return s.busy[id] }

// PendingCount is how many changes of rows wait for their answer.
func (s *Store[T]) PendingCount() int { return len(s.busy) }

// hasPending reports whether any row is busy.
func (s *Store[T]) HasPending() bool { return len(s.busy) > 0 }

// Lazy reports whether pages are fetched only as they are read.
func (s *Store[T]) Lazy() bool { return s.Source.Lazy }

// Rows are all rows held, in order. It copies: for joins over small kinds, not for drawing.
func (s *Store[T]) Rows() []T {
	rows := make([]T, s.Storage.Len())
	for i := range rows {
		rows[i] = s.Storage.At(i)
	}
	return rows
}

// Snapshot is the rows as they are now, to be read off the loop whatever becomes of the set: at gives row 0 ≤ i < n.
// A store that has none is copied.
func (s *Store[T]) Snapshot() (n int, at func(i int) T) {
	if frozen, ok := s.Storage.(interface{ Snapshot() func(i int) T }); ok {
		return s.Storage.Len(), frozen.Snapshot()
	}
	rows := s.Rows()
	return len(rows), func(i int) T { return rows[i] }
}

// searcher is the quick way to filter and sort the rows as they are now; nil where the store has none.
func (s *Store[T]) Searcher() Searcher {
	if quick, ok := s.Storage.(interface{ Searcher() Searcher }); ok {
		return quick.Searcher()
	}
	return nil
}

// Freshness says how old the rows are and whether the last question went well.
func (s *Store[T]) Freshness() Freshness {
	return Freshness{
		Loading:      s.CancelFetch != nil,
		Loaded:       s.loaded,
		LoadedAt:     s.loadedAt,
		Err:          s.err,
		FailedAt:     s.failedAt,
		FailingSince: s.failingSince,
	}
}

// EnsureLoaded asks only when nobody has asked yet: for sets that others join with.
func (s *Store[T]) EnsureLoaded() tea.Cmd {
	if s.loaded || s.CancelFetch != nil || s.err != nil {
		return nil
	}
	return s.Refresh()
}

// Refresh cancels the older question and asks anew. Old rows stay in sight meanwhile.
func (s *Store[T]) Refresh() tea.Cmd {
	s.Cancel()
	s.Generation++
	s.incoming, s.refreshMinRows = s.Source.NewStorage(), 0
	if s.Source.Lazy {
		s.refreshMinRows = s.Storage.Len()
	}
	return s.fetch("")
}

// Poll asks anew because it is time: a question that is still out is waited for, or an API that takes longer than the
// time between two polls would never have been heard.
func (s *Store[T]) Poll() tea.Cmd {
	if s.CancelFetch != nil {
		return nil
	}
	return s.Refresh()
}

// LoadAll reads a lazy set on to its end, page after page, until Halt.
func (s *Store[T]) LoadAll() tea.Cmd {
	s.loadingAll = true
	return s.LoadMore()
}

// Stop stops a Rush. What has been read stays.
func (s *Store[T]) Stop() {
	if s.loadingAll {
		s.loadingAll = false
		s.Cancel()
	}
}

// LoadingAll reports whether a lazy set is being read to its end.
func (s *Store[T]) LoadingAll() bool { return s.loadingAll && !s.complete && s.err == nil }

// LoadMore asks for the next page of a lazy set, once.
func (s *Store[T]) LoadMore() tea.Cmd {
	if !s.Source.Lazy || !s.loaded || s.complete || s.CancelFetch != nil || s.nextCursor == "" {
		return nil
	}
	return s.fetch(s.nextCursor)
}

// Cancel ends the question that is out; its answer will not count.
func (s *Store[T]) Cancel() {
	if s.CancelFetch != nil {
		s.CancelFetch()
		s.CancelFetch = nil
		s.Generation++
	}
	s.stopPrefetch()
}

// stopPrefetch ends the reading to the end.
func (s *Store[T]) stopPrefetch() {
	if s.nextPrefetched != nil {
		s.cancelPrefetch()
		s.nextPrefetched, s.cancelPrefetch = nil, nil
	}
}

func (s *Store[T]) fetch(cursor string) tea.Cmd {
	ctx, cancel := context.WithCancel(s.ctx)
	s.CancelFetch = cancel
	gen, fetch := s.Generation, s.Source.Fetch
	if s.loadingAll && s.Source.PrefetchFrom != nil {
		if s.nextPrefetched == nil {
			ctx, s.cancelPrefetch = context.WithCancel(s.ctx)
			s.nextPrefetched = s.Source.PrefetchFrom(ctx, cursor)
		}
		rest := s.nextPrefetched
		fetch = func(context.Context, string) (RowPage[T], error) { return rest() }
	}
	return func() tea.Msg {
		page, err := fetch(ctx, cursor)
		return &PageResult[T]{
			Store:      s,
			Generation: gen,
			Cursor:     cursor,
			Page:       page,
			err:        err,
		}
	}
}

// ReloadRow reads one row again and puts it in its place. after, which may be nil, runs on the loop with the error of
// the reading.
func (s *Store[T]) ReloadRow(id string, view func(context.Context) (T, error), after func(error) tea.Cmd) tea.Cmd {
	ctx, gen := s.ctx, s.Generation
	return func() tea.Msg {
		row, err := view(ctx)
		return &rowResult[T]{
			store: s,
			gen:   gen,
			id:    id,
			row:   row,
			err:   err,
			after: after,
		}
	}
}

// rowResult is one row, read again.
type rowResult[T any] struct {
	store *Store[T]
	gen   int
	id    string
	row   T
	err   error
	after func(error) tea.Cmd
}

// Deliver puts the row in its place, unless all rows have been asked for since, the row is being changed, or it is
// gone.
func (m *rowResult[T]) Deliver() tea.Cmd {
	s := m.store
	if _, held := s.Storage.Index(m.id); m.err == nil && held && m.gen == s.Generation && s.busy[m.id] == "" {
		s.Storage.Put(m.id, m.row)
		s.RowVersion++
		s.epoch++
	}
	if m.after == nil {
		return nil
	}
	return m.after(m.err)
}

// pageResult is a page, or why there is none.
type PageResult[T any] struct {
	Store      *Store[T]
	Generation int
	Cursor     string
	Page       RowPage[T]
	err        error
}

// Deliver hands the page to its set, unless a newer question has been asked since.
func (a *PageResult[T]) Deliver() tea.Cmd {
	if a.Generation != a.Store.Generation {
		return nil
	}
	return a.Store.handlePage(a)
}

func (s *Store[T]) handlePage(a *PageResult[T]) tea.Cmd {
	s.CancelFetch()
	s.CancelFetch = nil
	if a.err != nil {
		s.stopPrefetch()
		s.failedAt = s.Source.Now()
		if s.err == nil {
			s.failingSince = s.failedAt
		}
		s.err = a.err
		return nil
	}
	first := a.Cursor == ""
	if first {
		s.pendingNotes, s.seenCursors = nil, map[string]bool{}
	}
	s.pendingNotes = append(s.pendingNotes, a.Page.Notes...)
	s.seenCursors[a.Cursor] = true
	if a.Page.Next != "" && s.seenCursors[a.Page.Next] {
		s.pendingNotes = append(s.pendingNotes, "incomplete: marker repeated")
		a.Page.Next = ""
	}
	s.err, s.loadedAt, s.total = nil, s.Source.Now(), a.Page.Total
	s.nextCursor = strings.Clone(a.Page.Next) // it may be a part of the whole answer, which would stay in memory
	s.addRows(a.Page.Rows)
	if s.nextCursor != "" && (!s.Source.Lazy || s.loadingAll || s.incoming != nil) {
		return s.fetch(s.nextCursor)
	}
	rushed := s.loadingAll
	s.loadingAll = s.loadingAll && s.nextCursor != ""
	s.stopPrefetch()
	if rushed && s.Storage.Len() > MaxForegroundSort {
		return releaseMemory
	}
	return nil
}

// releaseMemory gives memory back, off the loop: a long reading leaves as much behind as it brings. From then on memory
// is collected when it has grown by a fifth: what is held in such numbers is cheap to look through.
func releaseMemory() tea.Msg {
	debug.SetGCPercent(20)
	debug.FreeOSMemory()
	return nil
}

// addRows keeps a page. A refresh replaces the rows in one step once it is whole; the very first reading shows page
// after page. A lazy set's refresh reads as far as had been read before.
func (s *Store[T]) addRows(rows []T) {
	if s.incoming == nil {
		s.incoming = s.Storage
	}
	dropped := s.incoming.Append(rows)
	if dropped > 0 {
		s.pendingNotes = append(s.pendingNotes, Plural(dropped, "duplicate", "duplicates")+" dropped")
	}
	whole := s.nextCursor == ""
	enough := whole || s.Source.Lazy && s.incoming.Len() >= s.refreshMinRows
	if enough || !s.loaded || s.incoming == s.Storage {
		if s.incoming != s.Storage {
			s.epoch++
			s.LayoutVersion++
		}
		s.Storage, s.notes, s.complete = s.incoming, s.pendingNotes, whole
		s.RowVersion++
	}
	if enough {
		s.incoming, s.loaded = nil, true
	}
}

// Replace puts rows in the place of those that are held, of which none has gone or moved: for a set whose source tells
// by itself what has changed. A question that is out is asked anew, for its answer may be older.
func (s *Store[T]) Replace(rows RowStorage[T]) tea.Cmd {
	out := s.CancelFetch != nil
	s.Storage, s.loaded, s.complete, s.err, s.loadedAt = rows, true, true, nil, s.Source.Now()
	s.total = rows.Len()
	s.RowVersion++
	s.epoch++
	if out {
		return s.Refresh()
	}
	return nil
}

// maxForegroundSort is how many rows are ordered on the loop at most: more would be felt between a key and its frame.
const MaxForegroundSort = 20_000
