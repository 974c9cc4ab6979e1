// Package safefile opens the files that lookout keeps or writes, so that nobody can put another one in their place, and
// puts their names on the disk.
package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
)

// Errors of Open. The text around them names the file.
var (
	ErrNotRegular = errors.New("is not a regular file")
	ErrReplaced   = errors.New("was replaced by another program while it was opened")
)

// A Folder is where files are opened: an os.Root, or Anywhere.
type Folder interface {
	Lstat(name string) (fs.FileInfo, error)
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
}

// Anywhere is the whole file system: names are paths.
var Anywhere Folder = anywhere{}

type anywhere struct{}

// Lstat calls os.Lstat.
func (anywhere) Lstat(path string) (fs.FileInfo, error) { return os.Lstat(path) }

// OpenFile calls os.OpenFile.
func (anywhere) OpenFile(path string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(path, flag, perm)
}

// Open opens a regular file. If there is none and flag has os.O_CREATE, it creates one; the error of one that another
// program creates at that moment is fs.ErrExist. It opens no link, and does not wait for a pipe. A file that another
// program replaces at that moment is opened again, a few times.
func Open(in Folder, name string, flag int, perm fs.FileMode) (file *os.File, err error) {
	for range 10 {
		if file, err = openOnce(in, name, flag, perm); !errors.Is(err, ErrReplaced) {
			break
		}
	}
	return file, err
}

func openOnce(in Folder, name string, flag int, perm fs.FileMode) (*os.File, error) {
	before, err := in.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0:
		return in.OpenFile(name, flag|os.O_EXCL, perm)
	case err != nil:
		return nil, err
	case !before.Mode().IsRegular():
		return nil, fmt.Errorf("%s %w", name, ErrNotRegular)
	}
	file, err := in.OpenFile(name, flag&^os.O_CREATE, 0)
	if err != nil {
		return nil, err
	}
	opened, err := file.Stat()
	if err == nil {
		var there fs.FileInfo
		if there, err = in.Lstat(name); err == nil && !(os.SameFile(before, opened) && os.SameFile(opened, there)) {
			err = fmt.Errorf("%s %w", name, ErrReplaced)
		}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// SyncFolder puts the names in a folder on the disk. Windows, and some file systems, cannot.
func SyncFolder(in Folder, path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := in.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer folder.Close()
	_ = folder.Sync()
	return nil
}
