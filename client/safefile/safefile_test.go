package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// swapping is a folder in which somebody replaces a file between the look at it and its opening.
type swapping struct {
	Folder
	swap func()
}

func (s swapping) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	file, err := s.Folder.OpenFile(name, flag, perm)
	s.swap()
	return file, err
}

// Only a regular file is opened, and only the one that has the name afterwards.
func TestOpen(t *testing.T) {
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	if err := errors.Join(os.WriteFile(path("there"), []byte("x"), 0o600), os.Mkdir(path("sub"), 0o700)); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	links := os.Symlink("there", path("link")) == nil && os.Symlink("nowhere", path("dangling")) == nil
	for _, c := range []struct {
		name string
		flag int
		want error
	}{
		{"there", os.O_RDWR, nil},
		{"there", os.O_RDWR | os.O_CREATE, nil},
		{"nothing", os.O_RDWR, fs.ErrNotExist},
		{"new", os.O_RDWR | os.O_CREATE, nil},
		{"sub", os.O_RDONLY, ErrNotRegular},
		{"link", os.O_RDWR | os.O_CREATE, ErrNotRegular},
		{"dangling", os.O_RDWR | os.O_CREATE, ErrNotRegular},
	} {
		if !links && (c.name == "link" || c.name == "dangling") {
			continue
		}
		for how, open := range map[string]func() (*os.File, error){
			"path": func() (*os.File, error) { return Open(Anywhere, path(c.name), c.flag, 0o600) },
			"root": func() (*os.File, error) { return Open(root, c.name, c.flag, 0o600) },
		} {
			file, err := open()
			if !errors.Is(err, c.want) {
				t.Errorf("%s, %s: %v, not %v", how, c.name, err, c.want)
			}
			if err == nil {
				file.Close()
			}
		}
	}
	replace := func() {
		if err := os.WriteFile(path("other"), nil, 0o600); err == nil {
			_ = os.Rename(path("other"), path("there"))
		}
	}
	if _, err := Open(swapping{Anywhere, replace}, path("there"), os.O_RDONLY, 0); !errors.Is(err, ErrReplaced) {
		t.Errorf("a file that was replaced: %v", err)
	}
}

// A folder is synced by its path and in a root.
func TestSyncFolder(t *testing.T) {
	folder := t.TempDir()
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := errors.Join(SyncFolder(Anywhere, folder), SyncFolder(root, ".")); err != nil {
		t.Error(err)
	}
	if err := SyncFolder(Anywhere, filepath.Join(folder, "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}
