package objectindex

import "lookout/client/objectnames"

// blockNames is the number of names of a block.
const blockNames = 16

// A nameChunk holds the names of chunkRows rows in the order of their slots. It only grows, so that a copy of it never
// changes. Names are in blocks, so that one is found without decoding all those before it: the first name of a block is
// whole, the others leave out what they share with the one before.
type nameChunk struct {
	text   []byte
	blocks []int // offsets of the blocks in text
	names  int
}

// add appends a name behind another one.
func (c *nameChunk) add(name string, before []byte) {
	if c.names%blockNames == 0 {
		c.blocks, before = append(c.blocks, len(c.text)), nil
	}
	c.text = objectnames.AppendName(c.text, before, name)
	c.names++
}

// block returns the text from the block of a slot on.
func (c *nameChunk) block(slot int) []byte { return c.text[c.blocks[slot%chunkRows/blockNames]:] }

// A nameReader reads the names of a snapshot. Reading them in their order is the fastest.
type nameReader struct {
	rows *Snapshot
	next int    // slot of the name at the beginning of text, if it is in the block of the previous name
	text []byte // of the chunk from there on
	name []byte // the name that was read last
}

// read returns the name of a slot. It is valid until the next call.
func (r *nameReader) read(slot int) []byte {
	if slot < r.next || slot/blockNames != (r.next-1)/blockNames || r.text == nil {
		r.text = r.rows.names[slot/chunkRows].block(slot)
		r.next = slot / blockNames * blockNames
	}
	for ; r.next <= slot; r.next++ {
		r.name, r.text, _ = objectnames.NextName(r.text, r.name)
	}
	return r.name
}

// hasName reports whether the row in a slot has a name.
func (s *Snapshot) hasName(slot int, name string) bool {
	var room [128]byte
	return string(s.readName(slot, room[:0])) == name
}

// name returns the name of the row in a slot.
func (s *Snapshot) name(slot int) string {
	var room [128]byte
	return string(s.readName(slot, room[:0]))
}

// readName returns the name of the row in a slot, in room if it fits.
func (s *Snapshot) readName(slot int, room []byte) []byte {
	text := s.names[slot/chunkRows].block(slot)
	for range slot%blockNames + 1 {
		room, text, _ = objectnames.NextName(text, room)
	}
	return room
}
