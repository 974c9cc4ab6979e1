package client

import "hash/maphash"

// maxSlots bounds the rows of a shelf: a word of its index holds 27 bits of slot.
const maxSlots = 1<<27 - 1

// nameIndex finds slots by name: open addressing in shards that grow one by one, so that no page pays for all rows.
type nameIndex struct {
	seed   maphash.Seed
	shards [64]shard
}

// A shard is a table of words: 5 bits of the hash and the slot + 1; 0 is free. Words of dropped rows stay until it grows.
type shard struct {
	words []uint32
	used  int
}

func newNameIndex() nameIndex { return nameIndex{seed: maphash.MakeSeed()} }

// find is the live slot of a name.
func (x *nameIndex) find(rows *Snapshot, name string) (slot int, held bool) {
	h := maphash.String(x.seed, name)
	sh := &x.shards[h%uint64(len(x.shards))]
	if sh.words == nil {
		return 0, false
	}
	at, held := sh.seek(rows, h, name)
	return int(sh.words[at]&maxSlots) - 1, held
}

// add gives the next slot to a name, unless the name is held.
func (x *nameIndex) add(rows *Snapshot, name string) bool {
	h := maphash.String(x.seed, name)
	sh := &x.shards[h%uint64(len(x.shards))]
	if 4*(sh.used+1) > 3*len(sh.words) {
		sh.grow(rows, x.seed)
	}
	at, held := sh.seek(rows, h, name)
	if held {
		return false
	}
	sh.words[at] = word(h, rows.slots)
	sh.used++
	return true
}

// seek is where a name stands, or the free word where it belongs.
func (sh *shard) seek(rows *Snapshot, h uint64, name string) (at int, held bool) {
	mask := len(sh.words) - 1
	for at = int(h>>6) & mask; ; at = (at + 1) & mask {
		w := sh.words[at]
		if w == 0 {
			return at, false
		}
		if slot := int(w&maxSlots) - 1; w>>27 == uint32(h>>59) && rows.alive(slot) && rows.name(slot) == name {
			return at, true
		}
	}
}

// grow doubles the table and leaves dropped rows behind.
func (sh *shard) grow(rows *Snapshot, seed maphash.Seed) {
	old := sh.words
	sh.words, sh.used = make([]uint32, max(8, 2*len(old))), 0
	mask := len(sh.words) - 1
	for _, w := range old {
		slot := int(w&maxSlots) - 1
		if w == 0 || !rows.alive(slot) {
			continue
		}
		h := maphash.String(seed, rows.name(slot))
		at := int(h>>6) & mask
		for sh.words[at] != 0 {
			at = (at + 1) & mask
		}
		sh.words[at] = w
		sh.used++
	}
}

func word(h uint64, slot int) uint32 { return uint32(h>>59)<<27 | uint32(slot+1) }
