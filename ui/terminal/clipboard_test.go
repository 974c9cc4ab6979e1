//go:build linux

package terminal

import (
	"os"
	"path/filepath"
	"testing"
)

// The first tool that is there gets the text, on its standard input.
func TestWriteSystemClipboard(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("WAYLAND_DISPLAY", "")
	if err := writeSystemClipboard("x"); err == nil {
		t.Error("no tool, and no error")
	}
	kept := filepath.Join(dir, "kept")
	script := "#!/bin/sh\n{ echo \"$*\"; while read -r line || [ -n \"$line\" ]; do echo \"$line\"; done; } >" + kept + "\n"
	if err := os.WriteFile(filepath.Join(dir, "xsel"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := writeSystemClipboard("a secret"); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(kept); err != nil || string(got) != "--input --clipboard\na secret\n" {
		t.Errorf("%q, %v", got, err)
	}
}
