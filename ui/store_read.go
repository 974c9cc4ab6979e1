package ui

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// reading is the read under way, or the lazy read that LoadMore continues.
type reading[T any] struct {
	generation int                // grows with every read that supersedes another, whose pages no longer count
	cancel     context.CancelFunc // ends the fetch of a page; nil while none is under way
	incoming   RowContainer[T]    // what a refresh has read so far; the old rows stay until it is complete
	minRows    int                // rows that the refresh of a lazy store must read before they replace the old ones
	notes      []string
	missing    []string
	nextCursor string
	seen       map[string]bool // cursors so far, to notice when they go in circles
	toEnd      bool            // reads on to the last page
	prefetch   prefetch[T]
}

// prefetch is the faster way to the end of a store, while it is in use.
type prefetch[T any] struct {
	next   func() (RowPage[T], error)
	cancel context.CancelFunc
}

// EnsureLoaded reads the rows unless they were asked for before: for stores that others join with.
func (s *RowStore[T]) EnsureLoaded() tea.Cmd {
	if s.answers.loaded || s.reading.cancel != nil || s.answers.err != nil {
		return nil
	}
	return s.Refresh()
}

// Refresh cancels the read under way and starts again. The old rows stay until the new ones are complete.
func (s *RowStore[T]) Refresh() tea.Cmd {
	s.Cancel()
	s.reading.generation++
	s.reading.incoming, s.reading.minRows, s.reading.nextCursor = s.source.NewStorage(), 0, ""
	if s.source.Lazy {
		s.reading.minRows = s.rows.Len()
	}
	return s.fetch("")
}

// Poll refreshes because it is time. It lets a read under way finish: an API that takes longer than the interval
// between two polls would otherwise never be heard.
func (s *RowStore[T]) Poll() tea.Cmd {
	if s.reading.cancel != nil {
		return nil
	}
	return s.Refresh()
}

// LoadAll reads a lazy store to its end, page after page, until Stop.
func (s *RowStore[T]) LoadAll() tea.Cmd {
	s.reading.toEnd = true
	return s.LoadMore()
}

// Stop ends LoadAll. The rows read so far stay.
func (s *RowStore[T]) Stop() {
	if s.reading.toEnd {
		s.reading.toEnd = false
		s.Cancel()
	}
}

// LoadingAll reports whether LoadAll is under way.
func (s *RowStore[T]) LoadingAll() bool {
	return s.reading.toEnd && !s.answers.complete && s.answers.err == nil
}

// LoadMore fetches the next page of a lazy store, or of its refresh that failed, unless a fetch is under way.
func (s *RowStore[T]) LoadMore() tea.Cmd {
	if !s.source.Lazy || !s.answers.loaded || s.answers.complete || s.reading.cancel != nil ||
		s.reading.nextCursor == "" && s.reading.incoming == nil {
		return nil
	}
	return s.fetch(s.reading.nextCursor)
}

// Cancel ends the read under way; its answer will not count.
func (s *RowStore[T]) Cancel() {
	if s.reading.cancel != nil {
		s.reading.cancel()
		s.reading.cancel = nil
		s.reading.generation++
	}
	s.reading.prefetch.stop()
}

// stop ends the faster read, if it is in use.
func (p *prefetch[T]) stop() {
	if p.cancel != nil {
		p.cancel()
		*p = prefetch[T]{}
	}
}

// fetch reads the page behind a cursor.
func (s *RowStore[T]) fetch(cursor string) tea.Cmd {
	r := &s.reading
	ctx, cancel := context.WithCancel(s.ctx)
	r.cancel = cancel
	generation, fetch := r.generation, s.source.Fetch
	if s.source.PrefetchFrom != nil && (r.toEnd || !s.source.Lazy) {
		if r.prefetch.next == nil {
			ctx, r.prefetch.cancel = context.WithCancel(s.ctx)
			r.prefetch.next = s.source.PrefetchFrom(ctx, cursor, r.target(s.rows).Len())
		}
		next := r.prefetch.next
		fetch = func(context.Context, string) (RowPage[T], error) { return next() }
	}
	return func() tea.Msg {
		page, err := fetch(ctx, cursor)
		return &pageResult[T]{
			store:      s,
			generation: generation,
			cursor:     cursor,
			page:       page,
			err:        err,
		}
	}
}

// target returns the storage that the next page is added to: what a refresh has read so far, or else the store's rows.
func (r *reading[T]) target(rows RowContainer[T]) RowContainer[T] {
	if r.incoming != nil {
		return r.incoming
	}
	return rows
}

// pageResult is a page, or why there is none.
type pageResult[T any] struct {
	store      *RowStore[T]
	generation int
	cursor     string
	page       RowPage[T]
	err        error
}

// Deliver hands the page to its store, unless a newer read has started since.
func (p *pageResult[T]) Deliver() tea.Cmd {
	s := p.store
	if p.generation != s.reading.generation {
		return nil
	}
	s.reading.cancel()
	s.reading.cancel = nil
	if p.err != nil {
		s.fail(p.err)
		return nil
	}
	return s.addPage(p.cursor, p.page)
}

// fail records that the read under way has failed. The rows stay.
func (s *RowStore[T]) fail(err error) {
	s.reading.prefetch.stop()
	s.answers.failedAt = s.source.Now()
	if s.answers.err == nil {
		s.answers.failingSince = s.answers.failedAt
	}
	s.answers.err = err
}

// markerRepeated is the note about pages whose cursors go in circles.
const markerRepeated = "incomplete: marker repeated"

// addPage keeps a page and goes on to the next one if it is wanted.
func (s *RowStore[T]) addPage(cursor string, page RowPage[T]) tea.Cmd {
	r := &s.reading
	if cursor == "" {
		r.notes, r.missing, r.seen = nil, nil, map[string]bool{}
	}
	r.notes = append(r.notes, page.Notes...)
	r.missing = append(r.missing, page.Missing...)
	r.seen[cursor] = true
	if page.Next != "" && r.seen[page.Next] {
		r.notes = append(r.notes, markerRepeated)
		r.missing = append(r.missing, markerRepeated)
		page.Next = ""
	}
	s.answers.err, s.answers.loadedAt, s.answers.total = nil, s.source.Now(), page.Total
	r.nextCursor = strings.Clone(page.Next) // it may be part of the answer, which would stay in memory
	s.addRows(page)
	if r.nextCursor != "" && (!s.source.Lazy || r.toEnd || r.incoming != nil) {
		return s.fetch(r.nextCursor)
	}
	wasLoadingAll := r.toEnd
	r.toEnd = r.toEnd && r.nextCursor != ""
	s.reading.prefetch.stop()
	if n := s.rows.Len(); wasLoadingAll && n > largeLoadRows {
		return Send(ManyRowsLoadedMsg{Rows: n})
	}
	return s.changes.sight()
}

// addRows keeps the rows of a page. The very first read shows page after page; a refresh replaces the old rows in one
// step, once it is complete, or for a lazy store once it has read as far as before.
func (s *RowStore[T]) addRows(page RowPage[T]) {
	r := &s.reading
	r.incoming = r.target(s.rows)
	if dropped := r.incoming.Append(page.Rows); dropped > 0 && !page.Rereads {
		r.notes = append(r.notes, Plural(dropped, "duplicate", "duplicates")+" dropped")
	}
	complete := r.nextCursor == ""
	enough := complete || s.source.Lazy && r.incoming.Len() >= r.minRows
	if enough || !s.answers.loaded || r.incoming == s.rows {
		replaced := r.incoming != s.rows
		if replaced || complete && len(s.changes.confirmed) > 0 {
			s.version.epoch++
			s.version.layout++
			s.changes.keep(s, r.incoming, complete && len(r.missing) == 0)
		}
		if replaced && complete && s.answers.complete {
			s.Highlights.compare(s.rows, r.incoming)
		}
		s.rows, s.answers.complete = r.incoming, complete
		s.answers.notes, s.answers.missing = r.notes, r.missing
		s.version.rows++
	}
	if enough {
		r.incoming, s.answers.loaded = nil, true
	}
}

// ReloadRow reads one row again and replaces it. after, which may be nil, runs on the loop with the error of the read.
func (s *RowStore[T]) ReloadRow(id string, read func(context.Context) (T, error), after func(error) tea.Cmd) tea.Cmd {
	ctx, generation := s.ctx, s.reading.generation
	return func() tea.Msg {
		row, err := read(ctx)
		return &rowResult[T]{
			store:      s,
			generation: generation,
			id:         id,
			row:        row,
			err:        err,
			after:      after,
		}
	}
}

// rowResult is one row, read again.
type rowResult[T any] struct {
	store      *RowStore[T]
	generation int
	id         string
	row        T
	err        error
	after      func(error) tea.Cmd
}

// Deliver replaces the row, unless a read of all rows has started since, the row is being changed, or it is gone.
func (m *rowResult[T]) Deliver() tea.Cmd {
	s := m.store
	_, held := s.rows.Index(m.id)
	if m.err == nil && held && m.generation == s.reading.generation && s.busy[m.id] == "" {
		row := s.changes.newer(s, m.id, m.row)
		s.Highlights.compareRow(s.rows, m.id, row)
		s.rows.Put(m.id, row)
		s.version.rowsChanged()
	}
	if m.after == nil {
		return nil
	}
	return m.after(m.err)
}

// maxPages is the number of pages after which reading all rows gives up.
const maxPages = 10_000

// readAll reads all pages, once, as one page.
func readAll[T any](ctx context.Context, source RowSource[T]) (all RowPage[T], err error) {
	cursor := ""
	next := func() (RowPage[T], error) { return source.Fetch(ctx, cursor) }
	if source.PrefetchFrom != nil {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		next = source.PrefetchFrom(ctx, "", 0)
	}
	for range maxPages {
		page, err := next()
		if err != nil {
			return RowPage[T]{}, err
		}
		all.Rows = append(all.Rows, page.Rows...)
		all.Notes, all.Missing = append(all.Notes, page.Notes...), append(all.Missing, page.Missing...)
		all.Rereads = all.Rereads || page.Rereads
		if page.Next == "" {
			return all, nil
		}
		if page.Next == cursor {
			break
		}
		cursor = page.Next
	}
	return RowPage[T]{}, errors.New("the pages of the list do not end")
}

// absorb takes over all rows, which were read apart from the store's own reads.
func absorb[T any](s *RowStore[T], all RowPage[T]) {
	s.Cancel()
	s.reading.nextCursor, s.reading.incoming, s.reading.minRows = "", s.source.NewStorage(), 0
	s.reading.notes, s.reading.missing = all.Notes, all.Missing
	s.answers.total, s.answers.err, s.answers.loadedAt = len(all.Rows), nil, s.source.Now()
	s.addRows(all)
}
