package statefile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lookout/client/statefile"
)

// The file is private, is replaced as a whole, and leaves no part behind.
func TestStateFile_Replace(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "lookout")
	f := statefile.New(filepath.Join(folder, "acme.state"))
	if data, err := f.Read(); data != nil || err != nil {
		t.Errorf("a missing file: %q, %v", data, err)
	}
	for _, text := range []string{"one", "two", ""} {
		if err := f.Replace([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if data, err := f.Read(); string(data) != text || err != nil {
			t.Errorf("%q, %v, want %q", data, err, text)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if info, err := os.Stat(f.Path()); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// A link, a folder and a file that is too large are refused, for reading and for writing.
func TestStateFile_refusesOddFiles(t *testing.T) {
	folder := t.TempDir()
	target := filepath.Join(folder, "target")
	if err := os.WriteFile(target, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	link, dir, large := filepath.Join(folder, "link"), filepath.Join(folder, "dir"), filepath.Join(folder, "large")
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	linked := filepath.Join(t.TempDir(), "lookout")
	if err := os.Symlink(folder, linked); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		link:                            "symbolic link",
		filepath.Join(linked, "target"): "symbolic link",
		dir:                             "not a regular file",
	} {
		f := statefile.New(path)
		if _, err := f.Read(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s was read: %v", path, err)
		}
		if err := f.Replace([]byte("x")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s was replaced: %v", path, err)
		}
	}
	if data, _ := os.ReadFile(target); string(data) != "kept" {
		t.Errorf("the target of the link was changed: %q", data)
	}
	f := statefile.New(large)
	if err := f.Replace(bytes.Repeat([]byte("x"), statefile.MaxBytes+1)); err == nil {
		t.Error("a file that is too large was written")
	}
	if err := os.WriteFile(large, bytes.Repeat([]byte("x"), statefile.MaxBytes+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read(); err == nil {
		t.Error("a file that is too large was read")
	}
}

// Files that make no sense are set aside, not lost: a second one does not take the place of the first.
func TestStateFile_SetAside(t *testing.T) {
	f := statefile.New(filepath.Join(t.TempDir(), "acme.state"))
	kept := map[string]string{}
	for _, text := range []string{"{torn", "{torn too", "{and again"} {
		if err := f.Replace([]byte(text)); err != nil {
			t.Fatal(err)
		}
		aside, err := f.SetAside()
		if err != nil {
			t.Fatal(err)
		}
		kept[aside] = text
		if data, err := f.Read(); data != nil || err != nil {
			t.Errorf("it is still there: %q, %v", data, err)
		}
	}
	for aside, text := range kept {
		if data, _ := os.ReadFile(aside); string(data) != text || len(kept) != 3 {
			t.Errorf("%s holds %q, want %q", aside, data, text)
		}
	}
}
