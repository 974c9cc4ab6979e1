// Package statefile keeps a small file that only its owner can read and that is always replaced as a whole, so that
// nobody ever reads half of it.
package statefile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"lookout/client/safefile"
)

// MaxBytes is the size above which a file is neither read nor written.
const MaxBytes = 8 << 20

// A StateFile is a file at a path. The zero StateFile is kept nowhere: it reads as empty, and writing to it does
// nothing.
type StateFile struct{ path string }

// New returns the file at a path, which need not exist.
func New(path string) StateFile { return StateFile{path} }

// Path returns the path of the file, "" if it is kept nowhere.
func (f StateFile) Path() string { return f.path }

// Read returns the content, nil if there is no file. A link, a pipe and a file that is too large are errors.
func (f StateFile) Read() ([]byte, error) {
	if f.path == "" {
		return nil, nil
	}
	found, err := f.check()
	if err != nil || !found {
		return nil, err
	}
	file, err := safefile.Open(safefile.Anywhere, f.path, os.O_RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("state: %w", err)
	case len(data) > MaxBytes:
		return nil, f.tooLarge()
	}
	return data, nil
}

// check reports whether there is a file, and returns an error if it is not a regular one.
func (f StateFile) check() (found bool, err error) {
	folder, err := os.Lstat(filepath.Dir(f.path))
	if err == nil && folder.Mode()&fs.ModeSymlink != 0 {
		return false, fmt.Errorf("state: %s is a symbolic link; put the folder itself there", filepath.Dir(f.path))
	}
	info, err := os.Lstat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("state: %w", err)
	case info.Mode()&fs.ModeSymlink != 0:
		return true, fmt.Errorf("state: %s is a symbolic link; remove it", f.path)
	case !info.Mode().IsRegular():
		return true, fmt.Errorf("state: %s is not a regular file", f.path)
	}
	return true, nil
}

func (f StateFile) tooLarge() error {
	return fmt.Errorf("state: %s has more than %d bytes", f.path, MaxBytes)
}

// Replace replaces the content. The new one is on the disk before it gets its name.
func (f StateFile) Replace(data []byte) error {
	if f.path == "" {
		return nil
	}
	if len(data) > MaxBytes {
		return f.tooLarge()
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	if _, err := f.check(); err != nil {
		return err
	}
	part := f.path + "." + rand.Text()[:8] + ".part"
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(part, f.path)
	}
	if err != nil {
		_ = os.Remove(part)
		return fmt.Errorf("state: %w", err)
	}
	if err := safefile.SyncFolder(safefile.Anywhere, filepath.Dir(f.path)); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	return nil
}

// SetAside renames a file that makes no sense, so that it is neither read again nor lost, and returns its new path. It
// keeps files that were set aside before.
func (f StateFile) SetAside() (string, error) {
	aside := f.path + ".bad"
	for n := 2; ; n++ {
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return "", fmt.Errorf("state: %w", err)
		}
		aside = fmt.Sprintf("%s.%d.bad", f.path, n)
	}
	if err := os.Rename(f.path, aside); err != nil {
		return "", fmt.Errorf("state: %w", err)
	}
	return aside, nil
}
