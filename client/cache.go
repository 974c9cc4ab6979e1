package client

import (
	"hash/maphash"
	"slices"
	"sync"
)

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
