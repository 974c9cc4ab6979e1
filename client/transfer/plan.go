package transfer

import (
	"bytes"
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"lookout/client"
)

// A ComparisonResult is what comparing a file of a plan with its target has shown.
type ComparisonResult int

// The states of a file.
const (
	FileNew     ComparisonResult = iota // nothing has its name, or it was not compared yet
	FileSame                            // what has its name has the same size and the same MD5
	FileChanged                         // what has its name differs
	FileUnknown                         // what has its name has the same size, but its ETag is not the MD5 of its bytes
)

// String returns the state in one word.
func (s ComparisonResult) String() string { return [...]string{"new", "same", "changed", "unknown"}[s] }

// A PlannedFile is an object with its local file. One of them is to be made from the other.
type PlannedFile struct {
	Name   string         // of the object; raw, not safe to display
	Object client.Object  // as it was listed; zero if there is none; of a copy, what has the target's name
	Source *client.Object // of a copy
	Folder string         // of Path, for uploads; "" if Path was named by the user
	Path   string         // slash-separated and relative to the folder; of a copy, the source's name; raw
	Size   int64          // of the source
	State  ComparisonResult
	Hidden bool // a part of the path starts with a dot
}

// A SkippedFile is a file or an object that a plan leaves out, and why. Path is raw and not safe to display.
type SkippedFile struct {
	Path, Reason string
	Unread       bool // it could not be read, so what the source has is not fully known
}

// Error returns both on one line.
func (s SkippedFile) Error() string { return client.Clean(s.Path) + ": " + s.Reason }

// A Plan lists what a download or an upload of many files would do. PlanDownload, NewPlan, PlanUpload and
// CopySpec.Plan make one, CompareFiles and CompareObjects find out what exists, and Manager.Start does it. Panes and
// scripts share it.
type Plan struct {
	Kind            Kind // Download, Upload, Copy or Move
	Cluster, Bucket string
	From            client.ObjectRef // the bucket of the sources of a copy
	Prefix          string           // all names of objects begin with it
	Folder          string           // local folder
	Files           []PlannedFile
	Skipped         []SkippedFile // what cannot be moved
	FolderMarkers   int           // empty objects that represent folders; there is nothing to download
	Bytes           int64         // total size of Files
	Extra           []string      // names that only the target has: of objects, or paths; if they were asked for
	ExtraKept       string        // why nothing that only the target has may be deleted; Extra is empty then
	copies          *copyNames
	acls            map[string]KeptACL // by the names of the targets; see ReadACLs
}

// copyNames holds the names of the target that are, or may be, those of copies that were kept beside a file.
type copyNames struct {
	mu    sync.Mutex
	found map[string]client.Object // objects; one without a name is known not to exist
	same  map[string]bool          // names or paths of copies that are the same as a file of the plan
}

func newCopyNames() *copyNames {
	return &copyNames{found: map[string]client.Object{}, same: map[string]bool{}}
}

// skip leaves out something that can never be moved.
func (p *Plan) skip(path, reason string) {
	p.Skipped = append(p.Skipped, SkippedFile{Path: path, Reason: reason})
}

// skipUnread leaves out something that could not be read.
func (p *Plan) skipUnread(path, reason string) {
	p.Skipped = append(p.Skipped, SkippedFile{Path: path, Reason: reason, Unread: true})
}

// Count returns how many files have a state, and the bytes of their sources.
func (p *Plan) Count(s ComparisonResult) (files int, bytes int64) {
	for _, f := range p.Files {
		if f.State == s {
			files, bytes = files+1, bytes+f.Size
		}
	}
	return files, bytes
}

// A DownloadItem is an object to download and where it goes.
type DownloadItem struct {
	Object client.Object
	Path   string // slash-separated and relative to the folder
}

// NewPlan returns the files that n listed objects below a prefix become. Their paths are relative to the prefix's last
// slash. It iterates objects several times; no two may have the same name.
func NewPlan(prefix string, n int, objects iter.Seq[*client.Object], foldsCase func() bool) Plan {
	p := Plan{Kind: Download, Files: make([]PlannedFile, 0, n)}
	p.addListed(prefix, n, objects, foldsCase, func(f PlannedFile) { p.Files = append(p.Files, f) })
	return p
}

// CountPlan is NewPlan without Files, which take 240 bytes each. It returns their number.
func CountPlan(prefix string, n int, objects iter.Seq[*client.Object], foldsCase func() bool) (p Plan, files int) {
	p.Kind = Download
	p.addListed(prefix, n, objects, foldsCase, func(PlannedFile) { files++ })
	return p, files
}

// addListed calls add for each file that listed objects become.
func (p *Plan) addListed(
	prefix string, n int, objects iter.Seq[*client.Object], foldsCase func() bool, add func(PlannedFile),
) {
	cut := strings.LastIndexByte(prefix, '/') + 1
	selected := func(yield func(DownloadItem) bool) {
		for o := range objects {
			name := o.Name.Raw()
			if !o.IsPrefix() && strings.HasPrefix(name, prefix[:cut]) && !yield(DownloadItem{*o, name[cut:]}) {
				return
			}
		}
	}
	folds := sync.OnceValue(foldsCase)
	var taken *pathSet
	if n < manyFiles || folds() || foldersClash(selected) {
		taken = newPathSet(n, folds)
	}
	p.addDownloads(selected, taken, add)
}

// foldersClash reports whether the path of a file may also be a folder of another. All paths must differ. It takes less
// memory than a pathSet.
func foldersClash(selected iter.Seq[DownloadItem]) bool {
	folders, last := map[string]bool{}, ""
	for s := range selected {
		folder := s.Path[:strings.LastIndexByte(s.Path, '/')+1]
		for at := path.Dir(s.Path); folder != last && at != "." && at != "/" && !folders[at]; at = path.Dir(at) {
			folders[at] = true
		}
		last = folder
	}
	for s := range selected {
		if folders[s.Path] {
			return true
		}
	}
	return false
}

// PlanObject returns the plan of an object that becomes a file, whose name the user has chosen.
func PlanObject(o client.Object, file string) Plan {
	f := PlannedFile{Name: o.Name.Raw(), Object: o, Path: filepath.Base(file), Size: o.Size}
	return Plan{Kind: Download, Folder: filepath.Dir(file), Files: []PlannedFile{f}, Bytes: o.Size}
}

// PlanFile returns the plan of a file that becomes an object. It is not read.
func PlanFile(file string, size int64, to client.ObjectRef) Plan {
	f := PlannedFile{Name: to.Name, Path: file, Size: size}
	return Plan{Kind: Upload, Cluster: to.Cluster, Bucket: to.Bucket, Files: []PlannedFile{f}, Bytes: size}
}

// PlanDownload returns the files that objects become. If two of them cannot both exist in one folder, such as a and
// a/b, or A and a where case makes no difference, the first one in the list is kept. foldsCase reports whether it makes
// none; it is called only if that matters.
func PlanDownload(selected []DownloadItem, foldsCase func() bool) Plan {
	p := Plan{Kind: Download, Files: make([]PlannedFile, 0, len(selected))}
	taken := newPathSet(len(selected), sync.OnceValue(foldsCase))
	p.addDownloads(slices.Values(selected), taken, func(f PlannedFile) { p.Files = append(p.Files, f) })
	return p
}

// addDownloads calls add for each file that objects become, and skips the others. taken is nil if no two of them
// conflict.
func (p *Plan) addDownloads(selected iter.Seq[DownloadItem], taken *pathSet, add func(PlannedFile)) {
	for s := range selected {
		o, name := s.Object, s.Object.Name.Raw()
		if strings.HasSuffix(name, "/") && o.Size == 0 {
			p.FolderMarkers++
			continue
		}
		reason := pathProblem(s.Path, onWindows)
		if reason == "" && o.Size < 0 {
			reason = "its size is unknown"
		}
		if reason == "" && taken != nil {
			reason = taken.add(s.Path)
		}
		if reason != "" {
			p.skip(name, "it cannot be a local file: "+reason)
			continue
		}
		add(PlannedFile{
			Name:   name,
			Object: o,
			Path:   s.Path,
			Size:   o.Size,
			Hidden: strings.HasPrefix(s.Path, ".") || strings.Contains(s.Path, "/."),
		})
		p.Bytes += o.Size
	}
}

// pathSet holds the files and folders of a plan.
type pathSet struct {
	folders    map[string]bool   // by name: whether it is a folder
	folded     map[string]string // names by their case-folded names; nil if case makes a difference
	foldsCase  func() bool
	lastFolder string // of the last file: it and those around it can be folders
}

// manyFiles is the number of files from which on it is found out first whether case makes a difference.
const manyFiles = 10_000

func newPathSet(files int, foldsCase func() bool) *pathSet {
	t := &pathSet{folders: make(map[string]bool, files), folded: map[string]string{}, foldsCase: foldsCase}
	if files >= manyFiles && !foldsCase() {
		t.folded = nil
	}
	return t
}

// add adds a file and its folders, or returns the reason why it conflicts with another.
func (t *pathSet) add(name string) string {
	folder := name[:strings.LastIndexByte(name, '/')+1]
	known := folder == t.lastFolder // its folders need not be looked at again
	for at := name; at != "."; at = path.Dir(at) {
		isFolder, there := t.folders[at]
		switch {
		case there && isFolder && at != name:
		case there && at != name:
			return fmt.Sprintf("%s is already a file and cannot also be a folder", client.Clean(at))
		case there:
			return fmt.Sprintf("%s is already a file or folder", client.Clean(at))
		}
		if !there && t.folded != nil {
			other, similar := t.folded[foldCase(at)]
			if similar && t.foldsCase() {
				return fmt.Sprintf("it differs from %s only in case", client.Clean(other))
			}
		}
		if known {
			break
		}
	}
	for at := name; at != "."; at = path.Dir(at) {
		t.folders[at] = at != name
		if t.folded != nil {
			t.folded[foldCase(at)] = at
		}
		if known {
			break
		}
	}
	t.lastFolder = folder
	return ""
}

// PlanUpload returns the objects that local files become. The files of a folder are named prefix plus their path in it,
// other files prefix plus their own name. It leaves out links and everything else in a folder that is not a regular
// file, files that are too large or cannot be read, and names that the API does not accept.
func PlanUpload(ctx context.Context, prefix string, paths ...string) (Plan, error) {
	p := Plan{Kind: Upload, Prefix: prefix, Folder: paths[0]}
	names := map[string]bool{}
	for _, local := range paths {
		info, err := os.Stat(local)
		if err != nil {
			return p, err
		}
		part := Plan{}
		if info.IsDir() {
			part, err = scanFolder(ctx, local, prefix)
		} else {
			part, err = planFile(prefix, local, info), nil
		}
		if err != nil {
			return p, err
		}
		p.Skipped = append(p.Skipped, part.Skipped...)
		for _, f := range part.Files {
			if names[f.Name] {
				reason := "another file is stored as " + client.Clean(f.Name)
				p.skip(filepath.Join(f.Folder, f.Path), reason)
				continue
			}
			names[f.Name] = true
			p.Files, p.Bytes = append(p.Files, f), p.Bytes+f.Size
		}
	}
	return p, nil
}

// planFile returns the plan of a file that the user has named. It may be a link.
func planFile(prefix, local string, info fs.FileInfo) (p Plan) {
	name := prefix + filepath.Base(local)
	if reason := uploadProblem(name, info); reason != "" {
		p.skip(local, reason)
		return p
	}
	p.Files = []PlannedFile{{Name: name, Path: local, Size: info.Size()}}
	return p
}

// TooLargeToStore is why a plan leaves out a file that one PUT cannot send.
const TooLargeToStore = "it is larger than 5 GiB"

// TooLarge returns the files that a plan leaves out because they are too large, as paths.
func (p *Plan) TooLarge() (paths []string) {
	for _, f := range p.Skipped {
		if f.Reason == TooLargeToStore {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// uploadProblem returns why a file cannot be stored as an object of a name, or "".
func uploadProblem(name string, info fs.FileInfo) string {
	switch {
	case !info.Mode().IsRegular():
		return "it is not a regular file"
	case info.Size() > client.MaxPutSize:
		return TooLargeToStore
	}
	return objectNameProblem(name)
}

// scanFolder returns the files below a folder that can be uploaded as objects whose names begin with a prefix, and
// those that cannot.
func scanFolder(ctx context.Context, folder, prefix string) (p Plan, err error) {
	root, err := whenHandlesAreFree(ctx, func() (*os.Root, error) { return os.OpenRoot(folder) })
	if err != nil {
		return p, err
	}
	defer root.Close()
	err = fs.WalkDir(patientFS{ctx, root.FS()}, ".", func(name string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			p.skipUnread(name, "it cannot be read")
			return nil
		}
		if d.IsDir() {
			return nil
		}
		info, err := whenHandlesAreFree(ctx, d.Info)
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			p.skip(name, "it is a link")
		case err != nil:
			p.skipUnread(name, "it cannot be read")
		case isPartName(path.Base(name)):
			p.skip(name, "it is one of lookout's partial downloads")
		case uploadProblem(prefix+name, info) != "":
			p.skip(name, uploadProblem(prefix+name, info))
		case !isReadable(ctx, root, name):
			p.skipUnread(name, "it cannot be read")
		default:
			p.Files = append(p.Files, PlannedFile{
				Name:   prefix + name,
				Folder: folder,
				Path:   name,
				Size:   info.Size(),
			})
		}
		return nil
	})
	return p, err
}

// isReadable reports whether a regular file can be opened.
func isReadable(ctx context.Context, root *os.Root, name string) bool {
	f, err := whenHandlesAreFree(ctx, func() (*os.File, error) { return root.Open(name) })
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// CompareOptions say how a plan is compared with its target.
type CompareOptions struct {
	NameOnly  bool                 // only whether the name is taken: what exists is FileUnknown
	SizeOnly  bool                 // equal sizes are FileSame; nothing is read
	KeepBoth  bool                 // a file is FileSame, too, if one of its copies ("a (2)") is
	FindExtra bool                 // fill in Plan.Extra
	OnListed  func(*client.Object) // is called by CompareObjects with each object that it finds; or nil
	Progress  func(read int64)     // is called with the bytes read from files, from several goroutines; or nil
}

// stateOf compares sizes and returns a state. It returns false if the MD5 decides.
func (c CompareOptions) stateOf(size, target int64, etag client.ETag) (ComparisonResult, bool) {
	_, sum := etag.MD5()
	switch {
	case c.NameOnly || target < 0:
		return FileUnknown, true
	case size != target:
		return FileChanged, true
	case c.SizeOnly:
		return FileSame, true
	}
	return FileUnknown, !sum
}

// stateOfCopy compares two objects. Only the MD5 of both proves that they are the same.
func (c CompareOptions) stateOfCopy(source, target *client.Object) ComparisonResult {
	_, sum := source.ETag.MD5()
	switch state, decided := c.stateOf(source.Size, target.Size, target.ETag); {
	case decided:
		return state
	case !sum:
		return FileUnknown
	case source.ETag == target.ETag:
		return FileSame
	}
	return FileChanged
}

// CompareFiles compares the files of a download with those of its folder, which need not exist.
func (p *Plan) CompareFiles(ctx context.Context, c CompareOptions) error {
	root, err := os.OpenRoot(p.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	p.copies = newCopyNames()
	err = p.compare(ctx, c, func(f *PlannedFile, name string) (open func() (io.ReadCloser, error), problem *SkippedFile) {
		info, err := root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			f.State = FileNew
			return nil, nil
		case errors.Is(err, syscall.ENOTDIR):
			return nil, &SkippedFile{Reason: "a file has the name of its folder"}
		case err != nil:
			return nil, &SkippedFile{Reason: "its location cannot be used: " + client.Clean(err.Error()), Unread: true}
		case info.IsDir():
			return nil, &SkippedFile{Reason: "a folder has its name"}
		case info.Mode()&fs.ModeSymlink != 0:
			f.State = FileChanged
			return nil, nil
		case !info.Mode().IsRegular():
			return nil, &SkippedFile{Reason: "its name belongs to something that is not a regular file"}
		}
		var decided bool
		f.State, decided = c.stateOf(f.Size, info.Size(), f.Object.ETag)
		modified := f.Object.Modified.Time()
		if name != f.Path && f.State == FileUnknown && !modified.IsZero() && info.ModTime().After(modified) {
			f.State = FileSame // the copy was fetched after the object was stored, and has its size
		}
		if decided {
			return nil, nil
		}
		return func() (io.ReadCloser, error) { return root.Open(name) }, nil
	})
	if err != nil || !c.FindExtra {
		return err
	}
	return p.findExtraFiles(ctx, root)
}

// findExtraFiles fills in the regular files of the folder that no object has. A file is not among them if it differs
// only in case from an object: on some systems these are the same.
func (p *Plan) findExtraFiles(ctx context.Context, root *os.Root) error {
	known := map[string]bool{}
	for _, f := range p.Files {
		known[foldCase(f.Path)] = true
	}
	for name := range p.copies.same {
		known[foldCase(name)] = true
	}
	leftOut := p.leftOut()
	defer p.checkExtra()
	return fs.WalkDir(patientFS{ctx, root.FS()}, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			p.skip(name, "this folder cannot be read")
		case d.Type().IsRegular() && !known[foldCase(name)] && !isPartName(path.Base(name)) && !leftOut(name):
			p.Extra = append(p.Extra, name)
		}
		return nil
	})
}

// leftOut returns a function that reports whether a name on the side of the target belongs to something that the plan
// leaves out, or has that above itself. A path is compared as a system does that ignores case.
func (p *Plan) leftOut() func(name string) bool {
	key := func(name string) string { return name }
	if p.Kind == Download {
		key = func(name string) string { return foldCase(path.Clean(name)) }
	}
	names := map[string]bool{}
	for _, f := range p.Skipped {
		if p.Kind == Download {
			names[key(strings.TrimPrefix(f.Path, p.Prefix))] = true
		} else {
			names[p.Prefix+f.Path] = true
		}
	}
	return func(name string) bool {
		name = key(name)
		for end := len(name); end >= 0 && len(names) > 0; end = strings.LastIndexByte(name[:end], '/') {
			if names[name[:end]] {
				return true
			}
		}
		return false
	}
}

// checkExtra keeps everything that only the target has if the source is empty or could not be read to its end.
func (p *Plan) checkExtra() {
	unread := slices.IndexFunc(p.Skipped, func(f SkippedFile) bool { return f.Unread })
	p.Extra = slices.DeleteFunc(p.Extra, func(name string) bool { return p.copies.same[name] })
	switch {
	case len(p.Extra) == 0:
		return
	case unread >= 0:
		p.ExtraKept = p.Skipped[unread].Error()
	case len(p.Files) == 0:
		p.ExtraKept = "there is no file in the source"
	default:
		return
	}
	p.Extra = nil
}

// DeleteFiles deletes regular files of a folder, and then the folders that are empty. It returns those that it could
// not delete, and why.
func DeleteFiles(folder string, paths []string) (left []SkippedFile, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, name := range paths {
		info, err := root.Lstat(name)
		if err == nil && !info.Mode().IsRegular() {
			err = errors.New("it is no longer a regular file")
		}
		if err == nil {
			err = root.Remove(name)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			left = append(left, SkippedFile{Path: name, Reason: client.Clean(err.Error())})
			continue
		}
		for dir := path.Dir(name); dir != "." && root.Remove(dir) == nil; {
			dir = path.Dir(dir)
		}
	}
	return left, nil
}

// fewFiles is the number of files up to which each is looked up by its name.
const fewFiles = 8

// CompareObjects compares the files of an upload with the objects of its bucket.
func (p *Plan) CompareObjects(ctx context.Context, objects client.ObjectReader, c CompareOptions) error {
	at := make(map[string]int, len(p.Files))
	for i, f := range p.Files {
		at[f.Name] = i
	}
	p.copies = newCopyNames()
	leftOut := p.leftOut()
	for o, err := range p.targets(ctx, objects, c) {
		if err != nil {
			return err
		}
		if c.OnListed != nil {
			c.OnListed(&o)
		}
		name := o.Name.Raw()
		if i, found := at[name]; found {
			p.Files[i].Object = o.Clone()
			continue
		}
		if isCopyName(name) {
			p.copies.found[strings.Clone(name)] = o.Clone()
		}
		if c.FindExtra && !(strings.HasSuffix(name, "/") && o.Size == 0) && !leftOut(name) {
			p.Extra = append(p.Extra, strings.Clone(name))
		}
	}
	allListed := p.NeedsFullListing(c.FindExtra)
	defer p.checkExtra()
	return p.compare(ctx, c, func(f *PlannedFile, name string) (open func() (io.ReadCloser, error), problem *SkippedFile) {
		if name != f.Name {
			var err error
			if f.Object, err = p.copyAt(ctx, objects, name, allListed); err != nil {
				return nil, &SkippedFile{Reason: err.Error(), Unread: true}
			}
		}
		if f.Object.Name.Raw() == "" {
			f.State = FileNew
			return nil, nil
		}
		if p.Kind.Copies() {
			f.State = c.stateOfCopy(f.Source, &f.Object)
			return nil, nil
		}
		var decided bool
		if f.State, decided = c.stateOf(f.Size, f.Object.Size, f.Object.ETag); decided {
			return nil, nil
		}
		return func() (io.ReadCloser, error) { return openSource(UploadRequest{File: f.Path, Folder: f.Folder}) }, nil
	})
}

// copyAt returns the object that has the name of a copy; it has no name if there is none. If not all objects were
// listed, it looks it up.
func (p *Plan) copyAt(
	ctx context.Context, objects client.ObjectReader, name string, allListed bool,
) (o client.Object, err error) {
	p.copies.mu.Lock()
	defer p.copies.mu.Unlock()
	o, known := p.copies.found[name]
	if !known && !allListed {
		if o, _, err = objects.Find(ctx, p.Cluster, p.Bucket, name); err == nil {
			p.copies.found[name] = o
		}
	}
	return o, err
}

// compare fills in the states of the files. For each it calls exists with its name on the side of the target, which
// returns how to open the file whose MD5 decides, or why the file cannot be moved.
func (p *Plan) compare(
	ctx context.Context,
	c CompareOptions,
	exists func(f *PlannedFile, name string) (open func() (io.ReadCloser, error), problem *SkippedFile),
) error {
	check := func(f *PlannedFile, name string) *SkippedFile {
		open, problem := exists(f, name)
		if open != nil {
			problem = compareMD5(ctx, f, open, c.Progress)
		}
		return problem
	}
	problems := map[int]*SkippedFile{}
	var workers sync.WaitGroup
	var mu sync.Mutex
	next := 0
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1, next <= len(p.Files) && ctx.Err() == nil
	}
	for range MaxRunning {
		workers.Go(func() {
			for i, ok := take(); ok; i, ok = take() {
				f := &p.Files[i]
				problem := check(f, p.targetName(*f))
				if c.KeepBoth && problem == nil && f.exists() {
					problem = p.findCopy(f, check)
				}
				if problem != nil {
					mu.Lock()
					problems[i] = problem
					mu.Unlock()
				}
			}
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	kept := p.Files[:0]
	for i, f := range p.Files {
		problem := problems[i]
		if problem == nil {
			kept = append(kept, f)
			continue
		}
		p.Bytes -= f.Size
		problem.Path = p.sourceName(f)
		p.Skipped = append(p.Skipped, *problem)
	}
	p.Files = kept
	return nil
}

// findCopy looks among the copies that were kept beside a file that differs for one that is the same. If there is one, so
// is the file. It returns why that cannot be found out, or nil.
func (p *Plan) findCopy(f *PlannedFile, check func(*PlannedFile, string) *SkippedFile) *SkippedFile {
	for n := 2; ; n++ {
		found, name := *f, copyName(p.targetName(*f), n)
		problem := check(&found, name)
		switch {
		case problem != nil && p.Kind != Download:
			return problem
		case problem != nil:
			continue
		case found.State == FileNew:
			return nil
		case found.State != FileSame:
			continue
		}
		if f.State = FileSame; p.Kind != Download {
			f.Name, f.Object = name, found.Object
		}
		p.copies.mu.Lock()
		defer p.copies.mu.Unlock()
		p.copies.same[name] = true
		return nil
	}
}

// exists reports whether something that differs, or may differ, has the name of the file.
func (f *PlannedFile) exists() bool { return f.State == FileChanged || f.State == FileUnknown }

// sourceName returns what is left out if a file is: the object, or the path.
func (p *Plan) sourceName(f PlannedFile) string {
	if p.Kind == Download {
		return f.Name
	}
	return f.Path
}

// compareMD5 reads a local file and compares its MD5 with the ETag. It returns why that is not possible, or nil.
func compareMD5(
	ctx context.Context, f *PlannedFile, open func() (io.ReadCloser, error), progress func(int64),
) *SkippedFile {
	file, err := whenHandlesAreFree(ctx, open)
	if err != nil {
		return &SkippedFile{Reason: "the file cannot be read: " + client.Clean(err.Error()), Unread: true}
	}
	defer file.Close()
	sum, buffer := md5.New(), make([]byte, bufferSize)
	for err == nil && ctx.Err() == nil {
		var n int
		n, err = file.Read(buffer)
		sum.Write(buffer[:n])
		if progress != nil {
			progress(int64(n))
		}
	}
	if err != nil && err != io.EOF {
		return &SkippedFile{Reason: "the file cannot be read: " + client.Clean(err.Error()), Unread: true}
	}
	f.State = FileChanged
	if want, _ := f.Object.ETag.MD5(); bytes.Equal(sum.Sum(nil), want[:]) {
		f.State = FileSame
	}
	return nil
}

// A ConflictPolicy says what becomes of files whose names are taken by something that differs, or that may differ. What
// is the same is never sent.
type ConflictPolicy int

// The choices.
const (
	SkipExisting    ConflictPolicy = iota // leave both as they are
	KeepBoth                              // use another name: "a (2).txt"
	ReplaceExisting                       // put it in place of what exists
)

// ToSend returns the files of a plan that are sent under a choice, with the names that they get. Those of a move that
// are the same are among them: their sources are deleted.
func (p *Plan) ToSend(e ConflictPolicy) []PlannedFile {
	taken := map[string]bool{}
	if e == KeepBoth {
		for _, f := range p.Files {
			taken[p.targetName(f)] = true
		}
	}
	var files []PlannedFile
	for _, f := range p.Files {
		switch {
		case f.State == FileSame && p.Kind != Move, f.exists() && e == SkipExisting:
			continue
		case f.exists() && e == KeepBoth:
			f = p.renamed(f, taken)
		}
		files = append(files, f)
	}
	return files
}

// Space returns the bytes that a plan moves under a choice, and those that are free on the disk of a download. free is
// -1 for other plans, and if it is not known.
func (p *Plan) Space(e ConflictPolicy) (free, needed int64) {
	for _, f := range p.ToSend(e) {
		if f.State != FileSame {
			needed += f.Size
		}
	}
	if p.Kind == Download {
		if bytes, known := FreeSpace(p.Folder); known {
			return bytes, needed
		}
	}
	return -1, needed
}

// renamed returns a file with a name that is free on the side of the target, and takes the name.
func (p *Plan) renamed(f PlannedFile, taken map[string]bool) PlannedFile {
	target := p.targetName(f)
	for n := 2; ; n++ {
		name := copyName(target, n)
		_, err := os.Lstat(filepath.Join(p.Folder, filepath.FromSlash(name)))
		if taken[name] || p.isTaken(name) || p.Kind == Download && err == nil {
			continue
		}
		taken[name], f.State = true, FileNew
		if p.Kind == Download {
			f.Path = name
		} else {
			f.Name, f.Object = name, client.Object{}
		}
		return f
	}
}

// isTaken reports whether an object has the name of a copy.
func (p *Plan) isTaken(name string) bool {
	return p.copies != nil && p.copies.found[name].Name.Raw() != ""
}

// targetName returns the name of a file on the side of the target.
func (p *Plan) targetName(f PlannedFile) string {
	if p.Kind == Download {
		return f.Path
	}
	return f.Name
}

// copyName returns the name of the nth copy of a file: "a/b (2).txt".
func copyName(name string, n int) string {
	folder, leaf := path.Split(name)
	ext := path.Ext(leaf)
	if ext == leaf { // ".profile" has no extension
		ext = ""
	}
	return fmt.Sprintf("%s%s (%d)%s", folder, strings.TrimSuffix(leaf, ext), n, ext)
}

// isCopyName reports whether a name may be that of a copy.
func isCopyName(name string) bool {
	open := strings.LastIndex(name, " (")
	return open >= 0 && strings.Contains(name[open:], ")")
}

// StartOptions says how the files of a plan are moved.
type StartOptions struct {
	Existing ConflictPolicy
	Consent  *client.Consent // for client.OpUploadObject on all objects
	Reason   string          // for the journal
	// for client.OpDeleteObject on the sources of a move
	DeleteConsent *client.Consent
	ACLConsent    *client.Consent // for client.OpSetObjectACL on the objects that will be public
}

// Start adds a transfer for each file of a plan that is to be sent, and a failed one for each that cannot be. It
// returns the IDs of the transfers, and all files that are not sent: those that the plan leaves out and those that were
// refused just now.
func (m *Manager) Start(p Plan, o StartOptions) (ids []ID, refused []SkippedFile) {
	batch := openBatch(m, Batch{Kind: p.Kind, Bucket: p.Bucket, Folder: p.Folder})
	defer func() { closeBatch(m, batch, ids) }()
	row := Status{Batch: batch, Kind: p.Kind, Cluster: p.Cluster, Bucket: p.Bucket}
	refuse := func(f SkippedFile, name, local string) {
		refused = append(refused, f)
		row.Name, row.LocalPath = client.NewText(name), client.NewText(local)
		m.addRefused(row, errors.New(f.Reason))
	}
	for _, f := range p.Skipped {
		if p.Kind != Upload {
			refuse(f, f.Path, "")
		} else {
			refuse(f, p.Prefix+f.Path, filepath.Join(p.Folder, filepath.FromSlash(f.Path)))
		}
	}
	for _, f := range p.ToSend(o.Existing) {
		id, err := m.startFile(p, f, o, batch)
		if err != nil {
			local := filepath.Join(p.Folder, filepath.FromSlash(f.Path))
			if p.Kind.Copies() {
				local = ""
			}
			refuse(SkippedFile{Path: p.sourceName(f), Reason: err.Error()}, f.Name, local)
			continue
		}
		ids = append(ids, id)
	}
	return ids, refused
}

// startFile adds the transfer of one file.
func (m *Manager) startFile(p Plan, f PlannedFile, o StartOptions, batch int) (ID, error) {
	if p.Kind.Copies() {
		return addCopy(m, p.copyOf(&f, o, batch))
	}
	if p.Kind == Download {
		return m.Download(DownloadRequest{
			Cluster:   p.Cluster,
			Bucket:    p.Bucket,
			Object:    f.Object,
			Folder:    p.Folder,
			Path:      f.Path,
			Overwrite: f.State != FileNew,
			batch:     batch,
		})
	}
	r := UploadRequest{
		Cluster: p.Cluster,
		Bucket:  p.Bucket,
		Name:    f.Name,
		File:    f.Path,
		Folder:  f.Folder,
		Consent: o.Consent,
		Reason:  o.Reason,
		MustNew: f.State == FileNew,
		batch:   batch,

		Keep:       p.acls[f.Name],
		ACLConsent: o.ACLConsent,
	}
	if f.State != FileNew {
		r.Before = f.Object
	}
	return m.Upload(r)
}
