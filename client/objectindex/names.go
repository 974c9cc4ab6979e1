package objectindex

import "encoding/binary"

const (
	blockNames = 16  // names of a block
	longSuffix = 255 // stands for the length of a suffix of this many bytes or more, which follows
)

// A nameChunk holds the names of chunkRows rows in the order of their slots. It only grows, so that a copy of it never
// changes. Names are in blocks: the first name of a block is whole, the others leave out what they share with the first
// at the beginning. A name is therefore found without decoding those before it. Each is encoded as the number of shared
// bytes, the length of the suffix, and the suffix.
type nameChunk struct {
	text   []byte
	blocks []int // offsets of the blocks in text
	names  int
}

// add appends a name.
func (c *nameChunk) add(name string) {
	shared := 0
	if c.names%blockNames == 0 {
		c.blocks = append(c.blocks, len(c.text))
	} else {
		first, _ := suffixAt(c.text, c.blocks[len(c.blocks)-1])
		for most := min(len(first), len(name), 255); shared < most && first[shared] == name[shared]; {
			shared++
		}
	}
	c.text = append(c.text, byte(shared), byte(min(len(name)-shared, longSuffix)))
	if len(name)-shared >= longSuffix {
		c.text = binary.AppendUvarint(c.text, uint64(len(name)-shared))
	}
	c.text = append(c.text, name[shared:]...)
	c.names++
}

// suffixAt returns the suffix of the name that is encoded at an offset, and the offset behind it.
func suffixAt(text []byte, at int) (suffix []byte, end int) {
	n := int(text[at+1])
	at += 2
	if n == longSuffix {
		long, size := binary.Uvarint(text[at:])
		n, at = int(long), at+size
	}
	return text[at : at+n], at + n
}

// parts returns the name with a number in two parts: what it shares with the first of its block, and the rest.
func (c *nameChunk) parts(number int) (shared, suffix []byte) {
	at := c.blocks[number/blockNames]
	first, end := suffixAt(c.text, at)
	for range number % blockNames {
		at = end
		suffix, end = suffixAt(c.text, at)
	}
	if number%blockNames == 0 {
		return nil, first
	}
	return first[:c.text[at]], suffix
}

// A nameReader reads the names of a snapshot. Reading them in their order is the fastest.
type nameReader struct {
	rows   *Snapshot
	next   int    // slot of the name at offset at, if it is in the block of the previous name
	at     int    // offset in the chunk
	first  []byte // name of the block
	name   []byte // the name that was read last
	intact int    // bytes at its beginning that are those of first
}

// read returns the name of a slot. It is valid until the next call.
func (r *nameReader) read(slot int) []byte {
	chunk := &r.rows.names[slot/chunkRows]
	if slot < r.next || slot/blockNames != (r.next-1)/blockNames || r.first == nil {
		r.at = chunk.blocks[slot%chunkRows/blockNames]
		r.first, r.at = suffixAt(chunk.text, r.at)
		r.next = slot/blockNames*blockNames + 1
		r.name, r.intact = append(r.name[:0], r.first...), len(r.first)
		if slot < r.next {
			return r.name
		}
	}
	for ; r.next < slot; r.next++ {
		_, r.at = suffixAt(chunk.text, r.at)
	}
	shared := int(chunk.text[r.at])
	if shared > r.intact {
		r.name = append(r.name[:r.intact], r.first[r.intact:shared]...)
	}
	var suffix []byte
	suffix, r.at = suffixAt(chunk.text, r.at)
	r.name, r.intact, r.next = append(r.name[:shared], suffix...), shared, slot+1
	return r.name
}

// hasName reports whether the row in a slot has a name.
func (s *Snapshot) hasName(slot int, name string) bool {
	shared, suffix := s.names[slot/chunkRows].parts(slot % chunkRows)
	return len(name) == len(shared)+len(suffix) && name[:len(shared)] == string(shared) &&
		name[len(shared):] == string(suffix)
}

// appendName appends the name of the row in a slot.
func (s *Snapshot) appendName(b []byte, slot int) []byte {
	shared, suffix := s.names[slot/chunkRows].parts(slot % chunkRows)
	return append(append(b, shared...), suffix...)
}

// name returns the name of the row in a slot.
func (s *Snapshot) name(slot int) string {
	var room [128]byte
	return string(s.appendName(room[:0], slot))
}
