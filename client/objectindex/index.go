// Package objectindex holds millions of objects in little memory, and finds, filters and sorts them.
package objectindex

import (
	"bytes"
	"math/bits"
	"slices"
	"sort"
	"strings"

	"lookout/client"
)

// Limits of an index.
const (
	chunkRows = 1 << 12 // rows of a chunk
	maxOwners = 1 << 12 // different owners; rows with further ones go to overflow
	maxSize   = 1 << 47 // bytes of an object; rows of larger ones go to overflow
)

// An Index holds objects in the order of their arrival, with about 60 bytes each, and finds them by name. Only one
// goroutine may use it; others work on a Snapshot.
type Index struct {
	current   Snapshot
	names     nameIndex
	lastName  []byte
	owners    map[string]int
	lastOwner int // of the previous row: most have the same
}

// New returns an empty index.
func New() *Index {
	return &Index{current: Snapshot{sorted: true}, names: newNameIndex(), owners: map[string]int{}}
}

// Len returns the number of objects.
func (s *Index) Len() int { return s.current.Len() }

// At returns the object at position i, 0 ≤ i < Len.
func (s *Index) At(i int) client.Object { return s.current.At(i) }

// Index returns the position of the object with a name.
func (s *Index) Index(name string) (int, bool) {
	slot, held := s.names.find(&s.current, name)
	if !held {
		return 0, false
	}
	return s.current.positionOf(slot), true
}

// Append adds objects with new names and returns the number of the others, which it drops.
func (s *Index) Append(rows []*client.Object) (dropped int) {
	for _, o := range rows {
		if s.current.slots == maxSlots || !s.names.add(&s.current, o.Name.Raw()) {
			dropped++
			continue
		}
		s.appendRow(o)
	}
	return dropped
}

// Put replaces the object with a name in its position, or appends it. If the new row has another name, it moves to the
// end.
func (s *Index) Put(name string, row *client.Object) {
	slot, held := s.names.find(&s.current, name)
	if !held || row.Name.Raw() != name {
		s.Drop(name)
		s.Append([]*client.Object{row})
		return
	}
	k, i := slot/chunkRows, slot%chunkRows
	s.current.chunks[k] = slices.Clone(s.current.chunks[k]) // snapshots keep theirs
	s.current.chunks[k][i] = s.pack(row)
}

// Drop removes the object with a name. Its memory is freed with the index.
func (s *Index) Drop(name string) {
	if slot, held := s.names.find(&s.current, name); held {
		s.current.markDeleted(slot)
	}
}

// Snapshot returns the current state, which does not change any more. It is cheap.
func (s *Index) Snapshot() *Snapshot {
	snapshot := s.current
	snapshot.chunks = slices.Clone(snapshot.chunks)
	snapshot.names = slices.Clone(snapshot.names)
	snapshot.liveBits = slices.Clone(snapshot.liveBits)
	snapshot.deletedBefore = slices.Clone(snapshot.deletedBefore)
	return &snapshot
}

// appendRow puts an object into the next slot.
func (s *Index) appendRow(o *client.Object) {
	k := s.current.slots / chunkRows
	if k == len(s.current.chunks) {
		s.current.addChunk()
	}
	name := o.Name.Raw()
	s.current.chunks[k] = append(s.current.chunks[k], s.pack(o))
	s.current.names[k].add(name, s.lastName)
	s.current.sorted = s.current.sorted && (s.current.slots == 0 || name > string(s.lastName))
	s.current.slots++
	s.lastName = append(s.lastName[:0], name...)
	s.current.markLive(s.current.slots - 1)
}

// addChunk adds a chunk for further rows.
func (s *Snapshot) addChunk() {
	var rows []packedObject
	var names nameChunk
	if k := len(s.chunks); k > 0 {
		full := &s.names[k-1]
		names = nameChunk{
			text:   make([]byte, 0, len(full.text)+len(full.text)/8),
			blocks: make([]int, 0, chunkRows/blockNames),
		}
		full.text = bytes.Clone(full.text)
		rows = make([]packedObject, 0, chunkRows)
	}
	s.chunks, s.names = append(s.chunks, rows), append(s.names, names)
	if s.liveBits != nil {
		s.deletedBefore = append(s.deletedBefore, int32(s.deleted))
	}
}

// pack returns the row of an object, without its name. An object that does not fit goes to overflow.
func (s *Index) pack(o *client.Object) packedObject {
	sum, parts, hasSum := o.ETag.Checksum()
	at, format, fits := o.Modified.Pack()
	owner, known := s.internOwner(o.Owner.Raw())
	if !fits || !known || o.Size < 0 || o.Size >= maxSize || !hasSum && !o.ETag.IsZero() {
		nameless := *o
		nameless.Name = client.ServerText{}
		s.current.overflow = append(s.current.overflow, nameless.Clone())
		return packedObject{size: uint64(len(s.current.overflow) - 1), meta: isOverflow}
	}
	p := packedObject{etag: sum, size: uint64(o.Size)<<17 | uint64(parts)<<1}
	p.meta = at<<16 | uint64(owner)<<4 | uint64(format)<<2
	if hasSum {
		p.meta |= hasMD5
	}
	if isLowerASCII(o.Name.Raw()) {
		p.size |= nameIsLower
	}
	return p
}

// internOwner returns the number of an owner; false if there are too many.
func (s *Index) internOwner(owner string) (int, bool) {
	if s.lastOwner < len(s.current.owners) && s.current.owners[s.lastOwner] == owner {
		return s.lastOwner, true
	}
	if n, known := s.owners[owner]; known {
		s.lastOwner = n
		return n, true
	}
	n := len(s.current.owners)
	if n == maxOwners {
		return 0, false
	}
	owner = strings.Clone(owner)
	s.owners[owner], s.current.owners = n, append(s.current.owners, owner)
	return n, true
}

// isLowerASCII reports whether a name is ASCII without capitals, so that it equals its lower-case form.
func isLowerASCII(name string) bool {
	for i := range len(name) {
		if c := name[i]; c >= 0x80 || c >= 'A' && c <= 'Z' {
			return false
		}
	}
	return true
}

// A packedObject is an object in 32 bytes, with its name elsewhere.
type packedObject struct {
	etag [16]byte
	size uint64 // 47 bits size, 16 bits parts of the ETag, nameIsLower; or the index in overflow
	meta uint64 // 48 bits time, 12 bits owner, 2 bits format of the time, hasMD5, isOverflow
}

const (
	nameIsLower = 1 // in size
	isOverflow  = 1 // in meta
	hasMD5      = 2 // in meta
)

func (p *packedObject) unpack(s *Snapshot, name string) client.Object {
	if p.meta&isOverflow != 0 {
		o := s.overflow[p.size]
		o.Name = client.NewText(name)
		return o
	}
	o := client.Object{
		Name:     client.NewText(name),
		Size:     int64(p.size >> 17),
		Owner:    client.NewText(s.owners[p.meta>>4&(maxOwners-1)]),
		Modified: client.UnpackTime(p.meta>>16, uint8(p.meta>>2&3)),
	}
	if p.meta&hasMD5 != 0 {
		o.ETag = client.ChecksumETag(p.etag, uint16(p.size>>1))
	}
	return o
}

// isPrefix reports whether the row is a common prefix.
func (p *packedObject) isPrefix(s *Snapshot) bool {
	if p.meta&isOverflow != 0 {
		return s.overflow[p.size].IsPrefix()
	}
	return p.meta&hasMD5 == 0 && p.meta>>2&3 == 0 && s.owners[p.meta>>4&(maxOwners-1)] == ""
}

// A Snapshot is the state of an Index at one moment. Its methods are safe for concurrent use. They identify
// rows by their positions.
type Snapshot struct {
	chunks        [][]packedObject // chunkRows rows in each but the last; rows are never changed
	names         []nameChunk      // of the rows of each chunk
	owners        []string
	overflow      []client.Object // rows that do not fit into 32 bytes, without their names
	slots         int             // rows, including dropped ones
	deleted       int             // dropped rows
	liveBits      []uint64        // one bit per row; nil as long as none was dropped
	deletedBefore []int32         // dropped rows in the chunks before each; nil if liveBits is
	sorted        bool            // every name is greater than the previous one
}

// Len returns the number of objects.
func (s *Snapshot) Len() int { return s.slots - s.deleted }

// At returns the object at position i, 0 ≤ i < Len.
func (s *Snapshot) At(i int) client.Object {
	slot := s.slotAt(i)
	return s.row(slot).unpack(s, s.name(slot))
}

// Name returns the raw name at position i.
func (s *Snapshot) Name(i int) string { return s.name(s.slotAt(i)) }

func (s *Snapshot) row(slot int) *packedObject {
	return &s.chunks[slot/chunkRows][slot%chunkRows]
}

// slotAt returns the slot of the row at a position: the number of live rows before it.
func (s *Snapshot) slotAt(place int) int {
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

// positionOf returns the number of live rows before a slot.
func (s *Snapshot) positionOf(slot int) int {
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

func (s *Snapshot) isLive(slot int) bool {
	return s.liveBits == nil || s.liveBits[slot/64]&(1<<(slot%64)) != 0
}

// markDeleted marks a row as dropped.
func (s *Snapshot) markDeleted(slot int) {
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

// markLive marks a new row as live.
func (s *Snapshot) markLive(slot int) {
	if s.liveBits == nil {
		return
	}
	if slot/64 == len(s.liveBits) {
		s.liveBits = append(s.liveBits, 0)
	}
	s.liveBits[slot/64] |= 1 << (slot % 64)
}
