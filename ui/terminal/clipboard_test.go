package terminal

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// The first command that is installed gets the text on its standard input, not in its arguments, and no token.
func TestWriteSystemClipboard(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("WAYLAND_DISPLAY", "")
	if err := writeSystemClipboard("x"); err == nil {
		t.Error("no error without a clipboard command")
	}
	kept := filepath.Join(dir, "kept")
	t.Setenv("LOOKOUT_TOKEN", "canary")
	script := "#!/bin/sh\n" +
		"{ echo \"$LOOKOUT_TOKEN$*\"; while read -r line ||" +
		" [ -n \"$line\" ]; do echo \"$line\"; done; } >" + kept + "\n"
	if err := os.WriteFile(filepath.Join(dir, "xsel"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := writeSystemClipboard("a secret"); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(kept); err != nil || string(got) != "--input --clipboard\na secret\n" {
		t.Errorf("the command got %q, %v", got, err)
	}
}

func TestUTF16Text(t *testing.T) {
	if got, want := utf16Text("é😀"), "\xff\xfe\xe9\x00\x3d\xd8\x00\xde"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
