package transfer

import (
	"encoding/binary"
	"hash/maphash"
	"iter"
	"slices"
	"strings"

	"lookout/client"
	"lookout/client/objectnames"
)

// listBlock is how many files a block of a FileList holds.
const listBlock = 64

// A FileList holds the files of a plan in some 60 bytes each. Files are added at its end and never change, except for
// their states and what has their names at the target.
type FileList struct {
	blocks  [][]byte // each file of a block holds what its name does not share with the one before
	states  []ComparisonResult
	targets []string // of each file, the object that has its name at the target, without that name; see setTarget
	owners  []client.ServerText
	places  []filePlace
	placeOf map[filePlace]int
	counts  [fileLeftOut + 1]int
	bytes   [fileLeftOut + 1]int64
	names   map[int]string  // what files are called at the target, if it is not what they would be called
	taken   map[string]bool // the same names
	last    []byte          // name of the last file
}

// A filePlace is what the paths of many files have in common.
type filePlace struct{ folder, head string }

// Len returns the number of files.
func (l *FileList) Len() int {
	return len(l.states) - l.counts[fileLeftOut]
}

// Count returns how many files have a state, and the bytes of their sources.
func (l *FileList) Count(s ComparisonResult) (files int, bytes int64) {
	return l.counts[s], l.bytes[s]
}

// All returns the files in their order.
func (l *FileList) All() iter.Seq[PlannedFile] {
	return func(yield func(PlannedFile) bool) {
		for _, f := range l.from(0) {
			if f.State != fileLeftOut && !yield(f) {
				return
			}
		}
	}
}

// from returns the files from position i on, with those that were left out.
func (l *FileList) from(i int) iter.Seq2[int, PlannedFile] {
	return func(yield func(int, PlannedFile) bool) {
		for ; i < l.length(); i = (i/listBlock + 1) * listBlock {
			for at, f := range l.block(i/listBlock, i%listBlock) {
				if !yield(at, f) {
					return
				}
			}
		}
	}
}

// at returns the file at a position.
func (l *FileList) at(i int) (f PlannedFile) {
	for _, f = range l.block(i/listBlock, i%listBlock) {
		break
	}
	return f
}

// A fileReader reads single files of a list, fastest those that are near each other.
type fileReader struct {
	list  *FileList
	block int
	files []PlannedFile
}

// at returns the file at a position.
func (r *fileReader) at(i int) PlannedFile {
	if b := i / listBlock; b != r.block || i%listBlock >= len(r.files) {
		r.block, r.files = b, r.files[:0]
		for _, f := range r.list.block(b, 0) {
			r.files = append(r.files, f)
		}
	}
	return r.files[i%listBlock]
}

// add adds a file.
func (l *FileList) add(f PlannedFile) {
	if l.placeOf == nil {
		l.placeOf = map[filePlace]int{}
	}
	if len(l.states)%listBlock == 0 {
		l.blocks, l.last = append(l.blocks, nil), l.last[:0]
	}
	b := &l.blocks[len(l.blocks)-1]
	same := 0 // bytes at the ends of the name and the path
	for same < len(f.Name) && same < len(f.Path) && f.Name[len(f.Name)-1-same] == f.Path[len(f.Path)-1-same] {
		same++
	}
	place := filePlace{f.Folder, f.Path[:len(f.Path)-same]}
	number, known := l.placeOf[place]
	if !known {
		place.head = strings.Clone(place.head)
		number = len(l.places)
		l.places, l.placeOf[place] = append(l.places, place), number
	}
	*b = objectnames.AppendName(*b, l.last, f.Name)
	*b = binary.AppendUvarint(*b, uint64(number))
	*b = binary.AppendUvarint(*b, uint64(same))
	*b = binary.AppendVarint(*b, f.Size)
	switch {
	case f.Source != nil:
		*b = appendSource(append(*b, sourceIsCopied), f.Source)
	case f.Object.Name.Raw() != "":
		*b = appendSource(append(*b, sourceIsObject), &f.Object)
	default:
		*b = append(*b, sourceIsFile)
	}
	l.last = append(l.last[:0], f.Name...)
	l.states = append(l.states, f.State)
	l.counts[f.State]++
	l.bytes[f.State] += f.Size
}

// What a file is made from.
const (
	sourceIsFile   = iota
	sourceIsObject // PlannedFile.Object
	sourceIsCopied // PlannedFile.Source
)

// How the version of an object is held. The format of its time takes two bits.
const (
	versionHasSum = 1 // the ETag is a checksum and a number of parts, otherwise a text
	versionFormat = 2
)

// appendSource appends what identifies the version of an object.
func appendSource(b []byte, o *client.Object) []byte {
	sum, parts, hasSum := o.ETag.Checksum()
	at, format, _ := o.Modified.Pack()
	if hasSum {
		b = append(append(b, versionFormat*format|versionHasSum), sum[:]...)
		b = binary.AppendUvarint(b, uint64(parts))
	} else {
		etag := o.ETag.Raw()
		b = binary.AppendUvarint(append(b, versionFormat*format), uint64(len(etag)))
		b = append(b, etag...)
	}
	return binary.AppendUvarint(b, at)
}

// readSource returns the object that appendSource appended, without its name and size, and the text behind it.
func readSource(text []byte) (o client.Object, rest []byte) {
	flags, text := text[0], text[1:]
	next := func() uint64 {
		value, n := binary.Uvarint(text)
		text = text[n:]
		return value
	}
	if flags&versionHasSum != 0 {
		sum := [16]byte(text)
		text = text[16:]
		o.ETag = client.ChecksumETag(sum, uint16(next()))
	} else {
		n := next()
		o.ETag, text = client.NewETag(string(text[:n])), text[n:]
	}
	o.Modified = client.UnpackTime(next(), flags/versionFormat)
	return o, text
}

// block returns the files of a block from the nth on, with their positions.
func (l *FileList) block(number, from int) iter.Seq2[int, PlannedFile] {
	return func(yield func(int, PlannedFile) bool) {
		text := l.blocks[number]
		next := func() uint64 {
			value, n := binary.Uvarint(text)
			text = text[n:]
			return value
		}
		var name []byte
		for i := number * listBlock; len(text) > 0; i++ {
			name, text, _ = objectnames.NextName(text, name)
			place, same := l.places[next()], int(next())
			size, n2 := binary.Varint(text)
			source := text[n2]
			text = text[n2+1:]
			var o client.Object
			if source != sourceIsFile {
				o, text = readSource(text)
			}
			if i%listBlock < from {
				continue
			}
			f := PlannedFile{Name: string(name), Folder: place.folder, Size: size, State: l.states[i]}
			f.Path = place.head + f.Name[len(f.Name)-same:]
			o.Size = size
			switch source {
			case sourceIsObject:
				o.Name = client.NewText(f.Name)
				f.Object = o
			case sourceIsCopied:
				o.Name = client.NewText(f.Path)
				f.Source = &o
			}
			if name, renamed := l.names[i]; renamed && f.State == FileSame {
				f.Name = name
			}
			if o, found := l.target(i); found {
				o.Name = client.NewText(f.Name)
				f.Object = o
			}
			if !yield(i, f) {
				return
			}
		}
	}
}

// length returns the number of files with those that were left out.
func (l *FileList) length() int { return len(l.states) }

// rename sets what the file at a position is called at the target.
func (l *FileList) rename(i int, name string) {
	if l.names == nil {
		l.names, l.taken = map[int]string{}, map[string]bool{}
	}
	l.names[i], l.taken[name] = name, true
}

// setState sets the state of the file at a position, whose size is known.
func (l *FileList) setState(i int, to ComparisonResult, size int64) {
	from := l.states[i]
	l.counts[from]--
	l.bytes[from] -= size
	l.states[i] = to
	l.counts[to]++
	l.bytes[to] += size
}

// setTarget sets the object that has the target's name of the file at a position.
func (l *FileList) setTarget(i int, o *client.Object) {
	if len(l.targets) <= i {
		l.targets = append(l.targets, make([]string, i+1-len(l.targets))...)
	}
	owner := slices.Index(l.owners, o.Owner)
	if owner < 0 && len(l.owners) < maxTargetOwners {
		owner, l.owners = len(l.owners), append(l.owners, client.NewText(strings.Clone(o.Owner.Raw())))
	}
	l.targets[i] = string(appendSource(binary.AppendVarint([]byte{byte(owner + 1)}, o.Size), o))
}

// maxTargetOwners limits how many different owners are kept; the objects of an account have one.
const maxTargetOwners = 16

// target returns the object that setTarget has set.
func (l *FileList) target(i int) (o client.Object, found bool) {
	if i >= len(l.targets) || l.targets[i] == "" {
		return o, false
	}
	text := []byte(l.targets[i])
	size, n := binary.Varint(text[1:])
	o, _ = readSource(text[1+n:])
	if o.Size = size; text[0] > 0 {
		o.Owner = l.owners[text[0]-1]
	}
	return o, true
}

// A nameIndex finds files of a list by keys, which are what they are called at the target. It holds hashes of the keys.
type nameIndex struct {
	fileReader
	seed      maphash.Seed
	files     map[uint64]uint32 // positions of files, by the hashes of their keys
	folders   map[string]bool   // the folders of a download; each is the key of a file in it, too
	foldsCase func() bool       // if set, the keys do not tell upper and lower case apart until this has returned false
}

func newNameIndex(l *FileList) *nameIndex {
	return &nameIndex{
		fileReader: fileReader{list: l},
		seed:       maphash.MakeSeed(),
		files:      map[uint64]uint32{},
		folders:    map[string]bool{},
	}
}

// key returns the key of a name.
func (x *nameIndex) key(name string) string {
	if x.foldsCase == nil {
		return name
	}
	return foldCase(name)
}

// add adds a key of the file at position i.
func (x *nameIndex) add(key string, i int) { x.files[maphash.String(x.seed, key)] = uint32(i) }

// find returns the file that was added with a key, or one whose key has the same hash.
func (x *nameIndex) find(key string) (f PlannedFile, i int, found bool) {
	n, found := x.files[maphash.String(x.seed, key)]
	if found {
		f = x.at(int(n))
	}
	return f, int(n), found
}
