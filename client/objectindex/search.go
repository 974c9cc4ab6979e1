package objectindex

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"math"
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

// Sort returns positions in an order, or in reverse; equal rows keep their order. Common prefixes come first: by name,
// or by the number that folderKey returns for a name, unless it is nil. If within is not nil, it sorts only these
// positions. It stops with an error when ctx ends.
func (s *Snapshot) Sort(
	ctx context.Context, by SortOrder, reverse bool, within []int32, folderKey func(name string) uint64,
) ([]int32, error) {
	folders, rest, err := s.sortRows(ctx, by, within)
	if err != nil {
		return nil, err
	}
	if folders, err = s.sortByName(ctx, folders); err != nil {
		return nil, err
	}
	if folderKey != nil {
		for i := range folders {
			folders[i].key = folderKey(s.Name(int(folders[i].position)))
		}
		if folders, err = radixSort(ctx, folders, reverse); err != nil {
			return nil, err
		}
	}
	if by == ByFolder {
		by, reverse = ByName, false
	}
	if by == ByName {
		rest, err = s.sortByName(ctx, rest)
	} else {
		rest, err = radixSort(ctx, rest, reverse)
	}
	if err != nil {
		return nil, err
	}
	if by == ByName && reverse {
		slices.Reverse(rest)
	}
	places := make([]int32, 0, len(folders)+len(rest))
	for _, r := range folders {
		places = append(places, r.position)
	}
	for _, r := range rest {
		places = append(places, r.position)
	}
	return places, ctx.Err()
}

// A sortRow is a position and the number to sort it by.
type sortRow struct {
	key      uint64
	position int32
}

// sortRows returns the sort rows of common prefixes and of objects.
func (s *Snapshot) sortRows(ctx context.Context, by SortOrder, within []int32) (folders, rest []sortRow, err error) {
	add := func(place int32, slot int) {
		p := s.row(slot)
		if p.isPrefix(s) {
			folders = append(folders, sortRow{position: place})
			return
		}
		rest = append(rest, sortRow{s.sortKey(p, by), place})
	}
	if within != nil {
		rest = make([]sortRow, 0, len(within))
		for _, place := range within {
			add(place, s.slotAt(int(place)))
		}
		return folders, rest, ctx.Err()
	}
	rest = make([]sortRow, 0, s.Len())
	for k := range s.chunks {
		s.eachInChunk(k, add)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
	}
	return folders, rest, nil
}

// sortKey returns a number that increases with the order. Names are sorted in another way.
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

// sortByName sorts rows by name. If the names of the index are sorted, the positions suffice.
func (s *Snapshot) sortByName(ctx context.Context, rows []sortRow) ([]sortRow, error) {
	if s.sorted {
		for i := range rows {
			rows[i].key = uint64(rows[i].position)
		}
		return radixSort(ctx, rows, false)
	}
	return s.sortNames(ctx, rows, &nameReader{rows: s})
}

// sortNames sorts rows by name: by the bytes that follow what all names have in common, and then in the same way those
// rows for which these bytes are equal.
func (s *Snapshot) sortNames(ctx context.Context, rows []sortRow, names *nameReader) ([]sortRow, error) {
	common := s.commonPrefix(rows, names)
	for i, r := range rows {
		rows[i].key = sortableBytes(names.read(s.slotAt(int(r.position)))[common:])
	}
	rows, err := mergeSort(ctx, rows, func(a, b sortRow) int { return cmp.Compare(a.key, b.key) })
	for from, to := 0, 0; from < len(rows) && err == nil; from = to {
		for to = from + 1; to < len(rows) && rows[to].key == rows[from].key; {
			to++
		}
		if equal := rows[from:to]; len(equal) > 1 && hasMoreBytes(equal[0].key) {
			var sorted []sortRow
			sorted, err = s.sortNames(ctx, equal, names)
			copy(equal, sorted)
		}
	}
	return rows, err
}

// commonPrefix returns how many bytes all names have in common at the beginning.
func (s *Snapshot) commonPrefix(rows []sortRow, names *nameReader) int {
	if len(rows) == 0 {
		return 0
	}
	first := s.Name(int(rows[0].position))
	n := len(first)
	for _, r := range rows {
		name := names.read(s.slotAt(int(r.position)))
		n = min(n, len(name))
		for string(name[:n]) != first[:n] {
			n--
		}
	}
	return n
}

// sortableBytes returns the first seven bytes of a text, and how many there are, as a number with the same order.
func sortableBytes(s []byte) uint64 {
	var b [8]byte
	copy(b[:7], s)
	b[7] = byte(min(len(s), 8))
	return binary.BigEndian.Uint64(b[:])
}

// hasMoreBytes reports whether a text has more bytes than are in its number.
func hasMoreBytes(number uint64) bool { return number&0xff == 8 }

// radixSort sorts rows by key; equal ones keep their order. It skips digits that are the same in all keys.
func radixSort(ctx context.Context, rows []sortRow, reverse bool) ([]sortRow, error) {
	same, some := uint64(math.MaxUint64), uint64(0)
	for i := range rows {
		if reverse {
			rows[i].key = ^rows[i].key
		}
		same &= rows[i].key
		some |= rows[i].key
	}
	other := make([]sortRow, len(rows))
	for shift := 0; shift < 64; shift += 8 {
		if (same^some)>>shift&0xff == 0 {
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var starts [256]int
		for i := range rows {
			starts[rows[i].key>>shift&0xff]++
		}
		sum := 0
		for d, n := range starts {
			starts[d], sum = sum, sum+n
		}
		for i := range rows {
			d := rows[i].key >> shift & 0xff
			other[starts[d]] = rows[i]
			starts[d]++
		}
		rows, other = other, rows
	}
	return rows, nil
}

// mergeSort sorts runs on all processors and merges them in pairs.
func mergeSort(ctx context.Context, rows []sortRow, compare func(a, b sortRow) int) ([]sortRow, error) {
	const run = 1 << 14
	if len(rows) <= run {
		slices.SortFunc(rows, compare)
		return rows, ctx.Err()
	}
	err := runParallel(
		ctx, (len(rows)+run-1)/run, func(k int) { slices.SortFunc(rows[k*run:min(len(rows), (k+1)*run)], compare) },
	)
	other := make([]sortRow, len(rows))
	for n := run; n < len(rows) && err == nil; n *= 2 {
		err = runParallel(ctx, (len(rows)+2*n-1)/(2*n), func(k int) {
			from, middle, to := 2*k*n, min(len(rows), (2*k+1)*n), min(len(rows), (2*k+2)*n)
			merge(other[from:to], rows[from:middle], rows[middle:to], compare)
		})
		rows, other = other, rows
	}
	return rows, err
}

// merge merges two sorted runs.
func merge(into, a, b []sortRow, compare func(a, b sortRow) int) {
	for i := range into {
		if len(b) == 0 || len(a) > 0 && compare(a[0], b[0]) <= 0 {
			into[i], a = a[0], a[1:]
		} else {
			into[i], b = b[0], b[1:]
		}
	}
}
