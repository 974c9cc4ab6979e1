package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"sync"
)

// A Page is one answer of a paginated list ("Conventions"). T is a pointer to a kind of row. Rows stand side by side in
// memory, belong to everybody who has read them, and are never changed: whoever wants another row copies one. The same
// holds of a row that was viewed alone.
type Page[T any] struct {
	Data       []T
	Page       int
	Pages      int
	Results    int
	Warnings   []string // cells that made no sense, for whoever shows the rows; the cells are empty
	Incomplete string   // why the list may be incomplete; "" where it is whole
}

// maxPages is how many pages of a list are read: half a million rows.
const maxPages = 1000

// check says where a page is not what was asked for, so that a list that is cut does not pass for whole.
func (p *Page[T]) check(asked int) {
	switch {
	case p.Page != asked:
		p.Incomplete = fmt.Sprintf("page %d was answered for page %d: the list may be incomplete", p.Page, asked)
		p.Page, p.Pages = asked, asked
	case len(p.Data) == 0 && (p.Page < p.Pages || p.Page == 1 && p.Results > 0):
		p.Incomplete = fmt.Sprintf("page %d of %d is empty: the list may be incomplete", p.Page, p.Pages)
	case p.Page >= maxPages && p.Page < p.Pages:
		p.Incomplete = fmt.Sprintf("the list has %d pages: no more than %d are read", p.Pages, maxPages)
		p.Pages = p.Page
	}
	if p.Incomplete != "" {
		p.Warnings = append(p.Warnings, p.Incomplete)
	}
}

// Next is the cursor of the next page, "" at the end. An empty page ends the list.
func (p Page[T]) Next() string {
	if p.Page < 1 || p.Page >= p.Pages || len(p.Data) == 0 {
		return ""
	}
	return strconv.Itoa(p.Page + 1)
}

// changedSince says that a page is of another list than the first one was: a row that was deleted from a page that has
// been read moves all others up, and one of them is never seen.
func (p *Page[T]) changedSince(first Page[T]) string {
	if p.Results == first.Results && (p.Pages == first.Pages || p.Incomplete != "") {
		return ""
	}
	return fmt.Sprintf(
		"the list changed while it was read (%d rows, then %d): rows may be missing or come twice; read it again",
		first.Results,
		p.Results,
	)
}

// allRows walks every page of a list. One that is cut, or changes meanwhile, ends with an error after its rows.
func allRows[T any](ctx context.Context, page func(context.Context, int) (Page[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var first Page[T]
		for n := 1; ; n++ {
			p, err := page(ctx, n)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, row := range p.Data {
				if !yield(row, nil) {
					return
				}
			}
			if n == 1 {
				first = p
			}
			if why := orElse(p.changedSince(first), p.Incomplete); why != "" {
				var none T
				yield(none, errors.New(why))
				return
			}
			if p.Next() != strconv.Itoa(n+1) {
				return
			}
		}
	}
}

// UnmarshalJSON reads the envelope: data must be there and a list. A row's odd cell spoils that cell alone.
func (p *Page[T]) UnmarshalJSON(body []byte) error {
	var envelope struct {
		Data    json.RawMessage
		Page    json.RawMessage
		Pages   json.RawMessage
		Results json.RawMessage
	}
	if err := extractMembers(body, map[string]*json.RawMessage{"data": &envelope.Data, "page": &envelope.Page, "pages": &envelope.Pages, "results": &envelope.Results}); err != nil {
		return err
	}
	if len(envelope.Data) == 0 || envelope.Data[0] != '[' {
		return errors.New("the member data is missing or no list")
	}
	var rows [][]byte
	if err := eachElement(envelope.Data, func(row []byte) error { rows = append(rows, row); return nil }); err != nil {
		return err
	}
	*p = Page[T]{
		Data:    make([]T, len(rows)),
		Page:    parseCount(envelope.Page),
		Pages:   parseCount(envelope.Pages),
		Results: parseCount(envelope.Results),
	}
	odd, err := decodeRows(rows, p.Data)
	p.Warnings = odd
	return err
}

// decodeRows makes rows, in one piece, and points to them from a slice of as many pointers.
func decodeRows(raws [][]byte, pointers any) (odd []string, err error) {
	into := reflect.ValueOf(pointers)
	kind := into.Type().Elem().Elem()
	rows, fields := reflect.MakeSlice(reflect.SliceOf(kind), len(raws), len(raws)), newStructDecoder(kind)
	for i, raw := range raws {
		row := rows.Index(i)
		into.Index(i).Set(row.Addr())
		wrong, _, err := fields.decode(raw, row)
		if err != nil {
			return odd, fmt.Errorf("row %d: %w", i+1, err)
		}
		for _, field := range wrong {
			odd = append(odd, fmt.Sprintf("row %d: %s made no sense", i+1, field))
		}
	}
	return odd, nil
}

// parseCount is a number of the envelope; 0 where it is none.
func parseCount(raw json.RawMessage) int {
	n, err := strconv.Atoi(string(raw))
	if err != nil {
		return 0
	}
	return n
}

// A responseCache holds the pages of rows that were read last. An answer that says the same again is not decoded again:
// at rest most do. Rows are never changed, so they may be handed out twice.
type responseCache struct {
	mu    sync.Mutex
	seed  maphash.Seed
	pages map[string]cachedPage
}

// cachedPage is a page and what it was read from.
type cachedPage struct {
	sum  uint64
	size int
	page any
}

// maxCachedPages is how many pages are held: some more than a large account has in sight.
const maxCachedPages = 128

func newResponseCache() *responseCache {
	return &responseCache{seed: maphash.MakeSeed(), pages: map[string]cachedPage{}}
}

// decodeCached decodes a page, unless its answer is the same as the last one to the same question.
func decodeCached[T any](m *responseCache, question string, answer []byte, p *Page[T]) error {
	sum := maphash.Bytes(m.seed, answer)
	if known, ok := m.get(question, sum, len(answer)).(Page[T]); ok {
		*p = known.clone()
		return nil
	}
	if err := decode(answer, p); err != nil {
		return err
	}
	m.put(question, cachedPage{sum, len(answer), p.clone()})
	return nil
}

// clone is the page with slices of its own.
func (p Page[T]) clone() Page[T] {
	p.Data, p.Warnings = slices.Clone(p.Data), slices.Clone(p.Warnings)
	return p
}

func (m *responseCache) get(question string, sum uint64, size int) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.pages[question]; r.sum == sum && r.size == size {
		return r.page
	}
	return nil
}

func (m *responseCache) put(question string, r cachedPage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.pages) >= maxCachedPages {
		clear(m.pages)
	}
	m.pages[question] = r
}
