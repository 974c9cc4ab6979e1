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

// A Page is one page of a paginated list ("Conventions"). T is a pointer to a row. Rows lie side by side in memory, are
// shared by everybody who has read them, and must never be changed: copy a row to change it. The same applies to a row
// that was read alone.
type Page[T any] struct {
	Data       []T
	Page       int
	Pages      int
	Results    int
	Warnings   []string // invalid cells, for the user; the cells themselves are empty
	Incomplete string   // why the list may be incomplete; "" if it is complete
}

// maxPages is the most pages of a list that are read: half a million rows.
const maxPages = 1000

// maxPageRows is the most rows of a page that are decoded, 20 times as many as are requested: an empty row takes three
// bytes of an answer, and half a kilobyte of memory.
const maxPageRows = 10_000

// check notes why the list may be incomplete: the server answered another page than the one that was requested, an
// empty one, or more pages than are read.
func (p *Page[T]) check(asked int) {
	switch {
	case p.Page != asked:
		p.Incomplete = fmt.Sprintf(
			"the server sent page %d instead of page %d: the list may be incomplete", p.Page, asked,
		)
		p.Page, p.Pages = asked, asked
	case len(p.Data) == 0 && (p.Page < p.Pages || p.Page == 1 && p.Results > 0):
		p.Incomplete = fmt.Sprintf("page %d of %d is empty: the list may be incomplete", p.Page, p.Pages)
	case p.Page >= maxPages && p.Page < p.Pages:
		p.Incomplete = fmt.Sprintf("the list has %d pages; only %d are read", p.Pages, maxPages)
		p.Pages = p.Page
	}
	if p.Incomplete != "" {
		p.Warnings = append(p.Warnings, p.Incomplete)
	}
}

// markChanged notes on the page if the list is no longer that of an earlier page, and reports whether it did. If a row
// is deleted from a page that was read already, the rows behind it move up, and one of them is never seen.
func (p *Page[T]) markChanged(earlier Page[T]) bool {
	if p.Incomplete != "" {
		return false
	}
	p.Incomplete = ListChange(earlier.Results, earlier.Pages, p.Results, p.Pages)
	if p.Incomplete == "" {
		return false
	}
	p.Warnings = append(p.Warnings, p.Incomplete)
	return true
}

// ListChange says that a list changed between two of its answers, by the numbers of rows and pages that they report; ""
// if these are the same.
func ListChange(rowsBefore, pagesBefore, rows, pages int) string {
	was, is, unit := rowsBefore, rows, "rows"
	if was == is {
		was, is, unit = pagesBefore, pages, "pages"
	}
	if was == is {
		return ""
	}
	return fmt.Sprintf(
		"the list changed while it was read (%d %s, then %d): rows may be missing or duplicated; reload it",
		was, unit, is,
	)
}

// Next returns the cursor of the next page, "" at the end. An empty page ends the list.
func (p Page[T]) Next() string {
	if p.Page < 1 || p.Page >= p.Pages || len(p.Data) == 0 {
		return ""
	}
	return strconv.Itoa(p.Page + 1)
}

// maxPagesInFlight is how many pages of a list are requested at once: enough for 5,000 rows, in two round trips.
const maxPagesInFlight = 10

// Pages iterates over the pages of a list in order. Once the first says how many there are, the next ones are requested
// ahead. If the list changes meanwhile, a page is Incomplete. An error ends the list. list calls one of the List
// methods, which return the page that was requested, or one without a next page.
func Pages[T any](ctx context.Context, list func(context.Context, int) (Page[T], error)) iter.Seq2[Page[T], error] {
	return func(yield func(Page[T], error) bool) {
		var requests sync.WaitGroup
		defer requests.Wait()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		p, err := list(ctx, 1)
		before := p
		var ahead []chan pageAnswer[T]
		for n := 2; yield(p, err) && err == nil && p.Next() != ""; n++ {
			for len(ahead) < maxPagesInFlight && n+len(ahead) <= min(p.Pages, maxPages) {
				number, answer := n+len(ahead), make(chan pageAnswer[T], 1)
				ahead = append(ahead, answer)
				requests.Go(func() {
					p, err := list(ctx, number)
					answer <- pageAnswer[T]{p, err}
				})
			}
			answer := <-ahead[0]
			p, err, ahead = answer.page, answer.err, ahead[1:]
			if err == nil && p.markChanged(before) {
				before = p // once for each change
			}
		}
	}
}

// pageAnswer is a page, or why there is none.
type pageAnswer[T any] struct {
	page Page[T]
	err  error
}

// allRows iterates over the rows of every page. If the list is cut off, or changes meanwhile, an error follows its
// rows.
func allRows[T any](ctx context.Context, list func(context.Context, int) (Page[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		for p, err := range Pages(ctx, list) {
			if err != nil {
				yield(none, err)
				return
			}
			for _, row := range p.Data {
				if !yield(row, nil) {
					return
				}
			}
			if p.Incomplete != "" {
				yield(none, errors.New(p.Incomplete))
				return
			}
		}
	}
}

// A Lister reads a list of the account.
type Lister[T any] struct {
	c  *Client
	op string
}

// List returns page n, from 1.
func (l Lister[T]) List(ctx context.Context, n int) (Page[T], error) {
	return listPage[T](ctx, l.c, l.op, n)
}

// All iterates over all rows.
func (l Lister[T]) All(ctx context.Context) iter.Seq2[T, error] { return allRows(ctx, l.List) }

// A RowReader reads a list of the account, and each of its rows alone.
type RowReader[T any] struct {
	Lister[T]
	view string // the operation that reads a row
}

func newRowReader[T any](c *Client, list, view string) RowReader[T] {
	return RowReader[T]{Lister[T]{c, list}, view}
}

// Get returns one row. For contacts and credentials it needs the scope account:read_write ("Authentication").
func (r RowReader[T]) Get(ctx context.Context, id int) (T, error) {
	return call[T](ctx, r.c, callByID(r.view, id, nil))
}

// UnmarshalJSON reads the envelope: data must be there and be a list. An invalid cell spoils only itself.
func (p *Page[T]) UnmarshalJSON(body []byte) error {
	var envelope struct {
		Data    json.RawMessage
		Page    json.RawMessage
		Pages   json.RawMessage
		Results json.RawMessage
	}
	wanted := map[string]*json.RawMessage{
		"data":    &envelope.Data,
		"page":    &envelope.Page,
		"pages":   &envelope.Pages,
		"results": &envelope.Results,
	}
	if err := extractMembers(body, wanted); err != nil {
		return err
	}
	if len(envelope.Data) == 0 || envelope.Data[0] != '[' {
		return errors.New("the field \"data\" is missing or not a list")
	}
	var rows [][]byte
	err := eachElement(envelope.Data, func(row []byte) error {
		if len(rows) == maxPageRows {
			return errors.New("the page has more than 10,000 rows")
		}
		rows = append(rows, row)
		return nil
	})
	if err != nil {
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

// decodeRows decodes rows into one piece of memory and fills a slice of as many pointers with their addresses.
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
			odd = append(odd, fmt.Sprintf("row %d: invalid %s", i+1, field))
		}
	}
	return odd, nil
}

// parseCount returns a number of the envelope; 0 if it is not one.
func parseCount(raw json.RawMessage) int {
	n, err := strconv.Atoi(string(raw))
	if err != nil {
		return 0
	}
	return n
}

// A responseCache holds the pages that were read last. When an answer repeats the last one, as most do while nothing
// happens, it is not decoded again. Rows are never changed, so they can be handed out twice.
type responseCache struct {
	mu    sync.Mutex
	seed  maphash.Seed
	pages map[string]cachedPage
}

// cachedPage is a page with the checksum and size of its answer.
type cachedPage struct {
	sum  uint64
	size int
	page any
}

// maxCachedPages is the most pages that are kept: more than a large account shows at once.
const maxCachedPages = 128

func newResponseCache() *responseCache {
	return &responseCache{seed: maphash.MakeSeed(), pages: map[string]cachedPage{}}
}

// decodeCached decodes a page, unless its answer equals the last one to the same question.
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

// clone returns the page with copied slices.
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
