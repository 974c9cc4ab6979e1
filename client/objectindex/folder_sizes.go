package objectindex

import (
	"cmp"
	"context"
	"hash/maphash"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"

	"lookout/client"
)

// maxFolders is the number of folders whose sums are kept, in about 60 bytes each. Beyond it those on the deepest
// levels are left out, but never one on the first level.
const maxFolders = 200_000

// FolderSizes holds the number and the size of the objects in every folder below a prefix. A folder is a prefix that
// ends with a slash; its sums are those of all objects whose names begin with it. The methods are safe for concurrent
// use.
type FolderSizes struct {
	prefix string

	mu       sync.Mutex
	folders  []folderSum // the first is the prefix itself; parents stand before their folders
	names    []byte      // the last parts of the folders' names
	words    []uint32    // hash table of folders: index in folders + 1; 0 is free
	seed     maphash.Seed
	maxDepth int // levels of folders that are kept
	limit    int // folders from which on levels are left out

	path     []int32 // folders of the last object, from the outermost
	pathName string  // name of the last object's folder, after the prefix
	passed   string  // the last name
	readTo   string  // names up to it were added before the listing was begun again
	unsorted bool    // a name came after a greater one
	complete bool    // every page was added
	problem  string  // why objects may be missing although every page was added
	version  int
}

// A folderSum is the sums of a folder.
type folderSum struct {
	bytes, objects int64
	parent         int32  // index in folders; -1 for the prefix itself
	name, nameEnd  uint32 // part of names, with its slash
	atLeast        bool   // the size of an object is not known
}

// NewFolderSizes returns the sums of the folders below a prefix, to which pages are to be added. It keeps maxDepth
// levels of folders, or all for a negative one.
func NewFolderSizes(prefix string, maxDepth int) *FolderSizes {
	if maxDepth < 0 {
		maxDepth = math.MaxInt
	}
	return &FolderSizes{
		prefix:   prefix,
		folders:  []folderSum{{parent: -1}},
		path:     []int32{0},
		seed:     maphash.MakeSeed(),
		maxDepth: maxDepth,
		limit:    maxFolders,
	}
}

// Prefix returns the prefix that all names begin with.
func (t *FolderSizes) Prefix() string { return t.prefix }

// Version grows whenever a sum changes.
func (t *FolderSizes) Version() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.version
}

// Read reads the flat listing of a bucket below the prefix and adds all objects. It calls progress after each page.
// After an error the sums are those of the pages before it.
func (t *FolderSizes) Read(
	ctx context.Context, objects client.ObjectReader, cluster, bucket string, progress func(),
) error {
	q := client.ObjectQuery{Cluster: cluster, Bucket: bucket, Prefix: t.prefix}
	err := EachPage(ctx, objects, q, func(page client.ObjectPage, restarted bool) bool {
		if restarted {
			t.restart()
		}
		t.Add(page)
		progress()
		return true
	})
	if err == nil {
		t.Finish()
	}
	return err
}

// restart says that the pages begin again with the first one. What was added stays if the names came in their order.
func (t *FolderSizes) restart() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.unsorted {
		t.readTo = t.passed
		return
	}
	t.folders, t.names, t.words = []folderSum{{parent: -1}}, nil, nil
	t.path, t.pathName, t.passed, t.unsorted = []int32{0}, "", "", false
}

// Add adds the objects of a page of a flat listing. It ignores names that do not begin with the prefix.
func (t *FolderSizes) Add(page client.ObjectPage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var pending folderSum // of the objects in the last folder that are not added yet
	for i := range page.Data {
		o := &page.Data[i]
		name, below := strings.CutPrefix(o.Name.Raw(), t.prefix)
		if !below || o.IsPrefix() || t.readTo != "" && o.Name.Raw() <= t.readTo {
			continue
		}
		t.readTo = ""
		if folder := name[:strings.LastIndexByte(name, '/')+1]; folder != t.pathName {
			t.addToPath(pending)
			pending = folderSum{}
			t.enter(folder)
		}
		t.unsorted = t.unsorted || o.Name.Raw() < t.passed
		t.passed = o.Name.Raw()
		size := max(0, o.Size)
		pending.objects++
		pending.bytes = addSizes(pending.bytes, size)
		pending.atLeast = pending.atLeast || o.Size < 0
	}
	t.passed = strings.Clone(t.passed) // the page would stay in memory
	t.addToPath(pending)
	if page.Incomplete != "" || len(page.Warnings) > 0 {
		t.problem = cmp.Or(t.problem, page.Incomplete, strings.Join(page.Warnings, "; "))
	}
	t.version++
}

// Finish says that every page was added.
func (t *FolderSizes) Finish() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.complete = true
	t.version++
}

// Change adds to the sums of the folders of an object, or of a folder if the name ends with a slash, which are known to
// have changed since the listing was read.
func (t *FolderSizes) Change(name string, objects, bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rest, below := strings.CutPrefix(name, t.prefix)
	if !below {
		return
	}
	t.enter(rest[:strings.LastIndexByte(rest, '/')+1])
	for _, i := range t.path {
		f := &t.folders[i]
		f.objects, f.bytes = max(0, f.objects+objects), max(0, addSizes(f.bytes, bytes))
	}
	t.version++
}

// RemoveFolder takes all objects below a folder, or below "", out of the sums. It reports false if it cannot, because
// the folder lies too deep.
func (t *FolderSizes) RemoveFolder(folder string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	first, known := int32(0), true
	if !strings.HasPrefix(t.prefix, folder) {
		if !strings.HasPrefix(folder, t.prefix) {
			return true // no object of it is in the sums
		}
		if first, known = t.find(folder); !known || first < 0 {
			return known
		}
	}
	was := t.folders[first]
	for i := was.parent; i >= 0; i = t.folders[i].parent {
		f := &t.folders[i]
		f.objects, f.bytes = max(0, f.objects-was.objects), max(0, f.bytes-was.bytes)
	}
	empty := make([]bool, len(t.folders)) // parents stand before their folders
	for i := int(first); i < len(t.folders); i++ {
		f := &t.folders[i]
		if i == int(first) || f.parent >= 0 && empty[f.parent] {
			empty[i], f.objects, f.bytes, f.atLeast = true, 0, 0, false
		}
	}
	t.version++
	return true
}

// Sum returns the sums of a folder, or of the prefix itself. It reports false if it does not know the folder: the
// prefix does not cover it, or it lies too deep. A covered folder without objects has none.
func (t *FolderSizes) Sum(folder string) (ObjectTotal, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i, known := t.find(folder)
	if !known {
		return ObjectTotal{}, false
	}
	if i < 0 {
		return ObjectTotal{AtLeast: !t.passedBy(folder)}, true
	}
	return t.count(i, folder), true
}

// Problem returns why objects may be missing from the sums although the listing was read to its end, or "".
func (t *FolderSizes) Problem() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.problem
}

// A FolderTotal is the sums of a folder.
type FolderTotal struct {
	Name  string // "db/2026/"
	Depth int    // levels below the prefix
	ObjectTotal
}

// All iterates over all folders in the order of their names, and ends with the prefix itself.
func (t *FolderSizes) All() iter.Seq[FolderTotal] {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]*FolderTotal, len(t.folders))
	for i, f := range t.folders {
		row := &FolderTotal{Name: t.prefix}
		if f.parent >= 0 {
			in := all[f.parent]
			row.Name, row.Depth = in.Name+string(t.names[f.name:f.nameEnd]), in.Depth+1
		}
		row.ObjectTotal = t.count(int32(i), row.Name)
		all[i] = row
	}
	whole := all[0]
	all = all[1:]
	slices.SortFunc(all, func(a, b *FolderTotal) int { return strings.Compare(a.Name, b.Name) })
	return func(yield func(FolderTotal) bool) {
		for _, row := range append(all, whole) {
			if !yield(*row) {
				return
			}
		}
	}
}

// count returns the sums of a folder with its name.
func (t *FolderSizes) count(i int32, name string) ObjectTotal {
	f := &t.folders[i]
	return ObjectTotal{Objects: f.objects, Bytes: f.bytes, AtLeast: f.atLeast || !t.passedBy(name)}
}

// passedBy reports whether no further object of a folder can come.
func (t *FolderSizes) passedBy(folder string) bool {
	if t.complete {
		return t.problem == ""
	}
	return t.problem == "" && !t.unsorted && t.passed > folder && !strings.HasPrefix(t.passed, folder)
}

// find returns the index of a folder, or -1 if it has no object so far. It reports false if its sums are not kept.
func (t *FolderSizes) find(folder string) (i int32, known bool) {
	rest, below := strings.CutPrefix(folder, t.prefix)
	if !below {
		return -1, false
	}
	depth := 0
	for rest != "" {
		end := strings.IndexByte(rest, '/') + 1
		if depth++; end == 0 || depth > t.maxDepth {
			return -1, false
		}
		if i >= 0 {
			i, _ = t.child(i, rest[:end])
		}
		rest = rest[end:]
	}
	return i, true
}

// enter makes the folder of a name the current one.
func (t *FolderSizes) enter(folder string) {
	depth, at := 0, 0
	for depth+1 < len(t.path) { // the folders that it shares with the last one
		f := &t.folders[t.path[depth+1]]
		part := t.names[f.name:f.nameEnd]
		if !strings.HasPrefix(folder[at:], string(part)) {
			break
		}
		depth, at = depth+1, at+len(part)
	}
	t.path, t.pathName = t.path[:depth+1], strings.Clone(folder)
	for rest := folder[at:]; rest != "" && len(t.path) <= t.maxDepth; {
		end := strings.IndexByte(rest, '/') + 1
		i, word := t.child(t.path[len(t.path)-1], rest[:end])
		if i < 0 {
			i = t.addFolder(word, rest[:end])
		}
		t.path, rest = append(t.path, i), rest[end:]
	}
	if len(t.folders) > t.limit && t.maxDepth > 1 {
		t.leaveOutLevels()
	}
}

// addToPath adds the sums of objects to the folders on the path.
func (t *FolderSizes) addToPath(sum folderSum) {
	if sum.objects == 0 {
		return
	}
	for k := len(t.path) - 1; k >= 0; k-- {
		f := &t.folders[t.path[k]]
		f.objects += sum.objects
		f.bytes = addSizes(f.bytes, sum.bytes)
		f.atLeast = f.atLeast || sum.atLeast
	}
}

// addSizes adds without overflow.
func addSizes(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// child returns the folder of a name in another one, or -1 and the free word of the table where it belongs.
func (t *FolderSizes) child(parent int32, name string) (i int32, word int) {
	if len(t.words) == 0 {
		return -1, 0
	}
	mask := len(t.words) - 1
	for word = t.hash(parent, name) & mask; t.words[word] != 0; word = (word + 1) & mask {
		i = int32(t.words[word] - 1)
		if f := &t.folders[i]; f.parent == parent && string(t.names[f.name:f.nameEnd]) == name {
			return i, word
		}
	}
	return -1, word
}

func (t *FolderSizes) hash(parent int32, name string) int {
	return int(maphash.String(t.seed, name)>>1) ^ int(uint32(parent)*0x9e3779b1)
}

// addFolder adds a folder to the last one of the path; word is free.
func (t *FolderSizes) addFolder(word int, name string) int32 {
	i, parent := int32(len(t.folders)), t.path[len(t.path)-1]
	if 4*(len(t.folders)+1) > 3*len(t.words) {
		t.rehash(max(16, 2*len(t.words)))
		_, word = t.child(parent, name)
	}
	from := uint32(len(t.names))
	t.names = append(t.names, name...)
	t.folders = append(t.folders, folderSum{parent: parent, name: from, nameEnd: uint32(len(t.names))})
	t.words[word] = uint32(i + 1)
	return i
}

// rehash makes the table anew.
func (t *FolderSizes) rehash(size int) {
	t.words = make([]uint32, size)
	for i := range t.folders[1:] {
		f := &t.folders[i+1]
		_, word := t.child(f.parent, string(t.names[f.name:f.nameEnd]))
		t.words[word] = uint32(i + 2)
	}
}

// leaveOutLevels removes the deepest levels, until three quarters of the limit are left or one level.
func (t *FolderSizes) leaveOutLevels() {
	depths, onLevel := make([]int32, len(t.folders)), []int{1}
	for i := 1; i < len(t.folders); i++ {
		depths[i] = depths[t.folders[i].parent] + 1
		if int(depths[i]) == len(onLevel) {
			onLevel = append(onLevel, 0)
		}
		onLevel[depths[i]]++
	}
	left := len(t.folders)
	for t.maxDepth = len(onLevel) - 1; t.maxDepth > 1 && left > t.limit*3/4; t.maxDepth-- {
		left -= onLevel[t.maxDepth]
	}
	moved := make([]int32, len(t.folders))
	folders, names := make([]folderSum, 0, left), make([]byte, 0, len(t.names))
	for i, f := range t.folders {
		if int(depths[i]) > t.maxDepth {
			continue
		}
		moved[i] = int32(len(folders))
		if f.parent >= 0 {
			f.parent = moved[f.parent]
		}
		from := uint32(len(names))
		names = append(names, t.names[f.name:f.nameEnd]...)
		f.name, f.nameEnd = from, uint32(len(names))
		folders = append(folders, f)
	}
	t.folders, t.names = folders, slices.Clip(names)
	t.rehash(len(t.words))
	t.path = t.path[:min(len(t.path), t.maxDepth+1)]
	for k := range t.path {
		t.path[k] = moved[t.path[k]]
	}
}
