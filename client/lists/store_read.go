package lists

import (
	"context"
	"errors"
	"strings"

	"lookout/client/wording"
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
func (s *RowStore[T]) EnsureLoaded() {
	if !s.answers.loaded && s.reading.cancel == nil && s.answers.err == nil {
		s.Refresh()
	}
}

// Refresh cancels the read under way and starts again. The old rows stay until the new ones are complete.
func (s *RowStore[T]) Refresh() {
	s.Cancel()
	s.reading.generation++
	s.reading.incoming, s.reading.minRows, s.reading.nextCursor = s.source.NewStorage(), 0, ""
	if s.source.Lazy {
		s.reading.minRows = s.rows.Len()
	}
	s.fetch("")
}

// Poll refreshes because it is time. It lets a read under way finish: an API that takes longer than the interval
// between two polls would otherwise never be heard.
func (s *RowStore[T]) Poll() {
	if s.reading.cancel == nil {
		s.Refresh()
	}
}

// LoadAll reads a lazy store to its end, page after page, until Stop.
func (s *RowStore[T]) LoadAll() {
	s.reading.toEnd = true
	s.LoadMore()
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
func (s *RowStore[T]) LoadMore() {
	if s.source.Lazy && s.answers.loaded && !s.answers.complete && s.reading.cancel == nil &&
		(s.reading.nextCursor != "" || s.reading.incoming != nil) {
		s.fetch(s.reading.nextCursor)
	}
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
func (s *RowStore[T]) fetch(cursor string) {
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
	s.Go(func() (apply func()) {
		page, err := fetch(ctx, cursor)
		return func() { s.received(generation, cursor, page, err) }
	})
}

// target returns the storage that the next page is added to: what a refresh has read so far, or else the store's rows.
func (r *reading[T]) target(rows RowContainer[T]) RowContainer[T] {
	if r.incoming != nil {
		return r.incoming
	}
	return rows
}

// received takes a page, or why there is none, unless a newer read has started since.
func (s *RowStore[T]) received(generation int, cursor string, page RowPage[T], err error) {
	if generation != s.reading.generation {
		return
	}
	s.reading.cancel()
	s.reading.cancel = nil
	if err != nil {
		s.fail(err)
		return
	}
	s.addPage(cursor, page)
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
func (s *RowStore[T]) addPage(cursor string, page RowPage[T]) {
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
		s.fetch(r.nextCursor)
		return
	}
	wasLoadingAll := r.toEnd
	r.toEnd = r.toEnd && r.nextCursor != ""
	s.reading.prefetch.stop()
	if wasLoadingAll && s.source.ReadToEnd != nil {
		s.source.ReadToEnd(s.rows.Len())
	}
	s.changes.sight()
}

// addRows keeps the rows of a page. The very first read shows page after page; a refresh replaces the old rows in one
// step, once it is complete, or for a lazy store once it has read as far as before.
func (s *RowStore[T]) addRows(page RowPage[T]) {
	r := &s.reading
	r.incoming = r.target(s.rows)
	if dropped := r.incoming.Append(page.Rows); dropped > 0 && !page.Rereads {
		r.notes = append(r.notes, wording.Plural(dropped, "duplicate", "duplicates")+" dropped")
	}
	complete := r.nextCursor == ""
	enough := complete || s.source.Lazy && r.incoming.Len() >= r.minRows
	if enough || !s.answers.loaded || r.incoming == s.rows {
		replaced := r.incoming != s.rows
		if replaced {
			s.changes.noteOlderRows(s, r.incoming)
		}
		if replaced || complete && len(s.changes.confirmed) > 0 {
			s.version.epoch++
			s.version.layout++
			s.changes.keep(s, r.incoming, complete && len(r.missing) == 0)
		}
		if replaced && complete && !s.source.Lazy {
			s.keepAbsent(r.incoming, len(r.missing) == 0)
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

// ReloadRow reads one row again and replaces it, unless a read of all rows has started meanwhile, the row is being
// changed, or it is gone. A row that the last read lacked is removed if it does not exist. after, which may be nil,
// runs on the loop with the error of the read.
func (s *RowStore[T]) ReloadRow(id string, read func(context.Context) (T, error), after func(error)) {
	generation := s.reading.generation
	s.Go(func() (apply func()) {
		row, err := read(s.ctx)
		return func() {
			_, held := s.rows.Index(id)
			if held && s.Absent(id) && isGone(err) {
				s.drop(id)
			}
			if err == nil && held && generation == s.reading.generation && s.busy[id] == "" {
				s.changes.noteOlder(s, row)
				row := s.changes.newer(s, id, row, false)
				s.Highlights.compareRow(s.rows, id, row)
				s.rows.Put(id, row)
				delete(s.absent, id)
				s.version.rowsChanged()
			}
			if after != nil {
				after(err)
			}
		}
	})
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
