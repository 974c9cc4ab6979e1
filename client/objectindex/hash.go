package objectindex

import "hash/maphash"

// maxSlots is the most rows of an index: a word of its hash table holds 27 bits of the slot.
const maxSlots = 1<<27 - 1

// A nameIndex finds slots by name. It uses open addressing in shards that grow one by one, so that no single page waits
// until all rows are rehashed.
type nameIndex struct {
	seed   maphash.Seed
	hashes []uint32 // of every slot, so that a shard grows without reading names
	shards [64]shard
}

// A shard is a table of words: 5 bits of the hash, and the slot + 1; 0 is free. Words of dropped rows stay until the
// shard grows.
type shard struct {
	words []uint32
	used  int
}

func newNameIndex() nameIndex { return nameIndex{seed: maphash.MakeSeed()} }

// find returns the live slot of a name.
func (x *nameIndex) find(rows *Snapshot, name string) (slot int, held bool) {
	h := x.hash(name)
	sh := &x.shards[h%uint32(len(x.shards))]
	if sh.words == nil {
		return 0, false
	}
	at, held := x.probe(sh, rows, h, name)
	return int(sh.words[at]&maxSlots) - 1, held
}

// add assigns the next slot to a name, unless the index has the name.
func (x *nameIndex) add(rows *Snapshot, name string) bool {
	h := x.hash(name)
	sh := &x.shards[h%uint32(len(x.shards))]
	if 4*(sh.used+1) > 3*len(sh.words) {
		x.grow(sh, rows)
	}
	at, held := x.probe(sh, rows, h, name)
	if held {
		return false
	}
	x.hashes = append(x.hashes, h)
	sh.words[at] = packSlot(h, rows.slots)
	sh.used++
	return true
}

func (x *nameIndex) hash(name string) uint32 { return uint32(maphash.String(x.seed, name) >> 32) }

// probe returns where a name is, or the free word where it belongs.
func (x *nameIndex) probe(sh *shard, rows *Snapshot, h uint32, name string) (at int, held bool) {
	mask := len(sh.words) - 1
	for at = probeStart(h) & mask; ; at = (at + 1) & mask {
		w := sh.words[at]
		if w == 0 {
			return at, false
		}
		if slot := int(w&maxSlots) - 1; w>>27 == h>>27 && x.hashes[slot] == h && rows.isLive(slot) &&
			rows.hasName(slot, name) {
			return at, true
		}
	}
}

// grow doubles a table and removes dropped rows from it.
func (x *nameIndex) grow(sh *shard, rows *Snapshot) {
	old := sh.words
	sh.words, sh.used = make([]uint32, max(8, 2*len(old))), 0
	mask := len(sh.words) - 1
	for _, w := range old {
		slot := int(w&maxSlots) - 1
		if w == 0 || !rows.isLive(slot) {
			continue
		}
		at := probeStart(x.hashes[slot]) & mask
		for sh.words[at] != 0 {
			at = (at + 1) & mask
		}
		sh.words[at] = w
		sh.used++
	}
}

// probeStart returns the first word to try for a hash: the low bits selected the shard, and the high bits are in the
// word.
func probeStart(h uint32) int { return int(h >> 6) }

func packSlot(h uint32, slot int) uint32 { return h>>27<<27 | uint32(slot+1) }
