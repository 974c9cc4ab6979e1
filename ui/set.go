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
	Name  string                                                    // in the user's words: "services"
	ID    func(T) string                                            // identity: "7", "us-east-1/photos", "2024/a.jpg"
	Fetch func(ctx context.Context, cursor string) (Page[T], error) // "" asks for the first page
	Lazy  bool                                                      // next page only when someone reads that far
	// Rest gives pages from a cursor on, faster than Fetch, for a lazy set that is read to its end: see Ahead. nil asks for one after another.
	Rest  func(ctx context.Context, cursor string) (next func() (Page[T], error))
	Now   func() time.Time // the clock that dates answers; nil is Wall
	Store func() Store[T]  // where rows are held; nil is a slice
}

// A Page is one answer's worth of rows.
type Page[T any] struct {
	Rows  []T
	Next  string   // cursor of the next page; empty at the end
	Total int      // rows on all pages, 0 where it is not told
	Notes []string // what the reader must know: a part that did not answer, a cell that made no sense
}

// A Delivery is an answer on its way to whoever asked. Deliver runs on the loop.
type Delivery interface{ Deliver() tea.Cmd }

// A Set is the rows of one kind as the API said them last. It lives on the loop: no lock exists. T is a pointer to a row, or a row that is small
// or made when it is looked at: the program holds the code of sets and lists once for all pointers, and once more for every other T. What a
// pointer points to belongs to everybody who reads the set, also off the loop, and is never changed.
type Set[T any] struct {
	src      Source[T]
	ctx      context.Context
	rows     Store[T]
	coming   Store[T] // what a refresh has read so far; rows stay in sight until it is whole
	busy     map[string]string
	notes    []string
	told     []string // notes of the reading under way
	gen      int
	epoch    int // grows with every change of rows that is no addition
	version  int // grows with every change of rows, for whoever keeps something made from them
	moved    int // grows when rows change their places: not when they are added or replaced in place
	asking   context.CancelFunc
	rest     func() (Page[T], error) // the next pages of a reading to the end; nil elsewhere
	dam      context.CancelFunc      // ends that reading
	loaded   bool                    // the first page has arrived once
	whole    bool                    // the last page has arrived
	next     string
	trodden  map[string]bool // cursors of this reading, to tell when it turns in circles
	rush     bool            // read on to the end
	upto     int             // rows that a refresh of a lazy set must have read before they replace the old ones
	total    int
	at       time.Time // of the last good answer
	err      error     // of the last question, nil when it went well
	failedAt time.Time
	since    time.Time // of the first failure after a good answer
}

// NewSet is a set that asks under ctx.
func NewSet[T any](ctx context.Context, src Source[T]) *Set[T] {
	if src.Now == nil {
		src.Now = Wall
	}
	if src.Store == nil {
		src.Store = func() Store[T] { return NewRows(src.ID) }
	}
	return &Set[T]{src: src, ctx: ctx, rows: src.Store(), busy: map[string]string{}}
}

// Name is what the rows are called.
func (s *Set[T]) Name() string { return s.src.Name }

// ID is the identity of a row.
func (s *Set[T]) ID(row T) string { return s.src.ID(row) }

// Len is how many rows are held.
func (s *Set[T]) Len() int { return s.rows.Len() }

// At is the row at a place, 0 ≤ i < Len.
func (s *Set[T]) At(i int) T { return s.rows.At(i) }

// Get finds a row by identity. Where there is none the row is the zero T, nil of a pointer.
func (s *Set[T]) Get(id string) (T, bool) {
	if i, ok := s.rows.Index(id); ok {
		return s.rows.At(i), true
	}
	var none T
	return none, false
}

// Index is the place of a row.
func (s *Set[T]) Index(id string) (int, bool) { return s.rows.Index(id) }

// Loaded reports whether rows have ever arrived: until then an absent row means nothing.
func (s *Set[T]) Loaded() bool { return s.loaded }

// Whole reports whether the last page is here.
func (s *Set[T]) Whole() bool { return s.whole }

// Total is how many rows the API says there are, at least those held.
func (s *Set[T]) Total() int { return max(s.total, s.rows.Len()) }

// Version changes whenever the rows do.
func (s *Set[T]) Version() int { return s.version }

// Epoch changes whenever rows were replaced or taken out: as long as it stays, rows have only been added.
func (s *Set[T]) Epoch() int { return s.epoch }

// Notes are what the last answers said beside the rows.
func (s *Set[T]) Notes() []string { return s.notes }

// Busy is the verb under way on a row ("disabling"), or "".
func (s *Set[T]) Busy(id string) string { return s.busy[id] }

// Working is how many changes of rows wait for their answer.
func (s *Set[T]) Working() int { return len(s.busy) }

// working reports whether any row is busy.
func (s *Set[T]) working() bool { return len(s.busy) > 0 }

// Lazy reports whether pages are fetched only as they are read.
func (s *Set[T]) Lazy() bool { return s.src.Lazy }

// Rows are all rows held, in order. It copies: for joins over small kinds, not for drawing.
func (s *Set[T]) Rows() []T {
	rows := make([]T, s.rows.Len())
	for i := range rows {
		rows[i] = s.rows.At(i)
	}
	return rows
}

// Snapshot is the rows as they are now, to be read off the loop whatever becomes of the set: at gives row 0 ≤ i < n.
// A store that has none is copied.
func (s *Set[T]) Snapshot() (n int, at func(i int) T) {
	if frozen, ok := s.rows.(interface{ Snapshot() func(i int) T }); ok {
		return s.rows.Len(), frozen.Snapshot()
	}
	rows := s.Rows()
	return len(rows), func(i int) T { return rows[i] }
}

// searcher is the quick way to filter and sort the rows as they are now; nil where the store has none.
func (s *Set[T]) searcher() Searcher {
	if quick, ok := s.rows.(interface{ Searcher() Searcher }); ok {
		return quick.Searcher()
	}
	return nil
}

// Fresh says how old the rows are and whether the last question went well.
func (s *Set[T]) Fresh() Freshness {
	return Freshness{Asked: s.asking != nil, Loaded: s.loaded, At: s.at, Err: s.err, FailedAt: s.failedAt, Since: s.since}
}

// Need asks only when nobody has asked yet: for sets that others join with.
func (s *Set[T]) Need() tea.Cmd {
	if s.loaded || s.asking != nil || s.err != nil {
		return nil
	}
	return s.Refresh()
}

// Refresh cancels the older question and asks anew. Old rows stay in sight meanwhile.
func (s *Set[T]) Refresh() tea.Cmd {
	s.Cancel()
	s.gen++
	s.coming, s.upto = s.src.Store(), 0
	if s.src.Lazy {
		s.upto = s.rows.Len()
	}
	return s.ask("")
}

// Poll asks anew because it is time: a question that is still out is waited for, or an API that takes longer than the time between two polls
// would never have been heard.
func (s *Set[T]) Poll() tea.Cmd {
	if s.asking != nil {
		return nil
	}
	return s.Refresh()
}

// Rush reads a lazy set on to its end, page after page, until Halt.
func (s *Set[T]) Rush() tea.Cmd {
	s.rush = true
	return s.More()
}

// Halt stops a Rush. What has been read stays.
func (s *Set[T]) Halt() {
	if s.rush {
		s.rush = false
		s.Cancel()
	}
}

// Rushing reports whether a lazy set is being read to its end.
func (s *Set[T]) Rushing() bool { return s.rush && !s.whole && s.err == nil }

// More asks for the next page of a lazy set, once.
func (s *Set[T]) More() tea.Cmd {
	if !s.src.Lazy || !s.loaded || s.whole || s.asking != nil || s.next == "" {
		return nil
	}
	return s.ask(s.next)
}

// Cancel ends the question that is out; its answer will not count.
func (s *Set[T]) Cancel() {
	if s.asking != nil {
		s.asking()
		s.asking = nil
		s.gen++
	}
	s.dry()
}

// dry ends the reading to the end.
func (s *Set[T]) dry() {
	if s.rest != nil {
		s.dam()
		s.rest, s.dam = nil, nil
	}
}

func (s *Set[T]) ask(cursor string) tea.Cmd {
	ctx, cancel := context.WithCancel(s.ctx)
	s.asking = cancel
	gen, fetch := s.gen, s.src.Fetch
	if s.rush && s.src.Rest != nil {
		if s.rest == nil {
			ctx, s.dam = context.WithCancel(s.ctx)
			s.rest = s.src.Rest(ctx, cursor)
		}
		rest := s.rest
		fetch = func(context.Context, string) (Page[T], error) { return rest() }
	}
	return func() tea.Msg {
		page, err := fetch(ctx, cursor)
		return &arrival[T]{set: s, gen: gen, cursor: cursor, page: page, err: err}
	}
}

// Look reads one row again and puts it in its place. after, which may be nil, runs on the loop with the error of the reading.
func (s *Set[T]) Look(id string, view func(context.Context) (T, error), after func(error) tea.Cmd) tea.Cmd {
	ctx, gen := s.ctx, s.gen
	return func() tea.Msg {
		row, err := view(ctx)
		return &sight[T]{set: s, gen: gen, id: id, row: row, err: err, after: after}
	}
}

// sight is one row, read again.
type sight[T any] struct {
	set   *Set[T]
	gen   int
	id    string
	row   T
	err   error
	after func(error) tea.Cmd
}

// Deliver puts the row in its place, unless all rows have been asked for since, the row is being changed, or it is gone.
func (m *sight[T]) Deliver() tea.Cmd {
	s := m.set
	if _, held := s.rows.Index(m.id); m.err == nil && held && m.gen == s.gen && s.busy[m.id] == "" {
		s.rows.Put(m.id, m.row)
		s.version++
		s.epoch++
	}
	if m.after == nil {
		return nil
	}
	return m.after(m.err)
}

// arrival is a page, or why there is none.
type arrival[T any] struct {
	set    *Set[T]
	gen    int
	cursor string
	page   Page[T]
	err    error
}

// Deliver hands the page to its set, unless a newer question has been asked since.
func (a *arrival[T]) Deliver() tea.Cmd {
	if a.gen != a.set.gen {
		return nil
	}
	return a.set.take(a)
}

func (s *Set[T]) take(a *arrival[T]) tea.Cmd {
	s.asking()
	s.asking = nil
	if a.err != nil {
		s.dry()
		s.failedAt = s.src.Now()
		if s.err == nil {
			s.since = s.failedAt
		}
		s.err = a.err
		return nil
	}
	first := a.cursor == ""
	if first {
		s.told, s.trodden = nil, map[string]bool{}
	}
	s.told = append(s.told, a.page.Notes...)
	s.trodden[a.cursor] = true
	if a.page.Next != "" && s.trodden[a.page.Next] {
		s.told = append(s.told, "incomplete: marker repeated")
		a.page.Next = ""
	}
	s.err, s.at, s.total = nil, s.src.Now(), a.page.Total
	s.next = strings.Clone(a.page.Next) // it may be a part of the whole answer, which would stay in memory
	s.hold(a.page.Rows)
	if s.next != "" && (!s.src.Lazy || s.rush || s.coming != nil) {
		return s.ask(s.next)
	}
	rushed := s.rush
	s.rush = s.rush && s.next != ""
	s.dry()
	if rushed && s.rows.Len() > big {
		return tidy
	}
	return nil
}

// tidy gives memory back, off the loop: a long reading leaves as much behind as it brings. From then on memory is collected when it has grown
// by a fifth: what is held in such numbers is cheap to look through.
func tidy() tea.Msg {
	debug.SetGCPercent(20)
	debug.FreeOSMemory()
	return nil
}

// hold keeps a page. A refresh replaces the rows in one step once it is whole; the very first reading shows page after page.
// A lazy set's refresh reads as far as had been read before.
func (s *Set[T]) hold(rows []T) {
	if s.coming == nil {
		s.coming = s.rows
	}
	dropped := s.coming.Append(rows)
	if dropped > 0 {
		s.told = append(s.told, plural(dropped, "duplicate", "duplicates")+" dropped")
	}
	whole := s.next == ""
	enough := whole || s.src.Lazy && s.coming.Len() >= s.upto
	if enough || !s.loaded || s.coming == s.rows {
		if s.coming != s.rows {
			s.epoch++
			s.moved++
		}
		s.rows, s.notes, s.whole = s.coming, s.told, whole
		s.version++
	}
	if enough {
		s.coming, s.loaded = nil, true
	}
}

// Show puts rows in the place of those that are held, of which none has gone or moved: for a set whose source tells by itself what has changed.
// A question that is out is asked anew, for its answer may be older.
func (s *Set[T]) Show(rows Store[T]) tea.Cmd {
	out := s.asking != nil
	s.rows, s.loaded, s.whole, s.err, s.at = rows, true, true, nil, s.src.Now()
	s.total = rows.Len()
	s.version++
	s.epoch++
	if out {
		return s.Refresh()
	}
	return nil
}
