package objectindex

import (
	"bytes"
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Filter returns the positions of names that contain a text, ignoring case, in order. It ignores the prefix behind,
// such as the folder of all names. If within is not nil, it searches only these positions. It stops with an error when
// ctx ends.
func (s *Snapshot) Filter(ctx context.Context, text, behind string, within []int32) ([]int32, error) {
	want := newNeedle(text, behind)
	if within != nil {
		return collectParallel(ctx, (len(within)+chunkRows-1)/chunkRows, func(k int) (hits []int32) {
			names := nameReader{rows: s}
			for _, place := range within[k*chunkRows : min(len(within), (k+1)*chunkRows)] {
				if slot := s.slotAt(int(place)); want.matches(s.row(slot), names.read(slot)) {
					hits = append(hits, place)
				}
			}
			return hits
		})
	}
	return collectParallel(ctx, len(s.chunks), func(k int) (hits []int32) {
		names := nameReader{rows: s}
		s.eachInChunk(k, func(place int32, slot int) {
			if want.matches(s.row(slot), names.read(slot)) {
				hits = append(hits, place)
			}
		})
		return hits
	})
}

// eachInChunk calls a function for each live row of a chunk.
func (s *Snapshot) eachInChunk(k int, do func(place int32, slot int)) {
	from := k * chunkRows
	place := int32(s.positionOf(from))
	for i := range min(chunkRows, s.slots-from) {
		if s.isLive(from + i) {
			do(place, from+i)
			place++
		}
	}
}

// collectParallel computes n parts on all processors and joins them in order.
func collectParallel(ctx context.Context, n int, part func(k int) []int32) ([]int32, error) {
	parts := make([][]int32, n)
	err := runParallel(ctx, n, func(k int) { parts[k] = part(k) })
	if err != nil {
		return nil, err
	}
	return slices.Concat(parts...), nil
}

// runParallel does n pieces of work on all processors but one, which it leaves to the user interface. It stops when ctx
// ends.
func runParallel(ctx context.Context, n int, do func(k int)) error {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(n, max(1, runtime.GOMAXPROCS(0)-1)) {
		all.Go(func() {
			for k := int(next.Add(1)) - 1; k < n && ctx.Err() == nil; k = int(next.Add(1)) - 1 {
				do(k)
			}
		})
	}
	all.Wait()
	return ctx.Err()
}

// A needle is a text to search for, in lower case.
type needle struct {
	text       []byte
	skipPrefix []byte // the beginning of names to ignore
	isASCII    bool   // the text is ASCII alone
}

func newNeedle(text, skipPrefix string) needle {
	low := strings.ToLower(text)
	return needle{text: []byte(low), skipPrefix: []byte(skipPrefix), isASCII: isLowerASCII(low)}
}

// matches reports whether a row's name contains the needle.
func (n needle) matches(p *packedObject, name []byte) bool {
	name = bytes.TrimPrefix(name, n.skipPrefix)
	switch {
	case p.meta&isOverflow == 0 && p.size&nameIsLower != 0:
		return bytes.Contains(name, n.text)
	case n.isASCII && isASCII(name):
		return n.matchesASCII(name)
	}
	return bytes.Contains(bytes.ToLower(name), n.text)
}

// matchesASCII searches for an ASCII needle in an ASCII name, ignoring case.
func (n needle) matchesASCII(name []byte) bool {
	for i := 0; i+len(n.text) <= len(name); i++ {
		j := 0
		for j < len(n.text) && lowerByte(name[i+j]) == n.text[j] {
			j++
		}
		if j == len(n.text) {
			return true
		}
	}
	return false
}

func isASCII(s []byte) bool {
	for _, c := range s {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// A SortOrder is the property that objects are sorted by.
type SortOrder int

// The orders.
const (
	ByName     SortOrder = iota // byte by byte, as the service sorts
	BySize                      // small ones first
	ByModified                  // old ones first, to the millisecond; those without a readable stamp before them
	ByFolder                    // by what is known of common prefixes; objects stay in the order of their names
)

// Sort returns positions in an order, or in reverse; equal rows are in the order of their positions. Common prefixes
// come first: by name, or by the number that folderKey returns for a name, unless it is nil. If within is not nil, it
// sorts only these positions. It fails if ctx ends.
func (s *Snapshot) Sort(
	ctx context.Context, by SortOrder, reverse bool, within []int32, folderKey func(name string) uint64,
) ([]int32, error) {
	var folders, rest []sortRow
	add := func(place int32, slot int) {
		p, r := s.row(slot), sortRow{position: place}
		isFolder := p.isPrefix(s)
		if !s.sorted && (isFolder || by == ByName || by == ByFolder) {
			r.name = s.name(slot)
		}
		switch {
		case !isFolder:
			r.key = s.sortKey(p, by)
			rest = append(rest, r)
		case folderKey != nil:
			r.key = folderKey(s.name(slot))
			fallthrough
		default:
			folders = append(folders, r)
		}
	}
	for _, place := range within {
		add(place, s.slotAt(int(place)))
	}
	for k := 0; within == nil && k < len(s.chunks) && ctx.Err() == nil; k++ {
		s.eachInChunk(k, add)
	}
	sortRows(folders, reverse)
	sortRows(rest, reverse)
	if by == ByName && reverse {
		slices.Reverse(rest)
	}
	places := make([]int32, 0, len(folders)+len(rest))
	for _, r := range append(folders, rest...) {
		places = append(places, r.position)
	}
	return places, ctx.Err()
}

// A sortRow is a position, and the number and the name to sort it by. The name is "" if the positions are in the order
// of the names.
type sortRow struct {
	key      uint64
	name     string
	position int32
}

// sortRows sorts rows by key, or in reverse; rows with equal keys are sorted by name and then by position.
func sortRows(rows []sortRow, reverse bool) {
	slices.SortFunc(rows, func(a, b sortRow) int {
		switch {
		case a.key == b.key:
			return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(a.position, b.position))
		case a.key < b.key != reverse:
			return -1
		}
		return 1
	})
}

// sortKey returns a number that increases with the order; it is 0 for an order of names.
func (s *Snapshot) sortKey(p *packedObject, by SortOrder) uint64 {
	odd := p.meta&isOverflow != 0
	switch {
	case by == BySize && odd:
		return uint64(s.overflow[p.size].Size) ^ 1<<63
	case by == BySize:
		return p.size>>17 | 1<<63
	case by == ByModified && odd:
		at, _, _ := s.overflow[p.size].Modified.Pack()
		return uint64(max(0, int64(at)))
	case by == ByModified:
		return p.meta >> 16
	}
	return 0
}
