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
	"maps"
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
type ComparisonResult uint8

// The states of a file.
const (
	FileNew     ComparisonResult = iota // nothing has its name, or it was not compared yet
	FileSame                            // what has its name has the same size and the same MD5
	FileChanged                         // what has its name differs
	FileUnknown                         // what has its name has the same size, but its ETag is not the MD5 of its bytes
	fileLeftOut                         // the comparison has shown that it cannot be moved: it is among Plan.Skipped
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
}

// A SkippedFile is a file or an object that a plan leaves out, and why. Path is raw and not safe to display.
type SkippedFile struct {
	Path, Reason string
	Unread       bool // it could not be read, so what the source has is not fully known
}

// Error returns both on one line.
func (s SkippedFile) Error() string { return client.Clean(s.Path) + ": " + s.Reason }

// A Plan lists what a download or an upload of many files would do. NewDownload, NewPlan, PlanUpload and
// CopySpec.Plan make one, CompareFiles and CompareObjects find out what exists, and Manager.Start does it. Panes and
// scripts share it.
type Plan struct {
	Kind            Kind // Download, Upload, Copy or Move
	Cluster, Bucket string
	From            client.ObjectRef // the bucket of the sources of a copy
	Prefix          string           // all names of objects begin with it
	Folder          string           // local folder
	Files           *FileList
	Skipped         []SkippedFile // what cannot be moved
	FolderMarkers   int           // empty objects that represent folders; there is nothing to download
	Bytes           int64         // total size of Files
	Extra           []string      // what only the target has: names of objects, or paths; if asked for
	ExtraKept       string        // why nothing that only the target has may be deleted; Extra is empty then

	copies     map[string]client.Object // see copyAt
	sameCopies map[string]bool          // names or paths of copies that are the same as a file of the plan
	acls       map[string]KeptACL       // by the names of the targets; see ReadACLs
	index      *nameIndex               // of Files, by what they are called at the target
	compared   int                      // files that were compared
	mu         *sync.Mutex              // of all of the above while it is compared or a manager reads it
}

// skip leaves out something that can never be moved.
func (p *Plan) skip(path, reason string) {
	p.Skipped = append(p.Skipped, SkippedFile{Path: path, Reason: reason})
}

// skipUnread leaves out something that could not be read.
func (p *Plan) skipUnread(path, reason string) {
	p.Skipped = append(p.Skipped, SkippedFile{Path: path, Reason: reason, Unread: true})
}

// A DownloadItem is an object to download and where it goes.
type DownloadItem struct {
	Object client.Object
	Path   string // slash-separated and relative to the folder
}

// newPlan returns a plan without files.
func newPlan(kind Kind) Plan {
	files := &FileList{}
	return Plan{
		Kind:       kind,
		Files:      files,
		index:      newNameIndex(files),
		copies:     map[string]client.Object{},
		sameCopies: map[string]bool{},
		mu:         &sync.Mutex{},
	}
}

// NewDownload returns the plan of a download to which Add adds objects. foldsCase reports whether case makes no
// difference in the folder; it is called only if that matters.
func NewDownload(foldsCase func() bool) Plan {
	p := newPlan(Download)
	p.index.foldsCase = sync.OnceValue(foldsCase)
	return p
}

// NewPlan returns the files that listed objects below a prefix become. Their paths are relative to the prefix's last
// slash. No two objects may have the same name.
func NewPlan(prefix string, objects iter.Seq[*client.Object], foldsCase func() bool) Plan {
	p := NewDownload(foldsCase)
	cut := strings.LastIndexByte(prefix, '/') + 1
	for o := range objects {
		if name := o.Name.Raw(); !o.IsPrefix() && strings.HasPrefix(name, prefix[:cut]) {
			p.Add(DownloadItem{*o, name[cut:]})
		}
	}
	return p
}

// PlanObject returns the plan of an object that becomes a file, whose name the user has chosen.
func PlanObject(o client.Object, file string) Plan {
	p := newPlan(Download)
	p.Folder = filepath.Dir(file)
	p.add(PlannedFile{Name: o.Name.Raw(), Object: o, Path: filepath.Base(file), Size: o.Size})
	return p
}

// PlanFile returns the plan of a file that becomes an object. It is not read.
func PlanFile(file string, size int64, to client.ObjectRef) Plan {
	p := newPlan(Upload)
	p.Cluster, p.Bucket = to.Cluster, to.Bucket
	p.add(PlannedFile{Name: to.Name, Path: file, Size: size})
	return p
}

// add adds a file.
func (p *Plan) add(f PlannedFile) {
	p.addName(p.targetName(f), p.Files.length())
	p.Files.add(f)
	p.Bytes += f.Size
}

// Add adds an object to a download, or leaves it out. If two of them cannot both exist in one folder, such as a and
// a/b, or A and a where case makes no difference, the first one is kept.
func (p *Plan) Add(s DownloadItem) {
	p.mu.Lock()
	defer p.mu.Unlock()
	o, name := s.Object, s.Object.Name.Raw()
	if strings.HasSuffix(name, "/") && o.Size == 0 {
		p.FolderMarkers++
		return
	}
	reason := pathProblem(s.Path, onWindows)
	if reason == "" && o.Size < 0 {
		reason = "its size is unknown"
	}
	if reason == "" {
		reason = p.pathConflict(s.Path)
	}
	if reason != "" {
		p.skip(strings.Clone(name), "it cannot be a local file: "+reason)
		return
	}
	p.add(PlannedFile{Name: name, Object: o, Path: s.Path, Size: o.Size})
}

// addName adds to the index what the file at a position is called at the target, and the folders of that.
func (p *Plan) addName(name string, i int) {
	x := p.index
	x.add(x.key(name), i)
	for at := path.Dir(name); p.Kind == Download && at != "." && !x.folders[at]; at = path.Dir(at) {
		x.folders[strings.Clone(at)] = true
		x.add(x.key(at), i)
	}
}

// find returns the file that is called name at the target, or one whose name differs only in case if that may be the
// same.
func (p *Plan) find(name string) (f PlannedFile, i int, found bool) {
	key := p.index.key(name)
	f, i, found = p.index.find(key)
	return f, i, found && p.index.key(p.targetName(f)) == key
}

// findPath is find for a file or a folder of a download. It returns the path.
func (p *Plan) findPath(name string) (other string, isFolder, found bool) {
	if p.index.folders[name] {
		return name, true, true
	}
	key := p.index.key(name)
	f, _, found := p.index.find(key)
	if !found {
		return "", false, false
	}
	depth := strings.Count(name, "/") + 1
	parts := strings.SplitN(f.Path, "/", depth+1)
	other = strings.Join(parts[:min(depth, len(parts))], "/")
	return other, len(parts) > depth, p.index.key(other) == key
}

// pathConflict returns why a path cannot exist beside those of the plan, or "".
func (p *Plan) pathConflict(name string) string {
	for at := name; at != "."; at = path.Dir(at) {
		switch other, isFolder, found := p.findPath(at); {
		case !found:
		case other == at && isFolder && at != name:
			return "" // and what is above it is a folder, too
		case other == at && at != name:
			return fmt.Sprintf("%s is already a file and cannot also be a folder", client.Clean(at))
		case other == at:
			return fmt.Sprintf("%s is already a file or folder", client.Clean(at))
		case p.index.foldsCase():
			return fmt.Sprintf("it differs from %s only in case", client.Clean(other))
		default:
			p.index = newNameIndex(p.Files) // whose keys tell upper and lower case apart
			for i, f := range p.Files.from(0) {
				p.addName(f.Path, i)
			}
			return p.pathConflict(name)
		}
	}
	return ""
}

// PlanUpload returns the objects that local files become. The files of a folder are named prefix plus their path in it,
// other files prefix plus their own name. It leaves out links and everything else in a folder that is not a regular
// file, files that are too large or cannot be read, and names that the API does not accept.
func PlanUpload(ctx context.Context, prefix string, paths ...string) (Plan, error) {
	p := newPlan(Upload)
	p.Prefix, p.Folder = prefix, paths[0]
	for _, local := range paths {
		info, err := os.Stat(local)
		switch {
		case err != nil:
			return p, err
		case info.IsDir():
			err = p.scanFolder(ctx, local)
		default:
			p.addFile(local, info)
		}
		if err != nil {
			return p, err
		}
	}
	return p, nil
}

// addFile adds a file that the user has named. It may be a link.
func (p *Plan) addFile(local string, info fs.FileInfo) {
	name := p.Prefix + filepath.Base(local)
	if reason := uploadProblem(name, info); reason != "" {
		p.skip(local, reason)
		return
	}
	p.addUpload(PlannedFile{Name: name, Path: local, Size: info.Size()})
}

// addUpload adds a file unless another one is stored under its name.
func (p *Plan) addUpload(f PlannedFile) {
	if _, _, taken := p.find(f.Name); taken {
		p.skip(filepath.Join(f.Folder, f.Path), "another file is stored as "+client.Clean(f.Name))
		return
	}
	p.add(f)
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

// scanFolder adds the files below a folder that can be uploaded, and leaves out those that cannot.
func (p *Plan) scanFolder(ctx context.Context, folder string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	prefix := p.Prefix
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
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
		info, err := d.Info()
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			p.skip(name, "it is a link")
		case err != nil:
			p.skipUnread(name, "it cannot be read")
		case isPartName(path.Base(name)):
			p.skip(name, "it is one of lookout's partial downloads")
		case uploadProblem(prefix+name, info) != "":
			p.skip(name, uploadProblem(prefix+name, info))
		case !isReadable(root, name):
			p.skipUnread(name, "it cannot be read")
		default:
			p.addUpload(PlannedFile{Name: prefix + name, Folder: folder, Path: name, Size: info.Size()})
		}
		return nil
	})
}

// isReadable reports whether a regular file can be opened.
func isReadable(root *os.Root, name string) bool {
	f, err := root.Open(name)
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
	err = p.compare(ctx, c, func(f *PlannedFile, name string) *SkippedFile {
		info, err := root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			f.State = FileNew
			return nil
		case errors.Is(err, syscall.ENOTDIR):
			return &SkippedFile{Reason: "a file has the name of its folder"}
		case err != nil:
			return &SkippedFile{Reason: "its location cannot be used: " + client.Clean(err.Error()), Unread: true}
		case info.IsDir():
			return &SkippedFile{Reason: "a folder has its name"}
		case info.Mode()&fs.ModeSymlink != 0:
			f.State = FileChanged
			return nil
		case !info.Mode().IsRegular():
			return &SkippedFile{Reason: "its name belongs to something that is not a regular file"}
		}
		var decided bool
		f.State, decided = c.stateOf(f.Size, info.Size(), f.Object.ETag)
		modified := f.Object.Modified.Time()
		if name != f.Path && f.State == FileUnknown && !modified.IsZero() && info.ModTime().After(modified) {
			f.State = FileSame // the copy was fetched after the object was stored, and has its size
		}
		if decided {
			return nil
		}
		return compareMD5(ctx, f, func() (io.ReadCloser, error) { return root.Open(name) }, c.Progress)
	})
	if err != nil || !c.FindExtra {
		return err
	}
	return p.findExtraFiles(ctx, root)
}

// findExtraFiles fills in the regular files of the folder that no object has. A file is not among them if it differs
// only in case from an object: on some systems these are the same.
func (p *Plan) findExtraFiles(ctx context.Context, root *os.Root) error {
	known := newNameIndex(p.Files)
	for i, f := range p.Files.from(0) {
		known.add(foldCase(f.Path), i)
	}
	leftOut := p.leftOut()
	defer p.checkExtra()
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			p.skip(name, "this folder cannot be read")
		case d.Type().IsRegular() && !isPartName(path.Base(name)) && !leftOut(name):
			if _, _, found := known.find(foldCase(name)); !found { // whose hash may also be that of another one
				p.Extra = append(p.Extra, name)
			}
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
	p.Extra = slices.DeleteFunc(p.Extra, func(name string) bool { return p.sameCopies[name] })
	switch {
	case len(p.Extra) == 0:
		return
	case unread >= 0:
		p.ExtraKept = p.Skipped[unread].Error()
	case p.Files.Len() == 0:
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
	leftOut := p.leftOut()
	for o, err := range p.targets(ctx, objects, c) {
		if err != nil {
			return err
		}
		if c.OnListed != nil {
			c.OnListed(&o)
		}
		name := o.Name.Raw()
		if _, i, found := p.find(name); found {
			p.Files.setTarget(i, &o)
			continue
		}
		if isCopyName(name) {
			p.copies[strings.Clone(name)] = o.Clone()
		}
		if c.FindExtra && !(strings.HasSuffix(name, "/") && o.Size == 0) && !leftOut(name) {
			p.Extra = append(p.Extra, strings.Clone(name))
		}
	}
	allListed := p.NeedsFullListing(c.FindExtra)
	defer p.checkExtra()
	return p.compare(ctx, c, func(f *PlannedFile, name string) *SkippedFile {
		if name != f.Name {
			var err error
			if f.Object, err = p.copyAt(ctx, objects, name, allListed); err != nil {
				return &SkippedFile{Reason: err.Error(), Unread: true}
			}
		}
		decided := true
		switch {
		case f.Object.Name.Raw() == "":
			f.State = FileNew
		case p.Kind.Copies():
			f.State = c.stateOfCopy(f.Source, &f.Object)
		default:
			f.State, decided = c.stateOf(f.Size, f.Object.Size, f.Object.ETag)
		}
		if decided {
			return nil
		}
		source := UploadRequest{File: f.Path, Folder: f.Folder}
		return compareMD5(ctx, f, func() (io.ReadCloser, error) { return openSource(source) }, c.Progress)
	})
}

// copyAt returns the object that has the name of a copy; it has no name if there is none. If not all objects were
// listed, it looks it up, once.
func (p *Plan) copyAt(
	ctx context.Context, objects client.ObjectReader, name string, allListed bool,
) (o client.Object, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	o, known := p.copies[name]
	if !known && !allListed {
		if o, _, err = objects.Find(ctx, p.Cluster, p.Bucket, name); err == nil {
			p.copies[name] = o
		}
	}
	return o, err
}

// compare fills in the states of the files that were not compared yet. For each it calls check with its name on the
// side of the target, which sets its state or returns why it cannot be moved.
func (p *Plan) compare(
	ctx context.Context, c CompareOptions, check func(f *PlannedFile, name string) *SkippedFile,
) error {
	problems := map[int]*SkippedFile{}
	forEach(ctx, p.mu, p.Files.from(p.compared), func(i int, f PlannedFile) {
		before := f
		problem := check(&f, p.targetName(f))
		if c.KeepBoth && problem == nil && f.exists() {
			problem = p.findCopy(&f, check)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if problem != nil {
			f.State, problem.Path = fileLeftOut, p.sourceName(before)
			problems[i] = problem
			p.Bytes -= f.Size
		}
		p.Files.setState(i, f.State, f.Size)
		if f.Name != before.Name { // the copy that has the bytes already
			p.Files.rename(i, f.Name)
			p.Files.setTarget(i, &f.Object)
		}
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	p.compared = p.Files.length()
	for _, i := range slices.Sorted(maps.Keys(problems)) {
		p.Skipped = append(p.Skipped, *problems[i])
	}
	return nil
}

// forEach calls do with all items, several at the same time, until ctx ends. mu is locked while it reads the next one.
func forEach[K, V any](ctx context.Context, mu *sync.Mutex, items iter.Seq2[K, V], do func(K, V)) {
	next, stop := iter.Pull2(items)
	defer stop()
	var workers sync.WaitGroup
	for range MaxRunning {
		workers.Go(func() {
			for {
				mu.Lock()
				key, value, more := next()
				mu.Unlock()
				if !more || ctx.Err() != nil {
					return
				}
				do(key, value)
			}
		})
	}
	workers.Wait()
}

// findCopy looks among the copies that were kept beside a file that differs for one that is the same. If there is one,
// so is the file. It returns why that cannot be found out, or nil.
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
		if f.State = FileSame; p.Kind.Copies() {
			f.Name, f.Object = name, found.Object
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.sameCopies[name] = true
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

// sourceOf returns the object that a file of a copy is made from.
func (p *Plan) sourceOf(f *PlannedFile) client.ObjectRef {
	return client.ObjectRef{Cluster: p.From.Cluster, Bucket: p.From.Bucket, Name: f.Path}
}

// compareMD5 reads a local file and compares its MD5 with the ETag. It returns why that is not possible, or nil.
func compareMD5(
	ctx context.Context, f *PlannedFile, open func() (io.ReadCloser, error), progress func(int64),
) *SkippedFile {
	file, err := open()
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
	if err != nil && !errors.Is(err, io.EOF) {
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

// sends returns whether files of a state are sent under a choice. Those of a move that are the same are: their sources
// are deleted.
func (p *Plan) sends(e ConflictPolicy) func(ComparisonResult) bool {
	return func(s ComparisonResult) bool {
		switch s {
		case FileSame:
			return p.Kind == Move
		case FileChanged, FileUnknown:
			return e != SkipExisting
		}
		return s == FileNew
	}
}

// ToSend returns the files of a plan that are sent under a choice, with the names that they get.
func (p *Plan) ToSend(e ConflictPolicy) iter.Seq[PlannedFile] {
	return func(yield func(PlannedFile) bool) {
		for _, sent := range p.Each(e) {
			if sent != nil && !yield(*sent) {
				return
			}
		}
	}
}

// Each returns all files of a plan, each with what is sent of it under a choice, or nil.
func (p *Plan) Each(e ConflictPolicy) iter.Seq2[PlannedFile, *PlannedFile] {
	return func(yield func(PlannedFile, *PlannedFile) bool) {
		sends := p.sends(e)
		for i, f := range p.Files.from(0) {
			var sent *PlannedFile
			if sends(f.State) {
				as := p.asSent(i, f, e)
				sent = &as
			}
			if f.State != fileLeftOut && !yield(f, sent) {
				return
			}
		}
	}
}

// asSent returns the file at a position as it is sent under a choice. To keep both, it gets a name that is free at the
// target.
func (p *Plan) asSent(i int, f PlannedFile, e ConflictPolicy) PlannedFile {
	if !f.exists() || e != KeepBoth {
		return f
	}
	name, renamed := p.Files.names[i]
	for n := 2; !renamed; n++ {
		name = copyName(p.targetName(f), n)
		if renamed = !p.isTaken(name); renamed {
			p.Files.rename(i, name)
		}
	}
	if f.State = FileNew; p.Kind == Download {
		f.Path = name
	} else {
		f.Name, f.Object = name, client.Object{}
	}
	return f
}

// CountToSend returns how many files are sent under a choice, and how many of them replace something.
func (p *Plan) CountToSend(e ConflictPolicy) (files, replaced int) {
	sends := p.sends(e)
	for s := range fileLeftOut {
		n, _ := p.Files.Count(s)
		if !sends(s) {
			continue
		}
		if files += n; e == ReplaceExisting && (s == FileChanged || s == FileUnknown) {
			replaced += n
		}
	}
	return files, replaced
}

// Space returns the bytes that a plan moves under a choice, and those that are free on the disk of a download. free is
// -1 for other plans, and if it is not known.
func (p *Plan) Space(e ConflictPolicy) (free, needed int64) {
	sends := p.sends(e)
	for s := range fileLeftOut {
		if _, bytes := p.Files.Count(s); sends(s) && s != FileSame {
			needed += bytes
		}
	}
	if p.Kind == Download {
		if bytes, known := FreeSpace(p.Folder); known {
			return bytes, needed
		}
	}
	return -1, needed
}

// isTaken reports whether a name cannot be that of a copy at the target.
func (p *Plan) isTaken(name string) bool {
	if p.Files.taken[name] {
		return true
	}
	if p.Kind == Download {
		_, err := os.Lstat(filepath.Join(p.Folder, filepath.FromSlash(name)))
		_, _, found := p.findPath(name)
		return found || err == nil
	}
	_, _, found := p.find(name)
	return found || p.copies[name].Name.Raw() != ""
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
