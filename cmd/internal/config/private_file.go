package config

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// WritePrivateFile writes a new file that only its owner can read. The file appears under its name when it is complete,
// and never replaces another.
func WritePrivateFile(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "write", Path: path, Err: fs.ErrExist}
	}
	part := path + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) { // left by a run that was killed
		return err
	}
	file, err := CreatePrivateFile(part)
	if err != nil {
		return err
	}
	defer os.Remove(part)
	_, err = file.WriteString(text)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Link(part, path); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Rename(part, path) // this file system has no hard links
}

// AppendPrivateFile opens a file to which its owner alone can add, and creates it if there is none. A regular file must
// be the user's own, and becomes readable for nobody else; a link to one is refused. Devices and pipes are taken as
// they are.
func AppendPrivateFile(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		file, err := os.OpenFile(path, os.O_WRONLY|openWithoutWaiting, 0)
		if err != nil && info.Mode()&fs.ModeNamedPipe != 0 {
			return nil, fmt.Errorf("%s is a pipe that no program reads; start its reader first", path)
		}
		return file, err
	}
	if link, err := os.Lstat(path); err == nil && link.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("%s is a link; name the file itself", path)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|openWithoutWaiting|openNoLink, 0o600)
	if err != nil {
		return nil, err
	}
	if err := makePrivate(file); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// makePrivate takes the permission to read a file from everybody but its owner. It fails if that is somebody else.
func makePrivate(file *os.File) error {
	info, err := file.Stat()
	switch {
	case err != nil:
		return err
	case OwnedByOther(info):
		return fmt.Errorf("%s belongs to another user; name a file of your own", file.Name())
	case runtime.GOOS == "windows", info.Mode().Perm()&0o077 == 0:
		return nil
	}
	return file.Chmod(0o600)
}

// CreatePrivateFile creates a file that only its owner can read. It fails if the file exists.
func CreatePrivateFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// renameFile renames a file. It never replaces another.
func renameFile(from, to string) error {
	if exists(to) {
		return &fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}

// TryWriting returns why lookout cannot write into a folder: it creates a file there and removes it. In place of a
// folder that does not exist it tries the one in which that would be created.
func TryWriting(folder string) error {
	for !exists(folder) && filepath.Dir(folder) != folder {
		folder = filepath.Dir(folder)
	}
	path := filepath.Join(folder, ".lookout-"+rand.Text()[:8]+".part")
	file, err := CreatePrivateFile(path)
	if err == nil {
		_, err = file.Write(make([]byte, 4096))
		err = errors.Join(err, file.Sync(), file.Close(), os.Remove(path))
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: "write", Path: folder, Err: failed.Err}
	}
	return err
}
