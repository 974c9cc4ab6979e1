package transfer

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"time"
	"unicode/utf8"
)

// An ExistsError is a local name that something has already: another one must be chosen. Nothing is ever overwritten.
type ExistsError struct {
	Path      string
	Size      int64
	Modified  time.Time
	IsFolder  bool
	ClaimedBy ID // the transfer that is about to make it; 0 where it is there
}

// Error is one line.
func (e *ExistsError) Error() string {
	switch {
	case e.ClaimedBy != 0:
		return fmt.Sprintf("transfer %d is about to make this file; choose another name", e.ClaimedBy)
	case e.IsFolder:
		return "a folder has this name; choose another"
	}
	return fmt.Sprintf(
		"a file has this name (%d bytes, %s); choose another",
		e.Size,
		e.Modified.Format("2006-01-02 15:04"),
	)
}

// A PartialDownloadError is a download that ended before its end. What came is kept and is taken up when the same
// version is fetched to the same place.
type PartialDownloadError struct {
	Path  string // relative to the folder
	Size  int64  // bytes that are there
	Cause error
}

// Error is one line.
func (e *PartialDownloadError) Error() string {
	return fmt.Sprintf("%v; %d bytes are kept in %s", e.Cause, e.Size, e.Path)
}

// Unwrap is the cause.
func (e *PartialDownloadError) Unwrap() error { return e.Cause }

// file is what is needed of a file.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
}

// partFile is a download on its way: a file beside the place of the final one.
type partFile struct {
	root *os.Root // nil where the bytes go to no file of ours
	file file
	// the lock: no other download writes to the part until it is closed, after the part has its final name
	lockFile  *os.File
	name      string // of the part, with slashes
	finalName string
	size      int64 // bytes written
	overwrite bool  // it may take the place of a file
	closed    bool
}

// partName is the name of the part of one version of an object: NAME.<16 hex>.part, the name cut where all would be too
// long.
func partName(final, identity string) string {
	sum := sha256.Sum256([]byte(identity))
	tail := "." + hex.EncodeToString(sum[:8]) + ".part"
	dir, leaf := path.Split(final)
	for len(leaf)+len(tail) > maxNameBytes {
		_, size := utf8.DecodeLastRuneInString(leaf)
		leaf = leaf[:len(leaf)-size]
	}
	return dir + leaf + tail
}

// openPart opens the part for a final name below a root, with the folders on the way. A final name that is taken,
// unless it may be replaced, is an *ExistsError.
func openPart(root *os.Root, final, identity string, over bool, wrap func(file) file) (*partFile, error) {
	p := &partFile{
		root:      root,
		name:      partName(final, identity),
		finalName: final,
		overwrite: over,
	}
	if dir := path.Dir(final); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("the folder cannot be made: %w", err)
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

// openRegular opens a regular file, or makes it for its owner alone. A link, a pipe or a device of that name is
// refused.
func openRegular(root *os.Root, name string) (*os.File, error) {
	before, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is in the way and no ordinary file", name)
	}
	f, err := root.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if after, err := f.Stat(); err != nil || !os.SameFile(before, after) {
		f.Close()
		return nil, errSwapped(name)
	}
	return f, nil
}

func errSwapped(name string) error { return fmt.Errorf("%s was changed by something else", name) }

// errPartLocked is a part that another download writes to, of this program or another one.
var errPartLocked = errors.New("another download is at it")

// lockPart locks a part that is open, by a handle of its own, and gives the part's size. Once the lock is there the
// name must still be that of the same file: the one who had it may just have published it.
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
		return nil, 0, errSwapped(name)
	}
	return hold, is.Size(), nil
}

// checkFinalName reports an *ExistsError where something has the final name, be it a link that leads nowhere.
func (p *partFile) checkFinalName() error {
	info, err := p.root.Lstat(p.finalName)
	if err == nil && p.overwrite && (info.Mode().IsRegular() || info.Mode()&fs.ModeSymlink != 0) {
		return nil
	}
	if err == nil {
		return &ExistsError{
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

// write adds bytes. An error leaves in place what was written before.
func (p *partFile) write(data []byte) error {
	n, err := p.file.WriteAt(data, p.size)
	if err != nil {
		return fmt.Errorf("the file cannot be written: %w", err)
	}
	p.size += int64(n)
	return nil
}

// truncate makes the part begin anew.
func (p *partFile) truncate() error {
	p.size = 0
	return p.file.Truncate(0)
}

// publish gives the complete part its final name, if nothing has that.
func (p *partFile) publish() error {
	err := p.file.Sync()
	if failure := p.close(); err == nil {
		err = failure
	}
	if err != nil {
		return &PartialDownloadError{
			Path:  p.name,
			Size:  p.size,
			Cause: fmt.Errorf("the file cannot be written: %w", err),
		}
	}
	if p.overwrite {
		return p.publishOver()
	}
	if err := p.root.Link(p.name, p.finalName); err != nil {
		if taken := p.checkFinalName(); taken != nil {
			return &PartialDownloadError{Path: p.name, Size: p.size, Cause: taken}
		}
		return p.publishWithoutLink()
	}
	p.remove()
	p.syncFolder()
	return nil
}

// publishOver is publish where a file may have the name.
func (p *partFile) publishOver() error {
	err := p.checkFinalName()
	if err == nil {
		err = p.root.Rename(p.name, p.finalName)
	}
	if err != nil {
		return &PartialDownloadError{Path: p.name, Size: p.size, Cause: err}
	}
	p.syncFolder()
	return nil
}

// publishWithoutLink is publish where the file system knows no links: an empty file that only we can have made takes
// the name, then the part replaces it.
func (p *partFile) publishWithoutLink() error {
	f, err := p.root.OpenFile(p.finalName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		if err = errors.Join(f.Close(), p.root.Rename(p.name, p.finalName)); err != nil {
			_ = p.root.Remove(p.finalName)
		}
	}
	if err != nil {
		if taken := p.checkFinalName(); taken != nil {
			err = taken
		}
		return &PartialDownloadError{Path: p.name, Size: p.size, Cause: err}
	}
	p.syncFolder()
	return nil
}

// syncFolder makes the new name last. Windows has no such thing.
func (p *partFile) syncFolder() {
	if runtime.GOOS == "windows" {
		return
	}
	if dir, err := p.root.Open(path.Dir(p.finalName)); err == nil {
		_ = dir.Sync()
		dir.Close()
	}
}

// closeAll closes all that is open: others may have the part then.
func (p *partFile) closeAll() {
	_ = p.close()
	_ = p.lockFile.Close()
}

// close closes the file; once is enough.
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

// removePart removes the part of a version, where there is one that no download is at.
func removePart(root *os.Root, final, identity string) {
	name := partName(final, identity)
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return
	}
	f, err := openRegular(root, name)
	if err != nil {
		return
	}
	defer f.Close()
	if hold, _, err := lockPart(root, name, f); err == nil {
		_ = root.Remove(name)
		hold.Close()
	}
}

// A PartialDownload is an unfinished download in a folder, of this run or an earlier one. It is taken up when the same
// version of the same object is fetched to the same place.
type PartialDownload struct {
	Path     string // with slashes, relative to the folder
	Size     int64
	Modified time.Time
}

// PartialDownloads are the unfinished downloads below a folder. Links are not followed.
func PartialDownloads(folder string) ([]PartialDownload, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var found []PartialDownload
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !isPartName(name) {
			return nil //nolint:nilerr // a folder that cannot be read holds nothing for us
		}
		if info, err := d.Info(); err == nil {
			found = append(found, PartialDownload{name, info.Size(), info.ModTime()})
		}
		return nil
	})
	return found, err
}
