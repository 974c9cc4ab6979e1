package views_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lookout/client/emulator"
)

// newLog is a folder with a file in it.
func newLog(t *testing.T) (folder, file string) {
	t.Helper()
	folder = t.TempDir()
	file = filepath.Join(folder, "new.log")
	if err := os.WriteFile(file, []byte("a line\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder, file
}

// A path that is typed or pasted whole takes the place of the one that was proposed; a name goes on from it.
func TestAWholePathReplacesTheProposal(t *testing.T) {
	folder, file := newLog(t)
	t.Chdir(t.TempDir())
	for name, enter := range map[string]func(*rig){
		"typed":  func(r *rig) { r.press(file) },
		"pasted": func(r *rig) { r.send(tea.PasteMsg{Content: file}) },
	} {
		t.Run(name, func(t *testing.T) {
			start(t, emulator.Options{}, 120, 36, func(r *rig) {
				r.inBucket("cdn.acme")
				r.press("U")
				enter(r)
				r.press("<ctrl+s>")
				r.wait(2 * time.Second)
				r.see("new.log: uploaded")
			})
		})
	}
	start(t, emulator.Options{}, 120, 36, func(r *rig) {
		r.inBucket("cdn.acme")
		r.press("/", "index", "<enter>", "w")
		r.send(tea.PasteMsg{Content: folder})
		r.press("<ctrl+s>")
		r.wait(2 * time.Second)
		if _, err := os.Stat(filepath.Join(folder, "index.html")); err != nil {
			r.Errorf("%v\n%s", err, r.screen())
		}
		below := filepath.Join(folder, "below")
		if err := os.Mkdir(below, 0o700); err != nil {
			r.Fatal(err)
		}
		r.press("w", "/below", "<ctrl+s>")
		r.wait(2 * time.Second)
		if _, err := os.Stat(filepath.Join(below, "index.html")); err != nil {
			r.Errorf("%v\n%s", err, r.screen())
		}
	})
}

// An object's size and time are told whole beside its row, on its page and where it would be overwritten.
func TestAnObjectTellsItsTime(t *testing.T) {
	start(t, emulator.Options{}, 120, 36, func(r *rig) {
		r.inBucket("acme-backups")
		r.press("/", "README", "<enter>")
		object, _, err := r.api.Objects.Find(r.ctx, "us-east-1", "acme-backups", "README.txt")
		if err != nil {
			r.Fatal(err)
		}
		stamp := object.Modified.Time().Format("2006-01-02 15:04:05") + " UTC"
		r.see("modified      "+stamp, "size          60 B")
		r.miss("60 bytes")
		r.press("<enter>")
		r.see("modified      " + stamp)
	})
}
