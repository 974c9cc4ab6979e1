package client

import (
	"math/bits"
	"slices"
	"sort"
	"strings"
	"time"
	"unsafe"
)

// Bounds of a shelf.
const (
	chunkRows  = 1 << 12 // rows of a chunk
	firstArena = 1 << 12 // bytes of the first arena; each next one is twice as large
	lastArena  = 1 << 20 // until this size
	longest    = 1 << 16 // bytes of a name; longer ones are odd
	maxOwners  = 1 << 12 // different owners; rows of more are odd
	maxSize    = 1 << 47 // bytes of an object; larger ones are odd
	maxParts   = 1 << 16 // parts of an upload
	maxStamp   = 1 << 48 // milliseconds since the year 1
)

// A Shelf holds objects in the order in which they came, in about 100 bytes each, and finds them by name. It belongs to one goroutine;
// others work on a Snapshot. Strings that it gives stay good for ever and keep the memory around them.
type Shelf struct {
	rows   Snapshot
	index  nameIndex
	used   int // bytes of the last arena
	last   string
	owners map[string]int
	owner  int // of the row before: most have the same
}

// NewShelf is an empty shelf.
func NewShelf() *Shelf {
	return &Shelf{rows: Snapshot{rising: true}, index: newNameIndex(), owners: map[string]int{}}
}

// Len is how many objects are held.
func (s *Shelf) Len() int { return s.rows.Len() }

// At is the object at a place, 0 ≤ i < Len.
func (s *Shelf) At(i int) Object { return s.rows.At(i) }

// Index is the place of the object of a name.
func (s *Shelf) Index(name string) (int, bool) {
	slot, held := s.index.find(&s.rows, name)
	if !held {
		return 0, false
	}
	return s.rows.place(slot), true
}

// Append adds objects whose names are not held yet and counts the others.
func (s *Shelf) Append(rows []Object) (dropped int) {
	for page := range slices.Chunk(rows, pageSize) {
		hashes := s.index.warm(page)
		for i := range page {
			if s.rows.slots == maxSlots || !s.index.add(&s.rows, page[i].Name.raw, hashes[i]) {
				dropped++
				continue
			}
			s.push(&page[i])
		}
	}
	return dropped
}

// Put replaces the object of a name in its place, or appends it. One that has another name by now moves to the end.
func (s *Shelf) Put(name string, row Object) {
	slot, held := s.index.find(&s.rows, name)
	if !held || row.Name.raw != name {
		s.Drop(name)
		s.Append([]Object{row})
		return
	}
	k, i := slot/chunkRows, slot%chunkRows
	old := s.rows.chunks[k][i]
	s.rows.chunks[k] = slices.Clone(s.rows.chunks[k]) // snapshots keep theirs
	s.rows.chunks[k][i] = s.pack(&row, func() uint64 {
		if old.rest&isOdd != 0 {
			return s.write(name)
		}
		return old.name
	})
}

// Drop takes the object of a name out. Its memory is free when the shelf is.
func (s *Shelf) Drop(name string) {
	if slot, held := s.index.find(&s.rows, name); held {
		s.rows.drop(slot)
	}
}

// Snapshot is the shelf as it is now. It costs next to nothing and does not change.
func (s *Shelf) Snapshot() *Snapshot {
	still := s.rows
	still.chunks, still.live, still.dead = slices.Clone(still.chunks), slices.Clone(still.live), slices.Clone(still.dead)
	return &still
}

// push puts an object into the next slot.
func (s *Shelf) push(o *Object) {
	k := s.rows.slots / chunkRows
	if k == len(s.rows.chunks) {
		var chunk []packed
		if k > 0 {
			chunk = make([]packed, 0, chunkRows)
		}
		s.rows.chunks = append(s.rows.chunks, chunk)
		if s.rows.live != nil {
			s.rows.dead = append(s.rows.dead, int32(s.rows.gone))
		}
	}
	s.rows.chunks[k] = append(s.rows.chunks[k], s.pack(o, func() uint64 { return s.write(o.Name.raw) }))
	s.rows.rising = s.rows.rising && (s.rows.slots == 0 || o.Name.raw > s.last)
	s.rows.slots++
	s.last = s.rows.name(s.rows.slots - 1)
	s.rows.revive(s.rows.slots - 1)
}

// write keeps a name and says where it is.
func (s *Shelf) write(name string) uint64 {
	k := len(s.rows.arenas) - 1
	if k < 0 || len(s.rows.arenas[k])-s.used < len(name) {
		size := firstArena << min(len(s.rows.arenas), 8)
		s.rows.arenas = append(s.rows.arenas, make([]byte, max(min(size, lastArena), len(name))))
		s.used, k = 0, k+1
	}
	copy(s.rows.arenas[k][s.used:], name)
	at := uint64(k)<<40 | uint64(s.used)<<16 | uint64(len(name))
	s.used += len(name)
	return at
}

// pack makes a row of an object; name says where its name is kept. What does not fit is kept as it is.
func (s *Shelf) pack(o *Object, name func() uint64) packed {
	p := packed{etag: o.ETag.sum, size: uint64(o.Size)<<17 | uint64(o.ETag.parts)<<1}
	stamp, fits := packTime(o.Modified)
	owner, known := s.intern(o.Owner.raw)
	if !fits || !known || o.Size < 0 || o.Size >= maxSize || o.ETag.raw != "" || len(o.Name.raw) >= longest {
		s.rows.odd = append(s.rows.odd, cloned(*o))
		return packed{size: uint64(len(s.rows.odd) - 1), rest: isOdd}
	}
	p.rest = stamp<<16 | uint64(owner)<<4 | uint64(o.Modified.form)<<2
	if o.ETag.md5 {
		p.rest |= hasSum
	}
	if isLow(o.Name.raw) {
		p.size |= lowName
	}
	p.name = name()
	return p
}

// intern is the number of an owner, as long as there are few.
func (s *Shelf) intern(owner string) (int, bool) {
	if s.owner < len(s.rows.owners) && s.rows.owners[s.owner] == owner {
		return s.owner, true
	}
	if n, known := s.owners[owner]; known {
		s.owner = n
		return n, true
	}
	n := len(s.rows.owners)
	if n == maxOwners || len(owner) >= longest {
		return 0, false
	}
	owner = strings.Clone(owner)
	s.owners[owner], s.rows.owners = n, append(s.rows.owners, owner)
	return n, true
}

// cloned is an object with texts of its own.
func cloned(o Object) Object {
	o.Name.raw, o.ETag.raw, o.Modified.raw, o.Owner.raw = strings.Clone(o.Name.raw), strings.Clone(o.ETag.raw), strings.Clone(o.Modified.raw), strings.Clone(o.Owner.raw)
	return o
}

// isLow reports whether a name is plain ASCII without capitals: its lower-case form is itself.
func isLow(name string) bool {
	for i := range len(name) {
		if c := name[i]; c >= 0x80 || c >= 'A' && c <= 'Z' {
			return false
		}
	}
	return true
}

// packed is an object without its name, in 40 bytes.
type packed struct {
	etag [16]byte
	size uint64 // 47 bits size, 16 bits parts of the tag, lowName; of an odd row its place among the odd
	rest uint64 // 48 bits stamp, 12 bits owner, 2 bits form of the stamp, hasSum, isOdd
	name uint64 // 24 bits arena, 24 bits offset, 16 bits length
}

const (
	lowName = 1 // of size
	isOdd   = 1 // of rest
	hasSum  = 2 // of rest
)

// yearOne is the zero time in milliseconds of Unix time.
var yearOne = time.Time{}.UnixMilli()

// packTime makes a number of a stamp of a usual form, or of none at all.
func packTime(t Time) (uint64, bool) {
	ms := uint64(t.t.UnixMilli() - yearOne)
	return ms, t.raw == "" && ms < maxStamp && t.t.Nanosecond()%1e6 == 0 && (t.form != other || ms == 0)
}

func (p *packed) object(s *Snapshot) Object {
	if p.rest&isOdd != 0 {
		return s.odd[p.size]
	}
	o := Object{Name: Text{s.text(p.name)}, Size: int64(p.size >> 17), Owner: Text{s.owners[p.rest>>4&(maxOwners-1)]}}
	if p.rest&hasSum != 0 {
		o.ETag = ETag{sum: p.etag, md5: true, parts: uint16(p.size >> 1)}
	}
	if form := stampForm(p.rest >> 2 & 3); form != other {
		o.Modified = Time{t: time.UnixMilli(int64(p.rest>>16) + yearOne).UTC(), form: form}
	}
	return o
}

// prefix reports whether a row is a common prefix.
func (p *packed) prefix(s *Snapshot) bool {
	if p.rest&isOdd != 0 {
		return s.odd[p.size].Prefix()
	}
	return p.rest&hasSum == 0 && p.rest>>2&3 == 0 && s.owners[p.rest>>4&(maxOwners-1)] == ""
}

// A Snapshot is a shelf at one moment. It may be used from many goroutines. Rows are spoken of by their places.
type Snapshot struct {
	chunks [][]packed // chunkRows in each but the last; rows are never changed once they are here
	arenas [][]byte   // bytes are never changed once they are here
	owners []string
	odd    []Object // rows that do not fit into 40 bytes
	slots  int      // rows, the dropped included
	gone   int      // rows dropped
	live   []uint64 // one bit a row; nil as long as none was dropped
	dead   []int32  // rows dropped in the chunks before each; nil with live
	rising bool     // every name is above the one before
}

// Len is how many objects are held.
func (s *Snapshot) Len() int { return s.slots - s.gone }

// At is the object at a place, 0 ≤ i < Len.
func (s *Snapshot) At(i int) Object { return s.row(s.slot(i)).object(s) }

// Name is the raw name at a place.
func (s *Snapshot) Name(i int) string { return s.name(s.slot(i)) }

func (s *Snapshot) row(slot int) *packed { return &s.chunks[slot/chunkRows][slot%chunkRows] }

func (s *Snapshot) name(slot int) string { return s.nameOf(s.row(slot)) }

func (s *Snapshot) nameOf(p *packed) string {
	if p.rest&isOdd != 0 {
		return s.odd[p.size].Name.raw
	}
	return s.text(p.name)
}

// text is a name in its arena. No byte of an arena is ever written twice, so the text cannot change.
func (s *Snapshot) text(at uint64) string {
	n := int(at & 0xffff)
	if n == 0 {
		return ""
	}
	return unsafe.String(&s.arenas[at>>40][at>>16&0xffffff], n)
}

// slot is where the row of a place is: as many live rows stand before it.
func (s *Snapshot) slot(place int) int {
	if s.live == nil {
		return place
	}
	k := sort.Search(len(s.dead), func(k int) bool { return k*chunkRows-int(s.dead[k]) > place }) - 1
	left := place - (k*chunkRows - int(s.dead[k]))
	for w := k * chunkRows / 64; ; w++ {
		word := s.live[w]
		if n := bits.OnesCount64(word); left >= n {
			left -= n
			continue
		}
		for ; left > 0; left-- {
			word &= word - 1
		}
		return w*64 + bits.TrailingZeros64(word)
	}
}

// place is how many live rows stand before a slot.
func (s *Snapshot) place(slot int) int {
	if s.live == nil {
		return slot
	}
	k := slot / chunkRows
	n := k*chunkRows - int(s.dead[k])
	for w := k * chunkRows / 64; w < slot/64; w++ {
		n += bits.OnesCount64(s.live[w])
	}
	return n + bits.OnesCount64(s.live[slot/64]&(1<<(slot%64)-1))
}

func (s *Snapshot) alive(slot int) bool {
	return s.live == nil || s.live[slot/64]&(1<<(slot%64)) != 0
}

// drop marks a row as gone.
func (s *Snapshot) drop(slot int) {
	if s.live == nil {
		s.live, s.dead = make([]uint64, (s.slots+63)/64), make([]int32, len(s.chunks))
		for i := range s.slots {
			s.live[i/64] |= 1 << (i % 64)
		}
	}
	s.live[slot/64] &^= 1 << (slot % 64)
	s.gone++
	for k := slot/chunkRows + 1; k < len(s.dead); k++ {
		s.dead[k]++
	}
}

// revive marks a new row as there.
func (s *Snapshot) revive(slot int) {
	if s.live == nil {
		return
	}
	if slot/64 == len(s.live) {
		s.live = append(s.live, 0)
	}
	s.live[slot/64] |= 1 << (slot % 64)
}
