package client

import (
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Filter gives the places of the names that hold a text, capital or not, in their order; behind is a beginning of names that is not looked
// at, as that of the folder that all are in. within, where it is not nil, are the only places that are looked at. It ends early, with an
// error, when ctx does.
func (s *Snapshot) Filter(ctx context.Context, text, behind string, within []int32) ([]int32, error) {
	want := lowered(text)
	want.behind = behind
	if within != nil {
		return gather(ctx, (len(within)+chunkRows-1)/chunkRows, func(k int) (hits []int32) {
			for _, place := range within[k*chunkRows : min(len(within), (k+1)*chunkRows)] {
				if want.in(s, s.row(s.slot(int(place)))) {
					hits = append(hits, place)
				}
			}
			return hits
		})
	}
	return gather(ctx, len(s.chunks), func(k int) (hits []int32) {
		s.each(k, func(place int32, p *packed) {
			if want.in(s, p) {
				hits = append(hits, place)
			}
		})
		return hits
	})
}

// each goes through the live rows of a chunk.
func (s *Snapshot) each(k int, do func(place int32, p *packed)) {
	from := k * chunkRows
	place := int32(s.place(from))
	for i := range min(chunkRows, s.slots-from) {
		if s.alive(from + i) {
			do(place, &s.chunks[k][i])
			place++
		}
	}
}

// gather makes n parts on all processors and joins them in order.
func gather(ctx context.Context, n int, part func(k int) []int32) ([]int32, error) {
	parts := make([][]int32, n)
	err := sideBySide(ctx, n, func(k int) { parts[k] = part(k) })
	if err != nil {
		return nil, err
	}
	return slices.Concat(parts...), nil
}

// sideBySide does n pieces of work on all processors but one, which is left to whoever waits at the keyboard, until ctx ends.
func sideBySide(ctx context.Context, n int, do func(k int)) error {
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

// A needle is a text that is looked for in lower case.
type needle struct {
	text   string
	behind string // the beginning of names that is not looked at
	plain  bool   // the text is ASCII alone
}

func lowered(text string) needle {
	low := strings.ToLower(text)
	return needle{text: low, plain: isLow(low)}
}

// in reports whether a row's name holds the needle.
func (n needle) in(s *Snapshot, p *packed) bool {
	name := s.nameOf(p)
	if n.behind != "" {
		name = strings.TrimPrefix(name, n.behind)
	}
	switch {
	case p.rest&isOdd == 0 && p.size&lowName != 0:
		return strings.Contains(name, n.text)
	case n.plain && isASCII(name):
		return n.inASCII(name)
	}
	return strings.Contains(strings.ToLower(name), n.text)
}

// inASCII looks for a plain needle in a plain name, with capitals taken for their small letters.
func (n needle) inASCII(name string) bool {
	for i := 0; i+len(n.text) <= len(name); i++ {
		j := 0
		for j < len(n.text) && small(name[i+j]) == n.text[j] {
			j++
		}
		if j == len(n.text) {
			return true
		}
	}
	return false
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func small(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// An ObjectOrder is by what objects are sorted.
type ObjectOrder int

// The orders.
const (
	ByName     ObjectOrder = iota // byte by byte, as the service sorts
	BySize                        // small ones first
	ByModified                    // old ones first, to the millisecond; those without a readable stamp before them
)

// Sort gives places in an order, or in its reverse; rows that are equal stay as they are. Common prefixes come first, always by name.
// within, where it is not nil, are the only places. It ends early, with an error, when ctx does.
func (s *Snapshot) Sort(ctx context.Context, by ObjectOrder, reverse bool, within []int32) ([]int32, error) {
	folders, rest, err := s.keyed(ctx, by, within)
	if err != nil {
		return nil, err
	}
	if folders, err = s.byName(ctx, folders); err != nil {
		return nil, err
	}
	if by == ByName {
		rest, err = s.byName(ctx, rest)
	} else {
		rest, err = radix(ctx, rest, reverse)
	}
	if err != nil {
		return nil, err
	}
	if by == ByName && reverse {
		slices.Reverse(rest)
	}
	places := make([]int32, 0, len(folders)+len(rest))
	for _, r := range folders {
		places = append(places, r.place)
	}
	for _, r := range rest {
		places = append(places, r.place)
	}
	return places, ctx.Err()
}

// A keyed row is a place and the number by which it is sorted.
type keyed struct {
	key   uint64
	place int32
}

// keyed gives every row its number, common prefixes apart.
func (s *Snapshot) keyed(ctx context.Context, by ObjectOrder, within []int32) (folders, rest []keyed, err error) {
	add := func(place int32, p *packed) {
		if p.prefix(s) {
			folders = append(folders, keyed{place: place})
			return
		}
		rest = append(rest, keyed{s.key(p, by), place})
	}
	if within != nil {
		rest = make([]keyed, 0, len(within))
		for _, place := range within {
			add(place, s.row(s.slot(int(place))))
		}
		return folders, rest, ctx.Err()
	}
	rest = make([]keyed, 0, s.Len())
	for k := range s.chunks {
		s.each(k, add)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
	}
	return folders, rest, nil
}

// key is a number that rises with the order; the names have theirs elsewhere.
func (s *Snapshot) key(p *packed, by ObjectOrder) uint64 {
	odd := p.rest&isOdd != 0
	switch {
	case by == BySize && odd:
		return uint64(s.odd[p.size].Size) ^ 1<<63
	case by == BySize:
		return p.size>>17 | 1<<63
	case by == ByModified && odd:
		return uint64(max(0, s.odd[p.size].Modified.t.UnixMilli()-yearOne))
	case by == ByModified:
		return p.rest >> 16
	}
	return 0
}

// byName sorts rows by name. Where names rise from row to row anyway, places say it all.
func (s *Snapshot) byName(ctx context.Context, rows []keyed) ([]keyed, error) {
	if s.rising {
		for i := range rows {
			rows[i].key = uint64(rows[i].place)
		}
		return radix(ctx, rows, false)
	}
	common := s.commonPrefix(rows)
	for i := range rows {
		rows[i].key = eightBytes(s.Name(int(rows[i].place))[common:])
	}
	return mergeSort(ctx, rows, func(a, b keyed) int {
		if a.key != b.key {
			if a.key < b.key {
				return -1
			}
			return 1
		}
		return strings.Compare(s.Name(int(a.place)), s.Name(int(b.place)))
	})
}

// commonPrefix is how many bytes all names begin with alike.
func (s *Snapshot) commonPrefix(rows []keyed) int {
	if len(rows) == 0 {
		return 0
	}
	first := s.Name(int(rows[0].place))
	n := len(first)
	for _, r := range rows {
		name := s.Name(int(r.place))
		n = min(n, len(name))
		for name[:n] != first[:n] {
			n--
		}
	}
	return n
}

// eightBytes is a number that rises with the beginning of a text.
func eightBytes(s string) (n uint64) {
	for i := range 8 {
		n <<= 8
		if i < len(s) {
			n |= uint64(s[i])
		}
	}
	return n
}

// radix sorts rows by key and keeps the order of equal ones. Digits that are the same in all keys cost nothing.
func radix(ctx context.Context, rows []keyed, reverse bool) ([]keyed, error) {
	same, some := uint64(math.MaxUint64), uint64(0)
	for i := range rows {
		if reverse {
			rows[i].key = ^rows[i].key
		}
		same &= rows[i].key
		some |= rows[i].key
	}
	other := make([]keyed, len(rows))
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

// mergeSort sorts runs on all processors and merges them two by two.
func mergeSort(ctx context.Context, rows []keyed, compare func(a, b keyed) int) ([]keyed, error) {
	const run = 1 << 14
	err := sideBySide(ctx, (len(rows)+run-1)/run, func(k int) { slices.SortFunc(rows[k*run:min(len(rows), (k+1)*run)], compare) })
	other := make([]keyed, len(rows))
	for n := run; n < len(rows) && err == nil; n *= 2 {
		err = sideBySide(ctx, (len(rows)+2*n-1)/(2*n), func(k int) {
			from, middle, to := 2*k*n, min(len(rows), (2*k+1)*n), min(len(rows), (2*k+2)*n)
			merge(other[from:to], rows[from:middle], rows[middle:to], compare)
		})
		rows, other = other, rows
	}
	return rows, err
}

// merge joins two sorted runs.
func merge(into, a, b []keyed, compare func(a, b keyed) int) {
	for i := range into {
		if len(b) == 0 || len(a) > 0 && compare(a[0], b[0]) <= 0 {
			into[i], a = a[0], a[1:]
		} else {
			into[i], b = b[0], b[1:]
		}
	}
}
