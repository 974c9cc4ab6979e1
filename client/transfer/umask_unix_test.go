//go:build unix

package transfer

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// The umask decides who may read a downloaded file and enter a folder that a download makes, as with every other
// program.
func TestPartFile_keepsModeOfUmask(t *testing.T) {
	for umask, want := range map[int]os.FileMode{0o022: 0o644, 0o027: 0o640, 0o077: 0o600, 0o002: 0o664} {
		before := syscall.Umask(umask)
		defer syscall.Umask(before)
		dir := t.TempDir()
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		p, err := openPart(root, "folder/file", "identity", false, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.write([]byte("bytes")); err != nil {
			t.Fatal(err)
		}
		if err := p.publish(); err != nil {
			t.Fatal(err)
		}
		_ = p.lockFile.Close()
		for name, want := range map[string]os.FileMode{"folder/file": want, "folder": want | want&0o444>>2} {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil || info.Mode().Perm() != want {
				t.Errorf("umask %04o: %s: %v, %v; want %04o", umask, name, info.Mode(), err, want)
			}
		}
		syscall.Umask(before)
	}
}
