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
	chunkRows    = 1 << 12 // rows of a chunk
	minArenaSize = 1 << 12 // bytes of the first arena; each next one is twice as large
	maxArenaSize = 1 << 20 // until this size
	maxNameLen   = 1 << 16 // bytes of a name; longer ones are odd
	maxOwners    = 1 << 12 // different owners; rows of more are odd
	maxSize      = 1 << 47 // bytes of an object; larger ones are odd
	maxParts     = 1 << 16 // parts of an upload
	maxMillis    = 1 << 48 // milliseconds since the year 1
)

// A ObjectIndex holds objects in the order in which they came, in about 100 bytes each, and finds them by name. It
// belongs to one goroutine; others work on a Snapshot. Strings that it gives stay good for ever and keep the memory
// around them.
type ObjectIndex struct {
	current   ObjectSnapshot
	names     nameIndex
	arenaUsed int // bytes of the last arena
	lastName  string
	owners    map[string]int
	lastOwner int // of the row before: most have the same
}

// NewObjectIndex is an empty shelf.
func NewObjectIndex() *ObjectIndex {
	return &ObjectIndex{current: ObjectSnapshot{sorted: true}, names: newNameIndex(), owners: map[string]int{}}
}

// Len is how many objects are held.
func (s *ObjectIndex) Len() int { return s.current.Len() }

// At is the object at a place, 0 ≤ i < Len.
func (s *ObjectIndex) At(i int) Object { return s.current.At(i) }

// Index is the place of the object of a name.
func (s *ObjectIndex) Index(name string) (int, bool) {
	slot, held := s.names.find(&s.current, name)
	if !held {
		return 0, false
	}
	return s.current.positionOf(slot), true
}

// Append adds objects whose names are not held yet and counts the others.
func (s *ObjectIndex) Append(rows []Object) (dropped int) {
	for page := range slices.Chunk(rows, pageSize) {
		hashes := s.names.prefetch(page)
		for i := range page {
			if s.current.slots == maxSlots || !s.names.add(&s.current, page[i].Name.raw, hashes[i]) {
				dropped++
				continue
			}
			s.appendRow(&page[i])
		}
	}
	return dropped
}

// Put replaces the object of a name in its place, or appends it. One that has another name by now moves to the end.
func (s *ObjectIndex) Put(name string, row Object) {
	slot, held := s.names.find(&s.current, name)
	if !held || row.Name.raw != name {
		s.Drop(name)
		s.Append([]Object{row})
		return
	}
	k, i := slot/chunkRows, slot%chunkRows
	old := s.current.chunks[k][i]
	s.current.chunks[k] = slices.Clone(s.current.chunks[k]) // snapshots keep theirs
	s.current.chunks[k][i] = s.pack(&row, func() uint64 {
		if old.meta&isOverflow != 0 {
			return s.storeName(name)
		}
		return old.name
	})
}

// Drop takes the object of a name out. Its memory is free when the shelf is.
func (s *ObjectIndex) Drop(name string) {
	if slot, held := s.names.find(&s.current, name); held {
		s.current.markDeleted(slot)
	}
}

// Snapshot is the shelf as it is now. It costs next to nothing and does not change.
func (s *ObjectIndex) Snapshot() *ObjectSnapshot {
	still := s.current
	still.chunks, still.liveBits, still.deletedBefore = slices.Clone(
		still.chunks,
	), slices.Clone(
		still.liveBits,
	), slices.Clone(
		still.deletedBefore,
	)
	return &still
}

// appendRow puts an object into the next slot.
func (s *ObjectIndex) appendRow(o *Object) {
	k := s.current.slots / chunkRows
	if k == len(s.current.chunks) {
		var chunk []packedObject
		if k > 0 {
			chunk = make([]packedObject, 0, chunkRows)
		}
		s.current.chunks = append(s.current.chunks, chunk)
		if s.current.liveBits != nil {
			s.current.deletedBefore = append(s.current.deletedBefore, int32(s.current.deleted))
		}
	}
	s.current.chunks[k] = append(s.current.chunks[k], s.pack(o, func() uint64 { return s.storeName(o.Name.raw) }))
	s.current.sorted = s.current.sorted && (s.current.slots == 0 || o.Name.raw > s.lastName)
	s.current.slots++
	s.lastName = s.current.name(s.current.slots - 1)
	s.current.markLive(s.current.slots - 1)
}

// storeName keeps a name and says where it is.
func (s *ObjectIndex) storeName(name string) uint64 {
	k := len(s.current.arenas) - 1
	if k < 0 || len(s.current.arenas[k])-s.arenaUsed < len(name) {
		size := minArenaSize << min(len(s.current.arenas), 8)
		s.current.arenas = append(s.current.arenas, make([]byte, max(min(size, maxArenaSize), len(name))))
		s.arenaUsed, k = 0, k+1
	}
	copy(s.current.arenas[k][s.arenaUsed:], name)
	at := uint64(k)<<40 | uint64(s.arenaUsed)<<16 | uint64(len(name))
	s.arenaUsed += len(name)
	return at
}

// pack makes a row of an object; name says where its name is kept. What does not fit is kept as it is.
func (s *ObjectIndex) pack(o *Object, name func() uint64) packedObject {
	p := packedObject{etag: o.ETag.sum, size: uint64(o.Size)<<17 | uint64(o.ETag.parts)<<1}
	stamp, fits := packTime(o.Modified)
	owner, known := s.internOwner(o.Owner.raw)
	if !fits || !known || o.Size < 0 || o.Size >= maxSize || o.ETag.raw != "" || len(o.Name.raw) >= maxNameLen {
		s.current.overflow = append(s.current.overflow, cloneObject(*o))
		return packedObject{size: uint64(len(s.current.overflow) - 1), meta: isOverflow}
	}
	p.meta = stamp<<16 | uint64(owner)<<4 | uint64(o.Modified.format)<<2
	if o.ETag.md5 {
		p.meta |= hasMD5
	}
	if isLowerASCII(o.Name.raw) {
		p.size |= nameIsLower
	}
	p.name = name()
	return p
}

// internOwner is the number of an owner, as long as there are few.
func (s *ObjectIndex) internOwner(owner string) (int, bool) {
	if s.lastOwner < len(s.current.owners) && s.current.owners[s.lastOwner] == owner {
		return s.lastOwner, true
	}
	if n, known := s.owners[owner]; known {
		s.lastOwner = n
		return n, true
	}
	n := len(s.current.owners)
	if n == maxOwners || len(owner) >= maxNameLen {
		return 0, false
	}
	owner = strings.Clone(owner)
	s.owners[owner], s.current.owners = n, append(s.current.owners, owner)
	return n, true
}

// cloneObject is an object with texts of its own.
func cloneObject(o Object) Object {
	o.Name.raw, o.ETag.raw, o.Modified.raw, o.Owner.raw = strings.Clone(
		o.Name.raw,
	), strings.Clone(
		o.ETag.raw,
	), strings.Clone(
		o.Modified.raw,
	), strings.Clone(
		o.Owner.raw,
	)
	return o
}

// isLowerASCII reports whether a name is plain ASCII without capitals: its lower-case form is itself.
func isLowerASCII(name string) bool {
	for i := range len(name) {
		if c := name[i]; c >= 0x80 || c >= 'A' && c <= 'Z' {
			return false
		}
	}
	return true
}

// packedObject is an object without its name, in 40 bytes.
type packedObject struct {
	etag [16]byte
	size uint64 // 47 bits size, 16 bits parts of the tag, nameIsLower; of an odd row its place among the odd
	meta uint64 // 48 bits stamp, 12 bits owner, 2 bits form of the stamp, hasMD5, isOverflow
	name uint64 // 24 bits arena, 24 bits offset, 16 bits length
}

const (
	nameIsLower = 1 // of size
	isOverflow  = 1 // of rest
	hasMD5      = 2 // of rest
)

// yearOne is the zero time in milliseconds of Unix time.
var yearOne = time.Time{}.UnixMilli()

// packTime makes a number of a stamp of a usual form, or of none at all.
func packTime(t Time) (uint64, bool) {
	ms := uint64(t.t.UnixMilli() - yearOne)
	return ms, t.raw == "" && ms < maxMillis && t.t.Nanosecond()%1e6 == 0 && (t.format != formatOther || ms == 0)
}

func (p *packedObject) unpack(s *ObjectSnapshot) Object {
	if p.meta&isOverflow != 0 {
		return s.overflow[p.size]
	}
	o := Object{Name: Text{s.text(p.name)}, Size: int64(p.size >> 17), Owner: Text{s.owners[p.meta>>4&(maxOwners-1)]}}
	if p.meta&hasMD5 != 0 {
		o.ETag = ETag{sum: p.etag, md5: true, parts: uint16(p.size >> 1)}
	}
	if form := timeFormat(p.meta >> 2 & 3); form != formatOther {
		o.Modified = Time{t: time.UnixMilli(int64(p.meta>>16) + yearOne).UTC(), format: form}
	}
	return o
}

// isPrefix reports whether a row is a common prefix.
func (p *packedObject) isPrefix(s *ObjectSnapshot) bool {
	if p.meta&isOverflow != 0 {
		return s.overflow[p.size].IsPrefix()
	}
	return p.meta&hasMD5 == 0 && p.meta>>2&3 == 0 && s.owners[p.meta>>4&(maxOwners-1)] == ""
}

// A ObjectSnapshot is a shelf at one moment. It may be used from many goroutines. Rows are spoken of by their places.
type ObjectSnapshot struct {
	chunks        [][]packedObject // chunkRows in each but the last; rows are never changed once they are here
	arenas        [][]byte         // bytes are never changed once they are here
	owners        []string
	overflow      []Object // rows that do not fit into 40 bytes
	slots         int      // rows, the dropped included
	deleted       int      // rows dropped
	liveBits      []uint64 // one bit a row; nil as long as none was dropped
	deletedBefore []int32  // rows dropped in the chunks before each; nil with live
	sorted        bool     // every name is above the one before
}

// Len is how many objects are held.
func (s *ObjectSnapshot) Len() int { return s.slots - s.deleted }

// At is the object at a place, 0 ≤ i < Len.
func (s *ObjectSnapshot) At(i int) Object { return s.row(s.slotAt(i)).unpack(s) }

// Name is the raw name at a place.
func (s *ObjectSnapshot) Name(i int) string { return s.name(s.slotAt(i)) }

func (s *ObjectSnapshot) row(slot int) *packedObject {
	return &s.chunks[slot/chunkRows][slot%chunkRows]
}

func (s *ObjectSnapshot) name(slot int) string { return s.nameOf(s.row(slot)) }

func (s *ObjectSnapshot) nameOf(p *packedObject) string {
	if p.meta&isOverflow != 0 {
		return s.overflow[p.size].Name.raw
	}
	return s.text(p.name)
}

// text is a name in its arena. No byte of an arena is ever written twice, so the text cannot change.
func (s *ObjectSnapshot) text(at uint64) string {
	n := int(at & 0xffff)
	if n == 0 {
		return ""
	}
	return unsafe.String(&s.arenas[at>>40][at>>16&0xffffff], n)
}

// slotAt is where the row of a place is: as many live rows stand before it.
func (s *ObjectSnapshot) slotAt(place int) int {
	if s.liveBits == nil {
		return place
	}
	k := sort.Search(len(s.deletedBefore), func(k int) bool { return k*chunkRows-int(s.deletedBefore[k]) > place }) - 1
	left := place - (k*chunkRows - int(s.deletedBefore[k]))
	for w := k * chunkRows / 64; ; w++ {
		word := s.liveBits[w]
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

// positionOf is how many live rows stand before a slot.
func (s *ObjectSnapshot) positionOf(slot int) int {
	if s.liveBits == nil {
		return slot
	}
	k := slot / chunkRows
	n := k*chunkRows - int(s.deletedBefore[k])
	for w := k * chunkRows / 64; w < slot/64; w++ {
		n += bits.OnesCount64(s.liveBits[w])
	}
	return n + bits.OnesCount64(s.liveBits[slot/64]&(1<<(slot%64)-1))
}

func (s *ObjectSnapshot) isLive(slot int) bool {
	return s.liveBits == nil || s.liveBits[slot/64]&(1<<(slot%64)) != 0
}

// markDeleted marks a row as gone.
func (s *ObjectSnapshot) markDeleted(slot int) {
	if s.liveBits == nil {
		s.liveBits, s.deletedBefore = make([]uint64, (s.slots+63)/64), make([]int32, len(s.chunks))
		for i := range s.slots {
			s.liveBits[i/64] |= 1 << (i % 64)
		}
	}
	s.liveBits[slot/64] &^= 1 << (slot % 64)
	s.deleted++
	for k := slot/chunkRows + 1; k < len(s.deletedBefore); k++ {
		s.deletedBefore[k]++
	}
}

// markLive marks a new row as there.
func (s *ObjectSnapshot) markLive(slot int) {
	if s.liveBits == nil {
		return
	}
	if slot/64 == len(s.liveBits) {
		s.liveBits = append(s.liveBits, 0)
	}
	s.liveBits[slot/64] |= 1 << (slot % 64)
}
