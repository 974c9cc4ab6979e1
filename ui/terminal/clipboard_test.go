package terminal

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"lookout/client/faulttest"
)

// The first command that is installed gets the text on its standard input, not in its arguments, and no token.
func TestWriteSystemClipboard(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("WAYLAND_DISPLAY", "")
	if _, err := writeSystemClipboard("x"); err == nil {
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
	if name, err := writeSystemClipboard("a secret"); err != nil || name != "xsel" {
		t.Fatal(name, err)
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

// runCopy copies a text and returns the sequence for the terminal and the receivers that are named.
func runCopy(t *testing.T, text string, secret bool) (sequence, receivers string, err error) {
	t.Helper()
	type sent struct {
		receivers string
		err       error
	}
	cmd := Copy(text, secret, func(receivers string, err error) tea.Msg { return sent{receivers, err} })
	batch, ok := cmd().(tea.BatchMsg)
	if !ok || len(batch) != 2 {
		t.Fatalf("%+v", batch)
	}
	through, _ := batch[0]().(output)
	said, _ := batch[1]().(sent)
	return through.bytes, said.receivers, said.err
}

// The sequence for the clipboard holds every byte of the text in the alphabet that terminals decode, in tmux too.
func TestOSC52_holdsEveryByte(t *testing.T) {
	var text strings.Builder
	for b := range 256 {
		text.WriteByte(byte(b))
		text.WriteRune(rune(b * 7))
	}
	for name, tmux := range map[string]bool{"plain": false, "in tmux": true} {
		faulttest.RunCase(t, "F12", "every byte, "+name, func(t *testing.T) {
			parts := strings.Split(osc52(text.String(), tmux, false), "]52;c;")[1:]
			if want := map[bool]int{false: 1, true: 2}[tmux]; len(parts) != want {
				t.Errorf("%d sequences, want %d", len(parts), want)
			}
			for _, part := range parts {
				encoded, _, _ := strings.Cut(part, "\a")
				if got, err := base64.StdEncoding.DecodeString(encoded); err != nil || string(got) != text.String() {
					t.Errorf("copied %q, %v", got, err)
				}
			}
		})
	}
}
