package objectindex

import (
	"cmp"
	"context"
	"iter"
	"maps"
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
	folders  map[string]*folderSum // by their names after the prefix, which is the folder ""
	maxDepth int                   // levels of folders that are kept
	limit    int                   // folders from which on levels are left out

	path     []*folderSum // folders of the last object, from the outermost
	pathName string       // name of the last object's folder, after the prefix
	passed   string       // the last name
	readTo   string       // names up to it were added before the listing was begun again
	unsorted bool         // a name came after a greater one
	complete bool         // every page was added
	problem  string       // why objects may be missing although every page was added
	version  int
}

// A folderSum is the sums of a folder.
type folderSum struct {
	bytes, objects int64
	atLeast        bool // the size of an object is not known
}

// NewFolderSizes returns the sums of the folders below a prefix, to which pages are to be added. It keeps maxDepth
// levels of folders, or all for a negative one.
func NewFolderSizes(prefix string, maxDepth int) *FolderSizes {
	if maxDepth < 0 {
		maxDepth = math.MaxInt
	}
	t := &FolderSizes{prefix: prefix, maxDepth: maxDepth, limit: maxFolders}
	t.clear()
	return t
}

// clear removes all sums.
func (t *FolderSizes) clear() {
	t.folders = map[string]*folderSum{"": {}}
	t.enter("")
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
	t.clear()
	t.passed, t.unsorted = "", false
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
// have changed since the listing was read. No sum gets negative.
func (t *FolderSizes) Change(name string, objects, bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rest, below := strings.CutPrefix(name, t.prefix)
	if !below {
		return
	}
	t.enter(rest[:strings.LastIndexByte(rest, '/')+1])
	for _, f := range t.path {
		f.objects, f.bytes = max(0, f.objects+objects), max(0, addSizes(f.bytes, bytes))
	}
	t.version++
}

// Sum returns the sums of a folder, or of the prefix itself. It reports false if it does not know the folder: the
// prefix does not cover it, or it lies too deep. A covered folder without objects has none.
func (t *FolderSizes) Sum(folder string) (ObjectTotal, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, known := t.find(folder)
	switch {
	case !known:
		return ObjectTotal{}, false
	case f == nil:
		f = &folderSum{}
	}
	return t.count(f, folder), true
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
	names := slices.Sorted(maps.Keys(t.folders))
	all := make([]FolderTotal, len(names))
	for i, name := range names {
		whole := t.prefix + name
		all[i] = FolderTotal{whole, strings.Count(name, "/"), t.count(t.folders[name], whole)}
	}
	return slices.Values(append(all[1:], all[0]))
}

// count returns the sums of a folder with its name.
func (t *FolderSizes) count(f *folderSum, name string) ObjectTotal {
	return ObjectTotal{Objects: f.objects, Bytes: f.bytes, AtLeast: f.atLeast || !t.passedBy(name)}
}

// passedBy reports whether no further object of a folder can come.
func (t *FolderSizes) passedBy(folder string) bool {
	if t.complete {
		return t.problem == ""
	}
	return t.problem == "" && !t.unsorted && t.passed > folder && !strings.HasPrefix(t.passed, folder)
}

// find returns a folder, or nil if it has no object so far. It reports false if its sums are not kept.
func (t *FolderSizes) find(folder string) (f *folderSum, known bool) {
	rest, below := strings.CutPrefix(folder, t.prefix)
	known = below && (rest == "" || strings.HasSuffix(rest, "/")) && strings.Count(rest, "/") <= t.maxDepth
	return t.folders[rest], known
}

// enter makes the folder of a name the current one.
func (t *FolderSizes) enter(folder string) {
	t.path, t.pathName = append(t.path[:0], t.folders[""]), strings.Clone(folder)
	for end := 0; end < len(folder) && len(t.path) <= t.maxDepth; {
		end += strings.IndexByte(folder[end:], '/') + 1
		f := t.folders[folder[:end]]
		if f == nil {
			f = &folderSum{}
			t.folders[t.pathName[:end]] = f
		}
		t.path = append(t.path, f)
	}
	if len(t.folders) > t.limit && t.maxDepth > 1 {
		t.leaveOutLevels()
	}
}

// addToPath adds the sums of objects to the folders on the path.
func (t *FolderSizes) addToPath(sum folderSum) {
	for _, f := range t.path {
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

// leaveOutLevels removes the deepest levels, until three quarters of the limit are left or one level.
func (t *FolderSizes) leaveOutLevels() {
	onLevel := map[int]int{}
	t.maxDepth = 0
	for name := range t.folders {
		depth := strings.Count(name, "/")
		onLevel[depth]++
		t.maxDepth = max(t.maxDepth, depth)
	}
	for left := len(t.folders); t.maxDepth > 1 && left > t.limit*3/4; t.maxDepth-- {
		left -= onLevel[t.maxDepth]
	}
	maps.DeleteFunc(t.folders, func(name string, _ *folderSum) bool { return strings.Count(name, "/") > t.maxDepth })
	t.path = t.path[:min(len(t.path), t.maxDepth+1)]
}
