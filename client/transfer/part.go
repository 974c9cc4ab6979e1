package transfer

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"lookout/client"
	"lookout/client/filelock"
	"lookout/client/safefile"
)

// A FileExistsError means that a local file name is already taken. Nothing is overwritten; the user has to choose
// another name.
type FileExistsError struct {
	Path      string
	Size      int64
	Modified  time.Time
	IsFolder  bool
	ClaimedBy ID // the transfer that will create it; 0 if the file exists
}

// Error returns the message on one line.
func (e *FileExistsError) Error() string {
	switch {
	case e.ClaimedBy != 0:
		return fmt.Sprintf("transfer %d will create this file; choose another name", e.ClaimedBy)
	case e.IsFolder:
		return "a folder has this name; choose another name"
	}
	return fmt.Sprintf(
		"a file has this name (%d bytes, %s); choose another name", e.Size, e.Modified.Format("2006-01-02 15:04"),
	)
}

// A PartialDownloadError means that a download stopped early. Its data is kept, and a download of the same version to
// the same file continues it.
type PartialDownloadError struct {
	Path  string // relative to the folder
	Size  int64  // bytes kept
	Cause error
}

// Error returns the message on one line.
func (e *PartialDownloadError) Error() string {
	return fmt.Sprintf("%v; %d bytes are kept in %s", e.Cause, e.Size, e.Path)
}

// Unwrap returns the cause.
func (e *PartialDownloadError) Unwrap() error { return e.Cause }

// IsTaken reports whether a transfer failed because another program is writing, or has just written, what it would
// create: most likely one that moves the same files.
func IsTaken(err error) bool {
	var file *FileExistsError
	return errors.Is(err, errPartLocked) || errors.As(err, &file) || errors.Is(err, client.ErrStoredMeanwhile)
}

// file is the part of *os.File that a download uses.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
}

// partFile is the partial file of a download. It lies in the folder of the final file.
type partFile struct {
	root *os.Root // nil if the data goes to a writer instead of a file
	file file
	// lockFile keeps other downloads from writing to the part. It is closed after the part has its final name.
	lockFile  *os.File
	name      string // of the part; slash-separated
	finalName string
	size      int64 // bytes written
	overwrite bool  // replace an existing file
	noLinks   bool  // as if the file system had no hard links, for tests
	closed    bool
}

// partName returns the name of the partial file for one version of an object: NAME.<16 hex digits>.part. The first of
// the digits stand for the object. NAME is shortened if the result would be too long. identity names the object and its
// version, with a zero byte between them.
func partName(final, identity string) string {
	object, _, _ := strings.Cut(identity, "\x00")
	sum, version := sha256.Sum256([]byte(object)), sha256.Sum256([]byte(identity))
	tail := "." + hex.EncodeToString(sum[:objectDigits/2]) + hex.EncodeToString(version[:8-objectDigits/2]) + ".part"
	dir, leaf := path.Split(final)
	for len(leaf)+len(tail) > maxNameBytes {
		_, size := utf8.DecodeLastRuneInString(leaf)
		leaf = leaf[:len(leaf)-size]
	}
	return dir + leaf + tail
}

// objectDigits is how many digits in the name of a partial file stand for the object.
const objectDigits = 6

// staleParts returns the names of the partial files, among those in its folder, that hold other versions of the object
// than a partial file does. No download continues them any more.
func staleParts(name string, inFolder []string) (stale []string) {
	folder, leaf := path.Split(name)
	same := leaf[:len(leaf)-len(".part")-16+objectDigits]
	for _, other := range inFolder {
		if other != leaf && len(other) == len(leaf) && strings.HasPrefix(other, same) && isPartName(other) {
			stale = append(stale, folder+other)
		}
	}
	return stale
}

// openPart opens the partial file for a final name below root, and creates its folders. It returns an *FileExistsError
// if the final name is taken and may not be replaced.
func openPart(root *os.Root, final, identity string, over bool, wrap func(file) file) (*partFile, error) {
	p := &partFile{
		root:      root,
		name:      partName(final, identity),
		finalName: final,
		overwrite: over,
	}
	if dir := path.Dir(final); dir != "." {
		if err := root.MkdirAll(dir, 0o777); err != nil {
			return nil, fmt.Errorf("cannot create the folder: %w", err)
		}
	}
	if err := p.checkFinalName(); err != nil {
		return nil, err
	}
	f, err := openRegular(root, p.name)
	if err != nil {
		return nil, err
	}
	if p.lockFile, p.size, err = lockPart(root, p.name, f); err != nil {
		f.Close()
		return nil, err
	}
	p.file = f
	if wrap != nil {
		p.file = wrap(f)
	}
	return p, nil
}

// openRegular opens a regular file, or creates one whose mode the umask decides. It refuses a link, a pipe or a device
// of that name.
func openRegular(root *os.Root, name string) (*os.File, error) {
	return safefile.Open(root, name, os.O_RDWR|os.O_CREATE, 0o666)
}

// errPartLocked means that another download, of this program or another one, writes to the part.
var errPartLocked = errors.New("another download is using it")

// lock locks a file for this handle until it is closed. It returns errPartLocked if another handle has the lock, and
// does nothing on file systems without locks.
func lock(f *os.File) error {
	if errors.Is(filelock.Try(f), filelock.ErrLocked) {
		return errPartLocked
	}
	return nil
}

// lockPart locks an open part through a separate handle and returns the size of the part. Once it has the lock, it
// checks that the name still belongs to the same file, because the previous owner may just have published it.
func lockPart(root *os.Root, name string, open *os.File) (*os.File, int64, error) {
	hold, err := root.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, 0, err
	}
	if err := lock(hold); err != nil {
		hold.Close()
		return nil, 0, fmt.Errorf("%s: %w; wait for it, or choose another name", name, err)
	}
	is, err := open.Stat()
	held, failure := hold.Stat()
	named, gone := root.Lstat(name)
	if err := errors.Join(err, failure, gone); err != nil || !os.SameFile(is, held) || !os.SameFile(is, named) {
		hold.Close()
		return nil, 0, fmt.Errorf("%s %w", name, safefile.ErrReplaced)
	}
	return hold, is.Size(), nil
}

// checkFinalName returns an *FileExistsError if the final name is taken, even by a dangling link.
func (p *partFile) checkFinalName() error {
	info, err := p.root.Lstat(p.finalName)
	if err == nil && p.overwrite && (info.Mode().IsRegular() || info.Mode()&fs.ModeSymlink != 0) {
		return nil
	}
	if err == nil {
		return &FileExistsError{
			Path:     p.localPath(),
			Size:     info.Size(),
			Modified: info.ModTime(),
			IsFolder: info.IsDir(),
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (p *partFile) localPath() string {
	return filepath.Join(p.root.Name(), filepath.FromSlash(p.finalName))
}

// isAt reports whether a path names the published file.
func (p *partFile) isAt(path string) bool {
	file, err := p.root.Lstat(p.finalName)
	named, failure := os.Lstat(path)
	return err == nil && failure == nil && os.SameFile(file, named)
}

// write appends data. After an error, the data written before stays in place.
func (p *partFile) write(data []byte) error {
	n, err := p.file.WriteAt(data, p.size)
	if err != nil {
		return writeError(err)
	}
	p.size += int64(n)
	return nil
}

// writeError says why the part cannot be written. It leaves out the path, which PartialDownloadError adds.
func writeError(err error) error {
	if system, ok := errors.AsType[*fs.PathError](err); ok {
		err = system.Err
	}
	return fmt.Errorf("cannot write the file (%w)", err)
}

// truncate empties the part.
func (p *partFile) truncate() error {
	p.size = 0
	return p.file.Truncate(0)
}

// publish gives the complete part its final name, unless that name is taken.
func (p *partFile) publish() error {
	err := p.file.Sync()
	if failure := p.close(); err == nil {
		err = failure
	}
	if err != nil {
		err = writeError(err)
	} else {
		err = p.takeFinalName()
	}
	if err != nil {
		return &PartialDownloadError{Path: p.name, Size: p.size, Cause: err}
	}
	_ = safefile.SyncFolder(p.root, path.Dir(p.finalName)) // makes the new name durable
	return nil
}

// takeFinalName renames the part. On file systems without hard links it reserves the name with a new empty file, which
// the part then replaces.
func (p *partFile) takeFinalName() error {
	if p.overwrite {
		if err := p.checkFinalName(); err != nil {
			return err
		}
		return p.root.Rename(p.name, p.finalName)
	}
	if !p.noLinks && p.root.Link(p.name, p.finalName) == nil {
		p.remove()
		return nil
	}
	if err := p.checkFinalName(); err != nil {
		return err
	}
	f, err := p.root.OpenFile(p.finalName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return cmp.Or(p.checkFinalName(), err)
	}
	if err := errors.Join(f.Close(), p.root.Rename(p.name, p.finalName)); err != nil {
		_ = p.root.Remove(p.finalName)
		return err
	}
	return nil
}

// closeAll closes the file and the lock, so that other downloads can use the part.
func (p *partFile) closeAll() {
	_ = p.close()
	_ = p.lockFile.Close()
}

// close closes the file. It may be called more than once.
func (p *partFile) close() error {
	if p.closed {
		return nil
	}
	p.closed = true
	return p.file.Close()
}

// remove removes the part.
func (p *partFile) remove() {
	p.size = 0
	_ = p.close()
	if p.root != nil {
		_ = p.root.Remove(p.name)
	}
}

// removePart removes a part unless a download is using it.
func removePart(root *os.Root, name string) {
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return
	}
	f, err := openRegular(root, name)
	if err != nil {
		return
	}
	defer f.Close()
	if hold, _, err := lockPart(root, name, f); err == nil {
		defer hold.Close() // another program can lock the part only when it is gone
		_ = root.Remove(name)
	}
}
