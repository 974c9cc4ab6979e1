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
	Path     string
	Size     int64
	Modified time.Time
	Folder   bool
	Other    ID // the transfer that is about to make it; 0 where it is there
}

// Error is one line.
func (e *ExistsError) Error() string {
	switch {
	case e.Other != 0:
		return fmt.Sprintf("transfer %d is about to make this file; choose another name", e.Other)
	case e.Folder:
		return "a folder has this name; choose another"
	}
	return fmt.Sprintf("a file has this name (%d bytes, %s); choose another", e.Size, e.Modified.Format("2006-01-02 15:04"))
}

// A PartError is a download that ended before its end. What came is kept and is taken up when the same version is fetched to the same place.
type PartError struct {
	Path  string // relative to the folder
	Size  int64  // bytes that are there
	Cause error
}

// Error is one line.
func (e *PartError) Error() string {
	return fmt.Sprintf("%v; %d bytes are kept in %s", e.Cause, e.Size, e.Path)
}

// Unwrap is the cause.
func (e *PartError) Unwrap() error { return e.Cause }

// file is what is needed of a file.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
}

// part is a download on its way: a file beside the place of the final one.
type part struct {
	root  *os.Root // nil where the bytes go to no file of ours
	file  file
	hold  *os.File // the lock: no other download writes to the part until it is closed, after the part has its final name
	name  string   // of the part, with slashes
	final string
	size  int64 // bytes written
	over  bool  // it may take the place of a file
	gone  bool
}

// partName is the name of the part of one version of an object: NAME.<16 hex>.part, the name cut where all would be too long.
func partName(final, identity string) string {
	sum := sha256.Sum256([]byte(identity))
	tail := "." + hex.EncodeToString(sum[:8]) + ".part"
	dir, leaf := path.Split(final)
	for len(leaf)+len(tail) > longestName {
		_, size := utf8.DecodeLastRuneInString(leaf)
		leaf = leaf[:len(leaf)-size]
	}
	return dir + leaf + tail
}

// openPart opens the part for a final name below a root, with the folders on the way. A final name that is taken, unless it may be replaced, is an
// *ExistsError.
func openPart(root *os.Root, final, identity string, over bool, wrap func(file) file) (*part, error) {
	p := &part{root: root, name: partName(final, identity), final: final, over: over}
	if dir := path.Dir(final); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("the folder cannot be made: %w", err)
		}
	}
	if err := p.free(); err != nil {
		return nil, err
	}
	f, err := openOwn(root, p.name)
	if err != nil {
		return nil, err
	}
	if p.hold, p.size, err = holdPart(root, p.name, f); err != nil {
		f.Close()
		return nil, err
	}
	p.file = f
	if wrap != nil {
		p.file = wrap(f)
	}
	return p, nil
}

// openOwn opens a regular file, or makes it for its owner alone. A link, a pipe or a device of that name is refused.
func openOwn(root *os.Root, name string) (*os.File, error) {
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

// errHeld is a part that another download writes to, of this program or another one.
var errHeld = errors.New("another download is at it")

// holdPart locks a part that is open, by a handle of its own, and gives the part's size. Once the lock is there the name must still be that of
// the same file: the one who had it may just have published it.
func holdPart(root *os.Root, name string, open *os.File) (*os.File, int64, error) {
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

// free reports an *ExistsError where something has the final name, be it a link that leads nowhere.
func (p *part) free() error {
	info, err := p.root.Lstat(p.final)
	if err == nil && p.over && (info.Mode().IsRegular() || info.Mode()&fs.ModeSymlink != 0) {
		return nil
	}
	if err == nil {
		return &ExistsError{Path: p.local(), Size: info.Size(), Modified: info.ModTime(), Folder: info.IsDir()}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (p *part) local() string { return filepath.Join(p.root.Name(), filepath.FromSlash(p.final)) }

// write adds bytes. An error leaves in place what was written before.
func (p *part) write(data []byte) error {
	n, err := p.file.WriteAt(data, p.size)
	if err != nil {
		return fmt.Errorf("the file cannot be written: %w", err)
	}
	p.size += int64(n)
	return nil
}

// empty makes the part begin anew.
func (p *part) empty() error {
	p.size = 0
	return p.file.Truncate(0)
}

// publish gives the complete part its final name, if nothing has that.
func (p *part) publish() error {
	err := p.file.Sync()
	if failure := p.close(); err == nil {
		err = failure
	}
	if err != nil {
		return &PartError{Path: p.name, Size: p.size, Cause: fmt.Errorf("the file cannot be written: %w", err)}
	}
	if p.over {
		return p.replace()
	}
	if err := p.root.Link(p.name, p.final); err != nil {
		if taken := p.free(); taken != nil {
			return &PartError{Path: p.name, Size: p.size, Cause: taken}
		}
		return p.reserve()
	}
	p.drop()
	p.syncFolder()
	return nil
}

// replace is publish where a file may have the name.
func (p *part) replace() error {
	err := p.free()
	if err == nil {
		err = p.root.Rename(p.name, p.final)
	}
	if err != nil {
		return &PartError{Path: p.name, Size: p.size, Cause: err}
	}
	p.syncFolder()
	return nil
}

// reserve is publish where the file system knows no links: an empty file that only we can have made takes the name, then the part replaces it.
func (p *part) reserve() error {
	f, err := p.root.OpenFile(p.final, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		if err = errors.Join(f.Close(), p.root.Rename(p.name, p.final)); err != nil {
			_ = p.root.Remove(p.final)
		}
	}
	if err != nil {
		if taken := p.free(); taken != nil {
			err = taken
		}
		return &PartError{Path: p.name, Size: p.size, Cause: err}
	}
	p.syncFolder()
	return nil
}

// syncFolder makes the new name last. Windows has no such thing.
func (p *part) syncFolder() {
	if runtime.GOOS == "windows" {
		return
	}
	if dir, err := p.root.Open(path.Dir(p.final)); err == nil {
		_ = dir.Sync()
		dir.Close()
	}
}

// end closes all that is open: others may have the part then.
func (p *part) end() {
	_ = p.close()
	_ = p.hold.Close()
}

// close closes the file; once is enough.
func (p *part) close() error {
	if p.gone {
		return nil
	}
	p.gone = true
	return p.file.Close()
}

// drop removes the part.
func (p *part) drop() {
	p.size = 0
	_ = p.close()
	if p.root != nil {
		_ = p.root.Remove(p.name)
	}
}

// dropPart removes the part of a version, where there is one that no download is at.
func dropPart(root *os.Root, final, identity string) {
	name := partName(final, identity)
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return
	}
	f, err := openOwn(root, name)
	if err != nil {
		return
	}
	defer f.Close()
	if hold, _, err := holdPart(root, name, f); err == nil {
		_ = root.Remove(name)
		hold.Close()
	}
}

// A Leftover is an unfinished download in a folder, of this run or an earlier one. It is taken up when the same version of the same object is
// fetched to the same place.
type Leftover struct {
	Path     string // with slashes, relative to the folder
	Size     int64
	Modified time.Time
}

// Leftovers are the unfinished downloads below a folder. Links are not followed.
func Leftovers(folder string) ([]Leftover, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var found []Leftover
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !leftover(name) {
			return nil //nolint:nilerr // a folder that cannot be read holds nothing for us
		}
		if info, err := d.Info(); err == nil {
			found = append(found, Leftover{name, info.Size(), info.ModTime()})
		}
		return nil
	})
	return found, err
}
