// Package objectnames holds the names of many objects of a bucket in little memory: each without what it shares with
// the name before it.
package objectnames

import (
	"bytes"
	"encoding/binary"
	"errors"
	"iter"
	"slices"
	"sort"
	"strings"
)

// blockNames is the number of names in a block. The first name of a block is whole; each other one says how many bytes
// it shares with the one before.
const blockNames = 64

// An ObjectEntry is the name and the size of an object; a negative size is not known.
type ObjectEntry struct {
	Name string
	Size int64
}

// SortedNames holds the names and sizes of objects of a bucket, sorted by name, each once. It never changes.
type SortedNames struct {
	bucket string
	blocks [][]byte
	n      int
	bytes  int64
	prefix string
}

// Bucket returns the id of the bucket: "us-east-1/photos".
func (l *SortedNames) Bucket() string { return l.bucket }

// Len returns the number of objects.
func (l *SortedNames) Len() int { return l.n }

// Bytes returns the sum of the sizes that are known.
func (l *SortedNames) Bytes() int64 { return l.bytes }

// Prefix returns what all names begin with.
func (l *SortedNames) Prefix() string { return l.prefix }

// From returns the objects from position i on.
func (l *SortedNames) From(i int) iter.Seq[ObjectEntry] {
	return func(yield func(ObjectEntry) bool) {
		for b := i / blockNames; b < len(l.blocks); b++ {
			at := b * blockNames
			for o := range decode(l.blocks[b]) {
				if at++; at > i && !yield(o) {
					return
				}
			}
		}
	}
}

// Contains reports whether an object is in the list.
func (l *SortedNames) Contains(name string) bool {
	b := sort.Search(len(l.blocks), func(b int) bool { return string(firstName(l.blocks[b])) > name }) - 1
	if b < 0 {
		return false
	}
	for o := range decode(l.blocks[b]) {
		if o.Name >= name {
			return o.Name == name
		}
	}
	return false
}

// A SortedNamesBuilder makes a SortedNames. Names in their order take the least memory while they are added.
type SortedNamesBuilder struct {
	list  SortedNames
	open  []byte // the block that is not complete
	last  []byte
	mixed bool // the names did not come in order, or not once each
}

// NewSortedNamesBuilder returns a builder of the sorted names of objects of a bucket.
func NewSortedNamesBuilder(bucket string) *SortedNamesBuilder {
	return &SortedNamesBuilder{list: SortedNames{bucket: bucket}}
}

// Len returns how many objects were added.
func (b *SortedNamesBuilder) Len() int { return b.list.n }

// Add adds an object.
func (b *SortedNamesBuilder) Add(o ObjectEntry) {
	if b.list.n == 0 {
		b.list.prefix = strings.Clone(o.Name)
	} else {
		b.mixed = b.mixed || o.Name <= string(b.last)
		for !strings.HasPrefix(o.Name, b.list.prefix) {
			b.list.prefix = b.list.prefix[:len(b.list.prefix)-1]
		}
	}
	if b.list.n%blockNames == 0 {
		b.close()
		b.last = b.last[:0]
	}
	b.open = appendObject(b.open, b.last, o)
	b.list.n++
	b.list.bytes += max(0, o.Size)
	b.last = append(b.last[:0], o.Name...)
}

// close puts the open block into the list.
func (b *SortedNamesBuilder) close() {
	if len(b.open) > 0 {
		b.list.blocks, b.open = append(b.list.blocks, bytes.Clone(b.open)), b.open[:0]
	}
}

// List returns the sorted names of the objects that were added. The builder must not be used again.
func (b *SortedNamesBuilder) List() *SortedNames {
	b.close()
	if !b.mixed {
		return &b.list
	}
	all := slices.Collect(b.list.From(0))
	slices.SortStableFunc(all, func(o, p ObjectEntry) int { return strings.Compare(o.Name, p.Name) })
	all = slices.CompactFunc(all, func(o, p ObjectEntry) bool { return o.Name == p.Name })
	sorted := NewSortedNamesBuilder(b.list.bucket)
	for _, o := range all {
		sorted.Add(o)
	}
	return sorted.List()
}

// Encode returns names as a text that Decode reads.
func Encode(names []string) []byte {
	var text, before []byte
	for _, name := range names {
		text = appendObject(text, before, ObjectEntry{Name: name, Size: -1})
		before = append(before[:0], name...)
	}
	return text
}

// errInvalid means that a text is not one that Encode has made.
var errInvalid = errors.New("the list of names is invalid")

// Decode returns the names that Encode was given.
func Decode(text []byte) (names []string, err error) {
	left := len(text)
	for o, rest := range decodeCounting(text) {
		names, left = append(names, o.Name), rest
	}
	if left > 0 {
		return nil, errInvalid
	}
	return names, nil
}

func appendObject(text, before []byte, o ObjectEntry) []byte {
	return binary.AppendUvarint(AppendName(text, before, o.Name), uint64(max(-1, o.Size)+1))
}

// firstName returns the first name of a block.
func firstName(block []byte) []byte {
	name, _, _ := NextName(block, nil)
	return name
}

func decode(block []byte) iter.Seq[ObjectEntry] {
	return func(yield func(ObjectEntry) bool) {
		for o := range decodeCounting(block) {
			if !yield(o) {
				return
			}
		}
	}
}

// decodeCounting returns the objects of a text and the bytes behind each. It stops at what is invalid.
func decodeCounting(text []byte) iter.Seq2[ObjectEntry, int] {
	return func(yield func(ObjectEntry, int) bool) {
		var name []byte
		for len(text) > 0 {
			var ok bool
			if name, text, ok = NextName(text, name); !ok {
				return
			}
			size, n := binary.Uvarint(text)
			if n <= 0 {
				return
			}
			if text = text[n:]; !yield(ObjectEntry{string(name), int64(size) - 1}, len(text)) {
				return
			}
		}
	}
}
